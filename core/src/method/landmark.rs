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

use faer::{Mat, MatRef};

use crate::error::{Error, Object};
use crate::fit::diagram::{Diagram, FitSettings};
use crate::fit::spectrum;
use crate::input::features::Features;
use crate::input::proximities::{Kind, Proximities, checked_labels};
use crate::input::rows::Rows;
use crate::map::streaming::{Streamed, place_rows};
use crate::map::{Finish, Method, Model, Objects, Parts};
use crate::measure::{Measure, Measured};
use crate::place::alone;
use crate::place::procrustes::Motion;
use crate::random::Stream;
use crate::run::{Progress, Watch};

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

/// What to do beside the fit itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Settings {
    /// Turn the whole configuration to its principal axes.
    pub rotate: bool,
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
        watch: Option<Watch<'_>>,
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
                maxmin(square, kind, itself, count, seed, watch)?
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
    watch: Option<Watch<'_>>,
) -> Result<Vec<usize>, Error> {
    let n = square.rows();
    let itself = match kind {
        Kind::Similarity => Some(itself.ok_or_else(|| Error::NotOffered {
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
        let progress = Progress {
            task: "choosing landmarks",
            done: chosen.len(),
            total: count,
        };
        if watch.is_some_and(|w| w(progress).is_break()) {
            return Err(Error::Stopped);
        }
    }
    Ok(chosen)
}

/// Embeds the landmarks and projects everybody else.
///
/// `rectangle` has the proximities of all n objects to the landmarks, n × L, its column `j` being those to object
/// `landmarks[j]`. Origin, correction and solver are those of `fit`.
pub fn fit(
    rectangle: &dyn Rows,
    landmarks: &[usize],
    kind: Kind,
    labels: Option<Vec<String>>,
    settings: &Settings,
    fit: &FitSettings<'_>,
) -> Result<Model, Error> {
    let (n, L) = (rectangle.rows(), rectangle.columns());
    let labels = checked_labels(labels, n)?;
    if landmarks.len() != L {
        return Err(Error::Length {
            what: "landmarks",
            found: landmarks.len(),
            expected: L,
        });
    }
    check(landmarks, n)?;
    let mut own = vec![0.0; L * L];
    for (&i, row) in landmarks.iter().zip(own.chunks_exact_mut(L)) {
        rectangle.fill(i..i + 1, row)?;
    }
    let entries = MatRef::from_row_major_slice(&own, L, L);
    let names = landmarks.iter().map(|&i| labels[i].clone()).collect();
    let proximities = Proximities::new(entries, kind, Some(names), fit.threads)?;
    let diagram = Diagram::fit(&proximities, fit)?;
    drop(proximities);
    let others = Streamed {
        labels: Some(&labels),
        ..Streamed::new(rectangle)
    };
    let configuration = project_others(&diagram, &others, landmarks, fit)?;
    finish(
        Method::Landmark {
            landmarks: landmarks.to_vec(),
        },
        diagram,
        labels,
        configuration,
        settings,
    )
}

/// The same from features. The model keeps those of the landmarks, so that newcomers may come as features too.
pub fn fit_features(
    features: &Features,
    measure: Measure,
    landmarks: &Landmarks,
    settings: &Settings,
    options: &FitSettings<'_>,
) -> Result<Model, Error> {
    let chosen = match landmarks {
        Landmarks::Maxmin { .. } => {
            let all = Measured::new(measure, features.clone())?;
            let square = all.itself();
            let itself = square.self_similarity();
            landmarks.choose(&square, all.kind(), itself.as_deref(), options.watch)?
        }
        _ => landmarks.choose(&Nothing(features.count()), measure.kind(), None, None)?,
    };
    let source = Measured::new(measure, features.select(&chosen))?;
    let labels = features.labels().to_vec();
    let rectangle = source.against(features)?;
    let model = fit(
        &rectangle,
        &chosen,
        measure.kind(),
        Some(labels),
        settings,
        options,
    )?;
    drop(rectangle);
    model.with_source(source)
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

/// The coordinates of all objects: the landmarks' own, and the projections of the others.
pub(crate) fn project_others(
    diagram: &Diagram,
    all: &Streamed<'_>,
    landmarks: &[usize],
    fit: &FitSettings<'_>,
) -> Result<Mat<f64>, Error> {
    let settings = alone::Settings {
        threads: fit.threads,
        watch: fit.watch,
        ..Default::default()
    };
    let placements = place_rows(diagram, all, &settings)?;
    let d = diagram.dimensions();
    let mut X = Mat::from_fn(placements.count(), d, |i, j| placements.point(i)[j]);
    for (row, &i) in landmarks.iter().enumerate() {
        for j in 0..d {
            X[(i, j)] = diagram.configuration()[(row, j)];
        }
    }
    Ok(X)
}

/// The model of landmarks with everybody else, turned if so wished.
pub(crate) fn finish(
    method: Method,
    diagram: Diagram,
    labels: Vec<String>,
    configuration: Mat<f64>,
    settings: &Settings,
) -> Result<Model, Error> {
    let (configuration, finish) = match settings.rotate {
        false => (configuration, Finish::None),
        true => {
            let motion = to_principal_axes(configuration.as_ref())?;
            (motion.apply(configuration.as_ref()), Finish::Motion(motion))
        }
    };
    Model::from_parts(Parts {
        method,
        diagram,
        objects: Some(Objects {
            labels,
            configuration,
        }),
        finish,
        source: None,
    })
}

/// The motion that puts the mean of the rows at the origin and their principal axes on the axes, the longest first.
fn to_principal_axes(X: MatRef<'_, f64>) -> Result<Motion, Error> {
    let (n, d) = (X.nrows(), X.ncols());
    let mean: Vec<f64> = (0..d)
        .map(|j| X.col(j).iter().sum::<f64>() / n as f64)
        .collect();
    let centred = Mat::from_fn(n, d, |i, j| X[(i, j)] - mean[j]);
    let (_, V) = spectrum::eigen((centred.transpose() * &centred).as_ref(), 1)?;
    let V = Mat::from_fn(d, d, |i, j| V[(i, d - 1 - j)]);
    // Signs as everywhere: the coordinate of largest modulus on each axis is positive.
    let mut turned = &centred * &V;
    let flips = spectrum::fix_signs(turned.as_mut());
    let rotation = Mat::from_fn(d, d, |i, j| if flips[j] { -V[(i, j)] } else { V[(i, j)] });
    let shift = (0..d)
        .map(|k| -(0..d).map(|j| rotation[(j, k)] * mean[j]).sum::<f64>())
        .collect();
    Ok(Motion { rotation, shift })
}
