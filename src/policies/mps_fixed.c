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

struct mps_fixed_client {
    int64_t given; /* per mille, or SMs; 0: not named */
};

static const char *by_application(const void *options) {
    return ((const struct mps_fixed_options *)options)->by_application;
}

/* Takes what every entry gives to the clients of its name. */
static void mps_fixed_read(struct ct_context *context,
                           double (*given)(const struct named_value *entry)) {
    const char *rest = by_application(context->options);
    const struct ct_client *client = NULL;
    for (struct named_value entry; named_value_next(&rest, &entry);)
        while ((client = named_value_client(context, &entry, client)))
            ((struct mps_fixed_client *)client->scratch)->given = (int64_t)(given(&entry) + 0.5);
}

/* ---- Caps ---- */

static bool mps_caps_valid(const void *options, char *reason) {
    return named_values_valid(by_application(options), &named_caps, reason);
}

static bool mps_caps_init(struct ct_context *context) {
    mps_fixed_read(context, named_value_cap);
    return true;
}

static void mps_caps_join(struct ct_context *context, const struct ct_client *client) {
    int64_t cap = ((struct mps_fixed_client *)client->scratch)->given;
    if (cap > 0 && cap != client->cap && context->host->set_share(context, client, cap))
        context->host->note(context, NULL, CT_NOTE_CAP, (double)cap);
}

static const struct ct_option mps_caps_options[] = {
    {"caps", CT_OPTION_BY_APP, offsetof(struct mps_fixed_options, by_application), "%", 0, 0, "",
     NULL, "per cent of the SMs by application, as vit=60+qwen=40; the others are not capped"},
    {0},
};

const struct ct_policy policy_mps_caps = {
    POLICIES_HEAD("mps-caps"),
    .summary = "MPS with a cap for each application",
    .source = "CUDA MPS documentation, CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
    .features = CT_BINDS_SHARES,
    .sharing = CT_SHARING_MPS,
    .options = mps_caps_options,
    .options_size = sizeof(struct mps_fixed_options),
    .client_size = sizeof(struct mps_fixed_client),
    .init = mps_caps_init,
    .client_join = mps_caps_join,
    .options_valid = mps_caps_valid,
};

/* ---- Static partitions ---- */

static bool mps_static_is_unnamed(const struct ct_client *client) {
    return ((struct mps_fixed_client *)client->scratch)->given == 0;
}

/* Everybody's SMs. False, with the run failed, where they are too many. */
static bool mps_static_split(struct ct_context *context, int64_t *split) {
    const struct ct_host *host = context->host;
    struct ct_device_info device = {0};
    uint32_t clients = host->client_count(context),
             others = sm_split_count(context, mps_static_is_unnamed);
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
    sm_split_evenly(context, mps_static_is_unnamed, left, split);
    return true;
}

/* 0: it is no whole number. */
static double mps_static_sms(const struct named_value *entry) {
    double sms;
    bool is_number = named_value_number(entry, "", 1, 1000000, &sms);
    return is_number && sms == (double)(int64_t)sms ? sms : 0;
}

static bool mps_static_has(const struct named_value *entry) {
    return mps_static_sms(entry) > 0;
}

static bool mps_static_valid(const void *options, char *reason) {
    static const struct named_form form = {"sms", "APPLICATION=SMS, 1 or more whole ones",
                                           mps_static_has};
    return named_values_valid(by_application(options), &form, reason);
}

static bool mps_static_init(struct ct_context *context) {
    int64_t split[SM_SPLIT_CLIENTS] = {0};
    mps_fixed_read(context, mps_static_sms);
    if (!mps_static_split(context, split))
        return false;
    sm_split_apply(context, split);
    return true;
}

static const struct ct_option mps_static_options[] = {
    {"sms", CT_OPTION_BY_APP, offsetof(struct mps_fixed_options, by_application), "", 0, 0, "",
     NULL, "SMs of each instance by application, as vit=64+qwen=32; the others split the rest"},
    {0},
};

const struct ct_policy policy_mps_static = {
    POLICIES_HEAD("mps-static"),
    .summary = "MPS with SMs of its own for each application",
    .source = "CUDA MPS documentation, static SM partitioning",
    .needs = CT_NEED_PARTITION,
    .features = CT_PARTITIONS,
    .sharing = CT_SHARING_PARTITION,
    .options = mps_static_options,
    .options_size = sizeof(struct mps_fixed_options),
    .client_size = sizeof(struct mps_fixed_client),
    .init = mps_static_init,
    .options_valid = mps_static_valid,
};
