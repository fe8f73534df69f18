//! How long does it take to read what other tools wrote?
//!
//! As much as a large team has of each: a manifest of dbt, events of OpenLineage,
//! the log of a Delta table. Written as those tools write them, then imported by
//! the real program into a new store.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, ensure};
use freshness_core::civil::{DAY, HOUR, MINUTE};
use freshness_store::{Access, Store};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Machine, Plan, Spread, measure};
use crate::warehouse::{END, check_time};

/// What was measured. Times in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Importers {
    /// Each tool.
    pub tools: Vec<ImporterTimes>,
    /// Where.
    pub machine: Machine,
}

/// What one tool wrote, and how it was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImporterTimes {
    /// As it is named after `import`.
    pub tool: String,
    /// How many of what.
    pub n: u64,
    /// What is counted: nodes, events, commits.
    pub of: String,
    /// What it wrote, bytes.
    pub bytes: u64,
    /// `freshness import`, a whole process, into a new store.
    pub import: Spread,
    /// The most memory it held, MiB.
    pub peak_mib: f64,
}

/// How much each tool wrote: nodes, events, commits.
const SIZES: [(&str, &str, u64); 3] = [
    ("dbt", "nodes", 10_000),
    ("openlineage", "events", 1_000_000),
    ("delta", "commits", 100_000),
];

/// Imports of each that are timed.
const RUNS: usize = 3;

/// Measures all in `folder`, which must be empty, each with so many as a
/// `share` of its size says (1 is all).
pub fn importers(plan: &Plan, share: f64, folder: &Path) -> anyhow::Result<Importers> {
    let tools = SIZES.iter().map(|&(tool, of, n)| {
        let n = ((n as f64 * share) as u64).max(1);
        let folder = folder.join(tool);
        fs::create_dir_all(&folder)?;
        let (argument, bytes) = match tool {
            "dbt" => manifest(&folder, n)?,
            "openlineage" => events(&folder, n)?,
            _ => commits(&folder, n)?,
        };
        let import = |run: usize| {
            let mut command = Command::new(&plan.binary);
            let store = folder.join(format!("store-{run}.db"));
            command.args(["--quiet", "--now", &check_time().to_string(), "--store"]);
            command.arg(store).args(["import", tool, &argument]);
            command
        };
        let mut seconds = Vec::new();
        for run in 0..RUNS {
            seconds.push(measure(&mut import(run), 0, false)?.seconds);
        }
        // Looking at memory costs time.
        let peak = measure(&mut import(RUNS), 0, true)?.peak_mib;
        let store = Store::open(folder.join(format!("store-{RUNS}.db")), Access::ReadOnly)?;
        let kept = store.integrity()?;
        drop(store);
        let (kept, expected) = match tool {
            "dbt" => (kept.n_datasets, n),
            "openlineage" => (kept.n_arrivals, n / 2),
            _ => (kept.n_arrivals, n),
        };
        ensure!(
            kept == expected,
            "import {tool} kept {kept}, not {expected}"
        );
        fs::remove_dir_all(&folder)?;
        Ok(ImporterTimes {
            tool: tool.to_owned(),
            n,
            of: of.to_owned(),
            bytes,
            import: Spread::of(seconds).context("nothing was measured")?,
            peak_mib: peak.unwrap_or(0.0).round(),
        })
    });
    Ok(Importers {
        tools: tools.collect::<anyhow::Result<_>>()?,
        machine: Machine::here(),
    })
}

/// The measurements as a part of a Markdown page.
pub fn importers_told(found: &Importers) -> String {
    let mut told = String::from(
        "\nReading what other tools wrote, into a new store. Targets: 1 s for a manifest of 10,000 \
         nodes, 30 s for a million events, 10 s for a log of 100,000 commits.\n\n\
         | import | read | MB | best, p50, p99 | memory |\n| --- | --- | --- | --- | --- |\n",
    );
    for tool in &found.tools {
        let Spread { best, p50, p99, .. } = tool.import;
        writeln!(
            told,
            "| {} | {} {} | {:.0} | {best:.0}, {p50:.0}, {p99:.0} ms | {:.0} MiB |",
            tool.tool,
            tool.n,
            tool.of,
            tool.bytes as f64 / 1e6,
            tool.peak_mib,
        )
        .expect("a string takes all");
    }
    told
}

/// A manifest of models, each made from two before it.
fn manifest(folder: &Path, n: u64) -> anyhow::Result<(String, u64)> {
    let path = folder.join("manifest.json");
    let mut out = BufWriter::new(File::create(&path)?);
    let id = |i: u64| format!("model.shop.model_{i:05}");
    write!(
        out,
        r#"{{"metadata":{{"dbt_schema_version":"https://schemas.getdbt.com/dbt/manifest/v12.json","dbt_version":"1.10.0","generated_at":"{}","project_name":"shop","adapter_type":"postgres"}},"nodes":{{"#,
        told(END)
    )?;
    // What a model of some length looks like; most of a manifest is this.
    let code = "select order_id, customer_id, amount from {{ ref('orders') }} ".repeat(30);
    let columns: String = (0..20)
        .map(|i| format!(r#""column_{i}":{{"name":"column_{i}","description":"What it is.","meta":{{}},"data_type":"text","tags":[]}},"#))
        .collect();
    let columns = columns.trim_end_matches(',');
    for i in 0..n {
        let comma = if i == 0 { "" } else { "," };
        let parents = [i / 2, i / 3].map(id);
        let parents = match i {
            0 => String::new(),
            _ => format!(r#""{}","{}""#, parents[0], parents[1]),
        };
        write!(
            out,
            r#"{comma}"{0}":{{"database":"db","schema":"mart","name":"model_{i:05}","resource_type":"model","package_name":"shop","path":"mart/model_{i:05}.sql","original_file_path":"models/mart/model_{i:05}.sql","unique_id":"{0}","fqn":["shop","mart","model_{i:05}"],"alias":"model_{i:05}","checksum":{{"name":"sha256","checksum":"{i:064x}"}},"config":{{"enabled":true,"materialized":"table","tags":["nightly"],"meta":{{}}}},"tags":["nightly"],"description":"A table of the mart.","columns":{{{columns}}},"meta":{{}},"group":null,"raw_code":"{code}","compiled_code":"{code}","language":"sql","refs":[],"sources":[],"depends_on":{{"macros":[],"nodes":[{parents}]}}}}"#,
            id(i)
        )?;
    }
    write!(
        out,
        r#"}},"sources":{{}},"exposures":{{}},"metrics":{{}},"groups":{{}},"parent_map":{{"#
    )?;
    for i in 0..n {
        let comma = if i == 0 { "" } else { "," };
        let parents = match i {
            0 => String::new(),
            _ => format!(r#""{}","{}""#, id(i / 2), id(i / 3)),
        };
        write!(out, r#"{comma}"{}":[{parents}]"#, id(i))?;
    }
    write!(out, r#"}},"child_map":{{}},"disabled":{{}}}}"#)?;
    out.flush()?;
    Ok((folder.display().to_string(), fs::metadata(&path)?.len()))
}

/// Runs of a thousand jobs, a START and a COMPLETE each.
fn events(folder: &Path, n: u64) -> anyhow::Result<(String, u64)> {
    let path = folder.join("events.ndjson");
    let mut out = BufWriter::new(File::create(&path)?);
    let n_runs = n.div_ceil(2);
    for event in 0..n {
        let run = event / 2;
        let job = run % 1_000;
        let begun = END - (n_runs - run) as i64 * MINUTE / 10;
        let (kind, at) = match event % 2 {
            0 => ("START", begun),
            _ => ("COMPLETE", begun + 90),
        };
        let outputs = match event % 2 {
            0 => String::new(),
            _ => format!(
                r#","outputFacets":{{"outputStatistics":{{"_producer":"urn:bench","_schemaURL":"https://openlineage.io/spec/facets/1-0-2/OutputStatisticsOutputDatasetFacet.json","rowCount":{},"size":4096}}}}"#,
                1_000 + run % 977
            ),
        };
        writeln!(
            out,
            r#"{{"eventType":"{kind}","eventTime":"{}","producer":"urn:bench","schemaURL":"https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent","run":{{"runId":"00000000-0000-7000-8000-{run:012x}","facets":{{"nominalTime":{{"_producer":"urn:bench","_schemaURL":"https://openlineage.io/spec/facets/1-0-1/NominalTimeRunFacet.json","nominalStartTime":"{}"}}}}}},"job":{{"namespace":"etl","name":"job_{job:04}"}},"inputs":[{{"namespace":"postgres://db:5432","name":"shop.raw.table_{job:04}"}}],"outputs":[{{"namespace":"postgres://db:5432","name":"shop.mart.table_{job:04}"{outputs}}}]}}"#,
            told(at),
            told(begun.div_euclid(HOUR) * HOUR),
        )?;
    }
    out.flush()?;
    Ok((path.display().to_string(), fs::metadata(&path)?.len()))
}

/// The log of a table that is appended to, a file each time.
fn commits(folder: &Path, n: u64) -> anyhow::Result<(String, u64)> {
    let table = folder.join("orders");
    let log = table.join("_delta_log");
    fs::create_dir_all(&log)?;
    let mut bytes = 0;
    for version in 0..n {
        let at = (END - (n - version) as i64 * DAY / 288) * 1_000;
        let mut text = String::new();
        if version == 0 {
            text.push_str("{\"protocol\":{\"minReaderVersion\":1,\"minWriterVersion\":2}}\n");
            text.push_str("{\"metaData\":{\"id\":\"5fba94ed-9794-4965-ba6e-6ee3c0d22af9\",\"format\":{\"provider\":\"parquet\",\"options\":{}},\"schemaString\":\"{\\\"type\\\":\\\"struct\\\",\\\"fields\\\":[]}\",\"partitionColumns\":[],\"configuration\":{},\"createdTime\":1700000000000}}\n");
        }
        writeln!(
            text,
            r#"{{"add":{{"path":"part-{version:08}.parquet","partitionValues":{{}},"size":41234,"modificationTime":{at},"dataChange":true,"stats":"{{\"numRecords\":{}}}"}}}}"#,
            500 + version % 91
        )?;
        writeln!(
            text,
            r#"{{"commitInfo":{{"timestamp":{at},"operation":"WRITE","operationParameters":{{"mode":"Append"}},"operationMetrics":{{"numFiles":"1","numOutputRows":"{}"}},"engineInfo":"bench"}}}}"#,
            500 + version % 91
        )?;
        fs::write(log.join(format!("{version:020}.json")), &text)?;
        bytes += text.len() as u64;
    }
    Ok((table.display().to_string(), bytes))
}

fn told(at: i64) -> String {
    Timestamp::from_second(at).unwrap_or_default().to_string()
}
