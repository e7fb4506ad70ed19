//! Growing: newcomers become members, and nobody moves.
//!
//! They are placed like any newcomers; then their places Y stand beside X, and whoever comes later is compared with them too
//! ([`crate::fit::grown`] has the equations). A member is a witness, not an axis: it helps to place others, but the axes are the
//! founders'. Entered again, a member at y with projection ŷ and its β is projected on
//!
//! ```text
//! (C + yy')⁻¹(Cŷ + βy)
//! ```
//!
//! which is y where the residual β − ŷ'ŷ is zero, for a single member placed by reconstruct (it is the equation of its
//! stationary point), and for members placed jointly and entered again with all their proximities; not for a projected member
//! that the map does not show in full, nor for several that were reconstructed separately.

use faer::Mat;

use super::ask::Between;
use super::finish::Finish;
use super::growth::{Generation, Growth};
use super::way::Way;
use super::{AllObjects, Map, Parts};
use crate::border::Border;
use crate::error::{About, Error};
use crate::fit::grown::Members;
use crate::input::features::Features;
use crate::input::newcomers::{By, Newcomers};
use crate::measure::Measured;
use crate::place::alone::PlaceSettings;
use crate::run::Run;
use crate::strategy::placements::{Placements, Strategy};

/// How newcomers become members.
#[derive(Clone, Default)]
pub struct GrowSettings<'a> {
    /// How each is placed by itself.
    pub place: PlaceSettings,
    /// What is between them: they are then placed together, by reconstruct.
    pub between: Option<Between<'a>>,
    /// The generation up to which they give proximities, and on whose map they are placed; the newest if none.
    pub generation: Option<usize>,
    /// What their table is called, for the map to keep; may be empty.
    pub name: String,
    /// SHA-256 of their table, for the map to keep; may be empty.
    pub digest: String,
}

/// A map that has grown, and how.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Grown {
    /// The map with its new members.
    pub map: Map,
    /// What they were to the map that they came to.
    pub border: Border,
    /// Where they were placed.
    pub placements: Placements,
    /// Placed together: whether that is proved to be the best, and how far from it at most, if that is known.
    pub joint: Option<(bool, Option<f64>)>,
}

impl Map {
    /// Takes newcomers in for good: a new map, on which nobody has moved and they are members of the next generation.
    ///
    /// An error means that the question was malformed, that a newcomer has no place or a label that is taken, or that maps
    /// of this method cannot grow.
    ///
    /// ```
    /// use adjoin::{Entries, FitSettings, GrowSettings, Kind, Map, Newcomers, Objects, Run, Square};
    /// use faer::mat;
    ///
    /// let old = mat![[0.0, 2.0, 2.0], [2.0, 0.0, 3.0], [2.0, 3.0, 0.0]];
    /// let square = Square {
    ///     entries: Entries::Doubles(old.as_ref()),
    ///     kind: Kind::Dissimilarity,
    ///     labels: None,
    ///     made_of: None,
    /// };
    /// let map = Map::fit(Objects::Square(square), &FitSettings::default(), Run::default())?.map;
    ///
    /// let first = mat![[1.0, 2.0, 2.0]];
    /// let grown = map.grow(&Newcomers::new(first.as_ref()), &GrowSettings::default(), Run::default())?.map;
    /// assert_eq!(grown.labels().len(), 4);
    ///
    /// // Whoever comes now is compared with four; or with three, on the map as it was.
    /// let second = mat![[2.0, 1.0, 2.0, 1.5]];
    /// let (border, _) = grown.place(&Newcomers::new(second.as_ref()), &Default::default(), Run::default())?;
    /// assert_eq!(border.observed, [4]);
    /// assert_eq!(grown.generation(0)?.labels().len(), 3);
    /// # Ok::<(), adjoin::Error>(())
    /// ```
    pub fn grow(
        &self,
        newcomers: &Newcomers<'_>,
        settings: &GrowSettings<'_>,
        run: Run<'_>,
    ) -> Result<Grown, Error> {
        self.check_growing(newcomers)?;
        let last = self.generations().len();
        let placed_on = settings.generation.unwrap_or(last);
        let then = self.generation(placed_on)?;
        newcomers.check_lengths()?;
        let labels = self.labels_of(newcomers)?;

        // 1. Place them.
        let (border, placements, joint) = match settings.between {
            None => {
                let (border, placements) = then.place(newcomers, &settings.place, run)?;
                (border, placements, None)
            }
            Some(between) => {
                let (border, jointly) = then.jointly(newcomers, between, run)?;
                let joint = (jointly.certified, jointly.gap);
                (border, jointly.placements, Some(joint))
            }
        };
        let unplaced = placements.status.iter().position(|s| !s.placed());
        if let Some(i) = unplaced {
            return Err(Error::NotOffered {
                about: About::Objects,
                what: "growing",
                why: format!(
                    "found {:?} without a place ({}), expected all newcomers to have one: leave it out, or place them by \
                     another strategy",
                    newcomers.object(i).label,
                    placements.status[i]
                ),
            });
        }

        // 2. Put them beside the others.
        let strategy = match joint {
            Some(_) => Strategy::Reconstruct,
            None => settings.place.strategy,
        };
        let generation = Generation {
            count: labels.len(),
            strategy,
            jointly: joint.is_some(),
            placed_on,
            name: settings.name.clone(),
            digest: settings.digest.clone(),
        };
        let weighted = newcomers
            .weights
            .is_some_and(|w| w.iter().any(|v| *v != w[0]));
        let known = (then.references().len(), weighted);
        let mut members = members(&labels, &border, &placements, known);
        if self.landmarks().is_none() {
            members.undo(&self.parts().finish);
        }
        let map = self.with_members(newcomers, members, generation)?;
        Ok(Grown {
            map,
            border,
            placements,
            joint,
        })
    }

    /// Errs unless maps like this can grow by such newcomers.
    fn check_growing(&self, newcomers: &Newcomers<'_>) -> Result<(), Error> {
        let why = match &self.parts().way {
            Way::Graph(_) => {
                "found a map of geodesics, expected one of proximities as they are: a new member would make shorter ways \
                 between the old objects, who would have to move; fit the map anew"
            }
            Way::Normalised(_) => {
                "found a map of a normalised kernel, expected one of proximities as they are: a new member would change the \
                 degrees of the old objects, who would have to move; fit the map anew"
            }
            Way::Linked(_) => {
                "found a map with a link, expected one of proximities as they are: the link was fitted to the founders and says \
                 nothing of members, whose own places were made by it; fit it anew with their coordinates"
            }
            _ if self.landmarks().is_some() => return Ok(()),
            _ if self.source().is_some() && !matches!(newcomers.by, By::Features(_)) => {
                "found newcomers by proximities on a map of features, expected their features: those who come later are \
                 compared with them by features"
            }
            _ => return Ok(()),
        };
        Err(Error::NotOffered {
            about: About::Method,
            what: "growing",
            why: why.into(),
        })
    }

    /// What the newcomers are to be called as members: nobody who is there already.
    fn labels_of(&self, newcomers: &Newcomers<'_>) -> Result<Vec<String>, Error> {
        let (k, n) = (newcomers.count(), self.labels().len());
        if k == 0 {
            return Err(Error::TooFewObjects {
                found: 0,
                expected: 1,
            });
        }
        if !self.named() {
            return Ok((n + 1..=n + k).map(|i| i.to_string()).collect());
        }
        let own = match (newcomers.labels, newcomers.by) {
            (None, By::Features(features)) if features.labelled() => Some(features.labels()),
            (labels, _) => labels,
        };
        let Some(own) = own else {
            // Numbered on from those who came without names before them.
            let first = n - self.founders() + 1;
            return Ok((first..first + k).map(|i| format!("new{i}")).collect());
        };
        let there: std::collections::HashSet<&String> = self.labels().iter().collect();
        match own.iter().position(|label| there.contains(label)) {
            None => Ok(own.to_vec()),
            Some(i) => Err(Error::Contradicted {
                about: About::Labels,
                why: format!(
                    "found the newcomer {:?}, which is on the map already, expected labels that are not",
                    own[i]
                ),
            }),
        }
    }

    /// The same map with these members, the next generation.
    fn with_members(
        &self,
        newcomers: &Newcomers<'_>,
        members: Members,
        generation: Generation,
    ) -> Result<Self, Error> {
        let mut parts: Parts = self.parts().clone();
        let growth = parts.growth.take();
        let (mut generations, before) = match growth {
            Some(growth) => (growth.generations, growth.members),
            None => (Vec::new(), Members::nobody(self.dimensions())),
        };
        generations.push(generation);
        let members = match &mut parts.objects {
            Some(objects) => {
                objects.take_in(&members);
                before
            }
            None => {
                if let (Some(source), By::Features(features)) = (&parts.source, newcomers.by) {
                    parts.source = Some(source.with(features, &members.labels, self.named())?);
                }
                before.and(members)
            }
        };
        parts.growth = Some(Growth {
            generations,
            members,
        });
        Self::from_parts(parts)
    }
}

/// Newcomers that were placed, as members; `known` says how many proximities are all of them, and whether some weighed more.
fn members(
    labels: &[String],
    border: &Border,
    placements: &Placements,
    (all, weighted): (usize, bool),
) -> Members {
    let (k, d) = (placements.count(), placements.dimensions);
    let founding = border.founding.as_deref().unwrap_or(border);
    Members {
        labels: labels.to_vec(),
        configuration: Mat::from_fn(k, d, |i, j| placements.point(i)[j]),
        means: border.means.clone(),
        measured: (0..k)
            .map(|i| border.observed[i] == all && !weighted)
            .collect(),
        projections: founding.projections.clone(),
        residuals: (0..k).map(|i| founding.residual(i)).collect(),
        nearest: founding.nearest.clone(),
    }
}

impl Members {
    /// From places on the map to those on its diagram.
    fn undo(&mut self, finish: &Finish) {
        for i in 0..self.count() {
            let mut y: Vec<f64> = self.configuration.row(i).iter().copied().collect();
            // Maps of random walks do not grow.
            if finish.undo(&mut y).is_some() {
                y.into_iter()
                    .enumerate()
                    .for_each(|(j, v)| self.configuration[(i, j)] = v);
            }
        }
    }
}

impl AllObjects {
    /// Takes members in beside the landmarks: they had no part in the fit, like the others there.
    fn take_in(&mut self, members: &Members) {
        let (n, d) = (self.labels.len(), self.configuration.ncols());
        let (before, after) = (&self.configuration, &members.configuration);
        self.configuration = Mat::from_fn(n + members.count(), d, |i, j| {
            if i < n {
                before[(i, j)]
            } else {
                after[(i - n, j)]
            }
        });
        self.labels.extend_from_slice(&members.labels);
        // Maps of earlier versions do not have them of the others.
        for (own, more) in [
            (&mut self.residuals, &members.residuals),
            (&mut self.nearest, &members.nearest),
        ] {
            if !own.is_empty() {
                own.extend_from_slice(more);
            }
        }
    }
}

impl Measured {
    /// The same with more objects after its own.
    fn with(&self, more: &Features, labels: &[String], named: bool) -> Result<Self, Error> {
        let own = self.features();
        let labels = [own.labels(), labels].concat();
        let more = more.matched(own)?;
        let all = own.and(&more).with_labels(labels)?;
        Self::new(*self.measure(), if named { all } else { all.unlabelled() })
    }
}
