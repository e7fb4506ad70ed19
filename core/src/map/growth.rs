//! How a map has grown: who came when, and the map as it was then.
//!
//! Founders are those whom the map was fitted to. Whoever is taken in later is a member of a *generation*: the founders are
//! generation 0, and every call of [`Map::grow`] makes the next. Nobody moves, so that the map as it was at any generation is
//! a part of the map as it is, and [`Map::generation`] gives it back to the bit.

use super::{AllObjects, Map, Parts};
use crate::error::{About, Error};
use crate::fit::diagram::Diagram;
use crate::fit::grown::Members;
use crate::measure::Measured;
use crate::strategy::placements::Strategy;

/// Newcomers that were taken in together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generation {
    /// How many they were.
    pub count: usize,
    /// How they were placed.
    pub strategy: Strategy,
    /// Whether they were placed together.
    pub jointly: bool,
    /// The generation on whose map they were placed: up to whose members they gave proximities.
    pub placed_on: usize,
    /// What their table was called, as the caller says; may be empty.
    pub name: String,
    /// SHA-256 of their table, as the caller says; may be empty.
    pub digest: String,
}

/// All growth of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct Growth {
    /// Those who came, the first first.
    pub generations: Vec<Generation>,
    /// Members of the diagram. Nobody on maps of landmarks, where they are among all objects, after the founders.
    pub members: Members,
}

impl Growth {
    /// How many came up to a generation.
    pub fn came(&self, generation: usize) -> usize {
        let until = &self.generations[..generation];
        until.iter().map(|g| g.count).sum()
    }
}

impl Map {
    /// The founders' diagram: what was fitted. That of the map itself unless it has grown.
    pub fn founding(&self) -> &Diagram {
        &self.parts().diagram
    }

    /// How many objects the map was fitted to: the first of [`Self::labels`].
    pub fn founders(&self) -> usize {
        let came = self.growth().map_or(0, |g| g.came(g.generations.len()));
        self.labels().len() - came
    }

    /// Who came after the founders; nobody on a map that has not grown.
    pub fn generations(&self) -> &[Generation] {
        self.growth().map_or(&[], |growth| &growth.generations)
    }

    /// How many objects there were at a generation, 0 being the founders.
    pub fn count_at(&self, generation: usize) -> usize {
        self.founders() + self.growth().map_or(0, |growth| growth.came(generation))
    }

    /// The newest generation whose references are all there while nobody's who came later is, as `has` says of labels;
    /// none if there is no such generation. Absent columns choose a generation by this.
    pub fn generation_of(&self, has: impl Fn(&str) -> bool) -> Option<usize> {
        let references = self.references();
        let known = references.iter().take_while(|label| has(label)).count();
        if references[known..].iter().any(|label| has(label)) {
            return None;
        }
        self.generation_with(known)
    }

    /// The newest generation with so many references; none if there is none.
    pub fn generation_with(&self, references: usize) -> Option<usize> {
        let last = self.generations().len();
        if self.landmarks().is_some() {
            return (references == self.references().len()).then_some(last);
        }
        (0..=last).rev().find(|&g| self.count_at(g) == references)
    }

    /// The map as it was at a generation, 0 being the founders: the same to the bit as if it had not grown since.
    pub fn generation(&self, generation: usize) -> Result<Self, Error> {
        let last = self.generations().len();
        if generation > last {
            let why = match last {
                0 => {
                    format!("found generation {generation} of a map that has not grown, expected 0")
                }
                _ => format!("found generation {generation}, expected one from 0 to {last}"),
            };
            return Err(Error::Together {
                about: About::Generation,
                why,
            });
        }
        let Some(growth) = self.growth().filter(|_| generation < last) else {
            return Ok(self.clone());
        };
        let count = self.count_at(generation);
        let parts = self.parts();
        // Landmarks are compared with whatever the generation.
        let all = parts.objects.is_some();
        let source = match &parts.source {
            Some(source) if !all => Some(source.first(count)?),
            source => source.clone(),
        };
        let growth = (generation > 0).then(|| Growth {
            generations: growth.generations[..generation].to_vec(),
            members: if all {
                growth.members.clone()
            } else {
                growth.members.first(growth.came(generation))
            },
        });
        Self::from_parts(Parts {
            objects: parts.objects.as_ref().map(|o| o.first(count)),
            source,
            growth,
            ..parts.clone()
        })
    }

    pub(crate) fn growth(&self) -> Option<&Growth> {
        self.parts().growth.as_ref()
    }

    /// Whether the mean of reference `i` is known to be its own: a founder's, or a member's of whom nothing was missing.
    pub(super) fn is_measured(&self, i: usize) -> bool {
        let member = i.checked_sub(self.founding().count());
        let measured = member.and_then(|m| self.growth()?.members.measured.get(m));
        measured.copied().unwrap_or(true)
    }
}

impl AllObjects {
    /// Those who came first.
    fn first(&self, count: usize) -> Self {
        let some = |values: &[f64]| values[..count.min(values.len())].to_vec();
        Self {
            labels: self.labels[..count].to_vec(),
            configuration: self.configuration.subrows(0, count).to_owned(),
            landmarks: self.landmarks.clone(),
            residuals: some(&self.residuals),
            nearest: some(&self.nearest),
        }
    }
}

impl Measured {
    /// The same of the first objects only.
    fn first(&self, count: usize) -> Result<Self, Error> {
        let chosen: Vec<usize> = (0..count).collect();
        Self::new(*self.measure(), self.features().select(&chosen))
    }
}
