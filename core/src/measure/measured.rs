//! A measure prepared on the old objects.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Mutex;

use super::recipe::{Recipe, recipe};
use super::sums::{BLOCK, GROUP, PackedObjects, Sum, squared_norm};
use super::{Kernel, Measure, Metric, bits, domain, sparse, text};
use crate::error::Error;
use crate::input::features::Features;
use crate::input::kind::Kind;
use crate::input::rows::{self, Rows};
use crate::input::values::{SparseRows, Values};
use crate::memory;
use crate::run::Run;

/// A measure and the old objects, prepared to be compared with each other and with newcomers.
#[derive(Debug, Clone)]
pub struct Measured {
    measure: Measure,
    features: Features,
    side: ComparedWith,
}

/// What is kept of the objects that are compared with.
#[derive(Debug, Clone)]
enum ComparedWith {
    Numbers {
        recipe: Recipe,
        own: Vec<f64>,
        packed: PackedObjects,
    },
    /// Rows by what is not 0, as they are compared.
    Sparse {
        recipe: Recipe,
        rows: SparseRows,
        own: Vec<f64>,
    },
    /// Rows of so many words.
    Bits {
        recipe: Recipe,
        each: usize,
        own: Vec<f64>,
    },
    Texts(Metric),
}

impl Measured {
    /// Checks that the objects are in the measure's domain and prepares them.
    pub fn new(measure: Measure, features: Features) -> Result<Self, Error> {
        let side = match (recipe(&measure, features.width()), measure) {
            (Some(recipe), _) if features.bits().is_some() => {
                let (each, own) = bits::prepare(&measure, &recipe, &features)?;
                ComparedWith::Bits { recipe, each, own }
            }
            (Some(recipe), _) => match features.numbers() {
                Some(Values::Sparse(rows)) => {
                    let (rows, own) = sparse::prepare(&measure, &recipe, &features, rows.clone())?;
                    ComparedWith::Sparse { recipe, rows, own }
                }
                _ => {
                    let own = domain::check(&measure, &recipe, &features)?;
                    let rows = |range| domain::rows(&recipe, &features, range);
                    let packed = PackedObjects::new(features.count(), features.width(), rows);
                    ComparedWith::Numbers {
                        recipe,
                        own,
                        packed,
                    }
                }
            },
            (None, Measure::Metric(metric)) => {
                texts(&measure, &features)?;
                ComparedWith::Texts(metric)
            }
            (None, Measure::Kernel(_)) => {
                return Err(Error::Measure(format!(
                    "found no way to compute {}, expected one",
                    measure.word()
                )));
            }
        };
        Ok(Self {
            measure,
            features,
            side,
        })
    }

    /// The measure.
    pub fn measure(&self) -> &Measure {
        &self.measure
    }

    /// The old objects.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// What the proximities are.
    pub fn kind(&self) -> Kind {
        self.measure.kind()
    }

    /// n, the number of old objects.
    pub fn count(&self) -> usize {
        self.features.count()
    }

    /// The old objects against themselves, by rows.
    pub fn itself(&self) -> Against<'_> {
        let side = match &self.side {
            ComparedWith::Numbers { own, .. } => Rowwise::Numbers {
                own: Cow::Borrowed(own),
            },
            ComparedWith::Sparse { rows, own, .. } => Rowwise::Sparse {
                rows: Cow::Borrowed(rows),
                own: Cow::Borrowed(own),
            },
            ComparedWith::Bits { own, .. } => Rowwise::Bits {
                own: Cow::Borrowed(own),
            },
            ComparedWith::Texts(_) => Rowwise::Texts,
        };
        Against {
            old: self,
            new: Cow::Borrowed(&self.features),
            side,
            itself: true,
        }
    }

    /// Newcomers against the old objects, by rows. Their features are matched by name.
    pub fn against<'a>(&'a self, new: &'a Features) -> Result<Against<'a>, Error> {
        let new = new.matched(&self.features)?;
        let side = match &self.side {
            ComparedWith::Numbers { recipe, own, .. } => {
                let theirs = domain::check(&self.measure, recipe, &new)?;
                let old = Some((&self.features, &own[..]));
                domain::check_pairs(&self.measure, (&new, &theirs), old)?;
                Rowwise::Numbers {
                    own: Cow::Owned(theirs),
                }
            }
            ComparedWith::Sparse { recipe, own, .. } => {
                let rows = match new.numbers() {
                    Some(Values::Sparse(rows)) => rows.clone(),
                    _ => SparseRows::of_dense(&new.values().unwrap_or_default(), new.width()),
                };
                let (rows, theirs) = sparse::prepare(&self.measure, recipe, &new, rows)?;
                let old = Some((&self.features, &own[..]));
                domain::check_pairs(&self.measure, (&new, &theirs), old)?;
                Rowwise::Sparse {
                    rows: Cow::Owned(rows),
                    own: Cow::Owned(theirs),
                }
            }
            ComparedWith::Bits { recipe, own, .. } => {
                let (_, theirs) = bits::prepare(&self.measure, recipe, &new)?;
                let old = Some((&self.features, &own[..]));
                domain::check_pairs(&self.measure, (&new, &theirs), old)?;
                Rowwise::Bits {
                    own: Cow::Owned(theirs),
                }
            }
            ComparedWith::Texts(_) => {
                texts(&self.measure, &new)?;
                Rowwise::Texts
            }
        };
        Ok(Against {
            old: self,
            new,
            side,
            itself: false,
        })
    }

    /// The n × n proximities of the old objects, row by row: exactly symmetric, and exactly 0 from a
    /// dissimilar object to itself.
    pub fn square(&self, run: Run<'_>) -> Result<Vec<f64>, Error> {
        if let ComparedWith::Numbers { own, .. }
        | ComparedWith::Sparse { own, .. }
        | ComparedWith::Bits { own, .. } = &self.side
        {
            domain::check_pairs(&self.measure, (&self.features, own), None)?;
        }
        let rows = self.itself();
        let n = self.count();
        let mut all = memory::zeros(n, n)?;
        if n == 0 {
            return Ok(all);
        }
        let bands: Vec<Mutex<&mut [f64]>> = all.chunks_mut(BLOCK * n).map(Mutex::new).collect();
        // Each pair once: a band of rows from its own first column on, put in its place and, transposed, in those
        // of the bands below.
        let done = run.map("comparing objects", bands.len(), |b| {
            let start = b * BLOCK;
            let range = start..(start + BLOCK).min(n);
            let width = n - start;
            let mut upper = vec![0.0; range.len() * width];
            rows.fill_from(start, range.clone(), &mut upper)?;
            for (c, band) in bands.iter().enumerate().skip(b) {
                let mut band = band.lock().map_err(|_| Error::Stopped)?;
                if c == b {
                    for (line, upper) in band.chunks_mut(n).zip(upper.chunks(width)) {
                        line[start..].copy_from_slice(upper);
                    }
                } else {
                    for (j, line) in band.chunks_mut(n).enumerate() {
                        let at = c * BLOCK - start + j;
                        for (i, mirror) in line[range.clone()].iter_mut().enumerate() {
                            *mirror = upper[i * width + at];
                        }
                    }
                }
            }
            Ok(())
        })?;
        drop(bands);
        done.into_iter().collect::<Result<(), Error>>()?;
        Ok(all)
    }
}

impl Measured {
    /// The proximities of newcomers to the old objects, all of them, row by row.
    pub fn rectangle(&self, new: &Features, run: Run<'_>) -> Result<Vec<f64>, Error> {
        rows::collect(&self.against(new)?, run)
    }
}

/// Objects against the old ones, by rows that are made when they are asked for.
#[derive(Debug, Clone)]
pub struct Against<'a> {
    old: &'a Measured,
    new: Cow<'a, Features>,
    side: Rowwise<'a>,
    /// Whether rows and columns are the same objects.
    itself: bool,
}

#[derive(Debug, Clone)]
enum Rowwise<'a> {
    Numbers {
        own: Cow<'a, [f64]>,
    },
    Sparse {
        rows: Cow<'a, SparseRows>,
        own: Cow<'a, [f64]>,
    },
    Bits {
        own: Cow<'a, [f64]>,
    },
    Texts,
}

impl Against<'_> {
    /// The objects of the rows.
    pub fn features(&self) -> &Features {
        &self.new
    }

    /// Each row object's similarity to itself; none for a metric.
    pub fn self_similarity(&self) -> Option<Vec<f64>> {
        let own = || (0..self.new.count()).map(|i| self.to_itself(i)).collect();
        (self.old.kind() == Kind::Similarity).then(own)
    }

    /// The k × k proximities between the objects of the rows, as [`Measured::square`] gives them.
    pub fn between(&self, run: Run<'_>) -> Result<Vec<f64>, Error> {
        Measured::new(*self.old.measure(), self.new.clone().into_owned())?.square(run)
    }

    /// What object `i` is to itself.
    fn to_itself(&self, i: usize) -> f64 {
        let (recipe, own) = match (&self.old.side, &self.side) {
            (ComparedWith::Numbers { recipe, .. }, Rowwise::Numbers { own }) => (recipe, own),
            (ComparedWith::Sparse { recipe, .. }, Rowwise::Sparse { own, .. }) => (recipe, own),
            (ComparedWith::Bits { recipe, .. }, Rowwise::Bits { own }) => (recipe, own),
            _ => return 0.0,
        };
        match self.old.measure {
            Measure::Metric(_) => 0.0,
            // But for rounding.
            Measure::Kernel(Kernel::Cosine) => 1.0,
            Measure::Kernel(_) => {
                let mut s = [match (recipe.sum, &self.side, self.new.bits()) {
                    (Sum::Products, _, Some((each, words))) => {
                        bits::count(&words[i * each..(i + 1) * each])
                    }
                    (Sum::Products, Rowwise::Sparse { rows, .. }, _) => {
                        let (columns, values) = rows.row(i);
                        sparse::squared_norm(columns, values)
                    }
                    (Sum::Products, ..) => squared_norm(&domain::rows(recipe, &self.new, i..i + 1)),
                    _ => 0.0,
                }];
                recipe.formula.apply(&mut s, own[i], &own[i..=i]);
                s[0]
            }
        }
    }

    /// Rows `range` against the old objects from `first` on, a multiple of [`GROUP`].
    fn fill_from(&self, first: usize, range: Range<usize>, out: &mut [f64]) -> Result<(), Error> {
        let width = self.old.count() - first;
        if width == 0 || range.is_empty() {
            return Ok(());
        }
        match (&self.old.side, &self.side) {
            (
                ComparedWith::Numbers {
                    recipe,
                    own: theirs,
                    packed,
                },
                Rowwise::Numbers { own },
            ) => {
                let rows = domain::rows(recipe, &self.new, range.clone());
                packed.sums(recipe.sum, &rows, first / GROUP, out, width);
                for (line, i) in out.chunks_exact_mut(width).zip(range.clone()) {
                    recipe.formula.apply(line, own[i], &theirs[first..]);
                }
            }
            (
                ComparedWith::Sparse {
                    recipe,
                    rows: old,
                    own: theirs,
                },
                Rowwise::Sparse { rows, own },
            ) => {
                sparse::sums(recipe.sum, (rows, range.clone()), (old, first), out);
                for (line, i) in out.chunks_exact_mut(width).zip(range.clone()) {
                    recipe.formula.apply(line, own[i], &theirs[first..]);
                }
            }
            (
                ComparedWith::Bits {
                    recipe,
                    each,
                    own: theirs,
                },
                Rowwise::Bits { own },
            ) => {
                let rows = self.new.bits().map_or(&[][..], |(_, words)| words);
                let old = self.old.features.bits().map_or(&[][..], |(_, words)| words);
                let rows = &rows[range.start * each..range.end * each];
                bits::sums(recipe.sum, *each, rows, &old[first * each..], out);
                for (line, i) in out.chunks_exact_mut(width).zip(range.clone()) {
                    recipe.formula.apply(line, own[i], &theirs[first..]);
                }
            }
            (ComparedWith::Texts(metric), _) => {
                let mine = self.new.as_texts().unwrap_or(&[]);
                let old = self.old.features.as_texts().unwrap_or(&[]);
                for (line, one) in out.chunks_exact_mut(width).zip(&mine[range.clone()]) {
                    text::distances(*metric, one, &old[first..], line);
                }
            }
            _ => {}
        }
        if self.itself {
            for (line, i) in out.chunks_exact_mut(width).zip(range.clone()) {
                if i >= first {
                    line[i - first] = self.to_itself(i);
                }
            }
        }
        self.check_finite(first, range, out)
    }

    /// Errs at the first proximity that is not a finite number: features so large that it overflows.
    fn check_finite(&self, first: usize, range: Range<usize>, out: &[f64]) -> Result<(), Error> {
        let width = self.old.count() - first;
        let finite = |line: &[f64]| line.iter().fold(true, |ok, v| ok & v.is_finite());
        for (line, i) in out.chunks_exact(width).zip(range) {
            if finite(line) {
                continue;
            }
            for (j, v) in line.iter().enumerate() {
                if !v.is_finite() {
                    return Err(Error::Entry {
                        row: self.new.object(i),
                        column: self.old.features.object(first + j),
                        found: *v,
                        expected: self.old.kind().expected(),
                    });
                }
            }
        }
        Ok(())
    }
}

impl Rows for Against<'_> {
    fn rows(&self) -> usize {
        self.new.count()
    }

    fn columns(&self) -> usize {
        self.old.count()
    }

    fn fill(&self, range: Range<usize>, out: &mut [f64]) -> Result<(), Error> {
        self.fill_from(0, range, out)
    }
}

/// The texts of objects that a measure of texts is asked to compare.
fn texts<'a>(measure: &Measure, features: &'a Features) -> Result<&'a [String], Error> {
    features.as_texts().ok_or_else(|| Error::FeatureName {
        found: "numbers".into(),
        expected: format!("texts, which {} compares", measure.word()),
    })
}
