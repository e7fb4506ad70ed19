//! Distances between texts, by characters (Unicode scalar values).
//!
//! The row's text is prepared once (bit vectors of where each character is) and compared with all others.

use rapidfuzz::distance::{jaro_winkler, levenshtein};

use super::Metric;

/// The distances of `text` to `others`.
pub(super) fn distances(metric: Metric, text: &str, others: &[String], out: &mut [f64]) {
    match metric {
        Metric::JaroWinkler => {
            let one = jaro_winkler::BatchComparator::new(text.chars());
            for (out, other) in out.iter_mut().zip(others) {
                *out = one.distance(other.chars()).max(0.0);
            }
        }
        _ => {
            let one = levenshtein::BatchComparator::new(text.chars());
            for (out, other) in out.iter_mut().zip(others) {
                *out = one.distance(other.chars()) as f64;
            }
        }
    }
}
