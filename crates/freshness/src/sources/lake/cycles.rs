//! For which cycles is what a commit brought?
//!
//! A table that is partitioned by day says in each commit which days it wrote
//! to. Where the user names that column, what was written to a day is an
//! arrival of its cycle: a day that is filled again is not today's.

use std::collections::BTreeMap;

use freshness_core::arrivals::CycleName;

/// What came, by the value of the partition column; `None` where there is no
/// such value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ByCycle(BTreeMap<Option<String>, Part>);

/// What came for one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part {
    /// Files.
    n_files: u64,
    /// Rows in them; `None` if a file does not say.
    rows: Option<u64>,
}

/// One commit writes to no more cycles: ten years of days are fewer.
const CYCLES_MAX: usize = 10_000;

/// A value that stands for none, in tables that Hive knows.
const NO_VALUE: &str = "__HIVE_DEFAULT_PARTITION__";

/// A part of what a commit brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CyclePart {
    pub(super) cycle: Option<CycleName>,
    pub(super) rows: Option<u64>,
    /// The value, if it names no cycle.
    pub(super) unreadable: Option<String>,
}

impl ByCycle {
    /// A file came.
    pub(super) fn add(&mut self, value: Option<&str>, rows: Option<u64>) {
        let value = value.filter(|value| !value.is_empty() && *value != NO_VALUE);
        let value = value.filter(|value| {
            // What is written to more days than that is no day's delivery.
            self.0.len() < CYCLES_MAX || self.0.contains_key(&Some((*value).to_owned()))
        });
        let part = self.0.entry(value.map(str::to_owned)).or_insert(Part {
            n_files: 0,
            rows: Some(0),
        });
        part.n_files += 1;
        part.rows = part.rows.zip(rows).map(|(a, b)| a.saturating_add(b));
    }

    /// Files that came.
    pub(super) fn n_files(&self) -> u64 {
        self.0.values().map(|part| part.n_files).sum()
    }

    /// Rows that came; `None` if that is not known.
    pub(super) fn rows(&self) -> Option<u64> {
        let mut rows = self.0.values().map(|part| part.rows);
        rows.try_fold(0u64, |sum, rows| rows.map(|rows| sum.saturating_add(rows)))
    }

    /// What came for each cycle. `rows` says how many rows came all together
    /// where files hold others besides: then no cycle's own are known.
    pub(super) fn parts(&self, rows: Option<Option<u64>>) -> Vec<CyclePart> {
        let is_one = self.0.len() == 1;
        let parts = self.0.iter().map(|(value, part)| {
            let cycle = value.as_deref().and_then(cycle);
            CyclePart {
                cycle,
                rows: match rows {
                    None => part.rows,
                    Some(rows) => rows.filter(|_| is_one),
                },
                unreadable: value.clone().filter(|_| cycle.is_none()),
            }
        });
        parts.filter(|part| part.rows != Some(0)).collect()
    }
}

/// The cycle that a value names: a day, a time, an hour as Iceberg writes it
/// (`2026-09-01-05`), a month (`2026-09`).
fn cycle(value: &str) -> Option<CycleName> {
    if let Ok(cycle) = value.parse() {
        return Some(cycle);
    }
    let padded = match value.len() {
        7 => format!("{value}-01"),
        13 => format!("{}T{}", value.get(..10)?, value.get(11..)?),
        _ => return None,
    };
    padded.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brought(files: &[(Option<&str>, Option<u64>)]) -> ByCycle {
        let mut brought = ByCycle::default();
        for &(value, rows) in files {
            brought.add(value, rows);
        }
        brought
    }

    fn said(parts: &[CyclePart]) -> Vec<String> {
        let part = |part: &CyclePart| {
            let cycle = part.cycle.map_or("-".to_owned(), |cycle| cycle.to_string());
            format!("{cycle} {:?} {:?}", part.rows, part.unreadable)
        };
        parts.iter().map(part).collect()
    }

    #[test]
    fn files_of_one_value_are_one_part_and_their_rows_add_up() {
        let brought = brought(&[
            (Some("2026-09-01"), Some(2)),
            (Some("2026-09-02"), None),
            (Some("2026-09-01"), Some(3)),
            (Some(NO_VALUE), Some(1)),
            (Some("north"), Some(4)),
        ]);
        assert_eq!((brought.n_files(), brought.rows()), (5, None));
        assert_eq!(
            said(&brought.parts(None)),
            [
                "- Some(1) None",
                "2026-09-01T00:00:00 Some(5) None",
                "2026-09-02T00:00:00 None None",
                "- Some(4) Some(\"north\")",
            ]
        );
    }

    #[test]
    fn what_a_part_brought_is_unknown_where_its_files_hold_more() {
        let one = brought(&[(Some("2026-09-01"), Some(90))]);
        assert_eq!(
            said(&one.parts(Some(Some(2)))),
            ["2026-09-01T00:00:00 Some(2) None"]
        );
        let two = brought(&[
            (Some("2026-09-01"), Some(90)),
            (Some("2026-09-02"), Some(1)),
        ]);
        assert_eq!(
            said(&two.parts(Some(Some(2))))[0],
            "2026-09-01T00:00:00 None None"
        );
    }

    #[test]
    fn a_value_is_a_day_an_hour_or_a_month() {
        let said = |value| cycle(value).map_or("-".to_owned(), |cycle| cycle.to_string());
        assert_eq!(said("2026-09-01"), "2026-09-01T00:00:00");
        assert_eq!(said("2026-09-01-05"), "2026-09-01T05:00:00");
        assert_eq!(said("2026-09"), "2026-09-01T00:00:00");
        assert_eq!(said("2026-09-01 05:30:00"), "2026-09-01T05:30:00");
        assert_eq!(
            ["north", "20", "2026-13", "2026-09-01xü5"].map(said),
            ["-"; 4]
        );
    }

    #[test]
    fn a_part_without_rows_brought_nothing() {
        let brought = brought(&[(Some("2026-09-01"), Some(0)), (Some("2026-09-02"), Some(1))]);
        assert_eq!(brought.parts(None).len(), 1);
    }
}
