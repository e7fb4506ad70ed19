//! Room for as many numbers as a question asks for, or an error that says how much that is.

use crate::error::Error;

/// Zeros, `rows` × `columns` of them; an error if the system does not have the memory.
pub(crate) fn zeros(rows: usize, columns: usize) -> Result<Vec<f64>, Error> {
    let full = Error::Memory { rows, columns };
    let Some(size) = rows.checked_mul(columns) else {
        return Err(full);
    };
    // Asked for and given back untouched, which costs nothing: what is asked for next is zeroed by the system as it is used.
    if Vec::<f64>::new().try_reserve_exact(size).is_err() {
        return Err(full);
    }
    Ok(vec![0.0; size])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_had_is_an_error_with_its_size() {
        assert_eq!(zeros(2, 3).unwrap(), [0.0; 6]);
        for (n, size) in [
            (10_000_000, "800.0 TB"),
            (usize::MAX / 2, "more than 18 EB"),
        ] {
            let message = zeros(n, n).unwrap_err().to_string();
            assert!(
                message.contains(size) && message.contains(&n.to_string()),
                "{message}"
            );
        }
    }
}
