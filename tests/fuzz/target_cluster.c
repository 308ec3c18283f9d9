#include "fuzz.h"
#include "policies/policies.h"
#include "study/cluster.h"

static void judge_pods(const struct cluster *cluster) {
    for (size_t i = 0; i < cluster->pods.count; i++) {
        const struct cluster_pod *pod = &cluster->pods.items[i];
        FUZZ_OWES(pod->app < cluster->workload.apps.count);
        FUZZ_OWES(pod->demand < cluster->demands.count);
        FUZZ_OWES(pod->arrive_s >= 0 && pod->stay_s > 0);
    }
}

static void judge_places(const struct cluster *cluster) {
    FUZZ_OWES(cluster->groups.count > 0 && cluster->gpu_count > 0);
    for (size_t i = 0; i < cluster->workload.apps.count && !cluster->pods.count; i++) {
        bool service = cluster->workload.apps.items[i].role == CT_SERVICE;
        uint64_t each = service ? 1 : (uint64_t)cluster->batch_per_gpu;
        FUZZ_OWES(cluster->gpus[i] > 0 && cluster->gpus[i] <= each * cluster->gpu_count);
    }
    judge_pods(cluster);
}

/* All that comes before the first run: every group's GPU with all applications, and the services on
 * their GPUs under every placement. */
static void prepare(const struct cluster *cluster) {
    struct ct_diags diags = {0};
    int status = cluster_check(cluster, policies_find("mps"), &diags);
    fuzz_judge(status, &diags);
    for (int p = 0; cluster_placements[p] && status == CT_OK; p++) {
        uint64_t runs;
        struct cluster_params params = {.cluster = cluster,
                                        .placement = (enum cluster_placement)p,
                                        .seed = 1,
                                        .reps = (uint32_t)cluster->reps};
        status = cluster_run_count(&params, &runs, &diags);
        fuzz_judge(status, &diags);
        FUZZ_OWES(runs >= (uint64_t)cluster->gpu_count * params.reps);
    }
    ct_diags_free(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static bool ready;
    if (!ready) {
        fuzz_traces_make();
        ready = true;
    }
    struct ct_diags diags = {0};
    struct cluster cluster = {0};
    int status = cluster_read(fuzz_file("cluster.json", data, size), NULL, 0, &cluster, &diags);
    fuzz_judge(status, &diags);
    if (status == CT_OK) {
        judge_places(&cluster);
        prepare(&cluster);
    }
    cluster_free(&cluster);
    ct_diags_free(&diags);
    return 0;
}
