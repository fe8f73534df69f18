//! Is any query of any file of SQLite either answered with arrivals, or an error?
#![no_main]

use std::fs;
use std::time::Duration;

use freshness::sources::database::{Address, one_question};
use freshness::sources::{BadRows, QuerySource, TimeRules, read_query};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|asked: (&str, &[u8])| {
    let (sql, bytes) = asked;
    if let Ok(question) = one_question(sql) {
        // What is one question is one when it is asked.
        assert_eq!(one_question(question), Ok(question));
    }
    let file = std::env::temp_dir().join(format!("freshness-fuzz-{}.db", std::process::id()));
    fs::write(&file, bytes).expect("a temporary file");
    let source = QuerySource {
        label: "query".to_owned(),
        connection: "app".to_owned(),
        address: Address::Sqlite(file),
        sql: sql.to_owned(),
        since: Duration::from_secs(86_400),
        overlap: Duration::ZERO,
        timeout: Duration::from_secs(1),
        times: TimeRules {
            now: 1_790_769_600,
            assume_zone: None,
        },
    };
    let mut bad = BadRows::default();
    if let Ok(read) = read_query(&source, None, &mut bad) {
        assert_eq!(read.table.rows, read.told.arrivals.len() as u64 + bad.n());
        assert_eq!(read.newest, read.told.arrivals.iter().map(|it| it.at).max());
    }
});
