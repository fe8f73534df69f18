//! Which files are meant, and for which cycle is each?
//!
//! A pattern is a glob, with the date in it where the path has it:
//! `landing/orders/{date:%Y-%m-%d}/*.csv`. What stands before its first
//! wildcard is the folder that is looked into.

use freshness_core::arrivals::CycleName;
use globset::{GlobBuilder, GlobMatcher};
use regex::bytes::{Captures, Regex};

use super::date::{DateFormat, DateFormatError};

/// Which files are meant.
#[derive(Debug, Clone)]
pub struct FilePattern {
    /// As it was typed.
    typed: String,
    /// The folder that is looked into.
    folder: String,
    /// All of a name from there.
    whole: Regex,
    /// The same, with wildcards as short as can be.
    shortest: Regex,
    date: Option<Dated>,
    /// What a folder may be called at each depth; deeper ones may be called
    /// anything if `is_deep`, and are not looked into if not.
    folders: Vec<GlobMatcher>,
    is_deep: bool,
    /// Files are meant that programs hide: after a `.` or a `_`.
    hidden: [bool; 2],
}

#[derive(Debug, Clone)]
struct Dated {
    format: DateFormat,
    /// It may stand anywhere in a name: this finds it.
    anywhere: Option<Regex>,
}

/// Why a text is no pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum PatternError {
    #[error("not a pattern of files: {0}")]
    Glob(String),
    #[error("the date is never closed: {0}")]
    Unclosed(String),
    #[error("it is not said how the date is written: {0}")]
    BareDate(String),
    #[error("a date is there twice: {0}")]
    TwoDates(String),
    #[error(transparent)]
    Format(#[from] DateFormatError),
}

impl PatternError {
    /// What helps, if it is known.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            PatternError::Glob(_) => Some("wildcards: * ? [a-z] {a,b} and **, which spans folders"),
            PatternError::Unclosed(_) | PatternError::BareDate(_) | PatternError::Format(_) => {
                Some("a date in a path is {date:%Y-%m-%d}")
            }
            PatternError::TwoDates(_) => {
                Some("one may span folders: {date:year=%Y/month=%m/day=%d}")
            }
        }
    }
}

/// For which cycle a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileCycle {
    /// The pattern has no date.
    NotAsked,
    Named(CycleName),
    /// There is no date where it should be, or no such day.
    Unclear,
    /// There are several.
    Several,
}

const PLACEHOLDER: &str = "{date:";

impl FilePattern {
    /// Reads a pattern. `date` is how a date is written that stands anywhere in
    /// the path.
    pub fn parse(text: &str, date: Option<&str>) -> Result<FilePattern, PatternError> {
        if text.contains("{date}") {
            return Err(PatternError::BareDate(text.to_owned()));
        }
        let (before, dated, after) = match text.split_once(PLACEHOLDER) {
            None => (text, None, ""),
            Some((before, rest)) => {
                let unclosed = || PatternError::Unclosed(text.to_owned());
                let (format, after) = rest.split_once('}').ok_or_else(unclosed)?;
                (before, Some(DateFormat::parse(format)?), after)
            }
        };
        if after.contains(PLACEHOLDER) || (dated.is_some() && date.is_some()) {
            return Err(PatternError::TwoDates(text.to_owned()));
        }
        let (folder, before) = split_folder(before);
        if folder.ends_with(":/") || folder.ends_with("://") {
            // A bucket must be named.
            return Err(no_glob(text));
        }
        let in_name = dated.as_ref().map_or(String::new(), DateFormat::regex);
        let [before_regex, after_regex] = [regex_of(before)?, regex_of(after)?];
        let regex = format!("^{before_regex}{in_name}{after_regex}$");
        let compiled = |regex: &str| Regex::new(regex).map_err(|_| no_glob(text));
        let in_glob = dated.as_ref().map_or(String::new(), DateFormat::glob);
        let glob = format!("{before}{in_glob}{after}");
        let (folders, is_deep) = folders(&glob);
        let date = match (dated, date) {
            (Some(format), _) => Some(Dated {
                format,
                anywhere: None,
            }),
            (None, Some(date)) => {
                let format = DateFormat::parse(date)?;
                let regex = format!("(?-u)(?:^|[^0-9]){}(?:[^0-9]|$)", format.regex());
                let anywhere = Some(compiled(&regex)?);
                Some(Dated { format, anywhere })
            }
            (None, None) => None,
        };
        let names = |hidden: &str| glob.split('/').any(|segment| segment.starts_with(hidden));
        Ok(FilePattern {
            typed: text.to_owned(),
            folder: folder.to_owned(),
            whole: compiled(&format!("(?s-u){regex}"))?,
            shortest: compiled(&format!("(?sU-u){regex}"))?,
            date,
            folders,
            is_deep,
            hidden: [names("."), names("_")],
        })
    }

    /// The folder that is looked into: a path or a location.
    pub fn folder(&self) -> &str {
        match self.folder.is_empty() {
            true => ".",
            false => &self.folder,
        }
    }

    /// Does it name one file, without a wildcard?
    pub fn is_literal(&self) -> bool {
        !self.typed.contains(['*', '?', '[', '{', '\\'])
    }

    /// As it was typed.
    pub fn typed(&self) -> &str {
        &self.typed
    }

    /// May a file that is meant lie in or below a folder of this name from the
    /// folder that is looked into?
    pub(super) fn enters(&self, name: &str) -> bool {
        let Some(depth) = name.split('/').count().checked_sub(1) else {
            return true;
        };
        let own = name.rsplit('/').next().unwrap_or(name);
        match self.folders.get(depth) {
            Some(folder) => folder.is_match(own) && !self.hides(own),
            None => self.is_deep && !self.hides(own),
        }
    }

    /// Is a file meant, by its name from the folder that is looked into?
    pub(super) fn is_meant(&self, name: &str) -> bool {
        self.whole.is_match(name.as_bytes()) && !name.split('/').any(|own| self.hides(own))
    }

    /// For which cycle is a file that is meant?
    pub(super) fn cycle(&self, name: &str) -> FileCycle {
        let Some(Dated { format, anywhere }) = &self.date else {
            return FileCycle::NotAsked;
        };
        let of = |captures: &Captures<'_>| {
            let digits = captures.iter().skip(1).map(|part| {
                let part = part.map_or(&b""[..], |part| part.as_bytes());
                std::str::from_utf8(part).unwrap_or_default()
            });
            format.cycle(&digits.collect::<Vec<_>>())
        };
        let found: Vec<Option<CycleName>> = match anywhere {
            None => [&self.whole, &self.shortest]
                .iter()
                .filter_map(|regex| regex.captures(name.as_bytes()))
                .map(|captures| of(&captures))
                .collect(),
            Some(regex) => {
                let (mut found, mut start) = (Vec::new(), 0);
                while let Some(captures) = regex.captures_at(name.as_bytes(), start) {
                    // The sign that ends one date may begin the next.
                    let end = captures.get(0).map_or(name.len(), |all| all.end());
                    start = end.saturating_sub(1).max(start + 1);
                    // Other numbers of as many digits are no days.
                    found.extend(of(&captures).map(Some));
                    if start >= name.len() {
                        break;
                    }
                }
                found
            }
        };
        match found.split_first() {
            Some((Some(first), others)) if others.iter().all(|other| *other == Some(*first)) => {
                FileCycle::Named(*first)
            }
            Some(_) if found.iter().all(Option::is_some) => FileCycle::Several,
            _ => FileCycle::Unclear,
        }
    }

    fn hides(&self, own: &str) -> bool {
        let [dots, underscores] = self.hidden;
        (own.starts_with('.') && !dots) || (own.starts_with('_') && !underscores)
    }
}

/// The folders before the first wildcard, and the rest.
fn split_folder(text: &str) -> (&str, &str) {
    let end = text.find(['*', '?', '[', '{', '\\']).unwrap_or(text.len());
    match text[..end].rfind('/') {
        Some(0) => ("/", &text[1..]),
        Some(slash) => (&text[..slash], &text[slash + 1..]),
        None => ("", text),
    }
}

/// The regular expression of a part of a glob, without its ends.
fn regex_of(glob: &str) -> Result<String, PatternError> {
    let parsed = GlobBuilder::new(glob)
        .literal_separator(true)
        .build()
        .map_err(|_| no_glob(glob))?;
    let regex = parsed.regex();
    let regex = regex.strip_prefix("(?-u)").unwrap_or(regex);
    let regex = regex.strip_prefix('^').unwrap_or(regex);
    Ok(regex.strip_suffix('$').unwrap_or(regex).to_owned())
}

fn no_glob(text: &str) -> PatternError {
    PatternError::Glob(text.to_owned())
}

/// What folders may be called at each depth, as far as the glob says it, and
/// whether it says that deeper ones may be called anything.
fn folders(glob: &str) -> (Vec<GlobMatcher>, bool) {
    let segments: Vec<&str> = glob.split('/').collect();
    let mut folders = Vec::new();
    for segment in &segments[..segments.len() - 1] {
        let built = GlobBuilder::new(segment).literal_separator(true).build();
        match built {
            Ok(built) if !segment.contains("**") => folders.push(built.compile_matcher()),
            // Alternatives that span folders, too.
            _ => return (folders, true),
        }
    }
    let is_deep = segments.last().is_some_and(|last| last.contains("**"));
    (folders, is_deep)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The folder that is looked into, and for each name whether it is meant and
    /// for when.
    fn check(pattern: &str, date: Option<&str>, names: &[&str]) -> String {
        let pattern = match FilePattern::parse(pattern, date) {
            Ok(pattern) => pattern,
            Err(error) => return error.to_string(),
        };
        let said = names
            .iter()
            .map(|name| match (pattern.is_meant(name), pattern.cycle(name)) {
                (false, _) => "-".to_owned(),
                (true, FileCycle::NotAsked) => "yes".to_owned(),
                (true, FileCycle::Unclear) => "unclear".to_owned(),
                (true, FileCycle::Several) => "several".to_owned(),
                (true, FileCycle::Named(cycle)) => cycle.to_string()[..10].to_owned(),
            });
        let said: Vec<String> = said.collect();
        format!("{}: {}", pattern.folder(), said.join(" "))
    }

    #[test]
    fn what_stands_before_the_first_wildcard_is_the_folder() {
        assert_eq!(
            check("in/*.csv", None, &["a.csv", "a.txt", "b/a.csv"]),
            "in: yes - -"
        );
        assert_eq!(
            check("/in/**/*.csv", None, &["a.csv", "b/c/a.csv"]),
            "/in: yes yes"
        );
        assert_eq!(check("a.csv", None, &["a.csv"]), ".: yes");
        assert_eq!(check("/a.csv", None, &["a.csv"]), "/: yes");
        assert_eq!(
            check("s3://box/in/{a,b}/x", None, &["a/x", "c/x"]),
            "s3://box/in: yes -"
        );
        assert_eq!(
            check("s3://*/in", None, &[]),
            "not a pattern of files: s3://*/in"
        );
    }

    #[test]
    fn the_date_in_a_path_is_the_cycle() {
        let days = ["2026-09-01/a.csv", "2026-09-31/a.csv", "2026-9-1/a.csv"];
        assert_eq!(
            check("in/{date:%Y-%m-%d}/*.csv", None, &days),
            "in: 2026-09-01 unclear -"
        );
        let hive = "in/{date:year=%Y/month=%-m/day=%-d}/**";
        assert_eq!(
            check(hive, None, &["year=2026/month=9/day=1/x/y"]),
            "in: 2026-09-01"
        );
        assert_eq!(
            check("in/o_{date:%Y%m%d}*.csv", None, &["o_20260901_2.csv"]),
            "in: 2026-09-01"
        );
        let month = "in/**/{date:%Y-%m}/x";
        assert_eq!(
            check(month, None, &["2026-09/x", "a/b/2026-09/x"]),
            "in: 2026-09-01 2026-09-01"
        );
    }

    #[test]
    fn two_dates_where_one_is_meant_are_unclear() {
        let pattern = "in/*{date:%Y%m%d}*";
        let names = ["20260901", "20260901_20260902", "20260901_20260901"];
        assert_eq!(
            check(pattern, None, &names),
            "in: 2026-09-01 several 2026-09-01"
        );
        let anywhere = Some("%Y%m%d");
        assert_eq!(
            check(
                "in/**",
                anywhere,
                &[
                    "a/20260901.csv",
                    "20260901/20260902",
                    "20260901/20260901",
                    "202609011"
                ]
            ),
            "in: 2026-09-01 several 2026-09-01 unclear"
        );
    }

    #[test]
    fn of_several_numbers_the_only_one_that_reads_as_a_day_counts() {
        let names = ["98765432_20260901.csv", "20260901-20261345", "98765432"];
        assert_eq!(
            check("in/*", Some("%Y%m%d"), &names),
            "in: 2026-09-01 2026-09-01 unclear"
        );
    }

    #[test]
    fn hidden_files_are_meant_only_if_they_are_named() {
        let names = [".a", "_b", "c", "_d/e", ".f/g"];
        assert_eq!(check("in/**", None, &names), "in: - - yes - -");
        assert_eq!(
            check("in/*/_SUCCESS", None, &["a/_SUCCESS", ".a/_SUCCESS"]),
            "in: yes -"
        );
    }

    #[test]
    fn only_folders_that_may_hold_what_is_meant_are_looked_into() {
        let entered = |pattern: &str, names: &[&str]| {
            let pattern = FilePattern::parse(pattern, None).unwrap();
            names
                .iter()
                .map(|name| pattern.enters(name))
                .collect::<Vec<_>>()
        };
        let dated = "in/{date:%Y/%m}/x*/*.csv";
        assert_eq!(
            entered(
                dated,
                &[
                    "2026",
                    "26",
                    "2026/09",
                    "2026/9",
                    "2026/09/x1",
                    "2026/09/x1/deep"
                ]
            ),
            [true, false, true, false, true, false]
        );
        assert_eq!(entered("in/*.csv", &["a"]), [false]);
        assert_eq!(
            entered("in/**/*.csv", &["a", "a/b", "_a", "a/.b"]),
            [true, true, false, false]
        );
        assert_eq!(entered("in/{a/b,c}/x", &["a", "z"]), [true, true]);
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        assert_eq!(check("in/[a", None, &[]), "not a pattern of files: [a");
        assert_eq!(
            check("in/{date:%Y", None, &[]),
            "the date is never closed: in/{date:%Y"
        );
        assert_eq!(
            check("in/{date}.csv", None, &[]),
            "it is not said how the date is written: in/{date}.csv"
        );
        let twice = "a date is there twice: ";
        assert!(check("{date:%Y}/{date:%m}", None, &[]).starts_with("a date is there twice"));
        assert!(check("{date:%Y}/*", Some("%Y"), &[]).starts_with(twice));
        assert!(check("*", Some("%m"), &[]).starts_with("a date needs its year"));
    }
}
