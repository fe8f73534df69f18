-- What tools told of runs that may be told further, so that the order in which the
-- parts are imported never shows. Bounded: what is least likely to be told further is
-- forgotten first. Never edited.

CREATE TABLE told_runs (
    tool     TEXT NOT NULL,
    run_id   TEXT NOT NULL,
    is_whole INTEGER NOT NULL,      -- 1: both how it began and how it ended are told
    told_in  INTEGER NOT NULL,      -- the generation of the store that it was told in last
    bytes    INTEGER NOT NULL,
    told     TEXT NOT NULL,         -- in the tool's own words
    PRIMARY KEY (tool, run_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX told_runs_by_worth ON told_runs (is_whole, told_in DESC, tool, run_id, bytes);
