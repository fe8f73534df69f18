//! What do the reference pages in `docs` say?
//!
//! They are printed by the program itself: the help of every command, and the
//! fields of its JSON; a test compares the committed pages.

use std::io::Write;

use clap::{Args, Command, CommandFactory, Subcommand};
use freshness_core::trust::RULE;

use super::{Answer, Cli, Context};
use crate::outputs::console::PROMISE_FIELDS;
use crate::outputs::coverage::SCOPE_FIELDS;
use crate::outputs::incidents::INCIDENT_FIELDS;
use crate::outputs::{config_page, datasets, measured, slo, slo_history, trust};

/// Print a page of the documentation.
#[derive(Debug, Args)]
pub(super) struct DocsArgs {
    #[command(subcommand)]
    page: Page,
}

#[derive(Debug, Subcommand)]
enum Page {
    /// The command line, as in docs/cli.md.
    Cli,
    /// The JSON of all commands, as in docs/json.md.
    Json,
    /// The keys of freshness.yaml, as in docs/config.md.
    Config,
    /// The variables, as in .env.example.
    Env,
    /// The rule of the scores, as in docs/trust.md.
    Trust,
}

pub(super) fn run(args: &DocsArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let page = match args.page {
        Page::Cli => reference(),
        Page::Json => shapes(),
        Page::Config => config_page::page(),
        Page::Env => config_page::variables(),
        Page::Trust => RULE.to_owned(),
    };
    context.out.data().write_all(page.as_bytes())?;
    Ok(Answer::Healthy)
}

fn reference() -> String {
    let mut page = String::from(
        "# The command line\n\n<!-- printed by `freshness docs cli`; a test compares -->\n",
    );
    let mut root = Cli::command();
    root.build();
    describe(&mut root, &mut page);
    page
}

/// The help of a command, then of its visible subcommands.
fn describe(command: &mut Command, page: &mut String) {
    let name = command
        .get_bin_name()
        .unwrap_or(command.get_name())
        .to_owned();
    // Global options stand once, under the root.
    if name.contains(' ') {
        let global: Vec<_> = command
            .get_arguments()
            .filter(|argument| argument.is_global_set())
            .map(|argument| argument.get_id().clone())
            .collect();
        for id in global {
            *command = command.clone().mut_arg(id, |argument| argument.hide(true));
        }
    }
    let help = command.render_long_help().to_string();
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    page.push_str(&format!("\n## `{name}`\n\n```text\n"));
    page.push_str(lines.join("\n").trim_end());
    page.push_str("\n```\n");
    for subcommand in command.get_subcommands_mut() {
        if !subcommand.is_hide_set() {
            describe(subcommand, page);
        }
    }
}

fn shapes() -> String {
    let mut page = String::from(
        "# The JSON of all commands

<!-- printed by `freshness docs json`; a test compares -->

`--format json` writes one document, `--format ndjson` one object a line. Each has a `version`, \
1 for now: it rises when a field changes its meaning or goes; new fields may come at any time. \
Instants are RFC 3339 in UTC, what is not known is null.

| command | document | lines |
|---|---|---|
| `status` | `command`, `now`, `fitted_at`, `summary`, `datasets` | one dataset each |
| `check` | … and `answer`: `healthy`, `late` or `could_not_tell`; `datasets` holds only what is not as it should be; and what `incidents` says of incidents | one dataset each |
| `incidents` | `command`, `now`, `fitted_at`, `n_late`, `n_incidents`, `n_suppressed`, `suppressed_share` (0–1; null if nothing is late), `incidents`; with `--history`: `incidents` and `events` | one incident, or event, each |
| `silence` | `command`, `now`, `silences`: `no`, `matchers`, `by`, `why`, `from`, `until` | one silence each |
| `trust` | `command`, `now`, `fitted_at`, `dashboards`, the worst first | one dashboard each |
| `gate` | `command`, `now`, `fitted_at`, `answer`, `min_score` and the fields of the dashboard | the document |
| `collect` | `command`, `now`, `answer` (`healthy`: all were read), `sources`: `source`, `kind`, `error` and `hint` (null: all was read; what is ahead of now is left out, and the counts are of the rest), counts `arrivals_new`, `arrivals_duplicate`, `runs_new`, `datasets_new`, `datasets_gone`, `told_new`, `remarks` | one source each |
| `sources recipes` | `command`, `recipes`: `name`, `warehouse`, `goes_by`, `cannot_see`, `to_do`, `sql` | one recipe each |
| `config check` | `command`, `file`, `answer` (`sound` or `not_sound`), `faults`: `level` (`error`, `warning`), `file`, `line` (null: of no line), `key` (null: not known), `what`, `hint` | one fault each |
| `config show` | `command`, `file` (null: none was read), `settings`: `key`, `value` (null: not set), `origin` (`flag`, `variable`, `file`, `default`), `from` (the flag, the variable, or file and line) | one setting each |
| `init` | `command`, `file`, `written`, `sources` (how many), `found` | the document |
| `slo measure` | `command`, `now`, `answer` (`healthy`: all was measured), `measured` | one dataset each. With `--dry-run` `queries` instead: `dataset_id`, `environment`, `connection`, `sql` (null if there is none), `reason` |
| `slo show` | `command`, `declarations`: `dataset_id`, `environment`, `folder`, where it is measured (`table`, `connection`, `partition_filter`, `timezone`; absent if not said), `service_levels` (durations in seconds, days by `calendar`), `values`: every `key` with `value`, a list of what was typed (of one item unless a list was; null: cleared), `file`, `line`, `column` | one declaration each |
| `coverage check`, `coverage status` | `command`, `now`, `answer` (`healthy` or `not_covered`), `n_contracts`, `n_unhealthy` (scopes of the inventory without a contract included), `n_open_runs`, `n_old_runs` (open for longer than `coverage.max_open_age`), `scopes`, rolled up as `sources` and `datasets` (`name`, `n_scopes`, `n_healthy`, `complete_through` if all are healthy, `words`), `gaps` (`source`, `scope`, `missing`: `contract` or `inventory`) | one scope each |
| `coverage publish`, `begin`, `commit`, `abort`, `reconcile` of one run | `command`, `source`, `scope`, `run_id`, `outcome` (`accepted`, `repeated`, `refused`, `begun`, `aborted`), `seq`, `complete_through`, `reason` (a word), `detail`; of many: `n_accepted`, `n_repeated`, `n_refused`, `refused_by_reason`, `refused` (the first) | one release each, with its `line` |
| `coverage reconcile` | `command`, `now`, `open`: `source`, `scope`, `run_id`, `begun_at`, `open_seconds`, `complete_through` | one run each |
| `coverage log` | `command`, `now`, `attempts`: `no`, `at`, `source`, `scope`, `run_id`, `outcome`, `reason`, `detail`, `seq`, and of a release `regression` (why coverage went back), `correction` | one attempt each |
| `coverage releases` | `command`, `now`, `releases`: `source`, `scope`, `publication_seq`, `run_id`, `complete_through`, `published_at`, `rows`, `position`, `claim` (`manifest`, `totals`, `confirmed_position`), `regression`, `correction` | one release each |
| `coverage pull` | `command`, `now`, `imports` (contracts), `n_accepted`, `n_repeated`, `n_refused`, `refused_by_reason`, `invalid` contracts and `refused` releases: `table`, `source`, `scope`, `run_id`, `publication_seq`, `reason`, `detail` | one of those rows each |
| `coverage sql`, `sql` | `command`, `dialect`, `statements`: `what` (`ddl`, `publish`, `check`; `features`, `rates`), `sql` | one of them each |
| `coverage contracts list` | `command`, `contracts` with the fields of the file | one contract each |
| `coverage contracts diff` | `command`, `changes`: `source`, `scope`, `change` (`added`, `removed`, `changed`), `field`, `stored`, `file` | one change each |
| `slo diff` | `command`, `now`, `days`, `datasets`: `dataset_id`, `environment`, `words`, `model_status` (null: no model), `usual` (`calendar`, `timezone`, `from`, `to`, `deadline`; null: not learned), `promised` in words, `service_levels` (null: none declared), `kept` by `objective`: `percent` of deadlines or of the time, `n_kept` and `n_owed` days, `n_doubtful`, `by` runs or arrivals; `remarks`: `remark` (`no_promise`, `no_history`, `late_deadline`, `loose_age`, `wants_calendar`) with its figures and `words`; `failed` | one dataset each |
| `explain` | `command`, `now`, `dataset`, `n_arrivals`, `cycle` (the one explained), `cycles` (the last 60), `model`, `incidents` (those it is part of), `promises` (a verdict each) | the document |
| `plot` | `command`, `now`, and what is drawn: `points` (each arrival: `local` seconds, `minutes` high, `kind`), `missing`, `cycles` (`window` from p10 to p90 and `deadline`, minutes), `moves`, `outages`, `reference`, … | the document |
| `fit` | `command`, `as_of`, counts `n_…`, `news`, `failed` | one piece of news each; before them, for each dataset that could not be fitted, a line with `change` as `failed`, and `error` |
| `doctor` | `command`, `now`, `answer`: `healthy`, `problem` or `could_not_tell`; `findings`; `sources` that are configured: `source`, `health`, `tried_at`, `succeeded_at` (null: never), `error` of the last try (null: none), `arrivals_new` of the last success | one finding each |
| `evaluate` | see below | one method each |
| `backtest` | with `--summary`: see below | one dataset, one week, … each; `part` says which |
| `slo check` | `command`, `now`, `answer`: `healthy`, `breached` or `could_not_tell`; `summary` (counts of `n_datasets`, `n_objectives` and by outcome), `verdicts` (all of them) | one verdict each |
| `slo log` | `command`, `now`, `events`: `kind` (`slo_breach`), `at`, `dataset_id`, `environment`, `objective`, `before` (null: judged for the first time), `outcome` (also `withdrawn`: not promised any more), `why`, `verdict`; with `--results` `results`: `judged_at`, `dataset_id`, `environment`, `run_id` (null: nothing ever ran), `slo_freshness_seconds`, `slo_freshness_pass`, `slo_row_count_min`, `slo_row_count_max`, `slo_row_count_pass`, `slo_row_count_anomaly_pass`, `slo_availability_pass`, `slo_quality_pass` (null: not promised, not due, or not known), `evidence` (the verdicts) | one event, or result, each |
| `slo history` | `command`, `now`, `days`, `target` (percent), `objectives` | one objective each |
| `report` | `command`, `now`, `folder`, `page`, counts `n_…`; for console.json see below | the document |
| `seed` | `command`, `folder`, `kind`: `diverse` or `plain`; `seed`, counts `n_…`, `from`, `ends_at` | the document |
| `mishap` | `command`, `folder`, `seed`, counts `n_…`, `ends_at`, `datasets` with `class`, counts and why one was left as it is, `untouched` (null: it was not) | one dataset each |

`summary` counts by state: for `status` the datasets shown, for `check` all; all of them in \
`n_datasets`, those declared critical in `n_critical`, of these in `n_critical_late` the late or \
missed ones that fail a check, in `n_critical_broken` those of which nothing ever arrived and that \
break a promise, which fails it too, and in `n_critical_unjudged` those that cannot fail one yet: they \
never arrived, have too little history, are not evaluated, or are late by a model that can only \
advise. `n_excused` counts the pending ones that would be late if maintenance did not hold them up.

## A dataset

| field | meaning |
|---|---|
",
    );
    for (field, meaning) in datasets::FIELDS {
        page.push_str(&format!("| `{field}` | {meaning} |\n"));
    }
    page.push_str(SCOPE);
    for (field, meaning) in SCOPE_FIELDS {
        page.push_str(&format!("| `{field}` | {meaning} |\n"));
    }
    page.push_str("\n## A verdict on a promise\n\n| field | meaning |\n|---|---|\n");
    for (field, meaning) in slo::FIELDS {
        page.push_str(&format!("| `{field}` | {meaning} |\n"));
    }
    page.push_str("\n## How well an objective was kept\n\n| field | meaning |\n|---|---|\n");
    for (field, meaning) in slo_history::FIELDS {
        page.push_str(&format!("| `{field}` | {meaning} |\n"));
    }
    page.push_str(DASHBOARD);
    for (field, meaning) in trust::FIELDS {
        page.push_str(&format!("| `{field}` | {meaning} |\n"));
    }
    page.push_str(CONSOLE);
    for (field, meaning) in PROMISE_FIELDS {
        page.push_str(&format!("| `{field}` | {meaning} |\n"));
    }
    page.push_str(INCIDENT);
    for (field, meaning) in INCIDENT_FIELDS {
        page.push_str(&format!("| `{field}` | {meaning} |\n"));
    }
    page.push_str(EVENT);
    page.push_str(MEASUREMENT);
    for (field, meaning) in measured::FIELDS {
        page.push_str(&format!("| `{field}` | {meaning} |\n"));
    }
    page.push_str(BACKTEST);
    page.push_str(EVALUATION);
    page
}

const CONSOLE: &str = "
## console.json

`report` writes it beside the page: `version`, `command`, `now`, `fitted_at`, `models_are_old` \
(older than check.max_model_age), `models` (counts: `learned`, `provisional`, `cold_start`, \
`irregular`, `none`), `summary`, `incidents` with the fields of `incidents`, `n_suppressed` (alerts \
that nobody has to get), `suppressed_share` (of all late datasets, 0–1; null if none is), \
`dashboards`, `promises`, `datasets`. A dashboard has the fields of `trust`, and \
`badge`, its picture beside the document. A dataset has the fields above, its `calendar` in words \
(empty without a model), and `recent`: the last 30 cycles, oldest first, each with `cycle` and `state`.

`promises` is null if nothing is promised, else: `days` and `target` (percent) of each history, \
`summary` with the counts of `slo check`, `unreadable` (`dataset_id`, `error`). A dataset with \
scopes that feed it and are not covered has them in `behind` (`source`, `scope`, `condition`, \
`reason`), one with promises its objectives in `promises`:

| field | meaning |
|---|---|
";

const INCIDENT: &str = "
## An incident

| field | meaning |
|---|---|
";

const EVENT: &str = "
`check` and `incidents` also say whom it concerns, `to`: those of the root first. Each has \
`because` (`root`: theirs is what it began with; `member`: theirs is late because of it; \
`dashboard`: theirs shows one of these), `team` and `owner` (null: not known) and the `routes` of \
the team in freshness.yaml, as typed. Nothing is sent: a script that sends asks `status` first.

An event has `incident`, `at` and `event`: `opened`, `grew` (`n_more`, the first 20 `datasets`), \
`moved` (it began further up: `from`, `to`), `merged` (`into`), `acknowledged` (`by`, `why`, \
`until`), `ack_ended` (`by`), `silenced` (`silence`), `unsilenced`, `resolved` (`n_late_most`), \
`reopened`; where it changes, `n_late`.
";

const SCOPE: &str = "
## A scope

| field | meaning |
|---|---|
";

const DASHBOARD: &str = "
## A dashboard

| field | meaning |
|---|---|
";

const MEASUREMENT: &str = "
## A measured dataset

| field | meaning |
|---|---|
";

const BACKTEST: &str = "
## A backtest

`backtest --summary`: `command`, `from` and `to` of the window that was replayed, `refit_seconds`, \
`total`, `datasets`, `weeks`, `failed` (each with `dataset_id` and `error`). As lines: every dataset, \
every week, what failed, and last the total, each with its `part`: `dataset`, `week`, `failed`, `total`.

| field | meaning |
|---|---|
| `n_alerts` | alerts: each is a person told once, and stands until the next delivery |
| `n_alerted_cycles` | cycles late at their deadline: rows of `--out` with `alerted` true. Several in a row may be one alert |
| `n_advisory_cycles` | cycles late at their deadline by a model that can only advise |
| `n_arrived_late`, `n_missed` | cycles that in the end came past their deadline, or never |

These five add up: the datasets, like the weeks, make the total. Besides, a dataset has \
`dataset_id`, `days` since its first arrival within the window, `n_cycles` (its rows) and \
`alerts_per_week`; a week has `week` (its Monday, UTC; what counts is the deadline), \
`n_datasets_alerted`, `worst_dataset` (most alerts, by name if several; null without alerts) and \
`worst_n_alerts`; the total has `n_datasets` with an expected cycle, `n_datasets_alerted`, `n_cycles`, \
`days` since the first arrival of any dataset, `dataset_days` (of each, added up), and \
`alerts_per_day`, `alerts_per_week`, `alerts_per_1000_dataset_days` (null without days).
";

const EVALUATION: &str = "
## An evaluation

`evaluate` of one warehouse: `command`, `kind` (`diverse` or `plain`) and `seed`, or the `folder`, \
`n_datasets`, `n_arrivals`, `n_channels` (teams), \
`every_cycle_known` (false of real histories), `from` and `to` of the holdout, `refit_days` (none: \
one fit before it), `methods`, `calibration`, `first_days`, `after_moves`, `datasets`, `failed`.

A method: `method`, its `scores`, those of `cold_starts` (cycles on which the program can only \
advise; no other figure holds them) and `with_cold_starts`, and `by_class`, `by_cadence`, \
`by_status`: groups with `name`, `n_datasets` and `scores`. Methods are `learned`, `oracle`, \
`reference`, `reference_best_f1`, `fixed_per_cadence`, `not_loaded_by_07`, `maximum_age_24h`, \
`z_score_14d`, `interval_p99_6w` and `plain_learned_rule`.

| field of scores | meaning |
|---|---|
| `n_cycles` | cycles on which a delivery was due; of a real history, deadlines |
| `n_incidents`, `n_detected` | incidents, and those alerted before the delivery came |
| `n_false_alarms` | cycles alerted though nothing was wrong |
| `n_ordinary_alarms` | of a real history: of them, about cycles that in hindsight were ordinary |
| `false_alarms_per_day`, `false_alarms_per_1000_dataset_days`, `false_alarms_per_channel_week` | as rates; `ordinary_alarms_per_1000_dataset_days` likewise |
| `false_alarm_rate` | share of cycles, 0–1 |
| `detection`, `detection_interval` | share of incidents alerted, and its Clopper–Pearson interval, 95 % |
| `by_size` | `size` (`under_1h`, `1_to_4h`, `over_4h`, `missed`), `n_incidents`, `n_detected`, `detection` |
| `precision`, `f1` | share of alerts that were right; harmonic mean with detection |
| `minutes_to_alert_p50`, `minutes_to_alert_p90` | from when the delivery would have come to the alert |
| `minutes_to_deadline_p50` | from when a delivery usually comes to the deadline |

`calibration` has an object for each of `p10`, `p50`, `p90` and `threshold` (`published`): \
`overall`, `by_cell`, `by_month` (since the model was new), and `n_datasets`, `n_datasets_within`, \
`datasets_within`. Each count: `n` ordinary cycles, `n_exceeded`, `share`, `published_share`, the \
`band` in which the share lies by chance (99 %), and whether it does (`within`).

`first_days` (30 of each dataset) and `after_moves` (14 days after each), learned anew every day: \
`n` datasets or moves, `n_cycles`, `n_incidents`, `n_detected`, `n_false_alarms`, \
`n_false_advice`, `false_alarms_per_1000_dataset_days`, `false_alarm_rate`.

A dataset: `dataset_id`, `class`, `cadence`, `true_calendar`, `learned_calendar`, `model_status` \
when the holdout began (`insufficient_history` below three arrivals), `n_arrivals`, and by \
`methods`: counts, `n_cold_incidents`, `n_cold_false_alarms`, `minutes_to_deadline_p50`.

`root_cause` (null where what began where is not known): counts `n_late` (cycles late for a reason), \
`n_root_seen` of them whose root passed its own deadline, `n_named` of these under the dataset they began with when last seen, `n_named_at_once` when first \
seen, `n_pages` (incidents opened), `n_right_pages`, `n_feed_pages`, `n_alerts` (cycles that turned \
late), `n_recoveries` told, `n_within` of them as told; and as shares `accuracy`, `accuracy_at_once`, \
`precision_per_page`, `suppressed`, `recovered_as_told`.

Of several seeds: `kind`, `n_warehouses`, `root_cause` of all; `methods` with `figures`, each `mean`, `min`, `max` and `n`, and counts `by_class`; \
`warehouses` with `seed` and, by `methods`, `scores`.
";
