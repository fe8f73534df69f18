//! Are promises judged as an oracle judges them, or better where it is weak?
//!
//! `slo_vectors.jsonl` holds what another program answered, measured by
//! running it: `match` is to be reproduced, `improve` to be done as `instead`
//! says. Its cases of durations and merging belong to the loading of a
//! declaration.

use freshness_core::civil::Holidays;
use freshness_core::schedule::TimeOff;
use freshness_core::slo::{
    About, Anomaly, Availability, BreachSeverity, Counts, Direction, Evidence, Filled, Freshness,
    Newest, Objective, Outcome, Quality, Reason, RowCount, Run, RunHistory, Season, ServiceLevels,
    Stage, Verdict, baseline, judge, objectives,
};
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use serde_json::Value;

fn vectors(area: &str) -> Vec<Value> {
    let all = include_str!("../slo_vectors.jsonl").lines();
    let all = all.map(|line| serde_json::from_str::<Value>(line).unwrap());
    let of_area: Vec<Value> = all.filter(|case| case["area"] == area).collect();
    assert!(!of_area.is_empty());
    of_area
}

fn at(text: &str) -> i64 {
    text.parse::<Timestamp>().unwrap().as_second()
}

fn run(environment: &str, finished_at: i64) -> Run {
    Run {
        run_id: format!("run {finished_at}"),
        environment: environment.to_owned(),
        started_at: None,
        finished_at,
        stage: Stage::Normal,
        counts: Counts::default(),
        newest: None,
        source_newest: None,
        filled: None,
    }
}

fn judged(levels: &ServiceLevels, runs: Vec<Run>, now: i64) -> Vec<Verdict> {
    let environment = runs.first().map_or("", |run| run.environment.as_str());
    let environment = environment.to_owned();
    let history = RunHistory::new(&environment, runs);
    judge(
        levels,
        &history,
        TimeOff::holidays(&Holidays::builtin()),
        now,
    )
}

/// The newest of values as a look at a column finds it: a naive time is UTC, a
/// date its midnight, ten digits are seconds.
fn look(values: &[Value]) -> Newest {
    let read = |value: &Value| -> Option<i64> {
        let text = match value {
            Value::Number(n) => n.to_string(),
            value => value.as_str()?.to_owned(),
        };
        let utc = |time: DateTime| {
            let utc = jiff::tz::Offset::UTC.to_timestamp(time).unwrap();
            utc.as_second()
        };
        // Cut off, not rounded: data is never made younger.
        let floor = |at: Timestamp| at.as_nanosecond().div_euclid(1_000_000_000) as i64;
        match (text.len(), text.parse::<i64>()) {
            (10, Ok(seconds)) => Some(seconds),
            (13, Ok(millis)) => Some(millis.div_euclid(1_000)),
            _ => (text.parse::<Timestamp>().ok().map(floor))
                .or_else(|| text.parse::<DateTime>().ok().map(utc))
                .or_else(|| Some(utc(text.parse::<Date>().ok()?.at(0, 0, 0, 0)))),
        }
    };
    let given: Vec<&Value> = values.iter().filter(|value| !value.is_null()).collect();
    let unreadable: Vec<&&Value> = given.iter().filter(|value| read(value).is_none()).collect();
    let newest = given.iter().filter_map(|value| read(value)).max();
    match (newest, unreadable.first()) {
        _ if values.is_empty() => Newest::NoRows,
        (Some(at), None) => Newest::At(at),
        (Some(at), Some(value)) => Newest::Partly {
            at,
            n_unreadable: unreadable.len() as u64,
            value: value.to_string(),
        },
        (None, Some(value)) => Newest::Unreadable(value.to_string()),
        (None, None) => Newest::AllNull,
    }
}

fn hours(value: &Value) -> Option<f64> {
    let text = match value {
        Value::Null => return None,
        Value::Number(n) => return Some(n.as_f64().unwrap() * 3_600.0),
        value => value.as_str().unwrap(),
    };
    let hours: f64 = text.strip_suffix('h')?.parse().ok()?;
    Some(hours * 3_600.0)
}

fn of(verdicts: &[Verdict], objective: Objective) -> Option<&Verdict> {
    verdicts
        .iter()
        .find(|verdict| verdict.objective == objective)
}

/// Do both hold, of field and of source?
fn holds(verdicts: &[Verdict]) -> bool {
    !verdicts.is_empty()
        && verdicts
            .iter()
            .all(|verdict| verdict.passes() == Some(true))
}

#[test]
fn freshness_is_judged_as_the_oracle_does_or_better() {
    for case in vectors("freshness_contract") {
        let (name, input, expected) = (
            case["case"].as_str().unwrap(),
            &case["input"],
            &case["expected"],
        );
        let text = |key: &str| input[key].as_str().map(str::to_owned);
        let now = at(input["now"].as_str().unwrap());
        let columns = &input["timestamps"];
        let column = |field: Option<&str>| -> Option<Newest> {
            let values = match columns {
                Value::Object(columns) => match columns.get(field?) {
                    Some(values) => values,
                    None => return Some(Newest::NoColumn),
                },
                values => values,
            };
            field.map(|_| look(values.as_array().unwrap()))
        };
        let freshness = Freshness {
            threshold: hours(&input["threshold"]),
            field: text("field"),
            source_threshold: hours(&input["source_threshold"]),
            source_field: text("source_field"),
            ..Freshness::default()
        };
        let mut look = run("prod", now);
        look.newest = column(freshness.field.as_deref());
        look.source_newest = column(freshness.source_field.as_deref());
        let levels = ServiceLevels {
            freshness: Some(freshness),
            ..ServiceLevels::default()
        };
        let verdicts = judged(&levels, vec![look], now);
        let main = of(&verdicts, Objective::Freshness);
        let source = of(&verdicts, Objective::SourceFreshness);
        let because =
            |verdict: Option<&Verdict>| verdict.and_then(|of| of.outcome.because().cloned());
        match case["stance"].as_str().unwrap() {
            "match" => {
                assert_eq!(
                    Some(holds(&verdicts)),
                    expected["passed"].as_bool(),
                    "{name}"
                );
                // Fractions of a second are cut off the time, so an age may be
                // a second more, and never less.
                let is_about = |verdict: Option<&Verdict>, delay: &Value| {
                    let age = verdict.and_then(|of| of.evidence.age_seconds).unwrap();
                    (0.0..=1.0).contains(&(age as f64 - delay.as_f64().unwrap()))
                };
                assert!(is_about(main, &expected["delay_seconds"]), "{name}");
                if expected.get("source_passed").is_some() {
                    assert!(
                        is_about(source, &expected["source_delay_seconds"]),
                        "{name}"
                    );
                }
            }
            "improve" => match name.strip_prefix("freshness/").unwrap() {
                "future_timestamp" => {
                    assert!(main.unwrap().outcome.is_breach(), "{name}");
                    let ahead_seconds = 34_560_000;
                    assert_eq!(because(main), Some(Reason::Future { ahead_seconds }));
                }
                "all_null" => {
                    assert!(main.unwrap().outcome.is_breach(), "{name}");
                    assert_eq!(because(main), Some(Reason::AllNull));
                }
                // Refused when a declaration is loaded; what is not declared is
                // not judged.
                "no_threshold" | "crashing_threshold" => {
                    assert_eq!(objectives(&levels), []);
                }
                "no_field" => assert!(case["instead"].as_str().unwrap().contains("load error")),
                "string_lexicographic_max" => {
                    assert!(holds(&verdicts), "{name}");
                    let age = main.unwrap().evidence.age_seconds;
                    assert_eq!(age, Some(45_000));
                }
                "string_garbage" => {
                    let value = "\"not a date\"".to_owned();
                    assert_eq!(main.unwrap().passes(), None);
                    assert_eq!(because(main), Some(Reason::Unreadable { value }));
                }
                "string_mixed_garbage" => {
                    assert!(holds(&verdicts), "{name}");
                    let Evidence {
                        n_unreadable,
                        unreadable,
                        ..
                    } = &main.unwrap().evidence;
                    assert_eq!(
                        (*n_unreadable, unreadable.as_deref()),
                        (Some(1), Some("\"unknown\""))
                    );
                }
                "int_epoch_seconds" | "duckdb_engine_polars_frame" | "spark_engine" => {
                    assert!(holds(&verdicts), "{name}");
                    assert_eq!(main.unwrap().evidence.age_seconds, Some(3_600));
                }
                "source_stale_main_fresh" => {
                    assert!(!holds(&verdicts), "{name}");
                    assert!(source.unwrap().outcome.is_breach());
                }
                "source_missing_col" => {
                    let column = "zz".to_owned();
                    assert_eq!(because(source), Some(Reason::NoColumn { column }));
                    assert!(source.unwrap().outcome.is_doubt());
                }
                "source_only_no_field" => {
                    assert!(main.is_none());
                    assert_eq!(source.unwrap().passes(), Some(true));
                }
                other => panic!("what should be done: {other}"),
            },
            other => panic!("unknown stance: {other}"),
        }
    }
}

#[test]
fn availability_is_judged_as_the_oracle_does_or_better() {
    for case in vectors("availability") {
        let (name, input, expected) = (
            case["case"].as_str().unwrap(),
            &case["input"],
            &case["expected"],
        );
        let threshold = match &input["threshold_pct"] {
            Value::String(text) => text.parse().ok(),
            value => value.as_f64(),
        };
        let Some(threshold) = threshold else {
            assert!(case["instead"].as_str().unwrap().contains("load error"));
            continue;
        };
        let values = &input["values"];
        let (non_null, total) = match (input["engine"].as_str(), values) {
            // That engine hands over no rows at all.
            (Some("duckdb"), _) => (0, 0),
            (_, Value::Array(values)) => {
                let filled = values.iter().filter(|value| !value.is_null());
                (filled.count() as u64, values.len() as u64)
            }
            (_, counts) => {
                let of = |key: &str| counts[key].as_u64().unwrap();
                (of("non_null"), of("non_null") + of("null"))
            }
        };
        let now = 1_773_662_400;
        let mut look = run("prod", now);
        look.filled = Some(Filled::Rows { non_null, total });
        let levels = ServiceLevels {
            availability: Some(Availability {
                threshold,
                field: "c".to_owned(),
                ..Availability::default()
            }),
            ..ServiceLevels::default()
        };
        let verdicts = judged(&levels, vec![look], now);
        assert_eq!(
            Some(holds(&verdicts)),
            expected["passed"].as_bool(),
            "{name}"
        );
        assert_eq!(
            verdicts[0].evidence.actual,
            expected["actual_pct"].as_f64(),
            "{name}"
        );
    }
}

#[test]
fn quality_is_judged_as_the_oracle_does_or_better() {
    for case in vectors("quality") {
        let (name, input, expected) = (
            case["case"].as_str().unwrap(),
            &case["input"],
            &case["expected"],
        );
        let count = |key: &str| input["counts"][key].as_u64();
        let now = 1_773_662_400;
        let mut look = run("prod", now);
        look.counts = Counts {
            source: count("source"),
            total: count("total"),
            good: count("good"),
            quarantined: count("quarantined"),
        };
        let quality = &input["quality"];
        let levels = ServiceLevels {
            quality: Some(Quality {
                min_good_ratio: quality["min_good_ratio"].as_f64(),
                max_quarantine_ratio: quality["max_quarantine_ratio"].as_f64(),
                ..Quality::default()
            }),
            ..ServiceLevels::default()
        };
        let verdict = judged(&levels, vec![look], now).remove(0);
        if case["stance"] == "improve" {
            assert!(verdict.outcome.is_doubt(), "{name}");
            continue;
        }
        let expected = &expected["results"][0];
        assert_eq!(verdict.passes(), expected["passed"].as_bool(), "{name}");
        let Evidence {
            good_ratio,
            quarantine_ratio,
            ..
        } = verdict.evidence;
        assert_eq!(good_ratio, expected["good_ratio"].as_f64(), "{name}");
        assert_eq!(
            quarantine_ratio,
            expected["quarantine_ratio"].as_f64(),
            "{name}"
        );
    }
}

fn anomaly(config: &Value) -> Anomaly {
    let mut anomaly = Anomaly {
        method: serde_json::from_value(config["method"].clone()).unwrap(),
        ..Anomaly::default()
    };
    let number = |key: &str| config.get(key).and_then(Value::as_f64);
    let whole = |key: &str| number(key).map(|n| n as u32);
    anomaly.lookback_runs = whole("lookback_runs").unwrap_or(anomaly.lookback_runs);
    anomaly.lookback_days = whole("lookback_days").unwrap_or(anomaly.lookback_days);
    anomaly.min_ratio = number("min_ratio").unwrap_or(anomaly.min_ratio);
    anomaly.max_ratio = number("max_ratio").unwrap_or(anomaly.max_ratio);
    anomaly.critical_ratio = number("critical_ratio").unwrap_or(anomaly.critical_ratio);
    anomaly.min_runs_before_enforcement =
        whole("min_runs_before_enforcement").unwrap_or(anomaly.min_runs_before_enforcement);
    anomaly
}

#[test]
fn a_usual_number_of_rows_is_reckoned_as_the_oracle_does() {
    for case in vectors("anomaly") {
        let (name, input, expected) = (
            case["case"].as_str().unwrap(),
            &case["input"],
            &case["expected"],
        );
        let anomaly = anomaly(&input["config"]);
        let when = |row: &Value| row["timestamp"].as_str().unwrap().parse::<Timestamp>().ok();
        let judged_at = when(&input["judged"]).unwrap().as_second();
        let history = input["history_newest_first"].as_array().unwrap();
        if !input["actual"].is_u64() {
            // Shares instead of rows: what is usual is reckoned all the same.
            let earlier = history
                .iter()
                .map(|row| (when(row).unwrap().as_second(), row["cnt"].as_f64().unwrap()));
            let usual = baseline(judged_at, earlier, &anomaly).unwrap();
            assert!((usual.expected - expected["baseline"].as_f64().unwrap()).abs() < 1e-9);
            continue;
        }
        let told = |row: &Value, i: usize| -> Option<Run> {
            let environment = row["environment"].as_str().unwrap_or("prod");
            let mut told = run(environment, when(row)?.as_second());
            told.run_id = format!("{i}");
            told.counts.source = row["cnt"].as_u64();
            Some(told)
        };
        let judged_run = told(&input["judged"], history.len()).unwrap();
        let environment = judged_run.environment.clone();
        let earlier = history.iter().enumerate();
        let earlier = earlier.filter_map(|(i, row)| told(row, i));
        let runs = RunHistory::new(&environment, earlier.chain([judged_run]));
        let levels = ServiceLevels {
            row_count: Some(RowCount {
                about: About {
                    critical: true,
                    ..About::default()
                },
                anomaly: Some(anomaly.clone()),
                ..RowCount::default()
            }),
            ..ServiceLevels::default()
        };
        let verdict = judge(
            &levels,
            &runs,
            TimeOff::holidays(&Holidays::builtin()),
            judged_at,
        )
        .remove(0);
        let Evidence {
            expected: usual,
            floor,
            ceiling,
            ratio,
            samples,
            direction,
            season,
            ..
        } = verdict.evidence.clone();
        let number = |key: &str| expected[key].as_f64();
        assert_eq!(usual, number("baseline"), "{name}");
        if usual.is_none() {
            assert!(
                matches!(
                    verdict.outcome.because(),
                    Some(Reason::NotEnoughRuns { .. })
                ),
                "{name}"
            );
            continue;
        }
        assert_eq!(
            (floor, ceiling),
            (number("floor"), number("ceiling")),
            "{name}"
        );
        assert!(
            (ratio.unwrap() - number("ratio").unwrap()).abs() < 1e-6,
            "{name}"
        );
        assert_eq!(
            samples.map(u64::from),
            expected["samples"].as_u64(),
            "{name}"
        );
        let is_seasonal = season == Some(Season::Weekday);
        assert_eq!(Some(is_seasonal), expected["seasonal"].as_bool(), "{name}");
        assert_eq!(
            serde_json::to_value(verdict.evidence.method).unwrap(),
            expected["method"]
        );
        assert_eq!(verdict.passes(), expected["passed"].as_bool(), "{name}");
        let severity = match verdict.outcome {
            Outcome::Breached {
                severity: BreachSeverity::Critical,
                ..
            } => "critical",
            Outcome::Breached { .. } => "warn",
            _ => "pass",
        };
        assert_eq!(severity, expected["severity"], "{name}");
        let direction = match direction {
            Some(Direction::Drop) => Some("drop"),
            Some(Direction::Spike) => Some("spike"),
            None => None,
        };
        assert_eq!(direction, expected["direction"].as_str(), "{name}");
    }
}
