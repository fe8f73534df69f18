//! Which keys may a declaration have?
//!
//! The one list of them: what is unknown or of a wrong type is told by it, the
//! JSON Schema and the reference are printed from it.

/// A key, what it holds, and what it means.
#[derive(Debug)]
pub struct Key {
    /// As it is written.
    pub name: &'static str,
    /// What may stand behind it.
    pub holds: Holds,
    /// In a sentence, for the reader of the file.
    pub doc: &'static str,
}

/// What a key holds.
#[derive(Debug)]
pub enum Holds {
    /// Keys of its own.
    Section {
        /// Them.
        keys: &'static [Key],
        /// The key that is meant where one value stands instead of keys.
        alone: Option<&'static str>,
    },
    /// A text that is not empty.
    Text,
    /// A duration, or a number of hours.
    Duration,
    /// A number from 0 to 100.
    Percent,
    /// A number from 0 to 1.
    Share,
    /// A number from 0.
    Factor,
    /// A whole number from 0.
    Count,
    /// A whole number from 1.
    CountFromOne,
    /// `true` or `false`.
    Flag,
    /// One of these.
    OneOf(&'static [&'static str]),
    /// Days of the week, as a list or as a text.
    Weekdays,
    /// A calendar of days.
    Calendar,
    /// A time zone.
    Zone,
    /// A time of day.
    TimeOfDay,
    /// Read no more: it is left out, with a warning that says what to write.
    Retired(&'static str),
}

const fn key(name: &'static str, holds: Holds, doc: &'static str) -> Key {
    Key { name, holds, doc }
}

const fn section(name: &'static str, keys: &'static [Key], doc: &'static str) -> Key {
    let holds = Holds::Section { keys, alone: None };
    Key { name, holds, doc }
}

const DESCRIPTION: Key = key("description", Holds::Text, "What it is for, in your words.");
const OWNER: Key = key("owner", Holds::Text, "Whom to ask.");
const SEVERITY: Key = key(
    "severity",
    Holds::OneOf(&["critical", "warning", "error", "warn"]),
    "critical (also: error; what holds if nothing is said): a breach fails a check; \
     warning (also: warn): it is only shown.",
);
const SCHEDULE: Key = key(
    "schedule",
    Holds::Retired("say `deadline` and `calendar` in service_levels.freshness instead"),
    "Retired: it is ignored, with a warning.",
);

const FRESHNESS: &[Key] = &[
    key(
        "threshold",
        Holds::Duration,
        "How old the newest value of `field` may be: 30m, 6h, 1d, 1h30m, 2 days, PT1H; \
         a number alone is hours. `field` is needed with it, here or in a level above.",
    ),
    key(
        "field",
        Holds::Text,
        "The column whose greatest value is compared with now.",
    ),
    key(
        "source_field",
        Holds::Text,
        "The column that says when the source made the row.",
    ),
    key(
        "source_threshold",
        Holds::Duration,
        "How old the newest value of `source_field` may be. Both must hold.",
    ),
    key(
        "deadline",
        Holds::TimeOfDay,
        "The time of day by which the day's data is owed, such as 07:30.",
    ),
    key(
        "weekdays",
        Holds::Weekdays,
        "The days that count, such as Mon-Fri or [Mon, Wed]: only their time makes data older, \
         and only on them a deadline is owed. Not together with `calendar`.",
    ),
    key(
        "calendar",
        Holds::Calendar,
        "The days that count, such as `business days DE`; with a deadline alone also \
         `monthly day 1`. Not together with `weekdays`.",
    ),
    key(
        "timezone",
        Holds::Zone,
        "The zone in which days and the deadline are meant, such as Europe/Berlin; if absent the \
         `timezone` beside `dataset`, and UTC if that is absent too.",
    ),
    DESCRIPTION,
    OWNER,
    SEVERITY,
];

const AVAILABILITY: &[Key] = &[
    key(
        "threshold",
        Holds::Percent,
        "Least share of rows in which `field` is filled, percent from 0 to 100.",
    ),
    key("field", Holds::Text, "The column that must be filled."),
    DESCRIPTION,
    OWNER,
    SEVERITY,
];

const ROW_COUNT: &[Key] = &[
    key("min_rows", Holds::Count, "Fewest rows of a run."),
    key("max_rows", Holds::Count, "Most rows of a run."),
    key(
        "check_field",
        Holds::OneOf(&["counts_source", "counts_good", "counts_total"]),
        "Which count of a run is looked at; counts_source if nothing is said.",
    ),
    key(
        "skip_reprocess_days",
        Holds::Count,
        "A run that makes a span of more days than this anew is not judged.",
    ),
    key("warn_only", Holds::Flag, "A breach is only shown."),
    Key {
        name: "anomaly",
        holds: Holds::Section {
            keys: ANOMALY,
            alone: Some("enabled"),
        },
        doc: "Are the rows as many as usual?",
    },
    DESCRIPTION,
    OWNER,
    SEVERITY,
];

const ANOMALY: &[Key] = &[
    key(
        "enabled",
        Holds::Flag,
        "Whether it is looked at; true if the section is there.",
    ),
    key(
        "method",
        Holds::OneOf(&["median", "rolling_average", "seasonal_median"]),
        "How the usual number comes about: the median or the mean of the last runs, or the median \
         of the same weekday (if nothing is said).",
    ),
    key(
        "lookback_runs",
        Holds::CountFromOne,
        "Runs that median and rolling_average look back; 14 if nothing is said.",
    ),
    key(
        "lookback_days",
        Holds::CountFromOne,
        "Days that seasonal_median looks back; 35 if nothing is said.",
    ),
    key(
        "min_ratio",
        Holds::Factor,
        "Least share of the usual number; 0.5 if nothing is said.",
    ),
    key(
        "max_ratio",
        Holds::Factor,
        "Greatest multiple of the usual number; 2 if nothing is said.",
    ),
    key(
        "critical_ratio",
        Holds::Factor,
        "A drop below this share is critical; a drop to no rows always is.",
    ),
    key(
        "min_runs_before_enforcement",
        Holds::Count,
        "Fewer runs before give no verdict; 5 if nothing is said.",
    ),
    DESCRIPTION,
    OWNER,
    SEVERITY,
];

const QUALITY: &[Key] = &[
    key(
        "min_good_ratio",
        Holds::Share,
        "Least share of good rows, from 0 to 1.",
    ),
    key(
        "max_quarantine_ratio",
        Holds::Share,
        "Greatest share of rows set aside, from 0 to 1.",
    ),
    DESCRIPTION,
    OWNER,
    SEVERITY,
];

/// The keys of `service_levels`.
pub const SERVICE_LEVELS: &[Key] = &[
    Key {
        name: "freshness",
        holds: Holds::Section {
            keys: FRESHNESS,
            alone: Some("threshold"),
        },
        doc: "How old the data may be, and by when it is owed.",
    },
    Key {
        name: "availability",
        holds: Holds::Section {
            keys: AVAILABILITY,
            alone: Some("threshold"),
        },
        doc: "How much of a column must be filled.",
    },
    section("row_count", ROW_COUNT, "How many rows a run must bring."),
    section("quality", QUALITY, "How many of the rows must be good."),
    SCHEDULE,
    DESCRIPTION,
    OWNER,
    SEVERITY,
];

const PROMISES: Key = section("service_levels", SERVICE_LEVELS, "What is promised.");
const CONNECTION: Key = key(
    "connection",
    Holds::Text,
    "The connection of freshness.yaml that leads to the table.",
);
const PARTITION_FILTER: Key = key(
    "partition_filter",
    Holds::Text,
    "A condition in the database's SQL: only rows that meet it are looked at.",
);
const TIMEZONE: Key = key(
    "timezone",
    Holds::Zone,
    "The zone in which times without one, and dates, are meant, which tell nothing without it; \
     and in which days and the deadline of freshness are, where that names no other.",
);
const ENVIRONMENT: Key = key(
    "environment",
    Holds::Text,
    "Where it runs; runs elsewhere are never judged by it. prod if absent.",
);

/// The keys of `_domain.yaml` and `_system.yaml`.
pub const LEVEL: &[Key] = &[
    CONNECTION,
    PARTITION_FILTER,
    TIMEZONE,
    ENVIRONMENT,
    DESCRIPTION,
    OWNER,
    SEVERITY,
    PROMISES,
    SCHEDULE,
];

/// The keys of a contract.
pub const CONTRACT: &[Key] = &[
    key("dataset", Holds::Text, "The dataset, as arrivals name it."),
    key(
        "table",
        Holds::Text,
        "The table or file, as the database names it; the dataset's name if absent.",
    ),
    CONNECTION,
    PARTITION_FILTER,
    TIMEZONE,
    ENVIRONMENT,
    DESCRIPTION,
    OWNER,
    SEVERITY,
    PROMISES,
    SCHEDULE,
];
