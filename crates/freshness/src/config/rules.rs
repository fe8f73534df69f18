//! What does `freshness.yaml` say of datasets, by pattern and by team?
//!
//! ```yaml
//! teams:
//!   finance: {owner: ann, false_alarms_per_dataset_month: 0.05}
//! datasets:
//!   - match: "raw_*"
//!     team: finance
//!   - match: [fct_revenue, fct_orders]
//!     critical: true
//!     calendar: business days US
//! ```
//!
//! Of the rules that match, a later one wins key by key. What is said here wins
//! over what other tools tell, and what the user imported wins over it.

use std::collections::{BTreeMap, BTreeSet};

use freshness_core::civil::Zone;
use freshness_core::dataset::Dataset;
use freshness_core::fit::Parameters;
use freshness_core::schedule::{Calendar, Grain};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de};

use super::patterns::Patterns;
use super::{file, routes, schemas, values};

/// What is said of the datasets that a pattern names, as typed.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("not" = {
    "required": ["false_alarm_rate", "false_alarms_per_dataset_month"]
}))]
pub struct RuleSection {
    /// A pattern, or several: `*` stands for any part of a name, `?` for one letter,
    /// `{a,b}` for either.
    #[serde(rename = "match")]
    pub matches: Patterns,
    /// Does their lateness fail a check?
    #[serde(default, deserialize_with = "values::typed_switch")]
    #[schemars(with = "Option<bool>")]
    pub critical: Option<bool>,
    /// How often cycles come, such as `hourly`; it must agree with the calendar.
    #[serde(default, deserialize_with = "grain")]
    #[schemars(with = "Option<String>")]
    pub grain: Option<Grain>,
    /// The zone of their schedule, such as `Europe/Berlin`.
    #[serde(default, deserialize_with = "values::typed_zone")]
    #[schemars(with = "Option<String>")]
    pub timezone: Option<Zone>,
    /// On which cycles a delivery is expected, such as `business days US`.
    #[serde(default, deserialize_with = "calendar")]
    #[schemars(with = "Option<String>")]
    pub calendar: Option<Calendar>,
    /// Whom to ask.
    pub owner: Option<String>,
    /// The team they belong to.
    pub team: Option<String>,
    /// Free labels.
    pub tags: Option<Vec<String>>,
    /// Share of ordinary cycles that may pass the deadline, between 0 and 1.
    #[serde(default, deserialize_with = "values::typed_share")]
    #[schemars(with = "Option<schemas::Share>")]
    pub false_alarm_rate: Option<f64>,
    /// Instead: false alarms that a dataset may raise in a month.
    #[serde(default, deserialize_with = "values::typed_alarms")]
    #[schemars(with = "Option<schemas::Alarms>")]
    pub false_alarms_per_dataset_month: Option<f64>,
}

/// What is said of a team's datasets, as typed.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("not" = {
    "required": ["false_alarm_rate", "false_alarms_per_dataset_month"]
}))]
pub struct TeamSection {
    /// Whom to ask about a dataset of the team that has no owner of its own.
    pub owner: Option<String>,
    /// Where the team is told, such as `slack:#data-oncall`, `mailto:ann@example.org` or
    /// `env:PAGER_URL`. Nothing is sent: `to` in the JSON of `check` and `incidents` has
    /// them, for a script that sends.
    #[serde(default, deserialize_with = "routes::routes")]
    #[schemars(with = "Vec<schemas::Route>")]
    pub routes: Vec<String>,
    /// Share of ordinary cycles that may pass the deadline, between 0 and 1.
    #[serde(default, deserialize_with = "values::typed_share")]
    #[schemars(with = "Option<schemas::Share>")]
    pub false_alarm_rate: Option<f64>,
    /// Instead: false alarms that a dataset may raise in a month.
    #[serde(default, deserialize_with = "values::typed_alarms")]
    #[schemars(with = "Option<schemas::Alarms>")]
    pub false_alarms_per_dataset_month: Option<f64>,
}

/// All rules and teams, ready to be asked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DatasetRules {
    rules: Vec<RuleSection>,
    teams: BTreeMap<String, TeamSection>,
}

impl RuleSection {
    /// What is wrong with it, if anything.
    fn fault(&self) -> Option<String> {
        if let (Some(grain), Some(of_calendar)) =
            (self.grain, self.calendar.as_ref().and_then(Calendar::grain))
            && grain != of_calendar
        {
            return Some(format!("calendar comes {of_calendar}, grain is {grain}"));
        }
        both(self.false_alarm_rate, self.false_alarms_per_dataset_month)
    }
}

/// A rule, checked where it stands in the file.
pub(super) fn checked<'de, D: Deserializer<'de>>(typed: D) -> Result<RuleSection, D::Error> {
    let rule = RuleSection::deserialize(typed)?;
    match rule.fault() {
        Some(fault) => Err(de::Error::custom(fault)),
        None => Ok(rule),
    }
}

/// A team, checked where it stands in the file.
pub(super) fn checked_team<'de, D: Deserializer<'de>>(typed: D) -> Result<TeamSection, D::Error> {
    let team = TeamSection::deserialize(typed)?;
    match both(team.false_alarm_rate, team.false_alarms_per_dataset_month) {
        Some(fault) => Err(de::Error::custom(fault)),
        None => Ok(team),
    }
}

fn both(rate: Option<f64>, per_month: Option<f64>) -> Option<String> {
    (rate.is_some() && per_month.is_some()).then(|| {
        "expected one of `false_alarm_rate` and `false_alarms_per_dataset_month`".to_owned()
    })
}

impl DatasetRules {
    pub(super) fn new(
        rules: Vec<RuleSection>,
        teams: BTreeMap<String, TeamSection>,
    ) -> DatasetRules {
        DatasetRules { rules, teams }
    }

    /// Do they say nothing?
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.teams.is_empty()
    }

    /// The teams that are declared.
    pub fn teams(&self) -> impl Iterator<Item = &str> {
        self.teams.keys().map(String::as_str)
    }

    /// Where a team is told.
    pub fn routes(&self, team: &str) -> &[String] {
        self.teams.get(team).map_or(&[], |team| &team.routes)
    }

    /// The patterns that match none of these datasets.
    pub fn idle(&self, datasets: &[&str]) -> Vec<&str> {
        let rules = self.rules.iter();
        rules.flat_map(|rule| rule.matches.idle(datasets)).collect()
    }

    /// The teams that patterns name and that are not declared. Who declares none uses
    /// the names of others.
    pub fn undeclared_teams(&self) -> Vec<&str> {
        let mut named = self.named_teams();
        named.retain(|team| !self.teams.is_empty() && !self.teams.contains_key(*team));
        named.into_iter().collect()
    }

    /// The declared teams that no pattern names; datasets may be of them all the same.
    pub fn teams_of_no_pattern(&self) -> impl Iterator<Item = &str> {
        let named = self.named_teams();
        self.teams().filter(move |team| !named.contains(team))
    }

    fn named_teams(&self) -> BTreeSet<&str> {
        let teams = self.rules.iter().filter_map(|rule| rule.team.as_deref());
        teams.collect()
    }

    /// What is known of a dataset, once these rules had their say over what was
    /// told of it.
    pub fn over(&self, told: Dataset) -> Dataset {
        let mut dataset = told;
        let id = dataset.id.clone();
        for rule in self.of(id.as_str()) {
            let RuleSection {
                matches: _,
                critical,
                grain,
                timezone,
                calendar,
                owner,
                team,
                tags,
                false_alarm_rate: _,
                false_alarms_per_dataset_month: _,
            } = rule;
            dataset.critical = critical.unwrap_or(dataset.critical);
            // One without the other replaces both, as the two must agree.
            if grain.is_some() || calendar.is_some() {
                (dataset.grain, dataset.calendar) = (*grain, calendar.clone());
            }
            dataset.timezone = timezone.or(dataset.timezone);
            dataset.owner = owner.clone().or(dataset.owner);
            dataset.team = team.clone().or(dataset.team);
            if let Some(tags) = tags {
                dataset.tags.clone_from(tags);
            }
        }
        dataset
    }

    /// What stands in for what nobody else says of a dataset: its team's owner.
    pub fn under(&self, mut dataset: Dataset) -> Dataset {
        if dataset.owner.is_none()
            && let Some(team) = dataset.team.as_ref().and_then(|name| self.teams.get(name))
        {
            dataset.owner.clone_from(&team.owner);
        }
        dataset
    }

    /// How a dataset is learned: by the rules that name it, else as its team is,
    /// else as all are.
    pub fn parameters(&self, dataset: &Dataset, general: &Parameters) -> Parameters {
        let of_team = dataset.team.as_ref().and_then(|name| self.teams.get(name));
        let of_team = of_team.and_then(|team| {
            Allowed::of(team.false_alarm_rate, team.false_alarms_per_dataset_month)
        });
        let rules = self.of(dataset.id.as_str());
        let mut of_rules = rules.filter_map(|rule| {
            Allowed::of(rule.false_alarm_rate, rule.false_alarms_per_dataset_month)
        });
        match of_rules.next_back().or(of_team) {
            None => general.clone(),
            Some(Allowed::Rate(rate)) => Parameters {
                false_alarm_rate: rate,
                false_alarms_per_month: None,
                seed: general.seed,
            },
            Some(Allowed::PerMonth(per_month)) => Parameters {
                false_alarm_rate: general.false_alarm_rate,
                false_alarms_per_month: Some(per_month),
                seed: general.seed,
            },
        }
    }

    /// The rules that name a dataset, in their order.
    fn of(&self, dataset: &str) -> impl DoubleEndedIterator<Item = &RuleSection> {
        let rules = self.rules.iter();
        rules.filter(move |rule| rule.matches.mean(dataset))
    }
}

enum Allowed {
    Rate(f64),
    PerMonth(f64),
}

impl Allowed {
    fn of(rate: Option<f64>, per_month: Option<f64>) -> Option<Allowed> {
        match (rate, per_month) {
            (_, Some(per_month)) => Some(Allowed::PerMonth(per_month)),
            (Some(rate), None) => Some(Allowed::Rate(rate)),
            (None, None) => None,
        }
    }
}

fn grain<'de, D: Deserializer<'de>>(typed: D) -> Result<Option<Grain>, D::Error> {
    file::read(typed, |text| {
        text.parse().map_err(|_| {
            "expected 5min to 30min, hourly, 2h to 12h, daily, weekly or monthly".to_owned()
        })
    })
}

fn calendar<'de, D: Deserializer<'de>>(typed: D) -> Result<Option<Calendar>, D::Error> {
    file::read(typed, |text| {
        text.parse()
            .map_err(|_| format!("expected {}", freshness_core::schedule::CALENDAR_FORMS))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(yaml: &str, teams: &str) -> DatasetRules {
        DatasetRules::new(
            serde_saphyr::from_str(yaml).unwrap(),
            serde_saphyr::from_str(teams).unwrap(),
        )
    }

    fn told(id: &str) -> Dataset {
        let mut dataset = Dataset::undeclared(id.try_into().unwrap());
        dataset.owner = Some("dbt".to_owned());
        dataset.critical = true;
        dataset
    }

    #[test]
    fn a_later_rule_wins_key_by_key_and_both_over_what_is_told() {
        let rules = rules(
            "- {match: 'raw_*', owner: ann, team: web, critical: false}
- {match: [raw_orders, x], owner: bob, calendar: Mon-Fri}",
            "{}",
        );
        let orders = rules.over(told("raw_orders"));
        assert_eq!(
            (
                orders.owner.as_deref(),
                orders.team.as_deref(),
                orders.critical
            ),
            (Some("bob"), Some("web"), false)
        );
        assert_eq!(orders.calendar.unwrap().to_string(), "Mon–Fri");
        let users = rules.over(told("raw_users"));
        assert_eq!(
            (users.owner.as_deref(), users.calendar),
            (Some("ann"), None)
        );
        assert_eq!(rules.over(told("fct")), told("fct"));
    }

    #[test]
    fn a_rule_says_how_many_false_alarms_then_the_team_then_everybody() {
        let rules = rules(
            "- {match: loud, false_alarm_rate: 0.02}
- {match: '*ed', team: web}",
            "{web: {owner: ann, false_alarms_per_dataset_month: 0.5}}",
        );
        let general = Parameters::default();
        let of = |id: &str, team: Option<&str>| {
            let mut dataset = told(id);
            dataset.team = team.map(str::to_owned);
            let parameters = rules.parameters(&dataset, &general);
            (
                parameters.false_alarm_rate,
                parameters.false_alarms_per_month,
            )
        };
        assert_eq!(of("loud", Some("web")), (0.02, None));
        assert_eq!(of("quiet", Some("web")), (0.001, Some(0.5)));
        assert_eq!(of("quiet", None), (0.001, None));
        let mut dataset = rules.over(told("fixed"));
        dataset.owner = None;
        assert_eq!(rules.under(dataset).owner.as_deref(), Some("ann"));
    }

    #[test]
    fn a_rule_that_contradicts_itself_is_refused() {
        for (yaml, fault) in [
            (
                "{match: a, grain: hourly, calendar: Mon-Fri}",
                "calendar comes daily, grain is hourly",
            ),
            (
                "{match: a, false_alarm_rate: 0.1, false_alarms_per_dataset_month: 1}",
                "expected one of `false_alarm_rate` and `false_alarms_per_dataset_month`",
            ),
        ] {
            let rule: RuleSection = serde_saphyr::from_str(yaml).unwrap();
            assert_eq!(rule.fault().as_deref(), Some(fault));
        }
    }
}
