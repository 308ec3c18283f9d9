/* Who delayed each job and what sharing cost, back from a store. */
#include "results/result_store_internal.h"

#include <string.h>

/* Where a row of `sharing` belongs; NULL: to a cause that the program does not know. */
static double *sharing_place(struct report_sharing *sharing, const char *cause, const char *due_to,
                             struct ct_arena *arena) {
    if (strcmp(cause, REPORT_ALONE) == 0)
        return &sharing->alone_ms;
    if (*cause)
        return ct_blame_find(cause) < 0 ? NULL : &sharing->cause_ms[ct_blame_find(cause)];
    struct report_delay *by =
        ct_arena_array(arena, sharing->by_count + 1, sizeof *by); /* few: an application each */
    if (!by)
        return NULL;
    for (size_t i = 0; i < sharing->by_count; i++)
        by[i] = sharing->by[i];
    by[sharing->by_count].app = *due_to ? due_to : NULL;
    sharing->by = by;
    return &by[sharing->by_count++].ms;
}

bool result_read_sharing(const struct result_reader *r) {
    struct report_app *apps = (struct report_app *)r->run->report.apps;
    bool has = false;
    bool told = query_has(r->store->db, "sharing", &has);
    if (!has)
        return told;
    struct query query = result_prepare_read(
        r, "SELECT app, cause, due_to, ms FROM sharing WHERE run = ? ORDER BY app, position");
    while (query_next(&query)) {
        uint32_t app = result_get_app(&query, r->run);
        const char *cause = query_get_name(&query, r->arena);
        const char *due_to = query_get_name(&query, r->arena);
        if (query.failed)
            break;
        double *ms = sharing_place(&apps[app].sharing, cause, due_to, r->arena);
        if (ms)
            *ms = result_get_of_kind(&query, REPORT_FIELD_SIGNED);
    }
    return query_end(&query);
}

/* The job of the next row, in the order of the jobs, which have been read; NULL: there is none. */
static struct result_job *job_of_row(struct query *query, const struct result_run *run,
                                     size_t *at) {
    const struct result_job *jobs = run->jobs;
    uint32_t app = result_get_app(query, run),
             instance = (uint32_t)query_get_within(query, 0, UINT32_MAX);
    uint64_t number = (uint64_t)query_get_within(query, 0, INT64_MAX);
    while (*at < run->job_count &&
           (jobs[*at].app != app || jobs[*at].instance != instance || jobs[*at].number != number))
        ++*at;
    if (*at == run->job_count)
        query_damaged(query);
    return query->failed ? NULL : (struct result_job *)&jobs[*at];
}

bool result_read_job_delays(const struct result_reader *r) {
    const struct result_run *run = r->run;
    struct result_job *job;
    ct_time_ps *delays = NULL;
    size_t at = 0;
    struct query query = result_prepare_read(
        r, "SELECT app, instance, job, delayed_by, ps FROM job_delay WHERE run = ?"
           " ORDER BY app, instance, job");
    while (query_next(&query) && (job = job_of_row(&query, run, &at))) {
        size_t by = result_get_app(&query, run);
        if (!job->delayed_by_ps) {
            delays = ct_arena_array(r->arena, run->report.app_count, sizeof *delays);
            job->delayed_by_ps = delays;
        }
        query.failed = query.failed || !delays;
        if (delays)
            delays[by] = result_get_time(&query, 0);
    }
    return query_end(&query);
}

bool result_read_job_costs_by(const struct result_reader *r) {
    const struct result_run *run = r->run;
    struct result_job *job;
    bool has = false;
    size_t at = 0;
    bool told = query_has(r->store->db, "job_sharing", &has);
    if (!has)
        return told;
    struct query query = result_prepare_read(
        r, "SELECT app, instance, job, due_to, ps FROM job_sharing WHERE run = ?"
           " ORDER BY app, instance, job");
    while (query_next(&query) && (job = job_of_row(&query, run, &at))) {
        const int64_t apps = (int64_t)run->report.app_count;
        int64_t by = query_get_within(&query, -1, apps - 1);
        ct_time_ps ps = query_get_within(&query, -CT_TIME_NEVER, CT_TIME_NEVER);
        if (job->costs_ps)
            ((ct_time_ps *)job->costs_ps)[CT_BLAME_COUNT + (by < 0 ? apps : by)] = ps;
    }
    return query_end(&query);
}
