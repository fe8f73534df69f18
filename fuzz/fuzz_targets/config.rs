//! Is any text either a configuration, or an error that names a place in it?
#![no_main]

use std::fs;

use freshness::config::ConfigFile;
use freshness::sources::typed_keys;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let name = format!("freshness-fuzz-config-{}.yaml", std::process::id());
    let file = std::env::temp_dir().join(name);
    fs::write(&file, text).expect("a temporary file");
    if ConfigFile::read(Some(&file)).is_ok() {
        // What is read has keys that can be shown with their lines.
        let n_lines = text.lines().count() as u32;
        for key in typed_keys(text, "freshness.yaml").unwrap_or_default() {
            assert!((1..=n_lines.max(1)).contains(&key.line), "{key:?}");
        }
    }
});
