-- How often did each dataset come later than its threshold? One row for each
-- threshold, also where nothing arrived. Thresholds are a table of
--   dataset_id          the dataset
--   weekday             1 is Monday, 7 is Sunday; null for all days
--   threshold_minutes   minutes after midnight (UTC) at which a day is late
-- and may hold your own rules, or the deadlines that `freshness explain` shows. A
-- day on which nothing came has no row among the arrivals, so it is not among
-- n_cycles: `freshness check` tells what was missed.
WITH freshness_arrivals AS (
  SELECT dataset_id, {{ d.epoch("arrived_at") }} AS arrived_s
  FROM {{ arrivals }}
),
freshness_days AS (
  SELECT
    dataset_id, arrived_s,
    arrived_s - {{ d.rest("arrived_s", DAY) }} AS day_s
  FROM freshness_arrivals
  WHERE arrived_s >= 0
),
freshness_cycles AS (
  SELECT
    dataset_id, MIN(arrived_s) - day_s AS delay_s,
    CAST({{ d.rest("day_s + 259200", WEEK) }} / 86400 AS {{ d.type_of(INTEGER) }}) + 1 AS weekday
  FROM freshness_days
  GROUP BY dataset_id, day_s
),
freshness_compared AS (
  SELECT
    t.dataset_id, t.weekday, t.threshold_minutes,
    CASE WHEN t.weekday IS NULL OR t.weekday = c.weekday THEN c.delay_s END AS delay_s
  FROM {{ thresholds }} t
  LEFT JOIN freshness_cycles c ON c.dataset_id = t.dataset_id
)
SELECT
  dataset_id, weekday, threshold_minutes,
  COUNT(delay_s) AS n_cycles,
  SUM(CASE WHEN delay_s > 60 * threshold_minutes THEN 1 ELSE 0 END) AS n_late,
  -- Nothing arrived: no rate, rather than one of 0.
  SUM(CASE WHEN delay_s > 60 * threshold_minutes THEN 1.0 ELSE 0.0 END)
    / NULLIF(COUNT(delay_s), 0) AS lateness_rate
FROM freshness_compared
GROUP BY dataset_id, weekday, threshold_minutes{{ d.ending() }}
