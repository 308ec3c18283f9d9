#include "format/json_reader.h"

#include "base/ct_text.h"
#include "base/ct_vec.h"
#include "format/csv_reader.h"
#include "format/yajl_memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

enum { CHUNK_BYTES = 65536 };

/* A tree in the making, by yajl's events. */
struct builder {
    yajl_handle parser;
    size_t before; /* bytes before the chunk that it has in hand */
    size_t flags;
    json_t *root;
    size_t end;            /* of the root, in bytes */
    CT_VEC(json_t *) open; /* objects and arrays that have not ended, each in the one before it */
    CT_VEC(char) key;      /* of the next value of an object */
    char fault[120];       /* what yajl lets pass; empty: nothing */
    bool untamed;          /* the fault is a character that JSON allows */
    bool lost;             /* memory ran out */
};

/* What ends a callback of yajl: 0 stops it, with the fault, or because memory ran out. */
static int refuse(struct builder *b, const char *fault) {
    snprintf(b->fault, sizeof b->fault, "%s", fault);
    return 0;
}

static int lose(struct builder *b) {
    b->lost = true;
    return 0;
}

static bool keep(struct builder *b, const unsigned char *text, size_t size) {
    b->key.count = 0;
    if (!ct_vec_reserve(&b->key, size + 1))
        return false;
    memcpy(b->key.items, text, size);
    b->key.items[size] = '\0';
    return true;
}

static void end_root(struct builder *b) {
    b->end = b->before + yajl_get_bytes_consumed(b->parser);
}

/* Puts a new value where it belongs; NULL: memory ran out. */
static int put(struct builder *b, json_t *value) {
    if (!value)
        return lose(b);
    if (!b->open.count) {
        b->root = value;
        end_root(b);
        return (b->flags & JSON_DECODE_ANY) || json_is_object(value) || json_is_array(value)
                   ? 1
                   : refuse(b, "'[' or '{' expected");
    }
    json_t *into = b->open.items[b->open.count - 1];
    int failed = json_is_object(into) ? json_object_set_new_nocheck(into, b->key.items, value)
                                      : json_array_append_new(into, value);
    return failed ? lose(b) : 1;
}

static int begin(struct builder *b, json_t *value) {
    if (b->open.count == JSON_READER_DEPTH) {
        json_decref(value);
        return refuse(b, "maximum parsing depth reached");
    }
    return put(b, value) && (ct_vec_push(&b->open, value) || lose(b));
}

static int on_object(void *context) {
    return begin(context, json_object());
}

static int on_array(void *context) {
    return begin(context, json_array());
}

static int on_end(void *context) {
    struct builder *b = context;
    if (--b->open.count == 0)
        end_root(b);
    return 1;
}

static int on_null(void *context) {
    return put(context, json_null());
}

static int on_truth(void *context, int truth) {
    return put(context, json_boolean(truth));
}

/* What is wrong with the characters of a key or a text; NULL: nothing. */
static const char *fault_of_text(struct builder *b, const unsigned char *text, size_t size) {
    if (memchr(text, '\0', size))
        return "\\u0000 is not allowed";
    for (size_t i = 0; i < size && b->flags & JSON_READER_TAME && !b->untamed; i++)
        b->untamed = ct_is_control((const char *)text + i);
    return b->untamed ? "a text has a control character, which a terminal would obey" : NULL;
}

static int on_key(void *context, const unsigned char *text, size_t size) {
    struct builder *b = context;
    const char *fault = fault_of_text(b, text, size);
    if (fault)
        return refuse(b, fault);
    if (!keep(b, text, size))
        return lose(b);
    bool twice = json_object_get(b->open.items[b->open.count - 1], b->key.items);
    if (!twice || !(b->flags & JSON_REJECT_DUPLICATES))
        return 1;
    snprintf(b->fault, sizeof b->fault, "key '%s' stands twice", b->key.items);
    return 0;
}

static int on_text(void *context, const unsigned char *text, size_t size) {
    struct builder *b = context;
    const char *fault = fault_of_text(b, text, size);
    if (fault)
        return refuse(b, fault);
    errno = 0;
    json_t *value = json_stringn((const char *)text, size);
    if (!value && errno != ENOMEM) /* half a pair of \u escapes, which yajl lets pass */
        return refuse(b, "invalid Unicode escape");
    return put(b, value);
}

static int on_number(void *context, const char *text, size_t size) {
    struct builder *b = context;
    char number[512];
    double real;
    if (size >= sizeof number)
        return refuse(b, "a number of too many digits");
    memcpy(number, text, size);
    number[size] = '\0';
    errno = 0;
    if (!strpbrk(number, ".eE")) {
        json_int_t whole = strtoll(number, NULL, 10);
        return errno == ERANGE ? refuse(b, "too big integer") : put(b, json_integer(whole));
    }
    return csv_scan_number(number, &real) ? put(b, json_real(real))
                                          : refuse(b, "real number overflow");
}

static const yajl_callbacks events = {.yajl_null = on_null,
                                      .yajl_boolean = on_truth,
                                      .yajl_number = on_number,
                                      .yajl_string = on_text,
                                      .yajl_start_map = on_object,
                                      .yajl_map_key = on_key,
                                      .yajl_end_map = on_end,
                                      .yajl_start_array = on_array,
                                      .yajl_end_array = on_end};

static yajl_status parse(struct builder *b, struct yajl_memory *memory, const char *text,
                         size_t size) {
    yajl_status status = yajl_status_ok;
    while (b->before < size && status == yajl_status_ok) {
        size_t chunk = size - b->before < CHUNK_BYTES ? size - b->before : CHUNK_BYTES;
        if (yajl_memory_overlong(memory)) {
            snprintf(b->fault, sizeof b->fault, "a text longer than %d MiB",
                     YAJL_MEMORY_LONGEST >> 20);
            return yajl_status_error;
        }
        b->lost = !yajl_memory_reserve(memory, chunk);
        if (b->lost)
            return yajl_status_error;
        status = yajl_parse(b->parser, (const unsigned char *)text + b->before, chunk);
        if (status == yajl_status_ok)
            b->before += chunk;
    }
    return status == yajl_status_ok ? yajl_complete_parse(b->parser) : status;
}

/* yajl lets a token pass that begins behind the root and does not end. */
static bool ends_with_root(const struct builder *b, const char *text, size_t size) {
    size_t at = b->end;
    while (at < size && text[at] && strchr(" \t\r\n", text[at]))
        at++;
    return at >= size;
}

/* What is wrong, and in which line: that of the last byte that was read. */
static void explain(const struct builder *b, const char *text, size_t size, json_error_t *error) {
    size_t at = b->before + (b->before < size ? yajl_get_bytes_consumed(b->parser) : 0);
    unsigned char *said = *b->fault ? NULL : yajl_get_error(b->parser, 0, NULL, 0);
    const char *fault = said ? (const char *)said : b->fault;
    snprintf(error->text, sizeof error->text, "%s%.*s",
             b->untamed ? "" : "not valid JSON: ", (int)strcspn(fault, "\n"), fault);
    error->line = 1;
    for (size_t i = 0; i < at && i < size; i++)
        error->line += text[i] == '\n';
    if (said)
        yajl_free_error(b->parser, said);
}

/* False: a fault, which `error` has, or memory ran out. */
static bool build(struct builder *b, struct yajl_memory *memory, const char *text, size_t size,
                  json_error_t *error) {
    bool read = parse(b, memory, text, size) == yajl_status_ok;
    if (read && b->root && !ends_with_root(b, text, size))
        read = refuse(b, "end of file expected");
    if (!read && !b->lost && !memory->failed)
        explain(b, text, size, error);
    return read && b->root;
}

json_t *json_reader_read(const char *text, size_t size, size_t flags, json_error_t *error) {
    struct builder b = {.flags = flags};
    struct yajl_memory memory = {0};
    yajl_alloc_funcs functions = yajl_memory_functions(&memory);
    if (yajl_memory_reserve(&memory, 0))
        b.parser = yajl_alloc(&events, &functions, &b);
    bool built = b.parser && build(&b, &memory, text, size, error);
    bool lost = !b.parser || b.lost || memory.failed;
    if (!built || lost) {
        json_decref(b.root);
        b.root = NULL;
    }
    if (b.parser)
        yajl_free(b.parser);
    yajl_memory_free(&memory);
    ct_vec_free(&b.open);
    ct_vec_free(&b.key);
    errno = lost ? ENOMEM : 0;
    return b.root;
}
