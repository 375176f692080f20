-- One row a flight that left. `NA` is already null in the snapshot; `time_hour` is UTC, `hour` and `minute` are local.
SELECT
  make_date(f.year::integer, f.month::integer, f.day::integer) AS flight_date,
  f.carrier,
  f.flight::integer AS flight,
  f.tailnum,
  f.origin,
  f.dest,
  f.hour::smallint AS hour,
  f.minute::smallint AS minute,
  f.dep_delay::integer AS dep_delay,
  f.arr_delay::integer AS arr_delay,
  f.air_time::integer AS air_time,
  f.distance::integer AS distance,
  f.time_hour::timestamp with time zone AS scheduled_hour
FROM {{source}} AS f
WHERE f.dep_time IS NOT NULL
