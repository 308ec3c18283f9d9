-- What is predicted at the end of the first epoch.
SELECT format('%s %.6f', key, value) FROM v_notes WHERE key IN ('np', 'fairness')
    AND decision = (SELECT min(decision) FROM v_notes WHERE key = 'np') ORDER BY position;
SELECT format('%.6f %s ends', ended_ps / 1e9, a.name)
FROM task JOIN app a ON a.run = task.run AND a.position = task.app WHERE ended_ps > 0 ORDER BY ended_ps
