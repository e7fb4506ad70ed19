//! How far apart the colours of the table are, for normal, protan, deutan and tritan vision, on both grounds.
//!
//! Colour-blind vision is simulated as by Machado, Oliveira and Fernandes (2009) at full severity, in linear light;
//! differences are CIEDE2000. Contrast is that of WCAG: 3 to 1 is what graphics must have.

use std::slice::from_ref;

use adjoin_look::{Role, look};

type Rgb = [f64; 3];

const VISIONS: [(&str, [[f64; 3]; 3]); 4] = [
    (
        "normal",
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    ),
    (
        "protan",
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
    ),
    (
        "deutan",
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
    ),
    (
        "tritan",
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ),
];

fn linear(hex: &str) -> Rgb {
    [1, 3, 5].map(|i| {
        let v = f64::from(u8::from_str_radix(&hex[i..i + 2], 16).unwrap()) / 255.0;
        if v <= 0.04045 {
            v / 12.92
        } else {
            ((v + 0.055) / 1.055).powf(2.4)
        }
    })
}

fn times(m: &[[f64; 3]; 3], v: Rgb) -> Rgb {
    m.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
}

fn lab(rgb: Rgb) -> [f64; 3] {
    const XYZ: [[f64; 3]; 3] = [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ];
    let xyz = times(&XYZ, rgb.map(|v| v.clamp(0.0, 1.0)));
    let [x, y, z] = [xyz[0] / 0.95047, xyz[1], xyz[2] / 1.08883].map(|t| {
        if t > 216.0 / 24389.0 {
            t.cbrt()
        } else {
            (24389.0 / 27.0 * t + 16.0) / 116.0
        }
    });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// CIEDE2000, in the notation of Sharma, Wu and Dalal (2005).
fn difference(p: [f64; 3], q: [f64; 3]) -> f64 {
    let seventh = |c: f64| (c.powi(7) / (c.powi(7) + 25f64.powi(7))).sqrt();
    let mean = 0.5 * (p[1].hypot(p[2]) + q[1].hypot(q[2]));
    let g = 0.5 * (1.0 - seventh(mean));
    let polar = |c: [f64; 3]| {
        let a = (1.0 + g) * c[1];
        let hue = c[2].atan2(a).to_degrees().rem_euclid(360.0);
        (
            a.hypot(c[2]),
            if a == 0.0 && c[2] == 0.0 { 0.0 } else { hue },
        )
    };
    let ((c1, h1), (c2, h2)) = (polar(p), polar(q));
    let grey = c1 * c2 == 0.0;
    let turn = match h2 - h1 {
        _ if grey => 0.0,
        t if t > 180.0 => t - 360.0,
        t if t < -180.0 => t + 360.0,
        t => t,
    };
    let dh = 2.0 * (c1 * c2).sqrt() * (turn / 2.0).to_radians().sin();
    let (l, c) = (0.5 * (p[0] + q[0]), 0.5 * (c1 + c2));
    let h = match h1 + h2 {
        s if grey => s,
        s if (h1 - h2).abs() <= 180.0 => s / 2.0,
        s if s < 360.0 => (s + 360.0) / 2.0,
        s => (s - 360.0) / 2.0,
    };
    let cos = |degrees: f64| degrees.to_radians().cos();
    let t = 1.0 - 0.17 * cos(h - 30.0) + 0.24 * cos(2.0 * h) + 0.32 * cos(3.0 * h + 6.0)
        - 0.20 * cos(4.0 * h - 63.0);
    let far = (l - 50.0) * (l - 50.0);
    let (sl, sc, sh) = (
        1.0 + 0.015 * far / (20.0 + far).sqrt(),
        1.0 + 0.045 * c,
        1.0 + 0.015 * c * t,
    );
    let rotation = -2.0
        * seventh(c)
        * (60.0 * (-((h - 275.0) / 25.0).powi(2)).exp())
            .to_radians()
            .sin();
    let (dl, dc, dh) = ((q[0] - p[0]) / sl, (c2 - c1) / sc, dh / sh);
    (dl * dl + dc * dc + dh * dh + rotation * dc * dh).sqrt()
}

#[test]
fn differences_are_those_of_the_published_table() {
    // Sharma, Wu and Dalal, pairs 1, 7, 17 and 25.
    let cases = [
        ([50.0, 2.6772, -79.7751], [50.0, 0.0, -82.7485], 2.0425),
        ([50.0, 0.0, 0.0], [50.0, -1.0, 2.0], 2.3669),
        ([50.0, 2.5, 0.0], [73.0, 25.0, -18.0], 27.1492),
        (
            [60.2574, -34.0099, 36.2677],
            [60.4626, -34.1751, 39.4387],
            1.2644,
        ),
    ];
    for (p, q, expected) in cases {
        assert!((difference(p, q) - expected).abs() < 1e-4, "{p:?} {q:?}");
        assert!((difference(q, p) - expected).abs() < 1e-4);
    }
}

fn contrast(a: &str, b: &str) -> f64 {
    let light = |hex: &str| {
        let [r, g, b] = linear(hex);
        0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
    };
    let (a, b) = (light(a), light(b));
    a.max(b) / a.min(b)
}

/// The smallest difference between two lists, and to whom; a colour is not compared with itself.
fn nearest(a: &[String], b: &[String], vision: &[[f64; 3]; 3]) -> (f64, String) {
    let seen = |hex: &str| lab(times(vision, linear(hex)));
    let mut best = (f64::INFINITY, String::new());
    for p in a {
        for q in b.iter().filter(|q| *q != p) {
            let d = difference(seen(p), seen(q));
            if d < best.0 {
                best = (d, format!("{p} {q}"));
            }
        }
    }
    best
}

#[test]
fn classes_stay_apart_for_every_vision_on_both_grounds() {
    let look = look();
    let roles = |of: fn(&Role) -> &String, other: &String| -> Vec<String> {
        let r = &look.roles;
        vec![
            of(&r.newcomer).clone(),
            of(&r.reconstruction).clone(),
            other.clone(),
        ]
    };
    let light = (
        &look.classes.light,
        &look.ground.light,
        roles(|r| &r.light, &look.other.light),
    );
    let dark = (
        &look.classes.dark,
        &look.ground.dark,
        roles(|r| &r.dark, &look.other.dark),
    );
    for (palettes, ground, roles) in [light, dark] {
        // Least differences within a palette, of normal and of colour-blind vision, and to the roles.
        let least = [
            (8, 18.0, 11.5, 9.0),
            (12, 16.5, 10.0, 8.0),
            (20, 14.0, 8.5, 7.0),
        ];
        for (palette, (size, normal, blind, role)) in palettes.iter().zip(least) {
            assert_eq!(palette.len(), size);
            for colour in palette {
                assert!(contrast(colour, ground) >= 3.0, "{colour} on {ground}");
            }
            for (name, vision) in &VISIONS {
                let (found, whose) = nearest(palette, palette, vision);
                let wanted = if *name == "normal" { normal } else { blind };
                assert!(found >= wanted, "{size}, {name}: {found:.1} {whose}");
                let (found, whose) = nearest(palette, &roles, vision);
                assert!(
                    found >= role,
                    "{size} and roles, {name}: {found:.1} {whose}"
                );
            }
        }
    }
}

#[test]
fn roles_and_what_has_no_class_are_seen() {
    let look = look();
    let r = &look.roles;
    for role in [
        &r.old,
        &r.newcomer,
        &r.projection,
        &r.reconstruction,
        &r.strategy,
        &r.arc,
    ] {
        assert!(
            contrast(&role.light, &look.ground.light) >= 3.0,
            "{}",
            role.word
        );
        assert!(
            contrast(&role.dark, &look.ground.dark) >= 3.0,
            "{}",
            role.word
        );
    }
    assert!(contrast(&look.other.light, &look.ground.light) >= 3.0);
    assert!(contrast(&look.other.dark, &look.ground.dark) >= 3.0);
    // Roles that are drawn in one picture with marks of one shape are told apart by colour for everybody.
    for (old, new) in [
        (&r.old.light, &r.newcomer.light),
        (&r.old.dark, &r.newcomer.dark),
    ] {
        for (name, vision) in &VISIONS {
            let (found, _) = nearest(from_ref(old), from_ref(new), vision);
            assert!(found >= 14.0, "{name}: {found:.1}");
        }
    }
}

#[test]
fn ramps_grow_lighter_for_every_vision_and_are_seen() {
    let look = look();
    let both = [
        (&look.ramp.light, &look.ground.light),
        (&look.ramp.dark, &look.ground.dark),
    ];
    for (ramp, ground) in both {
        for colour in ramp {
            assert!(contrast(colour, ground) >= 3.0, "{colour} on {ground}");
        }
        for (name, vision) in &VISIONS {
            let lightness: Vec<f64> = ramp
                .iter()
                .map(|c| lab(times(vision, linear(c)))[0])
                .collect();
            assert!(
                lightness.windows(2).all(|w| w[1] > w[0] + 2.0),
                "{name}: {lightness:?}"
            );
        }
    }
}
