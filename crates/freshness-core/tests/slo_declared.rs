//! Is a declaration read, merged and refused as known cases say?
//!
//! `slo_vectors.jsonl`: what went into an existing implementation of declared
//! service levels, and what came out (`match`), or what should have come out
//! (`improve`). Here the areas of declarations; the others are judged
//! elsewhere from the same file.

use std::collections::BTreeMap;

use freshness_core::civil::Holidays;
use freshness_core::slo::{
    Content, Findings, LEVEL, Node, Place, Scalar, ServiceLevels, checked, service_levels,
};
use proptest::prelude::*;
use serde_json::{Value, json};

const VECTORS: &str = include_str!("slo_vectors.jsonl");

fn vectors(area: &str) -> Vec<Value> {
    let all = VECTORS
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    all.filter(|case: &Value| case["area"] == area).collect()
}

fn place(file: &str) -> Place {
    Place {
        file: file.into(),
        line: 1,
        column: 1,
    }
}

fn node(value: &Value, file: &str) -> Node {
    let holds = match value {
        Value::Null => Content::Cleared,
        Value::Bool(flag) => Content::Value(Scalar::Flag(*flag)),
        Value::Number(n) => Content::Value(match n.as_i64() {
            Some(n) => Scalar::Integer(n),
            None => Scalar::Float(n.as_f64().unwrap()),
        }),
        Value::String(text) => Content::Value(Scalar::Text(text.clone())),
        Value::Array(items) => Content::List(items.iter().map(|item| node(item, file)).collect()),
        Value::Object(keys) => Content::Section {
            afresh: false,
            keys: keys
                .iter()
                .map(|(name, value)| (name.clone(), node(value, file)))
                .collect(),
        },
    };
    Node {
        place: place(file),
        key_place: place(file),
        holds,
    }
}

/// What is said, as JSON; what is cleared is not.
fn said(node: &Node) -> Option<Value> {
    match &node.holds {
        Content::Cleared => None,
        Content::Value(scalar) => Some(serde_json::to_value(scalar).unwrap()),
        Content::List(items) => Some(items.iter().filter_map(said).collect()),
        Content::Section { keys, .. } => {
            let keys: serde_json::Map<String, Value> = keys
                .iter()
                .filter_map(|(name, node)| Some((name.clone(), said(node)?)))
                .collect();
            (!keys.is_empty()).then_some(Value::Object(keys))
        }
    }
}

/// Levels of promises, the most general first: merged, and what they mean.
fn merged(levels: &[&Value]) -> Result<(Value, ServiceLevels), String> {
    let mut found = Findings::default();
    let merged = levels
        .iter()
        .zip(["_domain.yaml", "_system.yaml", "contract.yaml"])
        .map(|(level, file)| {
            let level = json!({ "service_levels": level });
            checked(node(&level, file), LEVEL, "", &mut found)
        })
        .reduce(Node::under)
        .unwrap();
    let nothing = Node::empty(place("contract.yaml"));
    let promises = merged.said("service_levels").unwrap_or(&nothing);
    let meaning = service_levels(promises, &merged, &Holidays::builtin(), &mut found);
    match found.faults.is_empty() {
        true => Ok((said(promises).unwrap_or_else(|| json!({})), meaning)),
        false => {
            let faults = found.faults.iter().map(ToString::to_string);
            Err(faults.collect::<Vec<_>>().join("\n"))
        }
    }
}

fn threshold(value: &Value) -> Result<f64, String> {
    let level = json!({ "freshness": { "field": "a", "threshold": value } });
    let (_, meaning) = merged(&[&level])?;
    Ok(meaning.freshness.unwrap().threshold.unwrap())
}

#[test]
fn durations_are_those_of_the_known_cases() {
    let cases = vectors("duration");
    assert!(cases.len() > 20);
    for case in cases {
        let found = threshold(&case["input"]["value"]);
        match case["instead"].as_str() {
            None => assert_eq!(
                found,
                Ok(case["expected"]["seconds"].as_f64().unwrap()),
                "{case}"
            ),
            Some(instead) => match instead.strip_suffix(" s").map(str::parse::<f64>) {
                Some(Ok(seconds)) => assert_eq!(found, Ok(seconds), "{case}"),
                _ => {
                    assert!(instead.contains("load error"), "{case}");
                    let error = found.unwrap_err();
                    assert!(
                        error.contains("service_levels.freshness.threshold"),
                        "{error}"
                    );
                }
            },
        }
    }
}

#[test]
fn levels_are_merged_as_in_the_known_cases() {
    let cases = vectors("merge");
    assert!(cases.len() >= 10);
    for case in cases {
        let input = &case["input"];
        let found = merged(&[&input["domain"], &input["system"], &input["contract"]]);
        match case["instead"].as_str() {
            None => assert_eq!(found.unwrap().0, case["expected"]["merged"], "{case}"),
            Some(instead) if instead.contains("load error") => {
                let error = found.unwrap_err();
                assert!(error.contains(".yaml:1:1: service_levels"), "{error}");
            }
            Some(_) => {
                assert_eq!(case["case"], "merge/shorthand_threshold");
                let expected = json!({ "freshness": { "threshold": "1h", "field": "a" } });
                assert_eq!(found.unwrap().0, expected);
            }
        }
    }
}

/// A section of a case: what was not given is not said.
fn section(pairs: [(&str, &Value); 4]) -> Value {
    let said = pairs.into_iter().filter(|(_, value)| !value.is_null());
    Value::Object(
        said.map(|(key, value)| (key.to_owned(), value.clone()))
            .collect(),
    )
}

#[test]
fn promises_of_the_known_cases_load_unless_they_should_not() {
    let nothing = Value::Null;
    let mut n_refused = 0;
    for area in ["freshness_contract", "availability", "quality"] {
        for case in vectors(area) {
            let input = &case["input"];
            let level = match area {
                "freshness_contract" => json!({ "freshness": section([
                    ("field", &input["field"]),
                    ("threshold", &input["threshold"]),
                    ("source_field", &input["source_field"]),
                    ("source_threshold", &input["source_threshold"]),
                ]) }),
                "availability" => json!({ "availability": section([
                    ("field", &input["field"]),
                    ("threshold", &input["threshold_pct"]),
                    ("", &nothing),
                    ("", &nothing),
                ]) }),
                _ => json!({ "quality": input["quality"] }),
            };
            // 1h30m made the measured implementation fail; it is a duration.
            let should_load = case["case"] == "freshness/crashing_threshold"
                || !case["instead"]
                    .as_str()
                    .is_some_and(|text| text.starts_with("a load error"));
            let found = merged(&[&level]);
            assert_eq!(found.is_ok(), should_load, "{case}\n{found:?}");
            n_refused += u32::from(found.is_err());
        }
    }
    assert_eq!(n_refused, 3);
}

#[test]
fn a_share_where_a_percentage_is_expected_is_odd() {
    let mut found = Findings::default();
    let level =
        json!({ "service_levels": { "availability": { "field": "c", "threshold": 0.999 } } });
    checked(node(&level, "contract.yaml"), LEVEL, "", &mut found);
    assert_eq!(
        found.oddities[0].to_string(),
        "contract.yaml:1:1: service_levels.availability.threshold: a percentage is expected: \
         this is 0.999 percent, not 99.9 percent"
    );
}

#[track_caller]
fn check_refused(level: &Value, errors: &[&str]) {
    let found = merged(&[level]).unwrap_err();
    assert_eq!(found.lines().collect::<Vec<_>>(), errors);
}

#[test]
fn half_a_promise_is_refused() {
    check_refused(
        &json!({ "freshness": { "threshold": "1h" } }),
        &["_domain.yaml:1:1: service_levels.freshness.threshold: field is required with it"],
    );
    check_refused(
        &json!({ "freshness": { "source_field": "a" }, "availability": { "field": "a" } }),
        &[
            "_domain.yaml:1:1: service_levels.freshness.source_field: source_threshold is required with it",
            "_domain.yaml:1:1: service_levels.availability.field: threshold is required with it",
        ],
    );
    check_refused(
        &json!({ "row_count": { "min_rows": 3, "max_rows": 2 } }),
        &[
            "_domain.yaml:1:1: service_levels.row_count.min_rows: 3 is more than 2, the most there may be",
        ],
    );
}

#[test]
fn a_value_of_a_wrong_type_is_refused_with_what_was_expected() {
    check_refused(
        &json!({
            "availability": { "threshold": 120, "field": ["a"] },
            "freshness": { "deadline": 7, "timezone": "Mars/Olympus", "calendar": "hourly" },
            "quality": [1],
            "row_count": { "min_rows": -1, "warn_only": "perhaps", "check_field": "counts" },
        }),
        &[
            "_domain.yaml:1:1: service_levels.availability.field: expected text, found a list",
            "_domain.yaml:1:1: service_levels.availability.threshold: expected a percentage from 0 to 100: 120",
            "_domain.yaml:1:1: service_levels.freshness.calendar: a calendar of days is needed, such as Mon-Fri or business days DE: hourly",
            "_domain.yaml:1:1: service_levels.freshness.deadline: expected a time of day such as 07:30, found a number",
            "_domain.yaml:1:1: service_levels.freshness.timezone: unknown time zone: Mars/Olympus",
            "_domain.yaml:1:1: service_levels.quality: expected keys, found a list",
            "_domain.yaml:1:1: service_levels.row_count.check_field: expected one of counts_source, counts_good, counts_total: counts",
            "_domain.yaml:1:1: service_levels.row_count.min_rows: expected a whole number from 0 to 2^53: -1",
            "_domain.yaml:1:1: service_levels.row_count.warn_only: expected true or false, found text",
        ],
    );
}

#[test]
fn what_could_never_be_enforced_is_refused() {
    let anomaly = |anomaly: Value| json!({ "row_count": { "anomaly": anomaly } });
    let at = "_domain.yaml:1:1: service_levels.row_count.anomaly";
    let runs = format!(
        "{at}.min_runs_before_enforcement: 20 is more than lookback_runs (14), so it would never be enforced"
    );
    for method in ["median", "rolling_average"] {
        let of = json!({ "method": method, "min_runs_before_enforcement": 20 });
        check_refused(&anomaly(of), &[&runs]);
    }
    let of = json!({ "method": "seasonal_median", "min_runs_before_enforcement": 20 });
    assert!(merged(&[&anomaly(of)]).is_ok());
    let of = json!({ "method": "median", "lookback_runs": 3 });
    let unsaid = format!(
        "{at}.min_runs_before_enforcement: 5 is more than lookback_runs (3), so it would never be enforced"
    );
    check_refused(&anomaly(of), &[&unsaid]);
    let of = json!({ "critical_ratio": 0.6 });
    let ratio = format!(
        "{at}.critical_ratio: 0.6 is more than min_ratio (0.5), so it would never be enforced"
    );
    check_refused(&anomaly(of), &[&ratio]);
}

#[test]
fn a_whole_number_in_quotes_or_too_large_to_count_with_is_refused() {
    let rows = |value: Value| json!({ "row_count": { "min_rows": value } });
    let at = "_domain.yaml:1:1: service_levels.row_count.min_rows: expected a whole number from 0 to 2^53";
    check_refused(&rows(json!("100")), &[&format!("{at}, found text")]);
    check_refused(
        &rows(json!(9_007_199_254_740_993_u64)),
        &[&format!("{at}: 9007199254740993")],
    );
    assert!(merged(&[&rows(json!("1_000"))]).is_ok());
}

#[test]
fn a_null_section_switches_off_and_an_empty_one_inherits() {
    let domain = json!({ "freshness": { "threshold": "1h", "field": "a" } });
    for (system, holds) in [
        (json!({ "freshness": {} }), true),
        (json!({ "freshness": null }), false),
        (json!({}), true),
        (Value::Null, true),
    ] {
        let (_, meaning) = merged(&[&domain, &system]).unwrap();
        assert_eq!(meaning.freshness.is_some(), holds, "{system}");
    }
    // Switched off and said anew: nothing comes back of what was before.
    let off = json!({ "freshness": null });
    let anew = json!({ "freshness": { "source_field": "b", "source_threshold": "2h" } });
    let (_, meaning) = merged(&[&domain, &off, &anew]).unwrap();
    assert_eq!(meaning.freshness.unwrap().field, None);
}

#[test]
fn who_owns_a_promise_and_how_severe_it_is_comes_from_the_innermost_level_that_says_it() {
    let mut found = Findings::default();
    let level = json!({
        "owner": "ann",
        "severity": "warning",
        "service_levels": {
            "description": "of all",
            "freshness": { "threshold": 24, "field": "a", "severity": "critical" },
            "quality": { "min_good_ratio": "99 %", "owner": "bob" },
        },
    });
    let level = checked(node(&level, "contract.yaml"), LEVEL, "", &mut found);
    let promises = level.said("service_levels").unwrap();
    let meaning = service_levels(promises, &level, &Holidays::builtin(), &mut found);
    assert!(found.faults.is_empty(), "{found:?}");
    let freshness = meaning.freshness.unwrap().about;
    assert_eq!(freshness.owner.as_deref(), Some("ann"));
    assert!(freshness.critical);
    let quality = meaning.quality.unwrap();
    assert_eq!(quality.min_good_ratio, Some(0.99));
    assert_eq!(quality.about.owner.as_deref(), Some("bob"));
    assert_eq!(quality.about.description.as_deref(), Some("of all"));
    assert!(!quality.about.critical);
}

fn any_content() -> impl Strategy<Value = Content> {
    let leaf = prop_oneof![
        Just(Content::Cleared),
        (0..3_i64).prop_map(|n| Content::Value(Scalar::Integer(n))),
        proptest::collection::vec(0..3_i64, 0..3).prop_map(|items| {
            let item = |n| any_node("list")(Content::Value(Scalar::Integer(n)));
            Content::List(items.into_iter().map(item).collect())
        }),
    ];
    leaf.prop_recursive(3, 24, 3, |inner| {
        let keys = proptest::collection::btree_map("[abc]", inner, 0..4);
        (keys, any::<bool>()).prop_map(|(keys, afresh)| Content::Section {
            afresh,
            keys: keys
                .into_iter()
                .map(|(name, holds)| (name, any_node("level")(holds)))
                .collect::<BTreeMap<_, _>>(),
        })
    })
}

fn any_node(file: &'static str) -> impl Fn(Content) -> Node {
    move |holds| Node {
        place: place(file),
        key_place: place(file),
        holds,
    }
}

/// The same tree, said in another file.
fn in_file(node: Node, file: &str) -> Node {
    let holds = match node.holds {
        Content::Section { afresh, keys } => Content::Section {
            afresh,
            keys: keys
                .into_iter()
                .map(|(name, node)| (name, in_file(node, file)))
                .collect(),
        },
        holds => holds,
    };
    Node {
        place: place(file),
        key_place: place(file),
        holds,
    }
}

proptest! {
    #[test]
    fn it_does_not_matter_which_levels_are_merged_first(
        levels in [any_content(), any_content(), any_content()]
    ) {
        let [a, b, c] = levels.map(any_node("any"));
        let (a, b, c) = (in_file(a, "a"), in_file(b, "b"), in_file(c, "c"));
        let outside_in = a.clone().under(b.clone()).under(c.clone());
        prop_assert_eq!(outside_in, a.under(b.under(c)));
    }

    #[test]
    fn a_level_under_itself_is_itself(level in any_content()) {
        let level = any_node("any")(level);
        prop_assert_eq!(level.clone().under(level.clone()), level);
    }
}
