//! Fuzzing without instrumentation: `fuzz-plain SECONDS [TARGET…]` mutates the corpora blindly, in any build.
//!
//! libFuzzer (`fuzz/run`) finds more in the same time, but must build every library once more. What breaks a promise is
//! written to `fuzz/artifacts/TARGET`, one input for each place in the code.

use std::collections::HashSet;
use std::fs;
use std::io::Write;
use std::panic::{catch_unwind, set_hook};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

use adjoin_fuzz::{TARGETS, Target};

/// Longer than any input takes, on a machine that has other things to do.
const HANG: Duration = Duration::from_secs(300);
/// Inputs do not grow beyond this.
const LONGEST: usize = 16 << 10;

/// Where the last panic was, and what it said.
static PANIC: Mutex<String> = Mutex::new(String::new());
/// When the present input began, in milliseconds since the start.
static BEGAN: AtomicU64 = AtomicU64::new(u64::MAX);
/// The present input, and the file it goes to if it is one to keep.
static INPUT: LazyLock<Mutex<(PathBuf, Vec<u8>)>> = LazyLock::new(Mutex::default);

/// A seeded source of numbers, and what it does to bytes.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, most: usize) -> usize {
        (self.next() >> 16) as usize % most.max(1)
    }

    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let at = self.below(length + 1);
        let size = 1 << self.below(9);
        at..(at + self.below(size + 1)).min(length)
    }

    fn mutate(&mut self, data: &mut Vec<u8>, seeds: &[Vec<u8>], words: &[Vec<u8>]) {
        let length = data.len();
        match self.below(12) {
            0 | 1 if length > 0 => {
                let at = self.below(length);
                data[at] ^= 1 << self.below(8);
            }
            2 if length > 0 => {
                let at = self.below(length);
                data[at] = [0, 1, 0x7f, 0x80, 0xff, b'\n', b'\t', b'9'][self.below(8)];
            }
            3 if length > 0 => {
                let at = self.below(length);
                data[at] = self.next() as u8;
            }
            4 => {
                let range = self.range(length);
                data.drain(range);
            }
            5 => {
                let copy = data[self.range(length)].to_vec();
                let at = self.below(length + 1);
                data.splice(at..at, copy);
            }
            6 | 7 if !words.is_empty() => {
                let word = words[self.below(words.len())].clone();
                let at = self.below(length + 1);
                let end = if self.below(2) == 0 {
                    at
                } else {
                    (at + word.len()).min(length)
                };
                data.splice(at..end, word);
            }
            8 => {
                let other = &seeds[self.below(seeds.len())];
                let part = other[self.range(other.len())].to_vec();
                let at = self.below(length + 1);
                let end = (at + self.below(part.len() + 1)).min(length);
                data.splice(at..end, part);
            }
            9 => data.truncate(self.below(length + 1)),
            10 if length >= 4 => {
                let at = self.below(length - 3);
                let number =
                    [0, 1, u32::MAX, i32::MAX as u32, 1 << 16, length as u32][self.below(6)];
                data[at..at + 4].copy_from_slice(&number.to_le_bytes());
            }
            _ => {
                let at = self.below(length + 1);
                let fresh: Vec<u8> = (0..self.below(12)).map(|_| self.next() as u8).collect();
                data.splice(at..at, fresh);
            }
        }
        data.truncate(LONGEST);
    }
}

fn words(folder: &Path, target: &str) -> Vec<Vec<u8>> {
    let text = fs::read_to_string(folder.join(format!("dictionaries/{target}.dict")));
    let text = text.unwrap_or_default();
    let lines = text
        .lines()
        .filter_map(|l| l.strip_prefix('"')?.strip_suffix('"'));
    lines.map(unescaped).collect()
}

fn unescaped(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        let code = (*first == b'\\' && tail.first() == Some(&b'x'))
            .then(|| std::str::from_utf8(tail.get(1..3)?).ok())
            .flatten()
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match code {
            Some(byte) => {
                out.push(byte);
                rest = &tail[3..];
            }
            None => out.push(*first),
        }
    }
    out
}

fn fuzz((name, body): Target, folder: &Path, time: Duration, start: Instant) -> (u64, usize) {
    let mut seeds: Vec<Vec<u8>> = fs::read_dir(folder.join("corpus").join(name))
        .map(|files| {
            files
                .flatten()
                .filter_map(|f| fs::read(f.path()).ok())
                .collect()
        })
        .unwrap_or_default();
    seeds.push(Vec::new());
    let words = words(folder, name);
    let artifacts = folder.join("artifacts").join(name);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let mut draw = Draw(now.map_or(7, |d| d.as_nanos() as u64) | 1);
    let structured = ["place", "joint", "matching", "page"].contains(&name);
    let mut known = HashSet::new();
    let (mut count, begin) = (0, Instant::now());
    while begin.elapsed() < time {
        let mut data = seeds[draw.below(seeds.len())].clone();
        if structured && draw.below(2) == 0 {
            data = (0..draw.below(500)).map(|_| draw.next() as u8).collect();
        }
        for _ in 0..=draw.below(5) {
            draw.mutate(&mut data, &seeds, &words);
        }
        if let Ok(mut input) = INPUT.lock() {
            *input = (artifacts.clone(), data.clone());
        }
        BEGAN.store(start.elapsed().as_millis() as u64, Relaxed);
        let answer = catch_unwind(|| body(&data));
        BEGAN.store(u64::MAX, Relaxed);
        count += 1;
        if answer.is_err() {
            let said = PANIC.lock().map_or(String::new(), |p| p.clone());
            let place = said.split(" ⏵ ").next().unwrap_or("").to_owned();
            if known.insert(place.clone()) {
                println!("{name}: {said}");
                save(&artifacts, &data, known.len());
            }
        }
    }
    (count, known.len())
}

fn save(folder: &Path, data: &[u8], number: usize) {
    let _ = fs::create_dir_all(folder);
    let _ = fs::write(
        folder.join(format!("plain-{}-{number}", std::process::id())),
        data,
    );
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(seconds) = arguments.next().and_then(|s| s.parse().ok()) else {
        eprintln!("fuzz-plain SECONDS [TARGET…]");
        std::process::exit(2);
    };
    let wanted: Vec<String> = arguments.collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    set_hook(Box::new(|about| {
        let place = about
            .location()
            .map_or(String::new(), |l| format!("{}:{}", l.file(), l.line()));
        let payload = about.payload();
        let said = payload
            .downcast_ref::<&str>()
            .map(ToString::to_string)
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        if let Ok(mut last) = PANIC.lock() {
            *last = format!("{place} ⏵ {}", said.chars().take(1500).collect::<String>());
        }
    }));
    let start = Instant::now();
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let began = BEGAN.load(Relaxed);
            let since = (start.elapsed().as_millis() as u64).saturating_sub(began);
            if began != u64::MAX && u128::from(since) > HANG.as_millis() {
                if let Ok(input) = INPUT.lock() {
                    println!(
                        "an input of {} bytes takes longer than {HANG:?}",
                        input.1.len()
                    );
                    save(&input.0, &input.1, 0);
                }
                std::process::exit(1);
            }
        }
    });
    for target in TARGETS {
        if wanted.is_empty() || wanted.iter().any(|w| w == target.0) {
            let (count, broken) = fuzz(target, folder, Duration::from_secs(seconds), start);
            println!(
                "{:14} {count:>9} inputs, {broken} places that break a promise",
                target.0
            );
            let _ = std::io::stdout().flush();
        }
    }
}
