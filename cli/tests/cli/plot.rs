use std::fs;

use crate::run::{Folder, Tsv};

/// Texts of an SVG, in order, as a reader of XML would have them.
fn texts(svg: &str) -> Vec<String> {
    let parts = svg.split("<text").skip(1);
    let parts = parts.map(|p| p.split("</text>").next().unwrap());
    let inner = parts.map(|p| p.split_once('>').unwrap().1);
    inner
        .map(|t| {
            t.replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", "\"")
                .replace("&amp;", "&")
        })
        .collect()
}

/// The first point of each path in the group `id`.
fn starts(svg: &str, id: &str) -> Vec<[f64; 2]> {
    let group = svg.split(&format!("id=\"{id}\"")).nth(1).unwrap();
    let group = group.split("</g>").next().unwrap();
    let paths = group.split(" d=\"M").skip(1);
    let number = |t: &str| t.parse::<f64>().unwrap();
    paths
        .map(|p| {
            let end = p.find(|c: char| c.is_ascii_alphabetic()).unwrap();
            let (x, y) = p[..end].split_once(' ').unwrap();
            [number(x), number(y)]
        })
        .collect()
}

#[test]
fn three_formats() {
    let folder = Folder::with_demo();
    for (name, head) in [
        ("a.svg", &b"<svg "[..]),
        ("a.png", &b"\x89PNG\r\n\x1a\n"[..]),
        ("a.PDF", &b"%PDF-1."[..]),
    ] {
        let run = folder.run(&format!("plot europe.adjoin new.tsv -o {name}"));
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{name}");
        let bytes = fs::read(folder.path(name)).unwrap();
        assert!(bytes.starts_with(head), "{name}");
        folder.run(&format!("plot europe.adjoin new.tsv -o again-{name}"));
        assert_eq!(
            fs::read(folder.path(&format!("again-{name}"))).unwrap(),
            bytes
        );
    }
    // 89 mm at 600 dots per inch.
    folder.run("plot europe.adjoin new.tsv --dpi 600 --height 50 -o b.png");
    let bytes = fs::read(folder.path("b.png")).unwrap();
    let size = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!((size(16), size(20)), (2102, 1181));
}

#[test]
fn what_the_picture_says() {
    let folder = Folder::with_demo();
    let run = folder.run_with(&[
        "plot",
        "europe.adjoin",
        "new.tsv",
        "-o",
        "a.svg",
        "--title",
        "Roads & <cities>",
    ]);
    assert_eq!(run.code, 0, "{}", run.err);
    let found = texts(&folder.read("a.svg"));
    let has = |text: &str| found.iter().any(|t| t == text);
    for text in [
        "Athens",
        "Hook of Holland",
        "old objects",
        "projection",
        "reconstruction",
        "arc",
    ] {
        assert!(has(text), "{text}");
    }
    assert!(has("Roads & <cities>"));
    // The shares are those of `info`.
    let info = folder.run("info europe.adjoin").out;
    let share = info.lines().find(|l| l.contains("axis 1")).unwrap();
    let share = share.split_once("  ").unwrap().1.trim_end();
    let share = share.rsplit("  ").next().unwrap().trim();
    let full = format!("axis 1 ({share} of the positive eigenvalues)");
    assert!(has(&full), "{share}: {found:?}");

    folder.run("plot europe.adjoin new.tsv --no-labels --strategy project -o b.svg");
    let found = texts(&folder.read("b.svg"));
    assert!(!found.iter().any(|t| t == "Athens" || t == "reconstruction"));
    folder.run("plot europe.adjoin -o c.svg");
    let found = texts(&folder.read("c.svg"));
    assert!(found.iter().any(|t| t == "Rome") && !found.iter().any(|t| t == "old objects"));
}

/// Distances in the picture are those of the tables, for both ends of the arcs.
#[test]
fn the_picture_shows_the_numbers() {
    let folder = Folder::with_demo();
    folder.run("plot europe.adjoin new.tsv -o a.svg");
    let svg = folder.read("a.svg");
    let arcs = starts(&svg, "arcs");
    // Diamonds begin at their upper corner.
    let places = starts(&svg, "places");
    let tables = ["project.tsv", "reconstruct.tsv"].map(|name| Tsv::new(&folder.read(name)));
    let labels = ["Athens", "Stockholm", "Vienna"];
    for (points, table) in [(arcs, &tables[0]), (places, &tables[1])] {
        let at = |l: &str| [table.number(l, "axis1"), table.number(l, "axis2")];
        let shown =
            |i: usize, j: usize| (points[i][0] - points[j][0]).hypot(points[i][1] - points[j][1]);
        let given = |i: usize, j: usize| {
            let (a, b) = (at(labels[i]), at(labels[j]));
            (a[0] - b[0]).hypot(a[1] - b[1])
        };
        let scale = shown(0, 1) / given(0, 1);
        for (i, j) in [(0, 2), (1, 2)] {
            assert!((shown(i, j) - scale * given(i, j)).abs() < 0.05);
        }
        // Up is up: Athens is above Stockholm if its second coordinate is larger.
        assert_eq!(
            points[0][1] < points[1][1],
            at("Athens")[1] > at("Stockholm")[1]
        );
    }
}

#[test]
fn strategies_and_axes() {
    let folder = Folder::with_demo();
    folder.run("fit old.tsv -d 3 -o three.adjoin");
    folder.run("fit old.tsv -d 1 -o one.adjoin");
    for (flags, word, code) in [
        ("three.adjoin new.tsv --axes 3,1", "reconstruction", 0),
        (
            "three.adjoin new.tsv --strategy stress",
            "placement by stress",
            0,
        ),
        ("three.adjoin cities.tsv --jointly", "joint placement", 0),
        ("one.adjoin new.tsv", "reconstruction", 0),
        // Athens has a projection, and no place by this strategy.
        (
            "three.adjoin new.tsv --strategy augment",
            "placement by augment",
            3,
        ),
    ] {
        let run = folder.run(&format!("plot {flags} -o a.svg -q"));
        assert_eq!(run.code, code, "{flags}: {}", run.err);
        let found = texts(&folder.read("a.svg"));
        assert!(found.iter().any(|t| t == word), "{flags}");
        assert!(found.iter().any(|t| t == "Athens"), "{flags}");
    }
    folder.run("plot three.adjoin --axes 3,1 -o a.svg");
    let found = texts(&folder.read("a.svg"));
    assert!(
        found.iter().any(|t| t.starts_with("axis 3 ("))
            && !found.iter().any(|t| t.starts_with("axis 2"))
    );

    // Coordinates that are not a map, and newcomers on them.
    folder.run("convert europe.adjoin published.csv");
    assert_eq!(folder.run("plot published.csv -o a.svg").code, 0);
    let run = folder.run("plot published.csv new.tsv --strategy stress -o a.svg");
    assert_eq!(run.code, 0, "{}", run.err);
    let run = folder.run("plot published.csv new.tsv -o b.svg");
    assert_eq!((run.code, folder.exists("b.svg")), (1, false));
}

#[test]
fn similarities() {
    let folder = Folder::new();
    folder.write("k.tsv", "\ta\tb\tc\na\t4\t1\t0\nb\t1\t3\t1\nc\t0\t1\t5\n");
    folder.write("new.tsv", "\ta\tb\tc\nx\t2\t1\t2\n");
    folder.run("fit k.tsv --kind similarity -d 2 -o k.adjoin");
    let run = folder.run("plot k.adjoin new.tsv -o a.svg");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("--self"), "{}", run.err);
    assert!(!texts(&folder.read("a.svg")).iter().any(|t| t == "arc"));
    let run = folder.run("plot k.adjoin new.tsv --self 4 -o a.svg");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(texts(&folder.read("a.svg")).iter().any(|t| t == "arc"));
    let run = folder.run("plot k.adjoin new.tsv --strategy reconstruct -o b.svg");
    assert_eq!((run.code, folder.exists("b.svg")), (1, false));
}

#[test]
fn newcomers_without_a_place_are_named() {
    let folder = Folder::with_demo();
    let new = folder.read("new.tsv");
    let mut lines: Vec<String> = new.lines().map(str::to_owned).collect();
    let cells = lines[1].split('\t').count();
    lines[1] = format!("Athens{}", "\tNA".repeat(cells - 1));
    folder.write("holes.tsv", lines.join("\n") + "\n");
    let run = folder.run("plot europe.adjoin holes.tsv -o a.svg");
    assert_eq!(run.code, 3);
    assert!(
        run.err.contains("newcomer \"Athens\" is not placed"),
        "{}",
        run.err
    );
    let found = texts(&folder.read("a.svg"));
    assert!(!found.iter().any(|t| t == "Athens") && found.iter().any(|t| t == "Vienna"));
}

#[test]
fn metadata_colours_and_shapes() {
    let folder = Folder::with_demo();
    folder.write(
        "m.tsv",
        "city\tcoast\tpeople\nAthens\tyes\t3\nRome\tno\t\nOslo\tno\t1\n",
    );
    let run = folder.run(
        "plot europe.adjoin new.tsv --metadata m.tsv --colour-by coast --shape-by people -o a.svg",
    );
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(
        run.err,
        "m.tsv: 1 of 3 labels are neither on the map nor newcomers\n"
    );
    let svg = folder.read("a.svg");
    let found = texts(&svg);
    for text in ["coast:", "yes", "no", "people:", "3", "no value"] {
        assert!(found.iter().any(|t| t == text), "{text}: {found:?}");
    }
    assert!(svg.contains("#5a96e1") && svg.contains("#a53c3c"));

    for (flags, code, message) in [
        (
            "--metadata m.tsv",
            2,
            "--colour-by, --shape-by or --size-by",
        ),
        ("--colour-by coast", 2, "--metadata"),
        (
            "--metadata m.tsv --colour-by x",
            1,
            "found no column \"x\", expected one of coast, people",
        ),
        ("--metadata none.tsv --colour-by x", 1, "none.tsv"),
    ] {
        let run = folder.run(&format!("plot europe.adjoin new.tsv {flags} -o b.svg"));
        assert_eq!(run.code, code, "{flags}: {}", run.err);
        assert!(run.err.contains(message), "{flags}: {}", run.err);
        assert!(!folder.exists("b.svg"));
    }
}

#[test]
fn flips_groups_sizes_and_variables() {
    let folder = Folder::with_demo();
    let plain = folder.run("plot europe.adjoin -o plain.svg");
    assert_eq!(plain.code, 0, "{}", plain.err);
    let run = folder.run("plot europe.adjoin --flip 1,2 --axis-names PCo -o flipped.svg");
    assert_eq!(run.code, 0, "{}", run.err);
    let [a, b] = ["plain.svg", "flipped.svg"].map(|name| starts(&folder.read(name), "old"));
    // Turned by half a circle, but for the room that the numbers beside the axis take.
    for (p, q) in a.iter().zip(&b) {
        let [x, y] = [
            p[0] + q[0] - a[0][0] - b[0][0],
            p[1] + q[1] - a[0][1] - b[0][1],
        ];
        let far = (p[0] - a[0][0]).hypot(p[1] - a[0][1]);
        assert!(x.hypot(y) <= 0.05 * far, "{p:?} {q:?}");
    }
    assert!(
        texts(&folder.read("flipped.svg"))
            .iter()
            .any(|t| t.starts_with("PCo 1 ("))
    );

    let old = folder.read("old.tsv");
    let labels = old.lines().skip(1).filter_map(|l| l.split('\t').next());
    let (mut table, mut variables) = (
        "city\tside\tsize\n".to_owned(),
        "city\tup\tflat\n".to_owned(),
    );
    for (i, (label, at)) in labels.zip(&a).enumerate() {
        table += &format!("{label}\t{}\t{}\n", ["a", "b"][i % 2], 1.5 + i as f64);
        variables += &format!("{label}\t{}\t7\n", -at[1]);
    }
    folder.write("m.tsv", &table);
    folder.write("v.tsv", &variables);
    let run = folder.run(
        "plot europe.adjoin --metadata m.tsv --colour-by side --size-by size --ellipses --hulls --variables v.tsv -o a.svg",
    );
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.err.contains("1 of 2 variables follow these axes"),
        "{}",
        run.err
    );
    assert!(run.err.contains("up: r² = 1.000, p = 0.001"), "{}", run.err);
    let svg = folder.read("a.svg");
    assert_eq!(svg.matches("class=\"group\"").count(), 4);
    assert!(texts(&svg).iter().any(|t| t == "up") && !texts(&svg).iter().any(|t| t == "flat"));

    folder.write("w.tsv", "city\tup\nRome\tsouth\n");
    for (flags, code, message) in [
        (
            "--flip 3",
            1,
            "--flip: found axis 3, expected axes of the map, which has 2",
        ),
        ("--ellipses", 2, "--colour-by"),
        ("--spiders", 2, "--colour-by"),
        (
            "--variables w.tsv",
            1,
            "found \"south\" for Rome in the column \"up\", expected numbers",
        ),
    ] {
        let run = folder.run(&format!("plot europe.adjoin {flags} -o c.svg"));
        assert_eq!(run.code, code, "{flags}: {}", run.err);
        assert!(run.err.contains(message), "{flags}: {}", run.err);
        assert!(!folder.exists("c.svg"));
    }
    // Their biplot scores go into an ordination, and nowhere else.
    let run = folder.run("convert europe.adjoin c.tsv --variables v.tsv");
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.err.contains("expected a name that ends in .ordination"));
    assert!(!folder.exists("c.tsv"));
    let run = folder.run("convert europe.adjoin c.ordination --variables v.tsv");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(folder.read("c.ordination").contains("Species\t2\t2\nup\t"));
}

#[test]
fn wrong_requests_write_nothing() {
    let folder = Folder::with_demo();
    let before = folder.names();
    for (arguments, code, message) in [
        (
            "-o a.jpg",
            2,
            "found -o a.jpg, expected a name that ends in .svg, .png or .pdf",
        ),
        ("-o a", 2, ".svg, .png or .pdf"),
        ("-o -", 2, ".svg, .png or .pdf"),
        (
            "-o a.svg --axes 1,3",
            1,
            "found axes 1,3, expected axes of the map, which has 2",
        ),
        ("-o a.svg --axes 1", 2, "expected two axes"),
        ("-o a.svg --axes 0,1", 2, "expected two axes"),
        ("-o a.svg --axes 1,1", 2, "expected two axes"),
        (
            "-o a.svg --width 3",
            2,
            "found a width of 3 mm, expected 30 to 2000 mm",
        ),
        ("-o a.svg --height nan", 2, "found a height of NaN mm"),
        ("-o a.png --dpi 0", 2, "found 0 dots per inch"),
        ("-o a.png --dpi 1e6", 2, "dots per inch"),
        ("-o a.svg --strategy project", 2, "expected NEW"),
        ("-o a.svg --jointly", 2, "expected NEW"),
    ] {
        let run = folder.run(&format!("plot europe.adjoin {arguments}"));
        assert_eq!(run.code, code, "{arguments}: {}", run.err);
        assert!(run.err.contains(message), "{arguments}: {}", run.err);
    }
    let run = folder.run("plot none.adjoin -o a.svg");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("none.adjoin"), "{}", run.err);
    assert_eq!(
        folder
            .run("plot europe.adjoin new.tsv -o nowhere/a.svg")
            .code,
        1
    );
    assert_eq!(folder.names(), before);
}

/// The picture in the documentation is what the program draws, and its commands run.
#[test]
fn the_picture_of_the_documentation() {
    let page = include_str!("../../../docs/pictures.md");
    let shown = include_str!("../../../docs/images/cities.svg");
    let folder = Folder::new();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_adjoin"));
    let mut path = program.parent().unwrap().as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let blocks = page.split("```sh\n").skip(1);
    let blocks = blocks.map(|b| b.split("```").next().unwrap());
    let mut count = 0;
    for block in blocks {
        let output = std::process::Command::new("sh")
            .args(["-e", "-c", block])
            .env("PATH", &path)
            .current_dir(folder.root())
            .output()
            .unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{block}: {err}");
        count += 1;
    }
    assert_eq!(count, 2);
    let drawn = folder.read("cities.svg");
    assert_eq!(texts(&drawn), texts(shown));
    let (now, then) = (starts(&drawn, "old"), starts(shown, "old"));
    assert_eq!(now.len(), then.len());
    for (a, b) in now.iter().zip(&then) {
        assert!((a[0] - b[0]).hypot(a[1] - b[1]) < 0.1);
    }
}

/// Nothing is left out in silence: a column that cannot be shown as is asked is an error that says what it holds.
#[test]
fn columns_that_cannot_be_shown_as_is_asked() {
    let folder = Folder::with_demo();
    let cities = folder.read("old.tsv");
    let row = |(i, line): (usize, &str)| {
        let city = line.split('\t').next().unwrap();
        format!("{city}\t{}\t{}.5\n", ["a", "b"][i % 2], i * i)
    };
    let rows: String = cities.lines().skip(1).enumerate().map(row).collect();
    folder.write("m.tsv", format!("city\tword\tnumber\n{rows}"));
    for (flags, message) in [
        (
            "--size-by word",
            "found classes in the column word, expected numbers",
        ),
        (
            "--shape-by number",
            "found numbers in the column number, expected classes",
        ),
        (
            "--colour-by number --hulls",
            "found numbers in the column number, expected classes",
        ),
    ] {
        let run = folder.run(&format!(
            "plot europe.adjoin new.tsv --metadata m.tsv {flags} -o x.svg"
        ));
        assert_eq!(run.code, 2, "{flags}: {}", run.err);
        assert!(run.err.contains(message), "{flags}: {}", run.err);
        assert!(!folder.exists("x.svg"), "{flags}");
    }
    let run = folder.run("plot europe.adjoin new.tsv --metadata m.tsv --colour-by word --hulls --size-by number -o x.svg");
    assert_eq!(run.code, 0, "{}", run.err);
}
