SELECT format('%s %s', time_ms, notes) FROM v_decisions WHERE verb = 'repartition' ORDER BY number
