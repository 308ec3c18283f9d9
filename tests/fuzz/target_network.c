#include "fuzz.h"
#include "ingest/network_trace.h"

static const struct network_roofline roofline = {.gpu = "v100",
                                                 .flops_per_s = 1.4e13,
                                                 .dram_bytes_per_s = 9e11,
                                                 .compute_efficiency = 0.5,
                                                 .memory_efficiency = 0.7,
                                                 .copy_bytes_per_s = 6e9,
                                                 .copy_latency_s = 1e-5};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ct_diags diags = {0};
    struct ct_arena arena = {0};
    struct network_file file = {0};
    struct trace_set set = {0};
    int status = network_file_read(fuzz_file("net.json", data, size), 0, &file, &arena, &diags);
    fuzz_judge(status, &diags);
    if (status == CT_OK) {
        status = network_trace(&file, &roofline, NULL, "net.json", &set, &diags);
        fuzz_judge(status, &diags);
    }
    if (status == CT_OK) {
        fuzz_judge_traces(&set);
        fuzz_import_accepted("network", fuzz_path("net.json"), NULL);
    }
    network_file_free(&file);
    trace_set_free(&set);
    ct_arena_free(&arena);
    ct_diags_free(&diags);
    return 0;
}
