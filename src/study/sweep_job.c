#include "study/sweep_job.h"

#include "base/ct_text.h"
#include "experiment/experiment.h"
#include "experiment/settings.h"

#include <stdlib.h>
#include <string.h>

/* Values that are looked at before the first run; later ones are read when their turn comes. */
enum { MOST_PROBES = 300, VALUES_SIZE = 400 };

/* Applications of the workloads that are read for it: some 10 s (chosen). */
enum { MOST_PROBED = 100000 };

/* One point: its assignments on the workload. */
struct sweep_part {
    struct sweep_job *job;
    double run; /* how much of it */
    struct ct_arena arena;
    struct sweep_point point;
    struct scenario scenario;
    struct experiment_result result;
    struct ct_hash key;
    int64_t known; /* number of the stored point; 0: none */
    int failed;    /* CT_OK, or why it cannot be run */
    bool opened;
};

/* Reads the workload of a part whose point is made. */
static int open_part(struct sweep_job *job, struct sweep_part *part, struct ct_diags *diags) {
    struct ct_diags own = {.files = diags->files};
    struct scenario *scenario = &part->scenario;
    const char *workload = job->file.workload
                               ? job->file.workload
                               : ct_arena_format(&part->arena, "%s: workload", job->file.path);
    struct scenario_request request = {.workload = workload,
                                       .text = job->file.workload_text,
                                       .assignments = part->point.assignments,
                                       .assignment_count = part->point.assignment_count,
                                       .policies = job->policies,
                                       .policies_in_file = true,
                                       .trusts_files = job->trusts_files,
                                       .fidelity = SCENARIO_OWN,
                                       .seed = job->file.seed,
                                       .known = job->first ? &job->first->scenario.workload : NULL,
                                       .watch = job->watch,
                                       .version = COTENANT_VERSION};
    if (!request.workload)
        return ct_out_of_memory(diags);
    int status = scenario_open(scenario, &request, &own);
    status = status == CT_OK && own.errors ? CT_USAGE : status;
    part->opened = true;
    ct_diags_add(diags, &own);
    ct_diags_free(&own);
    scenario->experiment.replications = (uint32_t)job->file.reps;
    scenario->experiment.baseline = scenario->experiment.policies; /* as 'compare' asks */
    scenario->experiment.headlines = true;
    scenario->experiment.cache = &job->runs;
    return status;
}

static void close_part(struct sweep_part *part) {
    if (part->opened) {
        experiment_result_free(&part->result);
        scenario_close(&part->scenario);
    }
    ct_arena_free(&part->arena);
}

void sweep_part_drop(struct sweep_part *part) {
    if (part)
        close_part(part);
    free(part);
}

/* ---- Before anything runs ---- */

/* Messages about "--set KEY" are about an axis of the design. */
static const char *axis_place(const struct sweep_design *design, const char *where) {
    const char *place = NULL;
    size_t longest = 0;
    if (strncmp(where, "--set ", 6) != 0)
        return NULL;
    for (size_t a = 0; a < design->axis_count; a++) {
        size_t length = strlen(design->axes[a].key);
        if (length > longest && strncmp(where + 6, design->axes[a].key, length) == 0 &&
            strchr(".[", where[6 + length])) {
            place = design->axes[a].where;
            longest = length;
        }
    }
    return place;
}

/* Hands on errors of a point at the axis or the policy that they are about. False: some error is
 * about neither. */
static bool tell(const struct sweep_job *job, const struct sweep_design *design,
                 const struct ct_diags *from, struct ct_diags *to) {
    bool placed = true;
    char policies[600];
    snprintf(policies, sizeof policies, "%s: policies", job->file.path);
    for (size_t i = 0; i < from->count; i++) {
        const struct ct_diag *d = &from->items[i];
        const char *place = axis_place(design, d->where);
        if (strcmp(d->where, "--policies") == 0)
            place = policies;
        else if (ct_text_index(d->where, job->file.policies, job->file.policy_count) <
                 job->file.policy_count)
            place = d->where;
        if (d->severity == CT_ERROR)
            ct_error(to, place ? place : d->where, "%s", d->text);
        placed &= place || d->severity != CT_ERROR;
    }
    return placed;
}

/* "gpu=v100, gpu.sms=40" */
static const char *values_text(const struct sweep_point *point, char *text, size_t size) {
    *text = '\0';
    for (size_t i = 0; i < point->value_count; i++)
        ct_text_add(text, size, ", ", "%s=%s", point->values[i].key, point->values[i].value);
    return text;
}

/* What is wrong with a value, at its axis. */
static void tell_value(const struct sweep_job *job, const struct sweep_probe *at,
                       const struct sweep_point *point, const struct ct_diags *own,
                       struct ct_diags *diags) {
    const struct sweep_design *design = &job->file.designs[at->design];
    char text[VALUES_SIZE];
    if (!tell(job, design, own, diags) && at->value > 0)
        ct_error(diags, design->axes[at->axis].where, "that was with %s",
                 values_text(point, text, sizeof text));
}

static bool is_about(const struct sweep_axis *axis, const struct ct_diags *told) {
    for (size_t i = 0; i < told->count; i++)
        if (strcmp(told->items[i].where, axis->where) == 0)
            return true;
    return false;
}

/* Tells why a value can be run neither beside the others' first values nor beside their last: only
 * beside the last where what is wrong beside the first is not about it. */
static void tell_either(const struct sweep_axis *axis, const struct ct_diags *first,
                        const struct ct_diags *last, struct ct_diags *diags) {
    ct_diags_add(diags, is_about(axis, first) || !is_about(axis, last) ? first : last);
}

/* Looks at a value beside the others' first values and, where that cannot be run, beside their
 * last: `at` says which. Counts the applications that were read in `probed`. */
static int probe(struct sweep_job *job, struct sweep_probe *at, size_t *probed,
                 struct ct_diags *diags) {
    struct sweep_part *part = calloc(1, sizeof *part);
    if (!part)
        return ct_out_of_memory(diags);
    struct ct_diags own = {.files = diags->files}, told = {.files = diags->files},
                    last = {.files = diags->files};
    int status = sweep_point_probe(&job->file, at, &part->arena, &part->point)
                     ? open_part(job, part, &own)
                     : ct_out_of_memory(&own);
    *probed += part->scenario.workload.apps.count;
    bool stands = status == CT_OK && !job->first; /* for all points */
    if (status != CT_OK && !at->others_last) {
        at->others_last = true;
        status = probe(job, at, probed, &last) == CT_OK ? CT_OK : status;
    }
    if (status != CT_OK) {
        tell_value(job, at, &part->point, &own, &told);
        tell_either(&job->file.designs[at->design].axes[at->axis], &told, &last, diags);
    }
    ct_diags_free(&told);
    ct_diags_free(&last);
    ct_diags_free(&own);
    if (stands) {
        job->most_runs = experiment_run_count(&part->scenario.experiment) * job->file.points;
        job->first = part;
    } else
        sweep_part_drop(part);
    return status;
}

/* A value is looked at by itself; the first one of each axis with the design's first point, where
 * that can be run. */
static int probe_all(struct sweep_job *job, struct ct_diags *diags) {
    int status = CT_OK, probes = 0;
    size_t probed = 0;
    for (size_t d = 0; d < job->file.design_count; d++) {
        bool first_runs = false;
        for (size_t a = 0; a < job->file.designs[d].axis_count; a++) {
            size_t count = sweep_axis_probes(&job->file.designs[d].axes[a]);
            for (size_t v = first_runs; v < count && probes < MOST_PROBES && probed < MOST_PROBED;
                 v++, probes++) {
                struct sweep_probe at = {.design = d, .axis = a, .value = v};
                int own = probe(job, &at, &probed, diags);
                first_runs |= v == 0 && a == 0 && own == CT_OK && !at.others_last;
                status = own > status ? own : status;
            }
        }
    }
    return status;
}

static const char *join_policies(struct sweep_job *job) {
    const char *text = "";
    for (size_t i = 0; text && i < job->file.policy_count; i++)
        text = ct_arena_format(&job->arena, "%s%s%s", text, i ? "," : "", job->file.policies[i]);
    return text;
}

int sweep_job_open(struct sweep_job *job, const char *path, const char *text,
                   struct policy_watch *watch, bool trusts_files, struct ct_diags *diags) {
    *job = (struct sweep_job){.watch = watch, .trusts_files = trusts_files};
    int status = sweep_file_read(path, text, &job->file, diags);
    if (status != CT_OK)
        return status;
    job->policies = join_policies(job);
    job->numbers = calloc(job->file.points, sizeof *job->numbers);
    if (!job->policies || !job->numbers)
        return ct_out_of_memory(diags);
    status = probe_all(job, diags);
    if (status == CT_OK && !(job->shuffle = sweep_shuffle(&job->file, &job->arena)))
        status = ct_out_of_memory(diags);
    return status;
}

void sweep_job_close(struct sweep_job *job) {
    if (job->cache.store)
        sweep_cache_close(&job->cache);
    sweep_part_drop(job->first);
    sweep_file_free(&job->file);
    ct_vec_free(&job->failures);
    free(job->numbers);
    ct_arena_free(&job->arena);
}

int sweep_job_store(struct sweep_job *job, struct result_store *store, bool (*due)(void *context),
                    struct ct_diags *diags) {
    sweep_cache_open(&job->cache, store);
    job->cache.due = due;
    job->cache.context = job->listener.context;
    job->runs = sweep_cache_runs(&job->cache);
    return result_sweep_prepare(store, diags);
}

/* ---- A point ---- */

/* The experiment's key and what the point is called: the same runs under other names are another
 * point, and nothing is run for it. */
static int find_key(struct sweep_part *part, struct ct_diags *diags) {
    int status = experiment_key(&part->scenario.experiment, &part->key, diags);
    for (size_t i = 0; i < part->point.value_count; i++) {
        ct_hash_string(&part->key, part->point.values[i].key);
        ct_hash_string(&part->key, part->point.values[i].value);
    }
    return status;
}

static int find_known(struct sweep_job *job, struct sweep_part *part, struct ct_diags *diags) {
    if (!job->cache.store) /* the first of several processes has it */
        return CT_OK;
    pthread_mutex_lock(&job->cache.lock);
    part->known = result_point_find(job->cache.store, part->key, diags);
    int status = part->known < 0 ? CT_DATA : CT_OK;
    if (job->cache.status == CT_OK)
        job->cache.status = status;
    pthread_mutex_unlock(&job->cache.lock);
    return status;
}

static bool part_is_interrupted(void *context) {
    return ct_is_interrupted(&((struct sweep_part *)context)->job->listener);
}

/* With the lock held. */
static void tell_progress(const struct sweep_job *job) {
    ct_tell_progress(&job->listener, (double)job->finished + job->running, 0);
}

static void part_goes_on(void *context, double runs, double total) {
    struct sweep_part *part = context;
    struct sweep_job *job = part->job;
    (void)total;
    double run = runs / (double)experiment_run_count(&part->scenario.experiment);
    pthread_mutex_lock(&job->cache.lock);
    job->running += run - part->run;
    part->run = run;
    tell_progress(job);
    pthread_mutex_unlock(&job->cache.lock);
}

static int run_part(struct sweep_job *job, struct sweep_part *part, struct ct_diags *diags) {
    int status = open_part(job, part, diags);
    if (status == CT_OK)
        status = find_key(part, diags);
    if (status == CT_OK)
        status = find_known(job, part, diags);
    if (status == CT_OK && !part->known) {
        part->scenario.experiment.listener =
            (struct ct_listener){part_is_interrupted, part_goes_on, part};
        status = experiment_run(&part->scenario.experiment, &part->result, diags);
    }
    return status;
}

/* Whether it is the point that failed: memory and the store are everybody's. */
static bool is_of_point(struct sweep_job *job, int status, const struct ct_diags *diags) {
    pthread_mutex_lock(&job->cache.lock);
    bool stored = job->cache.status == CT_OK;
    pthread_mutex_unlock(&job->cache.lock);
    return status != CT_OK && status != CT_INTERRUPTED && stored && !diags->no_memory &&
           !diags->lost;
}

/* Which point it is stands in each error: at others it may be the same. */
static void name_point(const struct sweep_part *part, uint64_t index, const struct ct_diags *from,
                       struct ct_diags *to) {
    char text[VALUES_SIZE];
    values_text(&part->point, text, sizeof text);
    for (size_t i = 0; i < from->count; i++) {
        const struct ct_diag *d = &from->items[i];
        if (d->severity == CT_ERROR)
            ct_error(to, d->where, "%s (point %llu of the sweep: %s)", d->text,
                     (unsigned long long)index + 1, text);
        else
            ct_diag_add(to, d->severity, d->where, "%s", d->text);
    }
}

int sweep_job_work(struct sweep_job *job, uint64_t index, struct sweep_part **done,
                   struct ct_diags *diags) {
    struct sweep_part *part = calloc(1, sizeof *part);
    if (!part)
        return ct_out_of_memory(diags);
    *done = part;
    part->job = job;
    if (!sweep_point_make(&job->file, job->shuffle, index, &part->arena, &part->point))
        return ct_out_of_memory(diags);
    struct ct_diags own = {.files = diags->files};
    int status = run_part(job, part, &own);
    bool fails = is_of_point(job, status, &own);
    part->failed = fails ? status : CT_OK;
    if (fails)
        name_point(part, index, &own, diags);
    else
        ct_diags_add(diags, &own);
    ct_diags_free(&own);
    return fails ? CT_OK : status;
}

static int add_point(struct sweep_job *job, struct sweep_part *part, struct ct_diags *diags) {
    const struct experiment *e = &part->scenario.experiment;
    struct result_store *store = job->cache.store;
    int64_t *numbers = ct_arena_array(&part->arena, e->policy_count, sizeof *numbers);
    if (!numbers)
        return ct_out_of_memory(diags);
    int status = experiment_add(e, &part->result, store, numbers, diags);
    struct result_point point = {.key = part->key,
                                 .sweep = job->file.name,
                                 .runs = numbers,
                                 .run_count = e->policy_count,
                                 .values = part->point.values,
                                 .value_count = part->point.value_count};
    if (status == CT_OK)
        status = result_point_add(store, &point, diags);
    return status;
}

/* Says in the store which points this sweep has, up to one; inside a transaction. */
static int list_points(struct sweep_job *job, uint64_t end, struct ct_diags *diags) {
    return result_points_list(job->cache.store, job->file.name, job->numbers + job->listed,
                              end - job->listed, job->listed == 0, diags);
}

/* What waits to be kept and the point's reports, in one transaction. */
static int store_part(struct sweep_job *job, struct sweep_part *part, uint64_t index,
                      struct ct_diags *diags) {
    struct result_store *store = job->cache.store;
    int status = result_store_begin(store, diags);
    if (status != CT_OK)
        return status;
    status = sweep_cache_write(&job->cache, diags);
    part->known = status == CT_OK ? result_point_find(store, part->key, diags) : -1;
    if (status == CT_OK && part->known == 0) { /* else: the same point a second time */
        status = add_point(job, part, diags);
        part->known = status == CT_OK ? result_point_find(store, part->key, diags) : -1;
    }
    status = status == CT_OK && part->known < 0 ? CT_DATA : status;
    job->numbers[index] = part->known;
    if (status == CT_OK)
        status = list_points(job, index + 1, diags);
    int ended = result_store_end(store, status == CT_OK, diags);
    if (status == CT_OK && ended == CT_OK)
        job->listed = index + 1;
    else
        job->numbers[index] = 0; /* rolled back: it may become another point's */
    return status == CT_OK ? ended : status;
}

/* What is wrong with it is kept in the store; the errors of the first ones alone are said. */
static int add_failure(struct sweep_job *job, const struct sweep_part *part, uint64_t index,
                       struct ct_diags *diags) {
    struct result_failure failure = {.number = index + 1};
    for (size_t i = 0; i < diags->count && !failure.error; i++)
        if (diags->items[i].severity == CT_ERROR)
            failure.error =
                ct_arena_format(&job->arena, "%s%s%s", diags->items[i].where,
                                *diags->items[i].where ? ": " : "", diags->items[i].text);
    job->failed = job->failed == CT_OK ? part->failed : job->failed;
    if (!ct_vec_push(&job->failures, failure))
        return ct_out_of_memory(diags);
    if (job->failures.count > CT_ERRORS_SHOWN) {
        const struct ct_files *files = diags->files;
        ct_diags_free(diags);
        *diags = (struct ct_diags){.files = files};
    }
    return CT_OK;
}

int sweep_job_finish(struct sweep_job *job, uint64_t index, struct sweep_part *part,
                     struct ct_diags *diags) {
    int status = CT_OK;
    pthread_mutex_lock(&job->cache.lock);
    job->numbers[index] = part->failed == CT_OK ? part->known : 0;
    if (part->failed != CT_OK)
        status = add_failure(job, part, index, diags);
    else if (!part->known)
        status = store_part(job, part, index, diags);
    if (status == CT_OK)
        job->finished = index + 1;
    job->running -= part->run;
    tell_progress(job);
    pthread_mutex_unlock(&job->cache.lock);
    sweep_part_drop(part);
    return status;
}

uint64_t sweep_job_stored(const struct sweep_job *job) {
    return job->finished - job->failures.count;
}

int sweep_job_end(struct sweep_job *job, struct ct_diags *diags) {
    struct result_store *store = job->cache.store;
    int status = sweep_cache_flush(&job->cache, diags);
    if (status == CT_OK && job->finished > 0 &&
        (job->listed < job->finished || job->failures.count)) {
        status = result_store_begin(store, diags);
        if (status != CT_OK)
            return status;
        status = list_points(job, job->finished, diags);
        if (status == CT_OK)
            status = result_failures_list(store, job->file.name, job->failures.items,
                                          job->failures.count, diags);
        int ended = result_store_end(store, status == CT_OK, diags);
        status = status == CT_OK ? ended : status;
    }
    return status == CT_OK ? job->failed : status;
}

int sweep_job_settings(struct sweep_job *job, struct ct_arena *arena, const char **sentence,
                       struct ct_diags *diags) {
    static const char *const none[] = {NULL};
    const char *const *settings = job->file.setting_count ? job->file.settings : none;
    struct sweep_part part = {0};
    struct ct_diags unheard = {.files =
                                   diags->files}; /* what the point's own reading has said before */
    *sentence = NULL;
    if (!job->numbers[0])
        return CT_OK;
    int status = sweep_point_make(&job->file, job->shuffle, 0, &part.arena, &part.point)
                     ? open_part(job, &part, &unheard)
                     : ct_out_of_memory(diags);
    part.scenario.experiment.cache = NULL;
    struct settings_about about = {
        .scenario = &part.scenario, .some = settings, .some_count = job->file.setting_count};
    if (status == CT_OK)
        status = settings_ask(&about, arena, sentence, diags);
    close_part(&part);
    ct_diags_free(&unheard);
    return status;
}
