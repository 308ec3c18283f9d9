#include "fuzz.h"
#include "workload/stamps_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ct_diags diags = {0};
    struct ct_arena arena = {0};
    const ct_time_ps *stamps;
    ct_time_ps span;
    size_t count;
    const char *path = fuzz_file("stamps.csv", data, size);
    int status = stamps_read(path, "seconds", &arena, &stamps, &count, &span, &diags);
    fuzz_judge(status, &diags);
    if (status == CT_OK) {
        FUZZ_OWES(count >= 1 && stamps[0] == 0 && stamps[count - 1] == span);
        for (size_t i = 1; i < count; i++)
            FUZZ_OWES(stamps[i] >= stamps[i - 1]);
    }
    ct_arena_free(&arena);
    ct_diags_free(&diags);
    return 0;
}
