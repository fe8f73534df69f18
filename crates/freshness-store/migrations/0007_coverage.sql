-- What must be covered, and the evidence that it is. Never edited.

-- Each source and scope that a contract, an inventory or a ledger has named.
CREATE TABLE scopes (
    no     INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    scope  TEXT NOT NULL,
    UNIQUE (source, scope)
) STRICT;

-- As they were written. Files are refused unless every contract means
-- something; tables that were pulled from elsewhere may hold several of a
-- scope, or values that mean nothing.
CREATE TABLE contracts (
    no                          INTEGER PRIMARY KEY,
    scope_no                    INTEGER NOT NULL REFERENCES scopes (no),
    max_source_lag_minutes      INTEGER,
    max_publication_gap_minutes INTEGER,
    dataset                     TEXT,
    calendar                    TEXT,
    timezone                    TEXT,
    skew_tolerance_minutes      INTEGER,
    owner                       TEXT
) STRICT;
CREATE INDEX contracts_by_scope ON contracts (scope_no);

CREATE TABLE inventory (
    scope_no INTEGER PRIMARY KEY REFERENCES scopes (no)
) STRICT;

-- Accepted releases; only ever added to. Sequences are 1, 2, 3, … of each scope.
CREATE TABLE ledger (
    scope_no         INTEGER NOT NULL REFERENCES scopes (no),
    seq              INTEGER NOT NULL,
    run_crc          INTEGER NOT NULL,     -- CRC-32 of run_id
    run_id           TEXT NOT NULL,
    complete_through INTEGER NOT NULL,     -- UTC seconds, as all instants below
    published_at     INTEGER NOT NULL,
    rows             INTEGER,
    more             TEXT,                 -- JSON: position, claim, …; NULL: nothing
    PRIMARY KEY (scope_no, seq)
) STRICT, WITHOUT ROWID;
-- Finds a run again, in a third of the room that its name would take.
CREATE INDEX ledger_by_run ON ledger (scope_no, run_crc);

-- The newest release of each scope, so that a check reads no ledger.
CREATE TABLE heads (
    scope_no         INTEGER PRIMARY KEY REFERENCES scopes (no),
    seq              INTEGER,
    n_of_seq         INTEGER NOT NULL,
    run_id           TEXT,
    complete_through INTEGER,
    published_at     INTEGER,
    reached_at       INTEGER,              -- when coverage first came so far
    furthest         INTEGER,              -- how far it ever was
    rows             INTEGER
) STRICT;

-- Runs that publish in two steps.
CREATE TABLE begun_runs (
    scope_no INTEGER NOT NULL REFERENCES scopes (no),
    run_id   TEXT NOT NULL,
    begun_at INTEGER NOT NULL,
    plan     TEXT NOT NULL,                -- JSON: what it said it would publish
    ended_at INTEGER,                      -- NULL: it is open
    aborted  TEXT,                         -- why; NULL: it is open or published
    PRIMARY KEY (scope_no, run_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX begun_runs_open ON begun_runs (begun_at) WHERE ended_at IS NULL;

-- Every attempt, also those that were refused; only ever added to.
CREATE TABLE attempts (
    no       INTEGER PRIMARY KEY,
    at       INTEGER NOT NULL,
    scope_no INTEGER REFERENCES scopes (no), -- NULL: no such scope
    named    TEXT,                         -- JSON: source and scope, where there is none
    run_id   TEXT,                         -- NULL: that of the release
    outcome  TEXT NOT NULL,
    reason   TEXT,
    detail   TEXT,
    seq      INTEGER
) STRICT;
CREATE INDEX attempts_refused ON attempts (no) WHERE outcome = 'refused';

CREATE TABLE coverage_checks (
    no          INTEGER PRIMARY KEY,
    now         INTEGER NOT NULL,          -- the instant that was judged
    at          INTEGER NOT NULL,          -- when the check ran
    n_contracts INTEGER NOT NULL,
    n_unhealthy INTEGER NOT NULL,
    n_gaps      INTEGER NOT NULL           -- scopes in only one of inventory and contracts
) STRICT;
CREATE INDEX coverage_checks_by_now ON coverage_checks (now);
