/*
 * What the experiments of cotenant-measure-sm share: a device, kernels of known character beside
 * each other on it, and tables. Whatever fails ends the program with a message.
 */
#ifndef MEASURE_SM_CUH
#define MEASURE_SM_CUH

#include "measure_parts.cuh"

#include <stdio.h>
#include <vector>

enum {
    /* Repetitions of each number, which is their median. */
    SM_REPEATS = 3,
    /* Numbers of SMs are below this. */
    SM_SMS_MOST = 1024,
    /* Threads of a block of ISSUE.csv: a warp for each scheduler of an SM. */
    SM_BLOCK_THREADS = 128
};

enum sm_kind {
    /* In each thread one, two or four chains of multiply-adds at once. */
    SM_FMA1,
    SM_FMA2,
    SM_FMA4,
    /* One, or four, chains of products of matrices of half precision. */
    SM_MMA1,
    SM_MMA4,
    SM_SHUFFLE,
    /* From here on units are reads of memory. First those of a block in order. */
    SM_READ,
    SM_RANDOM,
    /* Reads in order, with MIXED_TIMES multiply-adds. */
    SM_MIXED,
    SM_KINDS
};
const char *sm_kind_name(enum sm_kind kind);

/* What a kernel is launched with. */
struct sm_run {
    long long units;     /* of each warp; 0: until stopped */
    volatile int *stop;  /* tells a kernel without end to stop */
    volatile int *ended; /* blocks of the kernel with an end, whose last one sets stop */
    const uint4 *data;
    unsigned long long first; /* sector at which reading begins */
    struct stamp *stamps;     /* of each block */
    unsigned long long *done; /* units, of all warps */
    unsigned *sink;
};

/* One of two kernels that run at once. */
struct sm_side {
    cudaStream_t stream;
    uint4 *data;
    struct stamp *stamps, *host; /* of each block: on the GPU, and here once the kernel has ended */
    unsigned long long *done;
    int blocks;
};
enum { SM_OLDER, SM_YOUNGER, SM_SIDES };

struct sm_bench {
    int sms, warps_most; /* warps_most: on an SM at once */
    size_t smem_most;    /* of a block */
    bool clusters;       /* a launch may ask for them */
    struct sm_side sides[SM_SIDES];
    int *flags; /* stop and ended of sm_run */
    unsigned *sink;
    unsigned long long first; /* of the latest run */
};

/* ---- the host's side ---- */

void sm_check(cudaError_t error, const char *what);
#define CHECKED(call) sm_check((call), #call)

double sm_seconds(void); /* by a clock that only goes forward */
void sm_wait(double seconds);
double sm_median(std::vector<double> values);
FILE *sm_table(const char *folder, const char *name, const char *header);

/* ---- kernels on the device ---- */

void sm_open(struct sm_bench *bench);
/* Computes until an idle GPU has left its low clock. */
void sm_warm_up(struct sm_bench *bench);

/* Before kernels start: no stop, nothing done. */
void sm_clear(struct sm_bench *bench);
/* What the next kernel on a side is launched with; it reads what none before it has just read. */
struct sm_run sm_next_run(struct sm_bench *bench, int side, long long units);
void sm_start(struct sm_bench *bench, int side, enum sm_kind kind, int blocks, int threads,
              long long units);

struct sm_outcome {
    double ms, units; /* ms: of a block, at the mean; units: of all warps */
};
/* Waits for the kernel of a side, and fetches its stamps. */
struct sm_outcome sm_end(struct sm_bench *bench, int side);

/* Units of a warp with which a kernel takes `ms` alone; how many of all warps it then does per ms.
 */
long long sm_units_for(struct sm_bench *bench, enum sm_kind kind, int blocks, int threads,
                       double ms, double *per_ms);

/* ---- experiments: each writes its tables into a folder ---- */

void sm_issue(struct sm_bench *bench, const char *folder);    /* ISSUE.csv */
void sm_ends(struct sm_bench *bench, const char *folder);     /* ENDS.csv */
void sm_draw(struct sm_bench *bench, const char *folder);     /* DRAW.csv */
void sm_clusters(struct sm_bench *bench, const char *folder); /* CLUSTERS.csv */
void sm_gpcs(struct sm_bench *bench, const char *folder);     /* GPCS.csv, DRAW_GPC.csv */
/* Called before the process touches the GPU. */
void sm_clients(const char *folder); /* CLIENTS.csv */

/* Launches each kind once with 4, 8, 16, 32 and 64 warps on each SM, for a profiler that counts. */
void sm_each(struct sm_bench *bench);
/* DRAW_GPC.csv, where the GPC of each SM is known by a number. */
void sm_draw_gpcs(struct sm_bench *bench, const char *folder, const std::vector<int> &gpc);

#endif
