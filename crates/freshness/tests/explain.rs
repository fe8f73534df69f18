//! Does an account agree with itself, and with what was known then?

mod house;

use std::fmt::Write;
use std::fs;
use std::ops::Range;

use house::House;

/// 2026-01-01, a Thursday, in UTC seconds.
const NEW_YEAR: i64 = 1_767_225_600;

/// A daily feed on these days from New Year on, at a UTC second of the day and
/// a few minutes.
fn daily(zone: &str, days: Range<i64>, second: i64) -> House {
    let house = House::empty();
    let mut csv = String::from("dataset_id,arrived_at\n");
    for day in days {
        writeln!(
            csv,
            "feed,{}",
            NEW_YEAR + day * 86_400 + second + day * 37 % 300
        )
        .unwrap();
    }
    fs::write(house.path("arrivals.csv"), csv).unwrap();
    fs::write(
        house.path("datasets.csv"),
        format!("dataset_id,timezone\nfeed,{zone}\n"),
    )
    .unwrap();
    // As of its end.
    let end = "--now 2026-11-29T00:00:00Z";
    house
        .run(&format!("import arrivals arrivals.csv {end}"))
        .expect(0);
    house
        .run(&format!("import datasets datasets.csv {end}"))
        .expect(0);
    house
}

/// The line of a fact, without its name.
fn fact<'a>(account: &'a str, name: &str) -> &'a str {
    account
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .unwrap_or_else(|| panic!("no {name}: {account}"))
        .trim()
}

#[test]
fn on_the_day_of_a_clock_change_the_window_agrees_with_the_deadline() {
    // 06:00 in New York, in winter: the clocks jump on 2026-03-08.
    let house = daily("America/New_York", 0..66, 11 * 3_600);
    let now = "--now 2026-03-08T08:00:00Z";
    house.run(&format!("fit {now}")).expect(0);
    let account = house.run(&format!("explain feed {now}")).expect(0).stdout;
    assert!(fact(&account, "Cycle ").starts_with("2026-03-08: pending"));
    assert!(
        fact(&account, "Expected").starts_with("06:00 to 06:04"),
        "{account}"
    );
    assert!(
        fact(&account, "Deadline").starts_with("2026-03-08 06:"),
        "{account}"
    );
    // On that day 06:02 is 5 hours after midnight, and as late as ever.
    let csv = "dataset_id,arrived_at\nfeed,2026-03-08T06:02:00-04:00\n";
    fs::write(house.path("more.csv"), csv).unwrap();
    let now = "--now 2026-03-08T12:00:00Z";
    house
        .run(&format!("import arrivals more.csv {now}"))
        .expect(0);
    let account = house.run(&format!("explain feed {now}")).expect(0).stdout;
    assert!(!account.contains("earlier"), "{account}");
    assert!(!account.contains("05:0"), "{account}");
}

#[test]
fn what_came_later_was_not_known_then() {
    let house = House::fitted();
    let now = "--now 2026-01-10T12:00:00Z";
    let account = house
        .run(&format!("explain raw_orders {now}"))
        .expect(0)
        .stdout;
    assert!(fact(&account, "Last seen").starts_with("2026-01-10 06:"));
    assert!(account.contains("\n           41 arrivals in all\n"));
    assert!(account.contains(" to 2026-01-10: "), "{account}");
    let json = house
        .run(&format!("explain raw_orders --format json {now}"))
        .stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["n_arrivals"], 41);
}

#[test]
fn an_arrival_for_another_cycle_than_the_newest_says_for_which() {
    let house = House::fitted();
    let last_seen = |now: &str| {
        let line = format!("explain raw_orders --now {now}");
        let account = house.run(&line).expect(0).stdout;
        fact(&account, "Last seen").to_owned()
    };
    assert!(!last_seen("2026-02-25T12:00:00Z").contains("taken"));
    assert!(last_seen(house::NOW).ends_with(" UTC, taken for cycle 2026-02-25"));
    let csv = "dataset_id,arrived_at\nraw_orders,2026-02-25T11:00:00Z\n";
    fs::write(house.path("again.csv"), csv).unwrap();
    house.run("import arrivals again.csv").expect(0);
    assert!(
        last_seen("2026-02-25T12:00:00Z")
            .ends_with(", taken for a redelivery: it serves no other cycle")
    );
}

#[test]
fn an_allowance_for_clocks_that_were_set_back_is_named() {
    // No zone declared, from June to the day on which Europe's clocks change.
    let house = daily("", 151..298, 6 * 3_600);
    let now = "--now 2026-10-26T05:00:00Z";
    house.run(&format!("fit {now}")).expect(0);
    let account = house.run(&format!("explain feed {now}")).expect(0).stdout;
    assert!(
        account
            .contains("of which 60 min because clocks were set back and its zone is not known yet"),
        "{account}"
    );
}

#[test]
fn broken_promises_are_named_and_kept_ones_are_not() {
    let house = House::fitted();
    let contract = "dataset: events\nservice_levels:\n  row_count: { min_rows: 100 }\n  \
                    quality: { min_good_ratio: 0.5 }\n  availability: { threshold: 99, field: id }\n";
    fs::write(house.path("events.yaml"), contract).unwrap();
    let runs = "dataset_id,run_id,finished_at,counts_source,counts_total,counts_good\n\
                events,1,2026-02-28T06:00:00Z,40,40,40\n";
    fs::write(house.path("runs.csv"), runs).unwrap();
    house.run("import slo events.yaml").expect(0);
    house.run("import runs runs.csv").expect(0);
    let account = house.run("explain events").expect(0).stdout;
    for said in [
        "\nbreaks its promise of row count: 40 rows, promised at least 100\n",
        "\nnobody can tell whether it keeps its promise of values filled: no run says anything of it\n",
    ] {
        assert!(account.contains(said), "{said}: {account}");
    }
    assert!(!account.contains("quality"), "{account}");
    let json = house.run("explain events --format json").expect(0).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["promises"].as_array().unwrap().len(), 3);
}
