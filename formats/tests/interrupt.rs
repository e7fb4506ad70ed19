//! An interrupt closes the register of temporary files for good, so it has a process of its own.

use std::io::Write;

use adjoin_formats::{Output, remove_temporaries};

#[test]
fn an_interrupt_leaves_nothing_half_written() {
    let folder = std::env::temp_dir().join(format!("adjoin-interrupt-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let old = folder.join("old.tsv");
    std::fs::write(&old, "old").unwrap();
    let mut one = Output::create(&old).unwrap();
    one.write_all(b"half of it").unwrap();
    one.flush().unwrap();
    let two = Output::create(&folder.join("new.tsv")).unwrap();
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 3);

    remove_temporaries();
    let left: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["old.tsv"]);
    // Whoever still writes cannot finish, and cannot begin again.
    assert!(one.commit().is_err());
    drop(two);
    assert!(Output::create(&folder.join("late.tsv")).is_err());
    assert_eq!(std::fs::read(&old).unwrap(), b"old");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    std::fs::remove_dir_all(&folder).unwrap();
}
