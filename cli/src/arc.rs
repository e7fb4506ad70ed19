//! `adjoin arc`: newcomers → points along their arcs.

use adjoin::{Arc as Curve, PlaceSettings, Status, Strategy};
use adjoin_formats::{Column, Frame};

use crate::args::{Arc, Common};
use crate::error::Error;
use crate::input::{self, wrong};
use crate::table;
use crate::words::Words;

pub fn run(args: &Arc, common: &Common, words: &Words) -> Result<u8, Error> {
    if args.points < 2 {
        return Err(Error::Usage(format!(
            "found --points {}, expected at least 2",
            args.points
        )));
    }
    let (file, arrivals) = input::on_map(&args.new, None, common, words)?;
    let map = &file.map;
    let watch = |p| words.progress(p);
    let how = PlaceSettings::by(Strategy::Reconstruct);
    let placed = map.place(&arrivals.newcomers(), &how, common.run(&watch));
    let (border, ends) = placed.map_err(wrong(&arrivals))?;
    let curves: Result<Vec<Option<Curve>>, _> = (0..border.count())
        .map(|i| map.arc(&border, i, args.points))
        .collect();
    let curves = curves.map_err(wrong(&arrivals))?;
    words.done();
    let labels = &arrivals.labels;
    let frame = frame(map.dimensions(), labels, &curves, &ends.status);
    table::write(&frame, &args.output, common)?;
    let without = labels.iter().zip(&curves).filter(|(_, c)| c.is_none());
    let without: Vec<String> = without
        .map(|(label, _)| {
            format!("newcomer {label:?} has no arc: too few of its proximities are known")
        })
        .collect();
    Ok(table::incomplete(&without))
}

/// `label, point, axis1…axisd, lambda, beta, position, status`, a row for each point.
fn frame(d: usize, labels: &[String], curves: &[Option<Curve>], ends: &[Status]) -> Frame {
    let mut label = Vec::new();
    let mut point = Vec::new();
    let mut axes = vec![Vec::new(); d];
    let [mut lambda, mut beta, mut position] = [const { Vec::new() }; 3];
    let mut status = Vec::new();
    for ((name, curve), end) in labels.iter().zip(curves).zip(ends) {
        let count = curve.as_ref().map_or(1, |c| c.lambda.len());
        for j in 0..count {
            label.push(name.clone());
            point.push(j as u64 + 1);
            let cell =
                |values: fn(&Curve) -> &Vec<f64>| curve.as_ref().map_or(f64::NAN, |c| values(c)[j]);
            lambda.push(cell(|c| &c.lambda));
            beta.push(cell(|c| &c.beta));
            position.push(cell(|c| &c.position));
            for (l, axis) in axes.iter_mut().enumerate() {
                axis.push(curve.as_ref().map_or(f64::NAN, |c| c.point(j)[l]));
            }
            status.push(end.word().to_owned());
        }
    }
    let mut columns = vec![
        ("label".to_owned(), Column::Text(label)),
        ("point".to_owned(), Column::Count(point)),
    ];
    for (l, axis) in axes.into_iter().enumerate() {
        columns.push((format!("axis{}", l + 1), Column::Number(axis)));
    }
    for (name, values) in [("lambda", lambda), ("beta", beta), ("position", position)] {
        columns.push((name.to_owned(), Column::Number(values)));
    }
    columns.push(("status".to_owned(), Column::Text(status)));
    Frame {
        columns,
        ..Default::default()
    }
}
