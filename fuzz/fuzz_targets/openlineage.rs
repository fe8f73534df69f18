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
    let (mut events, mut bad) = (Events::default(), BadRows::default());
    let read = events.read(&source, &times, &|_| {}, &mut bad);
    if let Ok(table) = read {
        assert!(table.rows >= bad.n());
    }
    let told = events.told().expect("small files stay within all bounds");
    for arrival in told.arrivals {
        assert!((631_152_000..=times.now + 300).contains(&arrival.at));
    }
    for house in told.houses {
        assert!(house.edges.iter().all(|(upstream, downstream)| upstream != downstream));
    }
});
