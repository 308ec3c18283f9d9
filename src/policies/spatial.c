/*
 * even, proportional: whole SMs per application, fixed for the run.
 *
 * even          SMs are split evenly, what is left over goes to the first (HSM section 4.2; also
 *               the idea of GPU-EvR)
 * proportional  the target gets `share_pct` of the SMs, the others split the rest evenly: 80 %
 *               stands for a target of 0.8 under the assumption that progress is proportional to
 *               SMs (HSM Fig. 12: 64 of 80)
 *
 * The target is every application with a target of normalised progress, without any every service,
 * and without a service the first application. Several, and instances of one, split the share
 * evenly. An application alone has the whole device. Everybody gets at least one SM; with
 * fewer SMs than applications the run fails. All applications of the workload join at the beginning
 * of a run, and have their part to its end.
 */
#include "policies/policies.h"
#include "policies/sm_split.h"

struct spatial_options {
    double share_pct; /* of targets; 0, as `even` has it: there are none */
};

struct spatial_client {
    bool joined, target;
};

static bool spatial_is_any(const struct ct_client *client) {
    return ((struct spatial_client *)client->scratch)->joined;
}

static bool spatial_is_target(const struct ct_client *client) {
    return spatial_is_any(client) && ((struct spatial_client *)client->scratch)->target;
}

static bool spatial_is_other(const struct ct_client *client) {
    return spatial_is_any(client) && !spatial_is_target(client);
}

/* Targets claim as the first does that has the strongest claim. */
static void spatial_choose_targets(struct ct_context *context) {
    const struct ct_client *first = sm_split_target(context, spatial_is_any), *client = NULL;
    while ((client = sm_split_next(context, spatial_is_any, client))) {
        enum sm_split_claim claim = sm_split_claim(client);
        ((struct spatial_client *)client->scratch)->target =
            claim == sm_split_claim(first) &&
            (claim != SM_SPLIT_ANYBODY || sm_split_same_app(client, first));
    }
}

/* The targets' SMs: their share rounded to nearest, so that everybody still gets one. */
static int64_t spatial_target_sms(double share_pct, int64_t sms, uint32_t targets,
                                  uint32_t others) {
    int64_t wanted = (int64_t)(share_pct / 100.0 * (double)sms + 0.5);
    if (others == 0 || wanted > sms - others)
        wanted = sms - others;
    return wanted < targets ? targets : wanted;
}

/* Splits `share_pct` of the SMs among the targets, and the rest among the others. */
static void spatial_split(struct ct_context *context) {
    const struct ct_host *host = context->host;
    double share_pct = ((const struct spatial_options *)context->options)->share_pct;
    struct ct_device_info device = {0};
    int64_t split[SM_SPLIT_CLIENTS] = {0};
    if (share_pct > 0)
        spatial_choose_targets(context);
    uint32_t target_count = sm_split_count(context, spatial_is_target);
    uint32_t other_count = sm_split_count(context, spatial_is_other);
    host->device(context, &device);
    if (target_count + other_count == 0)
        return;
    if (target_count + other_count > device.sms || host->client_count(context) > SM_SPLIT_CLIENTS) {
        host->fail(context, "more applications than SMs to give one to each");
        return;
    }
    int64_t share = spatial_target_sms(share_pct, device.sms, target_count, other_count);
    sm_split_evenly(context, spatial_is_target, share, split);
    sm_split_evenly(context, spatial_is_other, device.sms - share, split);
    sm_split_apply(context, split);
}

static void spatial_join(struct ct_context *context, const struct ct_client *client) {
    ((struct spatial_client *)client->scratch)->joined = true;
    spatial_split(context);
}

static void spatial_leave(struct ct_context *context, const struct ct_client *client) {
    ((struct spatial_client *)client->scratch)->joined = false;
    spatial_split(context);
}

static const struct ct_option even_options[] = {{0}}; /* `share_pct` stays 0 */

static const struct ct_option proportional_options[] = {
    {"share_pct", CT_OPTION_DOUBLE, offsetof(struct spatial_options, share_pct), "%", 1, 99, "80",
     NULL, "SMs of the target: its target of normalised progress (HSM Fig. 12: 64 of 80)"},
    {0},
};

const struct ct_policy policy_even = {
    POLICIES_HEAD("even"),
    .summary = "SMs split evenly among the applications",
    .source = "HSM (ASPLOS'20) section 4.2",
    .needs = CT_NEED_PARTITION,
    .features = CT_PARTITIONS,
    .sharing = CT_SHARING_PARTITION,
    .options = even_options,
    .options_size = sizeof(struct spatial_options),
    .client_size = sizeof(struct spatial_client),
    .client_join = spatial_join,
    .client_leave = spatial_leave,
};

const struct ct_policy policy_proportional = {
    POLICIES_HEAD("proportional"),
    .summary = "a fixed part of the SMs for the target, the rest split evenly",
    .source = "HSM (ASPLOS'20) Fig. 12",
    .needs = CT_NEED_PARTITION,
    .features = CT_PARTITIONS,
    .sharing = CT_SHARING_PARTITION,
    .options = proportional_options,
    .options_size = sizeof(struct spatial_options),
    .client_size = sizeof(struct spatial_client),
    .client_join = spatial_join,
    .client_leave = spatial_leave,
};
