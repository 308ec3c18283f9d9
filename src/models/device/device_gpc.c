/*
 * Which SMs a client can reach that is held to a part of them, where the GPU's gpc_tpcs says how
 * many TPCs a GPC has: no more than that part of each. Clients take SMs that nobody is on first,
 * GPC by GPC, so that two with half of the SMs each may lie on the same ones while others are idle
 * (docs/measured.md). This is told from how much each client holds, where blocks have no places;
 * block_place.c has the same of SMs.
 */
#include "models/device/device_internal.h"

enum { GPCS_MOST = 64 };

/* All are as large as the first but the last one, which may have fewer SMs. */
struct gpcs {
    uint32_t count, sms, sms_of_last;
    double used[GPCS_MOST];
};

static void find_gpcs(const struct device *device, struct gpcs *gpcs) {
    uint32_t sms = (uint32_t)device->sms;
    gpcs->sms = device_gpc_sms(device);
    gpcs->count = (sms + gpcs->sms - 1) / gpcs->sms;
    if (gpcs->count > GPCS_MOST)
        gpcs->count = GPCS_MOST;
    gpcs->sms_of_last = sms - (gpcs->count - 1) * gpcs->sms;
    if (gpcs->sms_of_last > gpcs->sms)
        gpcs->sms_of_last = gpcs->sms;
    for (uint32_t gpc = 0; gpc < gpcs->count; gpc++)
        gpcs->used[gpc] = 0;
}

/* What a client with this cap can still have of a GPC. */
static double free_of(const struct gpcs *gpcs, uint32_t gpc, ct_share cap) {
    uint32_t sms = gpc + 1 < gpcs->count ? gpcs->sms : gpcs->sms_of_last;
    return device_greater(0, device_lesser(device_gpc_part(sms, cap), sms - gpcs->used[gpc]));
}

static void take(struct gpcs *gpcs, ct_share cap, double sms) {
    for (uint32_t gpc = 0; gpc < gpcs->count && sms > 0; gpc++) {
        double taken = device_lesser(sms, free_of(gpcs, gpc, cap));
        gpcs->used[gpc] += taken;
        sms -= taken;
    }
}

double device_gpc_reach(const struct device *device, uint32_t client) {
    struct gpcs gpcs;
    double reach = 0;
    find_gpcs(device, &gpcs);
    for (uint32_t i = 0; i < device->config.clients; i++)
        if (i != client && device->clients[i].kernels > 0)
            take(&gpcs, device->clients[i].cap, device->clients[i].sms);
    for (uint32_t gpc = 0; gpc < gpcs.count; gpc++)
        reach += free_of(&gpcs, gpc, device->clients[client].cap);
    return reach;
}
