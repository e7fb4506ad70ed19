//! Refitting: everybody anew on the old map's axes, and how far its founders moved.

use adjoin::random::Stream;
use adjoin::settings::{Correcting, Landmarks, Neighbourhood, Origin};
use adjoin::stored::Finish;
use adjoin::{
    Entries, FitSettings, GrowSettings, Kind, Map, Method, Newcomers, Objects, Refitted, Run,
    Square, Strategy,
};
use faer::{Mat, MatRef};

use super::common::methods::{axes, by, of_square, place, points, project};
use super::common::{bray_curtis, distances, euclidean};

fn square(entries: MatRef<'_, f64>) -> Objects<'_> {
    Objects::Square(Square {
        entries: Entries::Doubles(entries),
        kind: Kind::Dissimilarity,
        labels: None,
        made_of: None,
    })
}

fn refit(map: &Map, entries: MatRef<'_, f64>) -> Refitted {
    map.refit(square(entries), true, Run::on(1)).unwrap()
}

fn largest(m: &Mat<f64>) -> f64 {
    m.norm_max()
}

/// The same objects again are where they were, whatever the method; and on Euclidean data of as many dimensions as there are
/// axes, nobody moves when others come.
#[test]
fn nobody_moves_without_a_reason() {
    let mut rng = Stream::new(51);
    let all = bray_curtis(24, &mut rng);
    for settings in [
        axes(2),
        FitSettings {
            correction: Correcting::Cailliez,
            ..axes(2)
        },
        FitSettings {
            origin: Origin::Object(3),
            ..axes(2)
        },
        FitSettings {
            method: Method::Landmark,
            landmarks: Some(Landmarks::Given(vec![4, 1, 8, 9, 13, 20, 22, 2])),
            rotate: true,
            ..axes(2)
        },
        FitSettings {
            method: Method::Isomap,
            neighbourhood: Some(Neighbourhood::Nearest(9)),
            ..axes(2)
        },
        FitSettings {
            method: Method::Laplacian,
            gamma: Some(2.0),
            alpha: 0.5,
            ..axes(2)
        },
    ] {
        let map = of_square(all.as_ref(), Kind::Dissimilarity, &settings)
            .unwrap()
            .map;
        let again = refit(&map, all.as_ref());
        assert!(
            again.statistic <= 1e-20,
            "{:?}: {}",
            settings.method,
            again.statistic
        );
        assert!(
            largest(&(again.map.configuration() - map.configuration())) <= 1e-10 * map.spread()
        );
        // Newcomers too.
        let rows = Mat::from_fn(2, map.references().len(), |i, j| {
            0.4 + 0.01 * (i * 7 + j) as f64
        });
        let [a, b] = [&map, &again.map].map(|map| {
            points(
                &place(
                    map,
                    &Newcomers::new(rows.as_ref()),
                    &by(Strategy::Reconstruct),
                )
                .unwrap(),
            )
        });
        assert!(
            largest(&(a - b)) <= 1e-9 * map.spread(),
            "{:?}",
            settings.method
        );
    }
    let x = Mat::from_fn(20, 2, |_, j| rng.normal() / (1.0 + j as f64));
    let all = distances(x.as_ref(), x.as_ref());
    let map = of_square(all.get(..12, ..12), Kind::Dissimilarity, &axes(2))
        .unwrap()
        .map;
    let more = refit(&map, all.as_ref());
    assert!(more.root_mean_square() <= 1e-7 * map.spread());
    assert_eq!(more.map.labels().len(), 20);
    let shown = distances(more.map.configuration(), more.map.configuration());
    assert!(largest(&(shown - all)) <= 1e-6 * map.spread());
}

/// Moves are those of a re-embedding; the statistic is their sum of squares over the founders' own; the new map is not scaled.
#[test]
fn moves_are_those_of_a_reembedding() {
    let mut rng = Stream::new(52);
    let all = bray_curtis(24, &mut rng);
    let map = of_square(all.get(..18, ..18), Kind::Dissimilarity, &axes(2))
        .unwrap()
        .map;
    let refitted = refit(&map, all.as_ref());
    let expected = map.reembed(all.as_ref(), Run::on(1)).unwrap().unwrap();
    for (found, expected) in refitted.moved.iter().zip(&expected.displacements) {
        assert!((found - expected).abs() <= 1e-10 * map.spread());
    }
    assert!(
        (refitted.root_mean_square() - expected.root_mean_square).abs() <= 1e-10 * map.spread()
    );
    let squares: f64 = refitted.moved.iter().map(|v| v * v).sum();
    let inertia: f64 = map.diagram().eigenvalues().iter().sum();
    assert!((refitted.statistic - squares / inertia).abs() <= 1e-10);
    let movers = refitted.movers(3);
    assert!((movers[0].1 - expected.largest).abs() <= 1e-10 * map.spread());
    assert!(movers[0].1 >= movers[1].1 && movers[1].1 >= movers[2].1);

    // Distances on the map are those of the fit itself.
    let fresh = of_square(all.as_ref(), Kind::Dissimilarity, &axes(2))
        .unwrap()
        .map;
    let [a, b] = [&fresh, &refitted.map].map(|m| distances(m.configuration(), m.configuration()));
    assert!(largest(&(a - b)) <= 1e-10 * map.spread());
    // Shares of turned axes add up to the same.
    let [a, b] = [&fresh, &refitted.map].map(|m| m.proportions().iter().sum::<f64>());
    assert!((a - b).abs() <= 1e-12);
    // Left as it is, it has moved farther.
    let apart = map.refit(square(all.as_ref()), false, Run::on(1)).unwrap();
    assert!(apart.statistic >= refitted.statistic);
    assert_eq!(apart.map.parts().finish, Finish::None);
    assert_eq!(apart.map.configuration(), fresh.configuration());
}

/// A map that was turned answers as one that was not: newcomers, arcs, old objects left out, and growth, all turned alike.
#[test]
fn a_turned_map_is_a_map() {
    let mut rng = Stream::new(53);
    let all = bray_curtis(26, &mut rng);
    let old = of_square(all.get(..14, ..14), Kind::Dissimilarity, &axes(2))
        .unwrap()
        .map;
    let turned = refit(&old, all.get(..20, ..20)).map;
    let fresh = of_square(all.get(..20, ..20), Kind::Dissimilarity, &axes(2))
        .unwrap()
        .map;
    let Finish::Motion(motion) = &turned.parts().finish else {
        panic!("not turned")
    };
    let same = |a: Mat<f64>, b: Mat<f64>| largest(&(a - motion.apply(b.as_ref()))) / fresh.spread();
    let rows = all.get(20..23, ..20);
    let new = Newcomers::new(rows);
    for strategy in Strategy::ALL {
        let [a, b] = [&turned, &fresh].map(|map| points(&place(map, &new, &by(strategy)).unwrap()));
        assert!(same(a, b) <= 1e-10, "{strategy:?}");
    }
    let [a, b] =
        [&turned, &fresh].map(|map| points(&map.leave_one_out(&project(), Run::on(1)).unwrap()));
    assert!(same(a, b) <= 1e-10);
    let grown = [&turned, &fresh].map(|map| {
        let settings = GrowSettings {
            place: by(Strategy::Reconstruct),
            ..Default::default()
        };
        map.grow(&new, &settings, Run::on(1)).unwrap().map
    });
    let [a, b] = grown.each_ref().map(|map| map.configuration().to_owned());
    assert!(same(a, b) <= 1e-10);
    let later = all.get(23..26, ..23);
    let [a, b] = grown.each_ref().map(|map| {
        points(&place(map, &Newcomers::new(later), &by(Strategy::Reconstruct)).unwrap())
    });
    assert!(same(a, b) <= 1e-10);

    // The frame is how coordinates in the eigenbasis become coordinates on the map.
    for map in [&turned, &grown[0], &fresh, &grown[1]] {
        let n = map.references().len();
        let row = all.get(25..26, ..n);
        let (border, placed) = map
            .place(&Newcomers::new(row), &project(), Run::on(1))
            .unwrap();
        let mut y = border.projection(0).to_vec();
        map.diagram().turn_into_basis(&mut y);
        let (origin, basis) = map.frame();
        for k in 0..2 {
            let turned: f64 = match &basis {
                Some(v) => (0..2).map(|a| v[(k, a)] * y[a]).sum(),
                None => y[k],
            };
            assert!((origin[k] + turned - placed.point(0)[k]).abs() <= 1e-12 * fresh.spread());
        }
    }
}

/// A grown map is refitted by its founders; nobody is a member of what comes out.
#[test]
fn a_grown_map_is_refitted() {
    let mut rng = Stream::new(54);
    let all = bray_curtis(24, &mut rng);
    let map = of_square(all.get(..16, ..16), Kind::Dissimilarity, &axes(2))
        .unwrap()
        .map;
    let grown = map
        .grow(
            &Newcomers::new(all.get(16..24, ..16)),
            &Default::default(),
            Run::on(1),
        )
        .unwrap()
        .map;
    let refitted = refit(&grown, all.as_ref());
    assert_eq!(refitted.shared, (0..16).collect::<Vec<_>>());
    assert!(refitted.map.generations().is_empty());
    assert_eq!(refitted.map.founders(), 24);
}

#[test]
fn wrong_refits_are_refused() {
    let mut rng = Stream::new(55);
    let all = euclidean(12, 4, &mut rng);
    let map = of_square(all.as_ref(), Kind::Dissimilarity, &axes(2))
        .unwrap()
        .map;
    let said = |map: &Map, objects: Objects<'_>| {
        map.refit(objects, true, Run::on(1))
            .unwrap_err()
            .to_string()
    };
    let mut similar = square(all.as_ref());
    if let Objects::Square(square) = &mut similar {
        square.kind = Kind::Similarity;
    }
    assert_eq!(
        said(&map, similar),
        "found similarity, expected dissimilarity, as the map is of"
    );
    let mut strangers = square(all.as_ref());
    if let Objects::Square(square) = &mut strangers {
        square.labels = Some((0..12).map(|i| format!("x{i}")).collect());
    }
    let text = said(&map, strangers);
    assert!(
        text.contains("found 0 of the map's 12 founders among the objects, expected at least 3"),
        "{text}"
    );
    let given = FitSettings {
        configuration: Some(map.configuration().to_owned()),
        ..axes(2)
    };
    let given = of_square(all.as_ref(), Kind::Dissimilarity, &given)
        .unwrap()
        .map;
    assert!(said(&given, square(all.as_ref())).contains("coordinates that were given"));
    let walk = FitSettings {
        method: Method::Laplacian,
        gamma: Some(1.0),
        time: Some(1.0),
        ..axes(2)
    };
    let walk = of_square(all.as_ref(), Kind::Dissimilarity, &walk)
        .unwrap()
        .map;
    assert!(said(&walk, square(all.as_ref())).contains("a random walk"));
}
