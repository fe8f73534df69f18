//! Do writers of one ledger get out of each other's way, and does it survive
//! their death?
//!
//! Eight processes publish to the same source and scope at once: most in bulk,
//! some one release a process, some killed at a random moment and begun again.

mod house;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use freshness_core::coverage::ScopeKey;
use freshness_store::{Access, AttemptFilter, Outcome, Store};
use house::House;

/// 2026-03-02T06:00:00Z.
const SIX: u64 = 1_772_431_200;
const WRITERS: u64 = 8;
const RELEASES: u64 = 10_000;
/// Of them, each told by a process of its own.
const ALONE: u64 = 20;

fn warehouse() -> House {
    let house = House::empty();
    let contracts =
        "source,scope,max_source_lag_minutes,max_publication_gap_minutes\norders,FR,60,60\n";
    fs::write(house.path("contracts.csv"), contracts).unwrap();
    house
        .run("coverage contracts import contracts.csv")
        .expect(0);
    house
}

/// Lines of one writer. All are complete through the same instant, so that no
/// order of them is a regression; every tenth has an impossible time besides.
fn lines(writer: u64, n: u64) -> String {
    let mut lines = String::new();
    for i in 0..n {
        let line = |run: &str, published: u64| {
            format!(
                "{{\"source\":\"orders\",\"scope\":\"FR\",\"run_id\":\"{run}\",\
                 \"complete_through\":{SIX},\"published_at\":{published}}}"
            )
        };
        writeln!(lines, "{}", line(&format!("w{writer}-{i}"), SIX + 60)).unwrap();
        if i % 10 == 0 {
            writeln!(lines, "{}", line(&format!("w{writer}-bad-{i}"), SIX - 1)).unwrap();
        }
    }
    lines
}

fn refused_of(n: u64) -> u64 {
    n.div_ceil(10)
}

fn publish(house: &House, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_freshness"));
    command
        .current_dir(house.path(""))
        .args(["--now", "2026-03-02T06:30:00Z", "coverage", "publish"])
        .args(arguments);
    command
}

/// Kills and begins again until everything was said to be stored; gives the
/// runs that were said to be accepted by a process that was killed.
fn insist(house: &House, file: &str, kills: u64, salt: u64) -> Vec<String> {
    let mut said = Vec::new();
    for round in 0.. {
        let mut child = publish(house, &["--file", file, "--format", "ndjson"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        if round < kills {
            // Some moment of the work; which one differs from machine to machine.
            thread::sleep(Duration::from_millis(15 + (salt * 37 + round * 53) % 180));
            child.kill().unwrap();
        }
        let heard = BufReader::new(child.stdout.take().unwrap());
        for line in heard.lines().map_while(Result::ok) {
            // The last line may be cut off.
            let Ok(line) = serde_json::from_str::<serde_json::Value>(&line) else {
                continue;
            };
            if line["outcome"] == "accepted" {
                said.push(line["run_id"].as_str().unwrap().to_owned());
            }
        }
        let status = child.wait().unwrap();
        if round >= kills {
            // Some lines are refused.
            assert_eq!(status.code(), Some(1));
            return said;
        }
    }
    unreachable!("it ends by itself")
}

#[test]
fn eight_writers_leave_no_hole_no_double_and_no_loss_whatever_is_killed() {
    let house = warehouse();
    let each = (RELEASES - ALONE) / WRITERS;
    let rest = (RELEASES - ALONE) - each * (WRITERS - 1);
    let n_of = |writer: u64| if writer == 0 { rest } else { each };
    for writer in 0..WRITERS {
        fs::write(
            house.path(&format!("w{writer}.ndjson")),
            lines(writer, n_of(writer)),
        )
        .unwrap();
    }
    let said: Vec<Vec<String>> = thread::scope(|scope| {
        let house = &house;
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                scope.spawn(move || {
                    // Half of the writers die, twice each.
                    let kills = if writer % 2 == 0 { 2 } else { 0 };
                    insist(house, &format!("w{writer}.ndjson"), kills, writer)
                })
            })
            .collect();
        for i in 0..ALONE {
            let run = format!("alone-{i}");
            let through = SIX.to_string();
            let published = (SIX + 60).to_string();
            let told = publish(
                house,
                &[
                    "--source",
                    "orders",
                    "--scope",
                    "FR",
                    "--run-id",
                    &run,
                    "--complete-through",
                    &through,
                    "--published-at",
                    &published,
                ],
            )
            .output()
            .unwrap();
            assert_eq!(told.status.code(), Some(0), "{told:?}");
        }
        let join = |writer: thread::ScopedJoinHandle<'_, Vec<String>>| writer.join().unwrap();
        writers.into_iter().map(join).collect()
    });

    let store = Store::open(house.path(".freshness/freshness.db"), Access::ReadOnly).unwrap();
    let key = ScopeKey::new("orders", "FR").unwrap();
    let mut ledger = store.publications(&key, u64::MAX >> 1).unwrap();
    ledger.reverse();
    let seqs: Vec<u64> = ledger.iter().map(|release| release.seq).collect();
    assert_eq!(seqs, (1..=RELEASES).collect::<Vec<_>>());
    let seq_of: BTreeMap<&str, u64> = ledger
        .iter()
        .map(|release| (release.run_id.as_str(), release.seq))
        .collect();
    assert_eq!(
        seq_of.len() as u64,
        RELEASES,
        "a run is in the ledger twice"
    );
    // What was said to be accepted is there, also if the process died after.
    for run in said.iter().flatten() {
        assert!(seq_of.contains_key(run.as_str()), "lost: {run}");
    }
    assert_eq!(
        store.ledgered().unwrap()[0].newest.as_ref().unwrap().seq,
        Some(RELEASES as i64)
    );

    let attempts = store
        .attempts(&AttemptFilter {
            at_most: u64::MAX >> 1,
            ..AttemptFilter::default()
        })
        .unwrap();
    let mut n_refused: BTreeMap<&str, u64> = BTreeMap::new();
    let mut n_accepted = 0;
    for attempt in &attempts {
        match attempt.outcome {
            Outcome::Accepted => n_accepted += 1,
            Outcome::Refused => {
                assert_eq!(attempt.reason.as_deref(), Some("clock_order"));
                *n_refused
                    .entry(attempt.run_id.as_deref().unwrap())
                    .or_default() += 1;
            }
            Outcome::Repeated => {}
            Outcome::Begun | Outcome::Aborted => panic!("{attempt:?}"),
        }
    }
    assert_eq!(n_accepted, RELEASES);
    let expected: u64 = (0..WRITERS).map(|writer| refused_of(n_of(writer))).sum();
    assert_eq!(n_refused.len() as u64, expected);
    assert_eq!(store.integrity().unwrap().problems, Vec::<String>::new());
}

#[test]
fn a_ledger_that_cannot_be_written_says_so() {
    let house = warehouse();
    fs::write(house.path("one.ndjson"), lines(1, 1)).unwrap();
    let elsewhere = "--store nowhere.db coverage publish --file one.ndjson";
    let ran = house.run(elsewhere).expect(2);
    assert!(ran.stderr.contains("no store: nowhere.db"), "{ran:?}");
    let ran = house
        .run("coverage publish --file missing.ndjson")
        .expect(2);
    assert!(
        ran.stderr.contains("missing.ndjson: no such file"),
        "{ran:?}"
    );
}
