//! How is what was fitted read again?
//!
//! A derived reader of a tagged enum keeps everything in between values until it
//! knows the tag, which costs a check of many models more than all judging. The
//! writer puts the tag first, so that one pass is enough; a text in which it is not
//! first was not written by it, and is refused.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

use super::model::{ArrivalModel, ColdStart, Fitted, GapModel, ShiftNote};

/// The fields of [`Fitted::Provisional`].
#[derive(serde::Deserialize)]
struct Provisional {
    model: ArrivalModel,
    shift: ShiftNote,
}

/// The words of the tag, as the derived writer writes them.
#[derive(serde::Deserialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Learned,
    Provisional,
    Irregular,
    ColdStart,
}

struct StatusFirst;

impl<'de> Visitor<'de> for StatusFirst {
    type Value = Fitted;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a model that begins with its status")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fitted, A::Error> {
        if map.next_key::<String>()?.as_deref() != Some("status") {
            return Err(A::Error::custom("expected `status` first"));
        }
        let status = map.next_value()?;
        let rest = MapAccessDeserializer::new(map);
        Ok(match status {
            Status::Learned => Fitted::Learned(ArrivalModel::deserialize(rest)?),
            Status::Provisional => {
                let Provisional { model, shift } = Provisional::deserialize(rest)?;
                Fitted::Provisional { model, shift }
            }
            Status::Irregular => Fitted::Irregular(GapModel::deserialize(rest)?),
            Status::ColdStart => Fitted::ColdStart(ColdStart::deserialize(rest)?),
        })
    }
}

impl<'de> Deserialize<'de> for Fitted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Fitted, D::Error> {
        deserializer.deserialize_map(StatusFirst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_begins_with_its_status_and_is_read_again() {
        let cold = r#"{"status":"cold_start","calendar":"daily","calendar_source":"inferred","zone":"UTC","zone_source":"default","n_cycles":3,"n_needed":10,"p50":null,"threshold":480.0}"#;
        let read: Result<Fitted, _> = serde_json::from_str(cold);
        let fitted = read.unwrap_or_else(|error| panic!("{error}"));
        let written = serde_json::to_string(&fitted).unwrap();
        assert!(
            written.starts_with(r#"{"status":"cold_start","#),
            "{written}"
        );
        assert_eq!(serde_json::from_str::<Fitted>(&written).unwrap(), fitted);
        for (text, fault) in [
            (
                r#"{"calendar":"daily","status":"cold_start"}"#,
                "expected `status` first",
            ),
            (r#"{"status":"sure"}"#, "unknown variant `sure`"),
            ("{}", "expected `status` first"),
            ("[]", "a model that begins with its status"),
        ] {
            let error = serde_json::from_str::<Fitted>(text).unwrap_err();
            assert!(error.to_string().contains(fault), "{error}");
        }
    }
}
