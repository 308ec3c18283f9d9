-- Every batch: application, requests, when the oldest came into its pipeline, when the batch was formed, when it ended, in ms; then
-- what each server dropped: queue full, limit, timeout.
CREATE TEMP VIEW batch AS SELECT a.name, j.requests, j.arrival_ps, j.arrival_ps + j.stages_ps + j.batcher_ps AS formed_ps, j.end_ps
    FROM job j JOIN app a ON a.run = j.run AND a.position = j.app;
SELECT format('%s %d %s %s %s', name, requests, rtrim(rtrim(format('%.9f', arrival_ps / 1e9), '0'), '.'),
    rtrim(rtrim(format('%.9f', formed_ps / 1e9), '0'), '.'), rtrim(rtrim(format('%.9f', end_ps / 1e9), '0'), '.'))
    FROM batch ORDER BY formed_ps, name, end_ps;
SELECT format('%s dropped %d %d %d', name, server_dropped_queue, server_dropped_limit, server_dropped_timeout)
    FROM app WHERE run = 1 ORDER BY name
