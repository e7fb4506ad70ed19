//! `adjoin._core`: the crates `adjoin`, `adjoin-formats` and `adjoin-page` as a Python module.
//!
//! Dictionaries become settings, objects and newcomers; one call of the core answers; arrays go out. Each class holds
//! `inner`; each method is view → core call without the interpreter's lock → map error → array. Parameters and shapes are
//! the business of the package around it, which label is which object that of `adjoin-formats`, mathematics and every
//! choice among inputs and methods that of the core: there is no arithmetic here.

mod adapt;
mod answer;
mod ask;
mod border;
mod elsewhere;
mod error;
mod guard;
mod labels;
mod look;
mod map;
mod newcomers;
mod objects;
mod old;
mod report;
mod settings;
mod stored;
mod view;

use adjoin::Strategy;
use adjoin::measure::{Kernel, Metric};
use pyo3::prelude::*;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<map::Map>()?;
    module.add_class::<border::Border>()?;
    module.add("METRICS", Metric::WORDS.to_vec())?;
    module.add("KERNELS", Kernel::WORDS.to_vec())?;
    module.add("STRATEGIES", Strategy::ALL.map(Strategy::word).to_vec())?;
    module.add_function(wrap_pyfunction!(adapt::adapted, module)?)?;
    module.add_function(wrap_pyfunction!(adapt::transformed, module)?)?;
    module.add_function(wrap_pyfunction!(answer::columns, module)?)?;
    module.add_function(wrap_pyfunction!(guard::cores, module)?)?;
    module.add_function(wrap_pyfunction!(elsewhere::look_over, module)?)?;
    module.add_function(wrap_pyfunction!(elsewhere::multiply, module)?)?;
    module.add_function(wrap_pyfunction!(objects::landmarks, module)?)?;
    module.add_function(wrap_pyfunction!(objects::measured, module)?)?;
    module.add_function(wrap_pyfunction!(objects::rectangle, module)?)?;
    module.add_function(wrap_pyfunction!(labels::square, module)?)?;
    module.add_function(wrap_pyfunction!(report::report, module)?)?;
    module.add_function(wrap_pyfunction!(look::look, module)?)?;
    module.add_function(wrap_pyfunction!(look::column, module)?)?;
    module.add_function(wrap_pyfunction!(look::outlines, module)?)?;
    module.add_function(wrap_pyfunction!(look::variables, module)?)?;
    Ok(())
}
