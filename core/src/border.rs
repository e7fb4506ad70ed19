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
//! from the first few entries: with u = t − r + m − c, in the innermost cache,
//!
//! ```text
//! t̄ = c + w'u        b = u − (w'u) e        X'b = X'u − (w'u) X'e        ‖b‖² = ‖u‖² − 2(w'u)e'u + n(w'u)²
//! ```
//!
//! and X'u, w'u, e'u and ‖u‖² are all sums over the one stretch of entries at hand. Where the guess turns
//! out so bad that digits were lost, the newcomer is read once more with the t̄ that is known by then.

#![allow(non_snake_case)]

use faer::{Mat, MatRef};
use pulp::Simd;

use crate::diagram::Diagram;
use crate::error::{Error, Object};
use crate::missing;
use crate::parallel::{self, Watch};
use crate::product::{self, Ahead, Aligned, Panel};
use crate::proximity::{Element, Kind};

/// Newcomers, known by their proximities to the old objects.
#[derive(Debug, Clone, Copy)]
pub struct Newcomers<'a, T: Element = f64> {
    /// k × n, in any memory layout; fastest if each newcomer's n numbers lie together.
    pub proximities: MatRef<'a, T>,
    /// Their labels, for messages; `new1 … newk` if there are none.
    pub labels: Option<&'a [String]>,
    /// Similarities only: each newcomer's similarity to itself, NaN where it is not known.
    pub self_similarity: Option<&'a [f64]>,
    /// How far to trust each old object; all alike if there are none, not at all if 0.
    pub weights: Option<&'a [f64]>,
    /// Whether NaN means a missing proximity; otherwise it is an error.
    pub missing: bool,
}

impl<'a, T: Element> Newcomers<'a, T> {
    /// Newcomers without labels, weights, self-similarities or missing entries.
    pub fn new(proximities: MatRef<'a, T>) -> Self {
        Self {
            proximities,
            labels: None,
            self_similarity: None,
            weights: None,
            missing: false,
        }
    }

    /// k, their number.
    pub fn count(&self) -> usize {
        self.proximities.nrows()
    }

    /// Newcomer `index`, for messages.
    pub(crate) fn object(&self, index: usize) -> Object {
        let label = match self.labels {
            Some(labels) => labels[index].clone(),
            None => format!("new{}", index + 1),
        };
        Object { index, label }
    }

    /// Checks all that can be checked without reading the proximities to the n `old` objects.
    pub(crate) fn check(&self, old: &[String], n: usize) -> Result<(), Error> {
        let k = self.count();
        let lengths = [
            ("proximities for each newcomer", self.proximities.ncols(), n),
            ("labels of newcomers", self.labels.map_or(k, <[_]>::len), k),
            (
                "self-similarities",
                self.self_similarity.map_or(k, <[_]>::len),
                k,
            ),
            (
                "weights of old objects",
                self.weights.map_or(n, <[_]>::len),
                n,
            ),
        ];
        for (what, found, expected) in lengths {
            if found != expected {
                return Err(Error::Length {
                    what,
                    found,
                    expected,
                });
            }
        }
        if let Some(values) = self.self_similarity
            && let Some(i) = values.iter().position(|v| v.is_infinite())
        {
            return Err(Error::Entry {
                row: self.object(i),
                column: self.object(i),
                found: values[i],
                expected: Kind::Similarity.expected(),
            });
        }
        if let Some(weights) = self.weights {
            if let Some(i) = weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
                return Err(Error::Weight {
                    object: Some(Object {
                        index: i,
                        label: old[i].clone(),
                    }),
                    found: weights[i],
                    expected: "a finite weight of at least 0",
                });
            }
            let found: f64 = weights.iter().sum();
            if found <= 0.0 || !found.is_finite() {
                return Err(Error::Weight {
                    object: None,
                    found,
                    expected: "a positive finite sum",
                });
            }
        }
        Ok(())
    }
}

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
const CANCELLED: f64 = 1e-2;

/// If ‖b‖² is below this share of ‖u‖², the guess of the mean was bad and is mended.
const BAD_GUESS: f64 = 0.05;

/// Newcomers in a piece of work: enough that the threads rarely meet.
const GROUP: usize = 64;

/// Newcomers that are read together where each one's proximities lie together: what the registers hold.
const ALONG: usize = 8;

/// And where they lie across, a column for each old object: a page of memory is then visited but once.
const ACROSS: usize = 256;

/// Columns that are brought onto scale, centred and multiplied while they are in the innermost cache.
const COLUMNS: usize = 64;

/// From one newcomer to the next in the cache.
const STEP: usize = COLUMNS + 8;

/// Sums over a row are taken in this many chains.
const CHAINS: usize = 8;

impl Border {
    /// Reads the newcomers' proximities, once. `threads` = 0 means all cores.
    pub fn new<T: Element>(
        diagram: &Diagram,
        newcomers: &Newcomers<'_, T>,
        threads: usize,
        watch: Option<Watch<'_>>,
    ) -> Result<Self, Error> {
        newcomers.check(diagram.labels(), diagram.count())?;
        let (k, d) = (newcomers.count(), diagram.dimensions());
        let X = diagram.about_origin();
        let panel = Panel::new(X.as_ref());
        let along = newcomers.proximities.col_stride() == 1;
        let group = if along { GROUP } else { ACROSS };
        let m = diagram.centring().grand_mean;
        let pass = Pass {
            diagram,
            newcomers,
            weights: newcomers.weights.filter(|w| w.iter().any(|v| *v != w[0])),
            X: X.as_ref(),
            panel: &panel,
            X_sums: X.col_iter().map(|x| x.iter().sum()).collect(),
            offsets: diagram.centring().row_means.iter().map(|r| r - m).collect(),
            together: if along { ALONG } else { ACROSS },
        };
        let watch = watch.map(|w| ("reading newcomers", w));
        let groups = parallel::map(threads, k.div_ceil(group), watch, |g| {
            let first = g * group;
            pulp::Arch::new().dispatch(Group {
                pass: &pass,
                first,
                count: group.min(k - first),
            })
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

/// All that is the same for every group.
struct Pass<'a, T: Element> {
    diagram: &'a Diagram,
    newcomers: &'a Newcomers<'a, T>,
    /// None if they are all alike: then they change nothing.
    weights: Option<&'a [f64]>,
    X: MatRef<'a, f64>,
    panel: &'a Panel,
    /// X'e.
    X_sums: Vec<f64>,
    /// r − m.
    offsets: Vec<f64>,
    /// Newcomers that are read together.
    together: usize,
}

/// Some newcomers.
struct Group<'a, 'b, T: Element> {
    pass: &'b Pass<'a, T>,
    first: usize,
    count: usize,
}

impl<T: Element> pulp::WithSimd for Group<'_, '_, T> {
    type Output = Result<Border, Error>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let Group { pass, first, count } = self;
        let (n, d) = (pass.diagram.count(), pass.diagram.dimensions());
        let mut border = Border {
            dimensions: d,
            projections: vec![f64::NAN; count * d],
            beta: vec![f64::NAN; count],
            b_norm_squared: vec![f64::NAN; count],
            outside: vec![f64::NAN; count],
            observed: vec![n; count],
        };
        let mut room = Room::new(pass.together.min(count), pass.panel.width);
        for start in (0..count).step_by(pass.together) {
            let together = pass.together.min(count - start);
            pass.read(simd, (first + start, together), None, &mut room);
            for i in 0..together {
                pass.finish(simd, (first, start, i), &mut room, &mut border)?;
            }
        }
        Ok(border)
    }
}

/// What is added up while newcomers are read.
struct Room {
    tile: Aligned,
    /// X'u of each.
    g: Aligned,
    sums: Vec<Sums>,
}

/// Sums over one newcomer's entries.
#[derive(Clone, Copy)]
struct Sums {
    /// c.
    guess: f64,
    /// e'u, ‖u‖² and, where w is not e/n, w'u.
    plain: [f64; CHAINS],
    squares: [f64; CHAINS],
    weighted: f64,
    /// No entry was negative that may not be.
    signs: bool,
}

impl Sums {
    const NONE: Self = Self {
        guess: 0.0,
        plain: [0.0; CHAINS],
        squares: [0.0; CHAINS],
        weighted: 0.0,
        signs: true,
    };
}

impl Room {
    fn new(together: usize, width: usize) -> Self {
        Self {
            tile: Aligned::zeros(together * STEP),
            g: Aligned::zeros(together * width),
            sums: vec![Sums::NONE; together],
        }
    }
}

impl<T: Element> Pass<'_, T> {
    /// Reads `count` newcomers from `first` on into `room`; the means may be known from an earlier reading.
    #[inline(always)]
    fn read<S: Simd>(
        &self,
        simd: S,
        (first, count): (usize, usize),
        known: Option<f64>,
        room: &mut Room,
    ) {
        let (n, width) = (self.diagram.count(), self.panel.width);
        let a = self.newcomers.proximities;
        let w = self.diagram.centring().weights.as_deref();
        let guessable = w.is_none_or(|w| w.iter().any(|w| *w != 0.0));
        room.g.fill(0.0);
        room.sums[..count].fill(Sums::NONE);
        for j in (0..n).step_by(COLUMNS) {
            let columns = COLUMNS.min(n - j);
            self.load((first, count), (j, columns), &mut room.tile);
            let offsets = &self.offsets[j..j + columns];
            let ahead = j + columns;
            for start in (0..count).step_by(ALONG) {
                let rows = ALONG.min(count - start);
                let lines = &mut room.tile[start * STEP..(start + rows) * STEP];
                for (l, line) in lines.chunks_exact_mut(STEP).enumerate() {
                    let (line, sums) = (&mut line[..columns], &mut room.sums[start + l]);
                    if j == 0 && guessable {
                        let guess = known.unwrap_or_else(|| guess(line, offsets));
                        sums.guess = if guess.is_finite() { guess } else { 0.0 };
                    }
                    sums.signs &= self.signs(first + start + l, (j, columns));
                    centre(line, offsets, sums);
                    if let Some(w) = w {
                        let terms = line.iter().zip(&w[j..]).map(|(u, w)| u * w);
                        sums.weighted += terms.sum::<f64>();
                    }
                }
                let ahead = Ahead::new(a, (first + start, rows), (ahead, COLUMNS.min(n - ahead)));
                product::multiply::<S, STEP>(
                    simd,
                    lines,
                    (rows, columns),
                    self.panel.rows(j, columns),
                    width,
                    &mut room.g[start * width..],
                    ahead,
                );
            }
        }
    }

    /// The border of newcomer `first + start + i`, which is number i in the `room`.
    #[inline(always)]
    fn finish<S: Simd>(
        &self,
        simd: S,
        (first, start, i): (usize, usize, usize),
        room: &mut Room,
        border: &mut Border,
    ) -> Result<(), Error> {
        let (diagram, width) = (self.diagram, self.panel.width);
        let (n, d) = (diagram.count(), diagram.dimensions());
        let m = diagram.centring().grand_mean;
        let (row, at) = (first + start + i, start + i);
        let itself = self.itself(row);
        let centred = diagram.centring().weights.is_none();
        let take = |sums: &Sums| {
            let plain = product::sum(&sums.plain);
            let mean = if centred {
                plain / n as f64
            } else {
                sums.weighted
            };
            let squares = product::sum(&sums.squares);
            let norm = squares - 2.0 * mean * plain + n as f64 * mean * mean;
            (plain, mean, squares, norm)
        };
        let mut sums = room.sums[i];
        let mut g: &[f64] = &room.g[i * width..i * width + d];
        let (plain, mut mean, squares, mut norm) = take(&sums);

        if self.weights.is_some() || !sums.signs || !plain.is_finite() {
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
        if norm < BAD_GUESS * squares && mean != 0.0 {
            again = Room::new(1, width);
            self.read(simd, (row, 1), Some(sums.guess + mean), &mut again);
            sums = again.sums[0];
            g = &again.g[..d];
            (_, mean, _, norm) = take(&sums);
        }
        let y = &mut border.projections[at * d..(at + 1) * d];
        for ((y, g), x) in y.iter_mut().zip(g).zip(&self.X_sums) {
            *y = g - mean * x;
        }
        diagram.turn_into_basis(y);
        y.iter_mut().zip(diagram.c()).for_each(|(v, c)| *v /= c);
        diagram.turn_out_of_basis(y);
        let t_mean = sums.guess + mean;
        border.beta[at] = itself - 2.0 * t_mean + m;
        border.b_norm_squared[at] = norm.max(0.0);
        let outside = norm - diagram.form(y);
        border.outside[at] = match outside < CANCELLED * norm {
            true => self.left_over(row, t_mean, y, &mut room.tile),
            false => outside,
        };
        Ok(())
    }

    /// Brings a piece of the proximities onto the scale of inner products.
    #[inline(always)]
    fn load(&self, (first, count): (usize, usize), (j, columns): (usize, usize), tile: &mut [f64]) {
        let (a, scale) = (self.newcomers.proximities, self.diagram.scale());
        product::load_shifted::<T, STEP>(a, (first, count), (j, columns), &scale, 0.0, tile);
        if scale.corrects() && scale.kind != Kind::Similarity {
            self.leave_equal_objects((first, count), (j, columns), tile);
        }
    }

    /// f = t − r of one newcomer.
    fn row(&self, i: usize) -> Vec<f64> {
        let n = self.diagram.count();
        let mut tile = [0.0; STEP];
        let mut f = Vec::with_capacity(n);
        for j in (0..n).step_by(COLUMNS) {
            let columns = COLUMNS.min(n - j);
            self.load((i, 1), (j, columns), &mut tile);
            let means = &self.diagram.centring().row_means[j..];
            f.extend(tile[..columns].iter().zip(means).map(|(t, r)| t - r));
        }
        f
    }

    /// Σ (b_j − x_j'y)² of newcomer `i`, whose mean is known.
    #[inline(always)]
    fn left_over(&self, i: usize, mean: f64, y: &[f64], tile: &mut [f64]) -> f64 {
        let n = self.diagram.count();
        let mut sum = 0.0;
        for j in (0..n).step_by(COLUMNS) {
            let columns = COLUMNS.min(n - j);
            self.load((i, 1), (j, columns), tile);
            let rest = &mut tile[..columns];
            for (b, offset) in rest.iter_mut().zip(&self.offsets[j..]) {
                *b -= offset + mean;
            }
            for (x, y) in self.X.col_iter().zip(y) {
                if let Some(x) = x.try_as_col_major() {
                    for (b, x) in rest.iter_mut().zip(&x.as_slice()[j..]) {
                        *b -= x * y;
                    }
                }
            }
            sum += product::sum_of_squares(rest);
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

    /// A newcomer that is exactly 0 away from an old object is that object: no correction there.
    #[inline(always)]
    fn leave_equal_objects(
        &self,
        (first, count): (usize, usize),
        (j0, columns): (usize, usize),
        tile: &mut [f64],
    ) {
        for (i, line) in tile.chunks_exact_mut(STEP).take(count).enumerate() {
            for (j, t) in line[..columns].iter_mut().enumerate() {
                if self.newcomers.proximities[(first + i, j0 + j)].to_f64() == 0.0 {
                    *t = 0.0;
                }
            }
        }
    }

    /// Whether no entry of a stretch of row `i` has a sign that it may not have. (NaN and ∞ show in the sums.)
    #[inline(always)]
    fn signs(&self, i: usize, (j, columns): (usize, usize)) -> bool {
        if self.diagram.kind() == Kind::Similarity {
            return true;
        }
        let row = self.newcomers.proximities.row(i).subcols(j, columns);
        // NaN is no negative number: it is found in the sums.
        match row.try_as_row_major() {
            Some(row) => {
                let negative = row.as_slice().iter().map(|v| v.to_f64() < 0.0);
                !negative.fold(false, |any, one| any | one)
            }
            None => !row.iter().any(|v| v.to_f64() < 0.0),
        }
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

/// The mean of t − r + m over the first entries.
#[inline(always)]
fn guess(line: &[f64], offsets: &[f64]) -> f64 {
    let terms = line.iter().zip(offsets).map(|(t, offset)| t - offset);
    terms.sum::<f64>() / line.len() as f64
}

/// u = t − r + m − c in the place of t, and its sums.
#[inline(always)]
fn centre(line: &mut [f64], offsets: &[f64], sums: &mut Sums) {
    let guess = sums.guess;
    let (lines, rest) = line.as_chunks_mut::<CHAINS>();
    let (pieces, last) = offsets.as_chunks::<CHAINS>();
    let mut step = |l: usize, t: &mut f64, offset: f64| {
        *t -= offset + guess;
        sums.plain[l] += *t;
        sums.squares[l] += *t * *t;
    };
    for (line, offsets) in lines.iter_mut().zip(pieces) {
        for l in 0..CHAINS {
            step(l, &mut line[l], offsets[l]);
        }
    }
    for (l, (t, offset)) in rest.iter_mut().zip(last).enumerate() {
        step(l, t, *offset);
    }
}
