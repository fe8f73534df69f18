-- What is promised of datasets, by environment, as a folder of files declares it.
CREATE TABLE declarations (
    dataset_no  INTEGER NOT NULL REFERENCES datasets (no),
    environment TEXT NOT NULL,
    folder      TEXT NOT NULL,        -- the folder or file that was imported
    told        TEXT NOT NULL,        -- JSON: what it means
    origins     TEXT NOT NULL,        -- JSON: every value, with its file and line
    PRIMARY KEY (dataset_no, environment)
) STRICT, WITHOUT ROWID;
CREATE INDEX declarations_by_folder ON declarations (folder);
