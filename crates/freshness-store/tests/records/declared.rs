//! Is what was declared kept as it was told last?

use super::*;

#[test]
fn a_declaration_replaces_the_one_before() {
    let (_folder, mut store) = store();
    import(&mut store, "1", "a 10");
    let mut a = Dataset::undeclared(id("a"));
    a.critical = true;
    let mut b = Dataset::undeclared(id("b \"🦀\""));
    b.tags = vec!["x".to_owned()];
    let declared = [a.clone(), b];
    let counts = store.import_datasets(&declared).unwrap();
    assert_eq!(
        counts,
        DatasetCounts {
            new: 1,
            changed: 1,
            unchanged: 0
        }
    );
    let counts = store.import_datasets(&declared).unwrap();
    assert_eq!(
        counts,
        DatasetCounts {
            new: 0,
            changed: 0,
            unchanged: 2
        }
    );
    a.owner = Some("Ada".to_owned());
    store.import_datasets(&[a.clone()]).unwrap();
    let found: Vec<Dataset> = store
        .datasets()
        .unwrap()
        .into_iter()
        .map(|entry| entry.declared.unwrap())
        .collect();
    assert_eq!(found, [a, declared[1].clone()]);
}

#[test]
fn lineage_is_added_or_replaced_and_refused_as_a_whole() {
    let (_folder, mut store) = store();
    let edge = |upstream, downstream| LineageEdge {
        upstream: id(upstream),
        downstream: id(downstream),
    };
    let fine = |_: &[LineageEdge], _: &[LineageEdge]| Ok::<_, StoreError>(StraightEdges::default());
    let counts = store
        .import_lineage(
            &[edge("a", "b"), edge("b", "c"), edge("a", "b")],
            LineageMode::Add,
            fine,
        )
        .unwrap();
    assert_eq!(
        (counts.new, counts.duplicate, counts.datasets_new),
        (2, 1, 3)
    );

    let refused = store.import_lineage(&[edge("c", "a")], LineageMode::Add, |all, _| {
        assert_eq!(all, [edge("a", "b"), edge("b", "c"), edge("c", "a")]);
        Err(Refused::Cycle)
    });
    assert!(matches!(refused, Err(Refused::Cycle)));
    assert_eq!(store.lineage().unwrap(), [edge("a", "b"), edge("b", "c")]);

    let counts = store
        .import_lineage(
            &[edge("a", "b"), edge("a", "d")],
            LineageMode::Replace,
            fine,
        )
        .unwrap();
    assert_eq!((counts.new, counts.duplicate, counts.removed), (1, 1, 1));
    assert_eq!(store.lineage().unwrap(), [edge("a", "b"), edge("a", "d")]);
}

#[derive(Debug)]
enum Refused {
    Cycle,
    Store,
}

impl From<StoreError> for Refused {
    fn from(_: StoreError) -> Refused {
        Refused::Store
    }
}

fn dashboard(name: &str, title: Option<&str>, feeds: &[(&str, &str)]) -> Dashboard {
    let fed = |&(part, dataset): &(&str, &str)| (part.to_owned(), id(dataset));
    let mut dashboard = Dashboard::new(name.try_into().unwrap(), feeds.iter().map(fed));
    dashboard.title = title.map(str::to_owned);
    dashboard
}

#[test]
fn a_dashboard_replaces_the_one_of_its_name_and_told_again_changes_nothing() {
    let (_folder, mut store) = store();
    let board = dashboard(
        "board",
        Some("Board"),
        &[("b", "y"), ("a", "x"), ("b", "x")],
    );
    let sales = dashboard("sales", None, &[("all", "y")]);
    let told = [sales.clone(), board.clone()];
    let add = |store: &mut Store, told: &[Dashboard], mode| {
        let counts = store.import_dashboards(told, mode).unwrap();
        [counts.new, counts.changed, counts.unchanged, counts.removed]
    };
    assert_eq!(add(&mut store, &told, DashboardMode::Add), [2, 0, 0, 0]);
    assert_eq!(add(&mut store, &told, DashboardMode::Replace), [0, 0, 2, 0]);
    assert_eq!(store.dashboards().unwrap(), [board, sales]);
    let smaller = dashboard("board", None, &[("a", "x")]);
    let told = std::slice::from_ref(&smaller);
    assert_eq!(add(&mut store, told, DashboardMode::Add), [0, 1, 0, 0]);
    assert_eq!(add(&mut store, told, DashboardMode::Replace), [0, 0, 1, 1]);
    assert_eq!(store.dashboards().unwrap(), [smaller]);
    assert_eq!(store.integrity().unwrap().n_dashboards, 1);
}
