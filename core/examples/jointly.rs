//! Several newcomers together, from what is between them too: the paper's Example 1 with two newcomers.
//!
//! Two objects lie at ∓1 on a line; two newcomers lie 9 to either side of its middle, off the line. Each alone is projected
//! onto the middle; together they are put √80 to either side, and the certificate says that nothing is better.
//!
//! ```sh
//! cargo run -p adjoin --example jointly
//! ```

use adjoin::settings::Axes;
use adjoin::{Between, Entries, Error, FitSettings, Kind, Map, Newcomers, Objects, Run, Square};
use faer::mat;

fn main() -> Result<(), Error> {
    let old = mat![[0.0, 4.0], [4.0, 0.0]];
    let square = Square {
        entries: Entries::Doubles(old.as_ref()),
        kind: Kind::Squared,
        labels: None,
        made_of: None,
    };
    let settings = FitSettings {
        axes: Axes::Count(1),
        ..Default::default()
    };
    let map = Map::fit(Objects::Square(square), &settings, Run::default())?.map;

    let new = mat![[82.0, 82.0], [82.0, 82.0]];
    let between = mat![[0.0, 324.0], [324.0, 0.0]];
    let newcomers = Newcomers::new(new.as_ref());
    let (border, jointly) =
        map.jointly(&newcomers, Between::Given(between.as_ref()), Run::default())?;
    println!("projected  {:?}", map.project(&border).coordinates);
    println!("jointly    {:?}", jointly.placements.coordinates);
    println!(
        "F = {}, certified: {}",
        jointly.placements.objective[0], jointly.certified
    );
    Ok(())
}
