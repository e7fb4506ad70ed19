//! One reading of newcomers: every proximity is read once from memory, and centred before it is multiplied.
//!
//! A newcomer far from the map has a t̄ beside which b is small, and X't would drown it: so t is centred
//! before it is multiplied. But t̄ is known only when all of t was read. The way out is a guess c of t̄
//! from the first few entries: with u = t − r + m − c,
//!
//! ```text
//! t̄ = c + w'u        b = u − (w'u) e        X'b = X'u − (w'u) X'e        ‖b‖² = ‖u‖² − 2(w'u)e'u + n(w'u)²
//! ```
//!
//! and X'u, w'u, e'u and ‖u‖² are all sums over the one stretch of entries at hand. Where the guess turns
//! out so bad that digits were lost, the newcomer is read once more with the t̄ that is known by then; and newcomers of
//! whom something is missing, wrong or weighted go to [`missing`] by themselves.

#![allow(non_snake_case)]

use faer::MatRef;

use super::Border;
use super::accumulators::{Accumulators, NewcomerSums, PackedColumns, Scaling};
use super::hc3::Hc3;
use super::layout::{Layout, TransposedBlock, corrects};
use super::missing::Incomplete;
use super::sweep::{self, ByNewcomer, ByObject, OBJECTS_TOGETHER, STRETCH};
use crate::error::{Error, Object};
use crate::fit::diagram::Diagram;
use crate::fit::product::{self, LANES};
use crate::input::block::Block;
use crate::input::kind::{Element, Kind, lowest_by_rounding};
use crate::isa::{self, vectorised};
use crate::rounding::farthest;
use crate::run::Run;

/// If ‖b‖² − ŷ'Cŷ is below this share of ‖b‖², digits were lost and it is computed otherwise.
const CANCELLED: f64 = 1e-4;

/// If ‖b‖² is below this share of ‖u‖², the guess of the mean was bad and is mended.
const BAD_GUESS: f64 = 0.05;

/// Newcomers in a piece of work, if there are so many for each thread: enough that the threads rarely meet.
const GROUP: usize = 1024;

/// Newcomers that are read together where each one's proximities are contiguous; by object, all of the piece are.
const NEWCOMERS_TOGETHER: usize = 8;

/// The mean is guessed from so many entries.
const GUESSED_FROM: usize = 64;

/// All that is the same for every group.
pub(super) struct Pass<'a, T: Element> {
    diagram: &'a Diagram,
    newcomers: &'a Block<'a, T>,
    /// None if they are all alike: then they change nothing.
    weights: Option<&'a [f64]>,
    X: MatRef<'a, f64>,
    /// For newcomers of whom something is missing, or weighted.
    incomplete: Incomplete<'a>,
    /// [X | w] and m − r.
    columns: PackedColumns,
    /// X'e.
    X_sums: Vec<f64>,
    layout: Layout,
    arch: pulp::Arch,
    /// If it is to be said how far the old objects disagree.
    hc3: Option<&'a Hc3>,
}

/// What is added up while newcomers are read, and the guess c of each one's mean.
struct Reading {
    sums: Accumulators,
    guesses: Vec<f64>,
}

/// b_j − x_j'y in the place of b, and the sum of its squares, for a stretch of b that begins at `j`, by SIMD.
struct ResidualSquares<'a> {
    b: &'a mut [f64],
    j: usize,
    X: MatRef<'a, f64>,
    y: &'a [f64],
}

impl pulp::WithSimd for ResidualSquares<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> f64 {
        for (x, y) in self.X.col_iter().zip(self.y) {
            if let Some(x) = x.try_as_col_major() {
                for (b, x) in self.b.iter_mut().zip(&x.as_slice()[self.j..]) {
                    *b -= x * y;
                }
            }
        }
        product::sum_of_squares(self.b)
    }
}

impl<'a, T: Element> Pass<'a, T> {
    /// Prepares for these newcomers; `X` is the configuration about the origin.
    pub(super) fn new(
        diagram: &'a Diagram,
        newcomers: &'a Block<'a, T>,
        X: MatRef<'a, f64>,
        hc3: Option<&'a Hc3>,
    ) -> Self {
        let m = diagram.centring().grand_mean;
        let w = diagram.centring().weights.as_deref();
        let layout = Layout::of(newcomers.proximities, diagram);
        let offsets = diagram.centring().row_means.iter().map(|r| m - r);
        let scaling = if corrects(diagram) {
            Scaling::NONE
        } else {
            Scaling::new(&diagram.scale())
        };
        let weights = newcomers.weights.filter(|w| w.iter().any(|v| *v != w[0]));
        Self {
            diagram,
            newcomers,
            weights,
            X,
            incomplete: Incomplete::new(X, weights, w),
            columns: PackedColumns::new(X, w, (scaling, offsets), layout == Layout::ByObject),
            X_sums: X.col_iter().map(|x| x.iter().sum()).collect(),
            layout,
            arch: isa::arch(),
            hc3,
        }
    }

    /// Reads all newcomers, in groups that the threads share.
    pub(super) fn groups(&self, run: Run<'_>) -> Result<Vec<Result<Border, Error>>, Error> {
        let k = self.newcomers.count();
        let share = k.div_ceil(run.count());
        let group = share
            .next_multiple_of(NEWCOMERS_TOGETHER)
            .clamp(NEWCOMERS_TOGETHER, GROUP);
        run.map("reading newcomers", k.div_ceil(group), |g| {
            let first = g * group;
            self.group(first, group.min(k - first))
        })
    }

    /// The border of `count` newcomers from `first` on.
    fn group(&self, first: usize, count: usize) -> Result<Border, Error> {
        let (n, d) = (self.diagram.count(), self.diagram.dimensions());
        let mut border = Border::unknown(count, d, n);
        if self.hc3.is_some() {
            border.covariance = vec![f64::NAN; count * (d + 1).pow(2)];
        }
        let together = match self.layout {
            Layout::ByObject => count,
            Layout::ByNewcomer | Layout::Copied => NEWCOMERS_TOGETHER.min(count),
        };
        let mut reading = self.reading(together);
        let mut transposed = TransposedBlock::empty();
        for start in (0..count).step_by(together) {
            let together = together.min(count - start);
            self.read((first + start, together), None, &mut reading);
            for i in 0..together {
                self.finish((first, start, i), &reading, &mut transposed, &mut border)?;
            }
        }
        Ok(border)
    }

    fn reading(&self, together: usize) -> Reading {
        Reading {
            sums: self.columns.accumulators(together),
            guesses: vec![0.0; together.next_multiple_of(LANES)],
        }
    }

    /// Reads `count` newcomers from `first` on; the mean may be known from an earlier reading.
    fn read(&self, newcomers: (usize, usize), known: Option<f64>, reading: &mut Reading) {
        let n = self.diagram.count();
        let w = self.diagram.centring().weights.as_deref();
        reading.guesses.fill(known.unwrap_or(0.0));
        if known.is_none() && w.is_none_or(|w| w.iter().any(|w| *w != 0.0)) {
            let few = GUESSED_FROM.min(n);
            self.read_part(newcomers, few, reading);
            for i in 0..newcomers.1 {
                let guess = reading.sums.sums(i).plain / few as f64;
                reading.guesses[i] = if guess.is_finite() { guess } else { 0.0 };
            }
        }
        self.read_part(newcomers, n, reading);
    }

    /// NewcomerSums over the first `n` old objects.
    fn read_part(&self, newcomers: (usize, usize), n: usize, reading: &mut Reading) {
        reading.sums.clear();
        match self.layout {
            Layout::ByNewcomer => self.read_by_newcomer(newcomers, n, reading),
            Layout::ByObject => self.read_by_object(newcomers, n, reading),
            Layout::Copied => self.read_copied(newcomers, n, reading),
        }
    }

    fn read_by_newcomer(&self, (first, count): (usize, usize), n: usize, reading: &mut Reading) {
        let a = self.newcomers.proximities;
        let mut rows = [&[][..]; NEWCOMERS_TOGETHER];
        for (i, row) in rows[..count].iter_mut().enumerate() {
            let all = a.row(first + i).subcols(0, n);
            *row = all.try_as_row_major().map_or(&[], |row| row.as_slice());
        }
        let next = NEWCOMERS_TOGETHER as isize * a.row_stride();
        self.add_rows(0, (&rows[..count], next), reading);
    }

    fn read_copied(&self, (first, count): (usize, usize), n: usize, reading: &mut Reading) {
        let a = self.newcomers.proximities;
        let mut tile = [[0.0; STRETCH]; NEWCOMERS_TOGETHER];
        for j in (0..n).step_by(STRETCH) {
            let columns = STRETCH.min(n - j);
            for (i, tile) in tile[..count].iter_mut().enumerate() {
                if self.corrects() {
                    self.load(a, first + i, (j, columns), tile);
                } else {
                    let row = a.row(first + i).subcols(j, columns);
                    for (out, v) in tile.iter_mut().zip(row.iter()) {
                        *out = v.to_f64();
                    }
                }
            }
            let rows = tile.each_ref().map(|tile| &tile[..columns]);
            self.add_rows(j, (&rows[..count], 0), reading);
        }
    }

    fn add_rows<E: Element>(
        &self,
        j: usize,
        (rows, next): (&[&[E]], isize),
        Reading { sums, guesses }: &mut Reading,
    ) {
        let reading = ByNewcomer {
            z: &self.columns,
            j,
            rows,
            next,
            guesses,
        };
        sweep::by_newcomer(self.arch, &reading, sums);
    }

    fn read_by_object(
        &self,
        (first, count): (usize, usize),
        n: usize,
        Reading { sums, guesses }: &mut Reading,
    ) {
        let a = self.newcomers.proximities;
        let prefetch_offset = a.col_stride() * OBJECTS_TOGETHER as isize;
        let (eights, rest) = (count / LANES, count % LANES);
        let mut padded = [[[T::from_f64(0.0); LANES]]; OBJECTS_TOGETHER];
        for j in (0..n).step_by(OBJECTS_TOGETHER) {
            let columns = OBJECTS_TOGETHER.min(n - j);
            let mut whole = [&[][..]; OBJECTS_TOGETHER];
            for (c, (whole, padded)) in whole.iter_mut().zip(&mut padded).take(columns).enumerate()
            {
                let column = a.col(j + c).subrows(first, count);
                let column = column.try_as_col_major().map_or(&[][..], |c| c.as_slice());
                let (chunks, last) = column.as_chunks::<LANES>();
                *whole = chunks;
                if rest > 0 {
                    padded[0][..rest].copy_from_slice(last);
                }
            }
            let mut reading = ByObject {
                z: &self.columns,
                j,
                columns: &whole[..columns],
                prefetch_offset,
                guesses,
                first: 0,
            };
            sweep::by_object(self.arch, &reading, sums);
            // Fewer than eight newcomers are made eight.
            if rest > 0 {
                let padded = padded.each_ref().map(|padded| &padded[..]);
                reading.columns = &padded[..columns];
                reading.first = eights;
                sweep::by_object(self.arch, &reading, sums);
            }
        }
    }

    /// The border of newcomer `first + start + i`, which is number i in the `reading`.
    fn finish(
        &self,
        (first, start, i): (usize, usize, usize),
        reading: &Reading,
        transposed: &mut TransposedBlock<T>,
        border: &mut Border,
    ) -> Result<(), Error> {
        let diagram = self.diagram;
        let (n, d) = (diagram.count(), diagram.dimensions());
        let m = diagram.centring().grand_mean;
        let (row, at) = (first + start + i, start + i);
        let itself = self.itself(row);
        let centred = diagram.centring().weights.is_none();
        // w'u and ‖b‖².
        let take = |all: &Accumulators, i: usize, sums: &NewcomerSums| {
            let mean = if centred {
                sums.plain / n as f64
            } else {
                all.product(i, d)
            };
            let norm = sums.squares - 2.0 * mean * sums.plain + n as f64 * mean * mean;
            (mean, norm)
        };
        let (mut all, mut i, mut guess) = (&reading.sums, i, reading.guesses[i]);
        let sums = all.sums(i);
        let (mut mean, mut norm) = take(all, i, &sums);

        // The sign is lost in the square; NaN and ∞ show in the sum.
        let signs = diagram.kind() == Kind::Similarity
            || (sums.none_negative && !self.corrects())
            || self.none_negative(row);
        if self.weights.is_some() || !signs || !sums.plain.is_finite() {
            let y = &mut border.projections[at * d..(at + 1) * d];
            let (mut f, nearest) = self.row(row, transposed);
            border.below_zero[at] = self.check_row(row, &mut f)?;
            border.nearest[at] = if border.below_zero[at] > 0 {
                0.0
            } else {
                nearest
            };
            let answer = self.incomplete.solve(&f);
            border.observed[at] = answer.observed;
            if let Some((projection, alpha)) = answer.solution {
                self.check_size(row, alpha + m, itself, answer.b_norm_squared)?;
                y.copy_from_slice(&projection);
                if let Some(hc3) = self.hc3 {
                    let own = hc3.of_row(&f, self.weights, (&projection, alpha));
                    border.covariance[at * own.len()..(at + 1) * own.len()].copy_from_slice(&own);
                }
                border.beta[at] = itself - 2.0 * alpha - m;
                border.means[at] = alpha + m;
            }
            border.b_norm_squared[at] = answer.b_norm_squared;
            border.outside[at] = answer.outside;
            return Ok(());
        }

        let mut again;
        if norm < BAD_GUESS * sums.squares && mean != 0.0 {
            again = self.reading(1);
            self.read((row, 1), Some(guess + mean), &mut again);
            (all, i, guess) = (&again.sums, 0, guess + mean);
            (mean, norm) = take(all, i, &all.sums(i));
        }
        self.check_size(row, guess + mean, itself, norm)?;
        let y = &mut border.projections[at * d..(at + 1) * d];
        for (c, (y, x)) in y.iter_mut().zip(&self.X_sums).enumerate() {
            *y = all.product(i, c) - mean * x;
        }
        diagram.turn_into_basis(y);
        y.iter_mut().zip(diagram.c()).for_each(|(v, c)| *v /= c);
        diagram.turn_out_of_basis(y);
        let t_mean = guess + mean;
        border.beta[at] = itself - 2.0 * t_mean + m;
        border.means[at] = t_mean;
        border.nearest[at] = sums.nearest;
        border.b_norm_squared[at] = norm.max(0.0);
        let outside = norm - diagram.form(y);
        let cancelled = outside < CANCELLED * norm;
        border.outside[at] = outside;
        if cancelled || self.hc3.is_some() {
            let mut sums = self.hc3.map(|hc3| (hc3, hc3.sums()));
            let squares = self.residuals(row, t_mean, y, transposed, |j, e| {
                if let Some((hc3, sums)) = &mut sums {
                    hc3.add(j, e, sums);
                }
            });
            if cancelled {
                border.outside[at] = squares;
            }
            if let Some((hc3, sums)) = sums {
                let own = hc3.covariance(&sums);
                border.covariance[at * own.len()..(at + 1) * own.len()].copy_from_slice(&own);
            }
        }
        Ok(())
    }

    /// Errs if the numbers of newcomer `i` are so large that what follows from them is none, or that the map vanishes beside
    /// them.
    fn check_size(&self, i: usize, t_mean: f64, itself: f64, norm: f64) -> Result<(), Error> {
        // A self-similarity that is not known is NaN, which no maximum takes.
        let each = (norm / self.diagram.count() as f64).sqrt();
        let each = if each.is_finite() { each } else { 0.0 };
        let size = t_mean.abs().max(itself.abs()).max(each).sqrt();
        if size <= farthest(self.diagram.c()[0].sqrt()) && norm.is_finite() && t_mean.is_finite() {
            return Ok(());
        }
        Err(self.too_long(i, size))
    }

    fn too_long(&self, i: usize, found: f64) -> Error {
        Error::Scale {
            object: Some(self.newcomers.object(i)),
            found,
            expected: "lengths up to 1e30 times those of the map, and up to 1e74: are they in the map's unit?",
        }
    }

    /// Whether different objects are told from equal ones: then what is read is on scale already.
    fn corrects(&self) -> bool {
        corrects(self.diagram)
    }

    /// Brings a stretch of row `i` of `a` onto the scale of inner products.
    fn load(
        &self,
        a: MatRef<'_, T>,
        i: usize,
        (j, columns): (usize, usize),
        tile: &mut [f64; STRETCH],
    ) {
        let scale = self.diagram.scale();
        product::load_shifted::<T, STRETCH>(a, (i, 1), (j, columns), &scale, 0.0, tile);
        if self.corrects() {
            // A newcomer that is exactly 0 away from an old object (or below it, by rounding) is that object: no correction
            // there.
            for (l, t) in tile[..columns].iter_mut().enumerate() {
                if a[(i, j + l)].to_f64() <= 0.0 {
                    *t = 0.0;
                }
            }
        }
    }

    /// f = t − r of one newcomer, and the largest t of those that are known and weigh something.
    fn row(&self, i: usize, transposed: &mut TransposedBlock<T>) -> (Vec<f64>, f64) {
        let n = self.diagram.count();
        let (a, i) = self.rows_around(i, transposed);
        let mut tile = [0.0; STRETCH];
        let mut f = vec![0.0; n];
        // The largest so far of every eighth: a maximum is the same in any order.
        let mut nearest = [f64::NEG_INFINITY; LANES];
        for j in (0..n).step_by(STRETCH) {
            let columns = STRETCH.min(n - j);
            self.load(a, i, (j, columns), &mut tile);
            let means = &self.diagram.centring().row_means[j..j + columns];
            let weights = self.weights.map(|w| &w[j..j + columns]);
            vectorised!(self.arch, {
                let tile = &mut tile[..columns];
                for (f, (t, r)) in f[j..j + columns].iter_mut().zip(tile.iter().zip(means)) {
                    *f = t - r;
                }
                if let Some(weights) = weights {
                    for (t, w) in tile.iter_mut().zip(weights) {
                        *t = if *w > 0.0 { *t } else { f64::NAN };
                    }
                }
                // Nothing is larger than what is not known. In registers throughout: one in memory would wait for itself.
                let mut most = nearest;
                let larger =
                    |(most, t): (&mut f64, &f64)| *most = if *t > *most { *t } else { *most };
                let (eights, rest) = tile.as_chunks::<LANES>();
                for eight in eights {
                    most.iter_mut().zip(eight).for_each(larger);
                }
                most.iter_mut().zip(rest).for_each(larger);
                nearest = most;
            });
        }
        let nearest = nearest.into_iter().fold(f64::NEG_INFINITY, f64::max);
        (
            f,
            if nearest.is_finite() {
                nearest
            } else {
                f64::NAN
            },
        )
    }

    /// b_j − x_j'y of newcomer `i`, whose mean is known, while its numbers are in cache: `each` gets a stretch of them with the number of
    /// its first, and the sum of their squares comes back.
    fn residuals(
        &self,
        i: usize,
        mean: f64,
        y: &[f64],
        transposed: &mut TransposedBlock<T>,
        mut each: impl FnMut(usize, &[f64]),
    ) -> f64 {
        let centring = self.diagram.centring();
        let (n, m) = (self.diagram.count(), centring.grand_mean);
        let (a, i) = self.rows_around(i, transposed);
        let mut tile = [0.0; STRETCH];
        let mut sum = 0.0;
        for j in (0..n).step_by(STRETCH) {
            let columns = STRETCH.min(n - j);
            self.load(a, i, (j, columns), &mut tile);
            let b = &mut tile[..columns];
            for (b, r) in b.iter_mut().zip(&centring.row_means[j..]) {
                *b -= r - m + mean;
            }
            let residuals = ResidualSquares {
                b: &mut *b,
                j,
                X: self.X,
                y,
            };
            sum += self.arch.dispatch(residuals);
            each(j, b);
        }
        sum
    }

    /// Rows among which newcomer `i` is contiguous or might as well be, and its number there.
    fn rows_around<'b>(
        &'b self,
        i: usize,
        transposed: &'b mut TransposedBlock<T>,
    ) -> (MatRef<'b, T>, usize) {
        match self.layout {
            Layout::ByObject => (transposed.around(self.newcomers.proximities, i), i % LANES),
            Layout::ByNewcomer | Layout::Copied => (self.newcomers.proximities, i),
        }
    }

    /// t(η, η) of newcomer `i`: 0 for dissimilarities, NaN if it is not known.
    fn itself(&self, i: usize) -> f64 {
        match self.diagram.kind() {
            Kind::Similarity => self
                .newcomers
                .self_similarity
                .map_or(f64::NAN, |s| self.diagram.scale().itself(s[i])),
            _ => 0.0,
        }
    }

    /// Whether no entry of row `i` is negative.
    fn none_negative(&self, i: usize) -> bool {
        let row = self.newcomers.proximities.row(i);
        let Some(row) = row.try_as_row_major() else {
            return !row.iter().any(|v| v.to_f64() < 0.0);
        };
        // Without leaving early, the loop is SIMD.
        let any = |any: bool, v: &T| any | (v.to_f64() < 0.0);
        !vectorised!(self.arch, row.as_slice().iter().fold(false, any))
    }

    /// Errs unless the unsound entries of row `i` are missing ones, and those are allowed (they become NaN in `f`), or below
    /// 0 by rounding (they become what 0 is); says how many the latter are.
    fn check_row(&self, i: usize, f: &mut [f64]) -> Result<usize, Error> {
        let kind = self.diagram.kind();
        let entries = self.newcomers.proximities.row(i);
        // Mostly entries are sound or missing, and both show in f: what is below 0 does not.
        if self.newcomers.missing && (kind == Kind::Similarity || self.none_negative(i)) {
            let infinite = f.iter().fold(false, |any, v| any | v.is_infinite());
            if !infinite {
                return Ok(0);
            }
        }
        let lowest = lowest_by_rounding(entries.iter().map(|v| v.to_f64()));
        let rounding = |v: f64| kind != Kind::Similarity && v < 0.0 && v >= lowest;
        let mut below_zero = 0;
        for (j, f) in f.iter_mut().enumerate() {
            let found = self.newcomers.proximities[(i, j)].to_f64();
            let missing = found.is_nan() && self.newcomers.missing;
            if missing {
                *f = f64::NAN;
            } else if rounding(found) {
                *f = -self.diagram.centring().row_means[j];
                below_zero += usize::from(self.weights.is_none_or(|w| w[j] > 0.0));
            } else if !kind.admits(found) || !f.is_finite() {
                return Err(Error::Entry {
                    row: self.newcomers.object(i),
                    column: Object {
                        index: j,
                        label: self.diagram.labels()[j].clone(),
                    },
                    found,
                    expected: if kind.admits(found) {
                        "a finite number whose square is finite too: is it in the map's unit?"
                    } else {
                        kind.expected()
                    },
                });
            }
        }
        Ok(below_zero)
    }
}
