/*
 * Which SMs a client can reach that is held to a part of them, where the GPU's gpc_tpcs says how
 * many TPCs a GPC has: no more than that part of each. Clients take SMs that nobody is on first,
 * GPC by GPC, so that two with half of the SMs each may lie on the same ones while others are idle
 * (docs/measured.md). This is told from how much each client holds, where blocks have no places,
 * the one whose kernel began first before the others; block_place.c has the same of SMs.
 */
#include "models/device/device_internal.h"

enum { GPCS_MOST = 64 };

/* All are as large as the first but the last one, which may have fewer SMs. */
struct gpcs {
    uint32_t count, touched; /* those from `touched` on nobody uses */
    uint32_t sms[2];         /* of one, and of the last one */
    double used[GPCS_MOST];
};

static void find_gpcs(const struct device *device, struct gpcs *gpcs) {
    uint32_t sms = (uint32_t)device->sms, each = device_gpc_sms(device);
    gpcs->count = (sms + each - 1) / each;
    if (gpcs->count > GPCS_MOST)
        gpcs->count = GPCS_MOST;
    uint32_t last = sms - (gpcs->count - 1) * each;
    gpcs->sms[0] = each;
    gpcs->sms[1] = last < each ? last : each;
    gpcs->touched = 0;
}

/* What is left of a GPC for one whose cap gives it `part` of its SMs. */
static double left_of(const struct gpcs *gpcs, uint32_t gpc, double part, double used) {
    double left = device_lesser(part, gpcs->sms[gpc + 1 == gpcs->count] - used);
    return device_greater(0, left);
}

/* Uses as many of the GPCs' SMs, of which the cap gives a part. */
static void use(struct gpcs *gpcs, ct_share cap, double sms) {
    double part[2] = {device_gpc_part(gpcs->sms[0], cap), device_gpc_part(gpcs->sms[1], cap)};
    for (uint32_t gpc = 0; gpc < gpcs->count && sms > 0; gpc++) {
        if (gpc == gpcs->touched)
            gpcs->used[gpcs->touched++] = 0;
        double left = left_of(gpcs, gpc, part[gpc + 1 == gpcs->count], gpcs->used[gpc]);
        double taken = device_lesser(sms, left);
        gpcs->used[gpc] += taken;
        sms -= taken;
    }
}

/* What one with this cap can have of all. */
static double sum_left(const struct gpcs *gpcs, ct_share cap) {
    double part[2] = {device_gpc_part(gpcs->sms[0], cap), device_gpc_part(gpcs->sms[1], cap)};
    double all = 0;
    for (uint32_t gpc = 0; gpc < gpcs->touched; gpc++)
        all += left_of(gpcs, gpc, part[gpc + 1 == gpcs->count], gpcs->used[gpc]);
    for (uint32_t gpc = gpcs->touched; gpc < gpcs->count; gpc++)
        all += part[gpc + 1 == gpcs->count];
    return all;
}

double device_gpc_reach(struct device *device, uint32_t client) {
    struct gpcs gpcs;
    uint64_t reach = ++device->dispatch.reaches;
    find_gpcs(device, &gpcs);
    for (uint32_t i = 0; i < device->running.count; i++) {
        uint32_t other = device->running.tasks[i]->client;
        struct device_client *holder = &device->clients[other];
        if (other == client || holder->counted == reach)
            continue;
        holder->counted = reach;
        use(&gpcs, holder->cap, holder->sms);
    }
    return sum_left(&gpcs, device->clients[client].cap);
}
