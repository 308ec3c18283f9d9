/* What the parts of the explanation share; nobody else includes it. */
#ifndef EXPLAIN_INTERNAL_H
#define EXPLAIN_INTERNAL_H

#include "base/ct_vec.h"
#include "explain/explain.h"

/* Sentences under way. The first failure is kept. */
struct prose {
    const struct result_run *run;
    struct ct_arena *arena;
    CT_VEC(const char *) lines;
    bool failed;
};

/* A sentence; an empty one is not kept. */
void prose_say(struct prose *prose, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A part of one: in the arena, never NULL. */
const char *prose_words(struct prose *prose, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void prose_join(struct prose *prose, size_t begin); /* the sentences from there become one line */
struct explain_lines
prose_lines(struct prose *prose); /* copied into the arena, the prose emptied */

/* Parts of sentences: "41.2 ms", "3.4 kernels" ... */
const char *prose_ms(struct prose *prose, double ps);
const char *prose_number(struct prose *prose, double number);
const char *prose_job(struct prose *prose, const struct result_job *job);
const char *prose_plural(struct prose *prose, const char *noun);
/* "1 kernel", "3 kernels" */
const char *prose_count(struct prose *prose, uint64_t count, const char *noun);

/* A job's parts. */
ct_time_ps explain_start(const struct result_job *job); /* when it was taken up */
/* Time that a job lost to others, from its start to its end: what it took longer than alone where
 * that is known, else all that was not its own work or host. */
ct_time_ps explain_lost(const struct result_job *job);
/* What a job of an application is: "query", "batch", "step", "job". */
const char *explain_app_noun(const struct report_app *app);
const char *explain_noun(const struct result_run *run, const struct result_job *job);

/* The target of the latency of an application's jobs; NAN: it has none. */
double explain_target_ms(const struct report_app *app);

/* "device queue 40 ms (77 %), ..."; parts below 1 % of the whole are left out. */
const char *prose_parts(struct prose *prose, const double *parts, double whole);
/* "mps 4 ms (60 %) and bert 2 ms (30 %)" of the applications and, last, of nobody's doing;
 * parts below 1 % are left out. */
const char *prose_culprits(struct prose *prose, const double *delays, bool nobody);

/* What the policy decided about a job and about those that delayed it. */
void explain_decisions(struct prose *prose, const struct result_job *job);

#endif
