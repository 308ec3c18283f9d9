/* The import builder against time lines worked out by hand. */
#include "builder_case.h"

/* Launched at 0, 10, 20 while the first kernel runs until 105: the host never waited. */
IMPORT_TEST(test_asynchronous, IMPORT_CUT_WHOLE) {
    add_kernel(im, 20, 115, 5); /* in any order */
    add_kernel(im, 0, 5, 100);
    add_kernel(im, 10, 105, 10);
    assert_int_equal(finish(im), CT_OK);
    assert_int_equal(task(im, 0)->host_gap_ps, 0);
    for (size_t i = 1; i < 3; i++) {
        assert_int_equal(task(im, i)->host_gap_ps, 10 * US);
        assert_int_equal(task(im, i)->flags, 0);
        assert_int_equal(task(im, i)->waited_for, TRACE_NONE);
    }
    assert_int_equal(task(im, 2)->start_ps, 115 * US);
    assert_int_equal(im->set.apps.items[0]->jobs.items[0].recorded_ps, 120 * US);
    assert_int_equal(im->set.apps.items[0]->kernels.count, 1);
    assert_int_equal(im->summary.read, 3);
    assert_int_equal(im->summary.kept, 3);
}

/* The device is done at 105, the call returns at 110, the next launch is at 130: 25 us of host
 * time. */
IMPORT_TEST(test_device_wait, IMPORT_CUT_WHOLE) {
    add_kernel(im, 0, 5, 100);
    add_sync(im, IMPORT_WAIT_DEVICE, 10, 110);
    add_kernel(im, 130, 140, 10);
    assert_int_equal(finish(im), CT_OK);
    assert_int_equal(task(im, 1)->flags, TRACE_SYNC);
    assert_int_equal(task(im, 1)->waited_for, TRACE_NONE);
    assert_int_equal(task(im, 1)->host_gap_ps, 25 * US);
}

/* Stream 7 is waited for (its kernel ends at 55) while stream 8 still runs. */
IMPORT_TEST(test_stream_wait, IMPORT_CUT_WHOLE) {
    struct import_record other = kernel_at(4, 10, 500);
    other.stream = 8;
    add_kernel(im, 0, 5, 50);
    add(im, other);
    add_sync(im, IMPORT_WAIT_STREAM, 10, 60);
    add_kernel(im, 70, 80, 10);
    assert_int_equal(finish(im), CT_OK);
    assert_int_equal(task(im, 2)->flags, TRACE_SYNC);
    assert_int_equal(task(im, 2)->waited_for, 0);
    assert_int_equal(task(im, 2)->host_gap_ps, 15 * US);
    assert_int_equal(im->set.apps.items[0]->stream_count, 2);
    assert_int_equal(task(im, 1)->stream, 1);
}

/* A copy from pageable memory to the host returns when it is done: the kernel behind it waited for
 * the copy. */
IMPORT_TEST(test_pageable_copy_waits, IMPORT_CUT_WHOLE) {
    struct import_record copy = kernel_at(0, 10, 20);
    copy.kind = TRACE_COPY;
    copy.direction = TRACE_DEVICE_TO_HOST;
    copy.memory = TRACE_PAGEABLE;
    copy.bytes = 1000;
    copy.launch_end_ps = 33 * US;
    add(im, copy);
    add_kernel(im, 40, 50, 5);
    assert_int_equal(finish(im), CT_OK);
    assert_int_equal(task(im, 1)->flags, TRACE_SYNC);
    assert_int_equal(task(im, 1)->waited_for, 0);
    assert_int_equal(task(im, 1)->host_gap_ps, 10 * US);
}

/*
 * A copy of pageable memory to the device, from 10 to 1010: its call, from 0, returns when the last
 * piece is staged, at 930, and the next launch is at 940, before the copy has ended. The host was
 * held by the copy, not busy for 940 us. A call that returns at 5, before the copy begins, held
 * nobody.
 */
TEST(test_pageable_copy_returns_early) {
    static const struct {
        int returns, launch, gap;
        bool waited;
    } cases[] = {{930, 940, 0, true},
                 {930, 1030, 20, true},
                 {1015, 1030, 20, true},
                 {5, 30, 30, false},
                 {5, 940, 940, false}};
    for (size_t i = 0; i < CT_COUNT_OF(cases); i++) {
        CLOSED_BY(end) struct imported im;
        struct import_record copy = kernel_at(0, 10, 1000);
        copy.kind = TRACE_COPY;
        copy.direction = TRACE_HOST_TO_DEVICE;
        copy.memory = TRACE_PAGEABLE;
        copy.bytes = 10000000;
        copy.launch_end_ps = cases[i].returns * US;
        begin(&im, IMPORT_CUT_WHOLE);
        add(&im, copy);
        add_kernel(&im, cases[i].launch, 1040, 5);
        assert_int_equal(finish(&im), CT_OK);
        assert_int_equal(task(&im, 1)->flags, cases[i].waited ? TRACE_SYNC : 0);
        assert_int_equal(task(&im, 1)->waited_for, cases[i].waited ? 0 : TRACE_NONE);
        assert_int_equal(task(&im, 1)->host_gap_ps, cases[i].gap * US);
    }
}

/* Without launch records: 10 us of pause are a host that ran ahead, 30 us one that waited, 1 s is
 * file input. */
IMPORT_TEST(test_no_launch_records, IMPORT_CUT_WHOLE) {
    add_kernel(im, -1, 100, 50);
    add_kernel(im, -1, 160, 40);
    add_kernel(im, -1, 230, 20);
    add_kernel(im, -1, 1000250, 20);
    assert_int_equal(finish(im), CT_OK);
    assert_int_equal(task(im, 1)->flags, TRACE_HOST_GAP_ASSUMED);
    assert_int_equal(task(im, 1)->host_gap_ps,
                     60 * US); /* start to start: the pause stays when alone */
    assert_int_equal(task(im, 2)->flags, TRACE_HOST_GAP_ASSUMED | TRACE_SYNC);
    assert_int_equal(task(im, 2)->host_gap_ps, 30 * US);
    assert_int_equal(task(im, 3)->flags,
                     TRACE_HOST_GAP_ASSUMED | TRACE_SYNC | TRACE_HOST_GAP_CAPPED);
    assert_int_equal(task(im, 3)->host_gap_ps, 100 * CT_PS_PER_MS);
    assert_int_equal(im->set.apps.items[0]->jobs.items[0].recorded_ps,
                     150 * US + 100 * CT_PS_PER_MS + 20 * US);
    assert_false(im->set.apps.items[0]->launches_recorded);
}

static struct import_record copy_at(enum trace_direction direction, enum trace_memory memory,
                                    uint64_t bytes, int start, int duration) {
    struct import_record copy = kernel_at(-1, start, duration);
    copy.kind = TRACE_COPY;
    copy.direction = direction;
    copy.memory = memory;
    copy.bytes = bytes;
    return copy;
}

/* The second of two tasks without launch records: the wait it was released by, and its gap. */
static void assert_second(struct import_record first, struct import_record second, bool waited,
                          int gap) {
    struct imported im;
    begin(&im, IMPORT_CUT_WHOLE);
    add(&im, first);
    add(&im, second);
    add_kernel(&im, -1, 5000, 10); /* an application has one at least */
    assert_int_equal(finish(&im), CT_OK);
    assert_int_equal(task(&im, 1)->flags, TRACE_HOST_GAP_ASSUMED | (waited ? TRACE_SYNC : 0));
    assert_int_equal(task(&im, 1)->waited_for, waited ? 0 : TRACE_NONE);
    assert_int_equal(task(&im, 1)->host_gap_ps, gap * US);
    end(&im);
}

/*
 * Without launch records, a copy of 900 us and 8 us of pause behind it: where the copy held the
 * host, the 8 us are the host's and the 900 the link's. Pinned copies, small ones to the device and
 * those within it do not hold the host; nor does one beside which the next task began.
 */
TEST(test_no_launch_records_after_copies) {
    const uint64_t large = 65537;
    struct import_record kernel = kernel_at(-1, 1008, 10), beside = kernel_at(-1, 999, 10);
    beside.stream = 8;
    assert_second(copy_at(TRACE_HOST_TO_DEVICE, TRACE_PAGEABLE, large, 100, 900), kernel, true, 8);
    assert_second(copy_at(TRACE_HOST_TO_DEVICE, TRACE_MEMORY_UNKNOWN, large, 100, 900), kernel,
                  true, 8);
    assert_second(copy_at(TRACE_DEVICE_TO_HOST, TRACE_MEMORY_UNKNOWN, 4, 100, 900), kernel, true,
                  8);
    assert_second(copy_at(TRACE_HOST_TO_DEVICE, TRACE_PAGEABLE, large, 100, 900),
                  copy_at(TRACE_HOST_TO_DEVICE, TRACE_PAGEABLE, large, 1008, 900), true, 8);
    assert_second(copy_at(TRACE_HOST_TO_DEVICE, TRACE_PAGEABLE, large - 1, 100, 900), kernel, false,
                  908);
    assert_second(copy_at(TRACE_HOST_TO_DEVICE, TRACE_PINNED, large, 100, 900), kernel, false, 908);
    assert_second(copy_at(TRACE_DEVICE_TO_HOST, TRACE_PINNED, large, 100, 900), kernel, false, 908);
    assert_second(copy_at(TRACE_DEVICE_TO_DEVICE, TRACE_MEMORY_UNKNOWN, large, 100, 900), kernel,
                  false, 908);
    assert_second(copy_at(TRACE_HOST_TO_DEVICE, TRACE_PAGEABLE, large, 100, 900), beside, false,
                  899);
}

/*
 * Steps at 100..200 and 200..300. Launched at 50: no step yet. Launched at 190, run at 210: the
 * first step's, though it ran in the second. Without launch record, run before everything else:
 * launched before the recording, in a step of which the rest is not there.
 */
IMPORT_TEST(test_steps_cut_by_launch, IMPORT_CUT_STEP) {
    add_mark(im, "ProfilerStep#1", true, 100, 200);
    add_mark(im, "ProfilerStep#2", true, 200, 300);
    add_mark(im, "other", false, 0, 300);
    add_kernel(im, -1, 20, 10);
    add_kernel(im, 50, 110, 10);
    add_kernel(im, 120, 130, 10);
    add_kernel(im, 190, 210, 10);
    add_kernel(im, 220, 230, 10);
    add_kernel(im, 310, 320, 10);
    assert_int_equal(finish(im), CT_OK);
    const struct trace_app *app = im->set.apps.items[0];
    assert_int_equal(app->jobs.count, 2);
    assert_string_equal(app->jobs.items[0].name, "ProfilerStep#1");
    assert_int_equal(app->jobs.items[0].task_count, 2);
    assert_int_equal(app->jobs.items[1].task_count, 1);
    assert_int_equal(app->carried_tasks, 3);
    assert_int_equal(task(im, 1)->flags, TRACE_CARRIED);
    assert_int_equal(task(im, 2)->launch_begin_ps, 0);
    assert_int_equal(im->summary.read, 6);
    assert_int_equal(im->summary.kept, 3);
    assert_int_equal(im->summary.reasons.count, 3);
    assert_string_equal(im->summary.reasons.items[0].reason, "launched after the last step");
    assert_string_equal(im->summary.reasons.items[1].reason, "launched before the first step");
    assert_string_equal(im->summary.reasons.items[2].reason, "launched before the recording");
    assert_int_equal(im->summary.reasons.items[2].records, 1);
    assert_true(import_share_kept(im->summary.tasks) == 50);
    assert_true(import_share_kept(im->summary.gpu_ps) == 50);
}

/*
 * A window of something that runs: two kernels back to back and one after a pause, none with a
 * launch; the stream's first recorded launch is at 45, so the pause is not the host's to the end.
 */
IMPORT_TEST(test_launched_before_the_recording, IMPORT_CUT_WHOLE) {
    add_kernel(im, -1, 10, 10);
    add_kernel(im, -1, 20, 10);
    add_kernel(im, -1, 60, 10);
    add_kernel(im, 45, 70, 10);
    assert_int_equal(finish(im), CT_OK);
    assert_int_equal(im->summary.kept, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(task(im, i)->flags, i < 3 ? TRACE_HOST_GAP_ASSUMED : 0);
    assert_int_equal(task(im, 1)->host_gap_ps, 0);
    assert_int_equal(task(im, 2)->host_gap_ps, 35 * US);
    assert_int_equal(task(im, 3)->host_gap_ps, 0);
    assert_int_equal(task(im, 3)->start_ps, 60 * US);
    assert_int_equal(im->set.apps.items[0]->jobs.items[0].recorded_ps, 70 * US);
    assert_said(im, CT_NOTICE,
                "3 of 4 tasks were launched before the recording began: they are queued");
}

/* Where jobs are ranges, what was launched before the recording belongs to none that is there. */
IMPORT_TEST(test_launched_before_the_ranges, IMPORT_CUT_MARK) {
    add_mark(im, "infer", false, 40, 100);
    add_kernel(im, -1, 10, 10);
    add_kernel(im, 45, 70, 10);
    assert_int_equal(finish(im), CT_OK);
    assert_int_equal(im->summary.kept, 1);
    assert_said(im, CT_NOTICE,
                "1 of 2 tasks were launched before the recording began: jobs are cut");
    assert_said(im, CT_NOTICE, "so they are left out; '--jobs whole' keeps them");
}

IMPORT_TEST(test_ranges, IMPORT_CUT_MARK) {
    add_mark(im, "infer", false, 100, 200);
    add_mark(im, "infer", false, 300, 400);
    add_kernel(im, 110, 120, 10);
    add_kernel(im, 250, 260, 10);
    add_kernel(im, 310, 320, 10);
    assert_int_equal(finish(im), CT_OK);
    assert_int_equal(im->set.apps.items[0]->jobs.count, 2);
    assert_string_equal(im->set.apps.items[0]->jobs.items[1].name, "infer#1");
    assert_int_equal(im->summary.left_out, 1);
}

/* From 100 to 200 and from 200 to 300, on two devices; the last beginning only ends the job before.
 */
IMPORT_TEST(test_from_one_range_to_the_next, IMPORT_CUT_FROM) {
    struct import_record second = kernel_at(120, 130, 10);
    second.device = 1;
    add_mark(im, "infer", false, 100, 110);
    add_mark(im, "infer", false, 200, 210);
    add_mark(im, "infer", false, 300, 310);
    add_kernel(im, 50, 60, 10);
    add_kernel(im, 150, 160, 10);
    add_kernel(im, 250, 260, 10);
    add_kernel(im, 350, 360, 10);
    add(im, second);
    assert_int_equal(finish(im), CT_OK);
    assert_int_equal(im->set.apps.count, 2);
    assert_int_equal(im->set.apps.items[0]->jobs.count, 2);
    assert_int_equal(im->set.apps.items[0]->tasks.count, 2);
    assert_int_equal(im->set.apps.items[1]->jobs.count, 1);
    assert_int_equal(im->summary.left_out, 2);
}

IMPORT_TEST(test_gaps, IMPORT_CUT_GAP) {
    add_kernel(im, 0, 5, 10);
    add_kernel(im, 20, 60, 10);  /* idle for 45 us */
    add_kernel(im, 25, 120, 10); /* idle for 50 us */
    assert_int_equal(finish(im), CT_OK);
    assert_int_equal(im->set.apps.items[0]->jobs.count, 2);
    assert_int_equal(im->set.apps.items[0]->jobs.items[0].task_count, 2);
}

IMPORT_TEST(test_zero_duration_and_small_overlap, IMPORT_CUT_WHOLE) {
    add_kernel(im, 0, 5, 0);
    add_kernel(im, 1, 5, 10);
    add_kernel(im, 2, 14, 10); /* one microsecond before the one before ends */
    assert_int_equal(finish(im), CT_OK);
    assert_int_equal(task(im, 0)->duration_ps, US / 2);
    assert_int_equal(task(im, 0)->flags, TRACE_DURATION_ASSUMED);
    assert_int_equal(task(im, 1)->start_ps, 5 * US + US / 2);
    assert_int_equal(task(im, 2)->start_ps, 15 * US + US / 2);
}

/* A start, a duration and the next start in whole microseconds: two may be lost, three may not. */
IMPORT_TEST(test_overlap_of_rounding, IMPORT_CUT_WHOLE) {
    struct import_record copy = kernel_at(1, 13, 10);
    copy.kind = TRACE_COPY;
    add_kernel(im, 0, 5, 10);
    add(im, copy);
    assert_int_equal(finish(im), CT_OK);
    assert_int_equal(task(im, 1)->start_ps, 15 * US);
    assert_int_equal(task(im, 1)->duration_ps, 10 * US);
    assert_said(im, CT_NOTICE,
                "1 tasks begin before the one before in their stream ends, by 2.000 us");
}

/* The second begins 3 us before the first ends, and works from there; the third ran inside it. */
static void check_true_overlaps(const char *gpu, enum ct_severity severity, const char *said) {
    CLOSED_BY(end) struct imported im;
    begin(&im, IMPORT_CUT_WHOLE);
    import_abandon(im.builder);
    im.options.gpu = gpu;
    im.builder = import_begin(&im.options, &im.diags);
    import_resolution(im.builder, US);
    add_kernel(&im, 0, 5, 10);
    add_kernel(&im, 1, 12, 10);
    add_kernel(&im, 3, 16, 4);
    add_kernel(&im, 4, 22, 1);
    assert_int_equal(finish(&im), CT_OK);
    assert_int_equal(task(&im, 1)->start_ps, 15 * US);
    assert_int_equal(task(&im, 1)->duration_ps, 7 * US);
    assert_int_equal(task(&im, 1)->lag_ps, -3 * US);
    assert_int_equal(task(&im, 2)->start_ps, 16 * US);
    assert_int_equal(task(&im, 2)->duration_ps, 4 * US);
    assert_int_equal(task(&im, 2)->stream, 1);
    assert_int_equal(task(&im, 2)->dependency_count, 1);
    assert_int_equal(im.set.apps.items[0]->dependencies.items[0], 0);
    assert_int_equal(task(&im, 3)->stream, 0);
    assert_said(&im, severity, said);
}

TEST(test_kernels_that_truly_overlap) {
    check_true_overlaps("h100", CT_NOTICE,
                        "2 tasks overlap the one before in their stream, by 6.000 us at most");
    check_true_overlaps("v100", CT_WARNING, "this GPU knows no programmatic launches");
}

static void allocate(struct imported *im, int process, int address, int at, int64_t bytes) {
    struct import_allocation allocation = {.process = (uint64_t)process,
                                           .address = (uint64_t)address,
                                           .time_ps = at * US,
                                           .bytes = bytes};
    assert_true(import_add_allocation(im->builder, &allocation));
}

/*
 * 100, then 250 more, 100 given back and taken by 60: 350 at most. What was taken before the
 * recording is given back and counts for nothing; an address that is taken twice was given back
 * between. Another process has addresses of its own.
 */
TEST(test_most_memory_held) {
    CLOSED_BY(end) struct imported im;
    begin(&im, IMPORT_CUT_WHOLE);
    add_kernel(&im, 0, 5, 10);
    allocate(&im, 1, 16, 50, 60);
    allocate(&im, 1, 16, 40, 0);
    allocate(&im, 1, 16, 10, 100);
    allocate(&im, 1, 32, 20, 250);
    allocate(&im, 1, 64, 15, 0);
    allocate(&im, 1, 32, 60, 200);
    assert_int_equal(finish(&im), CT_OK);
    assert_int_equal(trace_app_memory(im.set.apps.items[0]), 350);
    end(&im);
    begin(&im, IMPORT_CUT_WHOLE);
    add_kernel(&im, 0, 5, 10);
    allocate(&im, 1, 16, 10, 100);
    allocate(&im, 2, 16, 20, 100);
    assert_true(import_memory_held(im.builder, 0, 150));
    assert_true(import_memory_held(im.builder, 1, 900));
    assert_int_equal(finish(&im), CT_OK);
    assert_int_equal(trace_app_memory(im.set.apps.items[0]), 200);
    end(&im);
    begin(&im, IMPORT_CUT_WHOLE);
    add_kernel(&im, 0, 5, 10);
    assert_int_equal(finish(&im), CT_OK);
    assert_int_equal(trace_app_memory(im.set.apps.items[0]), 0);
}

/* The third came before the second began its work: there are two of a stream at most. A copy has no
 * programmatic launch. */
IMPORT_TEST(test_how_early_a_kernel_comes, IMPORT_CUT_WHOLE) {
    struct import_record copy = kernel_at(3, 33, 10);
    copy.kind = TRACE_COPY;
    add_kernel(im, 0, 5, 15);
    add_kernel(im, 1, 15, 10);
    add_kernel(im, 2, 17, 20);
    add(im, copy);
    assert_int_equal(finish(im), CT_OK);
    assert_int_equal(task(im, 1)->lag_ps, -5 * US);
    assert_int_equal(task(im, 2)->start_ps, 25 * US);
    assert_int_equal(task(im, 2)->lag_ps, -5 * US);
    assert_int_equal(task(im, 3)->start_ps, 37 * US);
    assert_int_equal(task(im, 3)->duration_ps, 6 * US);
    assert_int_equal(task(im, 3)->lag_ps, 0);
}

/* A graph's gaps are the device's: behind the end of the stream's node before, or of the branch
 * that a node joins; before its first node there is none, nor between launches. */
IMPORT_TEST(test_gaps_inside_graphs, IMPORT_CUT_WHOLE) {
    add_kernel(im, 0, 10, 10);
    add_kernel(im, 0, 23, 30);
    add_kernel(im, 0, 27, 10); /* a branch, 7 us behind the first */
    add_kernel(im, 0, 57, 10);
    add_kernel(im, 1, 70, 5);
    add_kernel(im, 8, 80, 5); /* a graph of two branches */
    add_kernel(im, 8, 81, 7);
    add_kernel(im, 8, 90, 5);
    assert_int_equal(finish(im), CT_OK);
    static const int lags[] = {0, 3, 7, 4, 0, 0, 0, 2};
    for (uint32_t i = 0; i < CT_COUNT_OF(lags); i++)
        assert_int_equal(task(im, i)->lag_ps, lags[i] * US);
}

/* Two nodes of one graph launch side by side: the second goes beside the stream, behind what was
 * before them. */
IMPORT_TEST(test_graph_branches, IMPORT_CUT_WHOLE) {
    add_kernel(im, 0, 10, 10);
    add_kernel(im, 0, 20, 30);
    add_kernel(im, 0, 25, 10);
    add_kernel(im, 0, 50, 10);
    assert_int_equal(finish(im), CT_OK);
    const struct trace_app *app = im->set.apps.items[0];
    assert_int_equal(app->stream_count, 2);
    assert_int_equal(task(im, 2)->stream, 1);
    assert_int_equal(task(im, 2)->dependency_count, 1);
    assert_int_equal(app->dependencies.items[task(im, 2)->first_dependency], 0);
    assert_int_equal(task(im, 3)->stream, 0);
    assert_int_equal(app->dependencies.items[task(im, 3)->first_dependency], 2);
}

IMPORT_TEST(test_stream_dependency, IMPORT_CUT_WHOLE) {
    struct import_record other = kernel_at(30, 70, 10);
    other.stream = 8;
    struct import_stream_wait wait = {
        .stream = 8, .source = 7, .wait_ps = 25 * US, .record_ps = 20 * US};
    add_kernel(im, 0, 5, 10);
    add_kernel(im, 10, 20, 50);
    add(im, other);
    assert_true(import_add_stream_wait(im->builder, &wait));
    assert_int_equal(finish(im), CT_OK);
    assert_int_equal(task(im, 2)->dependency_count, 1);
    assert_int_equal(im->set.apps.items[0]->dependencies.items[0], 1);
}

IMPORT_TEST(test_devices_and_communication, IMPORT_CUT_WHOLE) {
    struct import_record nccl = kernel_at(10, 20, 5);
    nccl.name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";
    struct import_record second = kernel_at(0, 5, 5);
    second.device = 1;
    im->options.no_communication = true;
    import_abandon(im->builder);
    im->builder = import_begin(&im->options, &im->diags);
    add_kernel(im, 0, 5, 10);
    add(im, nccl);
    add(im, second);
    assert_int_equal(finish(im), CT_OK);
    assert_int_equal(im->set.apps.count, 2);
    assert_string_equal(im->set.apps.items[0]->name, "a-dev0");
    assert_string_equal(im->set.apps.items[1]->name, "a-dev1");
    assert_int_equal(im->summary.kept, 2);
    assert_string_equal(im->summary.reasons.items[0].reason, "communication kernel");
}

static const struct import_extent one_launch = {1, NAN, NAN};

IMPORT_TEST(test_metrics_by_name_and_shape, IMPORT_CUT_WHOLE) {
    struct import_record big = kernel_at(20, 30, 10);
    struct trace_metrics any = trace_metrics_unknown(), shaped = trace_metrics_unknown();
    const uint32_t grid[3] = {160, 1, 1}, block[3] = {128, 1, 1};
    big.grid[0] = 160;
    any.dram_bytes_per_s = 1e9;
    any.l2_fraction = 0.5;
    shaped.dram_bytes_per_s = 2e9;
    add_kernel(im, 0, 5, 10);
    add(im, big);
    assert_true(import_add_metrics(im->builder, "k", grid, block, &one_launch, &shaped));
    assert_true(import_add_metrics(im->builder, "k", NULL, NULL, &one_launch, &any));
    assert_true(import_add_metrics(im->builder, "nobody", NULL, NULL, &one_launch, &any));
    assert_int_equal(finish(im), CT_OK);
    const struct trace_app *app = im->set.apps.items[0];
    assert_int_equal(app->kernels.count, 2);
    assert_true(app->kernels.items[0].metrics.dram_bytes_per_s == 1e9);
    assert_true(app->kernels.items[1].metrics.dram_bytes_per_s == 2e9);
    assert_true(app->kernels.items[1].metrics.l2_fraction == 0.5);
    assert_int_equal(app->kernels.items[1].demand_provenance, CT_MEASURED);
    assert_int_equal(im->summary.metrics_attached, 2);
    assert_int_equal(im->summary.metrics_unmatched, 1);
}

static void add_measured(struct imported *im, const struct import_extent *extent, double rate,
                         double instructions) {
    static const uint32_t grid[3] = {80, 1, 1}, block[3] = {128, 1, 1};
    struct trace_metrics metrics = trace_metrics_unknown();
    metrics.dram_bytes_per_s = metrics.unit_fraction = rate;
    metrics.instructions = instructions;
    assert_true(import_add_metrics(im->builder, "k", grid, block, extent, &metrics));
}

/* Two long launches and a short one, in one order and in the other: rates are weighed by time,
 * instructions are those of a launch. */
static void assert_mean(const struct import_extent *extents, double rate) {
    static const double rates[] = {0.9, 0.9, 0.1}, instructions[] = {30, 30, 0};
    struct trace_metrics got[2];
    for (int turn = 0; turn < 2; turn++) {
        struct imported one;
        begin(&one, IMPORT_CUT_WHOLE);
        add_kernel(&one, 0, 5, 10);
        for (int i = 0; i < 3; i++) {
            int k = turn ? 2 - i : i;
            add_measured(&one, &extents[k], rates[k], instructions[k]);
        }
        assert_int_equal(finish(&one), CT_OK);
        got[turn] = one.set.apps.items[0]->kernels.items[0].metrics;
        assert_int_equal(one.summary.metrics_attached, 3);
        assert_int_equal(one.summary.metrics_kernels, 1);
        end(&one);
    }
    assert_float_equal(got[0].unit_fraction, rate, 1e-12);
    assert_float_equal(got[0].dram_bytes_per_s, rate, 1e-12);
    assert_float_equal(got[0].instructions, 20, 1e-12);
    assert_memory_equal(&got[0], &got[1], sizeof got[0]);
}

TEST(test_metrics_of_launches_by_time) {
    const struct import_extent extents[] = {{1, 200, 10}, {1, 200, 10}, {1, 20, 10}};
    assert_mean(extents, (0.9 * 400 + 0.1 * 20) / 420);
}

/* Cycles where not every launch says how long it took, the launches alone where neither is known.
 */
TEST(test_metrics_of_launches_by_cycles) {
    const struct import_extent extents[] = {{1, 200, 30}, {1, NAN, 30}, {1, 20, 20}};
    assert_mean(extents, (0.9 * 60 + 0.1 * 20) / 80);
}

TEST(test_metrics_of_launches_without_a_time) {
    const struct import_extent extents[] = {{1, NAN, NAN}, {1, NAN, 30}, {1, 20, 20}};
    assert_mean(extents, 1.9 / 3);
}

/* Only where nothing has the name itself, and only with the shape. */
IMPORT_TEST(test_metrics_by_names_that_agree, IMPORT_CUT_WHOLE) {
    struct import_record alike = kernel_at(0, 5, 10), wide = kernel_at(20, 30, 10);
    struct import_record exact = kernel_at(40, 50, 10);
    struct trace_metrics one = trace_metrics_unknown(), other = trace_metrics_unknown();
    const uint32_t grid[3] = {80, 1, 1}, block[3] = {128, 1, 1};
    alike.name = wide.name = "void a::(anonymous namespace)::f<true, (t)0>(int)";
    exact.name = "a::f<0>(int)";
    wide.grid[0] = 160;
    one.dram_bytes_per_s = 1e9;
    other.dram_bytes_per_s = 2e9;
    add(im, alike);
    add(im, wide);
    add(im, exact);
    assert_true(
        import_add_metrics(im->builder, "void a::f<1, 0>(T1)", grid, block, &one_launch, &one));
    assert_true(import_add_metrics(im->builder, "a::f<0>(int)", grid, block, &one_launch, &one));
    assert_true(import_add_metrics(im->builder, "b::f<0>(int)", grid, block, &one_launch, &other));
    assert_true(import_add_metrics(im->builder, "f<1, 0>", NULL, NULL, &one_launch, &other));
    assert_int_equal(finish(im), CT_OK);
    const struct trace_kernel *kernels = im->set.apps.items[0]->kernels.items;
    assert_true(kernels[0].metrics.dram_bytes_per_s == 1e9);
    assert_int_equal(kernels[0].demand_provenance, CT_MEASURED);
    assert_true(isnan(kernels[1].metrics.dram_bytes_per_s));
    assert_true(kernels[2].metrics.dram_bytes_per_s == 1e9);
    assert_int_equal(im->summary.metrics_attached, 2);
    assert_int_equal(im->summary.metrics_alike, 1);
    assert_int_equal(im->summary.metrics_unmatched, 2);
}

IMPORT_TEST(test_impossible_records, IMPORT_CUT_WHOLE) {
    struct import_record none = kernel_at(0, 0, 1), wide = kernel_at(0, 0, 1);
    struct import_record back = kernel_at(0, 0, -1);
    none.grid[1] = 0;
    wide.block[1] = 16;
    add(im, none);
    add(im, wide);
    add(im, back);
    assert_int_equal(finish(im), CT_DATA);
    assert_error(im, "has 0 blocks of 128 threads");
    assert_error(im, "has 80 blocks of 2048 threads");
    assert_error(im, "'k' has a negative duration");
    assert_int_equal(im->set.apps.count, 0);
}

IMPORT_TEST(test_gpu_is_needed, IMPORT_CUT_WHOLE) {
    im->options.gpu = NULL;
    import_abandon(im->builder);
    im->builder = import_begin(&im->options, &im->diags);
    add_kernel(im, 0, 5, 10);
    assert_int_equal(finish(im), CT_USAGE);
    assert_error(im, "does not name its GPU");
}

static void check_title(const char *title, const char *gpu) {
    CLOSED_BY(end) struct imported im;
    begin(&im, IMPORT_CUT_WHOLE);
    im.options.gpu = NULL;
    import_abandon(im.builder);
    im.builder = import_begin(&im.options, &im.diags);
    import_gpu(im.builder, 0, &(struct import_gpu){.title = title});
    add_kernel(&im, 0, 5, 10);
    assert_int_equal(finish(&im), gpu ? CT_OK : CT_USAGE);
    if (gpu)
        assert_string_equal(im.set.apps.items[0]->gpu, gpu);
}

TEST(test_gpu_titles) {
    check_title("NVIDIA H100 80GB HBM3", "h100");
    check_title("Tesla V100-SXM2-16GB", "v100");
    check_title("NVIDIA A100-PG509-200", "a100");
    check_title("NVIDIA GeForce RTX 2080 Ti", "rtx2080ti");
    check_title("GeForce GTX 1080 Ti (0)", "gtx1080ti");
    check_title("NVIDIA GeForce RTX 3060", "rtx3060");
    check_title("NVIDIA GeForce RTX 3060 Ti", NULL);
    check_title("NVIDIA A100-SXM4-80GB", "a100-80gb");
    check_title("NVIDIA A100-SXM4-40GB MIG 3g.20gb", NULL);
    check_title("NVIDIA L40S", "l40s");
    check_title("NVIDIA L40", NULL);
}

/* Imports a kernel of a GPU of which this is recorded; `gpu` is given, or NULL. What is said of it
 * must be this; NULL: nothing. */
static void check_recorded(const struct import_gpu *recorded, const char *gpu, const char *unknown,
                           const char *preset, enum ct_severity severity, const char *said) {
    CLOSED_BY(end) struct imported im;
    begin(&im, IMPORT_CUT_WHOLE);
    im.options.gpu = gpu;
    im.options.unknown_gpu = unknown;
    import_abandon(im.builder);
    im.builder = import_begin(&im.options, &im.diags);
    import_gpu(im.builder, 0, recorded);
    add_kernel(&im, 0, 5, 10);
    assert_int_equal(finish(&im), CT_OK);
    assert_string_equal(im.set.apps.items[0]->gpu, preset);
    bool written = unknown && strcmp(preset, unknown) == 0;
    assert_int_equal(im.summary.gpu.title != NULL, written);
    if (said)
        assert_said(&im, severity, said);
    else
        assert_int_equal(im.diags.count, 0);
}

/* The presets: orin has 16 SMs, 64 GiB, 204.8 GB/s and 8.7; rtx3080 68, 10, 760 and 8.6; t4 40, 16,
 * 320 and 7.5; h100 132. */
TEST(test_recorded_gpu_beside_its_preset) {
    const struct import_gpu orin_nx = {
        .title = "Orin", .sms = 8, .compute_capability = 87, .memory_gib = 16};
    const struct import_gpu rtx3080 = {.title = "NVIDIA GeForce RTX 3080",
                                       .sms = 70,
                                       .compute_capability = 86,
                                       .memory_gib = 11.8,
                                       .dram_gb_s = 912.096};
    const struct import_gpu half = {.title = "NVIDIA H100 80GB HBM3", .sms = 66};
    const struct import_gpu t4 = {.title = "Tesla T4",
                                  .sms = 40,
                                  .compute_capability = 75,
                                  .memory_gib = 14.56, /* of 16 with ECC, less the driver's */
                                  .dram_gb_s = 320.064};
    const struct import_gpu titled = {.title = "Tesla T4"};
    const struct import_gpu short_title = {.title = "NVIDIA H100", .sms = 132};
    check_recorded(&orin_nx, NULL, NULL, "orin", CT_WARNING,
                   "is not the preset 'orin': SMs 8, not 16; memory in GiB 16, not 64; the trace");
    check_recorded(&orin_nx, NULL, "nx", "nx", CT_WARNING, NULL);
    check_recorded(&orin_nx, "orin", "nx", "orin", CT_WARNING, "'--gpu-file' instead of '--gpu'");
    check_recorded(&rtx3080, NULL, NULL, "rtx3080", CT_WARNING,
                   "SMs 70, not 68; memory in GiB 11.8, not 10; bandwidth in GB/s 912.1, not 760;");
    check_recorded(&rtx3080, "t4", NULL, "t4", CT_WARNING, "compute capability 8.6, not 7.5");
    check_recorded(&half, NULL, NULL, "h100", CT_WARNING, "SMs 66, not 132; the trace");
    check_recorded(&t4, NULL, NULL, "t4", CT_WARNING, NULL);
    check_recorded(&t4, NULL, "file", "t4", CT_WARNING, NULL);
    check_recorded(&titled, "v100", NULL, "v100", CT_NOTICE,
                   "'Tesla T4' is the preset 't4'; the trace is on 'v100', as '--gpu' says");
    check_recorded(&short_title, "h100-nvl", NULL, "h100-nvl", CT_NOTICE, NULL);
}

TEST(test_nothing_there) {
    CLOSED_BY(end) struct imported im;
    begin(&im, IMPORT_CUT_WHOLE);
    import_leave_out(im.builder, "host event");
    assert_int_equal(finish(&im), CT_DATA);
    assert_error(&im, "holds no kernel");
    end(&im);
    begin(&im, IMPORT_CUT_STEP);
    add_kernel(&im, 0, 5, 10);
    assert_int_equal(finish(&im), CT_USAGE);
    assert_error(&im, "no profiler steps");
}
