//! `adjoin man`: a page for the program and one for each command, `adjoin-place(1)` and the like.

use clap::CommandFactory;
use clap_mangen::Man as Renderer;

use crate::args::{Cli, Man};
use crate::error::Error;
use crate::table;

pub fn run(args: &Man) -> Result<(), Error> {
    let pages = pages()?;
    if let Some(folder) = &args.output {
        std::fs::create_dir_all(folder).map_err(|source| {
            let file = folder.display().to_string();
            Error::File(adjoin_formats::Error::Write { file, source })
        })?;
        return pages
            .iter()
            .try_for_each(|(name, page)| table::put(page, &folder.join(format!("{name}.1"))));
    }
    match &args.command {
        // One page after the other is a document of several pages to `man`.
        None => table::print(
            &pages
                .into_iter()
                .map(|(_, page)| page)
                .collect::<Vec<_>>()
                .concat(),
        ),
        Some(command) => {
            let name = format!("adjoin-{command}");
            let Some((_, page)) = pages.iter().find(|(other, _)| *other == name) else {
                let names: Vec<&str> = pages
                    .iter()
                    .filter_map(|(n, _)| n.strip_prefix("adjoin-"))
                    .collect();
                return Err(Error::Usage(format!(
                    "found the command {command:?}, expected one of {}",
                    names.join(", ")
                )));
            };
            table::print(page)
        }
    }
}

/// All pages with their names, the program's own first.
fn pages() -> Result<Vec<(String, Vec<u8>)>, Error> {
    let mut program = Cli::command();
    // Global options, and what is said of versions, come down to the commands only so.
    program.build();
    let commands = program.get_subcommands().filter(|c| c.get_name() != "help");
    let commands: Vec<clap::Command> = commands.cloned().collect();
    let rendered = std::iter::once(program).chain(commands).map(|command| {
        let name = match command.get_name() {
            "adjoin" => "adjoin".to_owned(),
            own => format!("adjoin-{own}"),
        };
        let mut page = Vec::new();
        Renderer::new(command.display_name(name.clone()))
            .title(name.clone())
            .render(&mut page)
            .map(|()| (name, page))
            .map_err(|e| Error::Request(e.to_string()))
    });
    rendered.collect()
}
