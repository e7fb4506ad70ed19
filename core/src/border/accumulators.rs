//! What is added up while newcomers are read, and what it is multiplied by.
//!
//! With t a proximity on the scale of inner products and u = t − r + m − c (c the guess of the
//! newcomer's mean), a newcomer's sums are e'u, ‖u‖² and u'Z for a few columns Z = [X | w], and beside them the a that is
//! nearest: the least where t falls with a (its sign tells what the square loses), otherwise the largest. Factors of the scale are powers of two and are left to the end, so that the inner loop has
//! u = a² + shift or u = a + shift, one instruction.

use faer::MatRef;

use crate::fit::product::{Aligned, LANES};
use crate::input::kind::{Kind, Scale};

/// PackedColumns of Z whose sums are kept in registers at a time.
pub(super) const WIDEST: usize = 10;

/// What is kept besides Z: the sums of u and u², and the nearest a.
pub(super) const OTHERS: usize = 3;

/// t = a or a² for a proximity a, times a factor that is a power of two and left to the end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scaling {
    pub square: bool,
    pub factor: f64,
}

impl Scaling {
    /// For what is on the scale of inner products already.
    pub(super) const NONE: Self = Self {
        square: false,
        factor: 1.0,
    };

    /// Whether the nearest a is the largest: then −a is kept, so that the kernels only know of a least.
    pub(super) fn turns(self) -> bool {
        !self.square && self.factor > 0.0
    }

    /// t of what was kept as the nearest.
    fn nearest(self, kept: f64) -> f64 {
        match (self.square, self.turns()) {
            (true, _) => kept * kept * self.factor,
            (false, true) => -kept * self.factor,
            (false, false) => kept * self.factor,
        }
    }

    /// For a scale without a correction.
    pub(super) fn new(scale: &Scale) -> Self {
        debug_assert!(!scale.corrects() || scale.kind == Kind::Similarity);
        let unit = scale.unit * scale.unit;
        Self {
            square: scale.kind == Kind::Dissimilarity,
            factor: match scale.kind {
                Kind::Dissimilarity | Kind::Squared => -0.5 * unit,
                Kind::Similarity => unit,
            },
        }
    }
}

/// Z in blocks of at most [`WIDEST`] columns, packed in the order in which they are wanted.
#[derive(Debug, Clone)]
pub(super) struct PackedColumns {
    pub scaling: Scaling,
    /// Of a block, padded with columns of zeros to an even number.
    pub width: usize,
    /// By newcomer: eight rows by eight rows, each column's eight together. By object: row-major.
    pub blocks: Vec<Aligned>,
    /// −r + m, over the factor.
    pub offsets: Aligned,
    by_object: bool,
}

impl PackedColumns {
    /// The columns of `x` and then `last`, and −r + m of their rows, for newcomers that lie by object or by newcomer.
    pub(super) fn new(
        x: MatRef<'_, f64>,
        last: Option<&[f64]>,
        (scaling, offsets): (Scaling, impl Iterator<Item = f64>),
        by_object: bool,
    ) -> Self {
        let count = x.ncols() + usize::from(last.is_some());
        let blocks = count.div_ceil(WIDEST).max(1);
        let width = count.div_ceil(blocks).next_multiple_of(2).max(2);
        let block = |b: usize| {
            let mut values = Aligned::zeros(x.nrows().next_multiple_of(LANES) * width);
            for c in 0..width.min(count.saturating_sub(b * width)) {
                for i in 0..x.nrows() {
                    let at = if by_object {
                        i * width + c
                    } else {
                        (i / LANES * width + c) * LANES + i % LANES
                    };
                    values[at] = match last {
                        Some(last) if b * width + c == x.ncols() => last[i],
                        _ => x[(i, b * width + c)],
                    };
                }
            }
            values
        };
        let mut over_factor = Aligned::zeros(x.nrows());
        for (place, offset) in over_factor.iter_mut().zip(offsets) {
            *place = offset / scaling.factor;
        }
        Self {
            scaling,
            width,
            blocks: (0..blocks).map(block).collect(),
            offsets: over_factor,
            by_object,
        }
    }

    /// Accumulators for `count` newcomers.
    pub(super) fn accumulators(&self, count: usize) -> Accumulators {
        let each = self.blocks.len() * (self.width + OTHERS) * LANES;
        let groups = if self.by_object {
            count.div_ceil(LANES)
        } else {
            count
        };
        let mut accumulators = Accumulators {
            values: Aligned::zeros(groups * each),
            scaling: self.scaling,
            each,
            width: self.width,
            by_object: self.by_object,
        };
        accumulators.clear();
        accumulators
    }
}

/// NewcomerSums in groups of eight lanes: the eight are partial sums of one newcomer where it lies contiguously, and otherwise
/// the sums of eight newcomers.
#[derive(Debug, Clone)]
pub(super) struct Accumulators {
    values: Aligned,
    scaling: Scaling,
    /// Numbers of a group.
    each: usize,
    width: usize,
    by_object: bool,
}

/// One newcomer's sums but for u'Z.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewcomerSums {
    /// e'u.
    pub plain: f64,
    /// ‖u‖².
    pub squares: f64,
    /// Where t falls with a: whether no a is below zero.
    pub none_negative: bool,
    /// The largest t.
    pub nearest: f64,
}

impl Accumulators {
    /// All sums zero, and nobody near.
    pub(super) fn clear(&mut self) {
        for block in self.values.chunks_exact_mut((self.width + OTHERS) * LANES) {
            let (sums, nearest) = block.split_at_mut((self.width + 2) * LANES);
            sums.fill(0.0);
            nearest.fill(f64::INFINITY);
        }
    }

    /// The sums of group `g` that belong to block `b` of Z.
    #[inline(always)]
    pub(super) fn block(&mut self, g: usize, b: usize) -> &mut [f64] {
        let count = (self.width + OTHERS) * LANES;
        let at = g * self.each + b * count;
        &mut self.values[at..at + count]
    }

    /// Sum number `c` of block `b` of newcomer `i`: its lane, or eight partial ones put `together`.
    #[inline(always)]
    fn total(&self, i: usize, b: usize, c: usize, together: impl Fn(f64, f64) -> f64) -> f64 {
        let group = if self.by_object { i / LANES } else { i };
        let at = group * self.each + (b * (self.width + OTHERS) + c) * LANES;
        if self.by_object {
            return self.values[at + i % LANES];
        }
        let mut lanes = [0.0; LANES];
        lanes.copy_from_slice(&self.values[at..at + LANES]);
        for half in [4, 2, 1] {
            for l in 0..half {
                lanes[l] = together(lanes[l], lanes[l + half]);
            }
        }
        lanes[0]
    }

    /// The sums of newcomer `i`.
    pub(super) fn sums(&self, i: usize) -> NewcomerSums {
        let total = |c: usize| self.total(i, 0, self.width + c, |a, b| a + b);
        let Scaling { factor, .. } = self.scaling;
        let least = self.total(i, 0, self.width + 2, f64::min);
        NewcomerSums {
            plain: total(0) * factor,
            squares: total(1) * factor * factor,
            none_negative: least >= 0.0,
            nearest: self.scaling.nearest(least),
        }
    }

    /// u'Z of newcomer `i` for column `c`.
    pub(super) fn product(&self, i: usize, c: usize) -> f64 {
        self.total(i, c / self.width, c % self.width, |a, b| a + b) * self.scaling.factor
    }
}
