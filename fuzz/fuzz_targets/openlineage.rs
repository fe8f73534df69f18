//! Are any bytes read as events either something told or an error?
#![no_main]

use freshness::sources::{BadRows, Events, Origin, Source, TimeRules};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let source = Source {
        origin: Origin::Bytes("bytes".to_owned(), bytes.to_vec()),
        format: None,
    };
    let times = TimeRules {
        now: 1_790_769_600,
        assume_zone: None,
    };
    let read = |source: &Source| {
        let (mut events, mut bad) = (Events::default(), BadRows::default());
        if let Ok(table) = events.read(source, &times, &|_| {}, &mut bad) {
            assert!(table.rows >= bad.n());
        }
        events
    };
    let told = read(&source).told_after(std::iter::empty());
    let told = told.expect("small files stay within all bounds");
    for arrival in &told.told.arrivals {
        assert!((631_152_000..=times.now + 300).contains(&arrival.at));
    }
    for house in &told.told.houses {
        assert!(house.edges.iter().all(|(upstream, downstream)| upstream != downstream));
    }
    // Told again, with what was to be remembered, all of it holds still.
    let known = told.so_far.iter();
    let known = known.map(|run| (run.run_id.as_str(), run.words.as_str()));
    let again = read(&source).told_after(known).expect("no larger");
    assert_eq!(again.told.arrivals, told.told.arrivals);
    assert!(again.arrivals_withdrawn.is_empty(), "{:?}", again.arrivals_withdrawn);
    assert!(again.runs_withdrawn.is_empty(), "{:?}", again.runs_withdrawn);
});
