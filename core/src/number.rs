//! Numbers in messages: as short as they can be without becoming another number.

/// Beyond this many digits before the point, or zeros behind it, a number is written with its power of ten.
const LONGEST: i32 = 15;
const SMALLEST: i32 = -5;

/// `v` to the last bit, with a power of ten where it would otherwise be long: `0.1`, `1e200`, `-2.2e-16`.
pub fn exact(v: f64) -> String {
    written(v, format!("{v}"), format!("{v:e}"))
}

/// `v` to four digits.
pub fn rounded(v: f64) -> String {
    let short: f64 = format!("{v:.3e}").parse().unwrap_or(v);
    exact(short)
}

fn written(v: f64, plain: String, powers: String) -> String {
    let size = v.abs();
    let long = size >= 10f64.powi(LONGEST) || size < 10f64.powi(SMALLEST);
    if v.is_finite() && v != 0.0 && long {
        powers
    } else {
        plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_themselves() {
        for (v, text) in [
            (0.0, "0"),
            (-2.5, "-2.5"),
            (1e200, "1e200"),
            (-2.220446049250313e-16, "-2.220446049250313e-16"),
            (123456.0, "123456"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(exact(v), text);
        }
        assert_eq!(rounded(1.0 / 3.0), "0.3333");
        assert_eq!(rounded(1.0 / 3e20), "3.333e-21");
        assert_eq!(rounded(-1234567.0), "-1235000");
        for v in [1.0 / 3.0, 5e-324, f64::MAX, 1e15 / 7.0] {
            assert_eq!(exact(v).parse(), Ok(v));
        }
    }
}
