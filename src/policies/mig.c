/*
 * mig: every application instance has a MIG instance of its own, SMs and memory that nobody else
 * uses (NVIDIA MIG User Guide). Profiles are the GPU's; `profiles` chooses them by application, as
 * in "vit=3g+qwen=4g": a name as the GPU lists it, or what stands before its dot. Applications that
 * it does not name split the rest as evenly as the profiles allow: all get the largest one that
 * fits as often as they are. What nobody got stays idle, and the report says how much.
 *
 * A slice is fixed when its application joins, and neither lends nor borrows. With more instances
 * than slices the run fails.
 */
#include "policies/named_values.h"
#include "policies/policies.h"

#include <string.h>

struct mig_options {
    const char *profiles;
};

struct mig_client {
    bool chosen; /* by `profiles` */
};

struct mig_state {
    int64_t compute, memory, sms; /* left: slices, slices, SMs of the GPU */
    uint64_t unmatched;           /* entries of `profiles` that name no application here */
};

#define NO_PROFILE UINT32_MAX

static void mig_give(struct ct_context *context, const struct ct_client *client, uint32_t index) {
    const struct ct_host *host = context->host;
    struct mig_state *state = context->state;
    struct ct_slice slice = {0};
    host->slice(context, index, &slice);
    if (slice.compute > state->compute || slice.memory > state->memory ||
        !host->set_slice(context, client, index)) {
        host->fail(context, "the instances' profiles need more slices than this GPU has");
        return;
    }
    state->compute -= slice.compute;
    state->memory -= slice.memory;
    state->sms -= slice.sms;
    host->note(context, NULL, CT_NOTE_CLIENT, (double)client->index);
    host->note(context, NULL, CT_NOTE_SMS, (double)slice.sms);
    host->note(context, NULL, "memory_slices", (double)slice.memory);
}

/* ---- by application ---- */

/* Whether a profile's name, or what stands before its dot, is this text. */
static bool mig_is_profile(const char *text, size_t length, const char *name) {
    return strncmp(text, name, length) == 0 && (name[length] == '\0' || name[length] == '.');
}

static uint32_t mig_find(struct ct_context *context, const struct named_value *entry) {
    struct ct_slice slice;
    for (uint32_t i = 0; context->host->slice(context, i, &slice); i++)
        if (mig_is_profile(entry->value, entry->value_length, slice.name))
            return i;
    return NO_PROFILE;
}

/* For each instance of the application that the entry names. */
static void mig_choose(struct ct_context *context, const struct named_value *entry) {
    const struct ct_host *host = context->host;
    uint32_t clients = host->client_count(context), matched = 0;
    if (!entry->value) {
        host->fail(context, "'profiles' is not APPLICATION=PROFILE+APPLICATION=PROFILE");
        return;
    }
    uint32_t index = mig_find(context, entry);
    if (index == NO_PROFILE) {
        host->fail(context, "'profiles' names a profile that this GPU does not have");
        return;
    }
    for (uint32_t i = 0; i < clients; i++) {
        const struct ct_client *client = host->client(context, i);
        if (!named_value_is_of(entry, client))
            continue;
        ((struct mig_client *)client->scratch)->chosen = true;
        mig_give(context, client, index);
        matched++;
    }
    ((struct mig_state *)context->state)->unmatched += matched == 0;
}

static void mig_choose_all(struct ct_context *context) {
    const char *rest = ((const struct mig_options *)context->options)->profiles;
    for (struct named_value entry; named_value_next(&rest, &entry);)
        mig_choose(context, &entry);
}

/* ---- the rest ---- */

/* The largest profile that fits this often. */
static uint32_t mig_even(struct ct_context *context, uint32_t count) {
    const struct mig_state *state = context->state;
    struct ct_slice slice, largest = {0};
    uint32_t best = NO_PROFILE;
    for (uint32_t i = 0; context->host->slice(context, i, &slice); i++) {
        bool fits =
            slice.compute * count <= state->compute && slice.memory * count <= state->memory;
        if (!fits || slice.sms < largest.sms ||
            (slice.sms == largest.sms && slice.memory <= largest.memory))
            continue;
        largest = slice;
        best = i;
    }
    return best;
}

static void mig_split_rest(struct ct_context *context) {
    const struct ct_host *host = context->host;
    uint32_t clients = host->client_count(context), count = 0;
    for (uint32_t i = 0; i < clients; i++)
        count += !((struct mig_client *)host->client(context, i)->scratch)->chosen;
    uint32_t index = mig_even(context, count);
    if (count > 0 && index == NO_PROFILE) {
        host->fail(context, "more application instances than this GPU has slices for");
        return;
    }
    for (uint32_t i = 0; i < clients; i++) {
        const struct ct_client *client = host->client(context, i);
        if (!((struct mig_client *)client->scratch)->chosen)
            mig_give(context, client, index);
    }
}

static bool mig_init(struct ct_context *context) {
    const struct ct_host *host = context->host;
    struct mig_state *state = context->state;
    struct ct_device_info device = {0};
    struct ct_slice whole = {0};
    host->device(context, &device);
    for (uint32_t i = 0; host->slice(context, i, &whole); i++)
        continue;
    state->compute = whole.compute;
    state->memory = whole.memory;
    state->sms = device.sms;
    mig_choose_all(context);
    mig_split_rest(context);
    return true;
}

static void mig_report(struct ct_context *context) {
    const struct mig_state *state = context->state;
    context->host->print(context, "sms_unused", (double)state->sms);
    context->host->print(context, "compute_slices_unused", (double)state->compute);
    context->host->print(context, "memory_slices_unused", (double)state->memory);
    context->host->print(context, "profiles_without_application", (double)state->unmatched);
}

static const struct ct_option mig_options[] = {
    {"profiles", CT_OPTION_STRING, offsetof(struct mig_options, profiles), "", 0, 0, "", NULL,
     "profiles by application, as vit=3g+qwen=4g; the others split the rest evenly"},
    {0},
};

const struct ct_policy policy_mig = {
    .abi = CT_POLICY_ABI,
    .size = sizeof(struct ct_policy),
    .name = "mig",
    .summary = "fixed slices of SMs and memory for each instance",
    .source = "NVIDIA Multi-Instance GPU User Guide",
    .needs = CT_NEED_PARTITION | CT_NEED_SLICES,
    .features = CT_PARTITIONS,
    .sharing = CT_SHARING_PARTITION,
    .options = mig_options,
    .options_size = sizeof(struct mig_options),
    .state_size = sizeof(struct mig_state),
    .client_size = sizeof(struct mig_client),
    .init = mig_init,
    .report = mig_report,
};
