//! What exists, what is made from what, and what is it called?

use super::*;

#[test]
fn where_columns_are_told_only_their_datasets_are_parents() {
    let columns = r#""columnLineage":{"fields":{"n":{"inputFields":[{"namespace":"db","name":"x","field":"n"}]}}}"#;
    let inputs = datasets("inputs", "x,y,a");
    check_told(
        &[
            event(
                "START",
                "r1",
                "05:00",
                &format!("{inputs},{}", datasets("outputs", "a,b")),
            ),
            event(
                "COMPLETE",
                "r1",
                "05:20",
                &format!("{inputs},{}", with_facets("a", columns, "")),
            ),
        ],
        "db/a at 05:20 by r1
         db/b at 05:20 by r1
         openlineage:prod: db/a -> db/b
         openlineage:prod: db/x -> db/a
         openlineage:prod: db/x -> db/b
         openlineage:prod: db/y -> db/b",
    );
}

#[test]
fn a_path_is_the_table_that_lies_there() {
    let links = r#""symlinks":{"identifiers":[{"namespace":"hive","name":"shop.orders","type":"TABLE"},{"namespace":"","name":"","type":"TABLE"}]}"#;
    let path = |dt: &str, rows: u64| {
        let one = with_facets(
            &format!("/orders/dt={dt}"),
            links,
            &format!(r#""outputStatistics":{{"rowCount":{rows}}}"#),
        );
        one.trim_start_matches(r#""outputs":["#)
            .trim_end_matches(']')
            .to_owned()
    };
    let out = format!(r#""outputs":[{},{}]"#, path("1", 10), path("2", 5));
    check_told(
        &[
            event("COMPLETE", "r1", "05:20", &out),
            event(
                "COMPLETE",
                "r2",
                "06:20",
                &datasets("outputs", "/orders/dt=1"),
            ),
        ],
        "hive/shop.orders at 05:20 by r1 rows 15
         hive/shop.orders at 06:20 by r2",
    );
}

#[test]
fn a_renamed_dataset_keeps_its_history_under_its_new_name() {
    let rename = r#""lifecycleStateChange":{"lifecycleStateChange":"RENAME","previousIdentifier":{"namespace":"db","name":"old"}}"#;
    let swap = r#""lifecycleStateChange":{"lifecycleStateChange":"RENAME","previousIdentifier":{"namespace":"db","name":"tmp"}}"#;
    check_told(
        &[
            event("COMPLETE", "r1", "05:20", &datasets("outputs", "old")),
            event("COMPLETE", "r2", "06:20", &with_facets("new", rename, "")),
            event("COMPLETE", "r3", "07:20", &datasets("outputs", "tmp")),
            event("COMPLETE", "r4", "07:21", &with_facets("live", swap, "")),
            event("COMPLETE", "r5", "08:20", &datasets("outputs", "tmp")),
        ],
        "db/new at 05:20 by r1
         db/tmp at 07:20 by r3
         db/tmp at 08:20 by r5
         note db/new: renamed from db/old: all of it is told under the new name",
    );
}

#[test]
fn jobs_and_datasets_are_declared_without_arriving() {
    let job = r#"{"eventTime":"2026-03-02T05:00:00Z","job":{"namespace":"prod","name":"j","facets":{"ownership":{"owners":[{"name":"team:shop","type":"OWNER"}]}}},"inputs":[{"namespace":"db","name":"x"}],"outputs":[{"namespace":"db","name":"a"}],"schemaURL":"https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/JobEvent"}"#;
    let dataset = |at: &str, owner: &str| {
        format!(
            r#"{{"eventTime":"2026-03-02T{at}:00Z","dataset":{{"namespace":"db","name":"a","facets":{{"ownership":{{"owners":[{{"name":"{owner}"}},{{"name":"bo"}}]}},"tags":{{"tags":[{{"key":"pii","value":"true","source":"x"}},{{"key":"tier","value":"gold"}},{{"key":"c","field":"n"}}]}}}}}},"schemaURL":"https://openlineage.io/spec/3-1-0/OpenLineage.json#/$defs/DatasetEvent"}}"#
        )
    };
    check_told(
        &[
            dataset("06:00", "ann"),
            dataset("05:00", "zoe"),
            job.to_owned(),
        ],
        "openlineage:db: db/a owner ann, bo tags [\"pii\", \"tier=gold\"]
         openlineage:prod: db/x -> db/a
         openlineage:prod: db/a owner ann, bo tags [\"pii\", \"tier=gold\"]
         note f0 line 1: unknown version of OpenLineage, read as 2-0-2: 3-1-0",
    );
}

#[test]
fn the_owner_of_a_job_owns_what_it_writes_if_nobody_else_does() {
    let event = event("COMPLETE", "r1", "05:20", &datasets("outputs", "a")).replace(
        r#""name":"j""#,
        r#""name":"j","facets":{"ownership":{"owners":[{"name":"ann"}]}}"#,
    );
    check_told(
        &[event],
        "db/a at 05:20 by r1
         openlineage:prod: db/a owner ann tags []",
    );
}

#[test]
fn rows_that_were_counted_of_a_delivery_are_a_measurement_and_a_test_delivers_nothing() {
    let metrics = r#""dataQualityMetrics":{"rowCount":100,"columnMetrics":{"n":{"nullCount":3}}}"#;
    let held = r#""dataQualityAssertions":{"assertions":[{"assertion":"not_null","success":true,"column":"n"}]}"#;
    let failed = held.replace("true", "false");
    let test = format!(
        r#""inputs":[{{"namespace":"db","name":"b","inputFacets":{{{metrics},{failed}}}}}]"#
    );
    check_told(
        &[
            event(
                "COMPLETE",
                "r1",
                "05:20",
                &with_facets(
                    "a",
                    &format!("{metrics},{held}"),
                    r#""outputStatistics":{"rowCount":10}"#,
                ),
            ),
            event(
                "COMPLETE",
                "r2",
                "05:30",
                &with_facets("a", &format!("{metrics},{failed}"), ""),
            ),
            event("FAIL", "r3", "05:40", &test),
        ],
        "db/a at 05:20 by r1 rows 10
         db/a at 05:30 by r2
         run r1 of db/a: Some(10) Some(100) Some(100) Some(0)
         run r2 of db/a: None Some(100) None None
         note db/a: assertions of data quality failed: 1
         note db/b: assertions of data quality failed: 1",
    );
}
