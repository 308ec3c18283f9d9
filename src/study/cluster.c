#include "study/cluster.h"

#include "base/ct_hash.h"
#include "base/ct_intern.h"
#include "base/ct_sort.h"
#include "study/cluster_sums.h"
#include "study/cut_policy.h"
#include "study/placement.h"
#include "study/plan.h"
#include "study/stands.h"
#include "workload/setup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The part of its queries that a service may have late when its p99 keeps the target. */
static const double LATE_ALLOWED = 0.01;

struct cluster_work {
    const struct cluster_params *params;
    struct placement placement;
    struct yard yard; /* where applications ask for shares or slices */
    struct stands stands;
    struct balancer_streams *streams; /* [replication * applications + application] */
    uint32_t stream_reps;
    double *scores; /* [kind * applications + application] */
};

static uint32_t app_count(const struct cluster_params *params) {
    return (uint32_t)params->cluster->workload.apps.count;
}

static const struct workload_app *app_of(const struct cluster_params *params, uint32_t app) {
    return &params->cluster->workload.apps.items[app];
}

static uint64_t mixed_seed(uint64_t seed, const char *purpose, uint64_t number) {
    struct ct_hash hash = ct_hash_start();
    ct_hash_u64(&hash, seed);
    ct_hash_string(&hash, purpose);
    ct_hash_u64(&hash, number);
    return hash.low;
}

/* The seed of a GPU's own streams; GPU 0 has the cluster's, as `run` would. */
static uint64_t cluster_gpu_seed(uint64_t seed, uint32_t gpu) {
    return gpu ? mixed_seed(seed, "gpu", gpu) : seed;
}

/* ---- Streams ---- */

static void free_streams(struct cluster_work *work) {
    size_t count = (size_t)work->stream_reps * app_count(work->params);
    for (size_t i = 0; work->streams && i < count; i++)
        balancer_free(&work->streams[i]);
    free(work->streams);
    work->streams = NULL;
}

static int make_streams(struct cluster_work *work, enum cluster_balancer balancer, uint64_t seed,
                        uint32_t reps, double duration_s, struct ct_diags *diags) {
    const struct cluster_params *params = work->params;
    uint32_t apps = app_count(params);
    /* A drain may last as long as the run again, and queries go on arriving meanwhile. */
    ct_time_ps until = ct_time_of_s(2 * duration_s);
    work->stream_reps = reps;
    work->streams = calloc((size_t)reps * apps + 1, sizeof *work->streams);
    int status = work->streams ? CT_OK : ct_out_of_memory(diags);
    for (uint32_t r = 0; r < reps; r++)
        for (uint32_t a = 0; a < apps && status == CT_OK; a++)
            if (app_of(params, a)->role == CT_SERVICE) {
                struct balancer_streams *streams = &work->streams[(size_t)r * apps + a];
                status = work->stands.moving
                             ? stands_split(&work->stands, params->cluster, a, balancer, seed, r,
                                            until, streams, diags)
                             : balancer_split(app_of(params, a), balancer, params->cluster->gpus[a],
                                              seed, r, until, streams, diags);
            }
    return status;
}

/* ---- What cannot be ---- */

int cluster_check(const struct cluster *cluster, const struct experiment_policy *policy,
                  struct ct_diags *diags) {
    int status = CT_OK;
    for (size_t g = 0; g < cluster->groups.count; g++) {
        struct workload workload = cluster->workload;
        struct setup setup;
        workload.gpu = cluster->groups.items[g].gpu;
        workload.gpu_where = cluster->groups.items[g].where;
        memcpy(&workload.gpu_settings, &cluster->groups.items[g].settings,
               sizeof workload.gpu_settings);
        int made = setup_make(&workload, &setup, diags);
        if (made == CT_OK) {
            bool cut = cut_policy_rules(cluster, (uint32_t)g);
            made = sim_check_needs(cut ? cut_policy() : policy->policy,
                                   cut ? NULL : policy->options, &setup.gpu, diags);
            setup_free(&setup);
        }
        status = status == CT_OK ? made : status;
    }
    return status;
}

/* ---- Profiles ---- */

static bool is_batch(const struct cluster_params *params, uint32_t app) {
    return app_of(params, app)->role == CT_BATCH;
}

static uint32_t batch_apps(const struct cluster_params *params) {
    uint32_t count = 0;
    for (uint32_t a = 0; a < app_count(params); a++)
        count += is_batch(params, a);
    return count;
}

static bool goes_by_profiles(const struct cluster_params *params) {
    return params->placement == CLUSTER_BEST_PROFILE || params->placement == CLUSTER_HUNGARIAN;
}

/* Kinds of GPU with a copy of a batch application, where its memory fits. */
static bool is_profiled(const struct cluster_work *work, uint32_t kind, uint32_t app) {
    return is_batch(work->params, app) &&
           placement_holds(&work->placement, work->placement.kinds.example[kind], app);
}

static uint32_t profile_count(const struct cluster_work *work) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < work->placement.kinds.kinds; k++)
        for (uint32_t a = 0; a < app_count(work->params); a++)
            count += is_profiled(work, k, a);
    return count;
}

static bool plan_profiles(struct cluster_work *work, struct farm *farm, double duration_s,
                          struct ct_arena *arena) {
    const struct cluster_params *params = work->params;
    double warmup_s = params->cluster->workload.warmup_s;
    uint32_t apps = app_count(params), count = profile_count(work), next = 0;
    farm->compositions = ct_arena_array(arena, count, sizeof *farm->compositions);
    farm->tasks = calloc(count + 1u, sizeof *farm->tasks);
    if (!farm->compositions || !farm->tasks)
        return false;
    for (uint32_t k = 0; k < work->placement.kinds.kinds; k++)
        for (uint32_t a = 0; a < apps; a++) {
            uint32_t gpu = work->placement.kinds.example[k];
            size_t row = (size_t)gpu * apps;
            if (!is_profiled(work, k, a))
                continue;
            uint32_t *copies = ct_arena_array(arena, apps, sizeof *copies);
            if (!copies)
                return false;
            memcpy(copies, work->placement.copies + row, apps * sizeof *copies);
            copies[a] = 1;
            farm->compositions[next] = (struct farm_composition){
                .group = placement_group(params->cluster, gpu), .copies = copies};
            farm->tasks[next] = (struct farm_task){
                .composition = next,
                .leader = next,
                .seed = cluster_gpu_seed(mixed_seed(params->seed, "profile", 0), gpu),
                .warmup_ps = ct_time_of_s(warmup_s),
                .duration_ps = ct_time_of_s(duration_s),
                .replica = work->placement.replica + row,
                .streams = work->streams};
            next++;
        }
    farm->composition_count = farm->task_count = count;
    return true;
}

/* Late part of the queries of the service that has most, of those of which it is known. */
static double worst_late(const struct cluster_params *params, const struct sim_result *result) {
    double worst = 0;
    for (uint32_t a = 0; a < result->app_count; a++) {
        const struct sim_app_result *app = &result->apps[a];
        uint64_t told = app->jobs - app->undecided;
        if (plan_target_count(app_of(params, a)) > 0 && told > 0)
            worst = fmax(worst, (double)app->late / (double)told);
    }
    return worst;
}

/* The busy fraction where the targets hold; any pair that keeps them is better than all that do
 * not, however many, so that first the fewest violations count and then the busy fractions. */
static double score_of(const struct cluster_work *work, double busy, double late) {
    double places = (double)work->placement.gpus * (double)work->params->cluster->batch_per_gpu;
    return late <= LATE_ALLOWED ? busy : busy - places - 1;
}

static bool keep_profiles(struct cluster_work *work, const struct farm *farm,
                          struct cluster_result *result) {
    const struct cluster_params *params = work->params;
    uint32_t apps = app_count(params), next = 0;
    result->profiles = ct_arena_array(&result->arena, farm->task_count, sizeof *result->profiles);
    if (!result->profiles)
        return false;
    for (uint32_t k = 0; k < work->placement.kinds.kinds; k++)
        for (uint32_t a = 0; a < apps; a++) {
            work->scores[(size_t)k * apps + a] = -INFINITY;
            if (!is_profiled(work, k, a))
                continue;
            const struct farm_composition *composition = &farm->compositions[next];
            const struct sim_result *run = &farm->tasks[next].result;
            double late = worst_late(params, run);
            struct cluster_profile profile = {
                .label = cluster_label(params->cluster, composition->group, composition->copies,
                                       &result->arena),
                .app = a,
                .busy = run->batch_busy_fraction,
                .late = late,
                .score = score_of(work, run->batch_busy_fraction, late)};
            work->scores[(size_t)k * apps + a] = profile.score;
            result->profiles[next++] = profile;
            if (!profile.label)
                return false;
        }
    result->profile_count = next;
    return true;
}

static int profile(struct cluster_work *work, struct cluster_result *result,
                   struct ct_diags *diags) {
    const struct cluster_params *params = work->params;
    struct farm farm = {.params = params};
    struct ct_arena arena = {0};
    double duration_s = params->cluster->workload.warmup_s + params->cluster->profile_s;
    work->scores = ct_arena_array(&work->placement.arena,
                                  (size_t)work->placement.kinds.kinds * app_count(params) + 1,
                                  sizeof *work->scores);
    if (!work->scores)
        return ct_out_of_memory(diags);
    /* A pair is profiled by itself: there is no load of others to look at. */
    enum cluster_balancer balancer =
        balancer_looks(params->balancer) ? CLUSTER_BALANCE_RANDOM : params->balancer;
    int status =
        make_streams(work, balancer, mixed_seed(params->seed, "profile", 0), 1, duration_s, diags);
    if (status == CT_OK && !plan_profiles(work, &farm, duration_s, &arena))
        status = ct_out_of_memory(diags);
    if (status == CT_OK)
        status = farm_run(&farm, diags);
    if (status == CT_OK && !keep_profiles(work, &farm, result))
        status = ct_out_of_memory(diags);
    farm_free_tasks(&farm);
    free_streams(work);
    ct_arena_free(&arena);
    return status;
}

/* ---- Placement ---- */

static int place_in_places(struct cluster_work *work, struct cluster_result *result,
                           struct ct_diags *diags) {
    const struct cluster_params *params = work->params;
    bool able = params->placement != CLUSTER_HUNGARIAN || placement_can_assign(diags);
    int status = able ? placement_services(&work->placement, diags) : CT_USAGE;
    if (status == CT_OK)
        status = placement_find_kinds(&work->placement, diags);
    if (status == CT_OK && goes_by_profiles(params) && batch_apps(params))
        status = profile(work, result, diags);
    if (status == CT_OK)
        status = placement_batch(&work->placement, work->scores, diags);
    return status;
}

/* What shares leave. */
static int measure_shares(const struct yard *yard, const struct placement *placement,
                          struct cluster_result *result, struct ct_diags *diags) {
    result->shares = ct_arena_array(&result->arena, placement->apps, sizeof *result->shares);
    if (!result->shares)
        return ct_out_of_memory(diags);
    for (uint32_t a = 0; a < placement->apps; a++) {
        bool service = yard->cluster->workload.apps.items[a].role == CT_SERVICE;
        uint64_t unusable = 0;
        for (uint32_t g = 0; g < placement->gpus; g++) {
            const uint32_t *here = placement->copies + (size_t)g * placement->apps;
            uint32_t further = yard_further(yard, g, a);
            unusable += further ? 0 : yard_free(yard, g);
            further = cluster_memory_further(&yard->memory, yard->group[g], here, a, further);
            if (service)
                further = further && !here[a];
            result->shares[a].further += further;
        }
        result->shares[a].unusable = (double)unusable / YARD_WHOLE;
    }
    result->sums.free_gpus = (double)yard->free / YARD_WHOLE;
    result->sums.fragmented_gpus = (double)yard->fragmented / (double)yard->copies / YARD_WHOLE;
    return CT_OK;
}

static int place_for_good(struct cluster_work *work, struct cluster_result *result,
                          struct ct_diags *diags) {
    const struct cluster_params *params = work->params;
    const struct cluster *cluster = params->cluster;
    int status = placement_init(cluster, params->placement, params->seed, &work->placement, diags);
    if (status == CT_OK && !cluster->demands.count)
        status = place_in_places(work, result, diags);
    else if (status == CT_OK) {
        status = yard_open(cluster, params->seed, &work->yard, diags);
        if (status == CT_OK)
            status = placement_shares(&work->yard, &work->placement, diags);
        if (status == CT_OK)
            status = measure_shares(&work->yard, &work->placement, result, diags);
    }
    return status == CT_OK ? stands_of_placement(cluster, &work->placement, &work->stands, diags)
                           : status;
}

/* Places services as copies come and go. */
static int place_on_line(struct cluster_work *work, struct cluster_result *result,
                         struct ct_diags *diags) {
    const struct cluster_params *params = work->params;
    const struct workload *w = &params->cluster->workload;
    int status = fleet_place(params->cluster, params->placement, params->seed, w->warmup_s,
                             w->duration_s, &result->fleet, diags);
    if (status == CT_OK && !params->place_only)
        status = stands_of_fleet(params->cluster, &result->fleet, &work->stands, diags);
    return status;
}

static int place(struct cluster_work *work, struct cluster_result *result, struct ct_diags *diags) {
    return work->params->cluster->comes_and_goes ? place_on_line(work, result, diags)
                                                 : place_for_good(work, result, diags);
}

static void free_work(struct cluster_work *work) {
    placement_free(&work->placement);
    stands_free(&work->stands);
    yard_close(&work->yard);
}

int cluster_check_places(const struct cluster_params *params, struct ct_diags *diags) {
    struct cluster_work work = {.params = params};
    struct cluster_result result = {0};
    int status = goes_by_profiles(params) ? CT_OK : place(&work, &result, diags);
    free_work(&work);
    cluster_result_free(&result);
    return status;
}

/* ---- The runs ---- */

struct run_plan {
    struct farm farm;
    const struct stand **stand_of; /* by task */
    struct ct_arena arena;
};

static int add_composition(const struct cluster_work *work, struct run_plan *plan,
                           const struct stand *stand, struct ct_diags *diags) {
    const struct cluster_params *params = work->params;
    struct farm_composition *composition = &plan->farm.compositions[plan->farm.composition_count++];
    *composition = (struct farm_composition){.group = stand->group, .copies = stand->copies};
    if (!cut_policy_rules(params->cluster, stand->group))
        return CT_OK;
    return cut_policy_make(params->cluster, stand->copies, params->policy->watch, &plan->arena,
                           &composition->policy, diags);
}

/* The runs of a stand, one for each replication. */
static void add_tasks(const struct cluster_work *work, struct run_plan *plan, uint32_t composition,
                      const struct stand *stand) {
    const struct cluster_params *params = work->params;
    uint64_t seed = cluster_gpu_seed(params->seed, stand->gpu);
    ct_time_ps warmup = ct_time_of_s(params->cluster->workload.warmup_s) - stand->from_ps;
    for (uint32_t r = 0; r < params->reps; r++) {
        plan->stand_of[plan->farm.task_count] = stand;
        plan->farm.tasks[plan->farm.task_count] = (struct farm_task){
            .composition = composition,
            .leader = plan->farm.task_count,
            .seed = stand->number ? mixed_seed(seed, "stand", stand->number) : seed,
            .replication = r,
            .warmup_ps = warmup > 0 ? warmup : 0,
            .duration_ps = stand->to_ps - stand->from_ps,
            .replica = stand->replica,
            .streams = work->streams + (size_t)r * app_count(params)};
        plan->farm.task_count++;
    }
}

/* All stands by their group and copies, which are numbered as they first come; the caller frees it.
 * NULL: no memory. */
static struct ct_ranked *rank_stands(const struct cluster_work *work) {
    size_t count = work->stands.list.count, apps = app_count(work->params);
    struct ct_intern sets = {0};
    struct ct_ranked *ranked = calloc(count + 1, sizeof *ranked);
    uint32_t *set = calloc(apps + 1, sizeof *set);
    bool whole = ranked && set;
    for (size_t s = 0; s < count && whole; s++) {
        const struct stand *stand = &work->stands.list.items[s];
        set[0] = stand->group;
        memcpy(set + 1, stand->copies, apps * sizeof *set);
        uint32_t number = ct_intern_add(&sets, set, (apps + 1) * sizeof *set);
        ranked[s] = (struct ct_ranked){number, s};
        whole = number != UINT32_MAX;
    }
    free(set);
    ct_intern_free(&sets);
    if (whole) {
        ct_sort_ranked(ranked, count);
        return ranked;
    }
    free(ranked);
    return NULL;
}

/* Lists the runs of all stands with the same copies (they share a composition), in their order. */
static int plan_tasks(const struct cluster_work *work, struct run_plan *plan,
                      struct ct_diags *diags) {
    size_t count = work->stands.list.count;
    struct ct_ranked *ranked = rank_stands(work);
    int status = ranked ? CT_OK : ct_out_of_memory(diags);
    for (size_t i = 0; i < count && status == CT_OK; i++) {
        const struct stand *stand = &work->stands.list.items[ranked[i].index];
        if (i == 0 || ranked[i].value > ranked[i - 1].value)
            status = add_composition(work, plan, stand, diags);
        add_tasks(work, plan, plan->farm.composition_count - 1, stand);
    }
    free(ranked);
    return status;
}

static uint32_t leader_of(struct farm_task *tasks, uint32_t task) {
    while (tasks[task].leader != task)
        task = tasks[task].leader = tasks[tasks[task].leader].leader;
    return task;
}

/* GPUs that share a service whose arrivals are held, by whatever way around, run together. False:
 * no memory. */
static bool couple(const struct cluster_work *work, struct run_plan *plan) {
    const struct cluster_params *params = work->params;
    uint32_t apps = app_count(params), count = plan->farm.task_count;
    struct farm_task *tasks = plan->farm.tasks;
    /* The first task of each service in each replication, plus one. */
    uint32_t *seen = calloc((size_t)params->reps * apps + 1, sizeof *seen);
    for (uint32_t t = 0; seen && t < count; t++)
        for (uint32_t a = 0; a < apps; a++) {
            uint32_t *first = &seen[tasks[t].replication * apps + a];
            if (!plan->farm.compositions[tasks[t].composition].copies[a] ||
                !tasks[t].streams[a].held)
                continue;
            *first = *first ? *first : t + 1;
            uint32_t one = leader_of(tasks, *first - 1), other = leader_of(tasks, t);
            tasks[one > other ? one : other].leader = one < other ? one : other;
        }
    for (uint32_t t = 0; seen && t < count; t++)
        tasks[t].leader = leader_of(tasks, t);
    bool done = seen;
    free(seen);
    return done;
}

static int plan_runs(struct cluster_work *work, struct run_plan *plan, struct ct_diags *diags) {
    const struct cluster_params *params = work->params;
    size_t stands = work->stands.list.count, most = stands * params->reps;
    if (most > CLUSTER_MOST_RESULTS / app_count(params))
        return ct_usage_error(
            diags, "",
            "%zu runs of %u applications have more than %d results; fewer replications (--reps), "
            "or applications that are alike as one, with more copies",
            most, app_count(params), CLUSTER_MOST_RESULTS);
    plan->farm.params = params;
    plan->farm.compositions = ct_arena_array(&plan->arena, stands, sizeof *plan->farm.compositions);
    plan->stand_of = ct_arena_array(&plan->arena, most, sizeof *plan->stand_of);
    plan->farm.tasks = calloc(most + 1, sizeof *plan->farm.tasks);
    if (!plan->farm.compositions || !plan->stand_of || !plan->farm.tasks)
        return ct_out_of_memory(diags);
    return plan_tasks(work, plan, diags);
}

static int run_gpus(struct cluster_work *work, struct cluster_result *result,
                    struct ct_diags *diags) {
    const struct cluster_params *params = work->params;
    struct run_plan plan = {0};
    int status = make_streams(work, params->balancer, params->seed, params->reps,
                              params->cluster->workload.duration_s, diags);
    if (status == CT_OK)
        status = plan_runs(work, &plan, diags);
    if (status == CT_OK && !couple(work, &plan))
        status = ct_out_of_memory(diags);
    if (status == CT_OK)
        status = farm_run(&plan.farm, diags);
    if (status == CT_OK) {
        struct cluster_runs runs = {.cluster = params->cluster,
                                    .farm = &plan.farm,
                                    .stand_of = plan.stand_of,
                                    .reps = params->reps,
                                    .streams = work->streams,
                                    .moving = work->stands.moving};
        status = cluster_sum_up(&runs, result, diags);
    }
    farm_free_tasks(&plan.farm);
    ct_arena_free(&plan.arena);
    free_streams(work);
    return status;
}

/* On every GPU a run for each replication, and the profiles, for which services are placed as they
 * will be; placements that go by profiles know places only. */
static int count_for_good(const struct cluster_params *params, uint64_t *count,
                          struct ct_diags *diags) {
    struct cluster_work work = {.params = params};
    *count = (uint64_t)params->cluster->gpu_count * params->reps;
    if (!goes_by_profiles(params))
        return CT_OK;
    int status =
        placement_init(params->cluster, params->placement, params->seed, &work.placement, diags);
    if (status == CT_OK)
        status = placement_services(&work.placement, diags);
    if (status == CT_OK)
        status = placement_find_kinds(&work.placement, diags);
    if (status == CT_OK)
        *count += profile_count(&work);
    free_work(&work);
    return status;
}

static int count_on_line(const struct cluster_params *params, uint64_t *count,
                         struct ct_diags *diags) {
    struct cluster_work work = {.params = params};
    struct cluster_result result = {0};
    int status = place_on_line(&work, &result, diags);
    *count = work.stands.list.count * params->reps;
    free_work(&work);
    cluster_result_free(&result);
    return status;
}

int cluster_run_count(const struct cluster_params *params, uint64_t *count,
                      struct ct_diags *diags) {
    return params->cluster->comes_and_goes ? count_on_line(params, count, diags)
                                           : count_for_good(params, count, diags);
}

int cluster_run(const struct cluster_params *params, struct cluster_result *result,
                struct ct_diags *diags) {
    struct cluster_work work = {.params = params};
    *result = (struct cluster_result){0};
    int status = place(&work, result, diags);
    if (status == CT_OK && !params->place_only)
        status = run_gpus(&work, result, diags);
    free_work(&work);
    return status;
}

void cluster_result_free(struct cluster_result *result) {
    fleet_free(&result->fleet);
    ct_arena_free(&result->arena);
    *result = (struct cluster_result){0};
}
