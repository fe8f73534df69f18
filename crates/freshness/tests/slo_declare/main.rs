//! Are promises imported as they are declared, with the place of each value,
//! and is what is wrong told whole?

use std::fs;

use house::{House, Ran};
use snapbox::{IntoData, assert_data_eq, str};

#[path = "../house/mod.rs"]
mod house;
mod mistakes;

/// A folder with three levels and three contracts in it.
const FOLDER: [(&str, &str); 6] = [
    (
        "slo/finance/_domain.yaml",
        "# Of all finance.\nowner: ann\nservice_levels:\n  freshness:\n    threshold: 24h\n    field: updated_at\n  quality: { min_good_ratio: 0.99 }\n",
    ),
    (
        "slo/finance/orders/_system.yaml",
        "connection: warehouse\ntimezone: Europe/Berlin\nservice_levels:\n  freshness: { threshold: 6h }\n",
    ),
    (
        "slo/finance/orders/raw.yaml",
        "dataset: raw_orders\ntable: erp.orders\nservice_levels:\n  freshness: 90m\n  quality: null\n  row_count:\n    min_rows: 1_000\n    anomaly: true\n",
    ),
    (
        "slo/finance/orders/contract.yaml",
        "dataset: fct_revenue\nservice_levels:\n  freshness:\n    deadline: '07:30'\n    weekdays: [Mon, Tue, Wed, Thu, Fri]\n    timezone: Europe/Berlin\n    owner: bob\n",
    ),
    (
        "slo/web/events.yml",
        "dataset: events\nenvironment: dev\nschedule: { cron: '0 * * * *' }\nservice_levels:\n  availability: { threshold: 99.9, field: user_id }\n",
    ),
    ("slo/web/docker-compose.yaml", "services: {}\n"),
];

fn write(house: &House, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = house.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn declared() -> House {
    let house = House::imported();
    write(&house, &FOLDER);
    house.run("import slo slo").expect(0);
    house
}

#[track_caller]
fn check_refused(files: &[(&str, &str)], mistakes: &str) {
    let house = House::imported();
    write(&house, files);
    let ran = house.run("import slo slo").expect(2);
    assert_eq!(ran.stderr, mistakes);
    assert_eq!(ran.stdout, "");
    let shown = house.run("slo show").expect(2);
    assert!(shown.stderr.contains("no service levels"), "{shown:?}");
}

#[test]
fn a_folder_is_imported_and_again_changes_nothing() {
    let house = House::imported();
    write(&house, &FOLDER);
    let ran = house.run("import slo slo").expect(0);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
imported  files  declared  added  changed  removed  unchanged
slo           6         3      3        0        0          0

"#]]
        .raw()
    );
    assert_data_eq!(
        ran.stderr,
        str![[r#"
warning: slo/web/docker-compose.yaml: left out: no `dataset` in it
warning: slo/web/events.yml:3:1: schedule: retired and ignored; say `deadline` and `calendar` in service_levels.freshness instead
added: events (dev), fct_revenue (prod), raw_orders (prod)

"#]]
        .raw()
    );
    let shown = house.run("slo show --format json").expect(0).stdout;
    let ran = house.run("import slo ./slo/../slo/").expect(0);
    assert!(
        ran.stdout
            .contains("slo           6         3      0        0        0          3"),
        "{}",
        ran.stdout
    );
    assert_eq!(house.run("slo show --format json").expect(0).stdout, shown);
}

#[test]
fn a_dataset_shows_the_file_and_line_of_each_value() {
    let house = declared();
    let ran = house.run("slo show raw_orders").expect(0);
    let shown = ran.stdout.replace(
        &house
            .path("slo")
            .canonicalize()
            .unwrap()
            .display()
            .to_string(),
        "FOLDER",
    );
    assert_data_eq!(
        shown,
        str![[r#"
raw_orders (prod), declared in FOLDER
at most 1h30m old, at least 1000 rows, rows 0.5 to 2 times their weekday's median

KEY                                       VALUE          FROM
dataset                                   raw_orders     finance/orders/raw.yaml:1
table                                     erp.orders     finance/orders/raw.yaml:2
connection                                warehouse      finance/orders/_system.yaml:1
timezone                                  Europe/Berlin  finance/orders/_system.yaml:2
owner                                     ann            finance/_domain.yaml:2
service_levels.freshness.threshold        90m            finance/orders/raw.yaml:4
service_levels.freshness.field            updated_at     finance/_domain.yaml:6
service_levels.row_count.min_rows         1_000          finance/orders/raw.yaml:7
service_levels.row_count.anomaly.enabled  true           finance/orders/raw.yaml:8
service_levels.quality                    (cleared)      finance/orders/raw.yaml:5

"#]]
        .raw()
    );
}

#[test]
fn all_promises_are_listed_in_a_line_each() {
    let house = declared();
    let ran = house.run("slo show").expect(0);
    let shown: Vec<String> = ran
        .stdout
        .lines()
        .map(|line| line.split("  /").next().unwrap().trim_end().to_owned())
        .collect();
    assert_eq!(
        shown,
        [
            "DATASET      ENVIRONMENT  PROMISED                                                                           DECLARED IN",
            "events       dev          user_id 99.9 % filled",
            "fct_revenue  prod         at most 6h old and by 07:30 Europe/Berlin (Mon–Fri), 0.99 of rows good",
            "raw_orders   prod         at most 1h30m old, at least 1000 rows, rows 0.5 to 2 times their weekday's median",
        ]
    );
    let ran = house.run("slo show --environment prdo").expect(2);
    assert!(
        ran.stderr.contains("there are: dev, prod"),
        "{}",
        ran.stderr
    );
    let ran = house.run("slo show raw_order").expect(2);
    assert!(
        ran.stderr.contains("did you mean `raw_orders`?"),
        "{}",
        ran.stderr
    );
}

#[test]
fn json_has_the_meaning_and_the_places() {
    let house = declared();
    let ran = house.run("slo show fct_revenue --format ndjson").expect(0);
    let line: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(line["service_levels"]["freshness"]["threshold"], 21_600.0);
    assert_eq!(line["service_levels"]["freshness"]["by"]["minutes"], 450);
    assert_eq!(line["service_levels"]["freshness"]["owner"], "bob");
    assert_eq!(line["service_levels"]["quality"]["owner"], "ann");
    assert_eq!(line["connection"], "warehouse");
    let values = line["values"].as_array().unwrap();
    let threshold = values
        .iter()
        .find(|value| value["key"] == "service_levels.freshness.threshold")
        .unwrap();
    assert_eq!(threshold["value"], serde_json::json!(["6h"]));
    assert_eq!(threshold["file"], "finance/orders/_system.yaml");
    assert_eq!(threshold["line"], 4);
}

#[test]
fn what_a_folder_no_longer_declares_is_forgotten_and_that_is_said() {
    let house = declared();
    fs::remove_file(house.path("slo/web/events.yml")).unwrap();
    write(
        &house,
        &[(
            "slo/finance/orders/_system.yaml",
            "service_levels: { freshness: 5h }\n",
        )],
    );
    let ran = house.run("import slo slo --format json").expect(0);
    let told: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(told["removed"][0]["dataset_id"], "events");
    assert_eq!(told["removed"][0]["environment"], "dev");
    assert_eq!(told["changed"].as_array().unwrap().len(), 2);
    assert_eq!(told["unchanged"], 0);
    assert!(
        ran.stderr.contains("removed: events (dev)"),
        "{}",
        ran.stderr
    );
    house.run("slo show events").expect(2);
}

#[test]
fn a_folder_that_declares_nothing_forgets_nothing_unless_told_so() {
    let house = declared();
    fs::remove_dir_all(house.path("slo")).unwrap();
    let ran = house.run("import slo slo").expect(2);
    assert!(
        ran.stderr.contains("no such file or folder"),
        "{}",
        ran.stderr
    );
    fs::create_dir(house.path("slo")).unwrap();
    let ran = house.run("import slo slo").expect(2);
    assert!(
        ran.stderr.contains("no service levels are declared in slo"),
        "{}",
        ran.stderr
    );
    house.run("slo show raw_orders").expect(0);
    let ran = house.run("import slo slo --allow-empty").expect(0);
    assert!(
        ran.stderr
            .contains("removed: events (dev), fct_revenue (prod), raw_orders (prod)"),
        "{}",
        ran.stderr
    );
    house.run("slo show").expect(2);
}

#[test]
fn a_section_without_anything_is_switched_off_and_an_empty_one_inherits() {
    let house = House::imported();
    write(
        &house,
        &[
            (
                "slo/_domain.yaml",
                "service_levels:\n  quality: { min_good_ratio: 0.9 }\n",
            ),
            ("slo/a.yaml", "dataset: a\nservice_levels:\n  quality:\n"),
            ("slo/b.yaml", "dataset: b\nservice_levels:\n  quality: {}\n"),
            ("slo/c.yaml", "dataset: c\nservice_levels:\n"),
        ],
    );
    house.run("import slo slo").expect(0);
    let shown = house.run("slo show").expect(0).stdout;
    let promised: Vec<bool> = shown
        .lines()
        .map(|line| line.contains("0.9 of rows good"))
        .collect();
    assert_eq!(promised, [false, false, true, true], "{shown}");
}

#[test]
fn a_folder_or_file_alone_means_what_it_means_among_the_others() {
    let whole = declared();
    let of = |house: &House, dataset: &str| -> serde_json::Value {
        let shown = house
            .run(&format!("slo show {dataset} --format json"))
            .expect(0)
            .stdout;
        let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
        shown["declarations"][0].clone()
    };
    for (root, files) in [
        ("slo/finance/orders", 4),
        ("slo/finance/orders/raw.yaml", 3),
    ] {
        let house = House::imported();
        write(&house, &FOLDER);
        let ran = house
            .run(&format!("import slo {root} --format json"))
            .expect(0);
        let told: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(told["files"], files, "{root}");
        let (alone, among) = (of(&house, "raw_orders"), of(&whole, "raw_orders"));
        assert_eq!(alone["service_levels"], among["service_levels"], "{root}");
        assert_eq!(alone["connection"], "warehouse", "{root}");
        let shown = house.run("slo show raw_orders").expect(0).stdout;
        let above = if root.ends_with("yaml") {
            "../_domain.yaml:6\n"
        } else {
            " ../_domain.yaml:6\n"
        };
        assert!(shown.contains(above), "{shown}");
    }
    // A mistake above is one; what a folder without levels cuts off is said.
    let house = House::imported();
    write(
        &house,
        &[
            ("slo/_domain.yaml", "owner: ann\n"),
            ("slo/a/b/_system.yaml", "ownr: bob\n"),
            ("slo/a/b/c/x.yaml", "dataset: x\n"),
        ],
    );
    let ran = house.run("import slo slo/a/b/c").expect(2);
    assert!(
        ran.stderr
            .contains("slo/a/b/c/../_system.yaml:1:1: ownr: unknown key"),
        "{ran:?}"
    );
    write(&house, &[("slo/a/b/_system.yaml", "owner: bob\n")]);
    let ran = house.run("import slo slo/a/b/c").expect(0);
    assert!(
        ran.stderr.contains("slo/a/b/c/../../../_domain.yaml: left out: no level stands in the folder between, ../../../a; import"),
        "{ran:?}"
    );
}

#[test]
fn the_zone_of_a_contract_is_that_of_its_deadline() {
    let house = House::imported();
    write(
        &house,
        &[
            ("slo/_system.yaml", "timezone: Europe/Berlin\n"),
            (
                "slo/a.yaml",
                "dataset: a\nservice_levels: { freshness: { deadline: '07:30', weekdays: Mon-Fri } }\n",
            ),
            (
                "slo/b.yaml",
                "dataset: b\nservice_levels: { freshness: { deadline: '07:30', timezone: Asia/Tokyo } }\n",
            ),
            (
                "slo/c.yaml",
                "dataset: c\ntimezone: null\nservice_levels: { freshness: { deadline: '02:30' } }\n",
            ),
            (
                "slo/d.yaml",
                "dataset: d\nservice_levels: { freshness: { threshold: 6h, field: t, calendar: Mon-Fri } }\n",
            ),
            (
                "slo/e.yaml",
                "dataset: e\nservice_levels: { freshness: { deadline: '02:30', timezone: null } }\n",
            ),
            (
                "slo/f.yaml",
                "dataset: f\nservice_levels: { freshness: { threshold: 6h, field: t } }\n",
            ),
        ],
    );
    house.run("import slo slo").expect(0);
    let shown = house.run("slo show").expect(0).stdout;
    for (dataset, promised) in [
        ("a", "by 07:30 Europe/Berlin (Mon–Fri)"),
        ("b", "by 07:30 Asia/Tokyo "),
        ("c", "by 02:30 UTC "),
        ("d", "at most 6h old (Mon–Fri, Europe/Berlin)"),
        ("e", "by 02:30 UTC "),
        ("f", "at most 6h old "),
    ] {
        let line = shown
            .lines()
            .find(|line| line.starts_with(&format!("{dataset} ")))
            .unwrap();
        assert!(line.contains(promised), "{line}");
    }
    let told = house.run("slo diff a").expect(0).stdout;
    assert!(told.contains("by 07:30 Europe/Berlin (Mon–Fri)"), "{told}");
    // 07:30 in Berlin is 06:30 UTC in winter.
    fs::write(
        house.path("runs.csv"),
        "dataset_id,run_id,finished_at\na,1,2026-02-26T06:00:00Z\n",
    )
    .unwrap();
    house.run("import runs runs.csv").expect(0);
    let told = house
        .run("slo check a --now 2026-02-27T06:40:00Z")
        .expect(1)
        .stdout;
    assert!(told.contains("owed by 2026-02-27 06:30 UTC"), "{told}");
}

#[test]
fn a_dataset_that_nobody_knows_yet_may_be_promised_and_is_named() {
    let house = House::imported();
    write(
        &house,
        &[(
            "slo/a.yaml",
            "dataset: not_yet\nservice_levels: { row_count: { min_rows: 1 } }\n",
        )],
    );
    let ran = house.run("import slo slo/a.yaml").expect(0);
    assert!(
        ran.stderr
            .contains("note: 1 dataset not known before, named by a contract: not_yet"),
        "{}",
        ran.stderr
    );
}
