/* The key `continuous` of a server, and the recordings of its steps, which become the application's
 * trace: steps of prompts, steps that generate, a block that is swapped out, and one that comes
 * back. */
#include "base/ct_sort.h"
#include "workload/step_times.h"
#include "workload/workload_reader.h"

#include <stdlib.h>
#include <string.h>

/* ---- The object ---- */

static void read_steps(struct workload_reader *reader, const json_t *object, const char *key,
                       const struct workload_key *keys, struct workload_steps *steps) {
    if (!json_object_get(object, key))
        return;
    workload_steps_read(reader, object, key, keys, steps);
    if (!steps->count && json_is_array(json_object_get(object, key)))
        workload_mistake(reader, key, "'%s' is empty: no step is known", key);
    if (steps->count <= STEP_TIMES_MOST)
        return;
    workload_mistake(reader, key, "%zu steps, of at most %d", steps->count, STEP_TIMES_MOST);
    steps->count = STEP_TIMES_MOST;
}

static void check_numbers(struct workload_reader *reader, const struct workload_continuous *c) {
    if (c->max_tokens < c->max_sequences)
        workload_mistake(reader, "max_tokens",
                         "%lld is below 'max_sequences', %lld, which generate a token each",
                         (long long)c->max_tokens, (long long)c->max_sequences);
    if (c->preemption == WORKLOAD_PREEMPT_SWAP && !c->block_bytes)
        workload_mistake(reader, "block_bytes", "swapping copies blocks: give their bytes");
    if (c->preemption != WORKLOAD_PREEMPT_SWAP && c->swap_blocks)
        ct_warning(reader->place.diags, json_place_member(&reader->place, "swap_blocks"),
                   "'swap_blocks' changes nothing: 'preemption' is not 'swap'");
}

void workload_continuous_read(struct workload_reader *reader, const json_t *server,
                              struct workload_server *into) {
    /* Keys that say how batches of whole requests are formed. */
    static const char *const others[] = {"max_batch", "preferred", "queue_delay_ms", "timeout_ms",
                                         "levels",    "batches",   "timeout_action", "max_queue"};
    if (json_is_object(json_object_get(server, "continuous")))
        workload_keys_exclude(reader, server, others, CT_COUNT_OF(others), "continuous");
    size_t length;
    const json_t *given = workload_object_enter(reader, server, "continuous", &length);
    struct workload_continuous *c = given ? json_place_take(&reader->place, 1, sizeof *c) : NULL;
    if (!c)
        return;
    workload_table_read(reader, given, workload_continuous_keys, c, false);
    read_steps(reader, given, "prefill", workload_prefill_keys, &c->prefill);
    read_steps(reader, given, "decode", workload_decode_keys, &c->decode);
    check_numbers(reader, c);
    c->held_out_error = NAN;
    json_place_leave(&reader->place, length);
    into->continuous = c;
}

/* ---- Recordings ---- */

/* A step beside what was recorded of it. */
struct recorded {
    struct workload_step step;
    struct batch_part part;
};

static int compare_recorded(const void *a, const void *b) {
    const struct workload_step *x = a, *y = b;
    return ct_then(ct_order(x->size, y->size), ct_order(x->context, y->context));
}

/* The recordings of a list, from `all` on, in the order of its steps; false after a mistake. */
static bool load_steps(struct workload_reader *reader, struct workload_app *app, const char *key,
                       const struct workload_steps *steps, struct recorded *all) {
    size_t length = json_place_enter(&reader->place, key);
    bool ok = steps->count > 0;
    for (size_t i = 0; i < steps->count; i++) {
        size_t outer = json_place_enter_index(&reader->place, i);
        all[i].step = steps->items[i];
        ok = workload_step_load(reader, app, &all[i].step, &all[i].part) && ok;
        json_place_leave(&reader->place, outer);
    }
    if (ok)
        qsort(all, steps->count, sizeof *all, compare_recorded);
    for (size_t i = 1; i < steps->count && ok; i++)
        if (compare_recorded(&all[i - 1], &all[i]) == 0) {
            workload_mistake(reader, NULL, "a step of size %lld is there twice",
                             (long long)all[i].step.size);
            ok = false;
        }
    json_place_leave(&reader->place, length);
    return ok;
}

/* Adds the jobs of the recordings, all assumed: hardly any step is as it was recorded. */
static bool add_steps(struct trace_app *whole, const struct recorded *all,
                      const struct batch_trace_offsets *offsets, const char *name,
                      struct workload_steps *steps) {
    static const double as_recorded[BATCH_GROWN_COUNT] = {1, 1, 1};
    bool ok = true;
    for (size_t i = 0; i < steps->count && ok; i++) {
        struct workload_step *step = &steps->items[i];
        *step = all[i].step;
        step->first = (uint32_t)whole->jobs.count;
        step->jobs = batch_part_jobs(&all[i].part);
        step->kernel_ps = all[i].part.mean[BATCH_KERNEL_PS];
        ok = batch_trace_add(whole, &all[i].part, offsets[i], as_recorded, name);
    }
    return ok;
}

/* A job that copies a block. */
static bool add_swap(struct trace_app *whole, enum trace_direction direction, int64_t bytes,
                     const char *name) {
    struct trace_job job = {
        .name = name, .first_task = (uint32_t)whole->tasks.count, .task_count = 1};
    return ct_vec_push(&whole->tasks, (struct trace_task){.kind = TRACE_COPY,
                                                          .direction = (uint8_t)direction,
                                                          .memory = TRACE_PINNED,
                                                          .kernel = TRACE_NONE,
                                                          .waited_for = TRACE_NONE,
                                                          .bytes = (uint64_t)bytes,
                                                          .flags = TRACE_DURATION_ASSUMED}) &&
           ct_vec_push(&whole->jobs, job);
}

/* False: memory ran out. */
static bool make_trace(struct workload_reader *reader, struct workload_app *app,
                       const struct recorded *all, const struct batch_part *parts,
                       struct batch_trace_offsets *offsets) {
    struct workload_continuous *c = app->server->continuous;
    size_t prompts = c->prefill.count, count = prompts + c->decode.count;
    struct trace_app *whole = batch_trace_begin(&reader->workload->traces,
                                                app->name ? app->name : "", parts, count, offsets);
    if (!whole || !add_steps(whole, all, offsets, "prefill", &c->prefill) ||
        !add_steps(whole, all + prompts, offsets + prompts, "decode", &c->decode))
        return false;
    c->held_out_error = fmax(step_times_error(&c->prefill), step_times_error(&c->decode));
    c->swap_job = (uint32_t)whole->jobs.count;
    app->trace = whole;
    return c->preemption != WORKLOAD_PREEMPT_SWAP ||
           (add_swap(whole, TRACE_DEVICE_TO_HOST, c->block_bytes, "swap out") &&
            add_swap(whole, TRACE_HOST_TO_DEVICE, c->block_bytes, "swap in"));
}

/* All of one GPU, with some kernel time. */
static bool check_parts(struct workload_reader *reader, const struct batch_part *parts,
                        size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(parts[i].trace->gpu, parts[0].trace->gpu) != 0)
            return workload_mistake(reader, NULL,
                                    "a step was recorded on '%s', and another on '%s'",
                                    parts[i].trace->gpu, parts[0].trace->gpu);
        if (!(parts[i].mean[BATCH_KERNEL_PS] > 0))
            return workload_mistake(reader, NULL, "a recorded step has no kernel");
    }
    return true;
}

void workload_continuous_steps(struct workload_reader *reader, const json_t *object,
                               struct workload_app *app) {
    static const char *const others[] = {"trace", "synthetic", "jobs"};
    struct workload_continuous *c = app->server->continuous;
    struct json_place *place = &reader->place;
    size_t prompts = c->prefill.count, count = prompts + c->decode.count;
    struct recorded *all = json_place_take(place, count + 1, sizeof *all);
    struct batch_part *parts = json_place_take(place, count + 1, sizeof *parts);
    struct batch_trace_offsets *offsets = json_place_take(place, count + 1, sizeof *offsets);
    workload_keys_exclude(reader, object, others, CT_COUNT_OF(others), "server.continuous");
    if (!all || !parts || !offsets)
        return;
    size_t length = json_place_enter(place, "server");
    json_place_enter(place, "continuous");
    bool ok = load_steps(reader, app, "prefill", &c->prefill, all);
    ok = load_steps(reader, app, "decode", &c->decode, all + prompts) && ok;
    for (size_t i = 0; i < count && ok; i++)
        parts[i] = all[i].part;
    if (ok && check_parts(reader, parts, count) && !make_trace(reader, app, all, parts, offsets))
        json_place_no_memory(place);
    json_place_leave(place, length);
}

/* ---- The whole application ---- */

/* Where all are as long, none may be too long. */
static void check_length(struct workload_reader *reader, const struct workload_continuous *c) {
    double most = c->prompt_tokens.mean + c->output_tokens.mean - 1,
           blocks = (double)c->cache_blocks - (double)workload_watermark_blocks(c),
           room = blocks * (double)c->block_tokens;
    if (c->prompt_tokens.kind != WORKLOAD_FIXED || c->output_tokens.kind != WORKLOAD_FIXED)
        return;
    if (!c->chunked && (double)c->max_tokens < room)
        room = (double)c->max_tokens;
    if (most > room)
        workload_mistake(reader, "server.continuous",
                         "each request is dropped: prompt and output have %.0f tokens, and %s %.0f",
                         most + 1, c->chunked ? "the cache holds" : "cache and step hold", room);
}

/* Each of the two is said once. */
static void check_tokens(struct workload_reader *reader, const char *key, const char *column,
                         const struct workload_draw *draw, const char *named) {
    bool drawn = !workload_draw_is(draw, 0);
    if (!drawn && !named)
        workload_mistake(reader, "server.continuous",
                         "key '%s' is missing, or 'arrivals.%s' in its place", key, column);
    if (drawn && named)
        workload_mistake(reader, "server.continuous",
                         "keys '%s' and 'arrivals.%s' exclude each other", key, column);
}

void workload_continuous_check(struct workload_reader *reader, const struct workload_app *app) {
    const struct workload_continuous *c = app->server ? app->server->continuous : NULL;
    const struct workload_arrivals *arrivals = &app->arrivals;
    if (!c) {
        if (arrivals->prompt_column || arrivals->output_column)
            workload_mistake(reader, "arrivals",
                             "its columns of tokens are read by 'server.continuous' alone");
        return;
    }
    check_tokens(reader, "prompt_tokens", "prompt_column", &c->prompt_tokens,
                 arrivals->prompt_column);
    check_tokens(reader, "output_tokens", "output_column", &c->output_tokens,
                 arrivals->output_column);
    check_length(reader, c);
    if (app->workers != 1)
        workload_mistake(reader, "workers",
                         "one engine has one step at a time: 'workers' is 1 beside "
                         "'server.continuous'");
    if (!workload_draw_is(&app->size, 1))
        workload_mistake(reader, "size", "keys 'size' and 'server.continuous' exclude each other");
    if (app->copies != WORKLOAD_COPIES_EACH && c->preemption == WORKLOAD_PREEMPT_SWAP)
        workload_mistake(reader, "copies", "swapping copies blocks: 'copies' is 'each'");
}
