//! Which files a command reads and which it writes, looked at before anything is read: nothing is written over its own
//! input, nor under the name of something else.

use std::path::Path;

use adjoin_formats::{OutputFormat, Written, check_name};

use crate::args::{Command, Common, Joining, New, Reading, Telling};
use crate::error::Error;

/// The files of a command: what each is called on the command line, and where it is.
#[derive(Default)]
struct Files<'a> {
    inputs: Vec<(&'static str, &'a Path)>,
    output: Option<(&'static str, &'a Path)>,
    /// What is written; pictures have rules of their own.
    written: Option<Written>,
}

/// Refuses a command that would write over one of its inputs, or under a misleading name.
pub fn check(command: &Command, common: &Common) -> Result<(), Error> {
    let files = Files::of(command);
    let Some((name, output)) = files.output else {
        return Ok(());
    };
    if let Some(same) = identity(output)
        && let Some((what, _)) = files.inputs.iter().find(|(_, p)| {
            // Standard input may be a file too.
            let path = if p.as_os_str() == "-" {
                Path::new("/dev/stdin")
            } else {
                p
            };
            identity(path).as_ref() == Some(&same)
        })
    {
        return Err(Error::Usage(format!(
            "found {name} {}, the same file as {what}, expected another: nothing is written over its own input",
            output.display()
        )));
    }
    if let Some(written) = files.written {
        check_name(output, written).map_err(|e| Error::Usage(e.to_string()))?;
    }
    if common.json && files.written == Some(Written::Table) {
        let format = OutputFormat::of(output).map_err(|e| Error::Usage(e.to_string()))?;
        if format != OutputFormat::Json && output.extension().is_some() {
            return Err(Error::Usage(format!(
                "found --json and {name} {}, expected a name that ends in .json, or no --json",
                output.display()
            )));
        }
    }
    Ok(())
}

impl<'a> Files<'a> {
    fn of(command: &'a Command) -> Self {
        let mut files = Self::default();
        match command {
            Command::Fit(fit) => {
                files.read("OLD", fit.old.as_deref());
                files.reading(&fit.reading);
                files.read("--configuration", fit.configuration.as_deref());
                files.read("--weights", fit.weights.as_deref());
                files.read("--origin", fit.origin.as_deref().map(Path::new));
                let landmarks = fit.families.landmarks.as_deref();
                files.read("--landmarks", landmarks.map(Path::new));
                files.read("--self", fit.itself.as_deref().map(Path::new));
                files.write("-o", &fit.output, Some(Written::Map));
            }
            Command::Place(place) => {
                files.newcomers(&place.new);
                files.joining(&place.joining);
                files.read("--variables", place.variables.as_deref());
                files.read("--old", place.certainty.old.as_deref());
                files.read("--groups", place.groups.as_ref().map(|g| g.file()));
                files.write("-o", &place.output, Some(Written::Table));
            }
            Command::Gather(gather) => {
                for part in &gather.parts {
                    files.read("a part", Some(part));
                }
                files.write("-o", &gather.output, Some(Written::Table));
            }
            Command::Grow(grow) => {
                files.newcomers(&grow.new);
                files.joining(&grow.joining);
                files.write("-o", &grow.output, Some(Written::Map));
            }
            Command::Refit(refit) => {
                files.read("MAP", Some(&refit.map));
                files.read("SQUARE", Some(&refit.square));
                files.read("--self", refit.itself.as_deref().map(Path::new));
                files.reading(&refit.reading);
                files.write("-o", &refit.output, Some(Written::Map));
            }
            Command::Arc(arc) => {
                files.newcomers(&arc.new);
                files.write("-o", &arc.output, Some(Written::Table));
            }
            Command::Compare(compare) => {
                files.newcomers(&compare.new);
                files.joining(&compare.joining);
                if let Some(output) = &compare.output {
                    files.write("-o", output, Some(Written::Table));
                }
            }
            Command::Evaluate(evaluate) => {
                files.read("MAP", Some(&evaluate.map));
                files.read("OLD", Some(&evaluate.old));
                files.read("--groups", evaluate.groups.as_ref().map(|g| g.file()));
                files.read("--labels", evaluate.labels.as_ref().map(|g| g.file()));
                files.read("--names", evaluate.names.as_deref());
                files.write("-o", &evaluate.output, Some(Written::Table));
            }
            Command::Plot(crate::args::Plot {
                shown,
                output,
                certainty,
                ..
            }) => {
                files.shown(shown);
                files.read("--old", certainty.old.as_deref());
                files.write("-o", output, None);
            }
            Command::Report(crate::args::Report {
                shown,
                output,
                certainty,
                ..
            }) => {
                files.shown(shown);
                files.read("--old", certainty.old.as_deref());
                files.write("-o", output, Some(Written::Page));
            }
            Command::Convert(convert) => {
                files.read("IN", Some(&convert.input));
                files.reading(&convert.reading);
                files.read("--variables", convert.variables.as_deref());
                files.write("OUT", &convert.output, Some(Written::Table));
            }
            Command::Demo(_) | Command::Info(_) | Command::Completions { .. } | Command::Man(_) => {
            }
        }
        files
    }

    fn read(&mut self, what: &'static str, path: Option<&'a Path>) {
        self.inputs.extend(path.map(|path| (what, path)));
    }

    fn write(&mut self, name: &'static str, path: &'a Path, written: Option<Written>) {
        self.output = Some((name, path));
        self.written = written;
    }

    fn newcomers(&mut self, new: &'a New) {
        self.read("MAP", Some(&new.map));
        self.read("NEW", Some(&new.new));
        self.telling(&new.telling);
    }

    fn telling(&mut self, telling: &'a Telling) {
        self.read("--self", telling.itself.as_deref().map(Path::new));
        self.read("--weights", telling.weights.as_deref());
        self.reading(&telling.reading);
    }

    fn reading(&mut self, reading: &'a Reading) {
        self.read("--labels", reading.labels.as_deref());
        self.read("--column-labels", reading.column_labels.as_deref());
        self.read("--rename", reading.rename.as_deref());
    }

    fn joining(&mut self, joining: &'a Joining) {
        self.read("--between", joining.between.as_deref());
    }

    fn shown(&mut self, shown: &'a crate::args::Shown) {
        self.read("MAP", Some(&shown.map));
        self.read("NEW", shown.new.as_deref());
        self.telling(&shown.telling);
        self.joining(&shown.joining);
        self.read("--metadata", shown.metadata.as_deref());
        self.read("--variables", shown.variables.as_deref());
    }
}

/// What makes a file the same through hard and symbolic links; none for what is not a file, or not there.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let about = std::fs::metadata(path).ok().filter(|m| m.is_file())?;
    Some((about.dev(), about.ino()))
}

/// The same where files have no numbers: symbolic links only.
#[cfg(not(unix))]
fn identity(path: &Path) -> Option<std::path::PathBuf> {
    std::fs::metadata(path).ok().filter(|m| m.is_file())?;
    std::fs::canonicalize(path).ok()
}
