//! Squares that are larger than memory: fitted by passes over their file.

use adjoin::elsewhere::Elsewhere;
use adjoin::settings::Correcting;
use adjoin::{FitSettings, Method, Objects};
use adjoin_formats::{OnDisk, SquareOnDisk, provenance};

use super::settings::{kind, settle};
use super::{Answer, Fitting};
use crate::error::Error;
use crate::memory;

/// Share of the memory that is left which proximities may take.
const SHARE: f64 = 0.9;

/// Passes that a fit of a few axes takes, half the file each, after the first look at all of it: what large squares that were
/// tried took is between 15 and 60.
const PASSES: f64 = 40.0;

/// Seconds from which a fit is only begun if that is asked for: two days.
const TOO_LONG: f64 = 2.0 * 24.0 * 3600.0;

/// Bytes that passes may take themselves, however little is left for proximities: bands of rows, the vectors that are multiplied,
/// and what matrix products set aside.
const ROOM: usize = 1 << 30;

/// Bytes that proximities may take.
pub fn limit(asked: Option<usize>) -> Option<u64> {
    let left = || Some((memory::available()? as f64 * SHARE) as u64);
    asked.map(|most| most as u64).or_else(left)
}

impl Fitting<'_> {
    /// A square on disk that does not fit into `limit` bytes.
    pub fn of_square_beyond(&self, array: OnDisk, limit: u64, mut settings: FitSettings) -> Answer {
        let (n, needs) = (array.blocks.shape().0, array.needs());
        let source = array.blocks.source().to_owned();
        let (size, most) = (gigabytes(needs), gigabytes(limit));
        let by_products = matches!(settings.method, Method::Cmds | Method::KernelPca)
            && settings.correction == Correcting::None
            && settings.configuration.is_none();
        if !by_products {
            return Err(Error::Request(format!(
                "{source}: found {n} × {n} proximities, {size} of memory where there are {most}, expected classical scaling \
                 without a correction or a configuration, which passes over the file, or --method landmark on some of the columns"
            )));
        }
        let named = array.labels.is_some();
        let labels = array.labels;
        let labels = labels.unwrap_or_else(|| (1..=n).map(|i| i.to_string()).collect());
        settle(&mut settings, self.args, &labels, self.words)?;
        let kind = kind(self.args);
        let square = SquareOnDisk::new(array.blocks, kind, limit, self.run);
        let seconds = square.seconds_a_pass()? * (1.0 + PASSES / 2.0);
        let long = lasting(seconds);
        if seconds > TOO_LONG && !self.args.force {
            return Err(Error::Request(format!(
                "{source}: found {n} × {n} proximities, {size}, which passes over the file would fit in about {long}, expected a \
                 machine with so much memory, --method landmark on some of the columns, or --force"
            )));
        }
        self.words.say(format_args!(
            "{source}: {n} objects, {size} of proximities where there are {most} of memory, so they are fitted by passes over the \
             file (about {long})"
        ));
        if !named {
            self.words.say_numbered(&source);
        }
        memory::at_least(ROOM);
        let looks = vec![square.look()?];
        let objects = Objects::Elsewhere(Elsewhere {
            count: n,
            kind,
            labels: named.then_some(labels),
            looks,
            products: &square,
        });
        let map = self.fit(objects, &settings, &source, &[]);
        match square.fault() {
            Some(fault) => Err(fault.into()),
            None => Ok((map?, Some(provenance(self.old)?))),
        }
    }
}

fn gigabytes(bytes: u64) -> String {
    match bytes as f64 / 1e9 {
        some if some < 0.1 => format!("{:.1} MB", some * 1e3),
        some => format!("{some:.1} GB"),
    }
}

/// A time in the unit that people would use.
fn lasting(seconds: f64) -> String {
    let (count, unit) = match seconds {
        s if s < 90.0 => (s, "second"),
        s if s < 90.0 * 60.0 => (s / 60.0, "minute"),
        s if s < 36.0 * 3600.0 => (s / 3600.0, "hour"),
        s => (s / 86400.0, "day"),
    };
    match count.round().max(1.0) {
        1.0 => format!("a {unit}").replace("a h", "an h"),
        count => format!("{count} {unit}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_the_unit_that_people_would_use() {
        for (seconds, words) in [
            (0.2, "a second"),
            (75.0, "75 seconds"),
            (600.0, "10 minutes"),
            (5400.0, "2 hours"),
            (86400.0 * 3.0, "3 days"),
        ] {
            assert_eq!(lasting(seconds), words);
        }
    }
}
