/*
 * Servers whose requests generate tokens: the steps that the continuous batcher forms become jobs
 * of the client. What a step consists of (blocks that are swapped, prompts, sequences that go on)
 * is a job each, one after the other; the step ends with the last of them.
 */
#include "run/run.h"

#include "base/ct_assert.h"
#include "base/ct_target.h"
#include "workload/step_times.h"

#include <math.h>
#include <string.h>

/* ---- Requests ---- */

static struct run_sequence *sequence_new(struct run_client *client) {
    struct run *run = client->run;
    struct run_sequence *g = ct_arena_alloc(&run->arena, sizeof *g);
    if (!g || !client->blamed)
        return g;
    g->parts = ct_arena_array(&run->arena, CT_BLAME_COUNT, sizeof *g->parts);
    g->delayed_by_ps = ct_arena_array(&run->arena, run->setup->app_count, sizeof *g->delayed_by_ps);
    return g->parts && g->delayed_by_ps ? g : NULL;
}

/* Tokens of a request that comes now: from the arrivals' file, or drawn. */
static uint64_t tokens_of(const struct run_client *client, const int64_t *recorded,
                          const struct workload_draw *draw, struct des_stream *stream) {
    enum { MOST = 1000000 };
    if (recorded)
        return (uint64_t)recorded[client->stamp];
    ct_assert(draw->mean > 0); /* a file has one of the two; else all would be of one token */
    return (uint64_t)fmin(fmax(1, nearbyint(arrivals_draw(draw, stream))), MOST);
}

void generation_draw(struct run_client *client, uint64_t *prompt, uint64_t *output) {
    struct run_generation *generation = client->server->generation;
    const struct workload_continuous *spec = generation->continuous.spec;
    const struct workload_arrivals *arrivals = &client->app->spec->arrivals;
    *prompt = tokens_of(client, arrivals->prompts, &spec->prompt_tokens, &generation->prompts);
    *output = tokens_of(client, arrivals->outputs, &spec->output_tokens, &generation->outputs);
}

bool generation_offer(struct run_client *client, struct batcher_request *request, uint64_t prompt,
                      uint64_t output) {
    struct run_generation *generation = client->server->generation;
    struct run_sequence *g = request->generation ? request->generation : sequence_new(client);
    if (!g) {
        run_out_of_memory(client->run);
        return false;
    }
    request->generation = g;
    g->request = request;
    g->sequence.order = client->server->came++;
    g->sequence.prompt = prompt;
    g->sequence.output = output;
    if (g->parts) {
        memset(g->parts, 0, CT_BLAME_COUNT * sizeof *g->parts);
        memset(g->delayed_by_ps, 0, client->run->setup->app_count * sizeof *g->delayed_by_ps);
    }
    if (!continuous_fits(&generation->continuous, &g->sequence))
        return false;
    continuous_offer(&generation->continuous, &g->sequence);
    return true;
}

/* ---- Steps ---- */

/* The law's time of a recorded step's kernels. */
static struct run_part_job step_job(const struct workload_steps *steps, double size, double context,
                                    uint64_t batch) {
    const struct workload_step *nearest = step_times_nearest(steps, size, context);
    return (struct run_part_job){.first = nearest->first,
                                 .jobs = nearest->jobs,
                                 .stretch =
                                     step_times_of(steps, size, context) / nearest->kernel_ps,
                                 .size = 1,
                                 .batch = (uint32_t)batch};
}

static struct run_part_job swap_job(uint32_t job, uint64_t blocks) {
    return (struct run_part_job){.first = job, .jobs = 1, .stretch = 1, .size = (double)blocks};
}

/* How much of a part a step has. */
static uint64_t amount_of(const struct continuous_step *step, int part) {
    const uint64_t amounts[RUN_PARTS] = {step->swapped_out, step->swapped_in, step->prefills,
                                         step->decodes};
    return amounts[part];
}

static struct run_part_job part_job(const struct run_generation *generation, int part) {
    const struct workload_continuous *spec = generation->continuous.spec;
    const struct continuous_step *step = &generation->step;
    uint64_t amount = amount_of(step, part);
    if (part == RUN_PREFILL)
        return step_job(&spec->prefill, (double)step->prefill_tokens, 0, amount);
    if (part == RUN_DECODE)
        return step_job(&spec->decode, (double)amount, (double)step->context / (double)amount,
                        amount);
    return swap_job(spec->swap_job + (part == RUN_SWAP_IN), amount);
}

/* The first part of the step from this one on that is not empty; RUN_PARTS: none is. */
static int part_from(const struct continuous_step *step, int part) {
    while (part < RUN_PARTS && amount_of(step, part) == 0)
        part++;
    return part;
}

/* When the target of a sequence's next token wants it. */
static ct_time_ps token_due(const struct workload_continuous *spec, struct sequence *s) {
    bool first = s->first_ps < 0;
    double target_ms = first ? spec->ttft_ms : spec->tpot_ms;
    ct_time_ps since = first ? generation_of(s)->request->arrival_ps : s->last_ps;
    return target_ms > 0 ? since + ct_time_round(target_ms * (double)CT_PS_PER_MS) : CT_TIME_NEVER;
}

/* Notes whether a request in the step that was formed is counted, and when the step should end. */
static void look_at_step(struct run_generation *generation) {
    const struct continuous *continuous = &generation->continuous;
    generation->counted = false;
    generation->due_ps = CT_TIME_NEVER;
    for (struct sequence *s = continuous->running.first; s; s = s->next) {
        if (s->chunk == 0)
            continue;
        ct_time_ps due = token_due(continuous->spec, s);
        generation->counted |= generation_of(s)->request->counted;
        generation->due_ps = due < generation->due_ps ? due : generation->due_ps;
    }
}

/* What is left until then; 0: no target. Who is late has the least that is one. */
static ct_time_ps target_now(const struct run_generation *generation, ct_time_ps now_ps) {
    if (generation->due_ps == CT_TIME_NEVER)
        return 0;
    return generation->due_ps > now_ps ? generation->due_ps - now_ps : 1;
}

ct_time_ps generation_target(const struct workload_continuous *spec) {
    double least = spec->ttft_ms > 0 && (spec->tpot_ms == 0 || spec->ttft_ms < spec->tpot_ms)
                       ? spec->ttft_ms
                       : spec->tpot_ms;
    return ct_time_round(least * (double)CT_PS_PER_MS);
}

void generation_look(struct run_client *client) {
    struct run_generation *generation = client->server->generation;
    struct continuous *continuous = &generation->continuous;
    if (client->workers_busy > 0)
        return;
    if (generation->part == RUN_PARTS) {
        if (!continuous_form(continuous, &generation->step))
            return;
        generation->part = part_from(&generation->step, RUN_SWAP_OUT);
        look_at_step(generation);
    }
    struct run_part_job job = part_job(generation, generation->part);
    job.counted = generation->counted;
    job.target_ps = target_now(generation, des_engine_now(client->run->engine));
    jobs_arrive(client, NULL, &job);
}

static void step_end(struct run_client *client) {
    struct run_generation *generation = client->server->generation;
    struct sequence *next;
    if (generation->counted)
        measure_batch(client, generation->step.prefills + generation->step.decodes);
    for (struct sequence *s =
             continuous_end(&generation->continuous, des_engine_now(client->run->engine));
         s; s = next) {
        next = s->next;
        measure_generated(client, generation_of(s));
        server_request_ended(client, generation_of(s)->request);
    }
}

void generation_part_ended(struct run_client *client) {
    struct run_generation *generation = client->server->generation;
    generation->part = part_from(&generation->step, generation->part + 1);
    if (generation->part == RUN_PARTS)
        step_end(client);
    server_look_now(client);
}

/* ---- Making ---- */

bool generation_make(struct run_client *client) {
    struct run *run = client->run;
    struct run_generation *generation = ct_arena_alloc(&run->arena, sizeof *generation);
    if (!generation)
        return false;
    run_stream(client, "prompt", &generation->prompts);
    run_stream(client, "output", &generation->outputs);
    generation->part = RUN_PARTS;
    continuous_init(&generation->continuous, client->app->spec->server->continuous);
    client->server->generation = generation;
    return true;
}

/* ---- Targets of tokens ---- */

double generation_first_token_ps(const struct run_sequence *g) {
    return (double)(g->sequence.first_ps - g->request->arrival_ps);
}

double generation_each_token_ps(const struct sequence *s) {
    return s->output > 1 ? (double)(s->last_ps - s->first_ps) / (double)(s->output - 1) : 0;
}

bool generation_missed_tokens(const struct run_client *client, const struct run_sequence *g) {
    const struct workload_continuous *spec = client->app->spec->server->continuous;
    double ttft_ps = spec->ttft_ms * (double)CT_PS_PER_MS,
           tpot_ps = spec->tpot_ms * (double)CT_PS_PER_MS;
    return (ttft_ps > 0 && ct_is_beyond(generation_first_token_ps(g), ttft_ps)) ||
           (tpot_ps > 0 && ct_is_beyond(generation_each_token_ps(&g->sequence), tpot_ps));
}
