//! Fit and place, on small problems of any kind: ties, holes, weights, duplicates, units from 2⁻⁹⁰⁰ to 2⁹⁰⁰.

use adjoin::settings::{Axes, Correcting, Origin, Solver};
use adjoin::{
    Border, By, Entries, FitSettings, Kind, Map, Newcomers, Objects, PlaceSettings, Placements,
    Run, Square, Strategy,
};
use adjoin_formats::{MapFile, map_from_bytes, map_to_bytes};
use arbitrary::Unstructured;
use faer::{Mat, MatRef};

use crate::landscape::{Random, Single, stress};

/// An answer that is right is right to so many roundings of what it is made of.
const SLACK: f64 = 1e-11;

/// A problem.
#[derive(Debug)]
struct Case {
    kind: Kind,
    old: Mat<f64>,
    /// Row by row.
    new: Vec<f64>,
    own: Option<Vec<f64>>,
    weights: Option<Vec<f64>>,
    settings: FitSettings,
    /// Whether newcomers and old objects are points of one space, nothing missing.
    complete: bool,
}

fn below(u: &mut Unstructured<'_>, most: usize) -> arbitrary::Result<usize> {
    u.int_in_range(0..=most)
}

impl Case {
    fn read(u: &mut Unstructured<'_>) -> arbitrary::Result<Self> {
        let n = 2 + below(u, 9)?;
        let k = 1 + below(u, 3)?;
        let kind = *u.choose(&[Kind::Dissimilarity, Kind::Squared, Kind::Similarity])?;
        let all = n + k;
        let mut table = if u.ratio(2, 3)? {
            points(u, all, kind)?
        } else {
            anything(u, all, kind)?
        };
        // Newcomers that are somewhere else altogether.
        if u.ratio(1, 8)? {
            let far = f64::powi(2.0, *u.choose(&[-30, 8, 20, 40])?);
            for i in n..all {
                for j in 0..n {
                    table[(i, j)] *= far;
                }
            }
        }
        let exponent = *u.choose(&[0, 0, 0, 0, 0, 0, 10, -10, 100, -100, 200, -200, 900, -900])?;
        let unit = f64::powi(2.0, exponent);
        let table = Mat::from_fn(all, all, |i, j| table[(i, j)] * unit);
        let mut new: Vec<f64> = (n..all)
            .flat_map(|i| (0..n).map(move |j| (i, j)))
            .map(|(i, j)| table[(i, j)])
            .collect();
        let mut complete = true;
        if u.ratio(1, 3)? {
            for v in &mut new {
                if u.ratio(1, 4)? {
                    *v = f64::NAN;
                    complete = false;
                }
            }
        }
        let weights = if u.ratio(1, 6)? {
            complete = false;
            let mut weights = Vec::with_capacity(n);
            for _ in 0..n {
                weights.push(*u.choose(&[1.0, 1.0, 0.5, 0.0, 3.0, 1e-9])?);
            }
            Some(weights)
        } else {
            None
        };
        let own = (kind == Kind::Similarity).then(|| (n..all).map(|i| table[(i, i)]).collect());
        let settings = FitSettings {
            axes: match below(u, 7)? {
                0 => Axes::All,
                1 => Axes::Auto,
                d => Axes::Count(1 + d % 4),
            },
            origin: match below(u, 7)? {
                0 => Origin::Object(below(u, n - 1)?),
                1 => Origin::Weights(
                    (0..n)
                        .map(|i| 2.0 * (i + 1) as f64 / (n * (n + 1)) as f64)
                        .collect(),
                ),
                2 if kind == Kind::Similarity => Origin::Kernel,
                _ => Origin::Centroid,
            },
            correction: *u.choose(&[
                Correcting::None,
                Correcting::None,
                Correcting::None,
                Correcting::Lingoes,
                Correcting::Cailliez,
            ])?,
            solver: *u.choose(&[Solver::Auto, Solver::Dense, Solver::Iterative])?,
            ..FitSettings::default()
        };
        Ok(Self {
            kind,
            old: table.get(..n, ..n).to_owned(),
            new,
            own,
            weights,
            settings,
            complete,
        })
    }

    fn n(&self) -> usize {
        self.old.nrows()
    }

    fn k(&self) -> usize {
        self.new.len() / self.n()
    }

    fn fit(&self, old: MatRef<'_, f64>, settings: &FitSettings) -> Option<Map> {
        let square = Square {
            entries: Entries::Doubles(old),
            kind: self.kind,
            labels: None,
            made_of: None,
        };
        match Map::fit(Objects::Square(square), settings, Run::on(1)) {
            Ok(fitted) => Some(fitted.map),
            Err(error) => {
                let text = error.to_string();
                assert!(!text.is_empty() && !text.contains('\n'), "{text}");
                None
            }
        }
    }

    fn newcomers<'a>(&'a self, new: &'a [f64], of: std::ops::Range<usize>) -> Newcomers<'a> {
        Newcomers {
            self_similarity: self.own.as_deref().map(|own| &own[of]),
            weights: self.weights.as_deref(),
            missing: true,
            ..Newcomers::by(By::Doubles(MatRef::from_row_major_slice(
                new,
                new.len() / self.n(),
                self.n(),
            )))
        }
    }
}

/// Proximities of points with small whole coordinates: ties and duplicates are common.
fn points(u: &mut Unstructured<'_>, all: usize, kind: Kind) -> arbitrary::Result<Mat<f64>> {
    let q = 1 + below(u, 4)?;
    let fine = *u.choose(&[1.0, 1.0, 0.125, 1e-7])?;
    let mut x = Mat::zeros(all, q);
    for i in 0..all {
        for j in 0..q {
            let whole: i8 = u.arbitrary()?;
            x[(i, j)] = f64::from(whole / 16) + fine * f64::from(whole % 16);
        }
    }
    Ok(Mat::from_fn(all, all, |i, j| {
        let of =
            |f: &dyn Fn(f64, f64) -> f64| -> f64 { (0..q).map(|a| f(x[(i, a)], x[(j, a)])).sum() };
        match kind {
            Kind::Similarity => of(&|a, b| a * b),
            Kind::Squared => of(&|a, b| (a - b) * (a - b)),
            _ => of(&|a, b| (a - b) * (a - b)).sqrt(),
        }
    }))
}

/// Symmetric numbers of no meaning.
fn anything(u: &mut Unstructured<'_>, all: usize, kind: Kind) -> arbitrary::Result<Mat<f64>> {
    let few = u.arbitrary::<bool>()?;
    let mut m = Mat::zeros(all, all);
    for i in 0..all {
        for j in 0..=i {
            let byte: u8 = u.arbitrary()?;
            let number = if few {
                [0.0, 1.0, 2.0, 1.0 + f64::EPSILON, 1e-300, 1e9][usize::from(byte) % 6]
            } else {
                f64::from(byte) / 16.0
            };
            let signed = if kind == Kind::Similarity && byte.is_multiple_of(3) {
                -number
            } else {
                number
            };
            let value = if i == j && kind != Kind::Similarity {
                0.0
            } else {
                signed
            };
            (m[(i, j)], m[(j, i)]) = (value, value);
        }
    }
    Ok(m)
}

/// Fit and place.
pub fn place(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let Ok(case) = Case::read(&mut u) else { return };
    let Some(map) = case.fit(case.old.as_ref(), &case.settings) else {
        return;
    };
    fitted(&case, &map);
    let seed = data
        .iter()
        .fold(7u64, |h, &b| h.wrapping_mul(31).wrapping_add(u64::from(b)));
    let mut random = Random::new(seed);
    let all = case.newcomers(&case.new, 0..case.k());
    for strategy in Strategy::ALL {
        // In more dimensions branch and bound takes seconds, which other inputs are worth more.
        let proved = map.dimensions() <= 2 && seed.is_multiple_of(4);
        let how = PlaceSettings {
            prove: strategy == Strategy::Stress && proved,
            ..PlaceSettings::by(strategy)
        };
        let (border, placements) = match map.place(&all, &how, Run::on(1)) {
            Ok(answer) => answer,
            Err(error) => {
                assert!(!error.to_string().contains('\n'));
                continue;
            }
        };
        finite(&placements);
        alone(&case, &map, &how, &placements);
        match strategy {
            Strategy::Reconstruct => reconstructed(&case, &map, &border, &placements, &mut random),
            Strategy::Hyperplane => flattened(&case, &map, &border, &placements, &mut random),
            Strategy::Stress => stressed(&case, &map, &placements, &mut random),
            _ => {}
        }
        if strategy == Strategy::Reconstruct {
            kept(&case, &map, &placements);
            permuted(&case, &map, &border, &placements);
        }
    }
    for i in 0..case.k() {
        if let Ok((border, _)) = map.place(&all, &PlaceSettings::default(), Run::on(1))
            && let Ok(Some(arc)) = map.arc(&border, i, 5)
        {
            assert!(arc.coordinates.iter().all(|v| v.is_finite()), "{arc:?}");
        }
    }
}

/// ‖B‖, as the fit saw it.
fn norm(map: &Map) -> f64 {
    map.diagram().summary().squared_norm.sqrt()
}

fn fitted(case: &Case, map: &Map) {
    let (n, x) = (case.n(), map.configuration());
    let c = map.diagram().eigenvalues();
    assert!(c.iter().all(|v| v.is_finite() && *v > 0.0), "{c:?}");
    assert!(c.windows(2).all(|w| w[0] >= w[1]), "{c:?}");
    // X'X = diag(c), to rounding.
    let root = c[0].sqrt();
    if root.is_normal() {
        for a in 0..c.len() {
            for b in 0..=a {
                let dot: f64 = (0..n)
                    .map(|i| (x[(i, a)] / root) * (x[(i, b)] / root))
                    .sum();
                let expected = if a == b { c[a] / c[0] } else { 0.0 };
                assert!(
                    (dot - expected).abs() < 1e-8,
                    "axes {a}, {b}: {dot} for {expected}"
                );
            }
        }
    }
    // An old object that comes again lands on itself.
    if case.settings.correction != Correcting::None {
        return;
    }
    let rows: Vec<f64> = (0..n)
        .flat_map(|i| (0..n).map(move |j| (i, j)))
        .map(|(i, j)| case.old[(i, j)])
        .collect();
    let again = Newcomers::new(MatRef::from_row_major_slice(&rows, n, n));
    let Ok(border) = map.border(&again, Run::on(1)) else {
        panic!("old objects are refused");
    };
    let last = c[c.len() - 1];
    // By the eigensolver's residual, n ε ‖B‖, over the axis' own eigenvalue.
    let tolerance = 1e-12 * n as f64 * (norm(map) / last).max(1.0) * root;
    for i in 0..n {
        for (a, y) in border.projection(i).iter().enumerate() {
            let short = (y - x[(i, a)]).abs();
            assert!(
                short <= tolerance,
                "object {i} axis {a}: {y} for {} ({tolerance:e}), c = {c:?}",
                x[(i, a)]
            );
        }
    }
}

fn finite(p: &Placements) {
    for i in 0..p.count() {
        let there = p.point(i).iter().all(|v| v.is_finite());
        let nothing = p.point(i).iter().all(|v| v.is_nan());
        assert!(
            if p.status[i].placed() { there } else { nothing },
            "{:?}: {:?}",
            p.status[i],
            p.point(i)
        );
        for v in [p.p[i], p.p_outside[i], p.p_inside[i], p.p_nearest[i]] {
            assert!(v.is_nan() || (0.0..=1.0).contains(&v), "p = {v}");
        }
    }
}

fn bits(v: &[f64]) -> Vec<u64> {
    v.iter().map(|x| x.to_bits()).collect()
}

/// A newcomer's place does not depend on who came with it, to the bit.
fn alone(case: &Case, map: &Map, how: &PlaceSettings, together: &Placements) {
    let n = case.n();
    for i in 0..case.k() {
        let row = &case.new[i * n..(i + 1) * n];
        let one = case.newcomers(row, i..i + 1);
        let (_, placed) = map.place(&one, how, Run::on(1)).expect("alone as together");
        assert_eq!(
            bits(placed.point(0)),
            bits(together.point(i)),
            "{:?}",
            how.strategy
        );
        assert_eq!(placed.status[0], together.status[i]);
        assert_eq!(placed.lambda[0].to_bits(), together.lambda[i].to_bits());
        assert_eq!(
            placed.objective[0].to_bits(),
            together.objective[i].to_bits()
        );
    }
}

fn scaled(y: &[f64], unit: f64) -> Vec<f64> {
    y.iter().map(|v| v / unit).collect()
}

fn single(map: &Map, border: &Border, i: usize) -> Option<Single> {
    Single::new(
        map.diagram().eigenvalues(),
        border.projection(i),
        border.beta[i],
    )
}

fn reconstructed(case: &Case, map: &Map, border: &Border, p: &Placements, random: &mut Random) {
    for i in 0..case.k() {
        if !p.status[i].placed() {
            continue;
        }
        let Some(one) = single(map, border, i) else {
            continue;
        };
        let y = scaled(p.point(i), one.unit);
        let (here, size) = one.reconstruction(&y);
        // g = X'b is a sum of n terms of the size of √c ‖b‖, and as such a sum may be 0 by rounding.
        let b_norm = border.b_norm_squared[i].sqrt() / one.unit / one.unit;
        let g_rounding = 16.0 * case.n() as f64 * f64::EPSILON * one.c[0].sqrt() * b_norm;
        let length = |y: &[f64]| y.iter().map(|v| v * v).sum::<f64>().sqrt();
        assert!(
            p.certified(i) == Some(true),
            "newcomer {i}: margin {:e}",
            p.margin[i]
        );
        assert!(
            p.stationarity[i] <= 1e-9,
            "stationarity {:e}",
            p.stationarity[i]
        );
        for probe in one.probes(&y, random) {
            let (there, larger) = one.reconstruction(&probe);
            let by_rounding = 4.0 * g_rounding * (length(&y) + length(&probe));
            assert!(
                here <= there + SLACK * (size + larger) + by_rounding,
                "F = {here:e} at {y:?}, {there:e} at {probe:?}, of c {:?} ŷ {:?} β {}",
                one.c,
                one.projection,
                one.beta
            );
        }
        for (of, other) in &p.alternatives {
            if *of == i {
                let (there, larger) = one.reconstruction(&scaled(other, one.unit));
                assert!(
                    (here - there).abs() <= 1e-9 * (size + larger),
                    "{here:e} and {there:e} are not a tie"
                );
            }
        }
    }
}

fn flattened(case: &Case, map: &Map, border: &Border, p: &Placements, random: &mut Random) {
    for i in 0..case.k() {
        if !p.status[i].placed() || p.gap[i].is_nan() {
            continue;
        }
        let Some(one) = single(map, border, i) else {
            continue;
        };
        let y = scaled(p.point(i), one.unit);
        let (here, size) = one.hyperplane(&y, case.n());
        for probe in one.probes(&y, random) {
            let (there, larger) = one.hyperplane(&probe, case.n());
            let lowest = here * (1.0 - p.gap[i]);
            assert!(
                there >= lowest - 1e-10 * (size + larger),
                "f = {here:e} at {y:?} (gap {:e}), {there:e} at {probe:?}, of c {:?} ŷ {:?} β {}",
                p.gap[i],
                one.c,
                one.projection,
                one.beta
            );
        }
    }
}

fn stressed(case: &Case, map: &Map, p: &Placements, random: &mut Random) {
    if case.kind == Kind::Similarity || case.settings.correction != Correcting::None {
        return;
    }
    let (n, x) = (case.n(), map.configuration());
    let ones = vec![1.0; n];
    let weights = case.weights.as_deref().unwrap_or(&ones);
    for i in 0..case.k() {
        if !p.status[i].placed() {
            continue;
        }
        let delta: Vec<f64> = case.new[i * n..(i + 1) * n]
            .iter()
            .map(|d| {
                if case.kind == Kind::Squared {
                    d.sqrt()
                } else {
                    *d
                }
            })
            .collect();
        let longest = delta
            .iter()
            .filter(|d| d.is_finite())
            .fold(0f64, |m, d| m.max(*d));
        let unit = longest.max(map.diagram().eigenvalues()[0].sqrt());
        if !unit.is_normal() {
            continue;
        }
        let x = Mat::from_fn(n, p.dimensions, |i, a| x[(i, a)] / unit);
        let delta = scaled(&delta, unit);
        let y = scaled(p.point(i), unit);
        let here = stress(x.as_ref(), &delta, weights, &y);
        let size = weights.iter().sum::<f64>() * 2.0;
        let said = p.objective[i] / unit / unit;
        if said.is_finite() {
            assert!(
                (here - said).abs() <= 1e-10 * (size + here),
                "stress {here:e}, said {said:e}"
            );
        }
        if p.gap[i].is_nan() {
            continue;
        }
        let lowest = here * (1.0 - p.gap[i]);
        for at in 0..20 {
            let probe: Vec<f64> = y
                .iter()
                .map(|v| {
                    v * f64::from(at % 2)
                        + [1e-4, 0.05, 0.5, 1.0][at as usize % 4] * random.signed()
                })
                .collect();
            let there = stress(x.as_ref(), &delta, weights, &probe);
            assert!(
                there >= lowest - 1e-9 * size,
                "stress {here:e} (gap {:e}), {there:e} at {probe:?}",
                p.gap[i]
            );
        }
    }
}

/// The map, written and read, places in the same way to the bit.
fn kept(case: &Case, map: &Map, before: &Placements) {
    let file = MapFile {
        map: map.clone(),
        settings: Default::default(),
        provenance: None,
        version: "0".into(),
    };
    let bytes = map_to_bytes(&file).expect("a map can be written");
    let again = map_from_bytes(bytes, "again").expect("and read").map;
    let all = case.newcomers(&case.new, 0..case.k());
    let (_, after) = again
        .place(&all, &PlaceSettings::by(Strategy::Reconstruct), Run::on(1))
        .expect("and asked");
    assert_eq!(bits(&before.coordinates), bits(&after.coordinates));
    assert_eq!(bits(&before.p), bits(&after.p));
}

/// Objects in another order make the same map, and newcomers have the same place on it.
fn permuted(case: &Case, map: &Map, border: &Border, before: &Placements) {
    let n = case.n();
    let settings = match &case.settings {
        s if s.origin == Origin::Centroid => FitSettings {
            axes: Axes::Count(map.dimensions()),
            ..s.clone()
        },
        _ => return,
    };
    if case.weights.is_some() {
        return;
    }
    let c = map.diagram().eigenvalues();
    let seen = &map.diagram().summary().eigenvalues;
    let next = seen.get(c.len()).copied().unwrap_or(0.0).max(0.0);
    let last = c[c.len() - 1];
    let size = norm(map);
    // Where the last axis is nearly tied with the next, or nearly nothing, the map's plane is anybody's choice.
    if last - next < 1e-3 * size || !map.diagram().summary().complete {
        return;
    }
    let turned = |i: usize| (i * 7 + 3) % n;
    if (0..n).any(|i| (0..i).any(|j| turned(i) == turned(j))) {
        return;
    }
    let old = Mat::from_fn(n, n, |i, j| case.old[(turned(i), turned(j))]);
    let other = case
        .fit(old.as_ref(), &settings)
        .expect("the same in another order");
    for (a, b) in c.iter().zip(other.diagram().eigenvalues()) {
        assert!(
            (a - b).abs() <= 1e-12 * n as f64 * size,
            "eigenvalues {a} and {b}"
        );
    }
    let new: Vec<f64> = (0..case.k())
        .flat_map(|i| (0..n).map(move |j| (i, j)))
        .map(|(i, j)| case.new[i * n + turned(j)])
        .collect();
    let all = case.newcomers(&new, 0..case.k());
    let (turned_border, after) = other
        .place(&all, &PlaceSettings::by(Strategy::Reconstruct), Run::on(1))
        .expect("the same newcomers");
    for i in 0..case.k() {
        assert_eq!(before.status[i].placed(), after.status[i].placed());
        if !before.status[i].placed() || !case.complete {
            continue;
        }
        let (Some(one), Some(two)) = (single(map, border, i), single(&other, &turned_border, i))
        else {
            continue;
        };
        let slack = 1e-8;
        // The unit is the largest coordinate's, and axes that are nearly tied are turned: what is compared does not depend on them.
        let unit = (two.unit / one.unit).powi(2);
        let length = |s: &Single| s.projection.iter().map(|v| v * v).sum::<f64>();
        assert!(
            (one.beta - two.beta * unit).abs() <= slack,
            "β {} and {}",
            one.beta,
            two.beta * unit
        );
        assert!(
            (length(&one) - length(&two) * unit).abs() <= slack,
            "‖ŷ‖² {} and {}",
            length(&one),
            length(&two) * unit
        );
        let f = |s: &Single, p: &Placements| s.reconstruction(&scaled(p.point(i), s.unit));
        let ((a, size), (b, _)) = (f(&one, before), f(&two, &after));
        let b = b * unit * unit;
        assert!((a - b).abs() <= slack * size, "F {a:e} and {b:e}");
    }
}
