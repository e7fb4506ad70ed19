//! Labels in a file of their own: where they are found beside numbers, and PLINK's lists of families and individuals.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::unpack::Packing;

/// The file of labels that a program writes beside a file of numbers: sourmash's `F.labels.txt`, and PLINK's and GCTA's
/// `.id` (`x.rel.bin` and `x.rel.zst` have `x.rel.id`).
pub(crate) fn beside(path: &Path) -> Option<PathBuf> {
    if path.as_os_str() == "-" {
        return None;
    }
    let with = |path: &Path, ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    let mut bare = path.to_owned();
    let mut found = vec![with(path, ".labels.txt")];
    let packed = |p: &Path| {
        let extension = p.extension().map(|e| e.to_string_lossy().to_lowercase());
        extension.is_some_and(|e| e == "bin" || Packing::of_extension(&e).is_some())
    };
    while packed(&bare) {
        bare.set_extension("");
    }
    found.push(with(&bare, ".id"));
    found.into_iter().find(|path| path.is_file())
}

/// Whether lines are PLINK's: a header `#FID IID`, or two columns divided by a tab throughout.
pub(crate) fn is_ids(path: &Path, lines: &[&str]) -> bool {
    let named = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("id"));
    let headed = lines
        .first()
        .is_some_and(|l| l.starts_with("#FID") || l.starts_with("#IID"));
    let two = |line: &&str| line.split('\t').count() == 2;
    named || headed || lines.iter().all(two)
}

/// The labels in such lines: the individual; family and individual where two families have one of the same name. The
/// header, if there is one, is left out. The lines that have neither one nor two columns (three with PLINK 2's SID) are
/// answered by their number.
pub(crate) fn labels(lines: &[&str]) -> Result<Vec<String>, usize> {
    let headed = lines.first().is_some_and(|l| l.starts_with('#'));
    let mut pairs: Vec<(Option<&str>, &str)> = Vec::new();
    // Without a family column, PLINK 2 writes #IID, perhaps with SID after it.
    let families = !lines.first().is_some_and(|l| l.starts_with("#IID"));
    for (i, line) in lines.iter().enumerate().skip(usize::from(headed)) {
        let cells: Vec<&str> = if line.contains('\t') {
            line.split('\t').map(str::trim).collect()
        } else {
            line.split_whitespace().collect()
        };
        pairs.push(match cells[..] {
            [one] => (None, one),
            [family, one] | [family, one, _] if families => (Some(family), one),
            [one, _] => (None, one),
            _ => return Err(i),
        });
    }
    let mut times: HashMap<&str, usize> = HashMap::new();
    for (_, one) in &pairs {
        *times.entry(one).or_default() += 1;
    }
    let name = |(family, one): &(Option<&str>, &str)| match family {
        Some(family) if times[one] > 1 => format!("{family}:{one}"),
        _ => (*one).to_owned(),
    };
    Ok(pairs.iter().map(name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_family_is_named_only_where_it_is_needed() {
        let lines = ["#FID\tIID", "f1\ta", "f1\tb", "f2\ta"];
        assert_eq!(labels(&lines).unwrap(), ["f1:a", "b", "f2:a"]);
        assert_eq!(labels(&["a b", "c d"]).unwrap(), ["b", "d"]);
        assert_eq!(labels(&["#IID SID", "a 1"]).unwrap(), ["a"]);
        assert_eq!(labels(&["a b c d"]), Err(0));
        assert!(is_ids(Path::new("x.txt"), &["f1\ta", "f2\tb"]));
        assert!(!is_ids(Path::new("x.txt"), &["New York", "Ayr"]));
    }
}
