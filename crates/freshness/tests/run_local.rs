//! Does one command tell everything of a warehouse whose truth is known?

mod house;

use house::House;

#[test]
fn everything_is_run_on_a_made_up_warehouse_and_ends_with_the_page() {
    let house = House::empty();
    let ran = house.run("run-local --seed 1 --refit 30d").expect(0);
    let told = [
        "$ freshness seed --seed 1 --out warehouse",
        "$ freshness import dashboards warehouse/dashboards.csv",
        "$ freshness fit",
        "$ freshness status",
        "$ freshness incidents",
        "$ freshness trust",
        "$ freshness evaluate --seed 1 --refit 30d",
        "$ freshness check",
        "(exit code 1: a critical dataset is late",
        "$ freshness report --out freshness-report",
    ];
    let mut rest = ran.stdout.as_str();
    for line in told {
        let at = rest
            .find(line)
            .unwrap_or_else(|| panic!("{line}\n{}", ran.stdout));
        rest = &rest[at..];
    }
    let page = ran.stdout.lines().last().unwrap();
    assert_eq!(page, "freshness-local/freshness-report/console.html");
    assert!(house.path(page).is_file());
    // The twelve late datasets of the last day come down to four incidents.
    assert!(
        ran.stdout
            .contains("\n12 late datasets, 4 incidents, 8 alerts suppressed (66.7 %)\n"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_folder_with_files_of_others_is_left_alone() {
    let house = House::empty();
    std::fs::create_dir(house.path("mine")).unwrap();
    std::fs::write(house.path("mine/thesis.txt"), "years of work").unwrap();
    let ran = house.run("run-local --dir mine").expect(2);
    assert!(
        ran.stderr.contains("`freshness run-local --dir DIR`"),
        "{ran:?}"
    );
}
