//! What do the counts of all datasets come to, by class and by cadence?

use std::collections::BTreeSet;

use freshness_core::state::MIN_ARRIVALS;

use super::onset::Stretches;
use super::report::{DatasetLine, Figures, Group, MethodScores};
use super::{Learned, Scope, Subject, Tally};
use crate::baselines::{Contestant, Method};

/// What was worked out of one dataset before the methods are compared.
pub(super) struct Prepared<'a> {
    pub(super) contestant: Contestant<'a>,
    pub(super) cold: Scope,
    pub(super) learned: Learned,
    pub(super) onset: Option<(Stretches, Stretches)>,
}

/// What a method comes to: of each dataset what was counted, without and in
/// cold starts.
pub(super) fn method_scores(
    method: Method,
    counted: &[(Tally, Tally)],
    prepared: &[Prepared<'_>],
    n_channels: u64,
) -> MethodScores {
    let sum = |of: &dyn Fn(&(Tally, Tally)) -> Vec<Tally>,
               asked: &dyn Fn(&Prepared<'_>) -> bool| {
        let mut n_datasets = 0;
        let mut sum = Tally::default();
        for (_, tallies) in prepared.iter().zip(counted).filter(|(one, _)| asked(one)) {
            let tallies = of(tallies);
            n_datasets += u64::from(tallies.iter().any(|tally| tally.dataset_days > 0.0));
            tallies.iter().for_each(|tally| sum.add(tally));
        }
        // Days over all datasets: windows may differ by class.
        let days = sum.dataset_days / n_datasets.max(1) as f64;
        (n_datasets, sum.scores(days, n_channels))
    };
    let warm = |tallies: &(Tally, Tally)| vec![tallies.0.clone()];
    let cold = |tallies: &(Tally, Tally)| vec![tallies.1.clone()];
    let both = |tallies: &(Tally, Tally)| vec![tallies.0.clone(), tallies.1.clone()];
    let groups = |name: &dyn Fn(&Prepared<'_>) -> String| {
        let names: BTreeSet<String> = prepared.iter().map(name).collect();
        let group = |group: String| {
            let (n_datasets, scores) = sum(&warm, &|one| name(one) == group);
            Group {
                name: group,
                n_datasets,
                scores,
            }
        };
        names.into_iter().map(group).collect::<Vec<Group>>()
    };
    MethodScores {
        method,
        scores: sum(&warm, &|_| true).1,
        cold_starts: sum(&cold, &|_| true).1,
        with_cold_starts: sum(&both, &|_| true).1,
        by_class: groups(&|one| one.contestant.subject.truth.class.clone()),
        by_cadence: groups(&|one| cadence(&one.contestant.subject)),
        by_status: groups(&|one| one.learned.status.to_owned()),
    }
}

/// How often cycles really come; of a real history, what its class says.
fn cadence(subject: &Subject<'_>) -> String {
    match &subject.truth.schedule {
        Some((calendar, _)) => match calendar.grain() {
            Some(grain) => grain.to_string(),
            None => "irregular".to_owned(),
        },
        None => subject.truth.class.clone(),
    }
}

/// A line for each dataset.
pub(super) fn lines(
    prepared: &[Prepared<'_>],
    methods: &[Method],
    counted: &[Vec<(Tally, Tally)>],
) -> Vec<DatasetLine> {
    let line = |(i, one): (usize, &Prepared<'_>)| {
        let Contestant {
            subject, window, ..
        } = one.contestant;
        let known = subject
            .history
            .at()
            .partition_point(|&at| at <= window.from);
        DatasetLine {
            dataset_id: subject.dataset.id.to_string(),
            class: subject.truth.class.clone(),
            cadence: cadence(&subject),
            true_calendar: subject
                .truth
                .schedule
                .as_ref()
                .map(|(calendar, _)| calendar.to_string()),
            learned_calendar: one.learned.calendar.clone(),
            model_status: match (known as u64) < MIN_ARRIVALS {
                true => "insufficient_history",
                false => one.learned.status,
            },
            n_arrivals: subject.history.len() as u64,
            methods: methods
                .iter()
                .zip(counted)
                .map(|(method, of_method)| Figures::of(*method, &of_method[i].0, &of_method[i].1))
                .collect(),
        }
    };
    prepared.iter().enumerate().map(line).collect()
}
