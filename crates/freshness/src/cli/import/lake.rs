//! Which tables of a lake are to be read?

use std::collections::BTreeMap;

use clap::Args;
use freshness_core::dataset::DatasetId;
use freshness_store::Access;
use jiff::SignedDuration;

use super::told;
use crate::cli::{Answer, Context};
use crate::config::{object_store_variables, values};
use crate::hint::failure;
use crate::outputs::words;
use crate::rounds::told::take;
use crate::sources::Told;
use crate::sources::lake::{LakeError, ReadTable, Settle, read_delta, read_iceberg};
use crate::sources::place::{Place, folder_name};

/// Import the commits of Delta tables: those that brought data are arrivals.
///
/// A commit arrived when it says so (inCommitTimestamp, else timestamp of its
/// commitInfo, else when its file was written), with the rows that its files
/// or its metrics say. What only moves data about, takes some away or goes back
/// is no arrival: OPTIMIZE, VACUUM, RESTORE, DELETE, changes of schema and
/// properties, whatever says dataChange=false. Commits that a checkpoint has
/// removed from the log stay as they were imported before.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness import delta lake/orders
  freshness import delta lake/orders lake/customers
  freshness import delta s3://lake/orders --dataset raw_orders --cycle order_date

Object stores are reached by the usual variables, such as AWS_ACCESS_KEY_ID, AWS_REGION,
AWS_ENDPOINT_URL, GOOGLE_APPLICATION_CREDENTIALS, AZURE_STORAGE_ACCOUNT_NAME. docs/lake.md tells more.")]
pub(super) struct DeltaArgs {
    /// Folders of tables, the ones that hold _delta_log: on this machine, or s3://, gs://, az://,
    /// abfss://, file://
    #[arg(required = true, value_name = "TABLE")]
    tables: Vec<String>,

    #[command(flatten)]
    naming: NamingArgs,
}

/// Import the snapshots of Iceberg tables: those that brought data are arrivals.
///
/// A snapshot arrived when the main branch came to it, with the rows that it
/// says it added. `replace` and `delete` are no arrivals, nor is what another
/// branch holds, nor going back to an older snapshot. A delete that rewrites
/// files calls itself `overwrite` and cannot be told from one. Snapshots that
/// expired stay as they were imported before.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness import iceberg lake/shop/orders
  freshness import iceberg s3://lake/shop/orders --dataset raw_orders
  freshness import iceberg lake/shop/orders/metadata/00017-5a526118.metadata.json

Of a folder the metadata file with the highest number is read; a catalog knows it for certain, and
its name can be given instead. docs/lake.md tells more.")]
pub(super) struct IcebergArgs {
    /// Folders of tables, the ones that hold `metadata`, or metadata.json files: on this machine, or
    /// s3://, gs://, az://, abfss://, file://
    #[arg(required = true, value_name = "TABLE")]
    tables: Vec<String>,

    #[command(flatten)]
    naming: NamingArgs,
}

#[derive(Debug, Args)]
struct NamingArgs {
    /// What the dataset is called, of one table [default: the name of its folder]
    #[arg(long, value_name = "ID", value_parser = dataset)]
    dataset: Option<DatasetId>,

    /// The partition column whose values are cycles: what is written to a day arrives for that day
    #[arg(long, value_name = "COLUMN")]
    cycle: Option<String>,

    /// Take commits that follow each other within this time for one load: it is there with the
    /// last of them, once nothing more came for so long, such as 15m
    #[arg(long, value_name = "DURATION", value_parser = values::age)]
    settle: Option<SignedDuration>,
}

pub(super) fn delta(args: &DeltaArgs, context: &mut Context) -> anyhow::Result<Answer> {
    import(
        "delta",
        "commit",
        &args.tables,
        &args.naming,
        context,
        |table, naming| {
            let (place, id) = (table.place, table.dataset);
            read_delta(&place, &id, naming.cycle.as_deref(), None)
        },
    )
}

pub(super) fn iceberg(args: &IcebergArgs, context: &mut Context) -> anyhow::Result<Answer> {
    import(
        "iceberg",
        "snapshot",
        &args.tables,
        &args.naming,
        context,
        |table, naming| {
            let (place, file, id) = (table.place, table.file, table.dataset);
            read_iceberg(&place, file.as_deref(), &id, naming.cycle.as_deref(), None)
        },
    )
}

/// A table that was named.
struct Table {
    place: Place,
    /// The file in it that is to be read.
    file: Option<String>,
    dataset: DatasetId,
}

/// Reads every table before anything is stored.
fn import(
    tool: &'static str,
    unit: &str,
    tables: &[String],
    naming: &NamingArgs,
    context: &mut Context,
    read: impl Fn(Table, &NamingArgs) -> Result<ReadTable, LakeError>,
) -> anyhow::Result<Answer> {
    if naming.dataset.is_some() && tables.len() > 1 {
        return Err(failure(
            "one name for several tables: --dataset",
            "import them one by one, or leave --dataset out: each is called after its folder",
        ));
    }
    let mut all = Told::default();
    let mut taken: BTreeMap<DatasetId, &str> = BTreeMap::new();
    let mut found = Vec::new();
    for text in tables {
        let table = named(text, naming)?;
        let text = text.trim_end_matches('/');
        if let Some(other) = taken.insert(table.dataset.clone(), text)
            && other != text
        {
            return Err(failure(
                format_args!(
                    "two tables would be one dataset, {}: {other} and {text}",
                    table.dataset
                ),
                "nothing was imported; import them one by one, each with a --dataset of its own",
            ));
        }
        found.push(table);
    }
    let now = context.clock.now().as_second();
    let settle = naming.settle.map(|settle| Settle {
        seconds: settle.as_secs(),
        now,
    });
    for table in found {
        let dataset = table.dataset.clone();
        let found = read(table, naming).map_err(|error| in_words(&error))?;
        let found = found.in_loads(settle, None);
        context.out.talk(format_args!(
            "{dataset}: {} read, {} brought data",
            words::count(found.n_read, unit),
            words::thousands(found.n_brought)
        ));
        let Told {
            arrivals,
            runs,
            houses,
            remarks,
        } = found.told;
        all.arrivals.extend(arrivals);
        all.runs.extend(runs);
        all.houses.extend(houses);
        all.remarks.extend(remarks);
    }
    let mut store = context.open(Access::Create)?;
    let taken =
        take(&mut store, all, &context.settings.renames, None, now).map_err(told::in_words)?;
    told::report(tool, tables.len() as u64, &taken, context)?;
    Ok(match taken.counts.refused.is_empty() {
        true => Answer::Healthy,
        false => Answer::CouldNotTell,
    })
}

fn named(text: &str, naming: &NamingArgs) -> anyhow::Result<Table> {
    let text = text.trim_end_matches('/');
    let is_file = text.ends_with(".json") || text.ends_with(".json.gz");
    let (folder, file) = match text.rsplit_once('/') {
        Some((folder, file)) if is_file => (folder, Some(file)),
        None if is_file => (".", Some(text)),
        _ => (text, None),
    };
    let place = place(if folder.is_empty() { "/" } else { folder })?;
    let own = match file {
        // The folder of metadata lies in that of the table.
        Some(_) if folder == "metadata" => ".",
        Some(_) => folder.strip_suffix("/metadata").unwrap_or(folder),
        None => folder,
    };
    let own = folder_name(own);
    let dataset = match &naming.dataset {
        Some(dataset) => dataset.clone(),
        None => DatasetId::try_from(own.as_str()).map_err(|error| {
            let message = format!("the folder's name is no name of a dataset: {text}: {error}");
            failure(message, "give it one with --dataset")
        })?,
    };
    Ok(Table {
        place,
        file: file.map(str::to_owned),
        dataset,
    })
}

/// A folder, reached by what the environment says.
pub(super) fn place(text: &str) -> anyhow::Result<Place> {
    Place::named(text, &object_store_variables()).map_err(|error| match error.hint() {
        Some(hint) => failure(&error, hint),
        None => error.into(),
    })
}

pub(super) fn dataset(text: &str) -> Result<DatasetId, String> {
    DatasetId::try_from(text).map_err(|error| error.to_string())
}

fn in_words(error: &LakeError) -> anyhow::Error {
    match error.fault.hint() {
        Some(hint) => failure(format_args!("{error}; nothing was imported"), hint),
        None => anyhow::anyhow!("{error}; nothing was imported"),
    }
}
