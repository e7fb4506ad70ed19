use crate::run::Folder;

/// The words in a page's data, as far as they can be had without a browser; what it draws is tested in one.
fn words(page: &str) -> serde_json::Value {
    let after = page.split("id=\"words\">").nth(1).unwrap();
    serde_json::from_str(after.split("</script>").next().unwrap()).unwrap()
}

#[test]
fn a_page_of_the_newcomers() {
    let folder = Folder::with_demo();
    let run = folder.run("report europe.adjoin new.tsv -o page.html");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("page.html"), "{}", run.err);
    let words = words(&folder.read("page.html"));
    assert_eq!(words["title"], "europe");
    assert_eq!(words["newcomers"]["strategy"], "project");
    assert_eq!(words["newcomers"]["labels"][0], "Athens");
    let lines = words["methods"]["lines"].to_string();
    for expected in ["old.tsv", "europe.adjoin", "new.tsv", "sha256"] {
        assert!(lines.contains(expected), "{expected} is not in {lines}");
    }
    // The same page as the demo's, but for its title.
    assert!(folder.exists("europe.html"));
    // Standard output has the page and nothing else.
    let printed = folder.run("report europe.adjoin -o -").out;
    assert!(printed.starts_with("<!DOCTYPE html>") && printed.trim_end().ends_with("</html>"));
}

/// Equal input gives an equal page, for any number of threads and however the newcomers are read.
#[test]
fn equal_pages() {
    let folder = Folder::with_demo();
    folder.run("report europe.adjoin new.tsv --threads 1 -o a.html");
    folder.run("report europe.adjoin new.tsv --threads 3 -o b.html");
    assert_eq!(folder.read("a.html"), folder.read("b.html"));
}

#[test]
fn strategies_of_a_page() {
    let folder = Folder::with_demo();
    for strategy in ["reconstruct", "hyperplane", "augment", "stress"] {
        let run = folder.run(&format!(
            "report europe.adjoin new.tsv --strategy {strategy} -o {strategy}.html"
        ));
        let placed = folder.run(&format!(
            "place europe.adjoin new.tsv --strategy {strategy}"
        ));
        assert_eq!(run.code, placed.code, "{strategy}: {}", run.err);
        let words = words(&folder.read(&format!("{strategy}.html")));
        assert_eq!(words["newcomers"]["strategy"], strategy);
    }
    let run = folder.run("report europe.adjoin cities.tsv --jointly -o together.html");
    assert_eq!(run.code, 0, "{}", run.err);
    let words = words(&folder.read("together.html"));
    assert!(words["newcomers"]["joint"]["certified"].is_boolean());
}

/// What cannot be asked: the exit code, a word of the message, and no page.
#[test]
fn pages_that_are_refused() {
    let folder = Folder::with_demo();
    folder.write("ragged.tsv", "id\tx\nRome\t1\t2\n");
    folder.write("twice.tsv", "id\tx\nRome\t1\nRome\t2\n");
    for (arguments, code, word) in [
        ("report europe.adjoin --strategy stress", 2, "newcomers"),
        ("report europe.adjoin --jointly", 2, "newcomers"),
        (
            "report europe.adjoin new.tsv --jointly --strategy stress",
            2,
            "beside --jointly",
        ),
        ("report europe.adjoin new.tsv --jointly", 1, "between"),
        (
            "report europe.adjoin new.tsv --metadata ragged.tsv",
            1,
            "ragged.tsv:2: found 3 cells",
        ),
        (
            "report europe.adjoin new.tsv --metadata twice.tsv",
            1,
            "\"Rome\" twice",
        ),
        (
            "report europe.adjoin new.tsv --metadata nowhere.tsv",
            1,
            "nowhere.tsv",
        ),
        ("report old.tsv new.tsv", 1, "old.tsv"),
        ("report europe.adjoin old.tsv", 1, "old.tsv"),
    ] {
        let run = folder.run(&format!("{arguments} -o page.html"));
        assert_eq!(run.code, code, "{arguments}: {}", run.err);
        assert!(run.err.contains(word), "{arguments}: {}", run.err);
        assert!(!folder.exists("page.html"), "{arguments}");
    }
}

/// Regions of uncertainty and the verdict on the batch are in the page, by the flags of `place`; wrong questions get its answers.
#[test]
fn a_page_says_how_certain_places_are() {
    let folder = Folder::with_demo();
    for (flags, refits) in [
        ("--uncertainty", false),
        ("--uncertainty=refit --old old.tsv", true),
    ] {
        let run = folder.run(&format!("report europe.adjoin new.tsv {flags} -o u.html"));
        assert_eq!(run.code, 0, "{flags}: {}", run.err);
        let words = words(&folder.read("u.html"));
        let said = &words["newcomers"]["uncertainty"];
        assert_eq!(said["refits"].is_number(), refits, "{flags}: {said}");
        let verdict = &words["newcomers"]["assessment"]["verdict"];
        assert_eq!(verdict, "unknown", "eighteen cities are too few");
    }
    let plain = folder.run("report europe.adjoin new.tsv -o u.html");
    assert_eq!(plain.code, 0, "{}", plain.err);
    assert!(words(&folder.read("u.html"))["newcomers"]["uncertainty"].is_null());
    for (arguments, code, word) in [
        ("europe.adjoin --uncertainty", 2, "expected MAP and NEW"),
        (
            "europe.adjoin new.tsv --uncertainty --strategy stress",
            2,
            "found --uncertainty beside stress",
        ),
        (
            "europe.adjoin new.tsv --uncertainty=refit",
            2,
            "expected --old OLD",
        ),
        (
            "europe.adjoin new.tsv --old old.tsv",
            2,
            "found --old without",
        ),
    ] {
        let run = folder.run(&format!("report {arguments} -o no.html"));
        assert_eq!(run.code, code, "{arguments}: {}", run.err);
        assert!(run.err.contains(word), "{arguments}: {}", run.err);
        assert!(!folder.exists("no.html"), "{arguments}");
    }
}
