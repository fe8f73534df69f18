//! Is the picture what the model says and what arrived?

mod house;

use std::fmt::Write;
use std::fs;

use house::House;
use roxmltree::{Document, Node};
use serde_json::Value;
use tiny_skia::Pixmap;

/// The colours of the light theme: in time, late, the expected window.
const IN_TIME: &str = "#0B5CAD";
const BAD: &str = "#C22512";
const WINDOW: &str = "#B4DCF4";
const MOVED: &str = "#7A3FC8";
const UNJUDGED: &str = "#6B737C";

/// 2025-09-01, in UTC seconds.
const START: i64 = 1_756_684_800;
const DAY: i64 = 86_400;

/// Feeds of the given arrivals (dataset, UTC second), fitted.
fn house_of(arrivals: impl IntoIterator<Item = (String, i64)>, now: &str) -> House {
    let house = House::empty();
    let mut csv = String::from("dataset_id,arrived_at\n");
    for (dataset, at) in arrivals {
        writeln!(csv, "\"{dataset}\",{at}").unwrap();
    }
    fs::write(house.path("arrivals.csv"), csv).unwrap();
    house
        .run(&format!("import arrivals arrivals.csv --now {now}"))
        .expect(0);
    house.run(&format!("fit --now {now}")).expect(0);
    house
}

/// Daily at 09:00 until New Year, then 134 minutes earlier; one day late, one
/// missed.
fn moved() -> House {
    let days = (0..210).filter(|day| *day != 180).map(|day| {
        let move_of = if day < 122 { 0 } else { -134 * 60 };
        let late = if day == 170 { 5 * 3_600 } else { 0 };
        let at = START + day * DAY + 9 * 3_600 + move_of + late + day * 7_919 % 600;
        ("vendor".to_owned(), at)
    });
    house_of(days, MOVED_NOW)
}

const MOVED_NOW: &str = "2026-03-30T00:00:00Z";

fn svg(house: &House, line: &str) -> String {
    house.run(&format!("plot {line}")).expect(0).stdout
}

fn figures(house: &House, line: &str) -> Value {
    let text = house
        .run(&format!("plot {line} --format json"))
        .expect(0)
        .stdout;
    serde_json::from_str(&text).unwrap()
}

/// How many elements have a name, and an attribute of a value.
fn count(document: &Document, name: &str, attribute: &str, value: &str) -> usize {
    let is_one = |node: &Node| node.has_tag_name(name) && node.attribute(attribute) == Some(value);
    document.descendants().filter(is_one).count()
}

fn texts<'a>(document: &'a Document) -> Vec<&'a str> {
    document
        .descendants()
        .filter(|node| node.has_tag_name("text"))
        .filter_map(|node| node.text())
        .map(str::trim)
        .collect()
}

#[test]
fn every_arrival_and_every_missed_cycle_has_its_mark() {
    let house = moved();
    let line = format!("vendor --now {MOVED_NOW}");
    let figures = figures(&house, &line);
    let picture = svg(&house, &line);
    let document = Document::parse(&picture).unwrap();
    let points = figures["points"].as_array().unwrap();
    let of_kind = |kind: &str| points.iter().filter(|it| it["kind"] == kind).count();
    assert_eq!(points.len(), 209, "one for each arrival");
    assert_eq!((of_kind("late"), of_kind("before")), (1, 122));
    // One more of each in the legend.
    assert_eq!(
        count(&document, "circle", "fill", IN_TIME),
        of_kind("in_time") + 1
    );
    assert_eq!(
        count(&document, "circle", "stroke", UNJUDGED),
        of_kind("before") + 1
    );
    assert_eq!(
        count(&document, "polygon", "fill", BAD),
        of_kind("late") + 1
    );
    let texts = texts(&document);
    assert!(texts.contains(&"late (1)"), "{texts:?}");
    assert!(texts.contains(&"missed (1)"), "{texts:?}");
    assert_eq!(figures["missing"].as_array().unwrap().len(), 1);
}

#[test]
fn the_window_the_deadline_and_the_move_are_drawn_from_the_model() {
    let house = moved();
    let line = format!("vendor --now {MOVED_NOW}");
    let picture = svg(&house, &line);
    let document = Document::parse(&picture).unwrap();
    assert_eq!(count(&document, "polygon", "fill", WINDOW), 1);
    assert!(
        count(&document, "polyline", "stroke", MOVED) > 10,
        "a dashed line"
    );
    let texts = texts(&document);
    assert!(texts.contains(&"−134 min, 1 Jan"), "{texts:?}");
    assert!(
        texts.contains(&"fixed rule: loaded by 07:00 UTC"),
        "{texts:?}"
    );
    assert!(texts.contains(&"time of day (UTC)") && texts.contains(&"date (UTC)"));
    // The model holds since the move, and so do window and deadline.
    let figures = figures(&house, &line);
    let cycles = figures["cycles"].as_array().unwrap();
    assert_eq!(cycles[0]["from"], START + 122 * DAY);
    let explained = house
        .run(&format!("explain vendor --format json --now {MOVED_NOW}"))
        .stdout;
    let explained: Value = serde_json::from_str(&explained).unwrap();
    let p90 = &explained["cycle"]["because"]["p90"];
    assert_eq!(figures["reference"]["p90"], *p90);
    let label = texts
        .iter()
        .find(|text| text.starts_with("p90 06:"))
        .unwrap();
    let minutes = p90.as_f64().unwrap() as i64;
    assert_eq!(
        *label,
        format!("p90 {:02}:{:02}", minutes / 60, minutes % 60)
    );
}

#[test]
fn a_pipe_and_a_file_get_the_same_bytes_every_time() {
    let house = House::fitted();
    let piped = svg(&house, "raw_orders");
    house.run("plot raw_orders --out a.svg").expect(0);
    assert_eq!(piped, fs::read_to_string(house.path("a.svg")).unwrap());
    for name in ["a.png", "b.png"] {
        house
            .run(&format!("plot raw_orders --theme dark --out {name}"))
            .expect(0);
    }
    let bytes = |name: &str| fs::read(house.path(name)).unwrap();
    assert_eq!(bytes("a.png"), bytes("b.png"));
}

#[test]
fn a_png_has_the_size_and_the_ground_that_were_asked_for() {
    let house = House::fitted();
    let picture = |flags: &str| {
        let line = format!("plot events --out p.png {flags}");
        house.run(&line).expect(0);
        Pixmap::decode_png(&fs::read(house.path("p.png")).unwrap()).unwrap()
    };
    let light = picture("");
    assert_eq!((light.width(), light.height()), (1_440, 600));
    let dark = picture("--width 900 --height 500 --theme dark");
    assert_eq!((dark.width(), dark.height()), (900, 500));
    let corner = |picture: &Pixmap| picture.pixel(1, 1).unwrap().red();
    assert!(corner(&light) > 240 && corner(&dark) < 30);
    // Letters are drawn without a font of the machine: the title is there.
    let is_dark = |x: u32| (14..32).any(|y| light.pixel(x, y).unwrap().red() < 90);
    assert!((16..200).filter(|&x| is_dark(x)).count() > 60);
}

#[test]
fn a_name_cannot_break_out_of_the_picture() {
    let name = "<script>alert('&')</script>";
    let house = house_of(
        (0..90).map(|day| (name.to_owned(), START + day * DAY + day * 37 % 300)),
        "2025-12-01T00:00:00Z",
    );
    let command = ["plot", name, "--now", "2025-12-01T00:00:00Z"];
    let output = house.command("").args(command).output().unwrap();
    let picture = String::from_utf8(output.stdout).unwrap();
    let document = Document::parse(&picture).unwrap();
    assert!(!picture.contains("<script"));
    assert!(
        texts(&document)[0].starts_with(name),
        "{:?}",
        texts(&document)
    );
}

#[test]
fn a_cold_start_is_said_and_its_deadline_only_advises() {
    let house = House::fitted();
    let picture = svg(&house, "new_feed");
    let document = Document::parse(&picture).unwrap();
    let texts = texts(&document);
    assert!(
        texts.contains(&"loose deadline that only advises"),
        "{texts:?}"
    );
    assert!(
        texts[1].contains("cold start: 4 of 10 cycles needed"),
        "{texts:?}"
    );
    assert_eq!(count(&document, "polygon", "fill", WINDOW), 0);
}

#[test]
fn an_hourly_feed_stands_by_its_minutes_into_the_cycle() {
    let house = House::fitted();
    let picture = svg(&house, "events --days 3");
    let document = Document::parse(&picture).unwrap();
    assert!(texts(&document).contains(&"time into the cycle"));
    assert!(
        !picture.contains("07:00 UTC"),
        "the rule means nothing here"
    );
}

/// Feeds that have broken pictures.
#[test]
fn odd_histories_make_sound_pictures() {
    let feeds: [(&str, Vec<i64>); 6] = [
        ("three", vec![0, DAY, 2 * DAY]),
        ("one", vec![5_000]),
        ("equal", (0..80).map(|day| day * DAY).collect()),
        // Three years of nothing.
        (
            "gap",
            (0..400)
                .map(|day| if day < 200 { day } else { day + 1_095 })
                .map(|day| day * DAY + day * 37 % 900)
                .collect(),
        ),
        // Silences from a minute to a month.
        (
            "irregular",
            (1..150)
                .scan(0, |at, i: i64| {
                    *at += 60 * (i * i * 7_919 % 40_000 + 1);
                    Some(*at)
                })
                .collect(),
        ),
        (
            "minutes",
            (0..9_000).map(|i| i * 300 + i * 7 % 40).collect(),
        ),
    ];
    let now = "2026-03-01T00:00:00Z";
    let end = 1_772_323_200 - 7_200;
    let arrivals = feeds.iter().flat_map(|(name, at)| {
        let last = *at.last().unwrap();
        at.iter()
            .map(move |at| ((*name).to_owned(), end - last + at))
    });
    let house = house_of(arrivals, now);
    for (name, at) in &feeds {
        for window in ["", "--from 1990-01-01", "--days 36500", "--days 1"] {
            let line = format!("{name} {window} --now {now}");
            let picture = svg(&house, &line);
            let document = Document::parse(&picture).unwrap_or_else(|e| panic!("{line}: {e}"));
            let is_number = |word: &str| !["NaN", "inf"].contains(&word);
            let mut words = picture.split(|c: char| !c.is_alphanumeric());
            assert!(words.all(is_number), "{line}");
            assert!(texts(&document).len() > 5, "{line}");
        }
        let all = figures(&house, &format!("{name} --days 36500 --now {now}"));
        let n = all["points"].as_array().unwrap().len();
        // The last silence of an irregular feed is not over.
        let is_silent = all["height"] == "silence";
        assert_eq!(n, at.len() - usize::from(is_silent), "{name}");
    }
    let gap = svg(&house, &format!("gap --days 36500 --now {now}"));
    assert!(gap.contains("nothing for 3.0 years"));
}

#[test]
fn what_cannot_be_drawn_is_said_with_what_to_do() {
    let house = House::fitted();
    let refused = |line: &str| {
        let ran = house.run(&format!("plot {line}")).expect(2);
        assert_eq!(ran.stdout, "", "{line}");
        ran.stderr
    };
    let unknown = refused("raw_order");
    assert!(unknown.contains("unknown dataset: raw_order"), "{unknown}");
    assert!(unknown.contains("raw_orders"), "{unknown}");
    for (line, message) in [
        (
            "raw_orders --from 2026-02-01 --to 2026-02-01",
            "the window is empty",
        ),
        ("raw_orders --from 2026-03-01", "the window is empty"),
        (
            "raw_orders --from 2026-03-01 --to 2026-04-01",
            "the window lies ahead",
        ),
        (
            "raw_orders --to 2020-01-01",
            "the window ends before the history begins",
        ),
        (
            "raw_orders --out plot.gif",
            "unknown kind of picture: plot.gif",
        ),
        (
            "raw_orders --out nowhere/plot.svg",
            "cannot write: nowhere/plot.svg",
        ),
        ("raw_orders --width 10", "10 is not in 640..=8000"),
        ("raw_orders --days 0", "0 is not in 1..="),
        (
            "raw_orders --days 3 --from 2026-01-01",
            "cannot be used with",
        ),
    ] {
        let stderr = refused(line);
        assert!(stderr.contains(message), "{line}: {stderr}");
    }
    let unfitted = House::imported();
    let ran = unfitted.run("plot raw_orders").expect(2);
    assert!(ran.stderr.contains("no model for dataset: raw_orders"));
    assert!(ran.stderr.contains("hint: run `freshness fit` first"));
}

#[test]
fn a_calibration_is_drawn_beside_the_figures() {
    let house = House::empty();
    house
        .run("evaluate --holdout-days 7 --plot calibration.svg --out evaluation.json")
        .expect(0);
    let picture = fs::read_to_string(house.path("calibration.svg")).unwrap();
    let document = Document::parse(&picture).unwrap();
    let found = fs::read_to_string(house.path("evaluation.json")).unwrap();
    let found: Value = serde_json::from_str(&found).unwrap();
    let n = &found["calibration"][0]["overall"]["n"];
    let digits = n.to_string();
    let thousands = format!(
        "{},{}",
        &digits[..digits.len() - 3],
        &digits[digits.len() - 3..]
    );
    let texts = texts(&document);
    assert!(texts[1].starts_with(&thousands), "{n}: {}", texts[1]);
    for published in ["p10", "p50", "p90", "threshold"] {
        let n = texts.iter().filter(|text| **text == published).count();
        assert_eq!(n, 2, "{published}: one in each part");
    }
    let ran = house.run("evaluate --plot calibration.pdf").expect(2);
    assert!(
        ran.stderr
            .contains("unknown kind of picture: calibration.pdf")
    );
}

#[test]
fn a_terminal_that_is_named_gets_its_own_kind_of_picture() {
    let house = House::fitted();
    for (protocol, begins) in [
        ("kitty", "\u{1b}_Ga=T,f=100,"),
        ("iterm2", "\u{1b}]1337;File=inline=1;"),
        ("sixel", "\u{1b}P"),
    ] {
        let line = format!("plot events --days 2 --width 640 --height 360 --inline {protocol}");
        let ran = house.run(&line).expect(0);
        assert!(ran.stdout.starts_with(begins), "{protocol}");
    }
}
