-- What a request takes alone at each stage, beside the same request's in the run without `max_requests`. Steps are of the request that
-- came to `words` in the same 40 ms.
ATTACH 'all.db' AS every;
CREATE TEMP VIEW here AS SELECT a.name, iif(a.name = 'words', j.arrival_ps / 40000000000, j.arrival_ps) AS request,
    sum(j.solo_work_ps) AS work FROM main.job j JOIN main.app a ON a.run = j.run AND a.position = j.app GROUP BY 1, 2;
CREATE TEMP VIEW there AS SELECT a.name, iif(a.name = 'words', j.arrival_ps / 40000000000, j.arrival_ps) AS request,
    sum(j.solo_work_ps) AS work FROM every.job j JOIN every.app a ON a.run = j.run AND a.position = j.app GROUP BY 1, 2;
SELECT format('%s dropped %d', name, server_dropped_limit) FROM main.app WHERE name = 'pre';
SELECT format('%s: %d requests, %d as without', h.name, count(*), sum(h.work = t.work))
    FROM here h LEFT JOIN there t USING (name, request) WHERE h.name IN ('one', 'words') GROUP BY h.name ORDER BY h.name;
SELECT format('urgent: some %d, not all %d, others than without %d', count(*) > 0, count(*) < 10, sum(work IS NULL))
    FROM (SELECT t.work FROM here h LEFT JOIN there t USING (name, request) WHERE name = 'urgent')
