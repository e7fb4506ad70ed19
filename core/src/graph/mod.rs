//! Neighbourhood graphs: who is near whom, found exactly and kept sparsely.
//!
//! Each object is linked to its k nearest others, or to all within a radius. The links are used both ways, as
//! Isomap does: i and j are linked if either counts the other among its neighbours. Rows of dissimilarities are
//! asked for a few at a time and only the links are kept, so that the n × n dissimilarities are never in memory.
//! Of several objects equally far the one that comes first is taken: the graph is the same on every run.
//!
//! A graph may fall apart. What to do then is the caller's to say ([`Disconnected`]); unasked it is an error that
//! names an object outside the largest component.

pub(crate) mod geodesic;

use std::collections::{BTreeMap, VecDeque};

use crate::error::{About, Error, Object};
use crate::input::kind::{Kind, clear_below_zero};
use crate::input::rows::{self, Rows};
use crate::run::Run;

/// Who counts as a neighbour.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Neighbourhood {
    /// The k nearest.
    Nearest(usize),
    /// All that are at most this far.
    Radius(f64),
}

/// What to do with a graph that falls apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Disconnected {
    /// Err, with the number of components and an object that is outside the largest.
    #[default]
    Refuse,
    /// Go on with the largest component and leave the other objects out.
    Largest,
    /// Link every two components by their nearest pair, as scikit-learn does.
    Join,
}

impl Disconnected {
    /// All of them.
    pub const ALL: [Disconnected; 3] = [
        Disconnected::Refuse,
        Disconnected::Largest,
        Disconnected::Join,
    ];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Disconnected::Refuse => "refuse",
            Disconnected::Largest => "largest",
            Disconnected::Join => "join",
        }
    }

    /// The choice that `word` means.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|d| d.word() == word)
    }
}

/// A neighbour: its number and how far it is.
pub(crate) type Link = (u32, f64);

/// An undirected graph with lengths on its links, object by object.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Graph {
    /// Where each object's links begin in the other two, and where the last one's end: n + 1 numbers.
    pub offsets: Vec<usize>,
    /// The other ends of the links, ascending for each object.
    pub targets: Vec<u32>,
    /// The lengths of the links.
    pub lengths: Vec<f64>,
}

/// The components of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Components {
    /// The component of each object, numbered by their first objects.
    pub of: Vec<usize>,
    /// How many objects each component has.
    pub sizes: Vec<usize>,
}

impl Components {
    /// The largest component; the first of them, on ties.
    pub fn largest(&self) -> usize {
        let most = self.sizes.iter().max();
        let first = self.sizes.iter().position(|s| Some(s) == most);
        first.unwrap_or(0)
    }

    /// The objects of one component, ascending.
    pub fn members(&self, component: usize) -> Vec<usize> {
        let all = 0..self.of.len();
        all.filter(|&i| self.of[i] == component).collect()
    }
}

impl Neighbourhood {
    /// Errs unless it can be had among `n` objects, `least` neighbours being the fewest that link anything.
    pub(crate) fn check(self, n: usize, least: usize, most: usize) -> Result<(), Error> {
        match self {
            Neighbourhood::Nearest(k) if (least..=most).contains(&k) => Ok(()),
            Neighbourhood::Nearest(found) => Err(Error::Neighbours {
                found,
                least,
                most,
                objects: n,
            }),
            Neighbourhood::Radius(r) if r.is_finite() && r > 0.0 => Ok(()),
            Neighbourhood::Radius(found) => Err(Error::Radius { found }),
        }
    }

    /// The neighbours among the objects of a row of dissimilarities, ascending by number; `itself`, and
    /// what is missing (NaN), is none.
    pub(crate) fn of(self, row: &[f64], itself: Option<usize>) -> Vec<Link> {
        let candidates = (0..row.len())
            .filter(|&j| Some(j) != itself && !row[j].is_nan())
            .map(|j| (j as u32, row[j]));
        match self {
            Neighbourhood::Radius(r) => candidates.filter(|c| c.1 <= r).collect(),
            Neighbourhood::Nearest(k) => {
                let mut all: Vec<Link> = candidates.collect();
                let nearer = |a: &Link, b: &Link| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0));
                if k < all.len() {
                    all.select_nth_unstable_by(k, nearer);
                    all.truncate(k);
                }
                all.sort_unstable_by_key(|l| l.0);
                all
            }
        }
    }

    /// How far the neighbourhood with these links reaches.
    pub(crate) fn reach(self, links: &[Link]) -> f64 {
        match self {
            Neighbourhood::Radius(r) => r,
            Neighbourhood::Nearest(_) => links.iter().fold(0.0, |m: f64, l| m.max(l.1)),
        }
    }
}

/// Turns a row of dissimilarities of `kind` into lengths; errs with the column that cannot be one. NaN stays
/// where it may be `missing`.
pub(crate) fn lengths(kind: Kind, row: &mut [f64], missing: bool) -> Result<(), usize> {
    if kind != Kind::Similarity {
        clear_below_zero(row);
    }
    for (j, v) in row.iter_mut().enumerate() {
        if !(kind.admits(*v) || missing && v.is_nan()) {
            return Err(j);
        }
        if kind == Kind::Squared {
            *v = v.sqrt();
        }
    }
    Ok(())
}

/// Errs unless proximities of this kind say how far objects are apart.
pub(crate) fn require_dissimilarities(kind: Kind) -> Result<(), Error> {
    match kind {
        Kind::Similarity => Err(Error::NotOffered {
            about: About::Objects,
            what: "a graph of neighbours",
            why: "found similarities, expected dissimilarities: neighbours are the nearest".into(),
        }),
        _ => Ok(()),
    }
}

/// The neighbours of each object, found from an n × n rectangle of dissimilarities.
pub(crate) fn neighbours(
    square: &dyn Rows,
    kind: Kind,
    labels: &[String],
    neighbourhood: Neighbourhood,
    run: Run<'_>,
) -> Result<Vec<Vec<Link>>, Error> {
    let n = square.columns();
    let blocks = rows::blocks(square, run, "finding neighbours", |first, block| {
        let rows = block.chunks_exact_mut(n.max(1)).enumerate();
        rows.map(|(i, row)| {
            lengths(kind, row, false).map_err(|j| entry(kind, labels, (first + i, j), row[j]))?;
            Ok(neighbourhood.of(row, Some(first + i)))
        })
        .collect::<Result<Vec<_>, Error>>()
    })?;
    Ok(blocks.into_iter().flatten().collect())
}

/// The error for an entry between two old objects that cannot be a proximity.
fn entry(kind: Kind, labels: &[String], (i, j): (usize, usize), found: f64) -> Error {
    let object = |index: usize| Object {
        index,
        label: labels[index].clone(),
    };
    Error::Entry {
        row: object(i),
        column: object(j),
        found,
        expected: kind.expected(),
    }
}

impl Graph {
    /// The graph in which i and j are linked if either is among the other's `neighbours`. Where both are and
    /// the lengths differ, the shorter counts.
    pub(crate) fn new(neighbours: &[Vec<Link>]) -> Self {
        let n = neighbours.len();
        let mut lists: Vec<Vec<Link>> = neighbours.to_vec();
        for (i, links) in neighbours.iter().enumerate() {
            for &(j, length) in links {
                lists[j as usize].push((i as u32, length));
            }
        }
        let mut graph = Self {
            offsets: Vec::with_capacity(n + 1),
            ..Default::default()
        };
        graph.offsets.push(0);
        for mut links in lists {
            links.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            links.dedup_by_key(|l| l.0);
            graph.targets.extend(links.iter().map(|l| l.0));
            graph.lengths.extend(links.iter().map(|l| l.1));
            graph.offsets.push(graph.targets.len());
        }
        graph
    }

    /// Errs unless the parts make a graph on `n` objects in which every link can be walked.
    pub fn check(&self, n: usize) -> Result<(), Error> {
        let ends = (self.offsets.first(), self.offsets.last());
        let sound = self.offsets.len() == n + 1
            && ends == (Some(&0), Some(&self.targets.len()))
            && self.offsets.windows(2).all(|w| w[0] <= w[1])
            && self.targets.len() == self.lengths.len()
            && self.targets.iter().all(|&t| (t as usize) < n)
            && self.lengths.iter().all(|l| l.is_finite() && *l >= 0.0);
        if sound {
            Ok(())
        } else {
            Err(Error::Inconsistent(
                "found links that are not those of a graph on the old objects, expected them so"
                    .into(),
            ))
        }
    }

    /// n, the number of objects.
    pub fn count(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// The links of object `i`: the others, and how far they are.
    pub fn links(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.offsets[i]..self.offsets[i + 1];
        let targets = self.targets[range.clone()].iter().map(|&t| t as usize);
        targets.zip(self.lengths[range].iter().copied())
    }

    /// The components, by search from each object that none has reached.
    pub fn components(&self) -> Components {
        let mut of = vec![usize::MAX; self.count()];
        let mut sizes = Vec::new();
        let mut queue = VecDeque::new();
        for first in 0..self.count() {
            if of[first] != usize::MAX {
                continue;
            }
            let component = sizes.len();
            let mut size = 0;
            of[first] = component;
            queue.push_back(first);
            while let Some(i) = queue.pop_front() {
                size += 1;
                for (j, _) in self.links(i) {
                    if of[j] == usize::MAX {
                        of[j] = component;
                        queue.push_back(j);
                    }
                }
            }
            sizes.push(size);
        }
        Components { of, sizes }
    }
}

/// The neighbours in one piece: as they are, or what `disconnected` makes of them, with the objects that are
/// left and what is to be said of it.
pub(crate) struct Whole {
    pub neighbours: Vec<Vec<Link>>,
    /// The objects that are left, ascending; none if all are.
    pub kept: Option<Vec<usize>>,
    pub finding: Option<String>,
}

/// Makes one piece of the neighbours, or errs.
pub(crate) fn whole(
    mut neighbours: Vec<Vec<Link>>,
    square: &dyn Rows,
    kind: Kind,
    labels: &[String],
    disconnected: Disconnected,
    run: Run<'_>,
) -> Result<Whole, Error> {
    let components = Graph::new(&neighbours).components();
    let count = components.sizes.len();
    if count <= 1 {
        return Ok(Whole {
            neighbours,
            kept: None,
            finding: None,
        });
    }
    let largest = components.largest();
    match disconnected {
        Disconnected::Refuse => {
            let outside = components.of.iter().position(|&c| c != largest);
            let index = outside.unwrap_or(0);
            let mut sizes = components.sizes;
            sizes.sort_unstable_by(|a, b| b.cmp(a));
            Err(Error::Disconnected {
                sizes,
                outside: Object {
                    index,
                    label: labels[index].clone(),
                },
            })
        }
        Disconnected::Largest => {
            let kept = components.members(largest);
            let place: BTreeMap<usize, u32> = kept.iter().copied().zip(0..).collect();
            let links = kept.iter().map(|&i| {
                let links = neighbours[i].iter();
                links.map(|&(j, l)| (place[&(j as usize)], l)).collect()
            });
            Ok(Whole {
                neighbours: links.collect(),
                finding: Some(format!(
                    "the graph of neighbours has {count} components: {} of {} objects are outside the \
                     largest and were left out",
                    labels.len() - kept.len(),
                    labels.len()
                )),
                kept: Some(kept),
            })
        }
        Disconnected::Join => {
            for ((_, _), (length, i, j)) in shortest(square, kind, &components, run)? {
                neighbours[i].push((j as u32, length));
                neighbours[j].push((i as u32, length));
            }
            Ok(Whole {
                neighbours,
                kept: None,
                finding: Some(format!(
                    "the graph of neighbours has {count} components: every two of them were joined by \
                     their nearest pair"
                )),
            })
        }
    }
}

/// The shortest link between every two components: its length and its ends.
type Shortest = BTreeMap<(usize, usize), (f64, usize, usize)>;

fn shortest(
    square: &dyn Rows,
    kind: Kind,
    components: &Components,
    run: Run<'_>,
) -> Result<Shortest, Error> {
    let n = square.columns();
    let of = &components.of;
    let blocks = rows::blocks(square, run, "joining components", |first, block| {
        let mut found = Shortest::new();
        for (i, row) in block.chunks_exact_mut(n).enumerate() {
            let i = first + i;
            let mut nearest = vec![(f64::INFINITY, i, 0); components.sizes.len()];
            for (j, &v) in row.iter().enumerate() {
                if v < nearest[of[j]].0 {
                    nearest[of[j]] = (v, i, j);
                }
            }
            for (c, link) in nearest.into_iter().enumerate().skip(of[i] + 1) {
                take_shorter(&mut found, (of[i], c), link);
            }
        }
        Ok(found)
    })?;
    let mut all = Shortest::new();
    for (pair, mut link) in blocks.into_iter().flatten() {
        if kind == Kind::Squared {
            link.0 = link.0.sqrt();
        }
        take_shorter(&mut all, pair, link);
    }
    Ok(all)
}

fn take_shorter(all: &mut Shortest, pair: (usize, usize), link: (f64, usize, usize)) {
    let known = all.entry(pair).or_insert(link);
    if link.0 < known.0 {
        *known = link;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of equally near objects the first are taken, an object is not its own neighbour, NaN is nobody's.
    #[test]
    fn ties_go_to_the_first() {
        let row = [1.0, 0.0, 1.0, f64::NAN, 1.0];
        let nearest = |k| Neighbourhood::Nearest(k).of(&row, Some(1));
        assert_eq!(nearest(2), vec![(0, 1.0), (2, 1.0)]);
        assert_eq!(nearest(9), vec![(0, 1.0), (2, 1.0), (4, 1.0)]);
        assert_eq!(Neighbourhood::Radius(0.5).of(&row, None), vec![(1, 0.0)]);
    }

    /// Links are used both ways, once, with the shorter of two lengths.
    #[test]
    fn links_go_both_ways() {
        let graph = Graph::new(&[vec![(1, 2.0)], vec![(0, 1.5)], vec![(1, 3.0)], vec![]]);
        assert_eq!(graph.offsets, [0, 1, 3, 4, 4]);
        assert_eq!(graph.targets, [1, 0, 2, 1]);
        assert_eq!(graph.lengths, [1.5, 1.5, 3.0, 3.0]);
        let components = graph.components();
        assert_eq!(components.of, [0, 0, 0, 1]);
        assert_eq!((components.largest(), components.members(1)), (0, vec![3]));
        assert!(graph.check(4).is_ok() && graph.check(5).is_err());
    }
}
