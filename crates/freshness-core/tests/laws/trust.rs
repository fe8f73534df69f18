//! What must hold for the trust in every dashboard?

use freshness_core::dashboard::{Dashboard, DashboardId};
use freshness_core::dataset::DatasetId;
use freshness_core::incidents::{Breach, Broken};
use freshness_core::lineage::Lineage;
use freshness_core::slo::Objective;
use freshness_core::state::{DatasetState, Severity, State};
use freshness_core::trust::{Root, Seen, Standing, Trust, trust};
use jiff::Timestamp;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const DAY: i64 = 86_400;

/// How a dataset is; further down is worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum How {
    InTime,
    /// … by a model that can only advise, by so many minutes.
    MaybeLate(i64),
    Late(i64),
}

/// A dataset: how it is, unless nobody can tell.
#[derive(Debug, Clone, Copy)]
struct Set {
    how: How,
    known: bool,
    critical: bool,
    /// Percent lost by a promise that it does not keep.
    broken: u8,
}

/// Datasets, of which each is made from some before it, and a report.
#[derive(Debug, Clone)]
struct World {
    sets: Vec<Set>,
    edges: Vec<(usize, usize)>,
    feeds: Vec<(u8, usize)>,
    /// Root, late dataset: whatever incidents may say.
    roots: Vec<(usize, usize)>,
}

fn how() -> impl Strategy<Value = How> {
    prop_oneof![
        4 => Just(How::InTime),
        1 => (1i64..10_000).prop_map(How::MaybeLate),
        3 => (1i64..1_000_000).prop_map(How::Late),
    ]
}

fn set() -> impl Strategy<Value = Set> {
    let broken = prop_oneof![4 => Just(0u8), 1 => 1u8..=100];
    let odds = prop::bool::weighted;
    (how(), odds(0.9), odds(0.2), broken).prop_map(|(how, known, critical, broken)| Set {
        how,
        known,
        critical,
        broken,
    })
}

fn world() -> impl Strategy<Value = World> {
    (1usize..14).prop_flat_map(|n| {
        let pair = (0..n, 0..n);
        (
            prop::collection::vec(set(), n),
            prop::collection::vec(pair.clone(), 0..3 * n),
            prop::collection::vec((0u8..4, 0..n), 1..8),
            prop::collection::vec(pair, 0..n),
        )
            .prop_map(|(sets, edges, feeds, roots)| World {
                // A root stands at the far end of an edge.
                edges: (edges.iter().chain(&roots).copied())
                    .filter(|(from, to)| from < to)
                    .collect(),
                sets,
                feeds,
                roots,
            })
    })
}

fn id(i: usize) -> DatasetId {
    DatasetId::try_from(format!("d{i:02}").as_str()).unwrap()
}

/// So many seconds after the deadlines of a day.
fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_772_366_400 + seconds).unwrap()
}

impl How {
    /// … or as bad as another if that is worse.
    fn worsened(self, other: How) -> How {
        match (self, other) {
            (How::MaybeLate(minutes), How::Late(more)) => How::Late(minutes.max(more)),
            (one, other) => one.max(other),
        }
    }
}

impl Set {
    fn lost(self) -> f64 {
        f64::from(self.broken) / 100.0
    }

    fn breach(self) -> Option<Breach> {
        (self.broken > 0).then(|| Breach {
            since: 1_772_366_400,
            severity: Severity::Warning,
            broken: vec![Broken::Level(Objective::RowCount)],
            lost: self.lost(),
        })
    }

    /// Is something lost for sure?
    fn is_lost(self) -> bool {
        self.broken > 0 || (self.known && matches!(self.how, How::Late(_)))
    }

    /// May more be lost than is known?
    fn is_doubtful(self) -> bool {
        let most = match self.how {
            _ if !self.known => 1.0,
            How::MaybeLate(minutes) => {
                let late = (minutes * 60) as f64;
                late / (DAY as f64 + late)
            }
            How::InTime | How::Late(_) => 0.0,
        };
        most > self.lost()
    }

    fn state(self, i: usize) -> DatasetState {
        let (state, severity, minutes) = match self.how {
            _ if !self.known => (State::Unknown, None, None),
            How::InTime => (State::Ok, None, None),
            How::MaybeLate(minutes) => (State::Late, Some(Severity::Advisory), Some(minutes)),
            How::Late(minutes) if self.critical => {
                (State::Late, Some(Severity::Critical), Some(minutes))
            }
            How::Late(minutes) => (State::Missed, Some(Severity::Warning), Some(minutes)),
        };
        DatasetState {
            dataset_id: id(i),
            state,
            severity,
            model_status: "learned",
            last_arrival: None,
            current: None,
            late_seconds: minutes.map(|minutes| minutes * 60),
            excused: None,
            n_overdue: 0,
            newest_overdue: None,
            reason: String::new(),
        }
    }
}

impl World {
    fn trust(&self) -> Trust {
        self.trust_in_order(0)
    }

    /// … with what is known told from another dataset on.
    fn trust_in_order(&self, first: usize) -> Trust {
        let states: Vec<DatasetState> = (self.sets.iter().enumerate())
            .map(|(i, set)| set.state(i))
            .collect();
        let breaches: Vec<Option<Breach>> = self.sets.iter().map(|set| set.breach()).collect();
        let roots: Vec<Vec<Root>> = (0..self.sets.len())
            .map(|i| {
                let of = self
                    .roots
                    .iter()
                    .filter(|(root, late)| *late == i && root < late);
                of.map(|&(root, _)| Root {
                    dataset_id: id(root),
                    wait_seconds: (root % 5 > 0).then_some(3_600),
                })
                .collect()
            })
            .collect();
        let mut seen: Vec<Seen<'_>> = (0..self.sets.len())
            .map(|i| Seen {
                state: &states[i],
                critical: self.sets[i].critical,
                period_seconds: Some(DAY),
                next_due: (i % 7 > 0).then(|| at(i as i64 * 7_919 % DAY)),
                roots: &roots[i],
                breach: breaches[i].as_ref(),
                is_promised: false,
            })
            .collect();
        seen.rotate_left(first % self.sets.len());
        let edges = self.edges.iter().map(|&(from, to)| (id(from), id(to)));
        let feeds = self
            .feeds
            .iter()
            .map(|&(part, i)| (format!("p{part}"), id(i)));
        let dashboard = Dashboard::new(DashboardId::try_from("board").unwrap(), feeds);
        trust(&seen, &Lineage::new(edges).unwrap(), &[dashboard]).remove(0)
    }

    /// Everything that the report is made from.
    fn behind(&self) -> Vec<usize> {
        let mut behind: Vec<usize> = self.feeds.iter().map(|&(_, i)| i).collect();
        let mut next = 0;
        while next < behind.len() {
            let made = behind[next];
            let from = self.edges.iter().filter(|(_, to)| *to == made);
            for &(from, _) in from {
                if !behind.contains(&from) {
                    behind.push(from);
                }
            }
            next += 1;
        }
        behind
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2_000,
        rng_seed: RngSeed::Fixed(4),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn making_a_dataset_worse_never_raises_a_score(
        world in world(), which in 0usize..14, worse in how(), critical: bool, broken in 0u8..=100
    ) {
        let before = world.trust();
        let mut after = world.clone();
        let which = which % world.sets.len();
        let set = &mut after.sets[which];
        set.how = set.how.worsened(worse);
        set.critical |= critical;
        set.broken = set.broken.max(broken);
        let after = after.trust();
        prop_assert!(after.at_least <= before.at_least, "{before:?}\n{after:?}");
        prop_assert!(after.at_most <= before.at_most, "{before:?}\n{after:?}");
        prop_assert!(after.standing != Standing::Healthy || before.standing == Standing::Healthy);
    }

    #[test]
    fn not_knowing_is_never_better(world in world(), which in 0usize..14) {
        let before = world.trust();
        let mut after = world.clone();
        let which = which % world.sets.len();
        after.sets[which].known = false;
        prop_assert!(after.trust().at_least <= before.at_least);
        prop_assert!(after.trust().standing != Standing::Healthy || before.standing == Standing::Healthy);
    }

    #[test]
    fn all_points_are_for_reports_with_nothing_late_and_nothing_unknown_behind_them(
        world in world()
    ) {
        let trust = world.trust();
        let behind = || world.behind().into_iter().map(|i| world.sets[i]);
        let late = behind().any(Set::is_lost);
        let unknown = behind().any(Set::is_doubtful);
        let standing = match (late, unknown) {
            (true, _) => Standing::Late,
            (false, true) => Standing::CouldNotTell,
            (false, false) => Standing::Healthy,
        };
        prop_assert_eq!(trust.standing, standing);
        prop_assert_eq!(trust.at_most == 100, !late);
        prop_assert_eq!(trust.at_least == 100, !late && !unknown);
        prop_assert_eq!(trust.caveat.is_none(), standing == Standing::Healthy);
        prop_assert_eq!(trust.doubts.is_empty(), !unknown);
        prop_assert_eq!(trust.causes.is_empty(), !late);
        prop_assert_eq!(trust.n_datasets as usize, {
            let mut behind = world.behind();
            behind.sort_unstable();
            behind.dedup();
            behind.len()
        });
        prop_assert!(trust.at_least <= trust.at_most);
        if unknown && !late {
            prop_assert_eq!(trust.score, None);
        }
    }

    #[test]
    fn every_lost_point_is_counted_against_a_dataset(world in world()) {
        let trust = world.trust();
        let lost: f64 = trust.causes.iter().map(|cause| cause.points).sum();
        let shown = f64::from(100 - trust.at_most);
        prop_assert!(lost <= shown + 1e-9 && shown < lost + 1.0, "{lost} {shown}");
        prop_assert!(trust.causes.iter().all(|cause| cause.points > 0.0));
    }

    #[test]
    fn nothing_is_over_before_its_causes_come(world in world()) {
        let trust = world.trust();
        for cause in &trust.causes {
            prop_assert!(trust.recovers.is_none() || trust.recovers >= cause.next_due);
            prop_assert!(trust.recovers.is_none() || cause.next_due.is_some());
        }
        prop_assert!(trust.recovers.is_none() || trust.standing == Standing::Late);
    }

    #[test]
    fn the_order_in_which_datasets_are_told_never_shows(world in world(), first in 0usize..14) {
        prop_assert_eq!(world.trust(), world.trust_in_order(first));
    }
}
