//! Are any bytes read as runs either rows or an error?
#![no_main]

use freshness::sources::{BadRows, Origin, Source, TimeRules, read_runs};
use freshness_core::civil::Zone;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let source = Source {
        origin: Origin::Bytes("bytes".to_owned(), bytes.to_vec()),
        format: None,
    };
    let times = TimeRules {
        now: 1_790_769_600,
        assume_zone: Some(Zone::universal()),
    };
    let mut bad = BadRows::default();
    if let Ok((runs, table)) = read_runs(&source, &times, &|_| {}, &mut bad) {
        assert_eq!(table.rows, runs.len() as u64 + bad.n());
    }
});
