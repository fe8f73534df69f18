SELECT
  TRIM(t."schema") || '.' || TRIM(t."table") AS dataset_id,
  MAX(i.endtime) AT TIME ZONE 'UTC' AS arrived_at,
  SUM(i.rows) AS "rows",
  CAST(i.query AS VARCHAR(32)) AS run_id
FROM stl_insert AS i
JOIN svv_table_info AS t ON t.table_id = i.tbl
WHERE i.endtime > TIMESTAMP 'epoch' + {since_epoch} * INTERVAL '1 second'
GROUP BY t."schema", t."table", i.query
HAVING SUM(i.rows) > 0
ORDER BY 2
