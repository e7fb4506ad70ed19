//! Output files that appear whole or not at all.
//!
//! A file is written under a temporary name in its own folder, synced, and renamed over the old
//! one; if anything fails before that, the temporary file is removed and the old one is as it was.
//! A symbolic link stays, and what it points to is replaced. Devices, pipes and standard output
//! cannot be renamed over and are written directly.
//!
//! Temporary files are registered: a program that is interrupted calls [`remove_temporaries`]
//! before it exits. A commit holds the register, so that a file is either renamed or removed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Error;

/// Links that are followed before they are taken to be a circle.
const LONGEST_CHAIN: usize = 40;
/// Bytes gathered before they are handed to the system.
const BUFFER: usize = 1 << 16;

/// The temporary files of this process that are not yet renamed.
static TEMPORARIES: Mutex<Register> = Mutex::new(Register {
    paths: Vec::new(),
    next: 0,
    closed: false,
});

struct Register {
    paths: Vec<PathBuf>,
    next: u64,
    closed: bool,
}

fn register() -> MutexGuard<'static, Register> {
    // A list of paths is never half-changed: a panic elsewhere does not spoil it.
    TEMPORARIES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes every temporary file and lets no further one be made or renamed. For the handler of an
/// interrupt, in an ordinary thread, right before the process ends.
pub fn remove_temporaries() {
    let mut register = register();
    register.closed = true;
    for path in register.paths.drain(..) {
        // The process ends: there is nobody to tell.
        let _ = fs::remove_file(path);
    }
}

/// A file being written.
#[derive(Debug)]
pub struct Output {
    name: String,
    writer: Writer,
}

#[derive(Debug)]
enum Writer {
    /// Standard output, a device or a pipe.
    Direct(Option<BufWriter<Direct>>),
    Temporary {
        writer: Option<BufWriter<File>>,
        temporary: PathBuf,
        target: PathBuf,
    },
}

#[derive(Debug)]
enum Direct {
    Stdout(io::Stdout),
    File(File),
}

impl Write for Direct {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Direct::Stdout(out) => out.write(bytes),
            Direct::File(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Direct::Stdout(out) => out.flush(),
            Direct::File(file) => file.flush(),
        }
    }
}

impl Output {
    /// Begins to write a file; `-` is standard output. Nothing is to be seen under its name before
    /// [`commit`](Output::commit), and nothing is left behind if that never comes.
    pub fn create(path: &Path) -> Result<Output, Error> {
        if path.as_os_str() == "-" {
            return Ok(Output {
                name: "<stdout>".to_owned(),
                writer: Writer::Direct(Some(BufWriter::with_capacity(
                    BUFFER,
                    Direct::Stdout(io::stdout()),
                ))),
            });
        }
        let name = path.display().to_string();
        let writer = open(path).map_err(|e| Error::write(&name, e))?;
        Ok(Output { name, writer })
    }

    /// The file's name, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Writes out what is buffered, syncs, and puts the file in its place.
    pub fn commit(mut self) -> Result<(), Error> {
        self.finish().map_err(|e| Error::write(&self.name, e))
    }

    fn finish(&mut self) -> io::Result<()> {
        match &mut self.writer {
            Writer::Direct(writer) => match writer.take() {
                Some(mut writer) => writer.flush(),
                None => Ok(()),
            },
            Writer::Temporary {
                writer,
                temporary,
                target,
            } => {
                let Some(mut buffered) = writer.take() else {
                    return Ok(());
                };
                buffered.flush()?;
                buffered.get_ref().sync_all()?;
                let mut register = register();
                if register.closed {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                fs::rename(&*temporary, &*target)?;
                register.paths.retain(|path| path != temporary);
                drop(register);
                // The name is in the folder, so the folder is synced too, where the system can.
                if let Some(folder) = target.parent()
                    && let Ok(folder) = File::open(folder_or_here(folder))
                {
                    let _ = folder.sync_all();
                }
                Ok(())
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.writer {
            Writer::Direct(Some(writer)) => writer.write(bytes),
            Writer::Temporary {
                writer: Some(writer),
                ..
            } => writer.write(bytes),
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.writer {
            Writer::Direct(Some(writer)) => writer.flush(),
            Writer::Temporary {
                writer: Some(writer),
                ..
            } => writer.flush(),
            _ => Ok(()),
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        match &mut self.writer {
            // Not committed: what is still buffered is not to be written by the buffer's drop.
            Writer::Direct(writer) => {
                if let Some(writer) = writer.take() {
                    let _ = writer.into_parts();
                }
            }
            Writer::Temporary {
                writer, temporary, ..
            } => {
                if let Some(writer) = writer.take() {
                    let _ = writer.into_parts();
                }
                let mut register = register();
                if let Some(i) = register.paths.iter().position(|path| path == temporary) {
                    register.paths.swap_remove(i);
                    let _ = fs::remove_file(temporary);
                }
            }
        }
    }
}

fn open(path: &Path) -> io::Result<Writer> {
    // The system resolves names such as /dev/stdout, whose links lead to no path.
    let about = match fs::metadata(path) {
        Ok(about) => Some(about),
        Err(e) if e.kind() == io::ErrorKind::NotFound => None,
        Err(e) => return Err(e),
    };
    match &about {
        Some(about) if about.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Some(about) if !about.is_file() || is_descriptor(path) => {
            // Appending, for a descriptor may stand in the middle of a file.
            let file = OpenOptions::new().append(true).open(path)?;
            let writer = BufWriter::with_capacity(BUFFER, Direct::File(file));
            return Ok(Writer::Direct(Some(writer)));
        }
        // A rename would replace a file that is protected from writing: ask first.
        Some(_) => drop(OpenOptions::new().write(true).open(path)?),
        None => {}
    }
    let target = follow(path)?;
    let Some(base) = target.file_name() else {
        return Err(io::ErrorKind::IsADirectory.into());
    };
    let folder = folder_or_here(target.parent().unwrap_or(Path::new("")));
    let mut register = register();
    if register.closed {
        return Err(io::ErrorKind::Interrupted.into());
    }
    let (temporary, file) = loop {
        let mut hidden = std::ffi::OsString::from(".");
        // A long name leaves no room for more in the folder's 255 bytes.
        hidden.push(base.to_string_lossy().chars().take(40).collect::<String>());
        hidden.push(format!(".{}-{}.partial", std::process::id(), register.next));
        register.next += 1;
        let temporary = folder.join(hidden);
        match OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&temporary)
        {
            Ok(file) => break (temporary, file),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    };
    register.paths.push(temporary.clone());
    drop(register);
    if let Some(about) = about {
        // As far as the system lets us: other owners' files may refuse.
        let _ = file.set_permissions(about.permissions());
    }
    Ok(Writer::Temporary {
        writer: Some(BufWriter::with_capacity(BUFFER, file)),
        temporary,
        target,
    })
}

/// Whether a path names a file that is already open, not one in a folder.
fn is_descriptor(path: &Path) -> bool {
    ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"]
        .iter()
        .any(|prefix| path.starts_with(prefix))
}

fn folder_or_here(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    }
}

/// What a chain of symbolic links ends at, whether that exists or not.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut here = path.to_path_buf();
    for _ in 0..LONGEST_CHAIN {
        match fs::symlink_metadata(&here) {
            Ok(about) if about.file_type().is_symlink() => {
                let link = fs::read_link(&here)?;
                // A relative link is relative to the folder it is in.
                here = match here.parent() {
                    Some(folder) => folder.join(link),
                    None => link,
                };
            }
            Ok(_) => return Ok(here),
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(here),
            Err(e) => return Err(e),
        }
    }
    Err(io::Error::other("symbolic links that go in a circle"))
}
