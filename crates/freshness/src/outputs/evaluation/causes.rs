//! How well is what is late put under what it began with?

use freshness_lab::evaluate::RootCause;

use super::percent;
use crate::outputs::words;

/// What was counted of incidents, in a few sentences.
pub fn root_causes(found: &RootCause) -> String {
    let rates = found.rates();
    format!(
        "Incidents, looked at every hour: of {} late cycles {} began with a dataset that was seen \
         late too; {} ({}) stand under it, {} when first seen. {} rather than {} ({} suppressed); {} of a dataset with \
         which something had begun. {} of {} dependents ({}) came when it was said.",
        words::thousands(found.n_late),
        words::thousands(found.n_root_seen),
        words::thousands(found.n_named),
        percent(rates.accuracy, 1),
        percent(rates.accuracy_at_once, 1),
        words::count(found.n_pages, "page"),
        words::count(found.n_alerts, "alert"),
        percent(rates.suppressed, 1),
        percent(rates.precision_per_page, 1),
        words::thousands(found.n_within),
        words::thousands(found.n_recoveries),
        percent(rates.recovered_as_told, 1),
    )
}
