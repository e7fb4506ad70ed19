//! Every input that was worth keeping, once more: seeds, and what broke something in its time.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Far more than any of them takes, on a machine that is busy with other tests.
const LONGEST: Duration = Duration::from_secs(20);

#[test]
fn the_corpora_keep_every_promise() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let only = std::env::var("ADJOIN_FUZZ_TARGET").ok();
    let mut count = 0;
    for (name, body) in adjoin_fuzz::TARGETS {
        if only.as_deref().is_some_and(|only| only != name) {
            continue;
        }
        let folder = fs::read_dir(corpus.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut files: Vec<_> = folder.map(|f| f.unwrap().path()).collect();
        files.sort();
        assert!(files.len() >= 3, "{name} has {} seeds", files.len());
        for file in files {
            let data = fs::read(&file).unwrap();
            let begin = Instant::now();
            let answer = std::panic::catch_unwind(|| body(&data));
            assert!(answer.is_ok(), "{}", file.display());
            let took = begin.elapsed();
            assert!(took < LONGEST, "{} took {took:?}", file.display());
            count += 1;
        }
    }
    assert!(only.is_some() || count > 100);
}
