#include "ingest/network_file.h"

#include "base/ct_option_value.h"
#include "base/ct_text.h"
#include "format/json_place.h"

#include <string.h>

/* A product of layer sizes beyond this is no network: 2^53 would end exact counting. */
#define MOST_OPERATIONS 1e15
#define MOST_SIZE 1e6

/* What an element costs beside the products, floating-point operations, assumed: an activation one
 * comparison; a normalisation difference, scale, factor and offset; softmax exponential, sum and
 * quotient. */
enum { ELEMENTWISE_OPERATIONS = 1, NORM_OPERATIONS = 4, SOFTMAX_OPERATIONS = 3 };

/* Products of input and of state per hidden unit: input, forget, output, cell; reset, update, new.
 */
enum { LSTM_GATES = 4, GRU_GATES = 3 };

static const char *const kinds[] = {"conv", "local",       "linear", "matmul",  "lstm", "gru",
                                    "pool", "elementwise", "norm",   "softmax", NULL};

/* What a file says of a layer. */
struct description {
    const char *name;
    int32_t kind;
    int64_t in, out, kernel, stride, pad, groups, m, n, k, repeat;
};

#define TEXT(of, member, help_)                                                                    \
    .name = #member, .kind = CT_OPTION_STRING, .offset = offsetof(struct of, member), .unit = "",  \
    .help = help_
#define COUNT(of, member, least_, most_, standard_, help_)                                         \
    .name = #member, .kind = CT_OPTION_INT, .offset = offsetof(struct of, member), .unit = "",     \
    .least = least_, .most = most_, .standard = standard_, .help = help_
#define CHOICE(name_, of, member, choices_, standard_, help_)                                      \
    .name = name_, .kind = CT_OPTION_CHOICE, .offset = offsetof(struct of, member), .unit = "",    \
    .choices = choices_, .standard = standard_, .help = help_

static const struct ct_option layer_options[] = {
    {TEXT(description, name, "name of the layer and of its library call")},
    {CHOICE("kind", description, kind, kinds, NULL, "what it computes")},
    {COUNT(description, in, 1, MOST_SIZE, NULL, "channels or elements that come in, checked")},
    {COUNT(description, out, 1, MOST_SIZE, NULL, "channels or elements that go out")},
    {COUNT(description, kernel, 1, MOST_SIZE, NULL, "edge of the window")},
    {COUNT(description, stride, 1, MOST_SIZE, "1", "of the window")},
    {COUNT(description, pad, 0, MOST_SIZE, "0", "rows and columns added on each side")},
    {COUNT(description, groups, 1, MOST_SIZE, "1", "of channels that do not mix")},
    {COUNT(description, m, 1, MOST_SIZE, NULL, "rows of the left matrix")},
    {COUNT(description, n, 1, MOST_SIZE, NULL, "columns of the right matrix")},
    {COUNT(description, k, 1, MOST_SIZE, NULL, "columns of the left matrix")},
    {COUNT(description, repeat, 1, MOST_SIZE, "1", "times, one after the other")},
    {0}};

static const struct ct_option file_options[] = {
    {.name = "schema", .kind = CT_OPTION_STRING, .unit = "", .help = "version of the format"},
    {TEXT(network_file, name, "of the application")},
    {TEXT(network_file, source, "where the layers are published")},
    {TEXT(network_file, licence, "of the description")},
    {COUNT(network_file, batch, 1, MOST_SIZE, "1", "inputs per query")},
    {COUNT(network_file, element_bytes, 1, 8, "4", "of every number")},
    {CHOICE("units", network_file, unit, kernel_unit_names + KERNEL_FP32, "fp32",
            "that its layers are computed on")},
    {.name = "input", .kind = CT_OPTION_STRING, .unit = "", .help = "shape of one input"},
    {.name = "layers", .kind = CT_OPTION_STRING, .unit = "", .help = "in order"},
    {0}};

/* Which keys a kind has beside name, kind, in and repeat; all of them are needed but those with a
 * default. */
static const char *const kind_keys[] = {[NETWORK_CONV] = "out kernel stride pad groups",
                                        [NETWORK_LOCAL] = "out kernel stride pad",
                                        [NETWORK_LINEAR] = "out",
                                        [NETWORK_MATMUL] = "m n k",
                                        [NETWORK_LSTM] = "out",
                                        [NETWORK_GRU] = "out",
                                        [NETWORK_POOL] = "kernel stride pad",
                                        [NETWORK_ELEMENTWISE] = "",
                                        [NETWORK_NORM] = "",
                                        [NETWORK_SOFTMAX] = ""};

/* What goes from layer to layer, of one input. Of a sequence: features, steps, 1. */
struct shape {
    double channels, height, width;
};

struct reading {
    struct json_place *place;
    struct network_file *file;
    int64_t batch; /* in the place of the file's; 0: that holds */
    struct shape shape;
    const char *before; /* name of what gave the shape */
};

static double elements(const struct shape *shape) {
    return shape->channels * shape->height * shape->width;
}

/* ---- members ---- */

static bool has(const char *keys, const char *key) {
    return ct_text_lists(keys, key, strlen(key));
}

static bool set_member(struct reading *r, const struct ct_option *table, const char *key,
                       const json_t *value, void *object) {
    const struct ct_option *option = ct_option_find(table, key);
    const char *where = json_place_member(r->place, key);
    if (!option) {
        ct_option_unknown(table, "key", key, where, r->place->diags);
        return json_place_refuse(r->place);
    }
    if (option->kind != CT_OPTION_INT && !json_is_string(value))
        return json_place_error(r->place, key, "'%s' is no text", key);
    const char *text = json_place_scalar(value, option->kind, r->place->arena);
    int status =
        text ? ct_option_set(table, key, text, object, r->place->arena, where, r->place->diags)
             : ct_out_of_memory(r->place->diags);
    return json_place_fail(r->place, status) == CT_OK;
}

static bool check_keys(struct reading *r, const json_t *object, const struct description *d) {
    bool good = true;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value) {
        if (!has("name kind in repeat", key) && !has(kind_keys[d->kind], key))
            good = json_place_error(r->place, key, "a layer of kind '%s' has no '%s'",
                                    kinds[d->kind], key);
    }
    for (const struct ct_option *option = layer_options; option->name; option++) {
        key = option->name;
        if (has(kind_keys[d->kind], key) && !option->standard && !json_object_get(object, key))
            good = json_place_error(r->place, key, "missing: a layer of kind '%s' needs it",
                                    kinds[d->kind]);
    }
    return good;
}

static bool describe(struct reading *r, const json_t *object, struct description *d) {
    bool good = true;
    const char *key;
    json_t *value;
    *d = (struct description){.stride = 1, .groups = 1, .repeat = 1};
    if (!json_is_object(object))
        return json_place_error(r->place, NULL, "a layer is no object");
    json_object_foreach((json_t *)object, key, value) good =
        set_member(r, layer_options, key, value, d) && good;
    if (!json_object_get(object, "kind"))
        return json_place_error(r->place, "kind", "missing: what the layer computes");
    if (good && (!d->name || !*d->name))
        return json_place_error(r->place, "name", "missing: the name of the layer");
    return good && check_keys(r, object, d);
}

/* ---- layers ---- */

/* Positions of a window along an edge; below 1 where it does not fit. */
static double positions(const struct description *d, double edge) {
    double room = edge + 2.0 * (double)d->pad - (double)d->kernel;
    return room < 0 ? 0 : floor(room / (double)d->stride) + 1;
}

static bool slide(struct reading *r, const struct description *d, struct shape *out) {
    const struct shape *in = &r->shape;
    out->height = positions(d, in->height);
    out->width = positions(d, in->width);
    if (out->height >= 1 && out->width >= 1)
        return true;
    return json_place_error(r->place, "kernel",
                            "a window of %lld does not fit the %.0f x %.0f that '%s' gives",
                            (long long)d->kernel, in->height, in->width, r->before);
}

static bool windowed(struct reading *r, const struct description *d, struct shape *out,
                     struct network_layer *l) {
    double batch = (double)r->file->batch, channels = r->shape.channels, groups = (double)d->groups,
           window = (double)(d->kernel * d->kernel);
    if (!slide(r, d, out))
        return false;
    if (d->kind == NETWORK_POOL) {
        out->channels = channels;
        l->operations = batch * elements(out) * window;
        return true;
    }
    if (fmod(channels, groups) != 0 || d->out % d->groups != 0)
        return json_place_error(r->place, "groups",
                                "does not divide the channels that come in and go out");
    double where = out->height * out->width, filter = channels / groups * window;
    bool local = d->kind == NETWORK_LOCAL;
    out->channels = (double)d->out;
    l->macs = batch * elements(out) * filter;
    l->parameters = (filter + 1) * out->channels * (local ? where : 1);
    l->matrices = local ? where : groups;
    l->rows = local ? batch : batch * where;
    l->columns = out->channels / groups;
    return true;
}

static void linear(struct reading *r, const struct description *d, struct shape *out,
                   struct network_layer *l) {
    double batch = (double)r->file->batch, in = elements(&r->shape), units = (double)d->out;
    *out = (struct shape){units, 1, 1};
    l->macs = batch * in * units;
    l->parameters = (in + 1) * units;
    l->rows = batch;
    l->columns = units;
}

static bool matmul(struct reading *r, const struct description *d, struct shape *out,
                   struct network_layer *l) {
    double batch = (double)r->file->batch, m = (double)d->m, n = (double)d->n, k = (double)d->k;
    if (m * k != elements(&r->shape))
        return json_place_error(r->place, NULL, "takes m x k = %.0f elements, but '%s' gives %.0f",
                                m * k, r->before, elements(&r->shape));
    *out = (struct shape){n, m, 1};
    l->macs = batch * m * n * k;
    l->parameters = n * k;
    l->rows = batch * m;
    l->columns = n;
    return true;
}

static bool recurrent(struct reading *r, const struct description *d, struct shape *out,
                      struct network_layer *l) {
    double batch = (double)r->file->batch, hidden = (double)d->out, steps = r->shape.height,
           gates = d->kind == NETWORK_LSTM ? LSTM_GATES : GRU_GATES;
    if (r->shape.width != 1)
        return json_place_error(r->place, NULL,
                                "a recurrent layer needs a sequence: [features, steps]");
    double inner = r->shape.channels + hidden;
    *out = (struct shape){hidden, steps, 1};
    l->macs = batch * steps * gates * hidden * inner;
    l->parameters = gates * hidden * (inner + 1);
    l->weight_reads = l->parameters * steps;
    l->rows = batch;
    l->columns = gates * hidden;
    return true;
}

static bool compute(struct reading *r, const struct description *d, struct shape *out,
                    struct network_layer *l) {
    double all = (double)r->file->batch * elements(&r->shape);
    switch ((enum network_kind)d->kind) {
    case NETWORK_CONV:
    case NETWORK_LOCAL:
    case NETWORK_POOL:
        return windowed(r, d, out, l);
    case NETWORK_LINEAR:
        linear(r, d, out, l);
        return true;
    case NETWORK_MATMUL:
        return matmul(r, d, out, l);
    case NETWORK_LSTM:
    case NETWORK_GRU:
        return recurrent(r, d, out, l);
    case NETWORK_ELEMENTWISE:
        l->operations = ELEMENTWISE_OPERATIONS * all;
        return true;
    case NETWORK_NORM:
        l->operations = NORM_OPERATIONS * all;
        l->parameters = 2 * r->shape.channels;
        return true;
    case NETWORK_SOFTMAX:
        l->operations = SOFTMAX_OPERATIONS * all;
        return true;
    }
    return false;
}

/* Whether what the layer says comes in is what comes in: channels, or all elements of a linear one.
 */
static bool check_in(struct reading *r, const struct description *d) {
    double given = d->kind == NETWORK_LINEAR ? elements(&r->shape) : r->shape.channels;
    if (!d->in || (double)d->in == given)
        return true;
    return json_place_error(r->place, "in", "takes %lld, but '%s' gives %.0f", (long long)d->in,
                            r->before, given);
}

static bool append(struct reading *r, const struct description *d, bool repeated) {
    struct network_layer l = {.name = d->name,
                              .kind = (enum network_kind)d->kind,
                              .matrices = 1,
                              .rows = 1,
                              .weight_reads = -1};
    double batch = (double)r->file->batch;
    struct shape out = r->shape;
    if (!check_in(r, d) || !compute(r, d, &out, &l))
        return false;
    l.in_elements = batch * elements(&r->shape);
    l.out_elements = batch * elements(&out);
    l.operations += 2 * l.macs;
    if (l.weight_reads < 0)
        l.weight_reads = l.parameters;
    if (l.macs == 0)
        l.columns = l.out_elements;
    if (l.operations > MOST_OPERATIONS || l.weight_reads + l.out_elements > MOST_OPERATIONS)
        return json_place_error(r->place, NULL, "more than 1e15 operations or numbers in a layer");
    if (repeated) {
        const struct network_layer *last = &r->file->layers.items[r->file->layers.count - 1];
        l.again = last->in_elements == l.in_elements && last->macs == l.macs &&
                  last->operations == l.operations && last->parameters == l.parameters;
    }
    r->shape = out;
    r->before = d->name;
    return ct_vec_push(&r->file->layers, l) || json_place_no_memory(r->place) == CT_OK;
}

static bool read_layer(struct reading *r, const json_t *object) {
    struct description d;
    bool good = describe(r, object, &d);
    for (int64_t i = 0; i < d.repeat && good; i++)
        good = append(r, &d, i > 0);
    return good;
}

static void read_layers(struct reading *r, const json_t *root) {
    const json_t *layers = json_object_get(root, "layers");
    size_t length = json_place_enter(r->place, "layers");
    bool good = json_array_size(layers) > 0;
    if (!good)
        json_place_error(r->place, NULL, "not an array of at least one layer");
    for (size_t i = 0; i < json_array_size(layers) && good; i++) {
        size_t inner = json_place_enter_index(r->place, i);
        good = read_layer(r, json_array_get(layers, i));
        json_place_leave(r->place, inner);
    }
    json_place_leave(r->place, length);
}

/* ---- the file ---- */

static bool read_input(struct reading *r, const json_t *root) {
    const json_t *input = json_object_get(root, "input");
    double sizes[3] = {1, 1, 1};
    size_t count = json_array_size(input);
    bool good = count >= 1 && count <= CT_COUNT_OF(sizes);
    for (size_t i = 0; i < count && good; i++) {
        const json_t *size = json_array_get(input, i);
        sizes[i] = (double)json_integer_value(size);
        good = json_is_integer(size) && sizes[i] >= 1 && sizes[i] <= MOST_SIZE;
    }
    r->shape = (struct shape){sizes[0], sizes[1], sizes[2]};
    r->file->in_elements = (double)r->file->batch * elements(&r->shape);
    return (good && r->file->in_elements <= MOST_OPERATIONS) ||
           json_place_error(r->place, "input",
                            "not the shape of an input: [channels, height, width], [features, "
                            "steps] or [elements], each from 1 to 1000000");
}

static bool read_members(struct reading *r, const json_t *root) {
    bool good = true;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)root, key, value) {
        if (strcmp(key, "schema") != 0 && strcmp(key, "input") != 0 && strcmp(key, "layers") != 0)
            good = set_member(r, file_options, key, value, r->file) && good;
    }
    return good;
}

static void read_root(struct json_place *place, const json_t *root, void *into) {
    struct reading *r = into;
    r->place = place;
    r->file->batch = 1;
    r->file->element_bytes = sizeof(float);
    r->file->name = r->file->source = r->file->licence = "";
    if (!json_place_schema(place, root, NETWORK_FILE_SCHEMA, true) || !read_members(r, root))
        return;
    r->file->unit += KERNEL_FP32; /* the choices begin there: without units there is no peak */
    if (r->batch > 0)
        r->file->batch = r->batch;
    if (!*r->file->name)
        json_place_error(place, "name", "missing: the name of the network");
    else if (read_input(r, root))
        read_layers(r, root);
}

int network_file_read(const char *path, int64_t batch, struct network_file *file,
                      struct ct_arena *arena, struct ct_diags *diags) {
    struct reading r = {.file = file, .batch = batch, .before = "input"};
    *file = (struct network_file){0};
    return json_place_read(path, read_root, &r, arena, diags);
}

void network_file_free(struct network_file *file) {
    ct_vec_free(&file->layers);
}
