-- SMs as they are handed out, then the ends of kernels.
SELECT line FROM (
    SELECT time_ms AS t, 0 AS kind, position AS p, format('%.6f %s %d', time_ms, app, sms) AS line FROM
        (SELECT time_ms, app, sms, row_number() OVER (ORDER BY decision, app) AS position FROM v_partitions)
    UNION ALL
    SELECT ended_ps / 1e9, 1, task, format('%.6f %s ends', ended_ps / 1e9, a.name)
    FROM task JOIN app a ON a.run = task.run AND a.position = task.app WHERE ended_ps > 0)
ORDER BY t, kind, p
