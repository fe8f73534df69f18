//! Can any bytes at all bring a parser down?
//!
//! Each parser is given bytes of three kinds: arbitrary ones, text that is
//! nearly a table, and a good file with some bytes changed. It answers with
//! rows or with an error; every row it saw is either good or reported. The
//! fuzz targets in `fuzz/` ask the same with more time.

use std::io::Write;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use flate2::Compression;
use flate2::write::GzEncoder;
use freshness::sources::{
    BadRows, Events, Format, Origin, ReadDashboards, Source, TimeRules, read_arrivals,
    read_dashboards, read_datasets, read_lineage,
};
use freshness_core::arrivals::CycleName;
use freshness_core::civil::{Holidays, Zone};
use freshness_core::schedule::{Calendar, Grain};
use parquet::arrow::ArrowWriter;
use proptest::prelude::*;

const FORMATS: [Option<Format>; 4] = [
    None,
    Some(Format::Csv),
    Some(Format::Ndjson),
    Some(Format::Parquet),
];

/// Reads the bytes as everything they might be.
fn check_never_panics(bytes: &[u8]) {
    let times = TimeRules {
        now: 1_790_769_600,
        assume_zone: Some(Zone::universal()),
    };
    for format in FORMATS {
        let origin = Origin::Bytes("bytes".to_owned(), bytes.to_vec());
        let source = Source { origin, format };
        let (mut bad, mut n_good) = (BadRows::default(), 0);
        let read = read_arrivals(&source, &times, &|_| {}, &mut bad, &mut |read| {
            assert!((631_152_000..=times.now + 300).contains(&read.at));
            n_good += 1;
        });
        if let Ok(table) = read {
            assert_eq!(table.rows, n_good + bad.n());
        }
        let mut bad = BadRows::default();
        let _ = read_datasets(&source, &Holidays::default(), &|_| {}, &mut bad);
        let mut bad = BadRows::default();
        if let Ok((edges, table)) = read_lineage(&source, &|_| {}, &mut bad) {
            assert_eq!(table.rows, edges.len() as u64 + bad.n());
        }
        check_events(&source, &times);
        let mut bad = BadRows::default();
        if let Ok((found, _)) = read_dashboards(&source, &mut |_| Ok(()), &|_| {}, &mut bad) {
            for dashboard in ReadDashboards::together([found]) {
                assert!(
                    dashboard
                        .parts()
                        .iter()
                        .all(|part| !part.datasets.is_empty())
                );
                let url = dashboard.url.unwrap_or_default().to_ascii_lowercase();
                assert!(url.is_empty() || url.starts_with("http"), "{url}");
            }
        }
    }
}

fn check_events(source: &Source, times: &TimeRules) {
    let (mut events, mut bad) = (Events::default(), BadRows::default());
    let read = events.read(source, times, &|_| {}, &mut bad);
    let told = events.told().unwrap();
    let in_range = |at: i64| (631_152_000..=times.now + 300).contains(&at);
    assert!(told.arrivals.iter().all(|arrival| in_range(arrival.at)));
    if let Ok(table) = read {
        assert!(table.rows >= bad.n() && told.arrivals.len() as u64 <= 2 * table.rows);
    }
}

const CSV: &str =
    "dataset_id,arrived_at,cycle,rows,run_id,covers_through,upstream_id,downstream_id,calendar,tags,dashboard_id,part,url
a,2026-09-01T05:00:00Z,2026-08-31,7,r1,2026-09-01T00:00:00Z,a,b,Mon-Fri,\"x,y\",d,top,https://d
b,1788238800000,,,,,b,c,hourly 9-17,,d,,
";
const NDJSON: &str = "{\"dataset_id\":\"a\",\"arrived_at\":1788238800.5,\"rows\":1e3,\"tags\":[\"x\"],\"upstream_id\":\"a\",\"downstream_id\":7,\"dashboard_id\":\"d\",\"url\":\"ftp://d\"}
{\"dataset_id\":\"b\",\"arrived_at\":\"2026-09-01 05:00:00 UTC\",\"critical\":null}
";

const EVENTS: &str = "{\"eventType\":\"COMPLETE\",\"eventTime\":\"2026-09-01T05:00:00Z\",\"run\":{\"runId\":\"0195471c-0000-7000-8000-000000000001\",\"facets\":{\"nominalTime\":{\"nominalStartTime\":\"2026-09-01T00:00:00Z\"}}},\"job\":{\"namespace\":\"n\",\"name\":\"j\"},\"inputs\":[{\"namespace\":\"n\",\"name\":\"a\"}],\"outputs\":[{\"namespace\":\"n\",\"name\":\"b\",\"facets\":{\"symlinks\":{\"identifiers\":[{\"namespace\":\"m\",\"name\":\"b\",\"type\":\"TABLE\"}]},\"columnLineage\":{\"fields\":{\"x\":{\"inputFields\":[{\"namespace\":\"n\",\"name\":\"c\",\"field\":\"x\"}]}}}},\"outputFacets\":{\"outputStatistics\":{\"rowCount\":7}}}]}
{\"eventTime\":\"2026-09-01T05:00:00Z\",\"dataset\":{\"namespace\":\"n\",\"name\":\"b\",\"facets\":{\"lifecycleStateChange\":{\"lifecycleStateChange\":\"RENAME\",\"previousIdentifier\":{\"namespace\":\"n\",\"name\":\"a\"}}}}}
";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn parquet() -> Vec<u8> {
    let ids: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), Some("b"), None]));
    let at: ArrayRef = Arc::new(Int64Array::from(vec![1_788_238_800, -1, i64::MAX]));
    let columns = [
        ("dataset_id", ids.clone()),
        ("arrived_at", at),
        ("run_id", ids),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn any_bytes_are_rows_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        check_never_panics(&bytes);
        check_never_panics(&[b"dataset_id,arrived_at\n".as_slice(), &bytes].concat());
        check_never_panics(&[b"\x1f\x8b".as_slice(), &bytes].concat());
        check_never_panics(&[b"PAR1".as_slice(), &bytes, b"PAR1"].concat());
    }

    #[test]
    fn nearly_a_table_is_rows_or_an_error(text in "[a-z_,;\"\n\r\t{}\\[\\]:0-9Té -]{0,200}") {
        check_never_panics(text.as_bytes());
        check_never_panics(format!("{CSV}{text}").as_bytes());
        check_never_panics(format!("{NDJSON}{text}").as_bytes());
        check_never_panics(format!("[{}{text}", EVENTS.trim_end().replace('\n', ",")).as_bytes());
    }

    #[test]
    fn a_file_with_changed_bytes_is_rows_or_an_error(
        file in 0usize..5,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in proptest::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = match file {
            0 => CSV.as_bytes().to_vec(),
            1 => NDJSON.as_bytes().to_vec(),
            2 => gzip(CSV.as_bytes()),
            3 => EVENTS.as_bytes().to_vec(),
            _ => parquet(),
        };
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        check_never_panics(&bytes);
    }

    #[test]
    fn any_text_is_a_cycle_a_calendar_a_grain_or_an_error(text in "\\PC{0,60}") {
        let _ = text.parse::<CycleName>();
        let _ = text.parse::<Grain>();
        if let Ok(calendar) = text.parse::<Calendar>() {
            prop_assert_eq!(calendar.to_string().parse::<Calendar>(), Ok(calendar));
        }
    }

    #[test]
    fn a_cycle_that_can_be_read_comes_back_from_its_text(
        text in "[-+]?[0-9]{4,6}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?)?(Z|[+-][0-9]{2}:[0-9]{2})?"
    ) {
        if let Ok(cycle) = text.parse::<CycleName>() {
            prop_assert_eq!(cycle.to_string().parse(), Ok(cycle), "{}", text);
        }
    }

    #[test]
    fn nearly_a_calendar_reads_back_as_itself(
        text in "(every|hourly|monthly|weekly|business|day|days|last|[0-9]{1,2}|[0-9]{1,2}:[0-9]{2}|mon|fri|US|[-,;+–]| ){1,8}"
    ) {
        if let Ok(calendar) = text.parse::<Calendar>() {
            prop_assert_eq!(calendar.to_string().parse::<Calendar>(), Ok(calendar), "{}", text);
        }
    }

    #[test]
    fn the_order_of_columns_never_shows(
        (names, order) in Just(vec!["dataset_id", "arrived_at", "rows", "extra"])
            .prop_flat_map(|names| (Just(names.clone()), Just(names).prop_shuffle()))
    ) {
        let values = ["a", "2026-09-01T05:00:00Z", "7", "x"];
        let row: Vec<&str> = order
            .iter()
            .map(|name| values[names.iter().position(|other| other == name).unwrap()])
            .collect();
        let content = format!("{}\n{}\n", order.join(","), row.join(","));
        let source = Source {
            origin: Origin::Bytes("bytes".to_owned(), content.into_bytes()),
            format: None,
        };
        let times = TimeRules { now: 1_790_769_600, assume_zone: None };
        let (mut bad, mut seen) = (BadRows::default(), Vec::new());
        read_arrivals(&source, &times, &|_| {}, &mut bad, &mut |read| {
            seen.push((read.dataset.to_string(), read.at, read.rows));
        })
        .unwrap();
        prop_assert_eq!(seen, [("a".to_owned(), 1_788_238_800, Some(7))]);
        prop_assert!(bad.is_empty());
    }
}
