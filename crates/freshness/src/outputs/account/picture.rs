//! Which delays is a deadline held against?
//!
//! A histogram of the cycles like the one explained, or of an irregular feed's
//! silences.

use freshness_core::civil::{DAY, HOUR, MINUTE, Zone};
use freshness_core::fit::Fitted;
use freshness_core::schedule::Calendar;
use freshness_core::state::CycleVerdict;

use super::Page;
use crate::outputs::{chart, words};
use crate::rounds::Explained;

/// The delays of cycles like the one explained, or the silences of an
/// irregular feed.
pub(super) fn draw(
    page: &mut Page,
    explained: &Explained,
    cycle: Option<&CycleVerdict>,
    zone: Zone,
    unicode: bool,
) {
    let Some(model) = &explained.model else {
        return;
    };
    let (title, values, deadline) = match &model.fitted {
        Fitted::Irregular(gaps) => {
            let since = gaps.regime_since.as_second();
            let at = explained.history.at();
            let at = &at[at.partition_point(|&at| at < since)..];
            let silences = at.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 60.0);
            let Some(deadline) = cycle.and_then(chart::deadline_minutes) else {
                return;
            };
            ("Silences".to_owned(), silences.collect(), deadline)
        }
        Fitted::ColdStart(cold) => {
            let delays = delays(explained, |_| true);
            ("Delays".to_owned(), delays, cold.threshold)
        }
        Fitted::Learned(_) | Fitted::Provisional { .. } => {
            let Some(because) = cycle.and_then(|cycle| cycle.because.as_ref()) else {
                return;
            };
            let alike = |other: &CycleVerdict| {
                other
                    .because
                    .as_ref()
                    .is_some_and(|other| other.cell == because.cell)
            };
            let title = format!("Delays of {}", words::cell(because.cell));
            (title, delays(explained, alike), because.threshold)
        }
    };
    let of_a_day = matches!(
        model.fitted.calendar(),
        Calendar::Days(_) | Calendar::Months(_)
    );
    let label = |minutes: f64| {
        let seconds = (minutes * MINUTE as f64) as i64;
        match seconds.div_euclid(DAY) {
            // A delay from midnight is a time of day.
            days if of_a_day => words::clock_on_day(seconds, days),
            _ if minutes < 0.0 => words::offset(minutes),
            _ if seconds % HOUR == 0 => words::minutes(minutes),
            _ => words::to_the_minute(minutes),
        }
    };
    let lines = chart::histogram(&values, deadline, unicode, label);
    if lines.is_empty() {
        return;
    }
    page.plain("");
    page.plain(format!("{title} since the regime began ({zone})"));
    for line in lines {
        page.plain(format!("  {line}"));
    }
}

fn delays(explained: &Explained, alike: impl Fn(&CycleVerdict) -> bool) -> Vec<f64> {
    explained
        .cycles
        .iter()
        .filter(|cycle| alike(cycle))
        .filter_map(|cycle| explained.delay_minutes(cycle))
        .collect()
}
