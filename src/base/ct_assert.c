#include "base/ct_assert.h"

#include <stdio.h>
#include <stdlib.h>

void ct_assert_fail(const char *expression, const char *file, int line) {
    fprintf(stderr, "cotenant: broken invariant at %s:%d: %s\n", file, line, expression);
    abort();
}
