//! Refitting: everybody anew, turned onto the map that was.
//!
//! All objects of a square are fitted with the settings of an older map; then the new map is moved (rotation, reflection and shift, no
//! scaling: coordinates stay in the units of the proximities) so that the founders of the old map are as close as possible to
//! where they were,
//!
//! ```text
//! min over R'R = I, t:  ‖X_new R + e t' − X_old‖²        statistic = that minimum / ‖X_old − mean‖²
//! ```
//!
//! over the founders that both have. What is left is how far they moved: the statistic is Procrustes', 0 if nobody did.

#![allow(non_snake_case)]

use std::collections::HashMap;

use faer::Mat;

use crate::error::{About, Error};
use crate::fit::centring::Origin;
use crate::input::kind::Correction;
use crate::map::finish::Finish;
use crate::map::way::Way;
use crate::map::way::normalised::Affinity;
use crate::map::{Map, Method, Parts};
use crate::method::axes::Axes;
use crate::method::landmark::Landmarks;
use crate::method::settings::{AffinityChoice, Correcting, FitSettings, Objects};
use crate::place::compare::spread;
use crate::place::procrustes::{self, Motion};
use crate::run::Run;

/// A map that was fitted anew, and how far founders moved.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Refitted {
    /// The new map.
    pub map: Map,
    /// Remarks on the fit, in words.
    pub findings: Vec<String>,
    /// The founders of the old map that are on the new one, by their number on the old.
    pub shared: Vec<usize>,
    /// How far each of them moved.
    pub moved: Vec<f64>,
    /// Σ moved² over the founders' squared distances from their mean on the old map: Procrustes' statistic.
    pub statistic: f64,
    /// The spread of the old map's founders, to judge moves by.
    pub spread: f64,
}

impl Refitted {
    /// The root mean square of moves.
    pub fn root_mean_square(&self) -> f64 {
        let squares: f64 = self.moved.iter().map(|v| v * v).sum();
        (squares / self.moved.len().max(1) as f64).sqrt()
    }

    /// Those who moved farthest, the farthest first: their number on the old map, and how far.
    pub fn movers(&self, count: usize) -> Vec<(usize, f64)> {
        let mut all: Vec<(usize, f64)> = (self.shared.iter().copied())
            .zip(self.moved.iter().copied())
            .collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        all.truncate(count);
        all
    }
}

impl Map {
    /// Fits `objects` anew with the settings of this map, turned and shifted onto it if so wished.
    ///
    /// An error means that the question was malformed, or that nothing of this map was fitted: coordinates that were given have no settings.
    pub fn refit(
        &self,
        objects: Objects<'_>,
        align: bool,
        run: Run<'_>,
    ) -> Result<Refitted, Error> {
        if objects.kind() != self.kind() {
            return Err(Error::Contradicted {
                about: About::Kind,
                why: format!(
                    "found {}, expected {}, as the map is of",
                    objects.kind().word(),
                    self.kind().word()
                ),
            });
        }
        let settings = self.own_settings(&objects.labels())?;
        let fitted = Map::fit(objects, &settings, run)?;
        let mut refitted = fitted.map.onto(self, align)?;
        refitted.findings = fitted.findings;
        Ok(refitted)
    }

    /// This map turned and shifted onto an older one, or left as it is, and how far the older one's founders are from where they were.
    pub fn onto(&self, old: &Map, align: bool) -> Result<Refitted, Error> {
        let d = self.dimensions();
        if d != old.dimensions() {
            return Err(Error::Length {
                about: About::Dimensions,
                what: "axes of the new map",
                found: d,
                expected: old.dimensions(),
            });
        }
        let at: HashMap<&str, usize> = self.labels().iter().map(String::as_str).zip(0..).collect();
        let founders = 0..old.founders();
        let place = |i: &usize| at.get(old.labels()[*i].as_str()).copied();
        let pairs: Vec<(usize, usize)> = founders.filter_map(|i| Some((i, place(&i)?))).collect();
        if pairs.len() <= d {
            return Err(Error::Contradicted {
                about: About::Objects,
                why: format!(
                    "found {} of the map's {} founders among the objects, expected at least {} to turn {d} axes by",
                    pairs.len(),
                    old.founders(),
                    d + 1
                ),
            });
        }
        let (from, to) = (self.configuration(), old.configuration());
        let X_new = Mat::from_fn(pairs.len(), d, |p, j| from[(pairs[p].1, j)]);
        let X_old = Mat::from_fn(pairs.len(), d, |p, j| to[(pairs[p].0, j)]);
        let (map, X_new) = if align {
            let motion = procrustes::rotation(X_new.as_ref(), X_old.as_ref(), true);
            let moved = motion.apply(X_new.as_ref());
            (self.moved(&motion)?, moved)
        } else {
            (self.clone(), X_new)
        };
        let squared = |p: usize, of: &dyn Fn(usize) -> f64| -> f64 {
            (0..d).map(|j| (X_old[(p, j)] - of(j)).powi(2)).sum()
        };
        let moves: Vec<f64> = (0..pairs.len())
            .map(|p| squared(p, &|j| X_new[(p, j)]))
            .collect();
        let mean = |j: usize| X_old.col(j).iter().sum::<f64>() / pairs.len() as f64;
        let mean: Vec<f64> = (0..d).map(mean).collect();
        let inertia: f64 = (0..pairs.len()).map(|p| squared(p, &|j| mean[j])).sum();
        Ok(Refitted {
            map,
            findings: Vec::new(),
            shared: pairs.iter().map(|p| p.0).collect(),
            statistic: moves.iter().sum::<f64>() / inertia,
            moved: moves.into_iter().map(f64::sqrt).collect(),
            spread: spread(old.founding()),
        })
    }

    /// The same map, moved.
    fn moved(&self, motion: &Motion) -> Result<Self, Error> {
        let mut parts: Parts = self.parts().clone();
        parts.finish = match &parts.finish {
            Finish::None => Finish::Motion(motion.clone()),
            Finish::Motion(first) => Finish::Motion(first.then(motion)),
            Finish::Walk { .. } => {
                return Err(Error::NotOffered {
                    about: About::Time,
                    what: "turning a map onto another",
                    why: "found the coordinates of a random walk, whose axes have scales of their own, expected others"
                        .into(),
                });
            }
        };
        if let Some(objects) = &mut parts.objects {
            objects.configuration = motion.apply(objects.configuration.as_ref());
        }
        Self::from_parts(parts)
    }

    /// What this map was told, for objects that have these `labels`.
    fn own_settings(&self, labels: &[String]) -> Result<FitSettings, Error> {
        let diagram = self.founding();
        if diagram.parts().given {
            return Err(Error::NotOffered {
                about: About::Configuration,
                what: "refitting",
                why: "found coordinates that were given, expected a map that was fitted: give the new objects' coordinates to fit"
                    .into(),
            });
        }
        let at: HashMap<&str, usize> = labels.iter().map(String::as_str).zip(0..).collect();
        let find = |label: &String| {
            at.get(label.as_str())
                .copied()
                .ok_or_else(|| Error::Contradicted {
                    about: About::Objects,
                    why: format!(
                        "found no {label:?}, expected all objects that the map's settings are about"
                    ),
                })
        };
        let mut settings = FitSettings {
            axes: Axes::Count(self.dimensions()),
            method: self.method(),
            correction: match diagram.parts().correction {
                Correction::None => Correcting::None,
                Correction::Lingoes(_) => Correcting::Lingoes,
                Correction::Cailliez(_) => Correcting::Cailliez,
            },
            ..Default::default()
        };
        if let Finish::Walk { time } = self.parts().finish {
            settings.time = Some(time);
        }
        if let Some(landmarks) = self.landmarks() {
            let chosen = landmarks.iter().map(|&i| find(&self.labels()[i]));
            settings.landmarks = Some(Landmarks::Given(chosen.collect::<Result<_, _>>()?));
            settings.rotate = matches!(self.parts().finish, Finish::Motion(_));
        }
        match &self.parts().way {
            Way::Graph(isomap) => settings.neighbourhood = Some(isomap.neighbourhood),
            Way::Normalised(laplacian) => {
                settings.neighbourhood = laplacian.neighbourhood;
                settings.alpha = laplacian.alpha;
                settings.diagonal = laplacian.diagonal;
                settings.affinity = Some(match laplacian.affinity {
                    Affinity::Heat { gamma } => {
                        settings.gamma = Some(gamma);
                        AffinityChoice::Heat
                    }
                    Affinity::Neighbours => AffinityChoice::Neighbours,
                    Affinity::Given => AffinityChoice::Given,
                });
            }
            Way::Straight | Way::Components(_) | Way::Linked(_) => {}
        }
        if let Some(w) = &diagram.centring().weights
            && matches!(self.method(), Method::Cmds | Method::KernelPca)
        {
            settings.origin = if w.iter().all(|w| *w == 0.0) {
                Origin::Kernel
            } else {
                let mut all = vec![0.0; labels.len()];
                for (label, w) in diagram.labels().iter().zip(w).filter(|(_, w)| **w != 0.0) {
                    all[find(label)?] = *w;
                }
                Origin::Weights(all)
            };
        }
        Ok(settings)
    }
}
