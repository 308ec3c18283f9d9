/* A policy that goes wrong where it is told to: crash, abort, exit, loop, sleep, tick for ever,
 * think long at one instant, be deaf to signals, lie or break its contract. Without being told it
 * is plain first come first served. */
#include "ct_policy.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum fault { NONE, CRASH, ABORT, EXIT, LOOP, SLEEP, TICK, THINK, LIE, BREAK, DEAF, QUICK };

struct options {
    int32_t fault;
    double after_ms;
};

static const char *const faults[] = {"none",  "crash", "abort", "exit", "loop",  "sleep", "tick",
                                     "think", "lie",   "break", "deaf", "quick", NULL};

static const struct ct_option options[] = {
    {.name = "fault",
     .kind = CT_OPTION_CHOICE,
     .unit = "",
     .standard = "none",
     .choices = faults,
     .offset = offsetof(struct options, fault),
     .help = "what goes wrong"},
    {.name = "after_ms",
     .kind = CT_OPTION_DOUBLE,
     .unit = "ms",
     .standard = "5",
     .least = 0,
     .most = 1e6,
     .offset = offsetof(struct options, after_ms),
     .help = "not before this simulated time"},
    {0},
};

/* Verbs that no policy may call so: each is refused. */
static void lie(struct ct_context *context) {
    const struct ct_host *host = context->host;
    int64_t sms[1] = {1000000};
    host->issue(context, NULL, NULL);
    host->set_share(context, host->client(context, 0), -5);
    host->repartition(context, sms, 1, 77);
    host->timer(context, host->now(context) - 1, 0);
    host->charge(context, -1);
    host->preempt(context, NULL);
    host->set_mem_weight(context, host->client(context, 0), -3);
}

static void misbehave(struct ct_context *context, int32_t fault) {
    volatile bool stay = true;
    if (fault == CRASH)
        raise(SIGSEGV);
    if (fault == ABORT)
        abort();
    if (fault == EXIT)
        exit(0);
    if (fault == QUICK)
        quick_exit(0);
    if (fault == DEAF)
        signal(SIGTERM, SIG_IGN);
    while (fault == LOOP && stay)
        ;
    if (fault == SLEEP)
        sleep(3600);
    for (volatile int i = 0; fault == THINK && i < 1000000; i++)
        continue; /* a hook that takes a millisecond, again and again at one instant */
    if (fault == TICK || fault == THINK)
        context->host->timer(context, context->host->now(context), 0);
    if (fault == LIE)
        lie(context);
    if (fault == BREAK)
        context->host->fail(context, "more in flight than was issued");
}

static void decide(struct ct_context *context, uint32_t why) {
    const struct options *own = context->options;
    const struct ct_host *host = context->host;
    (void)why;
    if (own->fault != NONE && host->now(context) >= (int64_t)(own->after_ms * 1e9))
        misbehave(context, own->fault);
    for (const struct ct_task *t = host->ready_next(context, NULL), *next; t; t = next) {
        next = host->ready_next(context, t);
        host->issue(context, t, NULL);
    }
}

static const struct ct_policy policy = {
    .abi = CT_POLICY_ABI,
    .size = sizeof(struct ct_policy),
    .name = "misbehaves",
    .summary = "goes wrong where it is told to",
    .options = options,
    .options_size = sizeof(struct options),
    .decide = decide,
};

const struct ct_policy *ct_policy_entry(void) {
    return &policy;
}
