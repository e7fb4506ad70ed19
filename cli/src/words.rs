//! Words and progress bars, all to stderr.

use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use adjoin::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::args::Common;

/// Work shorter than this shows no bar.
const PATIENCE: Duration = Duration::from_millis(700);

/// What is said on the way, and how much of it.
pub struct Words {
    quiet: bool,
    verbose: bool,
    bar: Mutex<Bar>,
}

struct Bar {
    shown: Option<(&'static str, ProgressBar)>,
    since: Instant,
    allowed: bool,
}

impl Words {
    pub fn new(common: &Common) -> Self {
        Self {
            quiet: common.quiet,
            verbose: common.verbose,
            bar: Mutex::new(Bar {
                shown: None,
                since: Instant::now(),
                allowed: !common.quiet && std::io::stderr().is_terminal(),
            }),
        }
    }

    /// Says something, unless quiet.
    pub fn say(&self, text: impl std::fmt::Display) {
        if !self.quiet {
            put(text);
        }
    }

    /// Says that the objects of a file have no names but their numbers.
    pub fn say_numbered(&self, source: &str) {
        self.say(format_args!("{source}: no labels, so objects are numbered"));
    }

    /// Says something only if asked to say more.
    pub fn detail(&self, text: impl std::fmt::Display) {
        if self.verbose {
            put(text);
        }
    }

    /// Shows how far long work has come; short work shows nothing.
    pub fn progress(&self, progress: Progress) -> ControlFlow<()> {
        if let Ok(mut bar) = self.bar.lock()
            && bar.allowed
            && bar.since.elapsed() > PATIENCE
        {
            bar.show(progress);
        }
        ControlFlow::Continue(())
    }

    /// Takes the bar away.
    pub fn done(&self) {
        if let Ok(mut bar) = self.bar.lock() {
            if let Some((_, shown)) = bar.shown.take() {
                shown.finish_and_clear();
            }
            bar.since = Instant::now();
        }
    }
}

impl Bar {
    fn show(&mut self, progress: Progress) {
        if self
            .shown
            .as_ref()
            .is_none_or(|(task, _)| *task != progress.task)
        {
            let target = ProgressDrawTarget::stderr_with_hz(10);
            let bar = ProgressBar::with_draw_target(Some(progress.total as u64), target);
            if let Ok(style) = ProgressStyle::with_template("{msg:24} {wide_bar} {pos}/{len} {eta}")
            {
                bar.set_style(style);
            }
            bar.set_message(progress.task);
            self.shown = Some((progress.task, bar));
        }
        if let Some((_, bar)) = &self.shown {
            bar.set_length(progress.total as u64);
            bar.set_position(progress.done as u64);
        }
    }
}

/// One line to stderr; a closed stderr is nobody's concern.
pub fn put(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
