//! `adjoin info`: what a map holds.

use std::fmt::Write;

use adjoin::proximity::Correction;
use adjoin_formats::{Map, read_map};
use serde_json::json;

use crate::args::{Common, Info};
use crate::error::Error;
use crate::table;

pub fn run(args: &Info, common: &Common) -> Result<(), Error> {
    let map = read_map(&args.map)?;
    let text = if common.json {
        as_json(&map)
    } else {
        as_text(&map)
    };
    table::print(text.as_bytes())
}

fn as_json(map: &Map) -> String {
    let diagram = &map.diagram;
    let summary = diagram.summary();
    let (correction, constant) = correction(diagram.parts().correction);
    let known: Vec<Option<f64>> = diagram
        .leave_one_out()
        .iter()
        .map(|v| Some(*v).filter(|v| v.is_finite()))
        .collect();
    let record = json!({
        "n": diagram.count(),
        "d": diagram.dimensions(),
        "kind": diagram.kind().word(),
        "correction": correction,
        "correction_constant": constant,
        "origin": if diagram.centring().weights.is_some() { "weighted" } else { "centroid" },
        "configuration": if diagram.parts().given { "given" } else { "fitted" },
        "eigenvalues": diagram.eigenvalues(),
        "explained": table::proportions(diagram),
        "eigenvalues_seen": summary.eigenvalues,
        "all_eigenvalues_seen": summary.complete,
        "negative_eigenvalues": summary.negative(),
        "residuals": summary.residuals,
        "trace": summary.trace,
        "squared_norm": summary.squared_norm,
        "strain": summary.strain,
        "passes": summary.passes,
        "findings": summary.findings,
        "leave_one_out": known,
        "labels": diagram.labels(),
        "settings": map.settings,
        "version": map.version,
        "provenance": map.provenance.as_ref().map(|p| json!({
            "name": p.name, "size": p.size, "sha256": p.sha256,
        })),
    });
    format!("{record:#}\n")
}

fn as_text(map: &Map) -> String {
    let diagram = &map.diagram;
    let summary = diagram.summary();
    let mut text = String::new();
    // Writing to a string cannot fail.
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<18}{value}");
    };
    line("objects", diagram.count().to_string());
    line("axes", diagram.dimensions().to_string());
    line("kind", diagram.kind().word().to_owned());
    if diagram.parts().given {
        line("configuration", "given, not fitted".to_owned());
    }
    if diagram.centring().weights.is_some() {
        line("origin", "weighted".to_owned());
    }
    if let (name, Some(constant)) = correction(diagram.parts().correction) {
        line("correction", format!("{name}, constant {constant}"));
    }
    let explained = table::proportions(diagram);
    for (i, (value, share)) in diagram.eigenvalues().iter().zip(&explained).enumerate() {
        let name = if i == 0 { "eigenvalues" } else { "" };
        line(
            name,
            format!("axis {:<3} {value:<22} {:5.1} %", i + 1, share * 100.0),
        );
    }
    let of = if summary.complete {
        "positive eigenvalues"
    } else {
        "trace"
    };
    line(
        "explained",
        format!("{:.1} % of the {of}", explained.iter().sum::<f64>() * 100.0),
    );
    line(
        "spectrum",
        if summary.complete {
            match summary.negative() {
                [] => format!("{} eigenvalues, none negative", summary.eigenvalues.len()),
                [.., lowest] => format!(
                    "{} eigenvalues, {} negative (the lowest {lowest:e})",
                    summary.eigenvalues.len(),
                    summary.negative().len(),
                ),
            }
        } else {
            let seen: f64 = summary.eigenvalues.iter().map(|v| v * v).sum();
            format!(
                "the {} largest eigenvalues are known; the others hold {:.1} % of the squared norm",
                summary.eigenvalues.len(),
                100.0 * (1.0 - seen / summary.squared_norm).max(0.0)
            )
        },
    );
    line(
        "strain",
        format!(
            "{:.4} of the squared norm is not shown by the map",
            summary.strain / summary.squared_norm
        ),
    );
    for finding in &summary.findings {
        line("finding", finding.clone());
    }
    let mut residuals: Vec<f64> = diagram.leave_one_out().to_vec();
    residuals.retain(|v| v.is_finite());
    residuals.sort_by(f64::total_cmp);
    if let (Some(low), Some(high)) = (residuals.first(), residuals.last()) {
        let middle = residuals[residuals.len() / 2];
        line(
            "residuals",
            format!("of old objects left out: {low} to {high}, median {middle}"),
        );
    }
    if let Some(p) = &map.provenance {
        line(
            "made from",
            format!("{} ({} bytes, sha256 {})", p.name, p.size, p.sha256),
        );
    }
    for (name, value) in &map.settings {
        line(name, value.clone());
    }
    line("made by", format!("adjoin {}", map.version));
    line("labels", abbreviated(diagram.labels()));
    text
}

fn correction(correction: Correction) -> (&'static str, Option<f64>) {
    match correction {
        Correction::None => ("none", None),
        Correction::Lingoes(c) => ("lingoes", Some(c)),
        Correction::Cailliez(c) => ("cailliez", Some(c)),
    }
}

/// The first dozen labels, and how many more there are.
fn abbreviated(labels: &[String]) -> String {
    let shown = labels
        .iter()
        .take(12)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    match labels.len() {
        n @ 13.. => format!("{shown}, … ({} more)", n - 12),
        _ => shown,
    }
}
