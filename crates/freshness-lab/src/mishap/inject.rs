//! Which deliveries go wrong, and how?
//!
//! A share of the deliveries in a window, drawn with a seed. A quarter never
//! arrive; the others come late by 3 to 8 times the spread of the deliveries
//! around, at most 0.8 of a period, and before the next. In an outage several
//! in a row are held up and come together with the next. What was sent again
//! before the tampered delivery comes goes with it.

use std::collections::BTreeMap;

use freshness_core::arrivals::{Arrival, ArrivalDetail, ArrivalHistory};
use freshness_core::civil::{HOUR, MINUTE};
use freshness_core::dataset::DatasetId;

use super::deliveries::{Delivery, around, deliveries};
use super::pace::Pace;
use crate::truth::{CycleTruth, DatasetTruth, Incident, IncidentKind};
use crate::warehouse::Chance;

/// How much is done to a history, and where.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// How often it delivers.
    pub pace: Pace,
    /// Deliveries from here on are tampered with (UTC seconds) …
    pub from: i64,
    /// … and before here.
    pub to: i64,
    /// The share of mishaps that begin an outage of several deliveries.
    pub outages: f64,
}

/// The share of mishaps in which the delivery never comes.
const MISSED: f64 = 0.25;
/// How late the others are, in spreads of the deliveries around them, …
const LATE_SPREADS: (f64, f64) = (3.0, 8.0);
/// … at most this share of a period, and of the time to the next delivery.
const LATE_MOST: f64 = 0.8;
/// Deliveries that an outage holds up.
const OUTAGE_DELIVERIES: (usize, usize) = (2, 4);
/// Seconds from one delivery to the next when an outage is made up for.
const CATCH_UP: i64 = 20;

/// The spread that counts where deliveries are more punctual than that: what
/// is late by seconds matters to nobody.
fn least_spread(pace: Pace) -> f64 {
    let seconds = match pace {
        Pace::Within(period) if period <= HOUR => 2 * MINUTE,
        Pace::Within(_) | Pace::Day => 15 * MINUTE,
        Pace::Week | Pace::Month => HOUR,
    };
    seconds as f64
}

/// What is to become of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fate {
    kind: IncidentKind,
    /// When it comes instead; `None` for never.
    at: Option<i64>,
}

/// A history in which some deliveries of a window go wrong, and what was done.
pub fn inject(
    id: &DatasetId,
    class: &str,
    history: &ArrivalHistory,
    terms: &Terms,
    seed: u64,
) -> (ArrivalHistory, DatasetTruth) {
    let deliveries = deliveries(history.at(), terms.pace, terms.from, terms.to);
    let fates = fates(&deliveries, terms, &mut chance_of(id, seed));
    let tampered = tampered(history, &deliveries, &fates);
    let cycles = fates
        .iter()
        .map(|(&i, fate)| {
            let delivery = deliveries[i];
            CycleTruth {
                start: delivery.slot,
                usual_at: delivery.slot + around(&deliveries, i).median as i64,
                due_at: Some(delivery.at),
                arrived_at: fate.at,
                incident: Some(Incident {
                    root: id.clone(),
                    kind: fate.kind,
                }),
            }
        })
        .collect();
    let truth = DatasetTruth {
        class: class.to_owned(),
        schedule: None,
        moves: Vec::new(),
        cycles,
        outages: Vec::new(),
    };
    (tampered, truth)
}

/// Each dataset draws by itself, whatever others there are. FNV-1a (Fowler,
/// Noll and Vo) of the name.
fn chance_of(id: &DatasetId, seed: u64) -> Chance {
    let hash = id
        .as_str()
        .bytes()
        .fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
        });
    Chance::new(hash ^ seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

fn fates(deliveries: &[Delivery], terms: &Terms, chance: &mut Chance) -> BTreeMap<usize, Fate> {
    // Of the last one nobody knows before when it must come.
    let end = deliveries.partition_point(|one| one.at < terms.to);
    let end = end.min(deliveries.len().saturating_sub(1));
    let begin = deliveries
        .partition_point(|one| one.at < terms.from)
        .min(end);
    let mut fates = BTreeMap::new();
    for i in drawn(begin, end, terms.pace.share(), chance) {
        if fates.contains_key(&i) {
            continue;
        }
        let (kind, size) = (chance.uniform(), chance.uniform());
        if kind < terms.outages {
            let (least, most) = OUTAGE_DELIVERIES;
            let n = least + (size * (most - least + 1) as f64) as usize;
            hold_up(deliveries, i, n.min(end - i), &mut fates);
        } else if kind < terms.outages + (1.0 - terms.outages) * MISSED {
            let kind = IncidentKind::Missed;
            fates.insert(i, Fate { kind, at: None });
        } else {
            let spread = around(deliveries, i).iqr.max(least_spread(terms.pace));
            let (least, most) = LATE_SPREADS;
            let wanted = (least + (most - least) * size) * spread;
            let room = (deliveries[i + 1].at - deliveries[i].at).min(terms.pace.period());
            let late = wanted.min(LATE_MOST * room as f64) as i64;
            let kind = IncidentKind::Late;
            let at = Some(deliveries[i].at + late);
            fates.insert(i, Fate { kind, at });
        }
    }
    fates
}

/// `n` deliveries from the `i`-th on come just before the one after them.
fn hold_up(deliveries: &[Delivery], i: usize, n: usize, fates: &mut BTreeMap<usize, Fate>) {
    let next = deliveries[i + n].at;
    for (place, i) in (i..i + n).enumerate() {
        let at = Some(next - (n - place) as i64 * CATCH_UP);
        let kind = IncidentKind::Backlog;
        fates.insert(i, Fate { kind, at });
    }
}

/// A share of `begin..end`, ascending. How many is the share of them exactly;
/// what is left of a whole one is drawn.
fn drawn(begin: usize, end: usize, share: f64, chance: &mut Chance) -> Vec<usize> {
    let mut all: Vec<usize> = (begin..end).collect();
    let wanted = share * all.len() as f64 + chance.uniform();
    let n = (wanted as usize).min(all.len());
    for i in 0..n {
        let other = i + (chance.uniform() * (all.len() - i) as f64) as usize;
        all.swap(i, other);
    }
    all.truncate(n);
    all.sort_unstable();
    all
}

/// The history with some deliveries moved or taken out. Of what comes in their
/// slots nothing stays that would come before them, and nothing of those that
/// never come.
fn tampered(
    history: &ArrivalHistory,
    deliveries: &[Delivery],
    fates: &BTreeMap<usize, Fate>,
) -> ArrivalHistory {
    let arrivals = history.at().iter().enumerate().filter_map(|(i, &at)| {
        let arrival = |at| Arrival {
            at,
            detail: history
                .detail(i)
                .cloned()
                .unwrap_or_else(ArrivalDetail::default),
        };
        let served = deliveries
            .partition_point(|one| one.at <= at)
            .checked_sub(1);
        let Some((served, fate)) = served.and_then(|of| Some((of, fates.get(&of)?))) else {
            return Some(arrival(at));
        };
        let is_first = deliveries[served].at == at;
        match fate.at {
            None => None,
            Some(instead) if is_first => Some(arrival(instead)),
            Some(instead) => (at > instead).then(|| arrival(at)),
        }
    });
    ArrivalHistory::new(arrivals.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshness_core::civil::DAY;

    /// Daily between 06:10 and 06:50, delivered again at 06:55.
    fn history(n_days: i64) -> ArrivalHistory {
        let arrivals = (0..n_days).flat_map(|day| {
            let start = (20_000 + day) * DAY;
            let at = start + 6 * HOUR + 10 * MINUTE + day * 7_919 % 2_400;
            [at, start + 6 * HOUR + 55 * MINUTE].map(|at| Arrival {
                at,
                detail: ArrivalDetail::default(),
            })
        });
        ArrivalHistory::new(arrivals.collect())
    }

    fn injected(outages: f64, seed: u64) -> (ArrivalHistory, ArrivalHistory, DatasetTruth) {
        // One past the window: the last of all stays as it is.
        let history = history(1_001);
        let terms = Terms {
            pace: Pace::Day,
            from: 20_500 * DAY,
            to: 21_000 * DAY,
            outages,
        };
        let id = DatasetId::try_from("raw_orders").unwrap();
        let (tampered, truth) = inject(&id, "daily", &history, &terms, seed);
        (history, tampered, truth)
    }

    #[test]
    fn four_in_a_hundred_daily_deliveries_go_wrong_and_a_quarter_of_them_never_come() {
        let (mut n, mut n_missed) = (0, 0);
        for seed in 0..20 {
            let (_, _, truth) = injected(0.0, seed);
            assert_eq!(truth.cycles.len(), 20);
            let missed = truth.cycles.iter().filter(|one| one.arrived_at.is_none());
            (n, n_missed) = (n + 20, n_missed + missed.count());
        }
        assert!((80..120).contains(&n_missed), "{n_missed} of {n}");
    }

    #[test]
    fn late_ones_come_three_to_eight_spreads_late_and_before_the_next() {
        let (history, tampered, truth) = injected(0.0, 7);
        let late = truth
            .cycles
            .iter()
            .filter_map(|one| Some((one, one.arrived_at?)));
        for (cycle, at) in late {
            // The quartiles of minutes 10 to 50 lie about 20 minutes apart.
            let minutes = (at - cycle.due_at.unwrap()) / MINUTE;
            assert!((51..=168).contains(&minutes), "{minutes}");
            assert!(history.at().contains(&cycle.due_at.unwrap()));
            assert!(tampered.at().contains(&at));
            let in_between = |&&other: &&i64| other >= cycle.due_at.unwrap() && other < at;
            assert_eq!(tampered.at().iter().filter(in_between).count(), 0);
        }
    }

    #[test]
    fn of_what_never_comes_nothing_comes_again_either() {
        let (history, tampered, truth) = injected(0.0, 7);
        for cycle in truth.cycles.iter().filter(|one| one.arrived_at.is_none()) {
            let due = cycle.due_at.unwrap();
            let next = tampered.at().iter().find(|&&at| at >= due);
            assert!(next.is_none_or(|next| next - due > 20 * HOUR));
        }
        let before = |at: &&i64| **at < 20_500 * DAY;
        assert!(
            history
                .at()
                .iter()
                .take_while(before)
                .eq(tampered.at().iter().take_while(before))
        );
    }

    #[test]
    fn what_an_outage_holds_up_comes_just_before_the_next() {
        let (history, tampered, truth) = injected(1.0, 3);
        assert!(truth.cycles.len() > 40);
        for cycle in &truth.cycles {
            let (due, at) = (cycle.due_at.unwrap(), cycle.arrived_at.unwrap());
            assert_eq!(cycle.incident.as_ref().unwrap().kind, IncidentKind::Backlog);
            assert!(at - due > 20 * HOUR);
            assert!(tampered.at().contains(&at));
            assert!(
                history
                    .at()
                    .iter()
                    .any(|&next| (1..=80).contains(&(next - at)))
            );
        }
    }

    #[test]
    fn the_same_seed_does_the_same_and_another_does_not() {
        assert_eq!(injected(0.1, 5), injected(0.1, 5));
        assert_ne!(injected(0.1, 5).2, injected(0.1, 6).2);
    }
}
