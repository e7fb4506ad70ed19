//! A strategy of your own: a rule from the few numbers that a newcomer is to a place.
//!
//! This one projects, then moves the newcomer straight outwards until its distance from the origin is right, as far as that
//! can be: one line of mathematics, and it comes with everything a built-in strategy has.
//!
//! ```sh
//! cargo run -p adjoin --example own_strategy
//! ```

use adjoin::{Entries, Error, FitSettings, Kind, Map, Newcomers, Objects, One, Place, Run, Square};
use faer::mat;

/// y = ŷ √(β/ŷ'ŷ): as far out as the newcomer is. It does not apply at the origin, or where β is not positive.
fn outwards(one: &One<'_>) -> Place {
    let length: f64 = one.projection.iter().map(|v| v * v).sum();
    if !(one.beta > 0.0 && length > 0.0) {
        return Place::none();
    }
    let factor = (one.beta / length).sqrt();
    Place::at(one.projection.iter().map(|v| v * factor).collect())
}

fn main() -> Result<(), Error> {
    let old = mat![
        [0.0, 3.0, 4.0, 5.0],
        [3.0, 0.0, 5.0, 4.0],
        [4.0, 5.0, 0.0, 3.0],
        [5.0, 4.0, 3.0, 0.0],
    ];
    let square = Square {
        entries: Entries::Doubles(old.as_ref()),
        kind: Kind::Dissimilarity,
        labels: None,
        made_of: None,
    };
    let map = Map::fit(
        Objects::Square(square),
        &FitSettings::default(),
        Run::default(),
    )?
    .map;
    let new = mat![[6.0, 5.0, 7.0, 6.5]];
    let border = map.border(&Newcomers::new(new.as_ref()), Run::default())?;
    let placed = map.place_by(&border, outwards, Run::default())?;
    println!("projected {:?}", map.project(&border).point(0));
    println!(
        "outwards  {:?}, F = {}",
        placed.point(0),
        placed.objective[0]
    );
    Ok(())
}
