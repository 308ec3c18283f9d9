SELECT format('%s %s %.8f', a.name, b.cause, b.ms) FROM blame b JOIN app a ON a.run = b.run AND a.position = b.app
    WHERE b.cause IN ('dram', 'row_buffer') AND b.ms > 0 ORDER BY a.name, b.cause
