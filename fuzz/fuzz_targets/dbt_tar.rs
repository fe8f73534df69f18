//! Are any bytes at all either a tar of what dbt wrote, or an error?
#![no_main]

use freshness::sources::read_dbt_tar;
use freshness_core::civil::Holidays;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for skip in [false, true] {
        let _ = read_dbt_tar("targets.tar", bytes, skip, &Holidays::default());
    }
});
