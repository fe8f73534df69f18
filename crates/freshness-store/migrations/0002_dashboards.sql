-- Reports, and which of their parts are fed by which datasets.
CREATE TABLE dashboards (
    no    INTEGER PRIMARY KEY,
    id    TEXT NOT NULL UNIQUE,
    title TEXT,
    owner TEXT,
    url   TEXT
) STRICT;

CREATE TABLE dashboard_feeds (
    dashboard_no INTEGER NOT NULL REFERENCES dashboards (no),
    part         TEXT NOT NULL,
    dataset_no   INTEGER NOT NULL REFERENCES datasets (no),
    PRIMARY KEY (dashboard_no, part, dataset_no)
) STRICT, WITHOUT ROWID;
