#include "results/precision.h"

double precision_reached(const struct report_app *app) {
    return (app->latency_ms.p99_high - app->latency_ms.p99_low) / 2 / app->latency_ms.p99;
}

int64_t precision_more(const struct report_app *app, int64_t replications, double wanted) {
    double reached = precision_reached(app), n = (double)replications;
    if (app->overloaded == REPORT_YES || !(app->latency_ms.p99 > 0))
        return REPORT_UNKNOWN;
    if (isnan(reached))
        return replications;
    if (reached <= wanted)
        return 0;
    double factor = reached / wanted;
    double more = ceil(n * (factor * factor - 1));
    return more < 1 ? 1 : more < 1e9 ? (int64_t)more : (int64_t)1e9;
}

uint32_t precision_next(const struct report *reports, size_t count, uint32_t replications,
                        uint32_t most, double wanted) {
    int64_t more = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t a = 0; a < reports[i].app_count; a++) {
            const struct report_app *app = &reports[i].apps[a];
            int64_t own =
                app->role == REPORT_SERVICE ? precision_more(app, replications, wanted) : 0;
            more = own > more ? own : more;
        }
    int64_t next = replications + (more < replications ? more : replications);
    return next < most ? (uint32_t)next : most;
}
