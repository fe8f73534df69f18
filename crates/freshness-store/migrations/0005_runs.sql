-- What was measured of datasets, and how their promises were judged. Never edited.

CREATE TABLE environments (
    no   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

-- The runs of a dataset in an environment are one range, in the order of their
-- end. NULL: not said.
CREATE TABLE runs (
    dataset_no     INTEGER NOT NULL REFERENCES datasets (no),
    environment_no INTEGER NOT NULL REFERENCES environments (no),
    finished_at    INTEGER NOT NULL,  -- UTC seconds, as all instants below
    run_id         TEXT NOT NULL,
    started_at     INTEGER,
    stage          INTEGER NOT NULL,  -- 0: normal, 1: reprocess, 2: no new data
    span_from      INTEGER,           -- of a reprocess
    span_to        INTEGER,
    n_source       INTEGER,
    n_total        INTEGER,
    n_good         INTEGER,
    n_quarantined  INTEGER,
    newest         INTEGER,           -- of the freshness field
    source_newest  INTEGER,
    n_filled       INTEGER,           -- of the availability field
    n_filled_of    INTEGER,
    told           TEXT,              -- JSON: what a look found that is no number
    PRIMARY KEY (dataset_no, environment_no, finished_at, run_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX runs_by_name ON runs (dataset_no, environment_no, run_id);

-- The run log: the last run of each look at the promises, and what it was judged
-- against. A run is judged anew when what is said of it changes.
CREATE TABLE slo_results (
    dataset_no                 INTEGER NOT NULL REFERENCES datasets (no),
    environment_no             INTEGER NOT NULL REFERENCES environments (no),
    run_id                     TEXT NOT NULL, -- '': nothing ever ran
    judged_at                  INTEGER NOT NULL,
    slo_freshness_seconds      INTEGER,
    slo_freshness_pass         INTEGER,   -- 1, 0, or NULL: nobody knows, or nothing is due
    slo_row_count_min          REAL,
    slo_row_count_max          REAL,
    slo_row_count_pass         INTEGER,
    slo_row_count_anomaly_pass INTEGER,
    slo_availability_pass      INTEGER,
    slo_quality_pass           INTEGER,
    evidence                   TEXT NOT NULL, -- JSON: the verdicts
    PRIMARY KEY (dataset_no, environment_no, run_id)
) STRICT, WITHOUT ROWID;

-- What is true now; `since` is the first look in a row that said so.
CREATE TABLE slo_standing (
    dataset_no     INTEGER NOT NULL REFERENCES datasets (no),
    environment_no INTEGER NOT NULL REFERENCES environments (no),
    objective      TEXT NOT NULL,
    outcome        TEXT NOT NULL,
    severity       TEXT,
    since          INTEGER NOT NULL,
    verdict        TEXT NOT NULL,     -- JSON: as it was then
    PRIMARY KEY (dataset_no, environment_no, objective)
) STRICT, WITHOUT ROWID;
CREATE INDEX slo_standing_by_outcome ON slo_standing (outcome);

-- One row each time a verdict changes; only ever added to.
CREATE TABLE slo_events (
    no             INTEGER PRIMARY KEY,
    kind           TEXT NOT NULL,     -- slo_breach
    at             INTEGER NOT NULL,
    dataset_no     INTEGER NOT NULL,
    environment_no INTEGER NOT NULL,
    objective      TEXT NOT NULL,
    before         TEXT,              -- NULL: it was judged for the first time
    outcome        TEXT NOT NULL,
    verdict        TEXT NOT NULL      -- JSON
) STRICT;
CREATE INDEX slo_events_by_dataset ON slo_events (dataset_no, no);

CREATE TABLE slo_checks (
    no          INTEGER PRIMARY KEY,
    now         INTEGER NOT NULL,     -- the instant that was judged
    at          INTEGER NOT NULL,     -- when it was
    environment INTEGER NOT NULL REFERENCES environments (no),
    n_datasets  INTEGER NOT NULL,
    n_breached  INTEGER NOT NULL,
    n_doubtful  INTEGER NOT NULL
) STRICT;
CREATE INDEX slo_checks_by_now ON slo_checks (environment, now);
