//! Can the made-up warehouse be used as its command says?

mod house;

use std::fs;

use house::House;

const NOW: &str = "--now 2026-02-27T22:00:00Z";

#[test]
fn what_is_written_is_imported_and_the_critical_ones_are_late() {
    let house = House::empty();
    let told = house.run("seed --seed 2").expect(0);
    assert!(told.stdout.contains("datasets"), "{}", told.stdout);
    // The lines it shows are those that are run.
    let shown = told.stderr.lines();
    let lines: Vec<&str> = shown
        .filter_map(|line| line.strip_prefix("  freshness "))
        .collect();
    assert_eq!(lines.len(), 7, "{}", told.stderr);
    for line in &lines {
        if line.starts_with("evaluate") {
            // Scoring has its own tests; here it must be there.
            house.run(&format!("{line} --help")).expect(0);
            continue;
        }
        let pinned = if line.contains(NOW) { "" } else { NOW };
        let code = if line.starts_with("check") { 1 } else { 0 };
        let ran = house.run(&format!("{line} {pinned}")).expect(code);
        if line.starts_with("check") {
            let late = ran
                .stdout
                .lines()
                .filter(|line| line.contains("  critical  "));
            assert_eq!(late.count(), 3, "{}", ran.stdout);
            assert!(ran.stdout.contains("3 critical datasets are late"));
        }
    }
}

#[test]
fn the_same_seed_writes_the_same_bytes() {
    let house = House::empty();
    house.run("seed --plain --out one").expect(0);
    house.run("seed --plain --out some/where/two").expect(0);
    let names = [
        "arrivals.csv",
        "datasets.csv",
        "lineage.csv",
        "dashboards.csv",
        "seed.json",
    ];
    let truth = ["truth/datasets.ndjson", "truth/cycles.csv"];
    for name in names.iter().chain(&truth) {
        let of = |folder: &str| fs::read(house.path(folder).join(name)).unwrap();
        assert!(of("one") == of("some/where/two"), "{name}");
    }
}

#[test]
fn it_tells_programs_what_it_wrote() {
    let ran = House::empty()
        .run("seed --seed 3 --format ndjson")
        .expect(0);
    let account: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(account["n_datasets"], 53);
    assert_eq!(account["kind"], "diverse");
    assert_eq!(account["ends_at"], "2026-02-27T22:00:00Z");
}

#[test]
fn it_refuses_a_folder_of_others() {
    let house = House::empty();
    fs::create_dir(house.path("mine")).unwrap();
    fs::write(house.path("mine/notes.txt"), "mine").unwrap();
    let ran = house.run("seed --out mine").expect(2);
    assert_eq!(
        ran.stderr,
        "error: the folder holds files of others: mine\n\n\
         hint: name a new or an empty one: `freshness seed --out DIR`\n"
    );
    let ran = house.run("seed --out .").expect(2);
    assert!(
        ran.stderr.contains("that the program runs in: ."),
        "{}",
        ran.stderr
    );
}
