/*
 * Servers: requests come, wait in a batcher, and become jobs; what has been done goes to the stages
 * behind. Requests of one instant are all in the batcher before it is looked at, and those that
 * expire in an instant may still be run in it.
 */
#include "run/run.h"

/* ---- What is drawn for a request ---- */

/* Draws the priority of a request by the weights of the levels. */
static uint32_t draw_level(struct run_client *client) {
    const struct workload_server *spec = client->app->spec->server;
    double sum = 0;
    if (spec->level_count == 1)
        return 0;
    for (size_t i = 0; i < spec->level_count; i++)
        sum += spec->levels[i].weight;
    double draw = sum * des_stream_uniform(&client->server->levels);
    uint32_t level = 0;
    while (level + 1 < spec->level_count && draw >= spec->levels[level].weight)
        draw -= spec->levels[level++].weight;
    return level;
}

/* Whether its requests come from other servers. */
static bool is_stage(const struct run_client *client) {
    return client->server && client->server->root != client;
}

/* What chance says of a request that comes now, whether it is let in or not. */
static void draw_arrival(struct run_client *client, struct run_draws *draws) {
    draws->level = draw_level(client);
    if (client->server->generation)
        generation_draw(client, &draws->prompt, &draws->output);
}

static void draw_request(struct run_client *stage, struct run_draws *draws) {
    draw_arrival(stage, draws);
    if (!stage->server->generation && stage->app->spec->server->max_batch == 1)
        draws->job = jobs_draw(stage, 1);
}

const struct run_draws *server_draws(const struct run_client *client,
                                     const struct batcher_request *request) {
    return is_stage(client) ? &request->flow->draws[client->server->stage] : NULL;
}

/* ---- Storage ---- */

static struct batcher_request *request_new(struct run_client *client) {
    struct batcher_request *request = client->server->free;
    if (request)
        client->server->free = request->next;
    else
        request = ct_arena_alloc(&client->run->arena, sizeof *request);
    if (request)
        *request = (struct batcher_request){.came_ps = des_engine_now(client->run->engine),
                                            .expires_ps = CT_TIME_NEVER,
                                            .generation = request->generation};
    else
        run_out_of_memory(client->run);
    return request;
}

/* One that is not in the server any more; nobody else may hold its flow. */
static void request_free(struct run_client *client, struct batcher_request *request) {
    struct run_server *server = client->server;
    struct run_flow *flow = request->flow;
    request->next = server->free;
    server->free = request;
    if (!flow || --flow->holders > 0)
        return;
    flow->next = server->root->server->free_flows;
    server->root->server->free_flows = flow;
}

/* A request's flow through the stages, with nothing in it; NULL: out of memory. */
static struct run_flow *flow_alloc(struct run_client *root) {
    struct run *run = root->run;
    struct run_flow *flow = ct_arena_alloc(&run->arena, sizeof *flow);
    if (!flow)
        return NULL;
    uint32_t stages = root->server->stage_count;
    flow->missing = ct_arena_array(&run->arena, stages, sizeof *flow->missing);
    flow->draws = ct_arena_array(&run->arena, stages, sizeof *flow->draws);
    return flow->missing && flow->draws ? flow : NULL;
}

/* The flow of a request that comes to the first server of a pipeline, with what is drawn for it at
 * the stages: it has its number now, whatever becomes of others. NULL: out of memory. */
static struct run_flow *flow_new(struct run_client *root) {
    const struct run_server *server = root->server;
    struct run_flow *flow = server->free_flows;
    if (flow)
        root->server->free_flows = flow->next;
    else if (!(flow = flow_alloc(root))) {
        run_out_of_memory(root->run);
        return NULL;
    }
    flow->holders = 0;
    for (uint32_t i = 0; i < server->stage_count; i++) {
        flow->missing[i] = server->stages[i]->server->feeder_count;
        draw_request(server->stages[i], &flow->draws[i]);
    }
    return flow;
}

/* ---- Looking ---- */

static void look(void *context, uint64_t argument);

/* Looks again then, unless it does so before. */
static void plan_look(struct run_client *client, ct_time_ps at) {
    struct run_server *server = client->server;
    struct run *run = client->run;
    if (at == CT_TIME_NEVER || (server->look && server->look_ps <= at))
        return;
    server->look_ps = at;
    if (server->look)
        des_event_reschedule(run->engine, server->look, at);
    else
        server->look = des_event_schedule(run->engine, at, DES_RANK_TIMER, look, client, 0);
    run_must(run, server->look);
}

/* More refusals than this in one instant do not end: more clients than a workload may have. */
enum { REFUSALS_MOST = 1000000 };

/* A closed client that does not think asks again in the instant in which it is refused. */
static void count_refusal(struct run_client *client) {
    struct run_server *server = client->server;
    struct run *run = client->run;
    ct_time_ps now = des_engine_now(run->engine);
    server->refused = server->refused_ps == now ? server->refused + 1 : 1;
    server->refused_ps = now;
    if (server->refused <= REFUSALS_MOST || run->failed)
        return;
    ct_error(
        run->diags, client->app->spec->name,
        "its clients ask again at once when they are refused, and time stands still: give them "
        "'think_ms', or let the server take as many requests as there are clients");
    run->failed = CT_USAGE;
}

static void drop(struct run_client *client, struct batcher_request *request, enum sim_drop why,
                 bool had_come) {
    client->server->inside -= had_come;
    if (!had_come && !arrivals_are_open(&client->app->spec->arrivals))
        count_refusal(client);
    measure_request_dropped(client, request, why, had_come);
    request_free(client, request);
    jobs_successor(client);
}

static void look(void *context, uint64_t argument) {
    struct run_client *client = context;
    struct run_server *server = client->server;
    ct_time_ps now = des_engine_now(client->run->engine), again = CT_TIME_NEVER;
    struct batcher_request *batch, *next;
    (void)argument;
    server->look = 0;
    if (server->generation) {
        generation_look(client);
        return;
    }
    while (client->workers_busy < (uint32_t)client->app->spec->workers &&
           (batch = batcher_form(&server->batcher, now, &again)) && !client->run->failed)
        jobs_arrive(client, batch, NULL);
    for (struct batcher_request *late = batcher_expire(&server->batcher, now); late; late = next) {
        next = late->next;
        drop(client, late, SIM_DROP_TIMEOUT, true);
    }
    plan_look(client, again);
    plan_look(client, batcher_next_expiry(&server->batcher));
}

/* ---- Coming and going ---- */

/* A request of this number, which came into its pipeline at `arrival`. */
static void come(struct run_client *client, uint64_t number, ct_time_ps arrival,
                 struct run_flow *flow) {
    struct run_server *server = client->server;
    uint64_t most = (uint64_t)client->app->spec->server->max_requests;
    struct batcher_request *request = request_new(client);
    struct run_draws draws = {0};
    if (!request)
        return;
    request->number = number;
    request->arrival_ps = arrival;
    request->flow = flow;
    if (is_stage(client))
        draws = *server_draws(client, request);
    else
        draw_arrival(client, &draws);
    request->level = draws.level;
    if (flow)
        flow->holders++;
    if (most && server->inside >= most) {
        drop(client, request, SIM_DROP_LIMIT, false);
    } else if (server->generation &&
               !generation_offer(client, request, draws.prompt, draws.output)) {
        drop(client, request, SIM_DROP_LENGTH, false);
    } else if (!server->generation && !batcher_offer(&server->batcher, request)) {
        drop(client, request, SIM_DROP_QUEUE, false);
    } else {
        server->inside++;
        measure_request_arrived(client, request);
        plan_look(client, request->came_ps);
    }
}

void server_arrival(struct run_client *client) {
    struct run_server *server = client->server;
    struct run_flow *flow = server->feeds_count ? flow_new(client) : NULL;
    if (!client->run->failed)
        come(client, server->numbered++, des_engine_now(client->run->engine), flow);
}

/* Passes a request on to the stages of which this one was the last that they waited for. */
static void pass_on(struct run_client *client, const struct batcher_request *request) {
    struct run_server *server = client->server;
    for (uint32_t i = 0; i < server->feeds_count; i++) {
        struct run_client *next = server->feeds[i];
        if (--request->flow->missing[next->server->stage] == 0)
            come(next, request->number, request->arrival_ps, request->flow);
    }
}

void server_request_ended(struct run_client *client, struct batcher_request *request) {
    client->server->inside--;
    pass_on(client, request);
    request_free(client, request);
    jobs_successor(client);
}

void server_look_now(struct run_client *client) {
    plan_look(client, des_engine_now(client->run->engine));
}

void server_batch_ended(struct run_client *client, struct run_job *job) {
    struct batcher_request *next;
    for (struct batcher_request *request = job->requests; request; request = next) {
        next = request->next;
        server_request_ended(client, request);
    }
    server_look_now(client);
}

/* ---- Making ---- */

static bool make_one(struct run *run, struct run_client *client) {
    const struct workload_app *spec = client->app->spec;
    struct run_server *server = ct_arena_alloc(&run->arena, sizeof *server);
    if (!server)
        return false;
    run_stream(client, "level", &server->levels);
    server->root = client;
    server->feeds = ct_arena_array(&run->arena, run->client_count, sizeof *server->feeds);
    server->stages = ct_arena_array(&run->arena, run->client_count, sizeof *server->stages);
    client->server = server;
    return server->feeds && server->stages &&
           (spec->server->continuous ? generation_make(client)
                                     : batcher_init(&server->batcher, spec->server, &run->arena));
}

/* The client of an application that has this number among its instances; NULL: not in the run. */
static struct run_client *instance_of(struct run *run, uint32_t app, uint32_t instance) {
    for (uint32_t i = 0; i < run->client_count; i++)
        if (run->clients[i].app_index == app && run->clients[i].view.instance == instance)
            return &run->clients[i];
    return NULL;
}

static void connect(struct run *run, struct run_client *client) {
    const struct workload_arrivals *arrivals = &client->app->spec->arrivals;
    for (size_t i = 0; i < arrivals->after.count; i++) {
        struct run_client *feeder = instance_of(run, arrivals->feeders[i], client->view.instance);
        if (!feeder) /* this one runs on its own */
            continue;
        feeder->server->feeds[feeder->server->feeds_count++] = client;
        client->server->feeder_count++;
    }
}

/* The first of what feeds it, and what feeds that one. */
static struct run_client *root_of(struct run *run, struct run_client *client) {
    while (client->server->feeder_count)
        client = instance_of(run, client->app->spec->arrivals.feeders[0], client->view.instance);
    return client;
}

/* `client` gets its requests from this root, which may be itself. */
static void join(struct run_client *root, struct run_client *client) {
    struct run_server *first = root->server;
    client->server->root = root;
    if (root == client)
        return;
    client->server->stage = first->stage_count;
    first->stages[first->stage_count++] = client;
}

bool server_make(struct run *run) {
    for (uint32_t i = 0; i < run->client_count; i++)
        if (run->clients[i].app->spec->server && !make_one(run, &run->clients[i]))
            return false;
    if (run->params->jobs_back_to_back)
        return true;
    for (uint32_t i = 0; i < run->client_count; i++)
        if (run->clients[i].server)
            connect(run, &run->clients[i]);
    for (uint32_t i = 0; i < run->client_count; i++)
        if (run->clients[i].server)
            join(root_of(run, &run->clients[i]), &run->clients[i]);
    return true;
}
