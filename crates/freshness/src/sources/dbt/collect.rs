//! How are configured folders of dbt collected?
//!
//! The cursor is a mark of all files in them: path, size and when each was
//! changed. While it is the same nothing is read; else everything is, since what
//! a look means is said by manifests that may be older. By the clock of the files
//! alone, one that is moved in with an old date would never be read.

use std::fs::Metadata;
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

use freshness_core::civil::Holidays;
use twox_hash::XxHash3_128;

use super::fault::DbtError;
use super::find::{self, Found};
use super::read_dbt;
use crate::sources::{Asked, Collected, NotCollected, Told};

/// What dbt wrote.
#[derive(Debug, Clone)]
pub struct DbtTargets {
    /// As for [`read_dbt`].
    pub targets: Vec<PathBuf>,
    /// Is a file that cannot be read left out?
    pub skip: bool,
}

/// Reads what dbt wrote, if any file of it is new or was changed.
pub fn collect_dbt(source: &DbtTargets, asked: &Asked<'_>) -> Result<Collected, NotCollected> {
    let failed = |error: DbtError| NotCollected::with_hint(&error, error.hint());
    let mut marks = Marks {
        hash: XxHash3_128::new(),
    };
    find::look_into(&source.targets, &mut marks).map_err(failed)?;
    let mark = format!("{:032x}", marks.hash.finish_128());
    let told = match asked.cursor == Some(&mark) {
        true => Told::default(),
        false => {
            let holidays = Holidays::builtin();
            let read = read_dbt(&source.targets, source.skip, &holidays, asked.now);
            read.map_err(failed)?.0
        }
    };
    Ok(Collected {
        events: None,
        told,
        cursor: Some(mark),
    })
}

/// Looks at files and reads none.
struct Marks {
    hash: XxHash3_128,
}

impl Found for Marks {
    fn wants(&mut self, name: &str, metadata: &Metadata) -> bool {
        let changed = metadata.modified().ok();
        let changed = changed.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let changed = changed.map_or(0, |since| since.as_nanos());
        let mark = format!("{name}\0{}\0{changed}\0", metadata.len());
        self.hash.write(mark.as_bytes());
        false
    }

    fn file(&mut self, _: &str, _: Vec<u8>) -> Result<(), DbtError> {
        Ok(())
    }

    fn left_out(&mut self, _: &str, _: &str) {}

    // Who reads it will say so.
    fn unreadable(&mut self, _: DbtError) -> Result<(), DbtError> {
        Ok(())
    }
}
