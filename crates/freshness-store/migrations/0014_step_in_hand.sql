-- The step that `freshness run` began and has not ended, if any: it is at work, stuck, or
-- was cut short. Never edited.
CREATE TABLE step_in_hand (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    name     TEXT NOT NULL,
    begun_at INTEGER NOT NULL
) STRICT;
