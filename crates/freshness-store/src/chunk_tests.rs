//! Does a chunk give back what was put in, and refuse what was not?

use super::*;
use proptest::prelude::*;

fn all(packed: &[u8]) -> Result<NewestFirst, ChunkError> {
    let mut columns = NewestFirst::default();
    decode(packed, &mut columns, |_, _| false)?;
    Ok(columns)
}

fn detail() -> impl Strategy<Value = ArrivalDetail> {
    let cycle = prop_oneof![
        any::<i64>().prop_map(CycleName::Civil),
        (0i64..1 << 34).prop_map(CycleName::Instant),
    ];
    (
        proptest::option::of(cycle),
        proptest::option::of("run-[a-zé0-9]{0,6}"),
        proptest::option::of(any::<i64>()),
        proptest::option::of(any::<u64>()),
    )
        .prop_map(|(cycle, run_id, covers_through, rows)| ArrivalDetail {
            cycle,
            run_id: run_id.map(Into::into),
            covers_through,
            rows,
        })
}

fn arrivals() -> impl Strategy<Value = (Vec<i64>, Vec<ArrivalDetail>)> {
    let rows = proptest::collection::vec((0i64..1 << 34, detail()), 1..60);
    (rows, any::<bool>()).prop_map(|(mut rows, plain)| {
        rows.sort();
        let (at, details) = rows.into_iter().unzip();
        (at, if plain { Vec::new() } else { details })
    })
}

proptest! {
    #[test]
    fn a_chunk_gives_back_what_was_put_in((at, details) in arrivals()) {
        let mut columns = all(&encode(&at, &details)).unwrap();
        columns.at.reverse();
        columns.details.reverse();
        prop_assert_eq!(&columns.at, &at);
        if details.iter().any(|detail| !detail.is_empty()) {
            prop_assert_eq!(&columns.details, &details);
        } else {
            prop_assert!(columns.details.is_empty());
        }
    }

    #[test]
    fn the_newest_few_are_the_start_of_all((at, details) in arrivals(), n in 1usize..70) {
        let packed = encode(&at, &details);
        let whole = all(&packed).unwrap();
        let mut few = NewestFirst::default();
        decode(&packed, &mut few, |so_far, _| so_far >= n).unwrap();
        let n = n.min(at.len());
        prop_assert_eq!(&few.at[..], &whole.at[..n]);
        prop_assert_eq!(&few.details[..], &whole.details[..n.min(whole.details.len())]);
    }

    #[test]
    fn a_changed_bit_is_noticed((at, details) in arrivals(), place in any::<prop::sample::Index>(), bit in 0..8u32) {
        let mut packed = encode(&at, &details);
        let i = place.index(packed.len());
        packed[i] ^= 1 << bit;
        prop_assert_eq!(all(&packed), Err(ChunkError::Checksum));
    }

    #[test]
    fn bytes_with_a_right_checksum_never_panic(mut body in proptest::collection::vec(any::<u8>(), 0..200), start in any::<bool>()) {
        if start && body.len() > 2 {
            body[0] = VERSION;
            body[1] &= ALL_COLUMNS;
        }
        let crc = crc32fast::hash(&body);
        body.extend_from_slice(&crc.to_le_bytes());
        if let Ok(columns) = all(&body) {
            prop_assert!(columns.at.is_sorted_by(|newer, older| newer >= older));
        }
    }
}

#[test]
fn a_chunk_of_another_version_is_refused_by_its_number() {
    let mut body = vec![9, 0];
    let crc = crc32fast::hash(&body);
    body.extend_from_slice(&crc.to_le_bytes());
    assert_eq!(all(&body), Err(ChunkError::Version(9)));
}

#[test]
fn a_year_of_daily_arrivals_takes_two_bytes_each() {
    let at: Vec<i64> = (0..365)
        .map(|day| 1_700_000_000 + day * 86_400 + day * 7_919 % 1_200)
        .collect();
    assert!(encode(&at, &[]).len() < 365 * 2 + 30);
}
