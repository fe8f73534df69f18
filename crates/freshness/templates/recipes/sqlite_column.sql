SELECT 'orders' AS dataset_id, loaded_at / 60 * 60 AS arrived_at, COUNT(*) AS "rows"
FROM orders
WHERE loaded_at > {since_epoch}
GROUP BY 1, 2
UNION ALL
SELECT 'users', loaded_at / 60 * 60, COUNT(*)
FROM users
WHERE loaded_at > {since_epoch}
GROUP BY 1, 2
