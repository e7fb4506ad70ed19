//! What is said of a map with a link: its stress, its knots and what it is worth, in the place of eigenvalues.

use adjoin::Map;
use adjoin::number::rounded;
use serde_json::{Value, json};

/// Knots shown for reading; --json has them all.
const KNOTS: usize = 9;

/// What `info` says of a spectrum, which such a map does not have.
const SPECTRAL: [&str; 13] = [
    "eigenvalues",
    "explained",
    "suggested",
    "scree",
    "broken_stick",
    "profile_likelihood",
    "eigenvalues_seen",
    "all_eigenvalues_seen",
    "negative_eigenvalues",
    "residuals",
    "trace",
    "squared_norm",
    "strain",
];

/// Puts the link of a map into what `info` says of it, in the place of its spectrum; nothing if it has none.
pub fn put(map: &Map, record: &mut Value) {
    if let (Some(_), Value::Object(record)) = (map.link(), record) {
        for name in SPECTRAL {
            record.remove(name);
        }
        record.insert("kind".into(), map.kind().word().into());
        record.insert("link".into(), as_json(map));
    }
}

/// The link for machines: its knots, its stress, and the Shepard diagram of the old pairs.
pub fn as_json(map: &Map) -> Value {
    let (Some(linked), Some(error)) = (map.link(), map.link_error()) else {
        return Value::Null;
    };
    let (link, shepard) = (&linked.link, &linked.shepard);
    let (given, shown): (Vec<f64>, Vec<f64>) = shepard.pairs.iter().copied().unzip();
    let errors: Vec<Option<f64>> = linked
        .errors(map.configuration())
        .into_iter()
        .map(|e| Some(e).filter(|e| e.is_finite()))
        .collect();
    json!({
        "form": link.form.word(),
        "stress": shepard.stress,
        "knots": { "dissimilarity": link.dissimilarities, "distance": link.distances },
        "range": [shepard.range.0, shepard.range.1],
        "weights": linked.weights,
        "shepard": { "dissimilarity": given, "distance": shown },
        "left_out": {
            "median_error": error.median,
            "ninth_decile": error.most,
            "radius": error.radius,
            "errors": errors,
        },
    })
}

/// The link for reading; nothing if the map has none.
pub fn lines(map: &Map) -> Vec<(&'static str, String)> {
    let (Some(linked), Some(error)) = (map.link(), map.link_error()) else {
        return Vec::new();
    };
    let (link, shepard) = (&linked.link, &linked.shepard);
    let (knots, pairs) = (link.distances.len(), map.labels().len());
    let mut lines = vec![
        (
            "link",
            format!(
                "{}, from dissimilarity to shown distance; newcomers are placed by stress",
                link.form.word()
            ),
        ),
        (
            "stress",
            format!("{} (Kruskal's, formula 1)", rounded(shepard.stress)),
        ),
        (
            "left out",
            format!(
                "old objects are placed {} from where they are (median; nine in ten within {}; the map's radius is {})",
                rounded(error.median),
                rounded(error.most),
                rounded(error.radius)
            ),
        ),
        (
            "pairs",
            format!(
                "{} of old objects, dissimilarities from {} to {}",
                pairs * (pairs - 1) / 2,
                rounded(shepard.range.0),
                rounded(shepard.range.1)
            ),
        ),
    ];
    // Shepard's diagram in words: evenly chosen knots, with as long a bar as the distance is.
    let longest = link.distances[knots - 1];
    let shown = knots.min(KNOTS);
    for k in 0..shown {
        let i = k * (knots - 1) / (shown - 1).max(1);
        let name = match (k, knots > KNOTS) {
            (0, false) => "knots",
            (0, true) => "some knots",
            _ => "",
        };
        let (x, y) = (link.dissimilarities[i], link.distances[i]);
        let bar = "▪".repeat((40.0 * (y / longest).clamp(0.0, 1.0)).round() as usize);
        lines.push((name, format!("{:<10} {:<10} {bar}", rounded(x), rounded(y))));
    }
    lines
}
