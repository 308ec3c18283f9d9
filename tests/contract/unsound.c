/* A policy whose description lies, in the way that UNSOUND says. */
#include "ct_policy.h"

#include <stdlib.h>
#include <string.h>

struct options {
    int64_t number;
    int32_t choice;
};

static const char *const choices[] = {"one", "two", NULL};

static struct ct_option options[] = {
    {.name = "number",
     .kind = CT_OPTION_INT,
     .unit = "",
     .standard = "5",
     .least = 0,
     .most = 10,
     .offset = offsetof(struct options, number),
     .help = "a number"},
    {.name = "choice",
     .kind = CT_OPTION_CHOICE,
     .unit = "",
     .standard = "one",
     .choices = choices,
     .offset = offsetof(struct options, choice),
     .help = "a choice"},
    {0},
};

static void nothing(void) {
}

static struct ct_reason reasons[] = {{"held", "because", CT_VERB_HOLD}, {0}};

static struct ct_policy policy = {
    .abi = CT_POLICY_ABI,
    .size = sizeof(struct ct_policy),
    .name = "unsound",
    .options = options,
    .options_size = sizeof(struct options),
    .reasons = reasons,
};

/* What is not a sentence. */
static bool unsound_sentence(const char *fault) {
    static const char *const sentences[][2] = {
        {"brace", "{held"},        {"closed", "held}"},     {"key", "for {}"},
        {"noun", "{held kernel}"}, {"plural", "{held a|}"}, {"bracket", "[for {held}"},
        {"opened", "for {held}]"}, {"nested", "[a [b] c]"}, {"twice", "{held{held}}"},
    };
    for (size_t i = 0; i < sizeof sentences / sizeof sentences[0]; i++)
        if (strcmp(fault, sentences[i][0]) == 0) {
            reasons[0].sentence = sentences[i][1];
            return true;
        }
    return false;
}

const struct ct_policy *ct_policy_entry(void) {
    const char *fault = getenv("UNSOUND");
    if (!fault)
        return &policy;
    if (strcmp(fault, "needs") == 0)
        policy.needs = 32;
    if (strcmp(fault, "predictor") == 0)
        policy.predictor = 3;
    if (strcmp(fault, "step") == 0)
        policy.profile_step_pct = 101;
    if (strcmp(fault, "cost") == 0)
        policy.prediction_cost_ps = INT64_MIN;
    if (strcmp(fault, "size") == 0)
        policy.task_size = SIZE_MAX;
    if (strcmp(fault, "kind") == 0)
        memset(&options[0].kind, 0x7f, sizeof options[0].kind);
    if (strcmp(fault, "name") == 0)
        options[1].name = options[0].name;
    if (strcmp(fault, "offset") == 0)
        options[1].offset = sizeof(struct options) - 3;
    if (strcmp(fault, "help") == 0)
        options[0].help = NULL;
    if (strcmp(fault, "choices") == 0)
        options[1].choices = NULL;
    if (strcmp(fault, "default") == 0)
        options[0].standard = "eleven";
    if (strcmp(fault, "choice") == 0)
        options[1].standard = "three";
    if (strcmp(fault, "reserved") == 0)
        policy.reserved[6] = nothing;
    if (strcmp(fault, "verb") == 0)
        reasons[0].verb = CT_READ_READY_NEXT;
    if (strcmp(fault, "none: a note") == 0)
        reasons[0].verb = CT_VERB_NOTE;
    if (strcmp(fault, "words") == 0)
        reasons[0].sentence = NULL;
    if (unsound_sentence(fault))
        return &policy;
    if (strcmp(fault, "null") == 0)
        return NULL;
    return &policy;
}
