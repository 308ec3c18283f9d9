#include "base/ct_verb.h"

#include <string.h>

#define TEXTS(verb_, name_) [verb_] = {name_, name_ " rejected", name_ " withheld"}

static const char *const texts[CT_VERBS][CT_OUTCOMES] = {
    TEXTS(CT_VERB_HOLD, "hold"),
    TEXTS(CT_VERB_ISSUE, "issue"),
    TEXTS(CT_VERB_NOTE, "note"),
    TEXTS(CT_VERB_SET_SHARE, "set_share"),
    TEXTS(CT_VERB_REPARTITION, "repartition"),
    TEXTS(CT_VERB_SET_MEM_WEIGHT, "set_mem_weight"),
    TEXTS(CT_VERB_SET_SLICE, "set_slice"),
    TEXTS(CT_VERB_PREEMPT, "preempt"),
    TEXTS(CT_VERB_TIMER, "timer"),
    TEXTS(CT_VERB_CHARGE, "charge"),
    TEXTS(CT_VERB_FEEDBACK, "feedback"),
    TEXTS(CT_VERB_FEEDBACK_CALL, "feedback_call"),
    TEXTS(CT_VERB_PRINT, "print"),
    TEXTS(CT_READ_READY_NEXT, "ready_next"),
    TEXTS(CT_READ_JOB_NEXT, "job_next"),
    TEXTS(CT_READ_COUNTERS, "counters"),
    TEXTS(CT_READ_PREDICT_TASK, "predict_task"),
    TEXTS(CT_READ_PREDICT_JOB, "predict_job"),
    TEXTS(CT_READ_PREDICT_CALL, "predict_call"),
    TEXTS(CT_READ_PREDICT_COMPLETION, "predict_completion"),
    TEXTS(CT_READ_UPCOMING, "upcoming"),
    TEXTS(CT_READ_TASKS_AHEAD, "tasks_ahead"),
};

const char *ct_verb_text(enum ct_verb verb, enum ct_outcome outcome) {
    return texts[verb][outcome];
}

bool ct_verb_find(const char *text, enum ct_verb *verb, enum ct_outcome *outcome) {
    for (int o = 0; o < CT_OUTCOMES; o++) /* nearly all of a log was done */
        for (int v = 0; v < CT_VERBS; v++)
            if (strcmp(texts[v][o], text) == 0) {
                *verb = (enum ct_verb)v;
                *outcome = (enum ct_outcome)o;
                return true;
            }
    return false;
}
