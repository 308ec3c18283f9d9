-- Every job: begin and end in ms; what the host did for it, and what it waited for a core.
SELECT format('q %d from %.9g to %.9g: host %.9g, cores %.9g, kernel %.9g', instance, arrival_ps / 1e9, end_ps / 1e9, host_ps / 1e9, host_cores_ps / 1e9,
    solo_work_ps / 1e9) FROM job ORDER BY instance, number
