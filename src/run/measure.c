/* What a run leaves behind: latencies, work, utilisation, backlog, checks. */
#include "base/ct_target.h"
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

static ct_time_ps now_of(const struct run *run) {
    return des_engine_now(run->engine);
}

bool measure_start(struct run *run) {
    uint32_t apps = run->setup->app_count;
    run->apps = ct_arena_array(&run->arena, apps, sizeof *run->apps);
    run->result->apps = calloc(apps ? apps : 1, sizeof *run->result->apps);
    run->result->app_count = apps;
    if (!run->apps || !run->result->apps)
        return false;
    for (uint32_t i = 0; i < apps; i++) {
        run->apps[i].result = &run->result->apps[i];
        if (sim_blames(run->params, i))
            run->result->apps[i].slowest.row_length = sim_row_length(apps);
    }
    bool until_first_runs = run->params->jobs_back_to_back == 0;
    for (uint32_t i = 0; i < run->client_count; i++)
        until_first_runs &= run->clients[i].app->spec->stop == WORKLOAD_STOP_FIRST_RUN;
    run->first_runs_left = until_first_runs ? run->client_count : 0;
    for (uint32_t i = 0; i < run->client_count; i++) {
        struct sim_app_result *result = run->apps[run->clients[i].app_index].result;
        if (!ct_vec_push(&result->first_number, 0) || !ct_vec_push(&result->instance_jobs, 0) ||
            !ct_vec_push(&result->instance_work_ps, 0) ||
            !ct_vec_push(&result->instance_sojourn_ps, 0) ||
            !ct_vec_push(&result->first_run_ps, NAN))
            return false;
    }
    return true;
}

/* ---- Jobs in the system over time ---- */

/* Adds the time since the last change of a client to the areas, and the change to the segment that
 * now is in. */
static void count_system(struct run *run, struct run_client *client, int64_t change) {
    struct run_app *app = &run->apps[client->app_index];
    ct_time_ps now = now_of(run);
    double area = (double)client->in_system * (double)(now - client->changed_ps);
    run->measured.system_area_ps += area;
    if (run->measured.in_window)
        app->result->instance_sojourn_ps.items[client->view.instance] += area;
    if (now >= run->measured.begin_ps && now < run->measured.end_ps) {
        double part = (double)(now - run->measured.begin_ps) /
                      (double)(run->measured.end_ps - run->measured.begin_ps);
        size_t segment = (size_t)(part * RUN_SEGMENTS);
        app->growth[segment < RUN_SEGMENTS ? segment : RUN_SEGMENTS - 1] += (double)change;
    }
    app->in_system = (uint64_t)((int64_t)app->in_system + change);
    client->in_system = (uint64_t)((int64_t)client->in_system + change);
    client->changed_ps = now;
}

static void count_systems(struct run *run) {
    for (uint32_t i = 0; i < run->client_count; i++)
        count_system(run, &run->clients[i], 0);
}

/* What arrives in the window is counted. */
static bool count_arrival(struct run *run, struct run_client *client, uint64_t number,
                          ct_time_ps arrival) {
    struct run_app *app = &run->apps[client->app_index];
    if (arrival < run->measured.begin_ps || arrival >= run->measured.end_ps)
        return false;
    app->arrived++;
    bool stage = client->server && client->server->root != client;
    if (!client->any_counted) /* requests overtake each other on their way to a stage */
        client->first_counted = stage ? client->server->root->first_counted : number;
    client->any_counted = true;
    client->counted++;
    client->counted_open++;
    run->measured.counted_open += client->view.role == CT_SERVICE;
    struct sim_app_result *result = app->result;
    result->first_number.items[client->view.instance] = client->first_counted;
    result->instance_jobs.items[client->view.instance] = client->counted;
    return true;
}

void measure_job_arrived(struct run *run, struct run_job *job) {
    count_system(run, job->client, 1);
    job->counted = count_arrival(run, job->client, job->view.number, job->view.arrival_ps);
}

void measure_request_arrived(struct run_client *client, struct batcher_request *request) {
    count_system(client->run, client, 1);
    request->counted = count_arrival(client->run, client, request->number, request->arrival_ps);
}

/* ---- The end of a job ---- */

/* Keeps a job's latency by its number, so that the same job can be compared between runs. */
static void keep_latency(struct run *run, struct run_client *client, uint64_t number,
                         double latency) {
    size_t index = (size_t)(number - client->first_counted);
    while (client->latency.count <= index && !run->failed)
        run_must(run, ct_vec_push(&client->latency, NAN));
    if (!run->failed)
        client->latency.items[index] = latency;
}

/* Notes how old a counted job was when the window ended, with which it had not. */
static void note_cut(struct run *run, struct run_client *client, uint64_t number,
                     ct_time_ps arrival) {
    struct run_cut cut = {number - client->first_counted, run->measured.end_ps - arrival};
    if (now_of(run) >= run->measured.end_ps && arrivals_are_open(&client->app->spec->arrivals))
        run_must(run, ct_vec_push(&client->cut, cut));
}

/* Time from the first issue of a job that ends now. */
static double time_in_service(const struct run *run, const struct run_job *job) {
    ct_time_ps issued =
        job->view.first_issue_ps < 0 ? job->view.first_ready_ps : job->view.first_issue_ps;
    return (double)(now_of(run) - issued);
}

/* The request of a batch that came first, of whom a job's record is; NULL: there is none. */
static const struct batcher_request *oldest_of(const struct run_job *job) {
    const struct batcher_request *oldest = job->requests;
    for (const struct batcher_request *r = oldest; r; r = r->next)
        if (r->arrival_ps < oldest->arrival_ps)
            oldest = r;
    return oldest;
}

/* A job's parts, with what a request of its batch spent before. */
static void add_before(const struct run_job *job, const struct batcher_request *request,
                       const ct_time_ps *parts, ct_time_ps whole[CT_BLAME_COUNT]) {
    memcpy(whole, parts, CT_BLAME_COUNT * sizeof *whole);
    whole[CT_BLAME_STAGES] = request->came_ps - request->arrival_ps;
    whole[CT_BLAME_BATCHER] = job->received_ps - request->came_ps;
}

/* The record of a job that has not ended; `parts` NULL: without blame. */
static struct sim_job_record record_of(const struct run *run, const struct run_job *job,
                                       const ct_time_ps *parts) {
    struct sim_job_record record = {.app = job->client->app_index,
                                    .instance = job->client->view.instance,
                                    .number = job->view.number,
                                    .input_bytes = job->view.input_bytes,
                                    .batch = job->batch,
                                    .arrival_ps = job->view.arrival_ps,
                                    .first_ready_ps = job->view.first_ready_ps,
                                    .first_issue_ps = job->view.first_issue_ps,
                                    .end_ps = -1,
                                    .until_ps = -1,
                                    .delayed_by_ps = parts ? run->culprit_scratch : NULL,
                                    .app_count = run->setup->app_count,
                                    .alone_ps = -1,
                                    .solo_ps = -1};
    if (parts && job->requests)
        add_before(job, oldest_of(job), parts, record.blame_ps);
    else if (parts)
        memcpy(record.blame_ps, parts, sizeof record.blame_ps);
    return record;
}

static void tell_ended(struct run *run, const struct run_job *job, const ct_time_ps *parts) {
    const struct sim_observer *observer = run->params->observer;
    if (!observer || !observer->job_ended)
        return;
    struct sim_job_record record = record_of(run, job, job->client->blamed ? parts : NULL);
    record.end_ps = now_of(run);
    if (job->client->sharing.known) {
        record.alone_ps = job->alone_ps;
        record.solo_ps = job->room->solo.run_ps;
        record.costs_ps = run->costs;
    }
    observer->job_ended(observer->context, &record);
}

/* No longer waited for: measure_end_window no longer counts those of an overloaded service. */
static void close_counted(struct run *run, struct run_client *client) {
    bool given_up = run->draining && run->apps[client->app_index].result->overloaded;
    client->counted_open--;
    run->measured.counted_open -= client->view.role == CT_SERVICE && !given_up;
}

static bool is_late(const struct run_client *client, double latency_ps) {
    return client->qos_ps > 0 && ct_is_beyond(latency_ps, (double)client->qos_ps);
}

/* One that is counted. */
static void count_ended(struct run *run, struct run_client *client,
                        const struct slowest_job *ended) {
    struct run_app *app = &run->apps[client->app_index];
    bool late = is_late(client, (double)ended->latency_ps);
    app->finished_counted++;
    app->longest_ps = fmax(app->longest_ps, (double)ended->latency_ps);
    close_counted(run, client);
    keep_latency(run, client, ended->number, (double)ended->latency_ps);
    note_cut(run, client, ended->number, now_of(run) - ended->latency_ps);
    app->result->late += late;
    app->result->good += !late && !ended->missed;
    if (client->blamed)
        slowest_keep(run, app, ended);
}

/* A job, or a request, that ends; `missed`: a target of its tokens. */
static void count_throughput(struct run *run, const struct run_client *client,
                             ct_time_ps arrival_ps, bool missed) {
    struct sim_app_result *result = run->apps[client->app_index].result;
    ct_time_ps now = now_of(run);
    bool inside = now >= run->measured.begin_ps && now < run->measured.end_ps;
    result->jobs_ended += inside;
    result->good_ended += inside && !missed && !is_late(client, (double)(now - arrival_ps));
}

/* A job, or a request, leaves the application, to which it came at `came`. */
static void leave_system(struct run *run, struct run_client *client, ct_time_ps came) {
    count_system(run, client, -1);
    run->measured.sojourn_ps += (double)(now_of(run) - came);
}

void measure_batch(struct run_client *client, uint64_t size) {
    struct sim_app_result *result = client->run->apps[client->app_index].result;
    while (result->batches.count < (size_t)workload_server_most(client->app->spec->server))
        if (!ct_vec_push(&result->batches, 0)) {
            run_out_of_memory(client->run);
            return;
        }
    result->batches.items[size - 1]++;
}

static void requests_ended(struct run *run, struct run_job *job, const ct_time_ps *parts) {
    struct run_app *app = &run->apps[job->client->app_index];
    ct_time_ps now = now_of(run), whole[CT_BLAME_COUNT];
    for (const struct batcher_request *r = job->requests; r; r = r->next) {
        leave_system(run, job->client, r->came_ps);
        count_throughput(run, job->client, r->arrival_ps, false);
        if (!r->counted)
            continue;
        job->counted = true;
        app->result->queue_ps += (double)(job->received_ps - r->came_ps);
        add_before(job, r, parts, whole);
        count_ended(run, job->client,
                    &(struct slowest_job){.number = r->number,
                                          .latency_ps = now - r->arrival_ps,
                                          .parts = whole,
                                          .alone_ps = job->alone_ps});
    }
    if (job->counted)
        measure_batch(job->client, job->batch);
}

/* What the job did to each sequence of its step. */
static void part_ended(struct run *run, const struct run_job *job, const ct_time_ps *parts) {
    struct run_generation *generation = job->client->server->generation;
    for (struct sequence *s = generation->continuous.running.first; s; s = s->next) {
        struct run_sequence *g = generation_of(s);
        if (s->chunk == 0 || !g->parts)
            continue;
        for (int i = 0; i < CT_BLAME_COUNT; i++)
            g->parts[i] += parts[i];
        for (uint32_t a = 0; a < run->setup->app_count; a++)
            g->delayed_by_ps[a] += run->culprit_scratch[a];
    }
}

static void keep_tokens(struct run_client *client, const struct run_sequence *g) {
    const struct sequence *s = &g->sequence;
    struct sim_tokens *tokens = &client->run->apps[client->app_index].result->tokens;
    bool ok = ct_vec_push(&tokens->first_ps, generation_first_token_ps(g));
    if (s->output > 1)
        ok = ok && ct_vec_push(&tokens->each_ps, generation_each_token_ps(s)) &&
             ct_vec_push(&tokens->longest_ps, (double)s->longest_ps);
    run_must(client->run, ok);
}

/* The parts of a sequence's time until now: in its steps, in earlier stages, and else in the
 * server; who delayed it, into the scratch. 0 without blame. */
static void sequence_parts(struct run *run, const struct run_sequence *g,
                           ct_time_ps whole[CT_BLAME_COUNT]) {
    const struct batcher_request *request = g->request;
    ct_time_ps in_steps = 0;
    memset(whole, 0, CT_BLAME_COUNT * sizeof *whole);
    if (!g->parts)
        return;
    memcpy(run->culprit_scratch, g->delayed_by_ps,
           run->setup->app_count * sizeof *g->delayed_by_ps);
    memcpy(whole, g->parts, CT_BLAME_COUNT * sizeof *whole);
    for (int i = 0; i < CT_BLAME_COUNT; i++)
        in_steps += whole[i];
    whole[CT_BLAME_STAGES] += request->came_ps - request->arrival_ps;
    whole[CT_BLAME_BATCHER] += now_of(run) - request->came_ps - in_steps;
}

void measure_generated(struct run_client *client, const struct run_sequence *g) {
    struct run *run = client->run;
    const struct batcher_request *request = g->request;
    ct_time_ps whole[CT_BLAME_COUNT];
    bool missed = generation_missed_tokens(client, g);
    leave_system(run, client, request->came_ps);
    count_throughput(run, client, request->arrival_ps, missed);
    if (!request->counted)
        return;
    sequence_parts(run, g, whole);
    keep_tokens(client, g);
    count_ended(run, client,
                &(struct slowest_job){.number = request->number,
                                      .latency_ps = now_of(run) - request->arrival_ps,
                                      .parts = whole,
                                      .alone_ps = -1,
                                      .missed = missed});
}

static void count_first_run(struct run *run, const struct run_job *job) {
    struct sim_app_result *result = run->apps[job->client->app_index].result;
    result->first_run_ps.items[job->client->view.instance] =
        (double)(now_of(run) - job->view.arrival_ps);
    run->stopped |= run->first_runs_left > 0 && --run->first_runs_left == 0;
}

void measure_job_ended(struct run *run, struct run_job *job) {
    struct run_client *client = job->client;
    struct run_app *app = &run->apps[client->app_index];
    ct_time_ps now = now_of(run), parts[CT_BLAME_COUNT] = {0};
    app->served++;
    app->served_ps += time_in_service(run, job);
    if (job->first_run)
        count_first_run(run, job);
    if (client->blamed)
        blame_job(run, job, parts, run->culprit_scratch);
    if (client->sharing.known)
        sharing_cost(run, job, parts, run->culprit_scratch, run->costs);
    tell_ended(run, job, parts);
    if (job->requests) {
        requests_ended(run, job, parts);
    } else if (job->generates) {
        part_ended(run, job, parts);
    } else {
        leave_system(run, client, job->view.arrival_ps);
        count_throughput(run, client, job->view.arrival_ps, false);
        if (job->counted)
            count_ended(run, client,
                        &(struct slowest_job){.number = job->view.number,
                                              .latency_ps = now - job->view.arrival_ps,
                                              .parts = parts,
                                              .alone_ps = job->alone_ps});
    }
    if (job->counted)
        run_must(run, ct_vec_push(&app->result->service_ps, time_in_service(run, job)));
}

void measure_request_dropped(struct run_client *client, const struct batcher_request *request,
                             enum sim_drop why, bool had_come) {
    struct run *run = client->run;
    struct run_app *app = &run->apps[client->app_index];
    bool counted = request->counted;
    if (had_come)
        leave_system(run, client, request->came_ps);
    else
        counted = count_arrival(run, client, request->number, request->arrival_ps);
    if (!counted)
        return;
    close_counted(run, client);
    note_cut(run, client, request->number, request->arrival_ps);
    app->result->dropped[why]++;
    app->result->late += client->qos_ps > 0;
}

/* ---- Tasks ---- */

/* The part of an interval that lies inside the window. */
static double inside_window(const struct run *run, ct_time_ps from, ct_time_ps to) {
    ct_time_ps begin = from > run->measured.begin_ps ? from : run->measured.begin_ps,
               end = to < run->measured.end_ps ? to : run->measured.end_ps;
    return end > begin ? (double)(end - begin) : 0;
}

/* Counts so many more running kernels of a client, or fewer. */
static void count_running(struct run_client *client, int64_t change) {
    struct measurement *m = &client->run->measured;
    ct_time_ps now = now_of(client->run);
    if (client->view.role != CT_BATCH || change == 0)
        return;
    if (m->batch_kernels == 0)
        m->batch_since_ps = now;
    m->batch_kernels = (uint32_t)(m->batch_kernels + change);
    if (m->batch_kernels > 0)
        return;
    m->batch_busy_ps += inside_window(client->run, m->batch_since_ps, now);
    m->sums.kernels_ps += (double)(now - m->batch_since_ps);
}

void measure_slice_changed(struct run_client *client, bool has_it) {
    client->stands_still = !has_it;
    count_running(client, has_it ? client->kernels : -(int64_t)client->kernels);
}

void measure_kernel_holds(struct run_task *task, bool holds) {
    int change = (int)holds - (int)task->holds;
    task->holds = holds;
    task->client->kernels += change;
    count_running(task->client, task->client->stands_still ? 0 : change);
}

void measure_task_started(struct run *run, struct run_task *task) {
    run->measured.sums.tasks_started++;
    run->measured.sums.kernels += task->step->kind == TRACE_KERNEL;
}

static void count_work(struct run *run, const struct run_client *client, double work_ps) {
    struct sim_app_result *result = run->apps[client->app_index].result;
    result->work_ps += work_ps;
    result->instance_work_ps.items[client->view.instance] += work_ps;
}

/* Counts the work of tasks under way at the window's begin, or at its end: inside is what a task
 * does after the one and before the other. */
static void count_under_way(void *context, const struct device_task *task, double work_done_ps) {
    struct run *run = context;
    count_work(run, &run->clients[task->client],
               run->measured.in_window ? -work_done_ps : work_done_ps);
}

/* The memory traffic that work on the device, in ps alone, brings with it. */
static void count_demand(struct run *run, const struct device_task *task, double work_ps) {
    if (work_ps > 0)
        run->measured.sums.demanded_bytes +=
            task->demand_bytes_per_s * work_ps / (double)CT_PS_PER_S;
}

static void tell_task(struct run *run, const struct run_task *task) {
    const struct sim_observer *observer = run->params->observer;
    if (!observer || !observer->task_ended)
        return;
    const struct run_trail *t = &task->job->trail[task->position];
    struct sim_task_record record = {task->client->app_index,
                                     task->client->view.instance,
                                     task->job->view.number,
                                     task->position,
                                     task->view.stream,
                                     task->step->kind,
                                     task->step->direction,
                                     task->share,
                                     task->view.function,
                                     (uint64_t)task->device.blocks,
                                     task->device.bytes,
                                     t->launched_ps,
                                     t->ready_ps,
                                     t->issued_ps,
                                     t->queued_ps,
                                     t->head_ps,
                                     task->device.came_ps,
                                     t->ended_ps,
                                     t->work_ps,
                                     &task->view,
                                     task->device.presence,
                                     (uint32_t)run->setup->gpu.sms};
    observer->task_ended(observer->context, &record);
}

void measure_task_ended(struct run *run, struct run_task *task) {
    ct_time_ps from = task->device.started_ps, to = task->device.ended_ps;
    run->measured.sums.tasks_ended++;
    if (run->measured.in_window)
        count_work(run, task->client, task->device.work_ps);
    if (task->job == run->repeats.looked_at)
        repeats_task_ended(run, task);
    measure_kernel_holds(task, false);
    double took = (double)(to - from), *worst = &run->measured.conservation_error_ps;
    double error = task->device.work_ps - took; /* nothing runs faster than alone */
    *worst = error > *worst ? error : *worst;
    if (run->params->blame) {
        double lost = 0;
        for (int i = 0; i < DEVICE_LOSS_COUNT; i++)
            lost += task->device.loss_ps[i];
        error = fabs(took - task->device.work_ps - lost) - 1e-9 * took;
        *worst = error > *worst ? error : *worst;
    }
    if (setup_step_crosses_link(task->step)) {
        run->measured.sums.copied_bytes[task->step->direction] += (double)task->device.bytes;
    } else {
        count_demand(run, &task->device, task->device.work_ps);
    }
    tell_task(run, task);
}

void measure_repeat(struct run *run, const struct run_job *job) {
    const struct run_sums *sums = &job->life->sums;
    repeats_add(&run->measured.sums, sums, 1);
    if (!run->measured.in_window) /* all of it or nothing */
        return;
    run->measured.batch_busy_ps += sums->kernels_ps;
    for (uint64_t i = 0; i < sums->tasks_ended; i++) /* rounded as one by one */
        count_work(run, job->client, job->life->work_ps[i]);
}

/* ---- The window ---- */

struct device_usage measure_usage(const struct run *run) {
    struct run_sums sums = {.usage = device_usage(run->device)};
    repeats_add(&sums, &run->measured.sums, 1);
    return sums.usage;
}

/* measure_usage with what copies under way have moved: half a copy at the edge of the window counts
 * half. */
static struct device_usage measure_usage_now(const struct run *run) {
    struct device_usage usage = measure_usage(run);
    device_watch_copied_bytes(run->device, usage.pcie_bytes);
    usage.pcie_bytes[0] += run->measured.sums.usage.pcie_bytes[0];
    usage.pcie_bytes[1] += run->measured.sums.usage.pcie_bytes[1];
    return usage;
}

static struct run_generation *generation_at(const struct run *run, uint32_t client) {
    const struct run_server *server = run->clients[client].server;
    return server ? server->generation : NULL;
}

void measure_begin_window(struct run *run) {
    struct run_generation *generation;
    for (uint32_t i = 0; i < run->client_count; i++)
        if ((generation = generation_at(run, i)))
            generation->at_begin = generation->continuous.counts;
    run->measured.usage_at_begin = measure_usage_now(run);
    count_systems(run);
    run->measured.in_window = true;
    device_visit_running(run->device, count_under_way, run);
    host_begin_window(run);
}

static void set_utilisation(struct run *run) {
    struct device_usage usage = measure_usage_now(run), *before = &run->measured.usage_at_begin;
    const struct gpu *gpu = &run->setup->gpu;
    double window = (double)(run->measured.end_ps - run->measured.begin_ps),
           seconds = window / (double)CT_PS_PER_S;
    struct sim_result *result = run->result;
    result->window_ps = run->measured.end_ps - run->measured.begin_ps;
    result->sm_utilisation = (usage.sm_ps - before->sm_ps) / window / (double)gpu->sms;
    result->dram_utilisation =
        (usage.dram_bytes - before->dram_bytes) / seconds / (gpu->dram_gb_s * 1e9);
    for (int i = 0; i < 2; i++)
        result->pcie_utilisation[i] =
            (usage.pcie_bytes[i] - before->pcie_bytes[i]) / seconds / (gpu->pcie_mb_s * 1e6);
    result->host_utilisation = host_utilisation(run);
}

static void end_generation(struct run *run, const struct run_client *client) {
    const struct continuous *c = &client->server->generation->continuous;
    const struct continuous_counts *before = &client->server->generation->at_begin;
    struct sim_tokens *tokens = &run->apps[client->app_index].result->tokens;
    tokens->produced += c->counts.produced - before->produced;
    tokens->recomputes += c->counts.recomputes - before->recomputes;
    tokens->swaps += c->counts.swaps - before->swaps;
    tokens->recomputed += c->counts.recomputed - before->recomputed;
    tokens->cache = fmax(tokens->cache, (double)c->highest / (double)c->spec->cache_blocks);
}

void measure_end_window(struct run *run) {
    set_utilisation(run);
    count_systems(run);
    run->measured.in_window = false;
    device_visit_running(run->device, count_under_way, run);
    for (uint32_t i = 0; i < run->client_count; i++)
        if (generation_at(run, i))
            end_generation(run, &run->clients[i]);
    for (uint32_t i = 0; i < run->setup->app_count; i++) {
        struct run_app *app = &run->apps[i];
        app->result->backlog = (double)app->in_system;
        app->result->grows =
            arrivals_are_open(&run->setup->apps[i].spec->arrivals) && overload_is_seen(app);
        app->result->overloaded = app->result->grows;
    }
    for (uint32_t i = 0; i < run->client_count; i++)
        if (run->apps[run->clients[i].app_index].result->overloaded &&
            run->clients[i].view.role == CT_SERVICE)
            run->measured.counted_open -=
                run->clients[i].counted_open; /* no use in waiting for them */
}

/* ---- After the run ---- */

/*
 * Unfinished jobs enter with their age, a lower bound: leaving them out would hide the slowest. A
 * batch application is in the middle of one whenever the run ends: that one stays out, as one like
 * the others, unless it is older than any that ended took; where first runs end the run, always.
 */
static bool enters(const struct run *run, const struct run_client *client, double age) {
    double longest_ps = run->apps[client->app_index].longest_ps;
    return client->view.role == CT_SERVICE || (!run->stopped && longest_ps > 0 && age > longest_ps);
}

static void age_one(struct run *run, struct run_client *client,
                    const struct batcher_request *request, const ct_time_ps *parts) {
    struct run_app *app = &run->apps[client->app_index];
    struct sim_app_result *result = app->result;
    ct_time_ps age = now_of(run) - request->arrival_ps;
    bool late = is_late(client, (double)age);
    run->measured.sojourn_ps += (double)(now_of(run) - request->came_ps);
    if (!request->counted)
        return;
    note_cut(run, client, request->number, request->arrival_ps);
    result->late += late;
    result->undecided += !late;
    if (!enters(run, client, (double)age))
        return;
    result->unfinished++;
    keep_latency(run, client, request->number, (double)age);
    run_must(run, ct_vec_push(&result->aged, result->latency_ps.count +
                                                 (request->number - client->first_counted)));
    if (client->blamed)
        slowest_keep(run, app, &(struct slowest_job){request->number, age, parts, -1, false});
}

/* A job that has not ended, or the requests of its batch. */
static void age_job(struct run *run, struct run_client *client, struct run_job *job) {
    ct_time_ps parts[CT_BLAME_COUNT] = {0}, whole[CT_BLAME_COUNT];
    if (client->blamed)
        blame_unfinished(run, job, parts, run->culprit_scratch);
    for (const struct batcher_request *r = job->requests; r; r = r->next) {
        add_before(job, r, parts, whole);
        age_one(run, client, r, whole);
    }
    if (!job->requests)
        age_one(run, client,
                &(struct batcher_request){.number = job->view.number,
                                          .arrival_ps = job->view.arrival_ps,
                                          .came_ps = job->view.arrival_ps,
                                          .counted = job->counted},
                parts);
}

/* Requests that wait in the server. */
static void age_requests(struct run *run, struct run_client *client,
                         const struct batcher_request *request) {
    memset(run->culprit_scratch, 0, run->setup->app_count * sizeof *run->culprit_scratch);
    for (; request; request = request->next)
        age_one(run, client, request,
                (const ct_time_ps[CT_BLAME_COUNT]){
                    [CT_BLAME_STAGES] = request->came_ps - request->arrival_ps,
                    [CT_BLAME_BATCHER] = now_of(run) - request->came_ps});
}

static void age_sequences(struct run *run, struct run_client *client,
                          const struct sequence_line *line) {
    struct sim_tokens *tokens = &run->apps[client->app_index].result->tokens;
    for (struct sequence *s = line->first; s; s = s->next) {
        const struct run_sequence *g = generation_of(s);
        const struct batcher_request *request = g->request;
        ct_time_ps first = s->first_ps >= 0 ? s->first_ps : now_of(run), whole[CT_BLAME_COUNT];
        sequence_parts(run, g, whole);
        age_one(run, client, request, whole);
        tokens->waiting += request->counted && s->first_ps < 0;
        if (request->counted &&
            !ct_vec_push(&tokens->first_ps, (double)(first - request->arrival_ps)))
            run_out_of_memory(run);
    }
}

static void age_generation(struct run *run, struct run_client *client) {
    const struct continuous *c = &client->server->generation->continuous;
    ct_time_ps parts[CT_BLAME_COUNT];
    for (struct run_job *job = client->first_job; job && client->blamed; job = job->next_job) {
        blame_unfinished(run, job, parts, run->culprit_scratch);
        part_ended(run, job, parts);
    }
    age_sequences(run, client, &c->running);
    age_sequences(run, client, &c->swapped);
    age_sequences(run, client, &c->waiting);
}

/* Whether a request that did not end is told: what enters, and all of an application none of whose
 * jobs has ended. */
static bool is_told(const struct run *run, const struct run_client *client, double age) {
    bool starved = !run->stopped && run->apps[client->app_index].longest_ps == 0;
    return starved || enters(run, client, age);
}

/* Jobs, which are batches of requests where there is a server; not those that arrived after the
 * measured time, which nothing of the run counts. */
static void tell_unfinished(struct run *run, struct run_client *client) {
    const struct sim_observer *observer = run->params->observer;
    if (!observer || !observer->job_unfinished)
        return;
    for (struct run_job *job = client->first_job; job; job = job->next_job) {
        ct_time_ps parts[CT_BLAME_COUNT];
        if (job->view.arrival_ps >= run->measured.end_ps)
            continue;
        bool told = is_told(run, client, (double)(now_of(run) - job->view.arrival_ps));
        if (told && client->blamed)
            blame_unfinished(run, job, parts, run->culprit_scratch);
        struct sim_job_record record = record_of(run, job, told && client->blamed ? parts : NULL);
        record.until_ps = told ? now_of(run) : -1;
        observer->job_unfinished(observer->context, &record);
    }
}

static void age_unfinished(struct run *run, struct run_client *client) {
    if (client->server && client->server->generation && !run->params->jobs_back_to_back) {
        age_generation(run, client);
        return;
    }
    for (struct run_job *job = client->first_job; job; job = job->next_job)
        age_job(run, client, job);
    size_t levels =
        client->server && !client->server->generation ? client->app->spec->server->level_count : 0;
    for (size_t i = 0; i < levels; i++) {
        age_requests(run, client, client->server->batcher.levels[i].fresh.first);
        age_requests(run, client, client->server->batcher.levels[i].expired.first);
    }
}

static bool gather_latencies(struct run *run, struct run_client *client) {
    struct sim_app_result *result = run->apps[client->app_index].result;
    uint64_t all = client->counted;
    if (client->server) /* by the numbers of those that came into the pipeline */
        all = client->server->root->counted;
    result->instance_jobs.items[client->view.instance] = all;
    while (client->latency.count < all)
        if (!ct_vec_push(&client->latency, NAN))
            return false;
    for (size_t i = 0; i < client->cut.count; i++)
        if (!ct_vec_push(&result->cut, result->latency_ps.count + client->cut.items[i].place) ||
            !ct_vec_push(&result->cut_ps, (double)client->cut.items[i].age_ps))
            return false;
    for (size_t i = 0; i < client->latency.count; i++)
        if (!ct_vec_push(&result->latency_ps, client->latency.items[i]))
            return false;
    result->jobs += client->counted;
    return true;
}

static const struct workload_app *app_spec(const struct run *run, const struct run_app *app) {
    return run->setup->apps[app - run->apps].spec;
}

static void finish_app(struct run *run, struct run_app *app) {
    struct sim_app_result *result = app->result;
    /* Where first runs end the run, the others stand in the middle of a job. */
    result->overloaded |= result->unfinished > 0 && result->jobs > 0 &&
                          (!run->stopped || arrivals_are_open(&app_spec(run, app)->arrivals));
    slowest_finish(app);
}

/* Tasks that are still under way when the clock stops, which is noted of them. */
struct tally_running {
    struct run *run;
    uint64_t tasks;
};

static void tally_running(void *context, const struct device_task *task, double work_done_ps) {
    struct tally_running *tally = context;
    tally->tasks++;
    count_demand(tally->run, task, work_done_ps);
    blame_on_device(run_task_of(task));
    run_trail_of(run_task_of(task)->job, run_task_of(task)->position)->work_ps = work_done_ps;
}

bool measure_finish(struct run *run) {
    struct sim_result *result = run->result;
    bool ok = true;
    result->events = des_engine_executed(run->engine) - run->watched + run->measured.sums.events;
    if (result->interrupted && !run->params->keeps_interrupted) /* the rest may take seconds */
        return true;
    if (!run->draining) {
        if (now_of(run) <= run->measured.begin_ps) /* all ended in the warm-up */
            measure_begin_window(run);
        run->measured.end_ps =
            now_of(run) > run->measured.begin_ps ? now_of(run) : run->measured.begin_ps + 1;
        measure_end_window(run);
    }
    struct tally_running running = {run, 0};
    device_settle_losses(run->device);
    device_visit_running(run->device, tally_running, &running);
    if (run->measured.batch_kernels > 0)
        run->measured.batch_busy_ps +=
            inside_window(run, run->measured.batch_since_ps, now_of(run));
    count_systems(run);
    for (uint32_t i = 0; i < run->client_count; i++) {
        struct run_client *client = &run->clients[i];
        age_unfinished(run, client);
        tell_unfinished(run, client);
        ok = gather_latencies(run, client) && ok;
        ct_vec_free(&client->latency);
        ct_vec_free(&client->cut);
    }
    for (uint32_t i = 0; i < run->setup->app_count; i++)
        finish_app(run, &run->apps[i]);
    result->batch_busy_fraction = run->measured.batch_busy_ps / (double)result->window_ps;
    result->stale_events = des_engine_stale(run->engine);
    result->kernels = run->measured.sums.kernels;
    result->decisions = run->log.number;
    result->rejected_verbs = run->rejected;
    result->ended_ps = now_of(run);
    result->broken_law = laws_broken(run, running.tasks);
    result->littles_law_ok = laws_littles_holds(run);
    result->utilisation_law_ok = laws_utilisation_holds(run);
    return ok;
}
