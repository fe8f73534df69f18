//! Are promises seen, read aloud and harmless, in a real browser?

#[path = "console/axe.rs"]
mod axe;
#[path = "console/browser.rs"]
mod browser;
mod house;
#[path = "console/steps.rs"]
mod steps;

use std::fmt::Write;
use std::fs;

use axe::check_accessible;
use browser::{Browser, Screen};
use house::House;
use serde_json::json;
use steps::{check_fits, close_panel, console, open_panel};

const HOSTILE: &str =
    "\"><img src=x onerror=window.hacked=1></script><script>window.hacked=1</script>";

/// What is promised of four datasets.
const CONTRACTS: [&str; 5] = [
    "dataset: raw_orders
service_levels:
  freshness: { threshold: 24h, field: updated_at, deadline: '07:00', timezone: Europe/Berlin, calendar: mon-fri }
  row_count: { min_rows: 100, max_rows: 5000, severity: warning }
",
    "dataset: fct_revenue
service_levels:
  quality: { min_good_ratio: 0.9 }
",
    "dataset: fct_revenue
environment: dev
service_levels:
  row_count: { min_rows: 100 }
",
    "dataset: events
service_levels:
  availability: { threshold: 99.9, field: customer_id }
",
    // As YAML.
    "dataset: NAME
environment: NAME
service_levels:
  freshness: { threshold: 1h, field: NAME }
",
];

/// Runs of 40 days: those of raw_orders stop two days before the end, bring too
/// little on two days and on two do not find any rows.
fn runs() -> String {
    let mut csv = String::from(
        "dataset_id,run_id,environment,finished_at,counts_source,counts_total,counts_good,newest\n",
    );
    let noon: jiff::Timestamp = house::NOW.parse().unwrap();
    let noon = noon.as_second();
    for day in (0..40).rev() {
        let six = noon - 6 * 3_600 - day * 86_400;
        let at = |seconds: i64| jiff::Timestamp::from_second(seconds).unwrap();
        if day >= 2 {
            let n = if matches!(day, 8 | 9) { 40 } else { 1_000 };
            let newest = match day {
                10 | 11 => "no rows".to_owned(),
                _ => at(six - 600).to_string(),
            };
            writeln!(csv, "raw_orders,{day},prod,{},{n},,,{newest}", at(six)).unwrap();
        }
        writeln!(csv, "fct_revenue,{day},prod,{},500,500,499,", at(six)).unwrap();
        writeln!(csv, "fct_revenue,{day},dev,{},5,5,5,", at(six)).unwrap();
    }
    let quoted = HOSTILE.replace('"', "\"\"");
    writeln!(
        csv,
        "\"{quoted}\",1,\"{quoted}\",2026-02-28T06:00:00Z,1,1,1,2026-02-28T06:00:00Z"
    )
    .unwrap();
    csv
}

/// A warehouse with promises, and a scope that feeds one of its tables.
fn promising() -> House {
    let house = House::fitted();
    fs::create_dir(house.path("slo")).unwrap();
    for (i, text) in CONTRACTS.iter().enumerate() {
        let text = text.replace("NAME", &format!("'{HOSTILE}'"));
        fs::write(house.path(&format!("slo/{i}.yaml")), text).unwrap();
    }
    fs::write(house.path("runs.csv"), runs()).unwrap();
    let scope = format!(
        "contracts:\n  - source: orders\n    scope: '{HOSTILE}'\n    max_source_lag_minutes: 120\n    \
         max_publication_gap_minutes: 60\n    dataset: fct_revenue\n"
    );
    fs::write(house.path("scopes.yaml"), scope).unwrap();
    for line in [
        "import slo slo",
        "import runs runs.csv",
        "coverage contracts import scopes.yaml",
    ] {
        house.run(line).expect(0);
    }
    house
}

#[test]
fn broken_promises_are_seen_at_a_glance() {
    let house = promising();
    let browser = Browser::start();
    let page = console(&house, &browser, Screen::DESK);
    let counts =
        page.text("document.querySelector('#promises .counts').innerText.replaceAll('\\n', ' ')");
    assert_eq!(counts, "breached 4 could not tell 1 kept 2");
    let broken = page.text("document.querySelector('#promises .broken').innerText");
    for said in [
        "raw_orders\nwarning",
        "freshness: the newest updated_at is 1 d 17 h old",
        "promised at most 1 d 0 h; broken since Fri 27 Feb 06:50 CET",
        "deadline: owed by Fri 27 Feb 07:00 CET 06:00 UTC",
        "row count in dev: 5 rows, promised at least 100; broken since Tue 20 Jan 07:00 CET",
        "freshness in \"><img src=x",
    ] {
        assert!(broken.contains(said), "{said}: {broken}");
    }
    // What is in time and breaks a promise is not said to be late.
    let cards = page
        .text("[...document.querySelectorAll('.incident')].map((it) => it.innerText).join(' ')");
    assert!(cards.contains("breaks coverage (orders / "), "{cards}");
    let headline = page.text("document.querySelector('h1').innerText");
    assert_eq!(
        headline,
        "3 incidents behind 2 late datasets and 1 dataset with broken promises"
    );
    let lead = page.text("document.querySelector('.lead').innerText");
    assert!(lead.contains("4 promises are broken"), "{lead}");
    page.whole_picture("promises");
    check_fits(&page);
    check_accessible(&page);
    for (screen, name) in [
        (Screen::DESK.dark(), "promises-dark"),
        (Screen::PHONE, "promises-phone"),
        (Screen::PHONE.dark(), "promises-phone-dark"),
    ] {
        page.look_on(screen);
        check_fits(&page);
        page.whole_picture(name);
        check_accessible(&page);
    }
    page.click("#promises .broken a");
    page.wait("document.querySelector('dialog').open");
    close_panel(&page);
}

#[test]
fn a_dataset_shows_what_it_owes_day_by_day() {
    let house = promising();
    let browser = Browser::start();
    let page = console(&house, &browser, Screen::DESK);
    open_panel(&page, "#list .name");
    let told = page.text(
        "[...document.querySelectorAll('.objective')].map((it) => it.innerText).join('\\n---\\n')",
    );
    for said in [
        "Freshness\nbreached\npromised: at most 24h old (Mon–Fri, Europe/Berlin)",
        "broken since Fri 27 Feb 06:50 CET",
        " % of the time over 90 days, target 99.5 %: ",
        "Deadline\nbreached\npromised: by 07:00 Europe/Berlin (Mon–Fri)",
        "Row count\nkept\npromised: 100 to 5000 rows",
        "Kept 94.73 % of the runs over 90 days",
    ] {
        assert!(told.contains(said), "{said}: {told}");
    }
    let spoken = page.text(
        "[...document.querySelectorAll('.days')].map((it) => it.getAttribute('aria-label')).join('\\n')",
    );
    let rows = "90 days: 36 kept, 2 breached, 52 nothing owed";
    assert!(spoken.ends_with(rows), "{spoken}");
    assert!(spoken.contains("could not tell"), "{spoken}");
    assert_eq!(
        page.ask("document.querySelectorAll('.objective .days rect').length"),
        json!(270)
    );
    page.click(".objective:last-of-type summary");
    page.wait("document.querySelector('.objective:last-of-type details').open");
    let days = page.text("document.querySelector('.objective:last-of-type details').innerText");
    assert!(
        days.contains("breached: Thu 19 Feb to Fri 20 Feb"),
        "{days}"
    );
    page.picture("promises-panel");
    check_fits(&page);
    check_accessible(&page);
    for (screen, name) in [
        (Screen::DESK.dark(), "promises-panel-dark"),
        (Screen::PHONE, "promises-panel-phone"),
        (Screen::PHONE.dark(), "promises-panel-phone-dark"),
    ] {
        page.look_on(screen);
        check_fits(&page);
        page.picture(name);
        check_accessible(&page);
    }
}

#[test]
fn hostile_names_in_promises_are_only_names() {
    let house = promising();
    let browser = Browser::start();
    let page = console(&house, &browser, Screen::PHONE);
    check_fits(&page);
    page.ask("[...document.querySelectorAll('#list .name')].forEach((it) => { it.dataset.test = it.textContent.includes('<') ? 'hostile' : it.textContent; })");
    open_panel(&page, "[data-test=hostile]");
    let told = page.text("document.querySelector('.objective').innerText");
    assert!(told.contains(HOSTILE), "{told}");
    check_fits(&page);
    page.picture("promises-hostile-phone");
    close_panel(&page);
    open_panel(&page, "[data-test=fct_revenue]");
    let behind = page.text("document.querySelector('.behind').innerText");
    assert!(
        behind.contains(HOSTILE) && behind.contains("never published"),
        "{behind}"
    );
    check_fits(&page);
    check_accessible(&page);
    page.picture("promises-scope-phone");
    assert_eq!(page.ask("window.hacked === undefined"), json!(true));
    assert_eq!(
        page.ask("document.querySelectorAll('img, iframe, object').length"),
        json!(0)
    );
}
