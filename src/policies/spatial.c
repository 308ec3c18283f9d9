/*
 * even, proportional: whole SMs per application, fixed while the same applications are there.
 *
 * even          SMs are split evenly, what is left over goes to the first (HSM section 4.2; also
 *               the idea of GPU-EvR)
 * proportional  the target gets `share_pct` of the SMs, the others split the rest evenly: 80 %
 *               stands for a target of 0.8 under the assumption that progress is proportional to
 *               SMs (HSM Fig. 12: 64 of 80)
 *
 * The target is every service, which then split the share; without a service it is the first
 * application. An application alone has the whole device. Everybody gets at least one SM; with
 * fewer SMs than applications the run fails. The split is made anew whenever an application joins
 * or leaves.
 */
#include "policies.h"

/* The largest device that the split is written for; a run with more clients fails. */
#define CLIENTS_MOST 1024

struct spatial_options {
    double share_pct;
};

struct spatial_client {
    bool joined;
};

/* What takes part in a split. */
struct spatial_group {
    bool (*holds)(const struct ct_client *client, const struct ct_client *target);
    const struct ct_client *target; /* the first application, when there is no service */
    uint32_t count;
};

static bool spatial_is_any(const struct ct_client *client, const struct ct_client *target) {
    (void)client;
    (void)target;
    return true;
}

static bool spatial_is_target(const struct ct_client *client, const struct ct_client *target) {
    return target ? client == target : client->role == CT_SERVICE;
}

static bool spatial_is_other(const struct ct_client *client, const struct ct_client *target) {
    return !spatial_is_target(client, target);
}

/* The client at this index if it takes part in the run. */
static const struct ct_client *spatial_client(struct ct_context *context, uint32_t index) {
    const struct ct_client *client = context->host->client(context, index);
    return client && ((struct spatial_client *)client->scratch)->joined ? client : NULL;
}

/* The first application when no service is there, else NULL. */
static const struct ct_client *spatial_target(struct ct_context *context) {
    const struct ct_client *first = NULL;
    uint32_t clients = context->host->client_count(context);
    for (uint32_t i = 0; i < clients; i++) {
        const struct ct_client *client = spatial_client(context, i);
        if (client && client->role == CT_SERVICE)
            return NULL;
        if (client && !first)
            first = client;
    }
    return first;
}

static uint32_t spatial_count(struct ct_context *context, const struct spatial_group *group) {
    uint32_t count = 0, clients = context->host->client_count(context);
    for (uint32_t i = 0; i < clients; i++) {
        const struct ct_client *client = spatial_client(context, i);
        count += client && group->holds(client, group->target);
    }
    return count;
}

/* Splits `sms` evenly over the group; the first of it get what is left over. */
static void spatial_fill(struct ct_context *context, const struct spatial_group *group, int64_t sms,
                         int64_t *split) {
    uint32_t clients = context->host->client_count(context);
    int64_t each = group->count ? sms / group->count : 0,
            rest = group->count ? sms % group->count : 0;
    for (uint32_t i = 0; i < clients; i++) {
        const struct ct_client *client = spatial_client(context, i);
        if (!client || !group->holds(client, group->target))
            continue;
        split[i] = each + (rest > 0);
        rest -= rest > 0;
    }
}

/* False, with the run failed, when there are too many applications for this device. */
static bool spatial_fits(struct ct_context *context, uint32_t joined, int64_t sms) {
    if (joined <= sms && context->host->client_count(context) <= CLIENTS_MOST)
        return true;
    context->host->fail(context, "more applications than SMs to give one to each");
    return false;
}

static void spatial_apply(struct ct_context *context, const int64_t *split) {
    const struct ct_host *host = context->host;
    uint32_t clients = host->client_count(context);
    if (!host->repartition(context, split, clients, CT_MOVE_AUTO))
        return;
    for (uint32_t i = 0; i < clients; i++)
        if (split[i] > 0) {
            host->note(context, NULL, "client", i);
            host->note(context, NULL, "sms", (double)split[i]);
        }
}

static int64_t spatial_sms(struct ct_context *context) {
    struct ct_device_info device = {0};
    context->host->device(context, &device);
    return device.sms;
}

static void spatial_even(struct ct_context *context) {
    struct spatial_group all = {spatial_is_any, NULL, 0};
    int64_t split[CLIENTS_MOST] = {0}, sms = spatial_sms(context);
    all.count = spatial_count(context, &all);
    if (all.count == 0 || !spatial_fits(context, all.count, sms))
        return;
    spatial_fill(context, &all, sms, split);
    spatial_apply(context, split);
}

/* The targets' SMs: their share rounded to nearest, so that everybody still gets one. */
static int64_t spatial_target_sms(double share_pct, int64_t sms, uint32_t targets,
                                  uint32_t others) {
    int64_t wanted = (int64_t)(share_pct / 100.0 * (double)sms + 0.5);
    if (others == 0 || wanted > sms - others)
        wanted = sms - others;
    return wanted < targets ? targets : wanted;
}

static void spatial_proportional(struct ct_context *context) {
    const struct spatial_options *options = context->options;
    const struct ct_client *target = spatial_target(context);
    struct spatial_group targets = {spatial_is_target, target, 0};
    struct spatial_group others = {spatial_is_other, target, 0};
    int64_t split[CLIENTS_MOST] = {0}, sms = spatial_sms(context);
    targets.count = spatial_count(context, &targets);
    others.count = spatial_count(context, &others);
    uint32_t joined = targets.count + others.count;
    if (joined == 0 || !spatial_fits(context, joined, sms))
        return;
    int64_t share = spatial_target_sms(options->share_pct, sms, targets.count, others.count);
    spatial_fill(context, &targets, share, split);
    spatial_fill(context, &others, sms - share, split);
    spatial_apply(context, split);
}

static void even_join(struct ct_context *context, const struct ct_client *client) {
    ((struct spatial_client *)client->scratch)->joined = true;
    spatial_even(context);
}

static void even_leave(struct ct_context *context, const struct ct_client *client) {
    ((struct spatial_client *)client->scratch)->joined = false;
    spatial_even(context);
}

static void proportional_join(struct ct_context *context, const struct ct_client *client) {
    ((struct spatial_client *)client->scratch)->joined = true;
    spatial_proportional(context);
}

static void proportional_leave(struct ct_context *context, const struct ct_client *client) {
    ((struct spatial_client *)client->scratch)->joined = false;
    spatial_proportional(context);
}

static const struct ct_option proportional_options[] = {
    {"share_pct", CT_OPTION_DOUBLE, offsetof(struct spatial_options, share_pct), "%", 1, 99, "80",
     NULL, "SMs of the target: its target of normalised progress (HSM Fig. 12: 64 of 80)"},
    {0},
};

const struct ct_policy policy_even = {
    .abi = CT_POLICY_ABI,
    .size = sizeof(struct ct_policy),
    .name = "even",
    .summary = "SMs split evenly among the applications",
    .source = "HSM (ASPLOS'20) section 4.2",
    .needs = CT_NEED_PARTITION,
    .features = CT_PARTITIONS,
    .sharing = CT_SHARING_PARTITION,
    .client_size = sizeof(struct spatial_client),
    .client_join = even_join,
    .client_leave = even_leave,
};

const struct ct_policy policy_proportional = {
    .abi = CT_POLICY_ABI,
    .size = sizeof(struct ct_policy),
    .name = "proportional",
    .summary = "a fixed part of the SMs for the target, the rest split evenly",
    .source = "HSM (ASPLOS'20) Fig. 12",
    .needs = CT_NEED_PARTITION,
    .features = CT_PARTITIONS,
    .sharing = CT_SHARING_PARTITION,
    .options = proportional_options,
    .options_size = sizeof(struct spatial_options),
    .client_size = sizeof(struct spatial_client),
    .client_join = proportional_join,
    .client_leave = proportional_leave,
};
