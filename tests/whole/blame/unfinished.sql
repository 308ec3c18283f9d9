-- Jobs that had not ended when the run did: their age, what of it was their own work, held back by the policy and spent behind earlier jobs of their own, in ms.
SELECT format('%s:%d %.9g own %.9g held %.9g queue %.9g', a.name, j.number, (j.until_ps - j.arrival_ps) / 1e9,
    j.solo_work_ps / 1e9, j.ready_pool_ps / 1e9, j.own_queue_ps / 1e9)
    FROM job j JOIN app a ON a.run = j.run AND a.position = j.app WHERE j.end_ps IS NULL ORDER BY a.name, j.number
