//! One newcomer on a map: projected, reconstructed with its proof, and the arc between the two.
//!
//! ```sh
//! cargo run -p adjoin --example add_one
//! ```

use adjoin::{
    Entries, Error, FitSettings, Kind, Map, Newcomers, Objects, PlaceSettings, Run, Square,
    Strategy,
};
use faer::mat;

fn main() -> Result<(), Error> {
    // Road distances in kilometres between five cities.
    let names = ["Barcelona", "Brussels", "Geneva", "Munich", "Paris"];
    let old = mat![
        [0.0, 1318.0, 758.0, 1349.0, 1049.0],
        [1318.0, 0.0, 677.0, 747.0, 294.0],
        [758.0, 677.0, 0.0, 591.0, 540.0],
        [1349.0, 747.0, 591.0, 0.0, 827.0],
        [1049.0, 294.0, 540.0, 827.0, 0.0],
    ];
    let square = Square {
        entries: Entries::Doubles(old.as_ref()),
        kind: Kind::Dissimilarity,
        labels: Some(names.map(String::from).to_vec()),
        made_of: None,
    };
    let map = Map::fit(
        Objects::Square(square),
        &FitSettings::default(),
        Run::default(),
    )?
    .map;

    // Lyon, by its distances to them.
    let lyon = mat![[644.0, 706.0, 158.0, 749.0, 471.0]];
    let settings = PlaceSettings::by(Strategy::Reconstruct);
    let (border, placed) = map.place(&Newcomers::new(lyon.as_ref()), &settings, Run::default())?;
    println!("projected      {:8.1?}", map.project(&border).point(0));
    println!("reconstructed  {:8.1?}", placed.point(0));
    println!(
        "no place is better: {:?}",
        placed.certified(0) == Some(true)
    );
    if let Some(arc) = map.arc(&border, 0, 3)? {
        println!("half way       {:8.1?}", arc.point(1));
    }
    Ok(())
}
