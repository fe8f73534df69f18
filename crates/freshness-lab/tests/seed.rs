//! Is the made-up warehouse as it is said to be, whatever the seed?

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use freshness_core::civil::DAY;
use freshness_core::dataset::DatasetId;
use freshness_lab::seed::{Kind, Maker, Warehouse, plain_warehouse, warehouse};
use freshness_lab::truth::{IncidentKind, Truth};
use tempfile::TempDir;

const N_SEEDS: u64 = 3;

/// Diverse warehouses of some seeds.
static DIVERSE: LazyLock<Vec<Warehouse>> = LazyLock::new(|| (1..=N_SEEDS).map(warehouse).collect());

/// One that is plain.
static PLAIN: LazyLock<Warehouse> = LazyLock::new(|| plain_warehouse(1));

fn made() -> impl Iterator<Item = &'static Warehouse> {
    DIVERSE.iter().chain([&*PLAIN])
}

fn n_arrivals(warehouse: &Warehouse) -> usize {
    let histories = warehouse.datasets.iter();
    histories.map(|(_, history)| history.len()).sum()
}

fn is_critical(warehouse: &Warehouse, id: &DatasetId) -> bool {
    let mut datasets = warehouse.datasets.iter();
    datasets.any(|(dataset, _)| dataset.id == *id && dataset.critical)
}

/// What was due on the last day and has not come, and the roots of it.
fn late_on_last_day(warehouse: &Warehouse) -> (BTreeSet<&DatasetId>, BTreeSet<&DatasetId>) {
    let last_day = warehouse.ends_at - warehouse.ends_at.rem_euclid(DAY);
    let cycles = warehouse.truth.datasets.iter();
    cycles
        .flat_map(|(id, truth)| truth.cycles.iter().map(move |cycle| (id, cycle)))
        .filter(|(_, cycle)| cycle.due_at.is_some_and(|due| due >= last_day))
        .filter_map(|(id, cycle)| Some((id, cycle.incident.as_ref()?)))
        .map(|(id, incident)| (id, &incident.root))
        .unzip()
}

#[test]
fn the_number_of_everything_is_the_same_for_every_seed() {
    for made in made() {
        let classes = made.truth.datasets.values();
        let hourly = classes.filter(|truth| truth.class == "hourly").count();
        assert_eq!((made.datasets.len(), hourly), (53, 10));
        assert_eq!((made.lineage.n_edges(), made.dashboards.len()), (47, 13));
        let n = n_arrivals(made);
        assert!(n.abs_diff(74_600) < 1_492, "{n} arrivals");
    }
}

#[test]
fn a_seed_makes_the_same_warehouse_again_and_another_makes_another() {
    assert!(warehouse(3) == DIVERSE[2]);
    assert!(DIVERSE[2] != DIVERSE[1]);
}

#[test]
fn on_the_last_day_twelve_are_late_from_four_roots_and_three_are_critical() {
    for made in made() {
        let (late, roots) = late_on_last_day(made);
        let critical = late.iter().filter(|id| is_critical(made, id)).count();
        assert_eq!((late.len(), roots.len(), critical), (12, 4, 3));
        assert!(roots.is_subset(&late));
        for id in late.difference(&roots) {
            let above = made.lineage.ancestors(id.as_str());
            assert!(above.iter().any(|(above, _)| roots.contains(above)), "{id}");
        }
    }
}

#[test]
fn what_the_truth_says_arrived_has_arrived_and_in_order() {
    for made in made() {
        for (dataset, history) in &made.datasets {
            let truth = &made.truth.datasets[&dataset.id];
            let arrived: Vec<i64> = truth.cycles.iter().filter_map(|of| of.arrived_at).collect();
            assert!(arrived.is_sorted(), "{}", dataset.id);
            let has = |at: &i64| history.at().binary_search(at).is_ok();
            assert!(arrived.iter().all(has), "{}", dataset.id);
        }
    }
}

#[test]
fn an_ordinary_delivery_comes_when_it_was_due_and_a_late_one_much_later() {
    for made in made() {
        for (id, truth) in &made.truth.datasets {
            for cycle in &truth.cycles {
                let (Some(due), Some(arrived)) = (cycle.due_at, cycle.arrived_at) else {
                    continue;
                };
                // What chance put in the wrong order waits a moment.
                let late = arrived - due;
                match cycle.incident {
                    None => assert!((0..=20 * 60).contains(&late), "{id}: {cycle:?}"),
                    Some(_) => assert!(late >= 4 * 60, "{id}: {cycle:?}"),
                }
            }
        }
    }
}

#[test]
fn incidents_are_as_rare_as_said() {
    let mut by_class: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for made in made() {
        for truth in made.truth.datasets.values() {
            let (n, n_late) = by_class.entry(truth.class.clone()).or_default();
            let incidents = truth.cycles.iter().filter_map(|of| of.incident.as_ref());
            *n += truth.cycles.len();
            *n_late += incidents
                .filter(|of| of.kind != IncidentKind::Stopped)
                .count();
        }
    }
    let rate = |class: &str| by_class[class].1 as f64 / by_class[class].0 as f64;
    for daily in ["daily", "weekdays", "business_days"] {
        assert!(
            (0.01..0.03).contains(&rate(daily)),
            "{daily}: {}",
            rate(daily)
        );
    }
    assert!(
        (0.005..0.016).contains(&rate("hourly")),
        "{}",
        rate("hourly")
    );
    assert!(rate("weekly") > rate("daily"));
}

#[test]
fn every_kind_of_event_is_in_every_diverse_warehouse() {
    const NEW_YEAR: i64 = 1_767_225_600;
    for made in DIVERSE.iter() {
        let truths: Vec<_> = made.truth.datasets.values().collect();
        let holdout = made.ends_at - 45 * DAY;
        let moves: Vec<(i64, f64)> = truths.iter().flat_map(|of| of.moves.clone()).collect();
        assert!(
            moves
                .iter()
                .any(|&(at, by)| at.abs_diff(NEW_YEAR) <= 86_400 && by == -134.0)
        );
        assert!(
            moves.iter().filter(|&&(at, _)| at > holdout).count() >= 3,
            "{moves:?}"
        );
        assert!(moves.iter().any(|&(_, by)| by > 30.0));
        let zones: BTreeSet<&str> = truths
            .iter()
            .filter_map(|of| of.schedule.as_ref().map(|(_, zone)| zone.name()))
            .collect();
        assert!(zones.len() >= 5, "{zones:?}");
        for kind in IncidentKind::ALL {
            let cycles = truths.iter().flat_map(|of| &of.cycles);
            let mut incidents = cycles.filter_map(|of| of.incident.as_ref());
            assert!(incidents.any(|of| of.kind == kind), "{kind:?}");
        }
        let stops = truths.iter().filter_map(|of| {
            let is_end = |kind| kind == IncidentKind::Stopped;
            let mut cycles = of.cycles.iter();
            cycles.find(|of| of.incident.as_ref().is_some_and(|of| is_end(of.kind)))
        });
        let stops: Vec<i64> = stops.map(|cycle| cycle.start).collect();
        assert_eq!(stops.len(), 2);
        assert!(stops.iter().any(|&at| at < holdout) && stops.iter().any(|&at| at > holdout));
        let skips = truths.iter().map(|of| {
            let skipped = of.cycles.iter().filter(|of| of.due_at.is_none()).count();
            skipped as f64 / of.cycles.len() as f64
        });
        let skips: Vec<f64> = skips.filter(|&share| share > 0.0).collect();
        assert!(
            skips.len() == 1 && (0.02..0.15).contains(&skips[0]),
            "{skips:?}"
        );
    }
}

/// A warehouse in a folder.
fn written() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let place = folder.path().join("warehouse");
    DIVERSE[0]
        .write(&place, Maker::Seed(Kind::Diverse), 1)
        .unwrap();
    (folder, place)
}

#[track_caller]
fn check_refused(place: &Path, message: &str) {
    let error = DIVERSE[1]
        .write(place, Maker::Seed(Kind::Diverse), 2)
        .unwrap_err();
    let place = place.to_string_lossy();
    assert_eq!(error.to_string().replace(&*place, "DIR"), message);
}

#[test]
fn the_truth_is_read_as_it_was_written() {
    let (_folder, place) = written();
    let read = Truth::read(&Warehouse::truth_in(&place)).unwrap();
    assert!(read == DIVERSE[0].truth);
}

#[test]
fn an_earlier_warehouse_is_replaced_and_nothing_is_left_beside_it() {
    let (folder, place) = written();
    PLAIN.write(&place, Maker::Seed(Kind::Plain), 6).unwrap();
    let mark = fs::read_to_string(place.join("seed.json")).unwrap();
    assert!(
        mark.contains("\"plain\"") && mark.contains("\"seed\": 6"),
        "{mark}"
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn files_of_others_are_left_alone() {
    let (folder, place) = written();
    fs::write(place.join("notes.txt"), "mine").unwrap();
    check_refused(&place, "the folder holds files of others: DIR");
    assert!(
        fs::read_to_string(place.join("seed.json"))
            .unwrap()
            .contains("\"seed\": 1")
    );
    let file = folder.path().join("file");
    fs::write(&file, "mine").unwrap();
    check_refused(&file, "not a folder: DIR");
    // A mark that is not ours protects no folder from being kept.
    let other = folder.path().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("seed.json"), "{}").unwrap();
    check_refused(&other, "the folder holds files of others: DIR");
}

/// A truth of one dataset and two cycles, with one thing changed.
#[track_caller]
fn check_damage(find: &str, replace: &str, message: &str) {
    let folder = TempDir::new().unwrap();
    let datasets = r#"{"dataset_id":"a","class":"daily","calendar":"daily","timezone":"UTC","moves":[],"outages":[]}"#;
    let cycles = "dataset_id,start,usual_at,due_at,arrived_at,incident,root
a,2026-01-01T00:00:00Z,2026-01-01T06:00:00Z,2026-01-01T06:02:00Z,2026-01-01T06:02:00Z,,
a,2026-01-02T00:00:00Z,2026-01-02T06:00:00Z,2026-01-02T06:01:00Z,,missed,a
";
    for (name, text) in [("datasets.ndjson", datasets), ("cycles.csv", cycles)] {
        fs::write(folder.path().join(name), text.replacen(find, replace, 1)).unwrap();
    }
    let error = Truth::read(folder.path()).unwrap_err().to_string();
    let path = format!("{}/", folder.path().display());
    assert_eq!(error.replace(&path, ""), message);
}

#[test]
fn a_damaged_truth_is_refused_with_its_line_and_its_value() {
    check_damage(
        "2026-01-02T06:01:00Z",
        "2026-13-02",
        "cycles.csv, line 3: unreadable due_at: 2026-13-02",
    );
    check_damage(
        "missed",
        "lost",
        "cycles.csv, line 3: unreadable incident: lost",
    );
    check_damage(
        ",missed,a",
        ",missed,",
        "cycles.csv, line 3: an incident and its root go together: missed",
    );
    check_damage(
        "2026-01-01T06:00:00Z",
        "",
        "cycles.csv, line 2: usual_at is missing",
    );
    check_damage(
        "a,2026-01-02T00",
        "b,2026-01-02T00",
        "cycles.csv, line 3: not described in datasets.ndjson: b",
    );
    check_damage(
        "2026-01-02T00:00:00Z",
        "2026-01-01T00:00:00Z",
        "cycles.csv, line 3: does not begin after the cycle before: 2026-01-01T00:00:00Z",
    );
    check_damage(
        ",root",
        ",cause",
        "cycles.csv, line 1: unknown columns: dataset_id,start,usual_at,due_at,arrived_at,\
         incident,cause (expected dataset_id,start,usual_at,due_at,arrived_at,incident,root)",
    );
    check_damage(
        "UTC",
        "UTX",
        "datasets.ndjson, line 1: not a line of the truth: unknown time zone: UTX",
    );
}
