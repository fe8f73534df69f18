-- What is late because of what, from check to check. Never edited.

CREATE TABLE incidents (
    id          TEXT PRIMARY KEY,
    root        INTEGER REFERENCES datasets (no), -- NULL: the feed of arrivals
    opened_at   INTEGER NOT NULL,     -- UTC seconds, as all instants below
    resolved_at INTEGER,              -- NULL: it stands
    n_late_most INTEGER NOT NULL,
    silence     INTEGER,              -- the silence that covers it
    told        TEXT NOT NULL         -- JSON: as the last check saw it, without members
) STRICT, WITHOUT ROWID;
CREATE INDEX incidents_by_end ON incidents (resolved_at);

-- The late datasets below the root, as the last check saw them.
CREATE TABLE incident_members (
    incident   TEXT NOT NULL REFERENCES incidents (id),
    dataset_no INTEGER NOT NULL REFERENCES datasets (no),
    hops       INTEGER NOT NULL,
    state      TEXT NOT NULL,
    since      INTEGER NOT NULL,
    counted    INTEGER NOT NULL,      -- 0: it is counted in another incident
    also       TEXT,                  -- JSON: other roots; NULL: none
    more       INTEGER NOT NULL,      -- 1: there are roots that are not named
    wait_from  INTEGER,               -- seconds after the root
    wait_to    INTEGER,
    PRIMARY KEY (incident, dataset_no)
) STRICT, WITHOUT ROWID;
CREATE INDEX incident_members_by_dataset ON incident_members (dataset_no);

-- What happened to them; only ever added to.
CREATE TABLE incident_events (
    no       INTEGER PRIMARY KEY,
    incident TEXT NOT NULL,
    at       INTEGER NOT NULL,
    told     TEXT NOT NULL            -- JSON
) STRICT;
CREATE INDEX incident_events_by_incident ON incident_events (incident, no);

-- Who looks after an incident that stands.
CREATE TABLE acks (
    incident TEXT PRIMARY KEY REFERENCES incidents (id),
    who      TEXT NOT NULL,
    why      TEXT NOT NULL,
    at       INTEGER NOT NULL,
    until    INTEGER                  -- NULL: until it is resolved
) STRICT, WITHOUT ROWID;

CREATE TABLE silences (
    no         INTEGER PRIMARY KEY,
    matchers   TEXT NOT NULL,         -- JSON
    who        TEXT NOT NULL,
    why        TEXT NOT NULL,
    set_at     INTEGER NOT NULL,
    until      INTEGER NOT NULL
) STRICT;

-- How long after its parent a dataset comes, in seconds; learned by a fit.
CREATE TABLE edge_lags (
    upstream      INTEGER NOT NULL REFERENCES datasets (no),
    downstream    INTEGER NOT NULL REFERENCES datasets (no),
    fit_run       INTEGER NOT NULL REFERENCES fit_runs (no),
    n             INTEGER NOT NULL,
    p10           INTEGER NOT NULL,
    p50           INTEGER NOT NULL,
    p90           INTEGER NOT NULL,
    n_held        INTEGER NOT NULL,   -- pairs in which the child had been waiting
    wait_from     INTEGER NOT NULL,   -- after a late parent
    wait_to       INTEGER NOT NULL,
    abnormal      INTEGER NOT NULL,
    parent_period INTEGER,
    PRIMARY KEY (upstream, downstream)
) STRICT, WITHOUT ROWID;
