//! How many axes a map gets.

use crate::error::Error;
use crate::fit::dimension;
use crate::fit::summary::Summary;

/// How many axes are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axes {
    /// So many.
    Count(usize),
    /// As many as the profile likelihood of the eigenvalues suggests.
    Auto,
    /// As many as there are positive eigenvalues.
    All,
}

impl Default for Axes {
    fn default() -> Self {
        Axes::Count(2)
    }
}

impl Axes {
    /// Fits with that many axes; `fit` is asked again where the number depends on what it saw, which `summary` tells.
    pub(crate) fn fit<M>(
        self,
        objects: usize,
        mut fit: impl FnMut(usize) -> Result<M, Error>,
        summary: impl Fn(&M) -> &Summary,
    ) -> Result<M, Error> {
        match self {
            Axes::Count(count) => fit(count),
            Axes::Auto => dimension::auto(objects, fit, summary),
            Axes::All => match fit(objects) {
                Err(Error::Dimensions { available, .. }) if available > 0 => fit(available),
                answer => answer,
            },
        }
    }
}
