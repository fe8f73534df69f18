//! How do dashboards get in, and which of them are refused?

use std::fs;
use std::io::Write;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use flate2::Compression;
use flate2::write::GzEncoder;
use house::{House, Ran};
use parquet::arrow::ArrowWriter;
use snapbox::{IntoData, assert_data_eq, str};

mod house;

fn import(house: &House, content: &str, args: &str) -> Ran {
    fs::write(house.path("d.csv"), content).unwrap();
    house.run(&format!("import dashboards d.csv {args}"))
}

#[test]
fn dashboards_are_counted_and_told_again_change_nothing() {
    let house = House::imported();
    let told = "dashboard_id,title,part,dataset_id\n\
                board,Board report,headline,raw_orders\n\
                board,,trend,raw_orders\n\
                sales,Sales,,raw_orders\n";
    let ran = import(&house, told, "");
    let ran = ran.expect(0);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
imported    rows  new  changed  unchanged  skipped
dashboards     3    2        0          0        0

"#]]
        .raw()
    );
    let ran = import(&house, told, "--format json");
    let ran = ran.expect(0);
    assert!(ran.stdout.contains("\"unchanged\": 2"), "{}", ran.stdout);
    let ran = import(&house, &told.replace("Sales", "All sales"), "");
    assert!(
        ran.stdout.contains("dashboards     3    0        1"),
        "{}",
        ran.stdout
    );
    let only = "dashboard_id,dataset_id\nsales,raw_orders\n";
    let ran = import(&house, only, "--replace");
    assert!(ran.stdout.contains("removed"), "{}", ran.stdout);
    let ran = house.run("doctor");
    assert!(ran.stdout.contains(", 1 dashboard, "), "{}", ran.stdout);
}

#[test]
fn what_cannot_be_right_is_refused_by_file_and_line() {
    let house = House::imported();
    let ran = import(
        &house,
        "dashboard_id,title,dataset_id,url\n\
         board,Board,raw_order,\n\
         board,Board,raw_orders,javascript:alert(1)\n\
         board,Bored,raw_orders,\n\
         board,Board,raw_orders,https://bi.example/board\n\
         board,Bored,raw_orders,\n\
         ,Board,raw_orders,\n",
        "",
    );
    let ran = ran.expect(2);
    assert_data_eq!(ran.stderr, str![[r#"
error: 4 bad rows (1 declared twice, 1 no value, 1 not a web address, 1 unknown dataset); nothing was imported
  d.csv line 2, dataset_id: unknown dataset (did you mean raw_orders?): "raw_order"
  d.csv line 3, url: not a web address (expected http://… or https://… without spaces): "javascript:alert(1)"
  d.csv line 5, title: declared twice with different fields (first in line 4): "Board"
  d.csv line 7, dashboard_id: no value

hint: a dashboard shows datasets that are known: import what arrived, datasets or lineage first
hint: `--on-error skip` imports the other rows

"#]].raw());
}

#[test]
fn bad_rows_may_be_left_out() {
    let house = House::imported();
    let ran = import(
        &house,
        "dashboard_id,part,dataset_id\nboard,a,raw_orders\nboard,b,raw_order\n",
        "--on-error skip",
    );
    let ran = ran.expect(0);
    assert!(
        ran.stdout.contains("dashboards     2    1"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stderr
            .contains("d.csv line 3, dataset_id: unknown dataset"),
        "{}",
        ran.stderr
    );
}

#[test]
fn any_format_will_do() {
    let house = House::imported();
    let lines = "{\"dashboard_id\":\"board\",\"name\":\"Board\",\"part\":\"a\",\"dataset_id\":\"events\"}\n\
                 {\"dashboard_id\":\"board\",\"part\":\"b\",\"dataset_id\":\"raw_orders\"}\n";
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(lines.as_bytes()).unwrap();
    fs::write(house.path("d.ndjson.gz"), gzip.finish().unwrap()).unwrap();
    let ran = house.run("import dashboards d.ndjson.gz").expect(0);
    assert!(
        ran.stdout.contains("dashboards     2    1"),
        "{}",
        ran.stdout
    );

    let text = |of: [&str; 2]| Arc::new(StringArray::from(of.to_vec())) as ArrayRef;
    let columns = RecordBatch::try_from_iter([
        ("dashboard_id", text(["board", "board"])),
        ("title", text(["Board", "Board"])),
        ("dataset_id", text(["events", "raw_orders"])),
        ("part", text(["a", "b"])),
    ])
    .unwrap();
    let file = fs::File::create(house.path("d.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, columns.schema(), None).unwrap();
    writer.write(&columns).unwrap();
    writer.close().unwrap();
    let ran = house
        .run("import dashboards d.parquet --format json")
        .expect(0);
    assert!(ran.stdout.contains("\"unchanged\": 1"), "{}", ran.stdout);
}

#[test]
fn without_a_store_there_is_nothing_to_show() {
    let house = House::empty();
    let ran = import(&house, "dashboard_id,dataset_id\nboard,a\n", "");
    let ran = ran.expect(2);
    assert!(
        ran.stderr.contains("import arrivals FILE"),
        "{}",
        ran.stderr
    );
    assert!(!house.path(".freshness").exists());
}

#[test]
fn the_dashboards_of_the_made_up_warehouse_import_as_they_are() {
    let house = House::empty();
    house.run("seed --out w").expect(0);
    house.run("import datasets w/datasets.csv").expect(0);
    let ran = house.run("import dashboards w/dashboards.csv");
    let ran = ran.expect(0);
    assert!(
        ran.stdout.contains("dashboards    39   13"),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.stderr, "");
}
