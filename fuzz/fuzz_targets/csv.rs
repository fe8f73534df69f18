//! Are any bytes read as Csv either rows or an error?
#![no_main]

use freshness::sources::{BadRows, Format, Origin, Source, TimeRules, read_arrivals};
use freshness_core::civil::Zone;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let source = Source {
        origin: Origin::Bytes("bytes".to_owned(), bytes.to_vec()),
        format: Some(Format::Csv),
    };
    let times = TimeRules {
        now: 1_790_769_600,
        assume_zone: Some(Zone::universal()),
    };
    let (mut bad, mut n_good) = (BadRows::default(), 0);
    let read = read_arrivals(&source, &times, &|_| {}, &mut bad, &mut |_| n_good += 1);
    if let Ok(table) = read {
        assert_eq!(table.rows, n_good + bad.n());
    }
});
