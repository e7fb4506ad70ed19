//! Output files that appear whole or not at all.
//!
//! A file is written under a temporary name in its own folder, synced, and renamed over the old
//! one; if anything fails before that, the temporary file is removed and the old one is as it was.
//! A symbolic link stays, and what it points to is replaced. Devices, pipes and standard output
//! cannot be renamed over and are written directly.
//!
//! Temporary files are registered: a program that is interrupted calls [`remove_temporaries`]
//! before it exits. A commit holds the register, so that a file is either renamed or removed.
//!
//! A process that is killed, or whose machine loses power, leaves its temporary file behind. Whoever writes holds a lock on
//! it, which ends with the process: the next one that writes the same output removes those that nobody holds. Where the
//! file system has no locks, nothing is removed.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Error;

/// Links that are followed before they are taken to be a circle.
const LONGEST_CHAIN: usize = 40;
/// How the names of temporary files end.
const PARTIAL: &str = ".partial";
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

/// The same where memory has run out, perhaps in the middle of a change to the list: without waiting for it, and without
/// allocating. What is left behind is removed by whoever writes the same output next.
pub fn abandon_temporaries() {
    if let Ok(register) = TEMPORARIES.try_lock() {
        for path in &register.paths {
            let _ = fs::remove_file(path);
        }
    }
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
                forget(temporary);
            }
        }
    }
}

/// A temporary file of this process, which is removed with this.
#[derive(Debug)]
pub(crate) struct Aside {
    path: PathBuf,
    /// Holds the lock that tells other processes that it is in use.
    _held: File,
}

impl Aside {
    /// Makes one in the system's folder for temporary files.
    pub(crate) fn create() -> io::Result<(Aside, BufWriter<File>)> {
        let mut how = OpenOptions::new();
        // A folder that all share: what is put aside is nobody else's business.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut how, 0o600);
        let (path, file) = temporary(&std::env::temp_dir(), "adjoin", how)?;
        let _held = file.try_clone()?;
        Ok((
            Aside { path, _held },
            BufWriter::with_capacity(BUFFER, file),
        ))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        forget(&self.path);
    }
}

/// Removes a temporary file, unless that was done.
fn forget(temporary: &Path) {
    let mut register = register();
    if let Some(i) = register.paths.iter().position(|path| path == temporary) {
        register.paths.swap_remove(i);
        let _ = fs::remove_file(temporary);
    }
}

/// Makes a temporary file in a folder, and registers it.
fn temporary(folder: &Path, base: &str, mut how: OpenOptions) -> io::Result<(PathBuf, File)> {
    let mut register = register();
    if register.closed {
        return Err(io::ErrorKind::Interrupted.into());
    }
    how.write(true).create_new(true);
    // A long name leaves no room for more in the folder's 255 bytes.
    let hidden = format!(".{}.", base.chars().take(40).collect::<String>());
    remove_abandoned(folder, &hidden);
    loop {
        let number = register.next;
        register.next += 1;
        let path = folder.join(format!("{hidden}{}-{number}{PARTIAL}", std::process::id()));
        // Before there is such a file: once there is one, no memory is asked for until the list is open to whoever removes it.
        register.paths.push(path.clone());
        let opened = how.open(&path);
        match opened {
            // Between creation and lock another process may have taken it for abandoned: then once more.
            Ok(file) if held(&file) && path.exists() => return Ok((path, file)),
            _ => drop(register.paths.pop()),
        }
        match opened {
            Ok(_) => {}
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
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
    let (temporary, file) = temporary(folder, &base.to_string_lossy(), OpenOptions::new())?;
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

/// Locks a new file for as long as it is open; false if somebody else holds it. Without locks nobody takes it for abandoned.
fn held(file: &File) -> bool {
    !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

/// Removes what killed processes left of this output.
fn remove_abandoned(folder: &Path, hidden: &str) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if !name.to_str().is_some_and(|name| is_temporary(name, hidden)) {
            continue;
        }
        // A link that somebody laid there is not followed, let alone opened.
        let regular = entry.file_type().is_ok_and(|kind| kind.is_file());
        let path = entry.path();
        if regular
            && let Ok(file) = OpenOptions::new().write(true).open(&path)
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(&path);
        }
    }
}

/// Whether a name is that of a temporary file whose name begins so.
fn is_temporary(name: &str, hidden: &str) -> bool {
    let numbers = name
        .strip_prefix(hidden)
        .and_then(|rest| rest.strip_suffix(PARTIAL))
        .and_then(|rest| rest.split_once('-'));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    numbers.is_some_and(|(process, number)| digits(process) && digits(number))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_temporary_files_are_taken_for_such() {
        for name in [".out.tsv.12-0.partial", ".out.tsv.1-345.partial"] {
            assert!(is_temporary(name, ".out.tsv."), "{name}");
        }
        for name in [
            ".out.tsv.12-0.partial2",
            ".out.tsv.a-0.partial",
            ".out.tsv.12.partial",
            ".out.tsv.-1.partial",
            ".out.tsv.bak.12-0.partial",
            "out.tsv.12-0.partial",
        ] {
            assert!(!is_temporary(name, ".out.tsv."), "{name}");
        }
    }
}
