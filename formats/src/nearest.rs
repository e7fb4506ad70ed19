//! The label that was probably meant, where the one that was looked for is not there.
//!
//! Programs change labels on the way: a folder and an extension are kept or cut, R writes `Plot.1` for `Plot 1` and
//! `X1` for `1`, spreadsheets drop leading zeros, macOS spells é as two characters. Whoever made the file did not see
//! it happen, so the message names the label that is there and what it differs in. Nothing is ever matched by this.

use unicode_normalization::UnicodeNormalization;

use crate::error::quote;

/// One way in which labels are changed: what is left of a label when that is undone, and how it is said.
type Way = (fn(&str) -> String, &'static str);

const WAYS: [Way; 6] = [
    (without_blanks, "which differs in blanks"),
    (
        composed,
        "which looks the same but is spelled by other characters (Unicode NFC and NFD)",
    ),
    (lower, "which differs in case"),
    (stem, "which differs in its folder or extension"),
    (r_name, "as R's check.names makes it"),
    (without_zeros, "which differs in leading zeros"),
];

/// Extensions of files that labels are often the names of.
const EXTENSIONS: [&str; 24] = [
    "fa", "fna", "fasta", "faa", "ffn", "fq", "fastq", "gb", "gbk", "gff", "gz", "bz2", "xz",
    "zst", "msh", "sig", "bam", "sam", "vcf", "bed", "aln", "txt", "csv", "tsv",
];

/// What is to be said of `wanted`, which is not `among` these labels: the nearest of them and what it differs in, in
/// brackets after a blank; nothing if none is near.
pub fn nearest_label<'a>(wanted: &str, among: impl Iterator<Item = &'a String> + Clone) -> String {
    let by = |way: &dyn Fn(&str) -> String| {
        let sought = way(wanted);
        let found = among.clone().find(|label| way(label) == sought);
        found.filter(|label| *label != wanted)
    };
    for (way, differs) in WAYS {
        if let Some(label) = by(&way) {
            return format!(" ({} is there, {differs})", quote(label));
        }
    }
    let all = |label: &str| {
        let plain = WAYS
            .iter()
            .fold(label.to_owned(), |text, (way, _)| way(&text));
        let letters = plain.chars().filter(|c| c.is_alphanumeric());
        letters.collect::<String>()
    };
    match by(&all).or_else(|| misspelled(wanted, among)) {
        Some(label) => format!(" (the nearest that is there is {})", quote(label)),
        None => String::new(),
    }
}

/// A label that is a letter or two away; numbers are names of their own, and not misspelled.
fn misspelled<'a>(wanted: &str, among: impl Iterator<Item = &'a String>) -> Option<&'a String> {
    let digits = |text: &str| -> String { text.chars().filter(char::is_ascii_digit).collect() };
    let most = (wanted.chars().count() / 4).min(2);
    let (length, own) = (wanted.len(), digits(wanted));
    let near = among.filter(|label| label.len().abs_diff(length) <= 8 && digits(label) == own);
    near.map(|label| (strsim::osa_distance(wanted, label), label))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, label)| label)
}

fn without_blanks(label: &str) -> String {
    let blank = |c: char| c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200d}' | '\u{feff}');
    label.chars().filter(|c| !blank(*c)).collect()
}

fn composed(label: &str) -> String {
    label.nfkc().collect()
}

fn lower(label: &str) -> String {
    label.to_lowercase()
}

fn stem(label: &str) -> String {
    let mut name = label.rsplit(['/', '\\']).next().unwrap_or(label);
    while let Some((before, extension)) = name.rsplit_once('.')
        && EXTENSIONS.iter().any(|e| extension.eq_ignore_ascii_case(e))
    {
        name = before;
    }
    name.to_owned()
}

/// What R's `make.names` makes of it.
fn r_name(label: &str) -> String {
    let plain: String = label
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || c == '_' {
                c
            } else {
                '.'
            }
        })
        .collect();
    let mut letters = plain.chars();
    let (first, second) = (letters.next(), letters.next());
    let bare = first.is_some_and(|c| c.is_alphabetic())
        || first == Some('.') && !second.is_some_and(|c| c.is_ascii_digit());
    if bare { plain } else { format!("X{plain}") }
}

fn without_zeros(label: &str) -> String {
    let mut out = String::with_capacity(label.len());
    let mut before = false;
    let mut rest = label.chars().peekable();
    while let Some(c) = rest.next() {
        let digit = c.is_ascii_digit();
        let leads = c == '0' && !before && rest.peek().is_some_and(char::is_ascii_digit);
        if !leads {
            out.push(c);
            before = digit;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(wanted: &str, there: &[&str]) -> String {
        let there: Vec<String> = there.iter().map(|s| (*s).to_owned()).collect();
        nearest_label(wanted, there.iter())
    }

    #[test]
    fn the_label_that_was_meant_is_named_with_what_it_differs_in() {
        for (wanted, there, differs) in [
            ("plot01", "PLOT01", "case"),
            ("x", "fa/x.fna.gz", "folder or extension"),
            ("genomes/x.fna", "x", "folder or extension"),
            ("Plot 1", "Plot.1", "check.names"),
            ("1", "X1", "check.names"),
            ("A", "A\u{a0}", "blanks"),
            ("Orléans", "Orle\u{301}ans", "NFC and NFD"),
            ("001", "1", "leading zeros"),
            ("s10", "s010", "leading zeros"),
        ] {
            let text = said(wanted, &["zzz", there, "other 9"]);
            assert!(text.contains(differs), "{wanted}: {text}");
            assert!(text.contains(&quote(there)), "{wanted}: {text}");
        }
        assert!(said("Sample 01", &["data/sample.1.fna"]).contains("nearest"));
        assert!(said("Stockholm", &["Stokholm", "Vienna"]).contains("\"Stokholm\""));
    }

    #[test]
    fn another_number_is_another_label() {
        assert_eq!(said("plot41", &["plot40", "plot42", "plot4"]), "");
        assert_eq!(said("sample.1", &["sample.2"]), "");
        assert_eq!(said("100", &["10", "1000"]), "");
        assert_eq!(said("a", &["b"]), "");
        assert_eq!(said("a", &[]), "");
    }
}
