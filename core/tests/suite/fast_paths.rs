//! The fast paths against plain loops: every remainder of the block sizes, every layout, number type and kind.
//!
//! What is compared is a scaled residual, so that the bounds hold whatever the condition of the problem: ŷ by how well
//! Cŷ = X'b holds with X'b summed by a plain loop, in units of the rounding of its terms.

#![allow(non_snake_case)]
// References are written with the indices of the formulas.
#![allow(clippy::needless_range_loop)]

use adjoin::border::Border;
use adjoin::fit::centring::Centring;
use adjoin::fit::diagram::DiagramSettings;
use adjoin::fit::diagram::Parts;
use adjoin::fit::leave_one_out::LeaveOneOut;
use adjoin::fit::spectrum::Solver;
use adjoin::fit::summary::Summary;
use adjoin::input::block::Block;
use adjoin::input::kind::{Correction, Element};
use adjoin::input::proximities::Proximities;
use adjoin::random::Stream;
use adjoin::run::Run;
use adjoin::strategy::reconstruct::reconstruct;
use adjoin::strategy::secular;
use adjoin::{Diagram, Error, Kind};
use faer::{Mat, MatRef};

const EPSILON: f64 = f64::EPSILON;

/// Sizes around every block: vectors of 2, 4 and 8, stacks of 16, guesses from 64, stretches of 192, tiles of 512.
fn sizes() -> impl Iterator<Item = usize> {
    let blocks = [63..=66, 191..=194, 255..=257, 511..=514];
    (2..=40).chain(blocks.into_iter().flatten())
}

/// Kinds, with and without a correction.
const SCALES: [(Kind, Correction); 7] = [
    (Kind::Dissimilarity, Correction::None),
    (Kind::Squared, Correction::None),
    (Kind::Similarity, Correction::None),
    (Kind::Dissimilarity, Correction::Lingoes(0.3)),
    (Kind::Dissimilarity, Correction::Cailliez(0.2)),
    (Kind::Squared, Correction::Lingoes(0.3)),
    (Kind::Squared, Correction::Cailliez(0.2)),
];

/// A map of n objects in d dimensions that is consistent for d < n: any X, and C = X'X about its origin.
fn map(n: usize, d: usize, scale: (Kind, Correction), weighted: bool, rng: &mut Stream) -> Diagram {
    let X = Mat::from_fn(n, d, |_, _| rng.normal());
    let raw: Vec<f64> = (0..n)
        .map(|_| if weighted { 1.5 + rng.uniform() } else { 1.0 })
        .collect();
    let sum: f64 = raw.iter().sum();
    let w: Vec<f64> = raw.iter().map(|w| w / sum).collect();
    let row_means: Vec<f64> = (0..n).map(|_| -2.0 + rng.uniform()).collect();
    // The grand mean is the mean of the row means, as in every map.
    let grand_mean = w.iter().zip(&row_means).map(|(w, r)| w * r).sum();
    Diagram::from_parts(Parts {
        labels: (1..=n).map(|i| i.to_string()).collect(),
        kind: scale.0,
        correction: scale.1,
        configuration: X,
        eigenvalues: vec![1.0; d],
        given: true,
        centring: Centring {
            weights: weighted.then_some(w),
            row_means,
            grand_mean,
        },
        leave_one_out: LeaveOneOut::of_residuals(vec![f64::NAN; n]),
        summary: Summary::default(),
    })
    .unwrap()
}

/// Proximities of k newcomers that both number types hold exactly; some are 0.
fn proximities(k: usize, n: usize, rng: &mut Stream) -> Mat<f64> {
    let zero = |i: usize, j: usize| (i * 31 + j * 17) % 41 == 40;
    let raw = Mat::from_fn(k, n, |_, _| f64::from((3.0 + 2.0 * rng.uniform()) as f32));
    Mat::from_fn(k, n, |i, j| if zero(i, j) { 0.0 } else { raw[(i, j)] })
}

/// The same numbers in memory one way or another.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Layout {
    Rows,
    Columns,
    /// Rows with a gap between them, as a part of a larger array has.
    Apart,
    /// Every second number of every row: neither rows nor columns lie together.
    Strided,
    /// Columns from the last to the first in memory.
    Reversed,
}

const LAYOUTS: [Layout; 5] = [
    Layout::Rows,
    Layout::Columns,
    Layout::Apart,
    Layout::Strided,
    Layout::Reversed,
];

/// Storage of a matrix in some layout; what does not belong to it is NaN.
struct Stored<T> {
    values: Vec<T>,
    shape: (usize, usize),
    strides: (usize, usize),
    reversed: bool,
}

impl<T: Element> Stored<T> {
    fn new(a: &Mat<f64>, layout: Layout) -> Self {
        let (k, n) = (a.nrows(), a.ncols());
        let strides = match layout {
            Layout::Rows | Layout::Reversed => (n, 1),
            Layout::Columns => (1, k),
            Layout::Apart => (n + 5, 1),
            Layout::Strided => (2 * n + 3, 2),
        };
        let reversed = layout == Layout::Reversed;
        let room = (k - 1) * strides.0 + (n - 1) * strides.1 + 1;
        let mut values = vec![T::from_f64(f64::NAN); room];
        for i in 0..k {
            for j in 0..n {
                let at = if reversed { n - 1 - j } else { j };
                values[i * strides.0 + at * strides.1] = T::from_f64(a[(i, j)]);
            }
        }
        Self {
            values,
            shape: (k, n),
            strides,
            reversed,
        }
    }

    fn view(&self) -> MatRef<'_, T> {
        let ((k, n), (row, column)) = (self.shape, self.strides);
        // SAFETY: the farthest entry is the last of `values`, which the view borrows.
        let view = unsafe {
            MatRef::from_raw_parts(self.values.as_ptr(), k, n, row as isize, column as isize)
        };
        if self.reversed {
            view.reverse_cols()
        } else {
            view
        }
    }
}

/// t of one proximity, by the book.
fn on_scale(a: f64, (kind, correction): (Kind, Correction)) -> f64 {
    match (kind, correction) {
        (Kind::Similarity, _) => a,
        _ if a == 0.0 => 0.0,
        (Kind::Dissimilarity, Correction::None) => -0.5 * a * a,
        (Kind::Squared, Correction::None) => -0.5 * a,
        (Kind::Dissimilarity, Correction::Lingoes(c)) => -0.5 * (a * a + 2.0 * c),
        (Kind::Squared, Correction::Lingoes(c)) => -0.5 * (a + 2.0 * c),
        (Kind::Dissimilarity, Correction::Cailliez(c)) => -0.5 * (a + c).powi(2),
        (Kind::Squared, Correction::Cailliez(c)) => -0.5 * (a.sqrt() + c).powi(2),
    }
}

/// One newcomer by plain loops, with the size of the rounding that each number may carry.
struct Plain {
    b: Vec<f64>,
    /// |t| + |t̄| + |r| + |m| of each entry: b is a difference of these.
    size: Vec<f64>,
    beta: f64,
    g: Vec<f64>,
    g_size: Vec<f64>,
}

fn plainly(diagram: &Diagram, X: &Mat<f64>, row: &[f64], itself: f64) -> Plain {
    let (n, d) = (diagram.count(), diagram.dimensions());
    let scale = (diagram.kind(), diagram.parts().correction);
    let centring = diagram.centring();
    let (r, m) = (&centring.row_means, centring.grand_mean);
    let t: Vec<f64> = row.iter().map(|a| on_scale(*a, scale)).collect();
    let w = |i: usize| match &centring.weights {
        Some(w) => w[i],
        None => 1.0 / n as f64,
    };
    let mut mean = 0.0;
    for i in 0..n {
        mean += w(i) * t[i];
    }
    let b: Vec<f64> = (0..n).map(|i| t[i] - mean - r[i] + m).collect();
    let size: Vec<f64> = (0..n)
        .map(|i| t[i].abs() + mean.abs() + r[i].abs() + m.abs())
        .collect();
    let mut g = vec![0.0; d];
    let mut g_size = vec![0.0; d];
    for j in 0..d {
        for i in 0..n {
            g[j] += X[(i, j)] * b[i];
            g_size[j] += X[(i, j)].abs() * size[i];
        }
    }
    Plain {
        b,
        size,
        beta: itself - 2.0 * mean + m,
        g,
        g_size,
    }
}

fn about_origin(diagram: &Diagram) -> Mat<f64> {
    let X = diagram.configuration();
    Mat::from_fn(X.nrows(), X.ncols(), |i, j| X[(i, j)] - diagram.origin()[j])
}

/// Whether a border is what plain loops say, to the rounding of sums of n terms.
fn assert_plain(
    diagram: &Diagram,
    border: &Border,
    a: &Mat<f64>,
    itself: Option<&[f64]>,
    what: &str,
) {
    let (n, d, k) = (diagram.count(), diagram.dimensions(), a.nrows());
    assert_eq!(border.count(), k, "{what}");
    let X = about_origin(diagram);
    let C = diagram.cross();
    let unit = (16 + n + d) as f64 * EPSILON;
    for i in 0..k {
        let row: Vec<f64> = (0..n).map(|j| a[(i, j)]).collect();
        let plain = plainly(diagram, &X, &row, itself.map_or(0.0, |s| s[i]));
        let y = border.projection(i);
        let longest = y.iter().map(|v| v * v).sum::<f64>().sqrt();
        let mut errors = 0.0;
        for j in 0..d {
            let shown: f64 = (0..d).map(|l| C[(j, l)] * y[l]).sum();
            let bound = unit * (plain.g_size[j] + C.norm_l2() * longest);
            let error = (shown - plain.g[j]).abs();
            assert!(
                error <= bound,
                "{what}: Cŷ − X'b is {error:e}, at most {bound:e}"
            );
            errors += (bound * y[j]).abs();
        }
        let largest = plain.size.iter().fold(0.0, |m: f64, v| m.max(*v));
        let error = (border.beta[i] - plain.beta).abs();
        assert!(
            error <= 2.0 * unit * (largest + plain.beta.abs()),
            "{what}: β off by {error:e}"
        );
        let norm: f64 = plain.b.iter().map(|b| b * b).sum();
        let sizes: f64 = plain
            .b
            .iter()
            .zip(&plain.size)
            .map(|(b, s)| b.abs() * s)
            .sum();
        let error = (border.b_norm_squared[i] - norm).abs();
        assert!(
            error <= 2.0 * unit * (norm + sizes),
            "{what}: ‖b‖² off by {error:e}"
        );
        let outside: f64 = (0..n)
            .map(|l| plain.b[l] - (0..d).map(|j| X[(l, j)] * y[j]).sum::<f64>())
            .map(|v| v * v)
            .sum();
        let error = (border.outside[i] - outside).abs();
        let bound = 2.0 * unit * (norm + sizes) + 4.0 * errors;
        assert!(
            error <= bound,
            "{what}: ‖b − Xŷ‖² off by {error:e}, at most {bound:e}"
        );
        assert_eq!(border.observed[i], n, "{what}");
    }
}

fn read<T: Element>(
    diagram: &Diagram,
    a: &Mat<f64>,
    layout: Layout,
    itself: Option<&[f64]>,
) -> Border {
    let stored = Stored::<T>::new(a, layout);
    let newcomers = Block {
        self_similarity: itself,
        ..Block::new(stored.view())
    };
    Border::new(diagram, &newcomers, Run::on(1)).unwrap()
}

/// n, d and k from the smallest to beyond every block: the border is that of plain loops in any layout and number type.
#[test]
fn every_remainder_equals_plain_loops() {
    let mut rng = Stream::new(1);
    for n in sizes() {
        for d in (1..=20).filter(|&d| d < n) {
            // Not everything with everything: each n and each d meets each scale and each k.
            let scale = SCALES[(n + d) % SCALES.len()];
            let k = 1 + (3 * n + d) % 20;
            let diagram = map(n, d, scale, (n + d) % 4 == 0, &mut rng);
            let a = proximities(k, n, &mut rng);
            let selves: Vec<f64> = (0..k).map(|i| 5.0 + i as f64).collect();
            let itself = (scale.0 == Kind::Similarity).then_some(&selves[..]);
            for layout in LAYOUTS {
                let what = format!("n = {n}, d = {d}, k = {k}, {scale:?}, {layout:?}");
                let double = read::<f64>(&diagram, &a, layout, itself);
                assert_plain(&diagram, &double, &a, itself, &what);
                let single = read::<f32>(&diagram, &a, layout, itself);
                assert_plain(&diagram, &single, &a, itself, &format!("{what}, f32"));
            }
        }
    }
}

/// Every scale at the sizes around one block, every k from 1 on.
#[test]
fn every_scale_and_count_equals_plain_loops() {
    let mut rng = Stream::new(2);
    for scale in SCALES {
        for (n, d) in [(9, 3), (33, 8), (130, 17), (258, 9)] {
            let diagram = map(n, d, scale, false, &mut rng);
            for k in 1..=20 {
                let a = proximities(k, n, &mut rng);
                let selves = vec![4.0; k];
                let itself = (scale.0 == Kind::Similarity).then_some(&selves[..]);
                for layout in [Layout::Rows, Layout::Columns] {
                    let what = format!("n = {n}, d = {d}, k = {k}, {scale:?}, {layout:?}");
                    assert_plain(
                        &diagram,
                        &read::<f64>(&diagram, &a, layout, itself),
                        &a,
                        itself,
                        &what,
                    );
                    assert_plain(
                        &diagram,
                        &read::<f32>(&diagram, &a, layout, itself),
                        &a,
                        itself,
                        &what,
                    );
                }
            }
        }
    }
}

/// Beyond the groups of 1024 newcomers, and with three blocks of axes and more.
#[test]
fn many_newcomers_and_axes_equal_plain_loops() {
    let mut rng = Stream::new(8);
    for (n, d, k, weighted) in [
        (40, 3, 257, false),
        (270, 10, 300, true),
        (290, 25, 9, false),
        (300, 31, 270, true),
        (260, 4, 1043, false),
    ] {
        let diagram = map(n, d, SCALES[0], weighted, &mut rng);
        let a = proximities(k, n, &mut rng);
        for layout in LAYOUTS {
            let what = format!("n = {n}, d = {d}, k = {k}, {layout:?}");
            let double = read::<f64>(&diagram, &a, layout, None);
            assert_plain(&diagram, &double, &a, None, &what);
            let single = read::<f32>(&diagram, &a, layout, None);
            assert_plain(&diagram, &single, &a, None, &what);
        }
    }
}

/// An entry that may not be there is found wherever it stands, though its square would pass; −0 may.
#[test]
fn a_wrong_entry_is_found_in_every_lane() {
    let mut rng = Stream::new(10);
    let (n, k) = (275, 21);
    let diagram = map(n, 3, SCALES[0], false, &mut rng);
    let sound = proximities(k, n, &mut rng);
    let places = (0..n).map(|j| ((5 * j) % k, j));
    for (i, j) in places.chain((0..k).map(|i| (i, n - 1))) {
        for wrong in [-1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            let with = |v: f64| {
                Mat::from_fn(
                    k,
                    n,
                    |r, c| if (r, c) == (i, j) { v } else { sound[(r, c)] },
                )
            };
            for layout in [Layout::Rows, Layout::Columns, Layout::Strided] {
                let stored = Stored::<f64>::new(&with(wrong), layout);
                let answer = Border::new(&diagram, &Block::new(stored.view()), Run::on(1));
                let Err(Error::Entry { row, column, .. }) = answer else {
                    panic!("{wrong} at ({i}, {j}) passed, {layout:?}");
                };
                assert_eq!((row.index, column.index), (i, j), "{layout:?}");
            }
        }
    }
    // −0 is 0, and changes nothing.
    let zeros = |zero: f64| {
        Mat::from_fn(k, n, |i, j| {
            if i % 5 == 2 && j % 7 == 0 {
                zero
            } else {
                sound[(i, j)]
            }
        })
    };
    for layout in LAYOUTS {
        let [plus, minus] = [0.0, -0.0].map(|z| read::<f64>(&diagram, &zeros(z), layout, None));
        assert!(same_bits(&plus, &minus, k), "{layout:?}");
    }
}

/// Newcomers in the map's own space: ‖b‖² − ŷ'Cŷ would be rounding, the sum of squares is its square.
#[test]
fn what_is_outside_is_small_where_nothing_is() {
    let mut rng = Stream::new(14);
    for (n, d, k) in [(40, 3, 5), (300, 2, 21), (300, 12, 19)] {
        let diagram = map(n, d, (Kind::Similarity, Correction::None), false, &mut rng);
        let X = about_origin(&diagram);
        let Y = Mat::from_fn(k, d, |_, _| rng.normal());
        let r = &diagram.centring().row_means;
        let a = Mat::from_fn(k, n, |i, j| {
            (0..d).map(|c| X[(j, c)] * Y[(i, c)]).sum::<f64>() + r[j]
        });
        let selves = vec![9.0; k];
        for layout in LAYOUTS {
            let border = read::<f64>(&diagram, &a, layout, Some(&selves));
            for i in 0..k {
                let share = border.outside[i] / border.b_norm_squared[i];
                let bound = (16.0 * EPSILON).powi(2) * n as f64;
                assert!(share <= bound, "{share:e}, n = {n}, d = {d}, {layout:?}");
            }
        }
    }
}

/// A newcomer far from the map: b is small beside the mean that is taken off, and still right to the rounding of t.
#[test]
fn far_newcomers_keep_their_digits() {
    let mut rng = Stream::new(3);
    for n in [7, 64, 65, 513] {
        let diagram = map(n, 3, SCALES[0], false, &mut rng);
        let near = proximities(9, n, &mut rng);
        for far in [1e3, 1e6] {
            let a = Mat::from_fn(9, n, |i, j| near[(i, j)] + far);
            for layout in LAYOUTS {
                let what = format!("n = {n}, {far} away, {layout:?}");
                assert_plain(
                    &diagram,
                    &read::<f64>(&diagram, &a, layout, None),
                    &a,
                    None,
                    &what,
                );
            }
        }
    }
}

fn same_bits(a: &Border, b: &Border, count: usize) -> bool {
    let d = a.dimensions;
    let same = |x: &[f64], y: &[f64], count: usize| {
        x[..count]
            .iter()
            .zip(&y[..count])
            .all(|(x, y)| x.to_bits() == y.to_bits())
    };
    same(&a.projections, &b.projections, count * d)
        && same(&a.beta, &b.beta, count)
        && same(&a.b_norm_squared, &b.b_norm_squared, count)
        && same(&a.outside, &b.outside, count)
}

fn bits_do_not_depend_on_company<T: Element>() {
    let mut rng = Stream::new(4);
    for (n, d) in [(5, 2), (66, 9), (514, 10)] {
        let diagram = map(n, d, SCALES[0], false, &mut rng);
        // Every seventh is so far away that its mean is guessed badly and it is read again.
        let near = proximities(150, n, &mut rng);
        let far = |i: usize, j: usize| {
            if i.is_multiple_of(7) && j > 1 {
                512.0
            } else {
                0.0
            }
        };
        let a = Mat::from_fn(150, n, |i, j| near[(i, j)] + far(i, j));
        for layout in [Layout::Rows, Layout::Columns, Layout::Strided] {
            let stored = Stored::<T>::new(&a, layout);
            let border = |first: usize, count: usize, threads: usize| {
                let some = Block::new(stored.view().subrows(first, count));
                Border::new(&diagram, &some, Run::on(threads)).unwrap()
            };
            let all = border(0, 150, 1);
            let placed = reconstruct(&diagram, &all, Run::on(1)).unwrap();
            for threads in [2, 3, 5] {
                let what = format!("n = {n}, {layout:?}, {threads} threads");
                assert!(same_bits(&all, &border(0, 150, threads), 150), "{what}");
                let again = reconstruct(&diagram, &all, Run::on(threads)).unwrap();
                assert_eq!(again.coordinates, placed.coordinates, "{what}");
                assert_eq!(again.lambda, placed.lambda, "{what}");
                assert_eq!(again.objective, placed.objective, "{what}");
            }
            for count in (1..=20).chain(63..=66) {
                let some = border(0, count, 1);
                assert!(
                    same_bits(&all, &some, count),
                    "n = {n}, {layout:?}, k = {count}"
                );
                let some = reconstruct(&diagram, &some, Run::on(1)).unwrap();
                assert_eq!(some.coordinates, placed.coordinates[..count * d]);
            }
            for first in [1, 7, 149] {
                let alone = border(first, 1, 1);
                assert_eq!(
                    alone.projections,
                    all.projection(first),
                    "n = {n}, {layout:?}"
                );
                assert_eq!(alone.beta[0].to_bits(), all.beta[first].to_bits());
            }
        }
    }
}

/// With few old objects the layout changes no bit either.
#[test]
fn few_old_objects_have_the_same_bits_in_any_layout() {
    let mut rng = Stream::new(13);
    for scale in SCALES {
        let diagram = map(255, 4, scale, false, &mut rng);
        let a = proximities(40, 255, &mut rng);
        let selves = vec![4.0; 40];
        let rows = read::<f64>(&diagram, &a, Layout::Rows, Some(&selves));
        for layout in LAYOUTS {
            let other = read::<f64>(&diagram, &a, layout, Some(&selves));
            assert!(same_bits(&rows, &other, 40), "{scale:?}, {layout:?}");
        }
    }
}

/// One thread or several, any batch: the same bits, for each number type and layout.
#[test]
fn threads_and_batches_do_not_change_a_bit() {
    bits_do_not_depend_on_company::<f64>();
    bits_do_not_depend_on_company::<f32>();
}

fn missing_are_routed<T: Element>(layout: Layout, scale: (Kind, Correction)) {
    let mut rng = Stream::new(5);
    for (n, d) in [(6, 1), (18, 4), (67, 9), (514, 3)] {
        let what = format!("n = {n}, d = {d}, {layout:?}, {scale:?}");
        let diagram = map(n, d, scale, false, &mut rng);
        let a = proximities(11, n, &mut rng);
        let holes = [(3, 0), (3, n - 1), (7, n / 2), (10, 2)];
        let mut with = a.clone();
        holes.iter().for_each(|&at| with[at] = f64::NAN);
        let selves = [4.0; 11];
        let itself = (scale.0 == Kind::Similarity).then_some(&selves[..]);
        let stored = Stored::<T>::new(&with, layout);
        let newcomers = Block {
            missing: true,
            self_similarity: itself,
            ..Block::new(stored.view())
        };
        let found = Border::new(&diagram, &newcomers, Run::on(1)).unwrap();
        let whole = read::<T>(&diagram, &a, layout, itself);
        let X = about_origin(&diagram);
        let (r, m) = (&diagram.centring().row_means, diagram.centring().grand_mean);
        for i in 0..11 {
            let gone: Vec<usize> = holes.iter().filter(|h| h.0 == i).map(|h| h.1).collect();
            assert_eq!(found.observed[i], n - gone.len(), "{what}");
            if gone.is_empty() {
                // Company with holes does not change the others.
                assert_eq!(found.projection(i), whole.projection(i), "{what}");
                assert_eq!(found.outside[i], whole.outside[i], "{what}");
                continue;
            }
            // Least squares: what is left over is orthogonal to [X e] on the observed rows.
            let y = found.projection(i);
            let alpha = (itself.map_or(0.0, |s| s[i]) - m - found.beta[i]) / 2.0;
            let (mut along, mut sizes) = (vec![0.0; d + 1], 0.0);
            for l in (0..n).filter(|l| !gone.contains(l)) {
                let f = on_scale(with[(i, l)], scale) - r[l];
                let shown: f64 = (0..d).map(|j| X[(l, j)] * y[j]).sum();
                for (j, along) in along.iter_mut().enumerate() {
                    let x = if j < d { X[(l, j)] } else { 1.0 };
                    *along += x * (f - shown - alpha);
                    sizes += x.abs() * (f.abs() + shown.abs() + alpha.abs());
                }
            }
            let bound = 4.0 * (n + 16) as f64 * EPSILON * sizes;
            assert!(
                along.iter().all(|v| v.abs() <= bound),
                "{what}: {along:?}, at most {bound:e}"
            );
        }
        // Where missing is not allowed, the first hole is named.
        let strict = Block {
            missing: false,
            ..newcomers
        };
        let error = Border::new(&diagram, &strict, Run::on(2)).unwrap_err();
        assert!(
            matches!(&error, Error::Entry { row, column, .. } if row.index == 3 && column.index == 0),
            "{what}: {error}"
        );
    }
}

/// NaN goes to the missing-data path from every layout, number type and scale, and leaves its neighbours alone.
#[test]
fn missing_proximities_are_routed() {
    for layout in LAYOUTS {
        for scale in SCALES {
            missing_are_routed::<f64>(layout, scale);
            missing_are_routed::<f32>(layout, scale);
        }
    }
}

/// Reconstruction in batches is the secular equation solved newcomer by newcomer, ordinary, hard and nearly hard.
#[test]
fn batches_of_reconstructions_equal_single_solves() {
    let mut rng = Stream::new(6);
    for d in 1..=20 {
        let n = 2 * d + 3;
        let c: Vec<f64> = (0..d).map(|j| 40.0 / (1.0 + j as f64)).collect();
        let diagram = Diagram::from_parts(Parts {
            labels: (1..=n).map(|i| i.to_string()).collect(),
            kind: Kind::Dissimilarity,
            correction: Correction::None,
            configuration: Mat::from_fn(n, d, |i, j| match i.checked_sub(2 * j) {
                Some(0) => (c[j] / 2.0).sqrt(),
                Some(1) => -(c[j] / 2.0).sqrt(),
                _ => 0.0,
            }),
            eigenvalues: c.clone(),
            given: false,
            centring: Centring {
                weights: None,
                row_means: vec![0.0; n],
                grand_mean: 0.0,
            },
            leave_one_out: LeaveOneOut::of_residuals(vec![f64::NAN; n]),
            summary: Summary::default(),
        })
        .unwrap();
        for k in (1..=20).chain([511, 512, 513]) {
            let mut border = Border {
                dimensions: d,
                projections: (0..k * d).map(|_| 2.0 * rng.normal()).collect(),
                beta: Vec::new(),
                b_norm_squared: Vec::new(),
                outside: vec![0.5; k],
                means: vec![f64::NAN; k],
                nearest: vec![f64::NAN; k],
                below_zero: vec![0; k],
                observed: vec![n; k],
                degrees: Vec::new(),
                beyond: Vec::new(),
                founding: None,
                covariance: Vec::new(),
            };
            for i in 0..k {
                let y = &mut border.projections[i * d..(i + 1) * d];
                y[d - 1] *= [1.0, 0.0, 1e-3, 1e-9, 1e-14][i % 5];
                let squares: f64 = y.iter().map(|v| v * v).sum();
                border
                    .beta
                    .push(squares + [1.0, 90.0, -3.0, 200.0, 1e4][(i / 5) % 5]);
                let norm: f64 = y.iter().zip(&c).map(|(y, c)| c * y * y).sum();
                border.b_norm_squared.push(norm + 0.5);
            }
            let found = reconstruct(&diagram, &border, Run::on(1)).unwrap();
            for i in 0..k {
                let what = format!("d = {d}, k = {k}, newcomer {i}");
                let g: Vec<f64> = border
                    .projection(i)
                    .iter()
                    .zip(&c)
                    .map(|(y, c)| c * y)
                    .collect();
                let mut y = vec![0.0; d];
                let norm = border.b_norm_squared[i].sqrt();
                let root = secular::solve(&c, &g, border.beta[i], n, norm, &mut y);
                assert!(found.margin[i] >= 0.0, "{what}");
                // A component that is rounding is taken as 0, by both: then the equation holds to that.
                let left = |y: &[f64]| secular::stationarity(&c, &g, border.beta[i], y);
                let (ours, theirs) = (left(found.point(i)), left(&y));
                let bound = (32.0 * d as f64 * EPSILON).max(2.0 * theirs);
                assert!(ours <= bound, "{what}: {ours:e}, at most {bound:e}");
                let words = match root.minimisers {
                    secular::Minimisers::Unique => "unique",
                    secular::Minimisers::Pair => "pair",
                    secular::Minimisers::Sphere(_) => "sphere",
                };
                assert_eq!(found.status[i].word(), words, "{what}");
                // The root is a relative accuracy of μ, so that of y along the last axis too.
                let close = |a: f64, b: f64| (a - b).abs() <= 64.0 * d as f64 * EPSILON * b.abs();
                assert!(
                    close(found.margin[i], root.margin),
                    "{what}: {} and {}",
                    found.margin[i],
                    root.margin
                );
                for (a, b) in found.point(i).iter().zip(&y) {
                    assert!(close(*a, *b), "{what}: {a} and {b}");
                }
            }
        }
    }
}

/// The product with the centred matrix, by its eigenpairs: BX = XΛ with B formed by plain loops, dense and iterative,
/// around the sizes of the tiles, in both number types and one to three threads.
#[test]
fn fitted_axes_are_eigenvectors_of_the_plain_matrix() {
    let small = (3..=20).map(|n| (n, Solver::Dense));
    let large = [
        193, 194, 255, 256, 257, 258, 385, 511, 512, 513, 514, 774, 1157,
    ];
    let large = large.into_iter().map(|n| (n, Solver::Iterative));
    let mut rng = Stream::new(7);
    for (n, solver) in small.chain(large) {
        let points = Mat::from_fn(n, 12, |_, j| rng.normal() / (1.0 + j as f64));
        let squared = |i: usize, j: usize| {
            (0..12)
                .map(|l| (points[(i, l)] - points[(j, l)]).powi(2))
                .sum::<f64>()
        };
        // Rounded to single precision, so that both number types hold the same.
        let a = Mat::from_fn(n, n, |i, j| {
            f64::from(squared(i.max(j), i.min(j)).sqrt() as f32)
        });
        let t = Mat::from_fn(n, n, |i, j| -0.5 * a[(i, j)] * a[(i, j)]);
        let means: Vec<f64> = (0..n)
            .map(|i| t.row(i).iter().sum::<f64>() / n as f64)
            .collect();
        let m = means.iter().sum::<f64>() / n as f64;
        let B = Mat::from_fn(n, n, |i, j| t[(i, j)] - means[i] - means[j] + m);
        let single = Mat::from_fn(n, n, |i, j| a[(i, j)] as f32);
        for threads in [1, 2, 3] {
            let settings = DiagramSettings {
                dimensions: 2,
                solver,
                ..Default::default()
            };
            let proximities =
                Proximities::new(a.as_ref(), Kind::Dissimilarity, None, Run::on(threads)).unwrap();
            let double = Diagram::fit(&proximities, &settings, Run::on(threads)).unwrap();
            let proximities =
                Proximities::new(single.as_ref(), Kind::Dissimilarity, None, Run::on(threads))
                    .unwrap();
            let single = Diagram::fit(&proximities, &settings, Run::on(threads)).unwrap();
            let proximities =
                Proximities::new(a.transpose(), Kind::Dissimilarity, None, Run::on(threads))
                    .unwrap();
            let turned = Diagram::fit(&proximities, &settings, Run::on(threads)).unwrap();
            for (diagram, name) in [(&double, "f64"), (&single, "f32"), (&turned, "by rows")] {
                let (X, values) = (diagram.configuration(), diagram.eigenvalues());
                for j in 0..2 {
                    let length = X.col(j).norm_l2();
                    let shown = (0..n).map(|i| {
                        let product: f64 = (0..n).map(|l| B[(i, l)] * X[(l, j)]).sum();
                        (product - values[j] * X[(i, j)]).powi(2)
                    });
                    let residual = shown.sum::<f64>().sqrt() / length / values[0];
                    // What the iteration stops at, and rounding.
                    let bound = 2e-11 + 8.0 * n as f64 * EPSILON;
                    assert!(
                        residual <= bound,
                        "n = {n}, {name}, {threads} threads: {residual:e}"
                    );
                }
            }
        }
    }
}
