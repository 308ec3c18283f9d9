#include "policies/sm_split.h"

static bool takes_part(struct ct_context *context, const struct sm_split_group *group,
                       uint32_t index) {
    const struct ct_client *client = context->host->client(context, index);
    return client && group->holds(client, group->of);
}

uint32_t sm_split_count(struct ct_context *context, const struct sm_split_group *group) {
    uint32_t count = 0, clients = context->host->client_count(context);
    for (uint32_t i = 0; i < clients; i++)
        count += takes_part(context, group, i);
    return count;
}

void sm_split_evenly(struct ct_context *context, const struct sm_split_group *group, int64_t sms,
                     int64_t *split) {
    uint32_t count = sm_split_count(context, group), clients = context->host->client_count(context);
    if (count == 0)
        return;
    int64_t each = sms / count, rest = sms % count;
    for (uint32_t i = 0; i < clients; i++)
        if (takes_part(context, group, i)) {
            split[i] = each + (rest > 0);
            rest -= rest > 0;
        }
}

enum sm_split_claim sm_split_claim(const struct ct_client *client) {
    if (client->np_target > 0)
        return SM_SPLIT_NP_TARGET;
    return client->role == CT_SERVICE ? SM_SPLIT_SERVICE : SM_SPLIT_ANYBODY;
}

const struct ct_client *sm_split_target(struct ct_context *context,
                                        const struct sm_split_group *group) {
    const struct ct_client *target = NULL;
    uint32_t clients = context->host->client_count(context);
    for (uint32_t i = 0; i < clients; i++) {
        const struct ct_client *client = context->host->client(context, i);
        if (takes_part(context, group, i) &&
            (!target || sm_split_claim(client) < sm_split_claim(target)))
            target = client;
    }
    return target;
}

void sm_split_note(struct ct_context *context, const int64_t *split) {
    const struct ct_host *host = context->host;
    uint32_t clients = host->client_count(context);
    for (uint32_t i = 0; i < clients; i++)
        if (split[i] > 0) {
            host->note(context, NULL, CT_NOTE_CLIENT, i);
            host->note(context, NULL, CT_NOTE_SMS, (double)split[i]);
        }
}
