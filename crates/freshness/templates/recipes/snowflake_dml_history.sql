SELECT
  database_name || '.' || schema_name || '.' || table_name AS dataset_id,
  end_time AS arrived_at,
  SUM(rows_added) AS "ROWS"
FROM snowflake.account_usage.table_dml_history
WHERE rows_added > 0
  AND end_time > {since}
GROUP BY 1, 2
ORDER BY 2
