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
pub(super) struct ByCycle {
    parts: BTreeMap<Option<String>, Part>,
    /// Was a file taken away that does not say of which value it was?
    is_any_rewritten: bool,
}

/// What came for one value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Part {
    /// Files.
    n_files: u64,
    /// Rows in them.
    rows: u64,
    /// … and files that do not say how many.
    n_silent: u64,
    /// Were files taken away? What came then may be what they held.
    is_rewritten: bool,
}

/// Rows that came by a commit that copies: its files hold others besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Copied {
    /// Rows that there were not; `None` if that is not told.
    pub(super) inserted: Option<u64>,
    /// … and those that were changed.
    pub(super) written: Option<u64>,
}

/// What a commit brought, by cycle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CycleParts {
    pub(super) parts: Vec<CyclePart>,
    /// Are there cycles of which nobody can tell whether more came to them?
    pub(super) is_unsure: bool,
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
        let part = self.part(value);
        part.n_files += 1;
        part.rows = part.rows.saturating_add(rows.unwrap_or(0));
        part.n_silent += u64::from(rows.is_none());
    }

    /// A file was taken away; `None` if it does not say of which value.
    pub(super) fn take_away(&mut self, value: Option<Option<&str>>) {
        match value {
            Some(value) => self.part(value).is_rewritten = true,
            None => self.is_any_rewritten = true,
        }
    }

    fn part(&mut self, value: Option<&str>) -> &mut Part {
        let value = value.filter(|value| !value.is_empty() && *value != NO_VALUE);
        let value = value.filter(|value| {
            // What is written to more days than that is no day's delivery.
            self.parts.len() < CYCLES_MAX || self.parts.contains_key(&Some((*value).to_owned()))
        });
        self.parts.entry(value.map(str::to_owned)).or_default()
    }

    fn written(&self) -> impl Iterator<Item = (&Option<String>, &Part)> {
        self.parts.iter().filter(|(_, part)| part.n_files > 0)
    }

    /// Files that came.
    pub(super) fn n_files(&self) -> u64 {
        self.parts.values().map(|part| part.n_files).sum()
    }

    /// Rows that came; `None` if that is not known.
    pub(super) fn rows(&self) -> Option<u64> {
        let mut rows = self.written().map(|(_, part)| part.rows());
        rows.try_fold(0u64, |sum, rows| rows.map(|rows| sum.saturating_add(rows)))
    }

    /// What came for each cycle.
    pub(super) fn parts(&self) -> CycleParts {
        let parts = self
            .written()
            .map(|(value, part)| part.of(value, part.rows()));
        CycleParts::of(parts, false)
    }

    /// What came all together, for no cycle.
    pub(super) fn whole(&self, copied: Option<Copied>) -> CycleParts {
        let rows = copied.map_or_else(|| self.rows(), |copied| copied.written);
        let part = (self.n_files() > 0).then(|| Part::default().of(&None, rows));
        CycleParts::of(part.into_iter(), false)
    }

    /// What came for each cycle by a commit that copies. Where no file was taken
    /// away nothing was copied either. Where one was, its rows were there before;
    /// whether others came to them can be told if they must have.
    pub(super) fn parts_beside_copies(&self, copied: Copied) -> CycleParts {
        let is_fresh = |part: &Part| !part.is_rewritten && !self.is_any_rewritten;
        let fresh = || self.written().filter(|(_, part)| is_fresh(part));
        let rows_fresh: u64 = fresh().map(|(_, part)| part.rows).sum();
        let n_written = self.written().count();
        let may_have_more = copied.inserted.is_none_or(|inserted| inserted > rows_fresh);
        let is_known = n_written == 1 && copied.inserted.is_some();
        let rewritten = self
            .written()
            .filter(|(_, part)| !is_fresh(part) && may_have_more && is_known);
        let is_unsure = n_written > fresh().count() && may_have_more && !is_known;
        let parts = (fresh().map(|(value, part)| part.of(value, part.rows())))
            .chain(rewritten.map(|(value, part)| part.of(value, copied.written)));
        CycleParts::of(parts, is_unsure)
    }
}

impl CycleParts {
    fn of(parts: impl Iterator<Item = CyclePart>, is_unsure: bool) -> CycleParts {
        CycleParts {
            parts: parts.filter(|part| part.rows != Some(0)).collect(),
            is_unsure,
        }
    }
}

impl Part {
    /// `None` if a file does not say.
    fn rows(&self) -> Option<u64> {
        (self.n_silent == 0).then_some(self.rows)
    }

    fn of(&self, value: &Option<String>, rows: Option<u64>) -> CyclePart {
        let cycle = value.as_deref().and_then(cycle);
        CyclePart {
            cycle,
            rows,
            unreadable: value.clone().filter(|_| cycle.is_none()),
        }
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

    fn said(parts: &CycleParts) -> Vec<String> {
        let part = |part: &CyclePart| {
            let cycle = part.cycle.map_or("-".to_owned(), |cycle| cycle.to_string());
            format!("{cycle} {:?} {:?}", part.rows, part.unreadable)
        };
        parts.parts.iter().map(part).collect()
    }

    /// What came of 90 rows in a day from which a file was taken away, and of some
    /// rows in another: the days, and whether anything is unsure.
    fn copied(inserted: Option<u64>, fresh: Option<u64>) -> String {
        let mut brought = brought(&[(Some("2026-09-01"), Some(90))]);
        brought.take_away(Some(Some("2026-09-01")));
        if fresh.is_some() {
            brought.add(Some("2026-09-02"), fresh);
        }
        let written = inserted.map(|inserted| inserted + 1);
        let parts = brought.parts_beside_copies(Copied { inserted, written });
        let days = parts.parts.iter().map(|part| {
            let day = part.cycle.unwrap().to_string();
            format!("{}:{:?} ", &day[8..10], part.rows)
        });
        format!("{}{}", days.collect::<String>(), parts.is_unsure)
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
            said(&brought.parts()),
            [
                "- Some(1) None",
                "2026-09-01T00:00:00 Some(5) None",
                "2026-09-02T00:00:00 None None",
                "- Some(4) Some(\"north\")",
            ]
        );
    }

    #[test]
    fn a_day_that_is_written_anew_has_got_rows_only_if_it_must_have() {
        // It is the only one.
        assert_eq!(copied(Some(2), None), "01:Some(3) false");
        assert_eq!(copied(Some(0), None), "false");
        assert_eq!(copied(None, None), "true");
        // All that were inserted are in the other day; or some are anywhere.
        assert_eq!(copied(Some(4), Some(4)), "02:Some(4) false");
        assert_eq!(copied(Some(5), Some(4)), "02:Some(4) true");
        assert_eq!(copied(None, Some(4)), "02:Some(4) true");
        let mut somewhere = brought(&[(Some("2026-09-01"), Some(90))]);
        somewhere.take_away(None);
        let copied = Copied {
            inserted: Some(0),
            written: Some(7),
        };
        assert_eq!(somewhere.parts_beside_copies(copied), CycleParts::default());
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
        assert_eq!(brought.parts().parts.len(), 1);
    }
}
