//! The same map with its axes the way round that somebody already has them.
//!
//! An axis has no sign of its own: every program chooses one, and a published picture has the one it has. Where coordinates of
//! another program are this map's but for signs, the map can take them over and loses nothing: unlike a map of given
//! coordinates it is fitted, so its old objects are left out exactly.

use faer::{Mat, MatRef};

use super::{Map, Parts};
use crate::fit::diagram::{Diagram, Parts as DiagramParts};
use crate::fit::leave_one_out::LeftOut;
use crate::map::finish::Finish;

/// How far an axis may be from the other one, relative to its length: eigenvectors of eigenvalues that lie close together are
/// only as exact as these are apart.
const SAME: f64 = 1e-6;

impl Map {
    /// This map with each axis turned to the side of the same axis of `axes` (n × at least d, in the map's order of objects);
    /// none if those are not the map's axes but for their signs. Their lengths count only if they are on the map's `scale`.
    pub fn facing(&self, axes: MatRef<'_, f64>, scale: bool) -> Option<Map> {
        let parts = self.parts();
        let diagram = parts.diagram.parts();
        let x = diagram.configuration.as_ref();
        let (n, d) = (x.nrows(), x.ncols());
        let plain = parts.way.is_straight()
            && parts.objects.is_none()
            && parts.finish == Finish::None
            && !diagram.given
            && parts.growth.is_none();
        if !plain || axes.nrows() != n || axes.ncols() < d {
            return None;
        }
        let signs: Option<Vec<f64>> = (0..d)
            .map(|a| {
                let (own, other) = (x.col(a), axes.col(a));
                let inner: f64 = own.iter().zip(other.iter()).map(|(x, y)| x * y).sum();
                let sign = if inner < 0.0 { -1.0 } else { 1.0 };
                let (length, theirs) = (own.norm_l2(), other.norm_l2());
                let unit = if scale { 1.0 } else { length / theirs };
                let apart = (own - other * faer::Scale(sign * unit)).norm_l2();
                (apart <= SAME * length).then_some(sign)
            })
            .collect();
        let signs = signs?;
        let mut left_out = diagram.leave_one_out.clone();
        // Exact places are in axes of their own, which are turned by way of X.
        if left_out.form == LeftOut::AxesFixed {
            for y in left_out.places.chunks_exact_mut(d) {
                y.iter_mut().zip(&signs).for_each(|(y, sign)| *y *= sign);
            }
        }
        let turned = DiagramParts {
            configuration: Mat::from_fn(n, d, |i, a| signs[a] * x[(i, a)]),
            leave_one_out: left_out,
            ..diagram.clone()
        };
        let parts = Parts {
            diagram: Diagram::from_parts(turned).ok()?,
            ..parts.clone()
        };
        Map::from_parts(parts).ok()
    }
}
