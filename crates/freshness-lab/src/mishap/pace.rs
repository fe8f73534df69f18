//! How often does a real feed deliver, and how often do we tamper with it?

use freshness_core::civil::{DAY, Day, HOUR};
use freshness_core::schedule::Grain;

/// How often deliveries come. It says how long a slot is, which share of them
/// meets a mishap, and over how many days that is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Several times a day: seconds from one to the next.
    Within(i64),
    /// Daily, or on some days of the week.
    Day,
    /// Weekly.
    Week,
    /// Monthly.
    Month,
}

impl Pace {
    /// The pace of a class of real histories. `multi` polls a few times a day;
    /// feeds of no class are looked at day by day.
    pub fn of_class(class: &str) -> Pace {
        match class {
            "hourly" => Pace::Within(HOUR),
            "multi" => Pace::Within(6 * HOUR),
            "weekly" => Pace::Week,
            "monthly" => Pace::Month,
            _ => Pace::Day,
        }
    }

    /// The pace of a grain.
    pub fn of_grain(grain: Grain) -> Pace {
        match grain {
            Grain::Minutes(_) => Pace::Within(grain.seconds()),
            Grain::Day => Pace::Day,
            Grain::Week => Pace::Week,
            Grain::Month => Pace::Month,
        }
    }

    /// Seconds from one delivery to the next, about.
    pub fn period(self) -> i64 {
        match self {
            Pace::Within(seconds) => seconds,
            Pace::Day => DAY,
            Pace::Week => 7 * DAY,
            Pace::Month => Grain::Month.seconds(),
        }
    }

    /// The share of deliveries that meet a mishap.
    pub fn share(self) -> f64 {
        match self {
            Pace::Within(_) => 0.01,
            Pace::Day => 0.04,
            Pace::Week => 0.08,
            Pace::Month => 0.12,
        }
    }

    /// The last days of a history that are tampered with: enough for some
    /// mishaps of each pace.
    pub fn days(self) -> i64 {
        match self {
            Pace::Within(_) => 60,
            Pace::Day => 180,
            Pace::Week => 550,
            Pace::Month => 1_100,
        }
    }

    /// How far into its period an instant lies, in [0, 1).
    pub(super) fn phase(self, at: i64) -> f64 {
        match self {
            Pace::Month => {
                let (start, next) = month_of(at);
                (at - start) as f64 / (next - start) as f64
            }
            _ => at.rem_euclid(self.period()) as f64 / self.period() as f64,
        }
    }

    /// The slot an instant falls into, where slots begin at a phase.
    pub(super) fn slot(self, at: i64, cut: f64) -> (i64, i64) {
        match self {
            Pace::Month => {
                let begin =
                    |(start, next): (i64, i64)| start + ((next - start) as f64 * cut) as i64;
                let this = month_of(at);
                match at < begin(this) {
                    true => (begin(month_of(this.0 - 1)), begin(this)),
                    false => (begin(this), begin(month_of(this.1))),
                }
            }
            _ => {
                let period = self.period();
                let offset = (period as f64 * cut) as i64;
                let start = (at - offset).div_euclid(period) * period + offset;
                (start, start + period)
            }
        }
    }
}

/// The civil month (UTC) around an instant, and when the next begins.
fn month_of(at: i64) -> (i64, i64) {
    let start = Day::of_local(at).month_start();
    (start.start(), start.month_start_after(1).start())
}
