#![no_main]
//! See `adjoin_fuzz::readers::mega`.

libfuzzer_sys::fuzz_target!(|data: &[u8]| adjoin_fuzz::readers::mega(data));
