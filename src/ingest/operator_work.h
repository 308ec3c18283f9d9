/*
 * What an operator of PyTorch must move and compute, by the shapes of its inputs: each input is
 * read once, each result written once (docs/demand.md, "From shapes").
 */
#ifndef OPERATOR_WORK_H
#define OPERATOR_WORK_H

#include "ingest/import_builder.h"
#include "ingest/operator_inputs.h"

struct operator_work {
    struct import_work work; /* all 0 where no rule knows the operator, or the shapes do not say */
    bool product;            /* a matrix product or convolution */
};

struct operator_work operator_work(const char *name, const struct operator_inputs *inputs);

#endif
