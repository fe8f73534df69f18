//! Does a folder declare what it says now, and nothing of what it said before?

use freshness_core::dataset::DatasetId;
use freshness_core::slo::{Declaration, Measured, Origin, Quality, Scalar, ServiceLevels};
use freshness_store::{Access, Declared, Store, StoreError};

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("store.db"), Access::Create).unwrap();
    (folder, store)
}

/// `dataset environment ratio`, declared in a folder.
fn declared(folder: &str, text: &str) -> Declared {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [dataset, environment, ratio] = words[..] else {
        panic!("{text}");
    };
    Declared {
        declaration: Declaration {
            dataset: DatasetId::try_from(dataset).unwrap(),
            environment: environment.to_owned(),
            measured: Measured::default(),
            levels: ServiceLevels {
                quality: Some(Quality {
                    min_good_ratio: Some(ratio.parse().unwrap()),
                    ..Quality::default()
                }),
                ..ServiceLevels::default()
            },
        },
        folder: folder.to_owned(),
        origins: vec![Origin {
            key: "service_levels.quality.min_good_ratio".to_owned(),
            value: Some(vec![Scalar::Text(ratio.to_owned())]),
            file: "contract.yaml".to_owned(),
            line: 3,
            column: 5,
        }],
    }
}

/// What an import of a folder changed: added, changed, removed, unchanged.
#[track_caller]
fn check(store: &mut Store, folder: &str, told: &[&str], expected: [&str; 3], n_unchanged: u64) {
    let told: Vec<Declared> = told.iter().map(|text| declared(folder, text)).collect();
    let changes = store.declare(&[folder.to_owned()], &told).unwrap();
    let names = |of: &[(DatasetId, String)]| {
        let names = of
            .iter()
            .map(|(dataset, environment)| format!("{dataset}/{environment}"));
        names.collect::<Vec<_>>().join(" ")
    };
    let found = [
        names(&changes.added),
        names(&changes.changed),
        names(&changes.removed),
    ];
    assert_eq!(found.each_ref().map(String::as_str), expected);
    assert_eq!(changes.n_unchanged, n_unchanged);
}

fn all(store: &Store) -> Vec<String> {
    let entries = store.declarations().unwrap().into_iter();
    entries
        .map(|entry| {
            format!(
                "{}/{} of {}",
                entry.dataset, entry.environment, entry.folder
            )
        })
        .collect()
}

#[test]
fn a_folder_replaces_what_it_declared_before_and_nothing_else() {
    let (_folder, mut store) = store();
    check(
        &mut store,
        "/a",
        &["x prod 0.9", "y prod 0.9"],
        ["x/prod y/prod", "", ""],
        0,
    );
    check(&mut store, "/b", &["x dev 0.5"], ["x/dev", "", ""], 0);
    check(
        &mut store,
        "/a",
        &["x prod 0.9", "y prod 0.9"],
        ["", "", ""],
        2,
    );
    check(
        &mut store,
        "/a",
        &["x prod 0.8", "z prod 0.9"],
        ["z/prod", "x/prod", "y/prod"],
        0,
    );
    assert_eq!(all(&store), ["x/dev of /b", "x/prod of /a", "z/prod of /a"]);
    check(&mut store, "/a", &[], ["", "", "x/prod z/prod"], 0);
    assert_eq!(all(&store), ["x/dev of /b"]);
}

#[test]
fn what_another_folder_declares_is_refused_and_then_nothing_is_stored() {
    let (_folder, mut store) = store();
    check(&mut store, "/a", &["x prod 0.9"], ["x/prod", "", ""], 0);
    let told = [declared("/b", "w prod 0.9"), declared("/b", "x prod 0.1")];
    let error = store.declare(&["/b".to_owned()], &told).unwrap_err();
    assert!(matches!(error, StoreError::DeclaredTwice { .. }), "{error}");
    assert_eq!(error.to_string(), "x (prod) is declared twice, also in /a");
    assert_eq!(all(&store), ["x/prod of /a"]);
    assert_eq!(store.dataset_no("w").unwrap(), None);
}

#[test]
fn a_declaration_comes_back_as_it_was_with_its_places() {
    let (_folder, mut store) = store();
    let told = declared("/a", "x prod 0.9");
    store
        .declare(&["/a".to_owned()], std::slice::from_ref(&told))
        .unwrap();
    let entries = store.declarations().unwrap();
    assert_eq!(entries[0].declaration.as_ref().unwrap(), &told.declaration);
    assert_eq!(store.origins(&entries[0]).unwrap(), told.origins);
}
