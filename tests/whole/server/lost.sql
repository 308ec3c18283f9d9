-- What became of the requests of each stage: how many came into its pipeline, how many of these to it, the longest latency in ms,
-- which part of its own it dropped, which part of the pipeline's was dropped here or before, and whether its target is kept.
SELECT format('%s of %d came %d latest %s dropped %.9g lost %.9g kept %s', name, server_requests, jobs,
    iif(latency_ms_max IS NULL, '-', format('%.9g', latency_ms_max)), server_dropped_fraction, server_lost_fraction, coalesce(qos_met, '-'))
    FROM app WHERE run = 1 ORDER BY name
