//! Are any dashboards either rows that are refused, or reports that show something?
#![no_main]

use freshness::sources::{BadRows, Origin, ReadDashboards, Source, read_dashboards};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let source = Source {
        origin: Origin::Bytes("bytes".to_owned(), bytes.to_vec()),
        format: None,
    };
    let mut bad = BadRows::default();
    let Ok((found, _)) = read_dashboards(&source, &mut |_| Ok(()), &|_| {}, &mut bad) else {
        return;
    };
    for dashboard in ReadDashboards::together([found]) {
        assert!(dashboard.parts().iter().all(|part| !part.datasets.is_empty()));
    }
});
