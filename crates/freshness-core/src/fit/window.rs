//! What are median and spread of a window that moves along?
//!
//! The values are ranked once. A window is then a set of ranks, a bit for each:
//! to move on sets and clears a few bits, and the k-th value is the k-th bit.

use std::ops::Range;

use super::quantile::{LEAST_SPREAD_OF, QUARTILE_DISTANCE};

/// Some of the values of a row.
pub(crate) struct Window {
    /// The row from here on …
    first: usize,
    /// … in ascending order.
    sorted: Vec<f64>,
    /// The place in it of each value.
    ranks: Vec<u32>,
    /// Which places of `sorted` are in the window.
    bits: Vec<u64>,
    within: Range<usize>,
}

impl Window {
    /// An empty window on a row, to be moved over it from the `first` value on.
    pub(crate) fn on(row: &[f64], first: usize) -> Window {
        let values = &row[first..];
        let mut order: Vec<u32> = (0..values.len() as u32).collect();
        let value = |i: &u32| values[*i as usize];
        order.sort_unstable_by(|a, b| value(a).total_cmp(&value(b)));
        let mut ranks = vec![0; values.len()];
        for (rank, i) in order.iter().enumerate() {
            ranks[*i as usize] = rank as u32;
        }
        Window {
            first,
            sorted: order.iter().map(value).collect(),
            ranks,
            bits: vec![0; values.len().div_ceil(64)],
            within: first..first,
        }
    }

    /// Moves to other values of the row.
    pub(crate) fn move_to(&mut self, within: Range<usize>) {
        let goes = |i: &usize| !within.contains(i);
        let comes = |i: &usize| !self.within.contains(i);
        let changed = self.within.clone().filter(goes);
        for i in changed.chain(within.clone().filter(comes)) {
            let rank = self.ranks[i - self.first];
            self.bits[rank as usize / 64] ^= 1 << (rank % 64);
        }
        self.within = within;
    }

    /// Values in it.
    pub(crate) fn len(&self) -> usize {
        self.within.len()
    }

    /// The median; not of an empty window.
    pub(crate) fn median(&self) -> f64 {
        let half = self.len() / 2;
        match self.len() % 2 {
            1 => self.nth(half),
            _ => (self.nth(half - 1) + self.nth(half)) / 2.0,
        }
    }

    /// As [`super::quantile::spread`].
    pub(crate) fn spread(&self) -> Option<f64> {
        let n = self.len();
        let quartiles = || self.nth(n * 3 / 4) - self.nth(n / 4);
        (n >= LEAST_SPREAD_OF).then(|| quartiles() / QUARTILE_DISTANCE)
    }

    /// The value that `n` others are not above.
    fn nth(&self, mut n: usize) -> f64 {
        let mut word = 0;
        loop {
            let in_word = self.bits[word].count_ones() as usize;
            if n < in_word {
                break;
            }
            n -= in_word;
            word += 1;
        }
        let mut bits = self.bits[word];
        for _ in 0..n {
            bits &= bits - 1;
        }
        self.sorted[64 * word + bits.trailing_zeros() as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::super::quantile::{median, spread};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn wherever_it_stands_it_says_what_its_values_say(
            values in prop::collection::vec(-9i32..9, 200),
            moves in prop::collection::vec((3usize..190, 1usize..150), 1..9),
        ) {
            let values: Vec<f64> = values.into_iter().map(f64::from).collect();
            let mut window = Window::on(&values, 3);
            for (from, n) in moves {
                let within = from..(from + n).min(values.len());
                window.move_to(within.clone());
                let mut alone = values[within].to_vec();
                prop_assert_eq!(Some(window.median()), median(&mut alone));
                prop_assert_eq!(window.spread(), spread(&mut alone));
            }
        }
    }
}
