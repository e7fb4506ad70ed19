//! The proximities between a map's old objects, beside newcomers: a square of the map's references in the map's order.

use adjoin::Map;
use faer::Mat;

use crate::error::{Error, quote};
use crate::matching::square;
use crate::matrix::Matrix;
use crate::nearest::nearest_label;

/// The square of the objects that newcomers to `map` are compared with, in their order, from a square that has at least them: by label, or by
/// position if it has none. Whether they are what the map was fitted to is for the core to say.
///
/// # Errors
/// If one of them is not there, or the map's objects have no names and the square's have.
pub fn old_square(matrix: Matrix, map: &Map) -> Result<Mat<f64>, Error> {
    let matrix = square(matrix)?;
    let (wanted, m) = (map.references(), matrix.columns.len());
    let at: Vec<usize> = if !matrix.labelled {
        match map.landmarks() {
            _ if m == wanted.len() => (0..m).collect(),
            Some(landmarks) if m == map.labels().len() => landmarks.to_vec(),
            _ => {
                return Err(Error::mismatch(
                    &matrix.source,
                    None,
                    format!("a square of {m} objects without labels"),
                    format!("the {} objects of the map, in its order", wanted.len()),
                ));
            }
        }
    } else if !map.named() {
        return Err(Error::mismatch(
            &matrix.source,
            matrix.header_line,
            "labels",
            "a square without any: the map's objects have no names",
        ));
    } else {
        let mut at = Vec::with_capacity(wanted.len());
        let places: std::collections::HashMap<&str, usize> = (matrix.columns.iter())
            .enumerate()
            .map(|(i, label)| (label.as_str(), i))
            .collect();
        for label in wanted {
            let Some(&i) = places.get(label.as_str()) else {
                let near = nearest_label(label, matrix.columns.iter());
                return Err(Error::mismatch(
                    &matrix.source,
                    matrix.header_line,
                    format!("no column for {}{near}", quote(label)),
                    "one for each old object of the map",
                ));
            };
            at.push(i);
        }
        at
    };
    Ok(Mat::from_fn(at.len(), at.len(), |i, j| {
        matrix.values[at[i] * m + at[j]]
    }))
}
