/* The framework's operators in a recording of PyTorch: which of them launched a kernel, and whose
 * work it did. */
#ifndef KINETO_OPERATORS_H
#define KINETO_OPERATORS_H

#include "ingest/operator_work.h"

struct kineto_operator {
    ct_time_ps begin_ps, end_ps;
    uint64_t thread;
    int64_t external_id;
    uint32_t name, parent; /* parent: the operator around it, once settled; TRACE_NONE */
    struct operator_work does;
    ct_time_ps kernels_ps; /* of the kernels that did this work */
};

/* Zero-initialise; free with kineto_operators_free. */
struct kineto_operators {
    CT_VEC(struct kineto_operator);
    uint32_t *by_id; /* their order by external_id, then by time */
};

/* Sorts them by thread and time, and finds what is around each. False: memory ran out. */
bool kineto_operators_settle(struct kineto_operators *operators);

/* The place of the first with this external id; TRACE_NONE. */
uint32_t kineto_operator_by_id(const struct kineto_operators *operators, int64_t external_id);
/* The innermost one that was open in a thread at a moment; TRACE_NONE. */
uint32_t kineto_operator_around(const struct kineto_operators *operators, uint64_t thread,
                                ct_time_ps moment);
/*
 * The operator whose work a kernel did that the operator at this place launched: it, or the
 * innermost around it, of which the work is known. TRACE_NONE: none, or the kernel only copies or
 * scales what a matrix product or convolution works on.
 */
uint32_t kineto_operator_worker(const struct kineto_operators *operators, uint32_t place,
                                const char *kernel);
/* The part of an operator's work that a kernel does, by its time. */
struct import_work kineto_operator_share(const struct kineto_operator *op, ct_time_ps kernel_ps);

void kineto_operators_free(struct kineto_operators *operators);

#endif
