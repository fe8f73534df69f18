//! Is what is read of the logs of tables what was done to them?
//!
//! The tables are made by `house/lake.py` with the tools that people make them
//! with. `lake/` holds a copy of what they wrote, so that this is asked without
//! them too.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use freshness_core::dataset::DatasetId;
use freshness_store::{Access, Store};
use jiff::Timestamp;
use serde_json::Value;
use snapbox::{assert_data_eq, str};

mod house;
use house::{House, lake};

const NOW: &str = "2026-09-07T12:00:00Z";

/// What came: when, for which day, how many rows.
type Came = Vec<(String, Option<String>, Option<u64>)>;

/// What a stage says was done to a table.
fn done(folder: &Path, table: &str) -> Came {
    let steps = fs::read_to_string(folder.join("done.json")).unwrap();
    let steps: Vec<Value> = serde_json::from_str(&steps).unwrap();
    let mut came = Came::new();
    for step in steps.iter().filter(|step| step["table"] == table) {
        for (day, rows) in step["came"].as_object().into_iter().flatten() {
            let at = step["at"].as_str().unwrap().to_owned();
            came.push((at, Some(format!("{day}T00:00:00")), rows.as_u64()));
        }
    }
    came
}

/// What the store has of a dataset.
fn stored(house: &House, dataset: &str) -> Came {
    let store = Store::open(house.path(".freshness/freshness.db"), Access::ReadOnly).unwrap();
    let entries = store.datasets().unwrap();
    let id = DatasetId::try_from(dataset).unwrap();
    let entry = entries.iter().find(|entry| entry.id == id).unwrap();
    let history = store.history(entry.no).unwrap();
    let came = history.at().iter().enumerate().map(|(i, &at)| {
        let detail = history.detail(i);
        let cycle = detail.and_then(|detail| detail.cycle);
        (
            Timestamp::from_second(at).unwrap().to_string(),
            cycle.map(|cycle| cycle.to_string()),
            detail.and_then(|detail| detail.rows),
        )
    });
    came.collect()
}

/// Imports the tables of two stages one after the other, the first one twice,
/// and holds what is stored against what was done.
#[track_caller]
fn check_stages(house: &House, first: &str, work: impl FnOnce() -> String, payments: &str) {
    let import = |folder: &str| {
        let (orders, payments) = (format!("{folder}/orders"), format!("{folder}/{payments}"));
        let orders = format!("import delta {orders} --cycle day --now {NOW}");
        let payments = format!("import iceberg {payments} --cycle day --now {NOW}");
        [house.run(&orders).expect(0), house.run(&payments).expect(0)]
    };
    let mut expected = BTreeMap::new();
    for table in ["orders", "payments"] {
        expected.insert(table, done(&house.path(first), table));
    }
    import(first);
    let again = import(first);
    assert!(
        again
            .iter()
            .all(|ran| ran.stdout.contains("     0         ")),
        "{again:?}"
    );
    for (table, expected) in &expected {
        assert_eq!(&stored(house, table), expected, "{table}");
    }
    let then = work();
    import(&then);
    for (table, mut expected) in expected {
        // What the logs have forgotten since stays.
        expected.extend(done(&house.path(&then), table));
        assert_eq!(stored(house, table), expected, "{table}, afterwards");
    }
}

fn copied() -> House {
    let house = House::empty();
    let kept = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/lake"));
    copy(&kept, &house.path(""));
    house
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).unwrap()),
        }
    }
}

#[test]
fn what_is_read_of_tables_that_were_kept_is_what_was_done_to_them() {
    let house = copied();
    check_stages(&house, "first", || "then".to_owned(), "payments");
}

#[test]
fn what_is_read_of_tables_made_now_is_what_was_done_to_them() {
    let house = House::empty();
    lake::work(&house.path("lake"), "first");
    let work = || {
        lake::work(&house.path("lake"), "then");
        "lake".to_owned()
    };
    check_stages(&house, "lake", work, "iceberg/shop/payments");
}

#[test]
fn a_load_of_many_commits_is_there_with_its_last_one_where_its_owner_says_how_long_it_rests() {
    let house = House::empty();
    lake::work(&house.path("lake"), "loads");
    let config = "sources:
  orders: {delta: {tables: [lake/orders], cycle: day, settle: 15m}}
  payments: {iceberg: {tables: [lake/iceberg/shop/payments], cycle: day, settle: 15m}}
";
    fs::write(house.path("freshness.yaml"), config).unwrap();
    // The second load is done at 05:29, and nobody knows yet that it is.
    let early = house.run("collect --now 2026-09-02T05:30:00Z").expect(0);
    assert!(
        early
            .stderr
            .contains("still being loaded since 2026-09-02T05:00:00Z"),
        "{early:?}"
    );
    for table in ["orders", "payments"] {
        let first: Came = done(&house.path("lake"), table).drain(..1).collect();
        let at = stored(&house, table);
        assert_eq!(at[0].0, first[0].0, "{table}");
        assert_eq!(at.len(), 1, "{table}");
    }
    for _ in 0..2 {
        house.run(&format!("collect --now {NOW}")).expect(0);
        for table in ["orders", "payments"] {
            let at = |came: Came| {
                came.into_iter()
                    .map(|(at, day, _)| (at, day))
                    .collect::<Vec<_>>()
            };
            assert_eq!(
                at(stored(&house, table)),
                at(done(&house.path("lake"), table)),
                "{table}"
            );
        }
    }
    assert_eq!(
        stored(&house, "orders"),
        done(&house.path("lake"), "orders")
    );

    let line = format!("import delta lake/orders --cycle day --now {NOW}");
    let ran = house
        .run(&format!("{line} --store a.db --settle 15m --format json"))
        .expect(0);
    assert!(ran.stdout.contains("\"arrivals_new\": 2"), "{ran:?}");
    let ran = house.run(&format!("{line} --store b.db")).expect(0);
    let note = "note: orders: many commits close together, of which the first is taken for the \
                delivery: loads: 2, such as 200 commits from 2026-09-01T05:00:00Z to \
                2026-09-01T06:06:20Z";
    assert!(ran.stderr.contains(note), "{ran:?}");
}

#[test]
fn what_is_collected_goes_on_where_it_stopped_though_the_logs_forget() {
    let house = copied();
    let config = "sources:
  orders: {delta: {tables: [lake/orders], cycle: day}}
  payments: {iceberg: {tables: [lake/payments], cycle: day}}
";
    fs::write(house.path("freshness.yaml"), config).unwrap();
    let mut expected = BTreeMap::from([("orders", Came::new()), ("payments", Came::new())]);
    for stage in ["first", "then"] {
        let _ = fs::remove_dir_all(house.path("lake"));
        copy(&house.path(stage), &house.path("lake"));
        for (table, expected) in &mut expected {
            expected.extend(done(&house.path(stage), table));
        }
        house.run(&format!("collect --now {NOW}")).expect(0);
        let again = house
            .run(&format!("collect --format json --now {NOW}"))
            .expect(0);
        let again: Value = serde_json::from_str(&again.stdout).unwrap();
        for source in again["sources"].as_array().unwrap() {
            let told = [&source["arrivals_new"], &source["arrivals_duplicate"]];
            assert!(told.iter().all(|n| n.as_u64() == Some(0)), "{source}");
        }
        for (table, expected) in &expected {
            assert_eq!(&stored(&house, table), expected, "{table}, {stage}");
        }
    }
}

#[test]
fn an_import_says_what_it_looked_at_and_what_came() {
    let house = copied();
    let ran = house
        .run(&format!(
            "import delta first/orders --dataset raw.orders --now {NOW}"
        ))
        .expect(0);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
imported  files  new arrivals  duplicate  new runs  new datasets  gone  news of datasets, edges, dashboards
delta         1             8          0         0             1     0                                    0

"#]]
    );
    assert_eq!(ran.stderr, "raw.orders: 18 commits read, 8 brought data\n");
    let metadata = fs::read_dir(house.path("first/payments/metadata")).unwrap();
    let metadata = metadata.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let metadata = metadata.collect::<String>();
    let ran = house
        .run(&format!(
            "import iceberg first/payments/metadata/{metadata} --now {NOW}"
        ))
        .expect(0);
    let (first, note) = ran.stderr.split_once('\n').unwrap();
    assert_eq!(first, "payments: 9 snapshots read, 6 brought data");
    // That of the row that was deleted.
    let words = "overwrites that took away more rows than they added, as a delete that rewrites \
                 files does: 1\n";
    assert!(
        note.starts_with("note: ") && note.ends_with(words),
        "{note}"
    );
}

#[test]
fn what_is_no_table_is_refused_and_nothing_is_imported() {
    let house = copied();
    let check_refused = |line: &str, words: &str| {
        let ran = house.run(line).expect(2);
        assert!(ran.stderr.contains(words), "{line}\n{}", ran.stderr);
        assert!(!house.path(".freshness").exists());
    };
    check_refused(
        "import delta first",
        "first: not a Delta table: there is no _delta_log in it; nothing was imported\n\nhint: name the folder",
    );
    check_refused("import delta nowhere", "nowhere: no such file or folder");
    check_refused(
        "import iceberg first",
        "first: not an Iceberg table: there is no metadata in it",
    );
    check_refused(
        "import iceberg nowhere.json",
        "./nowhere.json: no such file or folder",
    );
    check_refused("import delta ftp://a/b", "unknown kind of location: ftp://");
    check_refused(
        "import delta first/orders then/orders --dataset a",
        "one name for several tables",
    );
    check_refused(
        "import delta first/orders --cycle region",
        "orders/_delta_log/00000000000000000000.json: the table has no partition column of this name: region (it has day)",
    );
    check_refused(
        "import iceberg first/payments --cycle region",
        "no partition column of this name: region (it has day)",
    );
    let damaged = house.path("first/orders/_delta_log/00000000000000000003.json");
    fs::write(&damaged, "{\"commitInfo\":{}}\n{\"add\":{\"path\"").unwrap();
    check_refused(
        "import delta first/orders",
        "00000000000000000003.json: line 2, column 14: the file ends in the middle; nothing was imported",
    );
    fs::write(&damaged, [0x1f, 0x8b, 0, 7]).unwrap();
    check_refused(
        "import delta first/orders",
        "00000000000000000003.json: line 1, column 1: not JSON",
    );
}

#[test]
fn the_commands_of_the_page_run() {
    let house = copied();
    fs::rename(house.path("first"), house.path("lake")).unwrap();
    for file in [
        "clicks/2026-09-01/a.csv",
        "clicks/2026-09-02/a.csv",
        "visits/2026-09-01/_SUCCESS",
    ] {
        let path = house.path(&format!("landing/{file}"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, if file.ends_with("csv") { "id\n1\n" } else { "" }).unwrap();
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/lake.md");
    let page = fs::read_to_string(page).unwrap();
    let commands = page.split("```sh\n").skip(1).flat_map(|block| {
        let block = block.split("```").next().unwrap();
        block
            .lines()
            .filter_map(|line| line.strip_prefix("freshness "))
    });
    let mut n = 0;
    for command in commands {
        // The files were written just now, and the tables in September.
        let command = command.replace('\'', "");
        let ran = house
            .run(&format!("{command} --now 2099-01-01T00:00:00Z"))
            .expect(0);
        assert!(
            !ran.stdout.contains("  0          0 "),
            "{command}\n{}",
            ran.stdout
        );
        n += 1;
    }
    assert_eq!(n, 5);
}

#[test]
fn a_table_in_the_folder_where_one_stands_is_called_as_the_folder_is() {
    let house = House::empty();
    let log = house.path("_delta_log");
    fs::create_dir_all(&log).unwrap();
    let commit = "{\"commitInfo\":{\"timestamp\":1772200000000,\"operation\":\"WRITE\"}}\n\
         {\"add\":{\"path\":\"p\",\"dataChange\":true}}\n";
    fs::write(log.join("00000000000000000000.json"), commit).unwrap();
    let own = house.path(".").canonicalize().unwrap();
    let own = own.file_name().unwrap().to_string_lossy().into_owned();
    let ran = house
        .run("import delta . --now 2026-09-07T12:00:00Z")
        .expect(0);
    assert!(
        ran.stderr.starts_with(&format!("{own}: 1 commit read")),
        "{ran:?}"
    );
}

#[test]
fn a_folder_that_does_not_exist_is_called_that() {
    let house = House::empty();
    for tool in ["delta", "iceberg"] {
        let ran = house.run(&format!("import {tool} nosuch")).expect(2);
        assert!(ran.stderr.contains("no such file or folder"), "{ran:?}");
    }
}

#[test]
fn two_tables_of_one_name_become_two_datasets_or_none() {
    let house = House::empty();
    for layer in ["bronze", "silver"] {
        let log = house.path(&format!("{layer}/orders/_delta_log"));
        fs::create_dir_all(&log).unwrap();
        fs::write(log.join("00000000000000000000.json"), "{}").unwrap();
    }
    let ran = house
        .run("import delta bronze/orders silver/orders/")
        .expect(2);
    assert_data_eq!(
        ran.stderr,
        str![[r#"
error: two tables would be one dataset, orders: bronze/orders and silver/orders

hint: nothing was imported; import them one by one, each with a --dataset of its own

"#]]
    );
    house.run("init").expect(0);
    let text = fs::read_to_string(house.path("freshness.yaml")).unwrap();
    for layer in ["bronze", "silver"] {
        let source = format!("delta: {{tables: ['{layer}/orders'], dataset: '{layer}.orders'}}");
        assert!(text.contains(&source), "{text}");
    }
    house.run("config check").expect(0);
    let one = "sources: {lake: {delta: {tables: [bronze/orders, silver/orders]}}}\n";
    fs::write(house.path("freshness.yaml"), one).unwrap();
    let ran = house.run("config check").expect(2);
    assert!(
        ran.stdout
            .contains("two tables would be one dataset, orders: bronze/orders and silver/orders"),
        "{ran:?}"
    );
}
