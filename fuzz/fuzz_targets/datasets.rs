//! Are any bytes read as declarations either datasets or an error?
#![no_main]

use freshness::sources::{BadRows, Origin, Source, read_datasets};
use freshness_core::civil::Holidays;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let source = Source {
        origin: Origin::Bytes("bytes".to_owned(), bytes.to_vec()),
        format: None,
    };
    let mut bad = BadRows::default();
    let _ = read_datasets(&source, &Holidays::default(), &|_| {}, &mut bad);
});
