//! How does a dataset's deadline account for itself?
//!
//! Facts in two columns, a strip of the last cycles, a histogram of delays.

mod burst;
mod picture;

use std::fmt::Display;

use freshness_core::civil::{DAY, Day, HOUR, Weekday, Zone};
use freshness_core::fit::{
    ArrivalModel, ColdStart, Expectation, Fitted, GapModel, Model, Move, ShiftNote, Source,
};
use freshness_core::schedule::PutOff;
use freshness_core::state::CycleVerdict;
use jiff::Timestamp;

use super::{chart, words};
use crate::rounds::{Credit, Explained};

/// The whole account. `cycle` is the one to explain, `last` the last ones;
/// `said` is what is known of it besides, line by line: its incidents, promises
/// that it breaks.
pub fn of(
    explained: &Explained,
    cycle: Option<&CycleVerdict>,
    last: &[CycleVerdict],
    said: &[String],
    unicode: bool,
) -> String {
    let mut page = Page::default();
    let state = &explained.judged.state;
    let severity = state
        .severity
        .map(|severity| format!(", {}", words::severity(severity)))
        .unwrap_or_default();
    page.plain(format!(
        "{}: {}{severity}",
        state.dataset_id,
        words::state(state.state)
    ));
    page.plain(&state.reason);
    for line in said {
        page.plain(line);
    }
    page.plain("");
    let zone = match &explained.model {
        Some(model) => {
            let zone = model.fitted.zone().0;
            describe(&mut page, model);
            zone
        }
        None => {
            page.fact("Model", "none: run `freshness fit`");
            Zone::universal()
        }
    };
    if let Some(cycle) = cycle {
        describe_cycle(&mut page, explained, cycle, zone);
    }
    if let Some(&at) = explained.history.at().last() {
        let at = Timestamp::from_second(at).map(|at| words::local(at, zone));
        let credit = match &explained.last_credit {
            Some(Credit::Other(cycle)) => format!(", taken for cycle {cycle}"),
            Some(Credit::Again) => ", taken for a redelivery: it serves no other cycle".to_owned(),
            Some(Credit::GoesOn) => ", of a burst that may go on".to_owned(),
            Some(Credit::Newest) | None => String::new(),
        };
        page.fact("Last seen", format!("{}{credit}", at.unwrap_or_default()));
        let n = explained.history.len() as u64;
        page.more(format!("{} in all", words::count(n, "arrival")));
    }
    if !last.is_empty() {
        page.plain("");
        page.fact("Cycles", chart::strip(last, unicode));
        page.more(format!(
            "{} to {}: {}",
            last[0].cycle,
            last[last.len() - 1].cycle,
            chart::legend(last, unicode)
        ));
    }
    picture::draw(&mut page, explained, cycle, zone, unicode);
    page.text
}

/// A fact of an account: its name, and what is so, line by line.
pub type Fact = (&'static str, Vec<String>);

/// The facts of an account without its pictures, of a history whose beginning
/// need not be known.
pub fn facts(explained: &Explained) -> Vec<Fact> {
    let mut page = Page::default();
    if let Some(model) = &explained.model {
        describe(&mut page, model);
        if let Some(cycle) = &explained.judged.state.current {
            describe_cycle(&mut page, explained, cycle, model.fitted.zone().0);
        }
    }
    page.facts
}

/// Facts under names of one width.
#[derive(Default)]
struct Page {
    text: String,
    facts: Vec<Fact>,
}

const NAME_WIDTH: usize = 11;

impl Page {
    fn plain(&mut self, line: impl AsRef<str>) {
        self.text.push_str(line.as_ref().trim_end());
        self.text.push('\n');
    }

    /// A fact without a name is a further line of the last one.
    fn fact(&mut self, name: &'static str, value: impl Display) {
        let value = value.to_string();
        self.plain(format!("{name:<NAME_WIDTH$}{value}"));
        match self.facts.last_mut().filter(|_| name.is_empty()) {
            Some((_, lines)) => lines.push(value),
            None => self.facts.push((name, vec![value])),
        }
    }

    fn more(&mut self, value: impl Display) {
        self.fact("", value);
    }
}

fn describe(page: &mut Page, model: &Model) {
    match &model.fitted {
        Fitted::Learned(model) => describe_model(page, model, None),
        Fitted::Provisional { model, shift } => describe_model(page, model, Some(shift)),
        Fitted::Irregular(gaps) => describe_gaps(page, gaps),
        Fitted::ColdStart(cold) => describe_cold_start(page, cold),
    }
    if let Some(burst) = &model.burst {
        burst::describe(page, burst);
    }
}

fn describe_model(page: &mut Page, model: &ArrivalModel, shift: Option<&ShiftNote>) {
    page.fact("Calendar", model.calendar.to_string());
    page.more(format!(
        "{}; F1 {:.3} over its last cadence, long silences left out",
        words::source(model.calendar_source),
        model.calendar_f1
    ));
    page.more(format!(
        "{} of {} delivered since the regime began, silences included",
        words::thousands(u64::from(model.n_delivered)),
        words::count(u64::from(model.n_expected), "expected cycle"),
    ));
    describe_zone(page, model.zone, model.zone_source);
    describe_regime(page, model.regime_since, &model.moves, model.zone);
    if let Some(shift) = shift {
        page.fact(
            "Shift",
            format!(
                "provisional: {} since {} ({} so far): the deadline is wider until that is sure",
                words::shift(shift.minutes),
                words::local(shift.since, model.zone),
                words::count(u64::from(shift.n), "cycle")
            ),
        );
    }
    if model.n_trimmed > 0 {
        let n = u64::from(model.n_trimmed);
        page.fact(
            "Left out",
            format!("{} taken for incidents", words::count(n, "delay")),
        );
    }
}

fn describe_gaps(page: &mut Page, gaps: &GapModel) {
    page.fact("Calendar", "irregular: no calendar explains its arrivals");
    page.more(words::source(gaps.source));
    describe_zone(page, gaps.zone, gaps.zone_source);
    describe_regime(page, gaps.regime_since, &gaps.moves, gaps.zone);
    if gaps.n_trimmed > 0 {
        let n = u64::from(gaps.n_trimmed);
        page.fact(
            "Left out",
            format!("{} taken for incidents", words::count(n, "silence")),
        );
    }
    if !gaps.supports_promise {
        page.fact(
            "Promise",
            "none: it is too unsteady for a deadline that pages",
        );
    }
}

fn describe_cold_start(page: &mut Page, cold: &ColdStart) {
    page.fact("Calendar", cold.calendar.to_string());
    page.more(words::source(cold.calendar_source));
    describe_zone(page, cold.zone, cold.zone_source);
    page.fact(
        "Cold start",
        format!(
            "{} of {} cycles needed to learn; until then a loose default that only advises",
            cold.n_cycles, cold.n_needed
        ),
    );
    page.fact(
        "Deadline",
        format!("{} the cycle begins", words::offset(cold.threshold)),
    );
}

fn describe_zone(page: &mut Page, zone: Zone, source: Source) {
    page.fact("Time zone", format!("{zone} ({})", words::source(source)));
}

fn describe_regime(page: &mut Page, since: Timestamp, moves: &[Move], zone: Zone) {
    const LAST_MOVES: usize = 3;
    page.fact("Regime", format!("since {}", words::local(since, zone)));
    let mut name = "Moves";
    for moved in moves.iter().rev().take(LAST_MOVES) {
        let change = words::change(&moved.change);
        page.fact(
            name,
            format!("{} since {}", change, words::day(moved.at, zone)),
        );
        name = "";
    }
    if moves.len() > LAST_MOVES {
        page.more(format!("… and {} before", moves.len() - LAST_MOVES));
    }
}

fn describe_cycle(page: &mut Page, explained: &Explained, cycle: &CycleVerdict, zone: Zone) {
    page.plain("");
    page.fact(
        "Cycle",
        format!(
            "{}: {}; began {}",
            cycle.cycle,
            words::state(cycle.state),
            words::local(cycle.cycle_start, zone)
        ),
    );
    if let Some(because) = &cycle.because {
        page.fact(
            "Cell",
            format!(
                "{}: {}, {:.0} % of its cycles delivered",
                words::cell(because.cell),
                words::count(u64::from(because.n), "delay"),
                because.delivered * 100.0
            ),
        );
        let [from, median, to] = [because.p10, because.p50, because.p90]
            .map(|minutes| after(explained, cycle, minutes, zone));
        page.fact(
            "Expected",
            match from == to {
                true => format!("{from} (p10 to p90 alike)"),
                false => format!("{from} to {to} (p10 to p90), median {median}"),
            },
        );
    }
    if let Some(Fitted::Irregular(gaps)) = explained.model.as_ref().map(|model| &model.fitted)
        && let Some(alike) = silences_alike(gaps, cycle, zone)
    {
        page.fact("Silences", alike);
    }
    if let Some(deadline) = cycle.deadline {
        page.fact("Deadline", words::local_and_utc(deadline, zone));
        if let Some(because) = &cycle.because {
            for line in rests_on(explained, cycle, because) {
                page.more(line);
            }
            if let Some(by) = &cycle.held_up_by {
                let learned = after(explained, cycle, because.threshold, zone);
                page.more(format!(
                    "brought forward from {learned}: {by} was overdue when this was to come"
                ));
            }
            if let Some(by) = &cycle.waits_for {
                let learned = after(explained, cycle, because.threshold, zone);
                page.more(format!(
                    "put off from {learned}: {by}, which it is made from, was slow and not late"
                ));
            }
        }
    }
    if let Some(PutOff { until, reason }) = &cycle.maintenance {
        let until = words::local(*until, zone);
        page.fact("Put off", format!("by maintenance until {until}: {reason}"));
    }
    if let Some(arrived) = cycle.arrived_at {
        let late = cycle
            .deadline
            .map(|deadline| arrived.as_second() - deadline.as_second())
            .filter(|&seconds| seconds > 0)
            .map(|seconds| format!(", {} past the deadline", words::duration(seconds)))
            .unwrap_or_default();
        page.fact("Arrived", format!("{}{late}", words::local(arrived, zone)));
    }
}

/// What the deadline of a cycle rests on.
fn rests_on(explained: &Explained, cycle: &CycleVerdict, because: &Expectation) -> Vec<String> {
    let mut lines = vec![format!(
        "learned: {} the cycle begins",
        words::offset(because.threshold)
    )];
    let fitted = explained.model.as_ref().map(|model| &model.fitted);
    let Some(Fitted::Learned(model) | Fitted::Provisional { model, .. }) = fitted else {
        return lines;
    };
    let cell = model.cells.iter().find(|cell| cell.key == because.cell);
    if let Some(cell) = cell {
        let shift = because.threshold - cell.threshold;
        // The side is said once, if it is the same for all.
        let say = |delay: f64| match delay.signum() == because.threshold.signum() {
            true => words::to_the_minute(delay.abs()),
            false => words::offset(delay),
        };
        let (from, to) = (say(cell.band.0 + shift), say(cell.band.1 + shift));
        lines[0].push_str(&match from == to {
            true if from == say(because.threshold) => ", the same in 9 of 10 resamples".to_owned(),
            true => format!(", {from} in 9 of 10 resamples"),
            false => format!(", between {from} and {to} in 9 of 10 resamples"),
        });
    }
    lines.push(format!(
        "at most about 1 ordinary cycle in {:.0} is later",
        1.0 / model.false_alarm_rate
    ));
    let Some(cycle) = explained.cycle(cycle) else {
        return lines;
    };
    let allowance = model.clock_allowance(&cycle);
    if allowance > 0.0 {
        lines.push(format!(
            "of which {allowance:.0} min because clocks were set back and its zone is not known yet"
        ));
    }
    let day = cycle.day();
    for effect in model
        .effects
        .iter()
        .filter(|effect| effect.key.applies(day))
    {
        lines.push(format!(
            "of which {}: {} ({})",
            words::effect(effect.key),
            words::shift(effect.shift),
            words::count(u64::from(effect.n), "delay")
        ));
    }
    lines
}

/// The wall clock so many minutes after a cycle began; the days in between
/// are counted.
fn after(explained: &Explained, cycle: &CycleVerdict, minutes: f64, zone: Zone) -> String {
    let at = zone.local(explained.instant(cycle, minutes));
    let start = zone.local(cycle.cycle_start.as_second());
    words::clock_on_day(at, at.div_euclid(DAY) - start.div_euclid(DAY))
}

/// The silences that the present one is held against.
fn silences_alike(gaps: &GapModel, cycle: &CycleVerdict, zone: Zone) -> Option<String> {
    let local = zone.local(cycle.cycle_start.as_second());
    let hour =
        Day::of_local(local).weekday().index() * 24 + (local.rem_euclid(DAY) / HOUR) as usize;
    let cell = gaps
        .cells
        .iter()
        .filter(|cell| usize::from(cell.from_hour) <= hour)
        .max_by_key(|cell| cell.from_hour)
        .or(gaps.cells.last())?;
    let weekday = Weekday::from_index(usize::from(cell.from_hour) / 24 % 7);
    Some(format!(
        "{} that began about {} {:02}:00: half are over after {}, 9 in 10 after {}",
        words::thousands(u64::from(cell.n)),
        weekday.short(),
        cell.from_hour % 24,
        words::minutes(cell.p50),
        words::minutes(cell.p90),
    ))
}
