#include "run/sim.h"

#include <stdlib.h>
#include <string.h>

/* Bytes that are written or read: what is written from a place is read into it, by one function for
 * both. Nothing of a result that is written is assigned to: other threads may look at it. */
struct stream {
    CT_VEC(unsigned char);           /* what was written */
    const unsigned char *next, *end; /* what is to be read */
    struct ct_arena *arena;          /* of the texts that are read; NULL: it is written */
    bool failed;
};

static void pass_byte(struct stream *s, unsigned char *byte) {
    if (!s->arena) {
        s->failed |= !ct_vec_push(s, *byte);
        return;
    }
    s->failed |= s->next == s->end;
    *byte = s->failed ? 0 : *s->next++;
}

static void pass_truth(struct stream *s, bool *truth) {
    unsigned char byte = *truth;
    pass_byte(s, &byte);
    if (s->arena)
        *truth = byte;
}

/* Seven bits a byte, the lowest first. */
static void pass_number(struct stream *s, uint64_t *number) {
    uint64_t passed = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        uint64_t rest = *number >> shift;
        unsigned char byte = (unsigned char)(rest < 0x80 ? rest : rest | 0x80);
        pass_byte(s, &byte);
        passed |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            if (s->arena)
                *number = passed;
            return;
        }
    }
    s->failed = true;
}

static void pass_time(struct stream *s, ct_time_ps *time) {
    uint64_t number = (uint64_t)*time;
    pass_number(s, &number);
    if (s->arena)
        *time = (ct_time_ps)number;
}

static void pass_double(struct stream *s, double *value) {
    uint64_t bits, passed = 0;
    memcpy(&bits, value, sizeof bits);
    for (int shift = 0; shift < 64; shift += 8) {
        unsigned char byte = (unsigned char)(bits >> shift);
        pass_byte(s, &byte);
        passed |= (uint64_t)byte << shift;
    }
    if (s->arena)
        memcpy(value, &passed, sizeof passed);
}

/* A count of items that take at least a byte each. */
static void pass_count(struct stream *s, size_t *count) {
    uint64_t number = *count;
    pass_number(s, &number);
    if (!s->arena)
        return;
    s->failed |= number > (uint64_t)(s->end - s->next);
    *count = s->failed ? 0 : (size_t)number;
}

static void pass_text(struct stream *s, const char **text) {
    size_t size = *text ? strlen(*text) + 1 : 0;
    pass_count(s, &size);
    if (!s->arena) {
        for (const char *at = *text; at && *at; at++)
            s->failed |= !ct_vec_push(s, (unsigned char)*at);
    } else if (size > 0) {
        *text = ct_arena_strndup(s->arena, (const char *)s->next, size - 1);
        s->next += size - 1;
        s->failed |= !*text;
    }
}

/* Room for so many items of 64 bits that are read. */
static void *room(struct stream *s, size_t count, size_t *capacity) {
    void *items = malloc((count + 1) * sizeof(uint64_t));
    s->failed |= !items;
    *capacity = count + 1;
    return items;
}

/* Latencies are whole picoseconds: as numbers they take half the room. -0.0 stays a double. */
static bool is_whole(double value) {
    return value >= 0 && value < 0x1p53 && value == (double)(int64_t)value && !signbit(value);
}

static void pass_whole(struct stream *s, double *value) {
    uint64_t number = s->arena ? 0 : (uint64_t)*value;
    pass_number(s, &number);
    if (s->arena)
        *value = (double)(int64_t)number;
}

static void pass_doubles(struct stream *s, double **items, size_t *count, size_t *capacity) {
    bool whole = true;
    for (size_t i = 0; !s->arena && i < *count; i++)
        whole = whole && is_whole((*items)[i]);
    pass_count(s, count);
    pass_truth(s, &whole);
    if (s->arena)
        *items = room(s, *count, capacity);
    for (size_t i = 0; i < *count && !s->failed; i++)
        if (whole)
            pass_whole(s, &(*items)[i]);
        else
            pass_double(s, &(*items)[i]);
}

static void pass_numbers(struct stream *s, uint64_t **items, size_t *count, size_t *capacity) {
    pass_count(s, count);
    if (s->arena)
        *items = room(s, *count, capacity);
    for (size_t i = 0; i < *count && !s->failed; i++)
        pass_number(s, &(*items)[i]);
}

#define PASS_VEC(s, vec, pass) pass((s), &(vec)->items, &(vec)->count, &(vec)->capacity)

static void pass_slowest(struct stream *s, struct sim_slowest *slowest, uint32_t app_count) {
    bool known = slowest->row_length > 0;
    size_t length = sim_row_length(app_count);
    pass_truth(s, &known);
    pass_number(s, &slowest->jobs);
    PASS_VEC(s, &slowest->rows, pass_doubles);
    slowest->row_length = known ? length : 0;
    s->failed |= known ? slowest->rows.count % length != 0 : slowest->rows.count > 0;
}

static void pass_tokens(struct stream *s, struct sim_tokens *tokens) {
    PASS_VEC(s, &tokens->first_ps, pass_doubles);
    PASS_VEC(s, &tokens->each_ps, pass_doubles);
    PASS_VEC(s, &tokens->longest_ps, pass_doubles);
    pass_number(s, &tokens->waiting);
    pass_number(s, &tokens->produced);
    pass_number(s, &tokens->recomputes);
    pass_number(s, &tokens->swaps);
    pass_number(s, &tokens->recomputed);
    pass_double(s, &tokens->cache);
}

/* Places in the latencies of an application. */
static void pass_places(struct stream *s, uint64_t **items, size_t *count, size_t *capacity,
                        size_t latencies) {
    pass_numbers(s, items, count, capacity);
    for (size_t i = 0; i < *count && !s->failed; i++)
        s->failed |= (*items)[i] >= latencies;
}

static void pass_app(struct stream *s, struct sim_app_result *app, uint32_t app_count) {
    pass_number(s, &app->jobs);
    pass_number(s, &app->late);
    PASS_VEC(s, &app->latency_ps, pass_doubles);
    pass_places(s, &app->aged.items, &app->aged.count, &app->aged.capacity, app->latency_ps.count);
    pass_places(s, &app->cut.items, &app->cut.count, &app->cut.capacity, app->latency_ps.count);
    PASS_VEC(s, &app->cut_ps, pass_doubles);
    s->failed |= app->cut.count != app->cut_ps.count;
    PASS_VEC(s, &app->first_number, pass_numbers);
    PASS_VEC(s, &app->instance_jobs, pass_numbers);
    PASS_VEC(s, &app->service_ps, pass_doubles);
    pass_number(s, &app->unfinished);
    pass_truth(s, &app->overloaded);
    pass_truth(s, &app->grows);
    pass_double(s, &app->backlog);
    pass_double(s, &app->work_ps);
    PASS_VEC(s, &app->instance_work_ps, pass_doubles);
    PASS_VEC(s, &app->instance_sojourn_ps, pass_doubles);
    pass_number(s, &app->jobs_ended);
    PASS_VEC(s, &app->first_run_ps, pass_doubles);
    pass_number(s, &app->good);
    pass_number(s, &app->good_ended);
    pass_number(s, &app->undecided);
    for (int why = 0; why < SIM_DROP_COUNT; why++)
        pass_number(s, &app->dropped[why]);
    pass_double(s, &app->queue_ps);
    PASS_VEC(s, &app->batches, pass_numbers);
    pass_tokens(s, &app->tokens);
    pass_slowest(s, &app->slowest, app_count);
}

static void pass_counters(struct stream *s, struct sim_result *result) {
    size_t count = result->counters.count;
    pass_count(s, &count);
    for (size_t i = 0; i < count && !s->failed; i++) {
        struct sim_counter counter = {0};
        if (!s->arena)
            counter = result->counters.items[i];
        pass_text(s, &counter.key);
        pass_double(s, &counter.value);
        if (s->arena)
            s->failed |= !ct_vec_push(&result->counters, counter);
    }
}

static void pass_run(struct stream *s, struct sim_result *result) {
    for (uint32_t a = 0; a < result->app_count && !s->failed; a++)
        pass_app(s, &result->apps[a], result->app_count);
    pass_time(s, &result->window_ps);
    pass_double(s, &result->sm_utilisation);
    pass_double(s, &result->dram_utilisation);
    pass_double(s, &result->pcie_utilisation[0]);
    pass_double(s, &result->pcie_utilisation[1]);
    pass_double(s, &result->batch_busy_fraction);
    pass_double(s, &result->host_utilisation);
    pass_number(s, &result->events);
    pass_number(s, &result->kernels);
    pass_number(s, &result->decisions);
    pass_number(s, &result->rejected_verbs);
    pass_number(s, &result->stale_events);
    pass_time(s, &result->longest_charge_ps);
    pass_text(s, &result->broken_law);
    pass_truth(s, &result->littles_law_ok);
    pass_truth(s, &result->utilisation_law_ok);
    pass_time(s, &result->ended_ps);
    pass_counters(s, result);
}

unsigned char *sim_result_encode(const struct sim_result *result, size_t *size) {
    struct stream s = {0};
    struct sim_result copy = *result;
    unsigned char layout = SIM_RESULT_LAYOUT;
    size_t apps = result->app_count;
    pass_byte(&s, &layout);
    pass_count(&s, &apps);
    pass_run(&s, &copy);
    *size = s.count;
    if (!s.failed)
        return s.items;
    ct_vec_free(&s);
    return NULL;
}

bool sim_result_decode(const unsigned char *bytes, size_t size, struct ct_arena *arena,
                       struct sim_result *result) {
    struct stream s = {.next = bytes, .end = bytes + size, .arena = arena};
    unsigned char layout = 0;
    size_t apps = 0;
    *result = (struct sim_result){0};
    pass_byte(&s, &layout);
    if (layout != SIM_RESULT_LAYOUT)
        return false;
    pass_count(&s, &apps);
    result->apps = calloc(apps + 1, sizeof *result->apps);
    if (!result->apps)
        return false;
    result->app_count = (uint32_t)apps;
    pass_run(&s, result);
    return !s.failed && s.next == s.end;
}
