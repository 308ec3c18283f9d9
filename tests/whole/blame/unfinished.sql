-- Jobs that had not ended when the run did: their age, what of it was their own work, held back by the policy and spent behind earlier jobs of their own, in
-- ms; then where the report says that the slowest 1 % of each application, these included, spent their time.
SELECT line FROM (
    SELECT 1 AS part, a.name, j.number AS place, format('%s:%d %.9g own %.9g held %.9g queue %.9g', a.name, j.number, (j.until_ps - j.arrival_ps) / 1e9,
        j.solo_work_ps / 1e9, j.ready_pool_ps / 1e9, j.own_queue_ps / 1e9) AS line
        FROM job j JOIN app a ON a.run = j.run AND a.position = j.app WHERE j.end_ps IS NULL
    UNION ALL SELECT 2, a.name, b.position, format('%s: %s %.9g', a.name, b.cause, b.ms)
        FROM blame b JOIN app a ON a.run = b.run AND a.position = b.app WHERE b.ms > 0)
    ORDER BY part, name, place
