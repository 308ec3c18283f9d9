SELECT format('%s from %d ms %.1f %%', a.name, s.time_ps / 1e9, s.value)
FROM sample s JOIN app a ON a.run = s.run AND a.position = s.app
WHERE s.name = 'quota' ORDER BY a.name, s.time_ps
