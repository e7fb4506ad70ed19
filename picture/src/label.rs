//! Where labels stand: beside their points, on nothing, and never on each other.
//!
//! A label has candidate places: eight beside its point, then rings farther out to which a thin
//! line leads. Each has a cost of its own (markers and arcs that it covers, distance, a preference
//! for the right-hand side) and costs with each place of another label (overlap, crossing lines).
//! Up to [`FEW`] labels are annealed together; above that newcomers' labels are annealed first, and
//! the old objects' fill what is free, the loneliest point first. Whatever still overlaps at the end
//! is left out, so the promise holds for any input. Always the same seed: always the same picture.
//!
//! # References
//! J. Christensen, J. Marks and S. Shieber, *An empirical study of algorithms for point-feature label
//! placement*, ACM Transactions on Graphics 14 (1995): annealing did best of the methods compared.

use crate::geometry::{Rect, Segment};
use crate::obstacles::{Obstacles, Owner};

/// Labels that are annealed together; beyond it they are thinned.
pub(crate) const FEW: usize = 50;
/// Old labels that are tried when they are thinned: many more than there is room for.
const TRIED: usize = 3000;
/// Air between a marker and its label, and around a label, in points.
const GAP: f64 = 1.1;
const AIR: f64 = 0.6;
/// How far out the rings with leader lines are, in points.
const RINGS: [f64; 6] = [7.0, 11.0, 16.0, 22.0, 30.0, 40.0];
const DIRECTIONS: usize = 16;
/// Steps of annealing for each label.
const STEPS: usize = 2500;
const HOT: f64 = 12.0;
const COLD: f64 = 0.05;

/// Costs. Covering another label is out of the question; what is covered counts for more than how
/// far away the label is, so that a leader line is drawn rather than a marker hidden.
const OVERLAP: f64 = 1000.0;
const LEADER_ON_LABEL: f64 = 40.0;
const LEADERS_CROSS: f64 = 25.0;
const LEADER: f64 = 3.0;
const DISTANCE: f64 = 0.12;
/// An old label that would cost more than this is left out when labels are thinned.
const FREE: f64 = 1.0;

/// A label that wants a place.
pub(crate) struct Label {
    pub owner: Owner,
    /// How far its own marker reaches.
    pub radius: f64,
    pub width: f64,
    pub height: f64,
    pub new: bool,
}

/// Where a label stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Place {
    pub rect: Rect,
    pub leader: Option<Segment>,
    /// Around both, with air: places whose bounds are apart cost each other nothing.
    bounds: Rect,
    cost: f64,
}

impl Place {
    fn new(rect: Rect, leader: Option<Segment>, cost: f64) -> Self {
        let mut bounds = rect;
        for p in leader.iter().flat_map(|l| [l.from, l.to]) {
            bounds.left = bounds.left.min(p[0]);
            bounds.top = bounds.top.min(p[1]);
            bounds.right = bounds.right.max(p[0]);
            bounds.bottom = bounds.bottom.max(p[1]);
        }
        Self {
            rect,
            leader,
            bounds: bounds.grown(AIR),
            cost,
        }
    }
}

/// A place for each label that has one.
pub(crate) fn place(labels: &[Label], obstacles: &Obstacles, area: Rect) -> Vec<Option<Place>> {
    let mut found: Vec<Option<Place>> = vec![None; labels.len()];
    let everyone: Vec<usize> = (0..labels.len()).collect();
    if labels.len() <= FEW {
        settle(&everyone, labels, obstacles, area, &mut found);
        return found;
    }
    let (new, mut old): (Vec<usize>, Vec<usize>) =
        everyone.into_iter().partition(|&i| labels[i].new);
    let (first, rest) = new.split_at(new.len().min(FEW));
    settle(first, labels, obstacles, area, &mut found);
    let mut taken: Vec<Place> = found.iter().flatten().copied().collect();
    old.sort_by_key(|&i| obstacles.near(labels[i].owner.anchor));
    for &i in rest.iter().chain(old.iter().take(TRIED)) {
        let beside = beside(&labels[i], obstacles, area);
        let free = beside.into_iter().filter(|p| p.cost < FREE);
        let free = free.filter(|p| taken.iter().all(|t| pair(p, t) == 0.0));
        if let Some(best) = free.min_by(|a, b| a.cost.total_cmp(&b.cost)) {
            found[i] = Some(best);
            taken.push(best);
        }
    }
    found
}

/// Anneals some labels together.
fn settle(
    chosen: &[usize],
    labels: &[Label],
    obstacles: &Obstacles,
    area: Rect,
    found: &mut [Option<Place>],
) {
    let candidates: Vec<Vec<Place>> = chosen
        .iter()
        .map(|&i| {
            let mut places = beside(&labels[i], obstacles, area);
            places.extend(around(&labels[i], obstacles, area));
            places
        })
        .collect();
    let mut active: Vec<usize> = (0..chosen.len())
        .filter(|&i| !candidates[i].is_empty())
        .collect();
    let mut at = vec![0; chosen.len()];
    let cost = |i: usize, c: usize, at: &[usize], active: &[usize]| -> f64 {
        let mine = &candidates[i][c];
        let others = active.iter().filter(|&&j| j != i);
        mine.cost
            + others
                .map(|&j| pair(mine, &candidates[j][at[j]]))
                .sum::<f64>()
    };

    // Start with each at its own best, then anneal.
    for &i in &active {
        at[i] = cheapest(candidates[i].len(), |c| candidates[i][c].cost);
    }
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let steps = STEPS * active.len();
    for step in 0..steps {
        let temperature = HOT * (COLD / HOT).powf(step as f64 / steps as f64);
        let i = active[random.below(active.len())];
        let c = random.below(candidates[i].len());
        let change = cost(i, c, &at, &active) - cost(i, at[i], &at, &active);
        if change <= 0.0 || random.unit() < (-change / temperature).exp() {
            at[i] = c;
        }
    }
    // Then go down until nobody can do better.
    for _ in 0..FEW {
        let before = at.clone();
        for &i in &active {
            at[i] = cheapest(candidates[i].len(), |c| cost(i, c, &at, &active));
        }
        if at == before {
            break;
        }
    }
    // What still overlaps goes, the old before the new, the later before the earlier.
    active.sort_by_key(|&i| (!labels[chosen[i]].new, i));
    let mut kept: Vec<usize> = Vec::new();
    for &i in &active {
        at[i] = if cost(i, at[i], &at, &kept) < OVERLAP {
            at[i]
        } else {
            cheapest(candidates[i].len(), |c| cost(i, c, &at, &kept))
        };
        if cost(i, at[i], &at, &kept) < OVERLAP {
            kept.push(i);
        }
    }
    for i in kept {
        found[chosen[i]] = Some(candidates[i][at[i]]);
    }
}

fn cheapest(count: usize, cost: impl Fn(usize) -> f64) -> usize {
    let costs = (0..count).map(|c| (c, cost(c)));
    costs
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map_or(0, |(c, _)| c)
}

/// What two places cost each other.
fn pair(a: &Place, b: &Place) -> f64 {
    let mut cost = 0.0;
    if !a.bounds.overlaps(&b.bounds) {
        return cost;
    }
    if a.rect.grown(AIR).overlaps(&b.rect) {
        cost += OVERLAP;
    }
    for (p, q) in [(a, b), (b, a)] {
        if p.leader.is_some_and(|l| q.rect.meets_segment(&l)) {
            cost += LEADER_ON_LABEL;
        }
    }
    if let (Some(p), Some(q)) = (a.leader, b.leader)
        && p.crosses(&q)
    {
        cost += LEADERS_CROSS;
    }
    cost
}

/// The eight places that touch the point, in the order of cartographers' preference.
fn beside(label: &Label, obstacles: &Obstacles, area: Rect) -> Vec<Place> {
    let (w, h) = (label.width, label.height);
    let reach = label.radius + GAP;
    // On the diagonal the corner of the box may come closer.
    let corner = 0.75 * label.radius + 0.3 * GAP;
    let [x, y] = label.owner.anchor;
    [
        (x + reach, y - h / 2.0, 0.0),
        (x + corner, y - corner - h, 0.15),
        (x + corner, y + corner, 0.25),
        (x - w / 2.0, y - reach - h, 0.3),
        (x - reach - w, y - h / 2.0, 0.35),
        (x - corner - w, y - corner - h, 0.45),
        (x - w / 2.0, y + reach, 0.5),
        (x - corner - w, y + corner, 0.55),
    ]
    .into_iter()
    .map(|(left, top, preference)| (Rect::new(left, top, w, h), preference))
    .filter(|(rect, _)| area.holds(rect))
    .map(|(rect, preference)| {
        let cost = obstacles.covered(&rect, &label.owner);
        Place::new(rect, None, preference + cost)
    })
    .collect()
}

/// Places farther out, with a leader line.
fn around(label: &Label, obstacles: &Obstacles, area: Rect) -> Vec<Place> {
    let (w, h) = (label.width, label.height);
    let mut places = Vec::new();
    for ring in RINGS {
        for direction in 0..DIRECTIONS {
            let angle = std::f64::consts::TAU * direction as f64 / DIRECTIONS as f64;
            let (sin, cos) = angle.sin_cos();
            let out = label.radius + ring;
            let [x, y] = [
                label.owner.anchor[0] + cos * (out + w / 2.0),
                label.owner.anchor[1] + sin * (out + h / 2.0),
            ];
            let rect = Rect::new(x - w / 2.0, y - h / 2.0, w, h);
            if !area.holds(&rect) {
                continue;
            }
            let leader = leader(label, &rect);
            let covered = obstacles.covered(&rect, &label.owner);
            let crossed = obstacles.crossed(&leader, &label.owner);
            let cost = LEADER + DISTANCE * leader.length() + covered + crossed;
            places.push(Place::new(rect, Some(leader), cost));
        }
    }
    places
}

/// The line from the edge of the marker to the nearest point of the label.
fn leader(label: &Label, rect: &Rect) -> Segment {
    let whole = Segment {
        from: label.owner.anchor,
        to: rect.nearest(label.owner.anchor),
    };
    let length = whole.length();
    Segment {
        from: whole.at(((label.radius + 0.4) / length).min(1.0)),
        to: whole.at(((length - 0.4) / length).max(0.0)),
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014): a few lines, and the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, bound: usize) -> usize {
        ((self.unit() * bound as f64) as usize).min(bound.saturating_sub(1))
    }
}
