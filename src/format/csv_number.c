/* The numbers of csv_reader.h: exact decimals, counts, and floating point with what follows; and
 * what only looks like one to a spreadsheet. */
#include "format/csv_reader.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* A longer one is no number where it has to be copied. */
enum { DIGITS_MOST = 512 };

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* value * 10 + digit; false when it leaves int64_t. */
static bool push_digit(int64_t *value, int digit) {
    if (*value > (INT64_MAX - digit) / 10)
        return false;
    *value = *value * 10 + digit;
    return true;
}

bool csv_parse_fixed(const char *text, int decimals, int64_t *value, int *fraction_digits) {
    bool negative = *text == '-', any = false;
    const char *at = text + (*text == '-' || *text == '+');
    int64_t sum = 0;
    int digits = 0;
    for (; is_digit(*at); at++, any = true)
        if (!push_digit(&sum, *at - '0'))
            return false;
    at += *at == '.';
    for (bool point = at > text && at[-1] == '.'; point && is_digit(*at);
         at++, digits++, any = true)
        if (digits < decimals ? !push_digit(&sum, *at - '0')
                              : digits == decimals && *at >= '5' && sum++ == INT64_MAX)
            return false;
    for (int i = digits; i < decimals; i++)
        if (!push_digit(&sum, 0))
            return false;
    *value = negative ? -sum : sum;
    if (fraction_digits)
        *fraction_digits = digits;
    return any && *at == '\0';
}

bool csv_parse_count(const char *text, uint64_t most, uint64_t *value) {
    uint64_t sum = 0;
    const char *at = text;
    for (; is_digit(*at); at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (digit > most || sum > (most - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *value = sum;
    return at > text && *at == '\0';
}

/* strtod reads what the locale writes: with a comma, say, where somebody else's program has set it.
 */
static const char *read_number(const char *text, double *value) {
    char copy[DIGITS_MOST], *end = NULL;
    char point = *localeconv()->decimal_point;
    const char *from = text;
    if (point != '.') {
        size_t length = strspn(text, "+-.0123456789eE");
        if (length >= sizeof copy)
            return NULL;
        memcpy(copy, text, length);
        copy[length] = '\0';
        char *own = strchr(copy, '.');
        if (own)
            *own = point;
        from = copy;
    }
    *value = strtod(from, &end);
    return isfinite(*value) ? text + (end - from) : NULL;
}

const char *csv_scan_number(const char *text, double *value) {
    /* strtod alone would also take "inf", "nan", hexadecimals and blanks */
    const char *first = text + (*text == '-' || *text == '+');
    first += *first == '.';
    if (!is_digit(*first) || (first[0] == '0' && (first[1] == 'x' || first[1] == 'X')))
        return NULL;
    return read_number(text, value);
}

bool csv_is_formula(const char *text) {
    double number;
    text += strspn(text, "'");
    if (!*text || !strchr("=+-@\t\r", *text) || !text[1])
        return false;
    const char *rest = csv_scan_number(text, &number);
    return !rest || *rest;
}
