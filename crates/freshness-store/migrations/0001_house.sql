-- The first form of the store. Never edited: a change is a new file.

-- Counts writing transactions, so that several readers can prove that they
-- look at the same instant.
CREATE TABLE generation (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    n        INTEGER NOT NULL
) STRICT;
INSERT INTO generation VALUES (1, 0);

CREATE TABLE datasets (
    no       INTEGER PRIMARY KEY,
    id       TEXT NOT NULL UNIQUE,
    declared TEXT                     -- JSON; NULL: nothing was declared
) STRICT;

CREATE TABLE lineage (
    upstream   INTEGER NOT NULL REFERENCES datasets (no),
    downstream INTEGER NOT NULL REFERENCES datasets (no),
    PRIMARY KEY (upstream, downstream)
) STRICT, WITHOUT ROWID;

-- Packed arrivals (src/chunk.rs). key = dataset number << 34 | first second,
-- so that the history of a dataset is one range of the table.
CREATE TABLE chunks (
    key    INTEGER PRIMARY KEY,
    n      INTEGER NOT NULL,
    packed BLOB NOT NULL
) STRICT;

CREATE TABLE imports (
    no     INTEGER PRIMARY KEY,
    name   TEXT NOT NULL,
    hash   TEXT NOT NULL,
    n_rows INTEGER NOT NULL,
    n_new  INTEGER NOT NULL,
    at     INTEGER NOT NULL           -- UTC seconds, as all instants below
) STRICT;
CREATE INDEX imports_by_hash ON imports (hash);

CREATE TABLE fit_runs (
    no            INTEGER PRIMARY KEY,
    started       INTEGER NOT NULL,
    finished      INTEGER NOT NULL,
    as_of         INTEGER NOT NULL,
    n_learned     INTEGER NOT NULL,
    n_provisional INTEGER NOT NULL,
    n_irregular   INTEGER NOT NULL,
    n_cold_start  INTEGER NOT NULL,
    n_failed      INTEGER NOT NULL
) STRICT;

CREATE TABLE models (
    dataset_no INTEGER PRIMARY KEY REFERENCES datasets (no),
    fit_run    INTEGER NOT NULL REFERENCES fit_runs (no),
    version    INTEGER NOT NULL,
    as_of      INTEGER NOT NULL,
    status     TEXT NOT NULL,
    model      TEXT NOT NULL          -- JSON
) STRICT;

CREATE TABLE checks (
    no         INTEGER PRIMARY KEY,
    now        INTEGER NOT NULL,      -- the instant that was judged
    at         INTEGER NOT NULL,      -- when the check ran
    n_datasets INTEGER NOT NULL,
    n_late     INTEGER NOT NULL,
    n_critical INTEGER NOT NULL
) STRICT;
CREATE INDEX checks_by_now ON checks (now);

-- What is true now; `since` is the first check in a row that said so.
CREATE TABLE states (
    dataset_no INTEGER PRIMARY KEY REFERENCES datasets (no),
    state      TEXT NOT NULL,
    severity   TEXT,
    since      INTEGER NOT NULL
) STRICT;
