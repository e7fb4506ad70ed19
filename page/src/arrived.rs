//! What a page knows of the newcomers: both ends of each arc, the numbers between them, and the evidence.

use adjoin::stored::Finish;
use adjoin::{
    About, Assessment, Between, Border, By, Comparison, Error, Jointly, Map, Newcomers,
    PlaceSettings, Placements, Remark, Run, Seen, Status, Strategy, Uncertainty,
};

use crate::pairs::{Budget, Pairs};

/// How sure the placement of all newcomers together is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Joint {
    /// Whether no joint placement is better.
    pub certified: bool,
    /// How far the objective may be above the minimum, relative to it.
    pub gap: Option<f64>,
    /// The joint objective.
    pub objective: f64,
}

/// What is asked of a page about newcomers.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// How they are placed when the page opens.
    pub strategy: Strategy,
    /// Strategies to compare that with; those that a page has anyway are not computed twice.
    pub beside: &'a [Strategy],
    /// Whether, and by what, it is told how certain places are: given the axes of both ends of the arcs (or of the joint
    /// places), by refits of where the page opens.
    pub uncertainty: Option<Uncertainty<'a>>,
}

impl From<Strategy> for Asked<'_> {
    fn from(strategy: Strategy) -> Self {
        Self {
            strategy,
            beside: &[],
            uncertainty: None,
        }
    }
}

/// Newcomers, read once, with all that a page shows of them.
#[derive(Debug, Clone)]
pub struct Arrived {
    /// The strategy that was asked for.
    pub(crate) strategy: Strategy,
    pub(crate) labels: Vec<String>,
    pub(crate) observed: Vec<usize>,
    remarks: Vec<Remark>,
    /// Whether they call for another map.
    pub(crate) assessment: Option<Assessment>,
    /// Where they are projected; on a map with a link, where they are by stress: there is no other place.
    pub(crate) projected: Placements,
    /// Not there if some newcomer's similarity to itself is not known, or if the map has a link.
    pub(crate) reconstructed: Option<Placements>,
    /// By another strategy, or jointly.
    pub(crate) chosen: Option<Placements>,
    /// By further strategies, to be shown beside.
    pub(crate) beside: Vec<Placements>,
    pub(crate) joint: Option<Joint>,
    /// Newcomer and axis of the eigenbasis along which its arc does not move.
    pub(crate) still: Vec<(usize, usize)>,
    /// Newcomer and length of the straight segment that ends its arc.
    pub(crate) segments: Vec<(usize, f64)>,
    pub(crate) pairs: Pairs,
}

impl Arrived {
    /// Reads newcomers and places them as is asked; together, by restricted reconstruction, if there is something
    /// `between` them.
    ///
    /// # Errors
    /// As [`Map::place`] and [`Map::jointly`], and if the map's axes are not those of its diagram: the page follows arcs
    /// on the diagram's own.
    pub fn read<'a>(
        map: &Map,
        asked: impl Into<Asked<'a>>,
        newcomers: &Newcomers<'_>,
        between: Option<Between<'_>>,
        run: Run<'_>,
    ) -> Result<Self, Error> {
        refuse_scaling(map)?;
        let Asked {
            strategy,
            beside,
            uncertainty,
        } = asked.into();
        // Proximities in memory are taken a few rows at a time too: all that is done with some newcomers is done while
        // their rows are in the cache, and by all threads.
        let (doubles, singles);
        let by = match newcomers.by {
            By::Doubles(m) => {
                doubles = m;
                By::Rows(&doubles)
            }
            By::Singles(m) => {
                singles = m;
                By::Rows(&singles)
            }
            by => by,
        };
        let newcomers = &Newcomers { by, ..*newcomers };
        let strategy = match between {
            Some(_) => Strategy::Reconstruct,
            None => strategy,
        };
        let budget = Budget::for_newcomers(newcomers.count());
        let mut further: Vec<Strategy> = Vec::new();
        for &other in beside {
            // A map with a link has one way of placing.
            let has = map.link().is_some() || other == strategy || further.contains(&other);
            if is_other(other) && !has {
                further.push(other);
            }
        }
        let work = |seen: &Seen<'_>| Block::new(map, strategy, &further, budget, seen);
        let (mut refitted, mut jointly) = (None, None);
        let blocks = match (between, uncertainty) {
            (None, None) => map.read(newcomers, run, |seen| work(&seen))?,
            (None, Some(Uncertainty::Axes)) => {
                map.tells_certainty(strategy)?;
                map.read_uncertain(newcomers, run, |seen| work(&seen))?
            }
            (None, Some(by)) => {
                let how = PlaceSettings::by(strategy);
                let (_, placed, blocks) = map.place_uncertain(newcomers, &how, by, run, work)?;
                refitted = Some(placed);
                blocks
            }
            (Some(between), None) => {
                let (_, all, blocks) = map.jointly_seen(newcomers, between, run, work)?;
                jointly = Some(all);
                blocks
            }
            (Some(between), Some(by)) => {
                let (_, all, blocks) = map.jointly_uncertain(newcomers, between, by, run, work)?;
                jointly = Some(all);
                blocks
            }
        };

        let mut arrived = Self::nobody(strategy, &further, map.dimensions(), budget);
        if map.link().is_some() {
            arrived.projected = Placements::of_nobody(strategy, map.dimensions());
            arrived.chosen = None;
        }
        arrived.labels = labels(newcomers);
        let mut borders = Vec::new();
        for mut block in blocks {
            borders.extend(block.border.take());
            arrived.append(block);
        }
        let border = Border::gathered(map.dimensions(), borders);
        match (refitted, strategy) {
            (Some(placed), Strategy::Project) => arrived.projected = placed,
            (Some(placed), Strategy::Reconstruct) => arrived.reconstructed = Some(placed),
            (Some(placed), _) if map.link().is_some() => arrived.projected = placed,
            (Some(placed), _) => arrived.chosen = Some(placed),
            (None, _) => {}
        }
        arrived.remarks = map.remarks(&border, &arrived.projected, Some(&arrived.labels));
        let outside = jointly.as_ref().and_then(|all| all.outside);
        arrived.assessment = Some(map.assess(&border, outside));
        if let Some(jointly) = jointly {
            arrived.joint = Some(Joint::of(&jointly));
            arrived.chosen = Some(jointly.placements);
        }
        Ok(arrived)
    }

    fn nobody(strategy: Strategy, beside: &[Strategy], dimensions: usize, budget: Budget) -> Self {
        let placed_by = |strategy| Placements::of_nobody(strategy, dimensions);
        Self {
            strategy,
            labels: Vec::new(),
            observed: Vec::new(),
            remarks: Vec::new(),
            assessment: None,
            projected: placed_by(Strategy::Project),
            reconstructed: Some(placed_by(Strategy::Reconstruct)),
            chosen: is_other(strategy).then(|| placed_by(strategy)),
            beside: beside.iter().map(|s| placed_by(*s)).collect(),
            joint: None,
            still: Vec::new(),
            segments: Vec::new(),
            pairs: Pairs::none(budget),
        }
    }

    fn append(&mut self, block: Block) {
        self.projected.append(block.projected);
        // Without its own similarity a newcomer has a projection only, and no arc is shown of anybody.
        match (&mut self.reconstructed, block.reconstructed) {
            (Some(all), Some(some)) => all.append(some),
            (all, _) => *all = None,
        }
        if let (Some(all), Some(some)) = (&mut self.chosen, block.chosen) {
            all.append(some);
        }
        for (all, some) in self.beside.iter_mut().zip(block.beside) {
            all.append(some);
        }
        self.observed.extend(block.observed);
        self.still.extend(block.still);
        self.segments.extend(block.segments);
        self.pairs.append(block.pairs);
    }

    /// k, the number of newcomers.
    pub fn count(&self) -> usize {
        self.labels.len()
    }

    /// The placements by the strategy that was asked for.
    pub fn placements(&self) -> &Placements {
        let own = match self.strategy {
            Strategy::Reconstruct => self.reconstructed.as_ref(),
            _ => None,
        };
        self.chosen.as_ref().or(own).unwrap_or(&self.projected)
    }

    /// Whether these newcomers, as a batch, call for another map.
    pub fn assessment(&self) -> Option<&Assessment> {
        self.assessment.as_ref()
    }

    /// What is remarkable about the newcomers, as [`Map::remarks`] has it.
    pub fn remarks(&self) -> &[Remark] {
        &self.remarks
    }

    /// Newcomers that have no place by that strategy: who, and why in words.
    pub fn unplaced(&self) -> Vec<(usize, &'static str)> {
        let why = |(i, status): (usize, &Status)| match status {
            Status::TooFew => Some((i, "too few of its proximities are known")),
            Status::NotApplicable => Some((
                i,
                "the strategy does not apply, as its proximities are not Euclidean",
            )),
            _ => None,
        };
        let status = self.placements().status.iter();
        status.enumerate().filter_map(why).collect()
    }

    /// What the strategies say of each newcomer.
    pub(crate) fn sentences(&self, map: &Map) -> Vec<String> {
        let mut comparison = Comparison::on(map.diagram());
        comparison.smallest_p = map.smallest_p();
        if let Some(linked) = map.link() {
            let sentence = |i: usize| self.by_link(i, &comparison, linked.shepard.stress);
            return (0..self.count()).map(sentence).collect();
        }
        comparison.placements.push(self.projected.clone());
        comparison.placements.extend(self.reconstructed.clone());
        let labels = self.labels.iter().enumerate();
        labels
            .map(|(i, label)| comparison.sentence(i, label) + &self.other(i, comparison.spread))
            .collect()
    }

    /// What is to be said of newcomer `i` on a map with a link, whose own stress is known.
    fn by_link(&self, i: usize, comparison: &Comparison, stress: f64) -> String {
        let (label, placed) = (&self.labels[i], &self.projected);
        if !placed.status[i].placed() {
            return format!("{label} cannot be placed: too few of its proximities are known.");
        }
        let like = comparison.belonging(placed, i, label);
        format!(
            "{like} It is placed by stress, with a relative stress of {:.3}; that of the map itself is {stress:.3}.",
            placed.relative_stress[i]
        )
    }

    /// What is to be said of the place of newcomer `i` by another strategy than the arc's.
    fn other(&self, i: usize, spread: f64) -> String {
        let Some(placed) = self.chosen.as_ref().filter(|_| self.joint.is_none()) else {
            return String::new();
        };
        if !placed.status[i].placed() {
            return String::new();
        }
        let how = match self.strategy {
            Strategy::Hyperplane => "the best-fitting hyperplane",
            Strategy::Augment => "augmentation",
            Strategy::Stress => "raw stress",
            other => other.word(),
        };
        let evidence = match (placed.certified(i), placed.relative_stress[i]) {
            (Some(true), _) => ", and no place is better".to_owned(),
            (Some(false), _) if placed.gap[i].is_finite() => format!(
                ", and no place is better by more than {:.2} %",
                100.0 * placed.gap[i]
            ),
            (_, stress) if !stress.is_nan() => format!(", with a relative stress of {stress:.3}"),
            _ => String::new(),
        };
        format!(
            " By {how} it lies {:.2} of the map's spread from its projection{evidence}.",
            placed.displacement[i] / spread
        )
    }
}

impl Joint {
    fn of(jointly: &Jointly) -> Self {
        let mut objective = jointly.placements.objective.iter().copied();
        Self {
            certified: jointly.certified,
            gap: jointly.gap,
            objective: objective.find(|v| !v.is_nan()).unwrap_or(f64::NAN),
        }
    }
}

/// All that is made of some newcomers while they are read.
struct Block {
    border: Option<Border>,
    projected: Placements,
    reconstructed: Option<Placements>,
    chosen: Option<Placements>,
    beside: Vec<Placements>,
    observed: Vec<usize>,
    still: Vec<(usize, usize)>,
    segments: Vec<(usize, f64)>,
    pairs: Pairs,
}

impl Block {
    /// Both ends of the arcs, their course, the place by another strategy, and the pairs.
    fn new(
        map: &Map,
        strategy: Strategy,
        beside: &[Strategy],
        budget: Budget,
        seen: &Seen<'_>,
    ) -> Result<Self, Error> {
        let place = |strategy| seen.place(&PlaceSettings::by(strategy));
        if map.link().is_some() {
            return Ok(Self {
                border: Some(seen.border.clone()),
                projected: place(strategy)?,
                reconstructed: None,
                chosen: None,
                beside: Vec::new(),
                observed: seen.border.observed.clone(),
                still: Vec::new(),
                segments: Vec::new(),
                pairs: Pairs::of(map.diagram(), seen, budget),
            });
        }
        let reconstructed = match place(Strategy::Reconstruct) {
            Ok(placed) => Some(placed),
            Err(Error::SelfSimilarity { .. }) if strategy == Strategy::Project => None,
            Err(error) => return Err(error),
        };
        let (mut still, mut segments) = (Vec::new(), Vec::new());
        for i in 0..seen.count() {
            let Some(course) = map.course(&seen.border, i) else {
                continue;
            };
            let mut y = seen.border.projection(i).to_vec();
            map.diagram().turn_into_basis(&mut y);
            let axes = (0..y.len()).filter(|&j| course.g[j] == 0.0 && y[j] != 0.0);
            still.extend(axes.map(|j| (seen.first + i, j)));
            if course.tau > 0.0 {
                segments.push((seen.first + i, course.tau));
            }
        }
        Ok(Self {
            border: Some(seen.border.clone()),
            projected: place(Strategy::Project)?,
            reconstructed,
            chosen: if is_other(strategy) {
                Some(place(strategy)?)
            } else {
                None
            },
            beside: beside.iter().map(|s| place(*s)).collect::<Result<_, _>>()?,
            observed: seen.border.observed.clone(),
            still,
            segments,
            pairs: Pairs::of(map.diagram(), seen, budget),
        })
    }
}

/// Whether a strategy has places off the arc.
fn is_other(strategy: Strategy) -> bool {
    !matches!(strategy, Strategy::Project | Strategy::Reconstruct)
}

/// Errs if coordinates are scaled after they were found: arcs are bent by that.
fn refuse_scaling(map: &Map) -> Result<(), Error> {
    if !matches!(map.parts().finish, Finish::Walk { .. }) {
        return Ok(());
    }
    Err(Error::NotOffered {
        about: About::Time,
        what: "a page with newcomers",
        why: "found axes that were scaled after the fit, expected those of the fit itself (no --time)".into(),
    })
}

/// The newcomers by name: their own, their features', or by number.
fn labels(newcomers: &Newcomers<'_>) -> Vec<String> {
    match (newcomers.labels, newcomers.by) {
        (Some(labels), _) => labels.to_vec(),
        (None, By::Features(features)) => features.labels().to_vec(),
        _ => (1..=newcomers.count()).map(|i| format!("new{i}")).collect(),
    }
}
