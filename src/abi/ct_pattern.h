/*
 * Patterns of names, as in workload files and in rules: a whole name is as the pattern says,
 * letters of ASCII in any case, where `*` stands for any text and `?` for any one character.
 */
#ifndef CT_PATTERN_H
#define CT_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline char ct_pattern_small(char letter) {
    return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

/* Where what follows a star, from `rest` to `end`, may begin to match: at its first letter. Names
 * of kernels are thousands of letters long. */
static inline const char *ct_pattern_begin(const char *rest, const char *end, const char *text,
                                           uint64_t *steps) {
    if (rest == end || *rest == '*' || *rest == '?')
        return text;
    char first = ct_pattern_small(*rest);
    const char letters[] = {first, first >= 'a' && first <= 'z' ? (char)(first - 'a' + 'A') : first,
                            '\0'};
    size_t passed = strcspn(text, letters);
    *steps -= passed < *steps ? passed : *steps - 1;
    return text + passed;
}

/*
 * Whether a pattern of `length` characters matches, within so many steps, a character each, from
 * which those that it takes are subtracted; with none left it says false. The last star takes one
 * character more whenever what follows it does not match: no other star need be tried again.
 */
static inline bool ct_pattern_matches(const char *pattern, size_t length, const char *text,
                                      uint64_t *steps) {
    const char *end = pattern + length;
    const char *star = NULL, *held = NULL; /* the last star; where its text ends so far */
    for (; *text; --*steps) {
        if (*steps == 0)
            return false;
        if (pattern < end && *pattern == '*') {
            star = pattern++;
            held = text = ct_pattern_begin(pattern, end, text, steps);
        } else if (pattern < end &&
                   (*pattern == '?' || ct_pattern_small(*pattern) == ct_pattern_small(*text))) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            held = text = ct_pattern_begin(pattern, end, held + 1, steps);
        } else {
            return false;
        }
    }
    while (pattern < end && *pattern == '*')
        pattern++;
    return pattern == end;
}

#endif
