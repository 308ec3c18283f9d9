/* A whole split in proportion: largest remainders (Hamilton's method). */
#ifndef CT_APPORTION_H
#define CT_APPORTION_H

#include <stddef.h>
#include <stdint.h>

/*
 * Whole parts in proportion to the weights (none negative, one above 0), none negative, that add up
 * to the total (>= 0) exactly: what flooring leaves over goes to the largest remainders, ties to
 * the first.
 */
void ct_apportion(const double *weights, size_t count, int64_t total, int64_t *parts);

#endif
