//! Does one line stand for each root cause, and does it stay the same incident?

mod house;

use std::fs;

use freshness::outputs::incidents::INCIDENT_FIELDS;
use house::{House, Ran};
use serde_json::Value;
use snapbox::{IntoData, assert_data_eq, str};

/// raw_orders has stopped, and with it what is made from it; events stopped on
/// its own.
fn house() -> House {
    let house = House::empty();
    let mut csv = String::from("dataset_id,arrived_at\n");
    let start = 1_764_547_200;
    let mut add = |dataset: &str, at: i64| csv.push_str(&format!("{dataset},{at}\n"));
    for day in 0..88 {
        let midnight = start + day * 86_400;
        let scatter = |n: i64| (day * 7_919 + n * 104_729) % 600;
        let is_over = day >= 87;
        for (n, dataset) in ["raw_orders", "stg_orders", "fct_sales", "mart_sales"]
            .iter()
            .enumerate()
        {
            let hour = 4 + n as i64;
            if !is_over {
                add(dataset, midnight + hour * 3_600 + scatter(n as i64));
            }
        }
        if !is_over {
            add("events", midnight + 6 * 3_600 + scatter(9));
        }
        add("users", midnight + 5 * 3_600 + scatter(8));
    }
    fs::write(house.path("arrivals.csv"), csv).unwrap();
    fs::write(
        house.path("lineage.csv"),
        "upstream_id,downstream_id\nraw_orders,stg_orders\nstg_orders,fct_sales\n\
         users,fct_sales\nfct_sales,mart_sales\nusers,events\n",
    )
    .unwrap();
    fs::write(
        house.path("datasets.csv"),
        "dataset_id,critical,team\nraw_orders,true,finance\nevents,false,web\n",
    )
    .unwrap();
    for line in [
        "import arrivals arrivals.csv",
        "import datasets datasets.csv",
        "import lineage lineage.csv",
    ] {
        house.run(line).expect(0);
    }
    house.run(&format!("fit {AT}")).expect(0);
    house
}

/// Noon of the day on which they did not come.
const AT: &str = "--now 2026-02-26T12:00:00Z";

fn json(house: &House, line: &str) -> Value {
    let ran = house.run(&format!("{line} --format json {AT}"));
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"))
}

#[test]
fn late_datasets_are_put_under_their_roots() {
    let house = house();
    let ran = house.run(&format!("incidents {AT}")).expect(0);
    assert_data_eq!(ran.stdout, str![[r#"
INCIDENT    STATUS  SEVERITY  ROOT        SINCE (UTC)       LATE BY     EXPLAINS (BY HOPS)  RECOVERY AFTER THE ROOT  BOTTLENECK
9eb9ef6ada  open    critical  raw_orders  2026-02-26 04:20  7 h 39 min  3 (1 + 1 + 1)       within 3 h 16 min        raw_orders → stg_orders, usually 55 min
6c1c590dbd  open    warning   events      2026-02-26 06:23  5 h 36 min  0                   -                        -

5 late datasets, 2 incidents, 3 alerts suppressed (60.0 %)

"#]].raw());
    let ran = house.run(&format!("incidents stg_orders {AT}")).expect(0);
    assert_data_eq!(ran.stdout, str![[r#"
INCIDENT    STATUS  SEVERITY  ROOT        SINCE (UTC)       LATE BY     EXPLAINS (BY HOPS)  RECOVERY AFTER THE ROOT  BOTTLENECK
9eb9ef6ada  open    critical  raw_orders  2026-02-26 04:20  7 h 39 min  3 (1 + 1 + 1)       within 3 h 16 min        raw_orders → stg_orders, usually 55 min

HOPS  DATASET     STATE  SINCE (UTC)       AFTER THE ROOT     EXPECTED (UTC)  ALSO EXPLAINED BY
   1  stg_orders  late   2026-02-26 05:08  within 1 h 05 min  -               -
   2  fct_sales   late   2026-02-26 06:09  within 2 h 10 min  -               -
   3  mart_sales  late   2026-02-26 07:08  within 3 h 16 min  -               -


"#]].raw());
}

#[test]
fn a_check_says_how_many_alerts_are_suppressed_and_records_the_incidents() {
    let house = house();
    let ran = house.run(&format!("check {AT}")).expect(1);
    let said = "\n5 late datasets, 2 incidents, 3 alerts suppressed (60.0 %)\n";
    assert!(ran.stdout.contains(said), "{}", ran.stdout);
    let first = json(&house, "incidents");
    house.run("check --now 2026-02-26T13:00:00Z").expect(1);
    let history = house.run("incidents --history").expect(0).stdout;
    assert_eq!(history.matches("opened with").count(), 2, "{history}");
    let later = house.run("incidents --format json --now 2026-02-26T13:00:00Z");
    let later: Value = serde_json::from_str(&later.stdout).unwrap();
    for of in [&first, &later] {
        assert_eq!(of["incidents"][0]["root"], "raw_orders");
    }
    assert_eq!(first["incidents"][0]["id"], later["incidents"][0]["id"]);
    assert_eq!(later["incidents"][0]["opened_at"], "2026-02-26T12:00:00Z");
}

#[test]
fn an_incident_is_over_when_its_datasets_have_come() {
    let house = house();
    house.run(&format!("check {AT}")).expect(1);
    let at = 1_764_547_200 + 87 * 86_400 + 12 * 3_600 + 600;
    let came = format!(
        "dataset_id,arrived_at\nraw_orders,{at}\nstg_orders,{}\nfct_sales,{}\nmart_sales,{}\n",
        at + 60,
        at + 120,
        at + 180
    );
    fs::write(house.path("came.csv"), came).unwrap();
    house.run("import arrivals came.csv").expect(0);
    house.run("check --now 2026-02-26T13:00:00Z").expect(0);
    let history = house.run("incidents raw_orders --history").expect(0).stdout;
    assert!(
        history.contains("resolved; 4 datasets at most"),
        "{history}"
    );
}

#[test]
fn an_ack_and_a_silence_are_shown_and_change_no_verdict() {
    let house = house();
    let ran = house
        .run(&format!("ack raw_orders --by ana --why vendor {AT}"))
        .expect(2);
    assert_data_eq!(
        ran.stderr,
        str![[r#"
error: no such incident: raw_orders: no check has found one that stands

hint: `freshness check` records incidents; run it if `freshness incidents` lists this one

"#]]
    );
    house.run(&format!("check {AT}")).expect(1);
    house
        .run(&format!(
            "ack raw_orders --by ana --why vendor --for 8h {AT}"
        ))
        .expect(0);
    let ran = house
        .run(&format!("ack 0123456789 --by ana --why vendor {AT}"))
        .expect(2);
    assert_data_eq!(
        ran.stderr,
        str![[r#"
error: no such incident: 0123456789

hint: `freshness check` records incidents; run it if `freshness incidents` lists this one

"#]]
    );
    let set = house
        .run(&format!(
            "silence add --team web --by bob --why move --for 1d {AT}"
        ))
        .expect(0);
    assert!(set.stdout.contains("team web"), "{}", set.stdout);
    let checked = json(&house, "check");
    assert_eq!(checked["answer"], "late");
    let statuses: Vec<&str> = checked["incidents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|incident| incident["status"].as_str().unwrap())
        .collect();
    assert_eq!(statuses, ["acknowledged", "silenced"]);
    // The time is over, and somebody has to look again.
    let ran = house.run("incidents --format json --now 2026-02-26T21:00:00Z");
    let later: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(later["incidents"][0]["status"], "open");
    house.run(&format!("silence remove 1 {AT}")).expect(0);
    let none = house.run(&format!("silence list {AT}")).expect(0);
    assert_eq!(none.stdout, "no silence holds\n");
}

#[test]
fn a_silence_has_an_end_and_asks_for_something() {
    let house = House::empty();
    house
        .run("silence add --team web --by bob --why move")
        .expect(2);
    let ran = house
        .run("silence add --by bob --why move --for 1d")
        .expect(2);
    assert!(ran.stderr.contains("would cover everything"), "{ran:?}");
    let ran = house
        .run("silence add --team web --by bob --why move --until 2020-01-01")
        .expect(2);
    assert!(ran.stderr.contains("that time is over"), "{ran:?}");
}

#[test]
fn the_json_of_an_incident_has_the_documented_fields() {
    let house = house();
    let mut documented: Vec<&str> = INCIDENT_FIELDS.iter().map(|&(field, _)| field).collect();
    // Whom it concerns is said where a script can send it.
    documented.push("to");
    documented.sort_unstable();
    let seen = json(&house, "incidents");
    assert_eq!(seen["n_suppressed"], 3);
    for incident in seen["incidents"].as_array().unwrap() {
        let mut written: Vec<&str> = incident
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        written.sort_unstable();
        assert_eq!(written, documented);
    }
}

#[test]
fn each_incident_says_whom_it_concerns_and_where_they_are_told() {
    let house = house();
    fs::write(
        house.path("dashboards.csv"),
        "dashboard_id,title,owner,dataset_id,part\nsales,Sales,dora,mart_sales,all\n\
         board,Board,board,fct_sales,all\n",
    )
    .unwrap();
    let line = format!("import dashboards dashboards.csv {AT}");
    house.run(&line).expect(0);
    fs::write(
        house.path("freshness.yaml"),
        "datasets:
- {match: 'mart_*', team: web, owner: wanda}
- {match: stg_orders, team: finance}
teams:
  finance: {owner: fred, routes: ['slack:#finance', 'mailto:fred@example.org']}
  web: {routes: ['env:WEB_HOOK']}
  board: {routes: ['slack:#board']}
",
    )
    .unwrap();
    for command in ["incidents", "check", "incidents --history"] {
        let seen = json(&house, command);
        let all = seen["incidents"].as_array().unwrap();
        let of = |root: &str| {
            let found = all.iter().find(|one| one["root"] == root);
            found.unwrap_or_else(|| panic!("{command}: {seen}"))["to"].clone()
        };
        let expected = serde_json::json!([
            {"because": "root", "team": "finance", "owner": "fred",
             "routes": ["slack:#finance", "mailto:fred@example.org"]},
            {"because": "member", "team": "web", "owner": "wanda", "routes": ["env:WEB_HOOK"]},
            {"because": "dashboard", "team": null, "owner": "dora", "routes": []},
            {"because": "dashboard", "team": "board", "owner": null, "routes": ["slack:#board"]},
        ]);
        assert_eq!(of("raw_orders"), expected, "{command}");
        assert_eq!(of("events")[0]["team"], "web");
    }
}

#[test]
fn explain_says_what_a_late_dataset_is_explained_by() {
    let house = house();
    let ran = house.run(&format!("explain fct_sales {AT}")).expect(0);
    let line = ran.stdout.lines().nth(2).unwrap();
    assert!(
        line.contains(": explained by raw_orders, 2 hops up; it should come"),
        "{line}"
    );
    let ran = house.run(&format!("explain raw_orders {AT}")).expect(0);
    let line = ran.stdout.lines().nth(2).unwrap();
    assert!(line.ends_with("3 others are late because of it"), "{line}");
}

#[test]
fn a_name_with_escapes_for_the_terminal_is_refused() {
    let house = house();
    let mut command = house.command(&format!("ack raw_orders --why vendor {AT}"));
    let ran = Ran::from(command.args(["--by", "bob\x1b[31m"]).output().unwrap()).expect(2);
    let why = "expected text on one line, without control characters";
    assert!(ran.stderr.contains(why), "{ran:?}");
}

#[test]
fn an_incident_that_is_not_there_is_an_error_that_names_what_was_meant() {
    let house = house();
    let ran = house.run(&format!("incidents raw_order {AT}")).expect(2);
    assert_data_eq!(
        ran.stderr,
        str![[r#"
error: no such incident: raw_order

hint: did you mean `raw_orders`?

"#]]
    );
}

#[test]
fn with_nothing_late_there_is_nothing_to_look_at() {
    let house = house();
    let ran = house.run("incidents --now 2026-02-25T12:00:00Z").expect(0);
    assert_eq!(ran.stdout, "nothing is late as of 2026-02-25 12:00 UTC\n");
}
