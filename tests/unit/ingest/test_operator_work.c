/* What operators move and compute, against numbers computed by hand: elements of all inputs, once,
 * and of all results. */
#include "cmocka_complete.h"
#include "ingest/kineto_events.h"
#include "ingest/operator_work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct row {
    const char *name, *sizes, *types,
        *concrete; /* lists as in the file; types are letters, see below; concrete NULL */
    double read, written, operations;
    const char *strides; /* NULL: not recorded */
};

/* h: half, f: float, d: double, l: long, b: bool, c: unsigned char, S: a number, T: a list of
 * tensors, N: nothing. */
static const struct row rows[] = {
    {"mm", "[8,16],[16,4]", "ff", NULL, 768, 128, 1024, NULL},
    {"bmm", "[3,8,16],[3,16,4]", "hh", NULL, 1152, 192, 3072, NULL},
    {"matmul", "[8,16],[16,4]", "ff", NULL, 768, 128, 1024, NULL},
    {"addmm", "[4],[8,16],[16,4],[],[]", "fffSS", NULL, 784, 128, 1024, NULL},
    {"_addmm_activation", "[4],[8,16],[16,4],[],[],[]", "fffSSS", NULL, 784, 128, 1024, NULL},
    {"addmm", "[8,4],[8,16],[16,4],[],[]", "fffSS", NULL, 784, 128, 1024,
     "[0,1],[16,1],[4,1],[],[]"},
    {"baddbmm", "[3,8,4],[3,8,16],[3,16,4],[],[]", "fffSS", NULL, 2688, 384, 3072, NULL},
    {"linear", "[2,8,16],[4,16],[4]", "fff", NULL, 1296, 256, 2048, NULL},
    {"mm", "[8,16],[15,4]", "ff", NULL, 0, 0, 0, NULL},

    {"cudnn_convolution", "[2,3,8,8],[4,3,3,3],[],[],[],[],[],[],[]", "ffSSSSSSS",
     "'','','[1, 1]','[2, 2]','[1, 1]','1','False','False','True'", 1968, 512, 6912, NULL},
    {"cudnn_convolution", "[2,3,8,8],[4,3,3,3],[],[],[],[],[],[],[]", "ffSSSSSSS",
     "'','','[0, 0]','[1, 1]','[2, 2]','1','False','False','True'", 1968, 512, 6912, NULL},
    {"cudnn_convolution", "[2,4,8,8],[4,2,3,3],[],[],[],[],[],[],[]", "ffSSSSSSS",
     "'','','[1, 1]','[2, 2]','[1, 1]','2','False','False','True'", 2336, 512, 4608, NULL},
    {"cudnn_convolution", "[2,3,8,8],[4,3,1,1],[],[],[],[],[],[],[]", "ffSSSSSSS",
     "'','','[0, 0]','[2, 2]','[1, 1]','1','False','False','True'", 432, 512, 768, NULL},
    {"cudnn_convolution", "[2,3,8,8],[4,3,3,3],[],[],[],[],[],[],[]", "ffSSSSSSS", NULL, 0, 0, 0,
     NULL},
    {"cudnn_convolution", "[2,3,8,8],[4,3,3,3],[],[],[],[],[],[],[]", "ffSSSSSSS",
     "'','','[1, 1]','[0, 0]','[1, 1]','1','False','False','True'", 0, 0, 0, NULL},
    {"cudnn_convolution_relu", "[2,3,8,8],[4,3,3,3],[4],[],[],[],[]", "fffSSSS",
     "'','','','[2, 2]','[1, 1]','[1, 1]','1'", 1984, 512, 6912, NULL},
    {"cudnn_convolution_add_relu", "[2,3,8,8],[4,3,3,3],[2,4,4,4],[],[4],[],[],[],[]", "fffSfSSSS",
     "'','','','1','','[2, 2]','[1, 1]','[1, 1]','1'", 2496, 512, 6912, NULL},
    {"miopen_convolution", "[2,3,8,8],[4,3,3,3],[4],[],[],[],[],[],[]", "fffSSSSSS",
     "'','','','[1, 1]','[2, 2]','[1, 1]','1','False','False'", 1984, 512, 6912, NULL},
    {"_conv_depthwise2d", "[2,4,8,8],[4,1,3,3],[],[4],[],[],[]", "ffSfSSS",
     "'','','[3, 3]','','[2, 2]','[1, 1]','[1, 1]'", 2208, 512, 2304, NULL},
    {"convolution_backward", "[2,4,4,4],[2,3,8,8],[4,3,3,3],[],[],[],[],[],[],[],[]", "fffSSSSSSSS",
     "'','','','[4]','[2, 2]','[1, 1]','[1, 1]','False','[0, 0]','1','[True, True, True]'", 2480,
     1968, 13824, NULL},
    {"convolution_backward", "[2,4,4,4],[2,3,8,8],[4,3,3,3],[],[],[],[],[],[],[],[]", "fffSSSSSSSS",
     "'','','','[4]','[2, 2]','[1, 1]','[1, 1]','False','[0, 0]','1','[False, True, False]'", 2048,
     432, 6912, NULL},
    {"convolution_backward", "[2,4,4,4],[2,3,8,8],[4,3,3,3],[],[],[],[],[],[],[],[]", "fffSSSSSSSS",
     "'','','','[4]','[2, 2]','[1, 1]','[1, 1]','False','[0, 0]','1','[True, False, False]'", 944,
     1536, 6912, NULL},
    {"cudnn_convolution_backward", "[2,3,8,8],[2,4,4,4],[4,3,3,3],[],[],[],[],[],[],[],[]",
     "fffSSSSSSSS", NULL, 2480, 1968, 13824, NULL},

    {"max_pool2d_with_indices", "[2,3,8,8],[],[],[],[],[]", "fSSSSS",
     "'','[2, 2]','[2, 2]','[0, 0]','[1, 1]','False'", 1536, 1152, 0, NULL},
    {"max_pool2d_with_indices", "[2,3,8,8],[],[],[],[],[]", "fSSSSS",
     "'','[2, 2]','[]','[0, 0]','[1, 1]','False'", 1536, 1152, 0, NULL},
    {"max_pool2d_with_indices", "[2,3,8,8],[],[],[],[],[]", "fSSSSS",
     "'','[2, 2]','[]','[0, 0]','[1, 1]','True'", 0, 0, 0, NULL},
    {"avg_pool2d", "[2,3,8,8],[],[],[],[],[],[]", "fSSSSSN",
     "'','[3, 3]','[1, 1]','[1, 1]','False','True',''", 1536, 1536, 0, NULL},
    {"max_pool2d_with_indices_backward", "[2,3,4,4],[2,3,8,8],[],[],[],[],[],[2,3,4,4]", "ffSSSSSl",
     NULL, 1152, 1536, 0, NULL},
    {"avg_pool2d_backward", "[2,3,4,4],[2,3,8,8],[],[],[],[],[],[]", "ffSSSSSS", NULL, 384, 1536, 0,
     NULL},
    {"_adaptive_avg_pool2d_backward", "[2,3,4,4],[2,3,8,8]", "ff", NULL, 384, 1536, 0, NULL},

    {"_flash_attention_forward", "[2,10,3,4],[2,10,3,4],[2,10,3,4],[],[],[],[],[],[],[]",
     "hhhNNSSSSS", "'','','','','','10','10','0.','False','False'", 1440, 720, 9600, NULL},
    {"_flash_attention_forward", "[2,10,3,4],[2,10,3,4],[2,10,3,4],[],[],[],[],[],[],[]",
     "hhhNNSSSSS", "'','','','','','10','10','0.','True','False'", 1440, 720, 5280, NULL},
    {"_flash_attention_forward", "[2,10,3,4],[2,10,3,4],[2,10,3,4],[],[],[],[],[],[],[]",
     "hhhNNSSSSS", NULL, 1440, 720, 0, NULL},
    {"_efficient_attention_forward",
     "[2,10,3,4],[2,10,3,4],[2,10,3,4],[2,3,10,10],[],[],[],[],[],[]", "hhhhNNSSSS",
     "'','','','','','','10','10','0.','0'", 2640, 720, 9600, NULL},
    {"_efficient_attention_forward", "[2,10,3,4],[2,10,3,4],[2,10,3,4],[],[],[],[],[],[],[]",
     "hhhNNNSSSS", "'','','','','','','10','10','0.','1'", 1440, 720, 5280, NULL},
    {"_scaled_dot_product_cudnn_attention", "[2,3,10,4],[2,3,10,4],[2,3,10,4],[],[],[],[]",
     "hhhNSSS", "'','','','','True','0.','True'", 1440, 720, 5280, NULL},
    {"_flash_attention_backward", "[2,10,3,4],[2,10,3,4],[2,10,3,4],[2,10,3,4],[2,10,3,4],[2,3,10]",
     "hhhhhf", NULL, 2640, 1440, 0, NULL},
    {"_efficient_attention_backward",
     "[2,10,3,4],[2,10,3,4],[2,10,3,4],[2,10,3,4],[],[2,10,3,4],[],[],[],[],[2,3,10]",
     "hhhhNhNNSSf", NULL, 2640, 1440, 0, NULL},
    {"_scaled_dot_product_cudnn_attention_backward",
     "[2,3,10,4],[2,3,10,4],[2,3,10,4],[2,3,10,4],[2,3,10,4],[2,3,10]", "hhhhhf", NULL, 2640, 1440,
     0, NULL},

    {"native_layer_norm", "[4,6],[],[6],[6],[]", "hShhS", "'','[6]','','','1e-05'", 72, 80, 0,
     NULL},
    {"native_layer_norm", "[4,6],[],[6],[6],[]", "hShhS", NULL, 72, 80, 0, NULL},
    {"native_layer_norm", "[4,6],[],[],[],[]", "hSNNS", NULL, 0, 0, 0, NULL},
    {"_fused_rms_norm", "[4,6],[],[6],[]", "hShS", "'','[6]','','1e-05'", 60, 64, 0, NULL},
    {"native_batch_norm", "[2,3,4,4],[3],[3],[3],[3],[],[],[]", "fffffSSS",
     "'','','','','','True','0.1','1e-05'", 432, 432, 0, NULL},
    {"_native_batch_norm_legit", "[2,3,4,4],[3],[3],[3],[3],[],[],[]", "fffffSSS",
     "'','','','','','False','0.1','1e-05'", 432, 384, 0, NULL},
    {"cudnn_batch_norm", "[2,3,4,4],[3],[3],[3],[3],[],[],[]", "fffffSSS", NULL, 432, 432, 0, NULL},
    {"miopen_batch_norm", "[2,3,4,4],[3],[3],[3],[3],[],[],[]", "fffffSSS", NULL, 432, 432, 0,
     NULL},
    {"native_group_norm", "[2,6,4],[6],[6],[],[],[],[],[]", "fffSSSSS",
     "'','','','2','6','4','3','1e-05'", 240, 240, 0, NULL},
    {"native_layer_norm_backward", "[4,6],[4,6],[],[4,1],[4,1],[6],[6],[]", "ffSffffS", NULL, 248,
     144, 0, NULL},
    {"native_batch_norm_backward", "[2,3,4,4],[2,3,4,4],[3],[3],[3],[3],[3],[],[],[]", "fffffffSSS",
     NULL, 804, 408, 0, NULL},
    {"cudnn_batch_norm_backward", "[2,3,4,4],[2,3,4,4],[3],[3],[3],[3],[3],[],[8]", "fffffffSc",
     NULL, 812, 408, 0, NULL},
    {"miopen_batch_norm_backward", "[2,3,4,4],[2,3,4,4],[3],[3],[3],[3],[3],[]", "fffffffS", NULL,
     804, 408, 0, NULL},
    {"native_group_norm_backward", "[2,6,4],[2,6,4],[2,3],[2,3],[6],[],[],[],[],[]", "fffffSSSSS",
     NULL, 456, 240, 0, NULL},

    {"_softmax", "[4,6],[],[]", "hSS", "'','-1','False'", 48, 48, 24, NULL},
    {"_softmax", "[4,6],[],[]", "hSS", "'','-1','True'", 48, 96, 24, NULL},
    {"_log_softmax", "[4,6],[],[]", "fSS", NULL, 96, 96, 24, NULL},
    {"_softmax_backward_data", "[4,6],[4,6],[],[]", "hhSS", NULL, 96, 48, 0, NULL},
    {"_log_softmax_backward_data", "[4,6],[4,6],[],[4,6]", "ffSf", NULL, 192, 96, 0, NULL},

    {"sum", "[4,6],[],[],[]", "fSSN", "'','[1]','False',''", 96, 16, 24, NULL},
    {"sum", "[4,6],[]", "fN", "'',''", 96, 4, 24, NULL},
    {"sum", "[4,6],[],[],[]", "bSSN", "'','[0]','False',''", 24, 48, 24, NULL},
    {"sum", "[4,6],[],[],[]", "fSSN", NULL, 0, 0, 0, NULL},
    {"mean", "[4,6],[],[],[]", "hSSN", "'','[-1]','True',''", 48, 8, 24, NULL},
    {"prod", "[4,6],[],[],[]", "fSSN", "'','0','False',''", 96, 24, 24, NULL},
    {"amax", "[4,6],[],[]", "fSS", "'','[0, 1]','False'", 96, 4, 24, NULL},
    {"amin", "[4,6],[],[]", "fSS", "'','[]','False'", 96, 4, 24, NULL},
    {"max", "[4,6],[],[]", "fSS", "'','1','False'", 96, 48, 24, NULL},
    {"max", "[4,6]", "f", NULL, 96, 4, 24, NULL},
    {"min", "[4,6],[4,6]", "ff", NULL, 192, 96, 24, NULL},
    {"argmax", "[4,6],[],[]", "fSS", "'','1','False'", 96, 32, 24, NULL},
    {"argmin", "[4,6],[],[]", "fNS", "'','','False'", 96, 8, 24, NULL},
    {"all", "[4,6]", "b", NULL, 24, 1, 24, NULL},
    {"any", "[4,6],[],[]", "bSS", "'','1','False'", 24, 4, 24, NULL},
    {"linalg_vector_norm", "[4,6],[],[],[],[]", "fSSSN", "'','2','[1]','False',''", 96, 16, 24,
     NULL},

    {"index_select", "[100,8],[],[5]", "hSl", "'','0',''", 120, 80, 0, NULL},
    {"index_select", "[100,8],[],[300]", "hSl", "'','0',''", 4000, 4800, 0, NULL},
    {"index_select", "[100,8],[],[5]", "hSl", "'','-1',''", 1040, 1000, 0, NULL},
    {"embedding", "[100,8],[2,3],[],[],[]", "hlSSS", NULL, 144, 96, 0, NULL},
    {"copy_", "[4,6],[4,6],[]", "fhS", NULL, 48, 96, 0, NULL},
    {"copy_", "[4,6],[4,6],[]", "ffS", NULL, 24, 96, 0, "[6,1],[0,1],[]"},
    {"fill_", "[4,6],[]", "fS", NULL, 0, 96, 0, NULL},
    {"zero_", "[4,6]", "f", NULL, 0, 96, 0, NULL},
    {"native_dropout", "[4,6],[],[]", "fSS", NULL, 96, 120, 0, NULL},

    {"add", "[4,6],[6],[]", "hhS", NULL, 60, 48, 24, NULL},
    {"add", "[4,1],[1,6],[]", "ffS", NULL, 40, 96, 24, NULL},
    {"add", "[4,6],[4,6],[]", "hfS", NULL, 144, 96, 24, NULL},
    {"add", "[4,6],[4,6],[],[0]", "ffSf", NULL, 192, 96, 24, NULL},
    {"add_", "[4,6],[6],[]", "hhS", NULL, 60, 48, 24, NULL},
    {"mul", "[4,6],[]", "hd", NULL, 48, 48, 24, NULL},
    {"mul", "[4,6],[]", "ld", NULL, 192, 192, 24, NULL},
    {"clamp_min", "[4,6],[],[4,6]", "fSf", NULL, 96, 96, 24, NULL},
    {"where", "[4,6],[4,6],[6]", "bff", NULL, 144, 96, 24, NULL},
    {"eq", "[4,6],[]", "lS", NULL, 192, 24, 24, NULL},
    {"threshold_backward", "[4,6],[4,6],[]", "ffS", NULL, 192, 96, 24, NULL},

    {"add", "[4,6],[6],[]", "?hS", NULL, 0, 0, 0, NULL},
    {"cat", "[[4,6],[4,6]],[]", "TS", NULL, 0, 0, 0, NULL},
    {"add", "[1,1,1,1,1,1,1,1,9],[6],[]", "hhS", NULL, 0, 0, 0, NULL},
    {"view", "[4,6],[]", "fS", NULL, 0, 0, 0, NULL},
};

static const char *type_name(char letter) {
    static const char *const names[] = {"hc10::Half", "ffloat",         "ddouble", "llong int",
                                        "bbool",      "cunsigned char", "SScalar", "TTensorList",
                                        "N",          "?quantised"};
    for (size_t i = 0; i < CT_COUNT_OF(names); i++)
        if (names[i][0] == letter)
            return names[i] + 1;
    return "";
}

/* The lists as JSON, in the order in which profilers write them. */
static void describe(const struct row *row, char *text, size_t size) {
    char types[400] = "", concrete[400] = "";
    for (const char *c = row->types; *c; c++)
        snprintf(types + strlen(types), sizeof types - strlen(types), "%s\"%s\"",
                 c == row->types ? "" : ",", type_name(*c));
    snprintf(concrete, sizeof concrete, "%s", row->concrete ? row->concrete : "");
    for (char *c = concrete; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    snprintf(text, size,
             "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::%s\",\"ts\":1,"
             "\"dur\":2,\"args\":{"
             "%s%s%s\"Input type\":[%s],%s%s%s\"Input Dims\":[%s],\"External id\":7}}]}",
             row->name, row->concrete ? "\"Concrete Inputs\":[" : "", concrete,
             row->concrete ? "]," : "", types, row->strides ? "\"Input Strides\":[" : "",
             row->strides ? row->strides : "", row->strides ? "]," : "", row->sizes);
}

struct seen {
    struct operator_work does;
    int64_t external_id;
};

static bool take(void *context, const struct kineto_event *event) {
    struct seen *seen = context;
    seen->does = operator_work(event->name, event->inputs);
    seen->external_id = event->external_id;
    return true;
}

static struct seen read_text(const char *text) {
    char path[] = "/tmp/cotenant_operator_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    struct seen seen = {0};
    struct ct_diags diags = {0};
    struct kineto_reader reader = {.context = &seen, .event = take};
    assert_int_equal(kineto_read(path, &reader, &diags), CT_OK);
    ct_diags_free(&diags);
    unlink(path);
    return seen;
}

TEST(each_row_is_as_computed_by_hand) {
    size_t wrong = 0;
    for (size_t i = 0; i < CT_COUNT_OF(rows); i++) {
        char text[2000];
        describe(&rows[i], text, sizeof text);
        struct seen seen = read_text(text);
        const struct import_work *work = &seen.does.work;
        assert_int_equal(seen.external_id, 7); /* what follows the lists is read */
        if (work->read_bytes != rows[i].read || work->written_bytes != rows[i].written ||
            work->operations != rows[i].operations) {
            print_error("row %zu, %s: %g read, %g written, %g operations\n", i, rows[i].name,
                        work->read_bytes, work->written_bytes, work->operations);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

static const char *const element_names[] = {"sub",
                                            "rsub",
                                            "div",
                                            "fmod",
                                            "remainder",
                                            "pow",
                                            "atan2",
                                            "maximum",
                                            "minimum",
                                            "addcmul",
                                            "addcdiv",
                                            "lerp",
                                            "masked_fill",
                                            "bitwise_and",
                                            "bitwise_or",
                                            "bitwise_xor",
                                            "bitwise_not",
                                            "neg",
                                            "abs",
                                            "sign",
                                            "exp",
                                            "expm1",
                                            "log",
                                            "log1p",
                                            "sqrt",
                                            "rsqrt",
                                            "reciprocal",
                                            "sin",
                                            "cos",
                                            "tanh",
                                            "erf",
                                            "floor",
                                            "ceil",
                                            "round",
                                            "clamp",
                                            "clamp_max",
                                            "threshold",
                                            "relu",
                                            "leaky_relu",
                                            "elu",
                                            "gelu",
                                            "silu",
                                            "mish",
                                            "sigmoid",
                                            "softplus",
                                            "hardtanh",
                                            "hardswish",
                                            "hardsigmoid",
                                            "leaky_relu_backward",
                                            "gelu_backward",
                                            "silu_backward",
                                            "sigmoid_backward",
                                            "tanh_backward",
                                            "hardtanh_backward",
                                            "hardswish_backward",
                                            "native_dropout_backward",
                                            "tril",
                                            "triu",
                                            "flip",
                                            "roll",
                                            "cumsum",
                                            "relu_",
                                            "exp_",
                                            "masked_fill_"};
static const char *const test_names[] = {"ne",          "lt",         "le",         "gt",
                                         "ge",          "isnan",      "isinf",      "logical_not",
                                         "logical_and", "logical_or", "logical_xor"};

/* One input in, as much out. */
TEST(names_work_element_by_element) {
    for (size_t i = 0; i < CT_COUNT_OF(element_names) + CT_COUNT_OF(test_names); i++) {
        bool test = i >= CT_COUNT_OF(element_names);
        struct row row = {.name =
                              test ? test_names[i - CT_COUNT_OF(element_names)] : element_names[i],
                          .sizes = "[4,6]",
                          .types = "f"};
        char text[2000];
        describe(&row, text, sizeof text);
        struct operator_work does = read_text(text).does;
        if (does.work.read_bytes != 96 || does.work.written_bytes != (test ? 24 : 96) ||
            does.work.operations != 24)
            fail_msg("%s: %g read, %g written", row.name, does.work.read_bytes,
                     does.work.written_bytes);
    }
}

TEST(products_are_told_from_the_rest) {
    for (size_t i = 0; i < CT_COUNT_OF(rows); i++) {
        char text[2000];
        describe(&rows[i], text, sizeof text);
        bool product = rows[i].operations > 24 && !strstr(rows[i].name, "attention");
        assert_int_equal(read_text(text).does.product, product);
    }
}

/* Lists that no profiler writes do no harm. */
TEST(odd_lists_say_nothing) {
    static const char *const lists[] = {
        "\"Input Dims\":5",
        "\"Input Dims\":[]",
        "\"Input Dims\":[[[[4]]]]",
        "\"Input Dims\":[{\"a\":[4]},3],\"Input type\":[\"float\"]",
        "\"Input Dims\":[null,true],\"Input type\":[\"float\",\"float\"]",
        "\"Input type\":[\"float\"],\"Input Strides\":[[1]]",
        "\"Input Dims\":[[-4,1.5e300]],\"Input type\":[[\"float\"]]"};
    for (size_t i = 0; i < CT_COUNT_OF(lists); i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::relu\","
                 "\"ts\":1,\"dur\":2,"
                 "\"args\":{%s,\"External id\":7}}]}",
                 lists[i]);
        struct seen seen = read_text(text);
        assert_int_equal(seen.external_id, 7);
        assert_true(seen.does.work.read_bytes + seen.does.work.written_bytes == 0);
    }
}
