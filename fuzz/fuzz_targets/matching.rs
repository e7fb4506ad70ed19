#![no_main]
//! See `adjoin_fuzz::matching::matching`.

libfuzzer_sys::fuzz_target!(|data: &[u8]| adjoin_fuzz::matching::matching(data));
