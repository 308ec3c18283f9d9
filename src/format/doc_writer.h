/*
 * A small document as plain text (80 columns, tables of a wider terminal more) or Markdown:
 * headings, paragraphs, lists and tables through the same calls, so that both forms say the same.
 */
#ifndef DOC_WRITER_H
#define DOC_WRITER_H

#include "format/table.h"

struct doc {
    FILE *out;
    bool markdown;
    bool failed;  /* memory ran out */
    size_t items; /* of lists, so far */
    struct ct_arena arena;
    bool keeps; /* paragraphs and items become `lines`, and nothing is printed */
    CT_VEC(const char *) lines;
};

struct doc doc_start(FILE *out, bool markdown);

/* One whose sentences are for another form: its paragraphs and items are kept as `lines`. */
struct doc doc_keep(void);

/* Forgets what it has kept. CT_DATA when memory ran out. */
int doc_drop(struct doc *doc);

/* CT_OK; CT_DATA when the stream failed or memory ran out. Frees what the document holds. */
int doc_finish(struct doc *doc);

/* Level 1 is the title; an empty line follows. */
void doc_heading(struct doc *doc, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A paragraph, wrapped, and an empty line. */
void doc_text(struct doc *doc, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A list item, wrapped; doc_gap ends the list. */
void doc_item(struct doc *doc, const char *format, ...) __attribute__((format(printf, 2, 3)));
void doc_gap(struct doc *doc);

/* Words for its sentences, kept as long as it is open: "" when memory ran out. */
const char *doc_words(struct doc *doc, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A number for a sentence: doc_format_plain. */
const char *doc_number(struct doc *doc, double number);

/* A table, which is freed, and an empty line. Text that does not fit a line (table_line_width) is
 * cut in its widest column ("~" stands for the rest); Markdown is never cut. */
void doc_table(struct doc *doc, struct table *table);

/* A text in lines of at most `width` columns, each after `indent` spaces but the first. */
void doc_print_wrapped(FILE *out, const char *text, int indent, size_t width);

#endif
