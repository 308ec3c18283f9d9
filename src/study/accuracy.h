/*
 * How well recorded durations can be predicted: Baymax section 7.2 and Laius section 5.3 on the
 * recordings at hand. Every function has models of its own, which never see the samples that they
 * are judged by.
 */
#ifndef ACCURACY_H
#define ACCURACY_H

#include "base/ct_diag.h"
#include "models/predict/predict_bank.h"
#include "trace/trace.h"

/* Models that are judged: trees as Laius does, which holds out a fifth of the samples, the others
 * as Baymax does, which holds out a tenth. */
enum accuracy_model {
    ACCURACY_LINEAR,
    ACCURACY_KNN,
    /* The better of the two, chosen on a tenth of the samples that are not held out. */
    ACCURACY_BETTER,
    ACCURACY_TREE,
    ACCURACY_MODELS
};

/* Below, errors of durations do not matter to anybody's latency (Baymax section 7.2.2). */
#define ACCURACY_LONG_PS (2.0 * (double)CT_PS_PER_MS)

#define ACCURACY_SAMPLES_LEAST 10 /* so that a tenth is one sample */

/* A function, a kind of copy, a library call or an application's jobs. */
struct accuracy_function {
    int32_t kind; /* enum predict_kind */
    const char *name;
    size_t samples, vectors;       /* vectors: distinct ones of features */
    bool judged;                   /* false: too few samples */
    double error[ACCURACY_MODELS]; /* median over the splits of the mean of Baymax Eq. 6 */
    uint32_t knn_chosen; /* number of splits in which ACCURACY_BETTER took the nearest neighbours */
};

/* The functions of one kind together. */
enum accuracy_part {
    /* Mean over the functions. */
    ACCURACY_ALL,
    /* Mean over the functions whose features vary. */
    ACCURACY_VARYING,
    /* Mean over all held-out samples longer than ACCURACY_LONG_PS. */
    ACCURACY_LONG,
    ACCURACY_PARTS
};

struct accuracy_sum {
    size_t functions, samples;
    double error[ACCURACY_MODELS]; /* NAN: nothing to judge */
};

struct accuracy {
    struct ct_arena arena;
    struct accuracy_function *functions; /* sorted by kind, then as the recordings have them */
    size_t count, left_out;              /* left_out: too few samples */
    struct accuracy_sum sums[PREDICT_QUERY + 1][ACCURACY_PARTS];
};

/*
 * Collects the samples of all applications whose names begin with `prefix` (copies, native kernels,
 * library calls, jobs) and judges the models by `splits` random splits that `seed` draws. Durations
 * that were not measured, and communication kernels, are no samples. The set outlives the result.
 * enum ct_status: CT_DATA where no function has enough samples, said about `where`.
 */
int accuracy_measure(const struct trace_set *set, const char *prefix, uint64_t seed,
                     uint32_t splits, const char *where, struct accuracy *accuracy,
                     struct ct_diags *diags);
void accuracy_free(struct accuracy *accuracy);

#endif
