SELECT format('%s %d %s', a.name, t.task, i.ms)
FROM task t JOIN app a ON a.run = t.run AND a.position = t.app, ms i
WHERE i.ps IS t.issued_ps ORDER BY t.issued_ps, a.name
