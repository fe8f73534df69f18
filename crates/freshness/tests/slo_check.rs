//! Are promises judged on the clock, told with their evidence, and answered by an
//! exit code?

use std::collections::BTreeSet;
use std::fs;

use freshness::outputs::{slo, slo_history};
use house::{House, Ran};
use serde_json::Value;

mod house;

const ORDERS: &str = "\
dataset: raw_orders
service_levels:
  freshness: { threshold: 24h, field: updated_at }
  row_count: { min_rows: 100 }
";

/// Contracts by name.
fn declare(house: &House, contracts: &[(&str, &str)]) {
    fs::create_dir_all(house.path("slo")).unwrap();
    for (name, text) in contracts {
        fs::write(house.path(&format!("slo/{name}.yaml")), text).unwrap();
    }
    house.run("import slo slo").expect(0);
}

/// Lines of `dataset, run_id, finished_at, counts_source, newest`.
fn ran(house: &House, rows: &str) {
    let head = "dataset_id,run_id,finished_at,counts_source,newest\n";
    fs::write(house.path("runs.csv"), format!("{head}{rows}")).unwrap();
    house.run("import runs runs.csv").expect(0);
}

const GOOD: &str = "raw_orders,1,2026-02-28T06:00:00Z,1000,2026-02-28T05:50:00Z\n";

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap()
}

fn house(contract: &str, runs: &str) -> House {
    let house = House::empty();
    declare(&house, &[("orders", contract)]);
    if !runs.is_empty() {
        ran(&house, runs);
    }
    house
}

#[test]
fn what_is_kept_is_healthy_until_the_pipeline_falls_silent() {
    let house = house(ORDERS, GOOD);
    let healthy = house.run("slo check").expect(0);
    assert_eq!(
        healthy.stdout,
        "2 objectives of 1 dataset: 2 kept as of 2026-02-28 12:00 UTC\n"
    );
    // Nothing ran since: the clock alone breaks the promise.
    let silent = house.run("slo check --now 2026-03-01T06:00:00Z").expect(1);
    for said in [
        "breached",
        "freshness",
        "the newest updated_at is 1 d 0 h old, promised at most 1 d 0 h",
        "1 kept, 1 breached",
    ] {
        assert!(silent.stdout.contains(said), "{said}: {}", silent.stdout);
    }
    // A clock that is set back is no answer.
    let behind = house.run("slo check").expect(2);
    assert!(behind.stderr.contains("the clock is behind"), "{behind:?}");
}

#[test]
fn json_has_every_verdict_with_its_evidence() {
    let house = house(
        ORDERS,
        "raw_orders,1,2026-02-28T06:00:00Z,40,2026-02-28T05:50:00Z\n",
    );
    let breached = house.run("slo check --format json").expect(1);
    let document = json(&breached);
    assert_eq!(document["answer"], "breached");
    let verdicts = document["verdicts"].as_array().unwrap();
    assert_eq!(verdicts.len(), 2);
    let rows = &verdicts[1];
    assert_eq!(
        (&rows["objective"], &rows["outcome"], &rows["severity"]),
        (&"row_count".into(), &"breached".into(), &"warning".into())
    );
    assert_eq!(rows["evidence"]["actual"], 40.0);
    assert_eq!(rows["evidence"]["floor"], 100.0);
    assert_eq!(rows["evidence"]["environment"], "prod");
    assert_eq!(rows["why"], "40 rows, promised at least 100");
    let keys: BTreeSet<&str> = rows
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let fields: BTreeSet<&str> = slo::FIELDS.iter().map(|(field, _)| *field).collect();
    assert_eq!(keys, fields);
}

/// rocky-data/rocky#1931: the exit code must move from 0 to 2.
#[test]
fn what_cannot_be_read_is_quoted_and_outranks_a_breach() {
    let runs = "raw_orders,1,2026-02-28T06:00:00Z,40,16 Feb noonish\n";
    let house = house(ORDERS, runs);
    let unknown = house.run("slo check").expect(2);
    let said = "a value of updated_at is no time: \"16 Feb noonish\"";
    assert!(unknown.stdout.contains(said), "{}", unknown.stdout);
    assert!(
        unknown.stdout.contains("1 breached, 1 could not be told"),
        "{}",
        unknown.stdout
    );
    assert!(
        unknown.stderr.contains("could not tell"),
        "{}",
        unknown.stderr
    );
    // sodadata/soda-core#2850: a time with UTC behind it is one.
    ran(
        &house,
        "raw_orders,2,2026-02-28T07:00:00Z,400,2026-02-28 06:00:00.000 UTC\n",
    );
    house.run("slo check").expect(0);
}

#[test]
fn what_never_ran_has_no_rows_or_only_nulls_does_not_pass() {
    let never = house(ORDERS, "").run("slo check").expect(2);
    assert!(
        never.stdout.contains("no run is known in prod"),
        "{}",
        never.stdout
    );
    let empty = "raw_orders,1,2026-02-28T06:00:00Z,400,no rows\n";
    let empty = house(ORDERS, empty).run("slo check").expect(2);
    assert!(
        empty.stdout.contains("the table has no rows"),
        "{}",
        empty.stdout
    );
    let nulls = "raw_orders,1,2026-02-28T06:00:00Z,400,all_null\n";
    let nulls = house(ORDERS, nulls).run("slo check").expect(1);
    assert!(
        nulls.stdout.contains("every value of updated_at is null"),
        "{}",
        nulls.stdout
    );
    let future = "raw_orders,1,2026-02-28T06:00:00Z,400,2030-01-01T00:00:00Z\n";
    let future = house(ORDERS, future).run("slo check").expect(1);
    assert!(
        future.stdout.contains("in the future when it was read"),
        "{}",
        future.stdout
    );
}

#[test]
fn an_objective_that_only_warns_fails_no_check() {
    let warns = ORDERS.replace("min_rows: 100", "min_rows: 100, warn_only: true");
    let runs = "raw_orders,1,2026-02-28T06:00:00Z,0,2026-02-28T05:50:00Z\n";
    let ran = house(&warns, runs).run("slo check").expect(0);
    assert!(ran.stdout.contains("advisory"), "{}", ran.stdout);
}

#[test]
fn a_name_that_nothing_is_promised_of_is_a_slip() {
    let house = house(ORDERS, GOOD);
    let slip = house.run("slo check raw_order").expect(2);
    assert!(
        slip.stderr.contains("did you mean `raw_orders`?"),
        "{slip:?}"
    );
    let elsewhere = house.run("slo check --environment dev").expect(2);
    assert!(
        elsewhere
            .stderr
            .contains("environments with promises: prod"),
        "{elsewhere:?}"
    );
    house.run("slo check raw_*").expect(0);
    let none = House::imported().run("slo check").expect(2);
    assert!(none.stderr.contains("no promises in the store"), "{none:?}");
}

#[test]
fn a_history_is_there_before_the_first_check() {
    let runs = "\
raw_orders,1,2026-02-25T06:00:00Z,1000,2026-02-25T06:00:00Z
raw_orders,2,2026-02-26T06:00:00Z,50,2026-02-26T06:00:00Z
raw_orders,3,2026-02-28T06:00:00Z,1000,2026-02-28T06:00:00Z
";
    let house = house(ORDERS, runs);
    let told = house
        .run("slo history raw_orders --days 5 --target 90")
        .expect(0);
    assert!(
        told.stdout.contains("freshness  -..xx\nrow_count  -.x-.\n"),
        "{}",
        told.stdout
    );
    let document = json(
        &house
            .run("slo history --days 5 --target 90 --format json")
            .expect(0),
    );
    let of = &document["objectives"][0];
    // From 06:00 on the 25th to noon on the 28th, of which 18 hours on the 27th and
    // six on the 28th were too late.
    // At just 24 hours it is kept.
    assert_eq!(of["days"][3]["good"], 6 * 3_600 + 1);
    assert_eq!(of["unit"], "seconds");
    let attained = of["attained"].as_f64().unwrap();
    assert!((attained - 100.0 * 54.0 / 78.0).abs() < 0.01, "{attained}");
    assert_eq!(
        document["objectives"][1]["attained"]
            .as_f64()
            .unwrap()
            .round(),
        67.0
    );
    let keys: BTreeSet<&str> = of.as_object().unwrap().keys().map(String::as_str).collect();
    let fields: BTreeSet<&str> = slo_history::FIELDS
        .iter()
        .map(|(field, _)| *field)
        .collect();
    assert_eq!(keys, fields);
    let again = house
        .run("slo history --days 5 --target 90 --format json")
        .expect(0);
    assert_eq!(json(&again), document);
}

#[test]
fn a_breach_stands_among_the_incidents_and_costs_the_dashboards() {
    let house = House::fitted();
    let edges = "upstream_id,downstream_id\nraw_orders,fct_revenue\n";
    fs::write(house.path("lineage.csv"), edges).unwrap();
    house.run("import lineage lineage.csv").expect(0);
    let boards = "dashboard_id,dataset_id\nboard,fct_revenue\nsolo,new_feed\n";
    fs::write(house.path("boards.csv"), boards).unwrap();
    house.run("import dashboards boards.csv").expect(0);
    let few = "service_levels:\n  row_count: { min_rows: 100 }\n";
    declare(
        &house,
        &[
            ("a", &format!("dataset: fct_revenue\n{few}")),
            ("b", &format!("dataset: new_feed\n{few}")),
        ],
    );
    ran(
        &house,
        "fct_revenue,1,2026-02-28T08:00:00Z,50,\nnew_feed,1,2026-02-28T05:00:00Z,25,\n",
    );
    house.run("slo check").expect(1);
    let told = json(&house.run("incidents --format json").expect(0));
    let incidents = told["incidents"].as_array().unwrap();
    let of = |root: &str| {
        let found = incidents.iter().find(|of| of["root"] == root);
        found.unwrap_or_else(|| panic!("{root}: {incidents:#?}"))
    };
    // Below a late root it is explained by that …
    let below = &of("raw_orders")["members"];
    assert_eq!(below[0]["dataset_id"], "fct_revenue");
    assert_eq!(below[0]["breaches"][0], "row_count");
    // … else it is one of its own, named by its objective.
    assert_eq!(of("new_feed")["breaches"][0], "row_count");
    let shown = house.run("incidents").expect(0);
    assert!(
        shown.stdout.contains("new_feed breaks row_count"),
        "{}",
        shown.stdout
    );
    assert!(
        shown.stdout.contains("in time that break a promise"),
        "{}",
        shown.stdout
    );
    // Three quarters of the rows that were promised are missing.
    let trust = house.run("trust solo").expect(0).stdout;
    let caveat = "new_feed has broken its promise of row_count since 2026-02-28 05:00 UTC";
    assert!(trust.contains(caveat), "{trust}");
    // What is mended is over, whether promises are checked or not.
    house.run("check").expect(1);
    ran(&house, "new_feed,2,2026-02-28T11:00:00Z,250,\n");
    let over = json(&house.run("incidents --format json").expect(0));
    assert!(
        over["incidents"]
            .as_array()
            .unwrap()
            .iter()
            .all(|of| of["root"] != "new_feed")
    );
}

/// A threshold of an hour is kept at noon and broken an hour later.
#[test]
fn promises_are_judged_at_the_instant_that_is_asked_whoever_checked_last() {
    let house = House::fitted();
    let boards = "dashboard_id,dataset_id\nsolo,fct_revenue\n";
    fs::write(house.path("boards.csv"), boards).unwrap();
    house.run("import dashboards boards.csv").expect(0);
    let fresh = "freshness: { threshold: 1h, field: updated_at }";
    let contract = format!("dataset: fct_revenue\nservice_levels:\n  {fresh}\n");
    declare(&house, &[("a", &contract)]);
    ran(
        &house,
        "fct_revenue,1,2026-02-28T11:50:00Z,10,2026-02-28T11:40:00Z\n",
    );
    house.run("slo check").expect(0);
    let later = "--now 2026-02-28T13:10:00Z";
    let incidents = |now: &str| {
        let told = house.run(&format!("incidents --format json {now}"));
        let told = json(&told.expect(0));
        let all = told["incidents"].as_array().unwrap().clone();
        all.into_iter().find(|of| of["root"] == "fct_revenue")
    };
    assert_eq!(incidents(""), None);
    // It counts from when the age passed the hour, not from the look at it.
    assert_eq!(incidents(later).unwrap()["since"], "2026-02-28T12:40:00Z");
    let caveat = "fct_revenue has broken its promise of freshness since 2026-02-28 12:40 UTC";
    let trust = house.run(&format!("trust solo {later}")).expect(0).stdout;
    assert!(trust.contains(caveat), "{trust}");
    house.run("slo check").expect(0);
    let shut = house.run(&format!("gate solo --min-score 100 {later}"));
    shut.expect(1);
    // Where the run is known that mends it, it is over without a check.
    let head = "dataset_id,run_id,finished_at,counts_source,newest\n";
    let mended = "fct_revenue,2,2026-02-28T13:05:00Z,10,2026-02-28T13:00:00Z\n";
    fs::write(house.path("runs.csv"), format!("{head}{mended}")).unwrap();
    house
        .run(&format!("import runs runs.csv {later}"))
        .expect(0);
    assert_eq!(incidents(later), None);
}

/// Runs and promises, and no arrival: nothing can be fitted.
#[test]
fn where_nothing_ever_arrived_promises_are_what_is_judged() {
    let house = house(ORDERS, "");
    let declared = "dataset_id,critical\nraw_orders,true\n";
    fs::write(house.path("datasets.csv"), declared).unwrap();
    house.run("import datasets datasets.csv").expect(0);
    let boards = "dashboard_id,dataset_id\nboard,raw_orders\n";
    fs::write(house.path("boards.csv"), boards).unwrap();
    house.run("import dashboards boards.csv").expect(0);
    // No run tells: then nobody can.
    for line in ["check", "incidents", "trust", "gate board --min-score 1"] {
        let unknown = house.run(line).expect(2);
        assert!(unknown.stderr.contains("no run tells"), "{unknown:?}");
    }
    ran(&house, GOOD);
    let kept = house.run("check --strict").expect(0).stdout;
    assert!(kept.contains("no critical dataset is late"), "{kept}");
    house.run("gate board --min-score 100").expect(0);
    house.run("report").expect(0);
    let later = "--now 2026-03-01T06:00:00Z";
    let broken = house.run(&format!("check {later}")).expect(1).stdout;
    for said in [
        "not_evaluated",
        "1 critical dataset breaks a promise",
        "1 incident",
    ] {
        assert!(broken.contains(said), "{said}: {broken}");
    }
    let why = house.run(&format!("check --format json {later}")).expect(1);
    let why = json(&why)["datasets"][0]["reason"].clone();
    assert_eq!(
        why,
        "nothing has arrived yet; it breaks its promise of freshness"
    );
    let shut = house.run(&format!("gate board --min-score 100 {later}"));
    shut.expect(1);
    // The incident is over when the promise is kept again.
    let mended = "raw_orders,2,2026-02-28T11:00:00Z,1000,2026-02-28T11:00:00Z\n";
    ran(&house, mended);
    house.run(&format!("check {later}")).expect(0);
    let told = json(
        &house
            .run(&format!("incidents --format json {later}"))
            .expect(0),
    );
    assert_eq!(told["n_incidents"], 0);
}

/// What has arrived must be fitted; promises do not stand in for that.
#[test]
fn arrivals_that_were_never_fitted_are_not_healthy_by_other_promises() {
    let house = House::imported();
    let daily = "service_levels:\n  freshness: { deadline: \"07:30\" }\n";
    declare(&house, &[("a", &format!("dataset: raw_orders\n{daily}"))]);
    let unfitted = house.run("check").expect(2);
    assert!(unfitted.stderr.contains("no models"), "{unfitted:?}");
    let shown = house.run("incidents").expect(0);
    assert!(
        shown.stdout.contains("raw_orders breaks"),
        "{}",
        shown.stdout
    );
}

#[test]
fn contracts_that_promise_nothing_are_no_healthy_answer() {
    let house = House::empty();
    fs::create_dir_all(house.path("slo")).unwrap();
    let calendar =
        "dataset: raw_orders\nservice_levels:\n  freshness: { timezone: Europe/Berlin }\n";
    fs::write(house.path("slo/a.yaml"), calendar).unwrap();
    fs::write(house.path("slo/b.yaml"), "dataset: events\n").unwrap();
    let warned = house.run("import slo slo").expect(0);
    for dataset in ["raw_orders", "events"] {
        let said = format!("nothing is promised of {dataset} (prod)");
        assert!(warned.stderr.contains(&said), "{warned:?}");
    }
    let none = house.run("slo check").expect(2);
    assert!(
        none.stderr.contains("nothing is promised: 2 contracts"),
        "{none:?}"
    );
}

#[test]
fn what_came_late_is_shown_until_the_next_is_due() {
    let daily = "dataset: raw_orders\nservice_levels:\n  freshness: { deadline: \"06:00\" }\n";
    let runs = "raw_orders,1,2026-02-27T05:00:00Z,10,\nraw_orders,2,2026-02-28T08:30:00Z,10,\n";
    let house = house(daily, runs);
    let late = house.run("slo check").expect(0).stdout;
    assert!(late.contains("came late"), "{late}");
    assert!(late.contains("came 2 h 30 min late"), "{late}");
    let summary = house.run("check").expect(0).stdout;
    let said = "service levels in prod: 0 of 1 dataset break one";
    assert!(summary.contains(said), "{summary}");
}

#[test]
fn the_log_tells_when_verdicts_changed_and_how_runs_were_judged() {
    let house = house(ORDERS, GOOD);
    house.run("slo check").expect(0);
    let none = house.run("slo log").expect(0).stdout;
    assert_eq!(none, "no verdict has changed\n");
    let few = "raw_orders,2,2026-02-28T11:00:00Z,40,2026-02-28T11:00:00Z\n";
    ran(&house, few);
    house.run("slo check").expect(1);
    let shown = house.run("slo log raw_orders").expect(0).stdout;
    assert!(shown.contains("40 rows, promised at least 100"), "{shown}");
    let events = json(&house.run("slo log --format json").expect(0));
    let event = &events["events"][0];
    assert_eq!(event["kind"], "slo_breach");
    assert_eq!(
        (&event["before"], &event["outcome"]),
        (&"kept".into(), &"breached".into())
    );
    let results = house.run("slo log --results --format ndjson").expect(0);
    let last: Value = serde_json::from_str(results.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(last["run_id"], "2");
    assert_eq!(last["slo_row_count_pass"], false);
    assert_eq!(last["slo_freshness_pass"], true);
    let table = house.run("slo log --results").expect(0).stdout;
    assert!(table.contains("fail"), "{table}");
    house.run("slo log raw_order").expect(2);
}

#[test]
fn doctor_tells_when_promises_were_last_checked() {
    let house = house(ORDERS, GOOD);
    let of = |line: &str| {
        let told = json(&house.run(&format!("doctor --format json{line}")));
        let all = told["findings"].as_array().unwrap().clone();
        let of = all.into_iter().find(|of| of["part"] == "slo").unwrap();
        (
            of["health"].as_str().unwrap().to_owned(),
            of["finding"].as_str().unwrap().to_owned(),
        )
    };
    let never = of("");
    assert_eq!(never.0, "problem");
    assert!(never.1.contains("never checked"), "{never:?}");
    house.run("slo check").expect(0);
    assert_eq!(
        of(""),
        ("ok".into(), "2026-02-28 12:00 UTC (0 s ago)".into())
    );
    let old = of(" --now 2026-03-01T13:00:00Z");
    assert_eq!(old.0, "problem");
    assert!(old.1.contains("in prod is old"), "{old:?}");
    fs::write(house.path("freshness.yaml"), "slo:\n  max_check_age: 2d\n").unwrap();
    assert_eq!(of(" --now 2026-03-01T13:00:00Z").0, "ok");
}

/// Without runs the arrivals tell when data came, and how much.
#[test]
fn where_nothing_was_measured_arrivals_are_what_is_judged() {
    let house = House::empty();
    let contract = "\
dataset: raw_orders
service_levels:
  freshness: { deadline: \"07:30\", timezone: Europe/Berlin, weekdays: Mon-Fri }
  row_count: { min_rows: 100 }
";
    declare(&house, &[("orders", contract)]);
    let arrivals = |rows: &str| {
        let head = "dataset_id,arrived_at,cycle,rows\n";
        fs::write(house.path("arrivals.csv"), format!("{head}{rows}")).unwrap();
        let line = "import arrivals arrivals.csv --now 2026-03-03T00:00:00Z";
        house.run(line).expect(0);
    };
    // Thursday and Friday, half past seven in Berlin is 06:30 UTC.
    arrivals(
        "raw_orders,2026-02-26T06:10:00Z,2026-02-26,1000\nraw_orders,2026-02-27T06:20:00Z,2026-02-27,900\n",
    );
    house.run("slo check --now 2026-02-27T07:00:00Z").expect(0);
    // Nothing is owed at the weekend; on Monday something is.
    house.run("slo check --now 2026-03-01T12:00:00Z").expect(0);
    let late = house.run("slo check --now 2026-03-02T07:00:00Z").expect(1);
    assert!(late.stdout.contains("deadline"), "{}", late.stdout);
    // Friday's file sent again is no delivery of Monday's.
    arrivals("raw_orders,2026-03-02T07:05:00Z,2026-02-27,900\n");
    house.run("slo check --now 2026-03-02T07:10:00Z").expect(1);
    arrivals("raw_orders,2026-03-02T07:20:00Z,2026-03-02,950\n");
    let came = house.run("slo check --now 2026-03-02T07:30:00Z").expect(0);
    assert!(came.stdout.contains("as of"), "{}", came.stdout);
    // Whoever measures it is judged by that alone.
    let runs =
        "dataset_id,run_id,finished_at,counts_source\nraw_orders,1,2026-03-02T07:40:00Z,10\n";
    fs::write(house.path("runs.csv"), runs).unwrap();
    house
        .run("import runs runs.csv --now 2026-03-03T00:00:00Z")
        .expect(0);
    house.run("slo check --now 2026-03-02T07:50:00Z").expect(1);
}
