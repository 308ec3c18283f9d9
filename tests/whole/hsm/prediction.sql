-- What is predicted at the end of the first epoch.
SELECT format('%s %.6f', key, value) FROM v_notes WHERE key IN ('np', 'fairness')
    AND decision = (SELECT min(decision) FROM v_notes WHERE key = 'np') ORDER BY position
