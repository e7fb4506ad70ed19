//! Colours, marks and words for pictures by matplotlib: those of the page and of `adjoin plot`.

use adjoin::Variables;
use adjoin_look::{Colours, Column, Group, TABLE, hull};
use faer::Mat;
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The table of colours, marks and words, as JSON.
#[pyfunction]
pub fn look() -> &'static str {
    TABLE
}

/// What a column of text is, and the colour of each object by it.
#[pyfunction]
pub fn column<'py>(py: Python<'py>, cells: Vec<Option<String>>) -> PyResult<Bound<'py, PyDict>> {
    let read = Column::read(cells.iter().map(Option::as_deref));
    let answer = PyDict::new(py);
    answer.set_item("kind", read.kind.word())?;
    answer.set_item("words", &read.words)?;
    answer.set_item("codes", &read.codes)?;
    answer.set_item("numbers", &read.numbers)?;
    let colours = Colours::of(read);
    let each: Vec<String> = (0..cells.len()).map(|i| colours.colour(i)).collect();
    answer.set_item("colours", each)?;
    answer.set_item("beyond", colours.beyond())?;
    if let Colours::Classes { words, colours, .. } = &colours {
        answer.set_item("shown", words)?;
        answer.set_item("palette", colours)?;
    }
    Ok(answer)
}

/// A centre, half axes and an angle.
type Ellipse = ([f64; 2], [f64; 2], f64);

/// For each group, its 95 % ellipse, if it has one, and the corners of its hull.
#[pyfunction]
pub fn outlines(
    points: Vec<[f64; 2]>,
    codes: Vec<Option<u32>>,
    groups: usize,
) -> Vec<(Option<Ellipse>, Vec<[f64; 2]>)> {
    let all = Group::all(&codes, groups, 2, |i| points[i].to_vec());
    let own = |c: usize| -> Vec<[f64; 2]> {
        let members = codes.iter().zip(&points);
        members
            .filter(|(code, _)| **code == Some(c as u32))
            .map(|(_, p)| *p)
            .collect()
    };
    let ellipse = |g: &Group| g.ellipse([0, 1], 0.95).filter(|_| g.count > 2);
    let each = all.iter().enumerate();
    each.map(|(c, group)| (ellipse(group), hull(&own(c))))
        .collect()
}

/// Variables (n × v, NaN where not known) on axes (n × q) with these eigenvalues: r², p by permutations, and arrows as long as r.
#[pyfunction]
pub fn variables<'py>(
    py: Python<'py>,
    coordinates: PyReadonlyArray2<'py, f64>,
    eigenvalues: Vec<f64>,
    values: PyReadonlyArray2<'py, f64>,
    permutations: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let (x, v) = (matrix(&coordinates), matrix(&values));
    let fitted = py.detach(|| Variables::fit(x.as_ref(), &eigenvalues, v.as_ref(), permutations));
    let arrows: Vec<Vec<f64>> = (0..fitted.count()).map(|j| fitted.arrow(j)).collect();
    let answer = PyDict::new(py);
    answer.set_item("strongest", fitted.strongest())?;
    answer.set_item("arrows", arrows)?;
    answer.set_item("r2", &fitted.r2)?;
    answer.set_item("p", &fitted.p)?;
    Ok(answer)
}

/// An array as the core has it.
pub fn matrix(array: &PyReadonlyArray2<'_, f64>) -> Mat<f64> {
    let view = array.as_array();
    Mat::from_fn(view.nrows(), view.ncols(), |i, j| view[(i, j)])
}
