//! What if an alert is raised when nothing was loaded by 07:00?
//!
//! The rule that most teams begin with: every day at 07:00 UTC, if nothing has
//! come since midnight. An hourly dataset is held to the same.

use freshness_core::civil::{DAY, HOUR};

use crate::evaluate::{Deadline, Subject, Window};

const HOUR_OF_DAY: i64 = 7;

pub(super) fn deadlines(subject: &Subject<'_>, window: &Window) -> Vec<Deadline> {
    let arrivals = subject.history.at();
    let Some(&first) = arrivals.first() else {
        return Vec::new();
    };
    let from = window.from.max(first);
    let to = window.to.min(window.known_until);
    let mut deadlines = Vec::new();
    let mut midnight = from.div_euclid(DAY) * DAY;
    while midnight < to {
        let at = midnight + HOUR_OF_DAY * HOUR;
        if (from..to).contains(&at) {
            let since = arrivals.partition_point(|&arrival| arrival < midnight);
            let arrived_at = arrivals.get(since).copied();
            deadlines.push(Deadline {
                at,
                awaited: None,
                arrived_at,
                raised: arrived_at.is_none_or(|arrived| arrived > at),
            });
        }
        midnight += DAY;
    }
    deadlines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baselines::check::check_alerts;

    #[test]
    fn a_load_after_seven_is_late_every_day_it_is() {
        check_alerts(
            deadlines,
            &[(10, 6.0), (11, 6.5), (12, 7.5), (14, 6.0)],
            (11, 15),
            &[(12, 7.0), (13, 7.0)],
        );
    }

    #[test]
    fn before_the_first_load_nothing_is_known() {
        check_alerts(deadlines, &[(12, 6.0)], (10, 13), &[]);
        check_alerts(deadlines, &[], (10, 13), &[]);
    }
}
