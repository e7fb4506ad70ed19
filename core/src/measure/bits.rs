//! Measures of packed bits, by counting: what numbers that are 0 or 1 would give, to the bit, at a sixty-fourth of their size.
//!
//! ```text
//! Σ|u − v| = Σ(u − v)² = #{u ≠ v} = popcount(u xor v)        Σ uv = popcount(u and v)        Σ u = Σ u² = popcount(u)
//! ```
//!
//! Every sum is a whole number, so what a measure makes of it is exactly what it makes of the same sum of numbers: Jaccard's
//! and Tanimoto's dissimilarity, Dice's, Hamming's, and any kernel or metric that needs no more than these sums.

use super::Measure;
use super::recipe::{Own, Recipe, RowForm};
use super::sums::Sum;
use crate::error::Error;
use crate::input::features::Features;
use crate::isa::{arch, vectorised};

/// Rows that are compared with an old object while it is in cache.
const TOGETHER: usize = 4;

/// The words of a row, and each row's own number; errs if the measure needs more than counts.
pub(super) fn prepare(
    measure: &Measure,
    recipe: &Recipe,
    features: &Features,
) -> Result<(usize, Vec<f64>), Error> {
    let Some((each, words)) = features.bits() else {
        return Err(Error::FeatureName {
            found: "numbers or texts".into(),
            expected: "packed bits, as of the old objects".into(),
        });
    };
    let counts = matches!(
        recipe.sum,
        Sum::Squares | Sum::Absolutes | Sum::Unequal | Sum::Products
    );
    if recipe.rows != RowForm::Plain || !counts {
        return Err(Error::Measure(format!(
            "found packed bits for {}, expected a measure that counts them: jaccard, tanimoto, dice, hamming, or one of sums",
            measure.word()
        )));
    }
    let own = words.chunks_exact(each).map(|row| match recipe.own {
        Own::Nothing => 0.0,
        Own::Total | Own::Square => count(row),
    });
    let own: Vec<f64> = own.collect();
    Ok((each, own))
}

/// How many bits are set.
pub(super) fn count(row: &[u64]) -> f64 {
    let count: u32 = row.iter().map(|w| w.count_ones()).sum();
    count.into()
}

/// Writes the sums of `rows` with `old` rows, of `each` words, to `out`.
pub(super) fn sums(sum: Sum, each: usize, rows: &[u64], old: &[u64], out: &mut [f64]) {
    vectorised!(arch(), {
        if sum == Sum::Products {
            counted(each, rows, old, out, |u, v| u & v);
        } else {
            counted(each, rows, old, out, |u, v| u ^ v);
        }
    });
}

#[inline(always)]
fn counted(
    each: usize,
    rows: &[u64],
    old: &[u64],
    out: &mut [f64],
    both: impl Fn(u64, u64) -> u64,
) {
    let width = old.len() / each;
    let blocks = rows.chunks(TOGETHER * each);
    for (rows, out) in blocks.zip(out.chunks_mut(TOGETHER * width)) {
        for (j, v) in old.chunks_exact(each).enumerate() {
            for (i, u) in rows.chunks_exact(each).enumerate() {
                let mut count = 0u32;
                for (u, v) in u.iter().zip(v) {
                    count += both(*u, *v).count_ones();
                }
                out[i * width + j] = count.into();
            }
        }
    }
}
