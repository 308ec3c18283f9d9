/*
 * Tables of the ziggurat method (Marsaglia and Tsang, J. Stat. Software 5(8), 2000), committed as
 * exact numbers so that draws do not depend on a C library. des_ziggurat.py prints them.
 */
#ifndef DES_ZIGGURAT_H
#define DES_ZIGGURAT_H

#include "base/ct_types.h"

#define DES_ZIGGURAT_LAYERS 256

struct des_ziggurat {
    /* The right edge of layer i: up to that of layer i + 1 it lies under the curve for certain. The
     * base, layer 0, is as wide as makes up for its tail, which begins at edge[1]. */
    double edge[DES_ZIGGURAT_LAYERS + 1];
    /* The curve at the right edge of layer i; that of layer 0 is height[1]. */
    double height[DES_ZIGGURAT_LAYERS + 1];
};

extern const struct des_ziggurat des_ziggurat_exponential; /* exp(-x) */
extern const struct des_ziggurat des_ziggurat_normal;      /* exp(-x*x/2), x >= 0 */

#endif
