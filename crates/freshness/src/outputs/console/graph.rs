//! How is an incident drawn?
//!
//! The root on the left, what it explains in a column for each hop, the edges
//! of the lineage between them. Of many datasets as far away, the first few are
//! drawn and the others counted.

use std::collections::HashMap;

use freshness_core::dataset::DatasetId;
use freshness_core::incidents::Incident;
use freshness_core::state::State;

use crate::outputs::words;

/// A drawing; places in pixels.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) width: i32,
    pub(super) height: i32,
    pub(super) nodes: Vec<Node>,
    /// Each a path.
    pub(super) edges: Vec<String>,
    /// What it shows, in a sentence.
    pub(super) said: String,
}

/// A box in it: a dataset, or so many more of a column.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) x: i32,
    pub(super) y: i32,
    /// Its whole name.
    pub(super) name: String,
    /// … as far as there is room.
    pub(super) label: String,
    /// The word of its state, or [`MORE`].
    pub(super) state: &'static str,
    pub(super) is_root: bool,
}

/// Instead of a state: the box counts those that have none.
pub(super) const MORE: &str = "more";
pub(super) const NODE_WIDTH: i32 = 156;
pub(super) const NODE_HEIGHT: i32 = 28;
const COLUMN: i32 = 198;
const ROW: i32 = 36;
const MARGIN: i32 = 4;
/// Boxes in a column, and columns.
const ROWS_MOST: usize = 5;
const COLUMNS_MOST: usize = 8;
/// Letters that a box has room for.
const LETTERS: usize = 17;

/// The drawing of an incident that explains something; `edges` are those
/// between late datasets, parent first.
pub(super) fn graph(incident: &Incident, edges: &[(DatasetId, DatasetId)]) -> Option<Graph> {
    let root = incident.root.as_ref()?;
    if incident.members.is_empty() {
        return None;
    }
    let columns = columns(incident, root, edges);
    let mut nodes = Vec::new();
    let mut places: HashMap<&DatasetId, (i32, i32)> = HashMap::new();
    let most = columns.iter().map(Column::rows).max().unwrap_or(1);
    for (i, column) in columns.iter().enumerate() {
        let x = MARGIN + i as i32 * COLUMN;
        let top = MARGIN + (most - column.rows()) as i32 * ROW / 2;
        let y = |row: usize| top + row as i32 * ROW;
        for (row, &(id, state)) in column.shown.iter().enumerate() {
            places.insert(id, (x, y(row)));
            nodes.push(Node {
                x,
                y: y(row),
                name: id.to_string(),
                label: shortened(id.as_str()),
                state: words::state(state),
                is_root: id == root,
            });
        }
        if column.n_more > 0 {
            let label = format!("and {} more", words::thousands(column.n_more));
            nodes.push(Node {
                x,
                y: y(column.shown.len()),
                name: label.clone(),
                label,
                state: MORE,
                is_root: false,
            });
        }
    }
    let between = edges.iter().filter_map(|(parent, child)| {
        let (from, to) = (places.get(parent)?, places.get(child)?);
        (to.0 > from.0).then(|| path(*from, *to))
    });
    Some(Graph {
        width: 2 * MARGIN + (columns.len() as i32 - 1) * COLUMN + NODE_WIDTH,
        height: 2 * MARGIN + (most as i32 - 1) * ROW + NODE_HEIGHT,
        nodes,
        edges: between.collect(),
        said: format!("Lineage of {root}: {}", in_words(incident)),
    })
}

/// `2 datasets one edge below it, 3 two edges below`.
fn in_words(incident: &Incident) -> String {
    let by_hops = incident.by_hops();
    let parts: Vec<String> = by_hops
        .iter()
        .map(|(hops, n)| format!("{} {}", words::count(*n, "dataset"), hops_away(*hops)))
        .collect();
    parts.join(", ")
}

fn hops_away(hops: u32) -> String {
    match hops {
        1 => "1 hop below".to_owned(),
        hops => format!("{hops} hops below"),
    }
}

/// The datasets that are as far from the root.
struct Column<'a> {
    shown: Vec<(&'a DatasetId, State)>,
    n_more: u64,
}

impl Column<'_> {
    fn rows(&self) -> usize {
        self.shown.len() + usize::from(self.n_more > 0)
    }
}

fn columns<'a>(
    incident: &'a Incident,
    root: &'a DatasetId,
    edges: &'a [(DatasetId, DatasetId)],
) -> Vec<Column<'a>> {
    let mut columns = vec![Column {
        shown: vec![(root, incident.state)],
        n_more: 0,
    }];
    for (hops, n) in incident.by_hops().into_iter().take(COLUMNS_MOST - 1) {
        let before = &columns[columns.len() - 1].shown;
        // Beside their parents, so that edges seldom cross.
        let beside = |id: &DatasetId| -> usize {
            let parents = edges.iter().filter(|(_, child)| child == id);
            let rows = parents
                .filter_map(|(parent, _)| before.iter().position(|(other, _)| *other == parent));
            rows.min().unwrap_or(before.len())
        };
        let members = incident.members.iter().filter(|it| it.hops == hops);
        // Of thousands, the first by name.
        let n_shown = match n as usize {
            n if n > ROWS_MOST => ROWS_MOST - 1,
            n => n,
        };
        let mut shown: Vec<(usize, &DatasetId, State)> = members
            .take(n_shown)
            .map(|member| (beside(&member.dataset_id), &member.dataset_id, member.state))
            .collect();
        shown.sort_by_key(|(row, ..)| *row);
        columns.push(Column {
            shown: shown
                .into_iter()
                .map(|(_, id, state)| (id, state))
                .collect(),
            n_more: n - n_shown as u64,
        });
    }
    columns
}

fn path(from: (i32, i32), to: (i32, i32)) -> String {
    let (x1, y1) = (from.0 + NODE_WIDTH, from.1 + NODE_HEIGHT / 2);
    let (x2, y2) = (to.0 - 2, to.1 + NODE_HEIGHT / 2);
    let bend = (x2 - x1) / 2;
    format!("M{x1} {y1}C{} {y1} {} {y2} {x2} {y2}", x1 + bend, x2 - bend)
}

fn shortened(name: &str) -> String {
    match name.chars().count() > LETTERS {
        false => name.to_owned(),
        true => {
            let start: String = name.chars().take(LETTERS - 1).collect();
            format!("{start}…")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshness_core::incidents::{EdgeLags, LateDataset, incidents};
    use freshness_core::lineage::Lineage;

    fn id(name: &str) -> DatasetId {
        DatasetId::try_from(name).unwrap()
    }

    /// Lines of `a -> b`; everything is late.
    #[track_caller]
    fn check_graph(text: &str, expected: &str) {
        let edges: Vec<(DatasetId, DatasetId)> = text
            .lines()
            .map(|line| line.trim().split_once(" -> ").unwrap())
            .map(|(parent, child)| (id(parent), id(child)))
            .collect();
        let mut ids: Vec<DatasetId> = edges
            .iter()
            .flat_map(|(parent, child)| [parent.clone(), child.clone()])
            .collect();
        ids.sort();
        ids.dedup();
        let late: Vec<LateDataset> = ids.into_iter().map(late).collect();
        let lineage = Lineage::new(edges.clone()).unwrap();
        let found = incidents(&lineage, &late, &EdgeLags::default(), &[], 100_000);
        let drawn = graph(&found.incidents[0], &edges).unwrap();
        let place = |node: &Node| {
            let (column, row) = (
                (node.x - MARGIN) / COLUMN,
                f64::from(node.y - MARGIN) / f64::from(ROW),
            );
            format!("{} {column}/{row}", node.label)
        };
        let places: Vec<String> = drawn.nodes.iter().map(place).collect();
        assert_eq!(
            format!("{}; {} edges", places.join(", "), drawn.edges.len()),
            expected
        );
    }

    fn late(dataset_id: DatasetId) -> LateDataset {
        LateDataset {
            cycle: "today".to_owned(),
            ..LateDataset::new(dataset_id, State::Late, 49_000, 50_000)
        }
    }

    #[test]
    fn each_hop_is_a_column_and_children_stand_beside_their_parents() {
        check_graph(
            "a -> b\na -> c\nb -> e\nc -> d\na -> d",
            "a 0/1, b 1/0, c 1/1, d 1/2, e 2/1; 4 edges",
        );
    }

    #[test]
    fn of_many_the_first_few_are_drawn_and_the_others_counted() {
        let many: Vec<String> = (0..9).map(|i| format!("a -> b{i}")).collect();
        check_graph(
            &many.join("\n"),
            "a 0/2, b0 1/0, b1 1/1, b2 1/2, b3 1/3, and 5 more 1/4; 4 edges",
        );
    }
}
