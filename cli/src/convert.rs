//! `adjoin convert`: between the formats; a map gives the coordinates of its objects, features their proximities.

use adjoin::measure::{Measure, Measured};
use adjoin_formats::{Column, Frame, Matrix, OutputFormat, is_map, read_map};

use crate::args::{Common, Convert};
use crate::error::{Error, at};
use crate::input;
use crate::table;
use crate::variables;
use crate::words::Words;

pub fn run(args: &Convert, common: &Common, words: &Words) -> Result<(), Error> {
    let measure = args.measuring.measure()?;
    if args.measuring.heat().is_some() {
        return Err(Error::Usage(
            "found --gamma without a kernel, expected the kernel that it is a parameter of too"
                .into(),
        ));
    }
    variables::check(args.variables.as_deref(), &args.output)?;
    if OutputFormat::of(&args.output)? == OutputFormat::Ordination
        && (measure.is_some() || !is_map(&args.input))
    {
        return Err(Error::Usage(format!(
            "found OUT {} for proximities, expected a map to take coordinates from: an ordination holds coordinates",
            args.output.display()
        )));
    }
    let frame = if let Some(measure) = measure {
        Frame::of_matrix(&measured(args, measure, common, words)?)
    } else if is_map(&args.input) {
        let map = read_map(&args.input)?.map;
        let labels = Column::Text(map.labels().to_vec());
        let mut columns = vec![("label".to_owned(), labels)];
        for (j, axis) in map.configuration().col_iter().enumerate() {
            let values = axis.iter().copied().collect();
            columns.push((format!("axis{}", j + 1), Column::Number(values)));
        }
        Frame {
            columns,
            eigenvalues: map.diagram().eigenvalues().to_vec(),
            proportions: map.proportions(),
            variables: variables::scores(args.variables.as_deref(), Some(&map))?,
        }
    } else {
        let mut options = args.reading.options(common);
        options.adapt.transform = args.transforming.transform;
        let matrix = input::proximities(&args.input, &options, words)?;
        if !matrix.labelled {
            words.say_numbered(&matrix.source);
        }
        Frame::of_matrix(&matrix)
    };
    table::write(frame, &args.output, common)
}

/// The proximities that a measure makes of a table of features.
fn measured(
    args: &Convert,
    measure: Measure,
    common: &Common,
    words: &Words,
) -> Result<Matrix, Error> {
    let options = args.reading.options(common);
    if args.transforming.transform.is_some() {
        return Err(Error::Usage(input::TRANSFORMED_FEATURES.into()));
    }
    let table = input::features(&args.input, Some(&measure), &options, words)?;
    let watch = |p| words.progress(p);
    let labels = table.features.labels().to_vec();
    let values = Measured::new(measure, table.features)
        .and_then(|m| m.square(common.run(&watch)))
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
