//! Is what is promised held against what is learned, and what is suggested kept?

use std::fs;

use house::House;
use serde_json::Value;

mod house;

/// Fitted, with some promises.
fn promised() -> House {
    let house = House::fitted();
    fs::create_dir(house.path("slo")).unwrap();
    for (name, text) in [
        // 03:00 in New York is 09:00 in Berlin.
        (
            "early.yaml",
            "dataset: fct_revenue\nservice_levels:\n  freshness: { deadline: '06:00', timezone: Europe/Berlin, calendar: Mon-Fri }\n",
        ),
        (
            "late.yaml",
            "dataset: raw_orders\nservice_levels: { freshness: { deadline: '18:00' } }\n",
        ),
        (
            "loose.yaml",
            "dataset: events\nservice_levels: { freshness: { threshold: 4d, field: at } }\n",
        ),
        (
            "never.yaml",
            "dataset: never\nservice_levels: { freshness: { threshold: 4d, field: at } }\n",
        ),
    ] {
        fs::write(house.path("slo").join(name), text).unwrap();
    }
    house.run("import slo slo").expect(0);
    house
}

#[test]
fn a_promise_is_said_beside_what_is_usual_and_how_often_it_was_kept() {
    let house = promised();
    let ran = house.run("slo diff fct_revenue").expect(0);
    assert_eq!(
        ran.stdout,
        "fct_revenue (prod): expected 03:00–03:10, deadline 03:21, promised by 06:00 Europe/Berlin (Mon–Fri): kept on 0 % of the last 90 days\n"
    );
    let ran = house.run("slo diff raw_orders").expect(0);
    assert!(
        ran.stdout.contains("promised by 18:00 UTC: kept on 98 % of the last 90 days\n  the promise is 11h40m later than the learned deadline"),
        "{}",
        ran.stdout
    );
}

#[test]
fn what_stands_out_is_named_the_worst_first() {
    let house = promised();
    // A scope of coverage has a contract, and owes nothing else.
    let contract =
        "source,scope,max_source_lag_minutes,max_publication_gap_minutes\norders,FR,120,60\n";
    fs::write(house.path("scopes.csv"), contract).unwrap();
    for line in [
        "coverage contracts import scopes.csv",
        "coverage publish --source orders --scope FR --run-id 1 \
         --complete-through 2026-02-28T10:00:00Z --published-at 2026-02-28T11:00:00Z",
        "fit",
    ] {
        house.run(line).expect(0);
    }
    let ran = house.run("slo diff --format json").expect(0);
    let told: Value = serde_json::from_str(&ran.stdout).unwrap();
    let datasets = told["datasets"].as_array().unwrap();
    let names: Vec<&str> = datasets
        .iter()
        .map(|of| of["dataset_id"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["fct_revenue", "raw_orders", "events", "never", "new_feed"]
    );
    let remarks: Vec<Vec<&str>> = datasets
        .iter()
        .map(|of| {
            let remarks = of["remarks"].as_array().unwrap().iter();
            remarks.map(|of| of["remark"].as_str().unwrap()).collect()
        })
        .collect();
    assert_eq!(
        remarks,
        [
            vec![],
            vec!["late_deadline"],
            vec!["loose_age"],
            vec!["no_history"],
            vec!["no_promise"],
        ]
    );
}

#[test]
fn a_fixed_age_that_breaks_every_weekend_wants_a_calendar() {
    // dbt-labs/dbt-core#4450
    let house = House::fitted();
    let contract =
        "dataset: fct_revenue\nservice_levels: { freshness: { threshold: 25h, field: at } }\n";
    fs::write(house.path("c.yaml"), contract).unwrap();
    house.run("import slo c.yaml").expect(0);
    let ran = house.run("slo diff --format json").expect(0);
    let told: Value = serde_json::from_str(&ran.stdout).unwrap();
    let remark = &told["datasets"][0]["remarks"][0];
    assert_eq!(remark["remark"], "wants_calendar");
    assert_eq!(remark["calendar"], "Mon–Fri");
    // Every Saturday, Sunday and Monday of twelve weeks and a bit, to none.
    assert_eq!(remark["n_left"], 0);
    let (n_breached, n_free) = (remark["n_breached"].as_u64(), remark["n_free"].as_u64());
    assert!(n_breached > Some(35) && n_free > Some(23), "{remark}");
    // With the calendar it holds.
    let contract = contract.replace("field: at", "field: at, calendar: Mon-Fri");
    fs::write(house.path("c.yaml"), contract).unwrap();
    house.run("import slo c.yaml").expect(0);
    let ran = house.run("slo diff fct_revenue").expect(0);
    assert!(
        ran.stdout
            .contains("kept for 100 % of the time of the last 90 days\n"),
        "{}",
        ran.stdout
    );
}

#[test]
fn runs_tell_more_than_arrivals() {
    let house = promised();
    // Always two days behind, whenever it came.
    let mut runs = String::from("dataset_id,run_id,finished_at,newest\n");
    for day in 1..28 {
        runs.push_str(&format!(
            "events,r{day},2026-02-{day:02}T06:00:00Z,2026-01-{day:02}T06:00:00Z\n"
        ));
    }
    fs::write(house.path("runs.csv"), runs).unwrap();
    house.run("import runs runs.csv").expect(0);
    let ran = house.run("slo diff events --format json").expect(0);
    let told: Value = serde_json::from_str(&ran.stdout).unwrap();
    let kept = &told["datasets"][0]["kept"][0];
    assert_eq!(kept["by"], "runs", "{told}");
    assert_eq!(kept["percent"], 0.0);
}

#[test]
fn what_is_suggested_is_imported_as_it_is_and_was_kept() {
    let house = House::fitted();
    let ran = house
        .run("slo suggest --out contracts --field at")
        .expect(0);
    assert_eq!(ran.stdout, "3 files written to contracts\n");
    assert!(
        ran.stderr
            .contains("left out: new_feed: too little is learned: cold_start"),
        "{}",
        ran.stderr
    );
    house.run("import slo contracts").expect(0);
    let ran = house.run("slo diff --format json").expect(0);
    let told: Value = serde_json::from_str(&ran.stdout).unwrap();
    for of in told["datasets"].as_array().unwrap() {
        if of["dataset_id"] != "new_feed" {
            let percent = of["kept"][0]["percent"].as_f64().unwrap();
            assert!(percent > 96.0, "{of}");
        }
    }
    // Nothing is written over, and nothing is left that promises nothing.
    let ran = house
        .run("slo suggest raw_orders --out contracts")
        .expect(2);
    assert!(
        ran.stderr.contains("the file exists already"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_suggestion_says_what_it_rests_on_and_its_margin() {
    let house = House::fitted();
    let ran = house.run("slo suggest fct_revenue --margin 1h").expect(0);
    assert!(
        ran.stdout
            .contains("# Margin on top of the learned deadline: 1h, rounded up to 5 minutes.\n"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains(
            "deadline: \"04:25\"\n    calendar: \"Mon–Fri\"\n    timezone: America/New_York\n"
        ),
        "{}",
        ran.stdout
    );
    let ran = house.run("slo suggest events").expect(2);
    assert!(ran.stderr.contains("--field"), "{}", ran.stderr);
    let ran = house.run("slo suggest new_feed").expect(2);
    assert!(
        ran.stderr.contains("too little is learned: cold_start"),
        "{}",
        ran.stderr
    );
}
