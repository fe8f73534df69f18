//! Do several commands share a store, and does it survive their death?

mod house;

use std::fs;
use std::process::Child;

use freshness_store::{Access, Store};
use house::{House, Ran};

const STORE: &str = ".freshness/freshness.db";

fn finish(child: Child) -> Ran {
    Ran::from(child.wait_with_output().unwrap())
}

#[test]
fn two_imports_and_a_check_at_once_all_succeed() {
    let house = House::fitted();
    for name in ["left", "right"] {
        let rows: String = (0..20_000)
            .map(|i| format!("{name}_{},{}\n", i % 50, 1_700_000_000 + i * 60))
            .collect();
        let file = house.path(&format!("{name}.csv"));
        fs::write(file, format!("dataset_id,arrived_at\n{rows}")).unwrap();
    }
    let left = house.start("import arrivals left.csv");
    let right = house.start("import arrivals right.csv");
    let check = house.start("check");
    finish(left).expect(0);
    finish(right).expect(0);
    finish(check).expect(1);
    house.run("fit").expect(0);
    let ran = house.run("status --format ndjson").expect(0);
    assert_eq!(ran.stdout.lines().count(), 104);
}

/// Kills a command after ever more of its work, until it is done before; on a
/// busy machine, which lets it finish in a turn, again and again.
fn kill_during(house: &House, line: &str, whole: impl Fn(&Store)) {
    const MAX_ROUNDS: u32 = 50;
    let mut n_killed_at_work = 0;
    for _ in 0..MAX_ROUNDS {
        for turns in (0..).map(|step: u32| step * 10) {
            let ended = kill_after(house.start(line), turns);
            let store = Store::open(house.path(STORE), Access::ReadOnly).unwrap();
            assert_eq!(store.integrity().unwrap().problems, Vec::<String>::new());
            whole(&store);
            n_killed_at_work += u32::from(turns > 0 && !ended);
            if ended {
                break;
            }
        }
        if n_killed_at_work > 1 {
            return;
        }
    }
    panic!("killed {n_killed_at_work} times at work in {MAX_ROUNDS} rounds");
}

/// Lets the child run for so many turns; tells whether it ended before.
fn kill_after(mut child: Child, turns: u32) -> bool {
    for _ in 0..turns {
        if child.try_wait().unwrap().is_some() {
            return true;
        }
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    false
}

#[test]
fn a_fit_that_is_killed_leaves_all_models_or_none() {
    let house = House::imported();
    kill_during(&house, "fit", |store| {
        let n_models = store.model_rows().unwrap().len();
        let n_runs = usize::from(store.last_fit().unwrap().is_some());
        assert_eq!(n_models, 4 * n_runs);
    });
    house.run("fit").expect(0);
    house.run("check").expect(1);
}

#[test]
fn a_check_that_is_killed_is_recorded_whole_or_not_at_all() {
    let house = House::fitted();
    kill_during(&house, "check", |store| {
        let n_states = store.states().unwrap().len();
        let n_checks = usize::from(store.last_check().unwrap().is_some());
        assert_eq!(n_states, 4 * n_checks);
    });
    house.run("check").expect(1);
}
