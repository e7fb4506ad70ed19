//! The border: what a newcomer is to the diagram, d + 1 numbers.
//!
//! With t = −½a₂ or γ its proximities on the scale of inner products, t̄ = w't, and the fitted means,
//!
//! ```text
//! b = t − t̄ e − r + m e        β = t(η, η) − 2t̄ + m        g = X'b        ŷ = C⁻¹g
//! ```
//!
//! (the paper's (4), (7), Figure 2 step 2, and (8); t(η, η) is 0 for dissimilarities). Every strategy
//! but raw stress sees the newcomer only through (ŷ, β), and objective values through ‖b‖². This is the
//! only place that reads the k × n new proximities, and it reads each of them once from memory.
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
//! out so bad that digits were lost, the newcomer is read once more with the t̄ that is known by then.

#![allow(non_snake_case)]

pub(crate) mod missing;
pub(crate) mod sweep;

use faer::{Mat, MatRef};

use self::sweep::{Across, Along, Columns, Onto, Room, STACK, STRETCH, Sums};
use crate::error::{Error, Object};
use crate::fit::diagram::Diagram;
use crate::fit::product::{self, LANES};
use crate::input::block::Block;
use crate::input::proximities::{Element, Kind};
use crate::run::{self, Watch};

/// What k newcomers are to a diagram.
#[derive(Debug, Clone, PartialEq)]
pub struct Border {
    /// d.
    pub dimensions: usize,
    /// ŷ of each newcomer about the diagram's origin, row by row, k × d; NaN if there are too few
    /// proximities to say.
    pub projections: Vec<f64>,
    /// β of each; NaN if a self-similarity is not known.
    pub beta: Vec<f64>,
    /// ‖b‖² of each.
    pub b_norm_squared: Vec<f64>,
    /// ‖b − Xŷ‖² = ‖b‖² − ŷ'Cŷ of each, computed as a sum of squares where the difference would cancel.
    pub outside: Vec<f64>,
    /// How many proximities of each were used.
    pub observed: Vec<usize>,
}

/// If ‖b‖² − ŷ'Cŷ is below this share of ‖b‖², digits were lost and it is computed otherwise.
const CANCELLED: f64 = 1e-4;

/// If ‖b‖² is below this share of ‖u‖², the guess of the mean was bad and is mended.
const BAD_GUESS: f64 = 0.05;

/// Block in a piece of work, if there are so many for each thread: enough that the threads rarely meet.
const GROUP: usize = 1024;

/// Block that are read together where each one's proximities lie together; where they lie across, all of the piece are.
const ALONG: usize = 8;

/// With fewer old objects a newcomer is copied before it is read, so that small problems have the same bits in any layout.
const WORTH_IT: usize = 256;

/// The mean is guessed from so many entries.
const GUESSED_FROM: usize = 64;

impl Border {
    /// Reads the newcomers' proximities, once. `threads` = 0 means all cores.
    pub fn new<T: Element>(
        diagram: &Diagram,
        newcomers: &Block<'_, T>,
        threads: usize,
        watch: Option<Watch<'_>>,
    ) -> Result<Self, Error> {
        newcomers.check(diagram.labels(), diagram.count())?;
        let (k, d) = (newcomers.count(), diagram.dimensions());
        let X = diagram.about_origin();
        let m = diagram.centring().grand_mean;
        let w = diagram.centring().weights.as_deref();
        let lie = Lie::of(newcomers.proximities, diagram);
        let offsets = diagram.centring().row_means.iter().map(|r| m - r);
        let onto = match corrects(diagram) {
            true => Onto::NOTHING,
            false => Onto::new(&diagram.scale()),
        };
        let pass = Pass {
            diagram,
            newcomers,
            weights: newcomers.weights.filter(|w| w.iter().any(|v| *v != w[0])),
            X: X.as_ref(),
            columns: Columns::new(X.as_ref(), w, (onto, offsets), lie == Lie::Across),
            X_sums: X.col_iter().map(|x| x.iter().sum()).collect(),
            lie,
            arch: pulp::Arch::new(),
        };
        let watch = watch.map(|w| ("reading newcomers", w));
        let share = k.div_ceil(run::threads_meant(threads));
        let group = share.next_multiple_of(ALONG).clamp(ALONG, GROUP);
        let groups = run::map(threads, k.div_ceil(group), watch, |g| {
            let first = g * group;
            pass.group(first, group.min(k - first))
        })?;
        let mut border = Self {
            dimensions: d,
            projections: Vec::with_capacity(k * d),
            beta: Vec::with_capacity(k),
            b_norm_squared: Vec::with_capacity(k),
            outside: Vec::with_capacity(k),
            observed: Vec::with_capacity(k),
        };
        for group in groups {
            let group = group?;
            border.projections.extend(group.projections);
            border.beta.extend(group.beta);
            border.b_norm_squared.extend(group.b_norm_squared);
            border.outside.extend(group.outside);
            border.observed.extend(group.observed);
        }
        Ok(border)
    }

    /// k, the number of newcomers.
    pub fn count(&self) -> usize {
        self.beta.len()
    }

    /// ŷ of newcomer `i`, about the diagram's origin.
    pub fn projection(&self, i: usize) -> &[f64] {
        &self.projections[i * self.dimensions..(i + 1) * self.dimensions]
    }

    /// β − ŷ'ŷ: the squared distance from newcomer `i` to the map's space (negative only for
    /// proximities that are not Euclidean).
    pub fn residual(&self, i: usize) -> f64 {
        self.beta[i] - squared(self.projection(i))
    }

    /// G = b'X = Ŷ C, k × d, about the diagram's origin.
    pub fn g(&self, diagram: &Diagram) -> Mat<f64> {
        let Y = MatRef::from_row_major_slice(&self.projections, self.count(), self.dimensions);
        Y * diagram.cross()
    }
}

/// y'y.
pub(crate) fn squared(y: &[f64]) -> f64 {
    y.iter().map(|v| v * v).sum()
}

/// Whether there is a correction that a newcomer's proximities need.
fn corrects(diagram: &Diagram) -> bool {
    diagram.scale().corrects() && diagram.kind() != Kind::Similarity
}

/// How the newcomers' proximities lie in memory, and so how they are read.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Lie {
    /// Each newcomer's together.
    Along,
    /// Each old object's together.
    Across,
    /// Neither, or few, or not all brought onto scale alike: by way of a copy of a stretch.
    Apart,
}

impl Lie {
    fn of<T: Element>(a: MatRef<'_, T>, diagram: &Diagram) -> Self {
        if corrects(diagram) {
            Self::Apart
        } else if a.col_stride() == 1 {
            Self::Along
        } else if a.row_stride() == 1 && a.ncols() >= WORTH_IT {
            Self::Across
        } else {
            Self::Apart
        }
    }
}

/// All that is the same for every group.
struct Pass<'a, T: Element> {
    diagram: &'a Diagram,
    newcomers: &'a Block<'a, T>,
    /// None if they are all alike: then they change nothing.
    weights: Option<&'a [f64]>,
    X: MatRef<'a, f64>,
    /// [X | w] and m − r.
    columns: Columns,
    /// X'e.
    X_sums: Vec<f64>,
    lie: Lie,
    arch: pulp::Arch,
}

/// What is added up while newcomers are read, and the guess c of each one's mean.
struct Reading {
    room: Room,
    guesses: Vec<f64>,
}

/// Eight newcomers who lie across, row by row, and the first of them.
struct Turned<T>(Vec<T>, usize);

impl<T: Element> Turned<T> {
    /// The eight, or fewer at the end, among whom `i` is number i mod 8.
    fn around(&mut self, a: MatRef<'_, T>, i: usize) -> MatRef<'_, T> {
        let Self(values, first) = self;
        let at = i - i % LANES;
        let count = LANES.min(a.nrows() - at);
        if values.is_empty() || *first != at {
            *first = at;
            values.resize(count * a.ncols(), T::from_f64(0.0));
            for j in 0..a.ncols() {
                for l in 0..count {
                    values[l * a.ncols() + j] = a[(at + l, j)];
                }
            }
        }
        MatRef::from_row_major_slice(values, count, a.ncols())
    }
}

/// Σ (b_j − x_j'y)² for a stretch of b that begins at `j`.
struct Away<'a> {
    b: &'a mut [f64],
    j: usize,
    X: MatRef<'a, f64>,
    y: &'a [f64],
}

impl pulp::WithSimd for Away<'_> {
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

impl<T: Element> Pass<'_, T> {
    /// The border of `count` newcomers from `first` on.
    fn group(&self, first: usize, count: usize) -> Result<Border, Error> {
        let (n, d) = (self.diagram.count(), self.diagram.dimensions());
        let mut border = Border {
            dimensions: d,
            projections: vec![f64::NAN; count * d],
            beta: vec![f64::NAN; count],
            b_norm_squared: vec![f64::NAN; count],
            outside: vec![f64::NAN; count],
            observed: vec![n; count],
        };
        let together = match self.lie {
            Lie::Across => count,
            Lie::Along | Lie::Apart => ALONG.min(count),
        };
        let mut reading = self.room(together);
        let mut turned = Turned(Vec::new(), 0);
        for start in (0..count).step_by(together) {
            let together = together.min(count - start);
            self.read((first + start, together), None, &mut reading);
            for i in 0..together {
                self.finish((first, start, i), &reading, &mut turned, &mut border)?;
            }
        }
        Ok(border)
    }

    fn room(&self, together: usize) -> Reading {
        let across = self.lie == Lie::Across;
        let parts = if across {
            together.div_ceil(LANES)
        } else {
            together
        };
        Reading {
            room: self.columns.room(parts),
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
                let guess = reading.room.sums(i, self.lie == Lie::Across).plain / few as f64;
                reading.guesses[i] = if guess.is_finite() { guess } else { 0.0 };
            }
        }
        self.read_part(newcomers, n, reading);
    }

    /// Sums over the first `n` old objects.
    fn read_part(&self, (first, count): (usize, usize), n: usize, reading: &mut Reading) {
        let Reading { room, guesses } = reading;
        room.clear();
        let a = self.newcomers.proximities;
        match self.lie {
            Lie::Along => {
                for j in (0..n).step_by(STRETCH) {
                    let columns = STRETCH.min(n - j);
                    let mut stretches = [&[][..]; ALONG];
                    for (i, stretch) in stretches[..count].iter_mut().enumerate() {
                        let row = a.row(first + i).subcols(j, columns);
                        *stretch = row.try_as_row_major().map_or(&[], |row| row.as_slice());
                    }
                    // After the last whole stretch come the next newcomers.
                    let ahead = match j + 2 * STRETCH <= n {
                        true => STRETCH as isize,
                        false => ALONG as isize * a.row_stride() - j as isize,
                    };
                    self.along(j, (&stretches[..count], ahead), guesses, room);
                }
            }
            Lie::Across => self.read_across((first, count), n, reading),
            Lie::Apart => {
                let mut tile = [[0.0; STRETCH]; ALONG];
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
                    let stretches = tile.each_ref().map(|tile| &tile[..columns]);
                    self.along(j, (&stretches[..count], 0), guesses, room);
                }
            }
        }
    }

    fn along<E: Element>(
        &self,
        j: usize,
        (stretches, ahead): (&[&[E]], isize),
        guesses: &[f64],
        room: &mut Room,
    ) {
        let reading = Along {
            z: &self.columns,
            j,
            stretches,
            ahead,
            guesses,
        };
        sweep::along(self.arch, &reading, room);
    }

    fn read_across(
        &self,
        (first, count): (usize, usize),
        n: usize,
        Reading { room, guesses }: &mut Reading,
    ) {
        let a = self.newcomers.proximities;
        let ahead = a.col_stride() * STACK as isize;
        let (eights, rest) = (count / LANES, count % LANES);
        let mut padded = [[[T::from_f64(0.0); LANES]]; STACK];
        for j in (0..n).step_by(STACK) {
            let columns = STACK.min(n - j);
            let mut whole = [&[][..]; STACK];
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
            let mut stack = Across {
                z: &self.columns,
                j,
                columns: &whole[..columns],
                ahead,
                guesses,
                first: 0,
            };
            sweep::across(self.arch, &stack, room);
            // Fewer than eight newcomers are made eight.
            if rest > 0 {
                let padded = padded.each_ref().map(|padded| &padded[..]);
                stack.columns = &padded[..columns];
                stack.first = eights;
                sweep::across(self.arch, &stack, room);
            }
        }
    }

    /// The border of newcomer `first + start + i`, which is number i in the `reading`.
    fn finish(
        &self,
        (first, start, i): (usize, usize, usize),
        reading: &Reading,
        turned: &mut Turned<T>,
        border: &mut Border,
    ) -> Result<(), Error> {
        let (diagram, across) = (self.diagram, self.lie == Lie::Across);
        let (n, d) = (diagram.count(), diagram.dimensions());
        let m = diagram.centring().grand_mean;
        let (row, at) = (first + start + i, start + i);
        let itself = self.itself(row);
        let centred = diagram.centring().weights.is_none();
        // w'u and ‖b‖².
        let take = |room: &Room, i: usize, sums: &Sums| {
            let mean = match centred {
                true => sums.plain / n as f64,
                false => room.product(i, across, d),
            };
            let norm = sums.squares - 2.0 * mean * sums.plain + n as f64 * mean * mean;
            (mean, norm)
        };
        let (mut room, mut i, mut guess) = (&reading.room, i, reading.guesses[i]);
        let sums = room.sums(i, across);
        let (mut mean, mut norm) = take(room, i, &sums);

        // The sign is lost in the square; NaN and ∞ show in the sum.
        let signs = diagram.kind() == Kind::Similarity
            || (sums.signless && !self.corrects())
            || self.signs(row);
        if self.weights.is_some() || !signs || !sums.plain.is_finite() {
            let y = &mut border.projections[at * d..(at + 1) * d];
            let mut f = self.row(row);
            self.check_row(row, &mut f)?;
            let w = diagram.centring().weights.as_deref();
            let answer = missing::solve(self.X, &f, self.weights, w);
            border.observed[at] = answer.observed;
            if let Some((projection, alpha)) = answer.solution {
                y.copy_from_slice(&projection);
                border.beta[at] = itself - 2.0 * alpha - m;
            }
            border.b_norm_squared[at] = answer.b_norm_squared;
            border.outside[at] = match self.weights {
                None => answer.left_over,
                // Only weights that are not all alike can make the difference negative.
                Some(_) => (answer.b_norm_squared - diagram.form(y)).max(0.0),
            };
            return Ok(());
        }

        let mut again;
        if norm < BAD_GUESS * sums.squares && mean != 0.0 {
            again = self.room(1);
            self.read((row, 1), Some(guess + mean), &mut again);
            (room, i, guess) = (&again.room, 0, guess + mean);
            (mean, norm) = take(room, i, &room.sums(i, across));
        }
        let y = &mut border.projections[at * d..(at + 1) * d];
        for (c, (y, x)) in y.iter_mut().zip(&self.X_sums).enumerate() {
            *y = room.product(i, across, c) - mean * x;
        }
        diagram.turn_into_basis(y);
        y.iter_mut().zip(diagram.c()).for_each(|(v, c)| *v /= c);
        diagram.turn_out_of_basis(y);
        let t_mean = guess + mean;
        border.beta[at] = itself - 2.0 * t_mean + m;
        border.b_norm_squared[at] = norm.max(0.0);
        let outside = norm - diagram.form(y);
        border.outside[at] = match outside < CANCELLED * norm {
            true => self.left_over(row, t_mean, y, turned),
            false => outside,
        };
        Ok(())
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
            // A newcomer that is exactly 0 away from an old object is that object: no correction there.
            for (l, t) in tile[..columns].iter_mut().enumerate() {
                if a[(i, j + l)].to_f64() == 0.0 {
                    *t = 0.0;
                }
            }
        }
    }

    /// f = t − r of one newcomer.
    fn row(&self, i: usize) -> Vec<f64> {
        let n = self.diagram.count();
        let mut tile = [0.0; STRETCH];
        let mut f = Vec::with_capacity(n);
        for j in (0..n).step_by(STRETCH) {
            let columns = STRETCH.min(n - j);
            self.load(self.newcomers.proximities, i, (j, columns), &mut tile);
            let means = &self.diagram.centring().row_means[j..];
            f.extend(tile[..columns].iter().zip(means).map(|(t, r)| t - r));
        }
        f
    }

    /// Σ (b_j − x_j'y)² of newcomer `i`, whose mean is known.
    fn left_over(&self, i: usize, mean: f64, y: &[f64], turned: &mut Turned<T>) -> f64 {
        let centring = self.diagram.centring();
        let (n, m) = (self.diagram.count(), centring.grand_mean);
        let (a, i) = match self.lie {
            Lie::Across => (turned.around(self.newcomers.proximities, i), i % LANES),
            Lie::Along | Lie::Apart => (self.newcomers.proximities, i),
        };
        let mut tile = [0.0; STRETCH];
        let mut sum = 0.0;
        for j in (0..n).step_by(STRETCH) {
            let columns = STRETCH.min(n - j);
            self.load(a, i, (j, columns), &mut tile);
            let b = &mut tile[..columns];
            for (b, r) in b.iter_mut().zip(&centring.row_means[j..]) {
                *b -= r - m + mean;
            }
            sum += self.arch.dispatch(Away { b, j, X: self.X, y });
        }
        sum
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
    fn signs(&self, i: usize) -> bool {
        let mut row = self.newcomers.proximities.row(i).iter();
        !row.any(|v| v.to_f64() < 0.0)
    }

    /// Errs unless the unsound entries of row `i` are missing ones, and those are allowed; makes
    /// them NaN in `f`.
    fn check_row(&self, i: usize, f: &mut [f64]) -> Result<(), Error> {
        let kind = self.diagram.kind();
        for (j, f) in f.iter_mut().enumerate() {
            let found = self.newcomers.proximities[(i, j)].to_f64();
            let missing = found.is_nan() && self.newcomers.missing;
            if missing {
                *f = f64::NAN;
            } else if !kind.admits(found) || !f.is_finite() {
                return Err(Error::Entry {
                    row: self.newcomers.object(i),
                    column: Object {
                        index: j,
                        label: self.diagram.labels()[j].clone(),
                    },
                    found,
                    expected: kind.expected(),
                });
            }
        }
        Ok(())
    }
}
