//! `adjoin convert`: between the formats; a map gives the coordinates of its objects, features their proximities.

use adjoin::measure::{Measure, Measured};
use adjoin_formats::{Column, Frame, Matrix, is_map, read, read_features, read_map, read_texts};

use crate::args::{Common, Convert};
use crate::error::{Error, at};
use crate::family;
use crate::input;
use crate::table;
use crate::words::Words;

pub fn run(args: &Convert, common: &Common, words: &Words) -> Result<(), Error> {
    let measure = family::measure(&args.measuring)?;
    family::check_parameters(&args.measuring, false)?;
    let frame = if let Some(measure) = measure {
        Frame::of_matrix(&measured(args, measure, common, words)?)
    } else if is_map(&args.input) {
        let map = read_map(&args.input)?;
        let x = map.model.configuration();
        let mut columns = vec![(
            "label".to_owned(),
            Column::Text(map.model.labels().to_vec()),
        )];
        for (j, axis) in x.col_iter().enumerate() {
            let values = axis.iter().copied().collect();
            columns.push((format!("axis{}", j + 1), Column::Number(values)));
        }
        Frame {
            columns,
            eigenvalues: map.model.diagram().eigenvalues().to_vec(),
            proportions: table::proportions(map.model.diagram()),
        }
    } else {
        let matrix = read(&args.input, &input::options(&args.reading, common))?;
        if !matrix.labelled {
            words.say(format_args!(
                "{}: no labels, so objects are numbered",
                matrix.source
            ));
        }
        Frame::of_matrix(&matrix)
    };
    table::write(&frame, &args.output, common)
}

/// The proximities that a measure makes of a table of features.
fn measured(
    args: &Convert,
    measure: Measure,
    common: &Common,
    words: &Words,
) -> Result<Matrix, Error> {
    let options = input::options(&args.reading, common);
    let table = match measure.of_texts() {
        true => read_texts(&args.input, &options)?,
        false => read_features(&args.input, &options)?,
    };
    let watch = |p| words.progress(p);
    let labels = table.features.labels().to_vec();
    let values = Measured::new(measure, table.features)
        .and_then(|m| m.square(common.threads, Some(&watch)))
        .map_err(at(&table.source, &table.lines))?;
    words.done();
    Ok(Matrix {
        rows: labels.clone(),
        columns: labels,
        values,
        lines: table.lines,
        labelled: true,
        source: table.source,
        ..Default::default()
    })
}
