//! Is any text either a pattern that files can be looked for by, or an error?
#![no_main]

use std::fs;

use freshness::sources::files::{FilePattern, FileRules, read_files};
use freshness::sources::place::Place;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|asked: (&str, Option<&str>, &str)| {
    let (pattern, date, name) = asked;
    let Ok(pattern) = FilePattern::parse(pattern, date) else {
        return;
    };
    let folder = std::env::temp_dir().join(format!("freshness-fuzz-files-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("2026/09")).expect("a temporary folder");
    let is_name = !name.is_empty() && !name.contains(['/', '\0']) && ![".", ".."].contains(&name);
    for name in [Some("o_20260901.csv"), is_name.then_some(name)].into_iter().flatten() {
        // A name may be too long for the disk.
        let _ = fs::write(folder.join("2026/09").join(name), "x");
    }
    let folder = Place::named(&folder.to_string_lossy(), &[]).expect("a path");
    let rules = FileRules {
        now: i64::MAX / 2,
        quiet_seconds: None,
        allow_empty: false,
    };
    let found = read_files(&folder, &pattern, &rules).expect("the folder is there");
    assert!(found.files.len() as u64 <= found.n_meant && found.n_meant <= 2);
});
