#include "base/ct_assert.h"
#include "base/ct_text.h"
#include "cli/cli.h"
#include "format/csv_text.h"
#include "format/doc_writer.h"
#include "format/json_writer.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_WIDTH = 80, MOST_COLUMNS = 24, WIDEST_WORD = 20 };

const char *const cli_formats[] = {"text", "json", "csv", "markdown", NULL};

void cli_table_begin(struct cli_table *table, const struct cli_column *columns,
                     size_t column_count) {
    ct_assert(column_count <= MOST_COLUMNS);
    *table = (struct cli_table){.columns = columns, .column_count = column_count};
}

void cli_table_cell(struct cli_table *table, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *text = ct_arena_vformat(&table->arena, format, arguments);
    va_end(arguments);
    table->failed |= !text || !ct_vec_push(&table->cells, text);
}

void cli_table_number(struct cli_table *table, double number, int digits) {
    if (isnan(number))
        cli_table_cell(table, "%s", "");
    else
        cli_table_cell(table, "%.*f", digits, number);
}

static size_t row_count(const struct cli_table *table) {
    return table->column_count ? table->cells.count / table->column_count : 0;
}

static const char *cell(const struct cli_table *table, size_t row, size_t column) {
    return table->cells.items[row * table->column_count + column];
}

static int columns_of(const char *text, size_t bytes) {
    return (int)ct_text_width(text, bytes);
}

static void natural_widths(const struct cli_table *table, int width[]) {
    for (size_t c = 0; c < table->column_count; c++) {
        width[c] = columns_of(table->columns[c].title, SIZE_MAX);
        for (size_t r = 0; r < row_count(table); r++) {
            int w = columns_of(cell(table, r, c), SIZE_MAX);
            width[c] = w > width[c] ? w : width[c];
        }
    }
}

static int longest_word(const char *text) {
    int longest = 1;
    while (*text) {
        size_t bytes = strcspn(text, " ");
        int width = columns_of(text, bytes);
        longest = width > longest ? width : longest;
        text += bytes + strspn(text + bytes, " ");
    }
    return longest < WIDEST_WORD ? longest : WIDEST_WORD;
}

/* No text column becomes narrower than its longest word. */
static void least_widths(const struct cli_table *table, const int width[], int least[]) {
    for (size_t c = 0; c < table->column_count; c++) {
        least[c] = table->columns[c].number ? width[c] : longest_word(table->columns[c].title);
        for (size_t r = 0; r < row_count(table) && !table->columns[c].number; r++) {
            int w = longest_word(cell(table, r, c));
            least[c] = w > least[c] ? w : least[c];
        }
    }
}

/* Narrows the widest text column, again and again, until the lines fit or nothing can give. */
static void fit_widths(const struct cli_table *table, int width[]) {
    int least[MOST_COLUMNS];
    least_widths(table, width, least);
    for (;;) {
        int sum = 2 * ((int)table->column_count - 1);
        size_t widest = table->column_count;
        for (size_t c = 0; c < table->column_count; c++) {
            sum += width[c];
            if (width[c] > least[c] && (widest == table->column_count || width[c] > width[widest]))
                widest = c;
        }
        if (sum <= LINE_WIDTH || widest == table->column_count)
            return;
        width[widest]--;
    }
}

/* How many bytes of the text go on this line: whole words if one fits. */
static size_t line_bytes(const char *text, int width) {
    size_t bytes = 0, words = 0;
    while (text[bytes] && columns_of(text, bytes + 1) <= width)
        if (text[++bytes] == ' ' || !text[bytes])
            words = bytes;
    while (((unsigned char)text[bytes] & 0xC0) == 0x80) /* never inside a character */
        bytes++;
    return words ? words : bytes;
}

static void print_padded(FILE *out, const char *text, size_t bytes, int width, bool right,
                         bool last) {
    int pad = width - columns_of(text, bytes);
    if (right)
        fprintf(out, "%*s%.*s", pad > 0 ? pad : 0, "", (int)bytes, text);
    else
        fprintf(out, "%.*s%*s", (int)bytes, text, last || pad < 0 ? 0 : pad, "");
}

/* One row over as many lines as its longest cell needs. */
static void print_text_row(FILE *out, const struct cli_table *table, const char *const texts[],
                           const int width[]) {
    const char *rest[MOST_COLUMNS];
    bool more = true;
    for (size_t c = 0; c < MOST_COLUMNS; c++)
        rest[c] = c >= table->column_count ? "" : *texts[c] ? texts[c] : "-";
    while (more) {
        size_t last = 0;
        more = false;
        for (size_t c = 0; c < table->column_count; c++)
            last = *rest[c] ? c : last;
        for (size_t c = 0; c <= last; c++) {
            size_t bytes =
                table->columns[c].number ? strlen(rest[c]) : line_bytes(rest[c], width[c]);
            fputs(c ? "  " : "", out);
            print_padded(out, rest[c], bytes, width[c], table->columns[c].number, c == last);
            rest[c] += bytes;
            rest[c] += strspn(rest[c], " ");
            more = more || *rest[c];
        }
        fputc('\n', out);
    }
}

static void print_text(const struct cli_table *table, FILE *out) {
    int width[MOST_COLUMNS];
    const char *titles[MOST_COLUMNS];
    natural_widths(table, width);
    fit_widths(table, width);
    for (size_t c = 0; c < table->column_count; c++)
        titles[c] = table->columns[c].title;
    bool colour = cli_colour(out);
    fputs(colour ? "\033[1m" : "", out);
    print_text_row(out, table, titles, width);
    fputs(colour ? "\033[0m" : "", out);
    for (size_t r = 0; r < row_count(table); r++)
        print_text_row(out, table, table->cells.items + r * table->column_count, width);
}

static void print_markdown(const struct cli_table *table, FILE *out) {
    const char *texts[MOST_COLUMNS];
    for (size_t c = 0; c < table->column_count; c++)
        texts[c] = table->columns[c].title;
    doc_markdown_row(out, texts, table->column_count);
    for (size_t c = 0; c < table->column_count; c++)
        fputs(table->columns[c].number ? "|---:" : "|---", out);
    fputs("|\n", out);
    for (size_t r = 0; r < row_count(table); r++) {
        for (size_t c = 0; c < table->column_count; c++)
            texts[c] = *cell(table, r, c) ? cell(table, r, c) : "-";
        doc_markdown_row(out, texts, table->column_count);
    }
}

static void print_csv(const struct cli_table *table, FILE *out) {
    for (size_t c = 0; c < table->column_count; c++)
        fprintf(out, "%s%s", c ? "," : "", table->columns[c].key);
    fputc('\n', out);
    for (size_t r = 0; r < row_count(table); r++) {
        for (size_t c = 0; c < table->column_count; c++) {
            fputs(c ? "," : "", out);
            csv_write_text(out, cell(table, r, c));
        }
        fputc('\n', out);
    }
}

/* A whole number keeps all its digits. */
static void print_json_cell(struct json_writer *json, const struct cli_column *column,
                            const char *text) {
    if (!column->number)
        json_writer_string(json, column->key, text);
    else if (!*text)
        json_writer_null(json, column->key);
    else if (strchr(text, '.'))
        json_writer_double(json, column->key, strtod(text, NULL));
    else
        json_writer_integer(json, column->key, strtoll(text, NULL, 10));
}

static void print_json(const struct cli_table *table, FILE *out) {
    struct json_writer json = json_writer_start(out, 2);
    json_writer_begin_array(&json, NULL);
    for (size_t r = 0; r < row_count(table); r++) {
        json_writer_begin_object(&json, NULL);
        for (size_t c = 0; c < table->column_count; c++)
            print_json_cell(&json, &table->columns[c], cell(table, r, c));
        json_writer_end_object(&json);
    }
    json_writer_end_array(&json);
}

int cli_table_print(struct cli_table *table, FILE *out, enum cli_format format) {
    static void (*const printers[])(const struct cli_table *, FILE *) = {print_text, print_json,
                                                                         print_csv, print_markdown};
    bool failed = table->failed;
    if (!failed)
        printers[format](table, out);
    cli_table_free(table);
    return failed ? CT_DATA : CT_OK;
}

void cli_table_free(struct cli_table *table) {
    ct_arena_free(&table->arena);
    ct_vec_free(&table->cells);
    *table = (struct cli_table){0};
}
