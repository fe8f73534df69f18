//! Does the demo show what it shows, and touch nothing else?

mod house;

use std::fs;

use house::House;
use snapbox::{assert_data_eq, file};

fn names(house: &House, folder: &str) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(house.path(folder))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// `SNAPSHOTS=overwrite cargo test -p freshness --test demo` writes it anew.
#[test]
fn the_demo_tells_its_story_and_exits_0_whatever_the_check_says() {
    let ran = House::empty().run("demo").expect(0);
    assert_data_eq!(ran.stdout, file!["golden/demo.txt"].raw());
    assert_eq!(
        ran.stderr,
        "12 datasets as of 2022-09-06 12:00 UTC, 4 late in 3 incidents; 4 dashboards; \
         open it in a browser\n"
    );
}

#[test]
fn a_second_run_starts_afresh_and_says_the_same_with_any_number_of_threads() {
    let house = House::empty();
    let first = house.run("demo --threads 1").expect(0);
    let second = house.run("demo --threads 4").expect(0);
    assert_eq!(first.stdout, second.stdout);
}

#[test]
fn the_commands_it_shows_can_be_typed_in_its_folder() {
    let house = House::empty();
    let story = house.run("demo --dir here").expect(0).stdout;
    for (line, code) in [("check", 1), ("explain proxy_list", 0)] {
        let mut command = house.command(&format!("{line} --now 2022-09-06T12:00:00Z"));
        let output = command.current_dir(house.path("here")).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{line}");
        let typed = String::from_utf8(output.stdout).unwrap();
        let shown = format!("$ freshness {line}\n{typed}");
        assert!(story.contains(&shown), "{shown}");
    }
}

#[test]
fn a_provisional_model_is_explained_with_its_shift_in_the_column_of_facts() {
    let house = House::empty();
    house.run("demo").expect(0);
    let store = "--store freshness-demo/freshness.db --now 2022-09-02T12:00:00Z";
    house.run(&format!("fit --any-time {store}")).expect(0);
    let ran = house.run(&format!("explain dotgov_full {store}")).expect(0);
    let fact = "\nShift      provisional: ";
    assert!(ran.stdout.contains(fact), "{}", ran.stdout);
}

#[test]
fn it_writes_nothing_outside_its_folder() {
    let house = House::empty();
    house.run("demo").expect(0);
    assert_eq!(names(&house, "."), ["freshness-demo"]);
}

#[test]
fn it_refuses_a_folder_that_holds_files_of_others_and_leaves_it_alone() {
    let house = House::empty();
    fs::create_dir(house.path("mine")).unwrap();
    fs::write(house.path("mine/freshness.yaml"), "store: mine.db\n").unwrap();
    let ran = house.run("demo --dir mine").expect(2);
    assert_eq!(
        ran.stderr,
        "error: the folder holds files of others: mine\n\n\
         hint: name a new or an empty one: `freshness demo --dir DIR`\n"
    );
    assert_eq!(names(&house, "mine"), ["freshness.yaml"]);
    assert_eq!(
        fs::read_to_string(house.path("mine/freshness.yaml")).unwrap(),
        "store: mine.db\n"
    );
}

#[test]
fn settings_of_the_user_do_not_change_the_story() {
    let house = House::empty();
    let plain = house.run("demo").expect(0);
    fs::write(house.path("freshness.yaml"), "fit:\n  seed: 9\n").unwrap();
    let output = house
        .command("demo --format json --store other.db")
        .env("FRESHNESS_FALSE_ALARM_RATE", "0.2")
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), plain.stdout);
    assert_eq!(names(&house, "."), ["freshness-demo", "freshness.yaml"]);
}
