#![no_main]
//! See `adjoin_fuzz::map::map`.

libfuzzer_sys::fuzz_target!(|data: &[u8]| adjoin_fuzz::map::map(data));
