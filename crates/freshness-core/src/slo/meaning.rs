//! What does a merged declaration promise?
//!
//! Values were checked level by level; here it shows whether they belong
//! together: a threshold without its field is a promise that nothing could
//! ever break, so it is refused.

use super::check::{Findings, Problem};
use super::declaration::{Declaration, Measured};
use super::node::{Content, Node};
use super::run::USUAL_ENVIRONMENT;
use super::service_levels::{
    About, Anomaly, AnomalyMethod, Availability, CountField, Freshness, Quality, RowCount,
    ServiceLevels,
};
use super::values;
use crate::civil::{Holidays, Zone};
use crate::dataset::DatasetId;
use crate::schedule::Calendar;

/// The meaning of a contract under which its levels were merged; `None` where
/// something is wrong with it, which `found` then says.
pub fn declaration(
    merged: &Node,
    holidays: &Holidays,
    found: &mut Findings,
) -> Option<Declaration> {
    let n_faults = found.faults.len();
    let dataset = merged.said("dataset").and_then(|node| {
        let id = values::text(node).ok()?;
        match DatasetId::try_from(id.as_str()) {
            Ok(id) => Some(id),
            Err(error) => {
                let problem = Problem::Dataset(error.to_string());
                found.fault(&node.place, "dataset", problem);
                None
            }
        }
    });
    if dataset.is_none() && found.faults.len() == n_faults {
        let problem = Problem::Dataset("a contract names its dataset".to_owned());
        found.fault(&merged.place, "dataset", problem);
    }
    let text = |name: &str| merged.said(name).and_then(|node| values::text(node).ok());
    let environment = text("environment");
    let measured = Measured {
        table: text("table"),
        connection: text("connection"),
        partition_filter: text("partition_filter"),
        timezone: merged
            .said("timezone")
            .and_then(|node| values::zone(node).ok()),
    };
    let levels = match merged.said("service_levels") {
        Some(promises) => service_levels(promises, merged, holidays, found),
        None => ServiceLevels::default(),
    };
    (found.faults.len() == n_faults).then_some(Declaration {
        dataset: dataset?,
        environment: environment.unwrap_or_else(|| USUAL_ENVIRONMENT.to_owned()),
        measured,
        levels,
    })
}

/// The meaning of a merged block of promises; `around` is what it stands in.
pub fn service_levels(
    promises: &Node,
    around: &Node,
    holidays: &Holidays,
    found: &mut Findings,
) -> ServiceLevels {
    // Cleared in the section, the zone of what is around it does not hold there.
    let zone_around = around
        .said("timezone")
        .filter(|_| {
            let own = promises
                .said("freshness")
                .and_then(|node| node.get("timezone"));
            own.is_none()
        })
        .and_then(|node| values::zone(node).ok());
    let in_section = |name: &'static str| {
        let node = promises.said(name)?;
        let section = Section {
            node,
            path: format!("service_levels.{name}"),
            about: about(&[around, promises, node]),
        };
        Some(section)
    };
    ServiceLevels {
        freshness: in_section("freshness")
            .and_then(|section| section.freshness(zone_around, holidays, found)),
        availability: in_section("availability").and_then(|section| section.availability(found)),
        row_count: in_section("row_count").and_then(|section| section.row_count(found)),
        quality: in_section("quality").and_then(Section::quality),
    }
}

/// What is said around promises, the outermost first. What was cleared further
/// in is not inherited from further out.
fn about(levels: &[&Node]) -> About {
    let innermost = |name: &str| {
        let said = levels.iter().rev().find_map(|level| level.get(name))?;
        values::text(said).ok()
    };
    About {
        description: innermost("description"),
        owner: innermost("owner"),
        critical: !matches!(innermost("severity").as_deref(), Some("warning" | "warn")),
    }
}

struct Section<'a> {
    node: &'a Node,
    path: String,
    about: About,
}

impl Section<'_> {
    fn freshness(
        self,
        zone_around: Option<Zone>,
        holidays: &Holidays,
        found: &mut Findings,
    ) -> Option<Freshness> {
        let n_faults = found.faults.len();
        let by = self.read("deadline", values::time_of_day);
        let freshness = Freshness {
            threshold: self.read("threshold", values::duration),
            field: self.read("field", values::text),
            source_field: self.read("source_field", values::text),
            source_threshold: self.read("source_threshold", values::duration),
            by,
            calendar: self.days(holidays, found),
            timezone: self.read("timezone", values::zone).or(zone_around),
            about: self.about.clone(),
        };
        if by.is_none() || freshness.threshold.is_some() {
            self.together("threshold", "field", found);
        }
        self.together("source_threshold", "source_field", found);
        let promised = [freshness.threshold, freshness.source_threshold]
            .iter()
            .any(Option::is_some);
        if let (true, Some(Calendar::Months(_)), Some(node)) =
            (promised, &freshness.calendar, self.node.said("calendar"))
        {
            let calendar = freshness.calendar.as_ref().map(Calendar::to_string);
            let problem = Problem::Months(calendar.unwrap_or_default());
            found.fault(&node.place, &self.key("calendar"), problem);
        }
        let holds = promised || by.is_some();
        (holds && found.faults.len() == n_faults).then_some(freshness)
    }

    fn availability(self, found: &mut Findings) -> Option<Availability> {
        self.together("threshold", "field", found);
        Some(Availability {
            threshold: self.read("threshold", values::percent)?,
            field: self.read("field", values::text)?,
            about: self.about,
        })
    }

    fn row_count(self, found: &mut Findings) -> Option<RowCount> {
        let anomaly = self.node.said("anomaly").and_then(|node| {
            let section = Section {
                node,
                path: self.key("anomaly"),
                about: self.about.clone(),
            };
            section.anomaly(found)
        });
        let row_count = RowCount {
            min_rows: self.read("min_rows", values::count),
            max_rows: self.read("max_rows", values::count),
            check_field: match self.word("check_field").as_deref() {
                Some("counts_good") => CountField::CountsGood,
                Some("counts_total") => CountField::CountsTotal,
                _ => CountField::CountsSource,
            },
            skip_reprocess_days: self
                .read("skip_reprocess_days", values::count)
                .map(|days| u32::try_from(days).unwrap_or(u32::MAX)),
            warn_only: self.read("warn_only", values::flag).unwrap_or(false),
            anomaly,
            about: self.about.clone(),
        };
        if let (Some(least), Some(most)) = (row_count.min_rows, row_count.max_rows)
            && least > most
        {
            self.nothing_between("min_rows", &least, &most, found);
        }
        let promised = row_count.min_rows.is_some()
            || row_count.max_rows.is_some()
            || row_count.anomaly.is_some();
        promised.then_some(row_count)
    }

    fn anomaly(self, found: &mut Findings) -> Option<Anomaly> {
        let says_something = match &self.node.holds {
            Content::Section { keys, .. } => keys
                .values()
                .any(|node| !matches!(node.holds, Content::Cleared)),
            _ => false,
        };
        let enabled = self.read("enabled", values::flag);
        if !enabled.unwrap_or(says_something) {
            return None;
        }
        let unsaid = Anomaly::default();
        let anomaly = Anomaly {
            method: match self.word("method").as_deref() {
                Some("median") => AnomalyMethod::Median,
                Some("rolling_average") => AnomalyMethod::RollingAverage,
                Some("seasonal_median") => AnomalyMethod::SeasonalMedian,
                _ => unsaid.method,
            },
            lookback_runs: self
                .read("lookback_runs", values::count_from_one)
                .unwrap_or(unsaid.lookback_runs),
            lookback_days: self
                .read("lookback_days", values::count_from_one)
                .unwrap_or(unsaid.lookback_days),
            min_ratio: self
                .read("min_ratio", values::factor)
                .unwrap_or(unsaid.min_ratio),
            max_ratio: self
                .read("max_ratio", values::factor)
                .unwrap_or(unsaid.max_ratio),
            critical_ratio: self
                .read("critical_ratio", values::factor)
                .unwrap_or(unsaid.critical_ratio),
            min_runs_before_enforcement: self
                .read("min_runs_before_enforcement", values::count)
                .map_or(unsaid.min_runs_before_enforcement, |n| {
                    u32::try_from(n).unwrap_or(u32::MAX)
                }),
        };
        if anomaly.min_ratio > anomaly.max_ratio {
            self.nothing_between("min_ratio", &anomaly.min_ratio, &anomaly.max_ratio, found);
        }
        // A drop is only critical once it is a drop.
        if anomaly.critical_ratio > anomaly.min_ratio {
            let value = anomaly.critical_ratio.to_string();
            let most = ("min_ratio", anomaly.min_ratio.to_string());
            self.never_enforced("critical_ratio", value, most, found);
        }
        let by_runs = matches!(
            anomaly.method,
            AnomalyMethod::Median | AnomalyMethod::RollingAverage
        );
        if by_runs && anomaly.min_runs_before_enforcement > anomaly.lookback_runs {
            let value = anomaly.min_runs_before_enforcement.to_string();
            let most = ("lookback_runs", anomaly.lookback_runs.to_string());
            self.never_enforced("min_runs_before_enforcement", value, most, found);
        }
        Some(anomaly)
    }

    fn quality(self) -> Option<Quality> {
        let quality = Quality {
            min_good_ratio: self.read("min_good_ratio", values::share),
            max_quarantine_ratio: self.read("max_quarantine_ratio", values::share),
            about: self.about.clone(),
        };
        let promised = quality.min_good_ratio.is_some() || quality.max_quarantine_ratio.is_some();
        promised.then_some(quality)
    }

    /// The days that count.
    fn days(&self, holidays: &Holidays, found: &mut Findings) -> Option<Calendar> {
        let weekdays = self.read("weekdays", values::weekdays);
        let calendar = self.read("calendar", values::calendar);
        let node = self.node.said("calendar");
        if let (Some(_), Some(_), Some(node)) = (&weekdays, &calendar, node) {
            let problem = Problem::Both { other: "weekdays" };
            found.fault(&node.place, &self.key("calendar"), problem);
        }
        let country = calendar.as_ref().and_then(Calendar::country);
        if let (Some(country), Some(node)) = (country, node)
            && holidays.get(country).is_none()
        {
            let problem = Problem::Country(country.to_owned());
            found.fault(&node.place, &self.key("calendar"), problem);
        }
        calendar.or(weekdays)
    }

    /// Two keys that promise nothing without each other.
    fn together(&self, one: &'static str, other: &'static str, found: &mut Findings) {
        for (one, other) in [(one, other), (other, one)] {
            let (Some(said), None) = (self.node.said(one), self.node.said(other)) else {
                continue;
            };
            // Where it was cleared is where to look, if it was.
            match self.node.get(other) {
                Some(cleared) => {
                    let problem = Problem::Cleared {
                        by: one,
                        place: said.place.clone(),
                    };
                    found.fault(&cleared.place, &self.key(other), problem);
                }
                None => {
                    let problem = Problem::Needs { needed: other };
                    found.fault(&said.place, &self.key(one), problem);
                }
            }
        }
    }

    fn nothing_between(
        &self,
        name: &'static str,
        least: &impl ToString,
        most: &impl ToString,
        found: &mut Findings,
    ) {
        if let Some(node) = self.node.said(name) {
            let problem = Problem::Empty {
                least: least.to_string(),
                most: most.to_string(),
            };
            found.fault(&node.place, &self.key(name), problem);
        }
    }

    /// A limit that another one keeps from ever being reached, told where either
    /// was said.
    fn never_enforced(
        &self,
        name: &'static str,
        value: String,
        (other, most): (&'static str, String),
        found: &mut Findings,
    ) {
        let said = self.node.said(name).or_else(|| self.node.said(other));
        if let Some(node) = said {
            let problem = Problem::NeverEnforced { value, other, most };
            found.fault(&node.place, &self.key(name), problem);
        }
    }

    fn key(&self, name: &str) -> String {
        format!("{}.{name}", self.path)
    }

    fn word(&self, name: &str) -> Option<String> {
        self.read(name, values::text)
    }

    /// A value that was checked already.
    fn read<T, E>(&self, name: &str, read: impl Fn(&Node) -> Result<T, E>) -> Option<T> {
        self.node.said(name).and_then(|node| read(node).ok())
    }
}
