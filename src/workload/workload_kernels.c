/* What a user says of kernels in the place of what was recorded: the key `kernels`. */
#include "workload/workload_reader.h"

#include "abi/ct_pattern.h"
#include "base/ct_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* The numbers of `said` that are known into `into`. */
static void take_numbers(const struct workload_kernels *said, struct workload_kernels *into) {
    for (const struct workload_key *key = workload_kernels_keys; key->option.name; key++) {
        size_t place = key->option.offset;
        const double *number = (const void *)((const char *)said + place);
        double *target = (void *)((char *)into + place);
        if (key->unknown && !isnan(*number))
            *target = *number;
    }
}

struct workload_kernels workload_app_kernels(const struct workload_app *app, const char *name) {
    struct workload_kernels said = {NULL, NAN, NAN, NAN, NAN, NAN, NAN};
    for (size_t i = 0; i < app->kernels_count; i++) {
        if (!ct_text_matches(app->kernels[i].match, name))
            continue;
        said.match = app->kernels[i].match;
        take_numbers(&app->kernels[i], &said);
    }
    return said;
}

/* ---- What a pattern that matches nothing may have meant. ---- */

/* The first errors get one: to find it all names are read. */
enum { MOST_WORDS = 512, LEAST_WORD = 3, MOST_SUGGESTED = 10 };

struct words {
    const char *items[MOST_WORDS];
    size_t count;
    bool lost; /* memory ran out */
};

/* The words of a name in small letters: "ampere_sgemm_32x32_sliced" has four. */
static void add_words(struct words *words, const char *name, struct ct_arena *arena) {
    for (const char *at = name; *at && words->count < MOST_WORDS;) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]))
            length++;
        char *word = length >= LEAST_WORD ? ct_arena_strndup(arena, at, length) : NULL;
        words->lost |= length >= LEAST_WORD && !word;
        for (char *c = word; c && *c; c++)
            *c = (char)tolower((unsigned char)*c);
        if (word && ct_text_index(word, words->items, words->count) == words->count)
            words->items[words->count++] = word;
        at += length ? length : 1;
    }
}

/* The word of a kernel's name that is nearest to one of the pattern; NULL: none is near. */
static const char *nearest_word(struct workload_reader *reader, const struct trace_app *trace,
                                const char *pattern) {
    struct words of_pattern = {.count = 0}, of_names = {.count = 0};
    const char *nearest = NULL;
    add_words(&of_pattern, pattern, reader->place.arena);
    for (size_t i = 0; i < trace->kernels.count; i++)
        add_words(&of_names, trace->kernels.items[i].name, reader->place.arena);
    for (size_t i = 0; i < of_pattern.count && !nearest; i++)
        nearest = ct_text_closest(of_pattern.items[i], of_names.items, of_names.count);
    if (of_pattern.lost || of_names.lost)
        json_place_no_memory(&reader->place);
    return nearest;
}

static void unmatched(struct workload_reader *reader, const struct trace_app *trace,
                      const char *pattern) {
    const char *word =
        reader->place.diags->errors < MOST_SUGGESTED ? nearest_word(reader, trace, pattern) : NULL;
    if (word)
        workload_mistake(reader, "match", "'%s' matches no kernel of '%s', did you mean '*%s*'?",
                         pattern, trace->name, word);
    else
        workload_mistake(
            reader, "match",
            "'%s' matches no kernel of '%s': 'cotenant trace show --format csv' lists them",
            pattern, trace->name);
}

/* ---- Reading ---- */

/* Letters that all patterns of a workload may be compared with, once here and once as it is set up:
 * some seconds (chosen). Hundreds of patterns on thousands of kernels take a hundredth. */
static const uint64_t MOST_MATCHING = 1000000000;

/* Asks every kernel, as the set-up will. */
static bool matches_any(struct workload_reader *reader, const struct trace_app *trace,
                        const char *pattern) {
    uint64_t left = MOST_MATCHING - reader->matching;
    bool matched = false;
    for (size_t i = 0; i < trace->kernels.count && left > 0; i++)
        matched |=
            ct_pattern_matches(pattern, strlen(pattern), trace->kernels.items[i].name, &left);
    reader->matching = MOST_MATCHING - left;
    if (left == 0)
        workload_mistake(reader, "match",
                         "too many or too long patterns for the %zu kernels of '%s': comparing "
                         "them takes more than %" PRIu64 " steps; let few patterns with '*' match "
                         "many kernels each",
                         trace->kernels.count, trace->name, MOST_MATCHING);
    return matched;
}

bool workload_kernels_read(struct workload_reader *reader, const json_t *value,
                           const struct trace_app *trace, bool inherited,
                           struct workload_kernels *kernels) {
    if (!json_is_object(value))
        return workload_mistake(reader, NULL, "what is said of kernels is not an object");
    workload_table_read(reader, value, workload_kernels_keys, kernels, false);
    if (!kernels->match)
        kernels->match = ""; /* matches nothing */
    else if (json_object_size(value) == 1)
        workload_mistake(reader, NULL, "nothing is said of the kernels that '%s' matches",
                         kernels->match);
    if (!trace || reader->matching == MOST_MATCHING) /* and that was said */
        return false;
    bool matched = matches_any(reader, trace, kernels->match);
    if (!matched && !inherited && *kernels->match && reader->matching < MOST_MATCHING)
        unmatched(reader, trace, kernels->match);
    return matched;
}
