/* How the fuzzer changes a list of SQL statements: whole statements come, go and change, made of
 * the names of the store's own tables and columns. */
#include "fuzz.h"
#include "mutate.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 512, NAME_SIZE = 64, STATEMENT_SIZE = 256 };

static struct column { char table[NAME_SIZE], name[NAME_SIZE]; } columns[MOST_COLUMNS];
static size_t column_count;

static const char *const values[] = {"NULL",
                                     "0",
                                     "1",
                                     "-1",
                                     "2",
                                     "3",
                                     "7",
                                     "100",
                                     "255",
                                     "256",
                                     "1000",
                                     "65536",
                                     "1000000000",
                                     "2147483647",
                                     "2147483648",
                                     "4294967295",
                                     "4294967296",
                                     "1099511627776",
                                     "9007199254740993",
                                     "9223372036854775807",
                                     "(-9223372036854775807 - 1)",
                                     "-2147483648",
                                     "0.5",
                                     "-0.5",
                                     "1e18",
                                     "1e308",
                                     "9e999",
                                     "-9e999",
                                     "''",
                                     "'x'",
                                     "'12'",
                                     "'a\"b\\\\c'",
                                     "x'00ff'",
                                     "x''",
                                     "char(1, 10, 9, 65533)",
                                     "zeroblob(300)",
                                     "'%s%n{}[],;'"};

/* Left in the scratch folder by the target's first input. */
static void learn_columns(void) {
    static const char *const names[] = {"results.db", "traces.db", "export.sqlite"};
    sqlite3_stmt *row = NULL;
    for (size_t i = 0; i < CT_COUNT_OF(names) && !column_count; i++) {
        sqlite3 *db = NULL;
        if (sqlite3_open_v2(fuzz_path(names[i]), &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
            sqlite3_prepare_v2(
                db,
                "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) "
                "c WHERE m.type = 'table'",
                -1, &row, NULL) == SQLITE_OK)
            while (sqlite3_step(row) == SQLITE_ROW && column_count < MOST_COLUMNS) {
                struct column *c = &columns[column_count++];
                snprintf(c->table, NAME_SIZE, "%s", (const char *)sqlite3_column_text(row, 0));
                snprintf(c->name, NAME_SIZE, "%s", (const char *)sqlite3_column_text(row, 1));
            }
        sqlite3_finalize(row);
        row = NULL;
        sqlite3_close(db);
    }
}

static const struct column *any_column(uint32_t *state) {
    return &columns[mutate_below(state, column_count)];
}

static const struct column *column_beside(const struct column *column, uint32_t *state) {
    const struct column *other;
    do
        other = any_column(state);
    while (strcmp(other->table, column->table) != 0);
    return other;
}

static const char *any_value(uint32_t *state) {
    return values[mutate_below(state, CT_COUNT_OF(values))];
}

bool mutate_sql_column(size_t n, bool all, char *text, size_t size) {
    static const char *const numbers[] = {"NULL", "-1", "1e300"}, *const texts[] = {"'x'",
                                                                                    "x'00ff'"};
    size_t count = all ? CT_COUNT_OF(values) : 2, at = n / count;
    if (!column_count)
        learn_columns();
    if (n >= column_count * count)
        return false;
    const struct column *c = &columns[at];
    const char *value = all     ? values[n % count]
                        : n % 2 ? texts[at % CT_COUNT_OF(texts)]
                                : numbers[at % CT_COUNT_OF(numbers)];
    snprintf(text, size, "UPDATE %s SET %s = %s", c->table, c->name, value);
    return true;
}

static void make_update(const struct column *c, uint32_t *state, char *text) {
    const struct column *key = column_beside(c, state);
    unsigned row = (unsigned)mutate_below(state, 4);
    switch (mutate_below(state, 6)) {
    case 0:
        snprintf(text, STATEMENT_SIZE, "UPDATE %s SET %s = %s", c->table, c->name,
                 any_value(state));
        break;
    case 1: /* each the first row's, or beyond the last one's */
        snprintf(text, STATEMENT_SIZE, "UPDATE %s SET %s = (SELECT %s FROM %s) + %u", c->table,
                 c->name, row % 2 ? "max(rowid)" : c->name, c->table, row / 2);
        break;
    case 2:
        snprintf(text, STATEMENT_SIZE, "UPDATE %s SET %s = %s + %u", c->table, c->name, c->name,
                 row);
        break;
    default:
        snprintf(text, STATEMENT_SIZE, "UPDATE OR REPLACE %s SET %s = %s WHERE %s = %u", c->table,
                 c->name, any_value(state), key->name, row);
    }
}

static void make_statement(uint32_t *state, char *text) {
    const struct column *c = any_column(state), *other = column_beside(c, state);
    unsigned row = (unsigned)mutate_below(state, 4);
    switch (mutate_below(state, 16)) {
    case 0:
        snprintf(text, STATEMENT_SIZE, "DELETE FROM %s WHERE %s = %u", c->table, c->name, row);
        break;
    case 1:
        snprintf(text, STATEMENT_SIZE, "INSERT OR REPLACE INTO %s (%s, %s) VALUES (%s, %u)",
                 c->table, c->name, other->name, any_value(state), row);
        break;
    case 2:
        snprintf(text, STATEMENT_SIZE, "ALTER TABLE %s RENAME COLUMN %s TO other", c->table,
                 c->name);
        break;
    case 3:
        snprintf(text, STATEMENT_SIZE, mutate_below(state, 2) ? "DROP TABLE %s" : "DELETE FROM %s",
                 c->table);
        break;
    case 4:
        snprintf(text, STATEMENT_SIZE, "BYTE %u %u", (unsigned)mutate_below(state, 40000),
                 (unsigned)mutate_below(state, 256));
        break;
    case 5:
        snprintf(text, STATEMENT_SIZE, "UPDATE %s SET %s = %s", c->table, c->name, other->name);
        break;
    default:
        make_update(c, state, text);
    }
}

/* A statement instead of a line, or before it; or a line less. */
static size_t change_line(uint8_t *data, size_t size, size_t most, uint32_t *state) {
    char text[STATEMENT_SIZE + 1];
    size_t begin = mutate_below(state, size + 1), end, way = mutate_below(state, 4);
    while (begin > 0 && data[begin - 1] != '\n')
        begin--;
    for (end = begin; end < size && data[end] != '\n'; end++)
        continue;
    end += end < size;
    make_statement(state, text);
    size_t length = strlen(text);
    text[length++] = '\n';
    length = way == 0 ? 0 : length;
    size_t gone = way <= 1 ? end - begin : 0;
    if (size - gone + length > most)
        return size;
    memmove(data + begin + length, data + begin + gone, size - begin - gone);
    memcpy(data + begin, text, length);
    return size - gone + length;
}

size_t mutate_sql(uint8_t *data, size_t size, size_t most, uint32_t *state) {
    if (!column_count)
        learn_columns();
    if (!column_count || mutate_below(state, 8) == 0)
        return LLVMFuzzerMutate(data, size, most);
    return change_line(data, size, most, state);
}
