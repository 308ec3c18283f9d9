#include "paper_memory.h"

#include "dram_fit.h"

#include <math.h>

enum {
    REQUESTS = 100000,
    ROW_HIT_CAP = 5 /* HSM section 5 */
};

static int use_of(const struct dram_bank_params *params, double row_hits, double *use,
                  struct ct_diags *diags) {
    struct dram_bank_app app = {row_hits, 1};
    struct dram_bank_params run = *params;
    struct dram_bank_result result;
    run.apps = &app;
    run.app_count = 1;
    int status = dram_bank_run(&run, &result, diags);
    *use = status == CT_OK ? result.utilisation : NAN;
    return status;
}

/* Of two applications that share the queue by halves. */
static int shift_of(const struct dram_bank_params *params, double *shift, struct ct_diags *diags) {
    static const double localities[] = {0.2, 0.5, 0.8};
    const size_t count = CT_COUNT_OF(localities);
    struct dram_bank_params run = *params;
    *shift = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            struct dram_bank_app pair[2] = {{localities[i], 1}, {localities[j], 0.5}};
            struct dram_bank_result alone, shared;
            run.apps = pair;
            run.app_count = 1;
            int status = dram_bank_run(&run, &alone, diags);
            pair[0].share = 0.5;
            run.app_count = 2;
            if (status == CT_OK)
                status = dram_bank_run(&run, &shared, diags);
            if (status != CT_OK)
                return status;
            *shift += fabs(shared.apps[0].row_hit_rate - alone.apps[0].row_hit_rate) /
                      (double)(count * count);
        }
    return CT_OK;
}

int paper_memory(const struct paper_row *row, uint64_t seed, double *value,
                 struct ct_diags *diags) {
    const struct dram_preset *preset = dram_preset_find("hsm-hbm");
    struct dram_bank_params params = {.preset = preset,
                                      .reads = row->reads,
                                      .streams = row->streams,
                                      .cap = ROW_HIT_CAP,
                                      .queue = DRAM_QUEUE,
                                      .requests = REQUESTS,
                                      .seed = seed,
                                      .refresh = true};
    if (row->measure == PAPER_ROW_HIT_SHIFT)
        return shift_of(&params, value, diags);
    int status = use_of(&params, row->row_hits, value, diags);
    if (row->measure == PAPER_DRAM_GB_S)
        *value *= dram_preset_bytes_per_s(preset) / 1e9;
    return status;
}
