//! What did a feed deliver, written as a few lines of text?
//!
//! ```text
//! daily +06:10 ±5 Europe/Berlin 2025-01-01..2026-03-01
//! skip 2026-01-05
//! late day 1,15 +1:30
//! also 2026-01-07T14:00Z =2026-01-03
//! ```
//! A schedule (calendar, delay after the start of the cycle, noise in minutes,
//! zone, first day and the day after the last), then what deviates from it.
//! Several schedules may follow each other. A time without `Z` is local to the
//! first zone.

use freshness_core::arrivals::{Arrival, ArrivalDetail, ArrivalHistory};
use freshness_core::civil::{DAY, Day, HOUR, Holidays, MINUTE, Zone};
use freshness_core::dataset::{Dataset, DatasetId};
use freshness_core::fit::{Change, Model, Parameters, fit};
use freshness_core::schedule::{Calendar, Cycle, Grain, Maintenance};
use freshness_core::state::{DatasetState, State, cycles_until, judge};

pub(crate) struct Feed {
    pub(crate) dataset: Dataset,
    pub(crate) arrivals: Vec<Arrival>,
    zone: Zone,
}

/// Which cycles a line speaks of.
enum Selector {
    /// Labels that begin with the text.
    Label(String),
    Days(Day, Day),
    DaysOfMonth(Vec<i8>),
    LastDay,
    Hours(Vec<i64>),
}

struct Delivery {
    cycle: Cycle,
    label: String,
    /// Seconds after the start of the cycle.
    delay: i64,
}

impl Feed {
    pub(crate) fn new(text: &str) -> Feed {
        let mut zone = None;
        let mut arrivals = Vec::new();
        let mut schedule: Option<(Zone, bool, Vec<Delivery>)> = None;
        for line in text
            .lines()
            .map(str::trim)
            .chain(["end"])
            .filter(|line| !line.is_empty())
        {
            let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
            match (verb, &mut schedule) {
                ("skip", Some((_, _, deliveries))) => {
                    let selector = Selector::parse(rest);
                    deliveries.retain(|delivery| !selector.takes(delivery));
                }
                ("late", Some((_, _, deliveries))) => {
                    let (selector, by) = rest.rsplit_once(' ').unwrap();
                    let selector = Selector::parse(selector);
                    deliveries
                        .iter_mut()
                        .filter(|delivery| selector.takes(delivery))
                        .for_each(|delivery| delivery.delay += seconds(by));
                }
                ("also", _) => {
                    arrivals.push(raw_arrival(rest, zone.unwrap_or_else(Zone::universal)));
                }
                _ => {
                    if let Some((zone, on_the_clock, deliveries)) = schedule.take() {
                        arrivals.extend(deliveries.into_iter().map(|delivery| Arrival {
                            // Long cycles follow the wall clock.
                            at: match on_the_clock {
                                true => zone.utc(delivery.cycle.local + delivery.delay),
                                false => delivery.cycle.start + delivery.delay,
                            },
                            detail: ArrivalDetail::default(),
                        }));
                    }
                    if verb != "end" {
                        let this = deliveries(line);
                        zone.get_or_insert(this.0);
                        schedule = Some(this);
                    }
                }
            }
        }
        Feed {
            dataset: Dataset::undeclared(DatasetId::try_from("feed").unwrap()),
            arrivals,
            zone: zone.unwrap_or_else(Zone::universal),
        }
    }

    /// The calendar is learned, the zone is known.
    pub(crate) fn in_zone(mut self) -> Feed {
        self.dataset.timezone = Some(self.zone);
        self
    }

    pub(crate) fn history(&self) -> ArrivalHistory {
        ArrivalHistory::new(self.arrivals.clone())
    }

    /// The instant of a text, local to the feed's zone unless it ends in `Z`.
    pub(crate) fn at(&self, text: &str) -> i64 {
        instant(text, self.zone)
    }

    pub(crate) fn fit(&self, as_of: &str) -> Model {
        self.fit_at(self.at(as_of))
    }

    pub(crate) fn fit_at(&self, as_of: i64) -> Model {
        fit(
            &self.dataset,
            &self.history(),
            &Holidays::builtin(),
            as_of,
            &Parameters::default(),
        )
    }

    pub(crate) fn judge_at(&self, model: &Model, now: i64) -> DatasetState {
        judge(
            &self.dataset,
            Some(model),
            &self.history(),
            &Holidays::builtin(),
            &[],
            now,
        )
    }

    /// What is said at each instant with a model of `as_of`, a line each.
    pub(crate) fn states(&self, as_of: &str, instants: &[&str]) -> String {
        let model = self.fit(as_of);
        let mut text = String::new();
        for instant in instants {
            let state = self.judge_at(&model, self.at(instant));
            let current = state.current.map_or("-".to_owned(), |cycle| cycle.cycle);
            text += &format!("{instant} {} {current}\n", name(state.state));
        }
        text
    }

    /// The calendar, the zone and the moves that are learned, how many cycles
    /// of the last `days` days are called late by the model learned before
    /// them, and whether a missing last delivery is noticed.
    pub(crate) fn learned(&self, days: i64) -> String {
        let history = self.history();
        let &last = history.at().last().unwrap();
        let model = self.fit_at(last);
        let (zone, _) = model.fitted.zone();
        let mut text = format!("{} in {}", model.fitted.calendar(), zone.name());
        if model.fitted.status() != "learned" {
            text += &format!(", {}", model.fitted.status());
        }
        for change in model.fitted.moves() {
            let day = Day::of_local(zone.local(change.at.as_second()));
            text += &match change.change {
                Change::Shift { minutes } => format!("\nmoved {day} by {minutes} min"),
                Change::LaterLoad { minutes } => format!("\nlater load {day} by {minutes} min"),
                Change::Cadence {
                    per_week_before,
                    per_week_after,
                } => format!("\ncadence {day} {per_week_before} to {per_week_after} a week"),
            };
        }
        let (from, to) = (last - days * DAY, last + 1);
        let past = self.fit_at(from);
        let false_late: Vec<String> = cycles_until(
            &past,
            &history,
            &Holidays::builtin(),
            &[],
            &Maintenance::NONE,
            (from, to),
            to,
        )
        .into_iter()
        .filter(|verdict| is_late(verdict.state))
        .map(|verdict| format!("\nfalsely {} {}", name(verdict.state), verdict.cycle))
        .collect();
        match false_late.len() {
            0..4 => text += &false_late.concat(),
            n => text += &format!("{}\n… {n} in all", false_late[..2].concat()),
        }
        text += "\n";
        text += &self.noticed_when_missing();
        text
    }

    /// Takes the last delivery away and asks whether it is missed.
    fn noticed_when_missing(&self) -> String {
        let history = self.history();
        let &[.., before, last] = history.at() else {
            return "too few arrivals".to_owned();
        };
        let without = Feed {
            dataset: self.dataset.clone(),
            arrivals: self
                .arrivals
                .iter()
                .filter(|arrival| arrival.at < last)
                .cloned()
                .collect(),
            zone: self.zone,
        };
        let model = without.fit_at(before);
        let known = without.judge_at(&model, last);
        if is_late(known.state) {
            return format!("late before it comes: {}", known.reason);
        }
        let period = model
            .fitted
            .calendar()
            .grain()
            .map_or(7 * DAY, Grain::seconds);
        // The first minute in which it is called late, by bisection.
        let late = |minutes: i64| is_late(without.judge_at(&model, last + minutes * MINUTE).state);
        let longest = 4 * period / MINUTE;
        if !late(longest) {
            return "never noticed when missing".to_owned();
        }
        let (mut low, mut high) = (0, longest);
        while high - low > 1 {
            let middle = i64::midpoint(low, high);
            if late(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        let allowed = (period / 8).clamp(10 * MINUTE, DAY) / MINUTE;
        match high <= allowed {
            true => "noticed when missing".to_owned(),
            false => format!("noticed only after {high} minutes when missing"),
        }
    }
}

pub(crate) fn is_late(state: State) -> bool {
    matches!(state, State::Late | State::Missed | State::LateArrival)
}

pub(crate) fn name(state: State) -> String {
    serde_json::to_value(state)
        .unwrap()
        .as_str()
        .unwrap()
        .to_owned()
}

/// An even draw from 0 to 1 that depends on nothing but its place.
pub(crate) fn noise(seed: u64) -> f64 {
    let mut z = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

fn deliveries(line: &str) -> (Zone, bool, Vec<Delivery>) {
    let words: Vec<&str> = line.split(' ').collect();
    let [calendar @ .., delay, spread, zone, days] = &words[..] else {
        panic!("not a schedule: {line}");
    };
    let calendar: Calendar = calendar.join(" ").parse().unwrap();
    let zone = Zone::named(zone).unwrap();
    let spread: f64 = spread.strip_prefix('±').unwrap().parse().unwrap();
    let (from, to) = days.split_once("..").unwrap();
    let cycles = calendar.cycles(
        zone,
        &Holidays::builtin(),
        instant(from, zone),
        instant(to, zone),
    );
    let deliveries = cycles
        .into_iter()
        .map(|cycle| {
            let seed = cycle.start.unsigned_abs();
            let draw = noise(2 * seed) + noise(2 * seed + 1) - 1.0;
            Delivery {
                cycle,
                label: cycle.label(&calendar),
                delay: seconds(delay) + (spread * draw * MINUTE as f64) as i64,
            }
        })
        .collect();
    let is_short =
        matches!(calendar, Calendar::Grid { minutes, .. } if i64::from(minutes) * MINUTE <= HOUR);
    (zone, !is_short, deliveries)
}

impl Selector {
    fn parse(text: &str) -> Selector {
        let list = |text: &str| text.split(',').map(|n| n.parse().unwrap()).collect();
        if text == "last day" {
            Selector::LastDay
        } else if let Some(days) = text.strip_prefix("day ") {
            let days: Vec<i64> = list(days);
            Selector::DaysOfMonth(days.into_iter().map(|day| day as i8).collect())
        } else if let Some(hours) = text.strip_prefix("hour ") {
            Selector::Hours(list(hours))
        } else if let Some((from, to)) = text.split_once("..") {
            Selector::Days(from.parse().unwrap(), to.parse().unwrap())
        } else {
            Selector::Label(text.to_owned())
        }
    }

    fn takes(&self, delivery: &Delivery) -> bool {
        let day = delivery.cycle.day();
        match self {
            Selector::Label(label) => delivery.label.starts_with(label),
            Selector::Days(from, to) => (*from..*to).contains(&day),
            Selector::DaysOfMonth(days) => days.contains(&day.year_month_day().2),
            Selector::LastDay => day.days_to_month_end() == 0,
            Selector::Hours(hours) => {
                hours.contains(&(delivery.cycle.local.rem_euclid(DAY) / HOUR))
            }
        }
    }
}

/// `INSTANT [=cycle] [<covers through]`
fn raw_arrival(text: &str, zone: Zone) -> Arrival {
    let mut words = text.split(' ');
    let at = instant(words.next().unwrap(), zone);
    let mut detail = ArrivalDetail::default();
    for word in words {
        match word.split_at(1) {
            ("=", cycle) => detail.cycle = Some(cycle.parse().unwrap()),
            ("<", through) => detail.covers_through = Some(instant(through, zone)),
            _ => panic!("unknown detail: {word}"),
        }
    }
    Arrival { at, detail }
}

fn instant(text: &str, zone: Zone) -> i64 {
    if text.ends_with('Z') {
        return text.parse::<jiff::Timestamp>().unwrap().as_second();
    }
    let (day, time) = text.split_once('T').unwrap_or((text, "00:00"));
    zone.utc(day.parse::<Day>().unwrap().start() + seconds(time))
}

/// Seconds of `+1:30`, `-00:01` or `06:10:30`.
fn seconds(text: &str) -> i64 {
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let units = text.trim_start_matches(['+', '-']).split(':');
    sign * units
        .zip([HOUR, MINUTE, 1])
        .map(|(n, unit)| n.parse::<i64>().unwrap() * unit)
        .sum::<i64>()
}
