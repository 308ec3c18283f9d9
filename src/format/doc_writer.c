#include "format/doc_writer.h"

#include "base/ct_text.h"

#include <stdarg.h>
#include <string.h>

enum { DOC_WIDTH = 80, DOC_INDENT = 4 };

struct doc doc_start(FILE *out, bool markdown) {
    return (struct doc){.out = out, .markdown = markdown};
}

struct doc doc_keep(void) {
    return (struct doc){.keeps = true};
}

int doc_drop(struct doc *doc) {
    ct_vec_free(&doc->lines);
    ct_arena_free(&doc->arena);
    return doc->failed ? CT_DATA : CT_OK;
}

static bool keep(struct doc *doc, const char *text) {
    if (doc->keeps)
        doc->failed |= !ct_vec_push(&doc->lines, text);
    return doc->keeps;
}

int doc_finish(struct doc *doc) {
    bool failed = doc->failed || ferror(doc->out);
    ct_arena_free(&doc->arena);
    return failed ? CT_DATA : CT_OK;
}

__attribute__((format(printf, 2, 0))) static const char *
vformat(struct doc *doc, const char *format, va_list arguments) {
    const char *text = ct_arena_vformat(&doc->arena, format, arguments);
    doc->failed |= !text;
    return text ? text : "";
}

void doc_heading(struct doc *doc, int level, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *text = vformat(doc, format, arguments);
    va_end(arguments);
    if (doc->keeps)
        return;
    if (doc->markdown) {
        fprintf(doc->out, "%.*s %s\n\n", level + 1, "####", text);
        return;
    }
    fprintf(doc->out, "%s\n", text);
    if (level == 1) {
        for (size_t i = ct_text_width(text, SIZE_MAX); i > 0; i--)
            putc('=', doc->out);
        putc('\n', doc->out);
    }
}

/* Prints a text, wrapped, from a column on; the lines after the first begin with `indent` spaces.
 */
static void wrap(FILE *out, const char *text, size_t column, int indent, size_t line) {
    for (bool first = true; *text; first = false) {
        size_t length = strcspn(text, " "), width = ct_text_width(text, length);
        if (!first && column + 1 + width > line) {
            fprintf(out, "\n%*s", indent, "");
            column = (size_t)indent;
        } else if (!first) {
            putc(' ', out);
            column++;
        }
        fwrite(text, 1, length, out);
        column += width;
        text += length;
        text += strspn(text, " ");
    }
}

void doc_print_wrapped(FILE *out, const char *text, int indent, size_t width) {
    wrap(out, text, (size_t)indent, indent, width);
}

void doc_text(struct doc *doc, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *text = vformat(doc, format, arguments);
    va_end(arguments);
    if (keep(doc, text))
        return;
    wrap(doc->out, text, 0, 0, DOC_WIDTH);
    fputs("\n\n", doc->out);
}

void doc_item(struct doc *doc, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *text = vformat(doc, format, arguments);
    va_end(arguments);
    doc->items++;
    if (keep(doc, text))
        return;
    fputs(doc->markdown ? "- " : "  ", doc->out);
    wrap(doc->out, text, 2, doc->markdown ? 2 : DOC_INDENT, DOC_WIDTH);
    putc('\n', doc->out);
}

void doc_gap(struct doc *doc) {
    if (!doc->keeps)
        putc('\n', doc->out);
}

const char *doc_words(struct doc *doc, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *text = vformat(doc, format, arguments);
    va_end(arguments);
    return text;
}

const char *doc_number(struct doc *doc, double number) {
    char text[DOC_NUMBER];
    return doc_words(doc, "%s", doc_format_plain(number, text));
}

void doc_table(struct doc *doc, struct table *table) {
    table->in_document = true;
    doc->failed |=
        table_print(table, doc->out, doc->markdown ? TABLE_MARKDOWN : TABLE_TEXT) != CT_OK;
    doc_gap(doc);
}
