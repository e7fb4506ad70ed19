//! The distances block of a NEXUS file, as PAUP*, SplitsTree and Mesquite write it.
//!
//! `FORMAT` says which half is there, whether the diagonal is, and whether rows have labels; the number of taxa is in
//! `DIMENSIONS` of this block or of the taxa block. Other blocks are passed over.

use std::iter::Peekable;
use std::str::Chars;

use crate::cell::{Value, value};
use crate::error::{Error, count, quote};
use crate::header::{not_text, open_quote};
use crate::matrix::Matrix;
use crate::source::Text;
use crate::triangle::Half;
use crate::unlabelled::{self, Names};

/// A word, a quoted word, or a mark, and the line it is on.
struct Token {
    text: String,
    quoted: bool,
    line: u64,
}

impl Token {
    fn is(&self, word: &str) -> bool {
        !self.quoted && self.text.eq_ignore_ascii_case(word)
    }
}

/// What `FORMAT` says; the defaults are those of the standard.
struct Form {
    /// `None` is both halves.
    lower: Option<bool>,
    diagonal: bool,
    labels: bool,
    missing: String,
}

/// Whether text begins like a NEXUS file.
pub(crate) fn begins(text: &[u8]) -> bool {
    text.trim_ascii_start()
        .get(..6)
        .is_some_and(|mark| mark.eq_ignore_ascii_case(b"#nexus"))
}

/// Reads the distances block.
pub(crate) fn read(text: &mut Text) -> Result<Matrix, Error> {
    let name = text.name.clone();
    let bytes = text.read_all()?;
    let content = std::str::from_utf8(&bytes).map_err(|_| not_text(&name, 1))?;
    let tokens = tokens(content, &name)?;
    // The mark at the beginning is no command, and nothing ends it.
    let marked = tokens.first().is_some_and(|t| t.is("#nexus"));
    let tokens = &tokens[usize::from(marked)..];
    let mut taxa: Vec<String> = Vec::new();
    let mut dimension = None;
    let mut form = Form {
        lower: Some(true),
        diagonal: true,
        labels: true,
        missing: "?".into(),
    };
    let mut block = String::new();
    let commands = tokens.split(|t| t.is(";"));
    for command in commands {
        let Some(first) = command.first() else {
            continue;
        };
        let of_taxa = block == "TAXA" || block == "DISTANCES";
        if first.is("BEGIN") {
            block = command
                .get(1)
                .map_or(String::new(), |t| t.text.to_ascii_uppercase());
        } else if first.is("END") || first.is("ENDBLOCK") {
            block.clear();
        } else if of_taxa && first.is("DIMENSIONS") {
            dimension = after(command, "NTAX")
                .and_then(|t| t.parse().ok())
                .or(dimension);
        } else if of_taxa && first.is("TAXLABELS") {
            taxa = command[1..].iter().map(|t| t.text.clone()).collect();
        } else if block == "DISTANCES" && first.is("FORMAT") {
            formed(command, &mut form, &name)?;
        } else if block == "DISTANCES" && first.is("MATRIX") {
            let n = dimension.unwrap_or(taxa.len());
            return matrix(&command[1..], &form, n, &taxa, &name);
        }
    }
    Err(Error::malformed(
        &name,
        None,
        "a NEXUS file without distances",
        "a block DISTANCES with a MATRIX",
    ))
}

fn after<'t>(command: &'t [Token], word: &str) -> Option<&'t str> {
    let at = command.iter().position(|t| t.is(word))?;
    let equals = command.get(at + 1)?.is("=");
    command.get(at + 2).filter(|_| equals).map(|t| &t.text[..])
}

fn formed(command: &[Token], form: &mut Form, name: &str) -> Result<(), Error> {
    let says = |word: &str| command.iter().any(|t| t.is(word));
    if let Some(word) = after(command, "TRIANGLE") {
        form.lower = match word.to_ascii_uppercase().as_str() {
            "LOWER" => Some(true),
            "UPPER" => Some(false),
            "BOTH" => None,
            _ => {
                return Err(Error::malformed(
                    name,
                    command[0].line,
                    format!("triangle {}", quote(word)),
                    "lower, upper or both",
                ));
            }
        };
    }
    if says("INTERLEAVE") {
        return Err(Error::malformed(
            name,
            command[0].line,
            "interleaved distances",
            "each row in one piece",
        ));
    }
    form.diagonal = !says("NODIAGONAL");
    form.labels =
        !says("NOLABELS") && after(command, "LABELS").is_none_or(|w| !w.eq_ignore_ascii_case("no"));
    if let Some(mark) = after(command, "MISSING") {
        form.missing = mark.to_owned();
    }
    Ok(())
}

fn matrix(
    cells: &[Token],
    form: &Form,
    n: usize,
    taxa: &[String],
    name: &str,
) -> Result<Matrix, Error> {
    let half = form.lower.map(|lower| Half {
        lower,
        diagonal: form.diagonal,
    });
    // Both halves without the diagonal: a square with a hole in each row.
    let hollow = half.is_none() && !form.diagonal;
    let mut labels = Vec::new();
    let mut lines = Vec::new();
    let mut values = Vec::new();
    let mut rest = cells.iter();
    let short = |i: usize| {
        Error::malformed(
            name,
            None,
            format!("a matrix that ends in row {} of {n}", i + 1),
            "as many distances as DIMENSIONS and FORMAT say",
        )
    };
    // Every row but one takes a word at least, so that a number of taxa without end ends with the words.
    for i in 0..n {
        let mut line = 0;
        if form.labels {
            let label = rest.next().ok_or_else(|| short(i))?;
            line = label.line;
            labels.push(label.text.clone());
        }
        lines.push(line);
        let length = half.map_or(n - usize::from(hollow), |h| h.length(i, n));
        for j in 0..length {
            if hollow && j == i {
                values.push(0.0);
            }
            let cell = rest.next().ok_or_else(|| short(i))?;
            values.push(match value(cell.text.as_bytes()) {
                Value::Number(x) => x,
                _ if cell.text == form.missing => f64::NAN,
                _ => {
                    return Err(Error::malformed(
                        name,
                        cell.line,
                        format!("{} in row {} of the matrix", quote(&cell.text), i + 1),
                        "a distance",
                    ));
                }
            });
        }
        if hollow && i == length {
            values.push(0.0);
        }
    }
    if let Some(more) = rest.next() {
        return Err(Error::malformed(
            name,
            more.line,
            format!("{} after the matrix", quote(&more.text)),
            format!("the distances of {} and no more", count(n, "object")),
        ));
    }
    let labels = if form.labels { labels } else { taxa.to_vec() };
    if labels.len() != n || n == 0 {
        return Err(Error::malformed(
            name,
            None,
            format!("{} for {}", count(labels.len(), "label"), count(n, "taxon")),
            "the number of taxa in DIMENSIONS, and a label for each",
        ));
    }
    let names = Names {
        labels,
        file: name.to_owned(),
    };
    let matrix = match half {
        Some(half) => unlabelled::of_half(values, half, n, Some(&names), name)?,
        None => Matrix {
            diagonal_absent: hollow,
            ..unlabelled::matrix(values, (n, n), Some(&names), name)?
        },
    };
    Ok(Matrix { lines, ..matrix })
}

/// The words of a file, as they are collected.
#[derive(Default)]
struct Words {
    tokens: Vec<Token>,
    word: String,
    line: u64,
}

impl Words {
    fn push(&mut self, text: String, quoted: bool) {
        let line = self.line;
        self.tokens.push(Token { text, quoted, line });
    }

    /// Ends the word that is being read, if there is one.
    fn end(&mut self) {
        if !self.word.is_empty() {
            let word = std::mem::take(&mut self.word);
            self.push(word, false);
        }
    }
}

/// Words, quoted words and the marks `;` and `=`; comments in brackets are left out.
fn tokens(content: &str, name: &str) -> Result<Vec<Token>, Error> {
    let mut words = Words {
        line: 1,
        ..Words::default()
    };
    let mut depth = 0_usize;
    let mut characters = content.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '[' => depth += 1,
            ']' if depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            '\'' => {
                words.end();
                let text = quoted(&mut characters).ok_or_else(|| open_quote(name, words.line))?;
                words.push(text, true);
            }
            ';' | '=' => {
                words.end();
                words.push(c.into(), false);
            }
            c if c.is_whitespace() => words.end(),
            c => words.word.push(c),
        }
        if c == '\n' {
            words.line += 1;
        }
    }
    words.end();
    Ok(words.tokens)
}

/// A quoted word, behind its first mark; two marks inside stand for one. `None` if it does not end on its line.
fn quoted(characters: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut text = String::new();
    loop {
        match characters.next()? {
            '\'' if characters.peek() == Some(&'\'') => {
                characters.next();
                text.push('\'');
            }
            '\'' => return Some(text),
            '\n' => return None,
            c => text.push(c),
        }
    }
}
