/*
 * mps-caps, mps-static: what somebody writes down for each application before it starts.
 *
 * mps-caps    an application's instances may each use so many per cent of the SMs
 *             (CUDA_MPS_ACTIVE_THREAD_PERCENTAGE); one that `caps` does not name is not capped
 * mps-static  an application's instances each have so many SMs to themselves, the memory is shared
 *             (MPS' static SM partitioning, in chunks of 8 SMs from Hopper on and of 4 before);
 *             those that `sms` does not name split the rest evenly
 *
 * Both hold from start to end: what an instance does not use stays idle under mps-static.
 */
#include "policies/named_values.h"
#include "policies/policies.h"
#include "policies/sm_split.h"

#define FULL_SHARE 1000

struct mps_fixed_options {
    const char *by_application;
};

struct mps_fixed_state {
    uint64_t unmatched; /* entries that name no application here */
};

struct mps_fixed_client {
    int64_t given; /* per mille, or SMs; 0: not named */
};

/* Takes what every entry gives ("%" of the threads or, "", SMs) to the clients of its name. False,
 * with the run failed by `wrong`, where one is no number within the range. */
static bool mps_fixed_read(struct ct_context *context, double low, double high, const char *unit,
                           const char *wrong) {
    const struct ct_host *host = context->host;
    const char *rest = ((const struct mps_fixed_options *)context->options)->by_application;
    uint32_t clients = host->client_count(context);
    double number, whole = *unit ? FULL_SHARE / 100.0 : 1;
    for (struct named_value entry; named_value_next(&rest, &entry);) {
        if (!named_value_number(&entry, unit, low, high, &number)) {
            host->fail(context, wrong);
            return false;
        }
        uint32_t matched = 0;
        for (uint32_t i = 0; i < clients; i++) {
            const struct ct_client *client = host->client(context, i);
            if (!named_value_is_of(&entry, client))
                continue;
            ((struct mps_fixed_client *)client->scratch)->given = (int64_t)(number * whole + 0.5);
            matched++;
        }
        ((struct mps_fixed_state *)context->state)->unmatched += matched == 0;
    }
    return true;
}

static void mps_fixed_report(struct ct_context *context) {
    const struct mps_fixed_state *state = context->state;
    context->host->print(context, "entries_without_application", (double)state->unmatched);
}

/* ---- Caps ---- */

static bool mps_caps_init(struct ct_context *context) {
    return mps_fixed_read(context, 0.1, 100, "%",
                          "'caps' is not APPLICATION=PER CENT+APPLICATION=PER CENT");
}

static void mps_caps_join(struct ct_context *context, const struct ct_client *client) {
    int64_t cap = ((struct mps_fixed_client *)client->scratch)->given;
    if (cap > 0 && cap != client->cap && context->host->set_share(context, client, cap))
        context->host->note(context, NULL, CT_NOTE_CAP, (double)cap);
}

static const struct ct_option mps_caps_options[] = {
    {"caps", CT_OPTION_STRING, offsetof(struct mps_fixed_options, by_application), "", 0, 0, "",
     NULL, "per cent of the SMs by application, as vit=60+qwen=40; the others are not capped"},
    {0},
};

const struct ct_policy policy_mps_caps = {
    .abi = CT_POLICY_ABI,
    .size = sizeof(struct ct_policy),
    .name = "mps-caps",
    .summary = "MPS with a cap for each application",
    .source = "CUDA MPS documentation, CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
    .features = CT_BINDS_SHARES,
    .sharing = CT_SHARING_MPS,
    .options = mps_caps_options,
    .options_size = sizeof(struct mps_fixed_options),
    .state_size = sizeof(struct mps_fixed_state),
    .client_size = sizeof(struct mps_fixed_client),
    .init = mps_caps_init,
    .client_join = mps_caps_join,
    .report = mps_fixed_report,
};

/* ---- Static partitions ---- */

static bool mps_static_is_unnamed(const struct ct_client *client, const struct ct_client *of) {
    (void)of;
    return ((struct mps_fixed_client *)client->scratch)->given == 0;
}

/* Everybody's SMs. False, with the run failed, where they are too many. */
static bool mps_static_split(struct ct_context *context, int64_t *split) {
    const struct ct_host *host = context->host;
    const struct sm_split_group unnamed = {mps_static_is_unnamed, NULL};
    struct ct_device_info device = {0};
    uint32_t clients = host->client_count(context), others = sm_split_count(context, &unnamed);
    host->device(context, &device);
    int64_t left = device.sms;
    for (uint32_t i = 0; i < clients && i < SM_SPLIT_CLIENTS; i++) {
        split[i] = ((struct mps_fixed_client *)host->client(context, i)->scratch)->given;
        left -= split[i];
    }
    if (clients > SM_SPLIT_CLIENTS || left < others) {
        host->fail(context, "the applications' SMs are more than this GPU has");
        return false;
    }
    sm_split_evenly(context, &unnamed, left, split);
    return true;
}

static bool mps_static_init(struct ct_context *context) {
    int64_t split[SM_SPLIT_CLIENTS] = {0};
    if (!mps_fixed_read(context, 1, 1000000, "", "'sms' is not APPLICATION=SMS+APPLICATION=SMS") ||
        !mps_static_split(context, split))
        return false;
    if (context->host->repartition(context, split, context->host->client_count(context),
                                   CT_MOVE_AUTO))
        sm_split_note(context, split);
    return true;
}

static const struct ct_option mps_static_options[] = {
    {"sms", CT_OPTION_STRING, offsetof(struct mps_fixed_options, by_application), "", 0, 0, "",
     NULL, "SMs of each instance by application, as vit=64+qwen=32; the others split the rest"},
    {0},
};

const struct ct_policy policy_mps_static = {
    .abi = CT_POLICY_ABI,
    .size = sizeof(struct ct_policy),
    .name = "mps-static",
    .summary = "MPS with SMs of its own for each application",
    .source = "CUDA MPS documentation, static SM partitioning",
    .needs = CT_NEED_PARTITION,
    .features = CT_PARTITIONS,
    .sharing = CT_SHARING_PARTITION,
    .options = mps_static_options,
    .options_size = sizeof(struct mps_fixed_options),
    .state_size = sizeof(struct mps_fixed_state),
    .client_size = sizeof(struct mps_fixed_client),
    .init = mps_static_init,
    .report = mps_fixed_report,
};
