//! What would be caught if something went wrong in one's own history?

mod house;

use std::fs;

use house::House;

const FILES: [&str; 6] = [
    "arrivals.csv",
    "datasets.csv",
    "lineage.csv",
    "seed.json",
    "truth/cycles.csv",
    "truth/datasets.ndjson",
];

fn bytes(house: &House, folder: &str) -> Vec<Vec<u8>> {
    let read = |name| fs::read(house.path(folder).join(name)).unwrap();
    FILES.map(read).to_vec()
}

#[test]
fn a_history_with_mishaps_is_written_with_the_truth_beside_it() {
    let house = House::imported();
    fs::write(
        house.path("outages.csv"),
        "dataset_id,from,to\nevents,2026-01-03T05:00:00Z,2026-01-04T05:00:00Z\n",
    )
    .unwrap();
    let before = fs::read(house.path("arrivals.csv")).unwrap();
    let told = house
        .run("mishap --arrivals arrivals.csv --datasets datasets.csv --outages outages.csv --out tampered")
        .expect(0);
    assert!(
        told.stdout.contains("deliveries go wrong"),
        "{}",
        told.stdout
    );
    assert!(told.stderr.contains("freshness evaluate --on tampered"));
    assert_eq!(fs::read(house.path("arrivals.csv")).unwrap(), before);
    let truth = fs::read_to_string(house.path("tampered/truth/datasets.ndjson")).unwrap();
    assert!(truth.contains("2026-01-03T05:00:00Z"), "{truth}");
    let cycles = fs::read_to_string(house.path("tampered/truth/cycles.csv")).unwrap();
    assert!(cycles.lines().count() > 10, "{cycles}");
    // What is declared stays declared, and all of it can be imported.
    let declared = fs::read_to_string(house.path("tampered/datasets.csv")).unwrap();
    assert!(declared.contains("fct_revenue,,America/New_York,,true,bob,finance,"));
    house
        .run("import arrivals tampered/arrivals.csv --store other.db")
        .expect(0);
    house
        .run("import datasets tampered/datasets.csv --store other.db")
        .expect(0);
}

#[test]
fn the_same_seed_writes_the_same_bytes_and_another_does_not() {
    let house = House::imported();
    for line in ["--out one", "--out two", "--seed 2 --out three"] {
        house
            .run(&format!("mishap --arrivals arrivals.csv {line}"))
            .expect(0);
    }
    assert_eq!(bytes(&house, "one"), bytes(&house, "two"));
    assert_ne!(bytes(&house, "one"), bytes(&house, "three"));
    // An earlier run's folder is replaced.
    house
        .run("mishap --arrivals arrivals.csv --out three")
        .expect(0);
    assert_eq!(bytes(&house, "one"), bytes(&house, "three"));
}

#[test]
fn it_says_for_each_dataset_what_was_done() {
    let ran = House::imported()
        .run("mishap --arrivals arrivals.csv --out out --format json")
        .expect(0);
    let document: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let datasets = document["datasets"].as_array().unwrap();
    let of = |id: &str| datasets.iter().find(|one| one["dataset_id"] == id).unwrap();
    assert_eq!(of("events")["class"], "hourly");
    assert_eq!(of("new_feed")["untouched"], "too few deliveries");
    let wrong = |one: &serde_json::Value| {
        ["n_late", "n_missed", "n_held_up"]
            .map(|name| one[name].as_u64().unwrap())
            .iter()
            .sum::<u64>()
    };
    assert!((12..=18).contains(&wrong(of("events"))), "{}", of("events"));
    assert_eq!(wrong(of("new_feed")), 0);
}

#[track_caller]
fn check_refusal(house: &House, line: &str, expected: &str) {
    let ran = house.run(&format!("mishap {line}")).expect(2);
    assert_eq!(ran.stderr, expected);
    assert!(!house.path("out").exists());
}

#[test]
fn what_cannot_be_done_is_refused_with_a_hint() {
    let house = House::imported();
    check_refusal(
        &house,
        "--arrivals arrivals.csv --from 2019-01-01 --to 2019-03-01 --out out",
        "error: nothing arrived in the window: 2019-01-01T00:00:00Z to 2019-03-01T00:00:00Z\n\n\
         hint: choose --from and --to inside the history, or leave them out\n",
    );
    check_refusal(
        &house,
        "--arrivals arrivals.csv --from 2026-03-01 --to 2026-02-01 --out out",
        "error: the window is empty: it begins 2026-03-01T00:00:00Z and ends 2026-02-01T00:00:00Z\n\n\
         hint: --from must be before --to\n",
    );
    fs::write(
        house.path("few.csv"),
        "dataset_id,arrived_at\nraw,2026-01-01T06:00:00Z\nraw,2026-01-02T06:00:00Z\n",
    )
    .unwrap();
    check_refusal(
        &house,
        "--arrivals few.csv --out out",
        "error: too few arrivals: nothing to go wrong in 2 deliveries of the window\n\n\
         hint: a dataset needs a calendar and 10 deliveries; give a longer history, or an earlier --from\n",
    );
    fs::write(house.path("none.csv"), "dataset_id,arrived_at\n").unwrap();
    check_refusal(
        &house,
        "--arrivals none.csv --out out",
        "error: no arrivals\n\nhint: is this the right file? it has a header only\n",
    );
    fs::write(
        house.path("outages.csv"),
        "dataset_id,from,to\nevents,2026-01-04T05:00:00Z,2026-01-03T05:00:00Z\n",
    )
    .unwrap();
    let ran = house
        .run("mishap --arrivals arrivals.csv --outages outages.csv --out out")
        .expect(2);
    assert!(ran.stderr.contains("not after its begin"), "{}", ran.stderr);
    // It has no such flag.
    assert!(!ran.stderr.contains("--on-error"), "{}", ran.stderr);
}

#[test]
fn neither_an_input_nor_the_files_of_others_are_overwritten() {
    let house = House::imported();
    house
        .run("mishap --arrivals arrivals.csv --out tampered")
        .expect(0);
    let ran = house
        .run("mishap --arrivals tampered/arrivals.csv --out tampered")
        .expect(2);
    assert!(
        ran.stderr
            .contains("--out would overwrite an input: tampered/arrivals.csv")
    );
    fs::create_dir(house.path("mine")).unwrap();
    fs::write(house.path("mine/notes.txt"), "keep").unwrap();
    let ran = house
        .run("mishap --arrivals arrivals.csv --out mine")
        .expect(2);
    assert!(
        ran.stderr
            .contains("the folder holds files of others: mine"),
        "{}",
        ran.stderr
    );
    assert_eq!(fs::read(house.path("mine/notes.txt")).unwrap(), b"keep");
}
