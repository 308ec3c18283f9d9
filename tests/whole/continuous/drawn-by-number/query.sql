-- The work of all steps of the requests that come in the same 120 ms, beside those in the run without `max_requests`, where one more came in three of them.
ATTACH 'all.db' AS every;
CREATE TEMP VIEW here AS SELECT arrival_ps / 120000000000 AS request, sum(solo_work_ps) AS work FROM main.job GROUP BY 1;
CREATE TEMP VIEW there AS SELECT arrival_ps / 120000000000 AS request, sum(solo_work_ps) AS work FROM every.job GROUP BY 1;
SELECT format('dropped %d', server_dropped_limit) FROM main.app;
SELECT format('%d requests, %d as without', count(*), sum(h.work = t.work)) FROM here h LEFT JOIN there t USING (request)
