-- How many cycles in a row a late dataset below a root is overdue: it stays in
-- its incident until a further one is. Never edited.
ALTER TABLE incident_members ADD COLUMN n_overdue INTEGER NOT NULL DEFAULT 1;
