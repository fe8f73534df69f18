//! Where is a team told?
//!
//! ```yaml
//! teams:
//!   finance:
//!     owner: ann
//!     routes: [slack:#data-oncall, "mailto:ann@example.org", "env:PAGER_URL"]
//! ```
//!
//! A route is a way and where it leads, `slack:#data-oncall`. Nothing is sent along
//! it: it goes with each incident into the JSON of `check` and `incidents`, for a script
//! that sends. So a secret, such as the address of a webhook, may not be in it:
//! `env:NAME` and `file:PATH` say where one is.

use serde::{Deserialize, Deserializer, de};

/// A route that is longer is none.
const BYTES_MAX: usize = 500;

const EXPECTED: &str = "expected a way and where it leads, such as slack:#data-oncall, \
                        mailto:ann@example.org or env:PAGER_URL";

/// The routes of a team, as typed.
pub(super) fn routes<'de, D: Deserializer<'de>>(typed: D) -> Result<Vec<String>, D::Error> {
    let routes = Option::<Vec<Option<String>>>::deserialize(typed)?.unwrap_or_default();
    let Some(routes) = routes.into_iter().collect::<Option<Vec<String>>>() else {
        return Err(de::Error::custom(format_args!(
            "not a route: null: {EXPECTED}"
        )));
    };
    match routes.iter().find_map(|route| fault(route)) {
        Some(fault) => Err(de::Error::custom(fault)),
        None => Ok(routes),
    }
}

/// What is wrong with a route. One that may hold a secret is not repeated.
fn fault(route: &str) -> Option<String> {
    let is_scheme = |way: &str| {
        way.starts_with(|c: char| c.is_ascii_lowercase())
            && (way.bytes()).all(|c| matches!(c, b'a'..=b'z' | b'0'..=b'9' | b'+' | b'.' | b'-'))
    };
    let is_one_word = |rest: &str| {
        let is_odd = |c: char| c.is_whitespace() || c.is_control();
        !rest.is_empty() && !rest.contains(is_odd)
    };
    let Some((way, rest)) = route.split_once(':') else {
        return Some(format!("not a route: {}: {EXPECTED}", route.escape_debug()));
    };
    if !is_scheme(way) || !is_one_word(rest) || route.len() > BYTES_MAX {
        return Some(format!("not a route: {}: {EXPECTED}", way.escape_debug()));
    }
    match way {
        "http" | "https" => {
            let place = rest.strip_prefix("//").unwrap_or_default();
            let host = place.split('/').next().unwrap_or_default();
            if host.is_empty() {
                return Some(format!("not a route: {way}: expected {way}://host/path"));
            }
            // Whoever knows the path of a webhook may write to it.
            let is_bare = place.trim_end_matches('/') == host;
            (host.contains('@') || place.contains('?') || !is_bare).then(|| {
                "an address with a path, a password or a query may hold a secret: \
                 name the variable that holds it, `env:NAME`, or the file, `file:PATH`"
                    .to_owned()
            })
        }
        "mailto" if !rest.contains('@') => Some(format!("not an address: {rest}")),
        "env" => {
            let is_name = rest.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
            (!is_name).then(|| "expected the name of a variable after `env:`".to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_is_a_way_and_where_it_leads_and_holds_no_secret() {
        for route in [
            "slack:#data-oncall",
            "mailto:a@b",
            "https://pager.example",
            "pagerduty:P12",
            "env:PAGER_URL",
            "file:/run/secrets/hook",
        ] {
            assert_eq!(fault(route), None, "{route}");
        }
        for (route, said) in [
            ("", "not a route: : "),
            ("ann", "not a route: ann: expected a way and where it leads"),
            ("slack:", "not a route: slack: "),
            ("slack:a b", "not a route: slack: "),
            ("Slack:#a", "not a route: Slack: "),
            (
                "https:pager",
                "not a route: https: expected https://host/path",
            ),
            ("https://a:hunter2@b/c", "may hold a secret"),
            ("https://b/c?token=hunter2", "may hold a secret"),
            ("https://hooks.b/services/hunter2", "may hold a secret"),
            ("mailto:ann", "not an address: ann"),
            ("env:https://x", "expected the name of a variable"),
        ] {
            let fault = fault(route).unwrap();
            assert!(
                fault.contains(said) && !fault.contains("hunter2"),
                "{fault}"
            );
        }
    }
}
