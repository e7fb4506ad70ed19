//! What can be asked about the old objects: where each would be if it came to the map of the others, and what newcomers are
//! measured by.

use std::ops::Range;

use super::Map;
use super::finish::Finish;
use super::way::Way;
use super::way::linked::{LinkError, Linked};
use crate::border::Border;
use crate::error::{About, Error};
use crate::evidence::assessment::{Assessment, Batch};
use crate::evidence::footing::{self, Footing};
use crate::evidence::groups::{self, Grouped, Groups};
use crate::evidence::left_out::{self, Absent};
use crate::evidence::novelty::{Measures, Novelty, Yardstick};
use crate::place::alone::PlaceSettings;
use crate::run::Run;
use crate::strategy::placements::{Placements, Status};

/// Old objects that one thread places at a time.
const BATCH: usize = 64;

/// Where an old object is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seat {
    /// Among the diagram's objects.
    Diagram(usize),
    /// Beside its landmarks.
    Beside(usize),
    /// Among the members of a map that has grown: it came as a newcomer, and is one still.
    Member(usize),
}

impl Map {
    /// The old objects, each at the place where it would be as a newcomer to the map of the others, turned onto this map
    /// (members of a map that has grown came as newcomers: as such they are placed on the founders' map):
    /// on the same footing as newcomers that are placed by the same strategy, which fitted objects are not.
    ///
    /// An object without which an axis does not exist is `not_applicable`. An error means that the question makes no
    /// sense here: stress on a map without a link, a map of an earlier version, or one that loses an axis with any of its objects.
    pub fn leave_one_out(
        &self,
        settings: &PlaceSettings,
        run: Run<'_>,
    ) -> Result<Placements, Error> {
        let (diagram, n) = (self.founding(), self.labels().len());
        if self.link().is_some() {
            self.offers(settings.strategy)?;
        } else {
            left_out::check(diagram, settings)?;
        }
        let (d, seats) = (self.dimensions(), self.seats());
        let batches = run.map("leaving objects out", n.div_ceil(BATCH), |batch| {
            let range = batch * BATCH..((batch + 1) * BATCH).min(n);
            let mut placements = Placements::empty(settings.strategy, range.len(), d);
            for (at, i) in range.enumerate() {
                let old = seats[i];
                placements.status[at] = Status::NotApplicable;
                if let Some(absent) = self.absent(old) {
                    match self.link() {
                        Some(linked) => linked.place_old(i, &mut placements, at),
                        None => absent.place(diagram, settings, &mut placements, at),
                    }
                    let measures = self.measures_of(old, &absent);
                    let novelty = self.yardstick().old(&measures);
                    placements.judge(at, &[novelty]);
                }
                for y in placements.points_mut(at) {
                    self.finish_old(y, i);
                }
            }
            placements
        })?;
        let mut all = Placements::of_nobody(settings.strategy, d);
        batches.into_iter().for_each(|b| all.append(b));
        Ok(all)
    }

    /// How far the old objects are placed by the map's link from where they are, each left out; none without a link.
    pub fn link_error(&self) -> Option<LinkError> {
        let linked = self.link()?;
        linked.error(self.diagram().configuration(), self.spread())
    }

    /// The group of each newcomer by vote of the `voters` old objects that are nearest to it on the map, and what that vote is
    /// worth. `groups` has a word for each object on the map; `places` are those of newcomers, row by row, by `settings`, and old
    /// objects are placed so too, each left out.
    pub fn groups(
        &self,
        places: &[f64],
        settings: &PlaceSettings,
        groups: &[String],
        voters: usize,
        run: Run<'_>,
    ) -> Result<Grouped, Error> {
        let groups = Groups::new(groups, self.labels().len(), About::Groups)?;
        let old = self.leave_one_out(settings, run)?;
        groups::grouped(places, &old, groups, voters, run)
    }

    /// The residual of each object on the map when it is left out; NaN where it cannot be.
    pub fn old_residuals(&self) -> Vec<f64> {
        self.seats()
            .into_iter()
            .map(|old| self.residual_of(old))
            .collect()
    }

    /// The share of old objects whose own residual, left out, is smaller in modulus than each of `residuals`; NaN if none is
    /// known. What it is for is said better by `p_outside` of the placements, and it will go.
    pub fn foreign(&self, residuals: &[f64]) -> Vec<f64> {
        let known = self.old_residuals().into_iter().filter(|r| !r.is_nan());
        let mut known: Vec<f64> = known.map(f64::abs).collect();
        known.sort_by(f64::total_cmp);
        let share = |r: &f64| {
            if r.is_nan() || known.is_empty() {
                return f64::NAN;
            }
            known.partition_point(|v| *v < r.abs()) as f64 / known.len() as f64
        };
        residuals.iter().map(share).collect()
    }

    /// The smallest p that a newcomer outside the map's space can have: 1/(n+1), or 2/(n+1) where residuals are strange in both tails; NaN
    /// if p is not known of anybody. Where it is above 0.05 such newcomers cannot be told apart from the old objects at that level.
    pub fn smallest_p(&self) -> f64 {
        self.yardstick().smallest()
    }

    /// Where each object on the map is kept.
    fn seats(&self) -> Vec<Seat> {
        let n = self.labels().len();
        let Some(objects) = &self.parts().objects else {
            let founders = self.founding().count();
            let members = (0..n - founders).map(Seat::Member);
            return (0..founders).map(Seat::Diagram).chain(members).collect();
        };
        let mut seats: Vec<Seat> = (0..n).map(Seat::Beside).collect();
        for (at, &i) in objects.landmarks.iter().enumerate() {
            seats[i] = Seat::Diagram(at);
        }
        seats
    }

    fn residual_of(&self, old: Seat) -> f64 {
        let values = match (old, &self.parts().objects) {
            (Seat::Diagram(at), _) => self.founding().leave_one_out().residuals.get(at),
            (Seat::Beside(i), Some(objects)) => objects.residuals.get(i),
            (Seat::Beside(_), None) => None,
            (Seat::Member(i), _) => self.growth().and_then(|g| g.members.residuals.get(i)),
        };
        values.copied().unwrap_or(f64::NAN)
    }

    /// An old object as a newcomer to the others.
    fn absent(&self, old: Seat) -> Option<Absent> {
        let i = match old {
            Seat::Diagram(at) => return Absent::of(self.founding(), at),
            Seat::Member(i) => {
                let members = &self.growth()?.members;
                let y = members.projection(i);
                let known = y.iter().all(|v| !v.is_nan());
                return known.then(|| Absent::beside(self.founding(), y, members.residuals[i]));
            }
            Seat::Beside(i) => i,
        };
        let objects = self.parts().objects.as_ref()?;
        let residual = *objects.residuals.get(i)?;
        let mut y: Vec<f64> = objects.configuration.row(i).iter().copied().collect();
        self.parts().finish.undo(&mut y)?;
        Some(Absent::beside(self.founding(), &y, residual))
    }

    fn measures_of(&self, old: Seat, absent: &Absent) -> Measures {
        let nearest = match (old, &self.parts().objects) {
            (Seat::Diagram(at), _) => self.founding().leave_one_out().nearest.get(at),
            (Seat::Beside(i), Some(objects)) => objects.nearest.get(i),
            (Seat::Beside(_), None) => None,
            // With nobody else to compare with it would be compared with members alone.
            (Seat::Member(i), _) => self
                .growth()
                .filter(|_| !self.founding().leave_one_out().nearest.is_empty())
                .and_then(|g| g.members.nearest.get(i)),
        };
        Measures {
            residual: absent.residual(),
            beta: absent.beta,
            extent: absent.extent(),
            nearest: nearest.copied().unwrap_or(f64::NAN),
        }
    }

    /// What newcomers are measured by, made when it is first asked for: all objects on the map. Those beside landmarks had no part
    /// in the fit; but where landmarks are the farthest objects, they alone would be too ordinary.
    pub(crate) fn yardstick(&self) -> &Yardstick {
        self.yardstick.get_or_init(|| {
            let of = |old: Seat| match self.absent(old) {
                Some(absent) => self.measures_of(old, &absent),
                None => self.residual_alone(old),
            };
            let old: Vec<Measures> = self.seats().into_iter().map(of).collect();
            Yardstick::new(&old, self.founding().count())
        })
    }

    /// What is known of an old object on a map of an earlier version.
    fn residual_alone(&self, old: Seat) -> Measures {
        let residual = self.residual_of(old);
        let x = self.founding().configuration();
        let length = match old {
            Seat::Diagram(at) => x.row(at).iter().map(|v| v * v).sum(),
            Seat::Beside(_) | Seat::Member(_) => f64::NAN,
        };
        Measures {
            residual,
            beta: residual + length,
            extent: f64::NAN,
            nearest: f64::NAN,
        }
    }

    /// How strange some newcomers of a border are beside the old objects: by what they are to the founders' map, as the old
    /// objects are measured there too.
    pub(crate) fn novelties(&self, border: &Border, newcomers: Range<usize>) -> Vec<Novelty> {
        let (diagram, yardstick) = (self.founding(), self.yardstick());
        let border = border.founding.as_deref().unwrap_or(border);
        let others = diagram.count() as f64 - 1.0;
        let mut y = vec![0.0; border.dimensions];
        let mut of = |i: usize| {
            y.copy_from_slice(border.projection(i));
            diagram.turn_into_basis(&mut y);
            let form: f64 = y.iter().zip(diagram.c()).map(|(y, c)| y * y / c).sum();
            yardstick.newcomer(&Measures {
                residual: border.residual(i),
                beta: border.beta[i],
                extent: others * form,
                nearest: border.nearest[i],
            })
        };
        newcomers.map(&mut of).collect()
    }

    /// What is known of newcomers like the old objects before they come: how much smaller projection shows them, and what
    /// the old objects are when they are left out.
    pub fn footing(&self) -> Footing {
        let (diagram, c) = (self.diagram(), self.diagram().c());
        let (residuals, extents) = self.yardstick().old_measures();
        let (shrinkage, next) = if diagram.parts().given || diagram.centring().weights.is_some() {
            (Vec::new(), f64::NAN)
        } else {
            footing::shrinkage(diagram.summary(), c, diagram.count())
        };
        let quantiles = footing::quantiles(residuals);
        Footing {
            shrinkage,
            next,
            beside: quantiles.get(2).map_or(f64::NAN, |r| r / c[c.len() - 1]),
            residuals: quantiles,
            extents: footing::quantiles(extents),
            share: self.yardstick().old_share(),
        }
    }

    /// Whether these newcomers, as a batch, call for another map; `largest` is [`Jointly::outside`](crate::Jointly::outside), if
    /// what is between them is known.
    pub fn assess(&self, border: &Border, largest: Option<f64>) -> Assessment {
        // On a map with a link newcomers are placed by stress: nothing is known of what is outside its space.
        let k = if self.link().is_some() {
            0
        } else {
            border.count()
        };
        let novelties = self.novelties(border, 0..k);
        let outside: Vec<f64> = novelties.iter().map(|n| n.outside).collect();
        // On the founders' map, as those that they are compared with are.
        let founding = border.founding.as_deref().unwrap_or(border);
        let residuals: Vec<f64> = (0..k).map(|i| founding.residual(i)).collect();
        let c = self.diagram().c();
        let batch = Batch {
            outside: &outside,
            residuals: &residuals,
            largest,
        };
        Assessment::of(&batch, &self.yardstick().ground(c[c.len() - 1]))
    }

    fn finish_old(&self, y: &mut [f64], i: usize) {
        let degree = match &self.parts().way {
            Way::Normalised(laplacian) => laplacian.degrees[i],
            _ => f64::NAN,
        };
        let c = self.diagram().eigenvalues();
        self.parts().finish.point(y, c, degree);
    }
}

impl Finish {
    /// From coordinates on the map back to those on the diagram, in place; none where that is not known.
    pub(super) fn undo(&self, y: &mut [f64]) -> Option<()> {
        match self {
            Finish::None => Some(()),
            Finish::Motion(motion) => {
                let moved: Vec<f64> = y.iter().zip(&motion.shift).map(|(y, t)| y - t).collect();
                for (j, y) in y.iter_mut().enumerate() {
                    let turned = moved.iter().enumerate();
                    *y = turned.map(|(k, v)| motion.rotation[(j, k)] * v).sum();
                }
                Some(())
            }
            Finish::Walk { .. } => None,
        }
    }
}

impl Linked {
    /// Puts old object `i` where the others place it, as object `at` of the placements.
    fn place_old(&self, i: usize, placements: &mut Placements, at: usize) {
        let d = placements.dimensions;
        let y = &self.left_out[i * d..(i + 1) * d];
        placements.coordinates[at * d..(at + 1) * d].copy_from_slice(y);
        placements.status[at] = if y[0].is_nan() {
            Status::TooFew
        } else {
            Status::Unique
        };
    }
}

impl Placements {
    /// Takes over how strange some of them are, from the one numbered `first` on.
    pub(crate) fn judge(&mut self, first: usize, novelties: &[Novelty]) {
        for (at, novelty) in (first..).zip(novelties) {
            self.p[at] = novelty.p;
            self.p_outside[at] = novelty.outside;
            self.p_inside[at] = novelty.inside;
            self.p_nearest[at] = novelty.nearest;
        }
    }
}
