/* yajl comes to the end of a chunk on the reserve alone, whatever the chunk holds. */
#include "cmocka_complete.h"
#include "format/yajl_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

enum { CHUNK = 65536 };

/* The decoded bytes of the last string, and how many there were. */
struct seen {
    size_t length, strings;
};

static int on_string(void *context, const unsigned char *text, size_t length) {
    struct seen *seen = context;
    seen->length = length;
    seen->strings++;
    return 1;
}

static const yajl_callbacks callbacks = {.yajl_string = on_string, .yajl_map_key = on_string};

/* Parses `before`, then `chunk` without memory. Whole texts are not needed: a chunk ends anywhere.
 */
static struct seen parse_without_memory(const char *before, const char *chunk) {
    struct yajl_memory memory = {0};
    struct seen seen = {0};
    yajl_alloc_funcs functions = yajl_memory_functions(&memory);
    assert_true(yajl_memory_reserve(&memory, CHUNK));
    yajl_handle handle = yajl_alloc(&callbacks, &functions, &seen);
    assert_non_null(handle);
    assert_int_equal(yajl_parse(handle, (const unsigned char *)before, strlen(before)),
                     yajl_status_ok);
    assert_true(yajl_memory_reserve(&memory, CHUNK));
    assert_int_equal(memory.used, 0);
    memory.failed = true;
    assert_int_equal(yajl_parse(handle, (const unsigned char *)chunk, strlen(chunk)),
                     yajl_status_ok);
    assert_true(memory.used <= memory.size);
    assert_false(yajl_memory_reserve(&memory, CHUNK)); /* no further chunk */
    yajl_free(handle);
    yajl_memory_free(&memory);
    return seen;
}

/* `head`, then `part` as often as a chunk holds it, then `tail`; free with free. */
static char *fill(const char *head, const char *part, const char *tail) {
    char *text;
    size_t size, room = CHUNK - strlen(head) - strlen(tail);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs(head, out);
    for (size_t i = 0; i < room / strlen(part); i++)
        fputs(part, out);
    fputs(tail, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

TEST(a_string_as_long_as_the_chunk) {
    char *text = fill("\"", "x", "\",");
    assert_int_equal(parse_without_memory("[", text).length, CHUNK - 3);
    free(text);
    text = fill("\"", "\\u00e9", "\",");
    assert_int_equal(parse_without_memory("[", text).length, 2 * ((CHUNK - 3) / 6));
    free(text);
}

/* What was read of a string before is held, decoded and moved. */
TEST(a_string_that_began_before) {
    char *before = fill("[\"", "y\\n", ""), *text = fill("", "x\\t", "\",");
    struct seen seen = parse_without_memory(before, text);
    assert_int_equal(seen.strings, 1);
    assert_true(seen.length > 2 * (CHUNK / 3 - 2) * 2 - 8);
    free(before);
    free(text);
}

/* The reader ends at 64 levels; here they open and close all through the chunk. */
TEST(nested_as_deep_as_the_reader_goes) {
    enum { DEEPEST = 64 };
    char *part, *text;
    size_t size;
    FILE *out = open_memstream(&part, &size);
    assert_non_null(out);
    for (int level = 1; level < DEEPEST; level += 2)
        fputs("{\"a\":[", out);
    for (int level = 1; level < DEEPEST; level += 2)
        fputs("]}", out);
    fputc(',', out);
    assert_int_equal(fclose(out), 0);
    text = fill("", part, "");
    assert_int_equal(parse_without_memory("[", text).strings, CHUNK / size * (DEEPEST / 2));
    free(part);
    free(text);
}

TEST(many_short_strings) {
    char *text = fill("", "\"\\\"\",", "");
    assert_int_equal(parse_without_memory("[", text).strings, CHUNK / 5);
    free(text);
}

/* With memory, blocks are the system's, and what was moved keeps what it held. */
TEST(blocks_grow) {
    CLOSED_BY(yajl_memory_free) struct yajl_memory memory = {0};
    yajl_alloc_funcs functions = yajl_memory_functions(&memory);
    assert_true(yajl_memory_reserve(&memory, 16));
    char *block = functions.malloc(functions.ctx, 4);
    memcpy(block, "abc", 4);
    block = functions.realloc(functions.ctx, block, 64);
    assert_string_equal(block, "abc");
    memory.failed = true;
    char *reserved = functions.realloc(functions.ctx, block, 128);
    assert_string_equal(reserved, "abc");
    reserved = functions.realloc(functions.ctx, reserved, 2);
    assert_memory_equal(reserved, "ab", 2);
    assert_int_equal(memory.largest, 128);
    functions.free(functions.ctx, reserved);
    functions.free(functions.ctx, NULL);
}
