//! Does any cycle that can be read come back from its text?
#![no_main]

use freshness_core::arrivals::CycleName;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(cycle) = text.parse::<CycleName>() {
        assert_eq!(cycle.to_string().parse(), Ok(cycle));
    }
});
