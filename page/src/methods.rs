//! What was done, for the methods section of a paper: line by line, and as a paragraph.

use adjoin::stored::Correction;
use adjoin::{Diagram, Kind, Map, Method, Strategy};
use adjoin_formats::{MapFile, Provenance};
use serde_json::{Value, json};

use crate::arrived::Arrived;

/// The paper, as it is cited.
const CITATION: &str = "Trosset MW, Tan K, Tang M, Priebe CE. Out-of-Sample Embedding with Proximity Data: \
                        Projection versus Restricted Reconstruction.";

/// The version that makes the page.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A file that went into a page.
#[derive(Debug, Clone)]
pub struct Source {
    /// What it is to the page: `map`, `newcomers` …
    pub role: &'static str,
    /// Name, size and digest; only the name if it could not be read twice.
    pub file: Result<Provenance, String>,
}

/// Lines of names and values, a paragraph, and the citation.
pub(crate) fn methods(file: &MapFile, arrived: Option<&Arrived>, sources: &[Source]) -> Value {
    let map = &file.map;
    let diagram = map.diagram();
    let mut lines: Vec<(String, String)> = Vec::new();
    let mut line = |name: &str, value: String| lines.push((name.to_owned(), value));
    line(
        "map",
        format!(
            "{} objects on {} {}",
            map.labels().len(),
            diagram.dimensions(),
            if diagram.dimensions() == 1 {
                "axis"
            } else {
                "axes"
            }
        ),
    );
    if let Some(source) = map.source() {
        line("method", map.method().word().to_owned());
        line("measure of features", source.measure().word().to_owned());
    } else if map.method() != Method::Cmds {
        line("method", map.method().word().to_owned());
    }
    if map.labels().len() > diagram.count() {
        line("landmarks", diagram.count().to_string());
    }
    line("kind of proximities", kind(map.kind()).to_owned());
    line(
        "configuration",
        if let Some(linked) = map.link() {
            format!(
                "given, not fitted, with a {} link (stress {:.4})",
                linked.link.form.word(),
                linked.shepard.stress
            )
        } else if diagram.parts().given {
            "given, not fitted".to_owned()
        } else {
            "classical scaling (principal coordinates)".to_owned()
        },
    );
    if map.link().is_none() {
        line("origin", origin(diagram).to_owned());
    }
    if let Some(words) = correction(diagram) {
        line("correction", words);
    }
    if let Some(arrived) = arrived {
        line("newcomers", arrived.count().to_string());
        line("strategy", strategy(arrived));
        if let Some(joint) = &arrived.joint {
            line("certificate", certificate(joint.certified, joint.gap));
        }
        if let Some(words) = uncertainty(arrived) {
            line("uncertainty", words.to_owned());
        }
        if let Some(assessment) = arrived.assessment() {
            line("as a batch", assessment.sentence());
        }
    }
    if let Some(source) = &file.provenance {
        line("map made from", provenance(source));
    }
    for (name, value) in &file.settings {
        line(&format!("map, {name}"), value.clone());
    }
    for source in sources {
        let value = match &source.file {
            Ok(known) => provenance(known),
            Err(name) => format!("{name} (no digest)"),
        };
        line(&format!("file of the {}", source.role), value);
    }
    line("map made by", format!("adjoin {}", file.version));
    line("page made by", format!("adjoin {VERSION}"));
    json!({
        "lines": lines,
        "paragraph": paragraph(map, arrived),
        // What the paragraph says of the strategy that was asked for; the page says it of the one that it shows.
        "asked": arrived.map(strategy),
        // On a map with a link there is one place for each.
        "projected": word(match map.link() {
            Some(_) => Strategy::Stress,
            None => Strategy::Project,
        }),
        "reconstructed": word(Strategy::Reconstruct),
        "citation": CITATION,
        "version": VERSION,
    })
}

fn paragraph(map: &Map, arrived: Option<&Arrived>) -> String {
    let diagram = map.diagram();
    let explained = 100.0 * diagram.proportions().iter().sum::<f64>();
    let mut text = format!(
        "{} objects were represented in {} dimension{} {} of their {}{}{}",
        diagram.count(),
        diagram.dimensions(),
        if diagram.dimensions() == 1 { "" } else { "s" },
        if diagram.parts().given {
            "by a given configuration"
        } else {
            "by classical scaling"
        },
        kind(map.kind()),
        correction(diagram).map_or(String::new(), |c| format!(" after a correction ({c})")),
        match map.link() {
            Some(linked) => format!(
                ", whose distances follow them by a {} link with a stress (Kruskal's, formula 1) of {:.4}",
                linked.link.form.word(),
                linked.shepard.stress
            ),
            None => format!(", with the origin {}", origin(diagram)),
        },
    );
    if !diagram.parts().given {
        text += &format!(
            "; the axes explain {explained:.1} % of {}",
            if diagram.summary().complete {
                "the sum of the positive eigenvalues"
            } else {
                "the trace"
            }
        );
    }
    text += ". ";
    if let Some(arrived) = arrived {
        let k = arrived.count();
        text += &format!(
            "{k} newcomer{} added to this map, with the old objects held fixed, {}. ",
            if k == 1 { " was" } else { "s were" },
            strategy(arrived),
        );
        if let Some(joint) = &arrived.joint {
            text += &format!(
                "The joint placement is {}. ",
                certificate(joint.certified, joint.gap)
            );
        }
        if let Some(words) = uncertainty(arrived) {
            text += &format!("Regions of uncertainty are {words}. ");
        }
        let unplaced = arrived.unplaced().len();
        if unplaced > 0 {
            text += &format!("{unplaced} of them could not be placed. ");
        }
    }
    text + &format!("Computed with adjoin {VERSION}, which implements the methods of {CITATION}")
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Dissimilarity => "dissimilarities",
        Kind::Squared => "squared dissimilarities",
        Kind::Similarity => "similarities",
    }
}

fn origin(diagram: &Diagram) -> &'static str {
    match diagram.centring().weights {
        None => "at the centroid",
        Some(_) => "at a weighted mean of the objects",
    }
}

/// The correction in words, if there is one.
pub(crate) fn correction(diagram: &Diagram) -> Option<String> {
    match diagram.parts().correction {
        Correction::None => None,
        Correction::Lingoes(c) => Some(format!("Lingoes, constant {c}")),
        Correction::Cailliez(c) => Some(format!("Cailliez, constant {c}")),
    }
}

fn strategy(arrived: &Arrived) -> String {
    if arrived.joint.is_some() {
        return "jointly by restricted reconstruction".to_owned();
    }
    word(arrived.strategy)
}

/// A strategy as the paragraph says it.
fn word(strategy: Strategy) -> String {
    match strategy {
        Strategy::Project => "by projection",
        Strategy::Reconstruct => "by restricted reconstruction, each by itself",
        Strategy::Hyperplane => "by the best-fitting hyperplane, each by itself",
        Strategy::Augment => "by augmentation and Procrustes rotation, each by itself",
        Strategy::Stress => "by raw stress, each by itself",
        other => other.word(),
    }
    .to_owned()
}

fn certificate(certified: bool, gap: Option<f64>) -> String {
    match (certified, gap) {
        (true, _) => "certified as a global minimum".to_owned(),
        (false, Some(gap)) => format!(
            "not certified; its objective is at most {:.3} % above the minimum",
            100.0 * gap
        ),
        (false, None) => "not certified, and no bound is known".to_owned(),
    }
}

/// By what it is told how certain places are, if it is.
fn uncertainty(arrived: &Arrived) -> Option<&'static str> {
    let placements = arrived.placements();
    if placements.covariance.is_empty() {
        return None;
    }
    Some(match placements.blocks {
        Some(_) => "of 95 %, by refits without a twentieth of the objects each",
        None => "of 95 %, given the axes, from heteroscedasticity-consistent (HC3) covariances",
    })
}

fn provenance(file: &Provenance) -> String {
    format!(
        "{} ({} bytes, sha256 {})",
        file.name, file.size, file.sha256
    )
}
