#include "des/des_quantile.h"

#include "base/ct_assert.h"
#include "base/ct_sort.h"

#include <float.h>

#define SMALL_RANGE 32u /* below this, sorting is as quick */

size_t des_quantile_rank(size_t count, double q) {
    ct_assert(count > 0 && q >= 0 && q <= 1);
    double product = q * (double)count;
    double rank =
        ceil(product - 4 * DBL_EPSILON * product); /* q and the product are each rounded once */
    return rank < 1 ? 0 : (size_t)rank - 1;
}

static void swap(double *a, double *b) {
    double value = *a;
    *a = *b;
    *b = value;
}

static double median_of_three(double a, double b, double c) {
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* Narrows low ... high, which holds the wanted rank, by one partition (Hoare's FIND, CACM 4(7),
 * 1961). */
static void narrow(double *sample, size_t rank, size_t *low, size_t *high) {
    double pivot = median_of_three(sample[*low], sample[*low + (*high - *low) / 2], sample[*high]);
    size_t left = *low, right = *high;
    while (left <= right) {
        while (sample[left] < pivot)
            left++;
        while (pivot < sample[right])
            right--;
        if (left > right)
            break;
        swap(&sample[left++], &sample[right]);
        if (right-- == 0)
            break;
    }
    if (rank < left && (right == SIZE_MAX || rank > right))
        *low = *high = rank;
    else if (rank < left)
        *high = right;
    else
        *low = left;
}

/* Sorts what is left when it is small, or when unlucky pivots would make the time quadratic. */
double des_quantile_select_rank(double *sample, size_t count, size_t rank) {
    size_t low = 0, high = count - 1;
    int patience = 2;
    for (size_t n = count; n > 1; n /= 2)
        patience += 2;
    while (high - low > SMALL_RANGE && patience-- > 0)
        narrow(sample, rank, &low, &high);
    if (low < high)
        ct_sort_doubles(sample + low, high - low + 1);
    return sample[rank];
}

double des_quantile_select(double *sample, size_t count, double q) {
    if (count == 0)
        return NAN;
    return des_quantile_select_rank(sample, count, des_quantile_rank(count, q));
}

double des_quantile_sorted(const double *sample, size_t count, double q) {
    return count > 0 ? sample[des_quantile_rank(count, q)] : NAN;
}
