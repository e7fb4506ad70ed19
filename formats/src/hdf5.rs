//! HDF5: UniFrac's and scikit-bio's binary distance matrices ("BDSM"), any other dataset by its name, and BIOM 2.1.
//!
//! A BDSM file has a square `matrix` (single or double precision, by rows) and the labels `order` at its root. Rows are
//! read where they are, so that the newcomers' rows of a large square never bring the square into memory. What the file
//! claims of its size is compared with its length first.

use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use hdf5_reader::error::{ByteOrder, Error as Hdf5Error};
use hdf5_reader::group::Group;
use hdf5_reader::messages::datatype::Datatype;
use hdf5_reader::storage::FileStorage;
use hdf5_reader::{Dataset, H5Type, Hdf5File, OpenOptions, SliceInfo, SliceInfoElem};

use crate::blocks::{Blocks, check_range};
use crate::error::{Error, count, name_of, on_one_line, quote};
use crate::raw::{Number, decode};
use crate::source::open;
use crate::unlabelled::Names;

/// The largest piece of a dataset that is unpacked at once, in bytes, and the most that one read may give.
const LARGEST_CHUNK: usize = 1 << 28;
const LARGEST_READ: usize = 1 << 34;
/// How many times its own length a file may claim to hold: no compression of HDF5 does better.
const LARGEST_RATIO: u64 = 1100;
/// Groups inside groups, and datasets, that are looked at.
const DEEPEST: usize = 6;
const MOST: usize = 256;

/// An open dataset of two dimensions.
pub struct Hdf5Rows {
    dataset: Dataset,
    name: String,
    number: Number,
    shape: (usize, usize),
}

/// Opens a matrix: the dataset that was named, `matrix`, or the only one of two dimensions. With it the labels that the
/// file has for its rows and, if they are named, for its columns.
pub(crate) fn open_matrix(
    path: &Path,
    dataset: Option<&str>,
    [labels, columns]: [Option<&str>; 2],
) -> Result<(Hdf5Rows, [Option<Names>; 2]), Error> {
    let name = name_of(path);
    guarded(&name, || {
        let (file, length) = open_file(path)?;
        let found = match dataset {
            Some(wanted) => file
                .dataset(wanted)
                .map_err(|_| absent(&file, wanted, &name))?,
            None => guess(&file, &name)?,
        };
        let rows = Hdf5Rows::new(found, &name, length)?;
        // Without a word about the dataset, `order` is what BDSM calls the labels.
        let wanted = labels.or(dataset.is_none().then_some("order"));
        let names = |wanted: Option<&str>, asked: bool| {
            let strings = match wanted.map(|wanted| (wanted, file.dataset(wanted))) {
                Some((_, Ok(strings))) => texts(&strings, &name, length)?,
                Some((wanted, Err(_))) if asked => return Err(absent(&file, wanted, &name)),
                _ => return Ok(None),
            };
            Ok(Some(Names {
                labels: strings,
                file: name.clone(),
            }))
        };
        let names = [names(wanted, labels.is_some())?, names(columns, true)?];
        Ok((rows, names))
    })
}

fn guarded<T>(name: &str, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    crate::guarded::guarded(work, |why| damaged(name, why))
}

fn damaged(name: &str, why: impl std::fmt::Display) -> Error {
    Error::malformed(
        name,
        None,
        format!("a damaged file ({})", on_one_line(why)),
        "an HDF5 file",
    )
}

fn open_file(path: &Path) -> Result<(Hdf5File, u64), Error> {
    let name = name_of(path);
    let file: File = open(path)?;
    let length = file.metadata().map_err(|e| Error::read(&name, e))?.len();
    let storage = FileStorage::from_file(file).map_err(|e| damaged(&name, e))?;
    let options = OpenOptions::default()
        .with_max_chunk_bytes(LARGEST_CHUNK)
        .with_max_read_bytes(LARGEST_READ);
    let file = Hdf5File::from_storage_with_options(Arc::new(storage), options)
        .map_err(|e| damaged(&name, e))?;
    Ok((file, length))
}

/// The dataset that is meant if none is named.
fn guess(file: &Hdf5File, name: &str) -> Result<Dataset, Error> {
    for usual in ["matrix", "matrix:0"] {
        if let Ok(dataset) = file.dataset(usual) {
            return Ok(dataset);
        }
    }
    let mut all = datasets(file).map_err(|e| damaged(name, e))?;
    all.retain(|(_, d)| d.ndim() == 2 && number_of(d.dtype()).is_some());
    if all.len() == 1
        && let Some((_, dataset)) = all.pop()
    {
        return Ok(dataset);
    }
    let names: Vec<String> = all.iter().take(5).map(|(n, _)| quote(n)).collect();
    Err(Error::malformed(
        name,
        None,
        format!(
            "no dataset \"matrix\", and {} of two dimensions{}{}",
            count(all.len(), "dataset"),
            if names.is_empty() { "" } else { ": " },
            names.join(", ")
        ),
        "--dataset NAME to say which is meant",
    ))
}

fn absent(file: &Hdf5File, wanted: &str, name: &str) -> Error {
    let all = datasets(file).unwrap_or_default();
    let names: Vec<String> = all.iter().take(8).map(|(n, _)| quote(n)).collect();
    Error::mismatch(
        name,
        None,
        format!("no dataset {}", quote(wanted)),
        format!("one of {}", names.join(", ")),
    )
}

/// All datasets with their paths, as far as it is worth looking. Groups may hold themselves: depth and number are bounded.
fn datasets(file: &Hdf5File) -> Result<Vec<(String, Dataset)>, Hdf5Error> {
    let mut found = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut waiting: Vec<(String, Group, usize)> = vec![(String::new(), file.root_group()?, 0)];
    while let Some((path, group, depth)) = waiting.pop() {
        if found.len() > MOST || depth > DEEPEST || !seen.insert(group.address()) {
            continue;
        }
        let (groups, datasets) = group.members()?;
        let inside = |name: &str| {
            let name = name.rsplit('/').next().unwrap_or(name);
            if path.is_empty() {
                name.to_owned()
            } else {
                format!("{path}/{name}")
            }
        };
        for dataset in datasets {
            found.push((inside(dataset.name()), dataset));
        }
        for group in groups {
            waiting.push((inside(group.name()), group, depth + 1));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(found)
}

/// The labels in a dataset of texts of either kind, or of whole numbers.
fn texts(dataset: &Dataset, name: &str, length: u64) -> Result<Vec<String>, Error> {
    check_claim(dataset, name, length)?;
    match dataset.dtype() {
        Datatype::FixedPoint { .. } => {
            let all = SliceInfo::all(dataset.ndim());
            let numbers = dataset
                .read_slice::<Wide>(&all)
                .map_err(|e| damaged(name, e))?;
            Ok(numbers.iter().map(|x| x.0.to_string()).collect())
        }
        _ => dataset.read_strings().map_err(|e| {
            Error::malformed(
                name,
                None,
                format!("the dataset {} ({e})", quote(dataset.name())),
                "texts, one for each row",
            )
        }),
    }
}

/// Refuses a dataset that claims more than the file can hold.
fn check_claim(dataset: &Dataset, name: &str, length: u64) -> Result<(), Error> {
    let size = dataset.raw_element_size().map_err(|e| damaged(name, e))?;
    let size = (size as u64).max(1);
    let claimed = dataset
        .shape()
        .iter()
        .try_fold(size, |size, n| size.checked_mul(*n));
    let most = length.saturating_mul(match dataset.chunks() {
        Some(_) => LARGEST_RATIO,
        None => 1,
    });
    match claimed {
        Some(claimed) if claimed <= most => Ok(()),
        _ => Err(Error::malformed(
            name,
            None,
            format!(
                "a dataset {} of shape {:?} in a file of {length} bytes",
                quote(dataset.name()),
                dataset.shape()
            ),
            "an array that can exist",
        )),
    }
}

fn number_of(datatype: &Datatype) -> Option<Number> {
    Some(match datatype {
        Datatype::FloatingPoint { size: 8, .. } => Number::F64,
        Datatype::FloatingPoint { size: 4, .. } => Number::F32,
        Datatype::FloatingPoint { size: 2, .. } => Number::F16,
        Datatype::FixedPoint {
            size, signed: true, ..
        } if matches!(size, 1 | 2 | 4 | 8) => Number::Signed(usize::from(*size)),
        Datatype::FixedPoint { size, .. } if matches!(size, 1 | 2 | 4 | 8) => {
            Number::Unsigned(usize::from(*size))
        }
        _ => return None,
    })
}

/// A number of any stored type, as the nearest double.
#[derive(Clone, Copy)]
struct Wide(f64);

impl Wide {
    fn decode(raw: &[u8], datatype: &Datatype) -> Result<Vec<Wide>, Hdf5Error> {
        let number = number_of(datatype).ok_or_else(|| Hdf5Error::TypeMismatch {
            expected: "numbers".into(),
            actual: format!("{datatype:?}"),
        })?;
        let big = matches!(
            datatype,
            Datatype::FloatingPoint {
                byte_order: ByteOrder::BigEndian,
                ..
            } | Datatype::FixedPoint {
                byte_order: ByteOrder::BigEndian,
                ..
            }
        );
        let mut values = Vec::new();
        decode(raw, number, big, &mut values);
        Ok(values.into_iter().map(Wide).collect())
    }
}

impl H5Type for Wide {
    fn hdf5_type() -> Datatype {
        f64::hdf5_type()
    }

    fn from_bytes(bytes: &[u8], datatype: &Datatype) -> Result<Self, Hdf5Error> {
        let size = Self::element_size(datatype);
        let raw = bytes.get(..size).unwrap_or(bytes);
        Self::decode(raw, datatype)?
            .first()
            .copied()
            .ok_or_else(|| Hdf5Error::InvalidData("an empty element".into()))
    }

    fn element_size(datatype: &Datatype) -> usize {
        number_of(datatype).map_or(8, Number::size)
    }

    fn decode_vec(
        raw: &[u8],
        datatype: &Datatype,
        count: usize,
    ) -> Option<Result<Vec<Self>, Hdf5Error>> {
        let raw = raw.get(..count.checked_mul(Self::element_size(datatype))?)?;
        Some(Self::decode(raw, datatype))
    }
}

impl Hdf5Rows {
    fn new(dataset: Dataset, name: &str, length: u64) -> Result<Self, Error> {
        let Some(number) = number_of(dataset.dtype()) else {
            return Err(Error::malformed(
                name,
                None,
                format!("the dataset {} of another type", quote(dataset.name())),
                "numbers",
            ));
        };
        let [k, m] = dataset.shape()[..] else {
            return Err(Error::malformed(
                name,
                None,
                format!(
                    "the dataset {} of shape {:?}",
                    quote(dataset.name()),
                    dataset.shape()
                ),
                "two dimensions",
            ));
        };
        check_claim(&dataset, name, length)?;
        if k == 0 || m == 0 {
            return Err(Error::malformed(
                name,
                None,
                format!("an empty dataset of shape ({k}, {m})"),
                "numbers",
            ));
        }
        Ok(Self {
            dataset,
            name: name.to_owned(),
            number,
            shape: (k as usize, m as usize),
        })
    }
}

impl Blocks for Hdf5Rows {
    fn shape(&self) -> (usize, usize) {
        self.shape
    }

    fn source(&self) -> &str {
        &self.name
    }

    fn number(&self) -> Number {
        self.number
    }

    fn read_rows(&mut self, first: usize, count: usize, block: &mut Vec<f64>) -> Result<(), Error> {
        self.read_part(first..first.saturating_add(count), 0..self.shape.1, block)
    }

    fn read_part(
        &mut self,
        rows: Range<usize>,
        columns: Range<usize>,
        block: &mut Vec<f64>,
    ) -> Result<(), Error> {
        block.clear();
        check_range(&self.name, self.shape.0, rows.start, rows.len())?;
        let slice = |range: Range<usize>| SliceInfoElem::Slice {
            start: range.start as u64,
            end: range.end as u64,
            step: 1,
        };
        let selection = SliceInfo {
            selections: vec![slice(rows), slice(columns)],
        };
        guarded(&self.name, || {
            let rows = self
                .dataset
                .read_slice::<Wide>(&selection)
                .map_err(|e| damaged(&self.name, e))?;
            block.extend(rows.iter().map(|x| x.0));
            Ok(())
        })
    }
}

/// A BIOM 2.1 table: samples, features, and the counts sample by sample.
pub(crate) struct Biom {
    pub samples: Vec<String>,
    pub features: Vec<String>,
    pub values: Vec<f64>,
}

/// Reads a BIOM 2.1 table, if the file is one.
pub(crate) fn read_biom(path: &Path) -> Result<Option<Biom>, Error> {
    let name = name_of(path);
    guarded(&name, || {
        let (file, length) = open_file(path)?;
        let Ok(ids) = file.dataset("sample/ids") else {
            return Ok(None);
        };
        let get = |wanted: &str| {
            let dataset = file
                .dataset(wanted)
                .map_err(|_| absent(&file, wanted, &name))?;
            check_claim(&dataset, &name, length)?;
            Ok::<_, Error>(dataset)
        };
        let numbers = |wanted: &str| {
            let numbers = get(wanted)?.read_slice::<Wide>(&SliceInfo::all(1));
            let numbers = numbers.map_err(|e| damaged(&name, e))?;
            Ok::<Vec<f64>, Error>(numbers.iter().map(|x| x.0).collect())
        };
        let samples = texts(&ids, &name, length)?;
        let features = texts(&get("observation/ids")?, &name, length)?;
        let data = numbers("sample/matrix/data")?;
        let indices = numbers("sample/matrix/indices")?;
        let ends = numbers("sample/matrix/indptr")?;
        let (k, m) = (samples.len(), features.len());
        let wrong = || damaged(&name, "indices outside the table");
        if ends.len() != k + 1 || indices.len() != data.len() {
            return Err(wrong());
        }
        let size = k.checked_mul(m).filter(|&s| s <= LARGEST_READ / 8);
        let mut values = vec![0.0; size.ok_or_else(wrong)?];
        for i in 0..k {
            let range = ends[i] as usize..ends[i + 1] as usize;
            let (indices, data) = (indices.get(range.clone()), data.get(range));
            let (Some(indices), Some(data)) = (indices, data) else {
                return Err(wrong());
            };
            for (&j, &x) in indices.iter().zip(data) {
                let j = Some(j as usize).filter(|&j| j < m);
                values[i * m + j.ok_or_else(wrong)?] = x;
            }
        }
        Ok(Some(Biom {
            samples,
            features,
            values,
        }))
    })
}
