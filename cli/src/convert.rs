//! `adjoin convert`: between the formats; a map gives the coordinates of its objects.

use adjoin_formats::{Column, Frame, is_map, read, read_map};

use crate::args::{Common, Convert};
use crate::error::Error;
use crate::input;
use crate::table;
use crate::words::Words;

pub fn run(args: &Convert, common: &Common, words: &Words) -> Result<(), Error> {
    let frame = if is_map(&args.input) {
        let map = read_map(&args.input)?;
        let x = map.diagram.configuration();
        let mut columns = vec![(
            "label".to_owned(),
            Column::Text(map.diagram.labels().to_vec()),
        )];
        for (j, axis) in x.col_iter().enumerate() {
            let values = axis.iter().copied().collect();
            columns.push((format!("axis{}", j + 1), Column::Number(values)));
        }
        Frame {
            columns,
            eigenvalues: map.diagram.eigenvalues().to_vec(),
            proportions: table::proportions(&map.diagram),
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
