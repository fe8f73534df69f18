//! Does `freshness run` do each step when it is due, once, however it is ended?

mod house;

use std::fs;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use freshness_store::{Access, StepRecord, Store};
use house::{House, Ran};

const STORE: &str = ".freshness/freshness.db";

fn steps(house: &House) -> Vec<StepRecord> {
    let store = Store::open(house.path(STORE), Access::ReadOnly);
    store.and_then(|store| store.steps()).unwrap_or_default()
}

/// Step, when it was begun, and how it went, of each.
fn told(house: &House) -> Vec<String> {
    let steps = steps(house).into_iter();
    steps
        .map(|step| format!("{} {} {}", step.name, step.begun_at, step.answer))
        .collect()
}

fn once(house: &House, now: &str) -> Ran {
    house.run(&format!("run --once --now {now}"))
}

#[test]
fn what_is_due_is_done_once_and_what_was_missed_too() {
    let house = House::imported();
    // raw_orders, which is critical, has stopped.
    let ran = once(&house, "2026-02-28T12:00:00Z").expect(1);
    assert!(
        ran.stderr.contains("next: check at 2026-02-28 12:15"),
        "{ran:?}"
    );
    let begun = [
        "check 2026-02-28T12:00:00Z late",
        "fit 2026-02-28T12:00:00Z healthy",
    ];
    assert_eq!(told(&house), begun);
    // Nothing is due; nothing is repeated.
    // What the last check said holds until the next.
    let ran = once(&house, "2026-02-28T12:14:59Z").expect(1);
    let words = "check is not due: that of 2026-02-28 12:00 UTC said late";
    assert!(ran.stderr.contains(words), "{ran:?}");
    assert_eq!(told(&house), begun);
    once(&house, "2026-02-28T12:15:00Z").expect(1);
    // A day and a half later each is done once.
    let ran = once(&house, "2026-03-02T01:00:00Z").expect(1);
    assert_eq!(ran.stderr.matches(": check\n").count(), 1, "{ran:?}");
    let begun = [
        "check 2026-03-02T01:00:00Z late",
        "fit 2026-03-02T01:00:00Z healthy",
    ];
    assert_eq!(told(&house), begun);
}

#[test]
fn the_schedule_says_when_and_a_step_that_fails_stops_no_other() {
    let house = House::imported();
    fs::write(
        house.path("freshness.yaml"),
        "schedule: {timezone: Europe/Berlin, collect: 15m, fit: '0 7 * * *', check: 30m, report: '@daily', report_out: site}
sources:
  drops: {arrivals: {files: [none.csv]}}
  gone: {query: {connection: lake, sql: select 1}}
connections:
  lake: {sqlite: {path: none.db}}
",
    )
    .unwrap();
    let ran = once(&house, "2026-02-28T12:00:00Z").expect(1);
    assert!(
        ran.stderr.contains("next: collect at 2026-02-28 12:15"),
        "{ran:?}"
    );
    assert!(house.path("site/console.html").exists());
    assert_eq!(
        told(&house),
        [
            "check 2026-02-28T12:00:00Z late",
            "collect 2026-02-28T12:00:00Z could_not_tell",
            "fit 2026-02-28T12:00:00Z healthy",
            "report 2026-02-28T12:00:00Z healthy",
        ]
    );
    // 07:00 in Berlin.
    once(&house, "2026-03-01T05:59:59Z");
    assert!(told(&house)[2].starts_with("fit 2026-02-28T12"));
    once(&house, "2026-03-01T06:00:00Z");
    assert!(told(&house)[2].starts_with("fit 2026-03-01T06"));

    // A folder that cannot be written to, and a check that has nothing to judge.
    let empty = House::empty();
    fs::write(empty.path("site"), "a file").unwrap();
    let text = "schedule: {report: 1d, report_out: site}\n";
    fs::write(empty.path("freshness.yaml"), text).unwrap();
    let ran = once(&empty, "2026-02-28T12:00:00Z").expect(2);
    for step in ["fit", "check", "report"] {
        assert!(ran.stderr.contains(&format!("{step} failed: ")), "{ran:?}");
    }
    let doctor = empty.run("doctor").stdout;
    assert!(
        doctor.contains("check: failed 0 s ago: no datasets in the store"),
        "{doctor}"
    );
}

#[test]
fn the_doctor_says_how_each_step_went_and_when_none_goes_any_more() {
    let house = House::imported();
    assert!(!house.run("doctor").stdout.contains("freshness run"));
    once(&house, "2026-02-28T12:00:00Z");
    let doctor = house.run("doctor --now 2026-02-28T12:20:00Z").stdout;
    assert!(doctor.contains("check: done 20 min ago, late"), "{doctor}");
    let doctor = house.run("doctor --now 2026-02-28T14:20:00Z").stdout;
    let stopped = "check: last done 2 h 20 min ago; is `freshness run` still running?";
    assert!(doctor.contains(stopped), "{doctor}");
}

#[test]
fn a_clock_that_was_ahead_holds_up_nothing() {
    let house = House::imported();
    once(&house, "2027-02-28T12:00:00Z");
    once(&house, "2026-02-28T12:00:00Z");
    assert!(told(&house)[0].starts_with("check 2026-02-28T12:00:00Z"));
}

/// `freshness run`, by the clock of the machine.
fn start(house: &House) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_freshness"));
    command
        .current_dir(house.path("."))
        .env_clear()
        .arg("run")
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Waits until it holds, at most for a minute.
#[track_caller]
fn wait_until(holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it never held");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Does one of them work on the store? It listens for signals before it does.
fn is_alone(house: &House) -> bool {
    let file = fs::File::open(house.path(&format!("{STORE}.run")));
    file.is_ok_and(|file| file.try_lock().is_err())
}

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args([name, &id]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn it_ends_when_it_is_asked_to_and_goes_on_where_it_stopped() {
    let house = House::imported();
    for name in ["-TERM", "-INT"] {
        let child = start(&house);
        wait_until(|| is_alone(&house) && steps(&house).len() == 2);
        signal(&child, name);
        let ran = Ran::from(child.wait_with_output().unwrap()).expect(0);
        assert!(ran.stderr.contains("asked to stop"), "{ran:?}");
    }
    let done = steps(&house);
    // One that is killed lets go of the store, and the next repeats nothing.
    let mut child = start(&house);
    wait_until(|| is_alone(&house));
    let refused = house.run("run --once").expect(2);
    assert!(
        refused.stderr.contains("another `freshness run` works on"),
        "{refused:?}"
    );
    child.kill().unwrap();
    child.wait().unwrap();
    let child = start(&house);
    wait_until(|| is_alone(&house));
    signal(&child, "-TERM");
    Ran::from(child.wait_with_output().unwrap()).expect(0);
    let again: Vec<StepRecord> = steps(&house);
    let is_same = |(one, other): (&StepRecord, &StepRecord)| {
        // A quarter past the hour may have come meanwhile.
        one == other || other.begun_at > one.begun_at
    };
    assert!(done.iter().zip(&again).all(is_same), "{done:?} {again:?}");
    assert_eq!(done[1], again[1]);
}

#[test]
fn what_does_what_is_due_once_ends_after_the_step_in_hand() {
    // A server that accepts and says nothing holds the first step up.
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!(
        "postgres://u:p@{}/d?sslmode=disable",
        server.local_addr().unwrap()
    );
    let house = House::imported();
    let text = "connections: {warehouse: {postgres: {url_env: FRESHNESS_TEST_URL}}}
sources: {slow: {query: {connection: warehouse, sql: select 1}}}
";
    fs::write(house.path("freshness.yaml"), text).unwrap();
    let mut command = house.command("run --once --now 2026-02-28T12:00:00Z");
    command.env("FRESHNESS_TEST_URL", url);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let (connection, _) = server.accept().unwrap();
    signal(&child, "-TERM");
    drop((connection, server));
    let ran = Ran::from(child.wait_with_output().unwrap()).expect(2);
    let left = "asked to stop: nothing is left half done, but not begun: fit, check";
    assert!(ran.stderr.contains(left), "{ran:?}");
    let done: Vec<String> = steps(&house).into_iter().map(|step| step.name).collect();
    assert_eq!(done, ["collect"]);
}

#[test]
fn one_that_is_killed_at_work_does_the_step_again() {
    let house = House::imported();
    for turns in 0..8 {
        let mut child = start(&house);
        thread::sleep(Duration::from_millis(turns * 15));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let child = start(&house);
    // One that was killed may have done both steps: this one has to be listening.
    wait_until(|| steps(&house).len() == 2 && is_alone(&house));
    signal(&child, "-TERM");
    Ran::from(child.wait_with_output().unwrap()).expect(0);
    let store = Store::open(house.path(STORE), Access::ReadOnly).unwrap();
    assert_eq!(store.integrity().unwrap().problems, Vec::<String>::new());
    assert!(store.last_fit().unwrap().is_some());
}

#[test]
fn a_pinned_clock_goes_with_once_only() {
    let house = House::imported();
    let refused = house.run("run").expect(2);
    assert!(
        refused
            .stderr
            .contains("--now and FRESHNESS_NOW go with --once"),
        "{refused:?}"
    );
}

#[test]
fn what_is_no_file_is_refused_and_holds_up_nothing() {
    let house = House::imported();
    let made = Command::new("mkfifo").arg(house.path("pipe.csv")).status();
    assert!(made.unwrap().success());
    fs::write(
        house.path("freshness.yaml"),
        "sources:\n  pipe: {arrivals: {files: [pipe.csv]}}\n  device: {arrivals: {files: [/dev/zero]}}\n",
    )
    .unwrap();
    let ran = once(&house, "2026-02-28T12:00:00Z").expect(1);
    for said in ["pipe.csv: a named pipe", "/dev/zero: a device"] {
        assert!(ran.stderr.contains(said), "{ran:?}");
    }
    assert_eq!(told(&house).len(), 3);
    let refused = house.run("import arrivals pipe.csv").expect(2);
    assert!(
        refused
            .stderr
            .contains("pipe.csv: a named pipe, not a file"),
        "{refused:?}"
    );
    // What a shell hands over is open already.
    let binary = env!("CARGO_BIN_EXE_freshness");
    let line = format!("cat arrivals.csv | {binary} import arrivals /dev/fd/0");
    let mut shell = Command::new("sh");
    let ran = shell.current_dir(house.path(".")).args(["-c", &line]);
    Ran::from(ran.output().unwrap()).expect(0);
}

#[test]
fn one_that_is_stuck_is_named_by_the_doctor_and_ends_when_it_is_asked_twice() {
    let house = House::imported();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    fs::write(house.path("password"), "none").unwrap();
    fs::write(
        house.path("freshness.yaml"),
        format!("sources:\n  flow: {{airflow: {{url: 'http://127.0.0.1:{port}', user: ann, password_file: password}}}}\n"),
    )
    .unwrap();
    let mut child = start(&house);
    let _asked = silent.accept().unwrap();
    let doctor = house.run("doctor --now 2100-01-01T00:00:00Z");
    assert!(
        doctor.stdout.contains("ago and not ended: it is stuck"),
        "{doctor:?}"
    );
    signal(&child, "-TERM");
    thread::sleep(Duration::from_millis(1_500));
    assert!(child.try_wait().unwrap().is_none());
    signal(&child, "-TERM");
    let ran = Ran::from(child.wait_with_output().unwrap()).expect(143);
    assert!(ran.stderr.contains("ask again to end at once"), "{ran:?}");
}

#[test]
fn a_report_is_not_written_over_by_a_clock_that_lies_behind() {
    let house = House::fitted();
    let schedule = "schedule: {fit: never, check: 1h, report: 1h}\n";
    fs::write(house.path("freshness.yaml"), schedule).unwrap();
    once(&house, "2026-02-28T12:00:00Z");
    let page = house.path("report").join("console.html");
    let written = fs::read(&page).unwrap();
    let ran = once(&house, "2026-02-27T12:00:00Z").expect(2);
    let words = "report failed: the clock is behind the last check";
    assert!(ran.stderr.contains(words), "{ran:?}");
    assert_eq!(fs::read(&page).unwrap(), written);
}

#[test]
fn a_schedule_of_nothing_is_refused_and_not_waited_for() {
    let house = House::empty();
    let schedule = "schedule: {collect: never, fit: never, check: never, report: never}\n";
    fs::write(house.path("freshness.yaml"), schedule).unwrap();
    let ran = Ran::from(start(&house).wait_with_output().unwrap()).expect(2);
    assert!(ran.stderr.contains("nothing will ever be due"), "{ran:?}");
}
