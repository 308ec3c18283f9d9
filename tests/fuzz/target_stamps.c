#include "fuzz.h"
#include "workload/stamps_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ct_diags diags = {0};
    struct ct_arena arena = {0};
    struct stamps stamps = {0};
    const char *path = fuzz_file("stamps.csv", data, size);
    int status = stamps_read(path, "seconds", &stamps, &arena, &diags);
    fuzz_judge(status, &diags);
    if (status == CT_OK) {
        FUZZ_OWES(stamps.count >= 1 && stamps.times[0] == 0 &&
                  stamps.times[stamps.count - 1] == stamps.span_ps);
        for (size_t i = 1; i < stamps.count; i++)
            FUZZ_OWES(stamps.times[i] >= stamps.times[i - 1]);
    }
    ct_arena_free(&arena);
    ct_diags_free(&diags);
    return 0;
}
