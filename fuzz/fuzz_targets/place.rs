#![no_main]
//! See `adjoin_fuzz::place::place`.

libfuzzer_sys::fuzz_target!(|data: &[u8]| adjoin_fuzz::place::place(data));
