#include "base/ct_option_value.h"
#include "fuzz.h"
#include "models/device/gpu.h"
#include "workload/setup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void judge_options(const struct gpu *gpu) {
    for (const struct ct_option *o = gpu_options; o->name; o++) {
        double number;
        int64_t whole;
        const char *member = (const char *)gpu + o->offset;
        if (o->kind == CT_OPTION_DOUBLE) {
            memcpy(&number, member, sizeof number);
            FUZZ_OWES(number >= o->least && number <= o->most);
        } else if (o->kind == CT_OPTION_INT) {
            memcpy(&whole, member, sizeof whole);
            FUZZ_OWES((double)whole >= o->least && (double)whole <= o->most);
        }
    }
}

/* A preset, read as one and for its sources. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static bool ready;
    if (!ready) {
        mkdir(fuzz_path("gpus"), 0700);
        setenv("COTENANT_SHARE", fuzz_path("."), 1);
        ready = true;
    }
    const char *path = fuzz_file("gpus/fuzzed.json", data, size);
    struct ct_diags diags = {0};
    struct ct_arena arena = {0};
    struct workload_settings sources = {0};
    struct gpu gpu;
    int status = setup_gpu("fuzzed", "gpu", NULL, &arena, &gpu, &diags);
    fuzz_judge(status, &diags);
    if (status == CT_OK)
        judge_options(&gpu);
    ct_diags_free(&diags);
    diags = (struct ct_diags){0};
    fuzz_judge(settings_read_sources(path, &arena, &sources, &diags), &diags);
    ct_vec_free(&sources);
    ct_arena_free(&arena);
    ct_diags_free(&diags);
    return 0;
}
