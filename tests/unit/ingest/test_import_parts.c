/* What each process did on each device is an application of its own. */
#include "builder_case.h"

/* A kernel of a process on a device and its own stream, of 10 us. */
static struct import_record done_by(uint64_t process, int device, int launch, int start) {
    struct import_record record = kernel_at(launch, start, 10);
    record.process = record.launch_process = process;
    record.launch_thread = process * 10;
    record.stream = process;
    record.device = device;
    return record;
}

static void assert_apps(const struct imported *im, const char *const *names) {
    for (size_t i = 0; i < im->set.apps.count && names[i]; i++)
        assert_string_equal(im->set.apps.items[i]->name, names[i]);
    assert_null(names[im->set.apps.count]);
}

IMPORT_TEST(processes_of_one_device, IMPORT_CUT_WHOLE) {
    add(im, done_by(200, 0, 0, 10));
    add(im, done_by(100, 0, 2, 15));
    add(im, done_by(200, 0, 30, 40));
    assert_int_equal(finish(im), CT_OK);
    assert_apps(im, (const char *const[]){"a-proc0", "a-proc1", NULL});
    assert_int_equal(im->set.apps.items[0]->tasks.count, 1);
    assert_int_equal(im->set.apps.items[1]->tasks.count, 2);
    assert_said(im, CT_NOTICE, "2 processes ran kernels on GPU 0");
    assert_said(im, CT_NOTICE, "50 % of the kernel time of 'a-proc0' was recorded while other");
    assert_said(im, CT_NOTICE, "25 % of the kernel time of 'a-proc1' was recorded while other");
}

/* One process for each device is as it was: ranks are told by their devices. */
IMPORT_TEST(processes_of_two_devices, IMPORT_CUT_WHOLE) {
    add(im, done_by(200, 0, 0, 10));
    add(im, done_by(100, 1, 0, 10));
    assert_int_equal(finish(im), CT_OK);
    assert_apps(im, (const char *const[]){"a-dev0", "a-dev1", NULL});
    assert_int_equal(im->diags.count, 0);
}

IMPORT_TEST(a_device_with_two_processes_beside_another, IMPORT_CUT_WHOLE) {
    add(im, done_by(100, 0, 0, 10));
    add(im, done_by(200, 1, 0, 10));
    add(im, done_by(100, 1, 0, 30));
    assert_int_equal(finish(im), CT_OK);
    assert_apps(im, (const char *const[]){"a-dev0", "a-dev1-proc0", "a-dev1-proc1", NULL});
}

IMPORT_TEST(the_device_that_is_asked_for, IMPORT_CUT_WHOLE) {
    im->options.device = 1;
    import_abandon(im->builder);
    im->builder = import_begin(&im->options, &im->diags);
    add(im, done_by(100, 0, 0, 10));
    add(im, done_by(200, 1, 0, 10));
    add(im, done_by(100, 1, 0, 30));
    assert_int_equal(finish(im), CT_OK);
    assert_apps(im, (const char *const[]){"a-proc0", "a-proc1", NULL});
    assert_string_equal(im->summary.reasons.items[0].reason, "another device");
}

/* What a process copies that runs no kernel there is nobody's. */
IMPORT_TEST(a_process_without_kernels, IMPORT_CUT_WHOLE) {
    struct import_record copy = done_by(200, 0, 20, 30);
    copy.kind = TRACE_COPY;
    add(im, done_by(100, 0, 0, 10));
    add(im, copy);
    assert_int_equal(finish(im), CT_OK);
    assert_apps(im, (const char *const[]){"a", NULL});
    assert_int_equal(im->summary.left_out, 1);
    assert_string_equal(im->summary.reasons.items[0].reason, "process without kernels");
}

/* Ranges of two threads cut the first process; the second has none, and nobody knows whose it is.
 */
IMPORT_TEST(a_process_outside_all_jobs, IMPORT_CUT_MARK) {
    for (uint64_t thread = 1000; thread <= 1001; thread++) {
        struct import_mark mark = {
            .name = "infer", .end_ps = 50 * US, .process = 100, .thread = thread};
        assert_true(import_add_mark(im->builder, &mark));
    }
    struct import_record record = done_by(100, 0, 5, 10);
    record.launch_thread = 1001;
    add(im, record);
    add(im, done_by(200, 0, 5, 25));
    assert_int_equal(finish(im), CT_OK);
    assert_apps(im, (const char *const[]){"a-proc0", NULL});
    assert_said(im, CT_WARNING, "'a-proc1' is left out: none of its kernels is in a job");
    assert_int_equal(im->summary.left_out, 1);
}

/* Each wait for the whole device is for the work of its own process alone, and memory is its own.
 */
IMPORT_TEST(waits_and_memory_of_a_process, IMPORT_CUT_WHOLE) {
    for (uint64_t process = 100; process <= 200; process += 100) {
        struct import_allocation allocation = {
            .process = process, .address = 4096, .bytes = (int64_t)process};
        assert_true(import_add_allocation(im->builder, &allocation));
        add(im, done_by(process, 0, 0, 10));
        add(im, done_by(process, 0, 40, 45));
    }
    struct import_sync sync = {.kind = IMPORT_WAIT_DEVICE,
                               .device = 0,
                               .process = 200,
                               .thread = 2000,
                               .begin_ps = 5 * US,
                               .end_ps = 22 * US};
    assert_true(import_add_sync(im->builder, &sync));
    assert_int_equal(finish(im), CT_OK);
    for (size_t i = 0; i < 2; i++) {
        const struct trace_app *app = im->set.apps.items[i];
        assert_int_equal(trace_app_memory(app), (i + 1) * 100);
        assert_int_equal(app->tasks.items[1].flags & TRACE_SYNC, i == 1 ? TRACE_SYNC : 0);
    }
}
