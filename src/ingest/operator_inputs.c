#include "ingest/operator_inputs.h"

#include <string.h>

/* c10::ScalarType, as torch.profiler names it. */
static const struct {
    const char *name;
    struct operator_type type;
} types[] = {
    {"float", {OPERATOR_FLOATING, 4}},
    {"double", {OPERATOR_FLOATING, 8}},
    {"c10::Half", {OPERATOR_FLOATING, 2}},
    {"c10::BFloat16", {OPERATOR_FLOATING, 2}},
    {"c10::Float8_e4m3fn", {OPERATOR_FLOATING, 1}},
    {"c10::Float8_e5m2", {OPERATOR_FLOATING, 1}},
    {"c10::complex<float>", {OPERATOR_COMPLEX, 8}},
    {"c10::complex<double>", {OPERATOR_COMPLEX, 16}},
    {"long int", {OPERATOR_INTEGER, 8}},
    {"long", {OPERATOR_INTEGER, 8}},
    {"int", {OPERATOR_INTEGER, 4}},
    {"short int", {OPERATOR_INTEGER, 2}},
    {"short", {OPERATOR_INTEGER, 2}},
    {"signed char", {OPERATOR_INTEGER, 1}},
    {"unsigned char", {OPERATOR_INTEGER, 1}},
    {"bool", {OPERATOR_BOOL, 1}},
};

static struct operator_type type_of(const char *name, size_t size) {
    for (size_t i = 0; i < CT_COUNT_OF(types); i++)
        if (strlen(types[i].name) == size && memcmp(types[i].name, name, size) == 0)
            return types[i].type;
    return (struct operator_type){OPERATOR_NO_TENSOR, 0};
}

void operator_inputs_clear(struct operator_inputs *in) {
    in->sizes.count = in->strides.count = in->inputs.count = in->text.count = 0;
}

void operator_inputs_list(struct operator_inputs *in, enum operator_list list) {
    in->list = list;
    in->depth = 0;
    in->next = 0;
    if (list == OPERATOR_SIZES)
        in->sizes.count = 0;
    if (list == OPERATOR_STRIDES)
        in->strides.count = 0;
}

static struct operator_shapes *shapes_of(struct operator_inputs *in) {
    return in->list == OPERATOR_SIZES     ? &in->sizes
           : in->list == OPERATOR_STRIDES ? &in->strides
                                          : NULL;
}

/* The input that comes next in the list. */
static bool next_input(struct operator_inputs *in) {
    return in->next++ < in->inputs.count || ct_vec_push(&in->inputs, (struct operator_input){0});
}

static bool next_shape(struct operator_inputs *in) {
    struct operator_shapes *shapes = shapes_of(in);
    return !shapes || ct_vec_push(shapes, (struct operator_shape){.input = in->next - 1});
}

bool operator_inputs_open(struct operator_inputs *in) {
    in->depth++;
    if (in->depth == 2) {
        in->in_list = false;
        return next_input(in) && next_shape(in);
    }
    if (in->depth == 3) {
        bool first = !in->in_list;
        in->in_list = true;
        return first || next_shape(in);
    }
    return true;
}

bool operator_inputs_close(struct operator_inputs *in) {
    return --in->depth == 0;
}

bool operator_inputs_number(struct operator_inputs *in, int64_t number) {
    struct operator_shapes *shapes = shapes_of(in);
    if (in->depth == 1)
        return next_input(in) && next_shape(in);
    if (!shapes || !shapes->count || in->depth < 2 || in->depth > 3)
        return true;
    struct operator_shape *shape = &shapes->items[shapes->count - 1];
    if (shape->rank < OPERATOR_MOST_RANK)
        shape->items[shape->rank] = number < 0 ? 0 : number;
    shape->rank += shape->rank <= OPERATOR_MOST_RANK;
    return true;
}

bool operator_inputs_text(struct operator_inputs *in, const char *text, size_t size) {
    if (in->depth != 1)
        return true;
    if (!next_input(in) || !next_shape(in))
        return false;
    if (in->list == OPERATOR_TYPES)
        in->inputs.items[in->next - 1].type = type_of(text, size);
    if (in->list != OPERATOR_CONCRETE)
        return true;
    if (!ct_vec_reserve(&in->text, size + 1))
        return false;
    in->inputs.items[in->next - 1].place = in->text.count + 1;
    memcpy(in->text.items + in->text.count, text, size);
    in->text.items[in->text.count + size] = '\0';
    in->text.count += size + 1;
    return true;
}

void operator_inputs_free(struct operator_inputs *in) {
    ct_vec_free(&in->sizes);
    ct_vec_free(&in->strides);
    ct_vec_free(&in->inputs);
    ct_vec_free(&in->text);
}
