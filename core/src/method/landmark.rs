//! Landmark MDS: classical scaling of a few, and everybody else placed beside them.
//!
//! L landmarks are embedded by classical scaling; each of the other n − L objects is *projected* into their space
//! from its proximities to them, so that an n × L rectangle is read once and an n × n matrix never exists. The
//! landmarks determine the space and the rest are merely put into it: restricted reconstruction would make no
//! sense here (the paper's §6), and the published triangulation −½X†(a₂ − Δ₂e/n) *is* projection (its §3). Objects
//! that come later are newcomers like any others and may be placed by every strategy.
//!
//! Which objects are landmarks: some at random, or by *maxmin*, each next one being the object that is farthest
//! from the nearest landmark so far (O(nL), one row of proximities at a time), or those that the caller names.
//!
//! Finally the whole configuration may be turned to its own principal axes, as the authors do. The diagram stays
//! as it is: turned axes would make C a full matrix. The turn is the last thing that is done to coordinates.
//!
//! # References
//! de Silva and Tenenbaum (2004), Sparse multidimensional scaling using landmark points, technical report, Stanford.
//! Platt (2005), FastMap, MetricMap, and Landmark MDS are all Nyström algorithms, AISTATS.

#![allow(non_snake_case)]

use std::ops::Range;

use faer::{Mat, MatRef, Par};

use crate::dense::product;
use crate::error::{About, Error, Object};
use crate::fit::diagram::{Diagram, DiagramSettings};
use crate::fit::spectrum;
use crate::input::features::Features;
use crate::input::kind::{Kind, clear_below_zero};
use crate::input::newcomers::{By, Newcomers};
use crate::input::proximities::Proximities;
use crate::input::rows::Rows;
use crate::labels::checked_labels;
use crate::map::finish::Finish;
use crate::map::{AllObjects, Map, Method, Parts};
use crate::measure::{Measure, Measured};
use crate::method::settings::FitSettings;
use crate::place::alone::PlaceSettings;
use crate::place::procrustes::Motion;
use crate::random::Stream;
use crate::run::{Progress, Run};

/// Which objects are landmarks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Landmarks {
    /// So many, drawn without replacement; the same for the same seed.
    Random {
        /// L.
        count: usize,
        /// Of the draw.
        seed: u64,
    },
    /// So many, each the farthest from those before; the seed draws the first.
    Maxmin {
        /// L.
        count: usize,
        /// Of the draw.
        seed: u64,
    },
    /// These, counted from 0.
    Given(Vec<usize>),
}

impl Landmarks {
    /// The landmarks among n objects, ascending. `square` makes their n × n proximities, of which maxmin asks for
    /// L rows and the others for none; `itself` are self-similarities, which maxmin needs to tell how far apart
    /// similarities are.
    pub fn choose(
        &self,
        square: &dyn Rows,
        kind: Kind,
        itself: Option<&[f64]>,
        run: Run<'_>,
    ) -> Result<Vec<usize>, Error> {
        let n = square.rows();
        let mut chosen = match *self {
            Landmarks::Given(ref given) => given.clone(),
            Landmarks::Random { count, seed } => {
                counted(count, n)?;
                // The beginning of a shuffle.
                let mut all: Vec<usize> = (0..n).collect();
                let mut random = Stream::new(seed);
                for i in 0..count {
                    all.swap(i, i + below(&mut random, n - i));
                }
                all.truncate(count);
                all
            }
            Landmarks::Maxmin { count, seed } => {
                counted(count, n)?;
                maxmin(square, kind, itself, count, seed, run)?
            }
        };
        chosen.sort_unstable();
        check(&chosen, n)?;
        Ok(chosen)
    }
}

fn counted(found: usize, n: usize) -> Result<(), Error> {
    match found {
        0..2 => Err(Error::TooFewObjects { found, expected: 2 }),
        _ if found > n => Err(Error::Setting {
            about: About::LandmarkCount,
            what: "the number of landmarks",
            found: found as f64,
            expected: "at most as many as there are objects",
        }),
        _ => Ok(()),
    }
}

/// Errs unless each of the landmarks is one of `n` objects, and there once.
fn check(landmarks: &[usize], n: usize) -> Result<(), Error> {
    let mut seen = vec![false; n];
    for &found in landmarks {
        if found >= n || seen[found] {
            return Err(Error::Landmark {
                found,
                objects: n,
                doubled: found < n,
            });
        }
        seen[found] = true;
    }
    counted(landmarks.len(), n)
}

/// A number below `n`, by the upper bits of a product: biased by n/2⁶⁴ at most.
fn below(random: &mut Stream, n: usize) -> usize {
    ((random.bits() as u128 * n as u128) >> 64) as usize
}

/// The landmarks in the order they are found.
fn maxmin(
    square: &dyn Rows,
    kind: Kind,
    itself: Option<&[f64]>,
    count: usize,
    seed: u64,
    run: Run<'_>,
) -> Result<Vec<usize>, Error> {
    let n = square.rows();
    let itself = match kind {
        Kind::Similarity => Some(itself.ok_or_else(|| Error::NotOffered {
            about: About::Objects,
            what: "maxmin",
            why: "found similarities without those of the objects to themselves, expected both: only \
                  together do they tell how far objects are apart"
                .into(),
        })?),
        _ => None,
    };
    let mut chosen = vec![below(&mut Stream::new(seed), n)];
    // How far each object is from the nearest landmark; −∞ for landmarks.
    let mut nearest = vec![f64::INFINITY; n];
    let mut row = vec![0.0; n];
    while chosen.len() < count {
        let last = chosen[chosen.len() - 1];
        square.fill(last..last + 1, &mut row)?;
        if kind != Kind::Similarity {
            clear_below_zero(&mut row);
        }
        nearest[last] = f64::NEG_INFINITY;
        let mut farthest = (f64::NEG_INFINITY, 0);
        for (j, nearest) in nearest.iter_mut().enumerate() {
            let far = match itself {
                // Only the order matters: squared lengths will do.
                Some(itself) => (itself[last] + itself[j] - 2.0 * row[j]).max(0.0),
                None => row[j],
            };
            if !(kind.admits(row[j]) && far.is_finite()) {
                let object = |index: usize| Object {
                    index,
                    label: (index + 1).to_string(),
                };
                return Err(Error::Entry {
                    row: object(last),
                    column: object(j),
                    found: row[j],
                    expected: kind.expected(),
                });
            }
            *nearest = nearest.min(far);
            if *nearest > farthest.0 {
                farthest = (*nearest, j);
            }
        }
        chosen.push(farthest.1);
        run.tell(Progress {
            task: "choosing landmarks",
            done: chosen.len(),
            total: count,
        })?;
    }
    Ok(chosen)
}

/// Proximities of all n objects to the landmarks, n × L; column `j` has those to object `landmarks[j]`.
pub(crate) struct Rectangle<'a> {
    pub rows: &'a dyn Rows,
    pub landmarks: &'a [usize],
    pub kind: Kind,
}

/// Embeds the landmarks on `d` axes and projects everybody else.
pub(crate) fn fit(
    of: &Rectangle<'_>,
    labels: Option<Vec<String>>,
    d: usize,
    settings: &FitSettings,
    run: Run<'_>,
) -> Result<Map, Error> {
    let Rectangle {
        rows,
        landmarks,
        kind,
    } = *of;
    let (n, L) = (rows.rows(), rows.columns());
    let labels = checked_labels(labels, n)?;
    if landmarks.len() != L {
        return Err(Error::Length {
            about: About::Landmarks,
            what: "landmarks",
            found: landmarks.len(),
            expected: L,
        });
    }
    check(landmarks, n)?;
    let mut own = vec![0.0; L * L];
    for (&i, row) in landmarks.iter().zip(own.chunks_exact_mut(L)) {
        rows.fill(i..i + 1, row)?;
    }
    let entries = MatRef::from_row_major_slice(&own, L, L);
    let names = landmarks.iter().map(|&i| labels[i].clone()).collect();
    let proximities = Proximities::new(entries, kind, Some(names), run)?;
    let options = DiagramSettings {
        dimensions: d,
        solver: settings.solver,
        tolerance: settings.tolerance,
        ..Default::default()
    };
    let diagram = Diagram::fit(&proximities, &options, run)?;
    drop(proximities);
    let parts = Parts {
        method: Method::Landmark,
        ..Parts::straight(diagram)
    };
    finish(parts, rows, labels, landmarks.to_vec(), settings, run)
}

/// The same from features. The map keeps those of the landmarks, so that newcomers may come as features too.
pub(crate) fn fit_features(
    features: &Features,
    measure: Measure,
    landmarks: &Landmarks,
    d: usize,
    settings: &FitSettings,
    run: Run<'_>,
) -> Result<Map, Error> {
    let chosen = match landmarks {
        Landmarks::Maxmin { .. } => {
            let all = Measured::new(measure, features.clone())?;
            let square = all.itself();
            let itself = square.self_similarity();
            landmarks.choose(&square, all.kind(), itself.as_deref(), run)?
        }
        _ => landmarks.choose(&Nothing(features.count()), measure.kind(), None, run)?,
    };
    let source = Measured::new(measure, features.select(&chosen))?;
    let labels = features.labels().to_vec();
    let rows = source.against(features)?;
    let of = Rectangle {
        rows: &rows,
        landmarks: &chosen,
        kind: measure.kind(),
    };
    let map = fit(&of, Some(labels), d, settings, run)?;
    drop(rows);
    map.with_source(source)
}

/// Rows that are counted but never asked for.
struct Nothing(usize);

impl Rows for Nothing {
    fn rows(&self) -> usize {
        self.0
    }

    fn columns(&self) -> usize {
        self.0
    }

    fn fill(&self, _: Range<usize>, out: &mut [f64]) -> Result<(), Error> {
        out.fill(f64::NAN);
        Ok(())
    }
}

/// The map of landmarks with everybody else projected onto it from `rows` of proximities to them, turned if so wished.
pub(crate) fn finish(
    parts: Parts,
    rows: &dyn Rows,
    labels: Vec<String>,
    landmarks: Vec<usize>,
    settings: &FitSettings,
    run: Run<'_>,
) -> Result<Map, Error> {
    let diagram = &parts.diagram;
    let d = diagram.dimensions();
    let others = Newcomers {
        labels: Some(&labels),
        ..Newcomers::by(By::Rows(rows))
    };
    // As everybody comes by rows of proximities to the landmarks, the way is straight whatever the method.
    let (border, placements) =
        Map::from(diagram.clone()).place(&others, &PlaceSettings::default(), run)?;
    let mut residuals: Vec<f64> = (0..border.count()).map(|i| border.residual(i)).collect();
    let mut nearest = border.nearest;
    let mut X = Mat::from_fn(placements.count(), d, |i, j| placements.point(i)[j]);
    for (row, &i) in landmarks.iter().enumerate() {
        for j in 0..d {
            X[(i, j)] = diagram.configuration()[(row, j)];
        }
        (residuals[i], nearest[i]) = (f64::NAN, f64::NAN);
    }
    let (configuration, finish) = if settings.rotate {
        let motion = to_principal_axes(X.as_ref())?;
        (motion.apply(X.as_ref()), Finish::Motion(motion))
    } else {
        (X, Finish::None)
    };
    Map::from_parts(Parts {
        objects: Some(AllObjects {
            labels,
            configuration,
            landmarks,
            residuals,
            nearest,
        }),
        finish,
        ..parts
    })
}

/// The motion that puts the mean of the rows at the origin and their principal axes on the axes, the longest first.
fn to_principal_axes(X: MatRef<'_, f64>) -> Result<Motion, Error> {
    let (n, d) = (X.nrows(), X.ncols());
    let mean: Vec<f64> = (0..d)
        .map(|j| X.col(j).iter().sum::<f64>() / n as f64)
        .collect();
    let centred = Mat::from_fn(n, d, |i, j| X[(i, j)] - mean[j]);
    let gram = product(centred.transpose(), centred.as_ref(), Par::Seq);
    let (_, V) = spectrum::eigen(gram.as_ref(), 1)?;
    let V = Mat::from_fn(d, d, |i, j| V[(i, d - 1 - j)]);
    // Signs as everywhere: the coordinate of largest modulus on each axis is positive.
    let mut turned = product(centred.as_ref(), V.as_ref(), Par::Seq);
    let flips = spectrum::fix_signs(turned.as_mut());
    let rotation = Mat::from_fn(d, d, |i, j| if flips[j] { -V[(i, j)] } else { V[(i, j)] });
    let shift = (0..d)
        .map(|k| -(0..d).map(|j| rotation[(j, k)] * mean[j]).sum::<f64>())
        .collect();
    Ok(Motion { rotation, shift })
}
