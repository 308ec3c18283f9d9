#include "study/cluster_job.h"

#include "base/ct_text.h"
#include "run/arrivals.h"
#include "study/balancer.h"
#include "study/cluster_memory.h"
#include "study/cut_policy.h"
#include "study/plan.h"

#include <stdlib.h>
#include <string.h>

static void add_placement(struct cluster_job *job, const char *name, size_t length,
                          struct ct_diags *diags) {
    char text[32];
    snprintf(text, sizeof text, "%.*s", (int)length, name);
    size_t count = 0;
    while (cluster_placements[count])
        count++;
    size_t found = ct_text_index(text, cluster_placements, count);
    for (size_t i = 0; i < job->placements.count; i++)
        if ((size_t)job->placements.items[i] == found)
            ct_error(diags, "--placement", "'%s' is named twice", text);
    if (found == count)
        ct_unknown(diags, "placement", text, cluster_placements, count);
    else if (!ct_vec_push(&job->placements, (int32_t)found))
        ct_out_of_memory(diags);
}

static void read_placements(struct cluster_job *job, struct ct_diags *diags) {
    const char *list = job->request.placements;
    if (!list)
        list = cluster_placements[job->cluster.placement];
    for (const char *next = list; next;) {
        size_t length = strcspn(next, ",");
        add_placement(job, next, length, diags);
        next = next[length] ? next + length + 1 : NULL;
    }
}

/* Whether it can place what the applications ask for, shares or places. */
static void check_placement(const struct cluster *cluster, enum cluster_placement how,
                            struct ct_diags *diags) {
    bool by_shares = how >= CLUSTER_BEST_FIT;
    bool by_places = how == CLUSTER_BEST_PROFILE || how == CLUSTER_HUNGARIAN;
    bool shares = cluster->demands.count > 0;
    if (shares ? by_places : by_shares)
        ct_error(diags, "placement", "'%s' goes by %s, and the applications %s 'share_pct'%s",
                 cluster_placements[how], by_shares ? "shares of a GPU" : "places",
                 shares ? "have" : "have no", shares ? " or 'slice'" : "");
}

static bool all_are_cut(const struct cluster *cluster) {
    for (uint32_t g = 0; g < cluster->groups.count; g++)
        if (!cut_policy_rules(cluster, g))
            return false;
    return true;
}

/* GPUs that are cut by MIG run nothing but its policy. */
static void check_policies(const struct cluster_job *job, struct ct_diags *diags) {
    for (size_t p = 0; all_are_cut(&job->cluster) && p < job->policies.policies.items.count; p++) {
        const struct experiment_policy *policy = &job->policies.policies.items.items[p];
        if (policy->policy != cut_policy())
            ct_error(diags, "--policies", "'%s' would run nowhere: all GPUs are cut by MIG ('mig')",
                     policy->label);
    }
}

static int read_policies(struct cluster_job *job, struct ct_diags *diags) {
    bool own = job->request.policies || job->cluster.workload.policy;
    const char *policies = !own && all_are_cut(&job->cluster) ? "mig" : job->request.policies;
    job->policies.request = (struct scenario_request){.policies = policies,
                                                      .trusts_files = job->request.trusts_files,
                                                      .watch = job->request.watch};
    job->policies.workload = job->cluster.workload; /* whose settings the policies take */
    int status = scenario_add_policies(&job->policies, diags);
    return status == CT_OK ? scenario_check_options(&job->policies, diags) : status;
}

/* What copies ask for can be had of some GPU on which nothing stands. */
static int check_demands(const struct cluster *cluster, struct ct_diags *diags) {
    struct yard yard;
    int status = cluster->demands.count ? yard_open(cluster, 0, &yard, diags) : CT_OK;
    if (!cluster->demands.count)
        return status;
    for (uint32_t p = 0; status == CT_OK && p < cluster->pods.count; p++) {
        const struct cluster_pod *pod = &cluster->pods.items[p];
        char why[300];
        if (yard_is_possible(&yard, pod))
            continue;
        yard_explain(&yard, pod, NULL, why, sizeof why);
        ct_error(diags, cluster->workload.path, "'%s' fits on no GPU: %s",
                 cluster->workload.apps.items[pod->app].name, why);
        status = CT_USAGE;
    }
    yard_close(&yard);
    return status;
}

/* GPUs whose copies change are simulated one after the other. */
static void check_balancer(const struct cluster_job *job, struct ct_diags *diags) {
    if (job->cluster.comes_and_goes && balancer_looks(job->params.balancer))
        ct_error(diags, "balancer",
                 "'%s' looks at the load of GPUs, which is not known where copies come and go: "
                 "'random' and 'round-robin' are",
                 cluster_balancers[job->params.balancer]);
    if (job->request.place_only && !job->cluster.demands.count)
        ct_error(diags, "--place-only", "the applications have no 'share_pct' or 'slice'");
}

static struct cluster_params params_of_request(const struct cluster_job *job) {
    const struct cluster_request *request = &job->request;
    const struct cluster *cluster = &job->cluster;
    int64_t reps = request->reps == SCENARIO_OWN ? cluster->reps : request->reps;
    int balancer = request->balancer == SCENARIO_OWN ? cluster->balancer : request->balancer;
    return (struct cluster_params){
        .cluster = cluster,
        .balancer = (enum cluster_balancer)balancer,
        .seed = (uint64_t)(request->seed == SCENARIO_OWN ? cluster->workload.seed : request->seed),
        .reps = (uint32_t)reps,
        .place_only = request->place_only,
        .threads = 1};
}

int cluster_job_open(struct cluster_job *job, const struct cluster_request *request,
                     struct ct_diags *diags) {
    *job = (struct cluster_job){.request = *request};
    int status = cluster_read(request->path, request->assignments, request->assignment_count,
                              &job->cluster, diags);
    if (status != CT_OK)
        return status;
    status = read_policies(job, diags);
    read_placements(job, diags);
    for (size_t i = 0; i < job->placements.count; i++)
        check_placement(&job->cluster, (enum cluster_placement)job->placements.items[i], diags);
    job->params = params_of_request(job);
    check_policies(job, diags);
    check_balancer(job, diags);
    plan_note_unjudged(&job->cluster.workload,
                       "no application is run alone on the GPUs of a cluster", diags);
    arrivals_notice_ends(&job->cluster.workload, diags);
    if (status == CT_OK)
        status = cluster_memory_check_apps(&job->cluster, diags);
    if (status == CT_OK)
        status = check_demands(&job->cluster, diags);
    if (status == CT_OK && diags->errors)
        status = CT_USAGE;
    for (size_t p = 0; p < job->policies.policies.items.count && status == CT_OK; p++)
        status = cluster_check(&job->cluster, &job->policies.policies.items.items[p], diags);
    if (status != CT_OK)
        return status;
    job->count = job->placements.count * job->policies.policies.items.count;
    job->scenarios = calloc(job->count + 1, sizeof *job->scenarios);
    return job->scenarios ? CT_OK : ct_out_of_memory(diags);
}

void cluster_job_close(struct cluster_job *job) {
    for (size_t i = 0; i < job->done; i++)
        cluster_result_free(&job->scenarios[i].result);
    free(job->scenarios);
    ct_vec_free(&job->placements);
    job->policies.workload = (struct workload){0}; /* the cluster's */
    scenario_close(&job->policies);
    cluster_free(&job->cluster);
    ct_arena_free(&job->arena);
}

struct cluster_params cluster_job_params(const struct cluster_job *job, size_t scenario) {
    struct cluster_params params = job->params;
    size_t policies = job->policies.policies.items.count;
    params.policy = &job->policies.policies.items.items[scenario % policies];
    params.placement = (enum cluster_placement)job->placements.items[scenario / policies];
    return params;
}

int cluster_job_check_places(const struct cluster_job *job, struct ct_diags *diags) {
    int status = CT_OK;
    size_t policies = job->policies.policies.items.count; /* places do not depend on them */
    for (size_t i = 0; i < job->count && status == CT_OK; i += policies) {
        struct cluster_params params = cluster_job_params(job, i);
        status = cluster_check_places(&params, diags);
    }
    return status;
}

int cluster_job_run_count(const struct cluster_job *job, uint64_t *count, struct ct_diags *diags) {
    int status = CT_OK;
    *count = 0;
    for (size_t i = 0; i < job->count && status == CT_OK; i++) {
        struct cluster_params params = cluster_job_params(job, i);
        uint64_t own = 0;
        status = cluster_run_count(&params, &own, diags);
        *count += own;
    }
    return status;
}
