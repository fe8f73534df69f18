//! Which badges stand beside the page, and what are their files called?
//!
//! Three for each dashboard: a picture, a piece of HTML, and the answer for the
//! endpoint badge of shields.io. A name that is not safe as a file's on every
//! system is made so, and told from others by its hash.

use freshness_core::dashboard::Dashboard;
use freshness_core::trust::Trust;
use jiff::Timestamp;
use twox_hash::XxHash3_64;

use crate::outputs::badge::Badge;

/// A file of the folder `badges`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadgeFile {
    /// Its name.
    pub name: String,
    /// What stands in it.
    pub text: String,
}

/// Letters of a name that are kept.
const LETTERS: usize = 80;
/// How the badges begin, whatever dashboard they are of.
const BEGINNINGS: [&str; 3] = [
    r#"<svg xmlns="http://www.w3.org/2000/svg" width=""#,
    r#"<div lang="en" style="display:inline-block;"#,
    r#"{"schemaVersion":1,"label":"#,
];

/// The badges of all dashboards.
pub fn badges(dashboards: &[(Dashboard, Trust)], as_of: Timestamp) -> Vec<BadgeFile> {
    dashboards
        .iter()
        .flat_map(|(dashboard, trust)| {
            let badge = Badge::of(dashboard, trust, as_of);
            let stem = stem(dashboard.id.as_str());
            [
                ("svg", badge.svg()),
                ("html", badge.html()),
                ("json", badge.shields()),
            ]
            .map(|(extension, text)| BadgeFile {
                name: format!("{stem}.{extension}"),
                text,
            })
        })
        .collect()
}

/// Was a file written by [`badges`]? One of a dashboard that is gone would go
/// on saying what is not known any more.
pub fn is_badge(text: &[u8]) -> bool {
    BEGINNINGS
        .iter()
        .any(|beginning| text.starts_with(beginning.as_bytes()))
}

/// The name of a dashboard's files, without what says their kind.
pub(super) fn stem(id: &str) -> String {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c);
    let plain: String = id
        .chars()
        .take(LETTERS)
        .map(|c| c.to_ascii_lowercase())
        .map(|c| if is_plain(c) { c } else { '-' })
        .collect();
    // `con` and `nul` are devices on some systems.
    match plain == id && id.len() > 4 {
        true => plain,
        false => format!("{plain}-{:08x}", XxHash3_64::oneshot(id.as_bytes()) as u32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_no_file_name_is_made_one() {
        assert_eq!(stem("board_report"), "board_report");
        assert_eq!(stem("../../etc/passwd"), "------etc-passwd-2d201361");
        assert_ne!(stem("Board_report"), stem("board_report"));
        assert_ne!(stem("a/b/c/d"), stem("a.b.c.d"));
        assert!(stem("con").starts_with("con-"));
        assert!(stem(&"ü".repeat(1_000)).len() < 100);
    }
}
