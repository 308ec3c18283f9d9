/* Networks as JSON: sizes, operations, bytes, durations and grids by hand; published counts; files
 * that are refused. */
#include "cmocka_complete.h"
#include "ingest/network_trace.h"

#include <stdio.h>
#include <string.h>

static const char *const path = "test_network.json";

#define HEAD "{\"schema\": \"cotenant.network/1\", \"name\": \"net\", \"source\": \"hand\", "

struct network_case {
    struct network_file file;
    struct ct_arena arena;
    struct ct_diags diags;
    struct trace_set set;
};

static int read_text(struct network_case *c, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    *c = (struct network_case){0};
    int status = network_file_read(path, 0, &c->file, &c->arena, &c->diags);
    remove(path);
    return status;
}

static void case_free(struct network_case *c) {
    network_file_free(&c->file);
    ct_arena_free(&c->arena);
    ct_diags_free(&c->diags);
    trace_set_free(&c->set);
}

/* 10 GFLOP/s and 1 GB/s reached; copies at 1 GB/s after 1 us. */
static const struct network_roofline slow = {.gpu = "k40",
                                             .flops_per_s = 20e9,
                                             .dram_bytes_per_s = 2e9,
                                             .compute_efficiency = 0.5,
                                             .memory_efficiency = 0.5,
                                             .copy_bytes_per_s = 1e9,
                                             .copy_latency_s = 1e-6};

TEST(one_conv_and_one_linear) {
    CLOSED_BY(case_free) struct network_case c;
    assert_int_equal(
        read_text(&c, HEAD "\"batch\": 2, \"input\": [3, 10, 12], \"layers\": ["
                           "{\"kind\": \"conv\", \"name\": \"c\", \"in\": 3, \"out\": 80, "
                           "\"kernel\": 3, \"stride\": 2, \"pad\": 1},"
                           "{\"kind\": \"linear\", \"name\": \"f\", \"in\": 2400, \"out\": 100}]}"),
        CT_OK);
    /* 10 + 2 - 3 = 9 and 12 + 2 - 3 = 11 halved and one more: 5 x 6 */
    const struct network_layer *l = c.file.layers.items;
    assert_float_equal(l[0].macs, 2 * 80 * 5 * 6 * 27, 0);
    assert_float_equal(l[0].parameters, 80 * 28, 0);
    assert_float_equal(l[0].out_elements, 2 * 2400, 0);
    assert_float_equal(l[1].macs, 2 * 2400 * 100, 0);
    assert_float_equal(l[1].parameters, 2401 * 100, 0);

    assert_int_equal(network_trace(&c.file, &slow, NULL, path, &c.set, &c.diags), CT_OK);
    const struct trace_app *app = c.set.apps.items[0];
    const struct trace_task *t = app->tasks.items;
    assert_int_equal(app->tasks.count, 4);
    /* 720 numbers in: 2880 bytes at 1 GB/s */
    assert_int_equal(t[0].bytes, 2880);
    assert_int_equal(t[0].duration_ps, 3880 * CT_PS_PER_NS);
    /* 259,200 operations at 10 GFLOP/s = 25.92 us; (720 + 4800 + 2240) x 4 bytes = 31.04 us */
    assert_int_equal(t[1].duration_ps, 31040 * CT_PS_PER_NS);
    assert_int_equal(t[1].start_ps, 3880 * CT_PS_PER_NS);
    /* 960,000 operations = 96 us; (4800 + 200 + 240,100) x 4 bytes = 980.4 us */
    assert_int_equal(t[2].duration_ps, 980400 * CT_PS_PER_NS);
    /* 800 bytes out */
    assert_int_equal(t[3].bytes, 800);
    assert_int_equal(t[3].duration_ps, 1800 * CT_PS_PER_NS);
    assert_int_equal(app->jobs.items[0].recorded_ps, 1017120 * CT_PS_PER_NS);
    assert_int_equal(app->jobs.items[0].input_bytes, 2880);
    /* 60 x 80 and 2 x 100 results in tiles of 64 x 64 */
    const struct trace_kernel *k = app->kernels.items;
    assert_int_equal(trace_kernel_blocks(&k[0]), 2);
    assert_int_equal(trace_kernel_blocks(&k[1]), 2);
    assert_int_equal(trace_kernel_threads(&k[0]), 256);
    assert_float_equal(k[0].metrics.dram_bytes_per_s, 1e9, 1);
    assert_float_equal(k[0].metrics.unit_fraction, 259200 / 31.04e-6 / 20e9, 1e-9);
    assert_int_equal(k[0].demand_provenance, CT_DERIVED);
    assert_int_equal(k[0].geometry_provenance, CT_ASSUMED);
    assert_true(t[1].flags & TRACE_DURATION_ASSUMED);
    assert_int_equal(t[1].library_call, 1);
    assert_int_equal(t[2].library_call, 2);
    assert_string_equal(app->library_calls.items[1], "f");
}

TEST(recurrent_and_matmul) {
    CLOSED_BY(case_free) struct network_case c;
    assert_int_equal(
        read_text(&c, HEAD "\"batch\": 4, \"input\": [10, 7], \"layers\": ["
                           "{\"kind\": \"lstm\", \"name\": \"l\", \"out\": 10, \"repeat\": 2},"
                           "{\"kind\": \"gru\", \"name\": \"g\", \"out\": 5},"
                           "{\"kind\": \"matmul\", \"name\": \"m\", \"m\": 7, \"k\": 5, \"n\": 3},"
                           "{\"kind\": \"softmax\", \"name\": \"s\"}]}"),
        CT_OK);
    const struct network_layer *l = c.file.layers.items;
    assert_int_equal(c.file.layers.count, 5);
    assert_float_equal(l[0].macs, 4 * 7 * 4 * 10 * 20, 0);
    assert_float_equal(l[0].parameters, 4 * 10 * 21, 0);
    assert_float_equal(l[0].weight_reads, 7 * 4 * 10 * 21, 0);
    assert_false(l[0].again);
    assert_true(l[1].again);
    assert_float_equal(l[2].macs, 4 * 7 * 3 * 5 * 15, 0);
    assert_float_equal(l[3].macs, 4 * 7 * 3 * 5, 0);
    assert_float_equal(l[4].operations, 3 * 4 * 7 * 3, 0);
    assert_int_equal(network_trace(&c.file, &slow, "other", path, &c.set, &c.diags), CT_OK);
    const struct trace_app *app = c.set.apps.items[0];
    assert_string_equal(app->name, "other");
    assert_int_equal(app->kernels.count, 4); /* a repetition is a call of its own, no kernel */
    assert_int_equal(app->library_calls.count, 5);
}

/* Multiply-adds and parameters of the networks that ship, by other people's counts. */
TEST(published_counts) {
    static const struct {
        const char *name;
        double macs, parameters;
    } networks[] = {
        /* sums of the layers of bvlc_alexnet, two groups: 60,965,224 parameters, 724 M */
        {"alexnet", 724406816, 60965224},
        /* 61,706 with all maps of C3 connected */
        {"lenet5", 416520, 61706},
        /* configuration D: "138 million"; torchvision counts 138,357,544 */
        {"vgg16", 15470264320, 138357544},
        /* Tonic's, each with its file's batch, counted by hand: 548 frames of 440 x 2048 + 5 x 2048
         * x 2048 + 2048 x 1706; words of n x 300 + 300 x m; Caffe's LeNet, which has 431,080 */
        {"asr", 548.0 * 25366528, 25380522},
        {"pos", 28 * 103500, 103845},
        {"chk", 28 * 102600, 102942},
        {"ner", 28 * 117600, 117917},
        {"dig", 100 * 2293000, 431080},
        {"imc", 724406816, 60965224},
        {"face", 508121728, 109418734},
    };
    for (size_t i = 0; i < CT_COUNT_OF(networks); i++) {
        CLOSED_BY(case_free) struct network_case c = {0};
        char file[300];
        double macs = 0, parameters = 0;
        snprintf(file, sizeof file, COTENANT_SOURCE_DIR "/workloads/networks/%s.json",
                 networks[i].name);
        assert_int_equal(network_file_read(file, 0, &c.file, &c.arena, &c.diags), CT_OK);
        for (size_t k = 0; k < c.file.layers.count; k++) {
            macs += c.file.layers.items[k].macs;
            parameters += c.file.layers.items[k].macs > 0 ? c.file.layers.items[k].parameters : 0;
        }
        assert_float_equal(macs, networks[i].macs, 0);
        assert_float_equal(parameters, networks[i].parameters, 0);
    }
}

static void refused(const char *text, const char *where, const char *message) {
    CLOSED_BY(case_free) struct network_case c;
    assert_int_equal(read_text(&c, text), CT_USAGE);
    assert_int_equal(c.diags.count, 1);
    if (strcmp(c.diags.items[0].where, where) != 0 || !strstr(c.diags.items[0].text, message))
        fail_msg("'%s: %s' instead of '%s: %s'", c.diags.items[0].where, c.diags.items[0].text,
                 where, message);
}

#define LAYERS(...) HEAD "\"input\": [3, 8, 8], \"layers\": [" __VA_ARGS__ "]}"

TEST(mistakes) {
    refused("{}", "test_network.json", "key 'schema' is missing: it is 'cotenant.network/1'");
    refused(HEAD "\"input\": [0], \"layers\": []}", "test_network.json: input",
            "not the shape of an input");
    refused(LAYERS(""), "test_network.json: layers", "not an array of at least one layer");
    refused(LAYERS("5"), "test_network.json: layers[0]", "no object");
    refused(LAYERS("{\"name\": \"a\"}"), "test_network.json: layers[0].kind", "missing");
    refused(LAYERS("{\"kind\": \"pol\", \"name\": \"a\"}"), "test_network.json: layers[0].kind",
            "did you mean 'pool'?");
    refused(LAYERS("{\"kind\": \"linear\", \"name\": \"a\"}"), "test_network.json: layers[0].out",
            "missing: a layer of kind 'linear' needs it");
    refused(LAYERS("{\"kind\": \"linear\", \"name\": \"a\", \"out\": -4}"),
            "test_network.json: layers[0].out", "-4");
    refused(LAYERS("{\"kind\": \"linear\", \"name\": \"a\", \"out\": 4, \"kernel\": 3}"),
            "test_network.json: layers[0].kernel", "has no 'kernel'");
    refused(LAYERS("{\"kind\": \"conv\", \"name\": \"a\", \"out\": 4, \"kernel\": 9}"),
            "test_network.json: layers[0].kernel", "does not fit the 8 x 8 that 'input' gives");
    refused(LAYERS("{\"kind\": \"conv\", \"name\": \"a\", \"out\": 4, \"kernel\": 3, "
                   "\"groups\": 2}"),
            "test_network.json: layers[0].groups", "does not divide");
    refused(LAYERS("{\"kind\": \"softmax\", \"name\": \"a\"}, "
                   "{\"kind\": \"linear\", \"name\": \"b\", \"in\": 9, \"out\": 4}"),
            "test_network.json: layers[1].in", "takes 9, but 'a' gives 192");
    refused(LAYERS("{\"kind\": \"matmul\", \"name\": \"a\", \"m\": 2, \"n\": 2, \"k\": 2}"),
            "test_network.json: layers[0]", "m x k = 4 elements, but 'input' gives 192");
    refused(LAYERS("{\"kind\": \"gru\", \"name\": \"a\", \"out\": 2}"),
            "test_network.json: layers[0]", "needs a sequence");
}

TEST(too_long) {
    CLOSED_BY(case_free) struct network_case c;
    struct network_roofline crawling = slow;
    crawling.dram_bytes_per_s = 1e-3;
    assert_int_equal(read_text(&c, LAYERS("{\"kind\": \"softmax\", \"name\": \"a\"}")), CT_OK);
    assert_int_equal(network_trace(&c.file, &crawling, NULL, path, &c.set, &c.diags), CT_DATA);
    assert_non_null(strstr(c.diags.items[0].text, "more than 3600 s"));
}
