//! The table itself, as Rust reads it.

use std::sync::OnceLock;

use serde::Deserialize;

/// The table: JSON, which the page's build and Python read too.
pub const TABLE: &str = include_str!("../look.json");

/// A colour on a light and on a dark ground.
#[derive(Debug, Clone, Deserialize)]
pub struct Shade {
    /// On white.
    pub light: String,
    /// On the page's dark ground.
    pub dark: String,
}

/// What an object of the picture is: its colour, its mark and its word.
#[derive(Debug, Clone, Deserialize)]
pub struct Role {
    /// On white.
    pub light: String,
    /// On the page's dark ground.
    pub dark: String,
    /// `dot`, `ring`, `diamond`, `square` or `line`.
    pub mark: String,
    /// What legends call it.
    pub word: String,
}

/// All roles.
#[derive(Debug, Clone, Deserialize)]
pub struct Roles {
    /// An object of the map.
    pub old: Role,
    /// A newcomer, where it is placed.
    pub newcomer: Role,
    /// Where a newcomer is projected to.
    pub projection: Role,
    /// Where it is reconstructed.
    pub reconstruction: Role,
    /// Where another strategy has it, or all together.
    pub strategy: Role,
    /// The way from projection to reconstruction.
    pub arc: Role,
}

/// Class colours for up to so many classes.
#[derive(Debug, Clone, Deserialize)]
pub struct Palettes {
    /// On white.
    pub light: Vec<Vec<String>>,
    /// On the page's dark ground.
    pub dark: Vec<Vec<String>>,
}

/// The ground that colours are on, by [`Shade`]; what has no class; classes; a ramp for numbers; shapes of marks.
#[derive(Debug, Clone, Deserialize)]
pub struct Look {
    /// The ground.
    pub ground: Shade,
    /// Objects without a value, and classes beyond the last colour.
    pub other: Shade,
    /// Roles.
    pub roles: Roles,
    /// Classes.
    pub classes: Palettes,
    /// Numbers, from the smallest to the largest.
    pub ramp: Ramp,
    /// What else legends and axes say.
    pub words: Words,
    /// Variables.
    pub arrows: Arrows,
    /// Shapes of classes, in this order; the last is for all that have none of their own.
    pub shapes: Vec<String>,
    /// Words of tables that mean nothing was measured, in lower case.
    pub missing: Vec<String>,
}

/// Words of legends and axes beside those of roles.
#[derive(Debug, Clone, Deserialize)]
pub struct Words {
    /// Before the name of a strategy.
    pub placed: String,
    /// Places of all together.
    pub jointly: String,
    /// Ways that are not arcs.
    pub way: String,
    /// Places that are exactly as good.
    pub others: String,
    /// A place across the last axis, where the side is uncertain.
    pub side: String,
    /// Where newcomers may be.
    pub region: String,
    /// What the share of an axis is of, where all eigenvalues are known.
    pub complete: String,
    /// … and where they are not.
    pub incomplete: String,
}

/// Which variables are drawn as arrows, and how long they are.
#[derive(Debug, Clone, Deserialize)]
pub struct Arrows {
    /// How many, the strongest first.
    pub most: usize,
    /// The p-value that they need.
    pub p: f64,
    /// Permutations behind each p-value, as is usual.
    pub permutations: usize,
    /// How far the longest reaches, as a share of the way to the farthest object.
    pub reach: f64,
}

/// Colours of numbers.
#[derive(Debug, Clone, Deserialize)]
pub struct Ramp {
    /// On white.
    pub light: Vec<String>,
    /// On the page's dark ground.
    pub dark: Vec<String>,
}

/// The table.
pub fn look() -> &'static Look {
    static LOOK: OnceLock<Look> = OnceLock::new();
    LOOK.get_or_init(|| serde_json::from_str(TABLE).expect("look.json is a table of looks"))
}

/// The smallest palette that has a colour for each of so many classes, or the largest.
pub fn palette(palettes: &[Vec<String>], classes: usize) -> &[String] {
    let enough = palettes.iter().find(|p| p.len() >= classes);
    enough.or(palettes.last()).map_or(&[], |p| p)
}

/// The colour of a number from 0 to 1.
pub fn on_ramp(ramp: &[String], share: f64) -> String {
    let at = share.clamp(0.0, 1.0) * (ramp.len() - 1) as f64;
    let low = (at as usize).min(ramp.len().saturating_sub(2));
    let part = at - low as f64;
    let channel = |colour: &str, i: usize| {
        u8::from_str_radix(&colour[1 + 2 * i..3 + 2 * i], 16).map_or(0.0, f64::from)
    };
    let mixed = [0, 1, 2].map(|i| {
        let (from, to) = (channel(&ramp[low], i), channel(&ramp[low + 1], i));
        (from + part * (to - from)).round() as u8
    });
    format!("#{:02x}{:02x}{:02x}", mixed[0], mixed[1], mixed[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_palette_that_is_enough() {
        let palettes = &look().classes.light;
        let sizes = [1, 8, 9, 12, 13, 20, 21, 500].map(|n| palette(palettes, n).len());
        assert_eq!(sizes, [8, 8, 12, 12, 20, 20, 20, 20]);
    }

    #[test]
    fn ramps_reach_from_end_to_end() {
        let ramp = &look().ramp.light;
        assert_eq!(on_ramp(ramp, -1.0), ramp[0]);
        assert_eq!(on_ramp(ramp, 1.0), *ramp.last().unwrap());
        assert_eq!(
            on_ramp(&["#000000".into(), "#ffffff".into()], 0.5),
            "#808080"
        );
    }
}
