//! A square in pieces is the square: the same map within rounding, the same objections.

use adjoin::elsewhere::{Elsewhere, Look, Piece, Products};
use adjoin::random::Stream;
use adjoin::settings::{Axes, Origin};
use adjoin::{Entries, Error, FitSettings, Kind, Map, Method, Objects, Run, Square};
use faer::{Mat, MatMut, MatRef};

/// A square cut alike in rows and columns, of which only what is on and above the diagonal is multiplied by.
struct Cut<'a> {
    square: MatRef<'a, f64>,
    kind: Kind,
    starts: Vec<usize>,
}

impl<'a> Cut<'a> {
    fn new(square: MatRef<'a, f64>, kind: Kind, step: usize) -> Self {
        let n = square.nrows();
        let starts = (0..n).step_by(step).chain([n]).collect();
        Self {
            square,
            kind,
            starts,
        }
    }

    fn pieces(&self) -> Vec<(Piece<'a, f64>, MatRef<'a, f64>)> {
        let blocks: Vec<(usize, usize)> = self.starts.windows(2).map(|w| (w[0], w[1])).collect();
        let upper = (0..blocks.len()).flat_map(|i| (i..blocks.len()).map(move |j| (i, j)));
        let cut = |rows: (usize, usize), columns: (usize, usize)| {
            self.square.get(rows.0..rows.1, columns.0..columns.1)
        };
        let piece = |(i, j): (usize, usize)| {
            let (rows, columns) = (blocks[i], blocks[j]);
            let piece = Piece {
                entries: cut(rows, columns),
                at: (rows.0, columns.0),
                kind: self.kind,
            };
            (piece, cut(columns, rows))
        };
        upper.map(piece).collect()
    }

    fn looks(&self) -> Vec<Look> {
        let pieces = self.pieces().into_iter();
        pieces.map(|(piece, mirror)| piece.look(mirror)).collect()
    }

    fn objects(&self) -> Objects<'_> {
        Objects::Elsewhere(Elsewhere {
            count: self.square.nrows(),
            kind: self.kind,
            labels: None,
            looks: self.looks(),
            products: self,
        })
    }
}

impl Products for Cut<'_> {
    fn multiply(
        &self,
        unit: f64,
        shift: f64,
        v: MatRef<'_, f64>,
        mut out: MatMut<'_, f64>,
    ) -> Result<(), Error> {
        out.fill(0.0);
        for (piece, _) in self.pieces() {
            let (rows, columns) = (piece.entries.nrows(), piece.entries.ncols());
            let (i, j) = piece.at;
            let of = (v.subrows(i, rows), v.subrows(j, columns));
            let (down, across) = piece.multiply((unit, shift), of);
            let mut here = out.as_mut().subrows_mut(i, rows);
            here += &down;
            if let Some(across) = across {
                let mut there = out.as_mut().subrows_mut(j, columns);
                there += &across;
            }
        }
        Ok(())
    }
}

/// Distances of points, perhaps squared, or their inner products; not quite Euclidean.
fn square(n: usize, kind: Kind) -> Mat<f64> {
    let mut rng = Stream::new(31);
    let points = Mat::from_fn(n, 6, |_, j| rng.normal() * (6 - j) as f64 + 2.0);
    Mat::from_fn(n, n, |i, j| {
        let (i, j) = (i.min(j), i.max(j));
        let (x, y) = (points.row(i), points.row(j));
        let squared: f64 = x.iter().zip(y.iter()).map(|(a, b)| (a - b).powi(2)).sum();
        match kind {
            Kind::Dissimilarity => squared.sqrt().powf(0.9),
            Kind::Squared => squared,
            Kind::Similarity => x.iter().zip(y.iter()).map(|(a, b)| a * b).sum(),
        }
    })
}

fn whole(entries: MatRef<'_, f64>, kind: Kind) -> Objects<'_> {
    Objects::Square(Square {
        entries: Entries::Doubles(entries),
        kind,
        labels: None,
        made_of: None,
    })
}

/// What was seen of pieces says the same added up, by one or by two who looked, as piece by piece.
#[test]
fn looks_add_up() {
    let entries = square(60, Kind::Similarity);
    let cut = Cut::new(entries.as_ref(), Kind::Similarity, 17);
    let fitted = |looks: Vec<Look>| {
        let objects = Objects::Elsewhere(Elsewhere {
            count: 60,
            kind: Kind::Similarity,
            labels: None,
            looks,
            products: &cut,
        });
        let settings = FitSettings {
            axes: Axes::Count(3),
            method: Method::KernelPca,
            ..FitSettings::default()
        };
        Map::fit(objects, &settings, Run::on(1)).unwrap().map
    };
    let map = fitted(cut.looks());
    for halves in [1, 2] {
        let mut sums = vec![Look::of_all(60); halves];
        for (i, look) in cut.looks().iter().enumerate() {
            sums[i % halves].add(look);
        }
        let again = fitted(sums);
        let (x, y) = (map.configuration(), again.configuration());
        assert!((x - y).norm_max() <= 1e-12 * x.norm_max(), "{halves}");
    }
}

/// Small and large, by both solvers, for every kind and origin: X, σ², means, what is left out and what is nearest.
#[test]
fn pieces_make_the_map_of_the_whole() {
    for (n, step) in [(60, 17), (60, 60), (900, 256)] {
        for kind in [Kind::Dissimilarity, Kind::Squared, Kind::Similarity] {
            let entries = square(n, kind);
            let weights: Vec<f64> = (0..n).map(|i| (1 + i % 3) as f64).collect();
            let total: f64 = weights.iter().sum();
            let weights = weights.iter().map(|w| w / total).collect();
            for origin in [
                Origin::Centroid,
                Origin::Object(7),
                Origin::Weights(weights),
            ] {
                let settings = FitSettings {
                    axes: Axes::Count(3),
                    origin,
                    method: if kind == Kind::Similarity {
                        Method::KernelPca
                    } else {
                        Method::Cmds
                    },
                    ..Default::default()
                };
                let cut = Cut::new(entries.as_ref(), kind, step);
                let fitted = Map::fit(cut.objects(), &settings, Run::on(1)).unwrap();
                let expected =
                    Map::fit(whole(entries.as_ref(), kind), &settings, Run::on(1)).unwrap();
                // Similarities that no kernel has are counted only where all of them are at hand.
                if kind != Kind::Similarity {
                    assert_eq!(fitted.findings, expected.findings);
                }
                let (found, expected) = (fitted.map, expected.map);
                assert_eq!(found.method(), expected.method());
                let scale = expected.diagram().eigenvalues()[0];
                let near = |a: &[f64], b: &[f64], size: f64, what: &str| {
                    assert_eq!(a.len(), b.len(), "{what}");
                    for (a, b) in a.iter().zip(b) {
                        let same = (a - b).abs() <= 1e-9 * size || a.is_nan() && b.is_nan();
                        assert!(same, "{what}: {a} {b}, {n} {kind:?}");
                    }
                };
                let (a, b) = (found.diagram(), expected.diagram());
                near(a.eigenvalues(), b.eigenvalues(), scale, "eigenvalues");
                for j in 0..3 {
                    let column = |m: MatRef<'_, f64>| m.col(j).iter().copied().collect::<Vec<_>>();
                    let (x, y) = (column(a.configuration()), column(b.configuration()));
                    near(&x, &y, scale.sqrt(), "configuration");
                }
                near(
                    &a.centring().row_means,
                    &b.centring().row_means,
                    scale,
                    "means",
                );
                let (l, r) = (a.leave_one_out(), b.leave_one_out());
                // They rest on further pairs that no fit waits for, so that the width of blocks tells: a thousandth, no more.
                let largest = r.residuals.iter().fold(0f64, |m, v| m.max(v.abs()));
                near(&l.residuals, &r.residuals, 1e6 * largest, "residuals");
                near(&l.nearest, &r.nearest, scale, "nearest");
                let (s, t) = (a.summary(), b.summary());
                near(&[s.trace], &[t.trace], t.trace.abs(), "trace");
                near(&[s.squared_norm], &[t.squared_norm], t.squared_norm, "norm");
                assert_eq!(s.self_similarity, t.self_similarity);
            }
        }
    }
}

/// One wrong entry at a time is named as in a square that is here; what rounding did is said.
#[test]
fn pieces_are_objected_to_as_the_whole_is() {
    let good = square(12, Kind::Dissimilarity);
    let settings = FitSettings::default();
    let both = |change: &dyn Fn(&mut Mat<f64>)| {
        let mut entries = good.clone();
        change(&mut entries);
        let here = Map::fit(
            whole(entries.as_ref(), Kind::Dissimilarity),
            &settings,
            Run::on(1),
        );
        let cut = Cut::new(entries.as_ref(), Kind::Dissimilarity, 5);
        let there = Map::fit(cut.objects(), &settings, Run::on(1));
        (there.map(|f| f.findings), here.map(|f| f.findings))
    };
    for (i, j, v) in [
        (2, 9, f64::NAN),
        (9, 2, f64::INFINITY),
        (1, 3, -2.0),
        (7, 7, 0.5),
        (3, 11, 40.0),
    ] {
        let (there, here) = both(&|m| {
            m[(i, j)] = v;
            if v == -2.0 {
                m[(j, i)] = v;
            }
        });
        let (there, here) = (there.unwrap_err(), here.unwrap_err());
        let places = |e: &Error| {
            let mut all: Vec<usize> = e.objects().iter().map(|o| o.index).collect();
            all.sort_unstable();
            all
        };
        assert_eq!(there.about(), here.about());
        assert_eq!(places(&there), places(&here), "{there} {here}");
    }
    let (there, here) = both(&|m| {
        m[(4, 4)] = 1e-9;
        m[(2, 3)] += 1e-9;
    });
    let (there, here) = (there.unwrap(), here.unwrap());
    assert_eq!(there.len(), here.len());
    assert!(
        there
            .iter()
            .any(|f| f.ends_with("those above the diagonal are used"))
    );
    // A piece that nobody looked at.
    let cut = Cut::new(good.as_ref(), Kind::Dissimilarity, 5);
    let Objects::Elsewhere(mut square) = cut.objects() else {
        unreachable!()
    };
    square.looks.pop();
    let message = Map::fit(Objects::Elsewhere(square), &settings, Run::on(1));
    assert!(
        message
            .unwrap_err()
            .to_string()
            .starts_with("found no piece with object number 11")
    );
}
