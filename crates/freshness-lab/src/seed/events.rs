//! What happens to which dataset, and when?
//!
//! Moves, drifts, beginnings, ends, outages, backfills: their numbers are
//! fixed, the datasets and the days are drawn. What happens late in the history
//! spares the datasets that are late on the last day, so that what is late
//! there is plain.

use freshness_core::civil::{DAY, HOUR};

use super::FROM;
use super::chance::Chance;
use super::layout::{self, Place, Rhythm};
use super::plan::{Backfill, Drift};

/// By place.
pub(super) struct Events {
    /// Local midnight of the first day of the new schedule, and minutes later.
    pub(super) moves: Vec<Vec<(i64, f64)>>,
    pub(super) drifts: Vec<Option<Drift>>,
    pub(super) begins: Vec<i64>,
    /// From when, and until when.
    pub(super) stops: Vec<Option<(i64, i64)>>,
    pub(super) skips: Vec<f64>,
    pub(super) outages: Vec<Vec<(i64, usize)>>,
    pub(super) backfills: Vec<Vec<Backfill>>,
    pub(super) has_effects: Vec<Effects>,
    pub(super) names_cycles: Vec<bool>,
    /// It has no schedule of its own.
    pub(super) triggered: Vec<bool>,
    /// Of the shapes of noise, the one that the first place gets.
    pub(super) first_shape: usize,
}

/// What it is slower on.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Effects {
    pub(super) weekday: bool,
    pub(super) hour: bool,
    pub(super) month_end: bool,
}

/// One vendor moves by so much on 1 January.
pub(super) const VENDOR_MINUTES: f64 = -134.0;
/// 2026-01-01.
pub(super) const NEW_YEAR: i64 = 1_767_225_600;

/// Draws them all.
pub(super) fn draw(places: &[Place], chance: &mut Chance) -> Events {
    let n = places.len();
    let mut events = Events {
        moves: vec![Vec::new(); n],
        drifts: vec![None; n],
        begins: places
            .iter()
            .map(|place| layout::begins(place.rhythm))
            .collect(),
        stops: vec![None; n],
        skips: vec![0.0; n],
        outages: vec![Vec::new(); n],
        backfills: vec![Vec::new(); n],
        has_effects: vec![Effects::default(); n],
        names_cycles: vec![false; n],
        triggered: vec![false; n],
        first_shape: chance.whole(0, 4) as usize,
    };
    ends(places, chance, &mut events);
    changes(places, chance, &mut events);
    let late = |place: &usize| layout::LATE_ON_LAST_DAY.contains(&places[*place].name);
    let dailies = |chance: &mut Chance| chance.shuffled(of(places, Rhythm::Daily));
    // Three days without a delivery, then all at once; one in the last weeks.
    let candidates = dailies(chance)
        .into_iter()
        .filter(|&i| events.stops[i].is_none());
    let struck: Vec<usize> = candidates.take(6).collect();
    for (k, i) in struck.into_iter().enumerate() {
        let day = if k == 0 && !late(&i) {
            chance.whole(230, 256)
        } else {
            chance.whole(40, 222)
        };
        events.outages[i].push((FROM + day * DAY, chance.whole(2, 4) as usize));
    }
    for i in dailies(chance).into_iter().take(18) {
        events.has_effects[i].weekday = true;
    }
    for i in dailies(chance).into_iter().take(8) {
        events.has_effects[i].month_end = true;
    }
    let hourlies = chance.shuffled(of(places, Rhythm::Hourly));
    for &i in &hourlies[..6] {
        events.has_effects[i].hour = true;
    }
    for &i in &hourlies[4..8] {
        events.has_effects[i].weekday = true;
    }
    for i in chance.shuffled(0..n).into_iter().take(12) {
        events.names_cycles[i] = true;
    }
    let children = of(places, Rhythm::Daily).filter(|&i| places[i].layer > 0);
    for i in chance.shuffled(children).into_iter().take(5) {
        events.triggered[i] = true;
    }
    let sent_again = dailies(chance)
        .into_iter()
        .take(9)
        .chain(hourlies.into_iter().take(3));
    for (k, i) in sent_again.enumerate() {
        let day = chance.whole(30, 255);
        events.backfills[i].push(Backfill {
            at: FROM + day * DAY + 17 * HOUR + chance.whole(0, 3 * HOUR),
            n_cycles: chance.whole(3, 15) as usize,
            named: k % 2 == 0,
        });
    }
    events
}

/// Beginnings and ends.
fn ends(places: &[Place], chance: &mut Chance, events: &mut Events) {
    let mut stop = |place: usize, day: i64, days: Option<i64>| {
        let from = FROM + day * DAY + 12 * HOUR;
        let to = days.map_or(i64::MAX, |days| from + days * DAY);
        events.stops[place] = Some((from, to));
    };
    // One before the last 45 days and for good; of two others one stops in them
    // and comes back, one is unreliable.
    stop(layout::place(layout::STOPPED), chance.whole(150, 212), None);
    let leaves = chance.shuffled(["R13", "R14"].map(layout::place));
    stop(
        leaves[0],
        chance.whole(228, 240),
        Some(chance.whole(10, 21)),
    );
    events.skips[leaves[1]] = chance.between(0.05, 0.1);
    let late = |i: &usize| layout::LATE_ON_LAST_DAY.contains(&places[*i].name);
    let newcomers = of(places, Rhythm::Daily).filter(|i| !late(i) && !leaves.contains(i));
    for i in chance.shuffled(newcomers).into_iter().take(4) {
        events.begins[i] = FROM + chance.whole(45, 165) * DAY;
    }
    let hourly = ["H0", "H1", "H3", "H4", "H5"].map(layout::place);
    events.begins[chance.pick(&hourly)] = FROM + chance.whole(6, 16) * DAY;
}

/// Moves and drifts, each of another dataset.
fn changes(places: &[Place], chance: &mut Chance, events: &mut Events) {
    let late = |i: &usize| layout::LATE_ON_LAST_DAY.contains(&places[*i].name);
    let plain = |i: &usize| events.begins[*i] == FROM && events.stops[*i].is_none();
    let free =
        of(places, Rhythm::Daily).filter(|i| !late(i) && plain(i) && events.skips[*i] == 0.0);
    let free = chance.shuffled(free);
    let is_source = |i: &&usize| places[**i].layer == 0;
    let vendor = *free.iter().find(is_source).expect("a source that is free");
    events.moves[vendor].push((NEW_YEAR, VENDOR_MINUTES));
    let mut free = free.into_iter().filter(|&i| i != vendor);
    let mut next = || free.next().expect("datasets enough");
    let mut direction = chance.sign();
    let mut shift = |chance: &mut Chance| {
        direction = -direction;
        direction * chance.sized(35.0, 150.0)
    };
    for k in 0..4 {
        let i = next();
        let at = day_without_clock_change(chance, 60, 150);
        let minutes = shift(chance);
        events.moves[i].push((at, minutes));
        if k == 0 {
            // And most of the way back, months later.
            let back = day_without_clock_change(chance, 175, 205);
            events.moves[i].push((back, -0.8 * minutes));
        }
    }
    // Two to six weeks before the end, and a few days before.
    for (from, to) in [(229, 242), (243, 256), (258, 265)] {
        let i = next();
        let at = day_without_clock_change(chance, from, to);
        events.moves[i].push((at, shift(chance)));
    }
    for _ in 0..3 {
        let i = next();
        events.drifts[i] = Some(Drift {
            from: FROM + chance.whole(10, 70) * DAY,
            to: FROM + chance.whole(200, 285) * DAY,
            minutes: chance.sign() * chance.between(30.0, 90.0),
        });
    }
    let hourlies = chance.shuffled(["H0", "H1", "H3", "H4", "H5"].map(layout::place));
    let at = day_without_clock_change(chance, 70, 215);
    events.moves[hourlies[0]].push((at, chance.sign() * chance.between(6.0, 11.0)));
    events.drifts[hourlies[1]] = Some(Drift {
        from: FROM + 20 * DAY,
        to: FROM + 270 * DAY,
        minutes: chance.between(4.0, 8.0),
    });
}

/// The places of a rhythm.
fn of(places: &[Place], rhythm: Rhythm) -> impl Iterator<Item = usize> + use<> {
    let of: Vec<usize> = (0..places.len())
        .filter(|&i| places[i].rhythm == rhythm)
        .collect();
    of.into_iter()
}

/// A day, counted from the first one, within no ten days of a clock change.
fn day_without_clock_change(chance: &mut Chance, from: i64, to: i64) -> i64 {
    // 5 October (Sydney), 26 October (Europe), 2 November (United States).
    const CHANGES: [i64; 3] = [1_759_622_400, 1_761_436_800, 1_762_041_600];
    loop {
        let at = FROM + chance.whole(from, to) * DAY;
        if CHANGES
            .iter()
            .all(|change| change.abs_diff(at) > 10 * DAY as u64)
        {
            return at;
        }
    }
}
