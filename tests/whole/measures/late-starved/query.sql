SELECT format('%s %d late %.9g latest %s', name, jobs, late_fraction, coalesce(latency_ms_max, '-')) FROM app WHERE run = 1 AND name = 'b'
