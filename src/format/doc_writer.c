#include "format/doc_writer.h"

#include "base/ct_assert.h"
#include "base/ct_text.h"

#include <stdarg.h>
#include <string.h>

enum { DOC_WIDTH = 80, DOC_GAP = 2, DOC_NARROWEST = 6, DOC_INDENT = 4 };

struct doc doc_start(FILE *out, bool markdown) {
    return (struct doc){.out = out, .markdown = markdown};
}

int doc_finish(struct doc *doc) {
    bool failed = doc->failed || ferror(doc->out);
    ct_arena_free(&doc->arena);
    ct_vec_free(&doc->cells);
    return failed ? CT_DATA : CT_OK;
}

static const char *vformat(struct doc *doc, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

static const char *vformat(struct doc *doc, const char *format, va_list arguments) {
    const char *text = ct_arena_vformat(&doc->arena, format, arguments);
    doc->failed |= !text;
    return text ? text : "";
}

void doc_heading(struct doc *doc, int level, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *text = vformat(doc, format, arguments);
    va_end(arguments);
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

/* Words up to the width; the lines after the first begin with `indent` spaces. */
static void print_wrapped(FILE *out, const char *text, size_t column, int indent) {
    for (bool first = true; *text; first = false) {
        size_t length = strcspn(text, " ");
        char word[512];
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        size_t width = ct_text_width(word, SIZE_MAX);
        if (!first && column + 1 + width > DOC_WIDTH) {
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
    putc('\n', out);
}

void doc_text(struct doc *doc, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_wrapped(doc->out, vformat(doc, format, arguments), 0, 0);
    va_end(arguments);
    doc_gap(doc);
}

void doc_item(struct doc *doc, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs(doc->markdown ? "- " : "  ", doc->out);
    print_wrapped(doc->out, vformat(doc, format, arguments), 2, doc->markdown ? 2 : DOC_INDENT);
    va_end(arguments);
}

void doc_gap(struct doc *doc) {
    putc('\n', doc->out);
}

void doc_table_begin(struct doc *doc, const struct doc_column *columns, size_t column_count) {
    ct_assert(column_count <= DOC_COLUMNS);
    doc->columns = columns;
    doc->column_count = column_count;
    doc->cells.count = 0;
}

static void add_cell(struct doc *doc, const char *text) {
    if (!ct_vec_push(&doc->cells, text))
        doc->failed = true;
}

void doc_cell(struct doc *doc, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *text = vformat(doc, format, arguments);
    va_end(arguments);
    add_cell(doc, *text ? text : "-");
}

const char *doc_format_number(double number, char text[DOC_NUMBER]) {
    double size = fabs(number);
    if (isnan(number))
        return "-";
    if (size >= 1e6 || (size < 0.001 && size > 0))
        snprintf(text, DOC_NUMBER, "%.3g", number);
    else
        snprintf(text, DOC_NUMBER, "%.*f",
                 size == 0 || size >= 1000 ? 0
                 : size >= 100             ? 1
                 : size >= 10              ? 2
                 : size >= 0.1             ? 3
                                           : 4,
                 number);
    return text;
}

const char *doc_format_plain(double number, char text[DOC_NUMBER]) {
    const char *formatted = doc_format_number(number, text);
    if (formatted == text && strchr(text, '.') && !strchr(text, 'e')) {
        size_t length = strlen(text);
        while (text[length - 1] == '0')
            length--;
        text[text[length - 1] == '.' ? length - 1 : length] = '\0';
    }
    return formatted;
}

void doc_number(struct doc *doc, double number) {
    char text[DOC_NUMBER];
    doc_cell(doc, "%s", doc_format_number(number, text));
}

void doc_interval(struct doc *doc, double low, double high) {
    char a[DOC_NUMBER], b[DOC_NUMBER];
    if (isnan(low) && isnan(high))
        doc_cell(doc, "-");
    else
        doc_cell(doc, "[%s, %s]", doc_format_number(low, a), doc_format_number(high, b));
}

static const char *cell_of(const struct doc *doc, size_t row, size_t column) {
    return doc->cells.items[row * doc->column_count + column];
}

static void measure_columns(const struct doc *doc, size_t rows, size_t widths[DOC_COLUMNS]) {
    for (size_t c = 0; c < doc->column_count; c++) {
        widths[c] = ct_text_width(doc->columns[c].title, SIZE_MAX);
        for (size_t r = 0; r < rows; r++) {
            size_t width = ct_text_width(cell_of(doc, r, c), SIZE_MAX);
            widths[c] = width > widths[c] ? width : widths[c];
        }
    }
}

/* Takes from the widest text column until the line fits or no column can give. */
static void fit_columns(const struct doc *doc, size_t widths[DOC_COLUMNS]) {
    size_t total = DOC_GAP * doc->column_count; /* the first gap is the indent */
    for (size_t c = 0; c < doc->column_count; c++)
        total += widths[c];
    for (; total > DOC_WIDTH; total--) {
        size_t widest = SIZE_MAX;
        for (size_t c = 0; c < doc->column_count; c++)
            if (!doc->columns[c].number && widths[c] > DOC_NARROWEST &&
                (widest == SIZE_MAX || widths[c] > widths[widest]))
                widest = c;
        if (widest == SIZE_MAX)
            return;
        widths[widest]--;
    }
}

static void print_cut(FILE *out, const char *text, size_t width) {
    size_t left = width - 1;
    for (; *text && (left > 0 || ((unsigned char)*text & 0xc0) == 0x80); text++) {
        if (((unsigned char)text[1] & 0xc0) != 0x80)
            left--;
        putc(*text, out);
    }
    putc('~', out);
}

static void print_cell(FILE *out, const char *text, size_t width, bool right, bool last) {
    size_t own = ct_text_width(text, SIZE_MAX);
    int pad = own < width ? (int)(width - own) : 0;
    fprintf(out, "%*s", DOC_GAP + (right ? pad : 0), "");
    if (own > width && !right)
        print_cut(out, text, width);
    else
        fputs(text, out);
    if (!right && !last)
        fprintf(out, "%*s", pad, "");
}

static bool is_blank(const char *text) {
    return !text[strspn(text, " ")];
}

static void print_text_row(const struct doc *doc, const size_t *widths, const char *const *cells) {
    size_t count = doc->column_count;
    while (count > 1 && is_blank(cells[count - 1]))
        count--;
    for (size_t c = 0; c < count; c++)
        print_cell(doc->out, cells[c], widths[c], doc->columns[c].number, c + 1 == count);
    putc('\n', doc->out);
}

static void titles_of(const struct doc *doc, const char *titles[DOC_COLUMNS]) {
    for (size_t c = 0; c < doc->column_count; c++)
        titles[c] = doc->columns[c].title;
}

static void print_text_table(const struct doc *doc, size_t rows) {
    size_t widths[DOC_COLUMNS] = {0};
    const char *titles[DOC_COLUMNS] = {0};
    measure_columns(doc, rows, widths);
    fit_columns(doc, widths);
    titles_of(doc, titles);
    print_text_row(doc, widths, titles);
    for (size_t r = 0; r < rows; r++)
        print_text_row(doc, widths, doc->cells.items + r * doc->column_count);
}

void doc_markdown_row(FILE *out, const char *const *cells, size_t count) {
    for (size_t c = 0; c < count; c++) {
        fputs("| ", out);
        for (const char *at = cells[c]; *at; at++)
            fprintf(out, *at == '|' ? "\\%c" : "%c", *at);
        putc(' ', out);
    }
    fputs("|\n", out);
}

static void print_markdown_table(const struct doc *doc, size_t rows) {
    const char *titles[DOC_COLUMNS] = {0};
    titles_of(doc, titles);
    doc_markdown_row(doc->out, titles, doc->column_count);
    for (size_t c = 0; c < doc->column_count; c++)
        fputs(doc->columns[c].number ? "|--:" : "|---", doc->out);
    fputs("|\n", doc->out);
    for (size_t r = 0; r < rows; r++)
        doc_markdown_row(doc->out, doc->cells.items + r * doc->column_count, doc->column_count);
}

void doc_table_end(struct doc *doc) {
    if (doc->failed)
        return;
    size_t rows = doc->cells.count / doc->column_count;
    ct_assert(rows * doc->column_count == doc->cells.count);
    if (doc->markdown)
        print_markdown_table(doc, rows);
    else
        print_text_table(doc, rows);
    doc_gap(doc);
}
