/* The job that a record of a run belongs to, and the order in which a result store keeps jobs. */
#ifndef RESULT_PLACE_H
#define RESULT_PLACE_H

#include "results/result_store.h"

struct result_place {
    uint32_t app, instance;
    uint64_t job; /* its number */
};

/* That of a job, whose number is its member `number`, or of a record, of whose job it is `job`. */
#define RESULT_PLACE(record, number)                                                               \
    ((struct result_place){(record)->app, (record)->instance, (record)->number})

/* By application, instance, number: below, at or above 0. */
int result_compare_places(struct result_place x, struct result_place y);

/* The order of two struct result_job by place, for qsort and bsearch. */
int result_compare_jobs(const void *a, const void *b);

#endif
