#![no_main]
//! See `adjoin_fuzz::readers::triangle`.

libfuzzer_sys::fuzz_target!(|data: &[u8]| adjoin_fuzz::readers::triangle(data));
