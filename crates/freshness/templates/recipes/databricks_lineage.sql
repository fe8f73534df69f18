SELECT DISTINCT
  target_table_full_name AS dataset_id,
  DATE_TRUNC('MINUTE', event_time) AS arrived_at,
  entity_run_id AS run_id
FROM system.access.table_lineage
WHERE target_table_full_name IS NOT NULL
  AND target_type IN ('TABLE', 'STREAMING_TABLE', 'MATERIALIZED_VIEW')
  AND event_date >= DATE(TIMESTAMP {since})
  AND event_time > TIMESTAMP {since}
ORDER BY 2
