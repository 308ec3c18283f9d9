#include "ingest/kineto_operators.h"

#include "base/ct_search.h"
#include "base/ct_sort.h"
#include "trace/kernel_class.h"

#include <stdlib.h>

static int compare_by_time(const void *a, const void *b) {
    const struct kineto_operator *x = a, *y = b;
    int order = import_compare_ranges((struct import_range){x->thread, x->begin_ps, x->end_ps},
                                      (struct import_range){y->thread, y->begin_ps, y->end_ps});
    return ct_then(order, ct_order(x->external_id, y->external_id));
}

/* An operator's number beside what its order goes by. */
struct numbered {
    int64_t external_id;
    ct_time_ps begin_ps;
    uint32_t place;
};

static int compare_by_id(const void *a, const void *b) {
    const struct numbered *x = a, *y = b;
    return ct_then(ct_order(x->external_id, y->external_id),
                   ct_then(ct_order(x->begin_ps, y->begin_ps), ct_order(x->place, y->place)));
}

static bool number(struct kineto_operators *operators) {
    struct numbered *order = malloc((operators->count + 1) * sizeof *order);
    operators->by_id = malloc((operators->count + 1) * sizeof *operators->by_id);
    bool whole = order && operators->by_id;
    for (size_t i = 0; whole && i < operators->count; i++)
        order[i] = (struct numbered){operators->items[i].external_id, operators->items[i].begin_ps,
                                     (uint32_t)i};
    if (whole)
        ct_sort(order, operators->count, sizeof *order, compare_by_id);
    for (size_t i = 0; whole && i < operators->count; i++)
        operators->by_id[i] = order[i].place;
    free(order);
    return whole;
}

static void set_parents(struct kineto_operators *operators) {
    struct kineto_operator *ops = operators->items;
    uint32_t around = TRACE_NONE;
    for (uint32_t i = 0; i < operators->count; i++) {
        while (around != TRACE_NONE &&
               (ops[around].thread != ops[i].thread || ops[around].end_ps < ops[i].end_ps))
            around = ops[around].parent;
        ops[i].parent = around;
        around = i;
    }
}

bool kineto_operators_settle(struct kineto_operators *operators) {
    ct_vec_sort(operators, compare_by_time);
    set_parents(operators);
    return number(operators);
}

static bool id_before(const void *operators, size_t i, const void *id) {
    const struct kineto_operators *all = operators;
    return all->items[all->by_id[i]].external_id < *(const int64_t *)id;
}

uint32_t kineto_operator_by_id(const struct kineto_operators *operators, int64_t external_id) {
    size_t at = ct_lower_bound(operators, operators->count, id_before, &external_id);
    return at < operators->count &&
                   operators->items[operators->by_id[at]].external_id == external_id
               ? operators->by_id[at]
               : TRACE_NONE;
}

struct moment {
    uint64_t thread;
    ct_time_ps time_ps;
};

/* Whether operator i began no later than the moment. */
static bool begins_by(const void *operators, size_t i, const void *of) {
    const struct kineto_operator *opened = &((const struct kineto_operators *)operators)->items[i];
    const struct moment *moment = of;
    return opened->thread < moment->thread ||
           (opened->thread == moment->thread && opened->begin_ps <= moment->time_ps);
}

uint32_t kineto_operator_around(const struct kineto_operators *operators, uint64_t thread,
                                ct_time_ps moment) {
    const struct kineto_operator *ops = operators->items;
    const struct moment of = {thread, moment};
    size_t begun = ct_lower_bound(operators, operators->count, begins_by, &of);
    uint32_t place = begun ? (uint32_t)begun - 1 : TRACE_NONE;
    while (place != TRACE_NONE && ops[place].thread == thread && ops[place].end_ps < moment)
        place = ops[place].parent;
    return place != TRACE_NONE && ops[place].thread == thread ? place : TRACE_NONE;
}

static bool is_known(const struct kineto_operator *op) {
    return op->does.work.read_bytes + op->does.work.written_bytes > 0;
}

static bool helps_only(const char *kernel) {
    enum kernel_class class = kernel_class_of(kernel);
    return class == KERNEL_COPY || class == KERNEL_ELEMENTWISE;
}

uint32_t kineto_operator_worker(const struct kineto_operators *operators, uint32_t place,
                                const char *kernel) {
    const struct kineto_operator *ops = operators->items;
    while (place != TRACE_NONE && !is_known(&ops[place]))
        place = ops[place].parent;
    return place != TRACE_NONE && ops[place].does.product && helps_only(kernel) ? TRACE_NONE
                                                                                : place;
}

struct import_work kineto_operator_share(const struct kineto_operator *op, ct_time_ps kernel_ps) {
    double share = op->kernels_ps > 0 ? (double)kernel_ps / (double)op->kernels_ps : 0;
    return (struct import_work){share * op->does.work.read_bytes,
                                share * op->does.work.written_bytes,
                                share * op->does.work.operations};
}

void kineto_operators_free(struct kineto_operators *operators) {
    ct_vec_free(operators);
    free(operators->by_id);
    operators->by_id = NULL;
}
