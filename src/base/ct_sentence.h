/*
 * The sentences of a policy's reasons (struct ct_reason in ct_policy.h) part by part:
 * "[predicted {held_t_ps}, ]{held_copies copy|copies} under way".
 */
#ifndef CT_SENTENCE_H
#define CT_SENTENCE_H

#include <stdbool.h>
#include <stddef.h>

/* A number is {key} or {key one|many}; what stands between [ and ] may be left out. */
enum ct_sentence_kind { CT_SENTENCE_TEXT, CT_SENTENCE_NUMBER, CT_SENTENCE_OPEN, CT_SENTENCE_CLOSE };

/* A piece of the sentence's own text, which does not end with a 0. */
struct ct_piece {
    const char *text;
    size_t length;
};

struct ct_sentence_part {
    enum ct_sentence_kind kind;
    struct ct_piece text;      /* of a text */
    struct ct_piece key;       /* of a number */
    struct ct_piece one, many; /* of a number: its noun; length 0: none */
};

/* The next part of a sentence that has no fault, and steps behind it; false: there is none. */
bool ct_sentence_next(const char **sentence, struct ct_sentence_part *part);

/* What is wrong with a sentence, in words; NULL: nothing. */
const char *ct_sentence_fault(const char *sentence);

#endif
