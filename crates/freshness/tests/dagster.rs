//! Is a real Dagster read?
//!
//! `dagster/loads.py` has three assets, of which one cannot be made.

#![allow(
    clippy::disallowed_methods,
    reason = "where things are installed is told by the environment, and Dagster goes by the clock of the machine"
)]

mod house;

use std::env;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use house::House;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

/// A machine that is busy with other tests takes its time.
const STARTS_WITHIN: Duration = Duration::from_secs(240);

/// The folder of its programs: the one that is named, or the one that `scripts/test`
/// made.
fn programs() -> PathBuf {
    if let Some(named) = env::var_os("FRESHNESS_DAGSTER") {
        return named.into();
    }
    let test = env::current_exe().unwrap();
    // target/debug/deps/test
    let folder = test.ancestors().nth(3).unwrap().join("dagster/bin");
    assert!(
        folder.join("dagster").exists(),
        "no Dagster here: run scripts/test once, or name the folder of its programs in FRESHNESS_DAGSTER"
    );
    folder
}

fn command(house: &House, program: &str, line: &str) -> Command {
    let loads = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dagster/loads.py");
    let mut command = Command::new(programs().join(program));
    command
        .env_clear()
        .env("PATH", env::var_os("PATH").unwrap_or_default())
        .env("HOME", house.path(""))
        .env("DAGSTER_HOME", house.path(""))
        .env("DAGSTER_DISABLE_TELEMETRY", "1")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .current_dir(house.path(""))
        .args(line.split_whitespace())
        .arg("-f")
        .arg(loads);
    command
}

/// Materialises an asset; does it succeed?
fn materialise(house: &House, asset: &str) -> bool {
    let line = format!("asset materialize --select {asset}");
    let ran = command(house, "dagster", &line).output().unwrap();
    ran.status.success()
}

/// Its server; gone when this is.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let group = format!("-{}", self.0.id());
        drop(Command::new("kill").args(["-TERM", "--", &group]).status());
        drop(self.0.wait());
    }
}

fn serve(house: &House) -> (Server, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let line = format!("-h 127.0.0.1 -p {}", address.port());
    let mut command = command(house, "dagster-webserver", &line);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    // A group of its own, since it has workers.
    let server = Server(command.process_group(0).spawn().unwrap());
    let begun = Instant::now();
    while TcpStream::connect(address).is_err() {
        assert!(begun.elapsed() < STARTS_WITHIN, "dagster does not start");
        thread::sleep(Duration::from_millis(200));
    }
    (server, format!("http://{address}"))
}

/// What came of collecting a minute from now.
fn collected(house: &House) -> Value {
    let later = Timestamp::try_from(SystemTime::now()).unwrap() + SignedDuration::from_mins(1);
    let ran = house.run(&format!("collect --format json --now {later}"));
    let document: Value = serde_json::from_str(&ran.expect(0).stdout).unwrap();
    document["sources"][0].clone()
}

#[test]
fn what_was_materialised_is_collected_once_and_what_failed_is_not() {
    let house = House::empty();
    fs::write(house.path("dagster.yaml"), "").unwrap();
    assert!(materialise(&house, "orders --partition 2026-03-02"));
    assert!(materialise(&house, "shop/revenue"));
    assert!(!materialise(&house, "broken"));
    let (_server, url) = serve(&house);
    let yaml = format!("sources:\n  assets: {{dagster: {{url: \"{url}\"}}}}\n");
    fs::write(house.path("freshness.yaml"), yaml).unwrap();

    let first = collected(&house);
    assert_eq!(first["arrivals_new"], 2, "{first}");
    assert_eq!(first["datasets_new"], 3, "{first}");
    let again = collected(&house);
    assert_eq!(again["arrivals_new"], 0, "{again}");

    assert!(materialise(&house, "orders --partition 2026-03-03"));
    let later = collected(&house);
    assert_eq!(later["arrivals_new"], 1, "{later}");
}
