//! Answers of the core as columns, by the names and in the order of the command line's tables; R makes data frames of them.

use adjoin::table::{self, Asked, Cell, Holds};
use adjoin::{
    Arc, Assessment, Comparison, Evaluation, Grouped, MEASURES, Map, Neighbours, Placements,
    Refitted, Status,
};
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

/// What was asked of places, as far as it is seen in their columns.
#[derive(Default)]
pub struct Told {
    /// Whether a proof beside the margin was asked for.
    pub proved: bool,
    /// Whether it was asked how certain they are.
    pub uncertain: bool,
    /// Of all newcomers together: whether their places are proved to be the best, and how far they may be from them.
    pub jointly: Option<(bool, Option<f64>)>,
}

/// `axis1…axisd`, then the core's own list of columns.
pub fn placements(p: &Placements, told: &Told) -> Columns {
    let (k, d) = (p.count(), p.dimensions);
    let asked = Asked {
        strategy: p.strategy,
        dimensions: d,
        proved: told.proved,
        uncertain: told.uncertain,
    };
    let mut columns = Columns::default();
    columns.axes(d, k, |i, a| p.point(i)[a]);
    for column in table::columns(&asked) {
        let cell = |i: usize| match (&column.name[..], told.jointly) {
            ("certified", Some((certified, _))) => Cell::Flag(Some(certified)),
            ("gap", Some((_, gap))) => Cell::Number(gap.unwrap_or(f64::NAN)),
            _ => column.cell(p, i),
        };
        let cells = (0..k).map(cell);
        match column.holds {
            Holds::Word => columns.texts(
                &column.name,
                cells.map(|cell| match cell {
                    Cell::Word(word) => word,
                    _ => "",
                }),
            ),
            Holds::Flag => {
                let flag = |cell| match cell {
                    Cell::Flag(Some(flag)) => Rbool::from(flag),
                    _ => Rbool::na(),
                };
                let flags = cells.map(flag).collect::<Logicals>();
                columns.put(&column.name, flags.into());
            }
            Holds::Count => columns.counts(
                &column.name,
                cells.map(|cell| match cell {
                    Cell::Count(count) => count,
                    _ => 0,
                }),
            ),
            _ => columns.numbers(
                &column.name,
                cells.map(|cell| match cell {
                    Cell::Number(number) => number,
                    _ => f64::NAN,
                }),
            ),
        }
    }
    columns
}

impl Columns {
    /// Who is nearest as given, how near, and how near on the map.
    pub fn neighbours(&mut self, neighbours: &Neighbours, p: &Placements, map: &Map) {
        let (k, count, x) = (p.count(), neighbours.count, map.configuration());
        for place in 0..count {
            let object = |i: usize| neighbours.objects[i * count + place];
            let name = |i: usize| object(i).map(|j| map.labels()[j].clone());
            let name = (0..k).map(|i| name(i).map_or(Rstr::na(), Rstr::from));
            let shown = |i: usize| {
                let to = |j: usize| distance(x.row(j).iter().copied(), p.point(i));
                object(i).map_or(f64::NAN, to)
            };
            let number = place + 1;
            self.put(format!("nearest{number}"), name.collect::<Strings>().into());
            let given = (0..k).map(|i| neighbours.given[i * count + place]);
            self.numbers(&format!("nearest{number}_given"), given);
            self.numbers(&format!("nearest{number}_shown"), (0..k).map(shown));
        }
    }

    /// The group that is voted for, what the vote is worth, and every group's share and distance.
    pub fn groups(&mut self, grouped: &Grouped) {
        let (k, count) = (grouped.group.len(), grouped.groups.len());
        let name = |i: usize| match grouped.group[i] {
            Some(g) => Rstr::from(grouped.groups[g].as_str()),
            None => Rstr::na(),
        };
        self.put("group", (0..k).map(name).collect::<Strings>().into());
        self.numbers("group_accuracy", vec![grouped.accuracy(); k]);
        for (what, values) in [("vote", &grouped.shares), ("distance", &grouped.distances)] {
            for (g, group) in grouped.groups.iter().enumerate() {
                let each = (0..k).map(|i| values[i * count + g]);
                self.numbers(&format!("{what}_{group}"), each);
            }
        }
    }
}

/// The distance on the map, as every front end shows it.
fn distance(x: impl Iterator<Item = f64>, y: &[f64]) -> f64 {
    let squares = x.zip(y).map(|(x, y)| (x - y).powi(2));
    squares.sum::<f64>().sqrt()
}

/// The covariance of every place, newcomer by newcomer; `NULL` if it was not asked for.
pub fn covariance(p: &Placements) -> Robj {
    if p.covariance.is_empty() {
        return ().into();
    }
    let (k, d) = (p.count(), p.dimensions);
    // R's arrays run through newcomers first.
    let at = |index: usize| {
        let (i, rest) = (index % k, index / k);
        p.covariance[i * d * d + rest]
    };
    let mut array = numbers((0..k * d * d).map(at));
    let dim = [k as i32, d as i32, d as i32];
    // Three numbers whose product is the length are dimensions.
    let _ = array.set_attrib("dim", dim);
    array
}

/// The level of the regions that are drawn.
const REGION: f64 = 0.95;

/// How far the region of every place reaches on two axes, as a multiple of its covariance; `NULL` if that is not known.
pub fn reach(p: &Placements) -> Robj {
    if p.covariance.is_empty() {
        return ().into();
    }
    numbers((0..p.count()).map(|i| p.region(i, 2, REGION)))
}

/// Whether newcomers as a batch call for another map.
pub fn assessment(a: &Assessment) -> Robj {
    list(vec![
        ("verdict", a.verdict.word().into()),
        ("newcomers", (a.newcomers as i32).into()),
        ("unlike", (a.unlike as i32).into()),
        ("level", numbers([a.level])),
        ("chance", numbers([a.chance])),
        ("weight", numbers([a.weight])),
        ("between", a.between.into()),
        ("says", a.sentence().into()),
    ])
}

/// How far the founders of the old map moved, the farthest first.
pub fn moved(refitted: &Refitted, labels: &[String]) -> Robj {
    let movers = refitted.movers(refitted.shared.len());
    let mut columns = Columns::default();
    columns.texts("label", movers.iter().map(|(i, _)| &labels[*i]));
    columns.numbers("moved", movers.iter().map(|(_, far)| *far));
    list(vec![
        ("procrustes", refitted.statistic.into()),
        ("root_mean_square", refitted.root_mean_square().into()),
        ("spread", refitted.spread.into()),
        ("moved", columns.into_list()),
        ("says", moves(refitted, labels).into()),
        ("findings", refitted.findings.clone().into()),
    ])
}

/// How many of those who moved farthest are named.
const MOVERS: usize = 3;

fn moves(refitted: &Refitted, labels: &[String]) -> String {
    let spread = refitted.spread;
    let name = |(i, far): (usize, f64)| format!("{} ({:.3})", labels[i], far / spread);
    let movers: Vec<String> = refitted.movers(MOVERS).into_iter().map(name).collect();
    format!(
        "the {} founders that both have moved by {:.3} of the old map's spread (root mean square; Procrustes' statistic {:.4}), \
         most of all {}",
        refitted.shared.len(),
        refitted.root_mean_square() / spread,
        refitted.statistic,
        movers.join(", ")
    )
}

/// A row for each strategy, by the columns of `adjoin evaluate`.
pub fn evaluation(answer: &Evaluation, classes: bool) -> Robj {
    let scores = &answer.scores;
    let mut columns = Columns::default();
    columns.texts("strategy", scores.iter().map(|s| s.strategy.word()));
    let measures = MEASURES.into_iter().enumerate();
    let measures: Vec<_> = measures
        .filter(|(_, name)| classes || !name.starts_with("knn"))
        .collect();
    for (m, name) in &measures {
        columns.numbers(name, scores.iter().map(|s| s.values[*m]));
    }
    for (m, name) in &measures {
        let differences = scores.iter().map(|s| s.differences[*m]);
        columns.numbers(&format!("{name}_difference"), differences);
        columns.numbers(&format!("{name}_se"), scores.iter().map(|s| s.errors[*m]));
    }
    columns.into_list()
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
