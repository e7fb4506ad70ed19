//! Tails of the normal distribution and quantiles of F, to a relative 1e-12 or so.
//!
//! ```text
//! Φ(−z) = ½ Q(½, z²/2)          P(F(a, b) ≤ f) = I_x(a/2, b/2),   x = af/(af + b)
//! ```
//!
//! with Q and I the incomplete gamma and beta functions, by the series and continued fractions of Abramowitz and Stegun 6.5.29, 6.5.31 and 26.5.8.

/// Terms of a series or a fraction: some tens are needed, and about √(a + b) for large parameters.
const MOST_TERMS: usize = 100_000;

/// In the place of a denominator that vanishes.
const TINY: f64 = 1e-300;

/// Φ(−z), the probability of more than `z` standard errors on one side.
pub(crate) fn normal_tail(z: f64) -> f64 {
    if z < 0.0 {
        return 1.0 - normal_tail(-z);
    }
    if z.is_nan() {
        return z;
    }
    let (a, x) = (0.5, 0.5 * z * z);
    if x == 0.0 {
        return 0.5;
    }
    if x.is_infinite() {
        return 0.0;
    }
    let front = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        // P by its series.
        let (mut term, mut sum) = (1.0 / a, 1.0 / a);
        for k in 1..MOST_TERMS {
            term *= x / (a + k as f64);
            sum += term;
            if term < sum * f64::EPSILON {
                break;
            }
        }
        return 0.5 * (1.0 - front * sum);
    }
    // Q = front/(x+1−a − 1(1−a)/(x+3−a − 2(2−a)/(x+5−a − …))).
    let numerator = |k: usize| k as f64 * (a - k as f64);
    let denominator = |k: usize| x + 1.0 - a + 2.0 * k as f64;
    0.5 * front / fraction(denominator(0), numerator, denominator)
}

/// The f that F with (a, b) degrees of freedom exceeds with probability 1 − `level`; NaN unless both are positive and 0 < level < 1.
pub(crate) fn f_quantile(a: f64, b: f64, level: f64) -> f64 {
    if !(a > 0.0 && b > 0.0 && level > 0.0 && level < 1.0) {
        return f64::NAN;
    }
    // By halving in x, on the side where it is small and nothing is lost of 1 − x.
    let (p, q) = (0.5 * a, 0.5 * b);
    let upper = incomplete_beta(p, q, 0.5) < level;
    let (p, q, level) = if upper {
        (q, p, 1.0 - level)
    } else {
        (p, q, level)
    };
    let (mut low, mut high) = (0.0, 0.5);
    loop {
        let x = 0.5 * (low + high);
        if x <= low || x >= high {
            break;
        }
        if incomplete_beta(p, q, x) < level {
            low = x;
        } else {
            high = x;
        }
    }
    // x/(1 − x) = af/b, or b/(af) on the other side.
    let odds = high / (1.0 - high);
    if upper { b / (a * odds) } else { b * odds / a }
}

/// I_x(p, q) for 0 ≤ x ≤ ½.
fn incomplete_beta(p: f64, q: f64, x: f64) -> f64 {
    if x == 0.0 {
        return 0.0;
    }
    if x > (p + 1.0) / (p + q + 2.0) {
        return 1.0 - beta_fraction(q, p, 1.0 - x, x);
    }
    beta_fraction(p, q, x, 1.0 - x)
}

/// I_x(p, q) by its continued fraction, which converges fast for x < (p+1)/(p+q+2); `rest` is 1 − x.
fn beta_fraction(p: f64, q: f64, x: f64, rest: f64) -> f64 {
    let beta = ln_gamma(p) + ln_gamma(q) - ln_gamma(p + q);
    let front = (p * x.ln() + q * rest.ln() - beta).exp() / p;
    let numerator = |k: usize| {
        let m = (k / 2) as f64;
        if k.is_multiple_of(2) {
            m * (q - m) * x / ((p + 2.0 * m - 1.0) * (p + 2.0 * m))
        } else {
            -(p + m) * (p + q + m) * x / ((p + 2.0 * m) * (p + 2.0 * m + 1.0))
        }
    };
    front / fraction(1.0, numerator, |_| 1.0)
}

/// b_0 + a_1/(b_1 + a_2/(b_2 + …)) by Lentz's method.
fn fraction(first: f64, a: impl Fn(usize) -> f64, b: impl Fn(usize) -> f64) -> f64 {
    let nonzero = |v: f64| if v.abs() < TINY { TINY } else { v };
    let (mut value, mut c, mut d) = (nonzero(first), nonzero(first), 0.0);
    for k in 1..MOST_TERMS {
        d = 1.0 / nonzero(b(k) + a(k) * d);
        c = nonzero(b(k) + a(k) / c);
        value *= c * d;
        if (c * d - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    value
}

/// ln Γ(z), z > 0: Stirling's series, after stepping up to where it is exact.
fn ln_gamma(z: f64) -> f64 {
    let mut steps = 1.0;
    let mut z = z;
    while z < 15.0 {
        steps *= z;
        z += 1.0;
    }
    let r = 1.0 / (z * z);
    let series =
        (1.0 / 12.0 - r * (1.0 / 360.0 - r * (1.0 / 1260.0 - r * (1.0 / 1680.0 - r / 1188.0)))) / z;
    (z - 0.5) * z.ln() - z + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - f64::ln(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64, bound: f64) {
        assert!((a - b).abs() <= bound * b.abs(), "{a} {b}");
    }

    /// Γ where it is known in closed form.
    #[test]
    fn gamma_of_halves_and_integers() {
        let mut factorial = 1.0f64;
        for n in 1..30 {
            near(ln_gamma(n as f64 + 1.0).exp(), factorial * n as f64, 1e-12);
            factorial *= n as f64;
        }
        near(ln_gamma(0.5), std::f64::consts::PI.sqrt().ln(), 1e-14);
    }

    /// From tables, and by adding both sides up.
    #[test]
    fn tails_of_the_normal_distribution() {
        for (z, tail) in [
            (0.0, 0.5),
            (1.0, 0.158_655_253_931_457_05),
            (1.959963984540054, 0.025),
            (3.0, 0.001_349_898_031_630_094_6),
            (6.0, 9.86587645037698e-10),
            (-1.0, 0.841_344_746_068_542_9),
            (f64::INFINITY, 0.0),
        ] {
            near(normal_tail(z), tail, 1e-12);
        }
        for i in 0..400 {
            // Series and fraction meet.
            let z = 0.01 * i as f64;
            assert!(normal_tail(z + 0.01) < normal_tail(z));
        }
    }

    /// F(2, b) and F(a, 2) are elementary, F(1, 1) is a tangent, F(a, b) turned over is F(b, a), and a table's value.
    #[test]
    fn quantiles_of_f() {
        for level in [0.01f64, 0.5, 0.9, 0.95, 0.999] {
            for b in [1.0f64, 7.0, 40.0, 1e4] {
                let closed = 0.5 * b * ((1.0 - level).powf(-2.0 / b) - 1.0);
                near(f_quantile(2.0, b, level), closed, 1e-9);
                near(1.0 / f_quantile(b, 2.0, 1.0 - level), closed, 1e-9);
            }
            let tangent = (0.5 * std::f64::consts::PI * level).tan().powi(2);
            near(f_quantile(1.0, 1.0, level), tangent, 1e-9);
        }
        near(f_quantile(5.0, 15.0, 0.95), 2.9012945362, 1e-9);
        near(f_quantile(10.0, 200.0, 0.95), 1.8782818596, 1e-9);
        assert!(f_quantile(3.0, 0.0, 0.95).is_nan());
    }
}
