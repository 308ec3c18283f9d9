/*
 * mig: every application instance has a MIG instance of its own, SMs and memory that nobody else
 * uses (NVIDIA MIG User Guide). Profiles are the GPU's; `profiles` chooses them by application, as
 * in "vit=3g+qwen=4g": a name as the GPU lists it, or what stands before its dot. Applications that
 * it does not name split the rest as evenly as the profiles allow: all get the largest one that
 * fits as often as they are. What nobody got stays idle, and the report says how much.
 *
 * Applications may share an instance under MPS: with `shared` as in "qwen=vit" all instances of
 * "qwen" run in that of the first "vit", and with `caps` each application uses so many per cent of
 * the SMs of its instance at most (MPS' documentation, MIG: a daemon for each instance).
 *
 * A slice is fixed when its application joins, and neither lends nor borrows. With more instances
 * than slices the run fails.
 */
#include "policies/gate.h"
#include "policies/named_values.h"
#include "policies/policies.h"
#include "policies/sm_split.h"

#include <string.h>

struct mig_options {
    const char *profiles, *shared, *caps;
};

struct mig_client {
    bool chosen; /* by `profiles` or `shared` */
};

struct mig_state {
    int64_t compute, memory, sms; /* left: slices, slices, SMs of the GPU */
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

/* Whether an entry of `shared` lets this client into the instance of the application of that name.
 */
static bool mig_goes_to(struct ct_context *context, const struct ct_client *client,
                        const char *name, size_t length) {
    const char *rest = ((const struct mig_options *)context->options)->shared;
    for (struct named_value entry; named_value_next(&rest, &entry);)
        if (named_value_is_of(&entry, client->name) && entry.value &&
            entry.value_length == length && strncmp(entry.value, name, length) == 0)
            return true;
    return false;
}

/* Whose instance the application of that name has, or will share: its first one's, and where none
 * runs (as in a run of other applications alone) the first one's that would share it. NULL:
 * nobody's.
 */
static const struct ct_client *mig_owner(struct ct_context *context, const char *name,
                                         size_t length) {
    const struct named_value named = {.name = name, .name_length = length};
    const struct ct_client *client = named_value_client(context, &named, NULL);
    if (client)
        return client;
    while ((client = gate_next_client(context, client)) &&
           !mig_goes_to(context, client, name, length))
        continue;
    return client;
}

/* For each instance of the application that the entry names, or who stands in for it. */
static void mig_choose(struct ct_context *context, const struct named_value *entry) {
    uint32_t index = mig_find(context, entry);
    if (index == NO_PROFILE) {
        context->host->fail(context, "'profiles' names one that this GPU does not have");
        return;
    }
    const struct ct_client *owner = mig_owner(context, entry->name, entry->name_length),
                           *client = NULL;
    while ((client = gate_next_client(context, client))) {
        bool guest = mig_goes_to(context, client, entry->name, entry->name_length);
        if (client != owner && (guest || !named_value_is_of(entry, client->name)))
            continue;
        ((struct mig_client *)client->scratch)->chosen = true;
        mig_give(context, client, index);
    }
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

static bool mig_is_open(const struct ct_client *client) {
    return !((struct mig_client *)client->scratch)->chosen;
}

static void mig_split_rest(struct ct_context *context) {
    const struct ct_client *client = NULL;
    uint32_t count = sm_split_count(context, mig_is_open), index = mig_even(context, count);
    if (count > 0 && index == NO_PROFILE) {
        context->host->fail(context, "more application instances than this GPU has slices for");
        return;
    }
    while ((client = sm_split_next(context, mig_is_open, client)))
        mig_give(context, client, index);
}

/* ---- MPS inside an instance ---- */

/* Calls `each` with every client that an entry of `shared` lets in, and who lets it. */
static void mig_walk_shared(struct ct_context *context,
                            void (*each)(struct ct_context *context, const struct ct_client *client,
                                         const struct ct_client *owner)) {
    const char *rest = ((const struct mig_options *)context->options)->shared;
    for (struct named_value entry; named_value_next(&rest, &entry);) {
        const struct ct_client *owner = mig_owner(context, entry.value, entry.value_length),
                               *client = NULL;
        while ((client = named_value_client(context, &entry, client)))
            if (client != owner)
                each(context, client, owner);
    }
}

static void mig_wait(struct ct_context *context, const struct ct_client *client,
                     const struct ct_client *owner) {
    struct mig_client *own = client->scratch;
    (void)owner;
    if (own->chosen)
        context->host->fail(context, "an application has a profile and shares another's instance");
    own->chosen = true;
}

static void mig_let_in(struct ct_context *context, const struct ct_client *client,
                       const struct ct_client *owner) {
    const struct ct_host *host = context->host;
    if (!host->share_slice(context, client, owner)) {
        host->fail(context, "'shared' needs an instance that is an application's own, and the "
                            "fidelity fluid");
        return;
    }
    host->note(context, NULL, CT_NOTE_CLIENT, (double)client->index);
    host->note(context, NULL, "shares_with", (double)owner->index);
}

static void mig_cap(struct ct_context *context) {
    const char *rest = ((const struct mig_options *)context->options)->caps;
    const struct ct_client *client = NULL;
    for (struct named_value entry; named_value_next(&rest, &entry);)
        while ((client = named_value_client(context, &entry, client)))
            context->host->set_share(context, client, (int64_t)(named_value_cap(&entry) + 0.5));
}

static bool mig_has_value(const struct named_value *entry) {
    return entry->value_length > 0;
}

static bool mig_valid(const void *options, char *reason) {
    static const struct named_form profiles = {"profiles", "APPLICATION=PROFILE", mig_has_value},
                                   shared = {"shared", "APPLICATION=APPLICATION", mig_has_value};
    const struct mig_options *own = options;
    return named_values_valid(own->profiles, &profiles, reason) &&
           named_values_valid(own->shared, &shared, reason) &&
           named_values_valid(own->caps, &named_caps, reason);
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
    mig_walk_shared(context, mig_wait);
    mig_split_rest(context);
    mig_walk_shared(context, mig_let_in);
    mig_cap(context);
    return true;
}

static void mig_report(struct ct_context *context) {
    const struct mig_state *state = context->state;
    context->host->print(context, "sms_unused", (double)state->sms);
    context->host->print(context, "compute_slices_unused", (double)state->compute);
    context->host->print(context, "memory_slices_unused", (double)state->memory);
}

static const struct ct_option mig_options[] = {
    {"profiles", CT_OPTION_BY_APP, offsetof(struct mig_options, profiles), "profile", 0, 0, "",
     NULL, "profiles by application, as vit=3g+qwen=4g; the others split the rest evenly"},
    {"shared", CT_OPTION_BY_APP, offsetof(struct mig_options, shared), "application", 0, 0, "",
     NULL, "applications that run in another's instance, under MPS, as bert=vit"},
    {"caps", CT_OPTION_BY_APP, offsetof(struct mig_options, caps), "%", 0, 0, "", NULL,
     "per cent of the SMs of its instance by application, as vit=60+bert=40"},
    {0},
};

static const struct ct_reason reasons[] = {
    {"memory_slices", "{sms SM|SMs} and {memory_slices memory slice|memory slices}",
     CT_VERB_SET_SLICE},
    {0},
};

const struct ct_policy policy_mig = {
    POLICIES_HEAD("mig"),
    .summary = "fixed slices of SMs and memory for each instance",
    .source = "NVIDIA Multi-Instance GPU User Guide; CUDA MPS documentation",
    .needs = CT_NEED_PARTITION | CT_NEED_SLICES,
    .features = CT_PARTITIONS | CT_BINDS_SHARES,
    .sharing = CT_SHARING_PARTITION,
    .options = mig_options,
    .options_size = sizeof(struct mig_options),
    .state_size = sizeof(struct mig_state),
    .client_size = sizeof(struct mig_client),
    .init = mig_init,
    .report = mig_report,
    .reasons = reasons,
    .options_valid = mig_valid,
};
