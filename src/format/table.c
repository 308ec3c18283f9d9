#include "format/table.h"

#include "base/ct_assert.h"
#include "base/ct_text.h"
#include "format/csv_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { WIDEST_LINE = 10000, GAP = 2, MOST_COLUMNS = 32, NARROWEST = 6, WIDEST_WORD = 20 };

size_t table_line_width(void) {
    const char *columns = getenv("COLUMNS");
    long width = columns ? strtol(columns, NULL, 10) : 0;
    return width < TABLE_LINE ? TABLE_LINE : width > WIDEST_LINE ? WIDEST_LINE : (size_t)width;
}

/* ---- Columns ---- */

static const char *kept(struct table *table, const char *text) {
    table->failed |= !text;
    return text ? text : "";
}

/* The text up to one of the ends, without blanks there; NULL: nothing. */
static const char *take(struct table *table, const char **at, const char *ends) {
    const char *begin = *at;
    size_t length = strcspn(begin, ends);
    *at += length;
    while (length && begin[length - 1] == ' ')
        length--;
    return length ? kept(table, ct_arena_strndup(&table->heading, begin, length)) : NULL;
}

static struct table_column take_column(struct table *table, const char **at) {
    struct table_column column = {.digits = TABLE_WORDS};
    *at += strspn(*at, " |");
    column.key = column.title = take(table, at, "=:|");
    if (**at == '=') {
        ++*at;
        column.key = take(table, at, ":|");
    }
    if (**at == ':') {
        column.digits = (*at)[1] == '*' ? TABLE_NUMBER : (*at)[1] - '0';
        *at += 2;
    }
    return column;
}

struct table table_start(const char *columns) {
    struct table table = {.column_count = 1};
    for (const char *at = columns; *at; at++)
        table.column_count += *at == '|';
    struct table_column *own = ct_arena_array(&table.heading, table.column_count, sizeof *own);
    table.failed = !own;
    for (size_t c = 0; own && c < table.column_count; c++)
        own[c] = take_column(&table, &columns);
    table.columns = own;
    return table;
}

/* ---- Numbers, as people read them ---- */

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
                 size == 0 ? 0 : number);
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

/* ---- Rows ---- */

const char *table_words(struct table *table, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *text = ct_arena_vformat(&table->arena, format, arguments);
    va_end(arguments);
    return kept(table, text);
}

const char *table_interval(struct table *table, double low, double high) {
    char a[DOC_NUMBER], b[DOC_NUMBER];
    if (isnan(low) && isnan(high))
        return "-";
    return table_words(table, "[%s, %s]", doc_format_number(low, a), doc_format_number(high, b));
}

static struct table_cell number_cell(struct table *table, double number, int digits) {
    char text[DOC_NUMBER], data[40];
    if (isnan(number))
        return (struct table_cell){.text = ""};
    if (digits >= 0) {
        const char *fixed = table_words(table, "%.*f", digits, number);
        if (fixed && fixed[0] == '-' && fixed[strspn(fixed, "-0.")] == '\0')
            fixed++; /* no sign before what rounds to nothing */
        return (struct table_cell){fixed, fixed, false};
    }
    ct_text_double(data, sizeof data, number == 0 ? 0 : number);
    return (struct table_cell){table_words(table, "%s", doc_format_number(number, text)),
                               isfinite(number) ? table_words(table, "%s", data) : NULL, false};
}

static struct table_cell cell_of(struct table *table, const struct value *value, int digits) {
    if (value->kind == VALUE_NUMBER)
        return number_cell(table, value->number, digits);
    if (value->kind == VALUE_TEXT && !value->text)
        return (struct table_cell){.text = "", .words = true};
    bool whole = value->kind == VALUE_INTEGER;
    const char *text = whole                       ? table_words(table, "%" PRId64, value->integer)
                       : value->kind == VALUE_TEXT ? table_words(table, "%s", value->text)
                       : value->integer            ? "yes"
                                                   : "no";
    return (struct table_cell){text, text, !whole};
}

void table_add(struct table *table, const struct value *values) {
    if (table->failed)
        return;
    for (size_t c = 0; c < table->column_count; c++) {
        ct_assert(values[c].kind != VALUE_END);
        table->failed |=
            !ct_vec_push(&table->cells, cell_of(table, &values[c], table->columns[c].digits));
    }
    ct_assert(values[table->column_count].kind == VALUE_END);
}

static size_t row_count(const struct table *table) {
    return table->column_count ? table->cells.count / table->column_count : 0;
}

static const struct table_cell *cell_at(const struct table *table, size_t row, size_t column) {
    return &table->cells.items[row * table->column_count + column];
}

/* ---- For readers ---- */

/* The columns that they get; row 0 is the titles. */
struct view {
    const struct table *table;
    size_t count, column[MOST_COLUMNS], width[MOST_COLUMNS];
};

static const struct table_column *column_of(const struct view *view, size_t c) {
    return &view->table->columns[view->column[c]];
}

static bool is_number(const struct view *view, size_t c) {
    return column_of(view, c)->digits != TABLE_WORDS;
}

static const char *text_of(const struct view *view, size_t row, size_t c) {
    if (row == 0)
        return column_of(view, c)->title;
    const char *text = cell_at(view->table, row - 1, view->column[c])->text;
    return *text ? text : "-";
}

static size_t longest_word(const char *text) {
    size_t longest = 1;
    while (*text) {
        size_t bytes = strcspn(text, " ");
        size_t width = ct_text_width(text, bytes);
        longest = width > longest ? width : longest;
        text += bytes + strspn(text + bytes, " ");
    }
    return longest < WIDEST_WORD ? longest : WIDEST_WORD;
}

/* How many bytes are so many characters. */
static size_t bytes_of(const char *text, size_t width) {
    size_t bytes = 0;
    for (size_t own; text[bytes] && (own = ct_text_width(text + bytes, 1)) <= width; bytes++)
        width -= own;
    return bytes;
}

/* What is shown of a cell that is too wide, in bytes: `shown` of them behind those that are left
 * out at its begin, and its end. A "~" stands for each part that is left out. */
struct cut {
    size_t before, shown, end;
};

/* Whether a text may be the one of which this is shown. */
static bool may_be(const char *other, const char *text, const struct cut *cut) {
    size_t length = strlen(other), from = strlen(text) - cut->end;
    if (length < cut->shown + cut->end ||
        memcmp(other + length - cut->end, text + from, cut->end) != 0)
        return false;
    const char *part = text + cut->before;
    size_t last = cut->before ? length - cut->shown : 0;
    for (size_t at = 0; at <= last; at++)
        if (other[at] == *part && memcmp(other + at, part, cut->shown) == 0)
            return true;
    return false;
}

/* Whether what is shown tells a text from all others of the column. */
static bool is_telling(const struct view *view, size_t c, const char *text, const struct cut *cut) {
    for (size_t row = 1; row <= row_count(view->table); row++) {
        const char *other = text_of(view, row, c);
        if (may_be(other, text, cut) && strcmp(other, text) != 0)
            return false;
    }
    return true;
}

static bool is_in_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (unsigned char)c > 127;
}

/* A part within the text that tells it, from the begin of a word on or from anywhere. */
static bool find_part(const struct view *view, size_t c, const char *text, size_t width,
                      bool from_word, struct cut *cut) {
    size_t all = ct_text_width(text, SIZE_MAX);
    for (size_t at = 1; at + width - 2 < all; at++) {
        size_t before = bytes_of(text, at);
        *cut = (struct cut){before, bytes_of(text + before, width - 2), 0};
        if ((!from_word || !is_in_word(text[before - 1])) && is_telling(view, c, text, cut))
            return true;
    }
    return false;
}

static struct cut without_middle(const char *text, size_t width, size_t head) {
    size_t end = ct_text_width(text, SIZE_MAX) - (width - 1 - head);
    return (struct cut){0, bytes_of(text, head), strlen(text) - bytes_of(text, end)};
}

/* How a text that is too wide for a column is cut so that it is told from the others there: its
 * end, or else its middle with at least as much of its end as of its begin, or else both sides.
 * False: all that fits may be another one's. */
static bool find_cut(const struct view *view, size_t c, const char *text, size_t width,
                     struct cut *cut) {
    *cut = (struct cut){0, bytes_of(text, width - 1), 0};
    if (is_telling(view, c, text, cut))
        return true;
    for (size_t head = (width - 1) / 2; head > 0; head--) {
        *cut = without_middle(text, width, head);
        if (is_telling(view, c, text, cut))
            return true;
    }
    return find_part(view, c, text, width, true, cut) ||
           find_part(view, c, text, width, false, cut);
}

static void print_cut(FILE *out, const struct view *view, size_t c, const char *text) {
    struct cut cut;
    size_t width = view->width[c];
    if (!find_cut(view, c, text, width, &cut))
        cut = without_middle(text, width, (width - 1) / 2);
    fprintf(out, "%s%.*s~%s", cut.before ? "~" : "", (int)cut.shown, text + cut.before,
            text + strlen(text) - cut.end);
}

/* The least width of a column in which each of its texts is told from the others, or that of the
 * widest word. */
static size_t narrowest_cut(const struct view *view, size_t c) {
    size_t width = NARROWEST;
    for (size_t row = 0; row <= row_count(view->table); row++) {
        const char *text = text_of(view, row, c);
        struct cut cut;
        while (width < WIDEST_WORD && ct_text_width(text, SIZE_MAX) > width &&
               !find_cut(view, c, text, width, &cut))
            width++;
    }
    return width;
}

/* The width of a column that shows all of it, or the least that it can be cut to. A column that is
 * wrapped does not become narrower than its longest word. */
static size_t width_of(const struct view *view, size_t c, bool least) {
    size_t width = 0;
    if (least && view->table->in_document && !is_number(view, c))
        return narrowest_cut(view, c);
    for (size_t row = 0; row <= row_count(view->table); row++) {
        const char *text = text_of(view, row, c);
        size_t own =
            least && !is_number(view, c) ? longest_word(text) : ct_text_width(text, SIZE_MAX);
        width = own > width ? own : width;
    }
    return width;
}

/* Narrows the widest column that can give, again and again, until the lines fit. */
static void narrow(struct view *view, const size_t *least, size_t *sum, size_t line) {
    for (; *sum > line; --*sum) {
        size_t widest = view->count;
        for (size_t c = 0; c < view->count; c++)
            if (view->width[c] > least[c] &&
                (widest == view->count || view->width[c] > view->width[widest]))
                widest = c;
        if (widest == view->count)
            return;
        view->width[widest]--;
    }
}

/* In a document titles are cut only where nothing else is left to be cut. */
static void fit_widths(struct view *view) {
    size_t least[MOST_COLUMNS] = {0}, titled[MOST_COLUMNS] = {0};
    size_t sum = view->table->in_document ? GAP : 0, line = table_line_width();
    for (size_t c = 0; c < view->count; c++) {
        view->width[c] = width_of(view, c, false);
        sum += view->width[c] + (c ? GAP : 0);
    }
    for (size_t c = 0; c < view->count && sum > line; c++) {
        size_t title = ct_text_width(text_of(view, 0, c), SIZE_MAX);
        least[c] = width_of(view, c, true);
        titled[c] = title > least[c] ? title : least[c];
    }
    if (view->table->in_document)
        narrow(view, titled, &sum, line);
    narrow(view, least, &sum, line);
}

/* How many bytes of the text go on this line: whole words if one fits. */
static size_t line_bytes(const char *text, size_t width) {
    size_t bytes = bytes_of(text, width), words = bytes;
    while (words > 0 && text[words] && text[words] != ' ')
        words--;
    return words ? words : bytes;
}

/* Prints as much of a cell as fits a line; returns what is left of it. */
static const char *print_part(FILE *out, const struct view *view, size_t c, const char *text,
                              bool last) {
    bool right = is_number(view, c);
    size_t width = view->width[c], own = ct_text_width(text, SIZE_MAX);
    if (!right && own > width && view->table->in_document) {
        print_cut(out, view, c, text);
        return "";
    }
    size_t bytes = right || own <= width ? strlen(text) : line_bytes(text, width);
    own = ct_text_width(text, bytes);
    int pad = own < width ? (int)(width - own) : 0;
    fprintf(out, "%*s%.*s%*s", right ? pad : 0, "", (int)bytes, text, right || last ? 0 : pad, "");
    text += bytes;
    return text + strspn(text, " ");
}

/* One row over as many lines as its longest cell needs. */
static void print_text_row(FILE *out, const struct view *view, size_t row) {
    const char *rest[MOST_COLUMNS];
    bool more = true;
    for (size_t c = 0; c < view->count; c++)
        rest[c] = text_of(view, row, c);
    while (more) {
        size_t count = view->count;
        more = false;
        while (count > 1 && !rest[count - 1][strspn(rest[count - 1], " ")])
            count--;
        for (size_t c = 0; c < count; c++) {
            fputs(c || view->table->in_document ? "  " : "", out);
            rest[c] = print_part(out, view, c, rest[c], c + 1 == count);
            more |= *rest[c] != '\0';
        }
        putc('\n', out);
    }
}

static struct view view_of(const struct table *table) {
    struct view view = {.table = table};
    for (size_t c = 0; c < table->column_count; c++)
        if (table->columns[c].title) {
            ct_assert(view.count < MOST_COLUMNS);
            view.column[view.count++] = c;
        }
    return view;
}

static void print_text(struct table *table, FILE *out) {
    struct view view = view_of(table);
    fit_widths(&view);
    for (size_t row = 0; row <= row_count(table); row++) {
        fputs(table->bold && row == 0 ? "\033[1m" : "", out);
        print_text_row(out, &view, row);
        fputs(table->bold && row == 0 ? "\033[0m" : "", out);
    }
}

static void print_markdown(struct table *table, FILE *out) {
    struct view view = view_of(table);
    for (size_t row = 0; row <= row_count(table); row++) {
        for (size_t c = 0; c < view.count; c++) {
            fputs("| ", out);
            for (const char *at = text_of(&view, row, c); *at; at++)
                fprintf(out, *at == '|' ? "\\%c" : "%c", *at);
            putc(' ', out);
        }
        fputs("|\n", out);
        for (size_t c = 0; c < view.count && row == 0; c++)
            fputs(!is_number(&view, c) ? "|---" : table->in_document ? "|--:" : "|---:", out);
        fputs(row == 0 ? "|\n" : "", out);
    }
}

/* ---- For programs ---- */

static void print_csv_row(const struct table *table, FILE *out, size_t row, bool keys) {
    const char *comma = "";
    for (size_t c = 0; c < table->column_count; c++) {
        if (!table->columns[c].key)
            continue;
        fputs(comma, out);
        csv_write_text(out, keys ? table->columns[c].key : cell_at(table, row, c)->data);
        comma = ",";
    }
    putc('\n', out);
}

void table_flush_csv(struct table *table, FILE *out) {
    if (!table->begun)
        print_csv_row(table, out, 0, true);
    for (size_t row = 0; row < row_count(table); row++)
        print_csv_row(table, out, row, false);
    table->begun = true;
    table->cells.count = 0;
    ct_arena_free(&table->arena);
}

/* A whole number keeps all its digits. */
static void write_json_cell(struct json_writer *json, const char *key,
                            const struct table_cell *cell) {
    if (cell->words)
        json_writer_string(json, key, cell->data);
    else if (cell->data && strchr(cell->data, '.'))
        json_writer_double(json, key, strtod(cell->data, NULL));
    else
        json_writer_json(json, key, cell->data);
}

void table_write_json(const struct table *table, struct json_writer *json, const char *key) {
    json_writer_begin_array(json, key);
    for (size_t row = 0; row < row_count(table); row++) {
        json_writer_begin_object(json, NULL);
        for (size_t c = 0; c < table->column_count; c++)
            if (table->columns[c].key)
                write_json_cell(json, table->columns[c].key, cell_at(table, row, c));
        json_writer_end_object(json);
    }
    json_writer_end_array(json);
}

static void print_json(struct table *table, FILE *out) {
    struct json_writer json = json_writer_start(out, 2);
    table_write_json(table, &json, NULL);
}

int table_print(struct table *table, FILE *out, enum table_format format) {
    static void (*const printers[])(struct table *, FILE *) = {print_text, print_json,
                                                               table_flush_csv, print_markdown};
    bool failed = table->failed;
    if (!failed)
        printers[format](table, out);
    table_free(table);
    return failed ? CT_DATA : CT_OK;
}

void table_free(struct table *table) {
    ct_arena_free(&table->arena);
    ct_arena_free(&table->heading);
    ct_vec_free(&table->cells);
}
