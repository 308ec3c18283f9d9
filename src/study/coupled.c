#include "study/coupled.h"

#include "des/des_stream.h"
#include "run/fed_run.h"

#include <stdlib.h>

/* Arrivals between two questions whether somebody interrupted. */
enum { QUESTION_EVERY = 1 << 4 };

/* Where a service runs: on which GPU, as which application of the run there. */
struct stand {
    uint32_t gpu, app;
};

struct service {
    const struct balancer_streams *streams;
    size_t next; /* of its arrivals */
    struct des_stream draws;
    CT_VEC(struct stand) stands;
};

struct step {
    const struct coupled *coupled;
    struct run **runs;
    struct service *services; /* by application of the cluster */
    uint32_t service_count;
};

/* ---- Which GPU ---- */

/* Less is better. */
static double load_at(const struct step *step, const struct stand *stand) {
    struct fed_load load = fed_run_load(step->runs[stand->gpu], stand->app);
    const struct setup_app *app = &step->coupled->gpus[stand->gpu].params.setup->apps[stand->app];
    if (step->coupled->params->balancer != CLUSTER_BALANCE_PREDICTED_FINISH)
        return (double)load.unfinished;
    uint64_t waves = load.unfinished / (uint64_t)app->spec->workers + 1; /* its own is the last */
    return (double)waves * load.mean_ps;
}

/* Draws two different stands and takes the first unless the other has less to do. NULL: a GPU has
 * failed. */
static const struct stand *one_of_two(const struct step *step, struct service *service,
                                      ct_time_ps at) {
    size_t count = service->stands.count;
    size_t first = des_stream_below(&service->draws, count);
    size_t second = des_stream_below(&service->draws, count - 1);
    const struct stand *a = &service->stands.items[first],
                       *b = &service->stands.items[second + (second >= first)];
    if (!fed_run_until(step->runs[a->gpu], at) || !fed_run_until(step->runs[b->gpu], at))
        return NULL;
    return load_at(step, b) < load_at(step, a) ? b : a;
}

/* The one with the least load, one of them drawn where several have it. NULL: a GPU has failed. */
static const struct stand *least_of_all(const struct step *step, struct service *service,
                                        ct_time_ps at) {
    const struct stand *best = NULL;
    double least = INFINITY;
    uint64_t equal = 0;
    for (size_t i = 0; i < service->stands.count; i++) {
        const struct stand *stand = &service->stands.items[i];
        if (!fed_run_until(step->runs[stand->gpu], at))
            return NULL;
        double load = load_at(step, stand);
        equal = load < least ? 1 : equal + (load == least);
        /* Each of n equal ones stays with 1 / n. */
        if (load < least || (load == least && des_stream_below(&service->draws, equal) == 0))
            best = stand;
        least = load < least ? load : least;
    }
    return best;
}

/* ---- Step by step ---- */

/* The service whose next query comes first; the earlier one in the file of those that come at once.
 * NULL: none is left. */
static struct service *next_service(const struct step *step, ct_time_ps *at) {
    struct service *first = NULL;
    for (uint32_t s = 0; s < step->service_count; s++) {
        struct service *service = &step->services[s];
        if (!service->stands.count ||
            service->next == service->streams->first[service->streams->replicas])
            continue;
        ct_time_ps stamp = service->streams->stamps[service->next];
        if (first && stamp >= *at)
            continue;
        first = service;
        *at = stamp;
    }
    return first;
}

/* After the window GPUs that look no query up come along, too. */
static bool all_done(const struct step *step, ct_time_ps at) {
    bool done = true;
    for (uint32_t g = 0; g < step->coupled->gpu_count; g++) {
        if (!fed_run_is_done(step->runs[g]))
            fed_run_until(step->runs[g], at);
        done &= fed_run_is_done(step->runs[g]);
    }
    return done;
}

/* False: a GPU has failed, or somebody interrupted. */
static bool send_all(const struct step *step) {
    const struct coupled *coupled = step->coupled;
    ct_time_ps at = 0, end = coupled->gpus[0].params.duration_ps;
    uint64_t sent = 0;
    for (struct service *service; (service = next_service(step, &at)); service->next++) {
        const struct stand *to = coupled->params->balancer == CLUSTER_BALANCE_TWO_CHOICES
                                     ? one_of_two(step, service, at)
                                     : least_of_all(step, service, at);
        if (!to || (++sent % QUESTION_EVERY == 0 && ct_is_interrupted(&coupled->params->listener)))
            return false;
        fed_run_send(step->runs[to->gpu], to->app, service->next);
        if (at >= end && all_done(step, at))
            break;
    }
    for (uint32_t g = 0; g < coupled->gpu_count; g++)
        fed_run_until(step->runs[g], CT_TIME_NEVER);
    return true;
}

/* ---- Making ---- */

static bool add_stands(struct step *step, uint32_t gpu) {
    const struct coupled_gpu *of = &step->coupled->gpus[gpu];
    for (uint32_t a = 0; a < of->params.setup->app_count; a++) {
        uint32_t app = of->app_of[a];
        struct service *service = &step->services[app];
        service->streams = &step->coupled->streams[app];
        if (service->streams->held && !ct_vec_push(&service->stands, (struct stand){gpu, a}))
            return false;
    }
    return true;
}

static bool make(struct step *step) {
    const struct coupled *coupled = step->coupled;
    const struct workload *w = &coupled->params->cluster->workload;
    step->service_count = (uint32_t)w->apps.count;
    step->services = calloc(w->apps.count + 1, sizeof *step->services);
    step->runs = calloc(coupled->gpu_count + 1u, sizeof *step->runs);
    bool ok = step->services && step->runs;
    for (uint32_t s = 0; ok && s < step->service_count; s++)
        des_stream_init(&step->services[s].draws, coupled->params->seed, coupled->replication,
                        "balancer", w->apps.items[s].name);
    for (uint32_t g = 0; ok && g < coupled->gpu_count; g++) {
        struct coupled_gpu *gpu = &coupled->gpus[g];
        step->runs[g] = fed_run_open(&gpu->params, &gpu->result, gpu->diags);
        ok = step->runs[g] && add_stands(step, g);
    }
    return ok;
}

int coupled_run(const struct coupled *coupled, struct ct_diags *diags) {
    struct step step = {.coupled = coupled};
    bool ok = make(&step), through = ok && send_all(&step);
    for (uint32_t g = 0; step.runs && g < coupled->gpu_count; g++) {
        if (!step.runs[g])
            continue;
        coupled->gpus[g].status = fed_run_close(step.runs[g]);
        coupled->gpus[g].result.interrupted |= !through;
    }
    for (uint32_t s = 0; step.services && s < step.service_count; s++)
        ct_vec_free(&step.services[s].stands);
    free(step.services);
    free(step.runs);
    return ok ? CT_OK : ct_out_of_memory(diags);
}
