//! What does a person see who asks a healthy monitor?
//!
//! Through the real binary, with a pinned clock. Numbers that the learning
//! may refine are left open with `[..]`.

mod house;

use std::process::Stdio;

use freshness::outputs::datasets::FIELDS;
use freshness_core::schedule::Calendar;
use house::House;
use serde_json::Value;
use snapbox::{assert_data_eq, str};

#[test]
fn the_first_fit_says_what_it_learned_and_the_second_that_nothing_is_new() {
    let house = House::imported();
    let ran = house.run("fit").expect(0);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
4 datasets as of 2026-02-28 12:00 UTC: 3 learned, 0 provisional, 0 irregular, 1 with too little history, 0 failed

New since the last fit:

Too little history (1)
  new_feed: 4 of 10 cycles needed

New models (3)
  events: hourly
  fct_revenue: Mon–Fri
  raw_orders: daily

"#]]
    );
    let ran = house.run("fit").expect(0);
    assert!(ran.stdout.ends_with("nothing new since the last fit\n"));
}

#[test]
fn status_shows_every_dataset_late_ones_first() {
    let ran = House::fitted().run("status").expect(0);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
STATE    SEVERITY  DATASET      LATE BY      CYCLE (LOCAL)     DEADLINE (UTC)    LAST ARRIVAL (UTC)  MODEL
missed   critical  raw_orders   2 d 5 h      2026-02-26        2026-02-26 06:[..]  2026-02-25 06:06    learned
missed   warning   events       11 h 4[..] min  2026-02-28T00:00  2026-02-28 00:1[..]  2026-02-27 23:10    learned
pending  -         new_feed     -            2026-02-28        2026-02-28 13:[..]  2026-02-27 05:00    cold_start
ok       -         fct_revenue  -            2026-02-27        2026-02-27 08:[..]  2026-02-27 08:05    learned

4 datasets as of 2026-02-28 12:00 UTC: 2 missed, 1 pending, 1 ok; 1 critical dataset is late

"#]]
    );
}

#[test]
fn status_shows_what_was_asked_for() {
    let house = House::fitted();
    let ids = |flags: &str| -> Vec<String> {
        let ran = house.run(&format!("status --format ndjson {flags}"));
        let lines = ran.expect(0).stdout;
        let id = |line: &str| -> Value { serde_json::from_str(line).unwrap() };
        lines
            .lines()
            .map(|line| id(line)["dataset_id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(ids("--team finance"), ["raw_orders", "fct_revenue"]);
    assert_eq!(ids("--tag tier-1"), ["raw_orders"]);
    assert_eq!(ids("--state missed,late"), ["raw_orders", "events"]);
    assert_eq!(ids("*_{orders,revenue}"), ["raw_orders", "fct_revenue"]);
    assert_eq!(ids("e* --team finance").len(), 0);
    let ran = house.run("status --state lat").expect(2);
    assert_data_eq!(
        ran.stderr,
        str![[r#"
error: invalid value 'lat' for '--state <STATE>': expected one of ok, pending, late, late_arrival, missed, unknown, insufficient_history, not_evaluated

For more information, try '--help'.

"#]]
    );
}

#[test]
fn check_prints_what_is_wrong_and_exits_1_for_a_critical_dataset() {
    let ran = House::fitted().run("check").expect(1);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
STATE   SEVERITY  DATASET     LATE BY      CYCLE (LOCAL)     DEADLINE (UTC)    LAST ARRIVAL (UTC)  MODEL
missed  critical  raw_orders  2 d 5 h      2026-02-26        2026-02-26 06:[..]  2026-02-25 06:06    learned
missed  warning   events      11 h 4[..] min  2026-02-28T00:00  2026-02-28 00:1[..]  2026-02-27 23:10    learned

2 late datasets, 2 incidents, 0 alerts suppressed (0.0 %)
4 datasets as of 2026-02-28 12:00 UTC: 2 missed, 1 pending, 1 ok; 1 critical dataset is late

"#]]
    );
    assert_eq!(ran.stderr, "");
}

#[test]
fn check_exits_0_while_no_critical_dataset_is_late() {
    let house = House::fitted();
    let ran = house.run("check --now 2026-02-25T12:30:00Z").expect(0);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
4 datasets as of 2026-02-25 12:30 UTC: 4 ok; no critical dataset is late

"#]]
    );
}

#[test]
fn old_models_are_a_warning_and_with_strict_no_answer() {
    let house = House::fitted();
    let late = "--now 2026-03-02T01:00:00Z";
    let warning = "warning: the models are 1 d 13 h old: run `freshness fit`\n";
    assert_eq!(
        house.run(&format!("check {late}")).expect(1).stderr,
        warning
    );
    let ran = house.run(&format!("check --strict {late}")).expect(2);
    assert_eq!(
        ran.stderr,
        format!("{warning}could not tell whether every critical dataset is on time\n")
    );
    // Said by the file as well as by the flag.
    std::fs::write(
        house.path("freshness.yaml"),
        "check:\n  strict: true\n  max_model_age: 3d\n",
    )
    .unwrap();
    house.run(&format!("check {late}")).expect(1);
}

#[test]
fn explain_shows_what_the_deadline_rests_on() {
    let ran = House::fitted().run("explain fct_revenue --cycle 2026-02-26");
    assert_data_eq!(
        ran.expect(0).stdout,
        str![[r#"
fct_revenue: ok
cycle 2026-02-27 arrived in time; [..]

Calendar   Mon–Fri
           inferred; F1 1.000 over its last cadence, long silences left out
           65 of 65 expected cycles delivered since the regime began, silences included
Time zone  America/New_York (declared)
Regime     since 2025-12-01 00:00 America/New_York

Cycle      2026-02-26: ok; began 2026-02-26 00:00 America/New_York
Cell       cycles of Thursday: 13 delays, 100 % of its cycles delivered
Expected   03:0[..] to 03:0[..] (p10 to p90), median 03:0[..]
Deadline   2026-02-26 03:[..] America/New_York = 2026-02-26 08:[..] UTC
           learned: 3 h [..] min after the cycle begins, the same in 9 of 10 resamples
           at most about 1 ordinary cycle in [..] is later
Arrived    2026-02-26 03:03 America/New_York
Last seen  2026-02-27 03:05 America/New_York
           65 arrivals in all

Cycles     ●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●
           2025-12-08 to 2026-02-27: ● ok

Delays of cycles of Thursday since the regime began (America/New_York)
  03:00 │████████████████████████████████████ 3
  03:02 │████████████████████████ 2
  03:04 │████████████████████████████████████ 3
  03:06 │████████████████████████████████████ 3
  03:08 │████████████████████████ 2
  03:10 │
  03:12 │
  03:14 │
  03:16 │
  03:18 │  ◀ learned deadline
  03:20 │
  03:22 │
  03:24 │

"#]]
    );
}

#[test]
fn explain_can_be_drawn_in_ascii() {
    let house = House::fitted();
    let mut command = house.command("explain raw_orders");
    let output = command.env("LANG", "C").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let picture = text.split("Cycles").nth(1).unwrap();
    assert!(picture.is_ascii(), "{picture}");
    assert!(picture.contains("<- learned deadline"));
}

#[test]
fn a_cycle_that_is_not_expected_is_named_with_its_neighbours() {
    let ran = House::fitted()
        .run("explain fct_revenue --cycle 2026-02-21")
        .expect(2);
    assert_data_eq!(
        ran.stderr,
        str![[r#"
error: no delivery of fct_revenue is expected in the cycle: 2026-02-21T00:00:00 (Mon–Fri)

hint: cycles near it: 2026-02-19, 2026-02-20, 2026-02-23, 2026-02-24

"#]]
    );
}

#[test]
fn an_unknown_dataset_is_named_with_the_one_that_was_meant() {
    let ran = House::fitted().run("explain raw_order").expect(2);
    assert_data_eq!(
        ran.stderr,
        str![[r#"
error: unknown dataset: raw_order

hint: did you mean `raw_orders`?

"#]]
    );
}

#[test]
fn the_json_of_a_dataset_has_the_documented_fields() {
    let house = House::fitted();
    let documented: Vec<&str> = FIELDS.iter().map(|&(field, _)| field).collect();
    let check = |mut line: Value| {
        if let Some(object) = line.as_object_mut() {
            object.remove("version");
        }
        let mut written: Vec<&str> = line
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        let mut documented = documented.clone();
        written.sort_unstable();
        documented.sort_unstable();
        assert_eq!(written, documented);
    };
    let json = |line: &str, code| -> Value {
        serde_json::from_str(&house.run(line).expect(code).stdout).unwrap()
    };
    let status = json("status --format json", 0);
    assert_eq!(status["version"], 1);
    assert_eq!(status["now"], house::NOW);
    assert_eq!(status["summary"]["n_datasets"], 4);
    status["datasets"]
        .as_array()
        .unwrap()
        .iter()
        .cloned()
        .for_each(check);
    for line in house.run("status --format ndjson").stdout.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["version"], 1);
        check(line);
    }
    assert_eq!(json("check --format json", 1)["answer"], "late");
    let explained = json("explain raw_orders --format json", 0);
    assert_eq!(explained["model"]["fitted"]["status"], "learned");
    check(explained["dataset"].clone());
}

#[test]
fn the_output_is_the_same_for_any_number_of_threads() {
    let house = House::imported();
    let answers = |threads: u16| {
        let run = |line: &str| house.run(&format!("{line} --threads {threads}")).stdout;
        run("fit");
        let ids = ["raw_orders", "fct_revenue", "events", "new_feed"];
        let models = ids.map(|id| run(&format!("explain {id} --format json")));
        (models, run("status --format json"))
    };
    assert_eq!(answers(1), answers(7));
}

#[test]
fn a_reader_that_goes_away_changes_no_verdict() {
    let house = House::fitted();
    let mut child = house
        .command("check --format json")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn colour_is_used_only_where_it_is_asked_for() {
    let house = House::fitted();
    let escape = '\u{1b}';
    assert!(!house.run("status").stdout.contains(escape));
    assert!(house.run("status --color always").stdout.contains(escape));
    let mut command = house.command("status");
    let output = command.env("NO_COLOR", "1").output().unwrap();
    assert!(!String::from_utf8_lossy(&output.stdout).contains(escape));
}

#[test]
fn doctor_finds_a_fitted_monitor_healthy_and_a_forgotten_one_not() {
    let house = House::fitted();
    house.run("check").expect(1);
    let ran = house.run("doctor").expect(0);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
HEALTH  PART      FINDING
ok      store     .freshness/freshness.db is sound: 4 datasets, 2,292 arrivals, [..] bytes (format [..])
ok      arrivals  the newest is 12 h 49 min old
ok      models    3 learned, 0 provisional, 0 irregular, 1 with too little history
ok      fit       2026-02-28 12:00 UTC (0 s ago)
ok      check     2026-02-28 12:00 UTC (0 s ago): 2 late, 1 critical
ok      clock     pinned to 2026-02-28 12:00 UTC
ok      config    no freshness.yaml: all settings have their defaults

"#]]
    );
    let ran = house.run("doctor --now 2026-03-09T12:00:00Z").expect(1);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
HEALTH   PART      FINDING
ok       store     .freshness/freshness.db is sound: 4 datasets, 2,292 arrivals, [..] bytes (format [..])
warning  arrivals  nothing has arrived for 9 d 12 h; are arrivals still imported?
ok       models    3 learned, 0 provisional, 0 irregular, 1 with too little history
problem  fit       the last one is old: 2026-02-28 12:00 UTC (9 d 0 h ago); run `freshness fit` every day
ok       check     2026-02-28 12:00 UTC (9 d 0 h ago): 2 late, 1 critical
ok       clock     pinned to 2026-03-09 12:00 UTC
ok       config    no freshness.yaml: all settings have their defaults

"#]]
    );
}

#[test]
fn every_command_has_help_with_examples() {
    let house = House::empty();
    for command in [
        "fit",
        "status",
        "check",
        "explain",
        "doctor",
        "completions",
        "man",
    ] {
        let help = house.run(&format!("{command} --help")).expect(0).stdout;
        assert!(help.contains("Examples:\n"), "{command}");
    }
}

#[test]
fn every_calendar_that_the_help_names_can_be_declared() {
    let help = House::empty().run("import datasets --help").expect(0);
    let calendars: Vec<&str> = help
        .stdout
        .lines()
        .skip_while(|line| !line.starts_with("Calendars"))
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.trim().split("  ").next())
        .collect();
    assert_eq!(calendars.len(), 16);
    for calendar in calendars {
        assert!(calendar.parse::<Calendar>().is_ok(), "{calendar}");
    }
}

#[test]
fn an_unreadable_value_is_answered_with_an_example() {
    let house = House::fitted();
    for (flag, message) in [
        (
            "--now tomorrow",
            "error: invalid value 'tomorrow' for '--now <RFC3339>': \
             expected a time with an offset, such as 2026-03-01T07:00:00Z\n",
        ),
        (
            "--lock-timeout bogus",
            "error: invalid value 'bogus' for '--lock-timeout <DURATION>': \
             expected a duration from 0 on, such as 30s or 2m\n",
        ),
        (
            "--threads 0",
            "error: invalid value '0' for '--threads <N>': \
             expected a whole number from 1 to 1024, such as 4\n",
        ),
    ] {
        let ran = house.run(&format!("status {flag}")).expect(2);
        assert!(ran.stderr.starts_with(message), "{}", ran.stderr);
    }
}

#[test]
fn completions_and_man_pages_are_printed() {
    let house = House::empty();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = house.run(&format!("completions {shell}")).expect(0).stdout;
        assert!(script.contains("freshness"), "{shell}");
    }
    let page = house.run("man").expect(0).stdout;
    assert!(page.contains(".TH freshness 1"));
    house.run("man --dir man").expect(0);
    assert!(house.path("man/freshness-check.1").exists());
}

#[test]
fn the_reference_pages_are_what_the_program_prints() {
    let house = House::empty();
    for (page, committed) in [
        ("cli", include_str!("../../../docs/cli.md")),
        ("json", include_str!("../../../docs/json.md")),
        ("trust", include_str!("../../../docs/trust.md")),
        ("config", include_str!("../../../docs/config.md")),
        ("env", include_str!("../../../.env.example")),
    ] {
        let printed = house.run(&format!("docs {page}")).expect(0).stdout;
        assert!(
            printed == committed,
            "docs/{page}.md (of env: .env.example) is old; run: cargo run -- docs {page} > docs/{page}.md"
        );
    }
}
