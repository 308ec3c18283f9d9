/* Ranges of several threads and processes. */
#include "builder_case.h"

/* Who launches: a thread of a process, on a stream of its own. */
struct who {
    uint64_t process, thread;
};
static const struct who first = {1, 11}, second = {1, 12}, foreign = {2, 21};

static void range(struct imported *im, struct who who, int from, int to) {
    struct import_mark mark = {.name = "infer",
                               .begin_ps = from * US,
                               .end_ps = to * US,
                               .process = who.process,
                               .thread = who.thread};
    assert_true(import_add_mark(im->builder, &mark));
}

static void launch_on(struct imported *im, struct who who, int device, int launch) {
    struct import_record record = kernel_at(launch, launch + 5, 3);
    record.launch_process = who.process;
    record.launch_thread = record.stream = who.thread;
    record.device = device;
    add(im, record);
}

static void launch(struct imported *im, struct who who, int at) {
    launch_on(im, who, 0, at);
}

/* The i-th job of an application has this name and its last launch so many microseconds after the
 * begin of its range. */
static void assert_job(const struct imported *im, size_t app, size_t i, const char *name,
                       uint32_t tasks, int last_launch) {
    const struct trace_app *a = im->set.apps.items[app];
    assert_true(i < a->jobs.count);
    const struct trace_job *job = &a->jobs.items[i];
    assert_string_equal(job->name, name);
    assert_int_equal(job->task_count, tasks);
    assert_int_equal(a->tasks.items[job->first_task + tasks - 1].launch_begin_ps, last_launch * US);
}

/* Each thread's range has what that thread launches, though both go on at once. */
IMPORT_TEST(ranges_of_two_threads, IMPORT_CUT_MARK) {
    for (int t = 0; t < 200; t += 100) {
        range(im, first, t, t + 60);
        range(im, second, t + 30, t + 90);
        launch(im, first, t + 10);
        launch(im, second, t + 40);
        launch(im, first, t + 50);
        launch(im, second, t + 80);
    }
    assert_int_equal(finish(im), CT_OK);
    assert_int_equal(im->set.apps.items[0]->jobs.count, 4);
    static const char *const names[] = {"infer#0", "infer#1", "infer#2", "infer#3"};
    for (size_t i = 0; i < CT_COUNT_OF(names); i++)
        assert_job(im, 0, i, names[i], 2, 50);
    assert_int_equal(im->set.apps.items[0]->carried_tasks, 0);
    assert_said(im, CT_NOTICE, "2 jobs begin while one of another thread goes on");
    assert_int_equal(im->summary.left_out, 0);
}

/* The second thread waits for the device while the first one, which does not, is in its job. */
IMPORT_TEST(a_wait_of_another_thread, IMPORT_CUT_MARK) {
    range(im, first, 0, 100);
    range(im, second, 0, 100);
    launch(im, first, 10);
    launch(im, second, 12);
    struct import_sync sync = {.kind = IMPORT_WAIT_DEVICE,
                               .device = -1,
                               .process = second.process,
                               .thread = second.thread,
                               .begin_ps = 15 * US,
                               .end_ps = 30 * US};
    assert_true(import_add_sync(im->builder, &sync));
    launch(im, first, 40);
    launch(im, second, 42);
    assert_int_equal(finish(im), CT_OK);
    assert_int_equal(task(im, 1)->flags, 0);
    assert_int_equal(task(im, 1)->host_gap_ps, 30 * US);
    assert_int_equal(task(im, 3)->flags, TRACE_SYNC | TRACE_BEHIND_OTHERS);
    assert_int_equal(task(im, 3)->host_gap_ps, 22 * US);
}

/* A thread without ranges (autograd's, say) works for the only one of its process that has some. */
IMPORT_TEST(a_thread_without_ranges, IMPORT_CUT_MARK) {
    const struct who helper = {1, 19}, lost = {1, 0};
    range(im, first, 0, 100);
    range(im, foreign, 50, 150);
    launch(im, first, 10);
    launch(im, helper, 60);
    launch(im, foreign, 70);
    launch(im, lost, 80);
    assert_int_equal(finish(im), CT_OK);
    assert_job(im, 0, 0, "infer#0", 3, 80);
    assert_job(im, 0, 1, "infer#1", 1, 20);
}

/* Where several threads have ranges nobody knows whose work another one does. */
IMPORT_TEST(a_thread_beside_several_with_ranges, IMPORT_CUT_MARK) {
    const struct who helper = {1, 19}, nobody = {3, 31};
    range(im, first, 0, 100);
    range(im, second, 0, 100);
    launch(im, first, 10);
    launch(im, second, 20);
    launch(im, helper, 30);
    launch(im, nobody, 40);
    assert_int_equal(finish(im), CT_OK);
    assert_int_equal(im->summary.kept, 2);
    assert_string_equal(im->summary.reasons.items[0].reason, "launched by a thread without ranges");
    assert_said(im, CT_WARNING, "2 tasks were launched by threads without ranges");
}

/* The only thread that has ranges does the work of other processes, too. */
IMPORT_TEST(a_process_without_ranges, IMPORT_CUT_MARK) {
    range(im, first, 0, 100);
    launch(im, foreign, 10);
    assert_int_equal(finish(im), CT_OK);
    assert_job(im, 0, 0, "infer#0", 1, 10);
}

/* A range that no thread has to itself is for those of the process that have none. */
IMPORT_TEST(a_range_of_a_process, IMPORT_CUT_MARK) {
    const struct who process = {1, 0}, helper = {1, 19};
    range(im, process, 0, 100);
    range(im, first, 5, 50);
    launch(im, first, 10);
    launch(im, second, 20);
    launch(im, helper, 30);
    launch(im, first, 60);
    assert_int_equal(finish(im), CT_OK);
    assert_job(im, 0, 0, "infer#0", 2, 30);
    assert_job(im, 0, 1, "infer#1", 1, 5);
    assert_int_equal(im->summary.left_out, 1);
}

/* Two ranks with a GPU each, the second half a step behind: each has its own steps, counted from 0.
 */
IMPORT_TEST(ranks_with_a_gpu_each, IMPORT_CUT_MARK) {
    for (int t = 0; t < 200; t += 100) {
        range(im, first, t, t + 95);
        range(im, foreign, t + 50, t + 145);
        for (int i = 10; i < 90; i += 30) {
            launch_on(im, first, 0, t + i);
            launch_on(im, foreign, 1, t + 50 + i);
        }
    }
    assert_int_equal(finish(im), CT_OK);
    assert_int_equal(im->set.apps.count, 2);
    for (size_t app = 0; app < 2; app++) {
        assert_int_equal(im->set.apps.items[app]->jobs.count, 2);
        assert_job(im, app, 0, "infer#0", 3, 70);
        assert_job(im, app, 1, "infer#1", 3, 70);
    }
    assert_int_equal(im->summary.left_out, 0);
}

/* From one range to the next of the same thread; what the last one begins is left out in each. */
IMPORT_TEST(from_range_to_range_of_a_thread, IMPORT_CUT_FROM) {
    for (int t = 0; t < 300; t += 100) {
        range(im, first, t, t + 1);
        range(im, second, t + 50, t + 51);
        launch(im, first, t + 60);
        launch(im, second, t + 110);
    }
    assert_int_equal(finish(im), CT_OK);
    assert_int_equal(im->set.apps.items[0]->jobs.count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(im->set.apps.items[0]->jobs.items[i].task_count, 1);
    assert_int_equal(im->summary.left_out, 2);
}
