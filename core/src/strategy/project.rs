//! Projection: the newcomer's position in an ambient space, projected into the map's (the paper's §3).
//!
//! ŷ = C⁻¹X'b is all of it, and the border has it already; here it becomes a placement, with the
//! objective of restricted reconstruction at ŷ so that the two can be compared.

use crate::border::{Border, squared};
use crate::fit::diagram::Diagram;
use crate::strategy::placements::{Placements, Status, Strategy};

/// Places every newcomer of the border at its projection.
pub fn project(diagram: &Diagram, border: &Border) -> Placements {
    let (k, d) = (border.count(), border.dimensions);
    let mut placements = Placements::empty(Strategy::Project, k, d);
    for i in 0..k {
        let y = border.projection(i);
        placements.residual[i] = border.residual(i);
        placements.share[i] = share(border, i);
        placements.known[i] = border.observed[i];
        if y.iter().any(|v| v.is_nan()) {
            continue;
        }
        let target = &mut placements.coordinates[i * d..(i + 1) * d];
        for ((target, y), o) in target.iter_mut().zip(y).zip(diagram.origin()) {
            *target = y + o;
        }
        placements.lambda[i] = 0.0;
        placements.displacement[i] = 0.0;
        placements.objective[i] = objective(diagram, border, i, y);
        placements.status[i] = Status::Unique;
    }
    placements
}

/// F(y) = 2(y − ŷ)'C(y − ŷ) + (y'y − β)² + 2‖b − Xŷ‖², the objective of the paper's problem (11) for newcomer
/// `i` at `y` (about the origin), without a difference of larger numbers but y'y − β.
pub fn objective(diagram: &Diagram, border: &Border, i: usize, y: &[f64]) -> f64 {
    let beta_error = (squared(y) - border.beta[i]).powi(2);
    let projection = border.projection(i);
    let form = diagram.form_of(|j| y[j] - projection[j]);
    2.0 * form + beta_error + 2.0 * border.outside[i]
}

/// The residual as a share of β; nothing if β is not positive.
pub(crate) fn share(border: &Border, i: usize) -> f64 {
    if border.beta[i] > 0.0 {
        border.residual(i) / border.beta[i]
    } else {
        f64::NAN
    }
}
