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
//! only place that reads the k × n new proximities, and it reads each of them once from memory: a
//! group of newcomers is brought into cache, its means are taken there, then it is centred, then
//! multiplied. Centring comes before multiplying because a newcomer far from the map has a t̄ beside
//! which b is small, and X't would drown it.

#![allow(non_snake_case)]

use faer::{Mat, MatRef};
use pulp::Simd;

use crate::diagram::Diagram;
use crate::error::{Error, Object};
use crate::missing;
use crate::parallel::{self, Watch};
use crate::product::{self, Panel, STRIDE, TILE_COLUMNS};
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

/// Bytes of proximities that a group of newcomers may take in cache.
const GROUP_BYTES: usize = 1 << 20;

/// If ‖b‖² − ŷ'Cŷ is below this share of ‖b‖², digits were lost and it is computed otherwise.
const CANCELLED: f64 = 1e-2;

/// Newcomers in a group: a multiple of what the inner loop takes at once.
const GROUP_STEP: usize = 8;

impl Border {
    /// Reads the newcomers' proximities, once. `threads` = 0 means all cores.
    pub fn new<T: Element>(
        diagram: &Diagram,
        newcomers: &Newcomers<'_, T>,
        threads: usize,
        watch: Option<Watch<'_>>,
    ) -> Result<Self, Error> {
        newcomers.check(diagram.labels(), diagram.count())?;
        let (k, n, d) = (newcomers.count(), diagram.count(), diagram.dimensions());
        let X = diagram.about_origin();
        let panel = Panel::new(X.as_ref());
        let group = (GROUP_BYTES / (8 * n))
            .clamp(1, 64)
            .next_multiple_of(GROUP_STEP);
        let pass = Pass {
            diagram,
            newcomers,
            weights: newcomers.weights.filter(|w| w.iter().any(|v| *v != w[0])),
            X: X.as_ref(),
            panel: &panel,
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

/// Σ (b_j − x_j'y)² over a stretch of a row, X being stored in rows of `width`.
#[inline(always)]
fn left_over(b: &[f64], panel: &[f64], width: usize, y: &[f64]) -> f64 {
    let rests = b.iter().zip(panel.chunks_exact(width)).map(|(b, x)| {
        let shown: f64 = x.iter().zip(y).map(|(x, y)| x * y).sum();
        b - shown
    });
    rests.map(|r| r * r).sum()
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
}

/// Some newcomers, small enough a number to stay in cache.
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
        let (diagram, newcomers) = (pass.diagram, pass.newcomers);
        let (n, d, width) = (diagram.count(), diagram.dimensions(), pass.panel.width);
        let centring = diagram.centring();
        let m = centring.grand_mean;
        let scale = diagram.scale();
        let columns_at = |tile: usize| {
            (
                tile * TILE_COLUMNS,
                TILE_COLUMNS.min(n - tile * TILE_COLUMNS),
            )
        };
        let tiles = n.div_ceil(TILE_COLUMNS);

        // Read: each proximity once from memory, checked, on the scale of inner products.
        let mut cache = vec![0.0; tiles * count * STRIDE];
        let mut sound = vec![true; count];
        let mut means = vec![0.0; count];
        for (tile, lines) in cache.chunks_exact_mut(count * STRIDE).enumerate() {
            let (j0, columns) = columns_at(tile);
            product::load(
                newcomers.proximities,
                (first, count),
                (j0, columns),
                &scale,
                lines,
            );
            if scale.corrects() && scale.kind != Kind::Similarity {
                pass.leave_equal_objects(first, (j0, columns), lines);
            }
            for (i, line) in lines.chunks_exact(STRIDE).enumerate() {
                sound[i] &= pass.admits(first + i, (j0, columns), &line[..columns]);
                // Take the mean.
                means[i] += match &centring.weights {
                    None => product::sum(&line[..columns]) / n as f64,
                    Some(w) => line
                        .iter()
                        .zip(&w[j0..j0 + columns])
                        .map(|(t, w)| t * w)
                        .sum(),
                };
            }
        }

        // Centre, square, multiply.
        let mut g = vec![0.0; count * width];
        let mut norms = vec![0.0; count];
        let mut kept = None;
        if pass.weights.is_some() || sound.iter().any(|s| !s) {
            kept = Some(cache.clone());
        }
        for (tile, lines) in cache.chunks_exact_mut(count * STRIDE).enumerate() {
            let (j0, columns) = columns_at(tile);
            let r = &centring.row_means[j0..j0 + columns];
            for (i, line) in lines.chunks_exact_mut(STRIDE).enumerate() {
                let shift = means[i] - m;
                for (t, r) in line.iter_mut().zip(r) {
                    *t -= r + shift;
                }
                norms[i] += product::sum_of_squares(&line[..columns]);
            }
            let panel = pass.panel.rows(j0, columns);
            product::multiply::<S, STRIDE>(
                simd,
                lines,
                (count, columns),
                panel,
                width,
                &mut g,
                product::Ahead::NOTHING,
            );
        }

        let mut border = Border {
            dimensions: d,
            projections: vec![f64::NAN; count * d],
            beta: vec![f64::NAN; count],
            b_norm_squared: norms,
            outside: vec![f64::NAN; count],
            observed: vec![n; count],
        };
        for i in 0..count {
            let itself = pass.itself(first + i);
            let y = &mut border.projections[i * d..(i + 1) * d];
            match &kept {
                Some(kept) if pass.weights.is_some() || !sound[i] => {
                    // f = t − r on the observed rows, NaN elsewhere.
                    let mut f: Vec<f64> = (0..tiles)
                        .flat_map(|tile| {
                            let at = (tile * count + i) * STRIDE;
                            &kept[at..at + columns_at(tile).1]
                        })
                        .zip(&centring.row_means)
                        .map(|(t, r)| t - r)
                        .collect();
                    pass.check_row(first + i, &mut f)?;
                    let answer =
                        missing::solve(pass.X, &f, pass.weights, centring.weights.as_deref());
                    border.observed[i] = answer.observed;
                    if let Some((projection, alpha)) = answer.solution {
                        y.copy_from_slice(&projection);
                        border.beta[i] = itself - 2.0 * alpha - m;
                    }
                    border.b_norm_squared[i] = answer.b_norm_squared;
                    border.outside[i] = match pass.weights {
                        None => answer.left_over,
                        Some(_) => answer.b_norm_squared - diagram.form(y),
                    };
                }
                _ => {
                    y.copy_from_slice(&g[i * width..i * width + d]);
                    diagram.turn_into_basis(y);
                    y.iter_mut().zip(diagram.c()).for_each(|(v, c)| *v /= c);
                    diagram.turn_out_of_basis(y);
                    border.beta[i] = itself - 2.0 * means[i] + m;
                    let norm = border.b_norm_squared[i];
                    border.outside[i] = norm - diagram.form(y);
                    if border.outside[i] < CANCELLED * norm {
                        let line = |tile: usize| {
                            let at = (tile * count + i) * STRIDE;
                            &cache[at..at + columns_at(tile).1]
                        };
                        border.outside[i] = (0..tiles)
                            .map(|tile| {
                                let (j0, columns) = columns_at(tile);
                                left_over(line(tile), pass.panel.rows(j0, columns), width, y)
                            })
                            .sum();
                    }
                }
            }
            // Only weights that are not all alike can make the difference negative.
            border.outside[i] = border.outside[i].max(0.0);
        }
        Ok(border)
    }
}

impl<T: Element> Pass<'_, T> {
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
    fn leave_equal_objects(&self, first: usize, (j0, columns): (usize, usize), lines: &mut [f64]) {
        for (i, line) in lines.chunks_exact_mut(STRIDE).enumerate() {
            for (j, t) in line[..columns].iter_mut().enumerate() {
                if self.newcomers.proximities[(first + i, j0 + j)].to_f64() == 0.0 {
                    *t = 0.0;
                }
            }
        }
    }

    /// Whether all entries of a stretch of row `i` are what they may be; `line` is their t.
    #[inline(always)]
    fn admits(&self, i: usize, (j0, columns): (usize, usize), line: &[f64]) -> bool {
        let kind = self.diagram.kind();
        let row = self.newcomers.proximities.row(i).subcols(j0, columns);
        // NaN and ∞ show in t; a sign is lost in the square.
        let finite = line.iter().fold(true, |ok, t| ok & (t.abs() <= f64::MAX));
        if !finite || kind == Kind::Similarity {
            return finite;
        }
        match row.try_as_row_major() {
            Some(row) => row
                .as_slice()
                .iter()
                .fold(true, |ok, v| ok & (v.to_f64() >= 0.0)),
            None => row.iter().all(|v| v.to_f64() >= 0.0),
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
