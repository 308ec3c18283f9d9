/* The Kineto reader on small files with known contents, on broken ones, and on real recordings. */
#include "import_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

static char path[] = "/tmp/cotenant_kineto_XXXXXX";

static struct import_case import_file(const char *file, const char *gpu, enum import_cut cut) {
    return case_import_cut(import_format_kineto.read, file, NULL, gpu, cut);
}

static struct import_case import_text(const char *text, const char *gpu, enum import_cut cut) {
    case_write(path, text);
    return import_file(path, gpu, cut);
}

/* Times near 2^53 ns: a double would round them to a quarter of a microsecond. */
static const char recent[] =
    "{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"NVIDIA H100 80GB HBM3\"}],"
    "\"with_stack\":0,\"traceEvents\":["
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#6\",\"pid\":1,\"tid\":1,"
    "\"ts\":1712195495505500.001,\"dur\":400.5,\"args\":{}},"
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,"
    "\"ts\":1712195495505510,\"dur\":20,\"args\":{\"External id\":17,\"Input Dims\":[[1,2],[3]]}},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,"
    "\"ts\":1712195495505543.123,\"dur\":4.928,\"args\":{\"External id\":17,\"device\":0,"
    "\"context\":1,\"stream\":7,\"correlation\":99,\"registers per thread\":32,"
    "\"shared memory\":2112,\"grid\":[12,3,4],\"block\":[256,1,1]}},"
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"
    "\"ts\":1712195495505512.5,\"dur\":7.25,\"args\":{\"cbid\":211,\"correlation\":99}},"
    "{\"ph\":\"s\",\"id\":99,\"pid\":1,\"tid\":1,\"ts\":1712195495505512.5,\"cat\":\"ac2g\"},"
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaMemcpyAsync\",\"pid\":1,\"tid\":1,"
    "\"ts\":1712195495505530.0,\"dur\":3,\"args\":{\"correlation\":100}},"
    "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy DtoH (Device -> Pinned)\",\"pid\":0,"
    "\"tid\":7,\"ts\":1712195495505550.5,\"dur\":2.24,\"args\":{\"device\":0,\"context\":1,"
    "\"stream\":7,\"correlation\":100,\"bytes\":4096,\"External id\":18}},"
    "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":0,\"args\":{\"name\":\"python\"}}]}";

TEST(test_recent_format) {
    CLOSED_BY(case_free) struct import_case c = import_text(recent, NULL, IMPORT_CUT_STEP);
    assert_int_equal(c.status, CT_OK);
    const struct trace_app *app = c.set.apps.items[0];
    const struct trace_task *task = app->tasks.items;
    const struct trace_kernel *kernel = app->kernels.items;
    assert_string_equal(app->gpu, "h100");
    assert_int_equal(app->resolution_ps, CT_PS_PER_NS);
    assert_int_equal(app->jobs.count, 1);
    assert_string_equal(app->jobs.items[0].name, "ProfilerStep#6");
    assert_int_equal(app->tasks.count, 2);
    /* Gaps within the step, which begins at 500.001 us and ends at 900.501. */
    assert_int_equal(task[0].host_gap_ps, 12499000);
    assert_int_equal(task[0].start_ps, 43122000);
    assert_int_equal(task[0].duration_ps, 4928000);
    assert_int_equal(task[0].launch_end_ps, 19749000);
    assert_int_equal(app->jobs.items[0].recorded_ps, 400500000);
    assert_int_equal(task[0].library_call, 1);
    assert_string_equal(app->library_calls.items[0], "aten::mm");
    assert_int_equal(task[1].kind, TRACE_COPY);
    assert_int_equal(task[1].direction, TRACE_DEVICE_TO_HOST);
    assert_int_equal(task[1].memory, TRACE_PINNED);
    assert_int_equal(task[1].bytes, 4096);
    assert_int_equal(task[1].host_gap_ps, 17500000);
    assert_int_equal(task[1].library_call, 0);
    assert_string_equal(kernel->name, "gemm");
    assert_int_equal(kernel->grid[1], 3);
    assert_int_equal(kernel->block[0], 256);
    assert_int_equal(kernel->registers_per_thread, 32);
    assert_int_equal(kernel->static_smem_bytes + kernel->dynamic_smem_bytes, 2112);
    assert_int_equal(c.summary.read, 8);
    assert_int_equal(c.summary.kept, 2);
}

/* Written again by a tool that made texts of the arguments' numbers. */
static const char texts[] =
    "{\"traceEvents\":["
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"
    "\"ts\":12.5,\"dur\":7.25,\"args\":{\"correlation\":\"99\"}},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":43,\"dur\":5,"
    "\"args\":{\"device\":\"0\",\"stream\":\"7\",\"correlation\":\"99\","
    "\"registers per thread\":\"32\",\"grid\":[\"12\",\"3\",\"4\"],\"block\":[\"256\",1,1]}}]}";

TEST(test_numbers_as_texts) {
    CLOSED_BY(case_free) struct import_case c = import_text(texts, "v100", IMPORT_CUT_WHOLE);
    assert_int_equal(c.status, CT_OK);
    const struct trace_app *app = c.set.apps.items[0];
    assert_int_equal(app->tasks.count, 1);
    assert_int_equal(app->tasks.items[0].start_ps, 30500000);
    assert_int_equal(app->tasks.items[0].launch_end_ps, 7250000); /* its call was found */
    assert_int_equal(app->kernels.items[0].grid[2], 4);
    assert_int_equal(app->kernels.items[0].block[0], 256);
    assert_int_equal(app->kernels.items[0].registers_per_thread, 32);
}

/* From a GPU of AMD: calls of HIP, of which the copy waits; no context, no registers. The grid of
 * the first kernel's call is one of work-items: 304 blocks of 256, and of the last one 44 are
 * empty. */
static const char hip[] =
    "{\"deviceProperties\":[{\"id\":0,\"name\":\"AMD Instinct MI300X\",\"warpSize\":64,"
    "\"numSms\":304,\"maxSharedMemoryPerMultiProcessor\":65536}],\"traceEvents\":["
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"hipMemcpyWithStream\",\"pid\":1,\"tid\":1,"
    "\"ts\":100.000,\"dur\":50.000,\"args\":{\"cid\":17,\"correlation\":1}},"
    "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD (Host -> Device)\",\"pid\":2,"
    "\"tid\":3,\"ts\":110.000,\"dur\":30.000,\"args\":{\"device\":0,\"stream\":3,"
    "\"correlation\":1,\"kind\":\"HtoD\",\"bytes\":65536}},"
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"hipExtModuleLaunchKernel\",\"pid\":1,"
    "\"tid\":1,\"ts\":160.000,\"dur\":5.000,\"args\":{\"cid\":18,\"correlation\":2,"
    "\"grid\":[77780,2,1],\"block\":[256,1,1],\"shared memory\":0}},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"Cijk_Alik_Bljk_HHS_BH\",\"pid\":2,\"tid\":3,"
    "\"ts\":170.000,\"dur\":40.000,\"args\":{\"device\":0,\"stream\":3,\"correlation\":2,"
    "\"kind\":\"Dispatch Kernel\",\"grid\":[77780,2,1],\"block\":[256,1,1]}},"
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"hipLaunchKernel\",\"pid\":1,\"tid\":1,"
    "\"ts\":200.000,\"dur\":5.000,\"args\":{\"cid\":19,\"correlation\":3,"
    "\"grid\":[608,1,1],\"block\":[64,1,1],\"shared memory\":0}},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"relu\",\"pid\":2,\"tid\":3,"
    "\"ts\":220.000,\"dur\":40.000,\"args\":{\"device\":0,\"stream\":3,\"correlation\":3,"
    "\"kind\":\"Dispatch Kernel\",\"grid\":[608,1,1],\"block\":[64,1,1]}}]}";

TEST(test_hip) {
    CLOSED_BY(case_free) struct import_case c = import_text(hip, NULL, IMPORT_CUT_WHOLE);
    assert_int_equal(c.status, CT_OK);
    const struct trace_app *app = c.set.apps.items[0];
    assert_string_equal(app->gpu, "mi300x");
    assert_int_equal(app->tasks.count, 3);
    assert_int_equal(app->tasks.items[0].direction, TRACE_HOST_TO_DEVICE);
    assert_int_equal(app->tasks.items[1].flags & TRACE_SYNC, TRACE_SYNC);
    assert_int_equal(app->tasks.items[1].host_gap_ps, 20 * CT_PS_PER_US); /* the copy's end */
    assert_int_equal(app->kernels.items[0].grid[0], 304);
    assert_int_equal(app->kernels.items[0].grid[1], 2);
    assert_int_equal(app->kernels.items[1].grid[0], 608);
    assert_int_equal(app->kernels.items[0].registers_per_thread, 0);
}

#define LAST_EVENT "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1}]}"
#define HIP_CALL(name, thread, ts, dur, correlation)                                               \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"" name "\",\"pid\":1,\"tid\":" #thread      \
    ",\"ts\":" #ts ",\"dur\":" #dur ",\"args\":{\"correlation\":" #correlation "}},"
#define HIP_KERNEL(gpu, queue, ts, dur, correlation)                                               \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":" #gpu ",\"ts\":" #ts                 \
    ",\"dur\":" #dur ",\"args\":{\"correlation\":" #correlation ",\"device\":" #gpu                \
    ",\"stream\":" #queue ",\"grid\":[1,1,1],\"block\":[64,1,1]}},"
#define HIP_COPY(name, to, ts, dur, correlation)                                                   \
    "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy " name "\",\"pid\":" #to               \
    ",\"ts\":" #ts ",\"dur\":" #dur ",\"args\":{\"correlation\":" #correlation ",\"device\":" #to  \
    ",\"stream\":0,\"bytes\":4096}},"

/* A copy of HIP to the host names the processor, and none its stream. Thread 7 works on GPU 3,
 * thread 8 on GPU 2; thread 9 launches no kernel. */
TEST(test_copies_of_hip) {
    CLOSED_BY(case_free)
    struct import_case c = import_text(
        "{\"traceEvents\":[" HIP_CALL("hipLaunchKernel", 8, 5, 2, 1) HIP_KERNEL(2, 6, 8, 500, 1)
            HIP_CALL("hipMemcpyWithStream", 7, 10, 15, 2) HIP_COPY(
                "HtoD (Host -> Device)", 3, 12, 10, 2) HIP_CALL("hipLaunchKernel", 7, 30, 5, 3)
                HIP_KERNEL(3, 5, 40, 100, 3) HIP_CALL("hipMemcpyWithStream", 7, 40, 140, 4)
                    HIP_COPY("DtoH (Device -> Host)", 0, 150, 20, 4)
                        HIP_CALL("hipMemcpyAsync", 7, 190, 5, 5)
                            HIP_COPY("DtoH (Device -> Host)", 0, 200, 20, 5)
                                HIP_CALL("hipMemcpyAsync", 9, 600, 5, 6)
                                    HIP_COPY("DtoH (Device -> Host)", 0, 610, 20, 6) LAST_EVENT,
        "mi300x", IMPORT_CUT_WHOLE);
    assert_int_equal(c.status, CT_OK);
    assert_int_equal(c.set.apps.count, 2);
    const struct trace_app *app = c.set.apps.items[1];
    assert_string_equal(app->name, "app-dev3");
    assert_int_equal(app->tasks.count, 4);
    const struct trace_task *task = app->tasks.items;
    assert_int_equal(task[0].direction, TRACE_HOST_TO_DEVICE);
    assert_int_equal(task[2].direction, TRACE_DEVICE_TO_HOST);
    assert_int_equal(task[2].stream,
                     task[1].stream); /* waits for the kernel, and the host for it */
    assert_int_equal(task[3].flags & TRACE_SYNC, TRACE_SYNC);
    assert_int_equal(task[3].waited_for, 2);
    assert_int_not_equal(task[3].stream, task[1].stream);  /* asynchronous: as it was recorded */
    assert_int_equal(c.set.apps.items[0]->tasks.count, 2); /* that of thread 9 */
}

#define SHAPELESS(name, ts, correlation)                                                           \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0,\"ts\":" #ts                 \
    ",\"dur\":5,\"args\":{\"correlation\":" #correlation ",\"device\":0,\"stream\":6}},"

static void assert_shape(const struct trace_kernel *kernel, uint32_t blocks, uint32_t threads,
                         uint8_t provenance) {
    assert_int_equal(trace_kernel_blocks(kernel), blocks);
    assert_int_equal(trace_kernel_threads(kernel), threads);
    assert_int_equal(kernel->geometry_provenance, provenance);
}

/* Under HIP the kernels of graphs, of copies and of launches for several GPUs have no shape. */
TEST(test_kernels_of_hip_without_shape) {
    CLOSED_BY(case_free)
    struct import_case c = import_text(
        "{\"traceEvents\":[" HIP_CALL("hipLaunchKernel", 7, 10, 5, 1) HIP_KERNEL(0, 6, 20, 5, 1)
            HIP_CALL("hipMemcpyAsync", 7, 30, 5, 2) SHAPELESS("__amd_rocclr_copyBuffer", 40, 2)
                HIP_CALL("hipGraphLaunch", 7, 50, 5, 3) SHAPELESS("Cijk_Alik_Bljk", 60, 3)
                    HIP_CALL("hipExtModuleLaunchKernel", 7, 70, 5, 4) SHAPELESS("gemm", 80, 4)
                        HIP_CALL("hipExtLaunchMultiKernelMultiDevice", 7, 90, 5,
                                 5) "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_"
                                    "Generic\",\"pid\":0,\"ts\":100,"
                                    "\"dur\":5,\"args\":{\"correlation\":5,\"device\":0,\"stream\":"
                                    "6,\"grid\":[0,0,0],"
                                    "\"block\":[0,0,0]}}," LAST_EVENT,
        "mi300x", IMPORT_CUT_WHOLE);
    assert_int_equal(c.status, CT_OK);
    const struct trace_app *app = c.set.apps.items[0];
    assert_int_equal(app->kernels.count, 5);
    assert_shape(&app->kernels.items[0], 1, 64, CT_MEASURED);
    assert_shape(&app->kernels.items[1], 16384, 256, CT_ASSUMED);
    assert_shape(&app->kernels.items[2], 16384, 256, CT_ASSUMED);
    assert_shape(&app->kernels.items[3], 16384, 256, CT_ASSUMED);
    assert_shape(&app->kernels.items[4], 32, 256, CT_ASSUMED);
    assert_int_equal(c.diags.count, 1);
    assert_int_equal(c.diags.items[0].severity, CT_NOTICE);
    assert_non_null(strstr(c.diags.items[0].text, "of 4 of 5 kernels the grid and block"));
}

/* AMD's recordings may have none at all; from NVIDIA's one or the other may be missing. */
TEST(test_recordings_with_few_shapes) {
    static const char amd[] = "{\"deviceProperties\":[{\"id\":0,\"name\":\"AMD Instinct MI300X\"}],"
                              "\"traceEvents\":[" SHAPELESS("k", 10, 1) LAST_EVENT;
    CLOSED_BY(case_free) struct import_case c = import_text(amd, NULL, IMPORT_CUT_WHOLE);
    assert_int_equal(c.status, CT_OK);
    assert_shape(&c.set.apps.items[0]->kernels.items[0], 16384, 256, CT_ASSUMED);
    case_free(&c);
    c = import_text("{\"traceEvents\":[" SHAPELESS("k", 10, 1) HIP_KERNEL(0, 6, 20, 5, 2)
                        LAST_EVENT,
                    "v100", IMPORT_CUT_WHOLE);
    assert_int_equal(c.status, CT_OK);
    assert_shape(&c.set.apps.items[0]->kernels.items[0], 16384, 256, CT_ASSUMED);
    assert_shape(&c.set.apps.items[0]->kernels.items[1], 1, 64, CT_MEASURED);
}

/* Until 2024 a kernel or copy of HIP had the number of its call alone, as "External id", and the
 * call the rest: shape, bytes and direction. Its row is the GPU and the queue. */
static const char bare_hip[] =
    "{\"traceEvents\":["
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":7,\"tid\":7,\"ts\":150,"
    "\"dur\":30,\"args\":{\"External id\":3}},"
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"hipMemcpyWithStream\",\"pid\":7,"
    "\"tid\":7,\"ts\":100,\"dur\":40,\"args\":{\"External id\":1,\"size\":65536,\"kind\":1,"
    "\"stream\":\"0x0\"}},"
    "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"CopyHostToDevice\",\"pid\":2,\"tid\":5,"
    "\"ts\":110,\"dur\":20,\"args\":{\"External id\":1}},"
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"hipExtModuleLaunchKernel\",\"pid\":7,"
    "\"tid\":7,\"ts\":160,\"dur\":5,\"args\":{\"External id\":2,\"shared size\":1024,"
    "\"stream\":\"0x0\",\"block dim\":[256,1,1],\"grid dim\":[512,4,1],\"Kernel\":\"Cijk\"}},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"Cijk\",\"pid\":2,\"tid\":5,\"ts\":170,"
    "\"dur\":40,\"args\":{\"External id\":2}},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"other\",\"pid\":3,\"tid\":5,\"ts\":170,"
    "\"dur\":40,\"args\":{\"External id\":8}},"
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"hipMemcpyWithStream\",\"pid\":7,"
    "\"tid\":7,\"ts\":200,\"dur\":60,\"args\":{\"External id\":4,\"size\":\"8000\","
    "\"kind\":\"2\"}},"
    "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy  ( -> )\",\"pid\":2,\"tid\":5,"
    "\"ts\":220,\"dur\":30,\"args\":{\"External id\":4}}]}";

TEST(test_hip_where_calls_alone_say) {
    CLOSED_BY(case_free)
    struct import_case c = import_text(bare_hip, "mi300x", IMPORT_CUT_WHOLE);
    assert_int_equal(c.status, CT_OK);
    assert_int_equal(c.set.apps.count, 2); /* GPUs 2 and 3 */
    const struct trace_app *app = c.set.apps.items[0];
    assert_string_equal(app->name, "app-dev2");
    assert_int_equal(app->tasks.count, 3);
    const struct trace_task *task = app->tasks.items;
    assert_int_equal(task[0].direction, TRACE_HOST_TO_DEVICE);
    assert_int_equal(task[0].bytes, 65536);
    assert_int_equal(task[1].flags & TRACE_SYNC, TRACE_SYNC); /* for the copy */
    assert_int_equal(task[1].library_call, 1);                /* aten::mm, around the call */
    assert_int_equal(task[2].direction, TRACE_DEVICE_TO_HOST);
    assert_int_equal(task[2].bytes, 8000);
    assert_int_equal(task[2].stream, task[1].stream);
    const struct trace_kernel *kernel = &app->kernels.items[0];
    assert_shape(kernel, 8, 256, CT_MEASURED); /* 512 by 4 work-items */
    assert_int_equal(kernel->grid[0], 2);
    assert_int_equal(kernel->dynamic_smem_bytes, 1024);
    assert_shape(&c.set.apps.items[1]->kernels.items[0], 16384, 256, CT_ASSUMED);
}

/* 2021: other categories, threads as strings, whole microseconds, steps among the operators, no GPU
 * named. */
static const char old[] =
    "{\"schemaVersion\":1,\"traceEvents\":["
    "{\"ph\":\"X\",\"cat\":\"Operator\",\"name\":\"ProfilerStep#5\",\"pid\":3,\"tid\":\"9\","
    "\"ts\":1610366387140000,\"dur\":100,\"args\":{\"External id\":1}},"
    "{\"ph\":\"X\",\"cat\":\"Memset\",\"name\":\"Memset (Device)\",\"pid\":0,"
    "\"tid\":\"stream 7\",\"ts\":1610366387140030,\"dur\":0,\"args\":{\"device\":0,\"context\":1,"
    "\"stream\":7,\"correlation\":5,\"external id\":2,\"bytes\":128}},"
    "{\"ph\":\"X\",\"cat\":\"Runtime\",\"name\":\"cudaMemsetAsync\",\"pid\":3,\"tid\":\"9\","
    "\"ts\":1610366387140010,\"dur\":4,\"args\":{\"correlation\":5,\"external id\":2}},"
    "{\"ph\":\"X\",\"cat\":\"Kernel\",\"name\":\"k\",\"pid\":0,\"tid\":\"stream 7\","
    "\"ts\":1610366387140031,\"dur\":20,\"args\":{\"device\":0,\"context\":1,\"stream\":7,"
    "\"correlation\":6,\"registers per thread\":38,\"grid\":[50,1,1],\"block\":[256,1,1]}},"
    "{\"ph\":\"X\",\"cat\":\"Runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":3,\"tid\":\"9\","
    "\"ts\":1610366387140020,\"dur\":4,\"args\":{\"correlation\":6}}]}";

TEST(test_old_format) {
    CLOSED_BY(case_free) struct import_case c = import_text(old, NULL, IMPORT_CUT_STEP);
    assert_int_equal(c.status, CT_USAGE);
    case_free(&c);
    c = import_text(old, "v100", IMPORT_CUT_STEP);
    assert_int_equal(c.status, CT_OK);
    const struct trace_app *app = c.set.apps.items[0];
    assert_int_equal(app->resolution_ps, CT_PS_PER_US);
    assert_string_equal(app->jobs.items[0].name, "ProfilerStep#5");
    assert_int_equal(app->tasks.items[0].kind, TRACE_MEMSET);
    assert_int_equal(app->tasks.items[0].duration_ps, CT_PS_PER_US / 2);
    assert_int_equal(app->tasks.items[0].flags, TRACE_DURATION_ASSUMED);
    assert_int_equal(app->tasks.items[1].start_ps, 31 * CT_PS_PER_US);
}

/* Writers of JSON may write any number with an exponent: 1500 us and 20, 1623.25 us and 0.125. */
TEST(test_exponents) {
    CLOSED_BY(case_free)
    struct import_case c = import_text(
        "{\"with_stack\":true,\"traceEvents\":["
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":1.5e3,\"dur\":2E+1,"
        "\"args\":{\"stream\":7,\"correlation\":1,\"registers per thread\":3.2e1,"
        "\"grid\":[5e0,1,1],\"block\":[2560e-1,1,1]}},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":162325e-2,\"dur\":1.25e-1,"
        "\"args\":{\"stream\":7,\"correlation\":2,\"registers per thread\":32,"
        "\"grid\":[5,1,1],\"block\":[256,1,1]}}]}",
        "v100", IMPORT_CUT_WHOLE);
    assert_int_equal(c.status, CT_OK);
    const struct trace_app *app = c.set.apps.items[0];
    const struct trace_task *task = app->tasks.items;
    assert_int_equal(app->tasks.count, 2);
    assert_int_equal(app->kernels.count, 1);
    assert_int_equal(app->kernels.items[0].grid[0], 5);
    assert_int_equal(app->kernels.items[0].block[0], 256);
    assert_int_equal(app->kernels.items[0].registers_per_thread, 32);
    assert_int_equal(task[0].duration_ps, 20 * CT_PS_PER_US);
    assert_int_equal(task[1].duration_ps, CT_PS_PER_US / 8);
    assert_int_equal(task[1].start_ps - task[0].start_ps, 123250000);
    assert_true(app->stacks_recorded);
}

/* Where the external id only repeats the correlation, the operator around the launch counts: the
 * innermost one. */
TEST(test_operator_by_time) {
    static const char text[] =
        "[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"outer\",\"pid\":1,\"tid\":1,\"ts\":10,"
        "\"dur\":50,\"args\":{\"External id\":6}},"
        "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"before\",\"pid\":1,\"tid\":1,\"ts\":12,"
        "\"dur\":3,\"args\":{\"External id\":7}},"
        "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"inner\",\"pid\":1,\"tid\":1,\"ts\":20,"
        "\"dur\":10,\"args\":{\"External id\":8}},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"ts\":40,\"dur\":5,\"args\":"
        "{\"External id\":6,\"correlation\":6,\"stream\":7,\"grid\":[1,1,1],\"block\":[1,1,1]}},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"b\",\"ts\":50,\"dur\":5,\"args\":"
        "{\"External id\":7,\"correlation\":7,\"stream\":7,\"grid\":[1,1,1],\"block\":[1,1,1]}},"
        "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"
        "\"ts\":16,\"dur\":2,\"args\":{\"correlation\":6}},"
        "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"
        "\"ts\":22,\"dur\":2,\"args\":{\"correlation\":7}}]";
    CLOSED_BY(case_free) struct import_case c = import_text(text, "v100", IMPORT_CUT_WHOLE);
    assert_int_equal(c.status, CT_OK);
    const struct trace_app *app = c.set.apps.items[0];
    assert_string_equal(app->library_calls.items[app->tasks.items[0].library_call - 1], "outer");
    assert_string_equal(app->library_calls.items[app->tasks.items[1].library_call - 1], "inner");
}

/* Stream 20 waits for what stream 7 had been given when the event was recorded; .item() waits for
 * its copy. */
TEST(test_waits) {
    static const char text[] =
        "{\"traceEvents\":["
        "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"
        "\"ts\":10,\"dur\":2,\"args\":{\"correlation\":1}},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"ts\":20,\"dur\":50,\"args\":"
        "{\"correlation\":1,\"device\":0,\"stream\":7,\"grid\":[1,1,1],\"block\":[1,1,1]}},"
        "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaEventRecord\",\"pid\":1,\"tid\":1,"
        "\"ts\":13,\"dur\":1,\"args\":{\"correlation\":2}},"
        "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaStreamWaitEvent\",\"pid\":1,"
        "\"tid\":1,\"ts\":15,\"dur\":1,\"args\":{\"correlation\":3}},"
        "{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Stream Wait Event\",\"pid\":0,\"tid\":20,"
        "\"ts\":15,\"dur\":1,\"args\":{\"wait_on_stream\":7,"
        "\"wait_on_cuda_event_record_corr_id\":2,\"stream\":20,\"correlation\":3,\"device\":0}},"
        "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"
        "\"ts\":17,\"dur\":2,\"args\":{\"correlation\":4}},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"b\",\"ts\":71,\"dur\":9,\"args\":"
        "{\"correlation\":4,\"device\":0,\"stream\":20,\"grid\":[1,1,1],\"block\":[1,1,1]}},"
        "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaStreamSynchronize\",\"pid\":1,"
        "\"tid\":1,\"ts\":20,\"dur\":65,\"args\":{\"correlation\":5}},"
        "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cuLaunchKernel\",\"pid\":1,\"tid\":1,"
        "\"ts\":90,\"dur\":2,\"args\":{\"correlation\":6}},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"c\",\"ts\":95,\"dur\":5,\"args\":"
        "{\"correlation\":6,\"device\":0,\"stream\":7,\"grid\":[1,1,1],\"block\":[1,1,1]}}]}";
    CLOSED_BY(case_free) struct import_case c = import_text(text, "v100", IMPORT_CUT_WHOLE);
    assert_int_equal(c.status, CT_OK);
    const struct trace_app *app = c.set.apps.items[0];
    assert_int_equal(app->tasks.items[1].dependency_count, 1);
    assert_int_equal(app->dependencies.items[0], 0);
    assert_int_equal(app->tasks.items[2].flags, TRACE_SYNC);
    assert_int_equal(app->tasks.items[2].waited_for, 1); /* the last stream that its thread used */
    assert_int_equal(app->tasks.items[2].host_gap_ps, 10 * CT_PS_PER_US);
}

#define HOST_CALL(name, ts, dur, correlation)                                                      \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"" name "\",\"pid\":1,\"tid\":1,"            \
    "\"ts\":" #ts ",\"dur\":" #dur ",\"args\":{\"correlation\":" #correlation "}},"
#define GPU_KERNEL(name, stream, ts, dur, correlation)                                             \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"ts\":" #ts ",\"dur\":" #dur          \
    ",\"args\":{\"correlation\":" #correlation ",\"device\":0,\"stream\":" #stream                 \
    ",\"grid\":[1,1,1],\"block\":[1,1,1]}},"
#define GPU_COPY(name, ts, dur, correlation)                                                       \
    "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"" name "\",\"ts\":" #ts ",\"dur\":" #dur      \
    ",\"args\":{\"correlation\":" #correlation ",\"device\":0,\"stream\":7,\"bytes\":4096}},"

/* Nodes of one launch of a CUDA graph are one library call, unless an operator is around it. */
TEST(test_graphs) {
    CLOSED_BY(case_free)
    struct import_case c = import_text(
        "{\"traceEvents\":["
        "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"Compiled\",\"pid\":1,\"tid\":1,\"ts\":40,"
        "\"dur\":10}," HOST_CALL("cudaGraphLaunch", 10, 4, 1) GPU_KERNEL("a", 7, 15, 1, 1)
            GPU_KERNEL("b", 7, 17, 1, 1) HOST_CALL("cudaGraphLaunch", 20, 4, 2)
                GPU_KERNEL("a", 7, 25, 1, 2) HOST_CALL("cudaLaunchKernel", 30, 4, 3)
                    GPU_KERNEL("c", 7, 35, 1, 3) HOST_CALL("cudaGraphLaunch", 42, 4, 4)
                        GPU_KERNEL("a", 7, 47, 1, 4) LAST_EVENT,
        "v100", IMPORT_CUT_WHOLE);
    assert_int_equal(c.status, CT_OK);
    const struct trace_app *app = c.set.apps.items[0];
    static const uint32_t calls[] = {1, 1, 2, 0, 3};
    for (size_t i = 0; i < CT_COUNT_OF(calls); i++)
        assert_int_equal(app->tasks.items[i].library_call, calls[i]);
    assert_string_equal(app->library_calls.items[0], "CUDA graph");
    assert_string_equal(app->library_calls.items[1], "CUDA graph");
    assert_string_equal(app->library_calls.items[2], "Compiled");
}

/* The host waits for the event behind `s`; `l` still runs, and `q`, launched last, is long over. */
TEST(test_wait_for_an_event) {
    CLOSED_BY(case_free)
    struct import_case c = import_text(
        "{\"traceEvents\":["
        "{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Event "
        "Sync\",\"pid\":0,\"tid\":-1,\"ts\":40,"
        "\"dur\":980,\"args\":{\"wait_on_stream\":8,\"wait_on_cuda_event_record_corr_id\":2,"
        "\"stream\":4294967295,\"correlation\":5,\"device\":0}}," HOST_CALL(
            "cudaLaunchKernel", 10, 4, 1) GPU_KERNEL("s", 8, 15, 1000, 1)
            HOST_CALL("cudaEventRecord", 15, 2, 2) HOST_CALL("cudaLaunchKernel", 20, 4, 3)
                GPU_KERNEL("l", 9, 25, 2000, 3) HOST_CALL("cudaLaunchKernel", 26, 4, 4)
                    GPU_KERNEL("q", 10, 31, 10, 4) HOST_CALL("cudaEventSynchronize", 40, 980, 5)
                        HOST_CALL("cudaLaunchKernel", 1025, 4, 6) GPU_KERNEL("t", 11, 1030, 5, 6)
                            LAST_EVENT,
        "v100", IMPORT_CUT_WHOLE);
    assert_int_equal(c.status, CT_OK);
    const struct trace_task *task = c.set.apps.items[0]->tasks.items;
    assert_int_equal(task[3].flags, TRACE_SYNC);
    assert_int_equal(task[3].waited_for, 0);
    assert_int_equal(task[3].host_gap_ps, 10 * CT_PS_PER_US); /* from its end at 1015 */
}

/* Copies of a call that is not asynchronous hold the host, but for those within the device. */
TEST(test_copies_that_hold_the_host) {
    CLOSED_BY(case_free)
    struct import_case c = import_text(
        "{\"traceEvents\":[" HOST_CALL("cudaMemcpy", 10, 15,
                                       1) GPU_COPY("Memcpy HtoD (Pageable -> Device)", 18, 5, 1)
            HOST_CALL("cudaMemcpy", 30, 15, 2) GPU_COPY("Memcpy DtoD (Device -> Device)", 38, 5, 2)
                HOST_CALL("cudaLaunchKernel", 50, 4, 3) GPU_KERNEL("k", 7, 60, 5, 3) LAST_EVENT,
        "v100", IMPORT_CUT_WHOLE);
    assert_int_equal(c.status, CT_OK);
    const struct trace_task *task = c.set.apps.items[0]->tasks.items;
    assert_int_equal(task[1].flags, TRACE_SYNC);
    assert_int_equal(task[1].waited_for, 0);
    assert_int_equal(task[1].host_gap_ps, 7 * CT_PS_PER_US);
    assert_int_equal(task[2].flags, 0);
    assert_int_equal(task[2].host_gap_ps, 20 * CT_PS_PER_US);
}

/* A rank launches the kernel of this number at `launch`, which runs from `ts` on. */
#define OF_RANK(pid, launch, number, gpu, ts)                                                      \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":" #pid           \
    ",\"tid\":" #pid ",\"ts\":" #launch ",\"dur\":5,\"args\":{\"correlation\":" #number            \
    "}},{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":" #gpu ",\"ts\":" #ts              \
    ",\"dur\":100,"                                                                                \
    "\"args\":{\"External id\":1,\"correlation\":" #number ",\"device\":" #gpu                     \
    ",\"stream\":7,\"grid\":[1,1,1],\"block\":[1,1,1]}},"
#define OPERATOR_OF_RANK(pid, name)                                                                \
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"" name "\",\"pid\":" #pid ",\"tid\":" #pid        \
    ",\"ts\":0,\"dur\":2000,\"args\":{\"External id\":1}},"

/* Two ranks in a file, whose calls and operators have the same numbers: rank 11 launches ahead on
 * GPU 0, rank 12 waits for each kernel on GPU 1, and both could have launched what GPU 0 did. */
TEST(test_ranks_in_one_file) {
    CLOSED_BY(case_free)
    struct import_case c = import_text(
        "{\"traceEvents\":[" OPERATOR_OF_RANK(11, "eleven") OPERATOR_OF_RANK(12, "twelve")
            OF_RANK(11, 310, 1, 0, 500) OF_RANK(11, 320, 2, 0, 600) OF_RANK(11, 330, 3, 0, 700)
                OF_RANK(11, 340, 4, 0, 800) OF_RANK(12, 10, 1, 1, 20) OF_RANK(12, 210, 2, 1, 220)
                    OF_RANK(12, 410, 3, 1, 420) OF_RANK(12, 610, 4, 1, 620) LAST_EVENT,
        "v100", IMPORT_CUT_WHOLE);
    assert_int_equal(c.status, CT_OK);
    assert_int_equal(c.diags.count, 0);
    assert_int_equal(c.set.apps.count, 2);
    for (int i = 0; i < 4; i++) {
        const struct trace_task *ahead = &c.set.apps.items[0]->tasks.items[i];
        const struct trace_task *waiting = &c.set.apps.items[1]->tasks.items[i];
        assert_int_equal(ahead->start_ps - ahead->launch_end_ps, (185 + 90 * i) * CT_PS_PER_US);
        assert_int_equal(waiting->start_ps - waiting->launch_end_ps, 5 * CT_PS_PER_US);
    }
    assert_string_equal(c.set.apps.items[0]->library_calls.items[0], "eleven");
    assert_string_equal(c.set.apps.items[1]->library_calls.items[0], "twelve");
}

/* Both on one GPU: each kernel has the last call with its number before it, and it is said. */
TEST(test_ranks_on_one_gpu) {
    CLOSED_BY(case_free)
    struct import_case c =
        import_text("{\"traceEvents\":[" OF_RANK(11, 10, 1, 0, 20) OF_RANK(12, 200, 1, 0, 220)
                        OF_RANK(11, 400, 2, 0, 430) OF_RANK(12, 600, 2, 0, 640) LAST_EVENT,
                    "v100", IMPORT_CUT_WHOLE);
    assert_int_equal(c.status, CT_OK);
    assert_int_equal(c.diags.count, 1);
    assert_int_equal(c.diags.items[0].severity, CT_WARNING);
    assert_non_null(strstr(c.diags.items[0].text, "4 kernels and copies count as launched by"));
    for (int i = 0; i < 4; i++) {
        const struct trace_task *task = &c.set.apps.items[0]->tasks.items[i];
        assert_int_equal(task->start_ps - task->launch_end_ps, (5 + 10 * i) * CT_PS_PER_US);
    }
}

static void write_packed(const char *text) {
    gzFile file = gzopen(path, "wb");
    assert_non_null(file);
    gzputs(file, text);
    gzclose(file);
}

static void refuse_bytes(const char *text, size_t size, const char *message) {
    case_write_bytes(path, text, size);
    CLOSED_BY(case_free) struct import_case c = import_file(path, "v100", IMPORT_CUT_WHOLE);
    assert_int_equal(c.status, CT_DATA);
    assert_int_equal(c.set.apps.count, 0);
    assert_int_equal(c.diags.errors, 1);
    if (!strstr(c.diags.items[0].text, message))
        fail_msg("'%s' instead of '%s'", c.diags.items[0].text, message);
}

static void refuse(const char *text, const char *message) {
    refuse_bytes(text, strlen(text), message);
}

TEST(test_broken_files) {
    char packed[1000];
    refuse("", "the file is empty");
    refuse_bytes(old, strlen(old) / 2, "the JSON ends in the middle");
    refuse("{\"traceEvents\": [}", "not valid JSON at byte 18");
    refuse("{\"name\": 3}", "it has no 'traceEvents'");
    refuse("{\"traceEvents\": []}", "holds no kernel");
    refuse("{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":1}]}",
           "event 1, 'k', has no usable 'ts' and 'dur'");
    refuse("{\"traceEvents\":[" SHAPELESS("k", 10, 1) LAST_EVENT,
           "kernel 'k' lacks its grid or block");
    char deep[200] = "{\"traceEvents\": [";
    memset(deep + 17, '[', 100);
    refuse(deep, "nested more than 64 deep at byte 80");
    write_packed(old);
    FILE *raw = fopen(path, "rb");
    assert_non_null(raw);
    size_t size = fread(packed, 1, sizeof packed, raw);
    fclose(raw);
    refuse_bytes(packed, size / 2, "the compressed data end");
    CLOSED_BY(case_free)
    struct import_case c = import_file("no_such_folder/k.json", "v100", IMPORT_CUT_WHOLE);
    assert_int_equal(c.status, CT_DATA);
    assert_string_equal(c.diags.items[0].where, "no_such_folder/k.json");
    assert_string_equal(c.diags.items[0].text, "cannot open it: No such file or directory");
}

TEST(test_gzip) {
    write_packed(old);
    CLOSED_BY(case_free) struct import_case c = import_file(path, "v100", IMPORT_CUT_WHOLE);
    assert_int_equal(c.status, CT_OK);
    assert_int_equal(c.set.apps.items[0]->tasks.count, 2);
}

/* ---- real recordings ---- */

static bool is_later(ct_time_ps a, ct_time_ps b) {
    return a > b;
}

/*
 * Replays a job alone by the rules of the host model, written down here independently of the
 * simulator: a task is issued its host gap after the issue before it or after the end of what the
 * host waited for, and starts when its stream and its dependencies are done. Returns the length.
 */
static ct_time_ps replay(const struct trace_app *app, const struct trace_job *job) {
    ct_time_ps *ends = calloc(job->task_count, sizeof *ends);
    ct_time_ps *stream_end = calloc(app->stream_count, sizeof *stream_end);
    ct_time_ps issue = 0, all = 0;
    assert_non_null(ends);
    assert_non_null(stream_end);
    for (uint32_t i = 0; i < job->task_count; i++) {
        const struct trace_task *task = &app->tasks.items[job->first_task + i];
        if (task->flags & TRACE_SYNC)
            issue = task->waited_for == TRACE_NONE ? all : ends[task->waited_for];
        issue += i > 0 ? task->host_gap_ps : 0;
        ct_time_ps start =
            is_later(stream_end[task->stream], issue) ? stream_end[task->stream] : issue;
        for (uint32_t d = 0; d < task->dependency_count; d++) {
            ct_time_ps end_of = ends[app->dependencies.items[task->first_dependency + d]];
            start = is_later(end_of, start) ? end_of : start;
        }
        stream_end[task->stream] = ends[i] = start + task->duration_ps;
        all = is_later(ends[i], all) ? ends[i] : all;
    }
    free(ends);
    free(stream_end);
    return all;
}

/* From a job's first start to its last end on the device: what it takes alone, but for what the
 * host does before its first task. */
static ct_time_ps device_span(const struct trace_app *app, const struct trace_job *job) {
    ct_time_ps first = CT_TIME_NEVER, last = 0;
    for (uint32_t i = 0; i < job->task_count; i++) {
        const struct trace_task *task = &app->tasks.items[job->first_task + i];
        first = is_later(first, task->start_ps) ? task->start_ps : first;
        last = is_later(task->start_ps + task->duration_ps, last)
                   ? task->start_ps + task->duration_ps
                   : last;
    }
    return last - first;
}

struct expectation {
    const char *file, *gpu;
    size_t jobs, tasks, carried; /* counted independently of this program */
    double error;                /* of the replayed length of each job */
};

static void check_recording(const struct expectation *e) {
    char file[300];
    snprintf(file, sizeof file, "%s/../shared/data/kineto/%s", COTENANT_SOURCE_DIR, e->file);
    CLOSED_BY(case_free) struct import_case c = import_file(file, e->gpu, IMPORT_CUT_AUTO);
    if (c.status != CT_OK)
        fail_msg("%s: %s", e->file, c.diags.items[0].text);
    const struct trace_app *app = c.set.apps.items[0];
    double worst = 0;
    for (size_t j = 0; j < app->jobs.count; j++) {
        const struct trace_job *job = &app->jobs.items[j];
        double error = (double)replay(app, job) / (double)device_span(app, job) - 1;
        worst = fabs(error) > fabs(worst) ? error : worst;
    }
    print_message("%-42s %2zu jobs %6zu tasks %4zu kernels %3llu carried, replay off by %+.2f %%\n",
                  e->file, app->jobs.count, app->tasks.count, app->kernels.count,
                  (unsigned long long)app->carried_tasks, 100 * worst);
    assert_int_equal(app->jobs.count, e->jobs);
    assert_int_equal(app->tasks.count, e->tasks);
    assert_int_equal(app->carried_tasks, e->carried);
    assert_true(fabs(worst) <= e->error);
}

TEST(test_real_recordings) {
    static const struct expectation expected[] = {
        {"h100_vit_infer.json.gz", NULL, 1, 156, 0, 0.01},
        {"h100_bertsmall_infer.json.gz", NULL, 1, 61, 0, 0.01},
        {"h100_timesformer_infer.json.gz", NULL, 1, 534, 0, 0.01},
        /* 1164 of its kernels were queued, and each began 1.3 us after the one before it: that is
           not replayed */
        {"h100_qwen05b_infer.json.gz", NULL, 1, 1198, 509, 0.05},
        {"a100_alexnet.json.gz", NULL, 1, 98, 0, 0.01},
        {"rtx2080ti_linear.json.gz", NULL, 1, 10356, 0, 0.01},
        {"rtx2080ti_resnet.json.gz", NULL, 1, 10113, 0, 0.01},
        {"v100_resnet50_train.json.gz", NULL, 6, 9096, 2744, 0.02},
        {"v100_resnet_train_ns.json.gz", NULL, 5, 6095, 3836, 0.02},
        /* its streams wait for each other and for another GPU, by events that the recording does
           not name */
        {"v100_dlrm_train_4streams.json.gz", NULL, 6, 15018, 4519, 0.45},
        {"unknown_resnet50_train_2021format.json.gz", "v100", 1, 10133, 0, 0.02},
    };
    char folder[300];
    snprintf(folder, sizeof folder, "%s/../shared/data/kineto", COTENANT_SOURCE_DIR);
    if (access(folder, R_OK) != 0) {
        print_message("skipped: the real recordings are not here\n");
        skip();
    }
    for (size_t i = 0; i < CT_COUNT_OF(expected); i++)
        check_recording(&expected[i]);
}

static int make_file(void **state) {
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_file(void **state) {
    return unlink(path);
}

TEST_GROUP(make_file, remove_file)
