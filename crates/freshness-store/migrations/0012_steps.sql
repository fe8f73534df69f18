-- What `freshness run` did last of each step, and how it went. A step is written when it
-- has ended, so one that was cut short is done again.
CREATE TABLE steps (
    name     TEXT PRIMARY KEY,
    begun_at INTEGER NOT NULL,  -- when it was due next is counted from here
    ended_at INTEGER NOT NULL,
    answer   TEXT NOT NULL,     -- healthy, late or could_not_tell
    error    TEXT               -- why it failed; NULL: it did not
) STRICT, WITHOUT ROWID;
