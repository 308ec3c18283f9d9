/* The scenarios of a cluster job, one after the other, and which of the `--set` assignments of it
 * change nothing. */
#include "experiment/settings.h"
#include "study/cluster_job.h"
#include "workload/workload_given.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Part of the duration that is looked at: a cluster takes long. All questions together simulate at
 * most as long as the command did. */
#define PARTS 8
#define PART (1.0 / PARTS)

struct inquiry {
    const struct cluster_job *job;
    struct cluster_result *results; /* of the part, with everything that is set */
    size_t known, left;             /* left: parts that may still be run */
    uint32_t asked, idle, left_out; /* answers so far */
    char names[1000];               /* of what is idle */
};

static int run_part(const struct cluster_params *whole, const struct cluster *cluster,
                    const struct experiment_policy *policy, struct cluster_result *result,
                    struct ct_diags *diags) {
    struct cluster part = *cluster;
    struct cluster_params params = *whole;
    part.workload.duration_s *= PART;
    part.workload.warmup_s = 0;
    part.profile_s *= PART;
    params.cluster = &part;
    params.policy = policy;
    params.runs_done = NULL;
    return cluster_run(&params, result, diags);
}

static bool same_number(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

static bool same_gpu(const struct cluster_gpu *a, const struct cluster_gpu *b) {
    const struct cluster_use *x = &a->use, *y = &b->use;
    return a->jobs == b->jobs && a->late == b->late && a->undecided == b->undecided &&
           same_number(a->over, b->over) && x->busy == y->busy && x->sm == y->sm &&
           same_number(x->dram, y->dram) && x->h2d == y->h2d && x->d2h == y->d2h &&
           x->batch_jobs_per_s == y->batch_jobs_per_s && x->batch_work == y->batch_work;
}

static bool same_result(const struct cluster_result *a, const struct cluster_result *b) {
    bool same = a->gpu_count == b->gpu_count && a->service_count == b->service_count;
    for (uint32_t g = 0; same && g < a->gpu_count; g++)
        same = same_gpu(&a->gpus[g], &b->gpus[g]);
    for (uint32_t s = 0; same && s < a->service_count; s++)
        same = same_number(a->services[s].mean_ms, b->services[s].mean_ms) &&
               same_number(a->services[s].p99_ms, b->services[s].p99_ms);
    return same;
}

/* The n-th scenario with everything, run once. */
static int run_with(struct inquiry *q, size_t n, struct ct_diags *diags) {
    if (n < q->known)
        return CT_OK;
    struct cluster_params params = cluster_job_params(q->job, n);
    q->left--;
    int status = run_part(&params, params.cluster, params.policy, &q->results[n], diags);
    if (status == CT_OK)
        q->known++;
    else
        cluster_result_free(&q->results[n]);
    return status;
}

static int compare_all(struct inquiry *q, const struct cluster *cluster,
                       const struct scenario *policies, bool *found, struct ct_diags *diags) {
    int status = CT_OK;
    for (size_t n = 0; n < q->job->count && status == CT_OK && !*found; n++) {
        struct cluster_params params = cluster_job_params(q->job, n);
        struct cluster_result result = {0};
        status = run_with(q, n, diags);
        q->left--;
        if (status == CT_OK)
            status = run_part(&params, cluster,
                              &policies->policies.items.items[n % policies->policies.items.count],
                              &result, diags);
        if (status == CT_OK)
            *found = !same_result(&q->results[n], &result);
        cluster_result_free(&result);
    }
    return status;
}

/* Where the cluster is none without the assignment, it is needed, and nothing is asked. */
static int ask(struct inquiry *q, const struct workload_given_key *key, bool *asked, bool *found,
               struct ct_diags *diags) {
    struct ct_diags unheard = {.files = diags->files};
    struct cluster cluster;
    const struct cluster_request *request = &q->job->request;
    struct scenario without = {.request = q->job->policies.request};
    const char **kept = calloc(request->assignment_count + 1, sizeof *kept);
    size_t count = 0;
    for (size_t i = 0; kept && i < request->assignment_count; i++)
        if (i != key->assignment)
            kept[count++] = request->assignments[i];
    int status = kept ? cluster_read(request->path, kept, count, &cluster, &unheard)
                      : ct_out_of_memory(&unheard);
    if (kept && status == CT_OK) {
        without.workload = cluster.workload;
        status = scenario_add_policies(&without, &unheard);
        if (status == CT_OK &&
            without.policies.items.count == q->job->policies.policies.items.count)
            status = compare_all(q, &cluster, &without, found, &unheard);
        *asked = status == CT_OK;
        without.workload = (struct workload){0}; /* the cluster's */
        scenario_close(&without);
    }
    status = settings_outcome(status, &unheard, diags);
    if (kept)
        cluster_free(&cluster);
    free(kept);
    ct_diags_free(&unheard);
    return status;
}

static int ask_one(struct inquiry *q, const struct workload_given_key *key,
                   struct ct_diags *diags) {
    bool asked = false, found = false;
    size_t used = strlen(q->names), with = q->job->count - q->known;
    if (q->left < q->job->count + with) {
        q->left_out++;
        return CT_OK;
    }
    int status = ask(q, key, &asked, &found, diags);
    q->asked += asked;
    if (status == CT_OK && asked && !found)
        snprintf(q->names + used, sizeof q->names - used, "%s%s", q->idle++ ? ", " : "", key->path);
    return status;
}

static const char *sentence_of(const struct inquiry *q, struct ct_arena *arena) {
    char text[1200] = "", left[100] = "";
    if (q->left_out)
        snprintf(left, sizeof left, "%s%u --set would have taken too long to try without",
                 q->asked ? "; " : "", q->left_out);
    if (q->idle)
        snprintf(text, sizeof text,
                 "the result in an eighth of the time would be the same without %s%s",
                 q->idle > 1 ? "any one of " : "", q->names);
    else if (q->asked)
        snprintf(text, sizeof text, "leaving out any --set would change the result");
    return ct_arena_format(arena, "%s%s", text, left);
}

/*
 * Runs the scenarios of a job over an eighth of the duration from an empty system, and again
 * without each assignment, in all no longer than the job itself. The sentence lies in the arena;
 * NULL: nothing that could be left out was set, or somebody interrupted, which a warning says. enum
 * ct_status.
 */
static int ask_settings(const struct cluster_job *job, struct ct_arena *arena,
                        const char **sentence, struct ct_diags *diags) {
    const struct cluster_request *request = &job->request;
    struct workload_given given = {0};
    struct inquiry q = {.job = job, .left = PARTS * job->count};
    q.results = calloc(job->count + 1, sizeof *q.results);
    *sentence = NULL;
    int status = q.results ? CT_OK : ct_out_of_memory(diags);
    struct workload_source source = {.path = request->path,
                                     .assignments = request->assignments,
                                     .assignment_count = request->assignment_count};
    if (status == CT_OK && request->assignment_count)
        status = workload_given_read(&source, arena, &given, diags);
    for (size_t i = 0; i < given.count && status == CT_OK; i++)
        if (given.items[i].assignment != WORKLOAD_OF_FILE &&
            strcmp(given.items[i].path, "reps") != 0) /* how well it is known, not what it is */
            status = ask_one(&q, &given.items[i], diags);
    if (status == CT_INTERRUPTED)
        ct_warning(diags, "", "%s", settings_interrupted);
    if (status == CT_OK && q.asked + q.left_out > 0 && !(*sentence = sentence_of(&q, arena)))
        status = ct_out_of_memory(diags);
    for (size_t n = 0; n < q.known; n++)
        cluster_result_free(&q.results[n]);
    ct_vec_free(&given);
    free(q.results);
    return status == CT_INTERRUPTED ? CT_OK : status;
}

int cluster_job_run(struct cluster_job *job, struct ct_diags *diags) {
    int status = CT_OK;
    for (size_t i = 0; i < job->count && status == CT_OK; i++) {
        struct cluster_params params = cluster_job_params(job, i);
        struct cluster_scenario *scenario = &job->scenarios[i];
        scenario->policy = params.policy->label;
        scenario->placement = cluster_placements[params.placement];
        status = cluster_run(&params, &scenario->result, diags);
        if (status == CT_OK)
            job->done++;
        else
            cluster_result_free(&scenario->result);
    }
    if (job->params.place_only)
        return status;
    return status == CT_OK ? ask_settings(job, &job->arena, &job->settings, diags) : status;
}
