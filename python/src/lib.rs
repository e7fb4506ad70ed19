//! `adjoin._core`: the crates `adjoin`, `adjoin-formats` and `adjoin-page` as a Python module.
//!
//! Each class holds `inner`; each method is view → `py.detach(|| core call)` → map error → array.
//! Parameters, labels and shapes are the business of the package around it, mathematics that of the
//! core: there is no arithmetic here.

mod answer;
mod border;
mod error;
mod fit;
mod given;
mod guard;
mod labels;
mod measure;
mod model;
mod report;
mod view;

use pyo3::prelude::*;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<model::Model>()?;
    module.add_class::<border::Border>()?;
    module.add("METRICS", adjoin::measure::Metric::WORDS.to_vec())?;
    module.add("KERNELS", adjoin::measure::Kernel::WORDS.to_vec())?;
    module.add_function(wrap_pyfunction!(measure::measured, module)?)?;
    module.add_function(wrap_pyfunction!(labels::square, module)?)?;
    module.add_function(wrap_pyfunction!(labels::between, module)?)?;
    module.add_function(wrap_pyfunction!(labels::numbers, module)?)?;
    module.add_function(wrap_pyfunction!(report::report, module)?)?;
    Ok(())
}
