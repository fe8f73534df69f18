//! Which queries are ready for which warehouse, and what can they not see?
//!
//! Each tells when tables were loaded, all of them by one query, in the columns
//! of `import query`. What a warehouse says of its tables is never all there is,
//! so each says what is missing. The text is in `templates/recipes/`.

use serde::Serialize;

/// A query that is ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Recipe {
    /// What it is called.
    pub name: &'static str,
    /// Where it runs.
    pub warehouse: &'static str,
    /// What it goes by.
    pub goes_by: &'static str,
    /// What it cannot see.
    pub cannot_see: &'static [&'static str],
    /// What must be changed in it, or be set where it runs.
    pub to_do: &'static [&'static str],
    /// The query.
    pub sql: &'static str,
}

/// The login that reads a warehouse's own account of itself.
const SNOWFLAKE_GRANT: &str =
    "grant the login the database role SNOWFLAKE.USAGE_VIEWER, or imported privileges on SNOWFLAKE";

const NAME_TABLES: &str = "write a part for each table, with its own column";

/// All of them, by warehouse.
pub const RECIPES: [Recipe; 11] = [
    Recipe {
        name: "snowflake_copy_history",
        warehouse: "Snowflake",
        goes_by: "ACCOUNT_USAGE.COPY_HISTORY: files that COPY INTO and Snowpipe loaded",
        cannot_see: &[
            "what INSERT, MERGE, CREATE TABLE AS and streams wrote: see snowflake_dml_history",
            "the last two hours, by which the view may be behind",
            "more than the last 365 days",
        ],
        to_do: &[SNOWFLAKE_GRANT],
        sql: include_str!("../../templates/recipes/snowflake_copy_history.sql"),
    },
    Recipe {
        name: "snowflake_dml_history",
        warehouse: "Snowflake",
        goes_by: "ACCOUNT_USAGE.TABLE_DML_HISTORY: rows that were added, and not LAST_ALTERED, which moves on DDL and maintenance",
        cannot_see: &[
            "the minute: rows are told by the hour, and an hour counts when it is over",
            "the last six hours, by which the view may be behind",
            "a load that only updates rows, or replaces the table by another",
            "views, external tables and dynamic tables",
        ],
        to_do: &[SNOWFLAKE_GRANT],
        sql: include_str!("../../templates/recipes/snowflake_dml_history.sql"),
    },
    Recipe {
        name: "bigquery_partitions",
        warehouse: "BigQuery",
        goes_by: "INFORMATION_SCHEMA.PARTITIONS: the last change of each partition, and the day it is for",
        cannot_see: &[
            "earlier changes: of each partition only the last is kept, so collect it often",
            "what changed: a DELETE or an UPDATE moves the time as a load does",
            "rows that are still in the streaming buffer",
            "cycles of partitions that are not days",
            "other datasets than the one it names",
        ],
        to_do: &[
            "put your dataset in place of my_dataset; join one such query for each dataset with UNION ALL",
        ],
        sql: include_str!("../../templates/recipes/bigquery_partitions.sql"),
    },
    Recipe {
        name: "bigquery_jobs",
        warehouse: "BigQuery",
        goes_by: "INFORMATION_SCHEMA.JOBS_BY_PROJECT: jobs that ended well and wrote a table",
        cannot_see: &[
            "what is streamed in, by the storage write API or by Pub/Sub",
            "jobs of other projects that write into this one",
            "rows of load jobs and of CREATE TABLE AS",
            "more than the last 180 days",
        ],
        to_do: &[
            "put your region in place of region-us",
            "the login needs bigquery.jobs.listAll",
        ],
        sql: include_str!("../../templates/recipes/bigquery_jobs.sql"),
    },
    Recipe {
        name: "databricks_lineage",
        warehouse: "Databricks",
        goes_by: "system.access.table_lineage: writes that Unity Catalog saw, by the run that made them",
        cannot_see: &[
            "how many rows came, and whether any did",
            "writes to a path instead of a table, and writes from outside of Databricks",
            "the last minutes to hours, by which system tables may be behind",
            "more than the last 365 days",
        ],
        to_do: &[
            "an account administrator enables the schema system.access, and grants it to the login",
        ],
        sql: include_str!("../../templates/recipes/databricks_lineage.sql"),
    },
    Recipe {
        name: "redshift_sys_loads",
        warehouse: "Redshift",
        goes_by: "SYS_LOAD_HISTORY: what COPY loaded, also on Serverless",
        cannot_see: &[
            "what INSERT and CREATE TABLE AS wrote: see redshift_stl_inserts",
            "the schema of the table: two tables of one name are one",
            "more than the last seven days",
        ],
        to_do: &["a login without SYSLOG ACCESS UNRESTRICTED sees its own loads only"],
        sql: include_str!("../../templates/recipes/redshift_sys_loads.sql"),
    },
    Recipe {
        name: "redshift_stl_inserts",
        warehouse: "Redshift",
        goes_by: "STL_INSERT: rows that COPY, INSERT and CREATE TABLE AS wrote on a provisioned cluster",
        cannot_see: &[
            "Serverless, and what concurrency scaling ran",
            "whether the transaction was committed",
            "tables that are empty now, which SVV_TABLE_INFO leaves out",
            "more than the last seven days",
        ],
        to_do: &["a login without SYSLOG ACCESS UNRESTRICTED sees its own loads only"],
        sql: include_str!("../../templates/recipes/redshift_stl_inserts.sql"),
    },
    Recipe {
        name: "postgres_column",
        warehouse: "PostgreSQL",
        goes_by: "a column that says when a row was loaded, by the minute",
        cannot_see: &[
            "loads whose rows were deleted or replaced since",
            "loads that set no time, or the time of the source instead of their own",
        ],
        to_do: &[NAME_TABLES, "an index on the column keeps it cheap"],
        sql: include_str!("../../templates/recipes/postgres_column.sql"),
    },
    Recipe {
        name: "postgres_commits",
        warehouse: "PostgreSQL",
        goes_by: "when the rows that are there were committed, without a column of their own",
        cannot_see: &[
            "loads whose rows were deleted or updated since",
            "rows that were written before the setting was on, or that were frozen long ago",
            "the difference between an insert and an update",
        ],
        to_do: &[
            "track_commit_timestamp must be on, which needs a restart",
            NAME_TABLES,
            "it reads each table whole: not for large ones",
        ],
        sql: include_str!("../../templates/recipes/postgres_commits.sql"),
    },
    Recipe {
        name: "duckdb_column",
        warehouse: "DuckDB",
        goes_by: "a column that says when a row was loaded, by the minute",
        cannot_see: &[
            "loads whose rows were deleted or replaced since",
            "loads that set no time, or the time of the source instead of their own",
        ],
        to_do: &[
            NAME_TABLES,
            "a column of TIMESTAMP without a zone needs `assume_zone`",
        ],
        sql: include_str!("../../templates/recipes/duckdb_column.sql"),
    },
    Recipe {
        name: "sqlite_column",
        warehouse: "SQLite",
        goes_by: "a column of seconds since 1970 that says when a row was loaded, by the minute",
        cannot_see: &[
            "loads whose rows were deleted or replaced since",
            "times that are kept as texts: select those as they are, and compare with {since}",
        ],
        to_do: &[NAME_TABLES],
        sql: include_str!("../../templates/recipes/sqlite_column.sql"),
    },
];

impl Recipe {
    /// The query, with what is to be known of it on top.
    pub fn page(&self) -> String {
        let mut page = format!("-- {}: {}.\n", self.warehouse, self.goes_by);
        for (title, lines) in [("Cannot see", self.cannot_see), ("To do", self.to_do)] {
            for line in lines {
                page.push_str(&format!("-- {title}: {line}.\n"));
            }
        }
        page.push_str(self.sql);
        page
    }
}
