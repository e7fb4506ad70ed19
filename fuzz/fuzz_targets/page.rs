#![no_main]
//! See `adjoin_fuzz::page::page`.

libfuzzer_sys::fuzz_target!(|data: &[u8]| adjoin_fuzz::page::page(data));
