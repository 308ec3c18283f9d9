/*
 * A CSV of `nsys stats --report cuda_gpu_trace`: device records with their units in the header
 * ("Start (ns)", "Bytes (MB)", MB is 10^6 bytes unless it is MiB), after any number of notices. The
 * report holds no host calls, and prints shared memory in MB, so that small sizes are rounded: the
 * SQLite export is the better source.
 */
#include "ingest/import_nsys_csv.h"

#include "ingest/import_ncu.h"
#include "ingest/profile_table.h"

#include <stdio.h>
#include <string.h>

/* Times and sizes carry a unit in parentheses. */
static const char *const column_names[PROFILE_COLUMNS] = {
    "Start",   "Duration", "GrdX",  "GrdY",     "GrdZ",     "BlkX",   "BlkY", "BlkZ", "Reg/Trd",
    "StcSMem", "DymSMem",  "Bytes", "SrcMemKd", "DstMemKd", "Device", "Ctx",  "Strm", "Name"};

struct nsys_csv {
    struct import_builder *builder;
    struct ct_diags *diags;
    const char *path;
    struct profile_table table;
    uint64_t rows;
};

/* ---- the header ---- */

/* Whether a header field is this column, and its unit ("" when it has none). */
static bool is_column(const char *field, const char *name, char *unit, size_t size) {
    size_t length = strlen(name), all = strlen(field);
    unit[0] = '\0';
    if (strncmp(field, name, length) != 0)
        return false;
    if (field[length] == ' ' && field[length + 1] == '(' && field[all - 1] == ')' &&
        all - length - 3 < size) {
        memcpy(unit, field + length + 2, all - length - 3);
        unit[all - length - 3] = '\0';
        return true;
    }
    return field[length] == '\0';
}

static void find_column(struct profile_table *table, enum profile_column column, char *unit,
                        size_t size) {
    table->at[column] = CSV_NONE;
    for (size_t i = 0; i < table->columns; i++)
        if (is_column(csv_get(table->csv, i), column_names[column], unit, size)) {
            table->at[column] = i;
            return;
        }
}

static bool read_unit(struct profile_table *table, enum profile_column column, const char *unit) {
    bool time = column == PROFILE_START || column == PROFILE_DURATION;
    if (time)
        table->decimals[column] = profile_time_decimals(unit);
    else
        table->byte_factors[column] = profile_byte_factor(unit, 1000.0);
    if (time ? table->decimals[column] >= 0 : table->byte_factors[column] > 0.0)
        return true;
    csv_error(table->csv, "'%s' is no unit in column '%s'", unit, column_names[column]);
    return false;
}

static bool read_header(struct profile_table *table) {
    char unit[16];
    table->columns = csv_count(table->csv);
    for (int i = 0; i < PROFILE_COLUMNS; i++) {
        bool optional =
            i == PROFILE_SOURCE_MEMORY || i == PROFILE_DESTINATION_MEMORY || i == PROFILE_CONTEXT;
        find_column(table, i, unit, sizeof unit);
        if (table->at[i] == CSV_NONE && !optional) {
            csv_error(table->csv, "the trace has no column '%s'", column_names[i]);
            return false;
        }
        bool has_unit = i <= PROFILE_DURATION || (i >= PROFILE_STATIC_SMEM && i <= PROFILE_SIZE);
        if (has_unit && !read_unit(table, i, unit))
            return false;
    }
    return true;
}

/* ---- rows ---- */

static bool read_time(const struct profile_table *table, enum profile_column column,
                      ct_time_ps *time) {
    return csv_parse_fixed(profile_cell(table, column), table->decimals[column], time, NULL) ||
           profile_mistake(table, column, "time below 106 days");
}

static bool read_place(const struct nsys_csv *nsys, struct import_record *record) {
    const struct profile_table *table = &nsys->table;
    return read_time(table, PROFILE_START, &record->start_ps) &&
           read_time(table, PROFILE_DURATION, &record->duration_ps) &&
           profile_read_device(table, nsys->builder, record) &&
           (!*profile_cell(table, PROFILE_CONTEXT) ||
            profile_read_count(table, PROFILE_CONTEXT, &record->context)) &&
           profile_read_count(table, PROFILE_STREAM, &record->stream);
}

static bool read_row(void *context) {
    struct nsys_csv *nsys = context;
    struct import_record record = profile_record();
    char where[512];
    if (!csv_check_count(nsys->table.csv, nsys->table.columns))
        return false;
    enum profile_op op =
        profile_name_op(profile_cell(&nsys->table, PROFILE_NAME), &record.direction);
    if (op >= PROFILE_HOST_COPY)
        return profile_pass_over(nsys->builder, nsys->table.csv, op,
                                 profile_cell(&nsys->table, PROFILE_NAME));
    csv_where(nsys->table.csv, where, sizeof where);
    nsys->rows++;
    if (op == PROFILE_KERNEL)
        record.name = profile_cell(&nsys->table, PROFILE_NAME);
    return read_place(nsys, &record) &&
           (op == PROFILE_KERNEL ? profile_read_geometry(&nsys->table, &record)
                                 : profile_read_transfer(&nsys->table, op, &record)) &&
           profile_check_record(&record, where, nsys->diags) &&
           import_add_record(nsys->builder, &record);
}

/* ---- the file ---- */

static bool is_header(const struct csv_reader *csv) {
    char unit[16];
    return csv_count(csv) > 1 && is_column(csv_get(csv, 0), "Start", unit, sizeof unit) && *unit &&
           csv_find(csv, "Name") != CSV_NONE;
}

static int read_rows(struct nsys_csv *nsys) {
    if (!read_header(&nsys->table) || !csv_read_rest(nsys->table.csv, read_row, nsys))
        return CT_DATA;
    if (!nsys->rows) {
        ct_error(nsys->diags, nsys->path, "the table has no device records: is the file cut off?");
        return CT_DATA;
    }
    import_resolution(nsys->builder, CT_PS_PER_NS);
    return CT_OK;
}

static int read_file(struct nsys_csv *nsys, bool *metrics) {
    enum csv_step step;
    while ((step = csv_next_line(nsys->table.csv)) == CSV_ROW) {
        *metrics = import_ncu_is_header(nsys->table.csv);
        if (*metrics)
            return CT_OK;
        if (is_header(nsys->table.csv))
            return read_rows(nsys);
    }
    if (step == CSV_END)
        ct_error(nsys->diags, nsys->path,
                 "is neither a SQLite export of Nsight Systems nor a CSV of 'nsys stats --report "
                 "cuda_gpu_trace'");
    return CT_DATA;
}

int import_nsys_csv(struct import_builder *builder, const char *path, struct ct_diags *diags) {
    struct nsys_csv nsys = {
        .builder = builder, .diags = diags, .path = path, .table = {.names = column_names}};
    bool metrics = false;
    nsys.table.csv = csv_open(path, diags);
    int status = nsys.table.csv ? read_file(&nsys, &metrics) : CT_DATA;
    csv_close(nsys.table.csv);
    return metrics ? import_ncu_metrics(builder, path, diags) : status;
}
