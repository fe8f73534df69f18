//! Which values belong together?
//!
//! Levels, spreads and shapes are all read by cell, of ten thousand deliveries
//! again and again: the cell of each is looked up once, and is a small number
//! from then on.

/// The group of each of a number of things.
pub(crate) struct Groups<K> {
    keys: Vec<K>,
    of: Vec<u16>,
}

impl<K: Copy + PartialEq> Groups<K> {
    /// Groups things by their key; at most 65,536 keys.
    pub(crate) fn of(each: impl Iterator<Item = K>) -> Groups<K> {
        let mut keys: Vec<K> = Vec::new();
        let mut group = 0;
        let of = each.map(|key| {
            // Cells come round in the same order.
            let next = if group + 1 < keys.len() { group + 1 } else { 0 };
            group = match keys.get(next) == Some(&key) {
                true => next,
                false => keys
                    .iter()
                    .position(|known| *known == key)
                    .unwrap_or_else(|| {
                        keys.push(key);
                        keys.len() - 1
                    }),
            };
            group as u16
        });
        let of = of.collect();
        Groups { keys, of }
    }

    /// The keys, in order of their first thing.
    pub(crate) fn keys(&self) -> &[K] {
        &self.keys
    }

    /// The place in `keys` of each thing's own.
    pub(crate) fn each(&self) -> impl Iterator<Item = usize> {
        self.of.iter().map(|group| usize::from(*group))
    }

    /// What each group's values come to, one value for each thing; in the order
    /// of `keys`. The values may be reordered.
    pub(crate) fn told(
        &self,
        values: impl Iterator<Item = f64>,
        statistic: impl Fn(&mut [f64]) -> f64,
    ) -> Vec<f64> {
        let mut groups = vec![Vec::new(); self.keys.len()];
        for (group, value) in self.each().zip(values) {
            groups[group].push(value);
        }
        groups.iter_mut().map(|values| statistic(values)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_of_a_key_are_together_in_whatever_order_keys_come() {
        let groups = Groups::of("abcabcacbbb".chars());
        assert_eq!(groups.keys(), ['a', 'b', 'c']);
        let n = groups.told((0..11).map(f64::from), |values| values.len() as f64);
        assert_eq!(n, [3.0, 5.0, 3.0]);
        let sums = groups.told((0..11).map(f64::from), |values| values.iter().sum());
        assert_eq!(sums, [9.0, 1.0 + 4.0 + 8.0 + 9.0 + 10.0, 14.0]);
    }
}
