/* From a recording to a store: records made here, stores worked out by hand. */
#include "capture/capture_store.h"
#include "cmocka_complete.h"
#include "trace/trace_store.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

FREER(capture_recording_free, struct capture_recording)

/* CUPTI's clock on Linux counts from 1970. */
#define BASE UINT64_C(1700000000000000000)

struct made {
    struct trace_set set;
    struct capture_report report;
    struct ct_diags diags;
    int status;
};

static struct capture_recording *new_recording(void) {
    struct capture_recording *r = capture_recording_new(1000000, true);
    assert_non_null(r);
    return r;
}

static struct made make(struct capture_recording *r, const char *jobs) {
    const struct capture_options options = {.app = "app", .jobs = jobs, .recorder = "test 1"};
    struct made m = {.status = CT_OK};
    m.status = capture_make(r, &options, &m.set, &m.report, &m.diags);
    return m;
}

static void made_free(struct made *m) {
    trace_set_free(&m->set);
    ct_diags_free(&m->diags);
}

static void add_v100(struct capture_recording *r, uint32_t id) {
    const struct capture_device device = {.title = "Tesla V100-SXM2-16GB",
                                          .id = id,
                                          .multiprocessors = 80,
                                          .capability_major = 7,
                                          .core_clock_khz = 1530000,
                                          .memory_bytes = UINT64_C(16945512448),
                                          .ecc = true};
    capture_add_device(r, &device);
}

static void add_call(struct capture_recording *r, const char *name, uint32_t correlation,
                     uint64_t start, uint64_t end) {
    const struct capture_call call = {
        .start_ns = BASE + start, .end_ns = BASE + end, .thread = 77, .correlation = correlation};
    capture_add_call(r, name, &call);
}

static struct capture_place place(uint32_t stream, uint32_t correlation, uint64_t start,
                                  uint64_t end) {
    return (struct capture_place){BASE + start, BASE + end, 0, 1, stream, correlation};
}

static void add_kernel_at(struct capture_recording *r, const char *name,
                          struct capture_place where) {
    const struct capture_shape shape = {.grid = {10, 2, 1},
                                        .block = {32, 4, 1},
                                        .registers_per_thread = 40,
                                        .static_smem_bytes = 100,
                                        .dynamic_smem_bytes = 2000};
    capture_add_kernel(r, &where, name, &shape);
}

static void add_kernel(struct capture_recording *r, const char *name, uint32_t stream,
                       uint32_t correlation, uint64_t start, uint64_t end) {
    add_kernel_at(r, name, place(stream, correlation, start, end));
}

static void add_copy(struct capture_recording *r, int kind, int source, int destination,
                     struct capture_place where) {
    const struct capture_task copy = {.place = where,
                                      .bytes = 8192,
                                      .kind = TRACE_COPY,
                                      .copy_kind = (uint8_t)kind,
                                      .source = (uint8_t)source,
                                      .destination = (uint8_t)destination};
    capture_add_task(r, &copy);
}

static const char *note_of(const struct trace_app *app, const char *name) {
    for (size_t i = 0; i < app->notes.count; i++)
        if (strcmp(app->notes.items[i].name, name) == 0)
            return app->notes.items[i].value;
    return "";
}

static bool said(const struct ct_diags *diags, enum ct_severity severity, const char *text) {
    for (size_t i = 0; i < diags->count; i++)
        if (diags->items[i].severity == severity && strstr(diags->items[i].text, text))
            return true;
    return false;
}

/*
 * us:   0 copy call ..5, copy 2..4 (pageable, from the host)
 *      10 launch ..11 on stream 7, kernel 13..33
 *      12 launch ..13 on stream 8, kernel 14..24
 *      15 cudaStreamSynchronize(8) ..26
 *      30 launch ..31 of a memset on stream 8, 32..33
 *      34 cudaDeviceSynchronize ..35
 *      40 copy back, 42..43, asynchronous, pinned
 * In an order that `step` chooses: record i * step modulo 13.
 */
static void add_time_line(struct capture_recording *r, unsigned step) {
    const struct capture_task set = {
        .place = place(8, 4, 32000, 33000), .bytes = 512, .kind = TRACE_MEMSET};
    const struct capture_sync wait = {5, 1, 8, 0};
    for (unsigned i = 0; i < 13; i++)
        switch (i * step % 13) {
        case 0:
            add_call(r, "cudaMemcpy_v3020", 1, 0, 5000);
            break;
        case 1:
            add_copy(r, 1, TRACE_PAGEABLE, TRACE_MEMORY_UNKNOWN, place(7, 1, 2000, 4000));
            break;
        case 2:
            add_call(r, "cudaLaunchKernel_v7000", 2, 10000, 11000);
            break;
        case 3:
            add_kernel(r, "one", 7, 2, 13000, 33000);
            break;
        case 4:
            add_call(r, "cuLaunchKernel", 3, 12000, 13000);
            break;
        case 5:
            add_kernel(r, "two", 8, 3, 14000, 24000);
            break;
        case 6:
            add_call(r, "cudaStreamSynchronize_v3020", 5, 15000, 26000);
            break;
        case 7:
            capture_add_wait(r, &wait);
            break;
        case 8:
            add_call(r, "cudaMemsetAsync_v3020", 4, 30000, 31000);
            break;
        case 9:
            capture_add_task(r, &set);
            break;
        case 10:
            add_call(r, "cudaDeviceSynchronize_v3020", 6, 34000, 35000);
            break;
        case 11:
            add_call(r, "cudaMemcpyAsync_v3020", 9, 40000, 41000);
            break;
        default:
            add_copy(r, 2, TRACE_MEMORY_UNKNOWN, TRACE_PINNED, place(7, 9, 42000, 43000));
        }
}

static void check_time_line(const struct trace_app *app) {
    static const struct {
        uint8_t kind, direction, memory, flags;
        uint32_t stream, waited_for;
        uint64_t bytes;
        int64_t duration_us, start_us, begin_us, end_us, gap_us;
    } expected[] = {
        {TRACE_COPY, TRACE_HOST_TO_DEVICE, TRACE_PAGEABLE, 0, 0, TRACE_NONE, 8192, 2, 2, 0, 5, 0},
        /* the call waited for the copy, which ended at 4 */
        {TRACE_KERNEL, TRACE_DEVICE_TO_DEVICE, TRACE_MEMORY_UNKNOWN, TRACE_SYNC, 0, 0, 0, 20, 13,
         10, 11, 6},
        {TRACE_KERNEL, TRACE_DEVICE_TO_DEVICE, TRACE_MEMORY_UNKNOWN, 0, 1, TRACE_NONE, 0, 10, 14,
         12, 13, 2},
        /* waited for stream 8, whose kernel ended at 24 */
        {TRACE_MEMSET, TRACE_DEVICE_TO_DEVICE, TRACE_MEMORY_UNKNOWN, TRACE_SYNC, 1, 2, 512, 1, 32,
         30, 31, 6},
        /* waited for all, which ended at 33 */
        {TRACE_COPY, TRACE_DEVICE_TO_HOST, TRACE_PINNED, TRACE_SYNC, 0, TRACE_NONE, 8192, 1, 42, 40,
         41, 7},
    };
    assert_int_equal(app->tasks.count, CT_COUNT_OF(expected));
    assert_int_equal(app->stream_count, 2);
    assert_true(app->launches_recorded);
    assert_int_equal(app->resolution_ps, CT_PS_PER_NS);
    for (size_t i = 0; i < CT_COUNT_OF(expected); i++) {
        const struct trace_task *t = &app->tasks.items[i];
        assert_int_equal(t->kind, expected[i].kind);
        assert_int_equal(t->direction, expected[i].direction);
        assert_int_equal(t->memory, expected[i].memory);
        assert_int_equal(t->flags, expected[i].flags);
        assert_int_equal(t->stream, expected[i].stream);
        assert_int_equal(t->waited_for, expected[i].waited_for);
        assert_int_equal(t->bytes, expected[i].bytes);
        assert_int_equal(t->duration_ps, expected[i].duration_us * CT_PS_PER_US);
        assert_int_equal(t->start_ps, expected[i].start_us * CT_PS_PER_US);
        assert_int_equal(t->launch_begin_ps, expected[i].begin_us * CT_PS_PER_US);
        assert_int_equal(t->launch_end_ps, expected[i].end_us * CT_PS_PER_US);
        assert_int_equal(t->host_gap_ps, expected[i].gap_us * CT_PS_PER_US);
    }
    assert_int_equal(app->jobs.items[0].recorded_ps, 43 * CT_PS_PER_US);
    assert_int_equal(app->jobs.items[0].input_bytes, 8192);
}

/* Records come in whatever order CUPTI's buffers have them: every step below 13 is another order.
 */
TEST(test_any_order) {
    for (unsigned step = 1; step < 13; step++) {
        FREED_BY(capture_recording_free) struct capture_recording *r = new_recording();
        if (step % 2)
            add_v100(r, 0);
        add_time_line(r, step);
        if (!(step % 2))
            add_v100(r, 0);
        struct made m = make(r, "whole");
        assert_int_equal(m.status, CT_OK);
        assert_int_equal(m.diags.count, 1); /* of the two streams */
        assert_non_null(strstr(m.diags.items[0].text, "was recorded while other kernels ran"));
        assert_int_equal(m.set.apps.count, 1);
        assert_string_equal(m.set.apps.items[0]->gpu, "v100");
        check_time_line(m.set.apps.items[0]);
        assert_int_equal(m.report.kernels, 2);
        assert_int_equal(m.report.copies, 2);
        assert_int_equal(m.report.memsets, 1);
        assert_int_equal(m.report.lost, 0);
        made_free(&m);
    }
}

TEST(test_kernel_and_notes) {
    FREED_BY(capture_recording_free) struct capture_recording *r = new_recording();
    add_v100(r, 0);
    add_v100(r, 0); /* told twice, kept once */
    add_time_line(r, 1);
    capture_add_loss(r, CAPTURE_NO_BUFFER, 17);
    struct made m = make(r, "auto");
    const struct trace_app *app = m.set.apps.items[0];
    const struct trace_kernel *k = &app->kernels.items[0];
    assert_string_equal(k->name, "one");
    assert_int_equal(k->grid[0], 10);
    assert_int_equal(k->grid[1], 2);
    assert_int_equal(k->block[1], 4);
    assert_int_equal(k->registers_per_thread, 40);
    assert_int_equal(k->static_smem_bytes, 100);
    assert_int_equal(k->dynamic_smem_bytes, 2000);
    assert_int_equal(k->geometry_provenance, CT_MEASURED);
    assert_string_equal(app->source, "cotenant capture");
    assert_string_equal(note_of(app, "GPU"), "Tesla V100-SXM2-16GB");
    assert_string_equal(note_of(app, "compute capability"), "7.0");
    assert_string_equal(note_of(app, "multiprocessors"), "80");
    assert_string_equal(note_of(app, "memory, bytes"), "16945512448");
    assert_string_equal(note_of(app, "ECC"), "on");
    assert_string_equal(note_of(app, "MIG"), "off");
    assert_string_equal(note_of(app, "recorder"), "test 1");
    assert_string_equal(note_of(app, "lost, no free buffer"), "17");
    assert_string_equal(note_of(app, "lost, over the limit of records"), "0");
    assert_int_equal(m.report.lost, 17);
    made_free(&m);
}

/* The runtime's call holds the driver's: the launch is the outer one, wherever the records point.
 */
TEST(test_nested_calls) {
    FREED_BY(capture_recording_free) struct capture_recording *r = new_recording();
    const struct capture_sync wait = {8, 1, 7, 0};
    add_v100(r, 0);
    add_call(r, "cuLaunchKernel", 2, 1000, 3000);
    add_call(r, "cudaLaunchKernel_v7000", 1, 0, 4000);
    add_kernel(r, "k", 7, 2, 6000, 9000);
    add_call(r, "cuStreamSynchronize", 8, 5500, 11000);
    add_call(r, "cudaStreamSynchronize_v3020", 7, 5000, 12000);
    capture_add_wait(r, &wait);
    add_call(r, "cudaLaunchKernel_v7000", 9, 20000, 24000);
    add_call(r, "cuLaunchKernel", 9, 21000, 23000); /* the same number for both */
    add_kernel(r, "k", 7, 9, 26000, 29000);
    struct made m = make(r, "whole");
    assert_int_equal(m.status, CT_OK);
    const struct trace_task *tasks = m.set.apps.items[0]->tasks.items;
    assert_int_equal(tasks[0].launch_end_ps, 4 * CT_PS_PER_US);
    assert_int_equal(tasks[0].start_ps, 6 * CT_PS_PER_US);
    assert_int_equal(tasks[1].launch_begin_ps, 20 * CT_PS_PER_US);
    assert_int_equal(tasks[1].launch_end_ps, 24 * CT_PS_PER_US);
    assert_int_equal(tasks[1].host_gap_ps, 11 * CT_PS_PER_US); /* from the kernel's end at 9 */
    assert_int_equal(tasks[1].waited_for, 0);
    assert_int_equal(m.report.left_out, 0);
    made_free(&m);
}

/* Kernels alone: no calls were recorded, or they were lost. */
TEST(test_missing_kinds) {
    FREED_BY(capture_recording_free) struct capture_recording *r = new_recording();
    add_kernel(r, "k", 7, 1, 0, 10000);
    add_kernel(r, "k", 7, 0, 12000, 20000);
    add_kernel(r, "", 7, 3, 100000, 110000);
    struct made m = make(r, "whole");
    assert_int_equal(m.status, CT_OK);
    const struct trace_app *app = m.set.apps.items[0];
    assert_false(app->launches_recorded);
    assert_string_equal(app->gpu, "unknown"); /* no device was recorded */
    assert_true(said(&m.diags, CT_WARNING, "no preset is known"));
    assert_string_equal(app->kernels.items[1].name, "unnamed");
    assert_int_equal(app->tasks.items[1].flags, TRACE_HOST_GAP_ASSUMED);
    assert_int_equal(app->tasks.items[2].flags, TRACE_SYNC | TRACE_HOST_GAP_ASSUMED);
    assert_int_equal(app->tasks.items[2].host_gap_ps, 80 * CT_PS_PER_US);
    made_free(&m);
    capture_recording_free(r);
    r = new_recording();
    add_call(r, "cudaDeviceSynchronize_v3020", 1, 0, 10);
    m = make(r, "gap:1");
    assert_int_equal(m.status, CT_DATA);
    assert_true(said(&m.diags, CT_ERROR, "holds no kernel"));
    made_free(&m);
}

/* Records that cannot be are left out and counted; the rest stays. */
TEST(test_impossible) {
    FREED_BY(capture_recording_free) struct capture_recording *r = new_recording();
    const struct capture_shape shape = {.name = 0};
    struct capture_place where = place(7, 1, 0, 1000);
    add_v100(r, 0);
    capture_add_kernel(r, &where, "k", &shape); /* no blocks */
    where.start_ns = 0;
    capture_add_kernel(r, &where, "k", &shape); /* no time */
    where = place(7, 1, 2000, 1000);
    capture_add_kernel(r, &where, "k", &shape);
    add_kernel(r, "k", 7, 2, 5000, 6000);
    add_kernel(r, "k", 7, 3, UINT64_C(1) << 60, (UINT64_C(1) << 60) + 5);
    add_copy(r, 9, TRACE_PINNED, TRACE_PAGEABLE, place(7, 4, 7000, 8000));
    struct made m = make(r, "whole");
    assert_int_equal(m.status, CT_OK);
    const struct trace_app *app = m.set.apps.items[0];
    assert_int_equal(app->tasks.count, 1);
    assert_string_equal(note_of(app, "left out, impossible record"), "1");
    assert_string_equal(note_of(app, "left out, time out of range"), "1");
    assert_string_equal(note_of(app, "left out, copy within host memory"), "1");
    assert_string_equal(note_of(app, "lost, not timed by CUPTI"), "2");
    assert_int_equal(m.report.left_out, 3);
    assert_int_equal(m.report.lost, 2);
    made_free(&m);
}

TEST(test_two_devices) {
    FREED_BY(capture_recording_free) struct capture_recording *r = new_recording();
    const struct capture_device other = {
        .title = "NVIDIA L40", .id = 3, .multiprocessors = 142, .capability_major = 8};
    struct capture_place far = place(7, 2, 1000, 2000);
    far.device = 3;
    far.context = 2;
    capture_add_device(r, &other);
    add_v100(r, 1);
    struct capture_place near = place(7, 1, 0, 5000);
    near.device = 1;
    add_kernel_at(r, "far", far);
    add_kernel_at(r, "near", near);
    struct made m = make(r, "whole");
    assert_int_equal(m.status, CT_OK);
    assert_int_equal(m.set.apps.count, 2);
    assert_string_equal(m.set.apps.items[0]->name, "app-dev1");
    assert_string_equal(m.set.apps.items[0]->kernels.items[0].name, "near");
    assert_string_equal(note_of(m.set.apps.items[0], "multiprocessors"), "80");
    assert_string_equal(m.set.apps.items[1]->name, "app-dev3");
    assert_string_equal(m.set.apps.items[1]->gpu, "nvidia-l40");
    assert_string_equal(note_of(m.set.apps.items[1], "multiprocessors"), "142");
    made_free(&m);
}

TEST(test_huge_numbers) {
    FREED_BY(capture_recording_free) struct capture_recording *r = new_recording();
    struct capture_place where = {BASE, BASE + 1000, 0, UINT32_MAX - 1, UINT32_MAX - 1, UINT32_MAX};
    add_v100(r, 0);
    add_call(r, "cudaLaunchKernel_v7000", UINT32_MAX, 0, 10);
    where.start_ns += 20;
    add_kernel_at(r, "k", where);
    add_copy(r, 8, TRACE_MEMORY_UNKNOWN, TRACE_MEMORY_UNKNOWN, place(1, 1, 50, 60));
    struct made m = make(r, "whole");
    assert_int_equal(m.status, CT_OK);
    assert_int_equal(m.set.apps.items[0]->tasks.items[0].launch_end_ps, 10 * CT_PS_PER_NS);
    assert_int_equal(m.set.apps.items[0]->stream_count, 2);
    made_free(&m);
}

static char *fake_demangle(const char *mangled) {
    size_t size = 9001;
    if (strcmp(mangled, "_Zbad") == 0)
        return NULL;
    if (strncmp(mangled, "_Zlong", 6) != 0)
        return strdup("readable(int)");
    char *name = malloc(size);
    assert_non_null(name);
    memset(name, 'x', size - 2);
    name[size - 2] = mangled[6];
    name[size - 1] = '\0';
    return name;
}

/* Two names that differ beyond the limit stay two kernels. */
TEST(test_names) {
    static const char *const names[] = {"_Zshort", "_Zbad", "_Zlong1", "_Zlong2", "plain"};
    const struct capture_options options = {
        .app = "app", .jobs = "whole", .recorder = "test", .demangle = fake_demangle};
    FREED_BY(capture_recording_free) struct capture_recording *r = new_recording();
    struct made m = {.status = CT_OK};
    add_v100(r, 0);
    for (uint32_t i = 0; i < CT_COUNT_OF(names); i++)
        add_kernel(r, names[i], 7, i + 1, i * 1000, i * 1000 + 500);
    m.status = capture_make(r, &options, &m.set, &m.report, &m.diags);
    assert_int_equal(m.status, CT_OK);
    const struct trace_app *app = m.set.apps.items[0];
    assert_int_equal(app->kernels.count, CT_COUNT_OF(names));
    assert_string_equal(app->kernels.items[0].name, "readable(int)");
    assert_string_equal(app->kernels.items[1].name, "_Zbad");
    assert_int_equal(strlen(app->kernels.items[2].name), CAPTURE_NAME_MOST);
    assert_int_equal(strlen(app->kernels.items[3].name), CAPTURE_NAME_MOST);
    assert_string_not_equal(app->kernels.items[2].name, app->kernels.items[3].name);
    assert_string_equal(app->kernels.items[4].name, "plain");
    made_free(&m);
}

static void add_range(struct capture_recording *r, uint64_t id, const char *name, uint64_t begin,
                      uint64_t end) {
    const struct capture_range_point first = {BASE + begin, id, 1, 0},
                                     last = {BASE + end, id, 1, 0};
    if (id % 2) { /* ends may come first */
        capture_add_range_point(r, NULL, &last);
        capture_add_range_point(r, name, &first);
    } else {
        capture_add_range_point(r, name, &first);
        capture_add_range_point(r, NULL, &last);
    }
}

static struct capture_recording *three_launches(void) {
    struct capture_recording *r = new_recording();
    add_v100(r, 0);
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t t = i * UINT64_C(5000000);
        add_call(r, "cudaLaunchKernel_v7000", i + 1, t, t + 1000);
        add_kernel(r, "k", 7, i + 1, t + 2000, t + 3000);
    }
    return r;
}

TEST(test_jobs) {
    FREED_BY(capture_recording_free) struct capture_recording *r = three_launches();
    const struct capture_range_point open = {BASE + 10000000, 9, 1, 0};
    add_range(r, UINT64_C(1) << 40, "query", 0, 4000);
    add_range(r, (UINT64_C(1) << 40) + 1, "query", 5000000, 5004000);
    add_range(r, 3, "other", 0, 20000000);
    capture_add_range_point(r, "query", &open); /* the program ended inside */
    struct made m = make(r, "nvtx:query");
    assert_int_equal(m.status, CT_OK);
    assert_int_equal(m.set.apps.items[0]->jobs.count, 2);
    assert_string_equal(m.set.apps.items[0]->jobs.items[1].name, "query#1");
    assert_string_equal(note_of(m.set.apps.items[0], "left out, launched outside the ranges"), "1");
    made_free(&m);
    m = make(r, "gap:4");
    assert_int_equal(m.set.apps.items[0]->jobs.count, 3);
    assert_int_equal(m.report.jobs, 3);
    made_free(&m);
    m = make(r, "nvtx:qeury");
    assert_int_equal(m.status, CT_OK);
    assert_int_equal(m.set.apps.items[0]->jobs.count, 1);
    assert_int_equal(m.set.apps.items[0]->tasks.count, 3);
    assert_true(said(&m.diags, CT_WARNING, "no range called 'qeury'"));
    assert_int_equal(m.diags.errors, 0);
    made_free(&m);
    m = make(r, "gap:no");
    assert_int_equal(m.status, CT_USAGE);
    assert_true(said(&m.diags, CT_ERROR, "COTENANT_CAPTURE_JOBS"));
    made_free(&m);
}

static void add_range_of(struct capture_recording *r, uint64_t id, uint64_t begun_by,
                         uint64_t ended_by, uint64_t begin, uint64_t end) {
    const struct capture_range_point first = {BASE + begin, id, begun_by, 0},
                                     last = {BASE + end, id, ended_by, 0};
    capture_add_range_point(r, "query", &first);
    capture_add_range_point(r, NULL, &last);
}

/* What threads launch, by their own ranges; a range that another thread ended is of no thread. */
TEST(test_jobs_of_threads) {
    FREED_BY(capture_recording_free) struct capture_recording *r = new_recording();
    add_v100(r, 0);
    for (uint32_t i = 1; i <= 4; i++) {
        const struct capture_call call = {.start_ns = BASE + i * 1000,
                                          .end_ns = BASE + i * 1000 + 500,
                                          .thread = 1 + i % 2,
                                          .correlation = i};
        capture_add_call(r, "cudaLaunchKernel_v7000", &call);
        add_kernel(r, "k", 7 + i % 2, i, i * 1000 + 600, i * 1000 + 900);
    }
    add_range_of(r, 1, 1, 1, 500, 4900);
    add_range_of(r, 2, 2, 2, 600, 4900);
    struct made m = make(r, "nvtx:query");
    assert_int_equal(m.set.apps.items[0]->jobs.count, 2);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(m.set.apps.items[0]->jobs.items[i].task_count, 2);
    made_free(&m);
    capture_recording_free(r);
    r = three_launches();
    add_range_of(r, 1, 8, 9, 0, 20000000);
    m = make(r, "nvtx:query");
    assert_int_equal(m.set.apps.items[0]->jobs.items[0].task_count, 3);
    made_free(&m);
}

TEST(test_limit) {
    FREED_BY(capture_recording_free) struct capture_recording *r = capture_recording_new(2, false);
    const struct capture_range_point point = {BASE, 1, 1, 0};
    capture_add_range_point(r, "range", &point); /* not wanted: takes no room */
    for (uint32_t i = 0; i < 5; i++)
        add_kernel(r, "k", 7, 0, i * 100, i * 100 + 50);
    add_call(r, "cudaGetDevice_v3020", 1, 0, 1); /* does not matter, is no loss */
    assert_int_equal(capture_recording_losses(r), 3);
    struct made m = make(r, "whole");
    assert_int_equal(m.set.apps.items[0]->tasks.count, 2);
    assert_string_equal(note_of(m.set.apps.items[0], "lost, over the limit of records"), "3");
    made_free(&m);
}

/* Kernels of one graph launch share a call; cudaStreamWaitEvent orders streams. */
TEST(test_graphs_and_events) {
    FREED_BY(capture_recording_free) struct capture_recording *r = new_recording();
    const struct capture_shape node = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .graph_node = 1};
    const struct capture_place first = place(7, 1, 2000, 3000), second = place(7, 1, 3000, 4000);
    const struct capture_sync recorded = {2, 1, 7, 55};
    const struct capture_sync order = {3, 1, 8, 55};
    add_v100(r, 0);
    add_call(r, "cudaGraphLaunch_v10000", 1, 0, 1000);
    capture_add_kernel(r, &first, "node", &node);
    capture_add_kernel(r, &second, "node", &node);
    add_call(r, "cudaEventRecord_v3020", 2, 1100, 1200);
    capture_add_event(r, &recorded);
    add_call(r, "cudaStreamWaitEvent_v3020", 3, 1300, 1400);
    capture_add_wait(r, &order);
    add_call(r, "cudaLaunchKernel_v7000", 4, 1500, 1600);
    add_kernel(r, "after", 8, 4, 5000, 6000);
    struct made m = make(r, "whole");
    assert_int_equal(m.status, CT_OK);
    const struct trace_app *app = m.set.apps.items[0];
    assert_int_equal(app->tasks.count, 3);
    assert_int_equal(app->tasks.items[0].library_call, 1);
    assert_int_equal(app->tasks.items[1].library_call, 1);
    assert_int_equal(app->tasks.items[2].library_call, 0);
    assert_string_equal(app->library_calls.items[0], "CUDA graph");
    assert_int_equal(app->tasks.items[2].dependency_count, 1);
    assert_int_equal(app->dependencies.items[app->tasks.items[2].first_dependency], 1);
    made_free(&m);
}

/* From compute capability 9.0 on a kernel may start before the one before it in its stream ended.
 */
TEST(test_programmatic_launches) {
    for (uint32_t major = 8; major <= 10; major++) {
        FREED_BY(capture_recording_free) struct capture_recording *r = new_recording();
        const struct capture_device device = {.title = "NVIDIA B9", .capability_major = major};
        capture_add_device(r, &device);
        add_kernel(r, "k", 7, 0, 0, 10000);
        add_kernel(r, "k", 7, 0, 8000, 15000);
        struct made m = make(r, "whole");
        assert_int_equal(m.status, CT_OK);
        assert_int_equal(m.set.apps.items[0]->tasks.items[1].duration_ps, 5 * CT_PS_PER_US);
        size_t warnings = 0;
        for (size_t i = 0; i < m.diags.count; i++)
            warnings += strstr(m.diags.items[i].text, "no programmatic launches") != NULL;
        assert_int_equal(warnings, major < 9);
        made_free(&m);
    }
}

TEST(test_store) {
    static const char path[] = "test_capture.db";
    const struct capture_options options = {.app = "app", .jobs = "whole", .recorder = "test"};
    FREED_BY(capture_recording_free) struct capture_recording *r = new_recording();
    struct capture_report report;
    struct trace_set got = {0};
    struct ct_diags diags = {0};
    add_v100(r, 0);
    add_time_line(r, 1);
    unlink(path);
    for (int i = 0; i < 2; i++) /* again: replaced, notes too */
        assert_int_equal(capture_store(r, &options, path, &report, &diags), CT_OK);
    assert_int_equal(trace_store_read(path, NULL, &got, &diags), CT_OK);
    assert_int_equal(got.apps.count, 1);
    check_time_line(got.apps.items[0]);
    assert_string_equal(note_of(got.apps.items[0], "GPU"), "Tesla V100-SXM2-16GB");
    unlink(path);
    trace_set_free(&got);
    ct_diags_free(&diags);
}
