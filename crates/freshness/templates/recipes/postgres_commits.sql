SELECT 'public.orders' AS dataset_id, DATE_TRUNC('minute', PG_XACT_COMMIT_TIMESTAMP(xmin)) AS arrived_at, COUNT(*) AS rows
FROM public.orders
WHERE PG_XACT_COMMIT_TIMESTAMP(xmin) > {since}
GROUP BY 1, 2
UNION ALL
SELECT 'public.users', DATE_TRUNC('minute', PG_XACT_COMMIT_TIMESTAMP(xmin)), COUNT(*)
FROM public.users
WHERE PG_XACT_COMMIT_TIMESTAMP(xmin) > {since}
GROUP BY 1, 2
