-- What is live at the peak, by line of code
WITH held AS (
  SELECT a.stack, count(*) AS n, sum(a.size) AS bytes
  FROM devices d
  JOIN live l ON l.device = d.device AND l.step = d.peak_step
  JOIN allocations a ON a.device = l.device AND a.id = l.id
  GROUP BY a.stack),
own AS (
  SELECT n, bytes, (SELECT f.frame
    FROM stacks s JOIN frames f ON f.frame = s.frame
    WHERE s.stack = held.stack AND f.filename LIKE '%.py'
      AND f.filename NOT LIKE '%/torch/%'
    ORDER BY s.depth LIMIT 1) AS frame
  FROM held)
SELECT frame, filename, line, name, sum(n) AS n, sum(bytes) AS bytes
FROM own LEFT JOIN frames USING (frame)
GROUP BY frame ORDER BY bytes DESC LIMIT 100

-- The largest allocations
SELECT device, id, size, start_us, end_us, phase, stack
FROM allocations ORDER BY size DESC LIMIT 100

-- Call stacks by all they asked for
SELECT stack, count(*) AS n, sum(size) AS bytes, max(size) AS largest
FROM allocations GROUP BY stack ORDER BY bytes DESC LIMIT 100

-- Never freed
SELECT device, id, size, stack, phase
FROM allocations WHERE never_freed AND NOT before_recording
ORDER BY size DESC LIMIT 1000

-- Bytes by phase
SELECT phase, count(*) AS n, sum(size) AS bytes
FROM allocations GROUP BY phase ORDER BY bytes DESC

-- Segments and what is free in them
SELECT device, segment, segment_type, size, size - active_size AS free,
  allocated_size, requested_size, stream, pool, blocks, stack
FROM segments ORDER BY free DESC LIMIT 1000

-- How many events of each kind
SELECT device, action, count(*) AS n, sum(size) AS bytes
FROM events GROUP BY device, action ORDER BY n DESC

-- Allocator settings
SELECT * FROM settings

-- Devices
SELECT * FROM devices
