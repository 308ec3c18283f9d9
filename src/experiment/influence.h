/*
 * Whether a setting changes anything: the first replication with it beside the same without it,
 * from an empty system and without a warm-up. What applications do alone depends on no policy and
 * is looked at apart, once. First comes a 32nd of the duration, then all of it, so that only a
 * setting without influence costs whole runs; long ones are looked at over the part that has
 * INFLUENCE_EVENTS events.
 */
#ifndef INFLUENCE_H
#define INFLUENCE_H

#include "experiment/experiment.h"

/* About a second of work for each run; assumed to be bearable. */
#define INFLUENCE_EVENTS 2000000.0

enum influence_stage { INFLUENCE_PART, INFLUENCE_WHOLE, INFLUENCE_STAGES };

/* In place of a policy: what applications do alone. */
#define INFLUENCE_ALONE UINT32_MAX

/* What the policy of an experiment does with the workload as it is, stage by stage. */
struct influence {
    const struct experiment *experiment; /* its first replication is looked at */
    uint32_t policy;
    char *reports[INFLUENCE_STAGES]; /* once they are known: JSON */
    double stage_s[INFLUENCE_STAGES];
    double events; /* events of the runs of the first stage */
};

/* The measured part of a report as JSON: what repeats names and settings is left out. To be freed;
 * NULL: memory ran out. */
char *influence_measured(const struct report *report);

void influence_free(struct influence *influence);

/* How many events it takes to ask, about; of the first stage before it was asked once only those of
 * what the policy learns. */
double influence_cost(const struct influence *with, enum influence_stage stage);

/* What was seen by one or several that were asked. */
struct influence_look {
    bool asked, found; /* whether anything of the reports differs */
    bool too_long;     /* nobody was asked */
    double looked_s;   /* over how much simulated time was looked, the least */
    double events;     /* that it took, in all */
};

/*
 * Compares with the first policy of `without`, an experiment on another setup, or with what
 * applications do alone there, and adds to the look what is seen. enum ct_status.
 */
int influence_ask(struct influence *with, enum influence_stage stage,
                  const struct experiment *without, struct influence_look *look,
                  struct ct_diags *diags);

#endif
