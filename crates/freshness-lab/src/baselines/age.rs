//! What if nothing may be older than 24 hours?
//!
//! The same age for every dataset, as freshness checks are often set up.

use freshness_core::civil::DAY;

use super::gaps::silences;
use crate::evaluate::{Deadline, Subject, Window};

pub(super) fn deadlines(subject: &Subject<'_>, window: &Window) -> Vec<Deadline> {
    silences(subject, window, |_| Some(DAY))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baselines::check::check_alerts;

    #[test]
    fn whatever_rests_for_a_day_is_alerted_once() {
        check_alerts(
            deadlines,
            &[(10, 6.0), (11, 5.0), (12, 6.0), (15, 6.0)],
            (10, 16),
            &[(12, 5.0), (13, 6.0)],
        );
    }
}
