//! Is any metadata of an Iceberg table either arrivals or an error?
#![no_main]

use std::fs;

use freshness::sources::lake::read_iceberg;
use freshness::sources::place::Place;
use freshness_core::dataset::DatasetId;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let folder = std::env::temp_dir().join(format!("freshness-fuzz-iceberg-{}", std::process::id()));
    let metadata = folder.join("metadata");
    fs::create_dir_all(&metadata).expect("a temporary folder");
    fs::write(metadata.join("v1.metadata.json"), bytes).expect("a file in it");
    let table = Place::named(&folder.to_string_lossy(), &[]).expect("a path");
    let dataset = DatasetId::try_from("t").expect("a name");
    if let Ok(read) = read_iceberg(&table, None, &dataset, Some("day"), None) {
        assert!(read.n_brought <= read.n_read);
        let again = read_iceberg(&table, None, &dataset, Some("day"), read.cursor.as_deref());
        let again = again.expect("what was read can be read again");
        assert!(again.told.arrivals.is_empty() && again.cursor == read.cursor);
    }
});
