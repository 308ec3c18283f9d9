SELECT format('%s %d late %.9g', name, jobs, late_fraction) FROM app WHERE run = 1 ORDER BY name
