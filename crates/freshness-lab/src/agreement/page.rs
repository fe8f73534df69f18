//! How is the comparison told to a reader?

use std::fmt::Write as _;

use freshness_core::fit::{Change, Move};

use super::compare::{Agreement, Compared, ComparedMove, Stray};
use super::truth::{Confidence, MoveKind, View};

/// The comparison as a Markdown page; `command` is what wrote it.
pub fn page(agreement: &Agreement, views: &[View], command: &str) -> String {
    let mut page = String::new();
    let mut paragraph = |text: &str| {
        page.push_str(text);
        page.push_str("\n\n");
    };
    paragraph("# Does what is learned agree with what is known?");
    paragraph(&format!(
        "Written by `{command}`, where DIR holds real arrival histories (`arrivals.csv.gz`, \
         `datasets.csv`); do not edit. What is known was read by eye from plots and from the \
         histories of the schedules themselves, before the program ran \
         (`crates/freshness-lab/truth/real.jsonl`). Each history is fitted with nothing declared, \
         as of its last arrival."
    ));
    paragraph(&figures(agreement));
    paragraph("## Calendars and zones");
    paragraph(
        "A calendar agrees if it is the known one or one named as equally true. A zone agrees if \
         its clocks change with those of the known one.",
    );
    paragraph(&calendars(agreement, views));
    paragraph("## Known moves");
    paragraph(
        "Weeks are those with an arrival since the known move before and until the next. A move \
         counts if it is of 30 minutes or more and has four weeks on both sides; *cadence* counts \
         moves to other days or another rate likewise; a *drift* creeps over months and has no \
         date on which it happened, a *restart* moves nothing. Found: a learned move within 7 days \
         of the date.",
    );
    paragraph(&moves(agreement, views));
    paragraph("## Learned moves that nobody noted");
    paragraph(&strays(agreement));
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

fn figures(agreement: &Agreement) -> String {
    let mut rows = vec![
        row(["", "high", "medium", "low", "target (high)"]),
        row(["---", "---", "---", "---", "---"]),
    ];
    let mut line = |what: &str, of: &dyn Fn(Confidence) -> (usize, usize), target: &str| {
        let [high, medium, low] =
            [Confidence::High, Confidence::Medium, Confidence::Low].map(|c| share(of(c)));
        rows.push(row([what, &high, &medium, &low, target]));
    };
    line(
        "grain and calendar agree",
        &|confidence| agreement.calendars(confidence),
        "≥ 90 %",
    );
    line("zone agrees", &|confidence| agreement.zones(confidence), "");
    line(
        "moves of 30 minutes or more found",
        &|confidence| agreement.moves(confidence, ComparedMove::counts),
        "≥ 80 %",
    );
    line(
        "changes of cadence found",
        &|confidence| agreement.moves(confidence, ComparedMove::counts_as_cadence),
        "",
    );
    let count = |of: &dyn Fn(&Stray) -> bool| {
        agreement
            .datasets
            .iter()
            .flat_map(|compared| &compared.strays)
            .filter(|stray| of(stray))
            .count()
    };
    format!(
        "{}\n\nLearned moves within 3 days of a clock change (European, American or the dataset's \
         own) that nobody noted: **{}**, target 0. Moves are never dated within 4 days of one, so \
         look also at those of 45 to 75 minutes within 10 days: **{}**.",
        rows.join("\n"),
        count(&Stray::is_near_clock_change),
        count(&Stray::looks_like_clock_change),
    )
}

fn share((n, of): (usize, usize)) -> String {
    match of {
        0 => "–".to_owned(),
        _ => format!("{n} of {of} ({:.0} %)", 100.0 * n as f64 / of as f64),
    }
}

fn calendars(agreement: &Agreement, views: &[View]) -> String {
    let mut rows = vec![
        row([
            "dataset", "sure", "model", "learned", "known", "", "zone", "known", "", "view",
        ]),
        row(["---"; 10]),
    ];
    for compared in &agreement.datasets {
        let Compared { known, model, .. } = compared;
        let calendars: Vec<&str> = known.calendars().collect();
        let zones: Vec<&str> = known.zones.iter().map(|zone| zone.words()).collect();
        let mut view = Vec::new();
        for (about, agrees) in [
            ("calendar", compared.calendar_agrees),
            ("zone", compared.zone_agrees),
        ] {
            if !agrees {
                view.push(view_of(views, &known.dataset_id, about));
            }
        }
        rows.push(row([
            &known.dataset_id,
            sure(known.confidence),
            model.fitted.status(),
            &model.fitted.calendar().to_string(),
            &calendars.join(" / "),
            verdict(compared.calendar_agrees),
            model.fitted.zone().0.name(),
            &zones.join(" / "),
            verdict(compared.zone_agrees),
            &view.join(" "),
        ]));
    }
    rows.join("\n")
}

fn moves(agreement: &Agreement, views: &[View]) -> String {
    let mut rows = vec![
        row([
            "dataset", "sure", "date", "kind", "known", "minutes", "weeks", "counts", "learned",
            "view",
        ]),
        row(["---"; 10]),
    ];
    for compared in &agreement.datasets {
        let id = &compared.known.dataset_id;
        for moved in &compared.moves {
            let counts = moved.counts() || moved.counts_as_cadence();
            let date = moved.known.date.to_string();
            let view = match (&moved.found, counts) {
                (None, true) => view_of(views, id, &date),
                _ => String::new(),
            };
            rows.push(row([
                id,
                sure(compared.known.confidence),
                &date,
                kind(moved.known.kind),
                &moved.known.what,
                &moved.known.minutes.map_or(String::new(), signed),
                &format!("{}, {}", moved.weeks.0, moved.weeks.1),
                if counts { "yes" } else { "" },
                &match (&moved.found, counts) {
                    (Some(found), _) => told(found),
                    (None, true) => "**missed**".to_owned(),
                    (None, false) => "–".to_owned(),
                },
                &view,
            ]));
        }
    }
    rows.join("\n")
}

fn strays(agreement: &Agreement) -> String {
    let mut rows = vec![
        row(["dataset", "sure", "learned", "days to a clock change"]),
        row(["---"; 4]),
    ];
    for compared in &agreement.datasets {
        for stray in &compared.strays {
            rows.push(row([
                &compared.known.dataset_id,
                sure(compared.known.confidence),
                &told(&stray.learned),
                &stray
                    .days_to_clock_change
                    .map_or(String::new(), |days| format!("{days:.0}")),
            ]));
        }
    }
    rows.join("\n")
}

fn row<const N: usize>(cells: [&str; N]) -> String {
    let mut row = String::from("|");
    for cell in cells {
        write!(row, " {} |", cell.replace('|', "\\|")).expect("a string takes all");
    }
    row
}

fn verdict(agrees: bool) -> &'static str {
    if agrees { "agrees" } else { "**differs**" }
}

fn view_of(views: &[View], dataset_id: &str, about: &str) -> String {
    views
        .iter()
        .find(|view| view.dataset_id == dataset_id && view.about == about)
        .map_or_else(|| "no view yet".to_owned(), |view| view.view.clone())
}

fn told(moved: &Move) -> String {
    let day = moved.at.strftime("%Y-%m-%d");
    match moved.change {
        Change::Shift { minutes } => format!("{day} {} min", signed(minutes)),
        Change::LaterLoad { minutes } => format!("{day} second delivery {} min", signed(minutes)),
        Change::Cadence {
            per_week_before,
            per_week_after,
        } => format!("{day} {per_week_before} → {per_week_after} a week"),
    }
}

fn signed(minutes: f64) -> String {
    format!("{minutes:+.0}").replace('-', "−")
}

fn sure(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Low => "low",
        Confidence::Medium => "medium",
        Confidence::High => "high",
    }
}

fn kind(kind: MoveKind) -> &'static str {
    match kind {
        MoveKind::Shift => "shift",
        MoveKind::Cadence => "cadence",
        MoveKind::Drift => "drift",
        MoveKind::Restart => "restart",
    }
}
