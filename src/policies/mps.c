/*
 * mps, mps-even, mps-priority, stream-priority: the multi-process service as it is, with caps on
 * active threads, and with an order of pending blocks.
 *
 * mps              tasks pass in the order of issue, kernels use what is left over (Baymax section
 *                  2.2)
 * mps-even         every instance is capped at 200 % / n, n instances in all (Laius section 3.3);
 *                  100 % at most
 * mps-priority     services are not capped, a batch instance is capped at 100 % / (number of batch
 *                  instances)
 * stream-priority  as mps, but pending blocks of services go first, then those of the larger
 *                  `priority`; blocks that run stay (CUDA stream priorities)
 *
 * A cap is fixed when a process starts, so it is set for everybody whenever one joins and stays
 * when one leaves. Caps are rounded to whole per mille, and are never below one.
 */
#include "policies/gate.h"
#include "policies/policies.h"

#define FULL_SHARE 1000

struct mps_options {
    double total_pct;
};

/* Splits `total` per mille over `count` instances, rounded to nearest, within 1 .. FULL_SHARE. */
static int64_t mps_cap(double total_pct, uint32_t count) {
    int64_t cap = (int64_t)(total_pct * 10.0 / (double)count + 0.5);
    if (cap > FULL_SHARE)
        return FULL_SHARE;
    return cap < 1 ? 1 : cap;
}

/* Splits the total over all clients, or over the batch ones only: then services get the whole
 * device. */
static void mps_share(struct ct_context *context, bool batch_only) {
    const struct mps_options *options = context->options;
    const struct ct_host *host = context->host;
    const struct ct_client *client = NULL;
    uint32_t counted = 0;
    while ((client = gate_next_client(context, client)))
        counted += !batch_only || client->role == CT_BATCH;
    while ((client = gate_next_client(context, client))) {
        bool capped = !batch_only || client->role == CT_BATCH;
        int64_t cap = capped ? mps_cap(options->total_pct, counted) : FULL_SHARE;
        if (cap != client->cap && host->set_share(context, client, cap))
            host->note(context, NULL, CT_NOTE_CAP, (double)cap);
    }
}

static void mps_even_join(struct ct_context *context, const struct ct_client *client) {
    (void)client;
    mps_share(context, false);
}

static void mps_priority_join(struct ct_context *context, const struct ct_client *client) {
    (void)client;
    mps_share(context, true);
}

static const struct ct_option mps_even_options[] = {
    {"total_pct", CT_OPTION_DOUBLE, offsetof(struct mps_options, total_pct), "%", 1, 100000, "200",
     NULL, "sum of the active-thread percentages of all instances (Laius section 3.3)"},
    {0},
};

static const struct ct_option mps_priority_options[] = {
    {"total_pct", CT_OPTION_DOUBLE, offsetof(struct mps_options, total_pct), "%", 1, 100000, "100",
     NULL, "sum of the active-thread percentages of all batch instances (Laius section 3.3)"},
    {0},
};

const struct ct_policy policy_mps = {
    POLICIES_HEAD("mps"),
    .summary = "default MPS: order of issue, leftover concurrency",
    .source = "Baymax (ASPLOS'16) section 2.2",
    .sharing = CT_SHARING_MPS,
};

const struct ct_policy policy_mps_even = {
    POLICIES_HEAD("mps-even"),
    .summary = "MPS with equal caps that add up to 200 %",
    .source = "Laius (ICS'19) section 3.3",
    .features = CT_BINDS_SHARES,
    .sharing = CT_SHARING_MPS,
    .options = mps_even_options,
    .options_size = sizeof(struct mps_options),
    .client_join = mps_even_join,
};

const struct ct_policy policy_mps_priority = {
    POLICIES_HEAD("mps-priority"),
    .summary = "MPS with services uncapped and batch instances sharing one cap of 100 %",
    .source = "Laius (ICS'19) section 3.3",
    .features = CT_BINDS_SHARES,
    .sharing = CT_SHARING_MPS,
    .options = mps_priority_options,
    .options_size = sizeof(struct mps_options),
    .client_join = mps_priority_join,
};

const struct ct_policy policy_stream_priority = {
    POLICIES_HEAD("stream-priority"),
    .summary = "MPS with pending blocks of the higher priority first",
    .source = "CUDA C++ Programming Guide, stream priorities",
    .needs = CT_NEED_BLOCK_ORDER,
    .sharing = CT_SHARING_MPS,
};
