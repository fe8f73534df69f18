//! Which promise could a dataset keep?
//!
//! A contract in YAML, made from what is learned: the calendar, and the latest
//! learned deadline with a margin on top. A feed of many loads a day is promised
//! by its age, for which a column is needed.

use freshness_core::civil::{MINUTE, Weekday};
use freshness_core::fit::{ArrivalModel, Model};
use freshness_core::schedule::Calendar;
use freshness_core::slo::duration_text;
use freshness_core::state::{Habit, arrival_model, habit};

use super::comparison::wall;
use super::promises::time_of_day;

/// Deadlines and ages are rounded up to so many minutes.
const STEP_MINUTES: f64 = 5.0;
const DAY_MINUTES: f64 = 24.0 * 60.0;

/// Why nothing can be suggested.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum NoSuggestion {
    #[error("too little is learned: {0}")]
    NotLearned(&'static str),
    #[error("it comes {0}, so only its age can be promised, of a column: --field")]
    NeedsField(String),
    #[error(
        "it comes so late that its deadline is on the day after: only an age can say so, of a column: --field"
    )]
    NextDay,
}

/// A contract that the dataset would keep. `margin` is seconds on top of what
/// is learned, `field` the column whose age may be promised.
pub fn suggestion(model: &Model, margin: f64, field: Option<&str>) -> Result<String, NoSuggestion> {
    let (Some(learned), Some(habit)) = (arrival_model(model), habit(model)) else {
        return Err(NoSuggestion::NotLearned(model.fitted.status()));
    };
    let minutes = habit.deadline + margin / MINUTE as f64;
    let rounded = (minutes / STEP_MINUTES).ceil() * STEP_MINUTES;
    let promise = match &learned.calendar {
        Calendar::Days(_) | Calendar::Months(_) if (0.0..DAY_MINUTES).contains(&rounded) => {
            deadline(learned, rounded)
        }
        Calendar::Days(_) | Calendar::Months(_) => {
            let field = field.ok_or(NoSuggestion::NextDay)?;
            age(learned, period_minutes(learned) + rounded, field)
        }
        other => {
            let field = field.ok_or_else(|| NoSuggestion::NeedsField(other.to_string()))?;
            age(learned, period_minutes(learned) + rounded, field)
        }
    };
    Ok(format!(
        "{}\ndataset: {}\nservice_levels:\n  freshness:\n{promise}",
        explained(model, learned, &habit, margin),
        quoted(model.dataset_id.as_str()),
    ))
}

fn deadline(learned: &ArrivalModel, minutes: f64) -> String {
    format!(
        "    deadline: {}\n    calendar: {}\n    timezone: {}\n",
        quoted(&time_of_day(minutes as u16)),
        quoted(&learned.calendar.to_string()),
        learned.zone,
    )
}

fn age(learned: &ArrivalModel, minutes: f64, field: &str) -> String {
    let mut text = format!(
        "    threshold: {}\n    field: {}\n",
        duration_text(minutes * MINUTE as f64),
        quoted(field),
    );
    // Which days count; hours cannot be said of an age.
    if let Calendar::Days(_) = learned.calendar {
        text.push_str(&format!(
            "    calendar: {}\n    timezone: {}\n",
            quoted(&learned.calendar.to_string()),
            learned.zone
        ));
    }
    text
}

/// The longest that the next cycle is away, minutes.
fn period_minutes(learned: &ArrivalModel) -> f64 {
    match &learned.calendar {
        Calendar::Grid { minutes, hours } => {
            // A pause of the calendar counts towards an age.
            let week = Weekday::ALL.into_iter();
            let all = week.flat_map(|day| (0..24).map(move |hour| hours.contains(day, hour)));
            let pause = longest_pause(&all.collect::<Vec<_>>());
            f64::from(*minutes) + pause as f64 * 60.0
        }
        Calendar::Times { .. } | Calendar::Days(_) => DAY_MINUTES,
        Calendar::Months(_) => 31.0 * DAY_MINUTES,
        Calendar::Irregular => DAY_MINUTES,
    }
}

/// The longest run of hours without a cycle, around the week.
fn longest_pause(hours: &[bool]) -> usize {
    let (mut longest, mut run) = (0, 0);
    for is_on in hours.iter().chain(hours) {
        run = if *is_on { 0 } else { run + 1 };
        longest = longest.max(run);
    }
    longest.min(hours.len())
}

fn explained(model: &Model, learned: &ArrivalModel, habit: &Habit, margin: f64) -> String {
    let by_day = matches!(learned.calendar, Calendar::Days(_) | Calendar::Months(_));
    let say = |minutes: f64| match by_day {
        true => wall(minutes),
        false => format!(
            "{} after its cycle began",
            duration_text(minutes.max(0.0).round() * MINUTE as f64)
        ),
    };
    format!(
        "# Suggested by `freshness slo suggest` as of {} from {} arrivals.\n\
         # Usual: {} {}, from {} to {}; learned deadline {}, the latest of all days.\n\
         # Margin on top of the learned deadline: {}, rounded up to {STEP_MINUTES} minutes.",
        model.as_of,
        model.n_arrivals,
        learned.calendar,
        learned.zone,
        say(habit.from.floor()),
        say(habit.to.ceil()),
        say(habit.deadline.ceil()),
        duration_text(margin),
    )
}

/// A text as YAML takes it, whatever is in it: JSON is YAML.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(plain)
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
            .contains(&text.to_lowercase().as_str());
    match is_word {
        true => text.to_owned(),
        false => serde_json::Value::from(text).to_string(),
    }
}
