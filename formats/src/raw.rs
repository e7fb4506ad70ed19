//! Numbers as they are stored in binary files: of any width and either byte order.

/// How a number is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Number {
    /// Half precision.
    F16,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
    /// Whole numbers of so many bytes, with a sign.
    Signed(usize),
    /// The same without one.
    Unsigned(usize),
}

impl Number {
    /// Bytes of one number.
    pub fn size(self) -> usize {
        match self {
            Number::F16 => 2,
            Number::F32 => 4,
            Number::F64 => 8,
            Number::Signed(size) | Number::Unsigned(size) => size,
        }
    }
}

/// Appends the numbers in `bytes`, each as the nearest double.
pub(crate) fn decode(bytes: &[u8], number: Number, big: bool, out: &mut Vec<f64>) {
    // One loop for each type, so that each compiles to straight conversions.
    macro_rules! each {
        ($type:ty) => {
            out.extend(bytes.as_chunks().0.iter().map(|b| {
                let x = if big {
                    <$type>::from_be_bytes(*b)
                } else {
                    <$type>::from_le_bytes(*b)
                };
                x as f64
            }))
        };
    }
    match number {
        Number::F64 => each!(f64),
        Number::F32 => each!(f32),
        Number::F16 => out.extend(bytes.as_chunks().0.iter().map(|b| {
            half(if big {
                u16::from_be_bytes(*b)
            } else {
                u16::from_le_bytes(*b)
            })
        })),
        Number::Signed(1) => each!(i8),
        Number::Signed(2) => each!(i16),
        Number::Signed(4) => each!(i32),
        Number::Signed(_) => each!(i64),
        Number::Unsigned(1) => each!(u8),
        Number::Unsigned(2) => each!(u16),
        Number::Unsigned(4) => each!(u32),
        Number::Unsigned(_) => each!(u64),
    }
}

/// A number of half precision.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> 10 & 31);
    let fraction = f64::from(bits & 1023) / 1024.0;
    sign * match exponent {
        0 => fraction * 2f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        e => (1.0 + fraction) * 2f64.powi(e - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision_is_exact() {
        assert_eq!(half(0x3c00), 1.0);
        assert_eq!(half(0xc500), -5.0);
        assert_eq!(half(0x0001), 2f64.powi(-24));
        assert_eq!(half(0x7bff), 65504.0);
        assert!(half(0x7e00).is_nan());
    }
}
