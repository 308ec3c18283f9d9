/* The scenarios of a cluster job, one after the other, and what is asked about its settings. */
#include "study/cluster_job.h"
#include "study/cluster_settings.h"

int cluster_job_run(struct cluster_job *job, struct ct_diags *diags) {
    int status = CT_OK;
    for (size_t i = 0; i < job->count && status == CT_OK; i++) {
        struct cluster_params params = cluster_job_params(job, i);
        struct cluster_scenario *scenario = &job->scenarios[i];
        scenario->policy = params.policy->label;
        scenario->placement = cluster_placements[params.placement];
        status = cluster_run(&params, &scenario->result, diags);
        if (status == CT_OK)
            job->done++;
        else
            cluster_result_free(&scenario->result);
    }
    if (job->params.place_only)
        return status;
    return status == CT_OK ? cluster_settings_ask(job, &job->arena, &job->settings, diags) : status;
}
