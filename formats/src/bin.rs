//! Binary matrices without a header, as PLINK and GCTA write them: numbers of four or eight bytes, little endian, a
//! square or the lower half of one, and the objects in a list of ids beside it.
//!
//! Nothing in the file says how many objects there are, how wide a number is or whether it is a triangle: the ids say the
//! first, and with it the file's length says the rest. GCTA's `.grm.bin` is the lower half with its diagonal in single
//! precision.

use std::io::Read;
use std::path::Path;

use crate::error::{Error, name_of};
use crate::matrix::Matrix;
use crate::raw::{Number, decode};
use crate::source::open;
use crate::triangle::Half;
use crate::unlabelled::{self, Names};

/// Bytes read at a time.
const CHUNK: usize = 1 << 20;

/// Which numbers a file holds; `None` is all of them.
type Shape = Option<Half>;

/// Reads a whole matrix.
pub(crate) fn read(path: &Path, names: Option<Names>) -> Result<Matrix, Error> {
    let source = name_of(path);
    let Some(names) = names else {
        return Err(Error::mismatch(
            &source,
            None,
            "a binary matrix without the list of its objects",
            "a file .id beside it (such as x.grm.id beside x.grm.bin), or --labels FILE",
        ));
    };
    let mut file = open(path)?;
    let length = file.metadata().map_err(|e| Error::read(&source, e))?.len();
    let n = names.labels.len();
    let (shape, number) = layout(path, n, length).ok_or_else(|| {
        Error::mismatch(
            &source,
            None,
            format!("{length} bytes"),
            format!(
                "numbers of 4 or 8 bytes, a square or a triangle of the {n} objects in {}",
                names.file
            ),
        )
    })?;
    let mut values = Vec::with_capacity(length as usize / number.size());
    let mut bytes = vec![0; CHUNK];
    let mut left = length as usize;
    while left > 0 {
        let now = &mut bytes[..left.min(CHUNK)];
        file.read_exact(now).map_err(|e| Error::read(&source, e))?;
        decode(now, number, false, &mut values);
        left -= now.len();
    }
    match shape {
        Some(half) => unlabelled::of_half(values, half, n, Some(&names), &source),
        None => {
            unlabelled::mirror_if_lower(&mut values, n);
            unlabelled::matrix(values, (n, n), Some(&names), &source)
        }
    }
}

/// What n objects and so many bytes can only be. Three objects leave one doubt, which GCTA's name settles.
fn layout(path: &Path, n: usize, length: u64) -> Option<(Shape, Number)> {
    let half = |diagonal| Half {
        lower: true,
        diagonal,
    };
    let cells = |shape: Shape| match shape {
        None => n.checked_mul(n),
        Some(Half { diagonal: true, .. }) => n.checked_mul(n + 1).map(|c| c / 2),
        Some(_) => n.checked_mul(n.saturating_sub(1)).map(|c| c / 2),
    };
    let shapes = [None, Some(half(true)), Some(half(false))];
    let fits: Vec<(Shape, Number)> = shapes
        .into_iter()
        .flat_map(|shape| [(shape, Number::F32), (shape, Number::F64)])
        .filter(|&(shape, number)| {
            let bytes = cells(shape).and_then(|c| (c as u64).checked_mul(number.size() as u64));
            bytes == Some(length) && length > 0
        })
        .collect();
    let gcta = path.to_string_lossy().ends_with(".grm.bin");
    match fits[..] {
        [one] => Some(one),
        [..] if gcta => fits
            .into_iter()
            .find(|f| *f == (Some(half(true)), Number::F32)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_says_what_it_is_but_for_three_objects() {
        let lower = |diagonal| {
            Some(Half {
                lower: true,
                diagonal,
            })
        };
        let plink = Path::new("x.rel.bin");
        for n in [2_usize, 4, 5, 100, 5000] {
            let m = n as u64;
            assert_eq!(layout(plink, n, 8 * m * m), Some((None, Number::F64)));
            assert_eq!(layout(plink, n, 4 * m * m), Some((None, Number::F32)));
            let with = m * (m + 1) / 2;
            assert_eq!(layout(plink, n, 4 * with), Some((lower(true), Number::F32)));
            assert_eq!(layout(plink, n, 8 * with), Some((lower(true), Number::F64)));
            assert_eq!(layout(plink, n, 8 * m * m + 1), None);
        }
        assert_eq!(layout(plink, 3, 24), None);
        let gcta = layout(Path::new("x.grm.bin"), 3, 24);
        assert_eq!(gcta, Some((lower(true), Number::F32)));
    }
}
