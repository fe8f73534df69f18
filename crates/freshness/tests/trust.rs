//! How far can dashboards be believed, and what may be refreshed?

use std::fs;

use freshness::outputs::trust::FIELDS;
use house::{House, WAREHOUSE_ENDS};
use serde_json::Value;
use snapbox::{IntoData, assert_data_eq, str};

mod house;

/// raw_orders, critical, has been missing for two days; never_came is known by
/// an edge only.
fn house() -> House {
    let house = House::imported();
    fs::write(
        house.path("lineage.csv"),
        "upstream_id,downstream_id\nraw_orders,fct_revenue\nnever_came,fct_lonely\n",
    )
    .unwrap();
    fs::write(
        house.path("dashboards.csv"),
        "dashboard_id,title,owner,part,dataset_id\n\
         board,Board report,ann,revenue,fct_revenue\n\
         board,Board report,ann,traffic,events\n\
         traffic,Traffic,,all,new_feed\n\
         lonely,,,one,fct_lonely\n\
         lonely,,,two,new_feed\n",
    )
    .unwrap();
    house.run("import lineage lineage.csv").expect(0);
    house.run("fit").expect(0);
    house.run("import dashboards dashboards.csv").expect(0);
    house
}

#[test]
fn the_worst_dashboard_comes_first_with_its_caveat() {
    let ran = house().run("trust").expect(0);
    assert_data_eq!(ran.stdout, str![[r#"
 SCORE  STATE           DASHBOARD  CAVEAT
    19  late            board      events has been late since 2026-02-28 00:16 UTC, also late: raw_orders (since 2026-02-26 06:19 UTC); revenue and traffic (both parts) may be out of date. If these come by their next deadlines, that should be over by 2026-03-02 08:19 UTC.
50–100  could not tell  lonely     Nobody can tell whether fct_lonely and never_came are up to date; one (1 of 2 parts) may be out of date.
   100  on time         traffic    -

3 dashboards as of 2026-02-28 12:00 UTC: 1 late, 1 could not tell, 1 on time

"#]].raw());
    assert_eq!(ran.stderr, "");
}

#[test]
fn a_dashboard_says_what_each_late_dataset_costs() {
    let house = house();
    assert_data_eq!(house.run("trust board").expect(0).stdout, str![[r#"
board (Board report): 19 of 100, late, as of 2026-02-28 12:00 UTC
events has been late since 2026-02-28 00:16 UTC, also late: raw_orders (since 2026-02-26 06:19 UTC); revenue and traffic (both parts) may be out of date. If these come by their next deadlines, that should be over by 2026-03-02 08:19 UTC.
owner: ann

SCORE  PART     SHOWS
   30  revenue  fct_revenue
    7  traffic  events

LOST  BY          STATE   SEVERITY  LATE BY      SINCE (UTC)       HOPS  PARTS
46.1  events      missed  warning   11 h 43 min  2026-02-28 00:16     0  traffic
34.6  raw_orders  missed  critical  2 d 5 h      2026-02-26 06:19     1  revenue

"#]].raw());
    assert_data_eq!(house.run("trust lonely").expect(0).stdout, str![[r#"
lonely: 50–100 of 100, could not tell, as of 2026-02-28 12:00 UTC
Nobody can tell whether fct_lonely and never_came are up to date; one (1 of 2 parts) may be out of date.

SCORE  PART  SHOWS
0–100  one   fct_lonely
  100  two   new_feed

CANNOT BE JUDGED  STATE    HOPS  PARTS  WHY
fct_lonely        unknown     0  one    nothing has arrived yet
never_came        unknown     1  one    nothing has arrived yet

"#]].raw());
    assert_data_eq!(
        house.run("trust traffic").expect(0).stdout,
        str![[r#"
traffic (Traffic): 100 of 100, on time, as of 2026-02-28 12:00 UTC
Everything behind it is on time: 1 dataset.

SCORE  PART  SHOWS
  100  all   new_feed

"#]]
        .raw()
    );
}

#[test]
fn the_gate_answers_with_its_exit_code_and_one_line() {
    let house = house();
    let check = |line: &str, code: i32, said: &str| {
        let ran = house.run(line).expect(code);
        assert_eq!(
            (ran.stdout.as_str(), ran.stderr.as_str()),
            ("", said),
            "{line}"
        );
    };
    check("gate traffic --min-score 100", 0, "");
    let board = house.run("trust board --format ndjson").expect(0).stdout;
    let board: Value = serde_json::from_str(&board).unwrap();
    let (score, caveat) = (board["score"].as_u64().unwrap(), &board["caveat"]);
    check(&format!("gate board --min-score {score}"), 0, "");
    let above = score + 1;
    check(
        &format!("gate board --min-score {above}"),
        1,
        &format!(
            "board has a score of {score}, below {above}: {}\n",
            caveat.as_str().unwrap()
        ),
    );
    check(
        "gate lonely --min-score 51",
        2,
        "lonely has a score of 50–100, which may be below 51: Nobody can tell whether fct_lonely and never_came are up to date; one (1 of 2 parts) may be out of date.\n",
    );
    check("gate lonely --min-score 0", 0, "");
    house.run("gate board --min-score 101").expect(2);
}

#[test]
fn what_is_not_there_could_not_be_told() {
    let house = house();
    let ran = house.run("gate bord --min-score 1").expect(2);
    assert_data_eq!(
        ran.stderr,
        str![[r#"
error: unknown dashboard: bord

hint: did you mean `board`?

"#]]
        .raw()
    );
    let ran = house.run("trust Traffic").expect(2);
    assert!(
        ran.stderr.contains("did you mean `traffic`?"),
        "{}",
        ran.stderr
    );
    let none = House::fitted();
    for line in ["trust", "trust board", "gate board --min-score 1"] {
        let ran = none.run(line).expect(2);
        assert_data_eq!(
            ran.stderr,
            str![[r#"
error: no dashboards in the store: .freshness/freshness.db

hint: import them: `freshness import dashboards FILE`

"#]]
            .raw()
        );
        assert_eq!(ran.stdout, "");
    }
    let unfitted = House::imported();
    fs::write(
        unfitted.path("d.csv"),
        "dashboard_id,dataset_id\nb,events\n",
    )
    .unwrap();
    unfitted.run("import dashboards d.csv").expect(0);
    unfitted.run("gate b --min-score 0").expect(2);
}

#[test]
fn old_models_answer_no_gate_that_is_strict() {
    let house = house();
    let later = "--now 2026-03-04T12:00:00Z";
    house
        .run(&format!("gate lonely --min-score 0 {later}"))
        .expect(0);
    let ran = house
        .run(&format!("gate lonely --min-score 0 --strict {later}"))
        .expect(2);
    assert!(ran.stderr.contains("the models are 4 d"), "{}", ran.stderr);
}

#[test]
fn a_clock_behind_the_last_check_opens_no_gate() {
    let house = house();
    house.run("check");
    let ran = house.run("gate lonely --min-score 0 --now 2026-02-01T00:00:00Z");
    let said = ran.expect(2).stderr;
    assert!(
        said.contains("the clock is behind the last check"),
        "{said}"
    );
}

#[test]
fn a_dashboard_named_like_a_script_is_harmless() {
    let house = house();
    fs::write(
        house.path("hostile.csv"),
        "dashboard_id,title,part,dataset_id\n\
         evil,<script>alert('1')</script>,<img src=x onerror=alert(2)>,raw_orders\n",
    )
    .unwrap();
    house.run("import dashboards hostile.csv").expect(0);
    let svg = house.run("trust evil --badge svg").expect(0).stdout;
    let html = house.run("trust evil --badge html").expect(0).stdout;
    for text in [&svg, &html] {
        let parsed = roxmltree::Document::parse(text).unwrap();
        let names = parsed
            .descendants()
            .map(|of| of.tag_name().name().to_owned());
        assert!(
            names
                .into_iter()
                .all(|name| !["script", "img"].contains(&name.as_str()))
        );
        let said: String = parsed.descendants().filter_map(|of| of.text()).collect();
        assert!(said.contains("<script>alert('1')</script>"), "{said}");
        assert!(said.contains("raw_orders has been late since"), "{said}");
    }
    let shields = house
        .run("trust evil --badge shields --out evil.json")
        .expect(0);
    assert_eq!((shields.stdout.as_str(), shields.stderr.as_str()), ("", ""));
    let shields: Value =
        serde_json::from_slice(&fs::read(house.path("evil.json")).unwrap()).unwrap();
    assert_eq!(shields["schemaVersion"], 1);
    assert_eq!(shields["label"], "<script>alert('1')</script>");
    assert_eq!(shields["message"], "30 · late");
}

#[test]
fn looking_changes_nothing() {
    let house = house();
    let store = || fs::read(house.path(".freshness/freshness.db")).unwrap();
    let before = store();
    for line in [
        "trust",
        "trust board",
        "gate board --min-score 1",
        "trust board --badge svg",
    ] {
        house.run(line).expect(0);
    }
    assert!(before == store());
}

#[test]
fn every_field_of_the_json_is_documented() {
    let ran = house().run("trust --format json").expect(0);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    let first = document["dashboards"][0].as_object().unwrap();
    let mut written: Vec<&str> = first.keys().map(String::as_str).collect();
    let mut documented: Vec<&str> = FIELDS.iter().map(|&(field, _)| field).collect();
    written.sort_unstable();
    documented.sort_unstable();
    assert_eq!(written, documented);
}

#[test]
fn the_rule_is_the_one_in_the_documentation() {
    let ran = House::empty().run("trust --rule").expect(0);
    assert_eq!(ran.stdout, include_str!("../../../docs/trust.md"));
}

#[test]
fn the_made_up_warehouse_ends_on_a_day_that_spoils_some_reports_and_not_others() {
    const END: &str = "2026-02-27T22:00:00Z";
    let house = House::empty();
    house.run("seed --seed 1 --out w").expect(0);
    for what in ["arrivals", "datasets", "lineage", "dashboards"] {
        house
            .run(&format!("import {what} w/{what}.csv --now {END}"))
            .expect(0);
    }
    house.run(&format!("fit --now {END}")).expect(0);
    let ran = house
        .run(&format!("trust --format ndjson --now {END}"))
        .expect(0);
    let lines: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let scores: Vec<u64> = lines
        .iter()
        .map(|of| of["score"].as_u64().unwrap())
        .collect();
    assert_eq!(scores.len(), 13);
    assert!((50..65).contains(&scores[0]), "{scores:?}");
    assert_eq!(scores.last(), Some(&100), "{scores:?}");
    assert!(scores.is_sorted(), "{scores:?}");
    // Only what is late because of nothing else is named.
    let roots = ["raw_contracts", "raw_prices", "raw_stores"];
    for line in &lines {
        let is_spoiled = line["score"] != 100;
        assert_eq!(is_spoiled, line["caveat"].is_string(), "{line}");
        assert_eq!(is_spoiled, line["recovers"].is_string(), "{line}");
        for cause in line["causes"].as_array().unwrap() {
            assert!(
                roots.contains(&cause["dataset_id"].as_str().unwrap()),
                "{line}"
            );
        }
    }
}

#[test]
fn whoever_looks_at_an_old_store_is_told_of_looking_back() {
    let house = House::warehouse();
    let note = "note: nothing has arrived of anything since 2026-02-2";
    for line in ["trust", "status"] {
        let later = house.run(&format!("{line} --now 2026-06-01T00:00:00Z"));
        assert!(later.stderr.contains(note), "{later:?}");
        let now = house.run(&format!("{line} --now {WAREHOUSE_ENDS}"));
        assert!(!now.stderr.contains("note:"), "{now:?}");
    }
}
