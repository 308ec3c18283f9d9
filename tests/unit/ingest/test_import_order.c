/* The order of streams by events, which tasks of a job then wait for. */
#include "builder_case.h"

/* Launched at a microsecond, on a stream that is idle. */
static void add_task(struct imported *im, uint64_t stream, int launch) {
    struct import_record record = kernel_at(launch, launch + 5, 3);
    record.stream = stream;
    add(im, record);
}

/* `stream` waits from then on for what `source` has when the event is recorded. */
static void add_wait(struct imported *im, uint64_t source, int record, uint64_t stream, int wait) {
    const struct import_stream_wait order = {
        .stream = stream, .source = source, .wait_ps = wait * US, .record_ps = record * US};
    assert_true(import_add_stream_wait(im->builder, &order));
}

/* 9 before 8 before 7, and nothing was ever launched on 8. */
IMPORT_TEST(through_a_stream_without_tasks, IMPORT_CUT_WHOLE) {
    add_task(im, 9, 0);
    add_wait(im, 9, 10, 8, 12);
    add_wait(im, 8, 14, 7, 16);
    add_task(im, 7, 20);
    assert_int_equal(finish(im), CT_OK);
    assert_waits(im, 1, (int[]){0, -1});
}

/* All in one microsecond, of which the calls' order is what they were added in. */
IMPORT_TEST(through_a_stream_within_one_step_of_the_clock, IMPORT_CUT_WHOLE) {
    add_task(im, 9, 0);
    add_wait(im, 9, 10, 8, 10);
    add_wait(im, 8, 10, 7, 10);
    add_task(im, 7, 10);
    assert_int_equal(finish(im), CT_OK);
    assert_waits(im, 1, (int[]){0, -1});
}

/* 8 waits for two tasks of 9, of which the later is enough, and one of 10; what it was given before
 * counts, too. */
IMPORT_TEST(all_that_a_stream_waits_for, IMPORT_CUT_WHOLE) {
    add_task(im, 8, 0);
    add_task(im, 9, 1);
    add_wait(im, 9, 10, 8, 11);
    add_task(im, 9, 12);
    add_wait(im, 9, 20, 8, 21);
    add_task(im, 10, 22);
    add_wait(im, 10, 30, 8, 31);
    add_wait(im, 8, 32, 7, 33);
    add_task(im, 7, 40);
    assert_int_equal(finish(im), CT_OK);
    assert_waits(im, 4, (int[]){0, 2, 3, -1});
}

/* A task of 8 has waited for that of 9: who waits for it need not do so again. */
IMPORT_TEST(a_wait_is_used_up, IMPORT_CUT_WHOLE) {
    add_task(im, 9, 0);
    add_wait(im, 9, 10, 8, 12);
    add_task(im, 8, 13);
    add_wait(im, 8, 14, 7, 16);
    add_task(im, 7, 20);
    add_task(im, 7, 30);
    assert_int_equal(finish(im), CT_OK);
    assert_waits(im, 1, (int[]){0, -1});
    assert_waits(im, 2, (int[]){1, -1});
    assert_waits(im, 3, (int[]){-1});
}

/* An event stands for what was launched before its record, and is asked by what is launched after
 * the wait. */
IMPORT_TEST(moments_of_record_and_wait, IMPORT_CUT_WHOLE) {
    add_task(im, 9, 0);
    add_task(im, 9, 10);
    add_task(im, 7, 12);
    add_wait(im, 9, 10, 7, 14);
    add_task(im, 7, 14);
    assert_int_equal(finish(im), CT_OK);
    assert_waits(im, 2, (int[]){-1});
    assert_waits(im, 3, (int[]){0, -1});
}

/* A job waits for nothing of another one. */
IMPORT_TEST(jobs_by_themselves, IMPORT_CUT_MARK) {
    add_mark(im, "infer", false, 0, 50);
    add_mark(im, "infer", false, 100, 150);
    add_task(im, 9, 1);
    add_wait(im, 9, 10, 8, 12);
    add_wait(im, 8, 14, 7, 101);
    add_task(im, 7, 110);
    add_wait(im, 7, 120, 8, 121);
    add_wait(im, 8, 122, 9, 123);
    add_task(im, 9, 130);
    assert_int_equal(finish(im), CT_OK);
    assert_int_equal(im->set.apps.items[0]->jobs.count, 2);
    assert_waits(im, 1, (int[]){-1});
    assert_waits(im, 2, (int[]){0, -1});
}
