//! Does a window of maintenance put off what is promised, everywhere, and not for ever?

mod house;

use std::fs;

use house::House;
use serde_json::Value;

/// No loads on Saturday night: from 20:00 on 2026-02-28 to 04:00.
const NIGHT: &str = "maintenance:
- {match: fct_orders, weekdays: Sat, from: '20:00', to: '04:00', timezone: UTC, reason: no loads}
";

/// `fct_orders` ran on Saturday morning; on Sunday at 05:50 its data is a day old, and
/// at 07:30 the next is owed.
fn house() -> House {
    let house = House::empty();
    fs::create_dir_all(house.path("slo")).unwrap();
    let promise = "dataset: fct_orders
service_levels:
  freshness: {threshold: 24h, field: updated_at, source_field: made_at, source_threshold: 24h, deadline: '07:30'}
  row_count: {min_rows: 100}
";
    fs::write(house.path("slo/orders.yaml"), promise).unwrap();
    let runs = "dataset_id,run_id,finished_at,counts_source,newest,source_newest
fct_orders,1,2026-02-28T06:00:00Z,1000,2026-02-28T05:50:00Z,2026-02-28T05:50:00Z
";
    fs::write(house.path("runs.csv"), runs).unwrap();
    let boards = "dashboard_id,dataset_id\nboard,fct_orders\n";
    fs::write(house.path("boards.csv"), boards).unwrap();
    let datasets = "dataset_id,critical\nfct_orders,true\n";
    fs::write(house.path("datasets.csv"), datasets).unwrap();
    for line in [
        "import slo slo",
        "import runs runs.csv",
        "import datasets datasets.csv",
        "import dashboards boards.csv",
    ] {
        house.run(line).expect(0);
    }
    house
}

/// … and a scope feeds it, which is covered up to the evening.
fn covered() -> House {
    let house = house();
    let contracts = "source,scope,dataset,max_source_lag_minutes,max_publication_gap_minutes
orders,FR,fct_orders,300,300
";
    fs::write(house.path("contracts.csv"), contracts).unwrap();
    for line in [
        "coverage contracts import contracts.csv",
        "coverage publish --source orders --scope FR --run-id r --now 2026-02-28T19:05:00Z \
         --complete-through 2026-02-28T19:00:00Z --published-at 2026-02-28T19:00:00Z",
    ] {
        house.run(line).expect(0);
    }
    house
}

fn configure(house: &House, maintenance: &str) {
    fs::write(house.path("freshness.yaml"), maintenance).unwrap();
}

fn json(house: &House, line: &str) -> Value {
    let ran = house.run(&format!("{line} --format json"));
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"))
}

/// Outcomes of `slo check`, by objective.
fn outcomes(house: &House, now: &str) -> Vec<(String, String)> {
    let said = json(house, &format!("slo check --now {now}"));
    let verdicts = said["verdicts"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let told = |it: &Value| match it["because"]["reason"].as_str() {
        Some("put_off") => text(&it["because"]["due_at"]),
        _ => text(&it["outcome"]),
    };
    verdicts
        .map(|it| (text(&it["objective"]), told(it)))
        .collect()
}

/// On Sunday, past every limit, and while what the window took is made up for.
const PUT_OFF: &str = "2026-03-01T08:00:00Z";
/// … and past that.
const OVER: &str = "2026-03-01T12:30:00Z";

#[test]
fn what_is_promised_is_put_off_and_broken_once_it_had_its_time() {
    let house = house();
    configure(&house, "");
    house.run(&format!("slo check --now {PUT_OFF}")).expect(1);
    house.run(&format!("check --now {PUT_OFF}")).expect(1);
    configure(&house, NIGHT);
    // The window took eight hours, which are there after it.
    let noon = "2026-03-01T12:00:00Z";
    let expected = [
        ("freshness", noon),
        ("source_freshness", noon),
        ("deadline", noon),
        ("row_count", "kept"),
    ];
    let expected = expected.map(|(of, said)| (of.to_owned(), said.to_owned()));
    assert_eq!(outcomes(&house, PUT_OFF), expected);
    let shown = house.run(&format!("slo check --now {PUT_OFF}")).expect(0);
    let words = "put off by maintenance until 2026-03-01 04:00 UTC (no loads), to be kept by 2026-03-01 12:00 UTC";
    assert!(shown.stdout.contains(words), "{shown:?}");
    assert!(shown.stdout.contains("1 kept, 3 not due"), "{shown:?}");

    let check = house.run(&format!("check --now {PUT_OFF}")).expect(0);
    assert!(!check.stdout.contains("breaks"), "{check:?}");
    house
        .run(&format!("gate board --min-score 99 --now {PUT_OFF}"))
        .expect(0);
    let incidents = json(&house, &format!("incidents --now {PUT_OFF}"));
    assert_eq!(incidents["incidents"].as_array().unwrap().len(), 0);
    let told = house
        .run(&format!("explain fct_orders --now {PUT_OFF}"))
        .expect(0);
    assert!(told.stdout.contains("put off by maintenance"), "{told:?}");
    house
        .run(&format!("report --out report --now {PUT_OFF}"))
        .expect(0);
    let page = fs::read_to_string(house.path("report/console.json")).unwrap();
    assert!(page.contains("put off by maintenance"), "{page}");

    // It is no amnesty.
    let broken = outcomes(&house, OVER);
    let n_broken = broken.iter().filter(|it| it.1 == "breached").count();
    assert_eq!(n_broken, 3, "{broken:?}");
    house.run(&format!("check --now {OVER}")).expect(1);
    house
        .run(&format!("gate board --min-score 99 --now {OVER}"))
        .expect(1);
    let incidents = json(&house, &format!("incidents --now {OVER}"));
    let since = incidents["incidents"][0]["since"].as_str().unwrap();
    assert!(since == "2026-03-01T12:00:00Z", "{incidents}");
}

#[test]
fn what_a_run_in_the_window_left_is_judged_after_it() {
    let house = house();
    let runs = "dataset_id,run_id,finished_at,counts_source,newest
fct_orders,2,2026-02-28T22:00:00Z,5,2026-02-28T21:50:00Z
";
    fs::write(house.path("more.csv"), runs).unwrap();
    house
        .run("import runs more.csv --now 2026-02-28T22:00:00Z")
        .expect(0);
    let rows = |now: &str| outcomes(&house, now).pop().unwrap().1;
    configure(&house, "");
    assert_eq!(rows("2026-02-28T22:10:00Z"), "breached");
    configure(&house, NIGHT);
    // It had lasted for two hours.
    assert_eq!(rows("2026-02-28T22:10:00Z"), "2026-03-01T06:00:00Z");
    assert_eq!(rows("2026-03-01T05:59:00Z"), "2026-03-01T06:00:00Z");
    assert_eq!(rows("2026-03-01T06:00:00Z"), "breached");
}

#[test]
fn a_scope_is_put_off_with_the_dataset_that_it_feeds_or_by_its_own_name() {
    let house = covered();
    let of = |now: &str| {
        let said = json(&house, &format!("coverage status --now {now}"));
        let scope = &said["scopes"][0];
        (
            scope["condition"].as_str().unwrap().to_owned(),
            scope["maintenance"]["reason"].clone(),
            said["n_unhealthy"].as_u64().unwrap(),
        )
    };
    let midnight = "2026-03-01T00:30:00Z";
    let stale = "source_stale".to_owned();
    configure(&house, "");
    assert_eq!(of(midnight), (stale.clone(), Value::Null, 1));
    for over in [
        NIGHT.to_owned(),
        NIGHT.replace("fct_orders", "'coverage:orders/*'"),
    ] {
        configure(&house, &over);
        let put_off = ("put_off".to_owned(), "no loads".into(), 0);
        assert_eq!(of(midnight), put_off);
        assert_eq!(of("2026-03-01T07:59:00Z"), put_off);
        assert_eq!(of("2026-03-01T08:01:00Z"), (stale.clone(), Value::Null, 1));
    }
    let shown = house.run(&format!("coverage status --now {midnight}"));
    let words = "FR is put off by maintenance until 2026-03-01 04:00 UTC (no loads)";
    assert!(shown.stdout.contains(words), "{shown:?}");
    assert!(shown.stdout.contains("0 of 1 scope complete"), "{shown:?}");
    house
        .run(&format!("coverage check --now {midnight}"))
        .expect(0);
    configure(&house, &NIGHT.replace("fct_orders", "raw"));
    assert_eq!(of(midnight).2, 1);
    house
        .run(&format!("coverage check --now {midnight}"))
        .expect(1);
}
