/* nvprof's traces and metrics: units, versions, broken files, and the 69 recordings. */
#include "import_case.h"

#include <dirent.h>
#include <stdlib.h>

static const char *const file = "test_nvprof.csv";
static const char *const second = "test_nvprof_metrics.csv";

#define HEADER                                                                                     \
    "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block Z\"," \
    "\"Registers Per Thread\",\"Static SMem\",\"Dynamic "                                          \
    "SMem\",\"Size\",\"Throughput\",\"Device\","                                                   \
    "\"Context\",\"Stream\",\"Name\"\n"
#define GPU "\"GeForce GTX 1080 Ti (0)\",\"1\",\"7\","

static const char *const trace =
    "==20718== NVPROF is profiling process 20718, command: ./backprop \"65536 0\n" HEADER
    "ms,us,,,,,,,,KB,B,MB,MB/s,,,,\n"
    "602.605858,671.425,,,,,,,,,,0.250004,372.3," GPU "\"[CUDA memcpy HtoD]\"\n"
    "614.845415,72.547,1,4096,1,16,16,1,18,1.0625,128,,," GPU "\"back<a, b>(float*, int) [1171]\"\n"
    "614.949260,615.839,,,,,,,,,,0.000065,405.9," GPU "\"[CUDA memcpy DtoH]\"\n"
    "616.422774,0.928,,,,,,,,,,0.000004,69.8," GPU "\"[CUDA memset]\"\n"
    "616.423774,1.5,1,1,1,32,1,1,18,0,0,,," GPU "\"operator[](int)\"\n";

TEST(units_and_kinds) {
    case_write(file, trace);
    CLOSED_BY(case_free)
    struct import_case c = case_import(import_format_nvprof.read, file, NULL, NULL);
    assert_int_equal(c.status, CT_OK);
    assert_int_equal(c.set.apps.count, 1);
    const struct trace_app *app = c.set.apps.items[0];
    assert_string_equal(app->gpu, "gtx1080ti");
    assert_int_equal(app->resolution_ps, CT_PS_PER_NS);
    assert_int_equal(app->tasks.count, 5);
    const struct trace_task *t = app->tasks.items;
    assert_int_equal(t[0].kind, TRACE_COPY);
    assert_int_equal(t[0].direction, TRACE_HOST_TO_DEVICE);
    assert_int_equal(t[0].bytes, 262148); /* 65537 floats: 0.250004 MB of 2^20 bytes */
    assert_int_equal(t[0].memory, TRACE_MEMORY_UNKNOWN);
    assert_int_equal(t[0].duration_ps, INT64_C(671425000));
    assert_int_equal(t[1].start_ps, INT64_C(12239557000));
    assert_int_equal(t[1].duration_ps, INT64_C(72547000));
    assert_int_equal(t[2].direction, TRACE_DEVICE_TO_HOST);
    assert_int_equal(t[2].bytes, 68);
    assert_int_equal(t[3].kind, TRACE_MEMSET);
    assert_int_equal(t[3].bytes, 4);
    const struct trace_kernel *k = &app->kernels.items[t[1].kernel];
    assert_string_equal(k->name, "back<a, b>(float*, int)");
    assert_int_equal(k->grid[1], 4096);
    assert_int_equal(k->block[0], 16);
    assert_int_equal(k->registers_per_thread, 18);
    assert_int_equal(k->static_smem_bytes, 1088);
    assert_int_equal(k->dynamic_smem_bytes, 128);
    assert_int_equal(k->geometry_provenance, CT_MEASURED);
    assert_string_equal(app->kernels.items[t[4].kernel].name, "operator[](int)");
    remove(file);
}

/* CUDA 9 and later: memory kinds, correlation ids, unified memory, peer copies; two processes, two
 * units. */
TEST(newer_columns) {
    static const char header[] =
        "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block "
        "Z\",\"Registers Per Thread\",\"Static SMem\",\"Dynamic SMem\",\"Size\",\"Throughput\","
        "\"SrcMemType\",\"DstMemType\",\"Device\",\"Context\",\"Stream\",\"Unified Memory\","
        "\"Virtual Address\",\"Name\",\"Correlation_ID\"\n";
    char text[4096];
    snprintf(
        text, sizeof text,
        "==1== x\n%ss,ms,,,,,,,,B,B,KB,GB/s,,,,,,B,,,\n"
        "1.000001,0.500000,,,,,,,,,,1.003906,0.5,\"Device\",,\"Tesla V100-SXM2 (1)\",\"1\",\"7\",,,"
        "\"[CUDA memset]\",272\n"
        "1.2,0.5,,,,,,,,,,4,1,\"Pinned\",\"Device\",\"Tesla V100-SXM2 (1)\",\"1\",\"7\",,,"
        "\"[CUDA memcpy HtoD]\",273\n"
        "1.3,0.5,,,,,,,,,,4,1,\"Device\",\"Pageable\",\"Tesla V100-SXM2 (1)\",\"1\",\"8\",,,"
        "\"[CUDA memcpy DtoH]\",274\n"
        "1.4,0.5,,,,,,,,,,4,1,\"Device\",\"Device\",\"Tesla V100-SXM2 (1)\",\"1\",\"7\",,,"
        "\"[CUDA memcpy PtoP]\",275\n"
        "1.5,,,,,,,,,,,,,,,\"Tesla V100-SXM2 (1)\",,,2,0x7f,\"[Unified Memory GPU page "
        "faults]\",\n"
        "==2== Profiling result:\n%sms,ms,,,,,,,,B,B,B,GB/s,,,,,,B,,,\n"
        "1600.000000,0.500000,1,1,1,32,1,1,8,0,0,,,,,\"Tesla V100-SXM2 "
        "(1)\",\"1\",\"7\",,,\"k()\",276\n",
        header, header);
    case_write(file, text);
    CLOSED_BY(case_free)
    struct import_case c = case_import(import_format_nvprof.read, file, NULL, NULL);
    assert_int_equal(c.status, CT_OK);
    const struct trace_app *app = c.set.apps.items[0];
    const struct trace_task *t = app->tasks.items;
    assert_int_equal(app->resolution_ps, CT_PS_PER_US); /* seconds with six decimals */
    assert_int_equal(app->tasks.count, 5);
    assert_int_equal(t[0].bytes, 1028);
    assert_int_equal(t[1].memory, TRACE_PINNED);
    assert_int_equal(t[2].memory, TRACE_PAGEABLE);
    assert_int_equal(t[3].direction, TRACE_DEVICE_TO_DEVICE);
    assert_int_equal(t[4].kind, TRACE_KERNEL);
    assert_int_equal(app->stream_count, 2);
    assert_int_equal(c.summary.left_out, 1);
    assert_string_equal(c.summary.reasons.items[0].reason, "unified memory or other event");
    remove(file);
}

/* A copy printed as ending 0.4 ms into the memset behind it ends where that begins. */
TEST(copy_beyond_its_end) {
    case_write(file, HEADER "ms,ms,,,,,,,,B,B,MB,MB/s,,,,\n"
                            "10.0,2.4,,,,,,,,,,1,1," GPU "\"[CUDA memcpy HtoD]\"\n"
                            "12.0,0.1,,,,,,,,,,1,1," GPU "\"[CUDA memset]\"\n"
                            "13.0,0.1,1,1,1,32,1,1,8,0,0,,," GPU "\"k() [1]\"\n");
    CLOSED_BY(case_free)
    struct import_case c = case_import(import_format_nvprof.read, file, NULL, NULL);
    assert_int_equal(c.status, CT_OK);
    assert_int_equal(c.set.apps.items[0]->tasks.items[0].duration_ps, 2 * CT_PS_PER_MS);
    assert_true(case_said(&c.diags, CT_NOTICE, "test_nvprof.csv", "were cut there: 1"));
    remove(file);
}

#define METRIC(name, value)                                                                        \
    "\"GPU (0)\",\"back<a, b>(float*, int)\",1,\"" name "\",\"x\",0,0," value "\n"
#define METRICS_HEADER                                                                             \
    "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric "                              \
    "Description\",\"Min\",\"Max\",\"Avg\"\n"

TEST(metrics_attach_by_name) {
    case_write(file, trace);
    case_write(
        second,
        "==2== Metric result:\n" METRICS_HEADER METRIC("dram_read_throughput", "30.000000GB/s")
            METRIC("dram_write_throughput", "10240.0MB/s") METRIC("dram_utilization", "Mid (4)")
                METRIC("l2_utilization", "Low (2)") METRIC("issue_slot_utilization", "69.5%")
                    METRIC("single_precision_fu_utilization",
                           "Mid (6)") METRIC("double_precision_fu_utilization", "Low (1)")
                        METRIC("tex_fu_utilization", "Low (3)") METRIC("sm_efficiency", "95.0%")
                            METRIC("achieved_occupancy", "0.947150") METRIC("inst_executed", "1000")
                                METRIC("warp_execution_efficiency", "75.0%")
                                    METRIC("ecc_throughput",
                                           "<OVERFLOW>") "\"GPU (0)\",\"other()\",1,\"achieved_"
                                                         "occupancy\",\"x\",0,0,0.5\n");
    CLOSED_BY(case_free)
    struct import_case c = case_import(import_format_nvprof.read, file, second, NULL);
    assert_int_equal(c.status, CT_OK);
    assert_int_equal(c.summary.metrics_attached, 1);
    assert_int_equal(c.summary.metrics_unmatched, 1);
    const struct trace_app *app = c.set.apps.items[0];
    const struct trace_kernel *k = &app->kernels.items[app->tasks.items[1].kernel];
    assert_int_equal(k->demand_provenance, CT_MEASURED);
    assert_float_equal(k->metrics.dram_bytes_per_s, 40.0 * (1 << 30), 1);
    assert_float_equal(k->metrics.dram_read_share, 0.75, 1e-12);
    assert_true(
        isnan(k->metrics.dram_fraction)); /* the scale of 0 to 10 is coarser than the bytes */
    assert_float_equal(k->metrics.l2_fraction, 0.2, 1e-12);
    assert_float_equal(k->metrics.issue_slot_fraction, 0.695, 1e-12);
    assert_float_equal(k->metrics.unit_fraction, 0.6, 1e-12);
    assert_float_equal(k->metrics.fp32_fraction, 0.6, 1e-12);
    assert_float_equal(k->metrics.fp64_fraction, 0.1, 1e-12);
    assert_float_equal(k->metrics.sm_activity, 0.95, 1e-12);
    assert_float_equal(k->metrics.achieved_occupancy, 0.94715, 1e-12);
    assert_float_equal(k->metrics.instructions, 24000, 1e-9); /* 1000 warps' x 32 x 0.75 */
    assert_true(isnan(k->metrics.row_hit_rate));
    remove(file);
    remove(second);
}

static void refused(const char *content, const char *where, const char *text) {
    case_refused(import_format_nvprof.read, file, content, where, text);
}

#define ROW(grid, duration)                                                                        \
    HEADER "ms,ms,,,,,,,,B,B,MB,MB/s,,,,\n1," duration "," grid ",18,0,0,,," GPU "\"k() [1]\"\n"

TEST(mistakes) {
    refused("", "test_nvprof.csv", "holds no table of nvprof");
    refused("==1== ======== Error: no kernels were profiled\n", "test_nvprof.csv",
            "holds no table");
    refused(HEADER, "test_nvprof.csv:1", "the unit row under the header is missing");
    refused(HEADER "ms,ms,,,,,,,,B,B,MB,MB/s,,,,\n", "test_nvprof.csv", "the table has no rows");
    refused(HEADER "ms,parsec,,,,,,,,B,B,MB,MB/s,,,,\n", "test_nvprof.csv:2",
            "'parsec' is no unit of time in column 'Duration'");
    refused("\"Start\",\"Duration\",\"Name\"\nms,ms,\n", "test_nvprof.csv:1",
            "the trace has no column 'Grid X'");
    refused(ROW("0,1,1,32,1,1", "1"), "test_nvprof.csv:3",
            "the kernel has 0 thread blocks: its grid is 0 x 1 x 1");
    refused(ROW("1,1,1,1024,2,1", "1"), "test_nvprof.csv:3",
            "a thread block of 2048 threads is above the limit of 1024");
    refused(ROW("1,1,1,2048,1,1", "1"), "test_nvprof.csv:3", "the block of 2048 x 1 x 1 is above");
    refused(ROW("1,1,1,32,1,1", "-1"), "test_nvprof.csv:3", "the duration is negative");
    refused(ROW("1,1,1,many,1,1", "1"), "test_nvprof.csv:3",
            "'many' is no whole number in column 'Block X'");
    refused(ROW("1,1,1,32,1,1", "1") "2,1,1\n", "test_nvprof.csv:4",
            "the row has 3 fields where the header has 17: is the file cut off?");
    refused(METRICS_HEADER, "test_nvprof.csv", "the table has no rows");
    refused("\"Device\",\"Kernel\",\"Event Name\"\n", "test_nvprof.csv:1",
            "the table has no columns 'Metric Name' and 'Avg'");
}

/* Ten mistakes are enough: a file of another kind would fill the screen. */
TEST(mistakes_are_limited) {
    static const char row[] = "1,x,1,1,1,32,1,1,18,0,0,,," GPU "\"k()\"\n";
    char text[8192];
    size_t used =
        (size_t)snprintf(text, sizeof text, "%s", HEADER "ms,ms,,,,,,,,B,B,MB,MB/s,,,,\n");
    for (int i = 0; i < 40; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s", row);
    case_write(file, text);
    CLOSED_BY(case_free)
    struct import_case c = case_import(import_format_nvprof.read, file, NULL, NULL);
    assert_int_equal(c.diags.errors, 10);
    remove(file);
}

/*
 * Only beginnings that end between rows and hold a kernel can pass: behind each of the last four
 * rows, the last line's end left out because that is the whole file.
 */
TEST(truncations) {
    size_t size = strlen(trace);
    assert_int_equal(case_truncations(import_format_nvprof.read, file, trace, size), size - 7);
}

static int names_csv(const struct dirent *entry) {
    const char *end = strrchr(entry->d_name, '.');
    return end && strcmp(end, ".csv") == 0;
}

/* All recordings, each with its metrics: 13,737 rows and 166 kernels with metrics, counted by
 * another program. */
TEST(recordings) {
    char folder[512], path[1024], metrics[1024];
    struct dirent **names;
    uint64_t rows = 0, attached = 0, unmatched = 0;
    snprintf(folder, sizeof folder, "%s/../shared/data/nvprof/traces", COTENANT_SOURCE_DIR);
    int count = scandir(folder, &names, names_csv, alphasort);
    if (count < 0) {
        print_message("skipped: nvprof/traces is not there\n");
        return;
    }
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        snprintf(metrics, sizeof metrics, "%s/../metrics/metrics_%s", folder,
                 names[i]->d_name + strlen("traces_"));
        FILE *there = fopen(metrics, "rb");
        struct import_case c =
            case_import(import_format_nvprof.read, path, there ? metrics : NULL, NULL);
        assert_int_equal(c.status, CT_OK);
        rows += c.summary.kept;
        attached += c.summary.metrics_attached;
        unmatched += c.summary.metrics_unmatched;
        case_free(&c);
        if (there)
            fclose(there);
        free(names[i]);
    }
    free(names);
    assert_int_equal(count, 69);
    assert_int_equal(rows, 13737);
    assert_int_equal(attached, 11215); /* launches */
    assert_int_equal(unmatched, 0);
}
