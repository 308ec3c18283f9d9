#include "apps/paper/paper_source.h"

#include "base/ct_text.h"
#include "models/device/pcie.h"
#include "study/accuracy.h"
#include "study/cluster_job.h"
#include "trace/trace_store.h"
#include "workload/setup.h"

#include <math.h>
#include <string.h>

/* Random splits into training and held-out samples, as 'cotenant predict' has them. */
enum { SPLITS = 50 };

/* ---- Predictions ---- */

static int prediction(const struct paper_sources *s, const struct paper_row *row, double *value,
                      struct ct_diags *diags) {
    static const char *const kinds[] = {"kernel", "call", "copy", "memset", "query"};
    static const char *const models[] = {"linear", "k-NN", "better", "tree"};
    const struct paper_prediction *p = &row->prediction;
    size_t kind = ct_text_index(p->kind, kinds, CT_COUNT_OF(kinds));
    size_t model = ct_text_index(p->model, models, CT_COUNT_OF(models));
    struct ct_arena arena = {0};
    struct trace_set set = {0};
    struct accuracy accuracy = {0};
    const char *path = share_find(&arena, diags->files, "traces", p->trace, NULL);
    bool known = kind < CT_COUNT_OF(kinds) && model < CT_COUNT_OF(models) && path;
    int status = known ? trace_store_read(path, NULL, &set, diags)
                       : ct_data_error(diags, row->what,
                                       !path ? "its recording '%s' is not in the trace folders"
                                             : "of '%s': no such kind of task, or no such model",
                                       p->trace);
    if (status == CT_OK)
        status = accuracy_measure(&set, p->apps, s->seed, SPLITS, p->trace, &accuracy, diags);
    if (status == CT_OK)
        *value = accuracy.sums[kind][p->long_only ? ACCURACY_LONG : ACCURACY_VARYING].error[model];
    accuracy_free(&accuracy);
    trace_set_free(&set);
    ct_arena_free(&arena);
    return status;
}

/* ---- The host link ---- */

/* Stemmer's copy of 15 ms (Baymax Fig. 8); enough of them for the order in the queue to settle. */
enum { COPY_BYTES = 47250000, COPIES = 20 };

/* The rate until the first of the copies has ended so often; each starts again at once. */
static double rate_of(struct pcie_link *link, const struct paper_copy *copy) {
    struct pcie_copy copies[PAPER_COPIES_MOST + 1] = {{0}}, *ended;
    ct_time_ps now = 0;
    for (uint32_t i = 0; i <= copy->others; i++) {
        copies[i].bytes = COPY_BYTES;
        copies[i].pinned = i ? copy->others_pinned : copy->pinned;
        pcie_submit(link, &copies[i], 0);
    }
    for (int left = COPIES; left > 0;) {
        now = pcie_next_event(link);
        while ((ended = pcie_advance(link, now)) != NULL) {
            left -= ended == &copies[0];
            pcie_submit(link, ended, now);
        }
    }
    return (double)COPIES * COPY_BYTES / ct_time_s(now) / 1e6;
}

int paper_copy_rate(const struct paper_copy *copy, double *mb_s, struct ct_diags *diags) {
    static const struct workload_settings none = {0};
    struct ct_arena arena = {0};
    struct gpu gpu;
    int status = setup_gpu(copy->gpu, "copy", &none, &arena, &gpu, diags);
    if (status == CT_OK) {
        struct pcie_bus bus;
        pcie_bus_init(&bus, &gpu);
        *mb_s = rate_of(pcie_bus_link(&bus, PCIE_HOST_TO_DEVICE), copy);
    }
    ct_arena_free(&arena);
    return status;
}

/* ---- Clusters ---- */

static bool same_run(const struct paper_row *a, const struct paper_row *b) {
    return strcmp(a->policy, b->policy) == 0 && strcmp(a->cluster.file, b->cluster.file) == 0 &&
           strcmp(a->cluster.placement, b->cluster.placement) == 0;
}

/* What is kept of a cluster's run. */
static int keep_result(struct paper_sources *s, const struct cluster_result *result,
                       struct paper_cluster_run *run, struct ct_diags *diags) {
    run->sums = result->sums;
    run->over = ct_arena_array(&s->arena, result->service_count + 1, sizeof *run->over);
    run->busy = ct_arena_array(&s->arena, result->gpu_count + 1, sizeof *run->busy);
    if (!run->over || !run->busy)
        return ct_out_of_memory(diags);
    for (uint32_t i = 0; i < result->service_count; i++)
        run->over[run->over_count++] = result->services[i].over;
    for (uint32_t i = 0; i < result->gpu_count; i++)
        run->busy[run->busy_count++] = result->gpus[i].use.busy;
    return CT_OK;
}

static int run_cluster(struct paper_sources *s, const struct paper_row *row,
                       struct paper_cluster_run *run, struct ct_diags *diags) {
    char file[128], duration[64];
    const char *assignments[] = {duration};
    snprintf(file, sizeof file, "clusters/%.100s", row->cluster.file);
    snprintf(duration, sizeof duration, "duration_s=%.17g", s->cluster_s);
    const struct cluster_request request = {
        .path = share_find(&s->arena, diags->files, "workloads", file, NULL),
        .assignments = assignments,
        .assignment_count = s->cluster_s > 0,
        .policies = row->policy,
        .placements = row->cluster.placement,
        .seed = (int64_t)s->seed,
        .reps = SCENARIO_OWN,
        .balancer = SCENARIO_OWN};
    if (!request.path)
        return ct_data_error(diags, row->what, "its cluster '%s' is not in the share folder", file);
    struct cluster_job job;
    struct cluster_result result = {0};
    int status = cluster_job_open(&job, &request, diags);
    if (status == CT_OK) {
        struct cluster_params params = cluster_job_params(&job, 0);
        params.threads = s->threads;
        params.listener = s->listener;
        status = cluster_run(&params, &result, diags);
    }
    if (status == CT_OK)
        status = keep_result(s, &result, run, diags);
    cluster_result_free(&result);
    cluster_job_close(&job);
    return status;
}

static int cluster_value(struct paper_sources *s, const struct paper_row *row, double *value,
                         struct ct_diags *diags) {
    struct paper_cluster_run **place = &s->clusters;
    while (*place && !same_run((*place)->row, row))
        place = &(*place)->next;
    if (!*place) {
        struct paper_cluster_run *run = ct_arena_array(&s->arena, 1, sizeof *run);
        int status = run ? run_cluster(s, row, run, diags) : ct_out_of_memory(diags);
        if (status != CT_OK)
            return status;
        run->row = row;
        *place = run;
    }
    const struct cluster_sums *sums = &(*place)->sums;
    double colocations = sums->services;
    const double values[] = {sums->severe / colocations, sums->violated / colocations,
                             sums->worst_over, sums->busy}; /* from PAPER_CLUSTER_SEVERE on */
    *value = values[row->measure - PAPER_CLUSTER_SEVERE];
    return CT_OK;
}

/* ---- All ---- */

int paper_source(struct paper_sources *sources, const struct paper_row *row, double *value,
                 struct ct_diags *diags) {
    *value = NAN;
    if (row->measure >= PAPER_CLUSTER_SEVERE)
        return cluster_value(sources, row, value, diags);
    if (row->measure == PAPER_PREDICTION)
        return prediction(sources, row, value, diags);
    if (row->measure == PAPER_COPY_MB_S)
        return paper_copy_rate(&row->copy, value, diags);
    return paper_memory(row, sources->seed, &sources->training, sources->listener.interrupted,
                        value, diags);
}

void paper_sources_free(struct paper_sources *sources) {
    ct_arena_free(&sources->arena);
    *sources = (struct paper_sources){0};
}
