-- Whoever publishes runs this after the data is there, in the same transaction
-- where that is possible. It inserts one row if the release is accepted, and
-- none otherwise: look at how many rows were inserted, and ask the statement
-- below why. The parameters, in this order:
{%- for (name, _) in PARAMETERS %}
--   {{ name }}
{%- endfor %}
-- source_position, row_count, regression_reason (why coverage may go back) and
-- expect_seq (refuse unless this is the next sequence) may be null.
{%- if d.keeps_keys() %}
-- Of two writers at once the second fails at the primary key: it tries again.
{%- else %}
-- This database does not enforce keys: let one writer at a time publish a scope.
-- If two do all the same, the check says invalid_publication of the scope.
{%- endif %}
{%- if pinned %}
-- The clock is pinned: for a trial, not for a writer.
{%- endif %}
INSERT INTO {{ ledger }} (
  source, scope, publication_seq, run_id, source_complete_through, source_position,
  published_at, row_count, regression_reason
)
SELECT
  source, scope, publication_seq, run_id, source_complete_through, source_position,
  published_at, row_count, regression_reason
FROM (
{% include "warehouse/ruling.sql" %}
) ruled
WHERE ruling = 'accepted'{{ d.ending() }};

-- What the ledger would say to the same parameters: accepted; repeated, if the
-- run is in the ledger; or why not.
SELECT ruling, publication_seq
FROM (
{% include "warehouse/ruling.sql" %}
) ruled{{ d.ending() }};
