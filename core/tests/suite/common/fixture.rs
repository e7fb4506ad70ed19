//! Reads the numbers that other programs made: tests/fixtures/*.json.
#![allow(dead_code)]

use serde_json::Value;

/// A fixture by its file name.
pub fn read(name: &str) -> Value {
    let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The rows of an array; it must not be empty.
pub fn rows(value: &Value) -> impl Iterator<Item = &Value> {
    let rows = value.as_array().expect("an array");
    assert!(!rows.is_empty());
    rows.iter()
}

/// One number; null is NaN.
pub fn number(value: &Value) -> f64 {
    if value.is_null() {
        f64::NAN
    } else {
        value.as_f64().expect("a number")
    }
}

/// A vector.
pub fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .expect("an array")
        .iter()
        .map(number)
        .collect()
}

/// A matrix, by rows.
pub fn matrix(value: &Value) -> Vec<Vec<f64>> {
    rows(value).map(numbers).collect()
}
