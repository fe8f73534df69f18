SELECT
  table_catalog_name || '.' || table_schema_name || '.' || table_name AS dataset_id,
  DATE_TRUNC('minute', last_load_time) AS arrived_at,
  SUM(row_count) AS "ROWS"
FROM snowflake.account_usage.copy_history
WHERE status IN ('Loaded', 'Partially loaded')
  AND row_count > 0
  AND last_load_time > {since}
GROUP BY 1, 2
ORDER BY 2
