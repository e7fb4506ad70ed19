//! Geodesics: the lengths of the shortest paths through a graph.
//!
//! Dijkstra's algorithm with a binary heap, from one source or from several that are already some way off (a
//! newcomer is not in the graph; it starts at each of its neighbours with the length of the link to it). Every
//! source is a piece of work of its own, so that they run in parallel and only the row that is asked for is made.
//!
//! # References
//! Dijkstra (1959), A note on two problems in connexion with graphs, Numerische Mathematik 1:269–271.
//! Tenenbaum, de Silva and Langford (2000), A global geometric framework for nonlinear dimensionality reduction,
//! Science 290:2319–2323.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

use crate::error::Error;
use crate::graph::Graph;
use crate::input::rows::Rows;

/// A node that can be reached in this length; the nearest comes out of the heap first.
struct Reached {
    length: f64,
    node: usize,
}

impl Ord for Reached {
    fn cmp(&self, other: &Self) -> Ordering {
        let nearer = other.length.total_cmp(&self.length);
        nearer.then(other.node.cmp(&self.node))
    }
}

impl PartialOrd for Reached {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Reached {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Reached {}

/// Writes to `out` how far each node of the graph is when each of the `starts` is reached in the given length;
/// ∞ for a node that none of them leads to.
pub fn shortest(graph: &Graph, starts: impl IntoIterator<Item = (usize, f64)>, out: &mut [f64]) {
    out.fill(f64::INFINITY);
    let mut heap = BinaryHeap::new();
    for (node, length) in starts {
        if length < out[node] {
            out[node] = length;
            heap.push(Reached { length, node });
        }
    }
    while let Some(Reached { length, node }) = heap.pop() {
        // A shorter way was found since this was put in.
        if length > out[node] {
            continue;
        }
        for (next, step) in graph.links(node) {
            let length = length + step;
            if length < out[next] {
                out[next] = length;
                heap.push(Reached { length, node: next });
            }
        }
    }
}

/// The geodesics from some objects of a graph to all of them, a row for each.
pub struct Geodesics<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// The objects to start from.
    pub sources: &'a [usize],
}

impl Rows for Geodesics<'_> {
    fn rows(&self) -> usize {
        self.sources.len()
    }

    fn columns(&self) -> usize {
        self.graph.count()
    }

    fn fill(&self, range: Range<usize>, out: &mut [f64]) -> Result<(), Error> {
        for (i, row) in range.zip(out.chunks_exact_mut(self.columns().max(1))) {
            shortest(self.graph, [(self.sources[i], 0.0)], row);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A way over two short links beats one long link; what is not linked is infinitely far.
    #[test]
    fn detours_may_be_shorter() {
        let links = [vec![(1, 1.0), (2, 5.0)], vec![(2, 1.5)], vec![], vec![]];
        let graph = Graph::new(&links);
        let mut out = [0.0; 4];
        shortest(&graph, [(0, 0.0)], &mut out);
        assert_eq!(out, [0.0, 1.0, 2.5, f64::INFINITY]);
        shortest(&graph, [(0, 2.0), (2, 0.25)], &mut out);
        assert_eq!(out, [2.0, 1.75, 0.25, f64::INFINITY]);
    }
}
