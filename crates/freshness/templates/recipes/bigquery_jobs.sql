SELECT
  destination_table.dataset_id || '.' || destination_table.table_id AS dataset_id,
  end_time AS arrived_at,
  dml_statistics.inserted_row_count AS `rows`,
  job_id AS run_id
FROM `region-us`.INFORMATION_SCHEMA.JOBS_BY_PROJECT
WHERE state = 'DONE'
  AND error_result IS NULL
  AND NOT STARTS_WITH(destination_table.dataset_id, '_')
  AND (
    job_type = 'LOAD'
    OR statement_type IN ('CREATE_TABLE_AS_SELECT', 'MERGE')
    OR (statement_type = 'INSERT' AND dml_statistics.inserted_row_count > 0)
    OR (statement_type = 'SELECT' AND destination_table.table_id NOT LIKE 'anon%')
  )
  AND creation_time > TIMESTAMP {since}
ORDER BY 2
