SELECT 'orders' AS dataset_id, DATE_TRUNC('minute', loaded_at) AS arrived_at, COUNT(*) AS "rows"
FROM orders
WHERE loaded_at > {since}
GROUP BY 1, 2
UNION ALL
SELECT 'users', DATE_TRUNC('minute', loaded_at), COUNT(*)
FROM users
WHERE loaded_at > {since}
GROUP BY 1, 2
