-- What a source itself calls a dataset, where two of its kind may call different
-- things alike; NULL: it does not say, or not yet. Never edited.

ALTER TABLE told_datasets ADD COLUMN called TEXT;
