#include "workload/stamps_reader.h"

#include "base/ct_intern.h"
#include "base/ct_sort.h"
#include "format/csv_reader.h"
#include "format/json_place.h"
#include "format/json_reader.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PS_DIGITS = 12, NS_PER_S = 1000000000 };

/* Whole seconds and the rest: picoseconds since 1970 do not fit ct_time_ps. */
struct stamp {
    int64_t seconds, ps;
    size_t row;
    int64_t numbers[STAMPS_NUMBERS];
};

struct rows {
    CT_VEC(struct stamp);
};

enum stamp_kind { KIND_NONE, KIND_SECONDS, KIND_ISO };

/* Exactly `width` digits in [least, most], moving `at` behind them. */
static bool take_digits(const char **at, int width, int least, int most, int *value) {
    *value = 0;
    for (int i = 0; i < width; i++, (*at)++) {
        if (**at < '0' || **at > '9')
            return false;
        *value = *value * 10 + (**at - '0');
    }
    return *value >= least && *value <= most;
}

static bool take_char(const char **at, const char *any_of) {
    if (!**at || !strchr(any_of, **at))
        return false;
    (*at)++;
    return true;
}

/* Digits behind a point as picoseconds; digits beyond the twelfth are below the clock's resolution.
 */
static bool take_fraction(const char **at, int64_t *ps) {
    int digits = 0;
    *ps = 0;
    for (; **at >= '0' && **at <= '9'; (*at)++, digits++)
        if (digits < PS_DIGITS)
            *ps = *ps * 10 + (**at - '0');
    for (int i = digits; i < PS_DIGITS; i++)
        *ps *= 10;
    return digits > 0;
}

/* Days from 1970-01-01 in the proleptic Gregorian calendar, counted from 1 March so that leap days
 * come last. */
static int64_t days_from_civil(int year, int month, int day) {
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t from_march = (month + 9) % 12;
    return y * 365 + y / 4 - y / 100 + y / 400 + (from_march * 306 + 5) / 10 + day - 1 - 719468;
}

static int month_days(int year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leap);
}

/* "Z", "+01:00", "-0530", "+01" or nothing: seconds to subtract. */
static bool take_zone(const char **at, int64_t *offset_s) {
    int hours = 0, minutes = 0;
    *offset_s = 0;
    if (**at == '\0' || take_char(at, "Zz"))
        return true;
    bool west = **at == '-';
    if (!take_char(at, "+-") || !take_digits(at, 2, 0, 23, &hours))
        return false;
    take_char(at, ":");
    if (**at && !take_digits(at, 2, 0, 59, &minutes))
        return false;
    *offset_s = (west ? -1 : 1) * (hours * 3600 + minutes * 60);
    return true;
}

/* "18:17:03" as seconds of the day. */
static bool take_clock(const char **at, int *seconds) {
    int hour, minute, second;
    if (!take_digits(at, 2, 0, 23, &hour) || !take_char(at, ":") ||
        !take_digits(at, 2, 0, 59, &minute) || !take_char(at, ":") ||
        !take_digits(at, 2, 0, 60, &second))
        return false;
    *seconds = hour * 3600 + minute * 60 + second;
    return true;
}

static bool parse_iso(const char *text, struct stamp *stamp) {
    int year, month, day, clock_s;
    int64_t offset_s;
    const char *at = text;
    if (!take_digits(&at, 4, 1, 9999, &year) || !take_char(&at, "-") ||
        !take_digits(&at, 2, 1, 12, &month) || !take_char(&at, "-") ||
        !take_digits(&at, 2, 1, month_days(year, month), &day) || !take_char(&at, "Tt ") ||
        !take_clock(&at, &clock_s))
        return false;
    stamp->ps = 0;
    if (take_char(&at, ".,") && !take_fraction(&at, &stamp->ps))
        return false;
    if (!take_zone(&at, &offset_s) || *at)
        return false;
    stamp->seconds = days_from_civil(year, month, day) * 86400 + clock_s - offset_s;
    return true;
}

/* Negative times keep 0 <= ps: -0.25 s is -1 s and 0.75 s. */
static bool parse_seconds(const char *text, struct stamp *stamp) {
    bool negative = *text == '-';
    const char *at = text + negative, *first = at;
    stamp->seconds = stamp->ps = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (stamp->seconds > INT64_MAX / 100)
            return false;
        stamp->seconds = stamp->seconds * 10 + (*at - '0');
    }
    bool whole = at > first;
    if (take_char(&at, ".") && !take_fraction(&at, &stamp->ps) && !whole)
        return false;
    if (negative) {
        stamp->seconds = -stamp->seconds - (stamp->ps > 0);
        stamp->ps = stamp->ps ? CT_PS_PER_S - stamp->ps : 0;
    }
    return *at == '\0' && at > first;
}

/* Seconds as other numbers of a CSV file may stand there: with an exponent, or a sign. */
static bool parse_number(const char *text, struct stamp *stamp) {
    double number;
    const char *rest = csv_scan_number(text, &number);
    if (!rest || *rest || fabs(number) > (double)(INT64_MAX / 2))
        return false;
    double whole = floor(number);
    stamp->seconds = (int64_t)whole;
    stamp->ps = llround((number - whole) * (double)CT_PS_PER_S);
    if (stamp->ps == CT_PS_PER_S) {
        stamp->seconds++;
        stamp->ps = 0;
    }
    return true;
}

static enum stamp_kind parse_stamp(const char *text, struct stamp *stamp) {
    if (parse_seconds(text, stamp))
        return KIND_SECONDS;
    if (parse_iso(text, stamp))
        return KIND_ISO;
    return parse_number(text, stamp) ? KIND_SECONDS : KIND_NONE;
}

static int compare_stamps(const void *left, const void *right) {
    const struct stamp *a = left, *b = right;
    return ct_then(ct_order(a->seconds, b->seconds),
                   ct_then(ct_order(a->ps, b->ps), ct_order(a->row, b->row)));
}

static bool read_header(struct csv_reader *csv, const char *path, struct ct_diags *diags) {
    enum csv_step step = csv_next(csv);
    if (step == CSV_END)
        ct_error(diags, path, "is empty: a header and time stamps are expected");
    return step == CSV_ROW;
}

static bool find_column(struct csv_reader *csv, const char *column, size_t *index) {
    *index = csv_find(csv, column);
    return *index != CSV_NONE || csv_lacks(csv, column);
}

/* The columns that are read. */
struct columns {
    size_t stamp, numbers[STAMPS_NUMBERS]; /* CSV_NONE: not read */
};

/* The numbers of the row; false after a mistake. */
static bool read_numbers(struct csv_reader *csv, const struct columns *from, struct stamp *stamp) {
    enum { DIGITS = 7, MOST = 1000000 };
    for (size_t i = 0; i < STAMPS_NUMBERS; i++) {
        stamp->numbers[i] = 0;
        if (from->numbers[i] == CSV_NONE)
            continue;
        const char *cell = csv_get(csv, from->numbers[i]), *at = cell;
        for (; *at >= '0' && *at <= '9' && at < cell + DIGITS; at++)
            stamp->numbers[i] = 10 * stamp->numbers[i] + (*at - '0');
        if (*at || stamp->numbers[i] < 1 || stamp->numbers[i] > MOST)
            return csv_error(csv, "'%s' is no whole number from 1 to %d", cell, MOST);
    }
    return true;
}

struct reading {
    struct csv_reader *csv;
    struct ct_diags *diags;
    struct columns from;
    size_t columns; /* of the header */
    struct rows rows;
    enum stamp_kind kind; /* of all stamps so far */
};

static bool read_row(void *context) {
    struct reading *r = context;
    struct stamp stamp = {.row = r->rows.count};
    if (!csv_check_count(r->csv, r->columns))
        return false;
    const char *cell = csv_get(r->csv, r->from.stamp);
    enum stamp_kind kind = parse_stamp(cell, &stamp), all = r->kind;
    r->kind = all == KIND_NONE ? kind : all;
    if (kind == KIND_NONE)
        return csv_error(r->csv,
                         "'%s' is neither seconds nor a time stamp such as 2023-11-16 18:17:03.97",
                         cell);
    if (kind != r->kind)
        return csv_error(r->csv, "'%s' mixes seconds and time stamps in one column", cell);
    if (!read_numbers(r->csv, &r->from, &stamp))
        return false;
    return ct_vec_push(&r->rows, stamp) || ct_out_of_memory(r->diags) == CT_OK;
}

static bool read_rows(struct reading *r, const char *path, const char *column) {
    r->columns = csv_count(r->csv);
    bool good = csv_read_rest(r->csv, read_row, r);
    if (good && r->rows.count == 0)
        ct_error(r->diags, path, "column '%s' holds no time stamps", column);
    return good && r->rows.count > 0;
}

static bool is_sorted(const struct rows *rows) {
    for (size_t i = 1; i < rows->count; i++)
        if (compare_stamps(&rows->items[i - 1], &rows->items[i]) > 0)
            return false;
    return true;
}

/* False: memory ran out. */
static bool store_numbers(const struct rows *rows, struct ct_arena *arena, struct stamps *stamps) {
    for (size_t i = 0; i < STAMPS_NUMBERS; i++) {
        if (!stamps->columns[i])
            continue;
        int64_t *kept = ct_arena_array(arena, rows->count, sizeof *kept);
        if (!kept)
            return false;
        for (size_t k = 0; k < rows->count; k++)
            kept[k] = rows->items[k].numbers[i];
        stamps->numbers[i] = kept;
    }
    return true;
}

static int store(struct rows *rows, const char *path, struct ct_arena *arena, struct stamps *stamps,
                 struct ct_diags *diags) {
    if (!is_sorted(rows)) {
        ct_vec_sort(rows, compare_stamps);
        ct_notice(diags, path, "the time stamps are not in order and were sorted");
    }
    const struct stamp *first = &rows->items[0], *last = &rows->items[rows->count - 1];
    if ((uint64_t)last->seconds - (uint64_t)first->seconds >= INT64_MAX / CT_PS_PER_S - 1)
        return ct_data_error(diags, path, "the time stamps span more than 106 days");
    ct_time_ps *times = ct_arena_array(arena, rows->count, sizeof *times);
    if (!times || !store_numbers(rows, arena, stamps))
        return ct_out_of_memory(diags);
    for (size_t i = 0; i < rows->count; i++)
        times[i] =
            (rows->items[i].seconds - first->seconds) * CT_PS_PER_S + rows->items[i].ps - first->ps;
    stamps->times = times;
    stamps->count = rows->count;
    stamps->span_ps = times[rows->count - 1];
    return CT_OK;
}

int stamps_read(const char *path, const char *column, struct stamps *stamps, struct ct_arena *arena,
                struct ct_diags *diags) {
    struct reading r = {.csv = csv_open(path, diags), .diags = diags};
    stamps->count = 0;
    bool right =
        r.csv && read_header(r.csv, path, diags) && find_column(r.csv, column, &r.from.stamp);
    for (size_t i = 0; i < STAMPS_NUMBERS; i++) {
        r.from.numbers[i] = CSV_NONE;
        if (stamps->columns[i] && right)
            right = find_column(r.csv, stamps->columns[i], &r.from.numbers[i]);
    }
    int status =
        right && read_rows(&r, path, column) ? store(&r.rows, path, arena, stamps, diags) : CT_DATA;
    ct_vec_free(&r.rows);
    csv_close(r.csv);
    return status;
}

/* ---- What servers write ---- */

/* Requests that another request consists of; false: memory ran out. */
static bool find_parts(const json_t *root, struct ct_intern *parts) {
    size_t index;
    json_t *record;
    json_array_foreach(root, index, record) {
        const json_t *parent = json_object_get(record, "parent_id");
        json_int_t id = json_integer_value(json_object_get(record, "id"));
        if (parent && json_integer_value(parent) > 0 &&
            ct_intern_add(parts, &id, sizeof id) == UINT32_MAX)
            return false;
    }
    return true;
}

/* Triton 2.x writes REQUEST_START, earlier ones "request handler start". */
static bool is_start(const json_t *stamp) {
    const char *name = json_string_value(json_object_get(stamp, "name"));
    return name &&
           (strcmp(name, "REQUEST_START") == 0 || strcmp(name, "request handler start") == 0);
}

static bool add_starts(const json_t *record, struct rows *rows) {
    size_t index;
    json_t *stamp;
    json_array_foreach(json_object_get(record, "timestamps"), index, stamp) {
        json_int_t ns = json_integer_value(json_object_get(stamp, "ns"));
        struct stamp start = {.seconds = ns / NS_PER_S, .ps = ns % NS_PER_S * CT_PS_PER_NS};
        if (is_start(stamp) && ns > 0 && !ct_vec_push(rows, start))
            return false;
    }
    return true;
}

static int read_triton(const char *path, const char *text, size_t size, struct rows *rows,
                       struct ct_diags *diags) {
    json_error_t error;
    struct ct_intern parts = {0};
    size_t index;
    json_t *record, *root = json_reader_read(text, size, 0, &error);
    if (!root && errno == ENOMEM)
        return ct_out_of_memory(diags);
    if (!root) {
        char where[640];
        snprintf(where, sizeof where, "%s:%d", path, error.line);
        return ct_data_error(diags, where, "%s", error.text);
    }
    bool kept = find_parts(root, &parts);
    json_array_foreach(root, index, record) {
        json_int_t id = json_integer_value(json_object_get(record, "id"));
        bool part = ct_intern_find(&parts, &id, sizeof id) != UINT32_MAX;
        kept = kept && (part || add_starts(record, rows));
    }
    ct_intern_free(&parts);
    json_decref(root);
    return kept ? CT_OK : ct_out_of_memory(diags);
}

/* "02-13 11:33:33" as of the leap year 2000: the log does not say which one it is. */
static bool parse_log_stamp(const char *text, struct stamp *stamp) {
    int month, day, clock_s;
    const char *at = text;
    if (!take_digits(&at, 2, 1, 12, &month) || !take_char(&at, "-") ||
        !take_digits(&at, 2, 1, month_days(2000, month), &day) || !take_char(&at, " ") ||
        !take_clock(&at, &clock_s))
        return false;
    *stamp = (struct stamp){.seconds = days_from_civil(2000, month, day) * 86400 + clock_s};
    return true;
}

/* Where the text behind the last `key` begins, which a prompt before it may hold, too; NULL. */
static const char *behind_last(const char *line, const char *key) {
    const char *found = NULL;
    for (const char *at = line; (at = strstr(at, key)); found = at)
        at += strlen(key);
    return found;
}

/* How many numbers "[9707, 11]" has; 0: none, or it is no list. */
static int64_t count_ids(const char *list) {
    int64_t count = 0;
    if (!list || *list != '[')
        return 0;
    for (const char *at = list + 1; *at && *at != ']'; at++)
        count += *at >= '0' && *at <= '9' && (at[1] == ',' || at[1] == ']');
    return count;
}

/* The tokens of a request's prompt, by their ids, and the most that it asks for; 0: not said. */
static void read_tokens(const char *line, struct stamp *stamp) {
    const char *most = behind_last(line, ", max_tokens="), *behind = most ? most : line,
               *ids = behind_last(behind, "prompt_token_ids: ");
    stamp->numbers[0] = count_ids(ids ? ids : behind_last(behind, "prompt token ids: "));
    stamp->numbers[1] = most ? strtoll(most, NULL, 10) : 0;
}

/* The stamp stands behind the level: "INFO 02-13 11:33:33 [logger.py:49] Received request ...". */
static bool add_line(const char *line, struct rows *rows) {
    struct stamp stamp;
    const char *level = strstr(line, "INFO ");
    if (!level || !strstr(level, "] Received request ") || !parse_log_stamp(level + 5, &stamp))
        return true;
    stamp.row = rows->count;
    read_tokens(level, &stamp);
    return ct_vec_push(rows, stamp);
}

static int read_vllm(char *text, size_t size, struct rows *rows, struct ct_diags *diags) {
    bool kept = true;
    for (char *line = text, *end = text + size; line < end && kept;) {
        char *next = memchr(line, '\n', (size_t)(end - line));
        if (!next)
            break; /* the last line is cut off, or the text ends here */
        *next = '\0';
        kept = add_line(line, rows);
        line = next + 1;
    }
    return kept ? CT_OK : ct_out_of_memory(diags);
}

static const char *first_sign(const char *text, size_t size) {
    const char *at = text;
    while (at < text + size && strchr(" \t\r\n", *at))
        at++;
    return at;
}

/* The numbers that every request has. */
static void find_known(const struct rows *rows, const char *columns[STAMPS_NUMBERS]) {
    static const char *const names[STAMPS_NUMBERS] = {"prompt_tokens", "max_tokens"};
    for (size_t i = 0; i < STAMPS_NUMBERS; i++) {
        size_t known = 0;
        while (known < rows->count && rows->items[known].numbers[i] > 0)
            known++;
        columns[i] = known == rows->count ? names[i] : NULL;
    }
}

int stamps_read_server(const char *path, struct stamps *stamps, struct ct_arena *arena,
                       struct ct_diags *diags) {
    struct rows rows = {0};
    size_t size;
    char *text = json_place_text_read(path, &size, diags);
    *stamps = (struct stamps){0};
    if (!text)
        return CT_DATA;
    const char *first = first_sign(text, size);
    bool triton = first < text + size && *first == '[';
    int status =
        triton ? read_triton(path, text, size, &rows, diags) : read_vllm(text, size, &rows, diags);
    if (status == CT_OK && rows.count == 0) {
        ct_error(diags, path,
                 "holds no requests: neither a trace of Triton nor lines 'Received request' of "
                 "vLLM's log; of a CSV file '--column' names the column");
        status = CT_DATA;
    }
    if (status == CT_OK && !triton)
        ct_notice(diags, path,
                  "the log has whole seconds: requests of one second come at its begin");
    find_known(&rows, stamps->columns);
    if (status == CT_OK)
        status = store(&rows, path, arena, stamps, diags);
    ct_vec_free(&rows);
    free(text);
    return status;
}
