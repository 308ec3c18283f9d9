#include "fuzz.h"
#include "models/predict/predict_themis.h"
#include "workload/themis_file.h"

#include <math.h>
#include <string.h>

_Static_assert((int)THEMIS_FILE_WEIGHTS == (int)THEMIS_WEIGHTS, "one network");

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ct_diags diags = {0};
    struct ct_arena arena = {0};
    struct themis_file file;
    int status = themis_file_read(fuzz_file("themis.json", data, size), &file, &arena, &diags);
    fuzz_judge(status, &diags);
    if (status == CT_OK) {
        struct themis_network network;
        double inputs[THEMIS_INPUTS];
        for (int i = 0; i < THEMIS_INPUTS; i++)
            inputs[i] = 1;
        memcpy(network.weights, file.weights, sizeof network.weights);
        FUZZ_OWES(isfinite(themis_run(&network, inputs)));
        FUZZ_OWES(file.gpu && file.fidelity && file.dram);
    }
    ct_arena_free(&arena);
    ct_diags_free(&diags);
    return 0;
}
