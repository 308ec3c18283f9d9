/* Recorded arrivals: exact times from ISO stamps and seconds. */
#include "workload/stamps_reader.h"

#include "unit/base/file_case.h"

static const char *const file = "test_stamps.csv";

struct stamps_case {
    struct ct_diags diags;
    struct ct_arena arena;
    struct stamps read;
    int status;
};

static struct stamps_case read_file(const char *path, const char *column) {
    struct stamps_case c = {0};
    c.status = stamps_read(path, column, &c.read, &c.arena, &c.diags);
    return c;
}

static struct stamps_case read_text(const char *text, const char *column) {
    case_write(file, text);
    struct stamps_case c = read_file(file, column);
    remove(file);
    return c;
}

static void free_case(struct stamps_case *c) {
    ct_diags_free(&c->diags);
    ct_arena_free(&c->arena);
}

TEST(iso_stamps) {
    /* over midnight, a leap day and a year's end; 2024-02-28 to 2024-03-01 are two days */
    CLOSED_BY(free_case)
    struct stamps_case c = read_text("TIMESTAMP,n\r\n"
                                     "2023-12-31 23:59:59.9999999,1\r\n"
                                     "2024-01-01T00:00:00.000000000001Z,1\r\n"
                                     "2024-02-28 00:00:00,1\r\n"
                                     "2024-03-01 01:00:00+01:00,1\r\n",
                                     "TIMESTAMP");
    assert_int_equal(c.status, CT_OK);
    assert_int_equal(c.read.count, 4);
    assert_int_equal(c.read.times[0], 0);
    assert_int_equal(c.read.times[1], 100001);
    const ct_time_ps day = 86400 * CT_PS_PER_S;
    assert_int_equal(c.read.times[2],
                     58 * day + 100000); /* January has 31 days, February 27 before it */
    assert_int_equal(c.read.times[3] - c.read.times[2], 2 * day);
    assert_int_equal(c.read.span_ps, c.read.times[3]);
    assert_int_equal(c.diags.count, 0);
}

TEST(seconds) {
    CLOSED_BY(free_case)
    struct stamps_case c =
        read_text("n,t\n1,1700000000.25\n2,1700000000.2500001\n3,1700000007\n", "t");
    assert_int_equal(c.status, CT_OK);
    assert_int_equal(c.read.times[1], 100000);
    assert_int_equal(c.read.times[2], INT64_C(6750000000000));
    free_case(&c);

    c = read_text("t\n-0.75\n-0.5\n1\n", "t");
    assert_int_equal(c.status, CT_OK);
    assert_int_equal(c.read.times[1], CT_PS_PER_S / 4);
    assert_int_equal(c.read.times[2], 7 * CT_PS_PER_S / 4);
}

/* As programs write small numbers and large ones. */
TEST(seconds_with_an_exponent) {
    CLOSED_BY(free_case)
    struct stamps_case c = read_text("t\n-2.5E-1\n0.0\n5.883e-06\n+0.5\n1e2\n", "t");
    assert_int_equal(c.status, CT_OK);
    assert_int_equal(c.read.times[1], CT_PS_PER_S / 4);
    assert_int_equal(c.read.times[2], CT_PS_PER_S / 4 + 5883000);
    assert_int_equal(c.read.times[3], 3 * CT_PS_PER_S / 4);
    assert_int_equal(c.read.times[4], 100 * CT_PS_PER_S + CT_PS_PER_S / 4);
    free_case(&c);

    c = read_text("t\n0\n0.9999999999999e0\n", "t"); /* rounded up */
    assert_int_equal(c.status, CT_OK);
    assert_int_equal(c.read.times[1], CT_PS_PER_S);
}

TEST(unsorted_is_sorted_with_a_notice) {
    CLOSED_BY(free_case) struct stamps_case c = read_text("t\n3\n1\n2.5\n", "t");
    assert_int_equal(c.status, CT_OK);
    assert_int_equal(c.read.times[0], 0);
    assert_int_equal(c.read.times[1], 3 * CT_PS_PER_S / 2);
    assert_int_equal(c.read.span_ps, 2 * CT_PS_PER_S);
    assert_true(case_said(&c.diags, CT_NOTICE, "test_stamps.csv", "sorted"));
}

static void refused(const char *text, const char *where, const char *message) {
    CLOSED_BY(free_case) struct stamps_case c = read_text(text, "TIMESTAMP");
    assert_int_equal(c.status, CT_DATA);
    assert_int_equal(c.read.count, 0);
    assert_true(case_said(&c.diags, CT_ERROR, where, message));
}

TEST(mistakes) {
    refused("TIMESTMP,a\n1,2\n", "test_stamps.csv:1",
            "has no column 'TIMESTAMP', did you mean 'TIMESTMP'?");
    refused("a,b\n1,2\n", "test_stamps.csv:1", "has no column 'TIMESTAMP'; there are: a, b");
    refused("", "test_stamps.csv", "is empty");
    refused("TIMESTAMP\n", "test_stamps.csv", "holds no time stamps");
    refused("TIMESTAMP\n1\n2023-02-29 00:00:00\n", "test_stamps.csv:3",
            "'2023-02-29 00:00:00' is neither");
    refused("TIMESTAMP\n2023-11-16 24:00:00\n", "test_stamps.csv:2", "is neither");
    refused("TIMESTAMP\n2023-11-16 18:17:03.\n", "test_stamps.csv:2", "is neither");
    refused("TIMESTAMP\n1\n2023-11-16 18:17:03\n", "test_stamps.csv:3",
            "mixes seconds and time stamps");
    refused("TIMESTAMP,b\n1,2\n1\n", "test_stamps.csv:3", "has 1 fields where the header has 2");
    refused("TIMESTAMP\n1e\n", "test_stamps.csv:2", "'1e' is neither");
    refused("TIMESTAMP\n1e30\n", "test_stamps.csv:2", "is neither");
    refused("TIMESTAMP\n1e999\n", "test_stamps.csv:2", "is neither");
    refused("TIMESTAMP\n0\n9300000\n", "test_stamps.csv", "span more than 106 days");
}

/* The counts and spans that the recordings' publishers give (19,366 requests in 3502 s; 8,819). */
TEST(azure) {
    char path[512];
    if (!case_data("arrivals/AzureLLMInferenceTrace_conv.csv", path, sizeof path))
        return;
    CLOSED_BY(free_case) struct stamps_case c = read_file(path, "TIMESTAMP");
    assert_int_equal(c.status, CT_OK);
    assert_int_equal(c.read.count, 19366);
    assert_int_equal(c.read.span_ps / CT_PS_PER_S, 3501);
    assert_int_equal(c.read.times[1],
                     INT64_C(4314579000000)); /* 18:15:50.9951690 - 18:15:46.6805900 */
    free_case(&c);
    c = read_file(case_data("arrivals/AzureLLMInferenceTrace_code.csv", path, sizeof path),
                  "TIMESTAMP");
    assert_int_equal(c.read.count, 8819);
}

static struct stamps_case read_server(const char *text) {
    case_write(file, text);
    struct stamps_case c = {0};
    c.status = stamps_read_server(file, &c.read, &c.arena, &c.diags);
    remove(file);
    return c;
}

/* As Triton 2.x writes it: a record that names the model, another one with the stamps; a request of
 * an ensemble counts once. */
TEST(triton_trace) {
    CLOSED_BY(free_case)
    struct stamps_case c = read_server(
        "[{\"id\":1,\"model_name\":\"a\",\"model_version\":1},"
        "{\"id\":1,\"timestamps\":[{\"name\":\"HTTP_RECV_START\",\"ns\":2259961222771000},"
        "{\"name\":\"REQUEST_START\",\"ns\":2259961222771924}]},"
        "{\"id\":2,\"model_name\":\"b\",\"parent_id\":1},"
        "{\"id\":2,\"timestamps\":[{\"name\":\"REQUEST_START\",\"ns\":2259961222772000}]},"
        "{\"id\":3,\"timestamps\":[{\"name\":\"REQUEST_START\",\"ns\":2259962222771925}]}]");
    assert_int_equal(c.status, CT_OK);
    assert_int_equal(c.read.count, 2);
    assert_true(c.read.times[0] == 0 && c.read.times[1] == CT_PS_PER_S + CT_PS_PER_NS);
    free_case(&c);
    c = read_server("[{\"id\":1,");
    assert_int_equal(c.status, CT_DATA);
}

/* Lines as several versions of vLLM write them; a prompt may hold anything. */
TEST(vllm_log) {
    CLOSED_BY(free_case)
    struct stamps_case c = read_server(
        "INFO 02-28 23:59:59 async_llm_engine.py:436] Received request cmpl-1-0: prompt: None\n"
        "INFO:     10.80.23.18:51408 - \"POST /v1/completions HTTP/1.1\" 200 OK\n"
        "(APIServer pid=9) INFO 02-29 00:00:01 [logger.py:49] Received request chatcmpl-a: params\n"
        "INFO 02-29 00:00:01 [async_llm.py:382] Added request chatcmpl-a.\n"
        "INFO 02-29 00:00:02 [loggers.py:257] Engine 000: Running: 0 reqs\n");
    assert_int_equal(c.status, CT_OK);
    assert_int_equal(c.read.count, 2);
    assert_true(c.read.times[1] == 2 * CT_PS_PER_S);
    assert_int_equal(c.diags.count, 1); /* whole seconds */
    assert_true(!c.read.columns[0] && !c.read.columns[1]);
    free_case(&c);
    c = read_server("seconds\n1\n2\n");
    assert_int_equal(c.status, CT_DATA);
}

/* The prompt's ids are counted, not what a prompt says of ids; what one line lacks is not told. */
TEST(vllm_tokens) {
    const char *ids =
                   "INFO 10-01 18:43:27 logger.py:36] Received request a: prompt: "
                   "'prompt_token_ids: [1, 2, 3, 4], max_tokens=9', params: SamplingParams(n=1, "
                   "ignore_eos=False, max_tokens=16, min_tokens=0), prompt_token_ids: [9707, 11], "
                   "lora_request: None.\n"
                   "INFO 10-01 18:43:26 async_llm_engine.py:431] Received request b: prompt: None, "
                   "sampling params: SamplingParams(n=1, max_tokens=5), prompt token ids: [7], "
                   "lora_request: None.\n",
               *none = "INFO 10-01 18:43:28 [logger.py:49] Received request c: prompt: "
                       "'prompt_token_ids: [1]', params: "
                       "SamplingParams(n=1, max_tokens=100, min_tokens=0), lora_request: None.\n";
    char all[1024];
    CLOSED_BY(free_case) struct stamps_case c = read_server(ids);
    assert_int_equal(c.status, CT_OK);
    assert_string_equal(c.read.columns[0], "prompt_tokens");
    assert_string_equal(c.read.columns[1], "max_tokens");
    assert_true(c.read.numbers[0][0] == 1 &&
                c.read.numbers[0][1] == 2); /* sorted with their stamps */
    assert_true(c.read.numbers[1][0] == 5 && c.read.numbers[1][1] == 16);
    free_case(&c);
    snprintf(all, sizeof all, "%s%s", ids, none);
    c = read_server(all);
    assert_true(c.read.count == 3 && !c.read.columns[0] && c.read.numbers[1][2] == 100);
}
