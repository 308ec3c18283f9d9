SELECT format('%.3f %s ends', ended_ps / 1e9, a.name) FROM task JOIN app a ON a.run = task.run AND a.position = task.app WHERE ended_ps > 0 ORDER BY ended_ps
