//! Where does a series split best?
//!
//! Scores every split of a series against a model with its own level *per
//! cell* on each side, so that an effect of the calendar (a slow Monday, a
//! Sunday without delivery) is absorbed and a change of the schedule is not.
//! Moving the split by one point changes the moments of one cell only, so a
//! whole scan costs one pass. Method: least squares, or Bernoulli likelihood,
//! over prefix moments; significance by the tail bound of a chi-squared
//! variable (Laurent & Massart 2000, lemma 1) with a union bound over splits.

/// What a point is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// Squared distance from the cell's mean.
    Squares,
    /// Twice the negative log likelihood of 0/1 values.
    Bernoulli,
}

/// One value of the series and its cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Which cell; small numbers.
    pub cell: u8,
    /// The value.
    pub value: f64,
}

/// The best split of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Split {
    /// Index of the first point of the right side.
    pub at: usize,
    /// Loss of the series in one piece.
    pub whole: f64,
    /// Loss of the two sides.
    pub parts: f64,
    /// Cells present on both sides.
    pub n_shared: usize,
}

/// The chance that noise alone passes a scan.
const SIGNIFICANCE: f64 = 0.01;

#[derive(Clone, Copy, Default)]
struct Moments {
    n: f64,
    sum: f64,
    squares: f64,
}

/// The split with the least loss that leaves at least `min_side` points on
/// each side, among those `admitted` (by the index of the first point of the
/// right side); `None` if there is none. The first of equals wins.
pub fn best_split(
    points: &[Point],
    min_side: usize,
    loss: Loss,
    admitted: impl Fn(usize) -> bool,
) -> Option<Split> {
    let min_side = min_side.max(1);
    if points.len() < 2 * min_side {
        return None;
    }
    // Centred values keep the sums of squares exact enough.
    let mean = match loss {
        Loss::Squares => points.iter().map(|point| point.value).sum::<f64>() / points.len() as f64,
        Loss::Bernoulli => 0.0,
    };
    let n_cells = 1 + points
        .iter()
        .map(|point| usize::from(point.cell))
        .max()
        .unwrap_or(0);
    let mut left = vec![Moments::default(); n_cells];
    let mut right = vec![Moments::default(); n_cells];
    for point in points {
        right[usize::from(point.cell)].add(point.value - mean, 1.0);
    }
    let whole: f64 = right.iter().map(|cell| cell.loss(loss)).sum();
    let (mut left_loss, mut right_loss) = (0.0, whole);
    let mut best: Option<(usize, f64)> = None;
    for (i, point) in points.iter().enumerate().take(points.len() - min_side) {
        let cell = usize::from(point.cell);
        left_loss -= left[cell].loss(loss);
        right_loss -= right[cell].loss(loss);
        left[cell].add(point.value - mean, 1.0);
        right[cell].add(point.value - mean, -1.0);
        left_loss += left[cell].loss(loss);
        right_loss += right[cell].loss(loss);
        let parts = left_loss + right_loss;
        if i + 1 >= min_side && best.is_none_or(|(_, least)| parts < least) && admitted(i + 1) {
            best = Some((i + 1, parts));
        }
    }
    let (at, parts) = best?;
    let mut seen = vec![(false, false); n_cells];
    points[..at]
        .iter()
        .for_each(|point| seen[usize::from(point.cell)].0 = true);
    points[at..]
        .iter()
        .for_each(|point| seen[usize::from(point.cell)].1 = true);
    let n_shared = seen.iter().filter(|(left, right)| *left && *right).count();
    Some(Split {
        at,
        whole,
        parts: parts.max(0.0),
        n_shared,
    })
}

/// Would noise alone hardly ever split a series of `n` points this well?
pub fn is_significant(split: &Split, n: usize, loss: Loss) -> bool {
    let statistic = match loss {
        // The smallest loss that is not rounding.
        Loss::Squares => n as f64 * (split.whole.max(1e-9) / split.parts.max(1e-9)).ln(),
        Loss::Bernoulli => split.whole - split.parts,
    };
    let x = (n as f64 / SIGNIFICANCE).ln();
    let k = split.n_shared.max(1) as f64;
    statistic > k + 2.0 * (k * x).sqrt() + 2.0 * x
}

impl Moments {
    fn add(&mut self, value: f64, weight: f64) {
        self.n += weight;
        self.sum += weight * value;
        self.squares += weight * value * value;
    }

    fn loss(&self, loss: Loss) -> f64 {
        if self.n < 0.5 {
            return 0.0;
        }
        match loss {
            Loss::Squares => (self.squares - self.sum * self.sum / self.n).max(0.0),
            Loss::Bernoulli => {
                let entropy = |count: f64| {
                    if count < 0.5 {
                        0.0
                    } else {
                        count * (count / self.n).ln()
                    }
                };
                -2.0 * (entropy(self.sum) + entropy(self.n - self.sum))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn brute_force(points: &[Point], min_side: usize, loss: Loss) -> Vec<f64> {
        let side = |side: &[Point]| {
            (0..=u8::MAX)
                .map(|cell| {
                    let mut moments = Moments::default();
                    side.iter()
                        .filter(|p| p.cell == cell)
                        .for_each(|p| moments.add(p.value, 1.0));
                    moments.loss(loss)
                })
                .sum::<f64>()
        };
        (min_side..=points.len() - min_side)
            .map(|at| side(&points[..at]) + side(&points[at..]))
            .collect()
    }

    proptest! {
        #[test]
        fn the_fast_scan_finds_what_brute_force_finds(
            raw in prop::collection::vec((0u8..4, 0.0f64..100.0), 6..60),
            bernoulli in any::<bool>(),
        ) {
            let loss = if bernoulli { Loss::Bernoulli } else { Loss::Squares };
            let points: Vec<Point> = raw
                .iter()
                .map(|&(cell, value)| Point { cell, value: if bernoulli { f64::from(value > 50.0) } else { value } })
                .collect();
            let split = best_split(&points, 2, loss, |_| true).unwrap();
            let all = brute_force(&points, 2, loss);
            let least = all.iter().copied().fold(f64::INFINITY, f64::min);
            prop_assert!((split.parts - least).abs() < 1e-6 * (1.0 + least));
            prop_assert!((all[split.at - 2] - least).abs() < 1e-6 * (1.0 + least));
        }
    }

    #[test]
    fn a_slow_monday_is_not_a_split_and_a_move_is() {
        let series = |shift: f64| -> Vec<Point> {
            (0..140u32)
                .map(|i| {
                    let cell = (i % 7) as u8;
                    let noise = f64::from(i * 7_919 % 13) / 6.0;
                    let moved = if i >= 70 { shift } else { 0.0 };
                    Point {
                        cell,
                        value: noise + moved + if cell == 0 { 90.0 } else { 0.0 },
                    }
                })
                .collect()
        };
        let check = |shift: f64| {
            let points = series(shift);
            let split = best_split(&points, 7, Loss::Squares, |_| true).unwrap();
            (
                is_significant(&split, points.len(), Loss::Squares),
                split.at,
            )
        };
        assert!(!check(0.0).0);
        assert_eq!(check(5.0), (true, 70));
    }
}
