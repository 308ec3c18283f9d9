/* The batcher without a clock: what is asked of it when, and what it answers. Whole schedules on
 * the device are in tests/whole/server. */
#include "cmocka_complete.h"
#include "run/batcher.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 32 };

struct bench {
    struct ct_arena arena;
    struct workload_server spec;
    struct workload_level levels[2];
    struct batcher batcher;
    struct batcher_request requests[MOST];
    uint64_t came;
};

static void open_bench(struct bench *b) {
    b->spec.levels = b->levels;
    if (!b->spec.level_count)
        b->spec.level_count = 1;
    assert_true(batcher_init(&b->batcher, &b->spec, &b->arena));
}

/* At a time in microseconds, of a level. */
static bool come(struct bench *b, int64_t us, uint32_t level) {
    struct batcher_request *request = &b->requests[b->came];
    *request =
        (struct batcher_request){.number = b->came++, .came_ps = us * CT_PS_PER_US, .level = level};
    return batcher_offer(&b->batcher, request);
}

/* The numbers of linked requests: "0 2 1". */
static const char *numbers(const struct batcher_request *request) {
    static char text[128];
    size_t used = 0;
    text[0] = '\0';
    for (; request; request = request->next)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%llu", used ? " " : "",
                                 (unsigned long long)request->number);
    return text;
}

static void expect_batch(struct bench *b, int64_t us, const char *wanted, int64_t again_us) {
    ct_time_ps again;
    assert_string_equal(numbers(batcher_form(&b->batcher, us * CT_PS_PER_US, &again)), wanted);
    assert_true(again == (again_us < 0 ? CT_TIME_NEVER : again_us * CT_PS_PER_US));
}

/* The urgent level first, each in its order; a batch holds both. */
TEST(levels) {
    struct bench b = {.spec = {.max_batch = 3, .level_count = 2}};
    open_bench(&b);
    for (uint32_t i = 0; i < 5; i++)
        assert_true(come(&b, i, i % 2 == 0)); /* 0, 2, 4 are patient, 1, 3 urgent */
    expect_batch(&b, 5, "1 3 0", -1);
    expect_batch(&b, 6, "2 4", -1);
    expect_batch(&b, 7, "", -1);
    ct_arena_free(&b.arena);
}

/* Expired requests of the urgent level come before fresh ones of the other. */
TEST(expired_within_their_level) {
    struct bench b = {.spec = {.max_batch = 4, .level_count = 2},
                      .levels = {{.timeout_ms = 0.01, .timeout_action = WORKLOAD_TIMEOUT_DELAY}}};
    open_bench(&b);
    come(&b, 0, 0);
    come(&b, 1, 1);
    assert_true(batcher_next_expiry(&b.batcher) == 10 * CT_PS_PER_US);
    assert_string_equal(numbers(batcher_expire(&b.batcher, 10 * CT_PS_PER_US)), "");
    assert_true(batcher_next_expiry(&b.batcher) == CT_TIME_NEVER);
    come(&b, 11, 0);
    expect_batch(&b, 12, "2 0 1", -1);
    ct_arena_free(&b.arena);
}

/* Each level has its own limit and its own timeout. */
TEST(limits_of_levels) {
    struct bench b = {.spec = {.max_batch = 8, .level_count = 2},
                      .levels = {{.max_queue = 1}, {.timeout_ms = 0.005}}};
    open_bench(&b);
    assert_true(come(&b, 0, 0));
    assert_false(come(&b, 0, 0));
    assert_true(come(&b, 1, 1));
    assert_true(come(&b, 3, 1));
    assert_true(batcher_next_expiry(&b.batcher) == 6 * CT_PS_PER_US);
    assert_string_equal(numbers(batcher_expire(&b.batcher, 7 * CT_PS_PER_US)), "2");
    assert_true(b.batcher.count == 2);
    expect_batch(&b, 7, "0 3", -1);
    ct_arena_free(&b.arena);
}

/* The delay counts from the oldest of those that a batch would hold, whatever its level. */
TEST(delay_of_the_oldest) {
    struct bench b = {.spec = {.max_batch = 4, .level_count = 2, .queue_delay_ms = 0.1}};
    open_bench(&b);
    come(&b, 0, 1);
    come(&b, 50, 0);
    expect_batch(&b, 50, "", 100);
    expect_batch(&b, 99, "", 100);
    expect_batch(&b, 100, "1 0", -1);
    ct_arena_free(&b.arena);
}

/* What is left behind of a preferred batch waits for its own delay. */
TEST(preferred) {
    int64_t sizes[] = {2, 3};
    struct bench b = {
        .spec = {.max_batch = 8, .queue_delay_ms = 0.1, .preferred = {sizes, NULL, 2}}};
    open_bench(&b);
    come(&b, 0, 0);
    expect_batch(&b, 0, "", 100);
    for (int i = 0; i < 3; i++)
        come(&b, 10 + i, 0);
    expect_batch(&b, 12, "0 1 2", -1);
    expect_batch(&b, 12, "", 112);
    ct_arena_free(&b.arena);
}

/* The delay counts from the oldest of all, whoever came after it, and whatever its level. */
TEST(the_oldest_waits) {
    struct bench b = {.spec = {.max_batch = 4, .level_count = 2, .queue_delay_ms = 0.01}};
    open_bench(&b);
    come(&b, 0, 1);
    come(&b, 3, 1);
    come(&b, 5, 0);
    expect_batch(&b, 5, "", 10);
    expect_batch(&b, 10, "2 0 1", -1);
    ct_arena_free(&b.arena);
}
