//! Who came when, in the file of a map that has grown.
//!
//! What was fitted stands in the file as it did before anybody came; members follow, in the order in which they came. On maps
//! of landmarks they are among all objects, and only the generations are said here.

use adjoin::stored::{Growth, Members};
use adjoin::{Generation, Map, Strategy};
use serde::{Deserialize, Serialize};

use super::container::{Container, Tensor};
use super::method::{matrix, read_matrix, vector};
use crate::error::Error;

/// The words of growth, in the order in which they are written.
#[derive(Serialize, Deserialize)]
pub(crate) struct Words {
    generations: Vec<GenerationWords>,
    /// Labels of the members.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    members: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct GenerationWords {
    count: usize,
    strategy: String,
    jointly: bool,
    placed_on: usize,
    #[serde(skip_serializing_if = "String::is_empty", default)]
    name: String,
    #[serde(skip_serializing_if = "String::is_empty", default)]
    sha256: String,
}

/// Words and tensors of a map's growth; nothing if it has not grown.
pub(crate) fn written(map: &Map) -> (Option<Words>, Vec<Tensor>) {
    let Some(growth) = &map.parts().growth else {
        return (None, Vec::new());
    };
    let generations = growth.generations.iter().map(|g| GenerationWords {
        count: g.count,
        strategy: g.strategy.word().to_owned(),
        jointly: g.jointly,
        placed_on: g.placed_on,
        name: g.name.clone(),
        sha256: g.digest.clone(),
    });
    let members = &growth.members;
    let measured: Vec<f64> = members.measured.iter().map(|m| f64::from(*m)).collect();
    let mut tensors = Vec::new();
    if members.count() > 0 {
        tensors = vec![
            matrix("members_configuration", members.configuration.as_ref()),
            vector("members_means", &members.means),
            vector("members_measured", &measured),
            vector("members_projections", &members.projections),
            vector("members_residuals", &members.residuals),
            vector("members_nearest", &members.nearest),
        ];
    }
    let words = Words {
        generations: generations.collect(),
        members: members.labels.clone(),
    };
    (Some(words), tensors)
}

/// The growth that a container holds, of a map of `d` axes.
pub(crate) fn read(container: &Container, words: Words, d: usize) -> Result<Growth, Error> {
    let generation = |g: GenerationWords| {
        Ok(Generation {
            count: g.count,
            strategy: Strategy::from_word(&g.strategy)
                .ok_or_else(|| container.nonsense("an unknown strategy"))?,
            jointly: g.jointly,
            placed_on: g.placed_on,
            name: g.name,
            digest: g.sha256,
        })
    };
    let generations = words.generations.into_iter().map(generation);
    let count = words.members.len();
    let members = if count == 0 {
        Members::nobody(d)
    } else {
        let measured = container.vector("members_measured", count)?;
        Members {
            labels: words.members,
            configuration: read_matrix(container, "members_configuration")?,
            means: container.vector("members_means", count)?,
            measured: measured.into_iter().map(|m| m != 0.0).collect(),
            projections: container.list("members_projections")?,
            residuals: container.vector("members_residuals", count)?,
            nearest: container.vector("members_nearest", count)?,
        }
    };
    Ok(Growth {
        generations: generations.collect::<Result<_, Error>>()?,
        members,
    })
}
