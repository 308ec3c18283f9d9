/*
 * A CSV of `nsys stats --report cuda_gpu_trace`: device records with their units in the header
 * ("Start (ns)", "Bytes (MB)", MB is 10^6 bytes unless it is MiB), after any number of notices. The
 * report holds no host calls, and prints shared memory in MB, so that small sizes are rounded: the
 * SQLite export is the better source.
 */
#include "import_nsys_csv.h"

#include "import_ncu.h"
#include "profile_text.h"

#include <stdio.h>
#include <string.h>

enum column {
    START,
    DURATION,
    STATIC_SMEM,
    DYNAMIC_SMEM,
    BYTES,
    GRID,
    BLOCK = GRID + 3,
    REGISTERS = BLOCK + 3,
    SOURCE_MEMORY,
    DESTINATION_MEMORY,
    DEVICE,
    CONTEXT,
    STREAM,
    NAME,
    COLUMNS
};

/* The first five carry a unit in parentheses. */
static const char *const column_names[COLUMNS] = {
    "Start", "Duration", "StcSMem", "DymSMem",  "Bytes",    "GrdX",   "GrdY", "GrdZ", "BlkX",
    "BlkY",  "BlkZ",     "Reg/Trd", "SrcMemKd", "DstMemKd", "Device", "Ctx",  "Strm", "Name"};

struct nsys_csv {
    struct import_builder *builder;
    struct ct_diags *diags;
    struct csv_reader *csv;
    const char *path;
    size_t columns, at[COLUMNS];
    int start_decimals, duration_decimals; /* of a picosecond */
    double byte_factors[COLUMNS];
    uint64_t rows;
};

static const char *cell(const struct nsys_csv *nsys, enum column column) {
    return csv_get(nsys->csv, nsys->at[column]);
}

static bool mistake(const struct nsys_csv *nsys, enum column column, const char *expected) {
    csv_error(nsys->csv, "'%s' is no %s in column '%s'", cell(nsys, column), expected,
              column_names[column]);
    return false;
}

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

static void find_column(struct nsys_csv *nsys, enum column column, char *unit, size_t size) {
    nsys->at[column] = CSV_NONE;
    for (size_t i = 0; i < nsys->columns; i++)
        if (is_column(csv_get(nsys->csv, i), column_names[column], unit, size)) {
            nsys->at[column] = i;
            return;
        }
}

static bool read_unit(struct nsys_csv *nsys, enum column column, const char *unit) {
    bool time = column == START || column == DURATION;
    int decimals = profile_time_decimals(unit);
    if (column == START)
        nsys->start_decimals = decimals;
    else if (column == DURATION)
        nsys->duration_decimals = decimals;
    else
        nsys->byte_factors[column] = profile_byte_factor(unit, 1000.0);
    if (time ? decimals >= 0 : nsys->byte_factors[column] > 0.0)
        return true;
    csv_error(nsys->csv, "'%s' is no unit in column '%s'", unit, column_names[column]);
    return false;
}

static bool read_header(struct nsys_csv *nsys) {
    char unit[16];
    nsys->columns = csv_count(nsys->csv);
    for (int i = 0; i < COLUMNS; i++) {
        bool optional = i == SOURCE_MEMORY || i == DESTINATION_MEMORY || i == CONTEXT;
        find_column(nsys, i, unit, sizeof unit);
        if (nsys->at[i] == CSV_NONE && !optional) {
            csv_error(nsys->csv, "the trace has no column '%s'", column_names[i]);
            return false;
        }
        if (i <= BYTES && !read_unit(nsys, i, unit))
            return false;
    }
    return true;
}

/* ---- rows ---- */

static bool read_count(struct nsys_csv *nsys, enum column column, uint64_t most, uint64_t *value) {
    return csv_parse_count(cell(nsys, column), most, value) ||
           mistake(nsys, column, "whole number");
}

static bool read_small(struct nsys_csv *nsys, enum column column, uint32_t *value) {
    uint64_t number;
    if (!read_count(nsys, column, UINT32_MAX, &number))
        return false;
    *value = (uint32_t)number;
    return true;
}

static bool read_shared(struct nsys_csv *nsys, enum column column, uint32_t *bytes) {
    uint64_t size;
    if (!profile_parse_bytes(cell(nsys, column), nsys->byte_factors[column], &size))
        return mistake(nsys, column, "size");
    *bytes = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
    return true;
}

static bool read_geometry(struct nsys_csv *nsys, struct import_record *record) {
    for (unsigned i = 0; i < 3; i++)
        if (!read_small(nsys, GRID + i, &record->grid[i]) ||
            !read_small(nsys, BLOCK + i, &record->block[i]))
            return false;
    record->geometry_known = true;
    record->name = cell(nsys, NAME);
    return read_small(nsys, REGISTERS, &record->registers_per_thread) &&
           read_shared(nsys, STATIC_SMEM, &record->static_smem_bytes) &&
           read_shared(nsys, DYNAMIC_SMEM, &record->dynamic_smem_bytes);
}

static bool read_transfer(struct nsys_csv *nsys, struct import_record *record, enum profile_op op) {
    record->kind = op == PROFILE_COPY ? TRACE_COPY : TRACE_MEMSET;
    if (op == PROFILE_COPY)
        record->memory = profile_memory(record->direction, cell(nsys, SOURCE_MEMORY),
                                        cell(nsys, DESTINATION_MEMORY));
    return profile_parse_bytes(cell(nsys, BYTES), nsys->byte_factors[BYTES], &record->bytes) ||
           mistake(nsys, BYTES, "size");
}

static bool read_place(struct nsys_csv *nsys, struct import_record *record) {
    char title[128];
    if (!csv_parse_fixed(cell(nsys, START), nsys->start_decimals, &record->start_ps, NULL))
        return mistake(nsys, START, "time below 106 days");
    if (!csv_parse_fixed(cell(nsys, DURATION), nsys->duration_decimals, &record->duration_ps, NULL))
        return mistake(nsys, DURATION, "time below 106 days");
    if (!*cell(nsys, DEVICE) ||
        !profile_split_device(cell(nsys, DEVICE), title, sizeof title, &record->device))
        return mistake(nsys, DEVICE, "device");
    import_device(nsys->builder, record->device, title);
    return (!*cell(nsys, CONTEXT) || read_count(nsys, CONTEXT, UINT64_MAX, &record->context)) &&
           read_count(nsys, STREAM, UINT64_MAX, &record->stream);
}

static bool read_row(void *context) {
    struct nsys_csv *nsys = context;
    struct import_record record = profile_record();
    char where[512];
    if (!csv_check_count(nsys->csv, nsys->columns))
        return false;
    enum profile_op op = profile_name_op(cell(nsys, NAME), &record.direction);
    if (op >= PROFILE_HOST_COPY)
        return profile_pass_over(nsys->builder, nsys->csv, op, cell(nsys, NAME));
    csv_where(nsys->csv, where, sizeof where);
    nsys->rows++;
    return read_place(nsys, &record) &&
           (op == PROFILE_KERNEL ? read_geometry(nsys, &record)
                                 : read_transfer(nsys, &record, op)) &&
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
    if (!read_header(nsys) || !csv_read_rest(nsys->csv, read_row, nsys))
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
    while ((step = csv_next_line(nsys->csv)) == CSV_ROW) {
        *metrics = import_ncu_is_header(nsys->csv);
        if (*metrics)
            return CT_OK;
        if (is_header(nsys->csv))
            return read_rows(nsys);
    }
    if (step == CSV_END)
        ct_error(nsys->diags, nsys->path,
                 "is neither a SQLite export of Nsight Systems nor a CSV of 'nsys stats --report "
                 "cuda_gpu_trace'");
    return CT_DATA;
}

int import_nsys_csv(struct import_builder *builder, const char *path, struct ct_diags *diags) {
    struct nsys_csv nsys = {.builder = builder, .diags = diags, .path = path};
    bool metrics = false;
    nsys.csv = csv_open(path, diags);
    int status = nsys.csv ? read_file(&nsys, &metrics) : CT_DATA;
    csv_close(nsys.csv);
    return metrics ? import_ncu_metrics(builder, path, diags) : status;
}
