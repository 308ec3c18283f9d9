#include "policies/sm_split.h"

#include "policies/gate.h"

const struct ct_client *sm_split_next(struct ct_context *context, sm_split_group *group,
                                      const struct ct_client *after) {
    do
        after = gate_next_client(context, after);
    while (after && !group(after));
    return after;
}

uint32_t sm_split_count(struct ct_context *context, sm_split_group *group) {
    uint32_t count = 0;
    const struct ct_client *client = NULL;
    while ((client = sm_split_next(context, group, client)))
        count++;
    return count;
}

void sm_split_evenly(struct ct_context *context, sm_split_group *group, int64_t sms,
                     int64_t *split) {
    int64_t count = sm_split_count(context, group), served = 0;
    const struct ct_client *client = NULL;
    while ((client = sm_split_next(context, group, client)))
        split[client->index] = sms / count + (served++ < sms % count);
}

enum sm_split_claim sm_split_claim(const struct ct_client *client) {
    if (client->np_target > 0)
        return SM_SPLIT_NP_TARGET;
    return client->role == CT_SERVICE ? SM_SPLIT_SERVICE : SM_SPLIT_ANYBODY;
}

const struct ct_client *sm_split_target(struct ct_context *context, sm_split_group *group) {
    const struct ct_client *target = NULL, *client = NULL;
    while ((client = sm_split_next(context, group, client)))
        if (!target || sm_split_claim(client) < sm_split_claim(target))
            target = client;
    return target;
}

/* Who gets how many: a pair of "client" and "sms" for each that gets some. */
static void sm_split_note(struct ct_context *context, const int64_t *split) {
    const struct ct_host *host = context->host;
    uint32_t clients = host->client_count(context);
    for (uint32_t i = 0; i < clients; i++)
        if (split[i] > 0) {
            host->note(context, NULL, CT_NOTE_CLIENT, i);
            host->note(context, NULL, CT_NOTE_SMS, (double)split[i]);
        }
}

bool sm_split_apply(struct ct_context *context, const int64_t *split) {
    const struct ct_host *host = context->host;
    uint32_t clients = host->client_count(context);
    if (!host->repartition(context, split, clients, CT_MOVE_AUTO))
        return false;
    sm_split_note(context, split);
    return true;
}
