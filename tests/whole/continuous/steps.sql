-- Every part of a step: sequences (of a copy: 0), begin and end in ms; then the application: mean and longest latency, time to the
-- first token (median, p99), longest time between two tokens (p99), recomputes, tokens lost, swaps, part of the cache used, dropped
-- as too long.
SELECT format('%d %s %s', requests, rtrim(rtrim(format('%.9f', arrival_ps / 1e9), '0'), '.'),
    rtrim(rtrim(format('%.9f', end_ps / 1e9), '0'), '.')) FROM job ORDER BY arrival_ps;
SELECT format('%s %.9g %.9g first %.9g %.9g longest %.9g again %d %d swaps %d cache %.9g too long %d', name, latency_ms_mean,
    latency_ms_max, tokens_first_ms_p50, tokens_first_ms_p99, tokens_longest_ms_p99, tokens_recomputes, tokens_recomputed,
    tokens_swaps, tokens_cache_used, tokens_dropped_length) FROM app WHERE run = 1 ORDER BY name
