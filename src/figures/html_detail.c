/* The slowest jobs of a run, each with its parts, its sentences and its tasks. */
#include "base/ct_search.h"
#include "explain/explain.h"
#include "explain/timeline.h"
#include "figures/html_page_internal.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_CONFIG = 65536 };

/* What is written of one run. */
struct detail {
    struct html_page *page;
    const struct html_detail *detail;
    const struct result_run *run;
    struct explanation explanation;
    struct html_texts names; /* of tasks */
    struct html_scale scale;
    CT_VEC(const struct result_job *) told; /* the run's own slowest, then the slowest of others */
    size_t own;                             /* how many of them are its own */
    uint64_t left;                          /* bytes */
    bool failed;
};

/* The job in a run of the same workload; NULL: there is none that ended. */
static const struct result_job *find_job(const struct result_run *run, const struct html_job *job) {
    const struct report_app *app = report_app_named(&run->report, job->app);
    return app ? explain_job_find(run, (uint32_t)(app - run->report.apps), job->instance,
                                  job->number)
               : NULL;
}

/* ---- Which jobs ---- */

static bool is_told(const struct detail *d, const struct result_job *job) {
    for (size_t i = 0; i < d->told.count; i++)
        if (d->told.items[i] == job)
            return true;
    return false;
}

/* Jobs of services that arrived at the same time in another run, where they were among the
 * slowest: how they fared here. */
static void tell_others(struct detail *d, const struct html_detail *other) {
    for (size_t i = 0; i < other->slowest.count; i++) {
        const struct html_job *theirs = &other->slowest.items[i];
        const struct result_job *job = find_job(d->run, theirs);
        if (job && job->arrival_ps == theirs->arrival_ps &&
            d->run->report.apps[job->app].role == REPORT_SERVICE && !is_told(d, job))
            d->failed |= !ct_vec_push(&d->told, job);
    }
}

static void list_jobs(struct detail *d) {
    for (size_t i = 0; i < d->detail->slowest.count; i++) {
        const struct result_job *job = find_job(d->run, &d->detail->slowest.items[i]);
        if (job)
            d->failed |= !ct_vec_push(&d->told, job);
    }
    d->own = d->told.count;
    for (size_t i = 0; i < d->page->details.count; i++)
        if (&d->page->details.items[i] != d->detail)
            tell_others(d, &d->page->details.items[i]);
}

/* ---- A job ---- */

static int compare_to_job(const struct result_task *task, const struct result_job *job) {
    return result_compare_places(RESULT_PLACE(task, job), RESULT_PLACE(job, number));
}

static bool task_before(const void *tasks, size_t i, const void *job) {
    return compare_to_job(&((const struct result_task *)tasks)[i], job) < 0;
}

/* Tasks are stored in the order of their jobs. */
static const struct result_task *find_tasks(const struct result_run *run,
                                            const struct result_job *job, size_t *count) {
    size_t first = ct_lower_bound(run->tasks, run->task_count, task_before, job), end = first;
    while (end < run->task_count && compare_to_job(&run->tasks[end], job) == 0)
        end++;
    *count = end - first;
    return run->tasks + first;
}

static void write_since(struct json_writer *json, ct_time_ps time, const struct result_job *job) {
    html_write_us(json, NULL, time < 0 ? RESULT_NEVER : time - job->arrival_ps);
}

/* [name, stream, ready, issued, at the head of its queue, started, ended, share in per mille],
 * times in us from the arrival. */
static void write_task(struct json_writer *json, struct detail *d, const struct result_job *job,
                       const struct result_task *task) {
    char name[TIMELINE_NAME];
    timeline_task_name(task, name);
    size_t number = html_text_number(&d->names, name, &d->page->arena);
    d->failed |= number == SIZE_MAX;
    json_writer_begin_array(json, NULL);
    json_writer_integer(json, NULL, (int64_t)number);
    json_writer_integer(json, NULL, task->stream);
    write_since(json, task->ready_ps, job);
    write_since(json, task->issued_ps, job);
    write_since(json, task->queued_ps, job);
    write_since(json, task->started_ps, job);
    write_since(json, task->ended_ps, job);
    json_writer_integer(json, NULL, task->share);
    json_writer_end_array(json);
}

static void write_times(struct json_writer *json, const char *key, const ct_time_ps *times,
                        size_t count) {
    if (!times) {
        json_writer_null(json, key);
        return;
    }
    json_writer_begin_array(json, key);
    for (size_t i = 0; i < count; i++)
        html_write_us(json, NULL, times[i]);
    json_writer_end_array(json);
}

/* What explain says of one of the run's own slowest; NULL: it was not asked. */
static const struct explain_job *find_explained(const struct detail *d,
                                                const struct result_job *job) {
    for (size_t a = 0; a < d->explanation.app_count; a++)
        for (size_t i = 0; i < d->explanation.apps[a].slowest_count; i++)
            if (d->explanation.apps[a].slowest[i].job == job)
                return &d->explanation.apps[a].slowest[i];
    return NULL;
}

static void write_job(struct json_writer *json, struct detail *d, size_t index, bool with_tasks) {
    const struct result_job *job = d->told.items[index];
    const struct explain_job *explained = find_explained(d, job);
    size_t count;
    const struct result_task *tasks = find_tasks(d->run, job, &count);
    json_writer_begin_object(json, NULL);
    json_writer_members(
        json, "name",
        explain_job_name(d->run, job->app, job->instance, (int64_t)job->number, &d->page->arena),
        "app", job->app, "own", (bool)(index < d->own));
    html_write_us(json, "arrival_us", job->arrival_ps);
    html_write_us(json, "issue_us",
                  job->first_issue_ps < 0 ? RESULT_NEVER : job->first_issue_ps - job->arrival_ps);
    html_write_us(json, "latency_us", result_job_until(job) - job->arrival_ps);
    json_writer_bool(json, "unfinished", job->end_ps < 0);
    write_times(json, "parts_us", job->blame_ps, CT_BLAME_COUNT);
    write_times(json, "delayed_by_us", job->delayed_by_ps, d->run->report.app_count);
    if (explained)
        json_writer_strings(json, "lines", explained->lines.items, explained->lines.count);
    json_writer_integer(json, "task_count", (int64_t)count);
    json_writer_begin_array(json, "tasks");
    for (size_t i = 0; i < count && with_tasks; i++)
        write_task(json, d, job, &tasks[i]);
    json_writer_end_array(json);
    json_writer_end_object(json);
}

/* Bytes of a job in the page. */
static uint64_t weigh(struct detail *d, size_t index, bool with_tasks) {
    struct json_writer json = html_scale_begin(&d->scale);
    d->failed |= !json.out;
    if (d->failed)
        return UINT64_MAX;
    write_job(&json, d, index, with_tasks);
    return html_scale_end(&d->scale);
}

/* Whole jobs, the slowest first; then without their tasks; none beyond the budget. */
static void write_jobs(struct detail *d) {
    struct html_summary *summary = d->page->summary;
    json_writer_begin_array(&d->page->json, "jobs");
    for (size_t i = 0; i < d->told.count && !d->failed; i++) {
        bool whole = true;
        if (d->left != HTML_NO_LIMIT) {
            uint64_t bytes = weigh(d, i, true);
            whole = bytes <= d->left;
            if (!whole && (bytes = weigh(d, i, false)) > d->left)
                break;
            d->left -= bytes;
        }
        if (d->failed)
            break;
        write_job(&d->page->json, d, i, whole);
        summary->jobs++;
        summary->jobs_cut += !whole;
    }
    json_writer_end_array(&d->page->json);
}

/* ---- A run ---- */

static void write_head(const struct detail *d) {
    struct json_writer *json = &d->page->json;
    const struct report *report = &d->run->report;
    size_t members = d->detail->shown->member_count;
    if (d->detail->label == SIZE_MAX)
        json_writer_members(json, "run", NULL, "set", d->detail->set);
    else
        json_writer_integer(json, "run", (int64_t)d->detail->label);
    json_writer_members(json, "store", d->detail->source + 1, "number", d->run->number, "policy",
                        report->policy, "workload", report->workload, "gpu", report->gpu, "seed",
                        report->seed, "replication", d->run->replication, "replications",
                        members ? members : 1, "duration_s", report->duration_s);
    json_writer_begin_array(json, "apps");
    for (size_t i = 0; i < report->app_count; i++)
        json_writer_string(json, NULL, report->apps[i].name);
    json_writer_end_array(json);
    if (report->config && strlen(report->config) <= LONGEST_CONFIG)
        json_writer_string(json, "config", report->config);
    json_writer_members(json, "jobs_stored", d->run->job_count, "tasks_stored", d->run->task_count,
                        "lacks_demand", ct_coverage_lacks_demand(&report->inputs));
}

static void write_tails(const struct detail *d) {
    struct json_writer *json = &d->page->json;
    json_writer_begin_array(json, "tails");
    for (size_t i = 0; i < d->explanation.app_count; i++) {
        const struct explain_app *app = &d->explanation.apps[i];
        json_writer_begin_object(json, NULL);
        json_writer_string(json, "app", app->app->name);
        json_writer_strings(json, "lines", app->lines.items, app->lines.count);
        json_writer_end_object(json);
    }
    json_writer_end_array(json);
}

/* Sentences need the blame of jobs; what they lack besides is said on the page. */
static int explain_run(struct detail *d) {
    const struct explain_choice choice = {.worst = d->page->choice->worst};
    struct ct_diags unsaid = {0};
    if (!d->run->job_count || !d->run->jobs[0].blame_ps)
        return CT_OK;
    int status = explain_make(d->run, &choice, &d->explanation, &unsaid);
    ct_diags_free(&unsaid);
    return status == CT_OK ? CT_OK : ct_out_of_memory(d->page->diags);
}

/* `left` is this run's part of the budget: half of it for jobs, what they leave for decisions. What
 * is not needed stays in it. */
static int write_run(struct detail *d, uint64_t *left) {
    struct json_writer *json = &d->page->json;
    bool limited = *left != HTML_NO_LIMIT;
    uint64_t half = limited ? *left / 2 : 0;
    d->left = limited ? half : HTML_NO_LIMIT;
    int status = explain_run(d);
    if (status != CT_OK)
        return status;
    json_writer_begin_object(json, NULL);
    write_head(d);
    write_tails(d);
    list_jobs(d);
    write_jobs(d);
    json_writer_strings(json, "names", d->names.items, d->names.count);
    *left = limited ? *left - half + d->left : HTML_NO_LIMIT;
    d->failed |= !html_write_log(d->page, d->run, d->told.items, d->own, left);
    d->failed |= !html_write_usage(json, d->run);
    json_writer_end_object(json);
    return d->failed ? ct_out_of_memory(d->page->diags) : CT_OK;
}

static int read_and_write(struct html_page *page, const struct html_detail *detail,
                          uint64_t *left) {
    enum { PARTS = RESULT_JOBS | RESULT_TASKS | RESULT_DECISIONS | RESULT_SAMPLES };
    struct result_set set = {0};
    struct detail d = {.page = page, .detail = detail};
    int status = result_store_read(page->sources[detail->source].store, detail->number, PARTS, &set,
                                   page->diags);
    if (status == CT_OK) {
        d.run = &set.runs.items[0];
        status = write_run(&d, left);
    }
    explanation_free(&d.explanation);
    html_scale_free(&d.scale);
    ct_vec_free(&d.names);
    ct_vec_free(&d.told);
    result_set_free(&set);
    return status;
}

/* Each run gets an equal part of what those before it have left. */
int html_write_details(struct html_page *page) {
    size_t count = page->details.count;
    uint64_t whole = page->choice->budget_bytes, left = whole ? whole : HTML_NO_LIMIT;
    int status = CT_OK;
    json_writer_begin_array(&page->json, "details");
    for (size_t i = 0; i < count && status == CT_OK; i++) {
        uint64_t given = whole ? left / (count - i) : HTML_NO_LIMIT, rest = given;
        status = read_and_write(page, &page->details.items[i], &rest);
        left -= given - rest;
    }
    json_writer_end_array(&page->json);
    return status;
}
