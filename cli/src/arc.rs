//! `adjoin arc`: newcomers → points along their arcs.

use adjoin::{Arc as Curve, PlaceSettings, Placements, Strategy};
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
    let remarks = map.remarks(&border, &ends, Some(labels));
    words.remark(&arrivals.source, &remarks);
    let mut frame = frame(map.dimensions(), labels, &curves, &ends);
    let points = curves.iter().map(points);
    let who = points.enumerate().flat_map(|(i, m)| vec![Some(i); m]);
    frame.columns.push(table::remarked(&remarks, who));
    table::write(frame, &args.output, common)?;
    let without = labels.iter().zip(&curves).filter(|(_, c)| c.is_none());
    let without: Vec<String> = without
        .map(|(label, _)| {
            format!("newcomer {label:?} has no arc: too few of its proximities are known")
        })
        .collect();
    Ok(table::incomplete(&without))
}

/// Rows for a curve: one for a newcomer that has none.
fn points(curve: &Option<Curve>) -> usize {
    curve.as_ref().map_or(1, |c| c.lambda.len())
}

/// `label, point, axis1…axisd, lambda, beta, position, status, known`, a row for each point.
fn frame(d: usize, labels: &[String], curves: &[Option<Curve>], ends: &Placements) -> Frame {
    let mut label = Vec::new();
    let mut point = Vec::new();
    let mut axes = vec![Vec::new(); d];
    let [mut lambda, mut beta, mut position] = [const { Vec::new() }; 3];
    let mut status = Vec::new();
    let mut known = Vec::new();
    for (i, (name, curve)) in labels.iter().zip(curves).enumerate() {
        for j in 0..points(curve) {
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
            status.push(ends.status[i].word().to_owned());
            known.push(ends.known[i] as u64);
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
    columns.push(("known".to_owned(), Column::Count(known)));
    Frame {
        columns,
        ..Default::default()
    }
}
