SELECT count(*), i.ms, s.ms, e.ms FROM task t, ms i, ms s, ms e
WHERE i.ps IS t.issued_ps AND s.ps IS t.started_ps AND e.ps IS t.ended_ps GROUP BY t.issued_ps, t.started_ps, t.ended_ps
