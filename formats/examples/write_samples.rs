//! Writes one table in every format, and one map, for other programs to read back:
//! `tests/read_back.py FOLDER` checks that they find the same numbers.

use std::collections::BTreeMap;
use std::path::Path;

use adjoin::{Entries, FitSettings, Kind, Map, Objects, Run, Square};
use adjoin_formats::{Column, Frame, MapFile, write_frame_to, write_map};
use faer::Mat;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args()
        .nth(1)
        .ok_or("found no folder, expected one to write to")?;
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    let frame = Frame {
        columns: vec![
            (
                "label".into(),
                Column::Text(vec!["a".into(), "b, \"two\"".into(), "Ω 3".into()]),
            ),
            (
                "axis1".into(),
                Column::Number(vec![0.1, -1e-300, 1.0 / 3.0]),
            ),
            (
                "axis2".into(),
                Column::Number(vec![2.0, 123456789.125, -0.0]),
            ),
            ("lambda".into(), Column::Number(vec![0.0, f64::NAN, 2.5])),
            (
                "certified".into(),
                Column::Flag(vec![Some(true), None, Some(false)]),
            ),
            ("minimiser".into(), Column::Count(vec![1, 2, 3])),
        ],
        eigenvalues: vec![3.5, 2.25, 1.0],
        proportions: vec![0.5, 0.25, 0.1],
        variables: vec![("pH".into(), vec![0.25, -1.5])],
    };
    for extension in ["tsv", "csv", "json", "npy", "parquet", "ordination"] {
        write_frame_to(&frame, &folder.join(format!("sample.{extension}")))?;
    }
    // Four corners of a rectangle of 3 × 4.
    let corners: [(f64, f64); 4] = [(0.0, 0.0), (3.0, 0.0), (3.0, 4.0), (0.0, 4.0)];
    let distances = Mat::from_fn(4, 4, |i, j| {
        (corners[i].0 - corners[j].0).hypot(corners[i].1 - corners[j].1)
    });
    let square = Square {
        entries: Entries::Doubles(distances.as_ref()),
        kind: Kind::Dissimilarity,
        labels: None,
        made_of: None,
    };
    let fitted = Map::fit(Objects::Square(square), &FitSettings::default(), Run::on(1))?;
    let file = MapFile {
        map: fitted.map,
        settings: BTreeMap::new(),
        provenance: None,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    write_map(&file, &folder.join("sample.adjoin"))?;
    Ok(())
}
