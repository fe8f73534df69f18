//! Are any edges either a lineage, or in a circle that is named?
#![no_main]

use freshness::sources::{BadRows, Origin, Source, read_lineage};
use freshness_core::lineage::{Lineage, LineageError};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let source = Source {
        origin: Origin::Bytes("bytes".to_owned(), bytes.to_vec()),
        format: None,
    };
    let mut bad = BadRows::default();
    let Ok((edges, _)) = read_lineage(&source, &|_| {}, &mut bad) else {
        return;
    };
    let pairs = edges.into_iter().map(|edge| (edge.upstream, edge.downstream));
    if let Err(LineageError::Cycle(cycle)) = Lineage::new(pairs) {
        assert!(!cycle.is_empty());
    }
});
