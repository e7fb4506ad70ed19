//! A class of objects on the map: its centre and its spread, from which ellipses and spiders are drawn.

/// The objects of a class: how many, their mean, and their covariance (n − 1 below), row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// How many there are.
    pub count: usize,
    /// d numbers.
    pub mean: Vec<f64>,
    /// d × d numbers; NaN if there are fewer than two objects.
    pub covariance: Vec<f64>,
}

impl Group {
    /// One group for each code from 0 to `groups`; `point(i)` is where object i is.
    pub fn all<'a>(
        codes: &[Option<u32>],
        groups: usize,
        dimensions: usize,
        point: impl Fn(usize) -> Vec<f64> + 'a,
    ) -> Vec<Self> {
        let d = dimensions;
        let none = Self {
            count: 0,
            mean: vec![0.0; d],
            covariance: vec![0.0; d * d],
        };
        let mut all = vec![none; groups];
        let members = || {
            codes
                .iter()
                .enumerate()
                .filter_map(|(i, c)| c.map(|c| (i, c as usize)))
        };
        for (i, code) in members().filter(|m| m.1 < groups) {
            all[code].count += 1;
            for (sum, x) in all[code].mean.iter_mut().zip(point(i)) {
                *sum += x;
            }
        }
        for group in &mut all {
            let count = group.count as f64;
            group.mean.iter_mut().for_each(|m| *m /= count);
        }
        // About the mean, in a second pass: nothing is lost when the group is far from the origin.
        for (i, code) in members().filter(|m| m.1 < groups) {
            let group = &mut all[code];
            let off: Vec<f64> = point(i)
                .iter()
                .zip(&group.mean)
                .map(|(x, m)| x - m)
                .collect();
            for (j, a) in off.iter().enumerate() {
                for (k, b) in off.iter().enumerate() {
                    group.covariance[j * d + k] += a * b;
                }
            }
        }
        for group in &mut all {
            let below = group.count as f64 - 1.0;
            let below = if below > 0.0 { below } else { f64::NAN };
            group.covariance.iter_mut().for_each(|v| *v /= below);
        }
        all
    }

    /// The ellipse on two axes that holds `share` of a normal distribution with this mean and covariance: its centre, its
    /// half axes, and the angle of the first one to the axis across. None if the group has no spread.
    pub fn ellipse(&self, axes: [usize; 2], share: f64) -> Option<([f64; 2], [f64; 2], f64)> {
        let d = self.mean.len();
        let at = |j: usize, k: usize| self.covariance[axes[j] * d + axes[k]];
        let (a, b, c) = (at(0, 0), at(0, 1), at(1, 1));
        let (middle, half) = (0.5 * (a + c), (0.25 * (a - c) * (a - c) + b * b).sqrt());
        // The chi-square quantile with two degrees of freedom has this closed form.
        let radius = (-2.0 * (1.0 - share).ln()).sqrt();
        let long = middle + half;
        let short = (middle - half).max(0.0);
        if long.is_nan() || long <= 0.0 {
            return None;
        }
        let angle = 0.5 * (2.0 * b).atan2(a - c);
        let centre = [self.mean[axes[0]], self.mean[axes[1]]];
        Some((centre, [radius * long.sqrt(), radius * short.sqrt()], angle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_covariance_and_ellipse() {
        let points = [[1.0, 0.0], [-1.0, 0.0], [0.0, 2.0], [0.0, -2.0], [7.0, 7.0]];
        let codes = [Some(0), Some(0), Some(0), Some(0), Some(1)];
        let groups = Group::all(&codes, 2, 2, |i| points[i].to_vec());
        assert_eq!((groups[0].count, groups[1].count), (4, 1));
        assert_eq!(groups[0].mean, [0.0, 0.0]);
        assert_eq!(groups[0].covariance, [2.0 / 3.0, 0.0, 0.0, 8.0 / 3.0]);
        let (centre, half, angle) = groups[0].ellipse([0, 1], 0.95).unwrap();
        assert_eq!(centre, [0.0, 0.0]);
        // R: sqrt(qchisq(0.95, 2)) = 2.447747
        assert!((half[0] - 2.447747 * (8.0f64 / 3.0).sqrt()).abs() < 1e-5);
        assert!((half[1] - 2.447747 * (2.0f64 / 3.0).sqrt()).abs() < 1e-5);
        assert!((angle.abs() - std::f64::consts::FRAC_PI_2).abs() < 1e-12);
        assert!(groups[1].ellipse([0, 1], 0.95).is_none());
    }
}
