//! `adjoin`: parse → core → write. Data goes to files and stdout, words to stderr.

mod arc;
mod args;
mod compare;
mod convert;
mod demo;
mod error;
mod evaluate;
mod files;
mod fit;
mod groups;
mod grow;
mod info;
mod input;
mod link;
mod look;
mod manual;
mod memory;
mod place;
mod plot;
mod refit;
mod report;
mod shard;
mod signals;
mod table;
mod variables;
mod words;

use std::process::ExitCode;

use args::{Cli, Command};
use clap::{CommandFactory, Parser};
use words::Words;

/// The table was written, but some newcomers have no place in it.
const INCOMPLETE: u8 = 3;

fn main() -> ExitCode {
    let cli = Cli::parse();
    memory::limit(cli.common.max_memory);
    signals::watch();
    let words = Words::new(&cli.common);
    match run(&cli, &words) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            words.done();
            if !error.is_silent() {
                words::put(format_args!("adjoin: {error}"));
            }
            ExitCode::from(error.code())
        }
    }
}

/// Runs the command; the answer is the exit code.
fn run(cli: &Cli, words: &Words) -> Result<u8, error::Error> {
    let common = &cli.common;
    files::check(&cli.command, common)?;
    match &cli.command {
        Command::Demo(args) => demo::run(args, common, words).map(|()| 0),
        Command::Fit(args) => fit::run(args, common, words).map(|()| 0),
        Command::Place(args) => place::run(args, common, words),
        Command::Gather(args) => shard::gather(args, common, words),
        Command::Grow(args) => grow::run(args, common, words).map(|()| 0),
        Command::Refit(args) => refit::run(args, common, words).map(|()| 0),
        Command::Arc(args) => arc::run(args, common, words),
        Command::Compare(args) => compare::run(args, common, words),
        Command::Evaluate(args) => evaluate::run(args, common, words).map(|()| 0),
        Command::Plot(args) => plot::run(args, common, words),
        Command::Report(args) => report::run(args, common, words),
        Command::Info(args) => info::run(args, common).map(|()| 0),
        Command::Convert(args) => convert::run(args, common, words).map(|()| 0),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "adjoin", &mut script);
            table::print(&script).map(|()| 0)
        }
        Command::Man(args) => manual::run(args).map(|()| 0),
    }
}
