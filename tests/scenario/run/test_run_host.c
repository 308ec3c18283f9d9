/*
 * The host model and the adaptations of recordings on whole runs: recordings made here, workload
 * files, time lines by hand.
 *
 * Kernels of 20 blocks on an RTX 2080 Ti (272 slots of this shape): any of them fit together, and
 * with no metrics known they do not slow each other. Times in microseconds.
 */
#include "run_case.h"

#define US CT_PS_PER_US

/* ---- Recordings ---- */

/* A recording, and a run of it. */
struct host_case {
    struct trace_set set;
    struct trace_app *app; /* NULL: nothing is recorded */
    struct run_case file;
    struct run_case_result r;
};

/* An application of so many streams, or nothing. */
static void open_case(struct host_case *h, uint32_t streams) {
    *h = (struct host_case){0};
    if (streams == 0)
        return;
    h->app = run_case_app(&h->set, "app", streams);
    struct trace_kernel kernel = {.name = "kernel",
                                  .grid = {20, 1, 1},
                                  .block = {256, 1, 1},
                                  .demand_provenance = CT_ASSUMED,
                                  .metrics = trace_metrics_unknown()};
    assert_true(ct_vec_push(&h->app->kernels, kernel));
    struct trace_job job = {.name = "job", .recorded_ps = US};
    assert_true(ct_vec_push(&h->app->jobs, job));
}

static struct trace_task *record_task(struct host_case *h, struct trace_task task) {
    assert_true(ct_vec_push(&h->app->tasks, task));
    h->app->jobs.items[0].task_count++;
    h->app->jobs.items[0].input_bytes +=
        task.kind == TRACE_COPY && task.direction == TRACE_HOST_TO_DEVICE ? task.bytes : 0;
    return &h->app->tasks.items[h->app->tasks.count - 1];
}

/* A kernel that is launched `gap` after the launch before it. */
static struct trace_task *record_kernel(struct host_case *h, uint32_t stream, int64_t duration_us,
                                        int64_t gap_us) {
    return record_task(h, (struct trace_task){.kind = TRACE_KERNEL,
                                              .stream = stream,
                                              .waited_for = TRACE_NONE,
                                              .duration_ps = duration_us * US,
                                              .host_gap_ps = gap_us * US});
}

/* The host waited for `task` (TRACE_NONE: for all) and then took `gap` to launch it. */
static void record_waiting(struct host_case *h, uint32_t stream, int64_t duration_us,
                           int64_t gap_us, uint32_t waited_for) {
    struct trace_task *task = record_kernel(h, stream, duration_us, gap_us);
    task->flags = TRACE_SYNC;
    task->waited_for = waited_for;
}

static void record_copy(struct host_case *h, int direction, uint64_t bytes, double us) {
    record_task(h, (struct trace_task){.kind = TRACE_COPY,
                                       .direction = (uint8_t)direction,
                                       .memory = TRACE_PINNED,
                                       .kernel = TRACE_NONE,
                                       .waited_for = TRACE_NONE,
                                       .bytes = bytes,
                                       .duration_ps = (ct_time_ps)(us * US)});
}

/* ---- Runs ---- */

/* `head`: gpu and times; `app`: keys of the application beside name and trace; `others`: more of
 * them, or "". */
static void run_host(struct host_case *h, const char *head, const char *app, const char *others) {
    char json[2048];
    struct run_case_params params = {.policy = &policy_mps, .seed = 1, .blame = true};
    snprintf(json, sizeof json,
             "{\"schema\": \"cotenant.workload/1\", %s, \"policy\": \"mps\", \"apps\": [%s%s%s%s]}",
             head, h->app ? "{\"name\": \"app\", \"trace\": \"t.db#app\", " : "", app,
             h->app ? "}" : "", others);
    run_case_open(&h->file, json, h->app ? &h->set : NULL);
    run_case_run(&h->file, &params, &h->r);
    assert_null(h->r.result.broken_law);
    assert_true(h->r.result.littles_law_ok);
    assert_true(h->r.result.utilisation_law_ok);
}

static void close_host(struct host_case *h) {
    run_case_result_free(&h->r);
    run_case_close(&h->file);
    trace_set_free(&h->set);
}

#define HOST_TEST(name, open) TEST_CASE(name, struct host_case, h, open, close_host(h))

static const char *const HEAD = "\"gpu\": \"rtx2080ti\", \"duration_s\": 0.01";
static const char *const ONE_QUERY = "\"role\": \"service\", \"arrivals\": {\"process\": \"once\"}";

static void expect_task(const struct host_case *h, uint64_t job, uint32_t index, double launched_us,
                        double started_us, double ended_us) {
    const struct run_case_task *t = run_case_task_of(&h->r, 0, job, index);
    double launched = (double)t->launched_ps / 1e6, started = (double)t->started_ps / 1e6;
    double ended = (double)t->ended_ps / 1e6;
    if (launched != launched_us || started != started_us || ended != ended_us)
        fail_msg("task %u of job %u: launched %.6f, ran %.6f to %.6f; by hand %.6f, %.6f to %.6f",
                 index, (unsigned)job, launched, started, ended, launched_us, started_us, ended_us);
}

static void expect_blame(const struct host_case *h, uint64_t job, enum ct_blame cause, double us) {
    double got = (double)run_case_job_of(&h->r, 0, job)->blame_ps[cause] / 1e6;
    if (got != us)
        fail_msg("job %u: %.6f us of cause %d, by hand %.6f", (unsigned)job, got, (int)cause, us);
}

/* Asynchronous: launched every 10 us however late the device is; the device is never idle. */
HOST_TEST(asynchronous_chain_runs_ahead, open_case(h, 1)) {
    record_kernel(h, 0, 100, 0);
    record_kernel(h, 0, 100, 10);
    record_kernel(h, 0, 100, 10);
    run_host(h, HEAD, ONE_QUERY, "");
    expect_task(h, 0, 0, 0, 0, 100);
    expect_task(h, 0, 1, 10, 100, 200);
    expect_task(h, 0, 2, 20, 200, 300);
    expect_blame(h, 0, CT_BLAME_SOLO_WORK, 300);
}

/* An asynchronous launch that comes late leaves the device idle: 150 - 100. */
HOST_TEST(asynchronous_chain_behind_the_device, open_case(h, 1)) {
    record_kernel(h, 0, 100, 0);
    record_kernel(h, 0, 100, 150);
    run_host(h, HEAD, ONE_QUERY, "");
    expect_task(h, 0, 1, 150, 150, 250);
    /* Back along what was waited for: the launch, 150 us of host; the first kernel is beside it. */
    expect_blame(h, 0, CT_BLAME_HOST, 150);
    expect_blame(h, 0, CT_BLAME_SOLO_WORK, 100);
}

/* The third waits for both before it (300) and 50 more; the fourth's gap counts from that launch.
 */
HOST_TEST(synchronising_wait_for_all, open_case(h, 2)) {
    record_kernel(h, 0, 100, 0);
    record_kernel(h, 1, 290, 10);
    record_waiting(h, 0, 100, 50, TRACE_NONE);
    record_kernel(h, 0, 100, 10);
    run_host(h, HEAD, ONE_QUERY, "");
    expect_task(h, 0, 1, 10, 10, 300);
    expect_task(h, 0, 2, 350, 350, 450);
    expect_task(h, 0, 3, 360, 450, 550);
    expect_blame(h, 0, CT_BLAME_HOST, 50 + 10);
    expect_blame(h, 0, CT_BLAME_SOLO_WORK, 100 + 100 + 290);
}

/* A wait for one task of another stream; one that is over already counts from the launch before. */
HOST_TEST(synchronising_wait_for_one, open_case(h, 2)) {
    record_kernel(h, 0, 100, 0);
    record_kernel(h, 1, 300, 10);
    record_waiting(h, 0, 50, 5, 0);
    record_kernel(h, 0, 50, 200);
    record_waiting(h, 0, 50, 7, 0);
    run_host(h, HEAD, ONE_QUERY, "");
    expect_task(h, 0, 2, 105, 105, 155);
    expect_task(h, 0, 3, 305, 305, 355);
    expect_task(h, 0, 4, 312, 355, 405);
}

/* 1040 kernels of 100 us, launched 1 us apart: at 1034 us 1034 are launched and 10 have ended, the
 * queue of 1024 is full. The next three enter as one ends each: 1100, 1200, 1300. */
HOST_TEST(the_queue_is_1024_deep, open_case(h, 1)) {
    for (int i = 0; i < 1040; i++)
        record_kernel(h, 0, 100, i > 0);
    run_host(h, "\"gpu\": \"rtx2080ti\", \"duration_s\": 0.2", ONE_QUERY, "");
    expect_task(h, 0, 1033, 1033, 103300, 103400);
    expect_task(h, 0, 1034, 1100, 103400, 103500);
    expect_task(h, 0, 1035, 1200, 103500, 103600);
    expect_task(h, 0, 1036, 1300, 103600, 103700);
    expect_blame(h, 0, CT_BLAME_SOLO_WORK, 104000);
}

/*
 * Two workers share the stream. Queries at 10 and 20 ms, 1200 kernels of 100 us each: at 20 ms the
 * queue is full of the first one's, so the second launches nothing until the first has launched all
 * (27.6 ms) and its tasks still make room. The device never idles: they end at 130 and 250 ms.
 */
HOST_TEST(a_full_queue_is_shared_by_workers, open_case(h, 1)) {
    for (int i = 0; i < 1200; i++)
        record_kernel(h, 0, 100, 0);
    run_host(h, "\"gpu\": \"rtx2080ti\", \"duration_s\": 0.3",
             "\"role\": \"service\", \"workers\": 2, \"worker_streams\": \"shared\", "
             "\"arrivals\": {\"process\": \"deterministic\", \"rate_per_s\": 100}",
             "");
    expect_task(h, 0, 1199, 27600, 129900, 130000);
    expect_task(h, 1, 0, 27700, 130000, 130100);
    assert_int_equal(run_case_job_of(&h->r, 0, 1)->end_ps, 250000 * US);
}

/* Queries at 50, 100 and 150 us, a kernel of 100 us each: two workers run two side by side, the
 * first free one takes the third; on one stream for both, one kernel after the other. */
TEST(workers_have_streams_of_their_own) {
    static const char *const streams[] = {"own", "shared"};
    for (int shared = 0; shared <= 1; shared++) {
        CLOSED_BY(close_host) struct host_case h;
        char app[200];
        open_case(&h, 1);
        record_kernel(&h, 0, 100, 0);
        snprintf(app, sizeof app,
                 "\"role\": \"service\", \"workers\": 2, \"worker_streams\": \"%s\", "
                 "\"arrivals\": {\"process\": \"deterministic\", \"rate_per_s\": 20000}",
                 streams[shared]);
        run_host(&h, "\"gpu\": \"rtx2080ti\", \"duration_s\": 0.00019", app, "");
        expect_task(&h, 0, 0, 50, 50, 150);
        expect_task(&h, 1, 0, 100, shared ? 150 : 100, shared ? 250 : 200);
        expect_task(&h, 2, 0, 150, shared ? 250 : 150, shared ? 350 : 250);
        assert_int_equal(run_case_task_of(&h.r, 0, 1, 0)->stream, shared ? 0 : 1);
        assert_int_equal(run_case_task_of(&h.r, 0, 2, 0)->stream, 0);
    }
}

/* The second kernel, on another stream, was launched at 10 and depends on the first: 100. */
HOST_TEST(dependency_across_streams, open_case(h, 2)) {
    record_kernel(h, 0, 100, 0);
    record_kernel(h, 1, 50, 10);
    record_kernel(h, 1, 50, 10);
    h->app->tasks.items[1].dependency_count = 1;
    assert_true(ct_vec_push(&h->app->dependencies, 0u));
    run_host(h, HEAD, ONE_QUERY, "");
    expect_task(h, 0, 1, 10, 100, 150);
    expect_task(h, 0, 2, 20, 150, 200);
    expect_blame(h, 0, CT_BLAME_SOLO_WORK, 200);
}

/* 100 us, a wait and 200 us of host, 100 us: 400 alone. Queries at 200 and 400 us. */
static void record_query(struct host_case *h) {
    open_case(h, 1);
    record_kernel(h, 0, 100, 0);
    record_waiting(h, 0, 100, 200, TRACE_NONE);
}

static const char *const TWO_QUERIES = "\"gpu\": \"rtx2080ti\", \"duration_s\": 0.0005";

/* One worker: the second query waits 200 for the first, 600 in all. */
HOST_TEST(one_query_at_a_time, record_query(h)) {
    run_host(h, TWO_QUERIES,
             "\"role\": \"service\", \"arrivals\": {\"process\": \"deterministic\", "
             "\"rate_per_s\": 5000}",
             "");
    assert_int_equal(run_case_job_of(&h->r, 0, 0)->end_ps, 600 * US);
    assert_int_equal(run_case_job_of(&h->r, 0, 1)->end_ps, 1000 * US);
    expect_blame(h, 1, CT_BLAME_OWN_QUEUE, 200);
    expect_blame(h, 1, CT_BLAME_HOST, 200);
    expect_blame(h, 1, CT_BLAME_SOLO_WORK, 200);
}

/* Two workers: the second query begins at once, 400 to 800, in the pauses of the first. */
HOST_TEST(two_queries_at_a_time, record_query(h)) {
    run_host(h, TWO_QUERIES,
             "\"role\": \"service\", \"workers\": 2, \"arrivals\": {\"process\": "
             "\"deterministic\", \"rate_per_s\": 5000}",
             "");
    assert_int_equal(run_case_job_of(&h->r, 0, 0)->end_ps, 600 * US);
    assert_int_equal(run_case_job_of(&h->r, 0, 1)->end_ps, 800 * US);
    expect_task(h, 1, 0, 400, 400, 500);
    expect_blame(h, 1, CT_BLAME_OWN_QUEUE, 0);
}

/* 11,883,000 bytes pinned at 11,883 MB/s are 1000 us, after 1.5 us; one kernel of 100 us. The
 * copies were recorded to take this long. */
static void record_copies(struct host_case *h, double us) {
    open_case(h, 1);
    record_copy(h, TRACE_HOST_TO_DEVICE, 11883000, us);
    record_kernel(h, 0, 100, 0);
    record_copy(h, TRACE_DEVICE_TO_HOST, 11883000, us);
}

/* Runs the recording above once with these keys; its first job takes so many microseconds. */
static void expect_of_copies(double recorded, const char *keys, double us) {
    char app[256];
    CLOSED_BY(close_host) struct host_case h;
    record_copies(&h, recorded);
    snprintf(app, sizeof app, "%s, %s", keys, ONE_QUERY);
    run_host(&h, HEAD, app, "");
    const struct run_case_job *job = run_case_job_of(&h.r, 0, 0);
    if ((double)job->end_ps / 1e6 != us)
        fail_msg("%s: %.6f us, by hand %.6f", keys, (double)job->end_ps / 1e6, us);
}

static void expect_adapted(const char *keys, double us) {
    expect_of_copies(1001.5, keys, us);
}

/* The recorder slowed the host: its times, from launch to launch and after a wait, are scaled, the
 * device's are not. */
HOST_TEST(slowed_host, open_case(h, 1)) {
    record_kernel(h, 0, 10, 0);
    record_kernel(h, 0, 10, 40);
    record_waiting(h, 0, 10, 20, TRACE_NONE);
    run_host(h, HEAD,
             "\"host_scale\": 0.5, \"role\": \"service\", \"arrivals\": {\"process\": \"once\"}",
             "");
    expect_task(h, 0, 0, 0, 0, 10);
    expect_task(h, 0, 1, 20, 20, 30);
    expect_task(h, 0, 2, 40, 40, 50);
}

TEST(adaptations) {
    expect_adapted("\"iterations\": 1", 1001.5 + 100 + 1001.5);
    expect_adapted("\"iterations\": 3", 1001.5 + 3 * 100 + 1001.5);
    expect_adapted("\"duration_scale\": 2.5", 1001.5 + 250 + 1001.5);
    expect_adapted("\"copies\": \"none\"", 100);
    expect_adapted("\"copies\": \"once\"", 1001.5 + 100 + 1001.5);
    /* 3150 MB/s pageable: 3772.380952 us. */
    expect_adapted("\"copy_memory\": \"pageable\"", 2 * (1.5 + 3772.380952) + 100);
    /* Twice the bytes; 40 blocks still are one wave. */
    expect_adapted("\"size\": 2", 2 * 2001.5 + 100);
    /* 280 blocks on 272 slots: two waves of 100 us. */
    expect_adapted("\"size\": 14, \"copies\": \"none\"", 200);
}

/* A host may be slower than the preset's, or faster, but the link itself moves 12,160 MB/s. */
TEST(copies_as_recorded) {
    expect_of_copies(2000, "\"iterations\": 1", 2000 + 100 + 2000);
    expect_of_copies(990, "\"iterations\": 1", 990 + 100 + 990);
    expect_of_copies(500, "\"iterations\": 1", 2 * 977.220395 + 100);
    /* Other memory than recorded: as the preset says. */
    expect_of_copies(2000, "\"copy_memory\": \"pinned\"", 2 * 1001.5 + 100);
    /* Twice the bytes: 2001.5 for 1001.5 us. */
    expect_of_copies(2003, "\"size\": 2", 2 * 4003 + 100);
}

/* With `copies` "once" only the first job copies: it takes 2103 us, each later one 100. */
HOST_TEST(copies_once, record_copies(h, 1001.5)) {
    run_host(h, HEAD, "\"copies\": \"once\"", "");
    const struct run_case_job *first = run_case_job_of(&h->r, 0, 0);
    assert_int_equal(first->end_ps - first->arrival_ps, 2103 * US);
    for (uint64_t job = 1; job < 5; job++) {
        const struct run_case_job *next = run_case_job_of(&h->r, 0, job);
        assert_int_equal(next->arrival_ps, first->end_ps + (int64_t)(job - 1) * 100 * US);
        assert_int_equal(next->end_ps - next->arrival_ps, 100 * US);
    }
}

/* phi: beside one active application every launch comes 4 us later, which is contention. */
HOST_TEST(launches_are_delayed_by_others, open_case(h, 0)) {
    run_host(h,
             "\"gpu\": {\"base\": \"rtx2080ti\", \"launch_delay_us\": 4}, \"duration_s\": 0.0015",
             "{\"name\": \"app\", \"role\": \"service\", \"synthetic\": {\"kernels\": 2, "
             "\"duration_ms\": 0.1}, \"arrivals\": {\"process\": \"deterministic\", "
             "\"rate_per_s\": 1000}}",
             ", {\"name\": \"long\", \"synthetic\": {\"duration_ms\": 5}, "
             "\"arrivals\": {\"process\": \"once\"}}");
    /* The second kernel's delay begins when the first one ends, though it was launched with it. */
    expect_task(h, 0, 0, 1000, 1004, 1104);
    expect_task(h, 0, 1, 1000, 1108, 1208);
    expect_blame(h, 0, CT_BLAME_SM_CONTENTION, 8);
    expect_blame(h, 0, CT_BLAME_SOLO_WORK, 200);
}

/* To write a GPU's own clock beside its name changes nothing. */
TEST(scaling_to_the_same_gpu) {
    static const char *const heads[] = {
        "\"gpu\": \"rtx2080ti\", \"duration_s\": 0.01",
        "\"gpu\": {\"base\": \"rtx2080ti\", \"clock_mhz\": 1545}, \"duration_s\": 0.01"};
    struct host_case h[2];
    for (int i = 0; i < 2; i++) {
        record_copies(&h[i], 1001.5);
        h[i].app->kernels.items[0].metrics.dram_fraction = 0.4;
        run_host(&h[i], heads[i], "\"instances\": 3", "");
    }
    assert_int_equal(h[0].r.tasks.count, h[1].r.tasks.count);
    assert_true(h[0].r.tasks.count > 20);
    for (size_t i = 0; i < h[0].r.tasks.count; i++)
        assert_true(h[0].r.tasks.items[i].ended_ps == h[1].r.tasks.items[i].ended_ps);
    close_host(&h[0]);
    close_host(&h[1]);
}

/* Half the clock and half the bandwidth: every kernel takes twice as long. */
HOST_TEST(scaling_to_half_a_gpu, open_case(h, 1)) {
    record_kernel(h, 0, 100, 0);
    run_host(h,
             "\"gpu\": {\"base\": \"rtx2080ti\", \"clock_mhz\": 772.5, \"dram_gb_s\": 308}, "
             "\"duration_s\": 0.01",
             ONE_QUERY, "");
    expect_task(h, 0, 0, 0, 0, 200);
}

/*
 * Half the clock, but 32 double-precision results per cycle and SM instead of 2. A kernel that
 * keeps these units busy takes 2 x 2 / 32 of its time; one that issues in half of the slots as well
 * takes 2 x 0.5 / 0.8; at a use of 0.6 the units do not bound it, nor does the other precision's.
 */
TEST(scaling_by_the_unit_that_bounds) {
    static const struct {
        double fp32, fp64, issued;
        int64_t us;
    } cases[] = {
        {NAN, 0.8, NAN, 100}, {0.1, 0.8, 0.5, 1000}, {0.1, 0.6, NAN, 1600}, {0.9, 0.8, NAN, 1600}};
    for (size_t i = 0; i < CT_COUNT_OF(cases); i++) {
        CLOSED_BY(close_host) struct host_case h;
        open_case(&h, 1);
        record_kernel(&h, 0, 800, 0);
        struct trace_metrics *m = &h.app->kernels.items[0].metrics;
        m->unit_fraction = fmax(cases[i].fp32, cases[i].fp64);
        m->fp32_fraction = cases[i].fp32;
        m->fp64_fraction = cases[i].fp64;
        m->issue_slot_fraction = cases[i].issued;
        run_host(&h,
                 "\"gpu\": {\"base\": \"rtx2080ti\", \"clock_mhz\": 772.5, \"fp64_per_clock\": "
                 "32}, \"duration_s\": 0.01",
                 ONE_QUERY, "");
        expect_task(&h, 0, 0, 0, 0, cases[i].us);
    }
}

/*
 * 20 blocks of 100 us, recorded on 68 SMs of four blocks each. More SMs than blocks do not help; of
 * 10 each has two of the blocks. Where units and memory are known to wait, blocks take their time
 * wherever they are: all of them at once on 10 SMs, in two waves on 4, in three on 2, where the
 * units, at 0.3 of 20 SMs, are as busy as they can be.
 */
TEST(scaling_of_what_waits) {
    static const struct {
        const char *gpu;
        double units, dram;
        int64_t us;
    } cases[] = {{"\"sms\": 136", NAN, NAN, 100}, {"\"sms\": 10", NAN, NAN, 200},
                 {"\"sms\": 10", 0.3, NAN, 200},  {"\"sms\": 10", 0.3, 0.1, 100},
                 {"\"sms\": 136", 0.3, 0.1, 100}, {"\"sms\": 4", 0.3, 0.1, 200},
                 {"\"sms\": 2", 0.3, 0.1, 300},   {"\"sms\": 10", 0.6, 0.1, 200}};
    for (size_t i = 0; i < CT_COUNT_OF(cases); i++) {
        CLOSED_BY(close_host) struct host_case h;
        char text[200];
        open_case(&h, 1);
        record_kernel(&h, 0, 100, 0);
        h.app->kernels.items[0].metrics.unit_fraction = cases[i].units;
        h.app->kernels.items[0].metrics.dram_fraction = cases[i].dram;
        snprintf(text, sizeof text, "\"gpu\": {\"base\": \"rtx2080ti\", %s}, \"duration_s\": 0.01",
                 cases[i].gpu);
        run_host(&h, text, ONE_QUERY, "");
        expect_task(&h, 0, 0, 0, 0, cases[i].us);
    }
}

/*
 * Two kernels of 100 us, 10 us apart, on twice the GPU: 50 us each. Without launch records the host
 * followed the device, and does so here: 60 us from start to start. With them its pace is its own.
 */
TEST(hosts_that_follow_the_device) {
    for (int recorded = 0; recorded < 2; recorded++) {
        CLOSED_BY(close_host) struct host_case h;
        open_case(&h, 1);
        h.app->launches_recorded = recorded;
        record_kernel(&h, 0, 100, 0);
        record_kernel(&h, 0, 100, 110);
        run_host(&h,
                 "\"gpu\": {\"base\": \"rtx2080ti\", \"clock_mhz\": 3090, \"dram_gb_s\": 1232}, "
                 "\"duration_s\": 0.01",
                 ONE_QUERY, "");
        expect_task(&h, 0, 0, 0, 0, 50);
        expect_task(&h, 0, 1, recorded ? 110 : 60, recorded ? 110 : 60, recorded ? 160 : 110);
    }
}

/*
 * A made-up kernel is made for the GPU of the workload, changed by the user or not: two that each
 * draw half of the peak, whatever it is, share the 86 % of it that row hits give; 100 us / 0.86.
 */
HOST_TEST(made_up_kernels_are_not_scaled, open_case(h, 0)) {
    run_host(h,
             "\"gpu\": {\"base\": \"rtx2080ti\", \"dram_gb_s\": 308, \"sms\": 34}, "
             "\"duration_s\": 0.01",
             "{\"name\": \"app\", \"role\": \"service\", \"instances\": 2, \"synthetic\": "
             "{\"duration_ms\": 0.1, \"dram_fraction\": 0.5, \"row_hit_rate\": 1, "
             "\"unit_fraction\": 0}, \"arrivals\": {\"process\": \"once\"}}",
             "");
    expect_task(h, 0, 0, 0, 0, 116.27907);
}

/*
 * A run ends when the counted queries of its sound services have: one that arrived at 200 ms and
 * takes 100 is waited for after the end at 250, beside a service whose backlog nobody waits for.
 */
HOST_TEST(sound_services_are_waited_for, open_case(h, 0)) {
    run_host(h, "\"gpu\": \"rtx2080ti\", \"duration_s\": 0.25",
             "{\"name\": \"sound\", \"role\": \"service\", \"synthetic\": {\"duration_ms\": 100}, "
             "\"arrivals\": {\"process\": \"deterministic\", \"rate_per_s\": 10}}",
             ", {\"name\": \"swamped\", \"role\": \"service\", \"synthetic\": {\"duration_ms\": "
             "1}, \"arrivals\": {\"process\": \"poisson\", \"rate_per_s\": 4000}}");
    assert_true(h->r.result.apps[1].overloaded);
    assert_false(h->r.result.apps[0].overloaded);
    assert_int_equal(h->r.result.apps[0].unfinished, 0);
    assert_int_equal(h->r.result.apps[0].jobs, 2);
    assert_int_equal(h->r.result.ended_ps, 300000 * US);
}
