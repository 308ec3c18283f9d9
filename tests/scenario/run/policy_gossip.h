/*
 * Counters that say anything, within what the device can do: made-up kernels have no instructions,
 * and a policy that looks at them shall move all the same.
 */
#ifndef POLICY_GOSSIP_H
#define POLICY_GOSSIP_H

#include "policy_mix.h"

struct gossip {
    uint64_t dice;
    struct ct_counters sums[64];
    int64_t since_ps[64];
};

static struct gossip gossip;

static void gossip_counters(struct ct_context *context, const struct ct_client *client,
                            struct ct_counters *counters) {
    struct ct_counters *sum = &gossip.sums[client->index];
    struct ct_device_info device;
    context->host->device(context, &device);
    int64_t now = context->host->now(context);
    double passed_ps = (double)(now - gossip.since_ps[client->index]);
    double accesses = device.dram_bytes_per_s / 128 * passed_ps / (double)CT_PS_PER_S;
    double instructions =
        (double)device.sms * 128 * device.clock_hz * passed_ps / (double)CT_PS_PER_S;
    gossip.since_ps[client->index] = now;
    sum->instructions += instructions * 0.1 * (double)dice_roll(&gossip.dice, 11);
    sum->memory_accesses += accesses * 0.1 * (double)dice_roll(&gossip.dice, 6);
    sum->row_hits = sum->memory_accesses * 0.1 * (double)dice_roll(&gossip.dice, 11);
    sum->busy_ps += passed_ps;
    *counters = *sum;
}

#endif
