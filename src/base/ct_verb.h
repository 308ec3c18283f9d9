/* The entries of the decision log by name: what is stored, shown and found again. */
#ifndef CT_VERB_H
#define CT_VERB_H

#include "abi/ct_policy.h"

/* What became of a verb. */
enum ct_outcome {
    CT_DONE,
    /* It broke the contract. */
    CT_REJECTED,
    /* The user asked what if this decision went the other way. */
    CT_WITHHELD,
    CT_OUTCOMES
};

/* "issue", "issue rejected", "issue withheld": one literal for each pair. */
const char *ct_verb_text(enum ct_verb verb, enum ct_outcome outcome);

/* The pair of such a text; false: it is none. */
bool ct_verb_find(const char *text, enum ct_verb *verb, enum ct_outcome *outcome);

#endif
