-- Flights that never left.
SELECT f._src_row, 'cancelled' AS reason
FROM {{source}} AS f
WHERE f.dep_time IS NULL
