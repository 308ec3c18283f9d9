SELECT format('%s by %s %.6f', a.name, m.delayed_by, m.ms) FROM blame_matrix m JOIN app a ON a.run = m.run AND a.position = m.app
    WHERE m.ms > 0 ORDER BY a.name, m.delayed_by
