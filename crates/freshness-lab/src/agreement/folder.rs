//! Which histories are in a folder?

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use freshness_core::arrivals::{Arrival, ArrivalDetail, ArrivalHistory};
use jiff::Timestamp;

use super::AgreementError;

/// Histories by dataset, in the order of `datasets.csv`.
#[derive(Debug, Clone, Default)]
pub struct Folder {
    /// Name and arrivals.
    pub histories: Vec<(String, ArrivalHistory)>,
}

/// Reads a folder.
pub fn read_folder(folder: &Path) -> Result<Folder, AgreementError> {
    let packed = folder.join("arrivals.csv.gz");
    let arrivals = match packed.exists() {
        true => read_rows(&packed, MultiGzDecoder::new(open(&packed)?))?,
        false => {
            let plain = folder.join("arrivals.csv");
            read_rows(&plain, open(&plain)?)?
        }
    };
    let mut by_dataset: BTreeMap<String, Vec<Arrival>> = BTreeMap::new();
    for (dataset_id, arrival) in arrivals {
        by_dataset.entry(dataset_id).or_default().push(arrival);
    }
    let path = folder.join("datasets.csv");
    let mut histories = Vec::new();
    for (_, row) in rows(&path, open(&path)?, ["dataset_id"])? {
        let [dataset_id] = row;
        let arrivals = by_dataset.remove(&dataset_id).unwrap_or_default();
        histories.push((dataset_id, ArrivalHistory::new(arrivals)));
    }
    Ok(Folder { histories })
}

fn open(path: &Path) -> Result<File, AgreementError> {
    File::open(path).map_err(|source| AgreementError::Read {
        path: path.to_owned(),
        source,
    })
}

fn read_rows(path: &Path, input: impl Read) -> Result<Vec<(String, Arrival)>, AgreementError> {
    rows(path, input, ["dataset_id", "arrived_at"])?
        .into_iter()
        .map(|(row, [dataset_id, arrived_at])| {
            let at = arrived_at
                .parse::<Timestamp>()
                .map_err(|_| AgreementError::Value {
                    path: path.to_owned(),
                    row,
                    value: arrived_at,
                })?;
            let arrival = Arrival {
                at: at.as_second(),
                detail: ArrivalDetail::default(),
            };
            Ok((dataset_id, arrival))
        })
        .collect()
}

/// The rows of a CSV file, their number first, cut down to some columns.
fn rows<const N: usize>(
    path: &Path,
    input: impl Read,
    columns: [&str; N],
) -> Result<Vec<(usize, [String; N])>, AgreementError> {
    let wrong = |source| AgreementError::Row {
        path: path.to_owned(),
        source,
    };
    let mut reader = csv::Reader::from_reader(input);
    let header = reader.headers().map_err(wrong)?.clone();
    let mut places = [0; N];
    for (place, column) in places.iter_mut().zip(columns) {
        *place = header
            .iter()
            .position(|name| name == column)
            .ok_or_else(|| AgreementError::Value {
                path: path.to_owned(),
                row: 1,
                value: format!("column {column} is missing"),
            })?;
    }
    reader
        .records()
        .enumerate()
        .map(|(i, record)| {
            let record = record.map_err(wrong)?;
            Ok((i + 2, places.map(|place| record[place].to_owned())))
        })
        .collect()
}
