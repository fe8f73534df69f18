//! How is this run to behave?
//!
//! Three places can say so: `file` and `environment` and `flags` hold what was
//! typed, `resolve` says what it means. Inner code is given the resolved
//! [`Settings`] or a part of them.

mod calendars;
mod connections;
mod cron;
mod environment;
mod faults;
mod file;
mod flags;
mod maintenance;
mod patterns;
mod pictures;
mod refused;
mod renames;
mod resolve;
mod routes;
mod rules;
mod scalars;
mod schedule;
mod schemas;
mod secret;
mod sections;
mod settings;
mod sources;
pub(crate) mod values;

pub use calendars::CalendarSection;
pub use connections::{AdbcSection, Connection, ConnectionSection, FileSection, PostgresSection};
pub use environment::{Environment, Tools, object_store_variables};
pub use faults::{config_path, faults};
pub use file::{ConfigFile, Placed};
pub use flags::GlobalFlags;
pub use maintenance::{MaintenanceRule, MaintenanceRules, MaintenanceSection};
pub use patterns::Patterns;
pub use pictures::Protocol;
pub use refused::FileFault;
pub use renames::{RenameSection, Renames};
pub use resolve::{resolve, resolve_without_file};
pub use rules::{DatasetRules, RuleSection, TeamSection};
pub use scalars::{Chosen, Origin, SCALARS, Scalar};
pub use schedule::{ScheduleSection, ScheduleSettings, Timing};
pub use sections::{CheckSection, CollectSection, CoverageSection, FitSection, SloSection};
pub use settings::{
    CheckSettings, CollectSettings, ColorChoice, CoverageSettings, Format, Settings, SloSettings,
};
pub use sources::{
    AirflowSection, ArrivalsSection, DagsterSection, DbtSection, FilesSection, LakeSection,
    OpenlineageSection, QuerySection, SourceSection,
};
pub(crate) use sources::{SINCE, TIMEOUT};
