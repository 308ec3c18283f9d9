/*
 * What an operator of PyTorch was called with, as its profiler writes it with `record_shapes`: four
 * lists beside each other, an item for each input. "Input Dims": [[8, 512], []], "Input Strides":
 * [[512, 1], []], "Input type":
 * ["c10::Half", "Scalar"], "Concrete Inputs": ["", "1"]. A list of tensors is a list of lists:
 * [[[8, 1], [8, 7]], []].
 */
#ifndef OPERATOR_INPUTS_H
#define OPERATOR_INPUTS_H

#include "base/ct_types.h"
#include "base/ct_vec.h"

enum { OPERATOR_MOST_RANK = 8 };

/* Rising: of two types the result of a calculation has the later one. */
enum operator_kind {
    OPERATOR_NO_TENSOR,
    OPERATOR_BOOL,
    OPERATOR_INTEGER,
    OPERATOR_FLOATING,
    OPERATOR_COMPLEX
};

/* The type of an element. OPERATOR_NO_TENSOR: a number, a list, nothing, or a type that is not
 * known here. */
struct operator_type {
    enum operator_kind kind;
    int bytes;
};

/* The sizes of a tensor, or its strides. */
struct operator_shape {
    uint32_t input; /* which one it is, or is in */
    int rank;       /* above OPERATOR_MOST_RANK: not all are kept */
    int64_t items[OPERATOR_MOST_RANK];
};

struct operator_input {
    struct operator_type type;
    size_t place; /* of its value, "[0, 0]" or "False", in `text`, plus 1; 0: not recorded */
};

enum operator_list { OPERATOR_SIZES, OPERATOR_STRIDES, OPERATOR_TYPES, OPERATOR_CONCRETE };

/* Zero-initialise; free with operator_inputs_free. */
struct operator_inputs {
    struct operator_shapes {
        CT_VEC(struct operator_shape);
    } sizes, strides; /* in the order of the inputs; an input without a shape has one of rank 0 */
    CT_VEC(struct operator_input) inputs;
    CT_VEC(char) text;
    enum operator_list list; /* that is being read, */
    int depth;               /* how deep in it, */
    uint32_t next;           /* the input that comes next, */
    bool in_list;            /* and whether the one in hand is a list of tensors */
};

/* Forgets what was read, for the next operator; the memory stays. */
void operator_inputs_clear(struct operator_inputs *inputs);
/* One of the four lists follows: its arrays, numbers and texts, from its own bracket on. Each
 * returns false when memory ran out. */
void operator_inputs_list(struct operator_inputs *inputs, enum operator_list list);
bool operator_inputs_open(struct operator_inputs *inputs);
/* Whether the list ended with this bracket. */
bool operator_inputs_close(struct operator_inputs *inputs);
bool operator_inputs_number(struct operator_inputs *inputs, int64_t number);
bool operator_inputs_text(struct operator_inputs *inputs, const char *text, size_t size);
void operator_inputs_free(struct operator_inputs *inputs);

#endif
