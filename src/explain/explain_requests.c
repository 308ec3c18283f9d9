/*
 * Services that generate tokens: their jobs are steps, of no target of the requests', and what kept
 * the requests waiting is in the report alone.
 */
#include "explain/explain_internal.h"

#include <math.h>

const char *explain_app_noun(const struct report_app *app) {
    if (report_generates(app))
        return "step";
    return app->role == REPORT_SERVICE ? "query" : "job";
}

double explain_target_ms(const struct report_app *app) {
    return report_generates(app) ? NAN : app->qos_ms;
}

static const char *ms_words(struct prose *prose, double ms) {
    return prose_ms(prose, ms * (double)CT_PS_PER_MS);
}

static void say_targets(struct prose *prose, const struct report_app *app) {
    struct report_target targets[REPORT_TARGETS];
    size_t count = report_targets(app, targets);
    for (size_t i = 0; i < count; i++) {
        const struct report_target *target = &targets[i];
        const char *what = target->what ? target->what : "latency";
        if (!isnan(target->p99_ms))
            prose_say(prose, "Their %s: a p99 of %s%s, %.0f %% of its target of %s.", what,
                      target->is_bound ? "at least " : "", ms_words(prose, target->p99_ms),
                      100 * target->ratio, ms_words(prose, target->ms));
    }
}

static void say_parts(struct prose *prose, const struct report_app *app) {
    double parts[CT_BLAME_COUNT], whole = 0;
    for (int cause = 0; cause < CT_BLAME_COUNT; cause++) {
        double ms = app->blame_ms_p99[cause];
        parts[cause] = isnan(ms) ? 0 : ms * (double)CT_PS_PER_MS;
        whole += parts[cause];
    }
    if (whole > 0)
        prose_say(prose, "Where the time of the slowest 1 %% of them went, on average: %s.",
                  prose_parts(prose, parts, whole));
}

void explain_requests(struct prose *prose, const struct report_app *app) {
    if (!report_generates(app))
        return;
    const char *came = prose_count(prose, (uint64_t)app->jobs, "request");
    if (isnan(app->late_fraction))
        prose_say(prose, "%s came.", came);
    else
        prose_say(prose, "%s came; %s %% were late.", came,
                  prose_number(prose, 100 * app->late_fraction));
    say_targets(prose, app);
    say_parts(prose, app);
    prose_say(prose, "What follows is of its steps, each for all the requests that are in it: no "
                     "target of a request is theirs.");
}
