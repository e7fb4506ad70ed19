//! What a page knows of the newcomers: both ends of each arc, the numbers between them, and the evidence.

use adjoin::arc::course;
use adjoin::compare::{Comparison, foreign_each};
use adjoin::diagram::Diagram;
use adjoin::error::Error;
use adjoin::jointly::reconstruct_border_jointly;
use adjoin::model::{Finish, Model};
use adjoin::parallel::Watch;
use adjoin::place::{self, offered, place_border};
use adjoin::placement::{Placements, Status, Strategy};
use adjoin::proximity::Element;
use adjoin::streaming::Streamed;
use adjoin::{Border, Newcomers};
use faer::MatRef;

use crate::pairs::Pairs;

/// How sure the placement of all newcomers together is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Joint {
    /// Whether no joint placement is better.
    pub certified: bool,
    /// How far the objective may be above the minimum, relative to it.
    pub gap: Option<f64>,
    /// The joint objective.
    pub objective: f64,
}

/// Newcomers as they arrive, block by block.
pub struct Arrived<'a> {
    model: &'a Model,
    pub(crate) diagram: &'a Diagram,
    /// The strategy that was asked for.
    pub(crate) strategy: Strategy,
    pub(crate) labels: Vec<String>,
    pub(crate) observed: Vec<usize>,
    pub(crate) projected: Option<Placements>,
    /// Not there if some newcomer's similarity to itself is not known.
    pub(crate) reconstructed: Option<Placements>,
    /// By another strategy, or jointly.
    pub(crate) chosen: Option<Placements>,
    pub(crate) joint: Option<Joint>,
    /// Newcomer and axis of the eigenbasis along which its arc does not move.
    pub(crate) still: Vec<(usize, usize)>,
    /// Newcomer and length of the straight segment that ends its arc.
    pub(crate) segments: Vec<(usize, f64)>,
    pub(crate) pairs: Pairs,
    threads: usize,
}

impl<'a> Arrived<'a> {
    /// Nobody yet of the `count` newcomers that are to be placed by `strategy`.
    ///
    /// # Errors
    /// If the map does not offer the strategy, or its axes are not those of its diagram: the page follows arcs on
    /// the diagram's own.
    pub fn new(
        model: &'a Model,
        strategy: Strategy,
        count: usize,
        threads: usize,
    ) -> Result<Self, Error> {
        let diagram = model.diagram();
        offered(diagram, strategy)?;
        if model.parts().finish != Finish::None {
            return Err(Error::NotOffered {
                what: "a page with newcomers",
                why: "found axes that were turned or scaled after the fit, expected those of the fit itself (no \
                      --rotate, no --time)"
                    .into(),
            });
        }
        Ok(Self {
            model,
            diagram,
            strategy,
            labels: Vec::with_capacity(count),
            observed: Vec::with_capacity(count),
            projected: None,
            reconstructed: None,
            chosen: None,
            joint: None,
            still: Vec::new(),
            segments: Vec::new(),
            pairs: Pairs::of(count),
            threads,
        })
    }

    /// Takes in some newcomers, each placed by itself.
    ///
    /// # Errors
    /// As [`adjoin::place()`].
    pub fn take<T: Element>(
        &mut self,
        newcomers: &Newcomers<'_, T>,
        watch: Option<Watch<'_>>,
    ) -> Result<(), Error> {
        let border = Border::new(self.diagram, newcomers, self.threads, watch)?;
        if !matches!(self.strategy, Strategy::Project | Strategy::Reconstruct) {
            let some = self.by(self.strategy, newcomers, &border, watch)?;
            join(&mut self.chosen, some);
        }
        self.record(newcomers, &border, watch)
    }

    /// Takes in newcomers that are known by what the model compares, each placed by itself.
    ///
    /// # Errors
    /// As [`Self::take`], and if their proximities are not what they may be.
    pub fn take_streamed(
        &mut self,
        newcomers: &Streamed<'_>,
        watch: Option<Watch<'_>>,
    ) -> Result<(), Error> {
        let (model, threads) = (self.model, self.threads);
        model.seen_by_diagram(newcomers, threads, watch, |seen| self.take(seen, watch))
    }

    /// Takes in all newcomers, placed together from what is `between` them.
    ///
    /// # Errors
    /// As [`adjoin::jointly::reconstruct_jointly`].
    pub fn take_jointly<T: Element>(
        &mut self,
        newcomers: &Newcomers<'_, T>,
        between: MatRef<'_, f64>,
        watch: Option<Watch<'_>>,
    ) -> Result<(), Error> {
        let border = Border::new(self.diagram, newcomers, self.threads, watch)?;
        let together = reconstruct_border_jointly(
            self.diagram,
            newcomers,
            &border,
            between,
            self.threads,
            watch,
        )?;
        let objective = together.placements.objective.iter();
        self.joint = Some(Joint {
            certified: together.certified,
            gap: together.gap,
            objective: objective.copied().find(|v| !v.is_nan()).unwrap_or(f64::NAN),
        });
        self.chosen = Some(together.placements);
        self.record(newcomers, &border, watch)
    }

    fn by<T: Element>(
        &self,
        strategy: Strategy,
        newcomers: &Newcomers<'_, T>,
        border: &Border,
        watch: Option<Watch<'_>>,
    ) -> Result<Placements, Error> {
        let settings = place::Settings {
            strategy,
            threads: self.threads,
            watch,
            ..Default::default()
        };
        place_border(self.diagram, newcomers, border, &settings)
    }

    /// Both ends of the arcs, their course, and the pairs.
    fn record<T: Element>(
        &mut self,
        newcomers: &Newcomers<'_, T>,
        border: &Border,
        watch: Option<Watch<'_>>,
    ) -> Result<(), Error> {
        let (first, k) = (self.labels.len(), newcomers.count());
        let some = self.by(Strategy::Project, newcomers, border, watch)?;
        join(&mut self.projected, some);
        // Without its own similarity a newcomer has a projection only, and no arc is shown of anybody.
        match self.by(Strategy::Reconstruct, newcomers, border, watch) {
            Ok(some) if first == 0 || self.reconstructed.is_some() => {
                join(&mut self.reconstructed, some);
            }
            Err(Error::SelfSimilarity { .. }) if self.strategy == Strategy::Project => {
                self.reconstructed = None;
            }
            Ok(_) => {}
            Err(error) => return Err(error),
        }
        for i in 0..k {
            if let Some(course) = course(self.diagram, border, i) {
                let mut y = border.projection(i).to_vec();
                self.diagram.turn_into_basis(&mut y);
                let axes = (0..y.len()).filter(|&j| course.g[j] == 0.0 && y[j] != 0.0);
                self.still.extend(axes.map(|j| (first + i, j)));
                if course.tau > 0.0 {
                    self.segments.push((first + i, course.tau));
                }
            }
        }
        self.observed.extend(&border.observed);
        let threads = self.threads;
        self.pairs
            .take(self.diagram, newcomers, border, threads, watch)?;
        match newcomers.labels {
            Some(labels) => self.labels.extend_from_slice(labels),
            None => {
                let numbers = first + 1..=first + k;
                self.labels.extend(numbers.map(|i| format!("new{i}")));
            }
        }
        Ok(())
    }

    /// k, the number of newcomers so far.
    pub fn count(&self) -> usize {
        self.labels.len()
    }

    /// The placements by the strategy that was asked for.
    pub fn placements(&self) -> Option<&Placements> {
        match self.strategy {
            _ if self.chosen.is_some() => self.chosen.as_ref(),
            Strategy::Reconstruct => self.reconstructed.as_ref(),
            _ => self.projected.as_ref(),
        }
    }

    /// Newcomers that have no place by that strategy: who, and why in words.
    pub fn unplaced(&self) -> Vec<(usize, &'static str)> {
        let status = self.placements().map_or(&[][..], |p| &p.status);
        let why = |(i, status): (usize, &Status)| match status {
            Status::TooFew => Some((i, "too few of its proximities are known")),
            Status::NotApplicable => Some((
                i,
                "the strategy does not apply, as its proximities are not Euclidean",
            )),
            _ => None,
        };
        status.iter().enumerate().filter_map(why).collect()
    }

    /// What the strategies say of each newcomer.
    pub(crate) fn sentences(&self) -> Vec<String> {
        let Some(projected) = &self.projected else {
            return Vec::new();
        };
        let spread = self.diagram.eigenvalues().iter().sum::<f64>() / self.diagram.count() as f64;
        let comparison = Comparison {
            placements: std::iter::once(projected)
                .chain(&self.reconstructed)
                .cloned()
                .collect(),
            distance_errors: Vec::new(),
            foreign: foreign_each(self.diagram, &projected.residual),
            ranking: Vec::new(),
            left_out: Vec::new(),
            spread: spread.sqrt(),
        };
        let labels = self.labels.iter().enumerate();
        labels.map(|(i, l)| comparison.sentence(i, l)).collect()
    }
}

/// Appends placements to those that are there.
fn join(all: &mut Option<Placements>, some: Placements) {
    match all {
        None => *all = Some(some),
        Some(all) => all.append(some),
    }
}
