//! Is any file of promises either declarations, or remarks with a place?
#![no_main]

use std::fs;

use freshness::sources::read_promises;
use freshness_core::civil::Holidays;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let folder = std::env::temp_dir().join(format!("freshness-fuzz-slo-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a temporary folder");
    // Levels above a contract are of the same form.
    let (above, contract) = text.split_once("\n===\n").unwrap_or(("", text));
    fs::write(folder.join("_system.yaml"), above).expect("a file in it");
    fs::write(folder.join("contract.yaml"), contract).expect("a file in it");
    let _ = read_promises(&folder, &Holidays::default());
});
