-- Of the application: time to the first token and mean of each after it (p99), the part dropped, and whether these two are kept.
SELECT format('%s first %.9g each %.9g dropped %.6f kept %d %d', name, tokens_first_ms_p99, tokens_each_ms_p99,
    server_dropped_fraction, tokens_first_met, tokens_each_met) FROM app WHERE run = 1
