//! Which files came, and for which cycle?
//!
//! A file arrives when it was last written; the date in its path says for which
//! cycle (`pattern`, `date`), so that an old file that is written anew is not
//! today's. What is still being written has not arrived: a file counts once it
//! has been quiet for a while. Files of no bytes, and those that are named as
//! being under way, do not count.

mod date;
mod pattern;

use std::collections::BTreeMap;

use freshness_core::arrivals::CycleName;
use freshness_core::dataset::DatasetId;
use regex::bytes::Regex;

use super::place::{Entry, Place, PlaceError, Walked};
use super::told::{Told, ToldArrival, ToldRemark};
use pattern::FileCycle;

pub use date::DateFormatError;
pub use pattern::{FilePattern, PatternError};

/// What counts as arrived.
#[derive(Debug, Clone, Copy)]
pub struct FileRules {
    /// The present: UTC seconds.
    pub now: i64,
    /// A file that was written to in the last so many seconds is still being
    /// written. `None`: [`QUIET_SECONDS`] on a disk, and 0 in an object store,
    /// where a file is there at once or not at all.
    pub quiet_seconds: Option<i64>,
    /// Files of no bytes count: a marker such as `_SUCCESS` is one.
    pub allow_empty: bool,
}

/// Who writes a file and pauses for longer than two minutes is taken to be done.
pub const QUIET_SECONDS: i64 = 120;

/// What was found.
#[derive(Debug, Clone, Default)]
pub struct ReadFiles {
    /// What arrived, in any order.
    pub files: Vec<ArrivedFile>,
    /// What is odd.
    pub remarks: Vec<ToldRemark>,
    /// Files that the pattern means.
    pub n_meant: u64,
    /// Those of them in whose path no single day can be read, where one should be.
    pub n_undated: u64,
    /// Folders and files that could not be looked at: what lies there is not
    /// known.
    pub n_unreadable: u64,
}

/// A file that has arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrivedFile {
    /// Its name, from the folder of the pattern on.
    pub name: String,
    /// When it was last written: UTC seconds.
    pub modified: i64,
    /// The cycle that its path names.
    pub cycle: Option<CycleName>,
}

impl ReadFiles {
    /// Has no file a day in its path, where each should have one? Then the pattern
    /// is wrong.
    pub fn is_undatable(&self) -> bool {
        self.n_meant > 0 && self.n_undated == self.n_meant
    }

    /// The files as arrivals of a dataset, told apart by their names.
    pub fn told(self, dataset: &DatasetId) -> Told {
        let arrival = |file: ArrivedFile| ToldArrival {
            dataset: dataset.clone(),
            at: file.modified,
            cycle: file.cycle,
            run_id: Some(file.name.into()),
            covers_through: None,
            rows: None,
        };
        Told {
            arrivals: self.files.into_iter().map(arrival).collect(),
            remarks: self.remarks,
            ..Told::default()
        }
    }
}

/// Why files cannot be looked for: nothing counts.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum FilesError {
    #[error("{folder}: {error}")]
    Place { folder: String, error: PlaceError },
    #[error("more than {FILES_MAX} files match: {0}")]
    TooMany(String),
}

/// More arrivals of one dataset fit into no memory that is worth it.
pub const FILES_MAX: u64 = 2_000_000;

/// Examples that a remark names.
const NAMED: usize = 3;

/// Places that could not be looked at and are named one by one.
const UNREADABLE_NAMED: u64 = 20;

/// How programs call a file that is not done.
const UNDER_WAY: [&str; 9] = [
    ".tmp",
    ".temp",
    ".part",
    ".partial",
    ".filepart",
    ".crdownload",
    ".inprogress",
    "._COPYING_",
    "~",
];

impl FilesError {
    /// What helps, if it is known.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            FilesError::Place { error, .. } => error.hint(),
            FilesError::TooMany(_) => Some(
                "a narrower pattern, or one that means a marker of each delivery, such as \
                 {date:%Y-%m-%d}/_SUCCESS",
            ),
        }
    }
}

/// Looks for files below `folder`, which is that of the pattern.
pub fn read_files(
    folder: &Place,
    pattern: &FilePattern,
    rules: &FileRules,
) -> Result<ReadFiles, FilesError> {
    let FileRules {
        now,
        quiet_seconds,
        allow_empty,
    } = *rules;
    let quiet_seconds = quiet_seconds.unwrap_or(if folder.is_remote() { 0 } else { QUIET_SECONDS });
    let mut found = ReadFiles::default();
    let mut left_out = LeftOut::default();
    let mut dated = None;
    let looks_dated = looks_dated();
    let walked = folder.walk(&|name| pattern.enters(name), &mut |walked| {
        let entry = match walked {
            Walked::File(entry) => entry,
            Walked::Unreadable(name, why) => {
                found.n_unreadable += 1;
                if found.n_unreadable <= UNREADABLE_NAMED {
                    found.remarks.push(ToldRemark {
                        place: folder.shown_file(&name),
                        what: format!("cannot be looked at: {why}"),
                    });
                }
                return;
            }
            Walked::NotFollowed(name, why) => {
                left_out.add(Why::NotFollowed(why), name);
                return;
            }
        };
        let Entry {
            name,
            bytes,
            modified,
        } = entry;
        // The name of an object may end in `/`, which then stands for a folder.
        if name.is_empty() || !pattern.is_meant(&name) {
            return;
        }
        found.n_meant += 1;
        if found.n_meant > FILES_MAX {
            return;
        }
        let cycle = match pattern.cycle(&name) {
            FileCycle::NotAsked => None,
            FileCycle::Named(cycle) => Some(cycle),
            FileCycle::Unclear => {
                found.n_undated += 1;
                return left_out.add(Why::Date, name);
            }
            FileCycle::Several => {
                found.n_undated += 1;
                return left_out.add(Why::Days, name);
            }
        };
        if UNDER_WAY
            .iter()
            .any(|end| name.ends_with(end) && !pattern.typed().ends_with(end))
        {
            left_out.add(Why::UnderWay, name);
        } else if bytes == 0 && !allow_empty {
            left_out.add(Why::Empty, name);
        } else if modified > now - quiet_seconds
            && modified <= now + super::FUTURE_TOLERANCE_SECONDS
        {
            left_out.add(Why::Growing, name);
        } else {
            if cycle.is_none()
                && dated.is_none()
                && looks_dated
                    .as_ref()
                    .is_some_and(|dates| dates.is_match(name.as_bytes()))
            {
                dated = Some(name.clone());
            }
            found.files.push(ArrivedFile {
                name,
                modified,
                cycle,
            });
        }
    });
    walked.map_err(|error| FilesError::Place {
        folder: folder.shown().to_owned(),
        error,
    })?;
    if found.n_meant > FILES_MAX {
        return Err(FilesError::TooMany(pattern.typed().to_owned()));
    }
    let mut say = |what: String| {
        found.remarks.push(ToldRemark {
            place: pattern.typed().to_owned(),
            what,
        });
    };
    if found.n_unreadable > UNREADABLE_NAMED {
        let more = found.n_unreadable - UNREADABLE_NAMED;
        say(format!("{more} more that cannot be looked at"));
    }
    left_out.say(quiet_seconds, &mut say);
    if let Some(name) = dated {
        say(format!(
            "paths seem to be dated, such as {name}: say where by {{date:%Y-%m-%d}} in the pattern, \
             so that an old file that is written anew is not taken for a new one"
        ));
    }
    if found.n_meant == 0 {
        say("no file matches".to_owned());
    }
    Ok(found)
}

/// Why a file does not count.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Why {
    Growing,
    Empty,
    UnderWay,
    Date,
    Days,
    NotFollowed(&'static str),
}

/// Files that do not count: how many, and the first of them by name.
#[derive(Debug, Default)]
struct LeftOut(BTreeMap<Why, (u64, Vec<String>)>);

impl LeftOut {
    fn add(&mut self, why: Why, name: String) {
        let (n, names) = self.0.entry(why).or_default();
        *n += 1;
        let at = names.partition_point(|known| *known < name);
        if at < NAMED {
            names.insert(at, name);
            names.truncate(NAMED);
        }
    }

    fn say(&self, quiet_seconds: i64, say: &mut dyn FnMut(String)) {
        for (why, (n, names)) in &self.0 {
            let files = match why {
                Why::NotFollowed(_) => "",
                _ if *n == 1 => " file",
                _ => " files",
            };
            let words = match why {
                Why::Growing => {
                    format!("written to in the last {quiet_seconds} seconds, so not there yet")
                }
                Why::Empty => {
                    "of no bytes, so not there yet (--allow-empty counts them)".to_owned()
                }
                Why::UnderWay => "under way, by their names".to_owned(),
                Why::Date => "left out, since no day can be read in the path".to_owned(),
                Why::Days => "left out, since several days can be read in the path".to_owned(),
                Why::NotFollowed(why) => format!("not looked into: {why}"),
            };
            let more = if *n > names.len() as u64 { ", …" } else { "" };
            say(format!("{n}{files} {words}: {}{more}", names.join(", ")));
        }
    }
}

/// Finds a day in a path that nobody said to be dated.
fn looks_dated() -> Option<Regex> {
    Regex::new(
        r"(?-u)(?:^|[^0-9])(?:19|20)[0-9]{2}(?:[-_./]?(?:month=)?)(?:0[1-9]|1[0-2])(?:[-_./]?(?:day=)?)(?:0[1-9]|[12][0-9]|3[01])(?:[^0-9]|$)",
    )
    .ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    const NOW: i64 = 1_788_264_000; // 2026-09-01T12:00:00Z

    /// Files as `path bytes age`, the age in seconds; what is found, then what
    /// is remarked.
    fn check_by(pattern: &str, rules: &FileRules, files: &str) -> String {
        let root = tempfile::tempdir().unwrap();
        for line in files.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let path = root.path().join(words[0]);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, vec![b'x'; words[1].parse().unwrap()]).unwrap();
            let age: i64 = words[2].parse().unwrap();
            let at = UNIX_EPOCH + Duration::from_secs(u64::try_from(NOW - age).unwrap());
            fs::File::options()
                .write(true)
                .open(&path)
                .unwrap()
                .set_modified(at)
                .unwrap();
        }
        let pattern = format!("{}/{pattern}", root.path().display());
        let pattern = FilePattern::parse(&pattern, None).unwrap();
        let folder = Place::named(pattern.folder(), &[]).unwrap();
        let mut found = read_files(&folder, &pattern, rules).unwrap();
        found.files.sort_by(|a, b| a.name.cmp(&b.name));
        let mut said = String::new();
        for file in &found.files {
            let cycle = file.cycle.map_or(String::new(), |cycle| cycle.to_string());
            let age = NOW - file.modified;
            said.push_str(format!("{} {age} {cycle}", file.name).trim());
            said.push('\n');
        }
        for remark in &found.remarks {
            said.push_str(&format!("# {}\n", remark.what));
        }
        said
    }

    fn check(pattern: &str, files: &str) -> String {
        let rules = FileRules {
            now: NOW,
            quiet_seconds: None,
            allow_empty: false,
        };
        check_by(pattern, &rules, files)
    }

    #[test]
    fn a_file_arrives_when_it_was_written_for_the_day_in_its_path() {
        let files =
            "in/2026-08-31/a 3 90000\nin/2026-08-31/b 3 7200\nin/2026-09-01/a 3 3600\nin/x 3 9\n";
        assert_eq!(
            check("in/{date:%Y-%m-%d}/*", files),
            "2026-08-31/a 90000 2026-08-31T00:00:00\n\
             2026-08-31/b 7200 2026-08-31T00:00:00\n\
             2026-09-01/a 3600 2026-09-01T00:00:00\n"
        );
    }

    #[test]
    fn what_is_not_done_has_not_arrived() {
        let files =
            "in/a 3 119\nin/b 3 120\nin/c 0 900\nin/d.tmp 3 900\nin/.e 3 900\nin/_f 3 900\n";
        assert_eq!(
            check("in/*", files),
            "b 120\n\
             # 1 file written to in the last 120 seconds, so not there yet: a\n\
             # 1 file of no bytes, so not there yet (--allow-empty counts them): c\n\
             # 1 file under way, by their names: d.tmp\n"
        );
    }

    #[test]
    fn a_marker_of_no_bytes_counts_if_that_is_said() {
        let rules = FileRules {
            now: NOW,
            quiet_seconds: Some(0),
            allow_empty: true,
        };
        let files = "in/2026-09-01/_SUCCESS 0 0\nin/2026-09-01/part 9 0\n";
        let found = check_by("in/{date:%F}/_SUCCESS", &rules, files);
        assert_eq!(found, "2026-09-01/_SUCCESS 0 2026-09-01T00:00:00\n");
    }

    #[test]
    fn a_path_without_a_day_is_left_out_where_days_are_asked_for() {
        let files = "in/20260230 1 900\nin/20260228 1 900\n";
        assert_eq!(
            check("in/{date:%Y%m%d}", files),
            "20260228 900 2026-02-28T00:00:00\n\
             # 1 file left out, since no day can be read in the path: 20260230\n"
        );
    }

    #[test]
    fn paths_that_seem_dated_are_remarked() {
        let files = "in/orders_20260901.csv 1 900\n";
        let found = check("in/*", files);
        let words = "paths seem to be dated, such as orders_20260901.csv: say where";
        assert!(found.contains(words), "{found}");
        assert!(!check("in/*", "in/o_12345678901.csv 1 900\n").contains("dated"));
    }

    #[test]
    fn names_are_counted_and_the_first_of_them_are_shown() {
        let files: String = (0..9).rev().map(|i| format!("in/f{i} 0 900\n")).collect();
        let found = check("in/*", &files);
        let words =
            "9 files of no bytes, so not there yet (--allow-empty counts them): f0, f1, f2, …";
        assert!(found.contains(words), "{found}");
    }

    #[test]
    fn nothing_found_is_said() {
        assert_eq!(check("in/*.csv", "in/a.txt 1 900\n"), "# no file matches\n");
    }
}
