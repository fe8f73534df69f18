//! Do the ways in which freshness monitors fail in the field fail here too?
//!
//! Each test restates faults that users of other tools reported, with the
//! threads it came from, and varies grain and zone.

mod normal;
mod cycles;

use expect_test::{Expect, expect};
use freshness_core::civil::MINUTE;
use freshness_core::fit::Fitted;

use crate::feed::Feed;

/// What is said of a feed at each instant, with a model learned up to `as_of`.
#[track_caller]
fn check_states(feed: &str, as_of: &str, instants: &[&str], expected: &Expect) {
    expected.assert_eq(&Feed::new(feed).states(as_of, instants));
}

#[track_caller]
fn check_states_in_zone(feed: &str, as_of: &str, instants: &[&str], expected: &Expect) {
    expected.assert_eq(&Feed::new(feed).in_zone().states(as_of, instants));
}
