//! What is said of mistakes in a folder of promises?

use super::*;

#[test]
fn all_mistakes_of_all_files_are_told_and_nothing_is_imported() {
    check_refused(
        &[
            (
                "slo/_domain.yaml",
                "service_levels:\n  freshness:\n    treshold: 60m\n    field: a\n",
            ),
            (
                "slo/a.yaml",
                "dataset: a\nservice_levels:\n  quality: [1]\n  sla: 1\n",
            ),
            ("slo/b.yaml", "dataset: b\nowner: x\nowner: y\n"),
            ("slo/c.yaml", "datset: c\nservice_levels: {}\n"),
            ("slo/contract.yaml", "# nothing\n"),
            ("slo/good.yaml", "dataset: good\n"),
            (
                "slo/sub/_system.yaml",
                "service_levels: { freshness: { threshold: null } }\n",
            ),
            ("slo/sub/_sistem.yaml", "service_levels: {}\n"),
            (
                "slo/sub/d.yaml",
                "dataset: ' d'\nservice_levels:\n  freshness:\n    threshold: 1mo\n    field: a\n  row_count: { check_field: counts_god }\n",
            ),
        ],
        "\
error: 10 mistakes in service levels; nothing was imported
  slo/_domain.yaml:3:5: service_levels.freshness.treshold: unknown key (did you mean `threshold`?)
  slo/a.yaml:3:12: service_levels.quality: expected keys, found a list
  slo/a.yaml:4:3: service_levels.sla: unknown key (known keys here: freshness, availability, row_count, quality, schedule, description, owner, severity)
  slo/b.yaml:3:1: key given twice: owner
  slo/c.yaml:1:1: datset: unknown key (did you mean `dataset`?)
  slo/contract.yaml: a contract names its `dataset`
  slo/sub/_sistem.yaml: a name that begins with _ is that of a level (did you mean `_system`?)
  slo/sub/d.yaml:1:10: dataset: dataset id begins or ends with white space: \" d\"
  slo/sub/d.yaml:4:16: service_levels.freshness.threshold: a month or year is not a fixed length: 1mo
  slo/sub/d.yaml:6:29: service_levels.row_count.check_field: expected one of counts_source, counts_good, counts_total: counts_god (did you mean `counts_good`?)
",
    );
}

#[test]
fn a_promise_that_a_level_spoils_is_told_where_it_is_spoilt() {
    check_refused(
        &[
            (
                "slo/_domain.yaml",
                "service_levels: { freshness: { threshold: 60m, field: a } }\n",
            ),
            (
                "slo/b/_system.yaml",
                "service_levels:\n  freshness:\n    threshold: null\n",
            ),
            ("slo/b/c.yaml", "dataset: c\n"),
            ("slo/d.yaml", "dataset: d\n"),
        ],
        "\
error: 1 mistake in service levels; nothing was imported
  slo/b/_system.yaml:3:16: service_levels.freshness.threshold: cleared, but field needs it (_domain.yaml:1:55); so it is for b/c.yaml
",
    );
}

#[test]
fn a_mistake_of_a_level_hides_no_mistake_of_another_file() {
    check_refused(
        &[
            (
                "slo/_domain.yaml",
                "ownr: ann\nservice_levels: { freshness: { threshold: [] } }\n",
            ),
            ("slo/a.yaml", "dataset: ' a'\n"),
            (
                "slo/b.yaml",
                "dataset: b\nservice_levels: { freshness: { field: x, weekdays: Mon, calendar: daily } }\n",
            ),
            ("slo/sub/_system.yaml", "owner: [\n"),
            (
                "slo/sub/c.yaml",
                "dataset: c\nservice_levels: { row_count: { min_rows: 2, max_rows: 1 } }\n",
            ),
        ],
        "\
error: 6 mistakes in service levels; nothing was imported
  slo/_domain.yaml:1:1: ownr: unknown key (did you mean `owner`?)
  slo/_domain.yaml:2:43: service_levels.freshness.threshold: expected a duration such as 6h, 1h30m or 2 days, found a list
  slo/a.yaml:1:10: dataset: dataset id begins or ends with white space: \" a\"
  slo/b.yaml:2:67: service_levels.freshness.calendar: weekdays is said too; only one of them can hold
  slo/sub/_system.yaml:1:8: not YAML: unclosed bracket '['
  slo/sub/c.yaml:2:42: service_levels.row_count.min_rows: 2 is more than 1, the most there may be
",
    );
}

#[test]
fn what_is_typed_out_of_bounds_is_answered_in_plain_words() {
    let deep = format!("dataset: a\nowner: {}x{}\n", "[".repeat(40), "]".repeat(40));
    check_refused(
        &[
            ("slo/a.yaml", deep.as_str()),
            (
                "slo/b.yaml",
                "dataset: b\nservice_levels:\n  row_count:\n    min_rows: \"100\"\n    max_rows: 9007199254740993\n",
            ),
        ],
        "\
error: 3 mistakes in service levels; nothing was imported
  slo/a.yaml:2:39: nested more than 32 levels deep
  slo/b.yaml:4:15: service_levels.row_count.min_rows: expected a whole number from 0 to 2^53, found text
  slo/b.yaml:5:15: service_levels.row_count.max_rows: expected a whole number from 0 to 2^53: 9007199254740993
",
    );
    let house = declared();
    for (line, words) in [
        (
            "slo suggest fct_revenue --margin -1h",
            "a margin is on top of what is usual",
        ),
        ("slo measure --timeout -5s", "expected a duration from 0 on"),
    ] {
        let ran = house.run(line).expect(2);
        assert!(ran.stderr.contains(words), "{ran:?}");
    }
}

#[test]
fn a_dataset_is_declared_once_in_an_environment() {
    let house = declared();
    write(
        &house,
        &[
            ("other/a.yaml", "dataset: raw_orders\n"),
            ("twice/a.yaml", "dataset: x\n"),
            ("twice/b.yaml", "\ndataset: x\n"),
            ("twice/c.yaml", "dataset: x\nenvironment: dev\n"),
        ],
    );
    let ran = house.run("import slo twice").expect(2);
    assert_eq!(
        ran.stderr,
        "error: 1 mistake in service levels; nothing was imported\n  twice/b.yaml:2:10: x (prod) is declared twice, first at twice/a.yaml:1:10 (give one of them another `environment`, or take it out)\n"
    );
    let ran = house.run("import slo other").expect(2);
    assert!(
        ran.stderr
            .contains("raw_orders (prod) is declared twice, also in /"),
        "{}",
        ran.stderr
    );
    let ran: Ran = house.run("import slo slo/web/events.yml").expect(2);
    assert!(
        ran.stderr.contains("events (dev) is declared twice"),
        "{}",
        ran.stderr
    );
}

#[test]
fn files_that_are_no_text_or_lead_in_a_circle_stop_nothing_but_themselves() {
    let house = House::imported();
    write(
        &house,
        &[(
            "slo/a.yaml",
            "dataset: a\nservice_levels: { freshness: { threshold: 1h, field: t } }\n",
        )],
    );
    #[cfg(unix)]
    std::os::unix::fs::symlink(house.path("slo"), house.path("slo/again")).unwrap();
    let ran = house.run("import slo slo").expect(0);
    assert!(
        ran.stderr
            .contains("slo/again: left out: the link leads back"),
        "{}",
        ran.stderr
    );
    fs::write(house.path("slo/b.yaml"), b"dataset: b\nowner: \xff\n").unwrap();
    fs::write(house.path("slo/c.yaml"), vec![b'#'; 9 << 20]).unwrap();
    let ran = house.run("import slo slo").expect(2);
    assert_eq!(
        ran.stderr,
        "error: 2 mistakes in service levels; nothing was imported\n  slo/b.yaml: not UTF-8 text: line 2\n  slo/c.yaml: larger than 8 MiB\n"
    );
    house.run("slo show a").expect(0);
}
