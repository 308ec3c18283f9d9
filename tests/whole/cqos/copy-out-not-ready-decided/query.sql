SELECT format('%s %d %s %s %s', a.name, t.task, i.ms, s.ms, e.ms)
FROM task t JOIN app a ON a.run = t.run AND a.position = t.app, ms i, ms s, ms e
WHERE i.ps IS t.issued_ps AND s.ps IS t.started_ps AND e.ps IS t.ended_ps AND a.name = 'b' AND t.task = 0
