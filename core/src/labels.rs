//! The labels of objects: one for each, and each only once, as newcomers are matched by them.

use std::collections::HashMap;

use crate::error::{About, Error, Object};

/// The labels, counted and each found once; `1 … n` if there are none.
pub(crate) fn checked_labels(labels: Option<Vec<String>>, n: usize) -> Result<Vec<String>, Error> {
    let Some(labels) = labels else {
        return Ok((1..=n).map(|i| i.to_string()).collect());
    };
    if labels.len() != n {
        return Err(Error::Length {
            about: About::Labels,
            what: "labels",
            found: labels.len(),
            expected: n,
        });
    }
    let mut seen = HashMap::with_capacity(n);
    for (i, label) in labels.iter().enumerate() {
        if let Some(index) = seen.insert(label.as_str(), i) {
            return Err(Error::DoubledLabel {
                first: Object {
                    index,
                    label: label.clone(),
                },
                second: i,
            });
        }
    }
    Ok(labels)
}
