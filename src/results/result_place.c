#include "results/result_place.h"

#include "base/ct_sort.h"

int result_compare_places(struct result_place x, struct result_place y) {
    int order = ct_order(x.app, y.app);
    order = order ? order : ct_order(x.instance, y.instance);
    return order ? order : ct_order(x.job, y.job);
}

int result_compare_jobs(const void *a, const void *b) {
    const struct result_job *x = a, *y = b;
    return result_compare_places(RESULT_PLACE(x, number), RESULT_PLACE(y, number));
}
