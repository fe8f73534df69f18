//! When is nothing expected of which datasets, because somebody works on what delivers?
//!
//! ```yaml
//! maintenance:
//!   - match: "raw_*"
//!     from: 2026-12-05T20:00:00Z
//!     to: 2026-12-06T04:00:00Z
//!     reason: the warehouse is upgraded
//!   - team: finance
//!     weekdays: Sat, Sun
//!     from: "22:00"
//!     to: "02:00"
//!     timezone: Europe/Berlin
//!     reason: weekly vacuum
//! ```
//!
//! Of `match`, `team` and `tag` all that is there must hold. What a window does is
//! for `freshness_core::schedule::Maintenance` to say.

use std::sync::Arc;

use freshness_core::civil::{DAY, WeekdaySet, Zone};
use freshness_core::dataset::Dataset;
use freshness_core::schedule::{Maintenance, When, Window, leaves_time};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

use super::patterns::Patterns;
use super::{file, values};

/// A window as typed.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend(
    "anyOf" = [{"required": ["match"]}, {"required": ["team"]}, {"required": ["tag"]}],
    "dependentRequired" = {"weekdays": ["timezone"], "timezone": ["weekdays"]},
    "if" = {"required": ["weekdays"]},
    "then" = {"properties": {
        "from": {"pattern": "^[0-2][0-9]:[0-5][0-9]$"},
        "to": {"pattern": "^[0-2][0-9]:[0-5][0-9]$"}
    }},
    "else" = {"properties": {
        "from": {"pattern": "([Zz]|[+-][0-9:]+)"},
        "to": {"pattern": "([Zz]|[+-][0-9:]+)"}
    }}
))]
pub struct MaintenanceSection {
    /// Whose: a pattern of names, or several, as under `datasets`; `'*'` for all.
    #[serde(rename = "match")]
    pub matches: Option<Patterns>,
    /// … those of this team.
    pub team: Option<String>,
    /// … those with this tag.
    pub tag: Option<String>,
    /// When it begins: an instant such as `2026-12-05T20:00:00Z`, or a time such as
    /// `22:00` where there are `weekdays`.
    pub from: String,
    /// When it is over. A time that is not after `from` is one of the next day;
    /// `24:00` is midnight.
    pub to: String,
    /// It comes again on these days, on which it begins: `Sat, Sun`, `Mon-Fri`,
    /// `every day`.
    #[serde(default, deserialize_with = "weekdays")]
    #[schemars(with = "Option<String>")]
    pub weekdays: Option<WeekdaySet>,
    /// Whose clock is meant, such as `Europe/Berlin`; needed where there are `weekdays`.
    #[serde(default, deserialize_with = "values::typed_zone")]
    #[schemars(with = "Option<String>")]
    pub timezone: Option<Zone>,
    /// Why, in a few words: it is shown with each dataset that is waited for.
    #[schemars(length(min = 1, max = 200))]
    pub reason: String,
}

/// All windows, ready to be asked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MaintenanceRules(Vec<MaintenanceRule>);

/// A window that can be, and whom it is meant for.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "MaintenanceSection")]
pub struct MaintenanceRule {
    typed: MaintenanceSection,
    window: Arc<Window>,
}

impl TryFrom<MaintenanceSection> for MaintenanceRule {
    type Error = String;

    fn try_from(typed: MaintenanceSection) -> Result<MaintenanceRule, String> {
        if typed.matches.is_none() && typed.team.is_none() && typed.tag.is_none() {
            return Err("expected `match`, `team` or `tag`; `match: '*'` means all".to_owned());
        }
        let reason = typed.reason.clone();
        if reason.trim().is_empty() || reason.len() > REASON_MAX {
            return Err(format!("expected a reason of 1 to {REASON_MAX} bytes"));
        }
        if reason.contains(char::is_control) {
            return Err("expected a reason on one line".to_owned());
        }
        let when = typed.when()?;
        let window = Arc::new(Window { when, reason });
        Ok(MaintenanceRule { typed, window })
    }
}

impl MaintenanceRules {
    pub(super) fn new(rules: Vec<MaintenanceRule>) -> MaintenanceRules {
        MaintenanceRules(rules)
    }

    /// Is there no window?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A dataset with the windows that are meant for it. What else is said of it must
    /// be known before.
    pub fn over(&self, mut dataset: Dataset) -> Dataset {
        if !self.0.is_empty() {
            let windows = self.0.iter().filter(|rule| rule.holds_of(&dataset));
            dataset.maintenance =
                Maintenance::new(windows.map(|rule| Arc::clone(&rule.window)).collect());
        }
        dataset
    }

    /// The teams that windows name, each with the place of its window among all.
    pub fn teams(&self) -> impl Iterator<Item = (usize, &str)> {
        let places = self.0.iter().enumerate();
        places.filter_map(|(place, rule)| Some((place, rule.typed.team.as_deref()?)))
    }

    /// The reasons of the windows that are meant for none of these datasets.
    pub fn idle<'a>(&'a self, datasets: &[&Dataset]) -> impl Iterator<Item = &'a str> {
        let is_idle =
            |rule: &&MaintenanceRule| !datasets.iter().any(|dataset| rule.holds_of(dataset));
        let idle: Vec<&MaintenanceRule> = self.0.iter().filter(is_idle).collect();
        idle.into_iter().map(|rule| rule.window.reason.as_str())
    }
}

impl MaintenanceRule {
    fn holds_of(&self, dataset: &Dataset) -> bool {
        let MaintenanceSection {
            matches, team, tag, ..
        } = &self.typed;
        let means = |patterns: &Patterns| patterns.mean(dataset.id.as_str());
        matches.as_ref().is_none_or(means)
            && (team.is_none() || *team == dataset.team)
            && tag.as_ref().is_none_or(|tag| dataset.tags.contains(tag))
    }
}

/// A reason is shown on one line, beside others.
const REASON_MAX: usize = 200;

impl MaintenanceSection {
    fn when(&self) -> Result<When, String> {
        let Some(days) = self.weekdays else {
            if self.timezone.is_some() {
                return Err("expected `weekdays` beside `timezone`: instants have offsets".into());
            }
            let instant = |key: &str, text: &str| {
                let at = values::instant(text);
                let at = at.map_err(|why| format!("`{key}` is unreadable: {text}: {why}"))?;
                Ok::<i64, String>(at.as_second())
            };
            let (from, to) = (instant("from", &self.from)?, instant("to", &self.to)?);
            if from >= to {
                return Err("`to` is not after `from`".to_owned());
            }
            return Ok(When::Once { from, to });
        };
        let Some(zone) = self.timezone else {
            return Err("expected `timezone` beside `weekdays`, such as UTC".to_owned());
        };
        let (from, to) = (time("from", &self.from)?, time("to", &self.to)?);
        let to = if to > from { to } else { to + DAY };
        if to - from > DAY || !leaves_time(days, from, to) {
            return Err("it would never be over, and nothing would ever be late".to_owned());
        }
        Ok(When::Weekly {
            days,
            from,
            to,
            zone,
        })
    }
}

/// Seconds after midnight; `24:00` is the midnight after.
fn time(key: &str, text: &str) -> Result<i64, String> {
    let digits = |part: &str, most: i64| {
        let is_number = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        let number = is_number.then(|| part.parse::<i64>().ok()).flatten()?;
        (number <= most).then_some(number)
    };
    let read = text.split_once(':').and_then(|(hours, minutes)| {
        let (hours, minutes) = (digits(hours, 24)?, digits(minutes, 59)?);
        (hours < 24 || minutes == 0).then_some((hours * 60 + minutes) * 60)
    });
    read.ok_or_else(|| format!("`{key}` is unreadable: {text}: expected a time such as 22:00"))
}

fn weekdays<'de, D: Deserializer<'de>>(typed: D) -> Result<Option<WeekdaySet>, D::Error> {
    file::read(typed, |text| {
        text.parse()
            .map_err(|_| "expected days such as Sat, Sun or Mon-Fri or every day".to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A window of these keys.
    fn window(keys: &str) -> Result<MaintenanceRule, String> {
        let typed: MaintenanceSection = serde_saphyr::from_str(&format!("{{{keys}}}")).unwrap();
        typed.try_into()
    }

    #[test]
    fn a_window_is_meant_for_what_all_of_it_holds_of() {
        let when = "from: 2026-12-05T20:00:00Z, to: 2026-12-06T04:00:00Z";
        let typed = [
            "match: 'raw_*', reason: one",
            "match: [raw_a, b], team: web, reason: two",
            "tag: tier-1, reason: three",
            "match: none, reason: four",
        ];
        let rules = typed.map(|keys| window(&format!("{keys}, {when}")).unwrap());
        let rules = MaintenanceRules::new(rules.to_vec());
        let mut dataset = Dataset::undeclared("raw_a".try_into().unwrap());
        let reasons = |dataset: &Dataset| {
            let maintenance = rules.over(dataset.clone()).maintenance;
            rules.0.iter().fold(String::new(), |found, rule| {
                let one = MaintenanceRules(vec![rule.clone()]);
                let is_in = one.over(dataset.clone()).maintenance != Maintenance::NONE;
                assert!(!is_in || maintenance != Maintenance::NONE);
                found + if is_in { &rule.window.reason } else { "-" }
            })
        };
        assert_eq!(reasons(&dataset), "one---");
        dataset.team = Some("web".to_owned());
        dataset.tags = vec!["tier-1".to_owned()];
        assert_eq!(reasons(&dataset), "onetwothree-");
        let idle: Vec<&str> = rules.idle(&[&dataset]).collect();
        assert_eq!(idle, ["four"]);
    }

    #[test]
    fn a_window_that_contradicts_itself_is_refused() {
        for (keys, fault) in [
            (
                "from: 2026-12-05T20:00:00Z, to: 2026-12-06T04:00:00Z",
                "expected `match`, `team` or `tag`; `match: '*'` means all",
            ),
            (
                "match: a, from: 2026-12-05T20:00:00Z, to: 2026-12-05T20:00:00Z",
                "`to` is not after `from`",
            ),
            (
                "match: a, from: '22:00', to: '02:00'",
                "`from` is unreadable: 22:00: expected a time with an offset, such as 2026-03-01T07:00:00Z",
            ),
            (
                "match: a, weekdays: Sat, from: '22:00', to: '02:00'",
                "expected `timezone` beside `weekdays`, such as UTC",
            ),
            (
                "match: a, timezone: UTC, from: 2026-12-05T20:00:00Z, to: 2026-12-06T04:00:00Z",
                "expected `weekdays` beside `timezone`: instants have offsets",
            ),
            (
                "match: a, weekdays: every day, timezone: UTC, from: '03:00', to: '03:00'",
                "it would never be over, and nothing would ever be late",
            ),
            (
                "match: a, weekdays: Sun, timezone: UTC, from: '3:00', to: '24:30'",
                "`from` is unreadable: 3:00: expected a time such as 22:00",
            ),
            (
                "match: a, weekdays: Sun, timezone: UTC, from: '03:00', to: '24:30'",
                "`to` is unreadable: 24:30: expected a time such as 22:00",
            ),
        ] {
            assert_eq!(window(&format!("{keys}, reason: x")), Err(fault.to_owned()));
        }
        let day = "match: a, weekdays: Sun, timezone: UTC, from: '00:00', to: '24:00'";
        let silent = window(&format!("{day}, reason: ' '"));
        assert_eq!(
            silent,
            Err("expected a reason of 1 to 200 bytes".to_owned())
        );
        assert!(window(&format!("{day}, reason: x")).is_ok());
    }
}
