#include "base/ct_sentence.h"

#include <string.h>

/* The number between the braces. */
static struct ct_sentence_part number_in(const char *text, size_t length) {
    struct ct_sentence_part part = {.kind = CT_SENTENCE_NUMBER, .key = {text, length}};
    const char *space = memchr(text, ' ', length), *end = text + length;
    if (!space)
        return part;
    const char *bar = memchr(space, '|', (size_t)(end - space));
    const char *after_one = bar ? bar : end;
    part.key.length = (size_t)(space - text);
    part.one = (struct ct_piece){space + 1, (size_t)(after_one - space - 1)};
    if (bar)
        part.many = (struct ct_piece){bar + 1, (size_t)(end - bar - 1)};
    return part;
}

bool ct_sentence_next(const char **sentence, struct ct_sentence_part *part) {
    const char *at = *sentence;
    size_t length = strcspn(at, "{[]");
    if (!*at)
        return false;
    if (length > 0) {
        *part = (struct ct_sentence_part){.kind = CT_SENTENCE_TEXT, .text = {at, length}};
    } else if (*at == '{') {
        length = strcspn(at, "}");
        *part = number_in(at + 1, length - 1);
        length += at[length] == '}';
    } else {
        *part =
            (struct ct_sentence_part){.kind = *at == '[' ? CT_SENTENCE_OPEN : CT_SENTENCE_CLOSE};
        length = 1;
    }
    *sentence = at + length;
    return true;
}

static const char *number_fault(const struct ct_sentence_part *part, char last) {
    if (last != '}' || memchr(part->key.text, '{', part->key.length))
        return "a brace in a sentence is not closed";
    if (part->key.length == 0)
        return "braces in a sentence name no note";
    return (part->one.length > 0) == (part->many.length > 0)
               ? NULL
               : "a noun in a sentence is not {KEY ONE|MANY}";
}

const char *ct_sentence_fault(const char *sentence) {
    struct ct_sentence_part part;
    bool open = false;
    while (ct_sentence_next(&sentence, &part)) {
        const char *fault = NULL;
        if (part.kind == CT_SENTENCE_NUMBER)
            fault = number_fault(&part, sentence[-1]);
        else if (part.kind == CT_SENTENCE_TEXT && memchr(part.text.text, '}', part.text.length))
            fault = "a brace in a sentence is not opened";
        else if (part.kind != CT_SENTENCE_TEXT && open == (part.kind == CT_SENTENCE_OPEN))
            fault = open ? "brackets in a sentence stand in brackets"
                         : "a bracket in a sentence is not opened";
        if (fault)
            return fault;
        open = part.kind == CT_SENTENCE_OPEN || (open && part.kind != CT_SENTENCE_CLOSE);
    }
    return open ? "a bracket in a sentence is not closed" : NULL;
}
