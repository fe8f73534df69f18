//! Which heights does the picture show?
//!
//! All that is usual, the window, and what is not far from them: one delivery
//! three days late must not squeeze all others into one line. What lies beyond
//! is drawn on the edge and counted.

use super::axes::Scale;
use crate::rounds::{Figure, PointKind};

/// From the lowest height shown to the highest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Heights {
    pub(super) from: f64,
    pub(super) to: f64,
}

/// A deadline, or what is late, further away than so many times the span of
/// what is usual is not shown, but of a cold start, of which little else is known.
const NEAR_SPANS: f64 = 3.0;
/// … the fixed rule, if it is also further than that: minutes.
const NEAR_RULE_MINUTES: f64 = 120.0;
/// Room above and below, of the span.
const MARGIN: f64 = 0.07;
/// The same above, where missed cycles stand.
const MARGIN_OF_MISSED: f64 = 0.13;

impl Heights {
    pub(super) fn of(figure: &Figure, scale: Scale) -> Heights {
        let sorted = |are: fn(PointKind) -> bool| -> Vec<f64> {
            let points = figure.points.iter().filter(|point| are(point.kind));
            let mut heights: Vec<f64> = points.map(|it| scale.height(it.minutes)).collect();
            heights.sort_unstable_by(f64::total_cmp);
            heights
        };
        let judged = sorted(|kind| matches!(kind, PointKind::InTime | PointKind::Late));
        let unjudged = sorted(|kind| kind == PointKind::Before);
        let windows = || figure.cycles.iter().filter_map(|slot| slot.window);
        let deadlines = || figure.cycles.iter().filter_map(|slot| slot.deadline);
        let least = |heights: &mut dyn Iterator<Item = f64>| heights.reduce(f64::min);
        let most = |heights: &mut dyn Iterator<Item = f64>| heights.reduce(f64::max);

        // One in fifty on each side may be an incident; of an older regime,
        // where nothing is known, one in ten.
        let usual = [(&judged, 50), (&unjudged, 10)].map(|(heights, one_in)| {
            let rare = heights.len() / one_in;
            let first = heights.get(rare)?;
            Some((*first, heights[heights.len() - 1 - rare]))
        });
        let lows = [
            usual[0].map(|usual| usual.0),
            usual[1].map(|usual| usual.0),
            least(&mut windows().map(|window| scale.height(window.0))),
        ];
        let highs = [
            usual[0].map(|usual| usual.1),
            usual[1].map(|usual| usual.1),
            most(&mut windows().map(|window| scale.height(window.1))),
        ];
        let low = least(&mut lows.into_iter().flatten());
        let high = most(&mut highs.into_iter().flatten());
        let (mut from, mut to) = match (low, high) {
            (Some(low), Some(high)) => (low, high),
            _ => {
                let deadline = deadlines().next().map_or(0.0, |it| scale.height(it));
                (deadline, deadline)
            }
        };
        if to - from < scale.least_span() {
            // More above, where the deadline lies.
            let wider = scale.least_span() - (to - from);
            (from, to) = (from - wider * 0.2, to + wider * 0.8);
        }
        let near = NEAR_SPANS * (to - from);
        let (nearest, furthest) = (from - near, to + near);
        let is_near = |height: &f64| (nearest..=furthest).contains(height);
        let deadlines = deadlines().map(|minutes| scale.height(minutes));
        for height in deadlines.chain(judged) {
            if is_near(&height) || figure.cold_start.is_some() {
                (from, to) = (from.min(height), to.max(height));
            }
        }
        if let Some(rule) = figure.fixed_rule.map(|minutes| scale.height(minutes)) {
            let away = (rule - to).max(from - rule);
            if is_near(&rule) || away <= NEAR_RULE_MINUTES {
                (from, to) = (from.min(rule), to.max(rule));
            }
        }
        let above = match figure.missing.is_empty() {
            true => MARGIN,
            false => MARGIN_OF_MISSED,
        };
        let span = to - from;
        Heights {
            from: from - span * MARGIN,
            to: to + span * above,
        }
    }

    pub(super) fn contains(self, height: f64) -> bool {
        (self.from..=self.to).contains(&height)
    }

    pub(super) fn clamp(self, height: f64) -> f64 {
        height.clamp(self.from, self.to)
    }
}
