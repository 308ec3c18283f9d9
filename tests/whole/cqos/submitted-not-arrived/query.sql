SELECT format('%s %d %s %s', a.name, t.job, i.ms, s.ms)
FROM task t JOIN app a ON a.run = t.run AND a.position = t.app, ms i, ms s
WHERE i.ps IS t.issued_ps AND s.ps IS t.started_ps AND t.issued_ps < 40000000000 ORDER BY t.issued_ps, a.name
