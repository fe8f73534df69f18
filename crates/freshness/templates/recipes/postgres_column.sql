SELECT 'public.orders' AS dataset_id, DATE_TRUNC('minute', loaded_at) AS arrived_at, COUNT(*) AS rows
FROM public.orders
WHERE loaded_at > {since}
GROUP BY 1, 2
UNION ALL
SELECT 'public.users', DATE_TRUNC('minute', loaded_at), COUNT(*)
FROM public.users
WHERE loaded_at > {since}
GROUP BY 1, 2
