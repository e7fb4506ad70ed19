//! The columns of a table of placements: one list, in one order, for every table that is written.
//!
//! `label, axis1…axisd, strategy, lambda, objective, residual, status, known, p, p_outside, p_inside` are the contract; further
//! columns come after these. Which there are follows from what was asked ([`Asked`]) and never from the answers, so that a
//! table's columns are known before the first newcomer is.

use super::placements::{Placements, Strategy};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Holds {
    /// Numbers, NaN where there is nothing to say.
    Number,
    /// Whole numbers.
    Count,
    /// Words.
    Word,
    /// Yes, no, or nothing.
    Flag,
}

impl Holds {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Holds::Number => "number",
            Holds::Count => "count",
            Holds::Word => "word",
            Holds::Flag => "flag",
        }
    }
}

/// What is in one row of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Cell {
    /// A number, NaN if there is nothing to say.
    Number(f64),
    /// A whole number.
    Count(usize),
    /// A word.
    Word(&'static str),
    /// Yes, no, or nothing.
    Flag(Option<bool>),
}

/// What was asked, as far as columns follow from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Asked {
    /// How newcomers are placed.
    pub strategy: Strategy,
    /// d.
    pub dimensions: usize,
    /// Whether a proof beside the margin was asked for, as it is of newcomers that are placed jointly.
    pub proved: bool,
    /// Whether it was asked how certain places are.
    pub uncertain: bool,
}

/// When there is a column beside those of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    /// Always, before all others: the contract.
    Contract,
    /// If something is proved otherwise than by the margin.
    Proved,
    Always,
    /// One for each axis, if it was asked how certain places are.
    Uncertain,
    /// For raw stress.
    Stress,
}

impl When {
    fn holds(self, asked: &Asked) -> bool {
        match self {
            When::Contract | When::Always => true,
            When::Proved => asked.proved || asked.strategy == Strategy::Hyperplane,
            When::Uncertain => asked.uncertain,
            When::Stress => asked.strategy == Strategy::Stress,
        }
    }
}

/// The cell of a newcomer; on an axis, where there is a column for each.
type Of = fn(&Placements, usize, usize) -> Cell;

/// The list, after the axes.
const LIST: [(&str, Holds, When, Of); 21] = {
    use Cell::{Count, Flag, Number, Word};
    use When::{Always, Contract, Proved, Stress, Uncertain};
    [
        ("strategy", Holds::Word, Contract, |p, _, _| {
            Word(p.strategy.word())
        }),
        ("lambda", Holds::Number, Contract, |p, i, _| {
            Number(p.lambda[i])
        }),
        ("objective", Holds::Number, Contract, |p, i, _| {
            Number(p.objective[i])
        }),
        ("residual", Holds::Number, Contract, |p, i, _| {
            Number(p.residual[i])
        }),
        ("status", Holds::Word, Contract, |p, i, _| {
            Word(p.status[i].word())
        }),
        ("known", Holds::Count, Contract, |p, i, _| Count(p.known[i])),
        ("p", Holds::Number, Contract, |p, i, _| Number(p.p[i])),
        ("p_outside", Holds::Number, Contract, |p, i, _| {
            Number(p.p_outside[i])
        }),
        ("p_inside", Holds::Number, Contract, |p, i, _| {
            Number(p.p_inside[i])
        }),
        ("certified", Holds::Flag, Proved, |p, i, _| {
            Flag(p.certified(i))
        }),
        ("gap", Holds::Number, Proved, |p, i, _| Number(p.gap[i])),
        ("share", Holds::Number, Always, |p, i, _| Number(p.share[i])),
        ("displacement", Holds::Number, Always, |p, i, _| {
            Number(p.displacement[i])
        }),
        ("p_nearest", Holds::Number, Always, |p, i, _| {
            Number(p.p_nearest[i])
        }),
        ("stationarity", Holds::Number, Always, |p, i, _| {
            Number(p.stationarity[i])
        }),
        ("margin", Holds::Number, Always, |p, i, _| {
            Number(p.margin[i])
        }),
        ("side", Holds::Number, Always, |p, i, _| Number(p.side[i])),
        ("jump", Holds::Number, Always, |p, i, _| Number(p.jump[i])),
        ("stretch", Holds::Number, Always, |p, i, _| {
            Number(p.stretch[i])
        }),
        ("se", Holds::Number, Uncertain, |p, i, axis| {
            Number(p.standard_error(i, axis))
        }),
        ("relative_stress", Holds::Number, Stress, |p, i, _| {
            Number(p.relative_stress[i])
        }),
    ]
};

/// A column beside the labels and the axes.
#[derive(Debug, Clone)]
pub struct Column {
    /// What it is called.
    pub name: String,
    /// What it holds.
    pub holds: Holds,
    /// Whether it is of the contract: these come first, and others may be put between them and what follows.
    pub contract: bool,
    axis: usize,
    of: Of,
}

impl Column {
    /// The cell of newcomer `i`.
    pub fn cell(&self, placements: &Placements, i: usize) -> Cell {
        (self.of)(placements, i, self.axis)
    }
}

/// The columns of a table after its labels and axes.
pub fn columns(asked: &Asked) -> Vec<Column> {
    let mut all = Vec::new();
    for &(name, holds, when, of) in &LIST {
        let each = match when {
            When::Uncertain => asked.dimensions,
            _ => 1,
        };
        for axis in (0..each).filter(|_| when.holds(asked)) {
            all.push(Column {
                name: match when {
                    When::Uncertain => format!("{name}{}", axis + 1),
                    _ => name.to_owned(),
                },
                holds,
                contract: when == When::Contract,
                axis,
                of,
            });
        }
    }
    all
}
