/* What is measured: kernels of known character in three sizes, alone, in pairs, and copies. */
#include "measure.h"

/* Half of the SMs, all of them once, all of them four times over. */
#define SIZES(text, kind, stride)                                                                  \
    {text "_b1", kind, stride, 1}, {text "_b2", kind, stride, 2}, {                                \
        text "_b8", kind, stride, 8                                                                \
    }

static const struct measure_app apps[] = {
    SIZES("fma", MEASURE_FMA, 1),        SIZES("stream1", MEASURE_STREAM, 1),
    SIZES("stream8", MEASURE_STREAM, 8), SIZES("random", MEASURE_STREAM, MEASURE_RANDOM),
    SIZES("chase", MEASURE_CHASE, 1),    SIZES("mixed", MEASURE_MIXED, 1)};
enum { APPS = sizeof apps / sizeof apps[0], PAIRS = APPS * (APPS + 1) / 2 };

static const double quotas[] = {100, 75, 50, 25};
enum { QUOTAS = sizeof quotas / sizeof quotas[0] };

static const double shared[][2] = {{100, 100}, {50, 50}, {25, 75}, {75, 25}};
enum { SPLITS = sizeof shared / sizeof shared[0] };

static const int concurrent[] = {1, 2, 4, 8};
enum { CONCURRENT = sizeof concurrent / sizeof concurrent[0], DIRECTIONS = 3, MEMORIES = 2 };
enum { ALIKE = CONCURRENT * DIRECTIONS * MEMORIES };

/* A pageable copy beside so many pinned ones, in either direction. */
static const int beside[] = {1, 2, 4};
enum { BESIDE = sizeof beside / sizeof beside[0], ONE_WAY = 2 };
#define COPY_BYTES ((size_t)16 << 20)

/* Seconds of a job, and jobs' worth of all else that a sample takes: estimates for the plan only.
 */
static const double job_s = 0.004, pair_jobs = 8;

size_t measure_app_count(void) {
    return APPS;
}

const struct measure_app *measure_app(size_t index) {
    return &apps[index];
}

size_t measure_quota_count(void) {
    return QUOTAS;
}

double measure_quota(size_t index) {
    return quotas[index];
}

size_t measure_copy_count(void) {
    return (size_t)ALIKE + BESIDE * ONE_WAY;
}

struct measure_copy measure_copy(size_t index) {
    if (index >= ALIKE)
        return (struct measure_copy){.direction =
                                         (enum measure_direction)((index - ALIKE) % ONE_WAY),
                                     .concurrent = 1,
                                     .beside = beside[(index - ALIKE) / ONE_WAY],
                                     .bytes = COPY_BYTES};
    return (struct measure_copy){.direction = (enum measure_direction)(index % DIRECTIONS),
                                 .pinned = index / DIRECTIONS % MEMORIES == 1,
                                 .concurrent = concurrent[index / DIRECTIONS / MEMORIES],
                                 .bytes = COPY_BYTES};
}

size_t measure_pair_count(bool partitions) {
    return (size_t)PAIRS * (partitions ? SPLITS : 1);
}

/* The step is coprime to the count, so that every pair comes once; neighbours in the list are far
 * apart. */
static size_t scattered(size_t index, size_t count) {
    size_t step = count * 5 / 13 | 1;
    for (;; step += 2) {
        size_t a = step, b = count;
        while (b) {
            size_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1)
            return index * step % count;
    }
}

struct measure_pair measure_pair(size_t index, bool partitions) {
    size_t number = scattered(index, measure_pair_count(partitions));
    const double *quota = shared[number / PAIRS];
    struct measure_pair pair = {.quota_a = quota[0], .quota_b = quota[1]};
    size_t left = number % PAIRS;
    while (left >= APPS - pair.a) { /* the pairs of `a` with itself and all behind it */
        left -= APPS - pair.a;
        pair.a++;
    }
    pair.b = pair.a + left;
    return pair;
}

void measure_print_plan(FILE *out, const struct measure_settings *settings, bool partitions) {
    size_t pairs = measure_pair_count(partitions);
    double rounds = settings->repeats + MEASURE_WARM_UPS;
    if (settings->pairs_most && pairs > (size_t)settings->pairs_most)
        pairs = (size_t)settings->pairs_most;
    fprintf(out, "%d applications of %d launches each:", APPS, MEASURE_LAUNCHES);
    for (size_t i = 0; i < APPS; i++)
        fprintf(out, " %s", apps[i].name);
    fprintf(out, "\nalone at");
    for (size_t i = 0; i < QUOTAS; i++)
        fprintf(out, " %g", quotas[i]);
    fprintf(out, " %% of the SMs: about %.0f s\n", APPS * QUOTAS * rounds * job_s);
    fprintf(out, "%zu pairs%s, each neighbour beside the other: about %.0f s%s\n", pairs,
            partitions ? ", sharing all SMs and in partitions" : ", sharing all SMs",
            (double)pairs * 2 * rounds * pair_jobs * job_s,
            settings->limit_s > 0 ? " or as many as fit" : "");
    fprintf(out,
            "%zu copies: both directions, pageable and pinned, 1 to %d at once, pageable beside "
            "pinned\n",
            measure_copy_count(), concurrent[CONCURRENT - 1]);
    fprintf(out, "block placement of every application, %d delays of launches\n", MEASURE_DELAYS);
    fprintf(out, "every number: the median of %d after %d not counted\n", settings->repeats,
            MEASURE_WARM_UPS);
}
