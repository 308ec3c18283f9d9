#include "run/sim_result_bytes.h"

#include <stdlib.h>
#include <string.h>

/* ---- Writing ---- */

struct writer {
    CT_VEC(unsigned char);
    bool failed;
};

static void put_byte(struct writer *w, unsigned char byte) {
    w->failed |= !ct_vec_push(w, byte);
}

/* Seven bits a byte, the lowest first. */
static void put_number(struct writer *w, uint64_t number) {
    for (; number >= 0x80; number >>= 7)
        put_byte(w, (unsigned char)(number | 0x80));
    put_byte(w, (unsigned char)number);
}

static void put_double(struct writer *w, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 8; i++)
        put_byte(w, (unsigned char)(bits >> (8 * i)));
}

static void put_text(struct writer *w, const char *text) {
    put_number(w, text ? strlen(text) + 1 : 0);
    for (; text && *text; text++)
        put_byte(w, (unsigned char)*text);
}

/* Latencies are whole picoseconds: as numbers they take half the room. -0.0 stays a double. */
static bool is_whole(double value) {
    return value >= 0 && value < 0x1p53 && value == (double)(int64_t)value && !signbit(value);
}

static void put_doubles(struct writer *w, const double *values, size_t count) {
    bool whole = true;
    for (size_t i = 0; i < count; i++)
        whole = whole && is_whole(values[i]);
    put_number(w, count);
    put_byte(w, whole);
    for (size_t i = 0; i < count; i++)
        if (whole)
            put_number(w, (uint64_t)values[i]);
        else
            put_double(w, values[i]);
}

static void put_numbers(struct writer *w, const uint64_t *numbers, size_t count) {
    put_number(w, count);
    for (size_t i = 0; i < count; i++)
        put_number(w, numbers[i]);
}

static void put_tokens(struct writer *w, const struct sim_tokens *tokens) {
    put_doubles(w, tokens->first_ps.items, tokens->first_ps.count);
    put_doubles(w, tokens->each_ps.items, tokens->each_ps.count);
    put_doubles(w, tokens->longest_ps.items, tokens->longest_ps.count);
    put_number(w, tokens->produced);
    put_number(w, tokens->recomputes);
    put_number(w, tokens->swaps);
    put_number(w, tokens->recomputed);
    put_double(w, tokens->cache);
}

static void put_app(struct writer *w, const struct sim_app_result *app, uint32_t app_count) {
    put_number(w, app->jobs);
    put_number(w, app->late);
    put_doubles(w, app->latency_ps.items, app->latency_ps.count);
    put_numbers(w, app->aged.items, app->aged.count);
    put_numbers(w, app->first_number.items, app->first_number.count);
    put_numbers(w, app->instance_jobs.items, app->instance_jobs.count);
    put_doubles(w, app->service_ps.items, app->service_ps.count);
    put_number(w, app->unfinished);
    put_byte(w, app->overloaded);
    put_double(w, app->backlog);
    put_double(w, app->work_ps);
    put_doubles(w, app->instance_work_ps.items, app->instance_work_ps.count);
    put_doubles(w, app->instance_sojourn_ps.items, app->instance_sojourn_ps.count);
    put_number(w, app->jobs_ended);
    put_doubles(w, app->first_run_ps.items, app->first_run_ps.count);
    put_number(w, app->good);
    put_numbers(w, app->dropped, SIM_DROP_COUNT);
    put_double(w, app->queue_ps);
    put_numbers(w, app->batches.items, app->batches.count);
    put_tokens(w, &app->tokens);
    put_doubles(w, app->blame_ps, CT_BLAME_COUNT);
    put_doubles(w, app->delayed_by_ps, app->delayed_by_ps ? app_count : 0);
    put_doubles(w, app->sharing_ps, app->sharing_ps ? sim_sharing_count(app_count) : 0);
}

unsigned char *sim_result_encode(const struct sim_result *result, size_t *size) {
    const double measures[] = {result->sm_utilisation,      result->dram_utilisation,
                               result->pcie_utilisation[0], result->pcie_utilisation[1],
                               result->batch_busy_fraction, result->host_utilisation};
    const uint64_t counts[] = {result->events,       result->kernels,
                               result->decisions,    result->rejected_verbs,
                               result->stale_events, (uint64_t)result->longest_charge_ps};
    struct writer w = {0};
    put_byte(&w, SIM_RESULT_LAYOUT);
    put_number(&w, result->app_count);
    for (uint32_t a = 0; a < result->app_count; a++)
        put_app(&w, &result->apps[a], result->app_count);
    put_number(&w, (uint64_t)result->window_ps);
    put_doubles(&w, measures, CT_COUNT_OF(measures));
    put_numbers(&w, counts, CT_COUNT_OF(counts));
    put_text(&w, result->broken_law);
    put_byte(&w, result->littles_law_ok);
    put_byte(&w, result->utilisation_law_ok);
    put_number(&w, (uint64_t)result->ended_ps);
    put_number(&w, result->counters.count);
    for (size_t i = 0; i < result->counters.count; i++) {
        put_text(&w, result->counters.items[i].key);
        put_double(&w, result->counters.items[i].value);
    }
    *size = w.count;
    if (!w.failed)
        return w.items;
    ct_vec_free(&w);
    return NULL;
}

/* ---- Reading ---- */

struct reader {
    const unsigned char *next, *end;
    bool failed;
};

static unsigned char get_byte(struct reader *r) {
    r->failed |= r->next == r->end;
    return r->failed ? 0 : *r->next++;
}

static uint64_t get_number(struct reader *r) {
    uint64_t number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        unsigned char byte = get_byte(r);
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return number;
    }
    r->failed = true;
    return 0;
}

static double get_double(struct reader *r) {
    uint64_t bits = 0;
    double value;
    for (int i = 0; i < 8; i++)
        bits |= (uint64_t)get_byte(r) << (8 * i);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A count of items that take at least a byte each. */
static size_t get_count(struct reader *r) {
    uint64_t count = get_number(r);
    if (count > (uint64_t)(r->end - r->next))
        r->failed = true;
    return r->failed ? 0 : (size_t)count;
}

static const char *get_text(struct reader *r, struct ct_arena *arena) {
    size_t size = get_count(r);
    if (size == 0)
        return NULL;
    const char *text = ct_arena_strndup(arena, (const char *)r->next, size - 1);
    r->next += size - 1;
    r->failed |= !text;
    return text;
}

static double *get_doubles(struct reader *r, size_t *count) {
    *count = get_count(r);
    bool whole = get_byte(r);
    double *values = malloc((*count + 1) * sizeof *values);
    r->failed |= !values;
    for (size_t i = 0; values && i < *count; i++)
        values[i] = whole ? (double)(int64_t)get_number(r) : get_double(r);
    return values;
}

static uint64_t *get_numbers(struct reader *r, size_t *count) {
    *count = get_count(r);
    uint64_t *numbers = malloc((*count + 1) * sizeof *numbers);
    r->failed |= !numbers;
    for (size_t i = 0; numbers && i < *count; i++)
        numbers[i] = get_number(r);
    return numbers;
}

/* Into a fixed array; another length is a failure. */
static void get_fixed(struct reader *r, double *into, size_t wanted) {
    size_t count;
    double *values = get_doubles(r, &count);
    if (!r->failed && count == wanted)
        memcpy(into, values, wanted * sizeof *into);
    else
        r->failed = true;
    free(values);
}

/* So many, or NULL where there are none; another length is a failure. */
static double *get_optional(struct reader *r, size_t wanted) {
    size_t count;
    double *values = get_doubles(r, &count);
    r->failed |= count != 0 && count != wanted;
    if (count > 0)
        return values;
    free(values);
    return NULL;
}

static void get_counts(struct reader *r, uint64_t *into, size_t wanted) {
    size_t count;
    uint64_t *numbers = get_numbers(r, &count);
    if (!r->failed && count == wanted)
        memcpy(into, numbers, wanted * sizeof *into);
    else
        r->failed = true;
    free(numbers);
}

#define GET_VEC(r, vec, get)                                                                       \
    ((vec)->items = get((r), &(vec)->count), (vec)->capacity = (vec)->count + 1)

static void get_tokens(struct reader *r, struct sim_tokens *tokens) {
    GET_VEC(r, &tokens->first_ps, get_doubles);
    GET_VEC(r, &tokens->each_ps, get_doubles);
    GET_VEC(r, &tokens->longest_ps, get_doubles);
    tokens->produced = get_number(r);
    tokens->recomputes = get_number(r);
    tokens->swaps = get_number(r);
    tokens->recomputed = get_number(r);
    tokens->cache = get_double(r);
}

static void get_app(struct reader *r, struct sim_app_result *app, uint32_t app_count) {
    app->jobs = get_number(r);
    app->late = get_number(r);
    GET_VEC(r, &app->latency_ps, get_doubles);
    GET_VEC(r, &app->aged, get_numbers);
    for (size_t i = 0; app->aged.items && i < app->aged.count; i++)
        r->failed |= app->aged.items[i] >= app->latency_ps.count;
    GET_VEC(r, &app->first_number, get_numbers);
    GET_VEC(r, &app->instance_jobs, get_numbers);
    GET_VEC(r, &app->service_ps, get_doubles);
    app->unfinished = get_number(r);
    app->overloaded = get_byte(r);
    app->backlog = get_double(r);
    app->work_ps = get_double(r);
    GET_VEC(r, &app->instance_work_ps, get_doubles);
    GET_VEC(r, &app->instance_sojourn_ps, get_doubles);
    app->jobs_ended = get_number(r);
    GET_VEC(r, &app->first_run_ps, get_doubles);
    app->good = get_number(r);
    get_counts(r, app->dropped, SIM_DROP_COUNT);
    app->queue_ps = get_double(r);
    GET_VEC(r, &app->batches, get_numbers);
    get_tokens(r, &app->tokens);
    get_fixed(r, app->blame_ps, CT_BLAME_COUNT);
    app->delayed_by_ps = get_optional(r, app_count);
    app->sharing_ps = get_optional(r, sim_sharing_count(app_count));
}

static void get_counters(struct reader *r, struct ct_arena *arena, struct sim_result *result) {
    size_t count = get_count(r);
    for (size_t i = 0; i < count && !r->failed; i++) {
        struct sim_counter counter = {.key = get_text(r, arena)};
        counter.value = get_double(r);
        r->failed |= !ct_vec_push(&result->counters, counter);
    }
}

static void get_run(struct reader *r, struct ct_arena *arena, struct sim_result *result) {
    double measures[6] = {0};
    size_t count;
    result->window_ps = (ct_time_ps)get_number(r);
    get_fixed(r, measures, CT_COUNT_OF(measures));
    uint64_t *counts = get_numbers(r, &count);
    r->failed |= count != 6;
    if (!r->failed) {
        result->sm_utilisation = measures[0];
        result->dram_utilisation = measures[1];
        result->pcie_utilisation[0] = measures[2];
        result->pcie_utilisation[1] = measures[3];
        result->batch_busy_fraction = measures[4];
        result->host_utilisation = measures[5];
        result->events = counts[0];
        result->kernels = counts[1];
        result->decisions = counts[2];
        result->rejected_verbs = counts[3];
        result->stale_events = counts[4];
        result->longest_charge_ps = (ct_time_ps)counts[5];
    }
    free(counts);
    result->broken_law = get_text(r, arena);
    result->littles_law_ok = get_byte(r);
    result->utilisation_law_ok = get_byte(r);
    result->ended_ps = (ct_time_ps)get_number(r);
    get_counters(r, arena, result);
}

bool sim_result_decode(const unsigned char *bytes, size_t size, struct ct_arena *arena,
                       struct sim_result *result) {
    struct reader r = {.next = bytes, .end = bytes + size};
    *result = (struct sim_result){0};
    if (get_byte(&r) != SIM_RESULT_LAYOUT)
        return false;
    uint32_t apps = (uint32_t)get_count(&r);
    result->apps = calloc((size_t)apps + 1, sizeof *result->apps);
    if (!result->apps)
        return false;
    result->app_count = apps;
    for (uint32_t a = 0; a < apps && !r.failed; a++)
        get_app(&r, &result->apps[a], apps);
    get_run(&r, arena, result);
    return !r.failed && r.next == r.end;
}
