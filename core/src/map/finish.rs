//! The end of the way: what is done to coordinates after they were found.
//!
//! What a placement says beside its coordinates (objective, displacement, residual) is in the space of the diagram,
//! before this.

use faer::MatRef;

use crate::error::Error;
use crate::place::procrustes::Motion;

/// What is done to coordinates at the very end.
#[derive(Debug, Clone, PartialEq)]
pub enum Finish {
    /// Nothing.
    None,
    /// A turn and a shift: the principal axes of all objects about landmarks.
    Motion(Motion),
    /// λᵗ u/√degree in the place of √λ u: the random walk's.
    Walk {
        /// t.
        time: f64,
    },
}

impl Finish {
    /// Errs unless it fits a diagram of `d` axes; `degrees` says whether objects have degrees.
    pub(crate) fn check(&self, d: usize, degrees: bool) -> Result<(), Error> {
        let shape = |motion: &Motion| {
            let rotation = &motion.rotation;
            (rotation.nrows(), rotation.ncols(), motion.shift.len())
        };
        let why = match self {
            Finish::Motion(motion) if shape(motion) != (d, d, d) => {
                "found a turn of the axes of another dimension than the diagram's, expected the same"
            }
            Finish::Walk { .. } if !degrees => {
                "found the scaling of a random walk without degrees, expected a normalised kernel"
            }
            _ => return Ok(()),
        };
        Err(Error::Inconsistent(why.into()))
    }

    /// From coordinates on the diagram, whose axes have these `eigenvalues`, to those on the map, in place; `degree`
    /// is the object's, where a random walk's scaling needs it.
    pub(crate) fn point(&self, y: &mut [f64], eigenvalues: &[f64], degree: f64) {
        match self {
            Finish::None => {}
            Finish::Motion(motion) => {
                let before = y.to_vec();
                let rotation: MatRef<'_, f64> = motion.rotation.as_ref();
                for (k, v) in y.iter_mut().enumerate() {
                    let terms = before.iter().enumerate();
                    let turned: f64 = terms.map(|(j, b)| rotation[(j, k)] * b).sum();
                    *v = turned + motion.shift[k];
                }
            }
            Finish::Walk { time } => {
                for (v, lambda) in y.iter_mut().zip(eigenvalues) {
                    *v *= lambda.powf(time - 0.5) / degree.sqrt();
                }
            }
        }
    }
}
