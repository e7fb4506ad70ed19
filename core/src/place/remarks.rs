//! Remarks on a batch of newcomers: what an attentive colleague would ask before reading the answer.
//!
//! Newcomers in another unit, or of another kind than the map's proximities, are placed like any others: nothing in the
//! arithmetic tells them apart, and the answer looks right. What tells them is how they compare with the old objects as a
//! batch. A remark never changes an answer, and ordinary newcomers, drawn as the old objects were, get none: each rule
//! is either impossible for them or rarer than [`CHANCE`].

use crate::border::Border;
use crate::fit::diagram::Diagram;
use crate::input::block::named;
use crate::input::kind::Kind;
use crate::input::proximities::Finding;
use crate::number::rounded;
use crate::strategy::placements::Placements;

/// Mean proximities are of another unit if they are outside the range of the old ones by this factor, all of them.
const FACTOR: f64 = 3.0;

/// How far a factor may be from a round one, such as the 100 of percentages, to be called by its name.
const NEAR: f64 = 1.5;

/// What would happen less often than this if newcomers were drawn as the old objects were is remarked on.
const CHANCE: f64 = 1e-3;

/// Residuals below this share of the smallest of the old objects are near 0.
const TENTH: f64 = 0.1;

/// A newcomer placed by fewer than this many proximities for each number that is fitted (d coordinates and a mean) is
/// remarked on.
const FOR_EACH: usize = 3;

/// How many proximities a place on so many axes should rest on.
pub(crate) fn enough(dimensions: usize) -> usize {
    FOR_EACH * (dimensions + 1)
}

/// A similarity exceeds another if it does by more than this share of it; a residual below this share of the first axis is
/// rounding, which says nothing.
const ROUNDING: f64 = 1e-9;

/// Root mean squares below this share of the old objects' are what rounding leaves of a difference: they are near 0, and no
/// more is known of them.
const VANISHING: f64 = 1e-6;

/// So many newcomers are named in a remark.
const NAMED: usize = 3;

/// What a remark is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Concern {
    /// All mean proximities are far outside those of the old objects: another unit or another kind.
    Unit,
    /// Similarities to others that exceed the newcomer's own.
    SelfSimilarity,
    /// All residuals exceed those of every old object.
    AllNovel,
    /// All residuals are near 0, where those of the old objects are not.
    AllExact,
    /// Few proximities are known.
    FewKnown,
    /// Dissimilarities below 0 by rounding, taken as 0.
    BelowZero,
    /// Dissimilarities far outside those that a link was fitted to.
    Beyond,
    /// Axes that are hardly separated from those that are not there, where it is told how certain places are given these.
    Axes,
}

impl Concern {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Concern::Unit => "unit",
            Concern::SelfSimilarity => "self_similarity",
            Concern::AllNovel => "all_novel",
            Concern::AllExact => "all_exact",
            Concern::FewKnown => "few_known",
            Concern::BelowZero => "below_zero",
            Concern::Beyond => "beyond",
            Concern::Axes => "axes",
        }
    }
}

/// Something to be said about a batch of newcomers, beside the answer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Remark {
    /// What it is about.
    pub concern: Concern,
    /// The newcomers it is about, by number.
    pub newcomers: Vec<usize>,
    /// The remark in words: one sentence, in lower case and without a full stop.
    pub sentence: String,
}

/// What can be compared with the old objects, by the way that the newcomers took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Comparable {
    /// Their mean proximities.
    pub means: bool,
    /// Their similarities to themselves.
    pub itself: bool,
    /// The smallest and the largest dissimilarity that a link was fitted to, if there is one.
    pub linked: Option<(f64, f64)>,
    /// How many proximities each could have.
    pub objects: usize,
}

/// The remarks on the newcomers of a border to `diagram`, or to one that grew on it; labels are `new1 … newk` if there are
/// none.
pub(crate) fn remarks(
    diagram: &Diagram,
    border: &Border,
    placements: &Placements,
    comparable: Comparable,
    labels: Option<&[String]>,
) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let all = border;
    let border = all.founding.as_deref().unwrap_or(all);
    let unit = comparable.means.then(|| unit(diagram, border)).flatten();
    let itself = comparable.itself.then(|| itself(diagram, border, labels));
    let kind = unit.is_some() || itself.iter().flatten().next().is_some();
    remarks.extend(unit);
    remarks.extend(itself.flatten());
    // What another unit explains is not said twice.
    if !kind {
        remarks.extend(all_novel(diagram, border));
        remarks.extend(all_exact(diagram, border));
    }
    let beyond = comparable.linked.filter(|_| !kind);
    remarks.extend(beyond.and_then(|range| self::beyond(border, range, labels)));
    remarks.extend(few_known(comparable.objects, placements, labels));
    remarks.extend(below_zero(all, labels));
    remarks
}

/// The sizes of mean proximities: root mean squares of dissimilarities, means of similarities.
struct Sizes {
    /// Ascending.
    new: Vec<f64>,
    old: Vec<f64>,
    /// The old objects' mean similarity to themselves; 0 for dissimilarities.
    itself: f64,
}

impl Sizes {
    /// None unless newcomers have a mean, and something was centred; those without one, of whom nothing is known, are left out.
    fn of(diagram: &Diagram, border: &Border) -> Option<Self> {
        let centring = diagram.centring();
        let weights = centring.weights.as_deref();
        if border.count() == 0 || weights.is_some_and(|w| w.iter().all(|w| *w == 0.0)) {
            return None;
        }
        let (n, m) = (diagram.count() as f64, centring.grand_mean);
        let similar = diagram.kind() == Kind::Similarity;
        // tr B = Σ t_ii − nm about the centroid.
        let itself = if similar && weights.is_none() {
            diagram.summary().trace / n + m
        } else {
            0.0
        };
        // A newcomer has no proximity to itself: nor should the old ones.
        let others = |r: f64| match weights {
            None => (n * r - itself) / (n - 1.0),
            Some(_) => r,
        };
        let size = |t: f64| {
            if similar {
                t
            } else {
                (-2.0 * t).max(0.0).sqrt()
            }
        };
        let known = border.means.iter().filter(|t| !t.is_nan());
        let mut new: Vec<f64> = known.map(|t| size(*t)).collect();
        let means = centring.row_means.iter();
        let mut old: Vec<f64> = means.map(|r| size(others(*r))).collect();
        if new.is_empty() || old.iter().any(|v| v.is_nan()) {
            return None;
        }
        new.sort_by(f64::total_cmp);
        old.sort_by(f64::total_cmp);
        Some(Self { new, old, itself })
    }

    /// Whether nothing is left of the newcomers' but rounding.
    fn vanish(&self) -> bool {
        let largest = |v: &[f64]| v[v.len() - 1].abs().max(v[0].abs());
        largest(&self.new) < VANISHING * largest(&self.old)
    }

    /// Whether all newcomers are beyond the range of the old objects by a factor: above it, or below it.
    fn beyond(&self) -> Option<Beyond> {
        let (least, most) = (self.new[0], self.new[self.new.len() - 1]);
        let (low, high) = (self.old[0], self.old[self.old.len() - 1]);
        if low > 0.0 {
            if least > FACTOR * high {
                return Some(Beyond::Above);
            }
            return (most < low / FACTOR).then_some(Beyond::Below);
        }
        // Similarities of both signs: their means may all but cancel, so that only their size is a measure.
        let size = FACTOR * high.abs().max(low.abs()).max(self.itself);
        if least > size {
            return Some(Beyond::Above);
        }
        (most < -size).then_some(Beyond::Below)
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Beyond {
    Above,
    Below,
}

/// All mean proximities outside the range of the old ones.
fn unit(diagram: &Diagram, border: &Border) -> Option<Remark> {
    let sizes = Sizes::of(diagram, border)?;
    let beyond = sizes.beyond()?;
    let means = match diagram.kind() {
        Kind::Similarity => "mean similarities",
        _ => "root mean square dissimilarities",
    };
    let range = |v: &[f64]| match (rounded(v[0]), rounded(v[v.len() - 1])) {
        (low, high) if low == high => low,
        (low, high) => format!("between {low} and {high}"),
    };
    let hint = hint(diagram.kind(), &sizes, beyond);
    let found = if sizes.vanish() {
        "next to nothing".to_owned()
    } else {
        range(&sizes.new)
    };
    Some(Remark {
        concern: Concern::Unit,
        newcomers: (0..border.count())
            .filter(|&i| !border.means[i].is_nan())
            .collect(),
        sentence: format!(
            "found newcomers with {means} of {found}, expected some near those of the old objects, {}{hint}: are they of \
             the map's kind and in its unit?",
            range(&sizes.old),
        ),
    })
}

/// What the numbers look like, where they tell.
fn hint(kind: Kind, sizes: &Sizes, beyond: Beyond) -> String {
    let middle = |v: &[f64]| v[v.len() / 2];
    let near = |v: f64, round: f64| v > round / NEAR && v < round * NEAR;
    let (new, old) = (middle(&sizes.new), middle(&sizes.old));
    // In the numbers as they are given.
    let (new, old) = match kind {
        Kind::Squared => (new * new, old * old),
        Kind::Dissimilarity | Kind::Similarity => (new, old),
    };
    let ratio = new / old;
    // The root mean square of squares is somewhat above the square of the root mean square.
    let squared = kind == Kind::Dissimilarity && near(new / (old * old), 1.25);
    let roots = kind == Kind::Squared && near(new / old.sqrt(), 0.95);
    match beyond {
        _ if near(ratio, 100.0) && !squared => {
            " (about 100 times as large, as percentages are beside shares)".into()
        }
        _ if near(ratio, 0.01) && !squared && !roots => {
            " (about a hundredth, as shares are beside percentages)".into()
        }
        _ if squared => " (about their squares: these look like squared dissimilarities)".into(),
        _ if roots => {
            " (about their square roots: these look like dissimilarities that are not squared)"
                .into()
        }
        Beyond::Below
            if kind != Kind::Similarity
                && sizes.new[sizes.new.len() - 1] <= 1.0
                && sizes.old[0] > 1.0 =>
        {
            " (at most 1, as similarities are)".into()
        }
        Beyond::Above if kind == Kind::Similarity && sizes.new[0] > sizes.itself => {
            " (above what the old objects are to themselves, as dissimilarities are)".into()
        }
        _ if ratio > 0.0 && !sizes.vanish() => format!(" (about {} times theirs)", rounded(ratio)),
        _ => String::new(),
    }
}

/// Similarities to others beyond that to itself, where the old objects have none such.
fn itself(diagram: &Diagram, border: &Border, labels: Option<&[String]>) -> Option<Remark> {
    let findings = &diagram.summary().findings;
    if diagram.kind() != Kind::Similarity || findings.iter().any(|f| Finding::is_not_dominant(f)) {
        return None;
    }
    let m = diagram.centring().grand_mean;
    // β = t(η, η) − 2t̄ + m.
    let own = |i: usize| border.beta[i] + 2.0 * border.means[i] - m;
    let exceeds = |i: &usize| {
        let (own, nearest) = (own(*i), border.nearest[*i]);
        nearest - own > ROUNDING * nearest.abs().max(own.abs())
    };
    let newcomers: Vec<usize> = (0..border.count()).filter(exceeds).collect();
    let &first = newcomers.first()?;
    Some(Remark {
        concern: Concern::SelfSimilarity,
        sentence: format!(
            "found {} more similar to an old object than to itself ({} beside {} for the first), expected nobody to be, as \
             among the old objects: are these similarities, in the map's unit?",
            who(&newcomers, labels),
            rounded(border.nearest[first]),
            rounded(own(first)),
        ),
        newcomers,
    })
}

/// The chance that k newcomers are all above (or all below) n old objects, if all n + k were drawn alike.
fn chance(n: usize, k: usize) -> f64 {
    let each = (1..=k).map(|i| i as f64 / (n + i) as f64);
    each.product()
}

fn residuals(border: &Border) -> Vec<f64> {
    (0..border.count()).map(|i| border.residual(i)).collect()
}

/// The moduli of the old objects' residuals that are known.
fn old_residuals(diagram: &Diagram) -> Vec<f64> {
    let residuals = diagram.leave_one_out().residuals.iter();
    let known = residuals.filter(|v| !v.is_nan());
    known.map(|v| v.abs()).collect()
}

fn all_novel(diagram: &Diagram, border: &Border) -> Option<Remark> {
    let (k, old) = (border.count(), old_residuals(diagram));
    let most = old.iter().copied().reduce(f64::max)?;
    let all = residuals(border).iter().all(|r| r.abs() > most);
    (all && k > 1 && chance(old.len(), k) < CHANCE).then(|| Remark {
        concern: Concern::AllNovel,
        newcomers: (0..k).collect(),
        sentence: format!(
            "found all {k} newcomers farther from the map's space than every old object, expected some among them: are their \
             proximities measured as the map's were?"
        ),
    })
}

fn all_exact(diagram: &Diagram, border: &Border) -> Option<Remark> {
    let (k, old) = (border.count(), old_residuals(diagram));
    let least = old.iter().copied().fold(f64::INFINITY, f64::min);
    let residuals = residuals(border);
    let all = k > 0
        && least > ROUNDING * diagram.c()[0] / diagram.count() as f64
        && residuals.iter().all(|r| r.abs() < TENTH * least);
    (all && chance(old.len(), k) < CHANCE).then(|| Remark {
        concern: Concern::AllExact,
        newcomers: (0..k).collect(),
        sentence: format!(
            "found {} much nearer to the map's space than any old object, expected residuals like theirs: were these \
             proximities measured, or computed from the map?",
            if k == 1 { "a newcomer".to_owned() } else { format!("all {k} newcomers") },
        ),
    })
}

/// Those that were placed by few of the proximities that there could be.
fn few_known(n: usize, placements: &Placements, labels: Option<&[String]>) -> Option<Remark> {
    let few = enough(placements.dimensions);
    let is_few = |i: &usize| {
        let known = placements.known[*i];
        placements.status[*i].placed() && known < few && known < n
    };
    let newcomers: Vec<usize> = (0..placements.count()).filter(is_few).collect();
    let &first = newcomers.first()?;
    let by = if newcomers.len() > 1 {
        " the first"
    } else {
        ""
    };
    Some(Remark {
        concern: Concern::FewKnown,
        sentence: format!(
            "found {} placed by few proximities,{by} by {} of {n}, expected at least {few} on {} axes: such a place says \
             little",
            who(&newcomers, labels),
            placements.known[first],
            placements.dimensions,
        ),
        newcomers,
    })
}

fn below_zero(border: &Border, labels: Option<&[String]>) -> Option<Remark> {
    let below = |i: &usize| border.below_zero[*i] > 0;
    let newcomers: Vec<usize> = (0..border.count()).filter(below).collect();
    let count: usize = border.below_zero.iter().sum();
    (count > 0).then(|| Remark {
        concern: Concern::BelowZero,
        sentence: format!(
            "found {count} dissimilarities of {} below 0 by rounding, expected none: they are taken as 0",
            who(&newcomers, labels),
        ),
        newcomers,
    })
}

/// Those with dissimilarities where the link is only a continuation.
fn beyond(border: &Border, (least, most): (f64, f64), labels: Option<&[String]>) -> Option<Remark> {
    let far = |i: &usize| border.beyond.get(*i).is_some_and(|count| *count > 0);
    let newcomers: Vec<usize> = (0..border.count()).filter(far).collect();
    let count: usize = border.beyond.iter().sum();
    (count > 0).then(|| Remark {
        concern: Concern::Beyond,
        sentence: format!(
            "found {count} dissimilarities of {} far outside those of the old objects, expected them between {} and {}: the \
             link is continued there in a straight line, which is a guess",
            who(&newcomers, labels),
            rounded(least),
            rounded(most),
        ),
        newcomers,
    })
}

/// Newcomers by their names, or some of them.
fn who(newcomers: &[usize], labels: Option<&[String]>) -> String {
    let name = |i: &usize| format!("{:?}", named(labels.map(|l| &l[*i]), *i).label);
    let names: Vec<String> = newcomers.iter().take(NAMED).map(name).collect();
    match newcomers.len() {
        count if count > NAMED => format!("{count} newcomers ({}, …)", names.join(", ")),
        _ => names.join(", "),
    }
}
