//! Classical scaling of proximities as they are, of dissimilarities or of a kernel; or a configuration that is given.

use crate::error::{About, Error};
use crate::fit::correction::{fit_cailliez, fit_lingoes};
use crate::fit::diagram::{Diagram, DiagramSettings};
use crate::fit::given_scale::GivenScale;
use crate::fit::link::Linking;
use crate::input::elsewhere::Elsewhere;
use crate::input::kind::{Correction, Element};
use crate::input::proximities::Proximities;
use crate::map::{Map, Method, Parts};
use crate::method::axes::Axes;
use crate::method::linked;
use crate::method::settings::{Correcting, FitSettings, Fitted};
use crate::number::exact;
use crate::run::Run;

/// Fits the correction, then the diagram.
pub(crate) fn fit<T: Element>(
    proximities: &Proximities<'_, T>,
    settings: &FitSettings,
    run: Run<'_>,
) -> Result<Fitted, Error> {
    let mut words = Vec::new();
    let correction = correction(proximities, settings.correction, run, &mut words)?;
    let at = |dimensions: usize| DiagramSettings {
        dimensions,
        origin: settings.origin.clone(),
        solver: settings.solver,
        tolerance: settings.tolerance,
        correction,
    };
    let mapped = |diagram: Diagram| {
        let mut parts = Parts::straight(diagram);
        if settings.method == Method::KernelPca {
            parts.method = Method::KernelPca;
        }
        Map::from_parts(parts).map(Fitted::from)
    };
    let mut fitted = match &settings.configuration {
        None => super::fitted(settings, proximities.count(), |d| {
            Diagram::fit(proximities, &at(d), run).and_then(mapped)
        })?,
        Some(given) => {
            let d = match settings.axes {
                Axes::Count(d) if d <= given.ncols() => d,
                Axes::Count(_) | Axes::All => given.ncols(),
                Axes::Auto => {
                    return Err(Error::Together {
                        about: About::Dimensions,
                        why: "found auto beside a configuration, expected a number of its axes, or all"
                            .into(),
                    });
                }
            };
            let mut given = given.as_ref().subcols(0, d).to_owned();
            if settings.link != Linking::None {
                return linked::fit(proximities, given.as_ref(), settings, run);
            }
            // What is wrong with it otherwise comes first.
            let as_given = Diagram::given(proximities, given.as_ref(), &at(d), run)?;
            let scale = GivenScale::of(proximities, given.as_ref(), &at(d), run)?;
            if settings.rescale {
                given *= faer::Scale(scale.factor);
                let factor = exact(scale.factor);
                words.push(format!("the configuration is multiplied by {factor}"));
                Diagram::given(proximities, given.as_ref(), &at(d), run).and_then(mapped)?
            } else {
                scale.check()?;
                mapped(as_given)?
            }
        }
    };
    fitted.findings.extend(words);
    Ok(fitted)
}

/// Fits the diagram of proximities that are elsewhere.
pub(crate) fn fit_elsewhere(
    square: &Elsewhere<'_>,
    settings: &FitSettings,
    run: Run<'_>,
) -> Result<Fitted, Error> {
    let refused = |about, found: &str| {
        Err(Error::NotOffered {
            about,
            what: "a fit of proximities in pieces",
            why: format!("found {found}, expected classical scaling or kernel PCA without it"),
        })
    };
    if !matches!(settings.method, Method::Cmds | Method::KernelPca) {
        return refused(About::Method, "another method");
    }
    if settings.correction != Correcting::None {
        return refused(About::Correction, "a correction");
    }
    if settings.configuration.is_some() {
        return refused(About::Configuration, "a configuration");
    }
    super::fitted(settings, square.count, |dimensions| {
        let options = DiagramSettings {
            dimensions,
            origin: settings.origin.clone(),
            solver: settings.solver,
            tolerance: settings.tolerance,
            ..Default::default()
        };
        let diagram = Diagram::fit_elsewhere(square, &options, run)?;
        let parts = Parts {
            method: settings.method,
            ..Parts::straight(diagram)
        };
        Map::from_parts(parts).map(Fitted::from)
    })
}

/// The correction that is asked for, with its constant, which is put into `words`.
fn correction<T: Element>(
    proximities: &Proximities<'_, T>,
    wanted: Correcting,
    run: Run<'_>,
    words: &mut Vec<String>,
) -> Result<Correction, Error> {
    if wanted == Correcting::None {
        return Ok(Correction::None);
    }
    // Lingoes' constant is the modulus of the lowest eigenvalue.
    let lingoes = fit_lingoes(proximities, run.threads);
    if let Correction::Lingoes(c) = lingoes {
        words.push(format!(
            "the lowest eigenvalue before the correction: {}",
            exact(-c)
        ));
    }
    if wanted == Correcting::Lingoes {
        return Ok(lingoes);
    }
    let answer = fit_cailliez(proximities, run.threads)?;
    if let Correction::Cailliez(c) = answer {
        words.push(format!("Cailliez' constant: {}", exact(c)));
    }
    Ok(answer)
}
