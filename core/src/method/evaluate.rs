//! Which strategy predicts better on these data: the old objects in folds, each placed on a map that is fitted anew to the
//! others, with the map's own settings.
//!
//! Nothing is taken from the map but its settings: what a fold is placed on has not seen it. The measures, and how differences
//! between strategies are judged, are in [`crate::evidence::evaluate`]. Each fit has one thread, so that the answer is the same for
//! any number of them.

use faer::{Mat, MatRef};

use super::axes::Axes;
use super::settings::{Correcting, Entries, FitSettings, Objects, Square};
use crate::error::{About, Error, Object};
use crate::evidence::evaluate::{COUNT, Evaluation, Fold};
use crate::evidence::groups::Groups;
use crate::evidence::left_out;
use crate::input::features::Features;
use crate::input::kind::{Correction, Kind};
use crate::input::newcomers::{By, Newcomers};
use crate::map::way::Way;
use crate::map::{Map, Method};
use crate::place::alone::{PlaceSettings, offered};
use crate::random::Stream;
use crate::run::Run;
use crate::strategy::placements::Strategy;

/// Bytes that copies of the proximities may take, with what a dense fit takes beside one: about three of them.
const MEMORY: usize = 4 << 30;
const COPIES: usize = 3;

/// With fewer objects than this the folds are drawn several times, so often that about this many are placed, …
const PLACED: usize = 500;

/// … but at most so often.
const MOST_REPEATS: usize = 10;

/// How to evaluate.
#[derive(Debug, Clone, PartialEq)]
pub struct EvaluateSettings<'a> {
    /// Into how many folds the old objects are divided.
    pub folds: usize,
    /// How often; by the number of objects if nothing is said.
    pub repeats: Option<usize>,
    /// Which strategies; project is always one of them.
    pub strategies: Vec<Strategy>,
    /// A word for each object: those with the same are kept in one fold.
    pub groups: Option<&'a [String]>,
    /// A word for each object: how often votes of the nearest find it.
    pub classes: Option<&'a [String]>,
    /// Which division into folds.
    pub seed: u64,
}

impl Default for EvaluateSettings<'_> {
    fn default() -> Self {
        Self {
            folds: 10,
            repeats: None,
            strategies: vec![Strategy::Project, Strategy::Reconstruct],
            groups: None,
            classes: None,
            seed: 1,
        }
    }
}

impl Map {
    /// Evaluates strategies on `old`, the proximities between the map's objects in its order, by folds that are placed on maps of
    /// the others.
    ///
    /// Errs unless they are those the map was fitted to, and for maps that cannot be fitted to some of their objects alone: given
    /// configurations, other origins than the centroid, landmarks, graphs and normalised kernels.
    pub fn evaluate(
        &self,
        old: MatRef<'_, f64>,
        settings: &EvaluateSettings<'_>,
        run: Run<'_>,
    ) -> Result<Evaluation, Error> {
        let own = self.fold_settings()?;
        let n = self.labels().len();
        let strategies = self.strategies(&settings.strategies)?;
        let classes = settings.classes.map(|c| Groups::new(c, n, About::Classes));
        let classes = classes.transpose()?;
        let units = units(settings.groups, n)?;
        let folds = fold_count(settings, &units)?;
        self.diagram().check_old(old, |_| true, run)?;
        let automatic = PLACED.div_ceil(n).clamp(1, MOST_REPEATS);
        let repeats = settings.repeats.unwrap_or(automatic);
        if repeats == 0 {
            return Err(wrong_folds("found 0 repeats, expected at least 1"));
        }

        let parts: Vec<Vec<usize>> = (0..repeats as u64)
            .flat_map(|r| divided(&units, folds, settings.seed.wrapping_add(r << 32)))
            .collect();
        self.enough_left(&parts)?;
        let all = Whole {
            old,
            kind: self.kind(),
            settings: own,
            strategies: &strategies,
            classes: classes.as_ref(),
        };
        let fits = MEMORY / (8 * COPIES * n * n).max(1);
        let threads = run.count().min(fits.max(1));
        let run = Run { threads, ..run };
        let answers = run.map("evaluating folds", parts.len(), |f| all.fold(&parts[f]))?;
        let by_fold = answers.into_iter().collect::<Result<Vec<_>, _>>()?;
        let test = n as f64 / folds as f64;
        let ratio = test / (n as f64 - test);
        let how = (folds, repeats, settings.seed);
        Ok(Evaluation::of(&strategies, &by_fold, how, ratio))
    }

    /// The proximities between the map's objects by its measure, for [`Self::evaluate`]; `features` must be those it was fitted to.
    pub fn old_by_features(&self, features: &Features, run: Run<'_>) -> Result<Mat<f64>, Error> {
        let source = self.require_source()?;
        let own = source.features();
        let same = features.count() == own.count();
        let found = features.matched(own)?;
        if !same {
            return Err(Error::Length {
                about: About::Objects,
                what: "objects with features",
                found: features.count(),
                expected: own.count(),
            });
        }
        if let Some(index) = (0..own.count()).find(|&i| !found.alike(own, i)) {
            let object = Object {
                index,
                label: own.labels()[index].clone(),
            };
            return Err(Error::Inconsistent(format!(
                "found other features of {object} than the map was fitted to, expected the same, in the map's order"
            )));
        }
        let n = own.count();
        let square = source.square(run)?;
        Ok(Mat::from_fn(n, n, |i, j| square[i * n + j]))
    }

    /// The settings by which the map would be fitted to some of its objects.
    fn fold_settings(&self) -> Result<FitSettings, Error> {
        let diagram = self.diagram();
        let refuse = |found: &str| {
            Err(Error::NotOffered {
                about: About::Method,
                what: "evaluating by folds",
                why: format!(
                    "found {found}, expected a map by cmds, pca or kernel-pca about its centroid: others are not fitted to \
                     some of their objects alone"
                ),
            })
        };
        if self.parts().growth.is_some() {
            return refuse("a map that has grown");
        }
        if diagram.parts().given {
            return refuse("a configuration that was given");
        }
        if diagram.centring().weights.is_some() {
            return refuse("another origin than the centroid");
        }
        let straight = matches!(self.parts().way, Way::Straight | Way::Components(_));
        let method = match self.method() {
            Method::KernelPca => Method::KernelPca,
            // Principal components are the classical scaling of Euclidean distances.
            Method::Cmds | Method::Pca => Method::Cmds,
            other => return refuse(&format!("the method {}", other.word())),
        };
        if !straight || self.parts().objects.is_some() {
            return refuse("landmarks");
        }
        Ok(FitSettings {
            axes: Axes::Count(self.dimensions()),
            method,
            correction: match diagram.parts().correction {
                Correction::None => Correcting::None,
                Correction::Lingoes(_) => Correcting::Lingoes,
                Correction::Cailliez(_) => Correcting::Cailliez,
            },
            ..FitSettings::default()
        })
    }

    /// Those that are asked for, project first.
    fn strategies(&self, asked: &[Strategy]) -> Result<Vec<Strategy>, Error> {
        let mut all = vec![Strategy::Project];
        for &strategy in asked {
            offered(self.diagram(), strategy)?;
            if strategy == Strategy::Own {
                return Err(Error::NotOffered {
                    about: About::Strategy,
                    what: strategy.word(),
                    why: "found no rule, expected a strategy by its word".into(),
                });
            }
            if !all.contains(&strategy) {
                all.push(strategy);
            }
        }
        Ok(all)
    }

    /// Errs unless enough objects are left without any of the folds.
    fn enough_left(&self, parts: &[Vec<usize>]) -> Result<(), Error> {
        let (n, d) = (self.labels().len(), self.dimensions());
        let left = n - parts.iter().map(Vec::len).max().unwrap_or(0);
        if left < d + 2 {
            return Err(wrong_folds(&format!(
                "found folds without which {left} objects are left, expected at least {}, for {d} axes",
                d + 2
            )));
        }
        Ok(())
    }
}

/// The number of folds, if there are so many units to deal into them.
fn fold_count(settings: &EvaluateSettings<'_>, units: &[Vec<usize>]) -> Result<usize, Error> {
    let folds = settings.folds;
    if folds < 2 {
        return Err(wrong_folds(&format!(
            "found {folds} folds, expected at least 2"
        )));
    }
    if folds > units.len() {
        let what = if settings.groups.is_some() {
            "groups"
        } else {
            "objects"
        };
        return Err(wrong_folds(&format!(
            "found {folds} folds, expected at most {}, as many as there are {what}",
            units.len()
        )));
    }
    Ok(folds)
}

fn wrong_folds(why: &str) -> Error {
    Error::Together {
        about: About::Folds,
        why: why.into(),
    }
}

/// What is kept together: each object by itself, or groups.
fn units(groups: Option<&[String]>, n: usize) -> Result<Vec<Vec<usize>>, Error> {
    let Some(words) = groups else {
        return Ok((0..n).map(|i| vec![i]).collect());
    };
    let groups = Groups::new(words, n, About::Groups)?;
    let mut units = vec![Vec::new(); groups.count()];
    for (i, g) in groups.of().iter().enumerate() {
        units[*g].push(i);
    }
    Ok(units)
}

/// Folds of whole units: in a random order, each unit goes to the fold that has fewest objects.
fn divided(units: &[Vec<usize>], folds: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut random = Stream::new(seed);
    let mut order: Vec<usize> = (0..units.len()).collect();
    for last in (1..order.len()).rev() {
        let other = (random.bits() % (last as u64 + 1)) as usize;
        order.swap(last, other);
    }
    let mut parts = vec![Vec::new(); folds];
    for unit in order {
        let sizes = (0..folds).map(|f| (parts[f].len(), f));
        let smallest = sizes.min().map_or(0, |(_, f)| f);
        parts[smallest].extend(&units[unit]);
    }
    parts.iter_mut().for_each(|p| p.sort_unstable());
    parts
}

/// All that folds have in common.
struct Whole<'a> {
    old: MatRef<'a, f64>,
    kind: Kind,
    settings: FitSettings,
    strategies: &'a [Strategy],
    classes: Option<&'a Groups>,
}

impl Whole<'_> {
    /// The measures of each strategy on one fold.
    fn fold(&self, apart: &[usize]) -> Result<Vec<[f64; COUNT]>, Error> {
        let (old, alone) = (self.old, Run::on(1));
        let n = old.nrows();
        let others: Vec<usize> = (0..n).filter(|i| apart.binary_search(i).is_err()).collect();

        // The map of the others.
        let square = Mat::from_fn(others.len(), others.len(), |i, j| {
            old[(others[i], others[j])]
        });
        let objects = Objects::Square(Square {
            entries: Entries::Doubles(square.as_ref()),
            kind: self.kind,
            labels: None,
            made_of: None,
        });
        let map = Map::fit(objects, &self.settings, alone)?.map;

        // The fold on it.
        let rows = Mat::from_fn(others.len(), apart.len(), |j, i| old[(apart[i], others[j])]);
        let itself: Vec<f64> = apart.iter().map(|&i| old[(i, i)]).collect();
        let newcomers = Newcomers {
            self_similarity: (self.kind == Kind::Similarity).then_some(&itself[..]),
            ..Newcomers::by(By::Doubles(rows.transpose()))
        };
        let border = map.border(&newcomers, alone)?;

        // What is given of it, as the map compares objects.
        let correction = map.diagram().parts().correction;
        let length = |i: usize, j: usize| match self.kind {
            Kind::Similarity if i == j => 0.0,
            Kind::Similarity => {
                let squared = old[(i, i)] + old[(j, j)] - 2.0 * old[(i, j)];
                correction.length(Kind::Squared, squared)
            }
            kind => correction.length(kind, old[(i, j)]),
        };
        let given: Vec<f64> = apart
            .iter()
            .flat_map(|&i| others.iter().map(move |&j| (i, j)))
            .map(|(i, j)| length(i, j))
            .collect();
        let among: Vec<f64> = apart
            .iter()
            .flat_map(|&i| apart.iter().map(move |&j| (i, j)))
            .map(|(i, j)| length(i, j))
            .collect();
        let x = map.configuration();
        let places: Vec<f64> = (0..x.nrows())
            .flat_map(|i| x.row(i).iter().copied())
            .collect();
        let classes = self
            .classes
            .map(|c| (c.some(&others), c.some(apart), c.count()));
        let fold = Fold {
            old: &places,
            dimensions: map.dimensions(),
            given: &given,
            among: &among,
            classes: classes
                .as_ref()
                .map(|(a, b, count)| (&a[..], &b[..], *count)),
        };
        let measured = self.strategies.iter().map(|&strategy| {
            let how = PlaceSettings::by(strategy);
            let placed = if strategy == Strategy::Stress {
                map.place(&newcomers, &how, alone)?.1
            } else {
                map.place_border(&border, &how, alone)?
            };
            let wanted = classes.is_some() && left_out::check(map.diagram(), &how).is_ok();
            let left_out = if wanted {
                Some(map.leave_one_out(&how, alone)?.coordinates)
            } else {
                None
            };
            Ok(fold.measure(&placed.coordinates, left_out.as_deref()))
        });
        measured.collect()
    }
}
