//! What the comparison with people's knowledge says of a few real histories:
//! the folder `data` holds a part of the arrivals of public feeds.

use std::path::{Path, PathBuf};
use std::process::Command;

use freshness_lab::agreement::{
    Agreement, AgreementError, ComparedMove, Confidence, Folder, compare, page, read_folder,
    read_truth,
};

const TRUTH: &str = include_str!("../truth/real.jsonl");

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

fn agreement() -> Agreement {
    let folder = read_folder(&folder()).unwrap();
    compare(&folder, &read_truth(TRUTH).unwrap()).unwrap()
}

#[test]
fn calendars_zones_and_moves_of_real_histories_are_found_and_clock_changes_are_no_moves() {
    let agreement = agreement();
    let (agree, of) = agreement.calendars(Confidence::High);
    assert_eq!(of, 9);
    assert!(agree >= 8, "{agree} of {of}");
    assert_eq!(agreement.zones(Confidence::High), (9, 9));
    let (found, of) = agreement.moves(Confidence::High, ComparedMove::counts);
    assert!(of >= 5 && found + 1 >= of, "{found} of {of}");
    for compared in &agreement.datasets {
        for stray in &compared.strays {
            assert!(!stray.is_near_clock_change(), "{stray:?}");
        }
    }
}

#[test]
fn a_move_that_lasted_two_weeks_does_not_count() {
    let agreement = agreement();
    let covid = agreement
        .datasets
        .iter()
        .find(|compared| compared.known.dataset_id == "covid_us_simplified")
        .unwrap();
    let weeks: Vec<(usize, usize)> = covid.moves.iter().map(|moved| moved.weeks).collect();
    assert_eq!(weeks, [(1, 37), (37, 2), (2, 45)]);
    assert!(covid.moves.iter().all(|moved| !moved.counts()));
}

#[test]
fn the_page_tells_each_dataset_and_each_known_move() {
    let agreement = agreement();
    let page = page(&agreement, &[], "agreement DIR");
    for compared in &agreement.datasets {
        let rows = page
            .lines()
            .filter(|line| line.starts_with(&format!("| {} |", compared.known.dataset_id)));
        let expected = 1 + compared.moves.len() + compared.strays.len();
        assert_eq!(rows.count(), expected, "{}", compared.known.dataset_id);
    }
    assert!(page.contains("`agreement DIR`"));
}

#[test]
fn a_dataset_of_which_nothing_is_known_is_an_error() {
    let folder = Folder {
        histories: vec![("stranger".to_owned(), Default::default())],
    };
    let compared = compare(&folder, &read_truth(TRUTH).unwrap());
    assert!(matches!(compared, Err(AgreementError::Unknown(id)) if id == "stranger"));
}

#[test]
fn a_bad_fact_is_named_by_its_line() {
    let error = read_truth("{\"dataset_id\":\"a\"}").unwrap_err();
    assert_eq!(error.to_string(), "unreadable fact in line 1");
    let fact = r#"{"dataset_id":"a","confidence":"high","calendar":"dayly","zones":["any"]}"#;
    let error = read_truth(fact).unwrap_err();
    assert_eq!(error.to_string(), "no such calendar in line 1: dayly");
}

#[test]
fn the_command_writes_the_page() {
    let out = tempfile::tempdir().unwrap();
    let page = out.path().join("agreement.md");
    let status = Command::new(env!("CARGO_BIN_EXE_agreement"))
        .arg(folder())
        .arg("--out")
        .arg(&page)
        .status()
        .unwrap();
    assert!(status.success());
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.starts_with("# Does what is learned agree with what is known?\n"));
}
