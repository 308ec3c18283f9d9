#include "fuzz.h"
#include "policies/policies.h"
#include "study/cluster.h"

static void judge_places(const struct cluster *cluster) {
    FUZZ_OWES(cluster->groups.count > 0 && cluster->gpu_count > 0);
    for (size_t p = 1; p < cluster->pods.count; p++)
        FUZZ_OWES(cluster->pods.items[p - 1].arrive_s <= cluster->pods.items[p].arrive_s);
    for (size_t i = 0; i < cluster->workload.apps.count; i++) {
        bool service = cluster->workload.apps.items[i].role == CT_SERVICE;
        uint64_t each = service ? 1 : (uint64_t)cluster->batch_per_gpu, asked = cluster->gpus[i];
        if (cluster->demands.count && !service) { /* a GPU and its room per mille */
            each = 1000;
            asked *= cluster->demands.items[i].share;
        }
        FUZZ_OWES(cluster->comes_and_goes || asked <= each * cluster->gpu_count);
        FUZZ_OWES(cluster->gpus[i] > 0 || cluster->comes_and_goes);
    }
}

/* All that comes before the first run: every group's GPU with all applications, and the services on
 * their GPUs under every placement. */
static void prepare(const struct cluster *cluster) {
    struct ct_diags diags = {0};
    const struct experiment_policy mps = {.policy = policies_find("mps")};
    int status = cluster_check(cluster, &mps, &diags);
    fuzz_judge(status, &diags);
    for (int p = 0; cluster_placements[p] && status == CT_OK; p++) {
        uint64_t runs;
        struct cluster_params params = {.cluster = cluster,
                                        .placement = (enum cluster_placement)p,
                                        .seed = 1,
                                        .reps = (uint32_t)cluster->reps};
        status = cluster_run_count(&params, &runs, &diags);
        fuzz_judge(status, &diags);
        FUZZ_OWES(status != CT_OK || cluster->comes_and_goes ||
                  runs >= (uint64_t)cluster->gpu_count * params.reps);
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
