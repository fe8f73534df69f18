//! How far can the dashboards be believed?

use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use freshness_core::dashboard::Dashboard;
use freshness_core::trust::{RULE, Trust};
use freshness_store::{Access, Store};
use jiff::Timestamp;
use serde::Serialize;

use super::status::{say_doubts, say_if_old};
use super::{Answer, Context};
use crate::config::Format;
use crate::hint;
use crate::outputs::badge::Badge;
use crate::outputs::trust::{
    DashboardLine, causes, doubts, head, parts, sort_worst_first, summary, table,
};
use crate::outputs::{WholeFile, write_document, write_line};
use crate::rounds::{self, Trusted};

/// Say how far each dashboard can be believed, and which part of it not.
///
/// Each has a score from 0 to 100, the worst first, and a caveat for its reader.
/// With a name: why, part by part, and what each late dataset costs. Records
/// nothing, so it may look back with --now.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness trust
  freshness trust board_report
  freshness trust board_report --badge svg --out board_report.svg      for a README or a wiki
  freshness trust board_report --badge html                            to paste into Power BI or Tableau
  freshness trust board_report --badge shields --out board.json        for the endpoint badge of shields.io
  freshness trust --format ndjson | jq 'select(.at_least < 90).caveat'
  freshness trust --rule

A score of 60–85 is at least 60 and at most 85: not everything behind the dashboard can be judged.

Exit codes: 0 shown, 2 could not tell, no dashboards, or a name that none has. To stop a refresh,
use `freshness gate`.")]
pub(super) struct TrustArgs {
    /// Only this dashboard, and why
    dashboard: Option<String>,

    /// Print how a score comes about
    #[arg(long, conflicts_with_all = ["dashboard", "badge"])]
    rule: bool,

    /// Write a badge of the dashboard
    #[arg(long, value_name = "KIND", requires = "dashboard")]
    badge: Option<BadgeKind>,

    /// Write the badge to this file rather than to stdout
    #[arg(long, value_name = "FILE", requires = "badge")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum BadgeKind {
    /// A picture
    Svg,
    /// A piece of HTML with the caveat, styles inside, no script
    Html,
    /// JSON for the endpoint badge of shields.io
    Shields,
}

/// What the JSON says.
#[derive(Serialize)]
struct Document<'a> {
    command: &'static str,
    now: Timestamp,
    fitted_at: Option<Timestamp>,
    dashboards: Vec<DashboardLine<'a>>,
}

pub(super) fn run(args: &TrustArgs, context: &mut Context) -> anyhow::Result<Answer> {
    if args.rule {
        context.out.data().write_all(RULE.as_bytes())?;
        return Ok(Answer::Healthy);
    }
    let out = args.out.as_deref().map(WholeFile::at).transpose()?;
    let Trusted {
        checked,
        mut dashboards,
    } = trusted(context)?;
    if let Some(asked) = &args.dashboard {
        let at = place_of(asked, &dashboards)?;
        dashboards = vec![dashboards.swap_remove(at)];
    }
    say_doubts(&checked.doubts, context);
    say_if_old(&checked, context);
    sort_worst_first(&mut dashboards);
    if let (Some(kind), [(dashboard, trust)]) = (args.badge, dashboards.as_slice()) {
        let badge = Badge::of(dashboard, trust, checked.now);
        let text = match kind {
            BadgeKind::Svg => badge.svg(),
            BadgeKind::Html => badge.html(),
            BadgeKind::Shields => badge.shields(),
        };
        match out {
            Some(file) => file.write(|file| Ok(file.write_all(text.as_bytes())?))?,
            None => context.out.data().write_all(text.as_bytes())?,
        }
        return Ok(Answer::Healthy);
    }
    match context.out.format {
        Format::Table if args.dashboard.is_some() => {
            for (dashboard, trust) in &dashboards {
                show(dashboard, trust, checked.now, context)?;
            }
        }
        Format::Table => {
            context.out.table(table(&dashboards))?;
            context.out.line("")?;
            context.out.line(summary(&dashboards, checked.now))?;
        }
        Format::Json => {
            let document = Document {
                command: "trust",
                now: checked.now,
                fitted_at: checked.fitted_at,
                dashboards: dashboards
                    .iter()
                    .map(|(dashboard, trust)| DashboardLine::new(dashboard, trust))
                    .collect(),
            };
            write_document(context.out.data(), &document)?;
        }
        Format::Ndjson => {
            for (dashboard, trust) in &dashboards {
                write_line(context.out.data(), &DashboardLine::new(dashboard, trust))?;
            }
        }
    }
    Ok(Answer::Healthy)
}

/// Why one dashboard has its score.
fn show(
    dashboard: &Dashboard,
    trust: &Trust,
    now: Timestamp,
    context: &mut Context,
) -> anyhow::Result<()> {
    let out = &mut context.out;
    for line in head(dashboard, trust, now) {
        out.line(line)?;
    }
    out.line("")?;
    out.table(parts(trust))?;
    if !trust.causes.is_empty() {
        out.line("")?;
        out.table(causes(&trust.causes))?;
    }
    if !trust.doubts.is_empty() {
        out.line("")?;
        out.table(doubts(&trust.doubts))?;
    }
    Ok(())
}

/// The trust in all dashboards, as of now.
fn trusted(context: &Context) -> anyhow::Result<Trusted> {
    trusted_in(&context.open(Access::ReadOnly)?, context)
}

/// … of a store that is open.
pub(super) fn trusted_in(store: &Store, context: &Context) -> anyhow::Result<Trusted> {
    let settings = &context.settings;
    let now = context.clock.now();
    let max_model_age = settings.check.max_model_age;
    Ok(rounds::trust(store, now, max_model_age, settings.threads)?)
}

/// Where the dashboard of this name is, or what its user may have meant.
pub(super) fn place_of(asked: &str, dashboards: &[(Dashboard, Trust)]) -> anyhow::Result<usize> {
    let ids = || dashboards.iter().map(|(of, _)| of.id.as_str());
    if let Some(at) = ids().position(|id| id == asked) {
        return Ok(at);
    }
    let titled = |(of, _): &&(Dashboard, Trust)| of.name().eq_ignore_ascii_case(asked);
    let titled = dashboards.iter().find(titled).map(|(of, _)| of.id.as_str());
    let hint = match titled.or_else(|| hint::did_you_mean(asked, ids())) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "`freshness trust` lists all dashboards".to_owned(),
    };
    Err(hint::failure(
        format_args!("unknown dashboard: {asked}"),
        hint,
    ))
}
