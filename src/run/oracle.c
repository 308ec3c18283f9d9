/* The truth about a whole job: what it takes alone, found by running a copy of it. */
#include "run/chance.h"
#include "run/run.h"

#include <math.h>
#include <string.h>

/* What is known of jobs of one plan, of the size that was asked about last. */
struct oracle_plan {
    double size, stretch;
    uint64_t number;  /* of the one job, where durations are drawn, from 1; else 0 */
    double *alone_ps; /* by share; 0: nobody has asked */
};

static void keep_alone(void *context, const struct sim_job_record *job) {
    *(double *)context = (double)(job->end_ps - job->first_ready_ps);
}

static struct oracle_plan *plan_of(struct run *run, const struct run_job *job) {
    struct run_client *client = job->client;
    if (!client->oracle)
        client->oracle =
            ct_arena_array(&run->arena, 2u * client->app->plan_count, sizeof *client->oracle);
    return client->oracle ? &client->oracle[run_plan_number(job)] : NULL;
}

/* The place of an answer about jobs like this one; NULL: out of memory. */
static double *answer_of(struct run *run, const struct run_job *job, ct_share share) {
    uint64_t number = chance_in_durations(job->client->app) ? job->view.number + 1 : 0;
    struct oracle_plan *plan = plan_of(run, job);
    if (plan && !plan->alone_ps)
        plan->alone_ps = ct_arena_array(&run->arena, CT_SHARE_FULL + 1, sizeof *plan->alone_ps);
    if (!plan || !plan->alone_ps)
        return NULL;
    if (plan->size != job->size || plan->stretch != job->stretch || plan->number != number)
        memset(plan->alone_ps, 0, (CT_SHARE_FULL + 1) * sizeof *plan->alone_ps);
    plan->size = job->size;
    plan->stretch = job->stretch;
    plan->number = number;
    return &plan->alone_ps[share];
}

double oracle_job_ps(struct run *run, const struct run_job *job, ct_share share) {
    double *alone_ps = answer_of(run, job, share);
    struct sim_observer observer = {.context = alone_ps, .job_ended = keep_alone};
    if (!alone_ps) {
        run_out_of_memory(run);
        return NAN;
    }
    if (*alone_ps == 0)
        jobs_run_copy(run, job, share > 0 ? share : 1, false, &observer);
    return run->failed ? NAN : *alone_ps;
}
