#include "results/report_fields.h"

#include "base/ct_assert.h"

#include <string.h>

const struct report_level report_head[] = {{NULL, report_fields_head}, {0}};
const struct report_level report_of_app[] = {{"app", report_fields_app}, {0}};
const struct report_level report_of_difference[] = {{"difference", report_fields_difference}, {0}};
const struct report_level report_sections[] = {
    {"system", report_fields_system},
    {"inputs", report_fields_inputs},
    {"engine", report_fields_engine},
    {"checks", report_fields_checks},
    {0},
};

bool report_field_can_be(enum report_field_kind kind, double value) {
    if (isnan(value))
        return true;
    if (kind == REPORT_FIELD_FRACTION)
        return value >= 0 && value <= REPORT_MOST_FRACTION;
    bool may_be_negative = kind == REPORT_FIELD_SIGNED || kind == REPORT_FIELD_INTERVAL;
    return (value >= 0 || may_be_negative) && (isinf(value) || fabs(value) <= REPORT_MOST);
}

bool report_field_can_be_integer(const struct report_field *field, int64_t value) {
    int64_t most = field->kind == REPORT_FIELD_TRUTH   ? REPORT_YES
                   : field->kind == REPORT_FIELD_NAMED ? field->last
                                                       : INT64_MAX;
    return value == REPORT_UNKNOWN || field->kind == REPORT_FIELD_INTEGER ||
           (value >= 0 && value <= most);
}

/* The path with underscores for dots, and what sets the two of an interval apart. */
static void name_column(struct report_column *column, const char *suffix) {
    const char *const parts[] = {column->field->path, suffix};
    size_t length = 0;
    for (size_t i = 0; i < CT_COUNT_OF(parts); i++)
        for (const char *at = parts[i]; *at && length + 1 < sizeof column->name; at++)
            column->name[length++] = *at == '.' ? '_' : *at;
    column->name[length] = '\0';
}

size_t report_columns(const struct report_level *levels,
                      struct report_column columns[REPORT_COLUMNS_MOST]) {
    size_t count = 0;
    for (; levels->fields; levels++)
        for (const struct report_field *field = levels->fields; field->path; field++) {
            bool interval = field->kind == REPORT_FIELD_INTERVAL;
            for (int part = 0; part < (interval ? 2 : 1); part++) {
                ct_assert(count < REPORT_COLUMNS_MOST);
                columns[count] = (struct report_column){.field = field, .part = part};
                name_column(&columns[count++], !interval ? "" : part ? "_high" : "_low");
            }
        }
    return count;
}

size_t report_fields_shown(const struct report_field *fields, enum report_table table,
                           const struct report_field *shown[REPORT_SHOWN_MOST]) {
    size_t count = 0;
    for (; fields->path; fields++) {
        if (fields->text.table != table)
            continue;
        ct_assert(count < REPORT_SHOWN_MOST);
        size_t at = count++;
        for (; at > 0 && shown[at - 1]->text.rank > fields->text.rank; at--)
            shown[at] = shown[at - 1];
        shown[at] = fields;
    }
    return count;
}

static const void *member(const struct report_field *field, const void *record) {
    return (const char *)record + field->offset;
}

double report_field_double(const struct report_field *field, const void *record, int part) {
    return ((const double *)member(field, record))[part];
}

int64_t report_field_integer(const struct report_field *field, const void *record) {
    return *(const int64_t *)member(field, record);
}

struct value report_field_value(const struct report_field *field, const void *record, int part) {
    if (field->kind == REPORT_FIELD_TEXT)
        return value_of_text(*(const char *const *)member(field, record));
    if (!report_field_is_integer(field))
        return value_of_number(report_field_double(field, record, part));
    int64_t value = report_field_integer(field, record);
    if (field->kind == REPORT_FIELD_NAMED)
        return value_of_text(field->name_of(value));
    if (value == REPORT_UNKNOWN && field->kind != REPORT_FIELD_INTEGER)
        return value_of_text(NULL);
    return field->kind == REPORT_FIELD_TRUTH ? value_of_truth(value == REPORT_YES)
                                             : value_of_integer(value);
}

static bool is_known(const struct report_field *field, const void *record) {
    struct value value = report_field_value(field, record, 0);
    if (value.kind == VALUE_TEXT)
        return value.text != NULL;
    return value.kind != VALUE_NUMBER || !isnan(value.number);
}

/* Whether two stand in the same object of JSON within their level: what is before the dot. */
static bool same_group(const struct report_field *a, const struct report_field *b) {
    size_t length = strcspn(a->path, ".");
    return a == b || (a->path[length] && strncmp(a->path, b->path, length + 1) == 0);
}

bool report_field_is_left_out(const struct report_field *fields, const struct report_field *field,
                              const void *record) {
    if (!field->optional)
        return false;
    for (; fields->path; fields++)
        if (same_group(field, fields) && is_known(fields, record))
            return false;
    return true;
}

double report_field_number(const struct report_field *field, const void *record) {
    if (!report_field_is_integer(field))
        return report_field_double(field, record, 0);
    int64_t value = report_field_integer(field, record);
    return value == REPORT_UNKNOWN ? NAN : (double)value;
}

void report_field_set_double(const struct report_field *field, void *record, int part,
                             double value) {
    ((double *)(void *)((char *)record + field->offset))[part] = value;
}

void report_field_set_integer(const struct report_field *field, void *record, int64_t value) {
    *(int64_t *)(void *)((char *)record + field->offset) = value;
}

void report_field_set_text(const struct report_field *field, void *record, const char *value) {
    *(const char **)(void *)((char *)record + field->offset) = value;
}

bool report_field_is_integer(const struct report_field *field) {
    return field->kind > REPORT_FIELD_INTERVAL && field->kind != REPORT_FIELD_TEXT;
}
