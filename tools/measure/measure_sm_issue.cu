/* An older and a younger kernel on the same SMs, and kernels whose blocks do not end together. */
#include "measure_sm_units.cuh"

#include <algorithm>

enum { WARPS_OF_BLOCK = SM_BLOCK_THREADS / 32 };

/* ---- ISSUE.csv ---- */

/* A kernel with so many warps on each SM, and its units per ms alone. */
struct contestant {
    enum sm_kind kind;
    int warps;
    double per_ms;
    long long units; /* of the older one */
};

static int blocks_of(const struct sm_bench *b, int warps) {
    return b->sms * warps / WARPS_OF_BLOCK;
}

/* A kernel without end, alone for about so long: the host says stop. */
static double younger_alone(struct sm_bench *b, enum sm_kind kind, int warps) {
    std::vector<double> rates;
    for (int i = 0; i < SM_REPEATS; i++) {
        sm_clear(b);
        sm_start(b, SM_YOUNGER, kind, blocks_of(b, warps), SM_BLOCK_THREADS, 0);
        sm_wait(400e-6);
        int one = 1;
        CHECKED(cudaMemcpyAsync(b->flags, &one, sizeof one, cudaMemcpyHostToDevice,
                                b->sides[SM_OLDER].stream));
        struct sm_outcome o = sm_end(b, SM_YOUNGER);
        rates.push_back(o.units / o.ms);
    }
    return sm_median(rates);
}

static std::vector<struct contestant> youngers_of(struct sm_bench *b) {
    std::vector<struct contestant> all;
    for (int kind = 0; kind < SM_KINDS; kind++)
        for (int warps : {4, 8, 16})
            all.push_back(
                {(enum sm_kind)kind, warps, younger_alone(b, (enum sm_kind)kind, warps), 0});
    return all;
}

/* The younger one begins while the older one computes, and is stopped as that ends. */
static void measure_beside(struct sm_bench *b, const struct contestant *older,
                           const struct contestant *younger, FILE *file) {
    std::vector<double> of_older, of_younger;
    for (int i = 0; i < SM_REPEATS; i++) {
        sm_clear(b);
        sm_start(b, SM_OLDER, older->kind, blocks_of(b, older->warps), SM_BLOCK_THREADS,
                 older->units);
        sm_wait(50e-6);
        sm_start(b, SM_YOUNGER, younger->kind, blocks_of(b, younger->warps), SM_BLOCK_THREADS, 0);
        struct sm_outcome a = sm_end(b, SM_OLDER), c = sm_end(b, SM_YOUNGER);
        of_older.push_back(a.units / a.ms / older->per_ms);
        of_younger.push_back(c.units / c.ms / younger->per_ms);
    }
    fprintf(file, "%s,%d,%.1f,%s,%d,%.1f,%.4f,%.4f\n", sm_kind_name(older->kind), older->warps,
            older->per_ms / b->sms, sm_kind_name(younger->kind), younger->warps,
            younger->per_ms / b->sms, sm_median(of_older), sm_median(of_younger));
}

void sm_issue(struct sm_bench *b, const char *folder) {
    FILE *file = sm_table(folder, "ISSUE.csv",
                          "older,older_warps,older_per_ms,younger,younger_warps,younger_per_ms,"
                          "older_rate,younger_rate");
    std::vector<struct contestant> youngers = youngers_of(b);
    for (int kind = 0; kind < SM_KINDS; kind++)
        for (int warps : {4, 8, 12, 16, 32, 48}) {
            struct contestant older = {(enum sm_kind)kind, warps, 0, 0};
            if (warps >= b->warps_most)
                continue;
            older.units = sm_units_for(b, older.kind, blocks_of(b, warps), SM_BLOCK_THREADS, 0.6,
                                       &older.per_ms);
            for (const struct contestant &younger : youngers)
                if (warps + younger.warps <= b->warps_most)
                    measure_beside(b, &older, &younger, file);
        }
    fclose(file);
}

void sm_each(struct sm_bench *b) {
    for (int kind = 0; kind < SM_KINDS; kind++)
        for (int warps : {4, 8, 16, 32, 64}) {
            sm_clear(b);
            sm_start(b, SM_OLDER, (enum sm_kind)kind, blocks_of(b, warps), SM_BLOCK_THREADS,
                     kind >= SM_READ ? 200 : 2000);
            sm_end(b, SM_OLDER);
        }
}

/* ---- ENDS.csv ---- */

/* As chase_kernel: one thread of a block follows one chain. */
static __global__ void __launch_bounds__(32) chain_kernel(struct sm_run r) {
    if (threadIdx.x != 0)
        return;
    r.stamps[blockIdx.x].start_ns = global_ns();
    keep(follow_chain(r.data, r.first, r.units), r.sink);
    r.stamps[blockIdx.x].end_ns = global_ns();
}

static void run_chains(struct sm_bench *b, int blocks, int launch) {
    struct sm_side *s = &b->sides[SM_OLDER];
    struct sm_run r = sm_next_run(b, SM_OLDER, 500);
    r.first = (unsigned)launch * 7919u;
    s->blocks = blocks;
    sm_clear(b);
    chain_kernel<<<blocks, 32, 0, s->stream>>>(r);
    CHECKED(cudaGetLastError());
    sm_end(b, SM_OLDER);
}

static void print_ends(const struct sm_side *s, FILE *file, const char *kernel, int per_sm,
                       int launch) {
    std::vector<double> us;
    unsigned long long begin = ~0ull;
    for (int i = 0; i < s->blocks; i++)
        begin = std::min(begin, s->host[i].start_ns);
    for (int i = 0; i < s->blocks; i++)
        us.push_back((double)(s->host[i].end_ns - begin) / 1e3);
    struct measure_summary of = measure_summarise(us.data(), s->blocks); /* sorts */
    fprintf(file, "%s,%d,%d,%.2f,%.2f,%.2f,%.2f,%.2f\n", kernel, per_sm, launch, us.front(), of.q1,
            of.median, of.q3, us.back());
}

void sm_ends(struct sm_bench *b, const char *folder) {
    enum { LAUNCHES = 3 };
    FILE *file = sm_table(folder, "ENDS.csv",
                          "kernel,blocks_per_sm,launch,first_us,q1_us,median_us,q3_us,last_us");
    for (enum sm_kind kind : {SM_FMA4, SM_READ, SM_RANDOM, SM_MIXED, SM_MMA4})
        for (int per_sm : {1, 4}) {
            int blocks = b->sms * per_sm;
            double per_ms;
            long long units = sm_units_for(b, kind, blocks, THREADS, 0.3, &per_ms);
            for (int launch = 0; launch < LAUNCHES; launch++) {
                sm_clear(b);
                sm_start(b, SM_OLDER, kind, blocks, THREADS, units);
                sm_end(b, SM_OLDER);
                print_ends(&b->sides[SM_OLDER], file, sm_kind_name(kind), per_sm, launch);
            }
        }
    for (int per_sm : {1, 4})
        for (int launch = 0; launch < LAUNCHES; launch++) {
            run_chains(b, b->sms * per_sm, launch);
            print_ends(&b->sides[SM_OLDER], file, "chase", per_sm, launch);
        }
    fclose(file);
}
