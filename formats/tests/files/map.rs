use std::collections::BTreeMap;

use adjoin::settings::{Axes, Correcting, Origin};
use adjoin::{Entries, FitSettings, Kind, Map, Objects, Run, Square};
use adjoin_formats::{
    Error, MapFault, MapFile, Provenance, is_map, map_from_bytes, map_to_bytes, read_map, write_map,
};
use faer::MatRef;
use safetensors::SafeTensors;

use crate::{Scratch, fixture, message, numbers, read};

fn map(settings: FitSettings) -> MapFile {
    let matrix = read(&fixture("skbio.lsmat")).unwrap();
    let n = matrix.rows.len();
    let square = Square {
        entries: Entries::Doubles(MatRef::from_row_major_slice(&matrix.values, n, n)),
        kind: Kind::Dissimilarity,
        labels: Some(matrix.rows.clone()),
        made_of: None,
    };
    let fitted = Map::fit(Objects::Square(square), &settings, Run::on(1));
    MapFile {
        map: fitted.unwrap().map,
        settings: BTreeMap::from([
            ("dimensions".into(), "2".into()),
            ("metric".into(), "say \"x\"".into()),
        ]),
        provenance: Some(Provenance {
            name: "skbio.lsmat".into(),
            size: 645,
            sha256: "0".repeat(64),
        }),
        version: "0.1.0".into(),
    }
}

fn plain() -> MapFile {
    map(FitSettings::default())
}

#[test]
fn a_map_is_read_back_to_the_bit() {
    let scratch = Scratch::new();
    let path = scratch.path("six.adjoin");
    let weights = vec![0.5, 0.1, 0.1, 0.1, 0.1, 0.1];
    for file in [
        plain(),
        map(FitSettings {
            axes: Axes::Count(3),
            origin: Origin::Weights(weights),
            ..FitSettings::default()
        }),
        map(FitSettings {
            axes: Axes::Count(3),
            correction: Correcting::Lingoes,
            ..FitSettings::default()
        }),
    ] {
        write_map(&file, &path).unwrap();
        assert!(is_map(&path));
        let back = read_map(&path).unwrap();
        let (ours, theirs) = (back.map.diagram().parts(), file.map.diagram().parts());
        // Residuals may be NaN, which equals nothing: they are compared by their bits.
        let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        let (own, other) = (&ours.leave_one_out, &theirs.leave_one_out);
        assert_eq!(bits(&own.residuals), bits(&other.residuals));
        assert_eq!(bits(&own.places), bits(&other.places));
        assert_eq!(bits(&own.shifts), bits(&other.shifts));
        assert_eq!((&own.poles, own.form), (&other.poles, other.form));
        assert_eq!(own.nearest, other.nearest);
        assert_eq!(ours.configuration, theirs.configuration);
        assert_eq!(ours.centring, theirs.centring);
        assert_eq!(ours.summary, theirs.summary);
        assert_eq!(
            (&ours.labels, ours.kind, ours.correction),
            (&theirs.labels, theirs.kind, theirs.correction)
        );
        assert_eq!(
            (&ours.eigenvalues, ours.given),
            (&theirs.eigenvalues, theirs.given)
        );
        assert_eq!(
            (back.settings, back.provenance, back.version),
            (file.settings, file.provenance, file.version)
        );
    }
}

#[test]
fn equal_maps_are_equal_files_and_safetensors_reads_them() {
    let scratch = Scratch::new();
    let (a, b) = (scratch.path("a.adjoin"), scratch.path("b.adjoin"));
    write_map(&plain(), &a).unwrap();
    write_map(&plain(), &b).unwrap();
    let bytes = std::fs::read(&a).unwrap();
    assert_eq!(bytes, std::fs::read(&b).unwrap());
    let tensors = SafeTensors::deserialize(&bytes).unwrap();
    let configuration = tensors.tensor("configuration").unwrap();
    assert_eq!(configuration.shape(), [6, 2]);
    let first = f64::from_le_bytes(configuration.data()[..8].try_into().unwrap());
    assert_eq!(first, plain().map.diagram().configuration()[(0, 0)]);
    assert_eq!(tensors.tensor("row_means").unwrap().shape(), [6]);
    let (_, metadata) = SafeTensors::read_metadata(&bytes).unwrap();
    assert_eq!(metadata.metadata().as_ref().unwrap().len(), 1);
    // Nothing of the n × n proximities is in the file.
    let expected = numbers("square.bin")[1].to_le_bytes();
    assert!(!bytes.windows(8).any(|w| w == expected));
}

#[test]
fn every_truncation_is_refused() {
    let scratch = Scratch::new();
    let path = scratch.path("six.adjoin");
    write_map(&plain(), &path).unwrap();
    let whole = std::fs::read(&path).unwrap();
    for length in 0..whole.len() {
        std::fs::write(&path, &whole[..length]).unwrap();
        match read_map(&path) {
            Err(Error::Map { fault, .. }) => {
                assert!(
                    length <= 8 || fault == MapFault::Truncated,
                    "{length}: {fault:?}"
                );
            }
            other => panic!("{length}: {other:?}"),
        }
    }
}

#[test]
fn every_flipped_bit_is_refused() {
    let scratch = Scratch::new();
    let path = scratch.path("six.adjoin");
    write_map(&plain(), &path).unwrap();
    let whole = std::fs::read(&path).unwrap();
    for bit in (0..8 * whole.len()).step_by(11) {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(&path, &bytes).unwrap();
        assert!(
            matches!(read_map(&path), Err(Error::Map { .. })),
            "bit {bit}"
        );
    }
}

#[test]
fn what_is_no_map_is_named() {
    let scratch = Scratch::new();
    let path = scratch.path("six.adjoin");
    let expected = "expected a map made by adjoin fit";
    for (file, found) in [
        ("skbio.lsmat", "text"),
        ("f8.npy", "a NumPy array"),
        ("distances.qza", "a zip archive"),
        ("skbio.lsmat.gz", "a gzip file"),
    ] {
        std::fs::copy(fixture(file), &path).unwrap();
        assert!(!is_map(&path));
        assert_eq!(
            message(read_map(&path).unwrap_err()),
            format!("six.adjoin: found {found}, {expected}")
        );
    }
    std::fs::write(&path, b"\x08\0\0\0\0\0\0\0{\"a\":{}}").unwrap();
    assert_eq!(
        message(read_map(&path).unwrap_err()),
        format!("six.adjoin: found a safetensors file of another program, {expected}")
    );
    std::fs::write(&path, b"").unwrap();
    assert_eq!(
        message(read_map(&path).unwrap_err()),
        format!("six.adjoin: found an empty file, {expected}")
    );
    assert_eq!(
        message(read_map(&scratch.path("none")).unwrap_err()),
        "none: found no such file, expected a file that can be read"
    );
    write_map(&plain(), &path).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(
        message(read_map(&path).unwrap_err()),
        "six.adjoin: found a damaged map (its checksum does not fit), expected a whole and unchanged map"
    );
    std::fs::write(&path, &bytes[..1000]).unwrap();
    assert_eq!(
        message(read_map(&path).unwrap_err()),
        "six.adjoin: found a map that is cut short after 1000 bytes, expected a whole and unchanged map"
    );
}

/// The bytes of a map are those of its file, both ways, and as well guarded.
#[test]
fn a_map_as_bytes_is_its_file() {
    let scratch = Scratch::new();
    let path = scratch.path("map.adjoin");
    write_map(&plain(), &path).unwrap();
    let bytes = map_to_bytes(&plain()).unwrap();
    assert_eq!(bytes, std::fs::read(&path).unwrap());
    let again = map_from_bytes(bytes.clone(), "memory").unwrap();
    assert_eq!(again.map.diagram().parts(), plain().map.diagram().parts());
    let cut = map_from_bytes(bytes[..bytes.len() - 1].to_vec(), "memory");
    assert!(message(cut.unwrap_err()).starts_with("memory: found"));
}
