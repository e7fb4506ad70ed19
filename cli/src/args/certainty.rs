//! How certain places are to be told: the same flags for `place`, `plot` and `report`.

use std::path::PathBuf;

use adjoin::Strategy;
use clap::Args;

use super::one_of;
use crate::error::Error;

/// What is varied to tell how certain a place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Varied {
    /// What the old objects say, given the map's axes.
    Axes,
    /// The old objects, by refits.
    Refit,
}

impl Varied {
    const ALL: [Varied; 2] = [Varied::Axes, Varied::Refit];

    pub fn word(self) -> &'static str {
        match self {
            Varied::Axes => "axes",
            Varied::Refit => "refit",
        }
    }
}

/// Whether it is to be told how certain places are, and by what.
#[derive(Debug, Clone, Default, Args)]
pub struct Certainty {
    /// Tell how certain each place is: given these axes, how far the old objects disagree about it (axes); or by 20 refits without a
    /// twentieth of the old objects each (refit, which needs --old). Not the error of measuring the newcomer itself.
    #[arg(
        long,
        value_name = "axes|refit",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "axes",
        value_parser = one_of(Varied::ALL, Varied::word)
    )]
    pub uncertainty: Option<Varied>,
    /// The proximities between the old objects that the map was fitted to, which it does not have: for --uncertainty=refit.
    #[arg(long, value_name = "OLD")]
    pub old: Option<PathBuf>,
}

impl Certainty {
    /// Errs if what was said does not go together.
    pub fn check(&self, strategy: Strategy) -> Result<(), Error> {
        let settled = matches!(strategy, Strategy::Project | Strategy::Reconstruct);
        let why = match self.uncertainty {
            Some(Varied::Axes) if !settled => format!(
                "found --uncertainty beside {}, expected project or reconstruct; --uncertainty=refit --old OLD is for every strategy",
                strategy.word()
            ),
            Some(Varied::Refit) => return Ok(()),
            _ if self.old.is_some() => {
                "found --old without --uncertainty=refit, expected both: nothing else needs the old objects' proximities".into()
            }
            _ => return Ok(()),
        };
        Err(Error::Usage(why))
    }

    /// Refuses to tell how certain places are where there is no newcomer to a map.
    pub fn without_newcomers(&self) -> Result<(), Error> {
        match self.uncertainty {
            None => self.check(Strategy::Project),
            Some(_) => Err(Error::Usage(
                "found --uncertainty without newcomers to a map, expected MAP and NEW".into(),
            )),
        }
    }
}
