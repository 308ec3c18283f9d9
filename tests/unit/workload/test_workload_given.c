/* The keys that a user gives and could leave out, and the workload without one of them. */
#include "cmocka_complete.h"
#include "workload/workload_given.h"

#include <stdio.h>
#include <string.h>

static const char document[] =
    "{\"gpu\": {\"base\": \"v100\", \"sms\": 40}, \"duration_s\": 3, \"hw_queues\": 8,"
    " \"policy\": {\"name\": \"baymax\", \"margin\": 0.1}, \"defaults\": {\"priority\": 2},"
    " \"apps\": [{\"name\": \"a\", \"role\": \"service\", \"qos_ms\": 5, \"workers\": 3,"
    "  \"arrivals\": {\"process\": \"gamma\", \"rate_per_s\": 7, \"cv\": 2},"
    "  \"synthetic\": {\"blocks\": 9, \"duration_ms\": 1}}]}";
static const char *const assignments[] = {"apps.a.workers=5", "duration_s=4", "gpu.sms=60"};
static const struct workload_source source = {
    .path = "w.json", .text = document, .assignments = assignments, .assignment_count = 3};

static void list(struct ct_arena *arena, struct workload_given *given) {
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    assert_int_equal(workload_given_read(&source, arena, given, &diags), CT_OK);
}

/* In the order of the file, then of the assignments; what says what the workload is is left out. */
TEST(lists_what_could_be_left_out) {
    static const char *const expected[] = {"hw_queues",
                                           "gpu.sms",
                                           "policy.margin",
                                           "defaults.priority",
                                           "apps.a.workers",
                                           "apps.a.arrivals.cv",
                                           "apps.a.synthetic.blocks"};
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    struct workload_given given;
    list(&arena, &given);
    assert_int_equal(given.count, 9);
    for (size_t i = 0; i < CT_COUNT_OF(expected); i++) {
        assert_string_equal(given.items[i].path, expected[i]);
        assert_true(given.items[i].assignment == WORKLOAD_OF_FILE);
    }
    assert_string_equal(given.items[7].path, "apps.a.workers");
    assert_int_equal(given.items[7].assignment, 0);
    assert_string_equal(given.items[8].path, "gpu.sms");
    assert_int_equal(given.items[8].assignment, 2);
    ct_vec_free(&given);
}

static int read_without(const char *path, size_t assignment, struct workload *workload) {
    struct ct_diags diags = {0};
    struct workload_given_key key = {path, assignment};
    int status = workload_given_without(&source, &key, workload, &diags);
    ct_diags_free(&diags);
    return status;
}

/* Without an assignment the file holds, without a key of the file its default. */
TEST(reads_without_one) {
    CLOSED_BY(workload_free) struct workload w;
    assert_int_equal(read_without("apps.a.workers", 0, &w), CT_OK);
    assert_int_equal(w.apps.items[0].workers, 3);
    assert_true(w.duration_s == 4);
    workload_free(&w);
    assert_int_equal(read_without("defaults.priority", WORKLOAD_OF_FILE, &w), CT_OK);
    assert_int_equal(w.apps.items[0].priority, 0);
    assert_int_equal(w.apps.items[0].workers, 5);
    workload_free(&w);
    assert_int_equal(read_without("hw_queues", WORKLOAD_OF_FILE, &w), CT_OK);
    assert_int_equal(w.hw_queues, 0);
    workload_free(&w);
    assert_int_equal(read_without("apps.a.synthetic.blocks", WORKLOAD_OF_FILE, &w), CT_OK);
    assert_int_equal(w.apps.items[0].synthetic.blocks, 1);
    workload_free(&w);
    assert_int_equal(read_without("policy.margin", WORKLOAD_OF_FILE, &w), CT_OK);
    assert_int_equal(w.policy_settings.count, 0);
}

/* Gamma arrivals are none without their cv. */
TEST(a_key_that_is_needed_is_an_error) {
    CLOSED_BY(workload_free) struct workload w;
    assert_int_equal(read_without("apps.a.arrivals.cv", WORKLOAD_OF_FILE, &w), CT_USAGE);
}
