//! What would a plainer warehouse be like?
//!
//! The kind that most made-up histories are of: everything in UTC, noise of two
//! shapes, slow weekdays, one vendor that moves on 1 January, and incidents of
//! one to eight hours that stay with the dataset they befall. Who does well on
//! this one only has not shown much.

use freshness_core::civil::{Day, WeekdaySet};
use freshness_core::schedule::{Calendar, DayRule, Grain, MonthRule};

use super::cast::{class, effects, settle, zone};
use super::chance::Chance;
use super::events::{Effects, NEW_YEAR, VENDOR_MINUTES};
use super::jitter::Jitter;
use super::layout::{self, Place, Rhythm};
use super::plan::{Plan, Sender, Trouble};
use super::{FROM, LAST_DAY};

/// Daily datasets that rest at weekends.
const N_WEEKDAYS: usize = 12;
/// Datasets that are slower on a weekday.
const N_SLOW: usize = 20;

/// The plans of the plain warehouse, parents before children.
pub(super) fn plain(chance: &mut Chance) -> Vec<Plan> {
    let places = layout::places();
    let names = layout::names(chance);
    let of =
        |rhythm: Rhythm| (0..places.len()).filter(move |&i| layout::places()[i].rhythm == rhythm);
    let rest_at_weekends = chance.shuffled(of(Rhythm::Daily))[..N_WEEKDAYS].to_vec();
    let slow = chance.shuffled(of(Rhythm::Daily))[..N_SLOW].to_vec();
    let sources = of(Rhythm::Daily)
        .filter(|&i| places[i].layer == 0 && !layout::LATE_ON_LAST_DAY.contains(&places[i].name));
    let vendor = chance.shuffled(sources)[0];
    let mut plans: Vec<Plan> = Vec::new();
    for (i, (place, id)) in places.iter().zip(names).enumerate() {
        let calendar = calendar(place.rhythm, rest_at_weekends.contains(&i), chance);
        let spread = match calendar.grain() {
            Some(Grain::Minutes(_)) => chance.sized(0.5, 3.0),
            _ => chance.sized(3.0, 25.0),
        };
        let jitter = match chance.happens(0.5) {
            true => Jitter::Normal { spread },
            false => Jitter::LogNormal {
                spread,
                sigma: chance.between(0.2, 0.5),
            },
        };
        let mut plan = Plan {
            id,
            class: class(place.rhythm, &calendar),
            calendar,
            zone: zone("UTC"),
            usual: 0.0,
            jitter,
            weekday: [0.0; 7],
            hour: [0.0; 24],
            month_end: 0.0,
            moves: Vec::new(),
            drift: None,
            parents: place
                .parents
                .iter()
                .map(|name| layout::place(name))
                .collect(),
            lag: 0.0,
            // Lateness is handed down on the last day only.
            waits_from: LAST_DAY,
            trouble: trouble(place),
            begins: layout::begins(place.rhythm),
            stops: None,
            skips: 0.0,
            sender: Sender {
                names_runs: chance.happens(0.5),
                rows: chance.happens(0.5).then(|| chance.sized(2e2, 5e6)),
                ..Sender::default()
            },
        };
        if i == vendor {
            plan.moves.push((NEW_YEAR, VENDOR_MINUTES));
        }
        let has = Effects {
            weekday: slow.contains(&i),
            ..Effects::default()
        };
        effects(&mut plan, has, spread, chance);
        settle(&mut plan, place, &plans, false, chance);
        plans.push(plan);
    }
    plans
}

fn calendar(rhythm: Rhythm, rests_at_weekends: bool, chance: &mut Chance) -> Calendar {
    let monday = Day::of_local(FROM);
    match rhythm {
        Rhythm::Hourly | Rhythm::NewHourly => Calendar::plainest(Grain::HOUR, monday),
        Rhythm::Daily if rests_at_weekends => {
            Calendar::Days(DayRule::Weekdays(WeekdaySet::MON_FRI))
        }
        Rhythm::Daily | Rhythm::NewDaily => Calendar::plainest(Grain::Day, monday),
        Rhythm::Weekly => Calendar::plainest(Grain::Week, monday.plus(chance.whole(0, 2) as i32)),
        Rhythm::Monthly => Calendar::Months(MonthRule::Day(chance.whole(1, 5) as u8)),
    }
}

fn trouble(place: &Place) -> Trouble {
    let rate = match place.rhythm {
        // A late hour holds up those behind it.
        Rhythm::Hourly => 0.0045,
        Rhythm::Daily | Rhythm::Weekly | Rhythm::Monthly => 0.0175,
        Rhythm::NewDaily | Rhythm::NewHourly => 0.0,
    };
    let is_root = layout::LAST_DAY_ROOTS.contains(&place.name);
    Trouble {
        rate,
        missed: 0.2,
        sizes: vec![(1.0, 60.0, 480.0)],
        outages: Vec::new(),
        silent_from: is_root.then(|| layout::silent_from(place.rhythm)),
    }
}
