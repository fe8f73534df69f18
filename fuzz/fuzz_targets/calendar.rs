//! Does any calendar that can be read come back from its text, and list its
//! cycles in order?
#![no_main]

use freshness_core::civil::{Holidays, Zone};
use freshness_core::schedule::Calendar;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(calendar) = text.parse::<Calendar>() else {
        return;
    };
    assert_eq!(calendar.to_string().parse(), Ok(calendar.clone()));
    // Two weeks from 2026-10-20, across a clock change in Berlin.
    let zone = Zone::named("Europe/Berlin").expect("in the database");
    let (from, to) = (1_792_454_400, 1_793_664_000);
    let cycles = calendar.cycles(zone, &Holidays::default(), from, to);
    assert!(cycles.windows(2).all(|pair| pair[0].start < pair[1].start));
});
