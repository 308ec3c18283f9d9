SELECT format('%s:%d until %d ms, its task %d held and issued %s', a.name, j.number, j.until_ps / 1e9, h.task, ifnull(h.issued_ms, 'never'))
FROM job j JOIN app a ON a.run = j.run AND a.position = j.app JOIN v_holds h ON h.run = j.run AND h.app = a.name AND h.job = j.number
WHERE a.name = 'batch';
SELECT format('older than 80 ms: %s, unfinished: %d', latency_ms > 80, unfinished) FROM v_latency WHERE app = 'batch'
