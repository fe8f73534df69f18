//! Where would a threshold have been best?

use crate::evaluate::Tally;

/// How late a cycle came, in seconds after where the threshold is counted
/// from; [`i64::MAX`] if it never did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Threshold {
    /// Seconds. What came later is alerted.
    pub seconds: i64,
}

/// The threshold on lateness (seconds; [`i64::MAX`] for what never came) that
/// separates incidents (`true`) from ordinary cycles with the best F1; of
/// equals the one with fewer false alarms, then the lowest. `None` if it is
/// best to say nothing.
pub fn best_threshold(mut lateness: Vec<(i64, bool)>) -> Option<Threshold> {
    lateness.sort_unstable_by(|a, b| b.cmp(a));
    let n_incidents = lateness.iter().filter(|(_, incident)| *incident).count() as u64;
    let mut tally = Tally {
        n_incidents,
        ..Tally::default()
    };
    let mut best: Option<(f64, u64, Threshold)> = None;
    let mut i = 0;
    while i < lateness.len() {
        // All above this value are alerted.
        let seconds = lateness[i].0;
        let f1 = tally.f1().unwrap_or(0.0);
        let is_better = match &best {
            Some((best_f1, fewest, _)) => {
                f1 > *best_f1 || (f1 == *best_f1 && tally.n_false_alarms <= *fewest)
            }
            None => true,
        };
        if is_better {
            best = Some((f1, tally.n_false_alarms, Threshold { seconds }));
        }
        while i < lateness.len() && lateness[i].0 == seconds {
            match lateness[i].1 {
                true => tally.n_detected += 1,
                false => tally.n_false_alarms += 1,
            }
            i += 1;
        }
    }
    best.map(|(_, _, threshold)| threshold)
        .filter(|threshold| threshold.seconds != i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_best(lateness: &[(i64, bool)], expected: Option<i64>) {
        let found = best_threshold(lateness.to_vec());
        assert_eq!(found.map(|threshold| threshold.seconds), expected);
    }

    #[test]
    fn a_clear_gap_is_cut_at_its_lower_end() {
        check_best(
            &[(1, false), (5, false), (90, true), (i64::MAX, true)],
            Some(5),
        );
    }

    #[test]
    fn what_cannot_be_told_apart_is_weighed() {
        // Two caught for one false alarm beats none of either.
        check_best(&[(1, false), (7, true), (8, false), (9, true)], Some(1));
        // One incident below fifty ordinary ones is not worth it.
        let mut many: Vec<(i64, bool)> = (10..60).map(|late| (late, false)).collect();
        many.extend([(5, true), (100, true)]);
        check_best(&many, Some(59));
    }

    #[test]
    fn without_incidents_it_is_best_to_stand_just_behind_the_last() {
        check_best(&[(1, false), (5, false)], Some(5));
        check_best(&[(1, false), (i64::MAX, false)], None);
        check_best(&[], None);
    }
}
