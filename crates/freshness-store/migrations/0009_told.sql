-- What other tools tell, and who told it. Never edited.

CREATE TABLE sources (
    no          INTEGER PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    -- The newest telling of all there is, UTC seconds as all instants below;
    -- NULL: only parts were told. What was told before it only is gone.
    whole_as_of INTEGER
) STRICT;

-- Of each thing the newest telling, so that the order of tellings never shows.
CREATE TABLE told_datasets (
    dataset_no INTEGER NOT NULL REFERENCES datasets (no),
    source_no  INTEGER NOT NULL REFERENCES sources (no),
    as_of      INTEGER NOT NULL,
    told       TEXT NOT NULL,       -- JSON
    PRIMARY KEY (dataset_no, source_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE told_edges (
    upstream   INTEGER NOT NULL REFERENCES datasets (no),
    downstream INTEGER NOT NULL REFERENCES datasets (no),
    source_no  INTEGER NOT NULL REFERENCES sources (no),
    as_of      INTEGER NOT NULL,
    is_firm    INTEGER NOT NULL,    -- 0: told in passing, so it may go in a circle
    PRIMARY KEY (upstream, downstream, source_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE told_dashboards (
    id        TEXT NOT NULL,
    source_no INTEGER NOT NULL REFERENCES sources (no),
    as_of     INTEGER NOT NULL,
    told      TEXT NOT NULL,        -- JSON
    PRIMARY KEY (id, source_no)
) STRICT, WITHOUT ROWID;

-- How told edges that go in a circle are straightened: edges in it that count
-- for nothing, and those from before it to everything in it.
CREATE TABLE circle_edges (
    upstream   INTEGER NOT NULL REFERENCES datasets (no),
    downstream INTEGER NOT NULL REFERENCES datasets (no),
    is_added   INTEGER NOT NULL,
    PRIMARY KEY (upstream, downstream)
) STRICT, WITHOUT ROWID;

-- What the newest tellings name.
CREATE VIEW edges_told (upstream, downstream, is_firm) AS
    SELECT upstream, downstream, is_firm
    FROM told_edges t JOIN sources s ON s.no = t.source_no
    WHERE t.as_of >= coalesce(s.whole_as_of, t.as_of);

-- The lineage that counts.
CREATE VIEW edges (upstream, downstream) AS
    SELECT upstream, downstream FROM lineage
    UNION SELECT upstream, downstream FROM edges_told
    EXCEPT SELECT upstream, downstream FROM circle_edges WHERE is_added = 0
    UNION SELECT upstream, downstream FROM circle_edges WHERE is_added = 1;

CREATE VIEW dashboards_told (id, source, told) AS
    SELECT id, name, told
    FROM told_dashboards t JOIN sources s ON s.no = t.source_no
    WHERE t.as_of >= coalesce(s.whole_as_of, t.as_of);

CREATE VIEW datasets_told (dataset_no, source, told) AS
    SELECT dataset_no, name, told
    FROM told_datasets t JOIN sources s ON s.no = t.source_no
    WHERE t.as_of >= coalesce(s.whole_as_of, t.as_of);

-- Datasets that some source named when it told all there is, and none does any
-- more, nor the user.
CREATE VIEW gone (dataset_no) AS
    SELECT dataset_no FROM told_datasets t JOIN sources s ON s.no = t.source_no
    WHERE s.whole_as_of IS NOT NULL
    GROUP BY dataset_no HAVING max(t.as_of >= s.whole_as_of) = 0
    EXCEPT SELECT no FROM datasets WHERE declared IS NOT NULL;

-- How far each configured source was collected, and how it went.
CREATE TABLE collections (
    name         TEXT PRIMARY KEY,
    cursor       TEXT,              -- NULL: from the beginning
    tried_at     INTEGER NOT NULL,
    succeeded_at INTEGER,           -- NULL: never
    error        TEXT,              -- of the last try; NULL: it succeeded
    n_arrivals   INTEGER NOT NULL   -- new ones, of the last success
) STRICT, WITHOUT ROWID;
