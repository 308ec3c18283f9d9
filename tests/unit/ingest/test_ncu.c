/* Nsight Compute's tables: both generations, summaries, numbers of other languages, and what they
 * attach to. */
#include "import_case.h"

static const char *const file = "test_ncu.csv";
static const char *const trace_file = "test_ncu_trace.csv";

/* 2022 and later. */
#define HEADER                                                                                     \
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\"," \
    "\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric "    \
    "Unit\",\"Metric Value\",\"Rule Name\"\n"
#define ROW(id, grid, metric, unit, value)                                                         \
    "\"" id                                                                                        \
    "\",\"9\",\"app\",\"host\",\"gemm<1, 2>(float*)\",\"1\",\"7\",\"(128, 2, 1)\",\"(" grid        \
    ", 1, 1)\",\"0\",\"9.0\",\"Section\",\"" metric "\",\"" unit "\",\"" value "\",\"\"\n"

static const char *const details = "==PROF== Connected to process 9\n==WARNING== \"x\n" HEADER ROW(
    "0", "64", "DRAM Throughput", "%", "40.5") ROW("0", "64", "Duration", "usecond", "1,234.5")
    ROW("0", "64", "Memory Throughput", "Gbyte/second",
        "1.25") ROW("0", "64", "Memory Throughput", "%", "77") ROW("0", "64", "L2 Cache Throughput",
                                                                   "%", "12.5")
        ROW("0", "64", "Issue Slots Busy", "%", "30") ROW("0", "64", "SM Busy", "%", "55")
            ROW("0", "64", "Compute (SM) Throughput", "%", "50")
                ROW("0", "64", "Achieved Occupancy", "%", "62.5")
                    ROW("0", "64", "Registers Per Thread", "register/thread", "40")
                        ROW("0", "64", "Static Shared Memory Per Block", "Kbyte/block", "1.5")
                            ROW("0", "64", "Dynamic Shared Memory Per Block", "byte/block", "256")
                                ROW("0", "64", "SM Active Cycles", "cycle", "900")
                                    ROW("0", "64", "Elapsed Cycles", "cycle", "1,000")
                                        ROW("0", "64", "Executed Instructions", "inst", "1,000,000")
                                            ROW("0", "64", "Avg. Active Threads Per Warp", "", "24")
                                                ROW("1", "32", "Duration", "ns", "500")
                                                    ROW("1", "32", "DRAM Throughput", "%", "n/a");

TEST(details_of_a_launch) {
    case_write(file, details);
    CLOSED_BY(case_free)
    struct import_case c = case_import(import_format_ncu.read, file, NULL, "h100");
    assert_int_equal(c.status, CT_OK);
    const struct trace_app *app = c.set.apps.items[0];
    assert_int_equal(app->tasks.count, 2);
    assert_int_equal(app->tasks.items[0].duration_ps, INT64_C(1234500000));
    assert_int_equal(app->tasks.items[1].start_ps, INT64_C(1234500000)); /* back to back */
    assert_int_equal(app->tasks.items[1].duration_ps, INT64_C(500000));
    const struct trace_kernel *k = &app->kernels.items[app->tasks.items[0].kernel];
    assert_string_equal(k->name, "gemm<1, 2>(float*)");
    assert_int_equal(k->grid[0], 64);
    assert_int_equal(k->block[1], 2);
    assert_int_equal(k->registers_per_thread, 40);
    assert_int_equal(k->static_smem_bytes, 1500);
    assert_int_equal(k->dynamic_smem_bytes, 256);
    assert_int_equal(k->demand_provenance, CT_MEASURED);
    assert_float_equal(k->metrics.dram_fraction, 0.405, 1e-12);
    assert_float_equal(k->metrics.dram_bytes_per_s, 1.25e9, 1e-3);
    assert_float_equal(k->metrics.l2_fraction, 0.125, 1e-12);
    assert_float_equal(k->metrics.issue_slot_fraction, 0.3, 1e-12);
    assert_float_equal(k->metrics.unit_fraction, 0.55, 1e-12); /* SM Busy before SM throughput */
    assert_float_equal(k->metrics.achieved_occupancy, 0.625, 1e-12);
    assert_float_equal(k->metrics.sm_activity, 0.9, 1e-12);
    assert_float_equal(k->metrics.instructions, 24e6, 1e-3);
    k = &app->kernels.items[app->tasks.items[1].kernel];
    assert_int_equal(k->grid[0], 32);
    assert_true(isnan(k->metrics.dram_fraction));
    remove(file);
}

/* Two shapes of one kernel in a trace each get their own numbers; the file adds no kernels to it.
 */
TEST(metrics_by_shape) {
    case_write(trace_file,
               "Start (ns),Duration (ns),GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (B),DymSMem "
               "(B),Bytes (B),Device,Strm,Name\n"
               "0,1000,64,1,1,128,2,1,32,0,0,,NVIDIA H100 (0),7,\"gemm<1, 2>(float*)\"\n"
               "2000,1000,32,1,1,128,2,1,32,0,0,,NVIDIA H100 (0),7,\"gemm<1, 2>(float*)\"\n");
    case_write(file, HEADER ROW("0", "32", "DRAM Throughput", "%", "10")
                         ROW("1", "64", "DRAM Throughput", "%", "20")
                             ROW("2", "99", "DRAM Throughput", "%", "30"));
    CLOSED_BY(case_free)
    struct import_case c = case_import(import_format_nsys.read, trace_file, file, NULL);
    assert_int_equal(c.status, CT_OK);
    const struct trace_app *app = c.set.apps.items[0];
    assert_int_equal(app->tasks.count, 2);
    assert_float_equal(app->kernels.items[app->tasks.items[0].kernel].metrics.dram_fraction, 0.2,
                       1e-12);
    assert_float_equal(app->kernels.items[app->tasks.items[1].kernel].metrics.dram_fraction, 0.1,
                       1e-12);
    assert_int_equal(c.summary.metrics_attached, 2);
    assert_int_equal(c.summary.metrics_unmatched, 1);
    remove(file);
    remove(trace_file);
}

/* Metrics of several launches of a shape are their mean, by their time or else by their cycles. */
TEST(metrics_of_several_launches) {
    case_write(trace_file,
               "Start (ns),Duration (ns),GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (B),DymSMem "
               "(B),Bytes (B),Device,Strm,Name\n"
               "0,1000,64,1,1,128,2,1,32,0,0,,NVIDIA H100 (0),7,\"gemm<1, 2>(float*)\"\n"
               "2000,1000,32,1,1,128,2,1,32,0,0,,NVIDIA H100 (0),7,\"gemm<1, 2>(float*)\"\n");
    case_write(file, HEADER ROW("0", "64", "DRAM Throughput", "%", "90")
                         ROW("0", "64", "Duration", "us", "300")
                             ROW("1", "64", "DRAM Throughput", "%", "10")
                                 ROW("1", "64", "Duration", "us", "100")
                                     ROW("2", "32", "DRAM Throughput", "%", "90")
                                         ROW("2", "32", "Elapsed Cycles", "cycle", "100")
                                             ROW("3", "32", "DRAM Throughput", "%", "10")
                                                 ROW("3", "32", "Elapsed Cycles", "cycle", "700"));
    CLOSED_BY(case_free)
    struct import_case c = case_import(import_format_nsys.read, trace_file, file, NULL);
    assert_int_equal(c.status, CT_OK);
    const struct trace_app *app = c.set.apps.items[0];
    assert_float_equal(app->kernels.items[app->tasks.items[0].kernel].metrics.dram_fraction, 0.7,
                       1e-12);
    assert_float_equal(app->kernels.items[app->tasks.items[1].kernel].metrics.dram_fraction, 0.2,
                       1e-12);
    assert_int_equal(c.summary.metrics_attached, 4);
    assert_int_equal(c.summary.metrics_kernels, 2);
    remove(file);
    remove(trace_file);
}

/* 2020: no columns for shapes, other labels; German separators. */
TEST(older_generation) {
    static const char header[] =
        "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Kernel "
        "Time\",\"Context\",\"Stream\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric "
        "Value\"\n";
#define OLD(metric, unit, value)                                                                   \
    "0,9,app,host,k(int),\"2020-Nov-01 10:00:00\",1,7,S,\"" metric "\",\"" unit "\",\"" value "\"" \
    "\n"
    char text[2048];
    snprintf(text, sizeof text, "%s%s", header,
             OLD("SOL DRAM", "%", "9,25") OLD("SOL SM", "%", "31,00")
                 OLD("Duration", "nsecond", "1.234,5") OLD("Grid Size", "", "4.096")
                     OLD("Block Size", "", "256"));
    case_write(file, text);
    CLOSED_BY(case_free)
    struct import_case c = case_import(import_format_ncu.read, file, NULL, "v100");
    assert_int_equal(c.status, CT_OK);
    const struct trace_app *app = c.set.apps.items[0];
    const struct trace_kernel *k = &app->kernels.items[0];
    assert_int_equal(app->tasks.items[0].duration_ps, INT64_C(1234500));
    assert_float_equal(k->metrics.dram_fraction, 0.0925, 1e-12);
    assert_float_equal(k->metrics.unit_fraction, 0.31, 1e-12);
    assert_int_equal(k->block[0], 256);
    assert_int_equal(k->grid[0], 4096);
    remove(file);
}

TEST(summary_per_kernel) {
    case_write(trace_file,
               "Start (ns),Duration (ns),GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (B),DymSMem "
               "(B),Bytes (B),Device,Strm,Name\n"
               "0,1000,64,1,1,128,2,1,32,0,0,,NVIDIA H100 (0),7,k(int)\n");
    case_write(file, "\"Process ID\",\"Kernel Name\",\"Invocations\",\"Section Name\",\"Metric "
                     "Name\",\"Metric Unit\",\"Minimum\",\"Maximum\",\"Average\"\n"
                     "9,k(int),2,S,\"L2 Cache Throughput\",%,10,30,20\n");
    CLOSED_BY(case_free)
    struct import_case c = case_import(import_format_nsys.read, trace_file, file, NULL);
    assert_int_equal(c.status, CT_OK);
    assert_float_equal(c.set.apps.items[0]->kernels.items[0].metrics.l2_fraction, 0.2, 1e-12);
    remove(file);
    remove(trace_file);
}

static void refused(const char *content, const char *where, const char *text) {
    case_refused(import_format_ncu.read, file, content, where, text);
}

TEST(mistakes) {
    refused("", "test_ncu.csv", "holds no kernels: ncu profiled none");
    refused("==ERROR== The application returned an error code (11).\n", "test_ncu.csv",
            "holds no kernels");
    refused(HEADER, "test_ncu.csv", "the table holds no kernels");
    refused("\"Kernel Name\",\"Metric Name\"\n", "test_ncu.csv:1", "the table has no columns");
    refused(HEADER ROW("0", "64", "Duration", "us", "fast"), "test_ncu.csv:2",
            "'fast' is no value of the metric 'Duration'");
    refused(HEADER ROW("0", "64", "Duration", "us", "-1"), "test_ncu.csv:2", "'-1' is no value");
    refused(HEADER ROW("0", "x", "Duration", "us", "1"), "test_ncu.csv:2",
            "'(x, 1, 1)' and '(128, 2, 1)' are no grid and block");
    refused(HEADER ROW("0", "0", "Duration", "us", "1"), "test_ncu.csv:2",
            "the kernel has 0 thread blocks");
    refused(HEADER ROW("0", "64", "Duration", "us", "1") "\"0\",\"9\"\n", "test_ncu.csv:3",
            "the row has 2 fields where the header has 16: is the file cut off?");
    refused(HEADER ROW("0", "64", "Duration", "second", "9,000,000"), "test_ncu.csv:2",
            "the durations sum up to more than 53 days");
}

/* Without a duration there is no application in it: left out, and the builder says that nothing is
 * there. */
TEST(no_durations) {
    refused(HEADER ROW("0", "64", "DRAM Throughput", "%", "10"), "app", "holds no kernel");
}

/*
 * A beginning passes only at the end of a row, once a duration is there: behind the last comma and
 * behind the empty quotes of the last field, and behind the line, which for the last row is the
 * whole file.
 */
TEST(truncations) {
    static const char text[] = "==PROF== x\n" HEADER ROW("0", "64", "DRAM Throughput", "%", "40.5")
        ROW("0", "64", "Duration", "us", "1.5") ROW("0", "64", "SM Busy", "%", "77");
    assert_int_equal(case_truncations(import_format_ncu.read, file, text, strlen(text)),
                     strlen(text) - (2 * 3 - 1));
}
