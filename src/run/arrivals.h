/* When jobs arrive: a pure function of (seed, replication, application name and instance). */
#ifndef ARRIVALS_H
#define ARRIVALS_H

#include "base/ct_diag.h"
#include "des/des_stream.h"
#include "workload/workload.h"

struct arrivals {
    const struct workload_arrivals *spec;
    struct des_stream stream, choice; /* of the whole stream, and of what comes here */
    ct_time_ps last_ps;               /* of open processes: the last arrival */
    double rate_per_s;                /* mean of the whole stream; of a trace: after scaling */
    double servers;                   /* among which it is split */
    uint64_t next_stamp;              /* trace: counted on through laps */
    size_t stamp;                     /* trace: which one was the last arrival */
    ct_time_ps offset_ps;             /* trace: the drawn start within the recording */
    bool begun;                       /* gamma: the gap in which the run begins is over */
    bool burst;
    double state_left_s; /* mmpp: of the present state */
};

/* `name` is the application's; instances have streams of their own. */
void arrivals_init(struct arrivals *arrivals, const struct workload_arrivals *spec, uint64_t seed,
                   uint64_t replication, const char *name);

/* Whether arrivals do not depend on completions. */
bool arrivals_are_open(const struct workload_arrivals *spec);

/* Arrivals per second in the long run, of those that come here; NAN for closed loops. */
double arrivals_mean_rate(const struct workload_arrivals *spec);

/* Why nobody can give them another rate, as the end of a sentence; NULL: somebody can. */
const char *arrivals_fixed_because(const struct workload_arrivals *spec);

/* The rate of a recording before it is scaled: of the gaps between its stamps. One such gap after
 * the last stamp the first comes again. */
double arrivals_recorded_rate(const struct workload_arrivals *spec);

/* The next arrival of an open process, not before the one before; CT_TIME_NEVER: no more. */
ct_time_ps arrivals_next(struct arrivals *arrivals);

/* What to say of a replayed recording that ends before the run: nothing comes after that, and what
 * is counted per second of the run is less. False: it lasts, or nothing is replayed. */
enum { ARRIVALS_END_TEXT = 200 };
bool arrivals_describe_end(const struct workload *workload, const struct workload_app *app,
                           char text[ARRIVALS_END_TEXT]);

/* Says so of each application. */
void arrivals_notice_ends(const struct workload *workload, struct ct_diags *diags);

/* Says which applications begin after the run: what a report would have of them is nothing. */
void arrivals_notice_starts(const struct workload *workload, struct ct_diags *diags);

/* Closed: time before the first job of a client (delay_ms), or before the next one (think_ms). */
ct_time_ps arrivals_wait(struct arrivals *arrivals, const struct workload_draw *wait_ms);

/* Closed: a random phase below this length, for the first job. */
ct_time_ps arrivals_phase(struct arrivals *arrivals, double length_ps);

/* A positive number of this distribution. */
double arrivals_draw(const struct workload_draw *draw, struct des_stream *stream);

#endif
