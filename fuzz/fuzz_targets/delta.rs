//! Is any log of a Delta table either arrivals or an error?
#![no_main]

use std::fs;

use freshness::sources::lake::read_delta;
use freshness::sources::place::Place;
use freshness_core::dataset::DatasetId;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let folder = std::env::temp_dir().join(format!("freshness-fuzz-delta-{}", std::process::id()));
    let log = folder.join("_delta_log");
    fs::create_dir_all(&log).expect("a temporary folder");
    // Two commits, so that what one says does not reach the other.
    let (first, second) = bytes.split_at(bytes.len() / 2);
    for (version, bytes) in [first, second].into_iter().enumerate() {
        fs::write(log.join(format!("{version:020}.json")), bytes).expect("a file in it");
    }
    let table = Place::named(&folder.to_string_lossy(), &[]).expect("a path");
    let dataset = DatasetId::try_from("t").expect("a name");
    if let Ok(read) = read_delta(&table, &dataset, Some("day"), None) {
        assert_eq!(read.n_read, 2);
        let again = read_delta(&table, &dataset, Some("day"), read.cursor.as_deref());
        let again = again.expect("what was read can be read again");
        assert!(again.told.arrivals.is_empty() && again.cursor == read.cursor);
    }
});
