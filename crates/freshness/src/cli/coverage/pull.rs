//! What do the tables of a warehouse say of coverage?

use std::collections::BTreeMap;

use clap::Args;
use freshness_store::{Access, DeclareMode};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::super::warehouse::table_name;
use super::super::{Answer, Context};
use super::contracts::Counted;
use crate::config::{Format, values};
use crate::hint::{did_you_mean, failure};
use crate::outputs::{Paint, Table, words, write_document, write_line};
use crate::rounds::{Pulled, pull};
use crate::sources::database::{Limits, PulledRelease, Refusal, Session, read_coverage};

/// Take over contracts and ledger from the tables of a warehouse.
///
/// The tables are those that `coverage sql` prints, in PostgreSQL or in a file
/// of DuckDB that freshness.yaml names. They are only read. Releases enter the
/// ledger by the rules of `coverage publish`, and what is refused is in
/// `coverage log`; `coverage check` judges what is newest in the warehouse, also if
/// it was refused. The same again changes nothing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness coverage pull --connection warehouse
  freshness coverage pull --connection lake --contracts ops.contracts --ledger ops.ledger && freshness coverage check

Exit codes: 0 pulled, 1 pulled, but a contract means nothing or a release was refused, 2 could not.")]
pub(super) struct PullArgs {
    /// A connection of freshness.yaml
    #[arg(long, value_name = "NAME")]
    connection: String,

    /// The table of contracts
    #[arg(long, value_name = "TABLE", default_value = "coverage_contracts")]
    contracts: String,

    /// The table of accepted releases
    #[arg(long, value_name = "TABLE", default_value = "coverage_ledger")]
    ledger: String,

    /// Forget the contracts that are not in the table; their ledgers stay
    #[arg(long)]
    replace: bool,

    /// How long a query may take
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = values::wait)]
    timeout: SignedDuration,
}

/// A server that takes longer to let us in will not answer either.
const CONNECT_MOST: SignedDuration = SignedDuration::from_secs(10);

/// So many faults are shown in a table.
const SHOWN: usize = 20;

/// What the JSON says.
#[derive(Serialize)]
struct Document<'a> {
    command: &'static str,
    now: Timestamp,
    imports: [Counted; 1],
    n_accepted: u64,
    n_repeated: u64,
    n_refused: u64,
    refused_by_reason: BTreeMap<&'static str, u64>,
    invalid: Vec<Fault<'a>>,
    refused: Vec<Fault<'a>>,
}

/// A row that is not as it should be.
#[derive(Serialize)]
struct Fault<'a> {
    table: &'static str,
    source: &'a str,
    scope: &'a str,
    run_id: Option<&'a str>,
    publication_seq: Option<i64>,
    reason: &'static str,
    detail: String,
}

pub(super) fn run(args: &PullArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let contracts = table_name("--contracts", &args.contracts)?;
    let ledger = table_name("--ledger", &args.ledger)?;
    let mut session = open(args, context)?;
    let (contracts, releases) =
        read_coverage(&mut session, &contracts, &ledger).map_err(in_words)?;
    if contracts.is_empty() {
        return Err(failure(
            format_args!("no contracts in the table: {}", args.contracts),
            "contracts come from reviewed files; `freshness coverage sql --what ddl` prints the table",
        ));
    }
    let mode = match args.replace {
        true => DeclareMode::Replace,
        false => DeclareMode::Add,
    };
    let now = context.clock.now();
    let mut store = context.open(Access::Create)?;
    let pulled = pull(&mut store, &contracts, releases, mode, now)?;
    show(&pulled, now, context)?;
    Ok(
        match pulled.invalid.is_empty() && pulled.refused.is_empty() {
            true => Answer::Healthy,
            false => Answer::Late,
        },
    )
}

fn open(args: &PullArgs, context: &Context) -> anyhow::Result<Session> {
    let configured = &context.settings.connections;
    let Some(connection) = configured.get(&args.connection) else {
        let known = configured.keys().map(String::as_str);
        let hint = match did_you_mean(&args.connection, known) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "name it under `connections` in freshness.yaml".to_owned(),
        };
        return Err(failure(
            format_args!("no such connection: {}", args.connection),
            hint,
        ));
    };
    if args.timeout.is_zero() {
        return Err(failure(
            "no time to answer: --timeout 0s",
            "such as --timeout 60s",
        ));
    }
    let limit = |of: SignedDuration| {
        of.try_into()
            .map_err(|_| failure("the timeout is negative", "such as 60s"))
    };
    let limits = Limits {
        connect: limit(args.timeout.min(CONNECT_MOST))?,
        query: limit(args.timeout)?,
    };
    let address = connection
        .address()
        .map_err(|why| anyhow::anyhow!("cannot connect: {}: {why}", args.connection))?;
    Session::open(&address, limits).map_err(in_words)
}

fn in_words(refusal: Refusal) -> anyhow::Error {
    match refusal.hint() {
        Some(hint) => failure(&refusal, hint),
        None => refusal.into(),
    }
}

fn show(pulled: &Pulled, now: Timestamp, context: &mut Context) -> anyhow::Result<()> {
    let invalid = pulled.invalid.iter().map(|(contract, fault)| Fault {
        table: "contracts",
        source: &contract.source,
        scope: &contract.scope,
        run_id: None,
        publication_seq: None,
        reason: "invalid_contract",
        detail: fault.to_string(),
    });
    let refused = pulled.refused.iter().map(|(release, refusal)| {
        let PulledRelease {
            source,
            scope,
            seq,
            run_id,
            ..
        } = release;
        Fault {
            table: "ledger",
            source,
            scope,
            run_id: run_id.as_deref(),
            publication_seq: *seq,
            reason: refusal.word(),
            detail: refusal.to_string(),
        }
    });
    let n_refused = pulled.refused.len() as u64;
    let counted = Counted::new("contracts", &pulled.contracts);
    let out = &mut context.out;
    match out.format {
        Format::Table => {
            super::contracts::report(&[counted], context)?;
            let out = &mut context.out;
            out.line("")?;
            let mut table = Table::new(&["releases accepted", "known already", "refused"]);
            (0..3).for_each(|column| table.align_right(column));
            table.row([
                (words::thousands(pulled.n_accepted), Paint::Plain),
                (words::thousands(pulled.n_repeated), Paint::Plain),
                (
                    words::thousands(n_refused),
                    if n_refused > 0 {
                        Paint::Bad
                    } else {
                        Paint::Plain
                    },
                ),
            ]);
            out.table(table)?;
            for fault in invalid.take(SHOWN).chain(refused.take(SHOWN)) {
                out.line(fault.sentence())?;
            }
            let n_more = pulled.invalid.len().saturating_sub(SHOWN)
                + pulled.refused.len().saturating_sub(SHOWN);
            if n_more > 0 {
                out.line(format_args!(
                    "… and {} more: `freshness coverage check` and `freshness coverage log --refused`",
                    words::thousands(n_more as u64)
                ))?;
            }
        }
        Format::Json => {
            let mut refused_by_reason = BTreeMap::new();
            for (_, refusal) in &pulled.refused {
                *refused_by_reason.entry(refusal.word()).or_default() += 1;
            }
            let document = Document {
                command: "coverage pull",
                now,
                imports: [counted],
                n_accepted: pulled.n_accepted,
                n_repeated: pulled.n_repeated,
                n_refused,
                refused_by_reason,
                invalid: invalid.collect(),
                refused: refused.collect(),
            };
            write_document(out.data(), &document)?;
        }
        Format::Ndjson => {
            for fault in invalid.chain(refused) {
                write_line(out.data(), &fault)?;
            }
        }
    }
    Ok(())
}

impl Fault<'_> {
    fn sentence(&self) -> String {
        // They come from elsewhere, and go to a terminal.
        let (source, scope) = (words::printable(self.source), words::printable(self.scope));
        let run = match self.run_id {
            Some(run_id) => format!(", run {}", words::printable(run_id)),
            None => String::new(),
        };
        let detail = words::printable(&self.detail);
        format!("{}: {source} / {scope}{run}: {detail}", self.reason)
    }
}
