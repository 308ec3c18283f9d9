#include "apps/paper/paper_source.h"

#include "models/device/pcie.h"
#include "workload/setup.h"

/* Stemmer's copy of 15 ms (Baymax Fig. 8); enough of them for the order in the queue to settle. */
enum { COPY_BYTES = 47250000, COPIES = 20 };

/* The rate until the first of the copies has ended so often; each starts again at once. */
static double rate_of(struct pcie_link *link, const struct paper_copy *copy) {
    struct pcie_copy copies[PAPER_COPIES_MOST + 1] = {{0}}, *ended;
    ct_time_ps now = 0;
    for (uint32_t i = 0; i <= copy->others; i++) {
        copies[i].bytes = COPY_BYTES;
        copies[i].pinned = i ? copy->others_pinned : copy->pinned;
        pcie_submit(link, &copies[i], 0);
    }
    for (int left = COPIES; left > 0;) {
        now = pcie_next_event(link);
        while ((ended = pcie_advance(link, now)) != NULL) {
            left -= ended == &copies[0];
            pcie_submit(link, ended, now);
        }
    }
    return (double)COPIES * COPY_BYTES / ct_time_s(now) / 1e6;
}

int paper_copy_rate(const struct paper_copy *copy, double *mb_s, struct ct_diags *diags) {
    static const struct workload_settings none = {0};
    struct ct_arena arena = {0};
    struct gpu gpu;
    int status = setup_gpu(copy->gpu, "copy", &none, &arena, &gpu, diags);
    if (status == CT_OK) {
        struct pcie_bus bus;
        pcie_bus_init(&bus, &gpu);
        *mb_s = rate_of(pcie_bus_link(&bus, PCIE_HOST_TO_DEVICE), copy);
    }
    ct_arena_free(&arena);
    return status;
}
