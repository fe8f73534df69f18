//! Which datasets may be declared, and what may be made from what?

use super::*;

#[test]
fn what_is_declared_is_read_from_csv_and_json() {
    check_imported(
        "datasets",
        "datasets.csv",
        "dataset_id,grain,timezone,calendar,critical,owner,team,tags
fct_orders,daily,Europe/Berlin,business days DE,yes,ann,sales,\"core, pii\"
clicks,15min,,,no,,,
",
        str![[r#"
imported  rows  new  changed  unchanged  skipped
datasets     2    2        0          0        0

"#]],
    );
    check_imported(
        "datasets",
        "datasets.ndjson",
        "{\"dataset_id\":\"a\",\"calendar\":\"Mon-Fri\",\"critical\":true,\"tags\":[\"core\"]}\n",
        str![[r#"
imported  rows  new  changed  unchanged  skipped
datasets     1    1        0          0        0

"#]],
    );
}

#[test]
fn what_cannot_be_declared_is_named() {
    check_refused(
        "datasets",
        "datasets.csv",
        "dataset_id,grain,timezone,calendar,critical
a,fortnightly,,,
b,,Mars/Olympus,,
c,,,dailyish,
d,,,business days ZZ,
e,,,,maybe
f,hourly,,Mon-Fri,
g,daily,,,
g,weekly,,,
",
        str![[r#"
error: 7 bad rows (1 country without known holidays, 1 declared twice, 1 grain and calendar disagree, 1 neither true nor false, 1 unknown calendar, 1 unknown grain, 1 unknown time zone); nothing was imported
  datasets.csv line 2, grain: unknown grain (expected 5min to 30min, hourly, 2h to 12h, daily, weekly or monthly): "fortnightly"
  datasets.csv line 3, timezone: unknown time zone (expected a name such as Europe/Berlin or UTC): "Mars/Olympus"
  datasets.csv line 4, calendar: unknown calendar: "dailyish"
  datasets.csv line 5, calendar: no holidays are known for the country ZZ of the calendar: "business days ZZ"
  datasets.csv line 6, critical: neither true nor false: "maybe"
  datasets.csv line 7, grain: calendar comes daily, grain is hourly: "hourly"
  datasets.csv line 9, dataset_id: declared twice with different fields (first in line 8): "g"

hint: calendars are: every 15 minutes, hourly or every 6 hours, each perhaps with days and hours such as Mon-Fri 09-17; set times such as 06:00, 18:00 Mon-Fri; daily, Mon-Fri, Mon, Wed or weekly Wed; business days US or weekly business day 3 US, or +1 for the day after; monthly day 1, monthly last day, monthly business day 3 US or monthly last business day US; irregular
hint: `--on-error skip` imports the other rows

"#]],
    );
}

#[test]
fn a_lineage_cycle_names_the_datasets_on_it() {
    let cycle = "upstream_id,downstream_id\nraw,stg\nstg,fct\nfct,stg\nfct,report\n";
    check_refused(
        "lineage",
        "lineage.csv",
        cycle,
        str![[r#"
error: lineage has a cycle: fct → stg → fct

hint: nothing was imported; one of these edges is wrong

"#]],
    );
    let itself = "upstream_id,downstream_id\na,a\n";
    check_refused(
        "lineage",
        "self.csv",
        itself,
        str![[r#"
error: lineage has a cycle: a → a

hint: nothing was imported; one of these edges is wrong

"#]],
    );
}

#[test]
fn a_cycle_closed_by_a_later_file_is_refused_and_the_rest_stays() {
    let folder = TempDir::new().unwrap();
    let lineage = |edges: &str, args: &str| {
        let content = format!("upstream_id,downstream_id\n{edges}");
        import(
            folder.path(),
            &format!("lineage - {args}"),
            content.as_bytes(),
        )
    };
    let ran = lineage("a,b\nb,c\na,b\n", "");
    assert_data_eq!(
        ran.stdout,
        str![[r#"
imported  rows  new  duplicate  skipped  new datasets
lineage      3    2          1        0             3

"#]]
        .raw()
    );
    assert_data_eq!(
        ran.stderr,
        str![[r#"
note: 3 datasets not known before, named by an edge: a, b, c

"#]]
        .raw()
    );
    let ran = lineage("c,a\n", "");
    assert_data_eq!(
        ran.stderr,
        str![[r#"
error: lineage has a cycle: a → b → c → a

hint: nothing was imported; one of these edges is wrong

"#]]
        .raw()
    );
    assert_eq!(ran.code, Some(2));
    let ran = lineage("c,a\n", "--replace");
    assert_data_eq!(
        ran.stdout,
        str![[r#"
imported  rows  new  duplicate  removed  skipped  new datasets
lineage      1    1          0        2        0             0

"#]]
        .raw()
    );
}

#[test]
fn lineage_names_the_first_datasets_that_were_not_known() {
    let folder = TempDir::new().unwrap();
    let edges: String = (1..=4).map(|i| format!("up{i},down{i}\n")).collect();
    let edges = format!("upstream_id,downstream_id\n{edges}");
    let ran = import(folder.path(), "lineage -", edges.as_bytes());
    assert_data_eq!(
        ran.stderr,
        str![[r#"
note: 8 datasets not known before, named by an edge: up1, down1, up2, down2, up3 and 3 more

"#]]
    );
}
