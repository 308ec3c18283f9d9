/* Why Baymax holds and issues, and what it notes, in words. */
#include "policies/baymax_reasons.h"

#include "policies/gate.h"

#define HELD(key_, why_)                                                                           \
    { key_, "[predicted {held_t_ps}, ]" why_, CT_VERB_HOLD }

const struct ct_reason baymax_reasons[] = {
    [HELD_TQ] =
        HELD("held_tq_ps", "{held_tq_ps} predicted to be under way, more than a target allows"),
    [HELD_HEADROOM] = HELD("held_headroom_ps", "headroom[ of {held_client}] {held_headroom_ps}"),
    [HELD_ENTRY] =
        HELD("held_entry_ps", "only {held_entry_ps} could be added without harm to a next query"),
    [HELD_COPIES] = HELD("held_copies", PCIE_LIMIT_HELD),
    [HELD_TOO_LONG] =
        HELD("held_too_long_queries",
             "too long for any headroom, and {held_too_long_queries query|queries} active"),
    [HELD_UNKNOWN] = HELD("held_unknown_queries",
                          "no prediction, and {held_unknown_queries query|queries} active"),
    [HELD_AHEAD] = HELD("held_tasks_ahead",
                        "{held_tasks_ahead task|tasks} before it in its stream have not ended"),
    {"issue_t_ps", "predicted {issue_t_ps}[, headroom {issue_headroom_ps}]", CT_VERB_ISSUE},
    {"issue_in_call_of_ps",
     "part of a library call that was predicted to take {issue_in_call_of_ps}", CT_VERB_ISSUE},
    {"headroom_first_ps", "the query begins with a headroom of {headroom_first_ps}", CT_VERB_NOTE},
    {"headroom_refill_ps", "the query has a headroom of {headroom_refill_ps} again", CT_VERB_NOTE},
    PCIE_LIMIT_NOTE,
    {0},
};
