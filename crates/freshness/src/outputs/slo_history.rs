//! How is it shown how well promises were kept?

use freshness_core::dataset::DatasetId;
use freshness_core::slo::{Budget, DayCompliance, DayState, Objective, ObjectiveHistory, Unit};
use serde::Serialize;

use super::slo_words::number;
use super::{Paint, Table};
use crate::rounds::SloPast;

/// How well one objective was kept, as JSON; the fields are described by
/// [`FIELDS`].
#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "FIELDS describes them")]
pub struct PastLine<'a> {
    pub dataset_id: &'a DatasetId,
    pub environment: &'a str,
    pub objective: Objective,
    pub unit: Unit,
    pub attained: Option<f64>,
    pub budget: Budget,
    pub days: Vec<DayLine>,
}

/// A day of an objective.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs, reason = "FIELDS describes them")]
pub struct DayLine {
    pub day: String,
    pub state: DayState,
    pub attained: Option<f64>,
    pub good: u64,
    pub doubtful: u64,
    pub total: u64,
}

/// Percent that is to be kept, if nobody says another.
pub const USUAL_TARGET: f64 = 99.5;

/// The fields of [`PastLine`], for the documentation; a test compares them with
/// what is written.
pub const FIELDS: [(&str, &str); 7] = [
    ("dataset_id", "its name"),
    ("environment", "where it runs"),
    ("objective", "as in a verdict"),
    (
        "unit",
        "what is counted: `seconds` (of the time that counts), `deadlines` or `runs`",
    ),
    (
        "attained",
        "percent that was kept; null if nothing was owed",
    ),
    (
        "budget",
        "against the `target` (percent): what may fail (`allowed`, in the unit), what did (`used`), percent `left` (below 0: overspent; null with a target of 100), and the `burn_rate` of the last seven days (at 1 the target is just met)",
    ),
    (
        "days",
        "oldest first: `day` (in the declared zone, else UTC), `state` (`kept`, `breached`, `could_not_tell`, `not_due`), `attained`, and of `total` units those that were `good` and those that are `doubtful`",
    ),
];

impl<'a> PastLine<'a> {
    /// Each objective of a dataset against a target.
    pub fn all(of: &'a SloPast, target: f64) -> impl Iterator<Item = PastLine<'a>> {
        of.objectives.iter().map(move |past| {
            let ObjectiveHistory {
                objective,
                unit,
                days,
                ..
            } = past;
            let budget = past.budget(target);
            PastLine {
                dataset_id: &of.promise.dataset,
                environment: &of.promise.environment,
                objective: *objective,
                unit: *unit,
                attained: budget.attained,
                budget,
                days: days.iter().map(DayLine::of).collect(),
            }
        })
    }
}

impl DayLine {
    /// The JSON form of a day.
    pub fn of(of: &DayCompliance) -> DayLine {
        DayLine {
            day: of.day.to_string(),
            state: of.state(),
            attained: of.attained(),
            good: of.good,
            doubtful: of.doubtful,
            total: of.total,
        }
    }
}

/// A line for each objective.
pub fn table(lines: &[PastLine<'_>]) -> Table {
    let mut table = Table::new(&[
        "DATASET",
        "ENVIRONMENT",
        "OBJECTIVE",
        "KEPT",
        "BUDGET LEFT",
        "BURN RATE (7 D)",
        "DAYS KEPT",
        "BREACHED",
        "COULD NOT TELL",
        "NOT DUE",
    ]);
    table.names(0);
    (3..=9).for_each(|column| table.align_right(column));
    table.tells_apart(1);
    // What was not due, the days kept, the burn rate, the budget; how much was
    // kept, what was not and what nobody knows stays.
    table.dispensable(&[9, 6, 5, 4]);
    for line in lines {
        let plain = |text: String| (text, Paint::Plain);
        let n = |state: DayState| {
            let days = line.days.iter().filter(|day| day.state == state);
            plain(days.count().to_string())
        };
        let percent = |of: Option<f64>| of.map_or("-".to_owned(), |of| format!("{of:.2} %"));
        let Budget {
            target,
            attained,
            left,
            burn_rate,
            ..
        } = line.budget;
        let paint = match attained {
            Some(attained) if attained < target => Paint::Bad,
            Some(_) => Paint::Good,
            None => Paint::Faint,
        };
        table.row([
            plain(line.dataset_id.to_string()),
            plain(line.environment.to_owned()),
            plain(line.objective.word().to_owned()),
            (percent(attained), paint),
            plain(percent(left)),
            plain(burn_rate.map_or("-".to_owned(), number)),
            n(DayState::Kept),
            n(DayState::Breached),
            n(DayState::CouldNotTell),
            n(DayState::NotDue),
        ]);
    }
    table
}

/// A letter for each day, oldest first, and what the letters mean.
pub fn strips(lines: &[PastLine<'_>]) -> Vec<String> {
    let width = lines.iter().map(|line| line.objective.word().len());
    let width = width.max().unwrap_or_default();
    let strip = |line: &PastLine<'_>| strip(line.days.iter().map(|day| day.state));
    let strips = lines.iter().map(|line| {
        let name = line.objective.word();
        format!("{name:width$}  {}", strip(line))
    });
    let key = ". kept  x breached  ? could not tell  - not due";
    strips.chain([key.to_owned()]).collect()
}

/// A letter for each day: `.` kept, `x` breached, `?` could not tell, `-` not
/// due.
pub fn strip(days: impl Iterator<Item = DayState>) -> String {
    let letters = days.map(|day| match day {
        DayState::Kept => '.',
        DayState::Breached => 'x',
        DayState::CouldNotTell => '?',
        DayState::NotDue => '-',
    });
    letters.collect()
}
