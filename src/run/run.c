#include "run/run.h"

#include "base/ct_option_value.h"
#include "base/ct_text.h"
#include "models/device/contention.h"
#include "policies/named_values.h"
#include "policies/policies.h"
#include "workload/setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void run_out_of_memory(struct run *run) {
    if (!run->failed)
        run->failed = ct_out_of_memory(run->diags);
}

/* ---- The window ---- */

/* An event that only looks at the clock: it cannot bring a stalled run back to life. */
static bool schedule_mark(struct run *run, ct_time_ps at, des_action *action) {
    run->marks++;
    return des_event_schedule(run->engine, at, DES_RANK_STATISTICS, action, run, 0);
}

static void on_window_begin(void *context, uint64_t argument) {
    struct run *run = context;
    (void)argument;
    run->marks--;
    measure_begin_window(run);
}

static void on_limit(void *context, uint64_t argument) {
    struct run *run = context;
    (void)argument;
    run->marks--;
    run->cut_off = true;
}

static void on_window_end(void *context, uint64_t argument) {
    struct run *run = context;
    (void)argument;
    run->marks--;
    measure_end_window(run);
    run->draining = true;
    if (run->measured.limit_ps != CT_TIME_NEVER &&
        !schedule_mark(run, run->measured.limit_ps, on_limit))
        run_out_of_memory(run);
}

static void on_dump(void *context, uint64_t argument) {
    struct run *run = context;
    (void)argument;
    run->marks--;
    if (!run->policy->dump)
        return;
    policy_watch_enter(run->watch, "dump", des_engine_now(run->engine));
    run->policy->dump(&run->context.view);
    policy_watch_leave(run->watch);
}

/* ---- Making a run ---- */

void run_stream(const struct run_client *client, const char *purpose, struct des_stream *stream) {
    const struct sim_params *p = client->run->params;
    char name[256];
    snprintf(name, sizeof name, "%s#%u", client->view.name,
             p->only_instance + client->view.instance);
    des_stream_init(stream, p->seed, p->replication, purpose, name);
}

static bool client_make(struct run *run, struct run_client *client, uint32_t app,
                        uint32_t instance) {
    const struct sim_params *p = run->params;
    const struct workload_app *spec = run->setup->apps[app].spec;
    char name[256];
    uint32_t number = p->only_instance + instance;
    if (number == 0)
        snprintf(name, sizeof name, "%s", spec->name);
    else
        snprintf(name, sizeof name, "%s#%u", spec->name, number);
    client->run = run;
    client->app = &run->setup->apps[app];
    client->app_index = app;
    client->blamed = sim_blames(p, app);
    client->stands_still = run->policy->sharing == CT_SHARING_TIMESLICE;
    client->keeps_trails = client->blamed || (p->observer && p->observer->task_ended);
    client->first_stream = run->stream_count;
    client->stream_count =
        client->app->stream_count *
        (spec->worker_streams == WORKLOAD_STREAMS_OWN ? (uint32_t)spec->workers : 1);
    run->stream_count += client->stream_count;
    client->view.index = run->client_count++;
    client->view.name = spec->name;
    client->view.instance = instance;
    client->view.role = spec->role;
    client->view.priority = (int32_t)spec->priority;
    client->view.np_target = spec->np_target;
    client->qos_ps = ct_time_round(spec->qos_ms * (double)CT_PS_PER_MS);
    client->view.qos_ps = spec->server && spec->server->continuous
                              ? generation_target(spec->server->continuous)
                              : client->qos_ps;
    client->view.cap = CT_SHARE_FULL;
    client->view.scratch = ct_arena_alloc(&run->arena, run->policy->client_size);
    client->streams = ct_arena_array(&run->arena, client->stream_count, sizeof *client->streams);
    client->works = ct_arena_array(&run->arena, (size_t)spec->workers, sizeof *client->works);
    arrivals_init(&client->arrivals, &spec->arrivals, p->seed, p->replication, name);
    des_stream_init(&client->choice, p->seed, p->replication, "job", name);
    des_stream_init(&client->sizes, p->seed, p->replication, "size", name);
    des_stream_init(&client->durations, p->seed, p->replication, "duration", name);
    return client->view.scratch && client->streams && client->works;
}

uint32_t sim_instances(const struct sim_params *params, uint32_t app) {
    const struct workload_app *spec = params->setup->apps[app].spec;
    bool alone = params->only_app != SIM_ALL_APPS;
    const bool *before = alone ? params->setup->apps[params->only_app].spec->arrivals.before : NULL;
    if (alone)
        return params->only_app == app || (before && !params->jobs_back_to_back && before[app]);
    return params->batch_only && spec->role != CT_BATCH ? 0 : (uint32_t)spec->instances;
}

static bool make_clients(struct run *run) {
    const struct sim_params *p = run->params;
    uint32_t count = 0;
    for (uint32_t a = 0; a < run->setup->app_count; a++)
        count += sim_instances(p, a);
    run->clients = ct_arena_array(&run->arena, count, sizeof *run->clients);
    run->asked = ct_arena_array(&run->arena, run->setup->question_count, sizeof *run->asked);
    if (p->predictor)
        run->answers = ct_arena_array(&run->arena, (size_t)run->setup->question_count * RUN_ANSWERS,
                                      sizeof *run->answers);
    run->culprit_scratch = ct_arena_array(&run->arena, run->setup->app_count, sizeof(double));
    run->free_jobs = ct_arena_array(&run->arena, run->setup->app_count, sizeof *run->free_jobs);
    run->free_rooms = ct_arena_array(&run->arena, run->setup->app_count, sizeof *run->free_rooms);
    if (!run->clients || !run->culprit_scratch || !run->free_jobs || !run->free_rooms ||
        !run->asked || (p->predictor && !run->answers))
        return false;
    run->each_once = true;
    for (uint32_t a = 0; a < run->setup->app_count; a++) {
        uint32_t instances = sim_instances(p, a);
        run->each_once &= instances == 1;
        for (uint32_t i = 0; i < instances; i++)
            if (!client_make(run, &run->clients[run->client_count], a, i))
                return false;
    }
    return server_make(run);
}

/* Whether a client's pending blocks go after another's: services first, as under `priority`. */
static bool goes_after(const struct ct_client *client, const struct ct_client *other) {
    if (client->role != other->role)
        return client->role != CT_SERVICE;
    return client->priority < other->priority;
}

/* Whether kernels wait for answers of a memory that takes longer under load. */
static bool waits_for_memory(const struct setup *setup) {
    if (setup->gpu.dram_latency_growth == 0)
        return false;
    for (uint32_t a = 0; a < setup->app_count; a++)
        for (size_t k = 0; setup->apps[a].trace && k < setup->apps[a].trace->kernels.count; k++)
            if (setup->apps[a].profiles[k].latency_fraction > 0)
                return true;
    return false;
}

/* What the device is to know of each client: its factors of contention, its streams where it has a
 * context to itself, and how many go after it where the policy wants pending blocks in that order.
 * False: out of memory. */
static bool describe_clients(struct run *run, struct device_config *config) {
    const bool owns = run_has_contexts(run), ordered = run->policy->needs & CT_NEED_BLOCK_ORDER;
    const uint32_t count = run->client_count;
    struct contention_app *contention = ct_arena_array(&run->arena, count, sizeof *contention);
    uint32_t *contexts = owns ? ct_arena_array(&run->arena, count, sizeof *contexts) : NULL;
    int32_t *priorities = ordered ? ct_arena_array(&run->arena, count, sizeof *priorities) : NULL;
    if (!contention || (owns && !contexts) || (ordered && !priorities))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        contention[i] = setup_contention_of(run->setup, run->clients[i].app);
        if (owns)
            contexts[i] = run->clients[i].stream_count;
        for (uint32_t j = 0; ordered && j < count; j++)
            priorities[i] += goes_after(&run->clients[j].view, &run->clients[i].view);
    }
    config->contention = contention;
    config->contexts = contexts;
    config->priorities = priorities;
    return true;
}

static bool make_device(struct run *run) {
    if (run->policy->needs & CT_NEED_SLICES)
        run->sliced.count = gpu_slices(run->setup->gpu.mig, run->setup->gpu.sms, "gpu",
                                       run->sliced.profiles, run->diags);
    struct device_config config = {.gpu = &run->setup->gpu,
                                   .fidelity = (enum device_fidelity)run->setup->workload->fidelity,
                                   .slices = run->sliced.count > 0,
                                   .sharing = (enum ct_sharing)run->policy->sharing,
                                   .clients = run->client_count,
                                   .streams = run->stream_count,
                                   .hw_queues = run->setup->hw_queues,
                                   .waits_for_memory = waits_for_memory(run->setup),
                                   .blame = run->params->blame};
    if (!describe_clients(run, &config))
        return false;
    const struct sim_observer *observer = run->params->observer;
    bool watched = observer && observer->blocks_moved && config.fidelity == DEVICE_BLOCK;
    struct device_listener listener = device_news(run, watched);
    run->device = device_new(run->engine, &config, &listener, &run->arena);
    return run->device;
}

static bool make_run(struct run *run) {
    const struct sim_params *p = run->params;
    run->engine = des_engine_new();
    run->context.run = run;
    run->context.view.host = &policy_host;
    run->context.view.options = ct_arena_alloc(&run->arena, run->policy->options_size);
    run->context.view.state = ct_arena_alloc(&run->arena, run->policy->state_size);
    if (!run->engine || !run->context.view.options || !run->context.view.state)
        return false;
    if (run->policy->options_size && p->policy_options)
        memcpy(run->context.view.options, p->policy_options, run->policy->options_size);
    des_stream_init(&run->draws, p->seed, p->replication, "policy", run->policy->name);
    run->measured.begin_ps = p->warmup_ps;
    run->measured.end_ps = p->duration_ps;
    /* A drain that takes as long as the run itself has no end in sight. */
    run->measured.limit_ps =
        p->duration_ps > CT_TIME_NEVER / 2 ? CT_TIME_NEVER : 2 * p->duration_ps;
    run->pool.passes_all = !run->policy->decide && !run->policy->rank;
    while (run->policy->reasons && run->policy->reasons[run->reason_count].key)
        run->reason_count++;
    policy_open(run);
    return make_clients(run) && sharing_open(run) && host_init(run) && repeats_open(run) &&
           ready_prepare(run) && make_device(run) && measure_start(run);
}

/* ---- The loop ---- */

static void set_caps(struct run *run) {
    for (uint32_t i = 0; i < run->client_count && run->params->cap; i++) {
        run->clients[i].view.cap = run->params->cap;
        device_set_cap(run->device, i, run->params->cap);
    }
}

static void start_policy(struct run *run) {
    const struct ct_policy *policy = run->policy;
    if (policy->init) {
        policy_enter(run, "init");
        bool ok = policy->init(&run->context.view);
        if (!ok)
            policy_fault(run, "init refused to run");
        policy_leave(run);
    }
    for (uint32_t i = 0; i < run->client_count && policy->client_join && !run->failed; i++) {
        policy_enter(run, "client_join");
        policy->client_join(&run->context.view, &run->clients[i].view);
        policy_leave(run);
    }
}

static void schedule_clock(struct run *run) {
    run_mark(run, run->measured.begin_ps, on_window_begin, run, 0);
    run_mark(run, run->measured.end_ps, on_window_end, run, 0);
    if (run->params->dump_at_ps != CT_TIME_NEVER)
        run_mark(run, run->params->dump_at_ps, on_dump, run, 0);
}

/* Ready work, an idle device, and nothing to come but the marks of the clock. */
static bool is_stalled(const struct run *run) {
    return run->pool.first && device_is_idle(run->device) &&
           des_engine_pending(run->engine) <= run->marks;
}

void run_loop(struct run *run) {
    const struct sim_params *params = run->params;
    while (!run->failed && !run->stopped) {
        for (uint32_t events = 0; events < SIM_QUESTION_EVERY; events++) {
            if (is_stalled(run) && !policy_reconsider(run)) {
                policy_fault(run, "stalled: ready work, an idle device, nothing pending");
                return;
            }
            if (!des_engine_step(run->engine))
                return;
            if (run->failed || run->stopped || run->at_gate || run->cut_off ||
                (!run->fed && run_is_drained(run)))
                return;
        }
        double part = fmin(1, (double)des_engine_now(run->engine) / (double)run->measured.end_ps);
        if (params->interrupted && params->interrupted(params->interrupt_context, part)) {
            run->result->interrupted = true;
            return;
        }
    }
}

static void finish_policy(struct run *run) {
    const struct ct_policy *policy = run->policy;
    for (uint32_t i = 0; i < run->client_count && policy->client_leave; i++) {
        policy_enter(run, "client_leave");
        policy->client_leave(&run->context.view, &run->clients[i].view);
        run->verbs.count = 0;
        policy_leave(run);
    }
    policy_watch_enter(run->watch, "report", des_engine_now(run->engine));
    if (policy->report)
        policy->report(&run->context.view);
    policy_watch_enter(run->watch, "fini", des_engine_now(run->engine));
    if (policy->fini)
        policy->fini(&run->context.view);
    policy_watch_leave(run->watch);
}

static void free_run(struct run *run) {
    des_engine_free(run->engine);
    host_free(run);
    ct_vec_free(&run->free_tasks);
    slab_free(&run->tasks);
    slab_free(&run->jobs);
    for (uint32_t i = 0; run->free_jobs && i < run->setup->app_count; i++)
        ct_vec_free(&run->free_jobs[i]);
    ct_vec_free(&run->verbs);
    ct_vec_free(&run->notes);
    for (uint32_t i = 0; i < run->client_count; i++) {
        ct_vec_free(&run->clients[i].latency);
        ct_vec_free(&run->clients[i].cut);
    }
    ct_arena_free(&run->arena);
}

void run_begin(struct run *run, const struct sim_params *params, struct sim_result *result,
               struct ct_diags *diags) {
    *run = (struct run){.params = params,
                        .setup = params->setup,
                        .policy = params->policy,
                        .result = result,
                        .diags = diags,
                        .tasks = slab_of(sizeof(struct run_task)),
                        .jobs = slab_of(sizeof(struct run_job))};
    *result = (struct sim_result){0};
    run->watch =
        policy_watch_begin(params->watch, params->policy->name, params->seed, params->replication);
    run_must(run, make_run(run));
    if (!run->failed)
        start_policy(run);
    if (!run->failed) {
        set_caps(run);
        looks_start(run);
        schedule_clock(run);
        sampler_start(run);
        jobs_start(run);
    }
}

int run_end(struct run *run) {
    if (!run->failed && run->policy)
        finish_policy(run);
    if (!run->failed && !measure_finish(run))
        run_out_of_memory(run);
    policy_watch_end(run->watch);
    free_run(run);
    if (run->failed)
        sim_result_free(run->result);
    return run->failed;
}

/* Says why a state that somebody wanted to see was not printed. */
static void note_dump(const struct run *run) {
    ct_time_ps at = run->params->dump_at_ps, now = des_engine_now(run->engine);
    if (at == CT_TIME_NEVER || run->result->interrupted)
        return;
    if (!run->policy->dump)
        ct_notice(run->diags, run->policy->name, "has no state to print");
    else if (now < at)
        ct_notice(run->diags, run->policy->name,
                  "no state is printed at %g s: the run is over after %.6g s", ct_time_s(at),
                  ct_time_s(now));
}

int sim_run(const struct sim_params *params, struct sim_result *result, struct ct_diags *diags) {
    struct run run;
    run_begin(&run, params, result, diags);
    if (!run.failed)
        run_loop(&run);
    if (!run.failed)
        note_dump(&run);
    return run_end(&run);
}

struct sim_params sim_back_to_back(const struct setup *alone, uint64_t seed, uint64_t replication,
                                   uint64_t jobs) {
    return (struct sim_params){.setup = alone,
                               .policy = &policy_mps,
                               .seed = seed,
                               .replication = replication,
                               .jobs_back_to_back = jobs,
                               .duration_ps = CT_TIME_NEVER / 4,
                               .dump_at_ps = CT_TIME_NEVER};
}

bool sim_blames(const struct sim_params *params, uint32_t app) {
    bool service = params->setup->apps[app].spec->role == CT_SERVICE;
    return params->blame && (service || !params->blame_services);
}

/* "'profiles': GPU 'h100' has no profile '1g.5gb', but 1g.10gb, 1g.20gb, 2g.20gb" */
static void check_profile(const struct gpu *gpu, const char *option,
                          const struct named_value *entry, struct ct_diags *diags) {
    struct gpu_slice slices[GPU_SLICES_MOST];
    const char *names[GPU_SLICES_MOST];
    char list[CT_HINT_BYTES];
    size_t count = gpu_slices(gpu->mig, gpu->sms, "gpu", slices, diags);
    if (gpu_slice_find(slices, count, entry->value, entry->value_length) < count)
        return;
    for (size_t i = 0; i < count; i++)
        names[i] = slices[i].name;
    ct_text_join(list, sizeof list, names, count);
    ct_error(diags, "policy", "'%s': GPU '%s' has no profile '%.*s', but %s", option, gpu->name,
             (int)entry->value_length, entry->value, list);
}

static void check_profiles(const struct ct_policy *policy, const void *options,
                           const struct gpu *gpu, struct ct_diags *diags) {
    for (const struct ct_option *o = policy->options; o && o->name; o++) {
        if (o->kind != CT_OPTION_BY_APP || strcmp(o->unit, "profile") != 0)
            continue;
        const char *rest = ct_option_text(o, options);
        for (struct named_value entry; named_value_next(&rest, &entry);)
            if (entry.value)
                check_profile(gpu, o->name, &entry, diags);
    }
}

int sim_check_needs(const struct ct_policy *policy, const void *options, const struct gpu *gpu,
                    struct ct_diags *diags) {
    size_t before = diags->errors;
    if (policy->needs & CT_NEED_PREEMPTION)
        ct_error(
            diags, "policy",
            "policy '%s' needs to preempt single kernels, which no device here can: SMs change "
            "hands by 'repartition' alone",
            policy->name);
    if (policy->needs & CT_NEED_SLICES && policy->sharing != CT_SHARING_PARTITION)
        ct_error(diags, "policy",
                 "policy '%s' needs slices of SMs and memory (MIG), which go with the sharing "
                 "CT_SHARING_PARTITION alone",
                 policy->name);
    if (policy->needs & CT_NEED_SLICES && !*gpu->mig)
        ct_error(diags, "policy",
                 "policy '%s' needs slices of SMs and memory (MIG), which GPU '%s' does not have",
                 policy->name, gpu->name);
    else if (options)
        check_profiles(policy, options, gpu, diags);
    return diags->errors == before ? CT_OK : CT_USAGE;
}

void sim_result_free(struct sim_result *result) {
    for (uint32_t i = 0; result->apps && i < result->app_count; i++) {
        struct sim_app_result *app = &result->apps[i];
        ct_vec_free(&app->latency_ps);
        ct_vec_free(&app->aged);
        ct_vec_free(&app->cut);
        ct_vec_free(&app->cut_ps);
        ct_vec_free(&app->first_number);
        ct_vec_free(&app->instance_jobs);
        ct_vec_free(&app->first_run_ps);
        ct_vec_free(&app->service_ps);
        ct_vec_free(&app->batches);
        ct_vec_free(&app->tokens.first_ps);
        ct_vec_free(&app->tokens.each_ps);
        ct_vec_free(&app->tokens.longest_ps);
        ct_vec_free(&app->instance_work_ps);
        ct_vec_free(&app->instance_sojourn_ps);
        ct_vec_free(&app->slowest.rows);
    }
    free(result->apps);
    ct_vec_free(&result->counters);
    *result = (struct sim_result){0};
}
