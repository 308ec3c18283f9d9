SELECT format('%s %d %d %s %s %s %s %s', app, job, task, held_from_ms, held_ms, reason, ifnull(number_ms, number), holds) FROM v_holds ORDER BY decision
