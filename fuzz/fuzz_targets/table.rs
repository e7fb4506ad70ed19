#![no_main]
//! See `adjoin_fuzz::readers::table`.

libfuzzer_sys::fuzz_target!(|data: &[u8]| adjoin_fuzz::readers::table(data));
