/* Rows of numbers, such as one for each application, in pairs, as processors take them: a compiler
 * does not pair what it cannot count. */
#ifndef CT_ROW_H
#define CT_ROW_H

#include <stddef.h>

static inline size_t ct_row_paired(size_t count) {
    return count - count % 2;
}

static inline void ct_row_add(double *restrict to, const double *restrict row, size_t count) {
    const size_t paired = ct_row_paired(count);
    for (size_t i = 0; i < paired; i += 2) {
        to[i] += row[i];
        to[i + 1] += row[i + 1];
    }
    if (count > paired)
        to[paired] += row[paired];
}

/* Leaves the row minus what was there before. */
static inline void ct_row_take_from(double *restrict before, const double *restrict row,
                                    size_t count) {
    const size_t paired = ct_row_paired(count);
    for (size_t i = 0; i < paired; i += 2) {
        before[i] = row[i] - before[i];
        before[i + 1] = row[i + 1] - before[i + 1];
    }
    if (count > paired)
        before[paired] = row[paired] - before[paired];
}

static inline void ct_row_scale(double *row, double by, size_t count) {
    const size_t paired = ct_row_paired(count);
    for (size_t i = 0; i < paired; i += 2) {
        row[i] *= by;
        row[i + 1] *= by;
    }
    if (count > paired)
        row[paired] *= by;
}

#endif
