//! The hot paths by what they allocate: a guard against slow code that does not depend on time.
//!
//! Work per newcomer must not allocate on a fitted map, whatever is allocated per group of them; no k × n and no second n × n array may
//! appear. Nor may one thread ask the global pool of the linear algebra for more. All in one test, as the counters and the pool
//! are the program's.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use adjoin::random::Stream;
use adjoin::settings::{Axes, Correcting, Landmarks, Neighbourhood, Origin, Solver};
use adjoin::{
    Between, Border, By, Entries, FitSettings, GrowSettings, Kind, Map, Method, Newcomers, Objects,
    PlaceSettings, Placements, Run, Square, Strategy,
};
use faer::{Mat, MatRef};

struct Counting;

static CALLS: AtomicUsize = AtomicUsize::new(0);
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Relaxed);
        let live = LIVE.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(live, Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// What a piece of work allocated: how often, and how many bytes at its peak beyond what was there before.
#[derive(Debug, Clone, Copy)]
struct Cost {
    calls: usize,
    bytes: usize,
}

fn cost<R>(work: impl FnOnce() -> R) -> Cost {
    let (calls, live) = (CALLS.load(Relaxed), LIVE.load(Relaxed));
    PEAK.store(live, Relaxed);
    let answer = work();
    let cost = Cost {
        calls: CALLS.load(Relaxed) - calls,
        bytes: PEAK.load(Relaxed) - live,
    };
    drop(answer);
    cost
}

fn distances(points: &[[f64; 4]], others: &[[f64; 4]]) -> Vec<f64> {
    let between = |a: &[f64; 4], b: &[f64; 4]| {
        let squares = a.iter().zip(b).map(|(a, b)| (a - b).powi(2));
        squares.sum::<f64>().sqrt()
    };
    let rows = points.iter();
    rows.flat_map(|a| others.iter().map(move |b| between(a, b)))
        .collect()
}

#[test]
fn hot_paths_allocate_next_to_nothing() {
    const N: usize = 1024;
    const FEW: usize = 512;
    const MANY: usize = 2048;
    const D: usize = 3;
    const SQUARE: usize = 8 * N * N;
    let mut random = Stream::new(11);
    let mut point = || std::array::from_fn::<f64, 4, _>(|_| random.normal());
    let old: Vec<[f64; 4]> = (0..N).map(|_| point()).collect();
    let new: Vec<[f64; 4]> = (0..MANY).map(|_| point()).collect();
    let square = distances(&old, &old);
    let rows = distances(&new, &old);
    let singles: Vec<f32> = rows.iter().map(|v| *v as f32).collect();

    // Symmetric input is not copied. (What a fit takes is measured by bench/fit.py as resident memory: the
    // library that multiplies small matrices reserves far more than it touches.)
    let entries = MatRef::from_row_major_slice(&square, N, N);
    let fit = || {
        let square = Square {
            entries: Entries::Doubles(entries),
            kind: Kind::Dissimilarity,
            labels: None,
            made_of: None,
        };
        let settings = FitSettings {
            axes: Axes::Count(D),
            solver: Solver::Iterative,
            ..Default::default()
        };
        Map::fit(Objects::Square(square), &settings, Run::on(1))
            .unwrap()
            .map
    };
    let map = fit();
    let given = cost(fit);
    assert!(
        given.bytes < SQUARE / 2,
        "symmetric input was copied: {given:?}"
    );

    // The border: along the memory, across it, and in single precision.
    let border = |by: By<'_>| -> Border { map.border(&Newcomers::by(by), Run::on(1)).unwrap() };
    let across = Mat::from_fn(MANY, N, |i, j| rows[i * N + j]);
    let along = MatRef::from_row_major_slice(&rows, MANY, N);
    let single = MatRef::from_row_major_slice(&singles, MANY, N);
    let costs = |k: usize| {
        [
            ("along", cost(|| border(By::Doubles(along.subrows(0, k))))),
            (
                "across",
                cost(|| border(By::Doubles(across.as_ref().subrows(0, k)))),
            ),
            ("single", cost(|| border(By::Singles(single.subrows(0, k))))),
        ]
    };
    for ((name, few), (_, many)) in costs(FEW).into_iter().zip(costs(MANY)) {
        let more = many.calls.saturating_sub(few.calls);
        assert!(more <= (MANY - FEW) / 16, "{name}: {few:?}, then {many:?}");
        let each = many.bytes.saturating_sub(few.bytes) / (MANY - FEW);
        assert!(each < 8 * (4 * D + 40), "{name}: {each} bytes a newcomer");
    }

    // Reconstruction: likewise, all newcomers being plain ones.
    let reconstruct = |k: usize| -> Placements {
        let newcomers = Newcomers::new(along.subrows(0, k));
        let settings = PlaceSettings::by(Strategy::Reconstruct);
        map.place(&newcomers, &settings, Run::on(1)).unwrap().1
    };
    let few = cost(|| reconstruct(FEW));
    let many = cost(|| reconstruct(MANY));
    let more = many.calls.saturating_sub(few.calls);
    assert!(more <= (MANY - FEW) / 16, "{few:?}, then {many:?}");

    // A forked child would wait for the threads of a global pool for ever: whoever asks for them panics from here on.
    faer::disable_global_parallelism();
    nothing_asks_for_the_global_pool(entries.get(..40, ..40), along.get(..5, ..40));
    growing_is_linear_in_the_members(&old);
}

/// A thousand newcomers taken in one at a time: a step allocates as much as there are members, and reads each newcomer's
/// proximities alone.
fn growing_is_linear_in_the_members(points: &[[f64; 4]]) {
    const FOUNDERS: usize = 24;
    const STEPS: usize = 1000;
    let square = distances(&points[..FOUNDERS], &points[..FOUNDERS]);
    let square = Square {
        entries: Entries::Doubles(MatRef::from_row_major_slice(&square, FOUNDERS, FOUNDERS)),
        kind: Kind::Dissimilarity,
        labels: None,
        made_of: None,
    };
    let run = Run::on(1);
    let fitted = Map::fit(Objects::Square(square), &FitSettings::default(), run);
    let mut map = fitted.unwrap().map;
    let mut costs = Vec::new();
    for step in 0..STEPS {
        let n = FOUNDERS + step;
        let row = distances(&points[n..n + 1], &points[..n]);
        let newcomer = Newcomers::new(MatRef::from_row_major_slice(&row, 1, n));
        let settings = GrowSettings::default();
        let mut next = None;
        let taken = cost(|| next = Some(map.grow(&newcomer, &settings, run).unwrap().map));
        costs.push((n, taken));
        map = next.unwrap();
    }
    assert_eq!(map.labels().len(), FOUNDERS + STEPS);
    assert_eq!(map.generations().len(), STEPS);
    // From a quarter of the steps to all of them: four times as many members, hardly more than four times the cost.
    let (few, last) = (costs[STEPS / 4], costs[STEPS - 1]);
    let times = last.0 as f64 / few.0 as f64;
    let grows = |a: usize, b: usize| b as f64 / a as f64;
    assert!(
        grows(few.1.bytes, last.1.bytes) < 1.5 * times,
        "{few:?} {last:?}"
    );
    assert!(
        grows(few.1.calls, last.1.calls) < 1.5 * times,
        "{few:?} {last:?}"
    );
}

/// Every method and every strategy, with something missing, with weights, together, and all anew: on one thread.
fn nothing_asks_for_the_global_pool(old: MatRef<'_, f64>, new: MatRef<'_, f64>) {
    let (n, k, run) = (old.nrows(), new.nrows(), Run::on(1));
    let plain = || FitSettings::default();
    let configuration = Mat::from_fn(n, 2, |i, j| old[(i, j)]);
    let landmarks = Some(Landmarks::Maxmin { count: 20, seed: 1 });
    let neighbourhood = Some(Neighbourhood::Nearest(12));
    let fits = [
        plain(),
        FitSettings {
            correction: Correcting::Cailliez,
            ..plain()
        },
        FitSettings {
            origin: Origin::Object(3),
            ..plain()
        },
        FitSettings {
            configuration: Some(configuration),
            ..plain()
        },
        FitSettings {
            method: Method::Landmark,
            landmarks: landmarks.clone(),
            rotate: true,
            ..plain()
        },
        FitSettings {
            method: Method::Isomap,
            neighbourhood,
            ..plain()
        },
        FitSettings {
            method: Method::Laplacian,
            neighbourhood,
            ..plain()
        },
    ];
    let missing = Mat::from_fn(k, n, |i, j| {
        if i == 1 && j % 7 == 2 {
            f64::NAN
        } else {
            new[(i, j)]
        }
    });
    let weights: Vec<f64> = (0..n).map(|i| 1.0 + (i % 3) as f64).collect();
    let between = Mat::from_fn(k, k, |i, j| if i == j { 0.0 } else { 1.0 });
    let all = Mat::from_fn(n + k, n + k, |i, j| match (i < n, j < n) {
        (true, true) => old[(i, j)],
        (false, true) => new[(i - n, j)],
        (true, false) => new[(j - n, i)],
        (false, false) => between[(i - n, j - n)],
    });
    for settings in fits {
        let square = Square {
            entries: Entries::Doubles(old),
            kind: Kind::Dissimilarity,
            labels: None,
            made_of: None,
        };
        let map = Map::fit(Objects::Square(square), &settings, run)
            .unwrap()
            .map;
        let references = map.references().len();
        let columns: Vec<usize> = match map.landmarks() {
            Some(landmarks) if references < n => landmarks.to_vec(),
            _ => (0..n).collect(),
        };
        let of = |m: MatRef<'_, f64>| Mat::from_fn(k, references, |i, j| m[(i, columns[j])]);
        let (whole, gaps) = (of(new), of(missing.as_ref()));
        let given = [
            Newcomers::new(whole.as_ref()),
            Newcomers {
                missing: true,
                ..Newcomers::new(gaps.as_ref())
            },
            Newcomers {
                weights: Some(&weights[..references]),
                ..Newcomers::new(whole.as_ref())
            },
        ];
        for newcomers in given {
            for strategy in Strategy::ALL {
                // What is not offered here is refused, by whatever means.
                let _ = map.place(&newcomers, &PlaceSettings::by(strategy), run);
            }
            let together = Some(Between::Given(between.as_ref()));
            map.compare(&newcomers, together, run).unwrap();
        }
        map.reembed(all.as_ref(), run).unwrap();
    }
}
