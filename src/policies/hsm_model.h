/*
 * The Hybrid Slowdown Model (HSM, ASPLOS'20, sections 2 and 4) as arithmetic on counters.
 *
 * A kernel is compute-bound or memory-bound by its bandwidth demand against what its row-buffer hit
 * rate lets it draw (Eq. 2, 3); its normalised progress NP follows from its SMs (Eq. 4) or from its
 * bandwidth (Eq. 5). Bandwidths are fractions of the theoretical one unless named otherwise; NAN is
 * unknown.
 */
#ifndef HSM_MODEL_H
#define HSM_MODEL_H

#include "abi/ct_policy.h"

#define HSM_REQUEST_BYTES 128.0 /* of one memory access: a cache block, HSM Table 1 */

/*
 * Values of NP, gradients and bandwidths within this part of each other are the same. Equal kernels
 * have equal ones, but computed from sums and quotients of different numbers, some 1e-16 apart; a
 * difference that means anything is that of an SM or of a counter, above 1e-9.
 */
#define HSM_ROUNDING 1e-9
bool hsm_same(double a, double b);
bool hsm_below(double a, double b); /* and not the same */

/* The device's part of the model: architectural inputs of Eq. 2 to 4. */
struct hsm_device {
    int64_t sms;
    double peak_bytes_per_s;
    double peak_instructions_per_s; /* thread instructions that all SMs together can issue */
};

/* c1 and c2 of Eq. 3 and 5: one line for an architecture (section 2.3.2). */
struct hsm_line {
    double slope, base;
};

/* What is measured of one kernel in one epoch. */
struct hsm_measure {
    struct ct_counters counters; /* of the epoch; busy_ps, instructions, accesses, hits are used */
    int64_t sms;                 /* S_k, held through the epoch */
    double blocks;               /* thread blocks of a launch */
    struct ct_counters others;   /* of all other applications together; for DASE and Themis */
};

/* Row hits of all accesses; NAN without accesses. */
double hsm_row_hit_rate(const struct ct_counters *counters);

/* Bandwidth drawn while it ran. */
double hsm_bandwidth(const struct hsm_device *device, const struct ct_counters *counters);

/*
 * Eq. 2: the bandwidth that the kernel would ask for if the whole GPU issued its instructions at
 * full rate. The epoch's length cancels: accesses per instruction times instructions per second.
 * NAN where no instructions were counted.
 */
double hsm_demand(const struct hsm_device *device, const struct ct_counters *counters);

/*
 * Least squares of bandwidth over row hit rate. False: rates within HSM_SPREAD_LEAST of each other
 * determine no slope, and a line that falls or starts at 0 is refused (Insight 4: bandwidth grows
 * with the hit rate).
 */
#define HSM_SPREAD_LEAST 0.1
bool hsm_line_fit(const double *row_hit_rates, const double *bandwidths, uint32_t count,
                  struct hsm_line *line);

/*
 * A kernel is memory-bound where its demand exceeds what the line supplies (Eq. 3). NP of
 * compute-bound kernels S_k / sigma_k (Eq. 4; blocks where there are fewer than SMs), of
 * memory-bound ones B_k / (c1 RBH_k + c2) (Eq. 5, not limited to 1). NAN: unknown.
 */
double hsm_progress(const struct hsm_device *device, const struct hsm_line *line,
                    const struct hsm_measure *measure);

/*
 * Slowdown by interference in each shared resource, in the manner of DASE (Hu et al., ICPP'16).
 *
 * Rebuilt from what is public about it, in HSM (ASPLOS'20) sections 1, 6 and 6.1: a white box that
 * estimates the interference within each shared resource from counters, scales it to the whole GPU,
 * and is capped at S_max / S_k by HSM's authors. Its equations are ours. Of its resources
 * (last-level cache, channels, banks, row buffers) only the memory's data bus has counters here.
 *
 * NP = 1 / slowdown. In an epoch of length T the kernel ran with S_k of S_max SMs:
 *
 *   stalled      1 - issued / what its SMs could issue: the part of T that waits can have cost it
 *   interference min(stalled, bus time of the others' requests / T)
 *   here         1 / (1 - interference): slowdown against the same SMs alone
 *   there        with all SMs it would run S_max / S_k times as fast, but draw no more than the
 *                theoretical bandwidth, and be no slower than on its own SMs
 *   slowdown     here x there, at most S_max / S_k
 *
 * NAN: unknown, without instructions or SMs.
 */
double hsm_dase_progress(const struct hsm_device *device, const struct hsm_measure *measure);

/* An application in an allocation. */
struct hsm_app {
    uint32_t client;
    double progress; /* NAN: unknown; follows `sms` in the functions below */
    int64_t sms;     /* held; changed by the functions below */
    int64_t most;    /* more are of no use to it; after an even split it may hold more */
    /* HSM-QoS: NP that one of high priority is to have, 0: low priority; and NP above which it
     * gives SMs back. */
    double target, release;
};

/* Lowest NP over highest, of those known; NAN: fewer than two. */
double hsm_fairness(const struct hsm_app *apps, uint32_t count);

/*
 * HSM-Fair (section 4.3): n = (NP_hi - NP_lo) / (g_hi + g_lo) SMs from the highest to the lowest
 * NP, g = NP / S, rounded to nearest, at least one, and both keep one. What the highest has no
 * blocks for goes first, since that costs it nothing. Of equal ones who has most SMs gives and who
 * has fewest gets, then the first. Returns how many moved.
 */
int64_t hsm_fair_move(struct hsm_app *apps, uint32_t count);

/*
 * HSM-QoS (section 4.3): an application of high priority gets the smallest S with g S > target,
 * when its NP is below `target` or above `release`. What it needs comes from those of low priority,
 * the smallest gradients first, what it frees goes to them, the largest first; everybody keeps one
 * SM. Equal gradients go SM by SM: who has most loses, who has fewest gains, then the first. What
 * anybody has no blocks for is handed on like what is freed. Of several of high priority the first
 * is served first, from what others of them free, and none gives up SMs that its own target needs.
 * Returns how many moved.
 */
int64_t hsm_qos_move(struct hsm_app *apps, uint32_t count);

#endif
