//! What the measuring programs share: the fastest plain read of memory, peak memory, numbers from a file, a map of them.

use std::io::{BufReader, Read};
use std::time::Instant;

use adjoin::settings::Axes;
use adjoin::{Entries, FitSettings, Kind, Map, Objects, Placements, Run, Square};
use faer::MatRef;
use pulp::Simd;

/// Vectors added up at once: enough to hide the latency of an addition.
const CHAINS: usize = 8;

/// Numbers of eight or four bytes that can be added up in vectors.
pub trait Summed: Copy + Sync {
    /// Σ of a stretch.
    fn sum(values: &[Self]) -> f64;
}

struct Sum<'a, T>(&'a [T]);

macro_rules! summed {
    ($t:ty, $as_simd:ident, $splat:ident, $add:ident, $reduce:ident) => {
        impl pulp::WithSimd for Sum<'_, $t> {
            type Output = f64;
            #[inline(always)]
            fn with_simd<S: Simd>(self, simd: S) -> f64 {
                let (vectors, rest) = S::$as_simd(self.0);
                let mut sums = [simd.$splat(0.0); CHAINS];
                let mut pieces = vectors.chunks_exact(CHAINS);
                for piece in &mut pieces {
                    for (s, v) in sums.iter_mut().zip(piece) {
                        *s = simd.$add(*s, *v);
                    }
                }
                for v in pieces.remainder() {
                    sums[0] = simd.$add(sums[0], *v);
                }
                let all = sums.into_iter().map(|s| f64::from(simd.$reduce(s)));
                all.sum::<f64>() + rest.iter().map(|v| f64::from(*v)).sum::<f64>()
            }
        }

        impl Summed for $t {
            fn sum(values: &[Self]) -> f64 {
                pulp::Arch::new().dispatch(Sum(values))
            }
        }
    };
}

summed!(f64, as_simd_f64s, splat_f64s, add_f64s, reduce_sum_f64s);
summed!(f32, as_simd_f32s, splat_f32s, add_f32s, reduce_sum_f32s);

/// Seconds of one plain read of `values` by `threads` threads: the limit for all that has to read them.
pub fn read<T: Summed>(values: &[T], threads: usize) -> f64 {
    let share = values.len().div_ceil(threads.max(1)).max(1);
    let start = Instant::now();
    let total: f64 = std::thread::scope(|scope| {
        let parts: Vec<_> = values
            .chunks(share)
            .map(|part| scope.spawn(|| T::sum(part)))
            .collect();
        parts
            .into_iter()
            .map(|part| part.join().unwrap_or(f64::NAN))
            .sum()
    });
    let seconds = start.elapsed().as_secs_f64();
    // The sum has to be used, or there would be no reason to read.
    if std::hint::black_box(total).is_nan() {
        return f64::NAN;
    }
    seconds
}

/// Room for so many numbers in large pages where the system has them, as NumPy asks for its arrays: what is read from them is
/// measured, not how long the machine looks for small pages. Reads and what they are compared with share the same memory.
pub fn room<T>(count: usize) -> Vec<T> {
    let mut values: Vec<T> = Vec::with_capacity(count);
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 4096;
        let start = (values.as_mut_ptr() as usize).next_multiple_of(PAGE);
        let end = (values.as_ptr() as usize + count * size_of::<T>()) / PAGE * PAGE;
        if start < end {
            // SAFETY: whole pages of the room that was just made; advice changes nothing in them.
            unsafe { libc::madvise(start as *mut _, end - start, libc::MADV_HUGEPAGE) };
        }
    }
    values
}

/// The arguments of this program, after the kernels were told which instruction set to use if `bench/run --isa` says so.
pub fn arguments() -> Vec<String> {
    if let Ok(word) = std::env::var("ADJOIN_BENCH_ISA")
        && !adjoin::isa::force(&word)
    {
        eprintln!("found no {word} on this machine, expected an instruction set that it has");
        std::process::exit(2);
    }
    std::env::args().collect()
}

/// The seconds that `work` takes, and its answer.
pub fn timed<R>(work: impl FnOnce() -> R) -> (f64, R) {
    let start = Instant::now();
    let answer = work();
    (start.elapsed().as_secs_f64(), answer)
}

/// The largest resident size since the start or the last [`forget_peak`], where the system tells (Linux).
pub fn peak() -> usize {
    from_status("VmHWM:")
}

/// Makes [`peak`] begin anew; answers the resident size now.
pub fn forget_peak() -> usize {
    // Not allowed everywhere; then the peak is that of the whole run, which is larger: never flattering.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    from_status("VmRSS:")
}

fn from_status(name: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix(name));
    let kilobytes = line.and_then(|l| l.trim().strip_suffix(" kB")?.trim().parse().ok());
    kilobytes.unwrap_or(0usize) * 1024
}

/// The shape and the numbers of a file in native byte order: `N` counts as u64, then f64, read straight into place.
pub fn numbers<const N: usize>(path: &str) -> std::io::Result<([usize; N], Vec<f64>)> {
    let file = std::fs::File::open(path)?;
    let count = (file.metadata()?.len() / 8) as usize;
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let mut word = [0; 8];
    let mut shape = [0; N];
    for size in &mut shape {
        reader.read_exact(&mut word)?;
        *size = u64::from_ne_bytes(word) as usize;
    }
    let mut values = room(count.saturating_sub(N));
    for _ in N..count {
        reader.read_exact(&mut word)?;
        values.push(f64::from_ne_bytes(word));
    }
    Ok((shape, values))
}

/// The numbers of a file of f32 in native byte order.
pub fn singles(path: &str) -> std::io::Result<Vec<f32>> {
    let file = std::fs::File::open(path)?;
    let count = (file.metadata()?.len() / 4) as usize;
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let mut values = room(count);
    let mut word = [0; 4];
    for _ in 0..count {
        reader.read_exact(&mut word)?;
        values.push(f32::from_ne_bytes(word));
    }
    Ok(values)
}

/// The map of `d` axes that n × n dissimilarities make, row by row.
pub fn fitted(square: &[f64], n: usize, d: usize, run: Run<'_>) -> Result<Map, adjoin::Error> {
    let square = MatRef::from_row_major_slice(square, n, n);
    fitted_to(Entries::Doubles(square), d, run)
}

/// The map of `d` axes that dissimilarities of either precision make.
pub fn fitted_to(entries: Entries<'_>, d: usize, run: Run<'_>) -> Result<Map, adjoin::Error> {
    let square = Square {
        entries,
        kind: Kind::Dissimilarity,
        labels: None,
        made_of: None,
    };
    let settings = FitSettings {
        axes: Axes::Count(d),
        ..Default::default()
    };
    Ok(Map::fit(Objects::Square(square), &settings, run)?.map)
}

/// How many placements are certified, and the worst scaled stationarity.
pub fn proven(placements: &Placements) -> (usize, f64) {
    let certified = |i: &usize| placements.certified(*i) == Some(true);
    (
        (0..placements.count()).filter(certified).count(),
        largest(&placements.stationarity),
    )
}

/// The largest modulus.
pub fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m: f64, v| m.max(v.abs()))
}
