-- How late did each dataset come on each day? One row for each dataset and day
-- (UTC) on which something arrived: the first arrival counts, so a redelivery
-- does not make a day late. These are the features that `freshness fit` learns
-- from; it also knows zones, calendars and other cycles.
--   delay_minutes  from midnight to the first arrival, to the second
--   weekday        1 is Monday, 7 is Sunday
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
  SELECT dataset_id, day_s, MIN(arrived_s) AS first_s, COUNT(*) AS n_arrivals
  FROM freshness_days
  GROUP BY dataset_id, day_s
)
SELECT
  dataset_id,
  {{ d.day("day_s") }} AS cycle,
  (first_s - day_s) / 60.0 AS delay_minutes,
  -- The first of January 1970 was a Thursday.
  CAST({{ d.rest("day_s + 259200", WEEK) }} / 86400 AS {{ d.type_of(INTEGER) }}) + 1 AS weekday,
  n_arrivals
FROM freshness_cycles
