//! Can everybody use what is shown? axe-core asks, inside the page.

use std::io::Read;

use flate2::read::GzDecoder;
use serde_json::Value;

use super::browser::Page;

const AXE: &[u8] = include_bytes!("axe.min.js.gz");

/// axe finds nothing that is serious or worse.
#[track_caller]
pub(crate) fn check_accessible(page: &Page) {
    let mut axe = String::new();
    GzDecoder::new(AXE).read_to_string(&mut axe).unwrap();
    page.ask(&format!("{axe}; void 0"));
    let found = page.ask(
        "axe.run(document, { resultTypes: ['violations'] }).then(({ violations, passes }) => ({
           n_rules: passes.length,
           violations: violations.map(({ id, impact, help, nodes }) => ({ id, impact, help,
             nodes: nodes.slice(0, 3).map((node) => node.failureSummary + ' ' + node.html.slice(0, 200)) })) }))",
    );
    // It did look.
    assert!(found["n_rules"].as_u64().unwrap() > 10, "{found}");
    let serious: Vec<&Value> = found["violations"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| ["serious", "critical"].contains(&it["impact"].as_str().unwrap_or("serious")))
        .collect();
    assert!(serious.is_empty(), "{serious:#?}");
}
