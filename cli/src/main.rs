//! adjoin.
fn main() {}
