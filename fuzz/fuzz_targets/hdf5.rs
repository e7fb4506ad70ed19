#![no_main]
//! See `adjoin_fuzz::readers::hdf5`.

libfuzzer_sys::fuzz_target!(|data: &[u8]| adjoin_fuzz::readers::hdf5(data));
