//! A thousand stress problems in the plane, each proved: run by hand; docs/nonmetric.md says what came of such a thousand.
//!
//! n = 50 … 500 objects drawn from a normal distribution, and a newcomer whose distances are multiplied by exp(noise × normal); some
//! have weights, some lack a third of their dissimilarities, and in the last rows dissimilarities have nothing to do with the map, which
//! is where valleys are many. Prints how many were certified, how often the proof found a better place than the starts had, the
//! largest gap, and milliseconds a newcomer without and with proof.
//!
//! Usage: `stress_proof [PROBLEMS]`

use adjoin::random::Stream;
use adjoin::{Newcomers, PlaceSettings, Run, Strategy, place_on_configuration};
use adjoin_bench::timed;
use faer::Mat;

const SIZES: [usize; 4] = [50, 100, 200, 500];

/// The noise of the dissimilarities; none stands for those that have nothing to do with the map.
const NOISES: [Option<f64>; 5] = [Some(0.01), Some(0.1), Some(0.5), Some(1.5), None];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let problems: usize = match std::env::args().nth(1) {
        Some(count) => count.parse()?,
        None => 1000,
    };
    let each = problems / (SIZES.len() * NOISES.len());
    let mut rng = Stream::new(1964);
    let (mut all, mut proved) = (0, 0);
    println!("n\tnoise\tproblems\tcertified\tbetter\tlargest gap\tms\tms with proof");
    for noise in NOISES {
        for n in SIZES {
            let (mut certified, mut better, mut gap) = (0, 0, 0.0f64);
            let mut seconds = [0.0, 0.0];
            for round in 0..each {
                let x = Mat::from_fn(n, 2, |_, _| rng.normal());
                let y = [rng.normal(), rng.normal()];
                let mut delta = Mat::from_fn(1, n, |_, i| match noise {
                    Some(noise) => {
                        let shown = (y[0] - x[(i, 0)]).hypot(y[1] - x[(i, 1)]);
                        shown * (noise * rng.normal()).exp()
                    }
                    None => rng.normal().exp(),
                });
                let weights: Vec<f64> = (0..n).map(|_| rng.normal().abs()).collect();
                if round % 3 == 1 {
                    (0..n).step_by(3).for_each(|i| delta[(0, i)] = f64::NAN);
                }
                let newcomers = Newcomers {
                    missing: true,
                    weights: (round % 3 == 2).then_some(&weights[..]),
                    ..Newcomers::new(delta.as_ref())
                };
                let labels: Vec<String> = (1..=n).map(|i| i.to_string()).collect();
                let mut answers = Vec::new();
                for (at, prove) in [false, true].into_iter().enumerate() {
                    let mut how = PlaceSettings::by(Strategy::Stress);
                    how.prove = prove;
                    let (time, answer) = timed(|| {
                        place_on_configuration(x.as_ref(), &labels, &newcomers, &how, Run::on(1))
                    });
                    seconds[at] += time;
                    answers.push(answer?);
                }
                certified += usize::from(answers[1].certified(0) == Some(true));
                let (before, after) = (answers[0].objective[0], answers[1].objective[0]);
                better += usize::from(after < before * (1.0 - 1e-9));
                gap = gap.max(answers[1].gap[0]);
            }
            let milliseconds = seconds.map(|s| 1000.0 * s / each as f64);
            let noise = noise.map_or("any".to_owned(), |v| v.to_string());
            println!(
                "{n}\t{noise}\t{each}\t{certified}\t{better}\t{gap:.1e}\t{:.2}\t{:.2}",
                milliseconds[0], milliseconds[1]
            );
            (all, proved) = (all + each, proved + certified);
        }
    }
    println!("{proved} of {all} certified");
    Ok(())
}
