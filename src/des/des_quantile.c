#include "des/des_quantile.h"

#include "base/ct_assert.h"

#include <float.h>
#include <gsl/gsl_statistics_double.h>

size_t des_quantile_rank(size_t count, double q) {
    ct_assert(count > 0 && q >= 0 && q <= 1);
    double product = q * (double)count;
    double rank =
        ceil(product - 4 * DBL_EPSILON * product); /* q and the product are each rounded once */
    return rank < 1 ? 0 : (size_t)rank - 1;
}

double des_quantile_select(double *sample, size_t count, double q) {
    if (count == 0)
        return NAN;
    return gsl_stats_select(sample, 1, count, des_quantile_rank(count, q));
}

double des_quantile_sorted(const double *sample, size_t count, double q) {
    return count > 0 ? sample[des_quantile_rank(count, q)] : NAN;
}
