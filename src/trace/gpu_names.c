#include "trace/gpu_names.h"

#include "base/ct_text.h"

#include <stdio.h>
#include <string.h>

enum { WORD_BYTES = 24, WORDS_MOST = 40 };

/* The words of a text in lower case, without those that tell no GPU from another: a number belongs
 * to the letters before it ("RTX 3080": rtx3080), but for sizes of memory ("80 GB": 80gb). */
struct words {
    char items[WORDS_MOST][WORD_BYTES];
    size_t count;
    bool open; /* the last word is of letters alone: a number may follow */
    bool cut;  /* there was no room for all */
};

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static char lower(char c) {
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

bool gpu_names_is_amd(const char *title) {
    return title && (strstr(title, "AMD") || strstr(title, "Radeon") || strstr(title, "Instinct"));
}

static bool is_idle(const char *word) {
    static const char *const idle[] = {"nvidia",   "corporation", "tesla",  "geforce", "amd",
                                       "instinct", "jetson",      "tensor", "core",    "gpu"};
    return ct_text_index(word, idle, CT_COUNT_OF(idle)) < CT_COUNT_OF(idle);
}

static void add(struct words *words, const char *text, size_t length, const char *ending) {
    char word[WORD_BYTES];
    size_t tail = strlen(ending);
    words->open = false;
    if (length + tail >= sizeof word || words->count == WORDS_MOST) {
        words->cut = true;
        return;
    }
    for (size_t i = 0; i < length; i++)
        word[i] = lower(text[i]);
    memcpy(word + length, ending, tail + 1);
    if (is_idle(word))
        return;
    memcpy(words->items[words->count++], word, sizeof word);
    words->open = is_letter(*word);
}

/* Characters of the unit of memory at the text; 0: there is none. */
static size_t unit_length(const char *text) {
    size_t blanks = strspn(text, " ");
    const char *unit = text + blanks;
    size_t letters = lower(unit[0]) == 'g' ? 1 + (lower(unit[1]) == 'b') : 0;
    return letters && !is_letter(unit[letters]) && !is_digit(unit[letters]) ? blanks + letters : 0;
}

/* Puts a number behind the letters before it. */
static void attach(struct words *words, const char *text, size_t length) {
    char *word = words->items[words->count - 1];
    size_t used = strlen(word);
    words->open = false;
    if (used + length >= WORD_BYTES) {
        words->cut = true;
        return;
    }
    memcpy(word + used, text, length);
    word[used + length] = '\0';
}

static size_t read_number(struct words *words, const char *text, bool apart) {
    size_t length = strspn(text, "0123456789"), unit = apart ? unit_length(text + length) : 0;
    if (unit)
        add(words, text, length, "gb");
    else if (words->open)
        attach(words, text, length);
    else
        add(words, text, length, "");
    if (unit)
        words->open = false;
    return length + unit;
}

static size_t read_letters(struct words *words, const char *text) {
    size_t length = 0;
    while (is_letter(text[length]))
        length++;
    add(words, text, length, "");
    return length;
}

/* What stands in brackets is a number of the device or a mark. */
static void read_words(const char *text, struct words *words) {
    bool apart = true;
    words->count = 0;
    words->open = words->cut = false;
    while (*text) {
        bool known = is_letter(*text) || is_digit(*text);
        if (is_letter(*text))
            text += read_letters(words, text);
        else if (is_digit(*text))
            text += read_number(words, text, apart);
        else
            text += *text == '(' ? strcspn(text, ")") : 1;
        apart = !known;
    }
}

static bool has_word(const struct words *words, const char *word) {
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->items[i], word) == 0)
            return true;
    return false;
}

static bool has_words(const struct words *words, const struct words *part) {
    for (size_t i = 0; i < part->count; i++)
        if (!has_word(words, part->items[i]))
            return false;
    return true;
}

/* The spellings of a preset, one after the other; NULL: no more. */
static const char *spelling(const struct gpu_name *gpu, size_t number) {
    if (number == 0)
        return gpu->name;
    if (number == 1)
        return gpu->title ? gpu->title : "";
    return gpu->also ? gpu->also[number - 2] : NULL;
}

/* How a text stands to a preset. */
struct fit {
    bool possible; /* all words of the text are the preset's */
    size_t words;  /* of its longest spelling that the text has as a whole; 0: none */
};

static struct fit fit_of(const struct gpu_name *gpu, const struct words *text) {
    struct fit fit = {.possible = text->count > 0 && !text->cut};
    bool found[WORDS_MOST] = {false};
    const char *one;
    for (size_t n = 0; (one = spelling(gpu, n)) != NULL; n++) {
        struct words words;
        read_words(one, &words);
        for (size_t i = 0; i < text->count; i++)
            found[i] = found[i] || has_word(&words, text->items[i]);
        if (words.count > fit.words && has_words(text, &words))
            fit.words = words.count;
    }
    for (size_t i = 0; i < text->count; i++)
        fit.possible = fit.possible && found[i];
    return fit;
}

const struct gpu_name *gpu_names_find(const struct gpu_name_list *list, const char *text,
                                      char *others, size_t size) {
    const struct gpu_name *best = NULL;
    struct words words;
    size_t longest = 0;
    if (others)
        *others = '\0';
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, text) == 0)
            return &list->items[i];
    read_words(text, &words);
    for (size_t i = 0; i < list->count; i++) {
        struct fit fit = fit_of(&list->items[i], &words);
        if (fit.possible && fit.words > longest) {
            longest = fit.words;
            best = &list->items[i];
        }
    }
    for (size_t i = 0; best && others && i < list->count; i++)
        if (&list->items[i] != best && fit_of(&list->items[i], &words).possible)
            ct_text_add(others, size, ", ", "%s", list->items[i].name);
    return best;
}

/* ---- Suggestions ---- */

/* A name without blanks and idle words, the letters with which it begins, and the digits that tell
 * its generation: the first two of a GeForce ("rtx30"), the first of an Instinct ("mi3"; the MI350s
 * are CDNA 4, the MI300s CDNA 3), none of NVIDIA's data centre GPUs, whose letters do ("h"). */
struct generation {
    char name[WORDS_MOST * WORD_BYTES], letters[WORD_BYTES], digits[3];
};

static struct generation generation_of(const char *name) {
    struct generation g = {0};
    size_t count = 0, used = 0;
    struct words words;
    read_words(name, &words);
    for (size_t i = 0; i < words.count; i++) {
        size_t length = strlen(words.items[i]);
        memcpy(g.name + used, words.items[i], length + 1);
        used += length;
    }
    while (is_letter(g.name[count]) && count + 1 < sizeof g.letters)
        count++;
    memcpy(g.letters, g.name, count);
    bool is_instinct = strcmp(g.letters, "mi") == 0;
    bool is_mi350 = is_instinct && strncmp(g.name + count, "35", 2) == 0;
    int digits = is_instinct ? 1 : count == 3 ? 2 : 0;
    snprintf(g.digits, sizeof g.digits, "%.*s", digits, is_mi350 ? "4" : g.name + count);
    return g;
}

/* Letters of which one is another, or two stand in the wrong order. */
static bool nearly(const char *a, const char *b) {
    size_t length = strlen(a), differ = 0, at[2] = {0};
    if (strlen(b) != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (a[i] != b[i] && differ++ < 2)
            at[differ - 1] = i;
    return differ < 2 || (differ == 2 && a[at[0]] == b[at[1]] && a[at[1]] == b[at[0]]);
}

/* Words can be misspelt; one letter or two are a generation of their own. */
static bool same_generation(const struct generation *a, const struct generation *b) {
    size_t x = strlen(a->letters), y = strlen(b->letters);
    size_t known = strlen(a->digits) < strlen(b->digits) ? strlen(a->digits) : strlen(b->digits);
    const char *const one[] = {b->letters};
    if ((*a->digits != 0) != (*b->digits != 0) || strncmp(a->digits, b->digits, known) != 0)
        return false;
    return strcmp(a->letters, b->letters) == 0 || (x == 3 && nearly(a->letters, b->letters)) ||
           (x > 3 && y > 3 && ct_text_closest(a->letters, one, 1));
}

/* Whether the first number in two names is one. */
static bool same_number(const char *a, const char *b) {
    static const char digits[] = "0123456789";
    a += strcspn(a, digits);
    b += strcspn(b, digits);
    size_t length = strspn(a, digits);
    return length > 0 && length == strspn(b, digits) && strncmp(a, b, length) == 0;
}

static const char *closest_of(const struct gpu_name_list *list, const struct generation *wanted,
                              bool of_its_number) {
    const char *two[2]; /* the nearest so far, and another */
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        struct generation g = generation_of(list->items[i].name);
        bool counts =
            same_generation(wanted, &g) && (!of_its_number || same_number(wanted->name, g.name));
        two[count] = list->items[i].name;
        const char *closest = counts ? ct_text_closest(wanted->name, two, count + 1) : NULL;
        if (closest) {
            two[0] = closest;
            count = 1;
        }
    }
    return count ? two[0] : NULL;
}

/* An L40 is nearer to the L40S than to the L4. */
const char *gpu_names_closest(const struct gpu_name_list *list, const char *text) {
    struct generation wanted = generation_of(text);
    const char *closest = closest_of(list, &wanted, true);
    return closest ? closest : closest_of(list, &wanted, false);
}
