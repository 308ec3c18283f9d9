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
static void write_number(struct prose *prose, FILE *out, const struct ct_piece *key,
                         double number) {
    if (ends_in(key, "_ps"))
        fputs(prose_ms(prose, number), out);
    else if (ends_in(key, "_per_mille"))
        fprintf(out, "%s %%", prose_number(prose, number / 10));
    else if (ends_in(key, "_bytes_per_s"))
        fprintf(out, "%s GB/s", prose_number(prose, number / 1e9));
    else if (is_key(key, CT_NOTE_CLIENT) || ends_in(key, "_" CT_NOTE_CLIENT))
        fputs(explain_app_of_client(prose->run, number), out);
    else
        fputs(prose_number(prose, number), out);
}

/* A note's name as words, without the unit in which it is kept: "headroom_first_ps 1e9" is said
 * as "headroom first 1 ms". */
static void write_name(FILE *out, struct ct_piece key) {
    static const char *const units[] = {"_ps", "_per_mille", "_bytes_per_s"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (ends_in(&key, units[i])) {
            key.length -= strlen(units[i]);
            break;
        }
    for (size_t i = 0; i < key.length; i++)
        fputc(key.text[i] == '_' ? ' ' : key.text[i], out);
}

static void write_note(struct prose *prose, FILE *out, const struct result_decision *d, size_t i) {
    struct ct_piece key = {d->notes[i].key, strlen(d->notes[i].key)};
    write_name(out, key);
    if (!isnan(d->notes[i].value)) {
        fputc(' ', out);
        write_number(prose, out, &key, d->notes[i].value);
    }
}

/* Notes without a sentence: what is said of each client, "fwt np 0.86, binomial np 0.6"; else the
 * first one. */
static void write_notes(struct prose *prose, FILE *out, const struct result_decision *d) {
    if (strcmp(d->notes[0].key, CT_NOTE_CLIENT) != 0 || d->note_count == 1)
        write_note(prose, out, d, 0);
    else
        for (size_t i = 0; i + 1 < d->note_count && strcmp(d->notes[i].key, CT_NOTE_CLIENT) == 0;
             i += 2) {
            fprintf(out, "%s%s ", i > 0 ? ", " : "",
                    explain_app_of_client(prose->run, d->notes[i].value));
            write_note(prose, out, d, i + 1);
        }
}

static void write_part(struct prose *prose, FILE *out, const struct result_decision *d,
                       const struct ct_sentence_part *part) {
    const struct ct_piece *noun;
    double number;
    if (part->kind == CT_SENTENCE_TEXT)
        fwrite(part->text.text, 1, part->text.length, out);
    if (part->kind != CT_SENTENCE_NUMBER)
        return;
    noun = &part->one;
    if (!find_number(d, &part->key, &number)) {
        fputs("unknown", out);
        noun = &part->many;
    } else if (noun->length > 0) {
        fprintf(out, "%.0f", number);
        noun = number == 1 ? noun : &part->many;
    } else
        write_number(prose, out, &part->key, number);
    if (noun->length > 0)
        fprintf(out, " %.*s", (int)noun->length, noun->text);
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

static void write_sentence(struct prose *prose, FILE *out, const struct result_decision *d,
                           const char *sentence) {
    struct ct_sentence_part part;
    while (ct_sentence_next(&sentence, &part))
        if (part.kind != CT_SENTENCE_OPEN || has_numbers(d, &sentence))
            write_part(prose, out, d, &part);
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

static const char *words_of(struct prose *prose, const struct result_decision *d,
                            const char *words) {
    struct sentence sentence;
    FILE *out = words ? prose_begin(prose, &sentence) : NULL;
    if (!out)
        return "";
    write_sentence(prose, out, d, words);
    const char *text = prose_end(prose, &sentence);
    return text ? text : "";
}

const char *explain_words(struct prose *prose, const struct result_decision *d) {
    return words_of(prose, d, find_sentence(prose->run, d));
}

const char *explain_reason(struct prose *prose, const struct result_decision *d) {
    struct sentence sentence;
    const char *words = find_sentence(prose->run, d);
    if (words || d->verb == CT_VERB_ISSUE || !d->note_count)
        return words_of(prose, d, words);
    FILE *out = prose_begin(prose, &sentence);
    if (!out)
        return "";
    write_notes(prose, out, d);
    const char *text = prose_end(prose, &sentence);
    return text ? text : "";
}
