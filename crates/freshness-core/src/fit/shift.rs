//! Has the schedule moved too recently to refit on?
//!
//! The last few deliveries lie on one side of the expected window, all of
//! them, and by more than a small move: chance alone does that once in 10 000
//! tries (0.1⁴). Their median says by how much; the threshold is widened by
//! it, and the model is provisional until the scan can date the move.

use super::quantile::median;

/// Deliveries in a row that must agree.
const MIN_RUN: usize = 4;

/// A recent move: the number of deliveries since, and minutes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RecentShift {
    pub(crate) n: usize,
    pub(crate) minutes: f64,
}

/// Looks at the newest deliveries: their noise (in spreads of their cell), the
/// normal window of the noise, and the spread in minutes.
pub(crate) fn recent_shift(
    noise: &[f64],
    window: (f64, f64),
    spread: f64,
    least_minutes: f64,
    least_run: usize,
) -> Option<RecentShift> {
    let run = |outside: &dyn Fn(f64) -> bool| {
        noise
            .iter()
            .rev()
            .take_while(|value| outside(**value))
            .count()
    };
    let later = run(&|value| value > window.1);
    let earlier = run(&|value| value < window.0);
    let n = later.max(earlier);
    if n < least_run.max(MIN_RUN) {
        return None;
    }
    let minutes = median(&mut noise[noise.len() - n..].to_vec())? * spread;
    (minutes.abs() >= least_minutes).then_some(RecentShift { n, minutes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_in_a_row_outside_the_window_are_a_move_and_three_are_not() {
        let mut noise = vec![0.0; 20];
        noise.extend([5.0, 6.0, 5.5]);
        assert_eq!(recent_shift(&noise, (-1.0, 1.0), 10.0, 10.0, 1), None);
        noise.push(5.5);
        assert_eq!(
            recent_shift(&noise, (-1.0, 1.0), 10.0, 10.0, 1),
            Some(RecentShift {
                n: 4,
                minutes: 55.0
            })
        );
    }
}
