SELECT
  table_schema || '.' || table_name AS dataset_id,
  last_modified_time AS arrived_at,
  SAFE.PARSE_DATE('%Y%m%d', partition_id) AS cycle,
  total_rows AS `rows`
FROM my_dataset.INFORMATION_SCHEMA.PARTITIONS
WHERE total_rows > 0
  AND IFNULL(partition_id, '') NOT IN ('__UNPARTITIONED__', '__NULL__')
  AND last_modified_time > TIMESTAMP {since}
ORDER BY 2
