  SELECT
    r.source, r.scope, COALESCE(l.last_seq, 0) + 1 AS publication_seq, r.run_id,
    r.source_complete_through, r.source_position, r.published_at, r.row_count,
    r.regression_reason,
    CASE
      WHEN r.source IS NULL OR r.scope IS NULL OR r.run_id IS NULL OR {{ d.is_blank("r.run_id") }}
        OR r.through_s IS NULL OR r.published_s IS NULL
        OR {{ d.is_blank("r.regression_reason") }} THEN 'missing_field'
      WHEN r.through_s < {{ EARLIEST }} OR r.published_s < {{ EARLIEST }}
        OR r.row_count < 0 THEN 'invalid_field'
      WHEN c.skew_minutes IS NULL THEN 'unknown_scope'
      WHEN s.through_s = r.through_s
        AND (s.row_count = r.row_count OR s.row_count IS NULL AND r.row_count IS NULL)
        AND (s.source_position = r.source_position OR s.source_position IS NULL AND r.source_position IS NULL)
        THEN 'repeated'
      WHEN s.n_of_run > 0 THEN 'run_reused'
      WHEN r.through_s > r.published_s THEN 'clock_order'
      WHEN r.published_s > r.now_s + 60 * c.skew_minutes THEN 'future'
      WHEN r.expect_seq <= COALESCE(l.last_seq, 0) THEN 'reused_sequence'
      WHEN r.expect_seq > COALESCE(l.last_seq, 0) + 1 THEN 'skipped_sequence'
      WHEN h.covered_s > r.through_s AND r.regression_reason IS NULL THEN 'regression'
      ELSE 'accepted'
    END AS ruling
  FROM (
    SELECT
      p.*,
      {{ d.epoch("p.source_complete_through") }} AS through_s,
      {{ d.epoch("p.published_at") }} AS published_s,
      {{ now }} AS now_s
    FROM (
      SELECT
{%- for (i, (name, kind)) in PARAMETERS.iter().enumerate() %}
        {{ d.parameter(i + 1, name, kind) }} AS {{ name }}{% if !loop.last %},{% endif %}
{%- endfor %}
    ) p
  ) r
  LEFT JOIN (
    -- Of several contracts of a scope, the strictest.
    SELECT source, scope, MIN(CASE WHEN skew_tolerance_minutes > 0 THEN skew_tolerance_minutes ELSE 0 END) AS skew_minutes
    FROM {{ contracts }}
    GROUP BY source, scope
  ) c ON c.source = r.source AND c.scope = r.scope
  LEFT JOIN (
    SELECT source, scope, MAX(publication_seq) AS last_seq
    FROM {{ ledger }}
    GROUP BY source, scope
  ) l ON l.source = r.source AND l.scope = r.scope
  LEFT JOIN (
    SELECT source, scope, publication_seq, MAX({{ d.epoch("source_complete_through") }}) AS covered_s
    FROM {{ ledger }}
    GROUP BY source, scope, publication_seq
  ) h ON h.source = l.source AND h.scope = l.scope AND h.publication_seq = l.last_seq
  LEFT JOIN (
    SELECT
      source, scope, run_id, COUNT(*) AS n_of_run,
      MIN({{ d.epoch("source_complete_through") }}) AS through_s,
      MIN(row_count) AS row_count, MIN(source_position) AS source_position
    FROM {{ ledger }}
    GROUP BY source, scope, run_id
  ) s ON s.source = r.source AND s.scope = r.scope AND s.run_id = r.run_id
