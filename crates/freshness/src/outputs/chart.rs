//! How do many cycles look at a glance?
//!
//! A strip with one sign for each of the last cycles, and a histogram of
//! delays with the deadline marked. Both can be drawn in ASCII.

use freshness_core::civil::MINUTE;
use freshness_core::state::{CycleVerdict, State};

/// One sign for each cycle, oldest first.
pub fn strip(cycles: &[CycleVerdict], unicode: bool) -> String {
    cycles
        .iter()
        .map(|cycle| sign(cycle.state, unicode))
        .collect()
}

/// What the signs of a strip mean, for those that occur.
pub fn legend(cycles: &[CycleVerdict], unicode: bool) -> String {
    const ORDER: [State; 8] = [
        State::Ok,
        State::LateArrival,
        State::Late,
        State::Missed,
        State::Pending,
        State::Unknown,
        State::InsufficientHistory,
        State::NotEvaluated,
    ];
    ORDER
        .into_iter()
        .filter(|&state| cycles.iter().any(|cycle| cycle.state == state))
        .map(|state| format!("{} {}", sign(state, unicode), super::words::state(state)))
        .collect::<Vec<_>>()
        .join("   ")
}

/// Draws how often each delay occurred, one bin a line, and marks the bin in
/// which the learned deadline lies, or the edge beyond which it does. Delays are
/// minutes; `label_of` names a bin by its start. Empty if there are no delays.
pub fn histogram(
    delays: &[f64],
    deadline: f64,
    unicode: bool,
    label_of: impl Fn(f64) -> String,
) -> Vec<String> {
    let Some(bins) = Bins::of(delays, deadline) else {
        return Vec::new();
    };
    let counts = bins.count(delays, deadline);
    let most = counts.iter().map(|&(_, n)| n).max().unwrap_or(1).max(1);
    let labels: Vec<String> = counts
        .iter()
        .map(|&(bin, _)| match bin {
            Bin::Earlier => "earlier".to_owned(),
            Bin::From(minutes) => label_of(minutes),
            Bin::Later => "later".to_owned(),
        })
        .collect();
    let width = labels.iter().map(|label| label.chars().count()).max();
    let width = width.unwrap_or(0);
    let edge = if unicode { "│" } else { "|" };
    let of_deadline = bins.bin(deadline);
    let arrow = if unicode { "◀" } else { "<-" };
    counts
        .iter()
        .zip(&labels)
        .map(|(&(bin, n), label)| {
            let mark = match bin {
                _ if bin != of_deadline => String::new(),
                Bin::From(_) => format!("  {arrow} learned deadline"),
                Bin::Earlier | Bin::Later => {
                    format!(
                        "  {arrow} learned deadline {}, beyond this edge",
                        label_of(deadline)
                    )
                }
            };
            let count = if n > 0 {
                format!(" {n}")
            } else {
                String::new()
            };
            let bar = bar(n as f64 / most as f64, unicode);
            format!("{label:>width$} {edge}{bar}{count}{mark}")
        })
        .collect()
}

/// Equal bins of a round width over the usual delays, and over the deadline if
/// it is not far from them; one on each side for what lies beyond.
struct Bins {
    first: f64,
    width: f64,
    n: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Bin {
    Earlier,
    /// By its start, minutes.
    From(f64),
    Later,
}

/// Few enough lines to take in at a glance.
const MOST_BINS: f64 = 14.0;
/// A deadline further from the delays than this many times their span has no
/// bin of its own.
const FAR: f64 = 3.0;
/// Delays closer together than this many minutes are taken for so far apart.
const LEAST_SPAN: f64 = 10.0;
/// Characters of the longest bar.
const LONGEST_BAR: f64 = 36.0;
/// Bin widths that people count in, minutes.
const WIDTHS: [f64; 14] = [
    1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 240.0, 480.0, 1_440.0, 2_880.0, 10_080.0,
    43_200.0,
];

impl Bins {
    fn of(delays: &[f64], deadline: f64) -> Option<Bins> {
        let mut sorted = delays.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        // One delay far from the others must not squeeze them into one bin,
        // and past the deadline there is little but incidents.
        let in_time = sorted.partition_point(|&delay| delay <= deadline);
        if 2 * in_time >= sorted.len() {
            sorted.truncate(in_time);
        }
        let rare = sorted.len() / 50;
        let first = *sorted.get(rare)?;
        let last = sorted[sorted.len() - 1 - rare];
        // Nor must the deadline, if it is far.
        let near = FAR * (last - first).max(LEAST_SPAN);
        let is_near = (first - near..=last + near).contains(&deadline);
        let (from, to) = match is_near {
            true => (first.min(deadline), last.max(deadline)),
            false => (first, last),
        };
        // Room to see where it ends.
        let to = to + (to - from) * if is_near { 0.25 } else { 0.0 };
        let width = WIDTHS
            .into_iter()
            .find(|width| (to - from) / width <= MOST_BINS)
            .unwrap_or((to - from) / MOST_BINS);
        let first = (from / width).floor() * width;
        let n = ((to - first) / width).floor() as usize + 1;
        Some(Bins { first, width, n })
    }

    fn bin(&self, delay: f64) -> Bin {
        match ((delay - self.first) / self.width).floor() {
            bin if bin < 0.0 => Bin::Earlier,
            bin if bin < self.n as f64 => Bin::From(self.first + bin * self.width),
            _ => Bin::Later,
        }
    }

    /// Counts by bin; what lies beyond only if there is any, or the deadline.
    fn count(&self, delays: &[f64], deadline: f64) -> Vec<(Bin, usize)> {
        let n_in = |bin| {
            delays
                .iter()
                .filter(|&&delay| self.bin(delay) == bin)
                .count()
        };
        let within = (0..self.n).map(|i| Bin::From(self.first + i as f64 * self.width));
        let beyond = |bin| Some(bin).filter(|&bin| n_in(bin) > 0 || self.bin(deadline) == bin);
        beyond(Bin::Earlier)
            .into_iter()
            .chain(within)
            .chain(beyond(Bin::Later))
            .map(|bin| (bin, n_in(bin)))
            .collect()
    }
}

fn bar(share: f64, unicode: bool) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share * LONGEST_BAR * 8.0).round() as usize;
    // One of many must still be seen.
    let eighths = if share > 0.0 { eighths.max(1) } else { 0 };
    match unicode {
        true => "█".repeat(eighths / 8) + EIGHTHS[eighths % 8],
        false => "#".repeat(eighths.div_ceil(8)),
    }
}

fn sign(state: State, unicode: bool) -> char {
    match (state, unicode) {
        (State::Ok, true) => '●',
        (State::Ok, false) => 'o',
        (State::LateArrival, true) => '◐',
        (State::LateArrival, false) => 'l',
        (State::Late, _) => '!',
        (State::Missed, true) => '✗',
        (State::Missed, false) => 'X',
        (State::Pending, true) => '○',
        (State::Pending, false) => '.',
        (State::Unknown | State::InsufficientHistory | State::NotEvaluated, _) => '?',
    }
}

/// From the start of a cycle to its deadline, minutes.
pub fn deadline_minutes(cycle: &CycleVerdict) -> Option<f64> {
    let seconds = cycle.deadline?.as_second() - cycle.cycle_start.as_second();
    Some(seconds as f64 / MINUTE as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_histogram(delays: &[f64], deadline: f64, unicode: bool, expected: &str) {
        let lines = histogram(delays, deadline, unicode, |minutes| minutes.to_string());
        assert_eq!(lines.join("\n"), expected);
    }

    #[test]
    fn the_bin_of_the_deadline_is_marked_and_outliers_share_one_line() {
        check_histogram(
            &[60.0, 61.0, 61.0, 62.0, 900.0],
            63.0,
            false,
            "   60 |################## 1\n   \
                61 |#################################### 2\n   \
                62 |################## 1\n   \
                63 |  <- learned deadline\n\
             later |################## 1",
        );
    }

    #[test]
    fn a_far_deadline_is_marked_beyond_the_edge() {
        check_histogram(
            &[60.0, 61.0, 61.0, 62.0],
            900.0,
            false,
            "   60 |################## 1\n   \
                61 |#################################### 2\n   \
                62 |################## 1\n\
             later |  <- learned deadline 900, beyond this edge",
        );
    }

    #[test]
    fn without_delays_there_is_no_picture() {
        check_histogram(&[], 10.0, true, "");
    }
}
