//! Which arrival served which cycle?
//!
//! Arrivals are matched to cycles in order. Each cycle opens a little before
//! its deliveries usually begin, and an arrival is credited to the cycle that
//! is open when it comes. Beyond that:
//! - a sender that names the cycle is believed;
//! - a run that has delivered before, or data that covers no more than an
//!   earlier arrival did, is a redelivery;
//! - a lone arrival much nearer to the next cycle is early, not late;
//! - several arrivals after silent cycles are a backlog, delivered in order;
//! - further arrivals in a cycle are redeliveries: the first one counts.

use super::{ArrivalHistory, CycleName};
use crate::schedule::Cycle;

/// When a cycle is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening {
    /// From this instant on an arrival is credited to it (UTC seconds).
    pub opens: i64,
    /// Half of its ordinary deliveries have come by then (UTC seconds).
    pub usual: i64,
    /// An ordinary delivery has come by then (UTC seconds).
    pub usual_by: i64,
}

/// For each cycle, the index of the arrival that served it.
///
/// `cycles` and `openings` are ascending and go together; one opening more may
/// say when the last cycle closes. `n_arrivals` of the history are looked at,
/// in order.
pub fn match_in_order(
    cycles: &[Cycle],
    openings: &[Opening],
    history: &ArrivalHistory,
    n_arrivals: usize,
) -> Vec<Option<usize>> {
    let mut served: Vec<Option<usize>> = vec![None; cycles.len()];
    let at = &history.at()[..n_arrivals.min(history.len())];
    let unnamed = match history.columns().1.is_empty() {
        // Nothing but times: every arrival speaks for itself.
        true => None,
        false => Some(serve_named(cycles, history, at.len(), &mut served)),
    };
    let takes_part = |i: usize| unnamed.as_ref().is_none_or(|unnamed| unnamed[i]);
    let mut next = openings
        .first()
        .map_or(0, |first| at.partition_point(|&time| time < first.opens));
    let mut n_silent = 0;
    // The last arrival credited to each cycle by its time.
    let mut last: Vec<Option<usize>> = vec![None; cycles.len()];
    for (j, opening) in openings.iter().enumerate().take(cycles.len()) {
        let closes = openings.get(j + 1).map_or(i64::MAX, |later| later.opens);
        let from = next;
        while next < at.len() && at[next] < closes {
            next += 1;
        }
        let mut credited = (from..next).filter(|&i| takes_part(i));
        if let Some(named) = served[j] {
            // It was served by the first that came, named or not.
            served[j] = Some(credited.next().map_or(named, |first| first.min(named)));
            n_silent = 0;
            continue;
        }
        let Some(first) = credited.next() else {
            n_silent += 1;
            continue;
        };
        served[j] = Some(first);
        last[j] = credited.clone().next_back().or(Some(first));
        // As many as were missing, and today's: the backlog, oldest first.
        // With fewer nobody can tell which ones they are.
        if n_silent > 0 {
            let backlog: Vec<usize> = std::iter::once(first)
                .chain(credited)
                .take(n_silent + 1)
                .collect();
            let todays = *backlog.last().unwrap_or(&first);
            let on_time = at[first] <= opening.usual_by;
            if backlog.len() == n_silent + 1 && (!on_time || at[todays] <= opening.usual_by) {
                for (k, &arrival) in backlog.iter().rev().enumerate() {
                    served[j - k] = Some(arrival);
                }
            }
        }
        n_silent = 0;
    }
    give_early_ones_to_the_next(&mut served, &last, openings, history);
    served
}

/// The only arrival of two cycles is taken as early for the second rather than
/// late for the first if it is this many times nearer to it.
const NEARER_IF_ALONE: i64 = 5;
/// … so is a further one that is a run of its own, …
const NEARER_IF_OWN_RUN: i64 = 5;
/// … and any other further one, which is rather a redelivery, if it is this many
/// times nearer.
const NEARER_IF_FURTHER: i64 = 8;

/// What came before a cycle opened, in which nothing else came, belongs to it
/// if it is much nearer to it than to the cycle before.
fn give_early_ones_to_the_next(
    served: &mut [Option<usize>],
    last: &[Option<usize>],
    openings: &[Opening],
    history: &ArrivalHistory,
) {
    // Over a weekend or a holiday that the calendar leaves out, what came on a day
    // of its own is no early delivery of the day after.
    let gaps = openings.windows(2).map(|two| two[1].usual - two[0].usual);
    let earliest = gaps.min().unwrap_or(i64::MAX) / 2;
    for j in 1..served.len() {
        if served[j].is_some() {
            continue;
        }
        let Some(arrival) = last[j - 1] else { continue };
        let is_alone = served[j - 1] == Some(arrival);
        let detail = history.detail(arrival);
        let times_nearer = match detail.is_some_and(|detail| detail.run_id.is_some()) {
            _ if is_alone => NEARER_IF_ALONE,
            true => NEARER_IF_OWN_RUN,
            false => NEARER_IF_FURTHER,
        };
        let at = history.at()[arrival];
        let (late, early) = (at - openings[j - 1].usual, openings[j].usual - at);
        if early <= earliest && early * times_nearer <= late {
            served[j] = Some(arrival);
            if is_alone {
                served[j - 1] = None;
            }
        }
    }
}

/// Serves the cycles that senders named; tells which arrivals are left to be
/// matched by time.
fn serve_named(
    cycles: &[Cycle],
    history: &ArrivalHistory,
    n_arrivals: usize,
    served: &mut [Option<usize>],
) -> Vec<bool> {
    let mut covered = i64::MIN;
    (0..n_arrivals)
        .map(|i| {
            let Some(detail) = history.detail(i) else {
                return true;
            };
            if let Some(name) = detail.cycle {
                let after = match name {
                    CycleName::Civil(local) => cycles.partition_point(|cycle| cycle.local <= local),
                    CycleName::Instant(instant) => {
                        cycles.partition_point(|cycle| cycle.start <= instant)
                    }
                };
                if let Some(cycle) = after
                    .checked_sub(1)
                    .filter(|&cycle| is_within(cycles, cycle, name))
                {
                    served[cycle].get_or_insert(i);
                }
                return false;
            }
            // A claim to cover the future says no more than "up to now"; else one
            // wrong clock would make redeliveries of all that follows.
            let through = detail
                .covers_through
                .map(|through| through.min(history.at()[i]));
            match through {
                _ if history.repeats_run(i) => false,
                Some(through) if through <= covered => false,
                Some(through) => {
                    covered = through;
                    true
                }
                None => true,
            }
        })
        .collect()
}

/// The last cycle has no successor to end it; it may be as long as the one
/// before was.
fn is_within(cycles: &[Cycle], cycle: usize, name: CycleName) -> bool {
    if cycle + 1 < cycles.len() || cycle == 0 {
        return true;
    }
    let (last, before) = (cycles[cycle], cycles[cycle - 1]);
    match name {
        CycleName::Civil(local) => local < last.local + (last.local - before.local),
        CycleName::Instant(instant) => instant < last.start + (last.start - before.start),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrivals::{Arrival, ArrivalDetail};
    use crate::civil::{DAY, HOUR};

    /// Daily cycles 0, 1, 2, … usually delivered at 06:00 to 06:30.
    #[track_caller]
    fn check_match(arrivals: &[&str], expected: &[Option<usize>]) {
        let days: Vec<i64> = (0..expected.len() as i64).collect();
        check_match_on(&days, arrivals, expected);
    }

    /// … on these days only. Arrivals as `day hour`, `day hour =cycle` (named),
    /// `day hour <day` (covers through) or `day hour #run`.
    #[track_caller]
    fn check_match_on(days: &[i64], arrivals: &[&str], expected: &[Option<usize>]) {
        let cycles: Vec<Cycle> = (days.iter())
            .map(|&day| Cycle {
                start: day * DAY,
                local: day * DAY,
            })
            .collect();
        let openings: Vec<Opening> = cycles
            .iter()
            .map(|cycle| Opening {
                opens: cycle.start + 5 * HOUR,
                usual: cycle.start + 6 * HOUR,
                usual_by: cycle.start + 6 * HOUR + HOUR / 2,
            })
            .collect();
        let arrivals = arrivals
            .iter()
            .map(|text| {
                let words: Vec<&str> = text.split(' ').collect();
                let (day, hour): (f64, f64) =
                    (words[0].parse().unwrap(), words[1].parse().unwrap());
                let mut detail = ArrivalDetail::default();
                if let Some(word) = words.get(2) {
                    let day = || word[1..].parse::<i64>().unwrap();
                    match word.as_bytes()[0] {
                        b'=' => detail.cycle = Some(CycleName::Civil(day() * DAY)),
                        b'<' => detail.covers_through = Some(day() * DAY),
                        _ => detail.run_id = Some((*word).into()),
                    }
                }
                Arrival {
                    at: (day * DAY as f64 + hour * HOUR as f64) as i64,
                    detail,
                }
            })
            .collect();
        let history = ArrivalHistory::new(arrivals);
        assert_eq!(
            match_in_order(&cycles, &openings, &history, history.len()),
            expected
        );
    }

    #[test]
    fn each_arrival_serves_the_cycle_that_is_open() {
        check_match(&["0 6", "1 6.4", "2 23"], &[Some(0), Some(1), Some(2)]);
    }

    #[test]
    fn an_arrival_slightly_before_its_usual_time_belongs_to_the_cycle_it_serves() {
        check_match(&["0 6", "1 5.1"], &[Some(0), Some(1)]);
    }

    #[test]
    fn a_delivery_much_nearer_to_the_next_cycle_is_early_for_it() {
        check_match(&["0 6", "2 4"], &[Some(0), None, Some(1)]);
        // Unless that one has a delivery of its own.
        check_match(&["0 6", "2 4", "2 6"], &[Some(0), Some(1), Some(2)]);
        check_match(&["0 6", "2 1"], &[Some(0), Some(1), None]);
        // Nothing need be missing before it.
        check_match(&["0 6", "1 4.5"], &[Some(0), Some(1)]);
    }

    #[test]
    fn a_run_on_a_day_that_is_not_expected_is_not_the_next_days() {
        // Friday, Saturday and Sunday; Monday's is missing.
        let arrivals = ["3 6 #a", "4 6 #b", "5 6 #c", "6 6 #d"];
        check_match_on(&[3, 4, 7], &arrivals, &[Some(0), Some(1), None]);
        // Nor is that of a holiday after a long weekend.
        let arrivals = ["3 6 #a", "4 6 #b", "9 6 #c"];
        check_match_on(&[3, 4, 10], &arrivals, &[Some(0), Some(1), None]);
        // Two hours early is early.
        let arrivals = ["3 6 #a", "4 6 #b", "7 4 #c"];
        check_match_on(&[3, 4, 7], &arrivals, &[Some(0), Some(1), Some(2)]);
    }

    #[test]
    fn the_evening_run_of_a_day_is_not_the_next_mornings() {
        check_match(
            &["0 6 #a", "0 18 #b", "1 6 #c", "1 18 #d"],
            &[Some(0), Some(2), None],
        );
        check_match(
            &["0 6 #a", "1 6 #b", "2 3 #c"],
            &[Some(0), Some(1), Some(2)],
        );
    }

    #[test]
    fn yesterdays_file_delivered_again_is_not_todays() {
        check_match(&["0 6", "1 2"], &[Some(0), None]);
    }

    #[test]
    fn a_backlog_after_an_outage_is_delivered_in_order() {
        check_match(
            &["0 6", "3 9", "3 9.1", "3 9.2"],
            &[Some(0), Some(1), Some(2), Some(3)],
        );
        check_match(&["0 6", "2 5.2", "2 6.1"], &[Some(0), Some(1), Some(2)]);
        // One of two missing: nobody can tell which.
        check_match(&["0 6", "3 5.2", "3 6.1"], &[Some(0), None, None, Some(1)]);
    }

    #[test]
    fn a_redelivery_after_a_silent_cycle_does_not_make_today_late() {
        check_match(&["0 6", "2 6", "2 15"], &[Some(0), None, Some(1)]);
    }

    #[test]
    fn a_named_old_cycle_does_not_serve_todays() {
        check_match(&["0 6", "1 6", "2 6.1 =0"], &[Some(0), Some(1), None]);
        check_match(&["0 6", "2 6 =2", "2 9 =1"], &[Some(0), Some(2), Some(1)]);
    }

    #[test]
    fn data_that_covers_nothing_new_is_a_redelivery() {
        check_match(&["0 6 <0", "1 6 <1", "2 6 <1"], &[Some(0), Some(1), None]);
        // A claim to cover the future does not hide what follows.
        check_match(&["0 6 <9", "1 6 <1", "2 6 <1"], &[Some(0), Some(1), None]);
    }
}
