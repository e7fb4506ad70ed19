//! Maps: damaged ones are refused, and those whose checksum is right though their content is not do no harm.

use std::ops::Range;

use adjoin::{Newcomers, PlaceSettings, Run, Strategy};
use adjoin_formats::{MapFile, map_from_bytes, map_to_bytes};
use faer::Mat;
use sha2::{Digest, Sha256};

use crate::memory::{allowed, within};
use crate::readers::message;

const CHECKSUM: Range<usize> = 51..115;
const LENGTH: Range<usize> = 131..151;

/// The same file with a seal that fits it.
fn sealed(data: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = data.to_vec();
    let length = format!("{:020}", bytes.len());
    bytes.get_mut(LENGTH)?.copy_from_slice(length.as_bytes());
    bytes[CHECKSUM].fill(b'0');
    let digest = Sha256::digest(&bytes);
    let digits: String = digest.iter().map(|b| format!("{b:02x}")).collect();
    bytes[CHECKSUM].copy_from_slice(digits.as_bytes());
    Some(bytes)
}

/// Maps of adjoin.
pub fn map(data: &[u8]) {
    within(allowed(data.len()), || {
        for bytes in [Some(data.to_vec()), sealed(data)].into_iter().flatten() {
            match map_from_bytes(bytes, "f.adjoin") {
                Ok(file) => used(&file),
                Err(error) => message(&error),
            }
        }
    });
}

/// Whatever a map says, asking it is safe, and it can be written again.
fn used(file: &MapFile) {
    let map = &file.map;
    let n = map.references().len();
    let new = Mat::from_fn(2, n, |i, j| ((3 * i + 5 * j) % 7) as f64);
    let ones = [1.0; 2];
    let newcomers = Newcomers {
        self_similarity: Some(&ones),
        ..Newcomers::new(new.as_ref())
    };
    for strategy in Strategy::ALL {
        let _ = map.place(&newcomers, &PlaceSettings::by(strategy), Run::on(1));
    }
    let _ = map.footing();
    let _ = map.suggested_axes();
    let again = map_to_bytes(file).expect("what was read can be written");
    let again = map_from_bytes(again, "again").expect("what was written can be read");
    assert_eq!(again.map.labels(), map.labels());
}
