/* What kernels on some of the SMs draw from memory. */
#include "measure_sm_units.cuh"

#include <algorithm>

struct drawing {
    bool random;
    int times, per_sm; /* times: of multiply_add for each 16 bytes; per_sm: blocks */
    long long units;
};

struct drawn {
    double blocks, us, gb_per_s;
};

using sm_set = std::vector<unsigned char>; /* 1: the SM of this number is in it */

/* ---- on the GPU ---- */

struct draw {
    struct sm_run r;
    int per_sm, blocks, times;
    const unsigned char *chosen;
    int *taken; /* blocks of each SM so far; behind them, of all */
};

/* Fills the GPU; blocks on SMs that are not chosen, and more than asked for, end at once. */
template <bool RANDOM>
static __global__ void __launch_bounds__(THREADS) draw_kernel(struct draw w) {
    __shared__ int mine;
    if (threadIdx.x == 0) {
        uint32_t sm = sm_number();
        bool wanted = w.chosen[sm] && atomicAdd(&w.taken[sm], 1) < w.per_sm;
        mine = wanted ? atomicAdd(&w.taken[SM_SMS_MOST], 1) : -1;
        w.r.stamps[blockIdx.x].start_ns = wanted ? global_ns() : 0;
    }
    __syncthreads();
    if (mine < 0)
        return;
    float sum = 0;
    unsigned bits = 0;
    for (long long i = 0; i < w.r.units; i++)
        bits ^= read_unit<RANDOM>(&w.r, (unsigned)mine, (unsigned)w.blocks, i, &sum, w.times);
    keep(bits ^ __float_as_uint(sum), w.r.sink);
    __syncthreads();
    if (threadIdx.x == 0) {
        w.r.stamps[blockIdx.x].end_ns = global_ns();
        atomicAdd(w.r.done, 1ull);
    }
}

/* ---- once, and the median ---- */

/* The first block's begin to the last block's end. */
static double spanned_us(const struct sm_side *s) {
    unsigned long long begin = ~0ull, end = 0;
    for (int i = 0; i < s->blocks; i++)
        if (s->host[i].start_ns) {
            begin = std::min(begin, s->host[i].start_ns);
            end = std::max(end, s->host[i].end_ns);
        }
    return (double)(end - begin) / 1e3;
}

static struct drawn draw_once(struct sm_bench *b, const struct drawing *d, const sm_set &chosen) {
    struct sm_side *s = &b->sides[SM_OLDER];
    struct draw w = {sm_next_run(b, SM_OLDER, d->units), d->per_sm, 0, d->times, NULL, NULL};
    unsigned char *on_gpu;
    w.blocks = (int)std::count(chosen.begin(), chosen.end(), 1) * d->per_sm;
    s->blocks = b->sms * 8;
    CHECKED(cudaMalloc(&w.taken, (SM_SMS_MOST + 1) * sizeof *w.taken));
    CHECKED(cudaMalloc(&on_gpu, SM_SMS_MOST));
    CHECKED(cudaMemset(w.taken, 0, (SM_SMS_MOST + 1) * sizeof *w.taken));
    CHECKED(cudaMemset(s->stamps, 0, (size_t)s->blocks * sizeof *s->stamps));
    CHECKED(cudaMemcpy(on_gpu, chosen.data(), SM_SMS_MOST, cudaMemcpyHostToDevice));
    w.chosen = on_gpu;
    sm_clear(b);
    (d->random ? draw_kernel<true> : draw_kernel<false>)<<<s->blocks, THREADS, 0, s->stream>>>(w);
    CHECKED(cudaGetLastError());
    struct drawn result = {sm_end(b, SM_OLDER).units, spanned_us(s), 0};
    CHECKED(cudaFree(on_gpu));
    CHECKED(cudaFree(w.taken));
    return result;
}

static struct drawn draw(struct sm_bench *b, const struct drawing *d, const sm_set &chosen) {
    std::vector<double> us;
    struct drawn result;
    for (int i = 0; i < SM_REPEATS; i++) {
        result = draw_once(b, d, chosen);
        us.push_back(result.us);
    }
    double bytes = result.blocks * (double)d->units * READS * THREADS / 2 * SECTOR_BYTES;
    result.us = sm_median(us);
    result.gb_per_s = bytes / result.us / 1e3;
    return result;
}

/* The n first SMs, or every step-th. */
static sm_set choose(const struct sm_bench *b, int n, int step) {
    sm_set chosen(SM_SMS_MOST, 0);
    for (int i = 0; i < n && i * step < b->sms; i++)
        chosen[(size_t)(i * step)] = 1;
    return chosen;
}

/* A drawing so long that it takes 0.3 ms on all SMs. */
static struct drawing drawing_of(struct sm_bench *b, bool random, int times, int per_sm) {
    struct drawing d = {random, times, per_sm, 64};
    double us = draw_once(b, &d, choose(b, b->sms, 1)).us;
    d.units = (long long)((double)d.units * 300 / us) + 1;
    return d;
}

/* Blocks on an SM: as many as it takes at once, at most. */
static std::vector<int> blocks_per_sm(const struct sm_bench *b) {
    std::vector<int> all;
    for (int per_sm : {1, 2, 4, 8})
        if (per_sm * THREADS / 32 <= b->warps_most)
            all.push_back(per_sm);
    return all;
}

static const char *name_of(bool random) {
    return random ? "random" : "in order";
}

/* ---- DRAW.csv ---- */

static void draw_on_some(struct sm_bench *b, const struct drawing *d, FILE *file) {
    int sms = b->sms;
    const int sets[][2] = {{1, 1},       {2, 1},       {2, 2},           {4, 1},       {4, 4},
                           {8, 1},       {16, 1},      {16, 8},          {sms / 4, 1}, {sms / 4, 4},
                           {sms / 2, 1}, {sms / 2, 2}, {sms * 3 / 4, 1}, {sms, 1}};
    for (const auto &set : sets) {
        struct drawn of = draw(b, d, choose(b, set[0], set[1]));
        fprintf(file, "%s,%d,%d,%d,%d,%.0f,%.1f,%.2f,%.3f\n", name_of(d->random), d->times * 4,
                set[0], set[1], d->per_sm, of.blocks, of.us, of.gb_per_s, of.gb_per_s / set[0]);
    }
}

void sm_draw(struct sm_bench *b, const char *folder) {
    static const struct {
        bool random;
        int times;
    } kinds[] = {{false, 0},  {true, 0},   {false, 4}, {false, 8},
                 {false, 16}, {false, 24}, {false, 32}};
    FILE *file = sm_table(folder, "DRAW.csv",
                          "reads,multiply_adds_per_16_bytes,sms,every,blocks_per_sm,blocks,us,"
                          "gb_per_s,gb_per_s_per_sm");
    for (const auto &kind : kinds)
        for (int per_sm : blocks_per_sm(b)) {
            struct drawing d = drawing_of(b, kind.random, kind.times, per_sm);
            draw_on_some(b, &d, file);
        }
    fclose(file);
}

/* ---- DRAW_GPC.csv ---- */

/* The `most` first SMs, or all, of each of the first GPCs; GPCs in the order of their first SMs. */
static sm_set choose_of_gpcs(const std::vector<int> &gpc, int gpcs, int most) {
    sm_set chosen(SM_SMS_MOST, 0);
    std::vector<int> numbers, counts;
    for (size_t sm = 0; sm < gpc.size(); sm++) {
        size_t at = (size_t)(std::find(numbers.begin(), numbers.end(), gpc[sm]) - numbers.begin());
        if (at == numbers.size()) {
            numbers.push_back(gpc[sm]);
            counts.push_back(0);
        }
        if ((int)at < gpcs && counts[at]++ < most)
            chosen[sm] = 1;
    }
    return chosen;
}

void sm_draw_gpcs(struct sm_bench *b, const char *folder, const std::vector<int> &gpc) {
    FILE *file =
        sm_table(folder, "DRAW_GPC.csv", "reads,gpcs,of_gpc,sms,blocks_per_sm,us,gb_per_s");
    for (bool random : {false, true})
        for (int per_sm : blocks_per_sm(b)) {
            struct drawing d = drawing_of(b, random, 0, per_sm);
            for (int gpcs : {1, 2, 3, 4, 6})
                for (int most : {2, 4, 8, 12, 18}) {
                    sm_set chosen = choose_of_gpcs(gpc, gpcs, most);
                    struct drawn of = draw(b, &d, chosen);
                    fprintf(file, "%s,%d,%d,%d,%d,%.1f,%.2f\n", name_of(random), gpcs, most,
                            (int)std::count(chosen.begin(), chosen.end(), 1), per_sm, of.us,
                            of.gb_per_s);
                }
        }
    fclose(file);
}
