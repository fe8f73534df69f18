SELECT
  TRIM(database_name) || '.' || TRIM(table_name) AS dataset_id,
  MAX(end_time) AT TIME ZONE 'UTC' AS arrived_at,
  SUM(loaded_rows) AS "rows",
  CAST(query_id AS VARCHAR(32)) AS run_id
FROM sys_load_history
WHERE status = 'completed'
  AND loaded_rows > 0
  AND end_time > TIMESTAMP 'epoch' + {since_epoch} * INTERVAL '1 second'
GROUP BY database_name, table_name, query_id
ORDER BY 2
