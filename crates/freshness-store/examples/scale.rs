//! How large and how fast is a store?
//!
//! `cargo run --release -p freshness-store --example scale -- [DATASETS [ARRIVALS]]`
//! fills a store in the temporary folder, every fifth dataset hourly and the
//! others daily, and reads it as `fit` and `check` do. DESIGN.md §10 quotes it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use freshness_store::{Access, ArrivalBatch, ImportedFile, Store, StoreError, Tail};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<usize>());
    let n_datasets = numbers.next().transpose()?.unwrap_or(10_000);
    let n_arrivals = numbers.next().transpose()?.unwrap_or(10_000_000);
    let folder = std::env::temp_dir().join(format!("freshness-scale-{}", std::process::id()));
    let path = folder.join("store.db");
    let mut store = Store::open(&path, Access::Create)?;

    let timed = Instant::now();
    let batch = warehouse(n_datasets, n_arrivals);
    println!("made up       {:>9.0?}", timed.elapsed());
    let timed = Instant::now();
    let file = ImportedFile {
        name: "scale".to_owned(),
        hash: "scale".to_owned(),
        at: jiff::Timestamp::UNIX_EPOCH,
    };
    let new = store.import_arrivals(batch, &file)?.new;
    let elapsed = timed.elapsed();
    println!(
        "import        {elapsed:>9.0?}  {:.1} M arrivals/s",
        new as f64 / 1e6 / elapsed.as_secs_f64()
    );
    for n_threads in [1, 2] {
        let timed = Instant::now();
        let read = scan(&store, n_threads)?;
        assert_eq!(read as u64, new);
        let elapsed = timed.elapsed();
        println!(
            "scan by {n_threads}     {elapsed:>9.0?}  {:.0} M arrivals/s",
            read as f64 / 1e6 / elapsed.as_secs_f64()
        );
    }
    for at_least in [3, 48] {
        let since = i64::MAX;
        let timed = Instant::now();
        let tails = store.recent_all(Tail { at_least, since })?;
        println!(
            "last {at_least:<2}       {:>9.1?}  {} datasets",
            timed.elapsed(),
            tails.len()
        );
    }
    drop(store);
    let timed = Instant::now();
    let store = Store::open(&path, Access::ReadOnly)?;
    println!("open          {:>9.0?}", timed.elapsed());
    let timed = Instant::now();
    store.recent_all(Tail {
        at_least: 3,
        since: i64::MAX,
    })?;
    println!("last 3, fresh {:>9.1?}", timed.elapsed());
    let bytes = std::fs::metadata(&path)?.len();
    println!(
        "size          {:>6.1} MB  {:.2} bytes an arrival",
        bytes as f64 / 1e6,
        bytes as f64 / new as f64
    );
    drop(store);
    std::fs::remove_dir_all(folder)?;
    Ok(())
}

fn warehouse(n_datasets: usize, n_arrivals: usize) -> ArrivalBatch {
    let mut batch = ArrivalBatch::new();
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let datasets: Vec<u32> = (0..n_datasets)
        .map(|dataset| batch.dataset(&format!("dataset_{dataset}")))
        .collect::<Result<_, _>>()
        .expect("fine ids");
    // One cycle of all, then the next, as a log has them.
    for i in 0..(n_arrivals / n_datasets) as i64 {
        for &dataset in &datasets {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let (step, jitter) = match dataset % 5 {
                0 => (3_600, 600),
                _ => (86_400, 3_600),
            };
            let delay = (random % jitter) as i64;
            batch.push(dataset, 1_600_000_000 + i * step + delay);
        }
    }
    batch
}

/// Reads every history, as `fit` does.
fn scan(store: &Store, n_threads: usize) -> Result<usize, StoreError> {
    let numbers = store.dataset_numbers()?;
    let (next, n_read) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let readers = store.readers(n_threads)?;
        let threads: Vec<_> = readers
            .into_iter()
            .map(|reader| {
                scope.spawn(|| {
                    let reader = reader;
                    while let Some(&no) = numbers.get(next.fetch_add(1, Ordering::Relaxed)) {
                        n_read.fetch_add(reader.history(no)?.len(), Ordering::Relaxed);
                    }
                    Ok(())
                })
            })
            .collect();
        for thread in threads {
            thread.join().expect("no reader panics")?;
        }
        Ok(n_read.load(Ordering::Relaxed))
    })
}
