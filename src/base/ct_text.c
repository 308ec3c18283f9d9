#include "base/ct_text.h"

#include "abi/ct_pattern.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 64 };

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Edits (insert, delete, replace, swap neighbours) that turn one name into the other. */
static size_t edit_distance(const char *a, const char *b) {
    size_t rows[3][LONGEST_NAME + 1];
    size_t m = strlen(a), n = strlen(b);
    for (size_t j = 0; j <= n; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return rows[m % 3][n];
}

size_t ct_text_index(const char *name, const char *const *names, size_t count) {
    size_t i = 0;
    while (i < count && strcmp(names[i], name) != 0)
        i++;
    return i;
}

const char *ct_text_closest(const char *name, const char *const *names, size_t count) {
    const char *closest = NULL;
    size_t length = strlen(name), best = length / 3 + 2;
    if (length > LONGEST_NAME)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        if (strlen(names[i]) > LONGEST_NAME)
            continue;
        size_t distance = edit_distance(name, names[i]);
        if (distance < best) {
            best = distance;
            closest = names[i];
        }
    }
    for (size_t i = 0; i < count && !closest && length > 0; i++)
        if (strncmp(names[i], name, length) == 0)
            closest = names[i];
    return closest;
}

const char *ct_text_hint(char hint[CT_HINT_BYTES], const char *name, const char *const *names,
                         size_t count) {
    const char *closest = ct_text_closest(name, names, count);
    *hint = '\0';
    if (closest)
        snprintf(hint, CT_HINT_BYTES, ", did you mean '%s'?", closest);
    return hint;
}

const char *ct_text_hint_or_all(char hint[CT_HINT_BYTES], const char *name,
                                const char *const *names, size_t count) {
    static const char lead[] = "; there are: ";
    if (*ct_text_hint(hint, name, names, count) || count == 0)
        return hint;
    memcpy(hint, lead, sizeof lead);
    ct_text_join(hint + sizeof lead - 1, CT_HINT_BYTES - sizeof lead + 1, names, count);
    return hint;
}

bool ct_text_matches(const char *pattern, const char *text) {
    uint64_t steps = UINT64_MAX;
    return ct_pattern_matches(pattern, strlen(pattern), text, &steps);
}

const char *ct_text_word(const char **list, size_t *length) {
    const char *word = *list + strspn(*list, " ");
    *length = strcspn(word, " ");
    *list = word + *length;
    return *length ? word : NULL;
}

bool ct_text_lists(const char *list, const char *word, size_t length) {
    size_t own;
    for (const char *one; (one = ct_text_word(&list, &own)) != NULL;)
        if (own == length && strncmp(one, word, length) == 0)
            return true;
    return false;
}

size_t ct_text_width(const char *text, size_t bytes) {
    size_t width = 0;
    for (size_t i = 0; i < bytes && text[i]; i++)
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

void ct_text_add(char *text, size_t size, const char *separator, const char *format, ...) {
    size_t used = strlen(text);
    va_list arguments;
    if (used > 0)
        used += (size_t)snprintf(text + used, size - used, "%s", separator);
    va_start(arguments, format);
    if (used < size)
        vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

void ct_text_join(char *text, size_t size, const char *const *names, size_t count) {
    size_t used = 0;
    if (size)
        text[0] = '\0';
    for (size_t i = 0; i < count && used + 1 < size; i++) {
        int written = snprintf(text + used, size - used, "%s%s", i ? ", " : "", names[i]);
        used += written > 0 ? (size_t)written : 0;
    }
}

/* Decimal digits that a double always keeps, and that always tell it from all others. */
enum { DIGITS_KEPT = 15, DIGITS_MOST = 17 };

/* The decimal of up to 15 digits that strtod reads back to a size from 1e-4 up to 1e15: `digits`
 * over `tens`, ten to the `places`, the fewest that do. Such whole numbers are exact as doubles,
 * and their quotient is rounded once, as strtod rounds. False: there is none. */
static bool short_decimal(double size, uint64_t *digits, uint64_t *tens, int *places) {
    *tens = 1;
    for (*places = 0;; ++*places, *tens *= 10) {
        double whole = rint(size * (double)*tens);
        if (whole >= 1e15)
            return false;
        *digits = (uint64_t)whole;
        if (whole / (double)*tens == size)
            return true;
    }
}

int ct_text_double(char *text, size_t size, double number) {
    char best[40];
    uint64_t digits, tens;
    int places, count = 1;
    if (number == 0 || (fabs(number) >= 1e-4 && fabs(number) < 1e15)) { /* no exponent */
        if (short_decimal(fabs(number), &digits, &tens, &places))
            return snprintf(text, size, "%s%" PRIu64 "%s%.*" PRIu64, signbit(number) ? "-" : "",
                            digits / tens, places ? "." : "", places, digits % tens);
        count = DIGITS_KEPT + 1;
    }
    for (; count <= DIGITS_MOST; count++) {
        snprintf(best, sizeof best, "%.*g", count, number);
        if (strtod(best, NULL) == number)
            break;
    }
    return snprintf(text, size, "%s", best);
}

const char *ct_text_file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool ct_is_control(const char *at) {
    const unsigned char *c = (const unsigned char *)at;
    return (*c < ' ' && *c != '\n' && *c != '\t') || *c == 0x7f ||
           (c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f);
}

void ct_tame(char *text) {
    for (unsigned char *c = (unsigned char *)text; *c; c++) {
        if (ct_is_control((const char *)c))
            *c = '?';
        if (*c == '?' && (c[1] & 0xc0) == 0x80) /* what continued it */
            c[1] = '?';
    }
}
