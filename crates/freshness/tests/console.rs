//! Is the console what a person needs, in a real browser?
//!
//! Pictures of it are left in `target/console-screenshots`, to be looked at.

#[path = "console/axe.rs"]
mod axe;
#[path = "console/browser.rs"]
mod browser;
mod house;
#[path = "console/steps.rs"]
mod steps;

use std::fs;

use axe::check_accessible;
use browser::{Browser, Page, Screen};
use house::{House, NOW};
use serde_json::json;
use steps::{check_fits, close_panel, console, focused, open_panel};

/// The names in the table, as they are shown.
fn names(page: &Page) -> String {
    page.text("[...document.querySelectorAll('#list .name')].map((it) => it.textContent).join(' ')")
}

#[test]
fn what_is_late_is_seen_at_a_glance_in_both_themes_and_on_a_phone() {
    let house = House::fitted();
    let browser = Browser::start();
    let page = console(&house, &browser, Screen::DESK);
    assert_eq!(
        page.text("document.querySelector('h1').textContent"),
        "2 incidents behind 2 late datasets"
    );
    // The reader sits in Berlin.
    let as_of = page.text("document.querySelector('.asof').textContent.trim()");
    assert_eq!(as_of, "as of Sat 28 Feb 13:00 CET 12:00 UTC");
    page.picture("desk");
    check_fits(&page);
    check_accessible(&page);

    let ground = "getComputedStyle(document.body).backgroundColor";
    let light = page.text(ground);
    page.click("#theme");
    assert_ne!(page.text(ground), light);
    page.click("#theme");
    assert_eq!(page.text(ground), light);

    let dark = console(&house, &browser, Screen::DESK.dark());
    assert_ne!(dark.text(ground), light);
    dark.whole_picture("desk-dark");
    check_accessible(&dark);

    for (screen, name) in [
        (Screen::PHONE, "phone"),
        (Screen::PHONE.dark(), "phone-dark"),
    ] {
        let phone = console(&house, &browser, screen);
        check_fits(&phone);
        phone.whole_picture(name);
        check_accessible(&phone);
    }
}

#[test]
fn incidents_are_drawn_with_what_they_explain_and_dashboards_with_their_caveats() {
    let house = House::warehouse();
    let browser = Browser::start();
    let page = browser.page(Screen::DESK);
    page.open(&house.path("report/console.html"));
    page.picture("warehouse");
    check_fits(&page);
    check_accessible(&page);
    let lead = page.text("document.querySelector('.lead').textContent");
    assert!(lead.contains("alerts suppressed ("), "{lead}");
    let roots = page.text(
        "[...document.querySelectorAll('.incident h3')].map((it) => it.textContent).join(' ')",
    );
    for root in ["raw_stores", "raw_logins", "raw_prices", "raw_contracts"] {
        assert!(roots.contains(root), "{root}: {roots}");
    }
    // The incident of raw_stores, opened as a person would.
    let stores = "[...document.querySelectorAll('.incident')].find((it) => it.querySelector('h3').textContent === 'raw_stores')";
    page.ask(&format!("{stores}.dataset.test = 'stores'"));
    let boxes = page.text(&format!(
        "[...{stores}.querySelectorAll('.graph title')].map((it) => it.textContent).join(' ')"
    ));
    assert_eq!(
        boxes,
        "raw_stores stg_stores fct_retention mart_finance mart_supply"
    );
    assert_eq!(
        page.ask(&format!("{stores}.querySelectorAll('.graph .edge').length")),
        json!(4)
    );
    page.click("[data-test=stores] summary");
    page.wait("document.querySelector('[data-test=stores] details').open");
    let told = page.text(&format!("{stores}.querySelector('tbody').innerText"));
    assert!(
        told.contains("mart_supply") && told.contains("within"),
        "{told}"
    );
    page.picture("warehouse-incident");
    check_accessible(&page);
    open_panel(&page, "[data-test=stores] h3 a");
    assert_eq!(
        page.text("document.querySelector('dialog h2').textContent"),
        "raw_stores"
    );
    page.picture("warehouse-panel");
    close_panel(&page);
    // What is late because of something says so.
    let because = page.text("[...document.querySelectorAll('#list tr')].find((it) => it.querySelector('.name')?.textContent === 'stg_stores').innerText");
    assert!(because.contains("because of raw_stores"), "{because}");

    assert_eq!(
        page.ask("document.querySelectorAll('.trust').length"),
        json!(13)
    );
    let board = page.text("document.querySelector('.board').innerText");
    for said in [
        "Finance close",
        "raw_contracts has been late since Fri 27 Feb 04:59 CET",
        "headline",
    ] {
        assert!(board.contains(said), "{said}: {board}");
    }
    page.click("#zone");
    let board = page.text("document.querySelector('.board').innerText");
    assert!(board.contains("late since Fri 27 Feb 03:59 UTC"), "{board}");

    for (screen, name) in [
        (Screen::DESK.dark(), "warehouse-dark"),
        (Screen::PHONE, "warehouse-phone"),
        (Screen::PHONE.dark(), "warehouse-phone-dark"),
    ] {
        page.look_on(screen);
        check_fits(&page);
        page.whole_picture(name);
        check_accessible(&page);
    }
}

#[test]
fn datasets_are_searched_filtered_and_sorted() {
    let house = House::fitted();
    let browser = Browser::start();
    let page = console(&house, &browser, Screen::DESK);
    assert_eq!(names(&page), "raw_orders events new_feed fct_revenue");
    page.click("#search");
    page.type_in("fin");
    assert_eq!(names(&page), "raw_orders fct_revenue");
    assert_eq!(
        page.text("document.getElementById('shown').textContent"),
        "2 of 4 datasets"
    );
    page.click(".chip.ok");
    assert_eq!(names(&page), "fct_revenue");
    page.type_in("zzz");
    assert_eq!(names(&page), "");
    page.click(".nothing button");
    page.click("[data-sort=name]");
    assert_eq!(names(&page), "events fct_revenue new_feed raw_orders");
    assert_eq!(
        page.text("document.querySelector('[aria-sort]').textContent"),
        "Dataset"
    );
    page.ask(
        "(() => { const team = document.getElementById('team'); team.value = 'web';
               team.dispatchEvent(new Event('change')); })()",
    );
    assert_eq!(names(&page), "events");
}

#[test]
fn a_dataset_opens_with_its_chart_and_what_it_rests_on() {
    let house = House::fitted();
    let browser = Browser::start();
    let page = console(&house, &browser, Screen::DESK);
    open_panel(&page, "#list .name");
    let said = page.text("document.querySelector('dialog .chart').getAttribute('aria-label')");
    assert!(said.contains("87 in time, 3 missed or awaited"), "{said}");
    assert_eq!(
        page.ask("document.querySelectorAll('.chart .mark.k0').length"),
        json!(87)
    );
    assert!(page.ask("document.querySelectorAll('.chart .deadline').length") == json!(1));
    let facts = page.text("document.querySelector('dialog .facts').innerText");
    assert!(facts.contains("cycles of Thursday: 12 delays"), "{facts}");
    page.picture("panel");
    check_accessible(&page);
    page.look_on(Screen::DESK.dark());
    page.picture("panel-dark");
    check_accessible(&page);
    page.look_on(Screen::PHONE);
    page.picture("panel-phone");
    check_fits(&page);
    check_accessible(&page);
    // The address names it, so that it can be sent to a colleague.
    assert_eq!(page.text("location.hash"), "#dataset=raw_orders");
    close_panel(&page);
    assert_eq!(focused(&page), "raw_orders");
}

#[test]
fn a_keyboard_is_enough() {
    let house = House::fitted();
    let browser = Browser::start();
    let page = console(&house, &browser, Screen::DESK);
    page.press("Tab");
    assert_eq!(focused(&page), "Skip to the datasets");
    page.picture("keyboard-skip");
    page.press("Enter");
    assert_eq!(page.text("document.activeElement.id"), "datasets");
    for _ in 0..40 {
        if page.text("document.activeElement.className") == "name" {
            break;
        }
        page.press("Tab");
        assert_eq!(
            page.ask("document.activeElement.matches(':focus-visible')"),
            json!(true)
        );
    }
    assert_eq!(focused(&page), "raw_orders");
    page.press("Enter");
    page.wait("document.querySelector('dialog').open");
    close_panel(&page);
    assert_eq!(focused(&page), "raw_orders");
}

#[test]
fn a_hostile_name_is_only_a_name() {
    const HOSTILE: [&str; 5] = [
        "<script>window.hacked=1</script>",
        "</script><script>window.hacked=1</script>",
        "\"><img src=x onerror=window.hacked=1>",
        "{{ 7*7 }} ${window.hacked=1} <!-- & &lt; '",
        "大きな表_with_a_very_long_name_that_nobody_would_choose_but_somebody_did_choose_and_it_has_no_place_to_break",
    ];
    let house = House::empty();
    let mut arrivals = csv::Writer::from_path(house.path("arrivals.csv")).unwrap();
    let mut datasets = csv::Writer::from_path(house.path("datasets.csv")).unwrap();
    arrivals.write_record(["dataset_id", "arrived_at"]).unwrap();
    datasets
        .write_record(["dataset_id", "team", "owner"])
        .unwrap();
    let now: jiff::Timestamp = NOW.parse().unwrap();
    for name in HOSTILE {
        // It stopped two days ago.
        for day in 2..40 {
            let at = now.as_second() - day * 86_400 + day % 7 * 60;
            arrivals.write_record([name, &at.to_string()]).unwrap();
        }
        datasets.write_record([name, name, name]).unwrap();
    }
    arrivals.flush().unwrap();
    datasets.flush().unwrap();
    house.run("import arrivals arrivals.csv").expect(0);
    house.run("import datasets datasets.csv").expect(0);
    house.run("fit").expect(0);
    let browser = Browser::start();
    let page = console(&house, &browser, Screen::PHONE);
    let shown =
        page.ask("[...document.querySelectorAll('#list .name')].map((it) => it.textContent)");
    let mut shown: Vec<String> = serde_json::from_value(shown).unwrap();
    let mut expected = HOSTILE.map(str::to_owned).to_vec();
    shown.sort();
    expected.sort();
    assert_eq!(shown, expected);
    page.whole_picture("hostile-phone");
    check_fits(&page);
    for i in 1..=HOSTILE.len() {
        open_panel(&page, &format!("#list tbody tr:nth-child({i}) .name"));
        close_panel(&page);
    }
    assert_eq!(page.ask("window.hacked === undefined"), json!(true));
    assert_eq!(
        page.ask("document.querySelectorAll('img, iframe, object').length"),
        json!(0)
    );
    // Even markup that got in could run nothing and ask nobody.
    page.ask("(() => { const bad = document.createElement('script'); bad.textContent = 'window.hacked=1'; document.body.append(bad); })()");
    assert_eq!(page.ask("window.hacked === undefined"), json!(true));
    assert_eq!(
        page.ask("performance.getEntriesByType('resource').length"),
        json!(0)
    );
}

#[test]
fn without_scripts_the_glance_can_still_be_read() {
    let house = House::fitted();
    house.run("report --out report").expect(0);
    let browser = Browser::start();
    let page = browser.page(Screen::DESK);
    page.tell(
        "Emulation.setScriptExecutionDisabled",
        &json!({ "value": true }),
    );
    page.open(&house.path("report/console.html"));
    let text = page.text("document.body.innerText");
    for said in [
        "2 incidents behind 2 late datasets",
        "raw_orders",
        "needs JavaScript",
        "2026-02-28 12:00 UTC",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    page.picture("without-scripts");
}

#[test]
fn old_models_are_red_and_say_so() {
    let house = House::fitted();
    house
        .run("report --out report --now 2026-03-02T01:00:00Z")
        .expect(0);
    let browser = Browser::start();
    let page = browser.page(Screen::DESK);
    page.open(&house.path("report/console.html"));
    let fit = page.text("document.getElementById('fit').textContent.trim()");
    assert_eq!(fit, "Models are 1 d 13 h old, past 1 d 12 h");
    assert_eq!(
        page.ask("document.getElementById('fit').classList.contains('stale')"),
        json!(true)
    );
}

/// So many datasets, each with a team, that came daily with some noise.
fn large(n: i64) -> House {
    const N_DAYS: i64 = 12;
    let house = House::empty();
    let now: jiff::Timestamp = NOW.parse().unwrap();
    let midnight = now.as_second().div_euclid(86_400) * 86_400;
    let mut arrivals = csv::Writer::from_path(house.path("arrivals.csv")).unwrap();
    let mut datasets = csv::Writer::from_path(house.path("datasets.csv")).unwrap();
    arrivals.write_record(["dataset_id", "arrived_at"]).unwrap();
    datasets.write_record(["dataset_id", "team"]).unwrap();
    for i in 0..n {
        let name = format!("warehouse_{:02}.schema.table_{i:05}", i % 37);
        // One in a hundred stopped.
        let last = if i % 100 == 7 { 3 } else { 0 };
        for day in last..N_DAYS {
            let noise = (i * 7_919 + day * 104_729) * 31 % 1_800;
            let at = midnight - day * 86_400 + 3_600 + i * 13 % 28_800 + noise;
            arrivals.write_record([&name, &at.to_string()]).unwrap();
        }
        datasets
            .write_record([&name, &format!("team {}", i % 40)])
            .unwrap();
    }
    arrivals.flush().unwrap();
    datasets.flush().unwrap();
    for line in [
        "import arrivals arrivals.csv",
        "import datasets datasets.csv",
        "fit",
    ] {
        house.run(line).expect(0);
    }
    house
}

#[test]
fn a_console_of_20_000_datasets_opens_and_is_searched() {
    let house = large(20_000);
    let browser = Browser::start();
    let page = console(&house, &browser, Screen::DESK);
    let bytes = fs::metadata(house.path("report/console.html"))
        .unwrap()
        .len();
    assert!(bytes < 15_000_000, "{bytes} bytes");
    let shown = "document.getElementById('shown').textContent";
    assert_eq!(page.text(shown), "20,000 datasets");
    assert_eq!(
        page.ask("document.querySelectorAll('#list .name').length"),
        json!(100)
    );
    // 200 incidents do not stand between the reader and the table.
    assert_eq!(
        page.text("document.querySelector('.rest > summary').textContent"),
        "88 more incidents"
    );
    page.picture("large");
    page.click("#more button");
    assert_eq!(
        page.ask("document.querySelectorAll('#list .name').length"),
        json!(200)
    );
    page.click("#search");
    page.type_in("table_19999");
    assert_eq!(page.text(shown), "1 of 20,000 datasets");
    open_panel(&page, "#list .name");
    assert_eq!(
        page.ask("document.querySelectorAll('.chart .mark.k0').length"),
        json!(12)
    );
    page.picture("large-panel");
}

#[test]
fn what_somebody_looks_after_says_so() {
    let house = House::fitted();
    house.run("check").expect(1);
    house.run("ack raw_orders --by ann --why vendor").expect(0);
    let browser = Browser::start();
    let page = console(&house, &browser, Screen::DESK);
    let cards = page
        .text("[...document.querySelectorAll('.incident')].map((it) => it.innerText).join(' | ')");
    assert!(cards.contains("acknowledged by ann"), "{cards}");
    assert_eq!(
        page.ask("document.querySelectorAll('.incident.calmed').length"),
        json!(1)
    );
    let lead = page.text("document.querySelector('.lead').innerText");
    assert!(lead.starts_with("No alert suppressed"), "{lead}");
}

#[test]
fn when_many_turn_late_at_once_the_feed_of_arrivals_is_named() {
    let house = House::empty();
    let mut arrivals = csv::Writer::from_path(house.path("arrivals.csv")).unwrap();
    arrivals.write_record(["dataset_id", "arrived_at"]).unwrap();
    let now: jiff::Timestamp = NOW.parse().unwrap();
    for i in 0..40 {
        for day in 1..40 {
            let at = now.as_second() - day * 86_400 - 7_200 - i * 60 - day % 5 * 40;
            arrivals
                .write_record([&format!("feed_{i:02}"), &at.to_string()])
                .unwrap();
        }
    }
    arrivals.flush().unwrap();
    for line in [
        "import arrivals arrivals.csv",
        "fit --now 2026-02-28T00:00:00Z",
    ] {
        house.run(line).expect(0);
    }
    let browser = Browser::start();
    let page = console(&house, &browser, Screen::DESK);
    let card = page.text("document.querySelector('.incident').innerText");
    assert!(
        card.contains("The feed of arrivals is suspect") && card.contains("40 late datasets"),
        "{card}"
    );
    page.picture("feed");
    check_accessible(&page);
}

#[test]
fn a_page_that_lies_about_says_how_old_it_is() {
    let house = House::fitted();
    house.run("report --out report").expect(0);
    let html = fs::read_to_string(house.path("report/console.html")).unwrap();
    // As if it had been written without a pinned clock, on 2 January 2020.
    let now: jiff::Timestamp = NOW.parse().unwrap();
    let pinned = format!("data-now=\"{}\" data-pinned", now.as_second());
    assert!(html.contains(&pinned));
    let lying = html.replace(&pinned, "data-now=\"1577923200\"");
    fs::write(house.path("lying.html"), lying).unwrap();
    let browser = Browser::start();
    let page = browser.page(Screen::PHONE);
    page.open(&house.path("report/console.html"));
    assert_eq!(
        page.ask("document.getElementById('old').hidden"),
        json!(true)
    );
    page.open(&house.path("lying.html"));
    page.wait("document.getElementById('old') !== null && !document.getElementById('old').hidden");
    let said = page.text("document.getElementById('old').textContent");
    assert!(said.ends_with("ago: it says what was late then."), "{said}");
    assert_eq!(
        page.ask("document.getElementById('fit').classList.contains('stale')"),
        json!(true)
    );
    check_fits(&page);
    check_accessible(&page);
}
