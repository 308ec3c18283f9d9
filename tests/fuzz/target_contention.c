#include "fuzz.h"
#include "workload/contention_file.h"

#include <math.h>

static bool sound(double number) {
    return isfinite(number) && number >= 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ct_diags diags = {0};
    struct ct_arena arena = {0};
    struct contention_file file;
    int status = contention_file_read(fuzz_file("m.json", data, size), &file, &arena, &diags);
    fuzz_judge(status, &diags);
    if (status == CT_OK) {
        FUZZ_OWES(sound(file.contention_k0) && sound(file.contention_k));
        FUZZ_OWES(sound(file.launch_delay_us));
        for (size_t i = 0; i < file.app_count; i++) {
            FUZZ_OWES(file.apps[i].name);
            FUZZ_OWES(sound(file.apps[i].sensitivity) && sound(file.apps[i].pressure));
        }
    }
    ct_arena_free(&arena);
    ct_diags_free(&diags);
    return 0;
}
