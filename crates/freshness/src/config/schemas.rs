//! What does the JSON Schema say of values that are more than text or a number?
//!
//! As strict as can be said there, and never stricter than the reader: a test asks both
//! the same.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// A type that stands in the schema only.
macro_rules! stands_for {
    ($($(#[$meaning:meta])* $name:ident = $schema:tt;)*) => {
        $(
            $(#[$meaning])*
            pub(super) struct $name;

            impl JsonSchema for $name {
                fn schema_name() -> Cow<'static, str> {
                    stringify!($name).into()
                }

                fn inline_schema() -> bool {
                    true
                }

                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    json_schema!($schema)
                }
            }
        )*
    };
}

stands_for! {
    /// A length of time, perhaps none.
    Wait = { "type": "string", "pattern": "[0-9]" };
    /// A length of time above zero.
    Age = { "type": "string", "pattern": "[1-9]" };
    /// A share of cycles.
    Share = { "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 };
    /// False alarms a month.
    Alarms = { "type": "number", "exclusiveMinimum": 0, "maximum": 100 };
    /// A number of threads.
    Threads = { "type": "integer", "minimum": 1, "maximum": 1024 };
    /// A port.
    Port = { "type": "integer", "minimum": 1, "maximum": 65535 };
    /// A seed.
    Seed = { "type": "integer", "minimum": 0 };
    /// A way and where it leads.
    Route = { "type": "string", "pattern": "^[a-z][a-z0-9+.-]*:[^ ]+$", "maxLength": 500 };
    /// Five fields of cron, a duration or `never`.
    Timing = { "type": "string", "pattern": "^ *(never|@.+|[^ ]+( +[^ ]+){4}|.*[1-9].*) *$" };
}
