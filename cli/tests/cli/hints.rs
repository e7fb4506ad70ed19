use crate::run::{Folder, Tsv};

const SQUARE: &str = "\ta\tb\tc\td\na\t0\t3\t4\t6\nb\t3\t0\t5\t5\nc\t4\t5\t0\t3\nd\t6\t5\t3\t0\n";
const SIMILAR: &str =
    "\ta\tb\tc\td\na\t1\t.5\t.4\t.1\nb\t.5\t1\t.3\t.2\nc\t.4\t.3\t1\t.6\nd\t.1\t.2\t.6\t1\n";
const NEW: &str = "\ta\tb\tc\td\nx\t3\t3\t3\t4\ny\t5\t4\t2\t3\n";

/// A folder with a map of distances `m.adjoin`, one of similarities `s.adjoin`, and newcomers `new.tsv`.
fn maps() -> Folder {
    let folder = Folder::new();
    folder.write("old.tsv", SQUARE);
    folder.write("similar.tsv", SIMILAR);
    folder.write("new.tsv", NEW);
    for command in [
        "fit old.tsv -d 2 -o m.adjoin",
        "fit similar.tsv --kind similarity -d 2 -o s.adjoin",
    ] {
        let run = folder.run(command);
        assert_eq!(run.code, 0, "{}", run.err);
    }
    folder
}

/// Fails with one line that has these words.
fn says(folder: &Folder, command: &str, code: i32, words: &[&str]) {
    let run = folder.run(command);
    assert_eq!(run.code, code, "{command}: {}", run.err);
    assert_eq!(run.err.lines().count(), 1, "{command}: {}", run.err);
    for word in words {
        assert!(
            run.err.contains(word),
            "{command}: {} has no {word:?}",
            run.err
        );
    }
}

#[test]
fn a_diagonal_of_ones() {
    let folder = maps();
    says(
        &folder,
        "fit similar.tsv -d 2 -o x.adjoin",
        1,
        &["found 1", "--kind similarity"],
    );
    // One wrong distance from an object to itself is not a similarity.
    folder.write("wrong.tsv", SQUARE.replace("b\t3\t0", "b\t3\t1"));
    let run = folder.run("fit wrong.tsv -d 2 -o x.adjoin");
    assert!(!run.err.contains("--kind similarity"), "{}", run.err);
}

#[test]
fn similarities_of_newcomers_to_themselves() {
    let folder = maps();
    folder.write("near.tsv", "\ta\tb\tc\td\nx\t.5\t.6\t.4\t.3\n");
    // All old objects are 1 to themselves: so are newcomers, which is said.
    let run = folder.run("place s.adjoin near.tsv --strategy reconstruct");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("taken to be 1"), "{}", run.err);
    let given = folder.run("place s.adjoin near.tsv --strategy reconstruct --self 1");
    assert_eq!(run.out, given.out);
    assert!(!given.err.contains("taken to be"), "{}", given.err);
    // Where it is not the same for all, it has to be given.
    folder.write("similar.tsv", SIMILAR.replace("b\t.5\t1", "b\t.5\t2"));
    assert_eq!(
        folder
            .run("fit similar.tsv --kind similarity -d 2 -o t.adjoin")
            .code,
        0
    );
    says(
        &folder,
        "place t.adjoin near.tsv --strategy reconstruct",
        1,
        &["--self 1", "--self FILE"],
    );
    let run = folder.run("place t.adjoin near.tsv");
    assert_eq!(run.code, 0);
    assert_eq!(Tsv::new(&run.out).cell("x", "residual"), "");
}

/// A label that is not there: the one that was meant is named, with what it differs in.
#[test]
fn labels_that_differ_a_little() {
    let labels = ["Plot 1", "Orléans", "genomes/x.fna", "1"];
    let old = |labels: [&str; 4]| {
        let mut text = format!("\t{}\n", labels.join("\t"));
        for (label, line) in labels.iter().zip(SQUARE.lines().skip(1)) {
            text += &format!("{label}{}\n", &line[1..]);
        }
        text
    };
    let folder = Folder::new();
    folder.write("old.tsv", old(labels));
    assert_eq!(folder.run("fit old.tsv -d 2 -o m.adjoin").code, 0);
    for (at, other, why) in [
        (0, "PLOT 1", "case"),
        (0, "Plot.1", "check.names"),
        (0, "Plot  1", "blanks"),
        (0, "Plot\u{a0}1", "blanks"),
        (1, "Orle\u{301}ans", "NFC and NFD"),
        (2, "x", "folder or extension"),
        (2, "x.fna.gz", "folder or extension"),
        (3, "X1", "check.names"),
        (3, "001", "leading zeros"),
        (1, "Orlans", "nearest"),
    ] {
        let mut there = labels;
        there[at] = other;
        let rows = "x\t3\t3\t3\t4\n";
        folder.write("new.tsv", format!("\t{}\n{rows}", there.join("\t")));
        let run = folder.run("place m.adjoin new.tsv");
        assert_eq!(run.code, 1);
        assert!(run.err.contains("found no column for"), "{}", run.err);
        assert!(run.err.contains(why), "{other:?}: {}", run.err);
        // In a configuration, in weights and in what is between newcomers too.
        folder.write(
            "xy.tsv",
            format!(
                "\tx\ty\n{}\t1\t2\n{}\t2\t5\n{}\t4\t4\n{}\t7\t3\n",
                there[0], there[1], there[2], there[3]
            ),
        );
        let run = folder.run("fit old.tsv --configuration xy.tsv -o x.adjoin");
        assert!(run.err.contains(why), "{other:?}: {}", run.err);
        folder.write("right.tsv", format!("\t{}\n{rows}", labels.join("\t")));
        folder.write(
            "w.tsv",
            format!(
                "{}\t1\n{}\t1\n{}\t1\n{}\t1\n",
                there[0], there[1], there[2], there[3]
            ),
        );
        let run = folder.run("place m.adjoin right.tsv --weights w.tsv");
        assert!(run.err.contains(why), "{other:?}: {}", run.err);
    }
}

/// Absent columns are missing proximities if that is said, as NA in a cell is.
#[test]
fn partial_tables() {
    let folder = maps();
    folder.write("part.tsv", "\tc\ta\td\nx\t3\t3\t4\ny\t2\t5\t3\n");
    says(
        &folder,
        "place m.adjoin part.tsv",
        1,
        &["\"b\"", "NA", "--partial"],
    );
    folder.write("na.tsv", "\ta\tb\tc\td\nx\t3\tNA\t3\t4\ny\t5\t#N/A\t2\t3\n");
    for strategy in ["project", "reconstruct", "stress"] {
        let part = folder.run(&format!(
            "place m.adjoin part.tsv --partial --strategy {strategy}"
        ));
        assert_eq!(part.code, 0, "{}", part.err);
        let whole = folder.run(&format!("place m.adjoin na.tsv --strategy {strategy}"));
        assert_eq!(part.out, whole.out);
        assert_eq!(Tsv::new(&part.out).cell("x", "known"), "3");
    }
    // A list of pairs in either order, and coordinates without a map.
    folder.write("pairs.txt", "a x 3\nc x 3\nd x 4\n");
    says(
        &folder,
        "place m.adjoin pairs.txt --format long",
        1,
        &["--partial"],
    );
    let pairs = folder.run("place m.adjoin pairs.txt --format long --partial");
    let part = folder.run("place m.adjoin part.tsv --partial");
    assert_eq!(
        pairs.out.lines().nth(1),
        part.out.lines().nth(1),
        "{}",
        pairs.err
    );
    folder.write("xy.tsv", "\tx\ty\na\t0\t0\nb\t0\t3\nc\t4\t0\nd\t5\t3\n");
    let on = folder.run("place xy.tsv part.tsv --partial --strategy stress");
    assert_eq!(on.code, 0, "{}", on.err);
    // Columns that are nobody's are refused all the same, and some must be there.
    folder.write("strange.tsv", "\tA\tc\td\nx\t3\t3\t4\n");
    says(
        &folder,
        "place m.adjoin strange.tsv --partial",
        1,
        &["unknown column \"A\"", "\"a\" is there", "case"],
    );
    folder.write("none.tsv", "\tx\ty\nx\t0\t1\ny\t1\t0\n");
    says(
        &folder,
        "place m.adjoin none.tsv --partial",
        1,
        &["no column for \"a\" and 3 more"],
    );
}

/// `--jointly` takes no value, so that it cannot swallow NEW.
#[test]
fn jointly_takes_no_value() {
    let folder = Folder::with_demo();
    let run = folder.run("place europe.adjoin --jointly cities.tsv");
    assert_eq!(run.code, 0, "{}", run.err);
    says_usage(&folder, "place europe.adjoin cities.tsv --jointly=new.tsv");
}

fn says_usage(folder: &Folder, command: &str) {
    assert_eq!(folder.run(command).code, 2, "{command}");
}

/// A triangle or a list without a diagonal: similarities get one by --self, and are asked for where distances make no
/// sense.
#[test]
fn a_diagonal_for_similarities() {
    let folder = maps();
    folder.write("triangle.tsv", "a\nb\t.5\nc\t.4\t.3\nd\t.1\t.2\t.6\n");
    folder.write(
        "pairs.txt",
        "a b .5\na c .4\na d .1\nb c .3\nb d .2\nc d .6\n",
    );
    folder.write("ones.tsv", "d\t1\na\t1\nb\t1\nc\t1\n");
    folder.write(
        "empty.tsv",
        SIMILAR
            .replace("\t1\t", "\tNA\t")
            .replace("\t1\n", "\tNA\n"),
    );
    let info = |map: &str| {
        let text = folder.run(&format!("info {map}")).out;
        let numbers = text
            .lines()
            .filter(|l| l.contains("axis "))
            .map(str::to_owned);
        numbers.collect::<Vec<_>>()
    };
    for input in ["triangle.tsv", "pairs.txt --format long", "empty.tsv"] {
        says(
            &folder,
            &format!("fit {input} --kind similarity -d 2 -o t.adjoin"),
            1,
            &["no diagonal", "--self 1"],
        );
        for given in ["1", "ones.tsv"] {
            let run = folder.run(&format!(
                "fit {input} --kind similarity --self {given} -d 2 -o t.adjoin"
            ));
            assert_eq!(run.code, 0, "{input}: {}", run.err);
            assert_eq!(info("t.adjoin"), info("s.adjoin"));
        }
    }
    says(
        &folder,
        "fit similar.tsv --kind similarity --self 1 -d 2 -o t.adjoin",
        1,
        &["found a diagonal"],
    );
    says(
        &folder,
        "fit triangle.tsv --self 1 -d 2 -o t.adjoin",
        2,
        &["--kind similarity"],
    );
    // Two tight groups: as distances between them, nonsense.
    let near = |i: usize, j: usize| if i / 6 == j / 6 { 0.95 } else { 0.02 };
    let mut text = String::from("o0\n");
    for i in 1..12 {
        text += &format!("o{i}");
        (0..i).for_each(|j| text += &format!("\t{}", near(i, j)));
        text.push('\n');
    }
    folder.write("groups.tsv", &text);
    says(
        &folder,
        "fit groups.tsv -d 2 -o g.adjoin",
        1,
        &["are these similarities", "--kind similarity"],
    );
    assert!(!folder.exists("g.adjoin"));
    assert_eq!(
        folder
            .run("fit groups.tsv --kind similarity --self 1 -d 2 -o g.adjoin")
            .code,
        0
    );
}

/// One file has one decimal mark, and no thousands separators.
#[test]
fn decimal_marks() {
    let folder = Folder::new();
    let semicolons = SQUARE.replace('\t', ";");
    let with = |b: &str, c: &str| {
        semicolons
            .replace("a;0;3;4", &format!("a;0;{b};4"))
            .replace("c;4;5;0;3", &format!("c;4;5;0;{c}"))
    };
    for (b, c, first, second) in [
        ("1.5", "2,5", "1.5", "2,5"),
        ("2,5", "1.200", "2,5", "1.200"),
    ] {
        folder.write("mix.csv", with(b, c));
        says(
            &folder,
            "fit mix.csv -d 2 -o m.adjoin",
            1,
            &["mix.csv:4", first, second, "line 2", "one decimal mark"],
        );
    }
    folder.write("mix.csv", with("1.234,5", "2"));
    says(
        &folder,
        "fit mix.csv -d 2 -o m.adjoin",
        1,
        &["1.234,5", "thousands"],
    );
    folder.write(
        "mix.csv",
        SQUARE
            .replace('\t', ",")
            .replace("a,0,3", "a,0,\"1,234,567\""),
    );
    says(
        &folder,
        "fit mix.csv -d 2 -o m.adjoin",
        1,
        &["1,234,567", "thousands"],
    );
    // One mark alone is as good as the other.
    folder.write("commas.csv", semicolons.replace(";3", ";3,5"));
    folder.write("points.csv", semicolons.replace(";3", ";3.5"));
    for file in ["commas", "points"] {
        let run = folder.run(&format!("convert {file}.csv {file}.tsv"));
        assert_eq!(run.code, 0, "{}", run.err);
    }
    assert_eq!(folder.read("commas.tsv"), folder.read("points.tsv"));
}

/// Results with all their axes, as other programs write them, lose those that hold nothing.
#[test]
fn empty_axes_of_a_configuration() {
    let folder = maps();
    let placed = folder.run("convert m.adjoin xy.tsv");
    assert_eq!(placed.code, 0);
    let two = Tsv::new(&folder.read("xy.tsv"));
    let mut four = String::from("label\taxis1\taxis2\taxis3\taxis4\n");
    for row in &two.rows {
        four += &format!("{}\t{}\t{}\t0\t-1e-9\n", row[0], row[1], row[2]);
    }
    folder.write("four.tsv", four);
    let run = folder.run("fit old.tsv --configuration four.tsv -o four.adjoin");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("2 of 4 axes hold nothing"), "{}", run.err);
    assert_eq!(
        folder
            .run("fit old.tsv --configuration xy.tsv -o two.adjoin")
            .code,
        0
    );
    let place = |map: &str| folder.run(&format!("place {map} new.tsv")).out;
    assert_eq!(place("four.adjoin"), place("two.adjoin"));
    // Coordinates that were given say nothing of the spectrum of the proximities.
    let info = folder.run("info two.adjoin").out;
    assert!(info.contains("those of the given coordinates"), "{info}");
    assert!(!info.contains("axes suggested"), "{info}");
}

/// Coordinates where proximities are expected: of QIIME 2 or scikit-bio.
#[test]
fn results_in_the_place_of_distances() {
    let folder = maps();
    assert_eq!(folder.run("convert m.adjoin xy.ordination").code, 0);
    let run = folder.run("fit xy.ordination -d 2 -o x.adjoin");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("--configuration"), "{}", run.err);
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../formats/tests/fixtures");
    let run = folder.run(&format!("fit {fixtures}/pcoa.qza -d 2 -o x.adjoin"));
    assert_eq!(run.code, 1);
    assert!(
        run.err.contains("\"PCoAResults\"") && run.err.contains("--configuration"),
        "{}",
        run.err
    );
}

/// Features where proximities are expected.
#[test]
fn features_without_a_metric() {
    let folder = Folder::new();
    folder.write(
        "counts.tsv",
        "\ts1\ts2\nplot1\t1\t2\nplot2\t3\t1\nplot3\t0\t4\n",
    );
    says(
        &folder,
        "fit counts.tsv -d 1 -o m.adjoin",
        1,
        &["\"s1\"", "metric"],
    );
}

/// Coordinates alone do not say their unit: that is said, and nothing else can be.
#[test]
fn the_unit_of_coordinates() {
    let folder = maps();
    folder.write("xy.tsv", "\tx\ty\na\t0\t0\nb\t0\t3\nc\t4\t0\nd\t5\t3\n");
    let run = folder.run("place xy.tsv new.tsv --strategy stress");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("unit"), "{}", run.err);
    assert_eq!(
        folder.run("place xy.tsv new.tsv --strategy stress -q").err,
        ""
    );
}

/// The first row of a table without a header is not taken for the names of its columns.
#[test]
fn a_square_without_a_header() {
    let folder = maps();
    folder.write("bare.tsv", "a\t0\t3.5\t4\nb\t3.5\t0\t5\nc\t4\t5\t0\n");
    says(
        &folder,
        "fit bare.tsv -d 1 -o x.adjoin",
        1,
        &["bare.tsv:1", "a header with the labels of the rows"],
    );
    folder.write("bare.tsv", "x\t3\t3.5\t2\t4\ny\t5\t4\t2\t3\n");
    says(
        &folder,
        "place m.adjoin bare.tsv",
        1,
        &[
            "bare.tsv:1",
            "a header with the labels of the map's objects",
        ],
    );
    // Names of features may well be numbers, such as wavelengths.
    folder.write("spectra.tsv", "\t400.5\t401.5\na\t1\t2\nb\t3\t1\nc\t0\t4\n");
    let run = folder.run("fit spectra.tsv --metric euclidean -d 1 -o x.adjoin");
    assert_eq!(run.code, 0, "{}", run.err);
}

/// A list that names some of the old objects: those that it does not name are counted, whichever comes first in a pair.
#[test]
fn lists_of_few_pairs() {
    let folder = maps();
    for pairs in ["a x 3\nc x 3\n", "x a 3\nx c 3\n"] {
        folder.write("pairs.txt", pairs);
        says(
            &folder,
            "place m.adjoin pairs.txt --format long",
            1,
            &["no pair with \"b\" and 1 more", "--partial"],
        );
    }
}

/// Files that are no text, and text of another day, with the way on.
#[test]
fn files_of_other_programs_with_the_way_on() {
    let folder = maps();
    let latin: Vec<u8> = SQUARE
        .bytes()
        .map(|b| if b == b'a' { 0xe4 } else { b })
        .collect();
    folder.write("latin.tsv", latin);
    says(
        &folder,
        "fit latin.tsv -d 2 -o x.adjoin",
        1,
        &["latin.tsv:1", "not UTF-8", "iconv"],
    );
    // A spreadsheet is a zip archive with such a member.
    folder.write("old.xlsx", archive_of("xl/workbook.xml"));
    for command in ["fit old.xlsx -d 2 -o x.adjoin", "place m.adjoin old.xlsx"] {
        says(
            &folder,
            command,
            1,
            &["old.xlsx", "a spreadsheet", "as CSV"],
        );
    }
}

/// A zip archive with one member, which is empty.
fn archive_of(name: &str) -> Vec<u8> {
    let about = |mark: &[u8], versions: &[u8], rest: usize| {
        let mut bytes = [mark, versions, &[0; 8], &[0; 12]].concat();
        bytes.extend((name.len() as u16).to_le_bytes());
        bytes.extend(vec![0; rest]);
        bytes.extend(name.bytes());
        bytes
    };
    let member = about(b"PK\x03\x04", &[20, 0], 2);
    let listed = about(b"PK\x01\x02", &[20, 0, 20, 0], 16);
    let end = [
        &b"PK\x05\x06\0\0\0\0\x01\0\x01\0"[..],
        &(listed.len() as u32).to_le_bytes(),
        &(member.len() as u32).to_le_bytes(),
        &[0, 0],
    ];
    [member, listed, end.concat()].concat()
}

/// The blocks of a NEXUS file, whichever comes first and says how many there are.
#[test]
fn blocks_of_nexus() {
    let folder = maps();
    let distances = "format triangle=lower nodiagonal;\nmatrix\na\nb 3\nc 4 5\nd 6 5 3\n;\nend;\n";
    let taxa = "begin taxa;\ndimensions ntax=4;\ntaxlabels a b c d;\nend;\n";
    for (name, text) in [
        (
            "alone.nex",
            format!("#NEXUS\nbegin distances;\ndimensions ntax=4;\n{distances}"),
        ),
        (
            "taxa.nex",
            format!("#NEXUS\n{taxa}begin distances;\n{distances}"),
        ),
    ] {
        folder.write(name, text);
        let run = folder.run(&format!("convert {name} back.tsv"));
        assert_eq!(run.code, 0, "{}", run.err);
        assert_eq!(Tsv::new(&folder.read("back.tsv")).number("d", "a"), 6.0);
    }
}

/// The demo's files have anybody's names: what it did not write is left alone.
#[test]
fn a_demo_where_other_files_are() {
    let folder = Folder::new();
    folder.write("old.tsv", SQUARE);
    says(&folder, "demo -o .", 2, &["old.tsv", "-o names another"]);
    assert_eq!(folder.names(), ["old.tsv"]);
    assert_eq!(folder.read("old.tsv"), SQUARE);
    let folder = Folder::new();
    folder.write("europe.html", "mine");
    says(&folder, "demo -o .", 2, &["europe.html"]);
    // Its own it writes again.
    let folder = Folder::with_demo();
    assert_eq!(folder.run("demo -o .").code, 0);
}

/// A map with a link has one strategy: there is nothing to compare.
#[test]
fn nothing_to_compare_on_a_linked_map() {
    let folder = maps();
    folder.write("xy.tsv", "\tx\ty\na\t0\t0\nb\t0\t3\nc\t4\t0\nd\t5\t3\n");
    let run = folder.run("fit old.tsv --configuration xy.tsv --link linear -o l.adjoin");
    assert_eq!(run.code, 0, "{}", run.err);
    let run = folder.run("compare l.adjoin new.tsv");
    assert_eq!(run.code, 1);
    assert!(
        run.err.contains("a comparison of strategies"),
        "{}",
        run.err
    );
    assert!(!run.err.contains("project"), "{}", run.err);
}

/// What rounding leaves below zero, on the diagonal, between objects and of newcomers, is zero, and that is said.
#[test]
fn rounding_below_zero() {
    let folder = maps();
    for (name, old) in [
        ("diagonal.tsv", SQUARE.replace("a\t0", "a\t-2.2e-16")),
        (
            "between.tsv",
            SQUARE
                .replace("c\t4\t5\t0\t3", "c\t4\t5\t0\t-1e-16")
                .replace("d\t6\t5\t3", "d\t6\t5\t-1e-16"),
        ),
    ] {
        folder.write(name, old);
        let run = folder.run(&format!("fit {name} -d 2 -o r.adjoin"));
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(run.err.contains("taken as zero"), "{}", run.err);
    }
    folder.write("below.tsv", NEW.replace("x\t3", "x\t-1e-16"));
    let run = folder.run("place m.adjoin below.tsv");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("below 0 by rounding"), "{}", run.err);
    folder.write("below.tsv", NEW.replace("x\t3", "x\t-0.001"));
    says(&folder, "place m.adjoin below.tsv", 1, &["-0.001", "\"x\""]);
}

/// Of whom little is known, compare says that, and not what follows from too little.
#[test]
fn too_little_to_compare() {
    let folder = Folder::with_demo();
    let new = Tsv::new(&folder.read("new.tsv"));
    let mut few = new.header.join("\t") + "\n";
    for row in &new.rows {
        let cell = |(j, cell): (usize, &String)| match j {
            0 | 2 | 5 | 9 | 14 => cell.clone(),
            _ => "NA".to_owned(),
        };
        let cells: Vec<String> = row.iter().enumerate().map(cell).collect();
        few += &(cells.join("\t") + "\n");
    }
    folder.write("few.tsv", few);
    let run = folder.run("compare europe.adjoin few.tsv");
    assert_eq!(run.code, 0, "{}", run.err);
    let said = run.out.replace("\n  ", " ");
    for city in ["Athens", "Stockholm", "Vienna"] {
        let words = format!(
            "Whether {city} is like the old objects cannot be said: it is placed by 4 of 18 proximities, and fewer than 9 tell \
             little. Projection and reconstruction lie"
        );
        assert!(said.contains(&words), "{said}");
    }
    assert!(!said.contains("is unlike") && !said.contains("project it, or fit"));
}
