//! The map in one file, with what it was made from.
//!
//! Everything that newcomers need and nothing else: the configuration, the eigenvalues, the
//! centring, each old object left out, the labels, where they came from, and how
//! the method brings newcomers there ([`method`]), and who came since ([`growth`]). It never holds the n × n proximities. Every number is a tensor (exact to the bit), every word
//! is JSON in a fixed order, so that equal maps are equal files. The file itself is that of
//! [`container`].

#![allow(non_snake_case)]

mod container;
mod growth;
mod method;

use std::collections::BTreeMap;
use std::path::Path;

use adjoin::measure::Measured;
use adjoin::stored::{Centring, Correction, DiagramParts, LeaveOneOut, LeftOut, Summary};
use adjoin::{Diagram, Kind, Map, Strategy, Values};
use faer::Mat;
use serde::{Deserialize, Serialize};

use self::container::Tensor;
use crate::adapt::{Symmetrise, Transform};
use crate::error::{Error, MapFault, name_of, quote};
use crate::matrix::Provenance;

/// The newest version of the format; all versions up to it are read. Version 1 has a diagram alone, version 2 a method
/// too; both have of the old objects left out their residuals only, with axes held fixed. Version 4 may have a link, or members,
/// version 5 packed bits, sparse features, or a measure that programs of version 4 do not know.
const FORMAT: u64 = 5;

/// The oldest version that can say what is in a map, which is written: earlier programs read all that they understand.
fn needed(map: &Map) -> u64 {
    let source = map.parts().source.as_ref();
    let new = |s: &Measured| {
        let sparse = matches!(s.features().numbers(), Some(Values::Sparse(_)));
        sparse || s.features().bits().is_some() || s.measure().word() == "dice"
    };
    if source.is_some_and(new) {
        5
    } else if map.link().is_some() || map.parts().growth.is_some() {
        4
    } else {
        3
    }
}

/// A map, and where it came from: what is in a file.
#[derive(Debug, Clone)]
pub struct MapFile {
    /// The map.
    pub map: Map,
    /// How it was asked for, in the words of the command line.
    pub settings: BTreeMap<String, String>,
    /// The file it was fitted to.
    pub provenance: Option<Provenance>,
    /// The version of adjoin that made it.
    pub version: String,
}

/// The setting that says how proximities were changed before the fit, in the words of [`Transform`].
pub const TRANSFORM: &str = "transform";

/// The setting that says how mirrored proximities became one.
const SYMMETRISE: &str = "symmetrise";

impl MapFile {
    /// How mirrored proximities became one before the fit.
    pub fn symmetrise(&self) -> Option<Symmetrise> {
        Symmetrise::from_word(self.settings.get(SYMMETRISE)?)
    }

    /// How proximities were changed before the fit, and newcomers' are to be.
    ///
    /// # Errors
    /// If the map names a transformation that this version does not know.
    pub fn transform(&self) -> Result<Option<Transform>, Error> {
        let Some(word) = self.settings.get(TRANSFORM) else {
            return Ok(None);
        };
        match Transform::from_word(word) {
            Some(transform) => Ok(Some(transform)),
            None => Err(Error::Map {
                file: "the map".into(),
                fault: MapFault::Newer,
                found: format!("the transformation {}", quote(word)),
                expected: "one that this version of adjoin knows".into(),
            }),
        }
    }
}

/// The words of a map, in the order in which they are written.
#[derive(Serialize, Deserialize)]
struct Words {
    format: u64,
    adjoin: String,
    kind: String,
    correction: String,
    given: bool,
    complete: bool,
    passes: u64,
    findings: Vec<String>,
    /// How the old objects were left out; versions 1 and 2 do not say.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    left_out: Option<String>,
    settings: BTreeMap<String, String>,
    provenance: Option<Provenance>,
    labels: Vec<String>,
    /// Said only if it is not so: labels that count positions and are nobody's names.
    #[serde(skip_serializing_if = "is_true", default = "yes")]
    named: bool,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    model: Option<method::Words>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    growth: Option<growth::Words>,
}

fn is_true(value: &bool) -> bool {
    *value
}

fn yes() -> bool {
    true
}

/// Whether a file begins like a map.
pub fn is_map(path: &Path) -> bool {
    container::is_container(path)
}

/// How newcomers are placed on the map of a file if nothing is said, told without reading all of it; nothing is said of
/// a file that is no map.
pub fn usual_strategy(path: &Path) -> Strategy {
    let linked = |words: serde_json::Value| words["model"]["link"].is_string();
    if container::peek(path).is_some_and(linked) {
        Strategy::Stress
    } else {
        Strategy::default()
    }
}

/// Writes a map to a file that appears whole or not at all.
pub fn write_map(file: &MapFile, path: &Path) -> Result<(), Error> {
    container::store(path, &bytes_of(file, &name_of(path))?)
}

/// The bytes of the file that [`write_map`] would write.
pub fn map_to_bytes(file: &MapFile) -> Result<Vec<u8>, Error> {
    bytes_of(file, "a map")
}

/// What a map is known by: the checksum that seals its bytes.
pub fn map_digest(file: &MapFile) -> Result<String, Error> {
    Ok(container::checksum(&map_to_bytes(file)?))
}

fn bytes_of(content: &MapFile, file: &str) -> Result<Vec<u8>, Error> {
    let parts = content.map.founding().parts();
    let (model, further) = method::written(&content.map);
    let (growth, members) = growth::written(&content.map);
    let (correction, constant) = match parts.correction {
        Correction::None => ("none", 0.0),
        Correction::Lingoes(c) => ("lingoes", c),
        Correction::Cailliez(c) => ("cailliez", c),
    };
    let words = Words {
        format: needed(&content.map),
        adjoin: content.version.clone(),
        kind: parts.kind.word().to_owned(),
        correction: correction.to_owned(),
        given: parts.given,
        complete: parts.summary.complete,
        passes: parts.summary.passes as u64,
        findings: parts.summary.findings.clone(),
        left_out: Some(parts.leave_one_out.form.word().to_owned()),
        settings: content.settings.clone(),
        provenance: content.provenance.clone(),
        labels: parts.labels.clone(),
        named: content.map.named(),
        model,
        growth,
    };
    let json = serde_json::to_string(&words).map_err(|e| Error::write(file, e.into()))?;
    // The seal's own fields come first in the same object.
    let json = json
        .strip_prefix('{')
        .and_then(|j| j.strip_suffix('}'))
        .unwrap_or(&json);

    let X = &parts.configuration;
    let (n, d) = (X.nrows(), X.ncols());
    let vector = |name, values: &[f64]| Tensor {
        name,
        shape: vec![values.len()],
        values: values.to_vec(),
    };
    let summary = &parts.summary;
    let mut tensors = vec![
        Tensor {
            name: "configuration",
            shape: vec![n, d],
            values: (0..n)
                .flat_map(|i| (0..d).map(move |j| X[(i, j)]))
                .collect(),
        },
        vector("eigenvalues", &parts.eigenvalues),
        vector("eigenvalues_seen", &summary.eigenvalues),
        vector("row_means", &parts.centring.row_means),
        vector("grand_mean", &[parts.centring.grand_mean]),
        vector("leave_one_out", &parts.leave_one_out.residuals),
        vector("leave_one_out_places", &parts.leave_one_out.places),
        vector("leave_one_out_poles", &parts.leave_one_out.poles),
        vector("leave_one_out_shifts", &parts.leave_one_out.shifts),
        vector("nearest", &parts.leave_one_out.nearest),
        vector("axis_residuals", &summary.residuals),
        // Trace, squared norm and strain of B, and the constant of the correction.
        vector(
            "totals",
            &[
                summary.trace,
                summary.squared_norm,
                summary.strain,
                constant,
            ],
        ),
    ];
    if let Some(weights) = &parts.centring.weights {
        tensors.push(vector("weights", weights));
    }
    if !summary.further.is_empty() {
        tensors.push(vector("eigenvalues_further", &summary.further));
    }
    if let Some(itself) = summary.self_similarity {
        tensors.push(vector("self_similarity", &[itself]));
    }
    tensors.extend(further);
    tensors.extend(members);
    container::seal(json, &tensors, file)
}

/// Reads a map.
///
/// # Errors
/// [`Error::Map`] if the file is truncated, altered, of a newer format, inconsistent or no map.
pub fn read_map(path: &Path) -> Result<MapFile, Error> {
    from_container(container::load(path, FORMAT)?)
}

/// Reads a map from the bytes of its file; `name` is for messages.
///
/// # Errors
/// As [`read_map`].
pub fn map_from_bytes(bytes: Vec<u8>, name: &str) -> Result<MapFile, Error> {
    from_container(container::verify(bytes, name, FORMAT)?)
}

/// The old objects left out, as far as a file of this version has them.
fn left_out(
    container: &container::Container,
    words: &Words,
    n: usize,
) -> Result<LeaveOneOut, Error> {
    let residuals = container.vector("leave_one_out", n)?;
    let Some(form) = &words.left_out else {
        return Ok(LeaveOneOut::of_residuals(residuals));
    };
    Ok(LeaveOneOut {
        form: LeftOut::from_word(form)
            .ok_or_else(|| container.nonsense("an unknown way to leave objects out"))?,
        residuals,
        places: container.list("leave_one_out_places")?,
        poles: container.list("leave_one_out_poles")?,
        shifts: container.list("leave_one_out_shifts")?,
        nearest: container.list("nearest")?,
    })
}

fn from_container(container: container::Container) -> Result<MapFile, Error> {
    let words: Words = serde_json::from_value(container.metadata.clone())
        .map_err(|_| container.nonsense("metadata of another form"))?;
    let (shape, values) = container.tensor("configuration")?;
    let [n, d] = shape[..] else {
        return Err(container.nonsense("a configuration that is not n × d"));
    };
    let totals = container.vector("totals", 4)?;
    let parts = DiagramParts {
        kind: Kind::from_word(&words.kind)
            .ok_or_else(|| container.nonsense("an unknown kind of proximities"))?,
        correction: match words.correction.as_str() {
            "none" => Correction::None,
            "lingoes" => Correction::Lingoes(totals[3]),
            "cailliez" => Correction::Cailliez(totals[3]),
            _ => return Err(container.nonsense("an unknown correction")),
        },
        configuration: Mat::from_fn(n, d, |i, j| values[i * d + j]),
        eigenvalues: container.vector("eigenvalues", d)?,
        given: words.given,
        centring: Centring {
            weights: if container.has("weights") {
                Some(container.vector("weights", n)?)
            } else {
                None
            },
            row_means: container.vector("row_means", n)?,
            grand_mean: container.vector("grand_mean", 1)?[0],
        },
        leave_one_out: left_out(&container, &words, n)?,
        summary: Summary {
            eigenvalues: container.list("eigenvalues_seen")?,
            further: if container.has("eigenvalues_further") {
                container.list("eigenvalues_further")?
            } else {
                Vec::new()
            },
            complete: words.complete,
            residuals: container.list("axis_residuals")?,
            trace: totals[0],
            squared_norm: totals[1],
            strain: totals[2],
            passes: usize::try_from(words.passes).unwrap_or(usize::MAX),
            findings: words.findings,
            self_similarity: if container.has("self_similarity") {
                Some(container.vector("self_similarity", 1)?[0])
            } else {
                None
            },
        },
        labels: words.labels,
    };
    let diagram = Diagram::from_parts(parts)
        .map_err(|e| container.nonsense(format_args!("parts that do not fit ({e})")))?;
    let growth = match words.growth {
        Some(words) => Some(growth::read(&container, words, d)?),
        None => None,
    };
    let map = method::read(&container, words.model, words.named, diagram, growth)?;
    Ok(MapFile {
        map,
        settings: words.settings,
        provenance: words.provenance,
        version: words.adjoin,
    })
}
