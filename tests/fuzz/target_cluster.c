#include "cluster_file.h"
#include "fuzz.h"

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
        FUZZ_OWES(cluster.groups.count > 0 && cluster.gpu_count > 0);
        for (size_t i = 0; i < cluster.workload.apps.count; i++)
            FUZZ_OWES(cluster.gpus[i] > 0 && cluster.gpus[i] <= cluster.gpu_count);
    }
    cluster_free(&cluster);
    ct_diags_free(&diags);
    return 0;
}
