//! Pictures as other programs read them: the SVG by usvg, with its own shaping of text, the PNG by a
//! decoder, the XML by a parser.

use std::sync::Arc;

use adjoin_picture::{Arrow, Column, Drawing, Error, Labels, Newcomer, Scene, Settings, draw};

/// A few lines of arithmetic that are as good as random numbers, and always the same.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    }
}

fn titles() -> Vec<String> {
    vec!["axis 1 (42.1 %)".into(), "axis 2 (20.0 %)".into()]
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|i| format!("sample {i}")).collect()
}

fn newcomer(label: &str, from: [f64; 2], to: [f64; 2]) -> Newcomer<'_> {
    let middle = [0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1]) + 0.05];
    Newcomer {
        label,
        projection: Some(from),
        place: Some(to),
        way: vec![from, middle, to],
        ..Newcomer::default()
    }
}

/// Road distances in kilometres: the demo's 18 cities and three newcomers, as `adjoin` places them.
fn cities() -> (Vec<String>, Vec<[f64; 2]>, Vec<Newcomer<'static>>) {
    let table = include_str!("cities.tsv");
    let (mut labels, mut points, mut new) = (Vec::new(), Vec::new(), Vec::new());
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let at = |i: usize| [cells[i].parse().unwrap(), cells[i + 1].parse().unwrap()];
        if cells.len() == 3 {
            labels.push(cells[0].to_owned());
            points.push(at(1));
        } else {
            new.push(newcomer(cells[0], at(1), at(3)));
        }
    }
    (labels, points, new)
}

/// The tree as usvg sees it, with the bundled font.
fn tree(svg: &str) -> usvg::Tree {
    let mut fonts = usvg::fontdb::Database::new();
    fonts.load_font_data(include_bytes!("../font/LiberationSans-Regular.ttf").to_vec());
    let options = usvg::Options {
        fontdb: Arc::new(fonts),
        ..Default::default()
    };
    usvg::Tree::from_str(svg, &options).unwrap()
}

/// The boxes of the labels' letters, without their white rims.
fn label_boxes(svg: &str) -> Vec<usvg::Rect> {
    fn texts(group: &usvg::Group, boxes: &mut Vec<usvg::Rect>) {
        for node in group.children() {
            match node {
                // The ink of the letters, not the line that they stand in.
                usvg::Node::Text(text) => boxes.push(text.flattened().abs_bounding_box()),
                usvg::Node::Group(group) => texts(group, boxes),
                _ => {}
            }
        }
    }
    let tree = tree(svg);
    let usvg::Node::Group(labels) = tree.node_by_id("labels").unwrap() else {
        panic!("the labels are no group");
    };
    let mut boxes = Vec::new();
    texts(labels, &mut boxes);
    boxes
}

fn overlapping(boxes: &[usvg::Rect]) -> usize {
    let mut count = 0;
    for (i, a) in boxes.iter().enumerate() {
        for b in &boxes[i + 1..] {
            let apart = a.right() <= b.left()
                || b.right() <= a.left()
                || a.bottom() <= b.top()
                || b.bottom() <= a.top();
            count += usize::from(!apart);
        }
    }
    count
}

/// The places where the subpaths of a group begin.
fn starts(svg: &str, id: &str) -> Vec<[f64; 2]> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let group = document
        .descendants()
        .find(|n| n.attribute("id") == Some(id))
        .unwrap();
    let paths = group.descendants().filter_map(|n| n.attribute("d"));
    let mut starts = Vec::new();
    for path in paths {
        for part in path.split('M').skip(1) {
            let end = part.find(|c: char| c.is_ascii_alphabetic());
            let numbers = part[..end.unwrap_or(part.len())].split(' ');
            let numbers: Vec<f64> = numbers.map(|x| x.parse().unwrap()).collect();
            starts.push([numbers[0], numbers[1]]);
        }
    }
    starts
}

#[test]
fn the_cities_have_all_their_labels() {
    let (labels, points, newcomers) = cities();
    let scene = Scene {
        axes: titles(),
        labels: &labels,
        points,
        newcomers,
        ..Default::default()
    };
    let drawing = draw(&scene, &Settings::default()).unwrap();
    assert_eq!((drawing.objects, drawing.labelled), (21, 21));
    let boxes = label_boxes(&drawing.svg);
    assert_eq!(boxes.len(), 21);
    assert_eq!(overlapping(&boxes), 0);
    assert!((drawing.size[0] - 89.0).abs() < 1e-9);
    // On the page, all of it: in usvg's pixels of 1/96 inch.
    for b in boxes {
        assert!(b.left() >= 0.0 && b.right() <= 89.0 / 25.4 * 96.0);
    }
}

#[test]
fn fifty_points_have_all_their_labels_and_none_overlap() {
    for seed in 1..=12 {
        let mut random = noise(seed);
        // Every third picture is crowded around a few places.
        let spread = if seed % 3 == 0 { 0.15 } else { 1.0 };
        let labels = names(46);
        let mut point = |i: usize| [random() * spread + (i % 4) as f64, random() * spread];
        let points: Vec<[f64; 2]> = (0..46).map(&mut point).collect();
        let new = ["one", "two", "three", "four"];
        let newcomers = new.iter().map(|l| newcomer(l, point(0), point(1)));
        let scene = Scene {
            axes: titles(),
            labels: &labels,
            points,
            newcomers: newcomers.collect(),
            ..Default::default()
        };
        let drawing = draw(&scene, &Settings::default()).unwrap();
        let boxes = label_boxes(&drawing.svg);
        assert_eq!(overlapping(&boxes), 0, "seed {seed}");
        assert_eq!(boxes.len(), drawing.labelled);
        assert!(drawing.nameless.is_empty());
        if spread == 1.0 {
            assert_eq!(drawing.labelled, 50, "seed {seed}");
        }
        assert_eq!(draw(&scene, &Settings::default()).unwrap(), drawing);
    }
}

#[test]
fn many_labels_are_thinned_and_newcomers_come_first() {
    let mut random = noise(7);
    let labels = names(2000);
    let mut normal = || (0..6).map(|_| random() - 0.5).sum::<f64>();
    let points = (0..2000).map(|_| [normal(), normal()]).collect();
    let new: Vec<String> = (0..20).map(|i| format!("new {i}")).collect();
    let newcomers = new
        .iter()
        .map(|l| newcomer(l, [normal(), normal()], [normal(), normal()]));
    let scene = Scene {
        axes: titles(),
        labels: &labels,
        points,
        newcomers: newcomers.collect(),
        ..Default::default()
    };
    // Among many, unless all are asked for, newcomers alone have labels.
    let drawing = draw(&scene, &Settings::default()).unwrap();
    assert_eq!((drawing.labelled, drawing.nameless.len()), (20, 0));
    let settings = Settings {
        labels: Labels::All,
        ..Default::default()
    };
    let drawing = draw(&scene, &settings).unwrap();
    assert_eq!(overlapping(&label_boxes(&drawing.svg)), 0);
    assert!(drawing.nameless.is_empty(), "{:?}", drawing.nameless);
    assert!(
        (25..500).contains(&drawing.labelled),
        "{}",
        drawing.labelled
    );
}

/// Distances on the page are distances on the map, whatever the size of the page.
#[test]
fn one_unit_is_as_long_on_both_axes() {
    let labels = names(4);
    // A square, turned a little, of side √5.
    let points = vec![[0.0, 0.0], [1.0, 2.0], [-1.0, 3.0], [-2.0, 1.0]];
    for (width, height) in [(89.0, None), (183.0, Some(60.0)), (60.0, Some(200.0))] {
        let scene = Scene {
            axes: titles(),
            labels: &labels,
            points: points.clone(),
            ..Default::default()
        };
        let settings = Settings {
            width,
            height,
            ..Default::default()
        };
        let drawing = draw(&scene, &settings).unwrap();
        let at = starts(&drawing.svg, "old");
        let side = |i: usize, j: usize| (at[i][0] - at[j][0]).hypot(at[i][1] - at[j][1]);
        let first = side(0, 1);
        for other in [side(1, 2), side(2, 3), side(3, 0)] {
            assert!((other - first).abs() < 0.03, "{first} {other}");
        }
        if let Some(height) = height {
            assert!((drawing.size[1] - height).abs() < 1e-9);
        }
    }
}

#[test]
fn hostile_labels_stay_text() {
    let hostile = [
        "</text><script>alert(1)</script>",
        "\" onload=\"alert(1)",
        "a & b < c > d ' e",
        "tab\tnew\nline\u{0}\u{1b}[31m",
        "\u{202e}backwards",
        "日本語 😀 👩‍🔬",
        "]]> <!-- --> <?xml ?>",
        "",
        "   ",
        "\u{ffff}\u{fffe}",
    ];
    let mut labels: Vec<String> = hostile.iter().map(|l| l.to_string()).collect();
    labels.push("long ".repeat(100));
    labels.push("x".repeat(500));
    let mut random = noise(3);
    let points = labels.iter().map(|_| [random(), random()]).collect();
    let cells = Column {
        title: "<b>\"".into(),
        old: labels.clone(),
        new: vec!["&<>".into()],
    };
    let scene = Scene {
        axes: vec!["<i>axis</i>".into(), "\u{0}&".into()],
        labels: &labels,
        points,
        newcomers: vec![newcomer(
            "<img src=x onerror=alert(1)>",
            [0.1, 0.1],
            [0.5, 0.6],
        )],
        colour: Some(cells.clone()),
        shape: Some(cells),
        ..Default::default()
    };
    let settings = Settings {
        title: Some("</title><script>".into()),
        ..Default::default()
    };
    let drawing = draw(&scene, &settings).unwrap();
    let document = roxmltree::Document::parse(&drawing.svg).unwrap();
    let known = ["svg", "title", "desc", "g", "path", "rect", "text"];
    for node in document.descendants().filter(|n| n.is_element()) {
        assert!(known.contains(&node.tag_name().name()), "{node:?}");
        assert!(node.attributes().all(|a| !a.name().starts_with("on")));
    }
    let texts: Vec<&str> = document
        .descendants()
        .filter(|n| n.has_tag_name("text"))
        .filter_map(|n| n.text())
        .collect();
    assert!(texts.contains(&"a & b < c > d ' e"));
    assert!(texts.contains(&"tab new line [31m"));
    assert!(texts.iter().all(|t| t.chars().count() < 120));
    assert_eq!(overlapping(&label_boxes(&drawing.svg)), 0);
    assert!(drawing.unknown_letters.contains(&'日'));
    // The long ones are elided, and whole in a tooltip.
    assert!(
        document
            .descendants()
            .any(|n| n.text() == Some(&"x".repeat(500)))
    );
}

#[test]
fn odd_maps_are_drawn() {
    let labels = names(3);
    let draw_points = |axes: Vec<String>, points: Vec<[f64; 2]>| -> Drawing {
        let scene = Scene {
            axes,
            labels: &labels,
            points,
            ..Default::default()
        };
        let drawing = draw(&scene, &Settings::default()).unwrap();
        assert!(!drawing.svg.contains("NaN") && !drawing.svg.contains("inf"));
        tree(&drawing.svg);
        assert_eq!(overlapping(&label_boxes(&drawing.svg)), 0);
        drawing
    };
    // All at one place; on a line; not finite; huge and tiny.
    let one = draw_points(titles(), vec![[2.0, 2.0]; 3]);
    assert_eq!(one.labelled, 3);
    let line = draw_points(
        titles()[..1].to_vec(),
        vec![[0.0, 9.0], [1.0, -7.0], [3.0, 0.0]],
    );
    let heights = starts(&line.svg, "old");
    assert!(heights.iter().all(|p| p[1] == heights[0][1]));
    let holes = draw_points(
        titles(),
        vec![[f64::NAN, 0.0], [1.0, f64::INFINITY], [0.0, 0.0]],
    );
    assert_eq!((holes.objects, holes.labelled), (1, 1));
    draw_points(titles(), vec![[1e300, -1e300], [-1e300, 1e300], [0.0, 0.0]]);
    let tiny = draw_points(titles(), vec![[1e-30, 0.0], [-1e-30, 0.0], [0.0, 2e-30]]);
    assert!(tiny.svg.contains("× 10⁻³⁰"));

    // Nothing at all, and a newcomer without a place.
    let scene = Scene {
        axes: titles(),
        newcomers: vec![Newcomer {
            label: "nowhere",
            projection: Some([f64::NAN; 2]),
            ..Default::default()
        }],
        ..Default::default()
    };
    let drawing = draw(&scene, &Settings::default()).unwrap();
    assert_eq!(drawing.unplaced, ["nowhere"]);
}

#[test]
fn a_hundred_thousand_points_are_a_small_file() {
    let mut random = noise(5);
    let labels = names(100_000);
    let points = (0..100_000)
        .map(|_| [random() + random(), random() + random()])
        .collect();
    let scene = Scene {
        axes: titles(),
        labels: &labels,
        points,
        ..Default::default()
    };
    let drawing = draw(&scene, &Settings::default()).unwrap();
    assert!(drawing.svg.len() < 4_000_000, "{}", drawing.svg.len());
    assert_eq!(starts(&drawing.svg, "old").len(), 100_000);
}

/// Every object is an element with its label, so that a drawing program can find it; classes have ellipses and hulls,
/// variables arrows; sizes follow a column.
#[test]
fn each_object_is_an_element_and_classes_are_outlined() {
    let mut random = noise(11);
    let labels = names(60);
    let points = (0..60)
        .map(|i| [random() + (i % 2) as f64 * 3.0, random()])
        .collect();
    let class = |i: usize| ["marsh", "heath"][i % 2].to_owned();
    let scene = Scene {
        axes: titles(),
        labels: &labels,
        points,
        newcomers: vec![newcomer("late", [1.0, 0.5], [1.5, 0.5])],
        colour: Some(Column {
            title: "habitat".into(),
            old: (0..60).map(class).collect(),
            new: vec!["not collected".into()],
        }),
        size: Some(Column {
            title: "depth".into(),
            old: (0..60).map(|i| i.to_string()).collect(),
            new: vec![String::new()],
        }),
        arrows: vec![Arrow {
            label: "pH".into(),
            to: [0.5, 0.8],
        }],
        ..Default::default()
    };
    let settings = Settings {
        ellipses: true,
        hulls: true,
        spiders: true,
        ..Default::default()
    };
    let drawing = draw(&scene, &settings).unwrap();
    let document = roxmltree::Document::parse(&drawing.svg).unwrap();
    let count = |class: &str| {
        let of = |n: &roxmltree::Node<'_, '_>| n.attribute("class") == Some(class);
        document.descendants().filter(of).count()
    };
    assert_eq!((count("old"), count("place"), count("arc")), (60, 1, 1));
    assert_eq!((count("group"), count("variable")), (4, 1));
    assert_eq!((count("spider"), count("centroid")), (2, 2));
    let first = document
        .descendants()
        .find(|n| n.attribute("id") == Some("old-1"))
        .unwrap();
    assert_eq!(
        first.first_element_child().unwrap().text(),
        Some("sample 0")
    );
    let texts: Vec<&str> = document
        .descendants()
        .filter(|n| n.has_tag_name("text"))
        .filter_map(|n| n.text())
        .collect();
    for word in [
        "habitat:",
        "heath",
        "marsh",
        "no value",
        "depth, by size:",
        "59",
        "pH",
    ] {
        assert!(texts.contains(&word), "{word}: {texts:?}");
    }
    tree(&drawing.svg);
}

#[test]
fn what_cannot_be_drawn() {
    let labels = names(2);
    let scene = Scene {
        axes: titles(),
        labels: &labels,
        points: vec![[0.0, 0.0]],
        ..Default::default()
    };
    let error = draw(&scene, &Settings::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "found 2 labels of old objects, expected 1"
    );
    let whole = Scene {
        points: vec![[0.0, 0.0]; 2],
        ..scene
    };
    for width in [f64::NAN, -1.0, 0.0, 29.0, 1e9] {
        let settings = Settings {
            width,
            ..Default::default()
        };
        let error = draw(&whole, &settings).unwrap_err();
        assert!(matches!(error, Error::Size { what: "width", .. }));
    }
}

#[cfg(feature = "convert")]
mod converted {
    use super::*;
    use adjoin_picture::{pdf, png};

    fn drawing() -> Drawing {
        let (labels, points, newcomers) = cities();
        let scene = Scene {
            axes: titles(),
            labels: &labels,
            points,
            newcomers,
            ..Default::default()
        };
        let settings = Settings {
            height: Some(80.0),
            ..Default::default()
        };
        draw(&scene, &settings).unwrap()
    }

    #[test]
    fn png_has_its_size_and_says_how_large_it_is_in_print() {
        let drawing = drawing();
        let bytes = png(&drawing, 300.0).unwrap();
        assert_eq!(png(&drawing, 300.0).unwrap(), bytes);
        let mut reader = png::Decoder::new(&bytes[..]).read_info().unwrap();
        let info = reader.info();
        // 89 mm and 80 mm at 300 dots per inch; 11811 dots per metre.
        assert_eq!((info.width, info.height), (1051, 945));
        assert_eq!(info.pixel_dims.unwrap().xppu, 11811);
        let mut pixels = vec![0; reader.output_buffer_size()];
        reader.next_frame(&mut pixels).unwrap();
        // The places of newcomers are there, in their colour, and the page is white.
        let places = pixels.chunks_exact(3).filter(|p| *p == [0x00, 0x67, 0xa3]);
        assert!(places.count() > 300);
        let white = pixels.chunks_exact(3).filter(|p| *p == [255; 3]).count();
        assert!(white > pixels.len() / 3 * 8 / 10);
        // So is text: there are dark pixels in the labels' grey.
        assert!(pixels.chunks_exact(3).any(|p| p == [0x33, 0x33, 0x33]));
    }

    #[test]
    fn pdf_is_a_page_of_its_size_with_text() {
        let drawing = drawing();
        let bytes = pdf(&drawing).unwrap();
        assert_eq!(pdf(&drawing).unwrap(), bytes);
        assert!(bytes.starts_with(b"%PDF-1.") && bytes.len() > 5_000);
        let text = String::from_utf8_lossy(&bytes);
        // 89 mm and 80 mm in points.
        let media: Vec<f64> = text
            .split("/MediaBox [")
            .nth(1)
            .unwrap()
            .split(']')
            .next()
            .unwrap()
            .split_whitespace()
            .map(|x| x.parse().unwrap())
            .collect();
        assert!((media[2] - 252.283).abs() < 0.01 && (media[3] - 226.772).abs() < 0.01);
        assert!(text.contains("LiberationSans"));
    }

    #[test]
    fn letters_are_no_error_whatever_fonts_the_system_has() {
        let labels = [
            "日本語",
            "한국어 Seoul",
            "مرحبا",
            "नमस्ते",
            "😀👩\u{200d}🔬",
            "Oslo 👨\u{200d}👩\u{200d}👧\u{200d}👦",
            "🏳\u{fe0f}\u{200d}🌈",
            "🇳🇴👍🏽1\u{fe0f}\u{20e3}",
            "\u{10ffff}\u{e000}",
        ];
        // Each by itself, because one can change how the others are written; then all of them.
        let alone = labels.iter().map(|l| vec![l.to_string()]);
        let together = labels.iter().map(|l| l.to_string()).collect();
        for labels in alone.chain([together]) {
            let angle = |i: usize| i as f64 / labels.len() as f64 * std::f64::consts::TAU;
            let scene = Scene {
                axes: titles(),
                labels: &labels,
                points: (0..labels.len())
                    .map(|i| [angle(i).cos(), angle(i).sin()])
                    .collect(),
                ..Default::default()
            };
            let drawing = draw(&scene, &Settings::default()).unwrap();
            assert_eq!(drawing.labelled, labels.len());
            assert!(!drawing.unknown_letters.is_empty(), "{labels:?}");
            let image = png(&drawing, 150.0).expect(&labels[0]);
            let page = pdf(&drawing).expect(&labels[0]);
            assert!(image.starts_with(b"\x89PNG") && page.starts_with(b"%PDF"));
        }
    }

    #[test]
    fn dots_that_give_no_picture() {
        let drawing = drawing();
        for dpi in [0.0, -1.0, f64::NAN, 1e9] {
            let error = png(&drawing, dpi).unwrap_err();
            assert!(matches!(error, Error::Dots { .. }), "{error}");
        }
    }
}
