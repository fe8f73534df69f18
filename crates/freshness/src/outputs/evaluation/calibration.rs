//! How is it told how often what is published really held?

use freshness_lab::evaluate::{Calibration, Exceedance};

use super::{Table, interval, numbers, percent, row, words};

/// A row for each of what is published.
pub(super) fn overall(published: &[Calibration]) -> Table {
    let headings = [
        "PUBLISHED",
        "CYCLES",
        "PASSED",
        "SHARE",
        "SHOULD BE",
        "99 % BAND",
        "DATASETS WITHIN THEIRS",
    ];
    let mut table = Table::new(&headings);
    for one in published {
        let datasets = format!(
            "{} of {} ({})",
            one.n_datasets_within,
            one.n_datasets,
            percent(one.datasets_within, 1)
        );
        let cells = std::iter::once(one.published.to_owned())
            .chain(exceedance(&one.overall))
            .chain([datasets]);
        row(&mut table, cells);
    }
    numbers(&mut table, headings.len());
    table
}

/// Counts of a part of the cycles.
pub(super) type Part = fn(&Calibration) -> Vec<(String, Exceedance)>;

/// The parts that are told, and how each is called.
pub(super) const PARTS: [(&str, Part); 2] = [
    ("Cells outside their band", |one| {
        let cells = one.by_cell.iter();
        cells
            .filter(|(_, found)| found.within == Some(false))
            .cloned()
            .collect()
    }),
    ("By month since the model was new", |one| {
        let months = one.by_month.iter();
        months
            .map(|(month, found)| (format!("month {month}"), *found))
            .collect()
    }),
];

/// A row for each part.
pub(super) fn parts(published: &[Calibration], of: Part) -> Table {
    let headings = [
        "PUBLISHED",
        "OF",
        "CYCLES",
        "PASSED",
        "SHARE",
        "SHOULD BE",
        "99 % BAND",
    ];
    let mut table = Table::new(&headings);
    for one in published {
        for (part, found) in of(one) {
            row(
                &mut table,
                [one.published.to_owned(), part]
                    .into_iter()
                    .chain(exceedance(&found)),
            );
        }
    }
    numbers(&mut table, headings.len());
    table
}

fn exceedance(found: &Exceedance) -> [String; 5] {
    let mark = match found.within {
        Some(false) => " outside",
        _ => "",
    };
    [
        words::thousands(found.n),
        words::thousands(found.n_exceeded),
        percent(found.share, 2),
        percent(found.published_share, 2),
        format!("{}{mark}", interval(found.band)),
    ]
}
