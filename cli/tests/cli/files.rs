use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::run::Folder;

/// An output that is one of the inputs, whatever it is to the command, is refused before anything is read.
#[test]
fn nothing_is_written_over_its_own_input() {
    let folder = Folder::with_demo();
    for name in [
        "self.tsv",
        "weights.tsv",
        "between.tsv",
        "labels.txt",
        "meta.tsv",
        "xy.tsv",
    ] {
        folder.write(name, "not read\n");
    }
    for (command, input) in [
        ("fit old.tsv -d 2 -o old.tsv", "OLD"),
        (
            "fit old.tsv -d 2 --configuration xy.tsv -o xy.tsv",
            "--configuration",
        ),
        (
            "fit old.tsv -d 2 --origin weights.tsv -o weights.tsv",
            "--origin",
        ),
        (
            "fit old.tsv -d 2 --kind similarity --self self.tsv -o self.tsv",
            "--self",
        ),
        (
            "fit old.tsv -d 2 --labels labels.txt -o labels.txt",
            "--labels",
        ),
        ("place europe.adjoin new.tsv -o new.tsv", "NEW"),
        (
            "place europe.adjoin new.tsv --weights weights.tsv -o weights.tsv",
            "--weights",
        ),
        (
            "place europe.adjoin new.tsv --self self.tsv -o self.tsv",
            "--self",
        ),
        (
            "place europe.adjoin new.tsv --between between.tsv -o between.tsv",
            "--between",
        ),
        ("arc europe.adjoin new.tsv -o new.tsv", "NEW"),
        ("compare europe.adjoin new.tsv -o new.tsv", "NEW"),
        (
            "compare europe.adjoin new.tsv --between between.tsv -o between.tsv",
            "--between",
        ),
        ("convert old.tsv old.tsv", "IN"),
    ] {
        refused(&folder, command, &[input, "expected another"]);
    }
    // Where the name is right for the output, the file still is the input.
    fs::copy(folder.path("europe.adjoin"), folder.path("map")).unwrap();
    fs::copy(folder.path("meta.tsv"), folder.path("meta.html")).unwrap();
    fs::copy(folder.path("meta.tsv"), folder.path("meta.svg")).unwrap();
    for (command, input) in [
        ("place map new.tsv -o map", "MAP"),
        ("arc map new.tsv -o map", "MAP"),
        ("compare map new.tsv -o map", "MAP"),
        ("convert map map", "IN"),
        ("report map new.tsv -o map", "MAP"),
        (
            "report map new.tsv --metadata meta.html -o meta.html",
            "--metadata",
        ),
        (
            "plot map --metadata meta.svg --colour-by a -o meta.svg",
            "--metadata",
        ),
    ] {
        refused(&folder, command, &[input, "expected another"]);
    }
}

/// Also through another name: a longer path, a symbolic link, a hard link, or standard input.
#[cfg(unix)]
#[test]
fn links_lead_to_the_same_file() {
    let folder = Folder::with_demo();
    fs::create_dir(folder.path("sub")).unwrap();
    std::os::unix::fs::symlink("new.tsv", folder.path("soft.tsv")).unwrap();
    fs::hard_link(folder.path("new.tsv"), folder.path("hard.tsv")).unwrap();
    for output in ["sub/../new.tsv", "soft.tsv", "hard.tsv"] {
        let command = format!("place europe.adjoin new.tsv -o {output}");
        refused(&folder, &command, &["NEW"]);
        let command = format!("place europe.adjoin {output} -o new.tsv");
        refused(&folder, &command, &["NEW"]);
    }
    let before = folder.read("new.tsv");
    let stdin = fs::File::open(folder.path("new.tsv")).unwrap();
    let mut command = folder.command(&["place", "europe.adjoin", "-", "-o", "new.tsv"]);
    let run = command.stdin(stdin).output().unwrap();
    assert_eq!(run.status.code(), Some(2));
    assert_eq!(folder.read("new.tsv"), before);
}

/// An extension that means another kind of file is refused, with what can be written.
#[test]
fn a_name_that_means_something_else() {
    let folder = Folder::with_demo();
    for extension in [
        "adjoin", "xlsx", "ods", "png", "svg", "html", "qza", "phy", "gz", "npy.gz", "zip",
        "feather", "npz", "rds", "mat", "h5", "PDF",
    ] {
        for command in [
            "place europe.adjoin new.tsv -o",
            "arc europe.adjoin new.tsv -o",
            "compare europe.adjoin new.tsv -o",
            "convert old.tsv",
        ] {
            refused(
                &folder,
                &format!("{command} x.{extension}"),
                &[".tsv.gz", ".parquet"],
            );
        }
    }
    for extension in [
        "tsv",
        "csv",
        "json",
        "npy",
        "parquet",
        "ordination",
        "gz",
        "html",
        "xlsx",
    ] {
        refused(
            &folder,
            &format!("fit old.tsv -d 2 -o x.{extension}"),
            &["map.adjoin"],
        );
    }
    for extension in ["tsv", "adjoin", "png", "pdf", "gz"] {
        refused(
            &folder,
            &format!("report europe.adjoin new.tsv -o x.{extension}"),
            &[".html"],
        );
    }
    refused(&folder, "convert old.tsv x.ordination", &["coordinates"]);
    refused(
        &folder,
        "convert old.tsv x.ordination --metric euclidean",
        &["coordinates"],
    );
    refused(
        &folder,
        "place europe.adjoin new.tsv --json -o x.csv",
        &["--json", ".json"],
    );
    // What means nothing in particular is nobody's concern.
    for command in [
        "fit old.tsv -d 2 -o map",
        "fit old.tsv -d 2 -o map.v2",
        "place europe.adjoin new.tsv -o placed.2026",
        "report europe.adjoin new.tsv -o page.htm",
        "convert europe.adjoin x.ordination",
    ] {
        let run = folder.run(command);
        assert_eq!(run.code, 0, "{command}: {}", run.err);
    }
}

/// `.tsv.gz` and `.csv.gz` are gzipped, and read back as what they are without.
#[test]
fn gzipped_tables() {
    let folder = Folder::with_demo();
    for (plain, gzipped) in [("a.tsv", "a.tsv.gz"), ("a.csv", "a.csv.gz")] {
        assert_eq!(folder.run(&format!("convert old.tsv {plain}")).code, 0);
        assert_eq!(folder.run(&format!("convert old.tsv {gzipped}")).code, 0);
        let bytes = fs::read(folder.path(gzipped)).unwrap();
        assert_eq!(bytes[..2], [0x1f, 0x8b]);
        assert_eq!(
            folder.run(&format!("convert {gzipped} back-{plain}")).code,
            0
        );
        assert_eq!(folder.read(&format!("back-{plain}")), folder.read(plain));
    }
}

/// Tests may run where a signal is ignored, as in the background of a shell; the program would go on ignoring it.
#[cfg(unix)]
fn heed_signals(command: &mut std::process::Command) {
    use std::os::unix::process::CommandExt;
    let heed = || {
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            // SAFETY: `signal` may be called between fork and exec.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: the closure calls nothing but `signal`.
    unsafe { command.pre_exec(heed) };
}

/// A signal ends a run within a second, whatever it is at, with its own exit code and nothing written.
#[cfg(unix)]
#[test]
fn signals() {
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let folder = Folder::new();
        folder.write("big.tsv", square_of(1500));
        let mut command = folder.command(&[
            "fit",
            "big.tsv",
            "-d",
            "2",
            "--solver",
            "dense",
            "-o",
            "map.adjoin",
        ]);
        heed_signals(&mut command);
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        // Well inside reading or computing: both take longer together.
        std::thread::sleep(Duration::from_millis(300));
        let sent = std::process::Command::new("kill")
            .args([format!("-{signal}"), child.id().to_string()])
            .status()
            .unwrap();
        assert!(sent.success());
        let since = Instant::now();
        let status = child.wait().unwrap();
        assert_eq!(status.code(), Some(code), "{signal}");
        assert!(since.elapsed() < Duration::from_secs(1), "{signal}");
        assert_eq!(folder.names(), ["big.tsv"], "{signal}");
    }
}

/// Distances between points that are nowhere near a line.
#[cfg(unix)]
fn square_of(n: usize) -> String {
    let at = |i: usize| ((i * 7919 % 1009) as f64, (i * 104729 % 997) as f64);
    let mut text: String = (0..n).map(|i| format!("\to{i}")).collect();
    text.push('\n');
    for i in 0..n {
        text += &format!("o{i}");
        for j in 0..n {
            let ((a, b), (c, d)) = (at(i), at(j));
            text += &format!("\t{}", (a - c).hypot(b - d));
        }
        text.push('\n');
    }
    text
}

/// A usage error that says all these words, and a folder that is as it was.
fn refused(folder: &Folder, command: &str, words: &[&str]) {
    let all = || -> Vec<(String, Vec<u8>)> {
        let read = |name: String| {
            (
                name.clone(),
                fs::read(folder.path(&name)).unwrap_or_default(),
            )
        };
        folder.names().into_iter().map(read).collect()
    };
    let before = all();
    let run = folder.run(command);
    assert_eq!(run.code, 2, "{command}: {}", run.err);
    assert_eq!(run.err.lines().count(), 1, "{command}: {}", run.err);
    for word in words {
        assert!(
            run.err.contains(word),
            "{command}: {} has no {word}",
            run.err
        );
    }
    assert!(all() == before, "{command} changed a file");
}
