-- Which scopes are not covered as their contract asks? One row for each contract
{%- if only_unhealthy %} that is not
-- healthy: an assertion that passes when there are no rows.
{%- else %}, also for
-- what was never published.
{%- endif %}
-- The status is the first condition that fails, in the order of the CASE.
{%- if let Some(at) = pinned %}
-- Judged as of {{ at }}.
{%- else %}
-- Judged as of now; to judge another instant, write its seconds since 1970 for now_s.
{%- endif %}
-- A contract's calendar and timezone are not read here: all time counts, so a
-- scope may be called stale on a day on which its limits stand still, never the
-- other way round. `freshness coverage check` knows them.
-- No semicolon ends it, so that it can be the body of an assertion.
WITH freshness_clock AS (
  SELECT {{ now }} AS now_s
),
freshness_contracts AS (
  SELECT
    source, scope, dataset, owner, calendar, timezone,
    max_source_lag_minutes AS lag_minutes,
    max_publication_gap_minutes AS gap_minutes,
    COALESCE(skew_tolerance_minutes, 0) AS skew_minutes,
    COUNT(*) OVER (PARTITION BY source, scope) AS n_alike
  FROM {{ contracts }}
),
-- The place of a release that has no sequence cannot be known, so it counts as
-- the newest.
freshness_releases AS (
  SELECT
    source, scope, publication_seq, run_id, source_complete_through, published_at, row_count,
    {{ d.epoch("source_complete_through") }} AS through_s,
    {{ d.epoch("published_at") }} AS published_s,
    COUNT(*) OVER (PARTITION BY source, scope, publication_seq) AS n_of_seq,
    ROW_NUMBER() OVER (
      PARTITION BY source, scope
      ORDER BY CASE WHEN publication_seq IS NULL THEN 0 ELSE 1 END, publication_seq DESC, run_id
    ) AS place
  FROM {{ ledger }}
),
freshness_newest AS (
  SELECT
    source, scope, publication_seq, run_id, source_complete_through, published_at, row_count,
    through_s, published_s, n_of_seq, 1 AS is_there
  FROM freshness_releases
  WHERE place = 1
),
-- When coverage first came as far as it is now: publishing the same data again
-- does not count.
freshness_reached AS (
  SELECT n.source, n.scope, MIN(r.published_s) AS reached_s
  FROM freshness_newest n
  INNER JOIN freshness_releases r ON r.source = n.source AND r.scope = n.scope
  WHERE r.through_s >= n.through_s AND r.through_s <= r.published_s
  GROUP BY n.source, n.scope
),
freshness_measured AS (
  SELECT
    c.source, c.scope, c.dataset, c.owner, c.calendar, c.timezone,
    c.lag_minutes, c.gap_minutes, c.skew_minutes, c.n_alike,
    n.publication_seq, n.run_id, n.source_complete_through, n.published_at, n.row_count,
    n.through_s, n.published_s, n.n_of_seq, n.is_there, k.now_s,
    k.now_s - n.through_s AS source_lag_seconds,
    k.now_s - CASE WHEN h.reached_s < n.published_s THEN h.reached_s ELSE n.published_s END
      AS publication_gap_seconds
  FROM freshness_contracts c
  CROSS JOIN freshness_clock k
  LEFT JOIN freshness_newest n ON n.source = c.source AND n.scope = c.scope
  LEFT JOIN freshness_reached h ON h.source = c.source AND h.scope = c.scope
),
freshness_judged AS (
  SELECT
    source, scope,
    CASE
      WHEN n_alike > 1
        OR source IS NULL OR {{ d.is_no_name("source", NAME_BYTES) }}
        OR scope IS NULL OR {{ d.is_no_name("scope", NAME_BYTES) }}
        OR {{ d.is_no_name("dataset", DATASET_BYTES) }}
        OR {{ d.is_blank("calendar") }} OR {{ d.is_blank("timezone") }}
        OR lag_minutes IS NULL OR lag_minutes < 1 OR lag_minutes > {{ MINUTES_MAX }}
        OR gap_minutes IS NULL OR gap_minutes < 1 OR gap_minutes > {{ MINUTES_MAX }}
        OR skew_minutes < 0 OR skew_minutes > {{ MINUTES_MAX }}
        THEN 'invalid_contract'
      WHEN COALESCE(is_there, 0) = 0 THEN 'missing_publication'
      WHEN publication_seq IS NULL OR publication_seq < 1 OR n_of_seq > 1
        OR run_id IS NULL OR {{ d.is_blank("run_id") }}
        OR through_s IS NULL OR published_s IS NULL OR row_count < 0
        THEN 'invalid_publication'
      WHEN through_s > published_s OR published_s > now_s + 60 * skew_minutes
        THEN 'invalid_clock_order'
      WHEN source_lag_seconds > 60 * lag_minutes THEN 'source_stale'
      WHEN publication_gap_seconds > 60 * gap_minutes THEN 'publication_gap'
      ELSE 'healthy'
    END AS status,
    dataset, owner, publication_seq, run_id, source_complete_through, published_at,
    source_lag_seconds, publication_gap_seconds
  FROM freshness_measured
)
SELECT
  source, scope, status, dataset, owner, publication_seq, run_id, source_complete_through,
  published_at, source_lag_seconds, publication_gap_seconds
FROM freshness_judged
{%- if only_unhealthy %}
WHERE status <> 'healthy'
{%- endif %}
UNION ALL
-- Without any contract nothing is healthy: one row says so.
SELECT
  {{ d.null(TEXT) }}, {{ d.null(TEXT) }}, 'invalid_contract', {{ d.null(TEXT) }},
  {{ d.null(TEXT) }}, {{ d.null(INTEGER) }}, {{ d.null(TEXT) }}, {{ d.null(TIME) }},
  {{ d.null(TIME) }}, {{ d.null(INTEGER) }}, {{ d.null(INTEGER) }}
FROM (SELECT COUNT(*) AS n_contracts FROM {{ contracts }}) counted
WHERE n_contracts = 0{{ d.ending() }}
