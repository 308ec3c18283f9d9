/* How the fuzzer changes JSON: a value becomes another or goes, a member gets another name, a part
 * of the document comes a second time or in another place. */
#include "mutate.h"

#include <jansson.h>
#include <string.h>

enum { MOST_NODES = 4096, MOST_COPIES = 16 };

/* Every value of a document but the whole, with what holds it: under a name or at an index. */
struct node {
    json_t *holder, *value;
    const char *name; /* NULL: in an array */
    size_t index;
};

struct nodes {
    struct node items[MOST_NODES];
    size_t count;
};

static void collect(struct nodes *nodes, json_t *holder) {
    const char *name;
    json_t *value;
    size_t index;
    json_object_foreach(holder, name, value) {
        if (nodes->count == MOST_NODES)
            return;
        nodes->items[nodes->count++] = (struct node){holder, value, name, 0};
        collect(nodes, value);
    }
    json_array_foreach(holder, index, value) {
        if (nodes->count == MOST_NODES)
            return;
        nodes->items[nodes->count++] = (struct node){holder, value, NULL, index};
        collect(nodes, value);
    }
}

static const struct node *any_node(const struct nodes *nodes, uint32_t *state) {
    return &nodes->items[mutate_below(state, nodes->count)];
}

/* A name that the document knows, but for one in eight. */
static const char *any_name(const struct nodes *nodes, uint32_t *state) {
    for (int tries = 0; tries < 8; tries++) {
        const struct node *node = any_node(nodes, state);
        if (node->name)
            return node->name;
    }
    return "x";
}

/* Steals the reference to the value. */
static void put(const struct node *node, json_t *value) {
    if (node->name)
        json_object_set_new(node->holder, node->name, value);
    else
        json_array_set_new(node->holder, node->index, value);
}

static void take_out(const struct node *node) {
    if (node->name)
        json_object_del(node->holder, node->name);
    else
        json_array_remove(node->holder, node->index);
}

static json_t *strange_value(uint32_t *state) {
    const char *text = mutate_value(state);
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    return value ? value : json_string(text);
}

/* Next to what it is, where readers draw their lines. */
static json_t *near_value(json_t *value, uint32_t *state) {
    static const double factors[] = {-1, 0.5, 2, 1e3, 1e-3, 1e9};
    if (json_is_integer(value) && mutate_below(state, 2))
        return json_integer(
            (json_int_t)((uint64_t)json_integer_value(value) + mutate_below(state, 3) - 1));
    if (json_is_number(value)) {
        double factor = factors[mutate_below(state, CT_COUNT_OF(factors))];
        json_t *real = json_real(json_number_value(value) * factor);
        return real ? real : json_integer(0); /* no number of JSON */
    }
    return strange_value(state);
}

/* Once more, under another name, or a few times in its array. */
static void repeat(const struct node *node, const struct nodes *nodes, uint32_t *state) {
    if (node->name) {
        json_object_set_new(node->holder, any_name(nodes, state), json_deep_copy(node->value));
        return;
    }
    for (size_t copies = 1 + mutate_below(state, MOST_COPIES); copies > 0; copies--)
        json_array_insert_new(node->holder, mutate_below(state, node->index + 1),
                              json_deep_copy(node->value));
}

static void change(const struct nodes *nodes, uint32_t *state) {
    const struct node *node = any_node(nodes, state);
    switch (mutate_below(state, 8)) {
    case 0:
        take_out(node);
        break;
    case 1:
        repeat(node, nodes, state);
        break;
    case 2:
        put(node, json_deep_copy(any_node(nodes, state)->value));
        break;
    case 3:
        put(node, json_pack("[o]", json_deep_copy(node->value)));
        break;
    case 4:
        json_object_set(node->holder, any_name(nodes, state), node->value);
        take_out(node);
        break;
    case 5:
        put(node, strange_value(state));
        break;
    default:
        put(node, near_value(node->value, state));
    }
}

/* A blank at the end, which chooses how an import cuts jobs (fuzz_import). */
static size_t write_document(const json_t *document, uint8_t *data, size_t size, size_t most,
                             uint32_t *state) {
    static const char ends[] = " \n\t";
    char *text = json_dumps(document, JSON_COMPACT);
    size_t length = text ? strlen(text) : most;
    bool fits = length < most;
    if (fits) {
        memcpy(data, text, length);
        data[length] = (uint8_t)ends[mutate_below(state, sizeof ends - 1)];
    }
    free(text);
    return fits ? length + 1 : size;
}

size_t mutate_json(uint8_t *data, size_t size, size_t most, uint32_t *state) {
    static struct nodes nodes;
    json_t *document =
        mutate_below(state, 4) ? json_loadb((const char *)data, size, 0, NULL) : NULL;
    nodes.count = 0;
    if (document)
        collect(&nodes, document);
    if (nodes.count == 0) {
        json_decref(document);
        return mutate_text(data, size, most, state);
    }
    for (size_t rounds = 1 + mutate_below(state, 3); rounds > 0 && nodes.count > 0; rounds--) {
        change(&nodes, state);
        nodes.count = 0;
        collect(&nodes, document);
    }
    size = write_document(document, data, size, most, state);
    json_decref(document);
    return size;
}
