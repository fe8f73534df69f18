//! How are bursts told?

use freshness_core::civil::MINUTE;
use freshness_core::fit::Burst;

use super::Page;
use crate::outputs::words;

/// Says how a delivery comes in pieces, and when it is over.
pub(super) fn describe(page: &mut Page, burst: &Burst) {
    let over = |seconds: u32| words::minutes(f64::from(seconds) / MINUTE as f64);
    let arrivals = words::count(u64::from(burst.arrivals), "arrival");
    page.fact(
        "Bursts",
        format!("of about {arrivals} over {}", over(burst.seconds)),
    );
    page.more(format!(
        "a delivery is there when nothing came for {}, and then came with its last arrival",
        over(burst.quiet_seconds)
    ));
}
