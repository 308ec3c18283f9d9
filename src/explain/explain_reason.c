/* Why a task was held or issued: the policy's sentences with the numbers that it noted. */
#include "explain/explain_internal.h"

#include "base/ct_sentence.h"

#include <string.h>

bool explain_note(const struct result_decision *d, const char *key, double *value) {
    for (size_t i = 0; i < d->note_count; i++)
        if (strcmp(d->notes[i].key, key) == 0) {
            *value = d->notes[i].value;
            return true;
        }
    return false;
}

const char *explain_app_of_client(const struct result_run *run, double client) {
    double first = 0;
    for (size_t i = 0; i < run->report.app_count; i++) {
        first += (double)run->report.apps[i].instances;
        if (client < first)
            return run->report.apps[i].name;
    }
    return "?";
}

static bool is_key(const struct ct_piece *piece, const char *key) {
    return strlen(key) == piece->length && memcmp(piece->text, key, piece->length) == 0;
}

/* False: it was not noted, or is unknown. */
static bool find_number(const struct result_decision *d, const struct ct_piece *key,
                        double *value) {
    for (size_t i = 0; i < d->note_count; i++)
        if (is_key(key, d->notes[i].key)) {
            *value = d->notes[i].value;
            return !isnan(*value);
        }
    return false;
}

static bool ends_in(const struct ct_piece *key, const char *unit) {
    size_t length = strlen(unit);
    return key->length >= length && memcmp(key->text + key->length - length, unit, length) == 0;
}

/* The end of a note's name is its unit. */
static const char *number_words(struct prose *prose, const struct ct_piece *key, double number) {
    if (ends_in(key, "_ps"))
        return prose_ms(prose, number);
    if (ends_in(key, "_per_mille"))
        return prose_words(prose, "%s %%", prose_number(prose, number / 10));
    if (ends_in(key, "_bytes_per_s"))
        return prose_words(prose, "%s GB/s", prose_number(prose, number / 1e9));
    if (is_key(key, CT_NOTE_CLIENT) || ends_in(key, "_" CT_NOTE_CLIENT))
        return explain_app_of_client(prose->run, number);
    return prose_number(prose, number);
}

/* A note's name as words, without the unit in which it is kept: "headroom_first_ps 1e9" is said
 * as "headroom first 1 ms". */
static const char *note_words(struct prose *prose, const struct result_note *note) {
    static const char *const units[] = {"_ps", "_per_mille", "_bytes_per_s"};
    const struct ct_piece key = {note->key, strlen(note->key)};
    size_t length = key.length;
    for (size_t i = 0; i < CT_COUNT_OF(units); i++)
        if (ends_in(&key, units[i]))
            length = key.length - strlen(units[i]);
    char *name = ct_arena_strndup(prose->arena, note->key, length);
    prose->failed |= !name;
    for (char *at = name; at && *at; at++)
        *at = *at == '_' ? ' ' : *at;
    if (!name || isnan(note->value))
        return name ? name : "";
    return prose_words(prose, "%s %s", name, number_words(prose, &key, note->value));
}

/* Notes without a sentence: what is said of each client, "fwt np 0.86, binomial np 0.6"; else the
 * first one. */
static const char *notes_words(struct prose *prose, const struct result_decision *d) {
    const char *words = "";
    if (strcmp(d->notes[0].key, CT_NOTE_CLIENT) != 0 || d->note_count == 1)
        return note_words(prose, d->notes);
    for (size_t i = 0; i + 1 < d->note_count && strcmp(d->notes[i].key, CT_NOTE_CLIENT) == 0;
         i += 2)
        words = prose_words(prose, "%s%s%s %s", words, i > 0 ? ", " : "",
                            explain_app_of_client(prose->run, d->notes[i].value),
                            note_words(prose, &d->notes[i + 1]));
    return words;
}

static const char *part_words(struct prose *prose, const struct result_decision *d,
                              const struct ct_sentence_part *part) {
    const struct ct_piece *noun = &part->one;
    const char *words = "unknown";
    double number = 0;
    if (part->kind == CT_SENTENCE_TEXT)
        return prose_words(prose, "%.*s", (int)part->text.length, part->text.text);
    if (part->kind != CT_SENTENCE_NUMBER)
        return "";
    bool known = find_number(d, &part->key, &number), counted = noun->length > 0;
    if (known)
        words =
            counted ? prose_words(prose, "%.0f", number) : number_words(prose, &part->key, number);
    if (!known || (counted && number != 1))
        noun = &part->many;
    return noun->length > 0 ? prose_words(prose, "%s %.*s", words, (int)noun->length, noun->text)
                            : words;
}

/* Whether all numbers up to the closing bracket are there; steps behind it if not. */
static bool has_numbers(const struct result_decision *d, const char **sentence) {
    const char *at = *sentence;
    struct ct_sentence_part part;
    bool all = true;
    double number;
    while (ct_sentence_next(&at, &part) && part.kind != CT_SENTENCE_CLOSE)
        all &= part.kind != CT_SENTENCE_NUMBER || find_number(d, &part.key, &number);
    if (!all)
        *sentence = at;
    return all;
}

/* The sentence of the first note that has one; NULL: none has. */
static const char *find_sentence(const struct result_run *run, const struct result_decision *d) {
    for (size_t i = 0; i < d->note_count; i++)
        for (size_t k = 0; k < run->reason_count; k++)
            if (run->reasons[k].verb == d->verb && *run->reasons[k].sentence &&
                strcmp(run->reasons[k].key, d->notes[i].key) == 0)
                return run->reasons[k].sentence;
    return NULL;
}

const char *explain_words(struct prose *prose, const struct result_decision *d) {
    const char *sentence = find_sentence(prose->run, d), *words = "";
    struct ct_sentence_part part;
    while (sentence && ct_sentence_next(&sentence, &part))
        if (part.kind != CT_SENTENCE_OPEN || has_numbers(d, &sentence))
            words = prose_words(prose, "%s%s", words, part_words(prose, d, &part));
    return words;
}

const char *explain_reason(struct prose *prose, const struct result_decision *d) {
    if (find_sentence(prose->run, d) || d->verb == CT_VERB_ISSUE || !d->note_count)
        return explain_words(prose, d);
    return notes_words(prose, d);
}
