//! What does a data contract of the Open Data Contract Standard (v3) promise?
//!
//! | `slaProperties` | becomes |
//! |---|---|
//! | `latency`, `freshness` with `unit` and `element` | `freshness.threshold` and `field` |
//! | `frequency` of days or hours | `freshness.calendar`, with a deadline |
//! | `timeOfAvailability` with its offset or zone | `freshness.deadline` and `timezone` |
//! | `availability` with an `element` | `availability.threshold` and `field` |
//! | `retention` and all others | said, not mapped |
//!
//! The dataset is the `name` of the table that `element` names, its table the
//! `physicalName`.

use freshness_core::slo::{Content, Node, Place, duration_seconds};

use crate::sources::database::TableName;

use super::foreign::{Foreign, has, items, put, text};

const THRESHOLD: [&str; 3] = ["service_levels", "freshness", "threshold"];
const FIELD: [&str; 3] = ["service_levels", "freshness", "field"];
const DEADLINE: [&str; 3] = ["service_levels", "freshness", "deadline"];
const ZONE: [&str; 3] = ["service_levels", "freshness", "timezone"];
const CALENDAR: [&str; 3] = ["service_levels", "freshness", "calendar"];

/// Is it such a contract?
pub(super) fn is_contract(node: &Node) -> bool {
    text(node, "kind").as_deref() == Some("DataContract")
        || (node.get("apiVersion").is_some() && node.get("slaProperties").is_some())
}

pub(super) fn read(node: &Node) -> Foreign {
    let mut found = Foreign::default();
    let version = text(node, "apiVersion").unwrap_or_default();
    if !version.trim_start_matches('v').starts_with('3') {
        let what = format!("a contract of another version than 3: {version}");
        found.left_out(&node.place, what);
        return found;
    }
    let tables: Vec<Table> = items(node, "schema")
        .iter()
        .filter_map(|table| {
            let name = text(table, "name")?;
            let mut contract = Node::empty(table.place.clone());
            put(&mut contract, &["dataset"], &name, &table.place);
            if let Some(physical) = text(table, "physicalName").filter(|other| *other != name) {
                match physical.parse::<TableName>() {
                    Ok(_) => put(&mut contract, &["table"], physical, &table.place),
                    Err(error) => found.left_out(&table.place, format!("physicalName: {error}")),
                }
            }
            Some(Table { name, contract })
        })
        .collect();
    let mut reading = Reading {
        tables,
        usual_element: text(node, "slaDefaultElement"),
        found,
    };
    for property in items(node, "slaProperties") {
        reading.property(property);
    }
    let Reading { tables, found, .. } = reading;
    let mut found = tables.into_iter().fold(found, |mut found, table| {
        // A calendar without a deadline promises nothing by itself.
        if has(&table.contract, &CALENDAR) && !has(&table.contract, &DEADLINE) {
            found.left_out(
                &table.contract.place,
                format!("{}: a frequency without a timeOfAvailability", table.name),
            );
        }
        if has(&table.contract, &["service_levels"]) {
            found.contracts.push(table.contract);
        }
        found
    });
    if found.contracts.is_empty() && found.notes.is_empty() {
        found.left_out(&node.place, "a contract without slaProperties");
    }
    found
}

struct Table {
    name: String,
    contract: Node,
}

struct Reading {
    tables: Vec<Table>,
    usual_element: Option<String>,
    found: Foreign,
}

impl Reading {
    fn property(&mut self, property: &Node) {
        let place = &property.place;
        let name = text(property, "property").unwrap_or_default();
        let value = text(property, "value").unwrap_or_default();
        let unit = text(property, "unit").unwrap_or_default();
        let said = format!("{name}: {value} {unit}");
        let said = said.trim_end();
        if let Some(extended) = text(property, "valueExt") {
            self.found
                .left_out(place, format!("valueExt of {said}: {extended}"));
        }
        let mapped = match name.as_str() {
            "latency" | "ly" | "freshness" => self.threshold(property, &value, &unit),
            "frequency" | "fy" => self.frequency(property, &value, &unit),
            "timeOfAvailability" | "ta" => self.time_of_availability(property, &value),
            "availability" | "av" => self.availability(property, &value),
            _ => Err("there is no such promise here".to_owned()),
        };
        if let Err(why) = mapped {
            self.found.left_out(place, format!("{said}: {why}"));
        }
        // An element may name several; all others are mapped alike.
    }

    /// The tables that a property is about, each with its column.
    fn elements(&self, property: &Node) -> Result<Vec<(usize, Option<String>)>, String> {
        let element = text(property, "element").or_else(|| self.usual_element.clone());
        let Some(element) = element else {
            return match self.tables.len() {
                1 => Ok(vec![(0, None)]),
                _ => Err("no `element` says of which table".to_owned()),
            };
        };
        element
            .split(',')
            .map(|one| {
                let one = one.trim();
                let is_table = |name: &str| self.tables.iter().position(|of| of.name == name);
                if let Some(table) = is_table(one) {
                    return Ok((table, None));
                }
                let (table, column) = match one.rsplit_once('.') {
                    Some((table, column)) => (is_table(table), column),
                    None if self.tables.len() == 1 => (Some(0), one),
                    None => (None, one),
                };
                let unknown = || format!("no table of `schema` is meant by the element: {one}");
                Ok((table.ok_or_else(unknown)?, Some(column.to_owned())))
            })
            .collect()
    }

    fn threshold(&mut self, property: &Node, value: &str, unit: &str) -> Result<(), String> {
        let duration = duration(value, unit)?;
        for (table, column) in self.elements(property)? {
            let column = column.ok_or("no column in `element` to take the age of")?;
            self.stricter(table, property, (duration.as_str(), column.as_str()));
        }
        Ok(())
    }

    /// Of two ages that are promised of a table the lesser holds, whatever they
    /// are called: who keeps it keeps both.
    fn stricter(&mut self, table: usize, property: &Node, (age, column): (&str, &str)) {
        let Table { name, contract } = &mut self.tables[table];
        let seconds = |text: &str| duration_seconds(text).unwrap_or(f64::INFINITY);
        let said = |path: &[&str]| {
            let node = path
                .iter()
                .try_fold(&*contract, |node, key| node.said(key))?;
            match &node.holds {
                Content::Value(value) => Some((value.to_string(), node.place.clone())),
                _ => None,
            }
        };
        if let (Some((before, place)), Some((of, _))) = (said(&THRESHOLD), said(&FIELD)) {
            let is_stricter = seconds(age) < seconds(&before);
            let (least, most, place) = match is_stricter {
                true => ((age, column), (before.as_str(), of.as_str()), &place),
                false => (
                    (before.as_str(), of.as_str()),
                    (age, column),
                    &property.place,
                ),
            };
            let what = format!(
                "{name}: {} of {}; an age of {} of {} is promised too, and the stricter one holds",
                most.0, most.1, least.0, least.1
            );
            self.found.left_out(place, what);
            if !is_stricter {
                return;
            }
        }
        put(contract, &THRESHOLD, age, value_place(property));
        put(contract, &FIELD, column, value_place(property));
    }

    fn frequency(&mut self, property: &Node, value: &str, unit: &str) -> Result<(), String> {
        let days = duration_seconds(&format!("{value}{unit}")).ok();
        if days != Some(86_400.0) {
            return Err("only once a day says on which days a deadline holds".to_owned());
        }
        for (table, _) in self.elements(property)? {
            self.put(table, property, &CALENDAR, "daily")?;
        }
        Ok(())
    }

    fn time_of_availability(&mut self, property: &Node, value: &str) -> Result<(), String> {
        let (time, zone) = time_and_zone(value)?;
        for (table, _) in self.elements(property)? {
            self.put(table, property, &DEADLINE, &time)?;
            self.put(table, property, &ZONE, &zone)?;
        }
        Ok(())
    }

    fn availability(&mut self, property: &Node, value: &str) -> Result<(), String> {
        for (table, column) in self.elements(property)? {
            let column = column
                .ok_or("no column in `element`; that a server answers is not looked at here")?;
            let path = |key| ["service_levels", "availability", key];
            self.put(table, property, &path("threshold"), value)?;
            self.put(table, property, &path("field"), &column)?;
        }
        Ok(())
    }

    fn put(
        &mut self,
        table: usize,
        property: &Node,
        path: &[&str],
        value: &str,
    ) -> Result<(), String> {
        let contract = &mut self.tables[table].contract;
        if has(contract, path) {
            return Err("said twice of this table; the first one holds".to_owned());
        }
        put(contract, path, value, value_place(property));
        Ok(())
    }
}

fn value_place(property: &Node) -> &Place {
    property
        .said("value")
        .filter(|node| matches!(node.holds, Content::Value(_)))
        .map_or(&property.place, |node| &node.place)
}

/// A value and its unit, as we write durations.
fn duration(value: &str, unit: &str) -> Result<String, String> {
    if unit.is_empty() && value.parse::<f64>().is_ok() {
        return Err("no `unit`".to_owned());
    }
    let text = format!("{value}{unit}");
    match duration_seconds(&text) {
        Ok(_) => Ok(text),
        Err(error) => Err(error.to_string()),
    }
}

/// `09:00-08:00`, `09:00Z`, `09:00 Europe/Berlin`: a time of day and a zone.
/// Zones of whole hours have names with the sign the other way round.
fn time_and_zone(value: &str) -> Result<(String, String), String> {
    let value = value.trim();
    let (time, zone) = value
        .find(|c: char| !c.is_ascii_digit() && c != ':')
        .map_or((value, ""), |at| value.split_at(at));
    let zone = zone.trim();
    let named = match zone.split_at_checked(1) {
        None => return Err("no offset or zone says where that is".to_owned()),
        Some(("Z" | "z", "")) => "UTC".to_owned(),
        Some((sign @ ("+" | "-"), offset)) => {
            let (hours, minutes) = offset.split_once(':').unwrap_or((offset, "00"));
            let hours: u8 = hours.parse().map_err(|_| "unreadable offset".to_owned())?;
            match (hours, minutes) {
                (0, "00") => "UTC".to_owned(),
                (1..=14, "00") if sign == "+" => format!("Etc/GMT-{hours}"),
                (1..=12, "00") => format!("Etc/GMT+{hours}"),
                _ => return Err("an offset of no whole hours has no zone; name one".to_owned()),
            }
        }
        Some(_) => zone.to_owned(),
    };
    let is_time = time.split(':').count() >= 2;
    match is_time {
        true => Ok((time.to_owned(), named)),
        false => Err("no time of day".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_of_whole_hours_is_a_zone() {
        for (value, time, zone) in [
            ("09:00-08:00", "09:00", "Etc/GMT+8"),
            ("09:00+02:00", "09:00", "Etc/GMT-2"),
            ("9:00Z", "9:00", "UTC"),
            ("09:00+00:00", "09:00", "UTC"),
            ("09:00 Europe/Berlin", "09:00", "Europe/Berlin"),
        ] {
            let expected = Ok((time.to_owned(), zone.to_owned()));
            assert_eq!(time_and_zone(value), expected, "{value}");
        }
        for value in ["09:00", "09:00+05:30", "nine", "09:00+99:00"] {
            assert!(time_and_zone(value).is_err(), "{value}");
        }
    }
}
