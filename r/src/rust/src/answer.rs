//! Answers of the core as columns, by the names and in the order of the command line's tables; R makes data frames of them.

use adjoin::{Arc, Comparison, Jointly, Placements, Status, Strategy};
use extendr_api::prelude::*;

use crate::value::{list, matrix, named, numbers};

/// The word of a joint placement beside those of the strategies.
const JOINTLY: &str = "jointly";

/// Columns, in order.
#[derive(Default)]
pub struct Columns {
    names: Vec<String>,
    values: Vec<Robj>,
}

impl Columns {
    fn put(&mut self, name: impl Into<String>, values: Robj) {
        self.names.push(name.into());
        self.values.push(values);
    }

    fn texts<T: AsRef<str>>(&mut self, name: &str, values: impl IntoIterator<Item = T>) {
        let values: Vec<String> = values.into_iter().map(|v| v.as_ref().to_owned()).collect();
        self.put(name, values.into());
    }

    fn numbers(&mut self, name: &str, values: impl IntoIterator<Item = f64>) {
        self.put(name, numbers(values));
    }

    fn counts(&mut self, name: &str, values: impl IntoIterator<Item = usize>) {
        let values: Vec<i32> = values.into_iter().map(|v| v as i32).collect();
        self.put(name, values.into());
    }

    fn axes(&mut self, d: usize, count: usize, at: impl Fn(usize, usize) -> f64) {
        for a in 0..d {
            self.numbers(&format!("axis{}", a + 1), (0..count).map(|i| at(i, a)));
        }
    }

    pub fn into_list(self) -> Robj {
        named(self.names, self.values)
    }
}

/// Of all newcomers together: whether their places are proved to be the best, and how far they may be from them.
pub type Together = Option<(bool, Option<f64>)>;

/// `axis1…axisd, strategy, lambda, objective, residual, status, known, p, p_outside, p_inside`, and what follows.
pub fn placements(p: &Placements, together: Together) -> Robj {
    let (k, d) = (p.count(), p.dimensions);
    let mut columns = Columns::default();
    columns.axes(d, k, |i, a| p.point(i)[a]);
    columns.texts("strategy", vec![p.strategy.word(); k]);
    let each = |values: &[f64]| values.to_vec();
    columns.numbers("lambda", each(&p.lambda));
    columns.numbers("objective", each(&p.objective));
    columns.numbers("residual", each(&p.residual));
    columns.texts("status", p.status.iter().map(|s| s.word()));
    columns.counts("known", p.known.iter().copied());
    columns.numbers("p", each(&p.p));
    columns.numbers("p_outside", each(&p.p_outside));
    columns.numbers("p_inside", each(&p.p_inside));
    // Of stress only if a proof was asked for.
    let proved = p.strategy == Strategy::Stress && p.gap.iter().any(|gap| !gap.is_nan());
    if together.is_some() || proved || p.strategy == Strategy::Hyperplane {
        let proved = |i: usize| match together {
            Some((certified, _)) => Some(certified),
            None => p.certified(i),
        };
        let flags = (0..k).map(|i| proved(i).map_or(Rbool::na(), Rbool::from));
        columns.put("certified", flags.collect::<Logicals>().into());
        let gap = |i: usize| match together {
            Some((_, gap)) => gap.unwrap_or(f64::NAN),
            None => p.gap[i],
        };
        columns.numbers("gap", (0..k).map(gap));
    }
    for (name, values) in [
        ("share", &p.share),
        ("displacement", &p.displacement),
        ("p_nearest", &p.p_nearest),
        ("stationarity", &p.stationarity),
        ("margin", &p.margin),
        ("side", &p.side),
        ("jump", &p.jump),
        ("stretch", &p.stretch),
    ] {
        columns.numbers(name, each(values));
    }
    if p.strategy == Strategy::Stress {
        columns.numbers("relative_stress", each(&p.relative_stress));
    }
    columns.into_list()
}

/// What is between all newcomers together.
pub fn together(jointly: &Jointly) -> Together {
    Some((jointly.certified, jointly.gap))
}

/// The other minimisers: whose, and where.
pub fn alternatives(p: &Placements) -> Robj {
    let of: Vec<i32> = p.alternatives.iter().map(|(i, _)| *i as i32 + 1).collect();
    let places = p.alternatives.iter().flat_map(|(_, y)| y.iter().copied());
    let places: Vec<f64> = places.collect();
    let coordinates = matrix(&places, p.dimensions);
    list(vec![("of", of.into()), ("coordinates", coordinates)])
}

/// A sentence for each newcomer that has no place.
pub fn unplaced(p: &Placements, labels: &[String]) -> Vec<String> {
    let why = |i: usize| match p.status[i] {
        Status::NotApplicable => Some(format!(
            "{} does not apply, as its proximities are not Euclidean (residual {})",
            p.strategy.word(),
            p.residual[i]
        )),
        Status::TooFew => Some("too few of its proximities are known".to_owned()),
        _ => None,
    };
    let said = (0..p.count()).filter_map(|i| why(i).map(|why| (i, why)));
    said.map(|(i, why)| format!("newcomer {:?} is not placed: {why}", labels[i]))
        .collect()
}

/// `label, point, axis1…axisd, lambda, beta, position, status, known`, a row for each point; one for a newcomer without an arc.
pub fn arcs(d: usize, labels: &[String], arcs: &[Option<Arc>], ends: &Placements) -> Robj {
    let points = |arc: &Option<Arc>| arc.as_ref().map_or(1, |a| a.lambda.len());
    let rows: Vec<(usize, usize)> = (arcs.iter().enumerate())
        .flat_map(|(i, arc)| (0..points(arc)).map(move |j| (i, j)))
        .collect();
    let cell = |(i, j): (usize, usize), of: &dyn Fn(&Arc, usize) -> f64| {
        arcs[i].as_ref().map_or(f64::NAN, |arc| of(arc, j))
    };
    let each = |of: &dyn Fn(&Arc, usize) -> f64| -> Vec<f64> {
        rows.iter().map(|row| cell(*row, of)).collect()
    };
    let mut columns = Columns::default();
    columns.texts("label", rows.iter().map(|(i, _)| &labels[*i]));
    columns.counts("point", rows.iter().map(|(_, j)| j + 1));
    for a in 0..d {
        columns.numbers(&format!("axis{}", a + 1), each(&|arc, j| arc.point(j)[a]));
    }
    columns.numbers("lambda", each(&|arc, j| arc.lambda[j]));
    columns.numbers("beta", each(&|arc, j| arc.beta[j]));
    columns.numbers("position", each(&|arc, j| arc.position[j]));
    columns.texts("status", rows.iter().map(|(i, _)| ends.status[*i].word()));
    columns.counts("known", rows.iter().map(|(i, _)| ends.known[*i]));
    columns.into_list()
}

/// A row for each newcomer and strategy, all of them together last, by the columns of `adjoin compare`.
pub fn comparison(answer: &Comparison, labels: &[String]) -> Robj {
    let alone = answer.placements.iter().zip(&answer.distance_errors);
    let mut by: Vec<(&Placements, &str, &[f64])> =
        alone.map(|(p, e)| (p, p.strategy.word(), &e[..])).collect();
    if let Some((jointly, errors)) = &answer.jointly {
        by.push((&jointly.placements, JOINTLY, errors));
    }
    let rows: Vec<_> = (0..labels.len())
        .flat_map(|i| by.iter().map(move |(p, word, e)| (i, *p, *word, e[i])))
        .collect();
    let mut rank = vec![f64::NAN; labels.len()];
    for (at, &i) in answer.ranking.iter().enumerate() {
        rank[i] = at as f64 + 1.0;
    }
    let d = answer.placements.first().map_or(0, |p| p.dimensions);
    let mut columns = Columns::default();
    columns.texts("label", rows.iter().map(|(i, ..)| &labels[*i]));
    columns.axes(d, rows.len(), |r, a| rows[r].1.point(rows[r].0)[a]);
    columns.texts("strategy", rows.iter().map(|row| row.2));
    let each = |of: fn(&Placements) -> &[f64]| -> Vec<f64> {
        rows.iter().map(|(i, p, ..)| of(p)[*i]).collect()
    };
    columns.numbers("lambda", each(|p| &p.lambda));
    columns.numbers("objective", each(|p| &p.objective));
    columns.numbers("residual", each(|p| &p.residual));
    columns.texts("status", rows.iter().map(|(i, p, ..)| p.status[*i].word()));
    columns.counts("known", rows.iter().map(|(i, p, ..)| p.known[*i]));
    columns.numbers("distance_error", rows.iter().map(|row| row.3));
    columns.numbers("displacement", each(|p| &p.displacement));
    columns.numbers("share", each(|p| &p.share));
    columns.numbers("p", each(|p| &p.p));
    columns.numbers("p_outside", each(|p| &p.p_outside));
    columns.numbers("p_inside", each(|p| &p.p_inside));
    columns.numbers("p_nearest", each(|p| &p.p_nearest));
    columns.numbers("rank", rows.iter().map(|(i, ..)| rank[*i]));
    let says: Vec<String> = (labels.iter().enumerate())
        .map(|(i, label)| answer.sentence(i, label))
        .collect();
    columns.texts("says", rows.iter().map(|(i, ..)| &says[*i]));
    columns.into_list()
}
