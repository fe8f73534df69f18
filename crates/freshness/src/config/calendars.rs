//! Which lists of holidays does `freshness.yaml` name?
//!
//! ```yaml
//! calendars:
//!   PLANT: {file: closures.ics}
//! datasets:
//!   - {match: 'plant_*', calendar: business days PLANT}
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use freshness_core::civil::{HolidayCalendar, Holidays};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::hint::failure;
use crate::sources::read_holidays;

/// A list of holidays as typed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CalendarSection {
    /// A file of iCalendar, or CSV with a column `date`.
    pub file: PathBuf,
}

/// The longest name; those of countries have two letters.
const NAME_MAX: usize = 40;

/// The lists of the user's own, before those that are built in. Paths are meant
/// from `home`.
pub(super) fn read(
    typed: BTreeMap<String, CalendarSection>,
    home: Option<&Path>,
) -> anyhow::Result<Holidays> {
    let mut own = Vec::new();
    for (name, CalendarSection { file }) in typed {
        // What a calendar's text may name.
        let is_name = name.len() <= NAME_MAX
            && name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        if !is_name {
            return Err(failure(
                format_args!("not the name of a list of holidays: {name}"),
                "a letter, then letters, digits, - and _, such as PLANT or DE-OFFICE",
            ));
        }
        let file = home.map_or_else(|| file.clone(), |home| home.join(&file));
        let days = read_holidays(&file).map_err(|error| anyhow!("calendars.{name}: {error}"))?;
        own.push(HolidayCalendar::new(&name.to_ascii_uppercase(), days));
    }
    Ok(Holidays::with_own(own))
}
