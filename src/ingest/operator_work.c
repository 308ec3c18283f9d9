/*
 * Rules by the operators' names and the order of their inputs, which are those of PyTorch's
 * aten/src/ATen/native/native_functions.yaml. Operators that launch kernels themselves have one,
 * those that only call others have none.
 */
#include "ingest/operator_work.h"

#include "base/ct_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct call {
    const struct operator_inputs *in;
    const struct rule *rule;
    size_t given;                /* inputs without a tensor for the result, */
    struct operator_type result; /* and the type of that tensor; no tensor: there is none */
    struct import_work work;
};

/* Inputs are named by a digit each, from 10 on by 'a', 'b' ... */
struct rule {
    const char *names;                  /* behind "aten::", blanks between them */
    bool (*measure)(struct call *call); /* false: the shapes do not say */
    int arguments;     /* what follows these is a tensor for the result; -1: none does */
    const char *reads; /* the inputs that matter, in the order that `measure` wants */
    const char *
        writes; /* inputs that results are alike; 'm': a mask of input 0, a byte for each element */
    struct operator_type result; /* where it is not the inputs' own */
};

/* ---- tensors ---- */

static const struct operator_shape *shape_of(const struct call *call, size_t input) {
    const struct operator_shapes *sizes = &call->in->sizes;
    for (size_t i = 0; i < sizes->count; i++)
        if (sizes->items[i].input == input)
            return sizes->items[i].rank <= OPERATOR_MOST_RANK ? &sizes->items[i] : NULL;
    return NULL;
}

static struct operator_type type_of(const struct call *call, size_t input) {
    return input < call->given ? call->in->inputs.items[input].type : (struct operator_type){0};
}

/* An input that is a tensor; NULL: it is none, or its shape is not known. */
static const struct operator_shape *tensor(const struct call *call, size_t input) {
    return type_of(call, input).kind == OPERATOR_NO_TENSOR ? NULL : shape_of(call, input);
}

static size_t input_of(char digit) {
    return digit >= 'a' ? (size_t)(digit - 'a') + 10 : (size_t)(digit - '0');
}

static double count_of(const struct operator_shape *shape) {
    double count = 1;
    for (int i = 0; i < shape->rank; i++)
        count *= (double)shape->items[i];
    return count;
}

static double bytes_of(const struct call *call, size_t input) {
    return count_of(tensor(call, input)) * type_of(call, input).bytes;
}

/* Elements in memory: a dimension of stride 0 repeats the same ones. */
static double distinct_of(const struct call *call, const struct operator_shape *shape) {
    const struct operator_inputs *in = call->in;
    const struct operator_shape *strides =
        in->strides.count == in->sizes.count ? &in->strides.items[shape - in->sizes.items] : NULL;
    double count = 1;
    for (int i = 0; i < shape->rank; i++)
        if (!strides || strides->rank != shape->rank || strides->items[i] != 0)
            count *= (double)shape->items[i];
    return count;
}

/* A tensor without dimensions is a number to the kernel. What has a shape and no type that is known
 * is a tensor of unknown size. */
static bool read_input(struct call *call, size_t input) {
    const struct operator_shape *shape = shape_of(call, input);
    bool known = type_of(call, input).kind != OPERATOR_NO_TENSOR;
    if (!shape || shape->rank == 0 || !known)
        return shape ? shape->rank == 0 : !known;
    call->work.read_bytes += distinct_of(call, shape) * type_of(call, input).bytes;
    return true;
}

static bool read_all(struct call *call) {
    for (size_t i = 0; i < call->given; i++)
        if (!read_input(call, i))
            return false;
    return true;
}

static bool read_stated(struct call *call) {
    for (const char *c = call->rule->reads; *c; c++)
        if (!read_input(call, input_of(*c)))
            return false;
    return true;
}

static void write_elements(struct call *call, double count, struct operator_type type) {
    struct operator_type stated = call->rule->result;
    type = stated.kind ? stated : type;
    call->work.written_bytes += count * (call->result.kind ? call->result : type).bytes;
}

static bool is_wider(struct operator_type a, struct operator_type b) {
    return a.kind != b.kind ? a.kind > b.kind : a.bytes > b.bytes;
}

/* The type of a calculation with all inputs: the widest; tensors without dimensions count for their
 * kind alone. */
static struct operator_type promoted(const struct call *call) {
    struct operator_type type = {0}, of_numbers = {0};
    for (size_t i = 0; i < call->given; i++) {
        const struct operator_shape *shape = tensor(call, i);
        struct operator_type *into = shape && shape->rank > 0 ? &type : &of_numbers;
        if (is_wider(type_of(call, i), *into))
            *into = type_of(call, i);
    }
    return of_numbers.kind > type.kind ? of_numbers : type;
}

/* ---- values ---- */

static const char *concrete(const struct call *call, size_t input) {
    size_t place = input < call->given ? call->in->inputs.items[input].place : 0;
    return place ? call->in->text.items + (place - 1) : NULL;
}

static bool is_value(const struct call *call, size_t input, const char *value) {
    const char *text = concrete(call, input);
    return text && strcmp(text, value) == 0;
}

/* Whole numbers: "[1, -2]" or "3". */
struct numbers {
    int64_t items[OPERATOR_MOST_RANK];
    int count; /* -1: not recorded */
};

static struct numbers numbers_of(const struct call *call, size_t input) {
    const struct numbers none = {.count = -1};
    struct numbers numbers = {0};
    const char *text = concrete(call, input);
    if (!text || !*text)
        return none;
    text += *text == '[';
    while (*text && *text != ']') {
        char *end;
        int64_t number = strtoll(text, &end, 10);
        if (end == text || numbers.count == OPERATOR_MOST_RANK)
            return none;
        numbers.items[numbers.count++] = number;
        text = end + strspn(end, ", ");
    }
    return numbers;
}

/* ---- element by element ---- */

/* Aligned to the right, of each size the larger one. */
static double broadcast_count(const struct call *call) {
    int64_t sizes[OPERATOR_MOST_RANK];
    int rank = 0;
    for (size_t i = 0; i < call->given; i++) {
        const struct operator_shape *shape = tensor(call, i);
        for (int k = 0; shape && k < shape->rank; k++) {
            int64_t size = shape->items[shape->rank - 1 - k];
            if (k == rank || size != 1)
                sizes[k] = size;
            rank += k == rank;
        }
    }
    double count = 1;
    for (int k = 0; k < rank; k++)
        count *= (double)sizes[k];
    return count;
}

static bool measure_elements(struct call *call) {
    if (!read_all(call))
        return false;
    call->work.operations = broadcast_count(call);
    write_elements(call, call->work.operations, promoted(call));
    return true;
}

/* (input, dimension, whether the result is of single precision whatever the input). */
static bool measure_softmax(struct call *call) {
    if (is_value(call, 2, "True"))
        call->result = (struct operator_type){OPERATOR_FLOATING, 4};
    return measure_elements(call);
}

/* add_(a, b): into the first input. */
static bool measure_in_place(struct call *call) {
    if (!tensor(call, 0) || !read_all(call))
        return false;
    call->work.operations = count_of(tensor(call, 0));
    call->work.written_bytes = bytes_of(call, 0);
    return true;
}

/* What the rule says is read and written. */
static bool measure_stated(struct call *call) {
    if (!read_stated(call))
        return false;
    for (const char *c = call->rule->writes; *c; c++) {
        size_t input = *c == 'm' ? 0 : input_of(*c);
        if (tensor(call, input))
            call->work.written_bytes +=
                *c == 'm' ? count_of(tensor(call, 0)) : bytes_of(call, input);
    }
    return tensor(call, input_of(*call->rule->writes)) != NULL;
}

/* ---- matrix products ---- */

/* `reads`: the factors. Rows and columns are their last two dimensions, what is before these the
 * batch. */
static bool measure_product(struct call *call) {
    size_t first = input_of(call->rule->reads[0]);
    const struct operator_shape *a = tensor(call, first), *b = tensor(call, first + 1);
    if (!a || !b || a->rank < 2 || b->rank != a->rank || a->items[a->rank - 1] <= 0 ||
        a->items[a->rank - 1] != b->items[b->rank - 2] || !read_all(call))
        return false;
    double columns = (double)b->items[b->rank - 1];
    write_elements(call, count_of(a) / (double)a->items[a->rank - 1] * columns,
                   type_of(call, first));
    call->work.operations = 2 * count_of(a) * columns;
    return true;
}

/* linear(input, weight): a row of the weight for each column of the result. */
static bool measure_linear(struct call *call) {
    const struct operator_shape *x = tensor(call, 0), *weight = tensor(call, 1);
    if (!x || !weight || x->rank < 1 || weight->rank != 2 || weight->items[1] <= 0 ||
        x->items[x->rank - 1] != weight->items[1] || !read_all(call))
        return false;
    double columns = (double)weight->items[0];
    write_elements(call, count_of(x) / (double)weight->items[1] * columns, type_of(call, 0));
    call->work.operations = 2 * count_of(x) * columns;
    return true;
}

/* ---- windows: convolutions and pools ---- */

/* An item of a list with one for each dimension, or one for all; of an empty list `otherwise`. */
static double item_of(const struct numbers *list, int dimension, double otherwise) {
    return list->count == 0          ? otherwise
           : list->count == 1        ? (double)list->items[0]
           : dimension < list->count ? (double)list->items[dimension]
                                     : NAN;
}

/* Places that a window takes on the dimensions behind batch and channels (torch.nn.Conv2d,
 * MaxPool2d). `where`: the inputs with padding, stride and dilation, the last of which may lack.
 * NAN: not recorded. */
static double places_of(const struct call *call, const struct operator_shape *x,
                        const struct numbers *window, const char *where) {
    struct numbers padding = numbers_of(call, input_of(where[0])),
                   stride = numbers_of(call, input_of(where[1]));
    struct numbers dilation = where[2] ? numbers_of(call, input_of(where[2])) : (struct numbers){0};
    double places =
        window->count < 0 || padding.count < 0 || stride.count < 0 || dilation.count < 0 ? NAN : 1;
    for (int i = 0; i < x->rank - 2; i++) {
        double wide = item_of(window, i, NAN), step = item_of(&stride, i, wide);
        double reach = item_of(&dilation, i, 1) * (wide - 1) + 1;
        places *= floor(((double)x->items[2 + i] + 2 * item_of(&padding, i, 0) - reach) / step) + 1;
    }
    return places;
}

/* What lies between windows that are further apart than they are wide is not read. */
static double skipped_by(double windows, const struct operator_shape *x,
                         const struct operator_shape *weight) {
    double window = count_of(weight) / ((double)weight->items[0] * (double)weight->items[1]);
    double places = count_of(x) / ((double)x->items[0] * (double)x->items[1]);
    return fmax(0, 1 - windows * window / places);
}

/* Input 0 and the weight, input 1; `reads`: padding, stride, dilation. */
static bool measure_convolution(struct call *call) {
    const struct operator_shape *x = tensor(call, 0), *weight = tensor(call, 1);
    if (!x || !weight || x->rank < 3 || weight->rank != x->rank || weight->items[0] <= 0 ||
        !read_all(call))
        return false;
    struct numbers window = {.count = weight->rank - 2};
    memcpy(window.items, weight->items + 2, (size_t)window.count * sizeof *window.items);
    double windows = places_of(call, x, &window, call->rule->reads);
    double results = (double)x->items[0] * (double)weight->items[0] * windows;
    if (!(results > 0) || isinf(results))
        return false;
    call->work.read_bytes -=
        skipped_by(windows, x, weight) * distinct_of(call, x) * type_of(call, 0).bytes;
    write_elements(call, results, type_of(call, 0));
    call->work.operations = 2 * results * count_of(weight) / (double)weight->items[0];
    return true;
}

/* `reads`: the result's gradient, input, weight, and which gradients are wanted ("[True, False]"):
 * both where that is not recorded. */
static bool measure_convolution_backward(struct call *call) {
    const char *reads = call->rule->reads;
    size_t inputs[3] = {input_of(reads[0]), input_of(reads[1]), input_of(reads[2])};
    const char *wanted = concrete(call, input_of(reads[3]));
    bool of_input = !wanted || strncmp(wanted, "[False", 6) != 0;
    bool of_weight =
        !wanted || !strchr(wanted, ',') || strncmp(strchr(wanted, ','), ", False", 7) != 0;
    const struct operator_shape *gradient = tensor(call, inputs[0]),
                                *weight = tensor(call, inputs[2]);
    if (!gradient || !tensor(call, inputs[1]) || !weight || weight->rank < 3 ||
        weight->items[0] <= 0 || !read_input(call, inputs[0]) ||
        (of_weight && !read_input(call, inputs[1])) || (of_input && !read_input(call, inputs[2])))
        return false;
    call->work.written_bytes =
        (of_input ? bytes_of(call, inputs[1]) : 0) + (of_weight ? bytes_of(call, inputs[2]) : 0);
    call->work.operations = (of_input + of_weight) * 2 * count_of(gradient) * count_of(weight) /
                            (double)weight->items[0];
    return true;
}

/* The pooling of input 0 with the window of input 1; `reads`: padding, stride, dilation where there
 * is one, and then whether to round up. `writes` "i": the places of the largest ones, too, 8 bytes
 * each. */
static bool measure_pool(struct call *call) {
    const struct operator_shape *x = tensor(call, 0);
    const char *reads = call->rule->reads;
    struct numbers window = numbers_of(call, 1);
    if (!x || x->rank != 4 || !is_value(call, input_of(reads[strlen(reads) - 1]), "False") ||
        !read_input(call, 0))
        return false;
    char where[4] = {reads[0], reads[1], strlen(reads) == 4 ? reads[2] : '\0', '\0'};
    double results = (double)x->items[0] * (double)x->items[1] * places_of(call, x, &window, where);
    if (!(results > 0) || isinf(results))
        return false;
    write_elements(call, results, type_of(call, 0));
    call->work.written_bytes += *call->rule->writes == 'i' ? 8 * results : 0;
    return true;
}

/* ---- attention ---- */

/* Statistics are of single precision, whatever the tensors are of. */
enum { STATISTIC_BYTES = 4 };

/*
 * Inputs 0 to 2: queries, keys, values. `writes`: how batch, sequence, heads and width are ordered;
 * `reads`: a bias or
 * '-', and what says with which value whether a query sees the keys before it alone.
 */
static bool measure_attention(struct call *call) {
    const struct operator_shape *q = tensor(call, 0), *k = tensor(call, 1), *v = tensor(call, 2);
    const char *reads = call->rule->reads;
    if (!q || !k || !v || q->rank != 4 || k->rank != 4 || v->rank != 4)
        return false;
    if (!read_input(call, 0) || !read_input(call, 1) || !read_input(call, 2) ||
        (reads[0] != '-' && !read_input(call, input_of(reads[0]))))
        return false;
    int sequence = *call->rule->writes == 's' ? 1 : 2;
    double rows = (double)q->items[0] * (double)q->items[1] * (double)q->items[2];
    double keys = (double)k->items[sequence], queries = (double)q->items[sequence];
    const char *causal = concrete(call, input_of(reads[1]));
    write_elements(call, rows * (double)v->items[3], type_of(call, 0));
    call->work.written_bytes += rows * STATISTIC_BYTES;
    if (!causal)
        return true;
    double seen = strcmp(causal, reads + 2) == 0 && keys == queries ? (keys + 1) / 2 : keys;
    call->work.operations = 2 * rows * seen * (double)(q->items[3] + v->items[3]);
    return true;
}

/* ---- normalisation ---- */

/* Input 0 in rows of the shape of input 1; a number of `writes` for each row: mean, deviation. */
static bool measure_layer_norm(struct call *call) {
    const struct operator_shape *x = tensor(call, 0), *weight = tensor(call, 2);
    struct numbers row = numbers_of(call, 1);
    double width = row.count < 0 ? weight ? count_of(weight) : NAN : 1;
    for (int i = 0; i < row.count; i++)
        width *= (double)row.items[i];
    if (!x || !(width > 0) || !read_all(call))
        return false;
    write_elements(call, count_of(x), type_of(call, 0));
    call->work.written_bytes +=
        (double)strlen(call->rule->writes) * count_of(x) / width * STATISTIC_BYTES;
    return true;
}

/* (input, weight, bias, running mean, running variance, training): training writes the running
 * ones, and those of this batch. */
static bool measure_batch_norm(struct call *call) {
    const struct operator_shape *x = tensor(call, 0);
    if (!x || x->rank < 2 || !read_all(call))
        return false;
    write_elements(call, count_of(x), type_of(call, 0));
    if (!is_value(call, 5, "False"))
        call->work.written_bytes +=
            (tensor(call, 3) ? 4 : 2) * (double)x->items[1] * STATISTIC_BYTES;
    return true;
}

/* (input, weight, bias, N, C, HxW, groups). */
static bool measure_group_norm(struct call *call) {
    struct numbers images = numbers_of(call, 3), groups = numbers_of(call, 6);
    if (!tensor(call, 0) || images.count != 1 || groups.count != 1 || !read_all(call))
        return false;
    write_elements(call, count_of(tensor(call, 0)), type_of(call, 0));
    call->work.written_bytes +=
        2 * (double)images.items[0] * (double)groups.items[0] * STATISTIC_BYTES;
    return true;
}

/* ---- reductions ---- */

/* What is left of input 0 without the dimensions that `reads` names; NAN: not recorded. */
static double reduced_count(const struct call *call, size_t where) {
    const struct operator_shape *x = tensor(call, 0);
    struct numbers dimensions = numbers_of(call, where);
    double count = count_of(x);
    if (where >= call->given || call->given == 2 || is_value(call, where, ""))
        return 1; /* sum(x), sum(x, type) */
    if (dimensions.count < 0)
        return NAN;
    for (int i = 0; i < dimensions.count; i++) {
        int64_t d = dimensions.items[i] < 0 ? dimensions.items[i] + x->rank : dimensions.items[i];
        if (d < 0 || d >= x->rank || x->items[d] == 0)
            return NAN;
        count /= (double)x->items[d];
    }
    return dimensions.count ? count : 1;
}

/* Sums of whole numbers have 8 bytes. `writes` "i": where the largest are, too, 8 bytes each. */
static bool measure_reduction(struct call *call) {
    const struct operator_shape *x = tensor(call, 0);
    size_t where = input_of(*call->rule->reads);
    if (x && tensor(call, where))
        return measure_elements(call); /* max(a, b) */
    double results = x ? reduced_count(call, where) : NAN;
    if (isnan(results) || !read_input(call, 0))
        return false;
    struct operator_type type = type_of(call, 0);
    bool widened = *call->rule->writes == 's' && type.kind < OPERATOR_FLOATING;
    write_elements(call, results, widened ? (struct operator_type){OPERATOR_INTEGER, 8} : type);
    call->work.written_bytes += *call->rule->writes == 'i' && results > 1 ? 8 * results : 0;
    call->work.operations = count_of(x);
    return true;
}

/* ---- rows by their numbers ---- */

/* The selection from input 0 that the input of `reads` names, along the dimension of `writes` ('-':
 * the first); each is read once at most. */
static bool measure_selection(struct call *call) {
    size_t numbers = input_of(*call->rule->reads);
    const struct operator_shape *table = tensor(call, 0), *index = tensor(call, numbers);
    struct numbers dimension = {.items = {0}, .count = 1};
    if (*call->rule->writes != '-')
        dimension = numbers_of(call, input_of(*call->rule->writes));
    if (!table || !index || dimension.count != 1 || !read_input(call, numbers))
        return false;
    int64_t d = dimension.items[0] < 0 ? dimension.items[0] + table->rank : dimension.items[0];
    if (d < 0 || d >= table->rank || table->items[d] == 0)
        return false;
    double row = count_of(table) / (double)table->items[d], rows = count_of(index);
    call->work.read_bytes += fmin(rows, (double)table->items[d]) * row * type_of(call, 0).bytes;
    write_elements(call, rows * row, type_of(call, 0));
    return true;
}

/* ---- the rules ---- */

#define STATED(name, reads, writes)                                                                \
    name, measure_stated, -1, reads, writes, {                                                     \
        0                                                                                          \
    }
#define ELEMENTS(name, arguments, ...)                                                             \
    name, measure_elements, arguments, "", "", {                                                   \
        __VA_ARGS__                                                                                \
    }

static const struct rule rules[] = {
    {"mm bmm matmul", measure_product, 2, "0", "", {0}},
    {"addmm baddbmm", measure_product, 5, "1", "", {0}},
    {"_addmm_activation", measure_product, 6, "1", "", {0}},
    {"linear", measure_linear, 3, "", "", {0}},

    {"cudnn_convolution", measure_convolution, 9, "234", "", {0}},
    {"cudnn_convolution_relu", measure_convolution, -1, "435", "", {0}},
    {"cudnn_convolution_add_relu", measure_convolution, -1, "657", "", {0}},
    {"miopen_convolution", measure_convolution, 9, "345", "", {0}},
    {"_conv_depthwise2d", measure_convolution, 7, "546", "", {0}},
    {"convolution_backward", measure_convolution_backward, -1, "012a", "", {0}},
    {"cudnn_convolution_backward", measure_convolution_backward, -1, "102a", "", {0}},

    {"max_pool2d_with_indices", measure_pool, 6, "3245", "i", {0}},
    {"avg_pool2d", measure_pool, 7, "324", "", {0}},
    {STATED("max_pool2d_with_indices_backward", "07", "1")},
    {STATED("avg_pool2d_backward _adaptive_avg_pool2d_backward", "0", "1")},

    {"_flash_attention_forward", measure_attention, -1, "-8True", "s", {0}},
    {"_efficient_attention_forward", measure_attention, -1, "391", "s", {0}},
    {"_scaled_dot_product_cudnn_attention", measure_attention, -1, "36True", "h", {0}},
    {STATED("_flash_attention_backward _scaled_dot_product_cudnn_attention_backward", "012345",
            "123")},
    {STATED("_efficient_attention_backward", "012345a", "123")},

    {"native_layer_norm", measure_layer_norm, -1, "", "md", {0}},
    {"_fused_rms_norm", measure_layer_norm, -1, "", "d", {0}},
    {"native_batch_norm _native_batch_norm_legit cudnn_batch_norm miopen_batch_norm",
     measure_batch_norm,
     -1,
     "",
     "",
     {0}},
    {"native_group_norm", measure_group_norm, -1, "", "", {0}},
    {STATED("native_layer_norm_backward", "01345", "156")},
    {STATED("native_batch_norm_backward", "01256", "122")},
    {STATED("cudnn_batch_norm_backward", "012568", "022")},
    {STATED("miopen_batch_norm_backward", "01256", "022")},
    {STATED("native_group_norm_backward", "01234", "144")},

    {"_softmax _log_softmax", measure_softmax, 3, "", "", {0}},
    {STATED("_softmax_backward_data _log_softmax_backward_data", "01", "0")},

    {"sum prod", measure_reduction, 4, "1", "s", {0}},
    {"mean", measure_reduction, 4, "1", "", {0}},
    {"amax amin", measure_reduction, 3, "1", "", {0}},
    {"max min", measure_reduction, 3, "1", "i", {0}},
    {"argmax argmin", measure_reduction, 3, "1", "", {OPERATOR_INTEGER, 8}},
    {"all any", measure_reduction, 3, "1", "", {OPERATOR_BOOL, 1}},
    {"linalg_vector_norm", measure_reduction, 5, "2", "", {0}},

    {"index_select", measure_selection, 3, "2", "1", {0}},
    {"embedding", measure_selection, 5, "1", "-", {0}},
    {STATED("copy_", "1", "0")},
    {STATED("fill_ zero_", "", "0")},
    {STATED("native_dropout", "0", "0m")},

    {ELEMENTS(
        "bitwise_not neg abs sign exp expm1 log log1p sqrt rsqrt reciprocal sin cos tanh erf floor "
        "ceil round relu silu mish sigmoid hardswish hardsigmoid",
        1, 0)},
    {ELEMENTS(
        "mul div fmod remainder pow atan2 maximum minimum bitwise_and bitwise_or bitwise_xor "
        "clamp_min "
        "clamp_max leaky_relu gelu silu_backward sigmoid_backward tanh_backward hardswish_backward "
        "tril triu flip",
        2, 0)},
    {ELEMENTS(
        "add sub rsub lerp where masked_fill clamp threshold softplus hardtanh threshold_backward "
        "gelu_backward native_dropout_backward roll cumsum",
        3, 0)},
    {ELEMENTS("addcmul addcdiv elu leaky_relu_backward hardtanh_backward", 4, 0)},
    {ELEMENTS("isnan isinf logical_not", 1, OPERATOR_BOOL, 1)},
    {ELEMENTS("eq ne lt le gt ge logical_and logical_or logical_xor", 2, OPERATOR_BOOL, 1)},
};

/* The rule of a name, or of "NAME_" where NAME works element by element: then in place. */
static const struct rule *find_rule(const char *name, bool *in_place) {
    size_t length = strlen(name);
    bool may_be_in_place = length && name[length - 1] == '_';
    for (size_t i = 0; i < CT_COUNT_OF(rules); i++) {
        *in_place = may_be_in_place && rules[i].measure == measure_elements &&
                    ct_text_lists(rules[i].names, name, length - 1);
        if (*in_place || ct_text_lists(rules[i].names, name, length))
            return &rules[i];
    }
    return NULL;
}

/* Elements that a tensor for the result was given for count by their type alone: it may be of any
 * size before. */
static void leave_result(struct call *call) {
    size_t count = call->in->inputs.count;
    call->given = count;
    if (call->rule->arguments < 0 || count <= (size_t)call->rule->arguments)
        return;
    struct operator_type last = type_of(call, count - 1);
    if (last.kind == OPERATOR_NO_TENSOR)
        return;
    call->result = last;
    call->given = count - 1;
}

static bool is_product(const struct rule *rule) {
    return rule->measure == measure_product || rule->measure == measure_linear ||
           rule->measure == measure_convolution || rule->measure == measure_convolution_backward;
}

struct operator_work operator_work(const char *name, const struct operator_inputs *inputs) {
    const struct operator_work unknown = {{0}, false};
    static const char library[] = "aten::";
    struct call call = {.in = inputs};
    bool in_place = false;
    if (inputs->sizes.count == 0 || strncmp(name, library, sizeof library - 1) != 0)
        return unknown;
    call.rule = find_rule(name + sizeof library - 1, &in_place);
    if (!call.rule)
        return unknown;
    leave_result(&call);
    bool known = in_place ? measure_in_place(&call) : call.rule->measure(&call);
    return known && isfinite(call.work.read_bytes + call.work.written_bytes)
               ? (struct operator_work){call.work, is_product(call.rule)}
               : unknown;
}
