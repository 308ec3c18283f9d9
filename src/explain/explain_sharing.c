/* What sharing cost: by cause, by whom, and how much of it came through earlier queries. */
#include "explain/explain_internal.h"

/* "waiting in the device's queue 40 ms (77 %), ..."; parts below 1 % are left out. */
const char *prose_parts(struct prose *prose, const double *parts, double whole) {
    size_t order[CT_BLAME_COUNT], count = explain_rank(parts, CT_BLAME_COUNT, order);
    const char *text = "";
    for (size_t i = 0; i < count; i++) {
        double percent = parts[order[i]] / whole * 100;
        if (i > 0 && percent < 1)
            break;
        text =
            prose_words(prose, "%s%s%s %s (%.0f %%)", text, i ? ", " : "",
                        ct_blame_words[order[i]].part, prose_ms(prose, parts[order[i]]), percent);
    }
    return text;
}

const char *prose_culprits(struct prose *prose, const double *delays, bool nobody) {
    size_t apps = prose->run->report.app_count, all = apps + nobody;
    size_t *order = ct_arena_array(prose->arena, all + 1, sizeof *order);
    const char *text = "";
    double whole = 0;
    prose->failed |= !order;
    if (!order)
        return "";
    for (size_t by = 0; by < all; by++)
        whole += delays[by];
    size_t count = explain_rank(delays, all, order);
    while (count > 1 && delays[order[count - 1]] < whole / 100)
        count--;
    for (size_t i = 0; i < count; i++)
        text =
            prose_words(prose, "%s%s%s %s (%.0f %%)", text,
                        i == 0           ? ""
                        : i + 1 == count ? " and "
                                         : ", ",
                        order[i] < apps ? prose->run->report.apps[order[i]].name : "no application",
                        prose_ms(prose, delays[order[i]]), delays[order[i]] / whole * 100);
    return text;
}

/* Means over jobs. */
struct costs {
    double causes[CT_BLAME_COUNT], *by, whole, alone, carried;
};

static void add_job(const struct result_job *job, size_t apps, double part, struct costs *costs) {
    ct_time_ps queued_alone = job->alone_ps - job->solo_ps;
    costs->alone += (double)job->alone_ps * part;
    costs->whole += (double)(job->end_ps - job->arrival_ps - job->alone_ps) * part;
    costs->carried += (double)(job->blame_ps[CT_BLAME_OWN_QUEUE] - queued_alone) * part;
    for (size_t cause = 0; cause < CT_BLAME_COUNT; cause++)
        costs->causes[cause] += (double)job->costs_ps[cause] * part;
    for (size_t by = 0; by <= apps; by++)
        costs->by[by] += (double)job->costs_ps[CT_BLAME_COUNT + by] * part;
}

static void say_costs(struct prose *prose, const struct costs *costs, bool several,
                      const char *noun) {
    const char *them = several ? "them" : "it", *they = several ? "they" : "it",
               *average = several ? " on average" : "", *alone = prose_ms(prose, costs->alone);
    if (!(costs->whole > 0)) {
        prose_say(prose,
                  "Sharing cost %s nothing: alone, with the same arrivals, %s would have taken "
                  "%s%s.",
                  them, they, alone, average);
        return;
    }
    prose_say(prose,
              "Sharing cost %s %s%s; alone, with the same arrivals, %s would have taken %s. "
              "It was: %s; due to %s.",
              them, prose_ms(prose, costs->whole), average, they, alone,
              prose_parts(prose, costs->causes, costs->whole),
              prose_culprits(prose, costs->by, true));
    if (costs->carried > costs->whole / 100)
        prose_say(prose, "%s of it came through earlier %s, which were late for these reasons.",
                  prose_ms(prose, costs->carried), noun);
}

bool explain_sharing(struct prose *prose, const struct result_job *const *jobs, size_t count) {
    const size_t apps = prose->run->report.app_count;
    struct costs costs = {.by = ct_arena_array(prose->arena, apps + 1, sizeof(double))};
    prose->failed |= !costs.by;
    for (size_t i = 0; i < count; i++) {
        if (!costs.by || !jobs[i]->costs_ps)
            return false;
        add_job(jobs[i], apps, 1 / (double)count, &costs);
    }
    if (count)
        say_costs(prose, &costs, count > 1, prose_plural(prose, explain_noun(prose->run, jobs[0])));
    return count > 0;
}
