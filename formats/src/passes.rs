//! A square that is larger than memory, fitted by passes over its file: looked at once, multiplied by as often as the
//! eigensolver asks.
//!
//! Rows are read in their order, a band at a time, and of each band what is on and above the diagonal is used. What is below
//! must be its mirror image. Entries and their images lie far apart, so in the first look they are not compared one by one,
//! but through products with a random vector v:
//!
//! ```text
//! u_i = Σ_{j>i} a_ij v_j        l_i = Σ_{j>i} a_ji v_j        ½ ≤ |v_j| ≤ 1
//! ```
//!
//! If no two differ by more than half of what rounding may make of an entry, no entry differs from its image by more
//! than that (but for a chance of nought that several cancel). If some do, the entries are compared after all, tile by tile,
//! which says where.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use adjoin::elsewhere::{Look, Piece, Products};
use adjoin::{Kind, Progress, Run};
use faer::{Mat, MatMut, MatRef};

use crate::blocks::Blocks;
use crate::error::Error;
use crate::handles::Handles;
use crate::helper::{Begun, begin};

/// Numbers in a band of rows, and rows in one at least.
const BAND: usize = 1 << 22;
const FEWEST: usize = 16;
/// Rows and columns of the tiles that are compared where an image differs.
const TILE: usize = 2048;
/// How far an entry may be from its mirror image, relative to the largest: what the core takes for rounding.
const SYMMETRY: f64 = 1e-6;
/// Where the random vector begins.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
/// How long reading is tried to say how long all of it will take.
const TRIED: Duration = Duration::from_millis(1500);

/// A square on disk, by bands of rows.
pub struct SquareOnDisk<'a> {
    handles: Handles,
    kind: Kind,
    count: usize,
    /// Rows of a band.
    step: usize,
    run: Run<'a>,
}

/// What one thread adds up while it looks.
struct Sums {
    above: Vec<f64>,
    below: Vec<f64>,
    seen: Look,
}

impl<'a> SquareOnDisk<'a> {
    /// The square of an open array, whose columns are as many as its rows, in at most so much memory.
    pub fn new(blocks: Box<dyn Blocks>, kind: Kind, most: u64, run: Run<'a>) -> Self {
        let count = blocks.shape().0;
        // Eight bytes each, twice for each of some threads, and not all of the memory.
        let numbers = usize::try_from(most / 256).map_or(BAND, |part| part.min(BAND));
        Self {
            count,
            step: (numbers / count.max(1)).max(FEWEST),
            handles: Handles::new(blocks),
            kind,
            run,
        }
    }

    /// Seconds that one reading of the whole file takes, from a short trial.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn seconds_a_pass(&self) -> Result<f64, Error> {
        let (began, mut read) = (Instant::now(), 0);
        let mut block = Vec::new();
        // Rows from all over the file: what was read a moment ago is in the system's memory.
        let bands = self.count.div_ceil(self.step);
        let stride = (bands / 64).max(1);
        for band in (0..bands).step_by(stride) {
            let rows = self.rows(band);
            let (all, many) = (0..self.count, rows.len());
            self.read(rows, all, &mut block)?;
            read += many;
            if began.elapsed() > TRIED {
                break;
            }
        }
        Ok(began.elapsed().as_secs_f64() * self.count as f64 / read.max(1) as f64)
    }

    /// Looks at all of it, once.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn look(&self) -> Result<Look, Error> {
        let n = self.count;
        let v = signs(n);
        let all = self.each_band("looking at the proximities", |bands| {
            let mut sums = Sums {
                above: vec![0.0; n],
                below: vec![0.0; n],
                seen: Look::of_all(n),
            };
            let mut block = Vec::new();
            while let Some(rows) = bands() {
                self.read(rows.clone(), 0..n, &mut block)?;
                self.look_at(rows, &block, &v, &mut sums);
            }
            Ok(sums)
        })?;
        let (mut apart, mut seen) = (vec![0.0; n], Look::of_all(n));
        for sums in &all {
            seen.add(&sums.seen);
            let sides = sums.above.iter().zip(&sums.below);
            for (d, (above, below)) in apart.iter_mut().zip(sides) {
                *d += above - below;
            }
        }
        // Written so that what is no number counts as different.
        let same = |d: &f64| d.abs() <= SYMMETRY * seen.largest / 2.0;
        if seen.largest.is_finite() && apart.iter().all(same) {
            return Ok(seen);
        }
        self.compare()
    }

    fn look_at(&self, rows: Range<usize>, block: &[f64], v: &[f64], sums: &mut Sums) {
        let (n, h) = (self.count, rows.len());
        for (i, row) in rows.clone().zip(block.chunks_exact(n)) {
            let (below, rest) = row.split_at(i);
            let above = rest.get(1..).unwrap_or(&[]);
            sums.above[i] += dot(above, &v[i + 1..]);
            for (l, a) in sums.below.iter_mut().zip(below) {
                *l += a * v[i];
            }
            let most = below.iter().fold(0.0_f64, |m, a| m.max(a.abs()));
            sums.seen.largest = sums.seen.largest.max(most);
        }
        let whole = MatRef::from_row_major_slice(block, h, n);
        for (from, width) in [(rows.start, h), (rows.end, n - rows.end)] {
            if width == 0 {
                continue;
            }
            let piece = self.piece(whole.subcols(from, width), (rows.start, from));
            // Beside the diagonal it stands for its own image, which the sums above have compared.
            let image = if from == rows.start {
                piece.entries
            } else {
                piece.entries.transpose()
            };
            sums.seen.add(&piece.look(image));
        }
    }

    /// Looks at tiles and their mirror images, which says what differs and where.
    fn compare(&self) -> Result<Look, Error> {
        let n = self.count;
        let tiles = n.div_ceil(TILE);
        let range = |t: usize| t * TILE..((t + 1) * TILE).min(n);
        let pairs: Vec<(usize, usize)> = (0..tiles)
            .flat_map(|i| (i..tiles).map(move |j| (i, j)))
            .collect();
        let all = self.each(
            "comparing mirrored entries",
            pairs.len(),
            |next| -> Result<Look, Error> {
                let (mut own, mut other, mut seen) = (Vec::new(), Vec::new(), Look::of_all(n));
                while let Some(pair) = next() {
                    let (rows, columns) = (range(pairs[pair].0), range(pairs[pair].1));
                    self.read(rows.clone(), columns.clone(), &mut own)?;
                    let (h, w) = (rows.len(), columns.len());
                    let entries = MatRef::from_row_major_slice(&own, h, w);
                    let piece = self.piece(entries, (rows.start, columns.start));
                    if rows == columns {
                        seen.add(&piece.look(entries));
                    } else {
                        self.read(columns.clone(), rows.clone(), &mut other)?;
                        seen.add(&piece.look(MatRef::from_row_major_slice(&other, w, h)));
                    }
                }
                Ok(seen)
            },
        )?;
        let mut seen = Look::of_all(n);
        all.iter().for_each(|part| seen.add(part));
        Ok(seen)
    }

    fn piece<'b>(&self, entries: MatRef<'b, f64>, at: (usize, usize)) -> Piece<'b, f64> {
        Piece {
            entries,
            at,
            kind: self.kind,
        }
    }

    /// What went wrong with the file, once: the core has no word for it.
    pub fn fault(&self) -> Option<Error> {
        self.handles.fault()
    }

    fn read(
        &self,
        rows: Range<usize>,
        columns: Range<usize>,
        block: &mut Vec<f64>,
    ) -> Result<(), Error> {
        self.handles
            .with(|blocks| blocks.read_part(rows, columns, block))
    }

    fn rows(&self, band: usize) -> Range<usize> {
        band * self.step..((band + 1) * self.step).min(self.count)
    }

    /// Runs `work` on each thread with the bands that it is to take, one after the other.
    fn each_band<R: Send>(
        &self,
        task: &'static str,
        work: impl Fn(&mut dyn FnMut() -> Option<Range<usize>>) -> Result<R, Error> + Sync,
    ) -> Result<Vec<R>, Error> {
        let bands = self.count.div_ceil(self.step);
        self.each(task, bands, |next| {
            work(&mut || next().map(|b| self.rows(b)))
        })
    }

    /// Runs `work` on each thread with the numbers that it is to take: always the same ones, so that sums are added up in the
    /// same order whoever is faster.
    fn each<R: Send>(
        &self,
        task: &'static str,
        count: usize,
        work: impl Fn(&mut dyn FnMut() -> Option<usize>) -> Result<R, Error> + Sync,
    ) -> Result<Vec<R>, Error> {
        let done = AtomicUsize::new(0);
        let stopped = AtomicBool::new(false);
        let threads = self.threads().clamp(1, count.max(1));
        let tell = || {
            let progress = Progress {
                task,
                done: done.fetch_add(1, Ordering::Relaxed) + 1,
                total: count,
            };
            if self
                .run
                .watch
                .is_some_and(|watch| watch(progress).is_break())
            {
                stopped.store(true, Ordering::Relaxed);
            }
        };
        let take = |first: usize| {
            let mut mine = first;
            work(&mut || {
                if mine > first {
                    tell();
                }
                let now = mine;
                mine += threads;
                (now < count && !stopped.load(Ordering::Relaxed)).then_some(now)
            })
        };
        let take = &take;
        let answers: Vec<Result<R, Error>> = std::thread::scope(|scope| {
            let helpers: Vec<_> = (1..threads)
                .map(|t| begin(scope, move || take(t)))
                .collect();
            let mut answers = vec![take(0)];
            answers.extend(helpers.into_iter().map(Begun::answer));
            answers
        });
        if stopped.load(Ordering::Relaxed) {
            return Err(Error::of_core("", &[], adjoin::Error::Stopped));
        }
        answers.into_iter().collect()
    }

    fn threads(&self) -> usize {
        match self.run.threads {
            0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
            n => n,
        }
    }
}

impl Products for SquareOnDisk<'_> {
    fn multiply(
        &self,
        unit: f64,
        shift: f64,
        v: MatRef<'_, f64>,
        mut out: MatMut<'_, f64>,
    ) -> Result<(), adjoin::Error> {
        let n = self.count;
        let sums = self.each_band("passing over the proximities", |bands| {
            let mut sum = Mat::<f64>::zeros(n, v.ncols());
            let mut block = Vec::new();
            while let Some(rows) = bands() {
                self.read(rows.clone(), rows.start..n, &mut block)?;
                let (h, width) = (rows.len(), n - rows.start);
                let whole = MatRef::from_row_major_slice(&block, h, width);
                let own = v.subrows(rows.start, h);
                let on = self.piece(whole.subcols(0, h), (rows.start, rows.start));
                let (here, _) = on.multiply((unit, shift), (own, own));
                add(sum.as_mut().subrows_mut(rows.start, h), &here);
                if rows.end < n {
                    let rest = v.subrows(rows.end, n - rows.end);
                    let beside = self.piece(whole.subcols(h, width - h), (rows.start, rows.end));
                    let (here, across) = beside.multiply((unit, shift), (own, rest));
                    add(sum.as_mut().subrows_mut(rows.start, h), &here);
                    if let Some(across) = across {
                        add(sum.as_mut().subrows_mut(rows.end, n - rows.end), &across);
                    }
                }
            }
            Ok(sum)
        });
        let sums = sums.map_err(|error| {
            self.handles.note(0, error);
            adjoin::Error::Stopped
        })?;
        out.fill(0.0);
        for sum in &sums {
            out += sum;
        }
        Ok(())
    }
}

fn add(mut sum: MatMut<'_, f64>, more: &Mat<f64>) {
    sum += more;
}

/// Numbers of modulus between ½ and 1, as if by chance (splitmix64).
fn signs(n: usize) -> Vec<f64> {
    let mut state = SEED;
    let mut next = || {
        state = state.wrapping_add(SEED);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let each = |z: u64| {
        let modulus = 0.5 + (z >> 12) as f64 / (1_u64 << 53) as f64;
        if z & 1 == 0 { modulus } else { -modulus }
    };
    (0..n).map(|_| each(next())).collect()
}

fn dot(a: &[f64], v: &[f64]) -> f64 {
    // Eight sums at a time: the processor need not wait for one to be done.
    let mut sums = [0.0; 8];
    let (a8, v8) = (a.chunks_exact(8), v.chunks_exact(8));
    let rest: f64 = (a8.remainder().iter())
        .zip(v8.remainder())
        .map(|(a, v)| a * v)
        .sum();
    for (a, v) in a8.zip(v8) {
        for (s, (a, v)) in sums.iter_mut().zip(a.iter().zip(v)) {
            *s += a * v;
        }
    }
    rest + sums.iter().sum::<f64>()
}
