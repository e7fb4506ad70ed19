//! How certain places are: given the map's axes, from the same reading, or by refits without each block of the old objects.

use faer::{Mat, MatRef};

use super::Map;
use super::ask::Between;
use super::read::{Need, Seen};
use crate::border::Border;
use crate::error::{About, Error};
use crate::evidence::footing::{HARDLY_SEPARATE, understated};
use crate::evidence::jackknife::{self, Again, Refits};
use crate::evidence::{uncertain_jointly, uncertainty};
use crate::input::newcomers::Newcomers;
use crate::input::proximities::Proximities;
use crate::place::alone::PlaceSettings;
use crate::place::jointly::{Jointly, reconstruct_jointly};
use crate::place::remarks::{Concern, Remark};
use crate::run::Run;
use crate::strategy::placements::{Placements, Strategy};

/// How it is told how certain a place is.
#[derive(Clone, Copy)]
pub enum Uncertainty<'a> {
    /// Given these axes: how far the old objects disagree about the place. For project and reconstruct, alone and jointly.
    Axes,
    /// By 20 refits, each without a twentieth of the old objects: as far as other old objects would have made another map. It takes the n × n
    /// proximities between the map's references, in its order. For every strategy, on maps of proximities as they are.
    Refit(MatRef<'a, f64>),
}

impl Map {
    /// [`Map::place`] with the covariance of every place, and with what `work` makes of the newcomers while they are read, some at a time and
    /// in order.
    pub fn place_uncertain<R: Send>(
        &self,
        newcomers: &Newcomers<'_>,
        settings: &PlaceSettings,
        how: Uncertainty<'_>,
        run: Run<'_>,
        work: impl Fn(&Seen<'_>) -> Result<R, Error> + Sync,
    ) -> Result<(Border, Placements, Vec<R>), Error> {
        settings.check()?;
        self.offers(settings.strategy)?;
        let (need, refits) = match how {
            Uncertainty::Axes => {
                uncertainty::offered(settings.strategy)?;
                (Need::Uncertainty, None)
            }
            Uncertainty::Refit(old) => (Need::Proximities, Some(self.refits(old, run)?)),
        };
        let blocks = self.read_for(need, newcomers, run, |seen: Seen<'_>| {
            let made = work(&seen)?;
            let Some(refits) = &refits else {
                return Ok((seen.place(settings)?, Again::new(), seen.border, made));
            };
            let placements = seen.place_on_diagram(settings)?;
            let again = refits.seen(&seen.at_hand, Some(settings), seen.run)?;
            Ok((placements, again, seen.border, made))
        })?;
        let mut all = Placements::of_nobody(settings.strategy, self.dimensions());
        let (mut again, mut borders, mut made) = (Again::new(), Vec::new(), Vec::new());
        for (placements, more, border, some) in blocks {
            all.append(placements);
            jackknife::append(&mut again, more);
            borders.push(border);
            made.push(some);
        }
        let border = Border::gathered(self.dimensions(), borders);
        if let Some(refits) = refits {
            refits.judge(self.diagram(), &border, &again, &mut all);
            self.finish(&mut all, &border, run)?;
        }
        Ok((border, all, made))
    }

    /// [`Map::jointly`] with the covariance of every place, and with what `work` makes of the newcomers while they are read.
    pub fn jointly_uncertain<R: Send>(
        &self,
        newcomers: &Newcomers<'_>,
        between: Between<'_>,
        how: Uncertainty<'_>,
        run: Run<'_>,
        work: impl Fn(&Seen<'_>) -> Result<R, Error> + Sync,
    ) -> Result<(Border, Jointly, Vec<R>), Error> {
        let old = match how {
            Uncertainty::Axes => {
                uncertain_jointly::offered(newcomers.count(), self.dimensions())?;
                return self.jointly_read(Need::Uncertainty, newcomers, between, run, work);
            }
            Uncertainty::Refit(old) => old,
        };
        let refits = self.refits(old, run)?;
        self.with_between(newcomers, between, run, |newcomers, between| {
            let blocks = self.read_for(Need::Proximities, newcomers, run, |seen| {
                let made = work(&seen)?;
                let again = refits.seen(&seen.at_hand, None, seen.run)?;
                Ok(((seen.border, seen.kept), (again, made)))
            })?;
            let (read, rest): (Vec<_>, Vec<_>) = blocks.into_iter().unzip();
            let (border, kept) = self.gathered(read);
            let (mut again, mut made) = (Again::new(), Vec::new());
            for (more, some) in rest {
                jackknife::append(&mut again, more);
                made.push(some);
            }
            let own = self.parts().way.between(&kept, between)?;
            let (own, itself) = (own.as_ref(), newcomers.self_similarity);
            let object = |i: usize| newcomers.object(i);
            refits.together(&mut again, |diagram, border| {
                let solve = |run: Run<'_>| {
                    reconstruct_jointly(diagram, border, own, itself, object, run.untold())
                };
                run.pooled(solve).map(|jointly| jointly.placements)
            })?;
            let mut jointly = self.jointly_on_diagram(newcomers, &border, &kept, between, run)?;
            refits.judge(self.diagram(), &border, &again, &mut jointly.placements);
            self.finish(&mut jointly.placements, &border, run)?;
            Ok((border, jointly, made))
        })
    }

    /// Errs unless it can be told how certain places by this strategy are, given the map's axes.
    pub fn tells_certainty(&self, strategy: Strategy) -> Result<(), Error> {
        uncertainty::offered(strategy)
    }

    /// [`Map::read`], with how far the old objects disagree about each newcomer in the border: whatever is placed from it, by project or
    /// reconstruct, says how certain it is.
    pub fn read_uncertain<R: Send>(
        &self,
        newcomers: &Newcomers<'_>,
        run: Run<'_>,
        work: impl Fn(Seen<'_>) -> Result<R, Error> + Sync,
    ) -> Result<Vec<R>, Error> {
        self.read_for(Need::Uncertainty, newcomers, run, work)
    }

    /// The proximities between the map's references as [`Uncertainty::Refit`] takes them, made from their features; none if the map does not have those.
    pub fn old_of_features(&self, run: Run<'_>) -> Result<Option<Mat<f64>>, Error> {
        let Some(source) = self.source() else {
            return Ok(None);
        };
        let n = source.count();
        let made = source.square(run)?;
        Ok(Some(Mat::from_fn(n, n, |i, j| made[i * n + j])))
    }

    /// c_{d+1}/c_d: near 1, other old objects would have made another last axis, and a covariance given the axes is too small. None if it is not
    /// known, or if there are no further axes.
    pub fn separation(&self) -> Option<f64> {
        let (diagram, d) = (self.diagram(), self.dimensions());
        if diagram.parts().given {
            return None;
        }
        let next = diagram.summary().eigenvalues.get(d);
        let next = next.or(diagram.leave_one_out().poles.get(d)).copied()?;
        Some((next / diagram.eigenvalues()[d - 1]).max(0.0))
    }

    /// A remark if it was told how certain places are given axes that are uncertain themselves.
    pub(super) fn uncertain_axes(&self, placements: &Placements) -> Option<Remark> {
        let given_axes = !placements.covariance.is_empty() && placements.blocks.is_none();
        let next = self.separation().filter(|_| given_axes)?;
        let (times, d) = (understated(next)?, self.dimensions());
        Some(Remark {
            concern: Concern::Axes,
            newcomers: (0..placements.count()).collect(),
            sentence: format!(
                "found an eigenvalue {next:.2} times that of axis {d} after it, expected at most {HARDLY_SEPARATE}: other old objects would have made \
                 another axis {d}, and standard errors given these axes may be {times} too small; uncertainty by refits includes that"
            ),
        })
    }

    /// The map without each block of its objects; errs unless `old` are their proximities.
    fn refits(&self, old: MatRef<'_, f64>, run: Run<'_>) -> Result<Refits, Error> {
        if !self.parts().way.is_straight() {
            return Err(Error::NotOffered {
                about: About::Uncertainty,
                what: "uncertainty by refits",
                why: format!(
                    "found a map by {}, expected one of proximities as they are",
                    self.method().word()
                ),
            });
        }
        let diagram = self.diagram();
        let labels = Some(diagram.labels().to_vec());
        Proximities::new(old, diagram.kind(), labels, run.untold())
            .and_then(|_| self.check_old(old, run))
            .map_err(|error| Error::Old(Box::new(error)))?;
        Refits::new(diagram, old, run)
    }

    /// Says how certain places on the diagram are, if the reading told how far the old objects disagree and the strategy has it.
    pub(super) fn tell_certainty(&self, placements: &mut Placements, border: &Border) {
        if !border.covariance.is_empty() && uncertainty::offered(placements.strategy).is_ok() {
            uncertainty::given_axes(self.diagram(), border, placements);
        }
    }

    /// Turns covariances as the finish turns coordinates: TΣT'.
    pub(super) fn finish_covariance(&self, placements: &mut Placements, border: &Border) {
        let (d, c) = (placements.dimensions, self.diagram().eigenvalues());
        for (i, sigma) in placements.covariance.chunks_exact_mut(d * d).enumerate() {
            let degree = border.degrees.get(i).copied().unwrap_or(f64::NAN);
            // What it does to a point, without the shift.
            let turned = |v: &[f64]| -> Vec<f64> {
                let (mut moved, mut zero) = (v.to_vec(), vec![0.0; d]);
                self.parts().finish.point(&mut moved, c, degree);
                self.parts().finish.point(&mut zero, c, degree);
                moved.iter().zip(zero).map(|(m, z)| m - z).collect()
            };
            // The rows, and then those of the transpose.
            for _ in 0..2 {
                let rows: Vec<Vec<f64>> = sigma.chunks_exact(d).map(turned).collect();
                for (a, row) in rows.iter().enumerate() {
                    row.iter()
                        .enumerate()
                        .for_each(|(b, v)| sigma[b * d + a] = *v);
                }
            }
        }
    }
}
