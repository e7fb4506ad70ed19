//! How a map was made, in its file: the method's state, the measure and the features of the references.
//!
//! A map of proximities scaled as they are has none of this. Numbers are tensors, indices among them (they are exact up to
//! 2⁵³), words are JSON.

use adjoin::measure::{Measure, Measured, Parameters};
use adjoin::settings::{Linking, Neighbourhood};
use adjoin::stored::{
    Affinity, AllObjects, Finish, Graph, Growth, Isomap, Laplacian, Link, Linked, Motion, Parts,
    Pca, Shepard, Way,
};
use adjoin::{Diagram, Features, Kind, Map, Method, SparseRows, Values};
use faer::{Mat, MatRef};
use serde::{Deserialize, Serialize};

use super::container::{Container, Tensor};
use super::{is_true, yes};
use crate::error::Error;

/// The words of a method, in the order in which they are written.
#[derive(Serialize, Deserialize, Default)]
pub(crate) struct Words {
    method: String,
    /// Isomap, Laplacian eigenmaps and links: what newcomers' proximities are.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    kind: Option<String>,
    /// `nearest` or `radius`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    neighbourhood: Option<String>,
    /// `heat`, `neighbours` or `given`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    affinity: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    diagonal: Option<bool>,
    /// `monotone`, `linear` or `ratio`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    link: Option<String>,
    /// `motion` or `walk`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    finish: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    measure: Option<MeasureWords>,
    /// How many bits each object has, if they are that: in a tensor of whole numbers of 32 bits each, the lower half of a
    /// word first.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    bits: Option<usize>,
    /// Names of the features; none for texts and bits.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    features: Option<Vec<String>>,
    /// Said only if it is not so: names that count positions.
    #[serde(skip_serializing_if = "is_true", default = "yes")]
    features_named: bool,
    /// Said only if it is so: of single precision, and stored exactly.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    single: bool,
    /// Said only if it is so: only what is not 0, in three tensors.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    sparse: bool,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    texts: Option<Vec<String>>,
    /// Labels of all objects, if the diagram has only landmarks.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    objects: Option<Vec<String>>,
}

#[derive(Serialize, Deserialize)]
struct MeasureWords {
    /// `metric` or `kernel`.
    is: String,
    word: String,
}

/// The numbers that a method has, by place in the tensor `method_numbers`; NaN where there is none.
const NUMBERS: usize = 4;
const REACH: usize = 0;
const ALPHA: usize = 1;
const GAMMA: usize = 2;
const TIME: usize = 3;

/// Words and tensors of the map beside its diagram; nothing if there is nothing beside it.
pub(crate) fn written(map: &Map) -> (Option<Words>, Vec<Tensor>) {
    let parts = map.parts();
    let plain = parts.source.is_none() && parts.objects.is_none() && parts.finish == Finish::None;
    if parts.method == Method::Cmds && plain {
        return (None, Vec::new());
    }
    let mut words = Words {
        method: parts.method.word().to_owned(),
        features_named: true,
        ..Default::default()
    };
    let mut tensors = Vec::new();
    let mut numbers = [f64::NAN; NUMBERS];
    let mut reach = |neighbourhood: Neighbourhood| {
        let (word, number) = match neighbourhood {
            Neighbourhood::Nearest(k) => ("nearest", k as f64),
            Neighbourhood::Radius(r) => ("radius", r),
        };
        numbers[REACH] = number;
        Some(word.to_owned())
    };
    if let (Method::Landmark, Some(objects)) = (parts.method, &parts.objects) {
        tensors.push(indices("landmarks", &objects.landmarks));
    }
    match &parts.way {
        Way::Components(pca) => {
            tensors.push(vector("pca_mean", &pca.mean));
            tensors.push(matrix("pca_loadings", pca.loadings.as_ref()));
            if let Some(cross) = &pca.cross {
                tensors.push(matrix("pca_cross", cross.as_ref()));
            }
        }
        Way::Graph(isomap) => {
            words.kind = Some(isomap.kind.word().to_owned());
            words.neighbourhood = reach(isomap.neighbourhood);
            let graph = &isomap.graph;
            let targets: Vec<f64> = graph.targets.iter().map(|&t| f64::from(t)).collect();
            tensors.push(indices("graph_offsets", &graph.offsets));
            tensors.push(vector("graph_targets", &targets));
            tensors.push(vector("graph_lengths", &graph.lengths));
            tensors.push(indices("sources", &isomap.sources));
        }
        Way::Normalised(laplacian) => {
            words.kind = Some(laplacian.kind.word().to_owned());
            words.neighbourhood = laplacian.neighbourhood.and_then(&mut reach);
            words.diagonal = Some(laplacian.diagonal);
            let affinity = match laplacian.affinity {
                Affinity::Heat { gamma } => {
                    numbers[GAMMA] = gamma;
                    "heat"
                }
                Affinity::Neighbours => "neighbours",
                Affinity::Given => "given",
            };
            words.affinity = Some(affinity.to_owned());
            numbers[ALPHA] = laplacian.alpha;
            tensors.push(vector("degrees", &laplacian.degrees));
            tensors.push(vector("densities", &laplacian.densities));
            tensors.push(vector("reaches", &laplacian.reaches));
        }
        Way::Linked(linked) => {
            words.kind = Some(linked.kind.word().to_owned());
            words.link = Some(linked.link.form.word().to_owned());
            let Shepard {
                stress,
                range,
                pairs,
            } = &linked.shepard;
            let (delta, shown): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
            tensors.push(vector("link_dissimilarities", &linked.link.dissimilarities));
            tensors.push(vector("link_distances", &linked.link.distances));
            tensors.push(vector("link_left_out", &linked.left_out));
            // Stress, and the range of the old dissimilarities.
            tensors.push(vector("link_numbers", &[*stress, range.0, range.1]));
            tensors.push(vector("shepard_dissimilarities", &delta));
            tensors.push(vector("shepard_distances", &shown));
            if let Some(weights) = &linked.weights {
                tensors.push(vector("link_weights", weights));
            }
        }
        // Straight, and whatever ways are to come: nothing is kept.
        _ => {}
    }
    match &parts.finish {
        Finish::None => {}
        Finish::Motion(motion) => {
            words.finish = Some("motion".to_owned());
            tensors.push(matrix("turn", motion.rotation.as_ref()));
            tensors.push(vector("shift", &motion.shift));
        }
        Finish::Walk { time } => {
            words.finish = Some("walk".to_owned());
            numbers[TIME] = *time;
        }
    }
    tensors.push(vector("method_numbers", &numbers));
    if let Some(objects) = &parts.objects {
        words.objects = Some(objects.labels.clone());
        tensors.push(matrix(
            "objects_configuration",
            objects.configuration.as_ref(),
        ));
        tensors.push(vector("objects_residuals", &objects.residuals));
        tensors.push(vector("objects_nearest", &objects.nearest));
    }
    if let Some(source) = &parts.source {
        let measure = source.measure();
        let is = match measure {
            Measure::Metric(_) => "metric",
            Measure::Kernel(_) => "kernel",
        };
        words.measure = Some(MeasureWords {
            is: is.to_owned(),
            word: measure.word().to_owned(),
        });
        let Parameters {
            power,
            gamma,
            degree,
            coef0,
        } = measure.parameters();
        let given = [power, gamma, degree, coef0].map(|p| p.unwrap_or(f64::NAN));
        tensors.push(vector("measure_parameters", &given));
        let features = source.features();
        match (features.as_texts(), features.bits()) {
            (Some(texts), _) => words.texts = Some(texts.to_vec()),
            (None, Some((each, packed))) => {
                words.bits = Some(features.width());
                tensors.push(Tensor {
                    name: "bits",
                    shape: vec![features.count(), 2 * each],
                    values: halves(packed),
                });
            }
            (None, None) => {
                words.features = Some(features.names().to_vec());
                words.features_named = features.named();
                match features.numbers() {
                    Some(Values::Sparse(rows)) => {
                        let indices = |all: &[usize]| all.iter().map(|i| *i as f64).collect();
                        let starts: Vec<f64> = indices(rows.starts());
                        let columns: Vec<f64> =
                            rows.columns().iter().map(|c| (*c).into()).collect();
                        words.sparse = true;
                        tensors.push(vector("features_starts", &starts));
                        tensors.push(vector("features_columns", &columns));
                        tensors.push(vector("features_values", rows.values()));
                    }
                    numbers => {
                        words.single = matches!(numbers, Some(Values::Singles(_)));
                        tensors.push(Tensor {
                            name: "features",
                            shape: vec![features.count(), features.width()],
                            values: features.values().unwrap_or_default().into_owned(),
                        });
                    }
                }
            }
        }
    }
    (Some(words), tensors)
}

/// The map that a container holds.
pub(crate) fn read(
    container: &Container,
    words: Option<Words>,
    named: bool,
    diagram: Diagram,
    growth: Option<Growth>,
) -> Result<Map, Error> {
    let fits = |e: adjoin::Error| container.nonsense(format_args!("parts that do not fit ({e})"));
    let Some(words) = words else {
        let parts = Map::from(diagram).parts().clone();
        let parts = Parts {
            named,
            growth,
            ..parts
        };
        return Map::from_parts(parts).map_err(fits);
    };
    let numbers = container.vector("method_numbers", NUMBERS)?;
    let kind = || {
        let word = words.kind.as_deref().unwrap_or("");
        Kind::from_word(word).ok_or_else(|| container.nonsense("an unknown kind of proximities"))
    };
    let neighbourhood = match words.neighbourhood.as_deref() {
        None => None,
        Some("nearest") => Some(Neighbourhood::Nearest(whole(container, numbers[REACH])?)),
        Some("radius") => Some(Neighbourhood::Radius(numbers[REACH])),
        Some(_) => return Err(container.nonsense("an unknown neighbourhood")),
    };
    let method =
        Method::from_word(&words.method).ok_or_else(|| container.nonsense("an unknown method"))?;
    let way = match method {
        Method::Pca => Way::Components(Pca {
            mean: container.list("pca_mean")?,
            loadings: read_matrix(container, "pca_loadings")?,
            cross: if container.has("pca_cross") {
                Some(read_matrix(container, "pca_cross")?)
            } else {
                None
            },
        }),
        Method::Isomap => Way::Graph(Isomap {
            kind: kind()?,
            neighbourhood: neighbourhood
                .ok_or_else(|| container.nonsense("a graph without a neighbourhood"))?,
            graph: Graph {
                offsets: read_indices(container, "graph_offsets")?,
                targets: (read_indices(container, "graph_targets")?.into_iter())
                    .map(u32::try_from)
                    .collect::<Result<_, _>>()
                    .map_err(|_| container.nonsense("links to nowhere"))?,
                lengths: container.list("graph_lengths")?,
            },
            sources: read_indices(container, "sources")?,
        }),
        Method::Laplacian => Way::Normalised(Laplacian {
            kind: kind()?,
            affinity: match words.affinity.as_deref() {
                Some("heat") => Affinity::Heat {
                    gamma: numbers[GAMMA],
                },
                Some("neighbours") => Affinity::Neighbours,
                Some("given") => Affinity::Given,
                _ => return Err(container.nonsense("an unknown affinity")),
            },
            neighbourhood,
            alpha: numbers[ALPHA],
            diagonal: words.diagonal.unwrap_or(true),
            degrees: container.list("degrees")?,
            densities: container.list("densities")?,
            reaches: container.list("reaches")?,
        }),
        Method::Given => Way::Linked(Linked {
            kind: kind()?,
            link: Link {
                form: Linking::from_word(words.link.as_deref().unwrap_or(""))
                    .ok_or_else(|| container.nonsense("an unknown link"))?,
                dissimilarities: container.list("link_dissimilarities")?,
                distances: container.list("link_distances")?,
            },
            weights: if container.has("link_weights") {
                Some(container.list("link_weights")?)
            } else {
                None
            },
            shepard: {
                let numbers = container.vector("link_numbers", 3)?;
                let shown = container.list("shepard_distances")?;
                let delta = container.vector("shepard_dissimilarities", shown.len())?;
                Shepard {
                    stress: numbers[0],
                    range: (numbers[1], numbers[2]),
                    pairs: delta.into_iter().zip(shown).collect(),
                }
            },
            left_out: container.list("link_left_out")?,
        }),
        _ => Way::Straight,
    };
    let finish = match words.finish.as_deref() {
        None => Finish::None,
        Some("motion") => Finish::Motion(Motion {
            rotation: read_matrix(container, "turn")?,
            shift: container.list("shift")?,
        }),
        Some("walk") => Finish::Walk {
            time: numbers[TIME],
        },
        Some(_) => return Err(container.nonsense("an unknown end")),
    };
    let objects = match words.objects {
        None => None,
        Some(labels) => {
            let configuration = read_matrix(container, "objects_configuration")?;
            if configuration.nrows() != labels.len() {
                return Err(container.nonsense("objects without coordinates"));
            }
            // Maps of earlier versions do not have them.
            let known = |name: &str| {
                if container.has(name) {
                    container.list(name)
                } else {
                    Ok(Vec::new())
                }
            };
            Some(AllObjects {
                residuals: known("objects_residuals")?,
                nearest: known("objects_nearest")?,
                labels,
                configuration,
                landmarks: match &way {
                    Way::Graph(isomap) => isomap.sources.clone(),
                    _ => read_indices(container, "landmarks")?,
                },
            })
        }
    };
    let map = Map::from_parts(Parts {
        method,
        way,
        diagram,
        growth,
        objects,
        finish,
        source: None,
        named,
    })
    .map_err(fits)?;
    let Some(measure) = words.measure else {
        return Ok(map);
    };
    let given = container.vector("measure_parameters", 4)?;
    let parameter = |i: usize| Some(given[i]).filter(|v| !v.is_nan());
    let parameters = Parameters {
        power: parameter(0),
        gamma: parameter(1),
        degree: parameter(2),
        coef0: parameter(3),
    };
    let known = match measure.is.as_str() {
        "metric" => Measure::metric(&measure.word, &parameters),
        _ => Measure::kernel(&measure.word, &parameters),
    };
    let measure = known.map_err(|e| match e {
        // Its checksum is right: somebody who knew this measure wrote it.
        adjoin::Error::Measure(_) => {
            container.newer(format_args!("the {} {:?}", measure.is, measure.word))
        }
        e => fits(e),
    })?;
    let labels = Some(map.references().to_vec());
    let features = match (words.texts, words.bits, words.features) {
        (Some(texts), ..) => Features::texts(texts, labels),
        (None, Some(width), _) => {
            let (_, values) = container.tensor("bits")?;
            let bytes = packed(container, &values, width)?;
            Features::packed(&bytes, width.div_ceil(8), width, labels)
        }
        (None, None, Some(names)) => {
            let width = names.len();
            let values = if words.sparse {
                let columns = read_indices(container, "features_columns")?.into_iter();
                let columns = columns.map(u32::try_from).collect::<Result<_, _>>();
                let columns = columns.map_err(|_| container.nonsense("columns beyond all"))?;
                let starts = read_indices(container, "features_starts")?;
                let values = container.list("features_values")?;
                Values::Sparse(SparseRows::new(starts, columns, values, width).map_err(fits)?)
            } else {
                let (_, values) = container.tensor("features")?;
                if words.single {
                    Values::Singles(values.iter().map(|v| *v as f32).collect())
                } else {
                    Values::Doubles(values)
                }
            };
            let names = words.features_named.then_some(names);
            Features::of(values, width, labels, names)
        }
        (None, None, None) => return Err(container.nonsense("a measure without features")),
    };
    features
        .map(|features| {
            if named {
                features
            } else {
                features.unlabelled()
            }
        })
        .and_then(|features| Measured::new(measure, features))
        .and_then(|source| map.with_source(source))
        .map_err(fits)
}

/// Words as whole numbers of 32 bits each, which are exact.
fn halves(words: &[u64]) -> Vec<f64> {
    let half = |word: &u64| [*word as u32, (*word >> 32) as u32].map(f64::from);
    words.iter().flat_map(half).collect()
}

/// Rows of `width` bits, packed into bytes, from such numbers.
fn packed(container: &Container, values: &[f64], width: usize) -> Result<Vec<u8>, Error> {
    let nonsense = || container.nonsense("bits that are none");
    let (each, row) = (2 * width.div_ceil(64), width.div_ceil(8));
    if width == 0 || !values.len().is_multiple_of(each) {
        return Err(nonsense());
    }
    let mut bytes = Vec::with_capacity(values.len() / each * row);
    for values in values.chunks_exact(each) {
        let mut line = Vec::with_capacity(4 * each);
        for value in values {
            if value.fract() != 0.0 || !(0.0..=f64::from(u32::MAX)).contains(value) {
                return Err(nonsense());
            }
            line.extend((*value as u32).to_le_bytes());
        }
        if line[row..].iter().any(|b| *b != 0) {
            return Err(nonsense());
        }
        bytes.extend(&line[..row]);
    }
    Ok(bytes)
}

pub(super) fn vector(name: &'static str, values: &[f64]) -> Tensor {
    Tensor {
        name,
        shape: vec![values.len()],
        values: values.to_vec(),
    }
}

pub(super) fn matrix(name: &'static str, m: MatRef<'_, f64>) -> Tensor {
    let rows = (0..m.nrows()).flat_map(|i| (0..m.ncols()).map(move |j| m[(i, j)]));
    Tensor {
        name,
        shape: vec![m.nrows(), m.ncols()],
        values: rows.collect(),
    }
}

fn indices(name: &'static str, values: &[usize]) -> Tensor {
    let values: Vec<f64> = values.iter().map(|&i| i as f64).collect();
    vector(name, &values)
}

fn whole(container: &Container, value: f64) -> Result<usize, Error> {
    if value.fract() != 0.0 || !(0.0..=2f64.powi(53)).contains(&value) {
        return Err(container.nonsense("an index that is no whole number"));
    }
    Ok(value as usize)
}

fn read_indices(container: &Container, name: &str) -> Result<Vec<usize>, Error> {
    let values = container.list(name)?;
    values.into_iter().map(|v| whole(container, v)).collect()
}

pub(super) fn read_matrix(container: &Container, name: &str) -> Result<Mat<f64>, Error> {
    let (shape, values) = container.tensor(name)?;
    let [n, d] = shape[..] else {
        return Err(container.nonsense(format_args!("a tensor {name} of the wrong shape")));
    };
    Ok(Mat::from_fn(n, d, |i, j| values[i * d + j]))
}
