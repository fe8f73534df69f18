//! Is a table or a file in Azure read as one on a disk is?
//!
//! The server is Azurite, Microsoft's own emulator.

use std::path::{Path, PathBuf};

mod house;
use house::House;
use house::azure::{ACCOUNT, AzureStore, FOR_LONG, key, signature};
use house::http::check_read_from_where_it_was_left;

const NOW: &str = "2026-09-07T12:00:00Z";

/// Blobs to a page of a listing.
const PAGE: usize = 5_000;

fn first() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/lake/first"))
}

#[test]
fn tables_in_azure_are_read_as_on_a_disk() {
    let (house, store) = (House::empty(), AzureStore::start());
    store.put_folder(&first(), "tables");
    let line = format!("import delta az://lake/tables/orders --cycle day --now {NOW}");
    let ran = house.run_with(&store.variables(), &line).expect(0);
    assert_eq!(ran.stderr, "orders: 18 commits read, 8 brought data\n");
    let location = format!("abfss://lake@{ACCOUNT}.dfs.core.windows.net/tables/payments/");
    let line = format!("import iceberg {location} --cycle day --now {NOW}");
    // The location says whose it is.
    let ran = house.run_with(&store.variables()[1..], &line).expect(0);
    let words = "payments: 9 snapshots read, 6 brought data\n";
    assert!(ran.stderr.starts_with(words), "{}", ran.stderr);
    // The same from a disk changes nothing.
    for (tool, table, n) in [("delta", "orders", "8"), ("iceberg", "payments", "6")] {
        let path = first().join(table);
        let line = format!("import {tool} {} --cycle day --now {NOW}", path.display());
        let ran = house.run(&line).expect(0);
        assert!(
            ran.stdout
                .contains(&format!("             0         {n:>2}")),
            "{}",
            ran.stdout
        );
    }

    // By whatever the tools of Azure are told who asks.
    let endpoint = store.endpoint();
    let signature = signature(FOR_LONG);
    let (key_said, signature_said) = (
        format!(
            "DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={};BlobEndpoint={endpoint};",
            key()
        ),
        format!("AccountName={ACCOUNT};BlobEndpoint={endpoint};SharedAccessSignature={signature}"),
    );
    let told = |name: &'static str, value: &str| (name, value.to_owned());
    let named = told("AZURE_STORAGE_ACCOUNT", ACCOUNT);
    let placed = told("AZURE_STORAGE_ENDPOINT", &endpoint);
    for variables in [
        &[
            named.clone(),
            placed.clone(),
            told("AZURE_STORAGE_KEY", &key()),
        ][..],
        &[
            named.clone(),
            placed.clone(),
            told("AZURE_STORAGE_SAS_TOKEN", &signature),
        ],
        &[
            named.clone(),
            placed,
            told("AZURE_STORAGE_SAS_KEY", &format!("?{signature}")),
        ],
        &[told("AZURE_STORAGE_CONNECTION_STRING", &key_said)],
        &[told("AZURE_STORAGE_CONNECTION_STRING", &signature_said)],
        // It says all; what else is there may be another's.
        &[
            told("AZURE_STORAGE_CONNECTION_STRING", &key_said),
            told("AZURE_STORAGE_ACCOUNT", "other"),
            told("AZURE_STORAGE_KEY", "b3RoZXI="),
        ],
    ] {
        let line = format!("import delta az://lake/tables/orders --cycle day --now {NOW}");
        let ran = house.run_with(variables, &line).expect(0);
        assert!(
            ran.stdout.contains("             0          8"),
            "{variables:?} {ran:?}"
        );
    }
}

#[test]
fn a_table_in_azure_is_read_from_where_it_was_left() {
    let (house, store) = (House::empty(), AzureStore::start());
    let put = |files: &[(String, Vec<u8>)]| {
        store.put(files.iter().map(|(name, bytes)| (name.clone(), &bytes[..])));
    };
    check_read_from_where_it_was_left(
        &house,
        "abfss://lake@somebody.dfs.core.windows.net",
        &store.variables(),
        put,
    );
}

#[test]
fn files_in_azure_are_there_at_once_whatever_they_are_called() {
    let (house, store) = (House::empty(), AzureStore::start());
    let name = |i: usize| format!("in/2026-02-{:02}/part-{i}.csv", 1 + i % 28);
    let odd = ["in/2026-02-01/a b%2F+&=#.csv", "in/2026-02-02/größe.csv"];
    let odd = odd.into_iter().map(str::to_owned);
    let names = (0..PAGE + 10).map(name).chain(odd);
    store.put(names.map(|name| (name, &b"1"[..])));
    store.put(["in/2026-02-01/_SUCCESS", "in/other.txt"].map(|name| (name.to_owned(), &b""[..])));
    let line = "import files az://lake/in/{date:%Y-%m-%d}/*.csv --dataset orders --now 2099-01-01T00:00:00Z";
    let ran = house.run_with(&store.variables(), line).expect(0);
    assert_eq!(ran.stderr, "orders: 5,012 files found, 5,012 arrived\n");
    let again = house.run_with(&store.variables(), line).expect(0);
    assert!(
        again.stdout.contains("             0      5,012"),
        "{}",
        again.stdout
    );
}

#[test]
fn what_azure_does_not_give_is_told_in_short() {
    let (house, store) = (House::empty(), AzureStore::start());
    let check_refused = |variables: &[(&str, String)], line: &str, words: &str| {
        let ran = house.run_with(variables, line).expect(2);
        assert!(ran.stderr.contains(words), "{line}\n{}", ran.stderr);
        let secrets = [&key(), "sig=", "hunter2", "aHVudGVyMg"];
        assert!(
            ran.stderr.len() < 900 && !secrets.iter().any(|secret| ran.stderr.contains(*secret)),
            "{}",
            ran.stderr
        );
        assert!(!Path::new(&house.path(".freshness")).exists());
    };
    let variables = store.variables();
    check_refused(
        &variables,
        "import delta az://lake/nothing",
        "az://lake/nothing: not a Delta table: there is no _delta_log in it; nothing was imported",
    );
    check_refused(
        &variables,
        "import iceberg az://lake/t/v1.metadata.json",
        "az://lake/t/v1.metadata.json: no such file or folder",
    );
    check_refused(
        &variables,
        "import delta az://container-that-is-not/x",
        "az://container-that-is-not/x: no such container: container-that-is-not; nothing was imported",
    );
    check_refused(
        &variables,
        "import files abfss://container-that-is-not@somebody.dfs.core.windows.net/*.csv --dataset a",
        "no such container: container-that-is-not",
    );
    store.put([("odd//a.csv".to_owned(), &b"1"[..])]);
    check_refused(
        &variables,
        "import files az://lake/odd/*.csv --dataset a",
        "an object there has a name that is no path: odd//a.csv",
    );
    let but = |name: &'static str, value: &str| {
        let mut variables = variables.to_vec();
        variables.retain(|(own, _)| *own != name);
        if !value.is_empty() {
            variables.push((name, value.to_owned()));
        }
        variables
    };
    let orders = "import delta az://lake/tables/orders";
    check_refused(
        &but("AZURE_STORAGE_ACCOUNT_KEY", "aHVudGVyMg=="),
        orders,
        "az://lake/tables/orders: Azure gives no access: 403 Forbidden: AuthorizationFailure: Server failed",
    );
    check_refused(
        &but("AZURE_STORAGE_ACCOUNT_KEY", "hunter2!"),
        orders,
        "cannot tell how Azure is reached: Invalid Access Key",
    );
    check_refused(
        &but("AZURE_STORAGE_ACCOUNT_NAME", ""),
        orders,
        "cannot tell how Azure is reached: Account must be specified",
    );
    check_refused(
        &but("AZURE_STORAGE_CONNECTION_STRING", "hunter2"),
        orders,
        "AZURE_STORAGE_CONNECTION_STRING is not made of KEY=VALUE; parts",
    );
    let mut signed = but("AZURE_STORAGE_ACCOUNT_KEY", "");
    signed.push(("AZURE_STORAGE_SAS_TOKEN", signature("2020-01-01T00:00:00Z")));
    check_refused(&signed, orders, "Azure gives no access: 403 Forbidden: ");
    signed.pop();
    signed.push(("AZURE_STORAGE_SAS_TOKEN", "hunter2".to_owned()));
    check_refused(&signed, orders, "cannot tell how Azure is reached: ");
    // A machine without an identity, asked for its token.
    signed.pop();
    signed.push((
        "AZURE_IDENTITY_ENDPOINT",
        "http://127.0.0.1:9/token".to_owned(),
    ));
    check_refused(
        &signed,
        orders,
        "cannot reach Azure: http://127.0.0.1:9/token: Connection refused",
    );
    // A server that is not there is not waited for.
    check_refused(
        &but("AZURE_STORAGE_ENDPOINT", "http://127.0.0.1:9/somebody"),
        orders,
        "cannot reach Azure: http://127.0.0.1:9/somebody/lake: Connection refused",
    );
    check_refused(
        &but("AZURE_STORAGE_ENDPOINT", "http://127.0.0.1:9/somebody"),
        orders,
        "hint: Azure is reached by AZURE_STORAGE_CONNECTION_STRING, or by",
    );
}
