#![no_main]
//! See `adjoin_fuzz::joint::joint`.

libfuzzer_sys::fuzz_target!(|data: &[u8]| adjoin_fuzz::joint::joint(data));
