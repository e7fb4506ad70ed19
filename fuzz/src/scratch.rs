//! Files for readers to read: in memory where the system has a folder for that, one folder a thread.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

thread_local! {
    static FOLDER: Folder = new_folder();
}

fn new_folder() -> Folder {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let shared = Path::new("/dev/shm");
    let base = if shared.is_dir() {
        shared.to_owned()
    } else {
        std::env::temp_dir()
    };
    let name = format!(
        "adjoin-fuzz-{}-{}",
        std::process::id(),
        NEXT.fetch_add(1, Relaxed)
    );
    let folder = base.join(name);
    fs::create_dir_all(&folder).expect("a folder for scratch files");
    Folder(folder)
}

/// The path of a name in this thread's folder.
pub fn path(name: &str) -> PathBuf {
    FOLDER.with(|folder| folder.0.join(name))
}

/// Writes a file, and says where it is.
pub fn put(name: &str, bytes: &[u8]) -> PathBuf {
    let path = path(name);
    fs::write(&path, bytes).expect("a scratch file");
    path
}

/// Removes a file or a folder, if it is there.
pub fn clear(name: &str) {
    let path = path(name);
    if path.is_dir() {
        let _ = fs::remove_dir_all(path);
    } else {
        let _ = fs::remove_file(path);
    }
}
