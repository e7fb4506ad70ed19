//! `adjoin info`: what a map holds.

use std::fmt::Write;

use adjoin::measure::{Measure, Measured};
use adjoin::number::rounded;
use adjoin::stored::{Correction, Finish};
use adjoin::{Footing, Map, Method, QUANTILES};
use adjoin_formats::{MapFile, is_map, read_map};
use serde_json::{Value, json};

use crate::args::{Common, Info};
use crate::error::Error;
use crate::{grow, link, look, table};

/// Eigenvalues shown for reading; --json has them all.
const SCREE: usize = 10;

pub fn run(args: &Info, common: &Common) -> Result<(), Error> {
    if !is_map(&args.map) {
        return look::run(args, common);
    }
    let file = read_map(&args.map)?;
    let text = if common.json {
        as_json(&file)
    } else {
        as_text(&file)
    };
    table::print(text.as_bytes())
}

fn as_json(file: &MapFile) -> String {
    let map = &file.map;
    let diagram = map.founding();
    let summary = diagram.summary();
    let (correction, constant) = correction(diagram.parts().correction);
    let known: Vec<Option<f64>> = map
        .old_residuals()
        .into_iter()
        .map(|v| Some(v).filter(|v| v.is_finite()))
        .collect();
    let axes = map.suggested_axes();
    let mut record = json!({
        "method": map.method().word(),
        "measure": map.source().map(measure_json),
        "n": map.labels().len(),
        "references": map.references().len(),
        "growth": grow::history(map),
        "landmarks": map.landmarks().map(<[_]>::len),
        "d": diagram.dimensions(),
        "kind": diagram.kind().word(),
        "correction": correction,
        "correction_constant": constant,
        "origin": origin(map),
        "configuration": if diagram.parts().given { "given" } else { "fitted" },
        "eigenvalues": diagram.eigenvalues(),
        "explained": map.proportions(),
        "suggested": {
            "broken_stick": axes.by_stick,
            "profile_likelihood": axes.by_likelihood,
        },
        "scree": axes.proportions,
        "broken_stick": axes.stick,
        "profile_likelihood": axes.likelihood.iter().map(|l| Some(*l).filter(|l| l.is_finite())).collect::<Vec<_>>(),
        "eigenvalues_seen": summary.eigenvalues,
        "all_eigenvalues_seen": summary.complete,
        "negative_eigenvalues": summary.negative(),
        "self_similarity": summary.self_similarity,
        "residuals": summary.residuals,
        "trace": summary.trace,
        "squared_norm": summary.squared_norm,
        "strain": summary.strain,
        "passes": summary.passes,
        "findings": summary.findings,
        "leave_one_out": known,
        "newcomers": newcomers(&map.footing()),
        "left_out": diagram.leave_one_out().form.word(),
        "labels": map.labels(),
        "settings": file.settings,
        "version": file.version,
        "provenance": file.provenance.as_ref().map(|p| json!({
            "name": p.name, "size": p.size, "sha256": p.sha256,
        })),
    });
    link::put(map, &mut record);
    format!("{record:#}\n")
}

fn as_text(file: &MapFile) -> String {
    let map = &file.map;
    let diagram = map.founding();
    let summary = diagram.summary();
    let mut text = String::new();
    // Writing to a string cannot fail.
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<18}{value}");
    };
    line("objects", map.labels().len().to_string());
    if !map.generations().is_empty() {
        line("founders", map.founders().to_string());
    }
    for (at, generation) in map.generations().iter().enumerate() {
        let name = format!("generation {}", at + 1);
        let mut text = format!("{} more, {}", generation.count, grow::placed(generation));
        if !generation.name.is_empty() {
            text += &format!(": {}", generation.name);
        }
        if !generation.digest.is_empty() {
            text += &format!(" (sha256 {})", generation.digest);
        }
        line(&name, text);
    }
    line("method", map.method().word().to_owned());
    if let Some(source) = map.source() {
        line("measure", measure_text(source));
    }
    if let Some(landmarks) = map.landmarks() {
        line("landmarks", landmarks.len().to_string());
    }
    line("axes", diagram.dimensions().to_string());
    line("kind", map.kind().word().to_owned());
    if diagram.parts().given {
        line("configuration", "given, not fitted".to_owned());
    }
    if let origin @ ("weighted" | "none") = origin(map) {
        line("origin", origin.to_owned());
    }
    if let (name, Some(constant)) = correction(diagram.parts().correction) {
        line("correction", format!("{name}, constant {constant}"));
    }
    if matches!(map.parts().finish, Finish::Motion(_)) {
        line(
            "turned",
            "onto other axes after the fit: eigenvalues are of the fit, shares of the axes as they are".to_owned(),
        );
    }
    let shown = match map.link() {
        Some(_) => link::lines(map),
        None => spectral(map),
    };
    for (name, value) in shown {
        line(name, value);
    }
    for finding in &summary.findings {
        line("finding", finding.clone());
    }
    for (name, value) in footing(map) {
        line(name, value);
    }
    if let Some(p) = &file.provenance {
        line(
            "made from",
            format!("{} ({} bytes, sha256 {})", p.name, p.size, p.sha256),
        );
    }
    for (name, value) in &file.settings {
        line(name, value.clone());
    }
    line("made by", format!("adjoin {}", file.version));
    line("labels", abbreviated(map.labels()));
    text
}

/// What the axes show, by their eigenvalues.
fn spectral(map: &Map) -> Vec<(&'static str, String)> {
    let (diagram, summary) = (map.founding(), map.founding().summary());
    let mut lines = Vec::new();
    let explained = map.proportions();
    for (i, (value, share)) in diagram.eigenvalues().iter().zip(&explained).enumerate() {
        let name = if i == 0 { "eigenvalues" } else { "" };
        lines.push((
            name,
            format!("axis {:<3} {value:<22} {:5.1} %", i + 1, share * 100.0),
        ));
    }
    let of = if summary.complete {
        "positive eigenvalues"
    } else {
        "trace"
    };
    lines.push((
        "explained",
        format!("{:.1} % of the {of}", explained.iter().sum::<f64>() * 100.0),
    ));
    lines.extend(spectrum(map));
    lines.push((
        "strain",
        format!(
            "{:.4} of the squared norm is not shown by the map",
            summary.strain / summary.squared_norm
        ),
    ));
    lines
}

/// What is known of the spectrum, and how many axes it suggests. A configuration that was given has eigenvalues of its
/// own, which say nothing of those of the proximities.
fn spectrum(map: &Map) -> Vec<(&'static str, String)> {
    let (diagram, summary) = (map.founding(), map.founding().summary());
    if diagram.parts().given {
        let text = "not computed: the eigenvalues above are those of the given coordinates";
        return vec![("spectrum", text.to_owned())];
    }
    let text = if summary.complete {
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
    };
    let axes = map.suggested_axes();
    let suggested = format!(
        "{} by the broken stick, {} by the profile likelihood",
        axes.by_stick, axes.by_likelihood
    );
    let mut lines = vec![("spectrum", text), ("axes suggested", suggested)];
    let seen = axes.proportions.iter().zip(&axes.stick);
    for (i, (share, stick)) in seen.enumerate().take(SCREE) {
        let name = if i == 0 { "scree" } else { "" };
        let bar = "▪".repeat((share * 40.0).round() as usize);
        let (share, stick) = (share * 100.0, stick * 100.0);
        let text = format!(
            "{:<4}{share:5.1} %  (broken stick {stick:4.1} %)  {bar}",
            i + 1
        );
        lines.push((name, text));
    }
    lines
}

/// What is known of newcomers like the old objects before they come, in words.
fn footing(map: &Map) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    // Distances on a map with a link are not those that were given, and nothing is projected onto it.
    if map.link().is_some() {
        return lines;
    }
    let footing = map.footing();
    if !footing.shrinkage.is_empty() {
        let sizes = footing.shrinkage.iter().enumerate();
        let sizes: Vec<String> = sizes
            .map(|(a, s)| format!("{s:.2} of their size on axis {}", a + 1))
            .collect();
        lines.push((
            "newcomers",
            format!(
                "like the old objects appear, projected, at {} (reconstruct undoes it; place --with-old=loo puts the old \
                 objects on the same footing)",
                sizes.join(", ")
            ),
        ));
    }
    if !footing.next.is_nan() {
        let close = footing.understated().map(|times| {
            format!(
                ": the last axis depends on which objects were mapped, and standard errors given the axes may be {times} too small"
            )
        });
        lines.push((
            "next axis",
            format!(
                "its eigenvalue is {:.2} of the last axis'{}",
                footing.next,
                close.unwrap_or_default()
            ),
        ));
    }
    let form = map.diagram().leave_one_out().form.word();
    let range = |q: &[f64]| match q {
        [low, few, middle, most, high] => Some(format!(
            "median {}, 5 % below {}, 5 % above {}, from {} to {}",
            rounded(*middle),
            rounded(*few),
            rounded(*most),
            rounded(*low),
            rounded(*high)
        )),
        _ => None,
    };
    if let Some(range) = range(&footing.residuals) {
        lines.push((
            "residuals",
            format!("of old objects left out ({form}): {range}"),
        ));
        let rule = if footing.beside.abs() < 0.05 {
            "for newcomers like them the choice of a strategy does not matter"
        } else if footing.beside <= 0.5 {
            "reconstruct shows the distances of newcomers like them better"
        } else {
            "do not read the last axis of a reconstruction; project"
        };
        lines.push((
            "",
            format!(
                "the median is {} of the last axis' eigenvalue: {rule}",
                rounded(footing.beside)
            ),
        ));
        lines.push((
            "share",
            format!(
                "of old objects left out, that the map does not show of their squared distance from the centre: median {}",
                rounded(footing.share)
            ),
        ));
    }
    if let Some(range) = range(&footing.extents) {
        lines.push(("T²", format!("of old objects left out: {range}")));
    }
    lines
}

fn newcomers(footing: &Footing) -> Value {
    let known = |v: f64| Some(v).filter(|v| v.is_finite());
    json!({
        "shrinkage": footing.shrinkage,
        "next_axis": known(footing.next),
        "quantiles": QUANTILES,
        "residuals": footing.residuals,
        "t_squared": footing.extents,
        "median_residual_beside_last_axis": known(footing.beside),
        "median_share": known(footing.share),
    })
}

/// The measure with its parameters, and how many features there are.
fn measure_text(source: &Measured) -> String {
    let measure = source.measure();
    let mut text = measure.word().to_owned();
    for (name, value) in measure.parameters().given() {
        text += &format!(", {name} {value}");
    }
    match source.features().width() {
        0 => text + " of texts",
        1 => text + " of 1 feature",
        q => text + &format!(" of {q} features"),
    }
}

fn measure_json(source: &Measured) -> Value {
    let measure = source.measure();
    let parameters: serde_json::Map<String, Value> = measure
        .parameters()
        .given()
        .map(|(name, value)| (name.to_owned(), json!(value)))
        .collect();
    json!({
        "word": measure.word(),
        "is": match measure {
            Measure::Metric(_) => "metric",
            Measure::Kernel(_) => "kernel",
        },
        "parameters": parameters,
        "features": source.features().names(),
    })
}

/// Where the origin is; a normalised kernel is not centred.
fn origin(map: &Map) -> &'static str {
    match (map.method(), &map.founding().centring().weights) {
        (Method::Laplacian, _) => "none",
        (_, Some(_)) => "weighted",
        (_, None) => "centroid",
    }
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
