/*
 * What somebody wrote for the policy `rule`: at most four expressions, checked and compiled to
 * postfix code before anything runs.
 *
 *   # a comment
 *   first: app.priority                      larger goes first; unknown goes last
 *   pass:  app.service or issued.batch < 2   may it be issued now
 *   share: if(app.batch, 40%, 100%)          of the SMs, for its whole run
 *   again: 1ms                               look again after so long while something is held
 *
 * A line that begins with a blank goes on with the one before. From loose to tight: or; and; not;
 * one comparison < <= > >= == !=; + -; * /; unary -. Functions are min(a, b ...), max(a, b ...),
 * abs(a), if(condition, a, b), known(a), app("NAME*"), kernel("*gemm*"), whose patterns are those
 * of ct_pattern.h. Numbers take ns, us, ms, s, kB, MB, GB (decimal) and %.
 *
 * All numbers are doubles, times in milliseconds, truth 1 or 0. What is unknown is NAN: arithmetic
 * with it is unknown, every comparison with it is false (!= too), and so is it itself as a
 * condition. There is nothing that loops, remembers or reaches outside.
 */
#ifndef RULE_PROGRAM_H
#define RULE_PROGRAM_H

#include "abi/ct_policy.h"

#include <stdbool.h>
#include <stdint.h>

enum rule_part { RULE_FIRST, RULE_PASS, RULE_SHARE, RULE_AGAIN, RULE_PARTS };

/* What an expression can read. Unknown where it does not apply: the target of an application that
 * has none. */
/* clang-format off */
#define RULE_FIELDS(X) \
    X(NOW, "now")                           /* since the start of the run */ \
    X(SMS, "gpu.sms")                       \
    X(APP_SERVICE, "app.service")           /* whether this task's application answers queries */ \
    X(APP_BATCH, "app.batch")               \
    X(APP_PRIORITY, "app.priority")         \
    X(APP_TARGET, "app.target")             \
    X(APP_INSTANCE, "app.instance")         \
    X(APP_ISSUED, "app.issued")             /* tasks of this instance: issued and not ended */ \
    X(JOB_AGE, "job.age")                   /* since its arrival */ \
    X(JOB_SLACK, "job.slack")               /* until it misses its target */ \
    X(JOB_LEFT, "job.left")                 /* tasks that have not ended, this one with them */ \
    X(JOB_NUMBER, "job.number")             \
    X(TASK_KERNEL, "task.kernel")           \
    X(TASK_COPY, "task.copy")               \
    X(TASK_BYTES, "task.bytes")             /* of a copy */ \
    X(TASK_BLOCKS, "task.blocks")           /* of a kernel */ \
    X(TASK_THREADS, "task.threads")         /* of one of its blocks */ \
    X(TASK_WAVES, "task.waves")             /* blocks over what the whole GPU holds at a time */ \
    X(TASK_WAITED, "task.waited")           /* in the ready pool */ \
    X(TASK_PREDICTED, "task.predicted")     /* duration alone, with all SMs */ \
    X(READY_SERVICE, "ready.service")       /* tasks in the ready pool */ \
    X(READY_BATCH, "ready.batch")           \
    X(ISSUED_SERVICE, "issued.service")     /* tasks issued and not ended */ \
    X(ISSUED_BATCH, "issued.batch")         \
    X(ISSUED_PREDICTED, "issued.predicted") /* what is left of their predictions */ \
    X(QUERIES, "queries")                   /* of services: arrived and not ended */ \
    X(SLACK, "slack")                       /* the least job.slack of them */
/* clang-format on */

#define RULE_FIELD_MEMBER(name, text) RULE_##name,
enum rule_field { RULE_FIELDS(RULE_FIELD_MEMBER) RULE_FIELD_COUNT };

enum { RULE_STEPS = 512 };

struct rule_step {
    int32_t operation;     /* of rule_program.c */
    uint32_t start, count; /* a field or how many operands; of a pattern, where in the text */
    double number;
};

struct rule_program {
    const char *text; /* the caller's, which must outlive the program */
    struct rule_step steps[RULE_STEPS];
    uint32_t step_count;
    struct {
        uint32_t begin, end; /* equal: not written */
    } parts[RULE_PARTS];
    bool reads[RULE_FIELD_COUNT], has_patterns;
};

/* What patterns are held against; NULL: nothing is. */
struct rule_names {
    const char *app, *kernel;
};

/* Compiles a text. False: `error` has line, column and reason, CT_OPTIONS_FAULT_BYTES at most. */
bool rule_compile(const char *text, struct rule_program *program, char *error);

bool rule_has(const struct rule_program *program, enum rule_part part);

/* The value of a part that was written, from those of RULE_FIELD_COUNT fields; NAN: unknown. */
double rule_value(const struct rule_program *program, enum rule_part part, const double *values,
                  const struct rule_names *names);

/* Whether this is a part of the SMs: more than 0, at most 1; or unknown, which stands for all. */
bool rule_is_share(double value);

/* What `rule` prints of a run: how many of its patterns matched no name, and how many kernels had a
 * share that is none. */
#define RULE_UNMATCHED "patterns_unmatched"
#define RULE_SHARES_BEYOND "shares_out_of_range"

/* Patterns: those that match these names are marked, by step, in RULE_STEPS marks; how many have no
 * mark. */
void rule_match(const struct rule_program *program, const struct rule_names *names, bool *matched);
uint32_t rule_unmatched(const struct rule_program *program, const bool *matched);

#endif
