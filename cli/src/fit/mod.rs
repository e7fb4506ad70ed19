//! `adjoin fit`: proximities of the old objects, or their features → map.

mod beyond;
mod settings;

use std::path::Path;

use adjoin::measure::Measure;
use adjoin::settings::Landmarks;
use adjoin::{About, Entries, FitSettings, Fitted, Kind, Map, Method, Objects, Run, Square};
use adjoin_formats::{
    DiskRows, Loaded, MapFile, Matrix, OnDisk, Provenance, ReadOptions, SelfSimilarity, open_rows,
    provenance, read_configuration, square, write_map,
};
use faer::MatRef;
use serde_json::json;

use self::settings::{in_words, kind, places, settings, settle};
use crate::args::{Common, Fit};
use crate::error::{Error, at};
use crate::table;
use crate::words::Words;
use crate::{input, link};

pub fn run(args: &Fit, common: &Common, words: &Words) -> Result<(), Error> {
    let Some(old) = &args.old else {
        return Err(Error::Request(
            "found a configuration without the proximities it came from, expected those too: newcomers \
             are placed by the row means of the squared dissimilarities, which the configuration alone \
             does not tell (`place --strategy stress` does without)"
                .into(),
        ));
    };
    let measure = args.measuring.measure()?;
    if args.itself.is_some() && kind(args) != Kind::Similarity {
        return Err(Error::Usage(
            "found --self without --kind similarity, expected it with similarities only: the distance of an object to \
             itself is 0"
                .into(),
        ));
    }
    let settings = settings(args, measure.as_ref())?;
    let watch = |p| words.progress(p);
    let of_features = measure.is_some() || settings.method == Method::Pca;
    let transform = args.transforming.transform;
    if of_features && transform.is_some() {
        return Err(Error::Usage(input::TRANSFORMED_FEATURES.into()));
    }
    let mut options = ReadOptions {
        digest: true,
        ..args.reading.options(common)
    };
    options.adapt.transform = transform;
    let fit = Fitting {
        args,
        old,
        options,
        limit: beyond::limit(common.max_memory),
        run: common.run(&watch),
        words,
    };
    let (map, provenance) = if of_features {
        fit.of_features(measure, settings)?
    } else if settings.method == Method::Landmark
        && let Some(array) = fit.rectangle_on_disk()?
    {
        fit.of_rectangle_on_disk(array, settings)?
    } else if let Some(array) = fit.square_on_disk()? {
        match fit.limit.filter(|most| array.needs() > *most) {
            Some(most) => fit.of_square_beyond(array, most, settings)?,
            None => fit.of_square_on_disk(array, settings)?,
        }
    } else {
        fit.of_matrix(settings)?
    };
    let file = MapFile {
        map,
        settings: in_words(args),
        provenance,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    write_map(&file, &args.output)?;
    report(&file.map, &args.output, common, words)
}

/// Bytes from which a square array is held as it is stored; smaller ones are read like any table, which has more to say.
const AS_IT_IS: u64 = 1 << 26;

/// Gigabytes from which the memory that a fit needs is said beforehand.
const SAID: f64 = 1.0;

/// A square of proximities as the core takes it.
pub fn square_of(matrix: &Matrix, kind: Kind) -> Square<'_> {
    let n = matrix.rows.len();
    Square {
        entries: Entries::Doubles(MatRef::from_row_major_slice(&matrix.values, n, n)),
        kind,
        labels: matrix.labelled.then(|| matrix.rows.clone()),
        made_of: None,
    }
}

/// The old objects, wherever they are, on their way to a map.
struct Fitting<'a> {
    args: &'a Fit,
    old: &'a Path,
    options: ReadOptions,
    /// Bytes that proximities may take, if it is known.
    limit: Option<u64>,
    run: Run<'a>,
    words: &'a Words,
}

type Answer = Result<(Map, Option<Provenance>), Error>;

impl Fitting<'_> {
    fn of_features(&self, measure: Option<Measure>, mut settings: FitSettings) -> Answer {
        let table = input::features(self.old, measure.as_ref(), &self.options, self.words)?;
        if !table.labelled {
            self.words.say_numbered(&table.source);
        }
        let features = table.features;
        settle(&mut settings, self.args, features.labels(), self.words)?;
        let objects = Objects::Features { features, measure };
        let map = self.fit(objects, &settings, &table.source, &table.lines)?;
        Ok((map, table.provenance))
    }

    /// A square; for landmarks also a rectangle, whose columns they are.
    fn of_matrix(&self, mut settings: FitSettings) -> Answer {
        let mut matrix =
            input::proximities(self.old, &self.options, self.words).map_err(|error| {
                // Coordinates in the place of proximities belong to another flag.
                let named = self.old.extension();
                if named.is_some_and(|e| e == "qza" || e == "ordination")
                    && read_configuration(self.old).is_ok()
                {
                    return error.hinted(
                        "coordinates are given beside proximities: fit DISTANCES --configuration FILE",
                    );
                }
                error
            })?;
        let kind = kind(self.args);
        let landmark = settings.method == Method::Landmark;
        if landmark && !same_labels(&matrix) {
            return self.of_rectangle(matrix, kind, &settings);
        }
        matrix = square(matrix)?;
        let name = matrix.source.clone();
        let source = &name;
        if matrix.unlisted > 0 {
            let n = matrix.rows.len();
            return Err(Error::Request(format!(
                "{source}: found {} of {} pairs not in the list, expected all of them, or --unlisted VALUE for the others",
                matrix.unlisted,
                n * (n - 1) / 2
            )));
        }
        if !matrix.labelled {
            self.words.say_numbered(source);
        }
        if kind == Kind::Similarity {
            put_diagonal(self.args.itself.as_deref(), &mut matrix)?;
        }
        settle(&mut settings, self.args, &matrix.rows, self.words)?;
        let objects = Objects::Square(square_of(&matrix, kind));
        let map = self
            .fit(objects, &settings, source, &matrix.lines)
            .map_err(|error| {
                if kind != Kind::Similarity && is_similar(&matrix) {
                    error.hinted("similarities are fitted with --kind similarity")
                } else {
                    error
                }
            })?;
        Ok((map, matrix.provenance))
    }

    fn of_rectangle(&self, matrix: Matrix, kind: Kind, settings: &FitSettings) -> Answer {
        let (n, m) = matrix.shape();
        if settings.landmarks.is_some() {
            return Err(Error::Usage(format!(
                "found --landmarks beside {n} × {m} proximities, expected a square to choose from: the columns of a \
                 rectangle are the landmarks"
            )));
        }
        let places = places(&matrix.rows);
        let landmarks = matrix.columns.iter().map(|label| {
            places.get(label.as_str()).copied().ok_or_else(|| {
                Error::Request(format!(
                    "{}: found a column {label:?} and no such row, expected every landmark among the {n} objects",
                    matrix.source
                ))
            })
        });
        let objects = Objects::ToLandmarks {
            rows: &MatRef::from_row_major_slice(&matrix.values, n, m),
            landmarks: landmarks.collect::<Result<Vec<_>, _>>()?,
            kind,
            labels: Some(matrix.rows.clone()),
        };
        let map = self.fit(objects, settings, &matrix.source, &matrix.lines)?;
        Ok((map, matrix.provenance))
    }

    /// A square array, if OLD is one: it is read as it is stored, and never held twice.
    fn square_on_disk(&self) -> Result<Option<OnDisk>, Error> {
        // What is said of the diagonal is put into a matrix in memory.
        if self.args.itself.is_some() {
            return Ok(None);
        }
        let array = open_rows(self.old, &self.options)?;
        // So is what a transformation leaves of it, as long as there is room.
        let transformed = self.options.adapt.transform.is_some();
        Ok(array.filter(|array| {
            let (n, m) = array.blocks.shape();
            let beyond = self.limit.is_some_and(|most| array.needs() > most);
            // Columns in another order than the rows are put in order in memory.
            let alike = array.columns.is_none() || array.columns == array.labels;
            n == m && alike && (beyond || array.needs() >= AS_IT_IS && !transformed)
        }))
    }

    fn of_square_on_disk(&self, mut array: OnDisk, mut settings: FitSettings) -> Answer {
        let (n, _) = array.blocks.shape();
        let source = array.blocks.source().to_owned();
        let size = array.needs() as f64 / 1e9;
        if size >= SAID {
            self.words.say(format_args!(
                "{source}: {n} objects, {size:.1} GB of memory for their proximities"
            ));
        }
        if array.labels.is_none() {
            self.words.say_numbered(&source);
        }
        let labels = array.labels.take();
        let named = labels.is_some();
        let labels = labels.unwrap_or_else(|| (1..=n).map(|i| i.to_string()).collect());
        settle(&mut settings, self.args, &labels, self.words)?;
        let numbers = array.load()?;
        let entries = match &numbers {
            Loaded::Singles(all) => Entries::Singles(MatRef::from_row_major_slice(all, n, n)),
            Loaded::Doubles(all) => Entries::Doubles(MatRef::from_row_major_slice(all, n, n)),
        };
        let objects = Objects::Square(Square {
            entries,
            kind: kind(self.args),
            labels: named.then_some(labels),
            made_of: None,
        });
        let map = self.fit(objects, &settings, &source, &[])?;
        Ok((map, Some(provenance(self.old)?)))
    }

    /// An array that is no square, if OLD is one.
    fn rectangle_on_disk(&self) -> Result<Option<OnDisk>, Error> {
        let array = open_rows(self.old, &self.options)?;
        Ok(array.filter(|array| {
            let (n, m) = array.blocks.shape();
            n != m && array.columns.is_none()
        }))
    }

    /// A rectangle on disk, which is not read into memory. Its columns have no labels: --landmarks FILE says who they
    /// are.
    fn of_rectangle_on_disk(&self, array: OnDisk, mut settings: FitSettings) -> Answer {
        let OnDisk { blocks, labels, .. } = array;
        let (n, m) = blocks.shape();
        let source = blocks.source().to_owned();
        let named = labels.is_some();
        let labels = labels.unwrap_or_else(|| (1..=n).map(|i| i.to_string()).collect());
        settle(&mut settings, self.args, &labels, self.words)?;
        let Some(Landmarks::Given(landmarks)) = settings.landmarks.take() else {
            return Err(Error::Usage(format!(
                "found {n} × {m} proximities without labels, expected --landmarks FILE with the labels (or numbers) \
                 of the {m} landmarks, in the order of the columns"
            )));
        };
        let rows = DiskRows::new(blocks);
        let objects = Objects::ToLandmarks {
            rows: &rows,
            landmarks,
            kind: kind(self.args),
            labels: named.then_some(labels),
        };
        let map = self.fit(objects, &settings, &source, &[]);
        match rows.fault() {
            Some(fault) => Err(fault.into()),
            None => Ok((map?, Some(provenance(self.old)?))),
        }
    }

    /// Fits, and says what was found on the way; `source` and `lines` are where the objects are from.
    fn fit(
        &self,
        objects: Objects<'_>,
        settings: &FitSettings,
        source: &str,
        lines: &[u64],
    ) -> Result<Map, Error> {
        let Fitted { map, findings, .. } =
            Map::fit(objects, settings, self.run).map_err(|error| {
                let contradicted = matches!(error, adjoin::Error::Contradicted { .. });
                match (&self.args.configuration, error.about()) {
                    (Some(file), About::Configuration) => {
                        let error = at(&file.display().to_string(), &[])(error);
                        if contradicted {
                            error.hinted("--rescale, or --link monotone")
                        } else {
                            error
                        }
                    }
                    (_, About::Kind) if contradicted => at(source, lines)(error)
                        .hinted("--kind similarity, with --self if they have no diagonal"),
                    _ => at(source, lines)(error),
                }
            })?;
        self.words.done();
        for finding in findings {
            self.words.say(format_args!("{source}: {finding}"));
        }
        Ok(map)
    }
}

/// Puts in how similar objects are to themselves, where the file does not say so.
pub fn put_diagonal(itself: Option<&str>, matrix: &mut Matrix) -> Result<(), Error> {
    let n = matrix.rows.len();
    match itself {
        Some(_) if !matrix.diagonal_absent => Err(Error::Request(format!(
            "{}: found a diagonal, expected none beside --self",
            matrix.source
        ))),
        None if matrix.diagonal_absent => Err(Error::Request(format!(
            "{}: found no diagonal, expected each object's similarity to itself",
            matrix.source
        ))
        .hinted("--self 1 if it is 1 for all, or --self FILE")),
        Some(given) => {
            let diagonal = match input::itself(given)? {
                SelfSimilarity::All(value) => vec![value; n],
                SelfSimilarity::Each(numbers) => numbers.in_order(&matrix.rows)?,
            };
            for (i, value) in diagonal.into_iter().enumerate() {
                if matrix.beside_themselves.binary_search(&i).is_err() {
                    matrix.values[i * n + i] = value;
                }
            }
            matrix.diagonal_absent = false;
            matrix.beside_themselves.clear();
            Ok(())
        }
        None => Ok(()),
    }
}

/// Whether a square looks like similarities: no object is as near to another as to itself.
fn is_similar(matrix: &Matrix) -> bool {
    let n = matrix.rows.len();
    !matrix.diagonal_absent
        && (0..n).all(|i| {
            let own = matrix.row(i)[i];
            own > 0.0 && matrix.row(i).iter().all(|v| *v <= own)
        })
}

/// Whether rows and columns are the same objects, in any order.
fn same_labels(matrix: &Matrix) -> bool {
    let mut sides = [matrix.rows.clone(), matrix.columns.clone()];
    sides.iter_mut().for_each(|s| s.sort_unstable());
    sides[0] == sides[1]
}

/// What was fitted, in a few lines or as JSON.
fn report(map: &Map, output: &Path, common: &Common, words: &Words) -> Result<(), Error> {
    let diagram = map.diagram();
    let summary = diagram.summary();
    let (n, d) = (map.labels().len(), map.dimensions());
    let explained = map.proportions();
    if map.link().is_some() {
        return report_linked(map, output, common, words);
    }
    if common.json {
        let record = json!({
            "map": output.display().to_string(),
            "method": map.method().word(),
            "measure": map.source().map(|s| s.measure().word()),
            "n": n,
            "d": d,
            "kind": diagram.kind().word(),
            "eigenvalues": diagram.eigenvalues(),
            "explained": explained,
            "residuals": summary.residuals,
            "passes": summary.passes,
            "findings": summary.findings,
        });
        return table::print(format!("{record:#}\n").as_bytes());
    }
    words.say(format_args!(
        "{}: {n} objects on {d} {}, {:.1} % of the {}",
        output.display(),
        if d == 1 { "axis" } else { "axes" },
        explained.iter().sum::<f64>() * 100.0,
        if summary.complete {
            "positive eigenvalues"
        } else {
            "trace"
        },
    ));
    if let [.., lowest] = summary.negative() {
        words.say(format_args!(
            "negative eigenvalues: {}, the lowest {:.1} % of the first in modulus; the {} are not Euclidean",
            summary.negative().len(),
            100.0 * lowest.abs() / diagram.eigenvalues()[0],
            match diagram.kind() {
                Kind::Similarity => "similarities",
                _ => "dissimilarities",
            }
        ));
    }
    let worst = summary.residuals.iter().fold(0.0, |m: f64, v| m.max(*v));
    words.timed(format_args!(
        "{} passes over the data; eigenpairs exact to {worst:.1e} of the norm",
        summary.passes
    ));
    Ok(())
}

/// The same of a map with a link, which has a stress and no eigenvalues; its findings say the rest.
fn report_linked(map: &Map, output: &Path, common: &Common, words: &Words) -> Result<(), Error> {
    let (n, d) = (map.labels().len(), map.dimensions());
    if common.json {
        let record = json!({
            "map": output.display().to_string(),
            "method": map.method().word(),
            "measure": map.source().map(|s| s.measure().word()),
            "n": n,
            "d": d,
            "kind": map.kind().word(),
            "link": link::as_json(map),
            "findings": map.diagram().summary().findings,
        });
        return table::print(format!("{record:#}\n").as_bytes());
    }
    words.say(format_args!(
        "{}: {n} objects on {d} {} as given",
        output.display(),
        if d == 1 { "axis" } else { "axes" },
    ));
    Ok(())
}
