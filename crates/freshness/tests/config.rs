//! Is `freshness.yaml` checked, shown and described as it is read?

mod house;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use house::{House, Ran};
use serde_json::Value;

const EXAMPLE: &str = include_str!("../templates/freshness.example.yaml");

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"))
}

fn configured(text: &str) -> House {
    let house = House::empty();
    fs::write(house.path("freshness.yaml"), text).unwrap();
    house
}

#[test]
fn the_example_of_the_reference_is_sound() {
    let house = configured(EXAMPLE);
    fs::create_dir(house.path("target")).unwrap();
    let mut command = house.command("config check");
    command
        .env("WAREHOUSE_URL", "postgresql://monitor@db.example/sales")
        .env("SNOWFLAKE_PASSWORD", "x");
    let ran = Ran::from(command.output().unwrap()).expect(0);
    assert_eq!(ran.stdout, "freshness.yaml is sound\n");
    // A secret that is elsewhere is no fault of the file.
    let ran = house.run("config check").expect(0);
    assert!(ran.stdout.contains("WAREHOUSE_URL is not set"), "{ran:?}");
}

#[test]
fn what_the_file_names_and_is_not_there_has_its_line() {
    let house = configured(
        "connections:
  warehouse: {postgres: {url_env: WAREHOUSE_URL}}
sources:
  a:
    query: {connection: warehous, sql: select 1}
  b: {query: {connection: warehouse, sql_file: none.sql}}
  c: {query: {connection: warehouse, sql_file: two.sql}}
  d: {arrivals: {files: ['drops/*.csv']}}
teams:
  finance: {}
datasets:
- match: x
  team: finanz
- {match: y, calendar: business days ZZ}
",
    );
    fs::write(house.path("two.sql"), "select 1; select 2").unwrap();
    let said = json(&house.run("config check --format json").expect(2));
    assert_eq!(said["answer"], "not_sound");
    let faults: Vec<String> = (said["faults"].as_array().unwrap().iter())
        .map(|fault| {
            format!(
                "{} {}: {}",
                fault["line"],
                fault["level"].as_str().unwrap(),
                fault["what"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(
        faults,
        [
            "5 error: source a: no such connection: warehous",
            "6 error: source b: cannot read none.sql: No such file or directory (os error 2)",
            "7 error: source c: two.sql: more than one statement",
            "8 warning: source d: no such file or folder: drops",
            "12 error: no such team: finanz",
            "14 error: no holidays are known for: ZZ",
            "null warning: no pattern under `datasets` names this team: finance",
            "null warning: connection warehouse: the variable WAREHOUSE_URL is not set",
        ]
    );
    assert_eq!(said["faults"][0]["hint"], "did you mean `warehouse`?");
}

#[test]
fn a_key_or_value_that_is_wrong_is_refused_with_its_line_by_every_command() {
    for (text, message) in [
        (
            "sources:\n  a: {query: {connection: c}}\n",
            "2:6: expected `sql` or `sql_file`",
        ),
        (
            "sources:\n  a: {query: {connection: c, sql: drop table x}}\n",
            "2:6: not a query: it must begin with SELECT, WITH, FROM, VALUES, TABLE, SHOW or DESCRIBE",
        ),
        (
            "sources:\n  a: {arrivals: {files: []}}\n",
            "2:6: expected at least one file",
        ),
        (
            "sources:\n  a: {arrivals: {files: ['*/x.csv']}}\n",
            "2:6: `*` and `?` may stand in the name of a file, not of its folder: */x.csv",
        ),
        ("sources:\n  a: {oracle: {}}\n", "2:7: unknown kind: oracle"),
        (
            "collect: {max_age: never}\n",
            "1:20: collect.max_age is unreadable: never: expected a duration above 0, such as 36h or 2d",
        ),
        (
            "datasets:\n- match: '[a'\n",
            "2:10: not a pattern: [a: unclosed character class; missing ']'",
        ),
        (
            "datasets:\n- {match: a, calendar: sometimes}\n",
            "2:24: datasets.0.calendar is unreadable: sometimes: expected ",
        ),
        (
            "rename:\n- {from: '(', to: x}\n",
            "2:10: not a regular expression: (: unclosed group",
        ),
        (
            "rename:\n- {from: '', to: x}\n",
            "2:10: expected a regular expression",
        ),
        (
            "rename:\n- {from: '(a)', to: '$1$$2'}\n- {from: '(a)', to: '$9'}\n",
            "3:3: no such group in `from`: 9: $9",
        ),
        (
            "teams:\n  a: {routes: [x]}\n",
            "2:15: not a route: x: expected a way and where it leads",
        ),
        (
            "teams:\n  a: {routes: [null]}\n",
            "2:15: not a route: null: expected a way and where it leads",
        ),
        (
            "teams:\n  a: {routes: ['https://hooks.b/services/T0']}\n",
            "2:15: an address with a path, a password or a query may hold a secret",
        ),
        (
            "schedule: {report_out: ''}\n",
            "1:24: expected a folder, and there is none",
        ),
        (
            "rules: &a {seed: 1}\nfit: {<<: *a}\n",
            "1:1: unknown key: rules",
        ),
    ] {
        let ran = configured(text).run("status").expect(2);
        let message = format!("freshness.yaml:{message}");
        assert!(ran.stderr.contains(&message), "{text}{ran:?}");
    }
}

/// Each fault that `config check` tells, as its line, key and words.
fn faults(house: &House) -> Vec<String> {
    let said = json(&house.run("config check --format json").expect(2));
    assert_eq!(said["answer"], "not_sound");
    let faults = said["faults"].as_array().unwrap().iter();
    faults
        .map(|fault| {
            assert_eq!(fault["file"], "freshness.yaml");
            let (line, key) = (&fault["line"], &fault["key"]);
            let key = key.as_str().unwrap_or("-");
            format!("{line} {key}: {}", fault["what"].as_str().unwrap())
        })
        .collect()
}

#[test]
fn a_file_that_is_refused_tells_a_fault_of_every_section() {
    let house = configured(
        "threads: many
sources:
  a: {}
connections:
  c: {oracle: {}}
datasets:
- match: x
  critical: perhaps
calendars: {PLANT: {file: none.ics}}
nonsense: 1
",
    );
    assert_eq!(
        faults(&house),
        [
            "1 threads: threads is unreadable: many: expected a whole number from 1 to 1024, such as 4",
            "3 sources.a: expected a kind",
            "5 connections.c.oracle: unknown kind: oracle",
            "8 datasets.0.critical: datasets.0.critical is unreadable: perhaps: expected `true` or `false`",
            "9 calendars.PLANT.file: calendars.PLANT: cannot read none.ics: No such file or directory (os error 2)",
            "10 nonsense: unknown key: nonsense",
        ]
    );
    let table = house.run("config check").expect(2);
    assert!(table.stdout.contains("freshness.yaml:8"), "{table:?}");
    assert!(
        table.stdout.contains("query, arrivals, files, delta"),
        "{table:?}"
    );
}

#[test]
fn a_file_that_cannot_be_parsed_is_a_fault_in_the_document_too() {
    for (text, expected) in [
        ("store: a.db\nfit: {seed: [1\n", "2 -: expected one value"),
        ("store: 'a.db\nfit: {seed: 1}\n", ""),
        (
            "store: a.db\n---\nstore: b.db\n",
            "a file holds one document",
        ),
        ("\"", ""),
    ] {
        let said = faults(&configured(text));
        assert!(said.len() == 1 && said[0].contains(expected), "{said:?}");
    }
    let house = House::empty();
    let named = json(
        &house
            .run("config check --config no.yaml --format json")
            .expect(2),
    );
    let what = named["faults"][0]["what"].as_str().unwrap();
    assert!(what.contains("cannot read configuration"), "{named}");
    let mut command = house.command("config check --format json");
    fs::write(house.path("freshness.yaml"), "").unwrap();
    let ran = Ran::from(command.env("FRESHNESS_THREADS", "~").output().unwrap());
    let said = json(&ran.expect(2));
    let what = said["faults"][0]["what"].as_str().unwrap();
    assert!(
        what.starts_with("FRESHNESS_THREADS is unreadable"),
        "{said}"
    );
}

#[test]
fn the_settings_of_a_file_that_is_refused_are_its_faults() {
    let house = configured("threads: many\nnonsense: 1\nfit: {seed: -1}\n");
    let shown = json(&house.run("config show --format json").expect(2));
    let checked = json(&house.run("config check --format json").expect(2));
    assert_eq!(shown["command"], "config show");
    assert_eq!(shown["faults"].as_array().unwrap().len(), 3);
    assert_eq!(shown["faults"], checked["faults"]);
    let table = house.run("config show").expect(2);
    assert!(table.stdout.contains("freshness.yaml:2"), "{table:?}");
}

#[test]
fn a_time_without_a_zone_is_hinted_at_by_the_key_of_its_source() {
    let house = configured("sources:\n  drops: {arrivals: {files: [a.csv]}}\n");
    fs::write(
        house.path("a.csv"),
        "dataset_id,arrived_at\na,2026-02-01 05:00\n",
    )
    .unwrap();
    let said = json(&house.run("collect --format json").expect(2));
    let hint = said["sources"][0]["hint"].as_str().unwrap();
    assert!(
        hint.contains("`assume_zone`") && !hint.contains("--"),
        "{hint}"
    );
    let hint = house.run("import arrivals a.csv").expect(2).stderr;
    assert!(hint.contains("--assume-zone ZONE"), "{hint}");
}

#[test]
fn a_source_has_a_name_that_can_be_shown() {
    for name in ["''", "' '", "\"a\\nb\""] {
        let text = format!("sources:\n  {name}: {{arrivals: {{files: [a.csv]}}}}\n");
        let said = faults(&configured(&text));
        assert!(said[0].contains("not the name of a source: "), "{said:?}");
    }
}

#[test]
fn a_first_file_is_written_where_it_is_named() {
    let house = House::empty();
    house.run("init --config new.yaml").expect(0);
    let mut command = house.command("init");
    command.env("FRESHNESS_CONFIG", "other.yaml");
    Ran::from(command.output().unwrap()).expect(0);
    for file in ["new.yaml", "other.yaml"] {
        house
            .run(&format!("config check --config {file}"))
            .expect(0);
    }
    assert!(!house.path("freshness.yaml").exists());
    fs::write(house.path("new.yaml"), "threads: many").unwrap();
    house.run("init --config new.yaml").expect(2);
    house.run("init --config new.yaml --force").expect(0);
}

#[test]
fn each_setting_is_shown_with_who_said_so() {
    let house = configured(
        "store: a.db\n\nfit:\n  seed: 7\ncheck: {strict: true}\ndatasets:\n- match: 'raw_*'\n  owner: ann\n",
    );
    let mut command = house.command("config show --threads 3 --format json");
    command
        .env("FRESHNESS_STRICT", "false")
        .env("FRESHNESS_COVERAGE_MAX_OPEN_AGE", "2h")
        .env("NO_COLOR", "1");
    let said = json(&Ran::from(command.output().unwrap()).expect(0));
    let of = |key: &str| {
        let settings = said["settings"].as_array().unwrap();
        let setting = settings.iter().find(|setting| setting["key"] == key);
        let setting = setting.unwrap_or_else(|| panic!("{key}"));
        let word = |field: &str| setting[field].as_str().unwrap_or("-").to_owned();
        format!("{} {} {}", word("value"), word("origin"), word("from"))
    };
    assert_eq!(of("store"), "a.db file freshness.yaml:1");
    assert_eq!(of("fit.seed"), "7 file freshness.yaml:4");
    assert_eq!(of("check.strict"), "false variable FRESHNESS_STRICT");
    assert_eq!(
        of("coverage.max_open_age"),
        "2h variable FRESHNESS_COVERAGE_MAX_OPEN_AGE"
    );
    assert_eq!(of("color"), "never variable NO_COLOR");
    assert_eq!(of("threads"), "3 flag --threads");
    assert_eq!(of("slo.max_check_age"), "24h default -");
    assert_eq!(of("duckdb_library"), "- default -");
    assert_eq!(of("datasets.0.owner"), "ann file freshness.yaml:8");
}

/// Dotted paths of the scalars of a schema, but not of what has names of the
/// user's own.
fn scalars(schema: &Value, root: &Value, path: &str, found: &mut BTreeSet<String>) {
    for (key, typed) in schema["properties"].as_object().into_iter().flatten() {
        let path = match path {
            "" => key.clone(),
            path => format!("{path}.{key}"),
        };
        let one = typed["anyOf"][0]
            .as_object()
            .map_or(typed, |_| &typed["anyOf"][0]);
        let one = match one["$ref"].as_str() {
            Some(name) => &root["$defs"][name.rsplit('/').next().unwrap()],
            None => one,
        };
        let kind = match &one["type"] {
            Value::Array(kinds) => kinds[0].as_str(),
            kind => kind.as_str(),
        };
        match kind {
            Some("object") if one.get("properties").is_some() => scalars(one, root, &path, found),
            Some("object" | "array") => {}
            _ => {
                found.insert(path);
            }
        }
    }
}

#[test]
fn every_scalar_of_the_schema_has_a_variable_that_sets_it() {
    let house = House::empty();
    let schema = json(&house.run("config schema").expect(0));
    assert_eq!(schema["additionalProperties"], false);
    let mut found = BTreeSet::new();
    scalars(&schema, &schema, "", &mut found);
    let page = include_str!("../../../docs/config.md");
    let listed: BTreeSet<String> = (page.lines())
        .filter(|line| line.contains("| `FRESHNESS_"))
        .filter_map(|line| Some(line.strip_prefix("| `")?.split('`').next()?.to_owned()))
        .collect();
    assert_eq!(found, listed);
    // Each is refused by its own name when it cannot be read, so each is read.
    let example = include_str!("../../../.env.example");
    let variables = example
        .lines()
        .filter_map(|line| line.strip_prefix('#')?.strip_suffix('='));
    let mut n = 0;
    for variable in variables {
        n += 1;
        let takes_any = ["CONFIG", "STORE", "DUCKDB_LIBRARY", "REPORT_OUT"]
            .iter()
            .any(|end| variable.ends_with(end));
        let mut command = house.command("config show");
        let value = if variable == "FRESHNESS_CONFIG" {
            "none.yaml"
        } else {
            "~"
        };
        let ran = Ran::from(command.env(variable, value).output().unwrap());
        match takes_any {
            false => assert!(
                ran.stderr.contains(&format!("{variable} is unreadable: ~")),
                "{ran:?}"
            ),
            true => assert!(
                ran.stdout.contains(variable) || ran.stderr.contains(value),
                "{ran:?}"
            ),
        }
    }
    assert_eq!(n, listed.len() + 2);
}

/// A dataset as `status` shows it.
fn status(house: &House, dataset: &str) -> Value {
    let said = json(&house.run("status --format json"));
    let datasets = said["datasets"].as_array().unwrap();
    let found = datasets.iter().find(|found| found["dataset_id"] == dataset);
    found.unwrap_or_else(|| panic!("{dataset}: {said}")).clone()
}

#[test]
fn what_is_said_by_pattern_counts_where_the_user_imported_nothing() {
    let house = House::fitted();
    assert_eq!(status(&house, "events")["critical"], false);
    fs::write(
        house.path("freshness.yaml"),
        "datasets:
- {match: '*', owner: everybody, team: web, timezone: Europe/Berlin}
- {match: [event*, none], critical: true, owner: eve}
teams:
  web: {owner: wanda}
  finance: {owner: fred}
",
    )
    .unwrap();
    let events = status(&house, "events");
    assert_eq!(
        (&events["critical"], &events["owner"], &events["team"]),
        (&true.into(), &"eve".into(), &"web".into())
    );
    // The owner of raw_orders was imported.
    let orders = status(&house, "raw_orders");
    assert_eq!(
        (&orders["owner"], &orders["team"]),
        (&"ann".into(), &"finance".into())
    );
    let feed = status(&house, "new_feed");
    assert_eq!(feed["owner"], "everybody");
}

#[test]
fn a_pattern_that_matches_nothing_and_a_team_that_is_not_are_told_by_the_doctor() {
    let house = House::fitted();
    let findings = |yaml: &str| -> Vec<String> {
        fs::write(house.path("freshness.yaml"), yaml).unwrap();
        let said = json(&house.run("doctor --format json"));
        let findings = said["findings"].as_array().unwrap().iter();
        findings
            .filter(|finding| finding["part"] == "config" && finding["health"] == "warning")
            .map(|finding| finding["finding"].as_str().unwrap().to_owned())
            .collect()
    };
    // Some of finance and web were imported.
    let wrong = "datasets:
- {match: [fct_revenu, 'raw_*', 'zzz*'], critical: true}
- {match: events, team: finanse}
teams:
  finance: {owner: fred}
  sales: {owner: sue}
";
    assert_eq!(
        findings(wrong),
        [
            "2 patterns of `datasets` match no dataset: fct_revenu (did you mean fct_revenue?), zzz*",
            "no such team under `teams`: finanse (did you mean finance?)",
            "1 team of `teams` that no dataset is of: sales",
        ]
    );
    let right = "datasets:\n- {match: [fct_revenue, 'raw_*'], team: web}\nteams: {web: {}}\n";
    assert_eq!(findings(right), Vec::<String>::new());
}

/// The deadline that is learned, in minutes after the start of the cycle.
fn threshold(house: &House, dataset: &str) -> f64 {
    house.run("fit").expect(0);
    let found = status(house, dataset);
    found["because"]["threshold"]
        .as_f64()
        .unwrap_or_else(|| panic!("{found}"))
}

/// Two datasets that come half an hour late on average, and now and then much later.
fn scattered() -> House {
    let house = House::empty();
    let mut csv = String::from("dataset_id,arrived_at\n");
    let mut seed: u64 = 12_345;
    for day in 0..480 {
        for dataset in ["raw_orders", "fct_revenue"] {
            // MMIX (Knuth).
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let chance = ((seed >> 11) + 1) as f64 / (1_u64 << 53) as f64;
            let delay = 6.0 * 3_600.0 - 1_800.0 * chance.ln();
            writeln!(
                csv,
                "{dataset},{}",
                1_730_764_800 + day * 86_400 + delay as i64
            )
            .unwrap();
        }
    }
    fs::write(house.path("arrivals.csv"), csv).unwrap();
    let team = "dataset_id,team\nraw_orders,finance\n";
    fs::write(house.path("datasets.csv"), team).unwrap();
    house.run("import arrivals arrivals.csv").expect(0);
    house.run("import datasets datasets.csv").expect(0);
    house
}

#[test]
fn a_team_that_wants_fewer_false_alarms_has_later_deadlines() {
    let house = scattered();
    let (orders, revenue) = (
        threshold(&house, "raw_orders"),
        threshold(&house, "fct_revenue"),
    );
    fs::write(
        house.path("freshness.yaml"),
        "teams:\n  finance: {false_alarm_rate: 0.0001}\ndatasets:\n- {match: fct_*, false_alarm_rate: 0.01}\n",
    )
    .unwrap();
    assert!(threshold(&house, "raw_orders") > orders + 10.0);
    assert!(threshold(&house, "fct_revenue") < revenue - 10.0);
    // A flag is meant for all.
    house.run("fit --false-alarm-rate 0.001").expect(0);
    let found = status(&house, "raw_orders");
    assert_eq!(found["because"]["threshold"].as_f64(), Some(orders));
}

#[test]
fn holidays_of_ones_own_are_kept_by_the_calendars_that_name_them() {
    let house = House::imported();
    let config = "calendars:\n  PLANT: {file: closures.ics}\ndatasets:\n- {match: raw_orders, calendar: business days plant}\n";
    fs::write(house.path("freshness.yaml"), config).unwrap();
    let missing = house.run("status").expect(2);
    assert!(
        missing
            .stderr
            .contains("calendars.PLANT: cannot read closures.ics"),
        "{missing:?}"
    );
    let ics = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;VALUE=DATE:20260226\nDTEND;VALUE=DATE:20260228\nEND:VEVENT\nEND:VCALENDAR\n";
    fs::write(
        house.path("closures.ics"),
        ics.replace("20260226", "20260230"),
    )
    .unwrap();
    let wrong = house.run("status").expect(2);
    assert!(
        wrong
            .stderr
            .contains("closures.ics:3: not a date, such as 20261224: 20260230"),
        "{wrong:?}"
    );
    fs::write(house.path("closures.ics"), ics).unwrap();
    house.run("config check").expect(0);
    house.run("fit").expect(0);
    // It delivered on Wednesday; Thursday and Friday it was closed.
    let is_late =
        || ["late", "missed"].contains(&status(&house, "raw_orders")["state"].as_str().unwrap());
    assert!(!is_late());
    fs::remove_file(house.path("freshness.yaml")).unwrap();
    house.run("fit").expect(0);
    assert!(is_late());
}

#[test]
fn a_table_that_two_tools_name_otherwise_is_one_dataset() {
    let house = configured(
        "rename:
- {from: '^warehouse://(.*)$', to: '$1'}
sources:
  a: {arrivals: {files: [a.csv]}}
  b: {arrivals: {files: [b.csv]}}
",
    );
    for (file, id) in [("a.csv", "warehouse://orders"), ("b.csv", "orders")] {
        let csv = format!(
            "dataset_id,arrived_at\n{id},2026-02-27T06:00:00Z\n{id},2026-02-28T06:00:00Z\n"
        );
        fs::write(house.path(file), csv).unwrap();
    }
    house.run("collect").expect(0);
    let said = json(&house.run("explain orders --format json"));
    assert_eq!(said["n_arrivals"], 2);
    let unknown = house.run("explain warehouse://orders").expect(2);
    assert!(unknown.stderr.contains("warehouse://orders"), "{unknown:?}");
}

#[test]
fn a_first_file_names_what_lies_around_and_is_accepted() {
    let house = House::empty();
    let touch = |path: &str, text: &str| {
        let path = house.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    touch("shop/dbt_project.yml", "name: shop");
    touch("lake/orders/_delta_log/00000000000000000000.json", "{}");
    touch("lake/users/metadata/00000-a.metadata.json", "{}");
    touch(
        "drops/2026-01.csv",
        "Dataset_ID,arrived_at\norders,2026-02-27T06:00:00Z\n",
    );
    touch("drops/other.csv", "a,b\n1,2\n");
    touch(
        "it's here/x.csv",
        "dataset_id,arrived_at\nweb,2026-02-27T06:00:00Z\n",
    );
    touch("node_modules/y/x.csv", "dataset_id,arrived_at\n");
    touch("not.db", "no database");
    house::sqlite::run(&house.path("app.db"), "CREATE TABLE a (b)");
    house::duckdb::run(&house.path("lake.duckdb"), "CREATE TABLE a (b int);\n");
    std::os::unix::fs::symlink(house.path("."), house.path("loop")).unwrap();

    let dry = house.run("init --dry-run").expect(0);
    assert!(!house.path("freshness.yaml").exists());
    let mut command: Command = house.command("init --format json");
    command
        .env("AIRFLOW_HOME", "/opt/airflow")
        .env("PGHOST", "db.example");
    let said = json(&Ran::from(command.output().unwrap()).expect(0));
    assert_eq!(
        said["found"],
        serde_json::json!([
            "shop: dbt, shop",
            "orders: delta, lake/orders",
            "users: iceberg, lake/users",
            "drops: arrivals, drops",
            "it_s_here: arrivals, it's here",
        ])
    );
    let text = fs::read_to_string(house.path("freshness.yaml")).unwrap();
    assert!(text.contains("app: {sqlite: {path: 'app.db'}}"), "{text}");
    assert!(
        text.contains("lake: {duckdb: {path: 'lake.duckdb'}}"),
        "{text}"
    );
    assert!(text.contains("Airflow's variables are set"), "{text}");
    assert!(
        !text.contains("db.example") && !dry.stdout.contains("Airflow"),
        "{text}"
    );
    house.run("config check").expect(0);
    let collected = json(&house.run("collect drops it_s_here --format json").expect(2));
    assert!(
        collected["sources"][0]["error"]
            .as_str()
            .unwrap()
            .contains("other.csv"),
        "{collected}"
    );
    assert_eq!(collected["sources"][1]["arrivals_new"], 1);

    // What somebody wrote stays.
    let again = house.run("init").expect(2);
    assert!(
        again
            .stderr
            .contains("the file is there already: freshness.yaml"),
        "{again:?}"
    );
    fs::write(house.path("freshness.yaml"), "").unwrap();
    house.run("init --force").expect(0);
    let text = fs::read_to_string(house.path("freshness.yaml")).unwrap();
    assert_eq!(text, dry.stdout);
}

#[test]
fn a_first_file_of_an_empty_folder_is_accepted_too() {
    let house = House::empty();
    let said = house.run("init").expect(0).stdout;
    assert!(!said.contains("freshness collect"), "{said}");
    house.run("config check").expect(0);
    let ran = house.run("collect").expect(2);
    assert!(ran.stderr.contains("no sources are configured"), "{ran:?}");
}
