//! Which dataset gets which character?
//!
//! How many there are of each kind is fixed, so that no seed is easy; which
//! dataset it falls on, and the sizes, are drawn. A dataset made from others
//! has a schedule of its own some time after them; a few have none and begin as
//! soon as their parents are there.

use freshness_core::civil::{Day, MINUTE, Weekday, WeekdaySet, Zone};
use freshness_core::schedule::{Calendar, DayRule, Grain, MonthRule};

use super::chance::Chance;
use super::events;
use super::jitter::Jitter;
use super::layout::{self, Place, Rhythm};
use super::plan::{Plan, Sender, Trouble};
use super::{ENDS_AT, FROM};

/// The plans of the diverse warehouse, parents before children.
pub(super) fn diverse(chance: &mut Chance) -> Vec<Plan> {
    let places = layout::places();
    let names = layout::names(chance);
    let mut dailies = Dealt::deal(&places, chance);
    let mut plans: Vec<Plan> = Vec::new();
    let events = events::draw(&places, chance);
    for (i, (place, id)) in places.iter().zip(names).enumerate() {
        let (calendar, zone) = match place.rhythm {
            Rhythm::Daily => dailies.next(),
            rhythm => seldom_or_often(rhythm, chance),
        };
        let spread = spread(place, !events.moves[i].is_empty(), chance);
        let mut plan = Plan {
            id,
            class: class(place.rhythm, &calendar),
            calendar,
            zone,
            usual: 0.0,
            jitter: jitter(i + events.first_shape, spread, place, chance),
            weekday: [0.0; 7],
            hour: [0.0; 24],
            month_end: 0.0,
            moves: Vec::new(),
            drift: events.drifts[i],
            parents: place
                .parents
                .iter()
                .map(|name| layout::place(name))
                .collect(),
            lag: 0.0,
            waits_from: FROM,
            trouble: trouble(place, &events.outages[i]),
            begins: events.begins[i],
            stops: events.stops[i],
            skips: events.skips[i],
            sender: sender(&events, i, chance),
        };
        if layout::LAST_DAY_ROOTS.contains(&place.name) {
            plan.trouble.silent_from = Some(layout::silent_from(place.rhythm));
        }
        plan.moves = moved(&events.moves[i], spread, plan.zone);
        effects(&mut plan, events.has_effects[i], spread, chance);
        settle(&mut plan, place, &plans, events.triggered[i], chance);
        plans.push(plan);
    }
    plans
}

/// Calendars and zones of the daily datasets, in the order they are dealt.
struct Dealt {
    calendars: Vec<Calendar>,
    zones: Vec<Zone>,
}

impl Dealt {
    fn deal(places: &[Place], chance: &mut Chance) -> Dealt {
        let n = places
            .iter()
            .filter(|place| place.rhythm == Rhythm::Daily)
            .count();
        let rules = [
            (8, DayRule::Weekdays(WeekdaySet::MON_FRI)),
            (
                5,
                DayRule::BusinessDays {
                    country: "US".to_owned(),
                    after: 0,
                },
            ),
            (n - 13, DayRule::Weekdays(WeekdaySet::ALL)),
        ];
        let zones = [
            (8, "Europe/Berlin"),
            (7, "America/New_York"),
            (4, "Asia/Tokyo"),
            (3, "Australia/Sydney"),
            (n - 22, "UTC"),
        ];
        let rules = rules
            .into_iter()
            .flat_map(|(n, rule)| std::iter::repeat_n(Calendar::Days(rule), n));
        let zones = zones
            .into_iter()
            .flat_map(|(n, name)| std::iter::repeat_n(zone(name), n));
        Dealt {
            calendars: chance.shuffled(rules),
            zones: chance.shuffled(zones),
        }
    }

    fn next(&mut self) -> (Calendar, Zone) {
        let calendar = self.calendars.pop().expect("one for each daily dataset");
        (
            calendar,
            self.zones.pop().expect("one for each daily dataset"),
        )
    }
}

fn seldom_or_often(rhythm: Rhythm, chance: &mut Chance) -> (Calendar, Zone) {
    let day = Day::of_local(FROM);
    match rhythm {
        Rhythm::Hourly | Rhythm::NewHourly => {
            let zones = [
                "UTC",
                "UTC",
                "UTC",
                "Europe/Berlin",
                "America/New_York",
                "Asia/Tokyo",
            ];
            (
                Calendar::plainest(Grain::HOUR, day),
                zone(chance.pick(&zones)),
            )
        }
        Rhythm::Daily | Rhythm::NewDaily => (Calendar::plainest(Grain::Day, day), zone("UTC")),
        Rhythm::Weekly => {
            let days = [Weekday::Mon, Weekday::Tue, Weekday::Wed, Weekday::Sun];
            let set = WeekdaySet(0).with(chance.pick(&days));
            let zones = ["UTC", "Europe/Berlin", "America/New_York"];
            (
                Calendar::Days(DayRule::Weekdays(set)),
                zone(chance.pick(&zones)),
            )
        }
        Rhythm::Monthly => {
            let countries = [
                ("US", "America/New_York"),
                ("DE", "Europe/Berlin"),
                ("US", "UTC"),
            ];
            let (country, zone_name) = chance.pick(&countries);
            let rule = MonthRule::BusinessDay {
                k: chance.whole(1, 6) as u8,
                country: country.to_owned(),
            };
            (Calendar::Months(rule), zone(zone_name))
        }
    }
}

/// Datasets of one class are reported together.
pub(super) fn class(rhythm: Rhythm, calendar: &Calendar) -> &'static str {
    match (rhythm, calendar) {
        (Rhythm::NewDaily | Rhythm::NewHourly, _) => "cold_start",
        (Rhythm::Hourly, _) => "hourly",
        (Rhythm::Weekly, _) => "weekly",
        (Rhythm::Monthly, _) => "monthly",
        (Rhythm::Daily, Calendar::Days(DayRule::BusinessDays { .. })) => "business_days",
        (Rhythm::Daily, Calendar::Days(DayRule::Weekdays(WeekdaySet::MON_FRI))) => "weekdays",
        (Rhythm::Daily, _) => "daily",
    }
}

/// Standard deviation of the noise: a minute to an hour.
fn spread(place: &Place, is_moved: bool, chance: &mut Chance) -> f64 {
    let late = layout::LATE_ON_LAST_DAY.contains(&place.name);
    let (low, high) = match (place.rhythm, place.layer) {
        (Rhythm::Hourly | Rhythm::NewHourly, _) => (0.5, 3.0),
        _ if late => (1.0, 15.0),
        _ if is_moved => (1.0, 20.0),
        (Rhythm::Weekly | Rhythm::Monthly, _) => (4.0, 60.0),
        _ if place.is_leaf => (6.0, 60.0),
        (_, 1) => (1.0, 15.0),
        _ => (1.0, 30.0),
    };
    chance.sized(low, high)
}

/// The five shapes in turn; heavy ones are not also wide.
fn jitter(turn: usize, spread: f64, place: &Place, chance: &mut Chance) -> Jitter {
    let is_hourly = matches!(place.rhythm, Rhythm::Hourly | Rhythm::NewHourly);
    match turn % 5 {
        0 => Jitter::Normal { spread },
        1 => Jitter::LogNormal {
            spread: spread.min(25.0),
            sigma: chance.between(0.25, if is_hourly { 0.5 } else { 0.7 }),
        },
        2 => Jitter::Gamma {
            spread,
            steps: chance.between(2.0, 5.0),
        },
        3 => Jitter::Laplace {
            spread: spread.min(40.0),
        },
        _ => {
            let narrow = spread / 2.0;
            Jitter::Bimodal {
                spread: narrow,
                gap: narrow * chance.between(4.0, 7.0),
                slow: chance.between(0.12, 0.35),
            }
        }
    }
}

/// Own failures are rarer the more a dataset inherits.
fn trouble(place: &Place, outages: &[(i64, usize)]) -> Trouble {
    let (rate, missed, sizes): (f64, f64, &[(f64, f64, f64)]) = match place.rhythm {
        Rhythm::Hourly | Rhythm::NewHourly => (
            [0.0028, 0.0009, 0.0009, 0.0][place.layer],
            0.2,
            &[(0.5, 10.0, 60.0), (0.38, 60.0, 240.0), (0.12, 240.0, 480.0)],
        ),
        Rhythm::Daily => (
            [0.011, 0.0025, 0.0025, 0.0025][place.layer],
            0.22,
            &[(0.3, 15.0, 60.0), (0.4, 60.0, 240.0), (0.3, 240.0, 840.0)],
        ),
        Rhythm::NewDaily => (0.0, 0.0, &[]),
        Rhythm::Weekly => (0.07, 0.3, &[(0.3, 60.0, 240.0), (0.7, 240.0, 2_400.0)]),
        Rhythm::Monthly => (0.12, 0.3, &[(0.3, 60.0, 240.0), (0.7, 240.0, 4_800.0)]),
    };
    Trouble {
        rate,
        missed,
        sizes: sizes.to_vec(),
        outages: outages.to_vec(),
        silent_from: None,
    }
}

fn sender(events: &events::Events, i: usize, chance: &mut Chance) -> Sender {
    Sender {
        names_cycles: events.names_cycles[i],
        names_runs: chance.happens(0.6),
        rows: chance.happens(0.5).then(|| chance.sized(2e2, 5e6)),
        duplicates: chance.between(0.004, 0.036),
        backfills: events.backfills[i].clone(),
    }
}

/// A move is larger than the noise, or nobody could tell; one on a civil day
/// begins at its midnight.
fn moved(moves: &[(i64, f64)], spread: f64, zone: Zone) -> Vec<(i64, f64)> {
    let large = |minutes: f64| minutes.signum() * minutes.abs().max(2.5 * spread);
    moves
        .iter()
        .map(|&(at, minutes)| (zone.utc(at), large(minutes)))
        .collect()
}

/// Slow weekdays, hours and month ends.
pub(super) fn effects(plan: &mut Plan, has: events::Effects, spread: f64, chance: &mut Chance) {
    let is_hourly = plan.grain() < Grain::Day;
    let (low, high) = match is_hourly {
        true => (1.5, 5.0),
        false => ((1.5 * spread).max(8.0), (3.0 * spread).max(75.0)),
    };
    if has.weekday && !is_hourly {
        let days = chance.shuffled(0..7);
        let n = chance.whole(1, 2) as usize;
        for &day in &days[..n] {
            plan.weekday[day] = chance.sized(low, high);
        }
    }
    if has.weekday && is_hourly {
        // Weekends are quieter: nights and mornings as ever.
        let busy = chance.sized(low, high) / 2.0;
        plan.weekday[..5].fill(busy);
    }
    if has.hour && is_hourly {
        let (from, peak) = (chance.whole(6, 10), chance.sized(low, high));
        for hour in from..from + 9 {
            // Up to the middle of the busy hours, and down again.
            let near = 1.0 - (hour - from - 4).abs() as f64 / 5.0;
            plan.hour[hour as usize] = peak * near;
        }
    }
    if has.month_end && !is_hourly {
        plan.month_end = chance.sized(low.max(20.0), high.max(120.0));
    }
}

/// Gives it a time of day: a source any, a child some time after its parents.
pub(super) fn settle(
    plan: &mut Plan,
    place: &Place,
    before: &[Plan],
    is_triggered: bool,
    chance: &mut Chance,
) {
    let earlier = plan.moves.iter().map(|&(_, minutes)| minutes);
    let drift = plan.drift.map(|drift| drift.minutes);
    // Room for what will make it earlier, and for the early side of the noise.
    let [early] = plan.jitter.quantiles([0.002]);
    let room: f64 = earlier
        .chain(drift)
        .map(|minutes| (-minutes).max(0.0))
        .sum::<f64>()
        - early;
    if plan.grain() < Grain::Day {
        let parents = plan.parents.iter().map(|&parent| &before[parent]);
        let after = parents
            .map(|parent| parent.usual + reach(parent))
            .reduce(f64::max);
        plan.lag = chance.between(0.5, 2.0);
        plan.usual = match after {
            None => room + chance.between(2.0, 10.0),
            Some(after) => after + plan.lag + chance.between(0.0, 3.0),
        };
        return;
    }
    let parents = plan.parents.iter().map(|&parent| &before[parent]);
    let after = parents
        .map(|parent| utc_minutes(parent) + if is_triggered { 0.0 } else { reach(parent) })
        .reduce(f64::max);
    plan.lag = chance.sized(4.0, 30.0);
    let minutes = match after {
        None if place.is_leaf => chance.between(30.0, 500.0),
        None => chance.between(30.0, 300.0),
        // It would begin before they are there.
        Some(after) if is_triggered => after - chance.between(10.0, 40.0),
        Some(after) => after + plan.lag + chance.between(5.0, 40.0),
    };
    let winter = plan.zone.offset(ENDS_AT) / MINUTE;
    plan.usual = (minutes + winter as f64).max(room + chance.between(20.0, 60.0));
}

/// Minutes after midnight UTC at which it usually comes, in winter.
fn utc_minutes(plan: &Plan) -> f64 {
    match plan.grain() < Grain::Day {
        // Of an hourly parent any hour will do.
        true => 0.0,
        false => plan.usual - (plan.zone.offset(ENDS_AT) / MINUTE) as f64,
    }
}

/// Minutes by which an ordinary day may be later than the plain time.
fn reach(plan: &Plan) -> f64 {
    let [often] = plan.jitter.quantiles([0.97]);
    let most = |of: &[f64]| of.iter().copied().fold(0.0, f64::max);
    let later: f64 = plan
        .moves
        .iter()
        .map(|&(_, minutes)| minutes.max(0.0))
        .sum();
    match plan.grain() < Grain::Day {
        true => most(&plan.hour) + most(&plan.weekday) + later + 0.5 * often,
        false => 0.5 * most(&plan.weekday) + later + often,
    }
}

pub(super) fn zone(name: &str) -> Zone {
    Zone::named(name).expect("a zone of the database")
}
