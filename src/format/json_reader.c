#include "format/json_reader.h"

#include "base/ct_vec.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *begin, *at, *end;
    size_t flags, depth;
    struct {
        CT_VEC(char);
    } text; /* the string, or the number, in hand */
    json_error_t *error;
    bool lost; /* memory ran out */
};

/* ---- What is wrong ---- */

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("+-._", c));
}

/* Of the token there, where it has not been read yet. */
static int token_length(const struct reader *r, const char *at) {
    int length = 1;
    if (is_word(*at))
        while (at + length < r->end && is_word(at[length]))
            length++;
    else
        while (at + length < r->end && ((unsigned char)at[length] & 0xC0) == 0x80)
            length++;
    return length;
}

/* Returns NULL, and stays at the place. */
static void *fail(struct reader *r, const char *at, const char *what) {
    enum { SHOWN = 20 };
    int line = 1, length = at < r->end ? token_length(r, at) : 0;
    if (r->at > at)
        length = (int)(r->at - at);
    for (const char *c = r->begin; c < at; c++)
        line += *c == '\n';
    r->error->line = line;
    if (length == 0)
        snprintf(r->error->text, sizeof r->error->text, "%s near end of file", what);
    else if (length <= SHOWN)
        snprintf(r->error->text, sizeof r->error->text, "%s near '%.*s'", what, length, at);
    else
        snprintf(r->error->text, sizeof r->error->text, "%s", what);
    return NULL;
}

/* A new value, or the reason why there is none. */
static json_t *made(struct reader *r, json_t *value) {
    r->lost |= !value;
    return value;
}

static bool add(struct reader *r, const char *bytes, size_t count) {
    for (size_t i = 0; i < count && !r->lost; i++)
        r->lost = !ct_vec_push(&r->text, bytes[i]);
    return !r->lost;
}

/* ---- Strings ---- */

/* Bytes of the character there; 0: no UTF-8. */
static size_t utf8_bytes(const char *at, const char *end) {
    const unsigned char *c = (const unsigned char *)at;
    size_t bytes = c[0] < 0x80 ? 1 : c[0] < 0xC2 ? 0 : c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3 : 4;
    if (bytes == 0 || c[0] > 0xF4 || bytes > (size_t)(end - at))
        return 0;
    for (size_t i = 1; i < bytes; i++)
        if ((c[i] & 0xC0) != 0x80)
            return 0;
    bool overlong = (c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xF0 && c[1] < 0x90);
    bool none = (c[0] == 0xED && c[1] > 0x9F) || (c[0] == 0xF4 && c[1] > 0x8F);
    return overlong || none ? 0 : bytes;
}

/* The four digits of \uXXXX, of which `at` is the backslash; -1: there are none. */
static int32_t unicode_at(const struct reader *r, const char *at) {
    int32_t value = 0;
    if (r->end - at < 6 || at[0] != '\\' || at[1] != 'u')
        return -1;
    for (int i = 2; i < 6; i++) {
        static const char digits[] = "0123456789abcdef";
        const char *digit =
            at[i] ? strchr(digits, at[i] >= 'A' && at[i] <= 'F' ? at[i] + 32 : at[i]) : NULL;
        if (!digit)
            return -1;
        value = value * 16 + (int32_t)(digit - digits);
    }
    return value;
}

static bool add_character(struct reader *r, int32_t code) {
    const char one[] = {(char)code},
               two[] = {(char)(0xC0 | code >> 6), (char)(0x80 | (code & 0x3F))},
               three[] = {(char)(0xE0 | code >> 12), (char)(0x80 | (code >> 6 & 0x3F)),
                          (char)(0x80 | (code & 0x3F))},
               four[] = {(char)(0xF0 | code >> 18), (char)(0x80 | (code >> 12 & 0x3F)),
                         (char)(0x80 | (code >> 6 & 0x3F)), (char)(0x80 | (code & 0x3F))};
    if (code < 0x80)
        return add(r, one, sizeof one);
    if (code < 0x800)
        return add(r, two, sizeof two);
    return code < 0x10000 ? add(r, three, sizeof three) : add(r, four, sizeof four);
}

/* One of them, or two that are one character together. */
static bool read_unicode(struct reader *r) {
    int32_t code = unicode_at(r, r->at), low = 0;
    if (code >= 0xD800 && code <= 0xDBFF)
        low = unicode_at(r, r->at + 6);
    bool pair = low >= 0xDC00 && low <= 0xDFFF;
    if (code <= 0 || (code >= 0xD800 && code <= 0xDFFF && !pair)) {
        fail(r, r->at + 1, code ? "invalid Unicode escape" : "\\u0000 is not allowed");
        return false;
    }
    r->at += pair ? 12 : 6;
    return add_character(r, pair ? 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00) : code);
}

static bool read_escape(struct reader *r) {
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *name = r->end - r->at > 1 && r->at[1] ? strchr(names, r->at[1]) : NULL;
    if (r->end - r->at > 1 && r->at[1] == 'u')
        return read_unicode(r);
    if (!name) {
        fail(r, r->at + 1, "invalid escape");
        return false;
    }
    r->at += 2;
    return add(r, &meant[name - names], 1);
}

/* From the quotation mark on, into `text`; false: an error. */
static bool read_text(struct reader *r) {
    const char *begin = r->at;
    r->text.count = 0;
    for (r->at++; r->at < r->end && *r->at != '"';) {
        size_t bytes = utf8_bytes(r->at, r->end);
        if ((unsigned char)*r->at < 0x20 || bytes == 0) {
            fail(r, begin,
                 bytes == 0       ? "no UTF-8"
                 : *r->at == '\n' ? "unexpected newline"
                                  : "control character");
            return false;
        }
        if (*r->at == '\\') {
            if (!read_escape(r))
                return false;
        } else if (add(r, r->at, bytes)) {
            r->at += bytes;
        } else {
            return false;
        }
    }
    if (r->at == r->end) {
        fail(r, begin, "premature end of input");
        return false;
    }
    r->at++;
    return true;
}

/* ---- Numbers and names ---- */

static const char *digits(const struct reader *r, const char *at) {
    while (at < r->end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

/* The end of a number that begins there; NULL: it is none. `whole`: without a fraction. */
static const char *number_end(const struct reader *r, bool *whole) {
    const char *first = r->at + (*r->at == '-'), *at = digits(r, first);
    *whole = true;
    if (at == first || (*first == '0' && at > first + 1))
        return NULL;
    if (at < r->end && *at == '.') {
        const char *point = at + 1;
        *whole = false;
        if ((at = digits(r, point)) == point)
            return NULL;
    }
    if (at < r->end && (*at == 'e' || *at == 'E')) {
        const char *power = at + 1;
        *whole = false;
        power += power < r->end && (*power == '+' || *power == '-');
        if ((at = digits(r, power)) == power)
            return NULL;
    }
    return at;
}

/* strtod reads what the locale writes. */
static void set_point(char *number) {
    char *point = strchr(number, '.');
    if (point)
        *point = *localeconv()->decimal_point;
}

static json_t *read_number(struct reader *r) {
    bool whole;
    const char *begin = r->at, *end = number_end(r, &whole);
    if (!end)
        return fail(r, begin, "invalid token");
    r->text.count = 0;
    if (!add(r, begin, (size_t)(end - begin)) || !add(r, "", 1))
        return NULL;
    r->at = end;
    errno = 0;
    if (whole) {
        json_int_t number = strtoll(r->text.items, NULL, 10);
        return errno == ERANGE ? fail(r, begin, "too big integer") : made(r, json_integer(number));
    }
    set_point(r->text.items);
    double number = strtod(r->text.items, NULL);
    return isfinite(number) ? made(r, json_real(number)) : fail(r, begin, "real number overflow");
}

static json_t *read_name(struct reader *r) {
    size_t length = (size_t)token_length(r, r->at);
    const char *name = r->at;
    r->at += length;
    if (length == 4 && strncmp(name, "true", length) == 0)
        return json_true();
    if (length == 5 && strncmp(name, "false", length) == 0)
        return json_false();
    if (length == 4 && strncmp(name, "null", length) == 0)
        return json_null();
    return fail(r, name, "invalid token");
}

/* ---- Values ---- */

/* The next character that is no blank; 0: the end. */
static char next(struct reader *r) {
    while (r->at < r->end && *r->at && strchr(" \t\n\r", *r->at))
        r->at++;
    return r->at < r->end ? *r->at : '\0';
}

static bool take(struct reader *r, char wanted) {
    bool there = next(r) == wanted;
    r->at += there;
    return there;
}

static json_t *read_value(struct reader *r);

/* A key and its value; false: an error. */
static bool read_member(struct reader *r, json_t *object) {
    if (next(r) != '"')
        return fail(r, r->at, "string or '}' expected");
    const char *begin = r->at;
    if (!read_text(r))
        return false;
    char *key = malloc(r->text.count + 1);
    if (!key) {
        r->lost = true;
        return false;
    }
    memcpy(key, r->text.items ? r->text.items : "", r->text.count);
    key[r->text.count] = '\0';
    json_t *value = NULL;
    if (r->flags & JSON_REJECT_DUPLICATES && json_object_get(object, key))
        fail(r, begin, "duplicate object key");
    else if (!take(r, ':'))
        fail(r, r->at, "':' expected");
    else
        value = read_value(r);
    bool good = value && json_object_set_new_nocheck(object, key, value) == 0;
    r->lost |= value && !good;
    free(key);
    return good;
}

static bool read_element(struct reader *r, json_t *array) {
    json_t *value = read_value(r);
    bool good = value && json_array_append_new(array, value) == 0;
    r->lost |= value && !good;
    return good;
}

static json_t *read_list(struct reader *r, json_t *list, char close,
                         bool (*read)(struct reader *, json_t *)) {
    r->at++;
    bool good = made(r, list);
    if (good && take(r, close))
        return list;
    do
        good = good && read(r, list);
    while (good && take(r, ','));
    if (good && take(r, close))
        return list;
    if (good)
        fail(r, r->at, close == '}' ? "'}' expected" : "']' expected");
    json_decref(list);
    return NULL;
}

static json_t *read_value(struct reader *r) {
    char first = next(r);
    json_t *value = NULL;
    if (r->depth == JSON_READER_DEPTH)
        return fail(r, r->at, "maximum parsing depth reached");
    r->depth++;
    if (first == '{')
        value = read_list(r, json_object(), '}', read_member);
    else if (first == '[')
        value = read_list(r, json_array(), ']', read_element);
    else if (first == '"')
        value =
            read_text(r)
                ? made(r, json_stringn_nocheck(r->text.items ? r->text.items : "", r->text.count))
                : NULL;
    else if (first == '-' || (first >= '0' && first <= '9'))
        value = read_number(r);
    else if (first && !strchr(",:]}", first))
        value = read_name(r);
    else
        fail(r, r->at, "unexpected token");
    r->depth--;
    return value;
}

json_t *json_reader_read(const char *text, size_t size, size_t flags, json_error_t *error) {
    struct reader r = {
        .begin = text, .at = text, .end = text + size, .flags = flags, .error = error};
    char first = next(&r);
    json_t *value = NULL;
    if (!(flags & JSON_DECODE_ANY) && first != '{' && first != '[')
        fail(&r, r.at, "'[' or '{' expected");
    else
        value = read_value(&r);
    if (value && (next(&r), r.at < r.end)) {
        fail(&r, r.at, "end of file expected");
        json_decref(value);
        value = NULL;
    }
    ct_vec_free(&r.text);
    errno = r.lost ? ENOMEM : 0;
    return value;
}
