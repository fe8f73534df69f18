//! Does what a single window of maintenance held up teach nothing?

use std::sync::Arc;

use freshness_core::arrivals::{Arrival, ArrivalDetail};
use freshness_core::civil::{DAY, Day, HOUR, MINUTE};
use freshness_core::fit::{Change, Fitted, Model};
use freshness_core::schedule::{Calendar, Maintenance, When, Window};

use crate::feed::{Feed, noise};

/// The feed with windows from so many hours of each day on to as many.
fn maintained(mut feed: Feed, days: &[&str], (from, to): (i64, i64)) -> Feed {
    let window = |day: &&str| {
        let midnight = feed.at(&format!("{day}T00:00Z"));
        let (from, to) = (midnight + from * HOUR, midnight + to * HOUR);
        Arc::new(Window {
            when: When::Once { from, to },
            reason: "moved".to_owned(),
        })
    };
    feed.dataset.maintenance = Maintenance::new(days.iter().map(window).collect());
    feed
}

fn moves(model: &Model) -> Vec<String> {
    let moves = match &model.fitted {
        Fitted::Learned(model) | Fitted::Provisional { model, .. } => &model.moves,
        Fitted::Irregular(gaps) => &gaps.moves,
        Fitted::ColdStart(_) => return vec!["cold start".to_owned()],
    };
    let moves = moves.iter().map(|it| match it.change {
        Change::Shift { minutes } => format!("{} {minutes:.0}", it.at),
        Change::LaterLoad { minutes } => format!("{} later load {minutes:.0}", it.at),
        Change::Cadence { .. } => format!("{} cadence", it.at),
    });
    moves.collect()
}

#[test]
fn weeks_of_maintenance_are_no_move_of_the_schedule() {
    let held_up = days("2026-01-01", 30);
    let held_up: Vec<&str> = held_up.iter().map(String::as_str).collect();
    for schedule in ["daily +06:00 ±5", "06:00, 18:00 +00:20 ±5"] {
        let text = format!(
            "{schedule} UTC 2025-10-01..2026-02-20
             late 2026-01-01..2026-01-31 +3:00"
        );
        // Whoever announced none is taken to have moved, there and back.
        let plain = Feed::new(&text).in_zone().fit("2026-02-19T23:00");
        assert_eq!(moves(&plain).len(), 2, "{schedule} {:?}", moves(&plain));
        // The evening's load, too, came three hours late.
        let feed = maintained(Feed::new(&text).in_zone(), &held_up, (5, 9));
        let mut windows = feed.dataset.maintenance.clone();
        let evening = maintained(Feed::new(&text).in_zone(), &held_up, (17, 21));
        windows = windows.and(evening.dataset.maintenance);
        let mut feed = feed;
        feed.dataset.maintenance = windows;
        let model = feed.fit("2026-02-19T23:00");
        assert_eq!(moves(&model), [""; 0], "{schedule}");
        assert_eq!(model.fitted.status(), "learned");
        // … nor while it lasts, whatever the newest deliveries say.
        let within = feed.fit("2026-01-30T23:30");
        assert_eq!(moves(&within), [""; 0], "{schedule}");
        assert_eq!(within.fitted.status(), "learned");
    }
}

#[test]
fn a_schedule_that_moves_beside_maintenance_is_still_found() {
    let text = "daily +06:00 ±5 UTC 2025-10-01..2026-02-20
                late 2026-01-15..2026-02-20 +1:30";
    let feed = maintained(
        Feed::new(text).in_zone(),
        &["2026-01-10", "2026-01-11", "2026-01-12"],
        (5, 9),
    );
    let found = moves(&feed.fit("2026-02-19T23:00"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("2026-01-15"), "{found:?}");
}

/// A feed without hours is silent for a night, every night, while somebody works on it.
#[test]
fn a_silence_that_maintenance_made_is_no_habit() {
    let nights = days("2025-12-01", 74);
    let nights: Vec<&str> = nights.iter().map(String::as_str).collect();
    let feed = || {
        let mut feed = Feed::new("");
        feed.dataset.calendar = Some(Calendar::Irregular);
        let start = feed.at("2025-12-01T00:00Z");
        let mut at = start;
        for i in 0.. {
            at += HOUR + (noise(i) * 180.0) as i64 * MINUTE;
            // Nothing comes in the windows.
            let hour = at.rem_euclid(DAY) / HOUR;
            if (2..9).contains(&hour) {
                at += (9 - hour) * HOUR;
            }
            if at > start + 74 * DAY {
                break;
            }
            let detail = ArrivalDetail::default();
            feed.arrivals.push(Arrival { at, detail });
        }
        feed
    };
    let longest = |feed: &Feed| {
        let model = feed.fit("2026-02-13T00:00Z");
        let Fitted::Irregular(gaps) = &model.fitted else {
            panic!("{:?}", model.fitted.status());
        };
        let of = |from: u8| gaps.cells.iter().find(|cell| cell.from_hour == from);
        of(0).unwrap().threshold
    };
    let told = maintained(feed(), &nights, (2, 9));
    let (plain, told) = (longest(&feed()), longest(&told));
    assert!(told < 0.7 * plain, "{told} {plain}");
}

/// So many days from one on.
fn days(from: &str, n: i32) -> Vec<String> {
    let from: Day = from.parse().unwrap();
    (0..n).map(|i| from.plus(i).to_string()).collect()
}
