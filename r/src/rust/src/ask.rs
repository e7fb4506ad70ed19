//! What is asked of a map: places, arcs, comparisons, and old objects left out.

use std::sync::Arc;

use adjoin::{
    Border, Grouped, Jointly, Map, Neighbours, PlaceSettings, Placements, Run, Strategy,
    Uncertainty,
};
use adjoin_formats::MapFile;
use extendr_api::prelude::*;
use faer::Mat;

use crate::answer::{self, Told};
use crate::failure::{Failure, core, told};
use crate::guard;
use crate::map::opened;
use crate::newcomers::{Arrived, old_square};
use crate::settings;
use crate::value::{Entries, list, or_null};

/// How many old objects vote about a group, if nothing is said.
const VOTERS: usize = 5;

/// The newcomers as they came, and the map that they came to.
pub struct Asked {
    /// The map as it was at the generation that they are for.
    pub map: Arc<MapFile>,
    /// The map as it is.
    pub newest: Arc<MapFile>,
    pub new: Arrived,
}

impl Asked {
    pub fn of(map: &Robj, new: &List, threads: i32) -> Result<Self, Failure> {
        let newest = opened(map)?;
        let run = Run::on(threads as usize);
        let (new, then) = Arrived::on(&new.into(), &newest, run)?;
        Ok(Self {
            map: then.map_or_else(|| Arc::clone(&newest), Arc::new),
            newest,
            new,
        })
    }

    /// What is said beside the answer: remarks, who has no place, what was taken for granted.
    pub fn beside(&self, border: &Border, placements: &Placements) -> Vec<(&'static str, Robj)> {
        let labels = &self.new.inner.labels;
        let remarks = self.map.map.remarks(border, placements, Some(labels));
        let remarks: Vec<String> = remarks.into_iter().map(|r| r.sentence).collect();
        vec![
            ("labels", labels.clone().into()),
            ("remarks", remarks.into()),
            ("unplaced", answer::unplaced(placements, labels).into()),
            ("assumed", self.new.assumed.clone().into()),
        ]
    }
}

/// What is wanted beside places.
struct Wanted {
    neighbours: Option<usize>,
    /// A word for each old object, whose groups newcomers may be of.
    groups: Option<Vec<String>>,
    uncertain: bool,
    /// The old objects' proximities, if they are to be fitted again without some of them.
    old: Option<Mat<f64>>,
}

impl Wanted {
    fn of(how: &Entries, map: &Map, run: Run<'_>) -> Result<Self, Failure> {
        let refit = match how.text("uncertainty").as_deref() {
            None | Some("axes") => false,
            Some("refit") => true,
            Some(other) => {
                let what = format!("found {other:?}, expected \"axes\" or \"refit\"");
                return Err(Failure::wrong("uncertainty", what));
            }
        };
        let old = if refit {
            Some(old_square(how, map, run)?)
        } else {
            None
        };
        Ok(Self {
            neighbours: how.count("neighbours"),
            // Whoever came later is not on this map.
            groups: how.texts("groups").map(|mut words| {
                words.truncate(map.labels().len());
                words
            }),
            uncertain: how.text("uncertainty").is_some(),
            old,
        })
    }

    fn uncertainty(&self) -> Option<Uncertainty<'_>> {
        let refit = self
            .old
            .as_ref()
            .map(|old| Uncertainty::Refit(old.as_ref()));
        refit.or(self.uncertain.then_some(Uncertainty::Axes))
    }

    fn alone(
        &self,
        asked: &Asked,
        how: &PlaceSettings,
        run: Run<'_>,
    ) -> Result<(Border, Placements, Option<Neighbours>), adjoin::Error> {
        let (map, newcomers) = (&asked.map.map, asked.new.inner.newcomers());
        match (self.neighbours, self.uncertainty()) {
            (Some(count), by) => {
                let placed = map.place_among(&newcomers, how, (count, by), run)?;
                Ok((placed.0, placed.1, Some(placed.2)))
            }
            (None, Some(by)) => {
                let placed = map.place_uncertain(&newcomers, how, by, run, |_| Ok(()))?;
                Ok((placed.0, placed.1, None))
            }
            (None, None) => map.place(&newcomers, how, run).map(|a| (a.0, a.1, None)),
        }
    }

    fn together(
        &self,
        asked: &Asked,
        between: adjoin::Between<'_>,
        run: Run<'_>,
    ) -> Result<(Border, Jointly, Option<Neighbours>), adjoin::Error> {
        let (map, newcomers) = (&asked.map.map, asked.new.inner.newcomers());
        match (self.neighbours, self.uncertainty()) {
            (Some(count), by) => {
                let placed = map.jointly_among(&newcomers, between, (count, by), run)?;
                Ok((placed.0, placed.1, Some(placed.2)))
            }
            (None, Some(by)) => {
                let placed = map.jointly_uncertain(&newcomers, between, by, run, |_| Ok(()))?;
                Ok((placed.0, placed.1, None))
            }
            (None, None) => {
                let placed = map.jointly(&newcomers, between, run)?;
                Ok((placed.0, placed.1, None))
            }
        }
    }
}

/// Newcomers on a map, with all that was asked about them.
struct Answered {
    border: Border,
    placements: Placements,
    /// Of all of them together: whether it is proved, how far it may be from the best, and what of them is outside the map.
    jointly: Option<(bool, Option<f64>, Option<f64>)>,
    neighbours: Option<Neighbours>,
    grouped: Option<Grouped>,
}

/// Places newcomers, each by itself or all of them together.
/// @noRd
#[extendr]
pub fn core_place(map: Robj, new: List, how: List, threads: i32) -> Robj {
    told(place(&map, &new, &(&how).into(), threads))
}

fn place(map: &Robj, new: &List, given: &Entries, threads: i32) -> Result<Robj, Failure> {
    let how = settings::place(given)?;
    let asked = Asked::of(map, new, threads)?;
    let wanted = Wanted::of(given, &asked.map.map, Run::on(threads as usize))?;
    let uncertain = wanted.uncertain;
    let (asked, answer) = guard::run(threads as usize, Vec::new(), move |run| {
        let wrong = |e| asked.new.wrong(e);
        let mut answer = match asked.new.between() {
            None => {
                let placed = wanted.alone(&asked, &how, run).map_err(wrong)?;
                Answered {
                    border: placed.0,
                    placements: placed.1,
                    jointly: None,
                    neighbours: placed.2,
                    grouped: None,
                }
            }
            Some(between) => {
                let placed = wanted.together(&asked, between, run).map_err(wrong)?;
                let all = placed.1;
                Answered {
                    border: placed.0,
                    jointly: Some((all.certified, all.gap, all.outside)),
                    placements: all.placements,
                    neighbours: placed.2,
                    grouped: None,
                }
            }
        };
        if let Some(groups) = &wanted.groups {
            // Old objects are left out as newcomers were placed.
            let how = match answer.jointly {
                Some(_) => PlaceSettings::by(Strategy::Reconstruct),
                None => how,
            };
            let (places, voters) = (&answer.placements.coordinates, wanted.neighbours);
            let voters = voters.unwrap_or(VOTERS);
            let grouped = asked.map.map.groups(places, &how, groups, voters, run);
            answer.grouped = Some(grouped.map_err(core("groups"))?);
        }
        Ok((asked, answer))
    })?;
    let map = &asked.map.map;
    let told = Told {
        proved: how.prove || answer.jointly.is_some(),
        uncertain,
        jointly: answer.jointly.map(|(certified, gap, _)| (certified, gap)),
    };
    let p = &answer.placements;
    let mut columns = answer::placements(p, &told);
    if let Some(neighbours) = &answer.neighbours {
        columns.neighbours(neighbours, p, map);
    }
    if let Some(grouped) = &answer.grouped {
        columns.groups(grouped);
    }
    let largest = answer.jointly.and_then(|(_, _, outside)| outside);
    let assessment = map.assess(&answer.border, largest);
    let says = answer.grouped.as_ref().map(Grouped::sentence);
    let mut record = vec![
        ("columns", columns.into_list()),
        ("alternatives", answer::alternatives(p)),
        ("covariance", answer::covariance(p)),
        ("reach", answer::reach(p)),
        ("assessment", answer::assessment(&assessment)),
        ("says", or_null(says)),
    ];
    record.extend(asked.beside(&answer.border, p));
    Ok(list(record))
}

/// Places old objects, each on the map of the others.
/// @noRd
#[extendr]
pub fn core_leave_one_out(map: Robj, how: List, threads: i32) -> Robj {
    told(leave_one_out(&map, &(&how).into(), threads))
}

fn leave_one_out(map: &Robj, how: &Entries, threads: i32) -> Result<Robj, Failure> {
    let how = settings::place(how)?;
    let map = opened(map)?;
    let of = Arc::clone(&map);
    let placements = guard::run(threads as usize, Vec::new(), move |run| {
        let placed = of.map.leave_one_out(&how, run);
        placed.map_err(core("strategy"))
    })?;
    let columns = answer::placements(&placements, &Told::default());
    Ok(list(vec![
        ("columns", columns.into_list()),
        ("labels", map.map.labels().to_vec().into()),
    ]))
}

/// The arcs of newcomers.
/// @noRd
#[extendr]
pub fn core_arc(map: Robj, new: List, points: i32, threads: i32) -> Robj {
    told(arc(&map, &new, points as usize, threads))
}

fn arc(map: &Robj, new: &List, points: usize, threads: i32) -> Result<Robj, Failure> {
    let asked = Asked::of(map, new, threads)?;
    let (asked, border, ends, arcs) = guard::run(threads as usize, Vec::new(), move |run| {
        let map = &asked.map.map;
        let how = PlaceSettings::by(Strategy::Reconstruct);
        let placed = map.place(&asked.new.inner.newcomers(), &how, run);
        let (border, ends) = placed.map_err(|e| asked.new.wrong(e))?;
        let arcs: Result<Vec<_>, _> = (0..border.count())
            .map(|i| map.arc(&border, i, points))
            .collect();
        let arcs = arcs.map_err(core("points"))?;
        Ok((asked, border, ends, arcs))
    })?;
    let d = asked.map.map.dimensions();
    let columns = answer::arcs(d, &asked.new.inner.labels, &arcs, &ends);
    let mut answer = vec![("columns", columns)];
    answer.extend(asked.beside(&border, &ends));
    Ok(list(answer))
}

/// Places newcomers by every strategy, and all of them together if what is between them is known.
/// @noRd
#[extendr]
pub fn core_compare(map: Robj, new: List, threads: i32) -> Robj {
    told(compare(&map, &new, threads))
}

fn compare(map: &Robj, new: &List, threads: i32) -> Result<Robj, Failure> {
    let asked = Asked::of(map, new, threads)?;
    let (asked, border, comparison) = guard::run(threads as usize, Vec::new(), move |run| {
        let map = &asked.map.map;
        let compared = map.compare(&asked.new.inner.newcomers(), asked.new.between(), run);
        let (border, comparison) = compared.map_err(|e| asked.new.wrong(e))?;
        Ok((asked, border, comparison))
    })?;
    let labels = &asked.new.inner.labels;
    let projected = asked.map.map.project(&border);
    let left_out: Vec<String> = comparison
        .left_out
        .iter()
        .map(|(_, why)| why.clone())
        .collect();
    let batch = adjoin::batch_sentence(&projected.p, comparison.smallest_p);
    let mut answer = vec![
        ("columns", answer::comparison(&comparison, labels)),
        ("left_out", left_out.into()),
        ("batch", or_null(batch)),
    ];
    answer.extend(asked.beside(&border, &projected));
    Ok(list(answer))
}

extendr_module! {
    mod ask;
    fn core_place;
    fn core_leave_one_out;
    fn core_arc;
    fn core_compare;
}
