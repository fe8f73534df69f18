//! Is what other tools tell the same whatever its order, and does the user win?

use std::collections::BTreeMap;

use freshness_core::dashboard::Dashboard;
use freshness_core::dataset::{Dataset, DatasetId};
use freshness_store::{
    Access, ArrivalBatch, Collected, LineageEdge, LineageMode, Store, StoreError, StraightEdges,
    ToldBatch, ToldCounts, ToldHouse,
};
use jiff::Timestamp;

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("store.db"), Access::Create).unwrap();
    (folder, store)
}

fn id(text: &str) -> DatasetId {
    DatasetId::try_from(text).unwrap()
}

fn edge(text: &str) -> LineageEdge {
    let (upstream, downstream) = text.split_once('>').unwrap();
    LineageEdge {
        upstream: id(upstream),
        downstream: id(downstream),
    }
}

fn text(edges: &[LineageEdge]) -> String {
    let pairs = edges
        .iter()
        .map(|edge| format!("{}>{}", edge.upstream, edge.downstream));
    pairs.collect::<Vec<_>>().join(" ")
}

/// All that `source` tells as of then: datasets as `name` or `name@owner`, edges as `a>b`,
/// a dashboard as `dashboard=dataset`.
fn whole(source: &str, as_of: i64, words: &str) -> ToldHouse {
    let mut house = ToldHouse {
        source: source.to_owned(),
        as_of,
        is_whole: true,
        datasets: Vec::new(),
        edges: Vec::new(),
        dashboards: Vec::new(),
        called: BTreeMap::new(),
    };
    for word in words.split_whitespace() {
        if word.contains('>') {
            house.edges.push(edge(word));
        } else if let Some((dashboard, dataset)) = word.split_once('=') {
            let feeds = [("all".to_owned(), id(dataset))];
            house
                .dashboards
                .push(Dashboard::new(id(dashboard).into(), feeds));
        } else {
            let (name, owner) = match word.split_once('@') {
                Some((name, owner)) => (name, Some(owner.to_owned())),
                None => (word, None),
            };
            let mut dataset = Dataset::undeclared(id(name));
            dataset.owner = owner;
            house.datasets.push(dataset);
        }
    }
    house
}

fn part(source: &str, as_of: i64, words: &str) -> ToldHouse {
    ToldHouse {
        is_whole: false,
        ..whole(source, as_of, words)
    }
}

fn take(store: &mut Store, houses: &[ToldHouse]) -> ToldCounts {
    let told = ToldBatch {
        houses: houses.to_vec(),
        ..ToldBatch::default()
    };
    let straight =
        |_: &[LineageEdge], _: &[LineageEdge]| Ok::<_, StoreError>(StraightEdges::default());
    store.take_told(told, straight).unwrap()
}

/// What the store knows: datasets with their owners, edges, dashboards with their datasets.
fn known(store: &Store) -> (String, String, String) {
    let datasets = store.datasets().unwrap().into_iter().map(|entry| {
        let owner = entry.declared.unwrap().owner;
        match owner {
            Some(owner) => format!("{}@{owner}", entry.id),
            None => entry.id.to_string(),
        }
    });
    let dashboards = store.dashboards().unwrap();
    let dashboards = dashboards.iter().map(|dashboard| {
        let shown = dashboard.parts().iter().flat_map(|part| &part.datasets);
        let shown: Vec<&str> = shown.map(DatasetId::as_str).collect();
        format!("{}={}", dashboard.id.as_str(), shown.join("+"))
    });
    (
        datasets.collect::<Vec<_>>().join(" "),
        text(&store.lineage().unwrap()),
        dashboards.collect::<Vec<_>>().join(" "),
    )
}

#[test]
fn the_order_of_tellings_never_shows_and_the_newest_counts() {
    let tellings = [
        whole("dbt:shop", 100, "orders@ann old@ann raw>orders board=old"),
        whole(
            "dbt:shop",
            200,
            "orders@bob new raw>orders orders>new board=new",
        ),
        whole("dbt:shop", 150, "orders@eve old raw>old other=orders"),
        part("openlineage:etl", 120, "orders>seen"),
    ];
    let orders = [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2], [2, 3, 0, 1]];
    for order in orders {
        let (_folder, mut store) = store();
        for i in order {
            take(&mut store, &tellings[i..=i]);
        }
        let now = (
            "new orders@bob raw seen".to_owned(),
            "orders>new orders>seen raw>orders".to_owned(),
            "board=new".to_owned(),
        );
        assert_eq!(known(&store), now, "{order:?}");
        assert_eq!(store.gone_datasets().unwrap(), [id("old")]);
        let again = take(&mut store, &tellings);
        assert_eq!(
            (again.told_new, again.datasets_new, again.datasets_gone),
            (0, 0, 0)
        );
    }
}

#[test]
fn what_the_user_says_wins_and_keeps_alive() {
    let (_folder, mut store) = store();
    let mut own = Dataset::undeclared(id("orders"));
    own.team = Some("sales".to_owned());
    store.import_datasets(&[own.clone()]).unwrap();
    let board = Dashboard::new(id("board").into(), [("all".to_owned(), id("orders"))]);
    take(&mut store, &[whole("dbt:shop", 1, "orders@ann board=raw")]);
    store
        .import_dashboards(&[board], freshness_store::DashboardMode::Add)
        .unwrap();
    let declared = store.datasets().unwrap().remove(0).declared.unwrap();
    assert_eq!(declared.owner.as_deref(), Some("ann"));
    assert_eq!(declared.team.as_deref(), Some("sales"));
    assert_eq!(known(&store).2, "board=orders");

    own.owner = Some("eve".to_owned());
    store.import_datasets(&[own]).unwrap();
    let counts = take(&mut store, &[whole("dbt:shop", 2, "")]);
    assert_eq!(counts.datasets_gone, 0);
    assert_eq!(known(&store).0, "orders@eve raw");
}

#[test]
fn of_two_sources_the_first_by_name_is_believed() {
    let (_folder, mut store) = store();
    take(
        &mut store,
        &[whole("b", 9, "orders@bob"), whole("a", 1, "orders@ann")],
    );
    assert_eq!(known(&store).0, "orders@ann");
    // What one no longer knows the other still does.
    take(&mut store, &[whole("a", 2, "")]);
    assert_eq!(known(&store).0, "orders@bob");
}

#[test]
fn a_circle_that_is_refused_leaves_nothing_behind() {
    #[derive(Debug)]
    struct Refused;
    impl From<StoreError> for Refused {
        fn from(error: StoreError) -> Refused {
            panic!("{error}")
        }
    }
    let (_folder, mut store) = store();
    take(&mut store, &[whole("dbt:shop", 1, "a>b")]);
    let mut arrivals = ArrivalBatch::new();
    let dataset = arrivals.dataset("b").unwrap();
    arrivals.push(dataset, 1_700_000_000);
    let told = ToldBatch {
        arrivals,
        houses: vec![whole("dbt:other", 1, "b>a c")],
        ..ToldBatch::default()
    };
    let refused = store.take_told(told, |firm, loose| {
        assert_eq!((text(firm).as_str(), loose.len()), ("a>b b>a", 0));
        Err(Refused)
    });
    assert!(matches!(refused, Err(Refused)));
    assert_eq!(known(&store).0, "a b");
    assert_eq!(store.integrity().unwrap().n_arrivals, 0);
    let again = store.import_lineage(&[edge("b>a")], LineageMode::Add, |firm, _| {
        assert_eq!(
            text(firm),
            "a>b b>a",
            "the user's edges are seen beside those told"
        );
        Err(Refused)
    });
    assert!(again.is_err());
}

#[test]
fn edges_told_in_passing_are_straightened_and_the_user_can_straighten_them_anew() {
    let (_folder, mut store) = store();
    let told = ToldBatch {
        houses: vec![part("openlineage:etl", 1, "raw>a a>b b>a")],
        ..ToldBatch::default()
    };
    let taken = store.take_told(told, |firm, loose| {
        assert_eq!((firm.len(), text(loose).as_str()), (0, "a>b b>a raw>a"));
        Ok::<_, StoreError>(StraightEdges {
            left_out: vec![edge("a>b"), edge("b>a")],
            added: vec![edge("raw>b")],
        })
    });
    taken.unwrap();
    assert_eq!(known(&store).1, "raw>a raw>b");
    let imported = store.import_lineage(&[edge("a>b")], LineageMode::Add, |firm, loose| {
        assert_eq!(
            (text(firm).as_str(), text(loose).as_str()),
            ("a>b", "b>a raw>a")
        );
        Ok::<_, StoreError>(StraightEdges {
            left_out: vec![edge("b>a")],
            added: vec![edge("raw>b")],
        })
    });
    imported.unwrap();
    assert_eq!(known(&store).1, "a>b raw>a raw>b");
}

#[test]
fn a_cursor_moves_with_what_was_read_and_stays_when_a_source_fails() {
    let (_folder, mut store) = store();
    let at = |second| Timestamp::from_second(second).unwrap();
    let collect = |store: &mut Store, cursor: &str, second| {
        let mut arrivals = ArrivalBatch::new();
        let dataset = arrivals.dataset("orders").unwrap();
        arrivals.push(dataset, second);
        let told = ToldBatch {
            arrivals,
            collected: Some(Collected {
                name: "lake".to_owned(),
                cursor: Some(cursor.to_owned()),
                at: at(second),
            }),
            ..ToldBatch::default()
        };
        store
            .take_told(told, |_, _| Ok::<_, StoreError>(StraightEdges::default()))
            .unwrap()
    };
    assert_eq!(store.cursor("lake").unwrap(), None);
    assert_eq!(collect(&mut store, "17", 1_700_000_000).arrivals_new, 1);
    store
        .record_failure("lake", "no such bucket", at(1_700_000_100))
        .unwrap();
    assert_eq!(store.cursor("lake").unwrap().as_deref(), Some("17"));
    let health = store.collections().unwrap().remove(0);
    assert_eq!(health.error.as_deref(), Some("no such bucket"));
    assert_eq!(health.succeeded_at, Some(at(1_700_000_000)));
    assert_eq!(health.tried_at, at(1_700_000_100));
    assert_eq!(
        collect(&mut store, "18", 1_700_000_000).arrivals_duplicate,
        1
    );
    let health = store.collections().unwrap().remove(0);
    assert_eq!((health.error, health.n_arrivals), (None, 0));
}

#[test]
fn two_sources_that_call_one_dataset_otherwise_are_named_in_any_order() {
    let called = |mut house: ToldHouse, as_of: i64, called: &str| {
        house.as_of = as_of;
        let names = house.datasets.iter().map(|dataset| dataset.id.clone());
        house.called = names.map(|id| (id, called.to_owned())).collect();
        house
    };
    let shop = || called(whole("dbt:shop", 0, "orders"), 100, "model.shop.orders");
    let web = || called(whole("dbt:web", 0, "orders"), 100, "model.web.orders");
    let same = || called(whole("dbt:blog", 0, "orders"), 100, "model.shop.orders");
    let silent = || whole("airflow:a", 100, "orders");
    let said = |counts: &ToldCounts| {
        let each = counts.namesakes.iter();
        let each = each.map(|it| format!("{} {} {}", it.source, it.other, it.dataset));
        each.collect::<Vec<_>>().join(", ")
    };
    let both = "dbt:shop dbt:web orders";
    for order in [[shop(), web()], [web(), shop()]] {
        let (_folder, mut store) = store();
        let [first, second] = order;
        let alone = take(&mut store, &[first.clone(), silent()]);
        assert_eq!(said(&alone), "");
        assert_eq!(said(&take(&mut store, std::slice::from_ref(&second))), both);
        assert_eq!(said(&take(&mut store, &[first, second])), both);
    }
    let (_folder, mut store) = store();
    take(&mut store, &[shop(), silent()]);
    assert_eq!(said(&take(&mut store, &[same(), shop()])), "");
    // What one of them no longer has is no namesake, nor is an older telling of it.
    take(
        &mut store,
        &[called(whole("dbt:shop", 0, "visits"), 200, "x")],
    );
    take(&mut store, &[whole("dbt:blog", 200, "")]);
    assert_eq!(said(&take(&mut store, &[web(), shop()])), "");
}
