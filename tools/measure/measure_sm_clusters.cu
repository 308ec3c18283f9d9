/* Clusters of blocks: how they find room, and what they tell of GPCs, each within one. */
#include "measure_sm.cuh"

#include <algorithm>
#include <stdlib.h>

/* Sits on an SM, on which no second block finds room. */
static __global__ void sit_kernel(struct stamp *stamps, uint32_t *on, unsigned long long ns) {
    unsigned long long begin = global_ns();
    while (global_ns() - begin < ns)
        continue;
    if (threadIdx.x == 0) {
        stamps[blockIdx.x].start_ns = begin;
        stamps[blockIdx.x].end_ns = global_ns();
        on[blockIdx.x] = sm_number();
    }
}

/* The SM of each block, on the GPU and here. */
struct places {
    uint32_t *on_gpu;
    std::vector<uint32_t> sm;
};

static struct places open_places(const struct sm_bench *b) {
    struct places p;
    p.sm.resize((size_t)b->sms);
    CHECKED(cudaMalloc(&p.on_gpu, p.sm.size() * sizeof *p.on_gpu));
    return p;
}

static void start_sitting(struct sm_bench *b, int side, int blocks, int cluster, double us,
                          struct places *places) {
    struct sm_side *s = &b->sides[side];
    size_t smem = b->smem_most - b->smem_most / 8;
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    s->blocks = blocks;
    config.gridDim = dim3((unsigned)blocks);
    config.blockDim = dim3(64);
    config.dynamicSmemBytes = smem;
    config.stream = s->stream;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = (unsigned)cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = cluster > 1;
    CHECKED(
        cudaFuncSetAttribute(sit_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)smem));
    CHECKED(cudaLaunchKernelEx(&config, sit_kernel, s->stamps, places->on_gpu,
                               (unsigned long long)(us * 1e3)));
}

static bool have_clusters(const struct sm_bench *b, const char *what) {
    if (!b->clusters)
        printf("%s: not measured, no clusters below compute capability 9.0\n", what);
    return b->clusters;
}

/* ---- CLUSTERS.csv ---- */

static const double sit_us = 100;
enum { WAVES = 3 };

static void print_waves(const struct sm_side *s, FILE *file, int older, int cluster, int launch) {
    int in_wave[WAVES] = {};
    unsigned long long begin = ~0ull, end = 0;
    for (int i = 0; i < s->blocks; i++) {
        begin = std::min(begin, s->host[i].start_ns);
        end = std::max(end, s->host[i].end_ns);
    }
    for (int i = 0; i < s->blocks; i++) {
        double waves = (double)(s->host[i].start_ns - begin) / 1e3 / sit_us;
        if (waves < WAVES)
            in_wave[(int)waves]++;
    }
    fprintf(file, "%d,%d,%d,%d,%d,%d,%d,%.2f\n", older, cluster, launch, s->blocks, in_wave[0],
            in_wave[1], in_wave[2], (double)(end - begin) / 1e3);
}

/* As many blocks as there are SMs, beside blocks that sit on some of these all the time. */
static void measure_waves(struct sm_bench *b, struct places *places, FILE *file, int older,
                          int cluster, int launch) {
    sm_clear(b);
    if (older)
        start_sitting(b, SM_OLDER, older, 1, 15 * sit_us, &places[SM_OLDER]);
    sm_wait(60e-6);
    start_sitting(b, SM_YOUNGER, b->sms / cluster * cluster, cluster, sit_us, &places[SM_YOUNGER]);
    if (older)
        sm_end(b, SM_OLDER);
    sm_end(b, SM_YOUNGER);
    print_waves(&b->sides[SM_YOUNGER], file, older, cluster, launch);
}

void sm_clusters(struct sm_bench *b, const char *folder) {
    if (!have_clusters(b, "CLUSTERS.csv"))
        return;
    FILE *file =
        sm_table(folder, "CLUSTERS.csv",
                 "older_blocks,cluster,launch,blocks,in_wave_1,in_wave_2,in_wave_3,end_us");
    struct places places[SM_SIDES] = {open_places(b), open_places(b)};
    for (int older : {0, b->sms / 4, b->sms / 2})
        for (int cluster : {1, 2, 4, 8})
            for (int launch = 0; launch < 2; launch++)
                measure_waves(b, places, file, older, cluster, launch);
    for (struct places &p : places)
        CHECKED(cudaFree(p.on_gpu));
    fclose(file);
}

/* ---- GPCS.csv ---- */

/* Two SMs whose blocks were of one cluster lie in one GPC. */
static void join(std::vector<int> &gpc, uint32_t sm, uint32_t other) {
    int from = gpc[sm], to = gpc[other];
    for (int &of : gpc)
        if (of == from)
            of = to;
}

/* The GPC of each SM, by the number of one of its SMs. */
static std::vector<int> find_gpcs(struct sm_bench *b) {
    std::vector<int> gpc;
    struct places places = open_places(b);
    for (int i = 0; i < b->sms; i++)
        gpc.push_back(i);
    for (int cluster : {2, 4, 6, 8, 6, 4, 2, 8})
        for (int repeat = 0; repeat < 6; repeat++) {
            int blocks = b->sms / cluster * cluster;
            sm_clear(b);
            start_sitting(b, SM_YOUNGER, blocks, cluster, 50 + 7 * repeat, &places);
            sm_end(b, SM_YOUNGER);
            CHECKED(cudaMemcpy(places.sm.data(), places.on_gpu,
                               (size_t)blocks * sizeof *places.on_gpu, cudaMemcpyDeviceToHost));
            for (int i = 0; i < blocks; i++)
                join(gpc, places.sm[(size_t)i], places.sm[(size_t)(i / cluster * cluster)]);
        }
    CHECKED(cudaFree(places.on_gpu));
    return gpc;
}

void sm_gpcs(struct sm_bench *b, const char *folder) {
    if (!have_clusters(b, "GPCS.csv, DRAW_GPC.csv"))
        return;
    std::vector<int> gpc = find_gpcs(b);
    FILE *file = sm_table(folder, "GPCS.csv", "sm,gpc");
    for (size_t sm = 0; sm < gpc.size(); sm++)
        fprintf(file, "%zu,%d\n", sm, gpc[sm]);
    fclose(file);
    sm_draw_gpcs(b, folder, gpc);
}
