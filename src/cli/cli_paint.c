#include "cli/cli_results.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define RED "\033[31m"
#define GREEN "\033[32m"
#define YELLOW "\033[33m"
#define PLAIN "\033[0m"

static bool is_word(const char *text, size_t length, const char *word) {
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* The colour of a word in a line; NULL: none. `cell`: it begins a cell of a table, or an item. */
static const char *colour_of(const char *word, size_t length, bool cell) {
    if (is_word(word, length, "VIOLATED") || is_word(word, length, "OVERLOADED"))
        return RED;
    if (is_word(word, length, "UNFINISHED") || is_word(word, length, "ORACLE") ||
        is_word(word, length, "ORACLE:"))
        return YELLOW;
    if (cell && is_word(word, length, "better"))
        return GREEN;
    if (cell && is_word(word, length, "worse"))
        return RED;
    if (cell && is_word(word, length, "met"))
        return GREEN;
    /* A ratio beyond its target. */
    bool number = isdigit((unsigned char)*word) || *word == '>';
    return number && length > 1 && word[length - 1] == '!' ? RED : NULL;
}

/* Copies a finished text and colours its words. */
static void cli_paint_text(FILE *out, const char *text) {
    size_t blanks = 2; /* before the word */
    while (*text) {
        size_t length = strcspn(text, " \n");
        if (length == 0) {
            blanks = *text == '\n' ? 2 : blanks + 1;
            fputc(*text++, out);
            continue;
        }
        const char *colour = colour_of(text, length, blanks >= 2);
        fprintf(out, "%s%.*s%s", colour ? colour : "", (int)length, text, colour ? PLAIN : "");
        text += length;
        blanks = 0;
    }
}

/* What is written to a stream in memory first, so that it can be coloured. */
int cli_paint_reports(enum report_format format, const struct report_comparison *reports,
                      bool compared) {
    bool plain = format != REPORT_TEXT || !cli_colour(stdout);
    char *text = NULL;
    size_t size;
    FILE *out = plain ? stdout : open_memstream(&text, &size);
    if (!out)
        return CT_DATA;
    int status = compared ? report_write_comparison(format, reports, out)
                          : report_write(format, reports->reports, reports->report_count, out);
    if (plain)
        return status;
    bool failed = ferror(out) != 0;
    failed = fclose(out) != 0 || !text || failed;
    if (!failed)
        cli_paint_text(stdout, text);
    free(text);
    return status == CT_OK && failed ? CT_DATA : status;
}
