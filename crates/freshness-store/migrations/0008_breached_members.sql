-- The promises that a dataset below a root does not keep; NULL: none. Never edited.
ALTER TABLE incident_members ADD COLUMN breaches TEXT; -- JSON
