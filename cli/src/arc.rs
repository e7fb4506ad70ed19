//! `adjoin arc`: newcomers → points along their arcs.

use adjoin::arc::Arc as Curve;
use adjoin::model::Bordered;
use adjoin::place::Settings;
use adjoin::placement::{Placements, Status, Strategy};
use adjoin::streaming::Streamed;
use adjoin_formats::{Column, Frame};

use crate::args::{Arc, Common};
use crate::error::{Error, at};
use crate::input::{self, Wanted};
use crate::table;
use crate::words::Words;

pub fn run(args: &Arc, common: &Common, words: &Words) -> Result<u8, Error> {
    if args.points < 2 {
        return Err(Error::Usage(format!(
            "found --points {}, expected at least 2",
            args.points
        )));
    }
    let (map, mut arrivals) = input::arrivals(&args.new, None, Wanted::Blocks, common, words)?;
    let model = &map.model;
    let watch = |p| words.progress(p);
    let settings = Settings {
        strategy: Strategy::Reconstruct,
        threads: common.threads,
        watch: Some(&watch),
        ..Default::default()
    };
    let mut curves: Vec<(Option<Curve>, Status)> = Vec::new();
    let mut draw = |(border, ends): (Bordered, Placements)| {
        let arcs = model.arcs_of(&border, args.points)?;
        curves.extend(arcs.into_iter().zip(ends.status));
        Ok(())
    };
    if let Some(features) = arrivals.features() {
        let wrong = at(&arrivals.source, &arrivals.lines);
        let weights = arrivals.weights.as_deref();
        let bordered = match weights {
            None => model.place_features_bordered(features, &settings),
            Some(_) => model.by_features(features, |streamed| {
                let weighted = Streamed {
                    weights,
                    ..*streamed
                };
                model.place_bordered(&weighted, &settings)
            }),
        };
        bordered.and_then(&mut draw).map_err(wrong)?;
    } else {
        arrivals.each_block(|_, newcomers| {
            let block = input::streamed_block(newcomers);
            draw(model.place_bordered(&block, &settings)?)
        })?;
    }
    words.done();
    let labels = &arrivals.labels;
    table::write(
        &frame(model.diagram().dimensions(), labels, &curves),
        &args.output,
        common,
    )?;
    let unplaced = labels.iter().zip(&curves).filter(|(_, (c, _))| c.is_none());
    let mut code = 0;
    for (label, _) in unplaced {
        crate::words::put(format_args!(
            "adjoin: newcomer {label:?} has no arc: too few of its proximities are known"
        ));
        code = crate::INCOMPLETE;
    }
    Ok(code)
}

/// `label, point, axis1…axisd, lambda, beta, position, status`, a row for each point.
fn frame(d: usize, labels: &[String], curves: &[(Option<Curve>, Status)]) -> Frame {
    let mut label = Vec::new();
    let mut point = Vec::new();
    let mut axes = vec![Vec::new(); d];
    let [mut lambda, mut beta, mut position] = [const { Vec::new() }; 3];
    let mut status = Vec::new();
    for (name, (curve, end)) in labels.iter().zip(curves) {
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
