/* Our reader of JSON against jansson's own: the same trees, and the same texts refused, but for
 * half a pair of \u escapes. Where memory runs out, which jansson does not survive, is tried by
 * fault.failing_calls. */
#include "cmocka_complete.h"
#include "format/json_reader.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

FREER(json_decref, json_t)

/* Whether both say the same of a text. */
static void compare(const char *text, size_t size, size_t flags) {
    json_error_t ours = {0}, theirs = {0};
    errno = 0;
    FREED_BY(json_decref) json_t *read = json_reader_read(text, size, flags, &ours);
    FREED_BY(json_decref) json_t *wanted = json_loadb(text, size, flags, &theirs);
    bool half_pair = strstr(theirs.text, "invalid Unicode '");
    if ((!read != !wanted && !half_pair) || (read && wanted && !json_equal(read, wanted)))
        fail_msg("'%.*s': %s, and jansson: %s", (int)size, text, read ? "read" : ours.text,
                 wanted ? "read" : theirs.text);
    if (!read && (ours.line < 1 || !*ours.text))
        fail_msg("'%.*s': line %d, '%s'", (int)size, text, ours.line, ours.text);
}

static const char *const texts[] = {
    "{}",
    "[]",
    " \t\r\n[ ]\n",
    "",
    " ",
    "{",
    "[",
    "[1,]",
    "[,1]",
    "[1 2]",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":1,}",
    "{\"a\":1 \"b\":2}",
    "{a:1}",
    "{1:2}",
    "[}",
    "{]",
    "[] []",
    "[]x",
    "nul",
    "null",
    "true",
    "\"text\"",
    "17",
    "[true,false,null]",
    "[True]",
    "[nulll]",
    "[truefalse]",
    "[0,-0,1,-1,12345678901234567]",
    "[9223372036854775807,-9223372036854775808]",
    "[9223372036854775808]",
    "[-9223372036854775809]",
    "[01]",
    "[-]",
    "[-x]",
    "[+1]",
    "[.5]",
    "[1.]",
    "[1.e3]",
    "[1e]",
    "[1e+]",
    "[1e5,1E-5,1.5e+10,-0.25,0.1,1e-400,123456789.123456789012345678901234567890]",
    "[1e400]",
    "[-1e400]",
    "[0x10]",
    "[1_000]",
    "[Infinity]",
    "[NaN]",
    "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]",
    "[\"\\u0041\\u00e9\\u20AC\\ud834\\udd1e\\uFFFF\"]",
    "[\"\\u0000\"]",
    "{\"\\u0000\":1}",
    "[\"\\ud834\"]",
    "[\"\\ud834x\"]",
    "[\"\\ud834\\u0041\"]",
    "[\"\\udd1e\"]",
    "[\"\\u12\"]",
    "[\"\\u12g4\"]",
    "[\"\\x\"]",
    "[\"\\",
    "[\"\\u",
    "[\"open",
    "[\"two\nlines\"]",
    "[\"tab\there\"]",
    "[\"del \x7f\"]",
    "[\"\xc3\xa9\xe2\x82\xac\xf0\x9d\x84\x9e\"]",
    "[\"\xff\"]",
    "[\"\xc0\x80\"]",
    "[\"\xe0\x80\x80\"]",
    "[\"\xed\xa0\x80\"]",
    "[\"\xf4\x90\x80\x80\"]",
    "[\"\xc3\"]",
    "[\xc3\xa9]",
    "\xef\xbb\xbf[]",
    "{\"a\":1,\"a\":2}",
    "{\"a\":1,\"b\":{\"a\":3,\"c\":[{},{\"d\":[[]]}]},\"\":\"\"}",
    "{\"a key of more than fifteen\":\"and a value that is longer than thirty-one\"}",
};

/* What a terminal may obey, escaped or not, in a key or a text, is refused on request, and is JSON
 * all the same. */
TEST(refuses_what_terminals_obey) {
    static const char *const wild[] = {"[1,\n\"\\u001b[31m\"]", "{\n\"\\u0007\":1}",
                                       "[\n\"\\r\"]",           "[\n\"\x7f\"]",
                                       "[\n\"\xc2\x9b\"]",      "[\n\"\\u009b\"]"};
    static const char *const tame[] = {"[\"\\n\\t\"]", "[\"\\\\u001b\"]", "[\"\xc2\xa0\xc3\x9b\"]"};
    json_error_t error;
    for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
        json_t *read = json_reader_read(wild[i], strlen(wild[i]), 0, &error);
        assert_non_null(read);
        json_decref(read);
        assert_null(json_reader_read(wild[i], strlen(wild[i]), JSON_READER_TAME, &error));
        assert_int_equal(error.line, 2);
        assert_string_equal(error.text,
                            "a text has a control character, which a terminal would obey");
    }
    for (size_t i = 0; i < sizeof tame / sizeof *tame; i++) {
        FREED_BY(json_decref)
        json_t *read = json_reader_read(tame[i], strlen(tame[i]), JSON_READER_TAME, &error);
        assert_non_null(read);
    }
}

TEST(reads_as_jansson_does) {
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t flags = 0; flags < 4; flags++)
            compare(texts[i], strlen(texts[i]),
                    (flags & 1 ? JSON_DECODE_ANY : 0) | (flags & 2 ? JSON_REJECT_DUPLICATES : 0));
    compare("[\"a\0b\"]", 7, 0);
    compare("[1]\0", 4, 0);
}

/* A byte of a text is another one, left out, or put in, or the text ends; xorshift64 (Marsaglia,
 * Journal of Statistical Software 8(14), 2003). */
TEST(refuses_what_jansson_refuses) {
    static const char bytes[] = "{}[]:,\"\\ue+-.0123456789tfn \n\x80\xc3";
    uint64_t random = 88172645463325252U;
    for (int round = 0; round < 100000; round++) {
        char text[256];
        size_t size = (size_t)snprintf(text, sizeof text, "%s",
                                       texts[(size_t)round % (sizeof texts / sizeof *texts)]);
        for (int change = 0; change < 3 && size > 0; change++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            size_t at = random % size;
            char byte = bytes[(random >> 20) % (sizeof bytes - 1)];
            if (random >> 60 < 8) {
                text[at] = byte;
            } else if (random >> 60 < 11) {
                memmove(text + at, text + at + 1, --size - at);
            } else if (random >> 60 < 15 && size < sizeof text - 1) {
                memmove(text + at + 1, text + at, size++ - at);
                text[at] = byte;
            } else {
                size = at;
            }
        }
        compare(text, size, JSON_REJECT_DUPLICATES);
    }
}

TEST(is_as_deep_as_jansson) {
    for (size_t depth = JSON_READER_DEPTH - 1; depth <= JSON_READER_DEPTH + 1; depth++) {
        FREED_BY(free) char *text = malloc(2 * depth);
        assert_non_null(text);
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        compare(text, 2 * depth, 0);
    }
}
