//! Which number comes next?
//!
//! ChaCha with eight rounds: the same numbers on every platform and in every
//! release, and independent streams, so that what is drawn for one dataset
//! never shifts what is drawn for another.

use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::Distribution;

/// A stream of random numbers.
pub(super) struct Chance(ChaCha8Rng);

impl Chance {
    /// One of the streams of a seed.
    pub(super) fn new(seed: u64, stream: u64) -> Chance {
        let mut numbers = ChaCha8Rng::seed_from_u64(seed);
        numbers.set_stream(stream);
        Chance(numbers)
    }

    /// Does something of this probability happen?
    pub(super) fn happens(&mut self, probability: f64) -> bool {
        self.0.random::<f64>() < probability
    }

    /// Uniform in `[low, high)`.
    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.0.random::<f64>()
    }

    /// In `[low, high)`, with a uniform logarithm: no size is favoured.
    pub(super) fn sized(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.0.random())
    }

    /// A whole number in `[low, high]`.
    pub(super) fn whole(&mut self, low: i64, high: i64) -> i64 {
        self.0.random_range(low..=high)
    }

    /// Earlier (−1) or later (1).
    pub(super) fn sign(&mut self) -> f64 {
        if self.happens(0.5) { 1.0 } else { -1.0 }
    }

    /// One of them. Panics if there is none.
    pub(super) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        *of.choose(&mut self.0).expect("something to pick from")
    }

    /// All of them, in any order.
    pub(super) fn shuffled<T>(&mut self, of: impl IntoIterator<Item = T>) -> Vec<T> {
        let mut all: Vec<T> = of.into_iter().collect();
        all.shuffle(&mut self.0);
        all
    }

    /// From a distribution.
    pub(super) fn draw(&mut self, from: &impl Distribution<f64>) -> f64 {
        from.sample(&mut self.0)
    }
}
