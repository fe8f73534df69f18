//! Does coverage hold from a reviewed file to an exit code?
//!
//! The five situations, each told by the real binary: a missing scope, a valid
//! empty interval, stale data published again, an impossible time, a failed
//! publication.

mod contracts;
#[path = "../house/mod.rs"]
mod house;
mod releases;
mod situations;
mod watched;

use std::fs;
use std::io::Write as _;

use house::{House, Ran};

const CONTRACTS: &str = "\
contracts:
  - source: orders
    scope: DE
    max_source_lag_minutes: 120
    max_publication_gap_minutes: 60
    dataset: raw_orders
    owner: ana
  - source: orders
    scope: FR
    max_source_lag_minutes: 120
    max_publication_gap_minutes: 60
    dataset: raw_orders
";

/// A warehouse with two contracts, at 06:30 on 2 March 2026.
struct Covered(House);

impl Covered {
    fn new() -> Covered {
        let house = House::empty();
        fs::write(house.path("contracts.yaml"), CONTRACTS).unwrap();
        house
            .run("coverage contracts import contracts.yaml")
            .expect(0);
        Covered(house)
    }

    /// … where Germany is complete, and nothing came of France since yesterday.
    fn without_france() -> Covered {
        let covered = Covered::new();
        covered.publish("DE", "r1", SIX, NOW).expect(0);
        let published = "--published-at 2026-03-01T06:04:00Z";
        let france = covered.publish("FR", "r1", "2026-03-01T06:00:00Z", published);
        france.expect(0);
        covered
    }

    fn run(&self, arguments: &str) -> Ran {
        self.0
            .run(&format!("--now 2026-03-02T06:30:00Z coverage {arguments}"))
    }

    fn publish(&self, scope: &str, run: &str, through: &str, rest: &str) -> Ran {
        self.run(&format!(
            "publish --source orders --scope {scope} --run-id {run} --complete-through {through} {rest}"
        ))
    }

    #[track_caller]
    fn check(&self, code: i32, conditions: &[(&str, &str)]) -> serde_json::Value {
        let ran = self.run("check --format json");
        assert_eq!(ran.code, Some(code), "{ran:?}");
        let document: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        let found: Vec<(&str, &str)> = document["scopes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|scope| {
                let text = |key: &str| scope[key].as_str().unwrap();
                (text("scope"), text("condition"))
            })
            .collect();
        assert_eq!(found, conditions);
        document
    }
}

const SIX: &str = "2026-03-02T06:00:00Z";

const NOW: &str = "--published-at 2026-03-02T06:04:00Z";
