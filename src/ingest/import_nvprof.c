/*
 * nvprof's text exports: `nvprof --print-gpu-trace --csv` (the device's records) and `nvprof
 * --metrics all --csv` (what each kernel does to the memory and the units, averaged over its
 * launches). The header tells them apart.
 *
 * Columns are found by name and values read by the unit row under the header: both differ between
 * files. nvprof's KB is 1024 bytes. Its clock has nanoseconds; a column in seconds prints
 * microseconds, so that the resolution of a file is that of its coarser time column. There are no
 * host calls in these files.
 */
#include "base/ct_assert.h"
#include "ingest/import_formats.h"
#include "ingest/profile_table.h"

#include <stdlib.h>
#include <string.h>

static const char *const trace_columns[PROFILE_COLUMNS] = {
    "Start",       "Duration",     "Grid X",
    "Grid Y",      "Grid Z",       "Block X",
    "Block Y",     "Block Z",      "Registers Per Thread",
    "Static SMem", "Dynamic SMem", "Size",
    "SrcMemType",  "DstMemType",   "Device",
    "Context",     "Stream",       "Name"};

struct nvprof {
    struct import_builder *builder;
    struct ct_diags *diags;
    const char *path;
    struct profile_table table;
    ct_time_ps steps_ps[2]; /* of this table's start and duration: 1 in the last decimal printed */
    ct_time_ps resolution_ps; /* of the tables before it */
    size_t mistakes;
    uint64_t rows;
    struct import_record copy; /* waits for the record after it: see settle_copy */
    bool copy_waits;
    uint64_t copies_cut;
};

/* ---- the trace ---- */

/* The coarser column of the coarsest table so far. */
static ct_time_ps resolution(const struct nvprof *nvprof) {
    ct_time_ps coarsest = nvprof->resolution_ps;
    for (int i = PROFILE_START; i <= PROFILE_DURATION; i++)
        if (nvprof->steps_ps[i] > coarsest && nvprof->steps_ps[i] != CT_TIME_NEVER)
            coarsest = nvprof->steps_ps[i];
    return coarsest;
}

/* The unit of one column of the unit row; empty is right where no row has a value. */
static bool read_byte_unit(struct profile_table *table, enum profile_column column) {
    const char *unit = profile_cell(table, column);
    table->byte_factors[column] = *unit ? profile_byte_factor(unit, 1024.0) : 1.0;
    return table->byte_factors[column] > 0.0 || profile_mistake(table, column, "unit of bytes");
}

static bool read_time_unit(struct profile_table *table, enum profile_column column) {
    table->decimals[column] = profile_time_decimals(profile_cell(table, column));
    return table->decimals[column] >= 0 || profile_mistake(table, column, "unit of time");
}

static bool read_units(struct profile_table *table) {
    return csv_next(table->csv) == CSV_ROW && csv_check_count(table->csv, table->columns) &&
           read_time_unit(table, PROFILE_START) && read_time_unit(table, PROFILE_DURATION) &&
           read_byte_unit(table, PROFILE_STATIC_SMEM) &&
           read_byte_unit(table, PROFILE_DYNAMIC_SMEM) && read_byte_unit(table, PROFILE_SIZE);
}

/* The current record is the header of a trace: where are its columns, and in what units? */
static bool read_trace_header(struct nvprof *nvprof) {
    nvprof->table.columns = csv_count(nvprof->table.csv);
    nvprof->resolution_ps = resolution(nvprof);
    nvprof->steps_ps[PROFILE_START] = nvprof->steps_ps[PROFILE_DURATION] = CT_TIME_NEVER;
    for (int i = 0; i < PROFILE_COLUMNS; i++) {
        bool newer = i == PROFILE_SOURCE_MEMORY || i == PROFILE_DESTINATION_MEMORY;
        nvprof->table.at[i] = csv_find(nvprof->table.csv, trace_columns[i]);
        if (nvprof->table.at[i] == CSV_NONE && !newer)
            return csv_error(nvprof->table.csv, "the trace has no column '%s'", trace_columns[i]);
    }
    size_t errors = nvprof->diags->errors;
    if (read_units(&nvprof->table))
        return true;
    if (nvprof->diags->errors == errors)
        csv_error(nvprof->table.csv,
                  "the unit row under the header is missing: is the file cut off?");
    return false;
}

static bool read_time(struct nvprof *nvprof, enum profile_column column, ct_time_ps *time) {
    int digits = 0, decimals = nvprof->table.decimals[column];
    if (!csv_parse_fixed(profile_cell(&nvprof->table, column), decimals, time, &digits))
        return profile_mistake(&nvprof->table, column, "time below 106 days");
    ct_time_ps step = CT_PS_PER_NS; /* the clock behind the text */
    for (int i = 3; i < decimals - digits; i++)
        step *= 10;
    if (step < nvprof->steps_ps[column])
        nvprof->steps_ps[column] = step;
    return true;
}

/* Device, context and stream: of a row that ran on a device. */
static bool read_place(struct nvprof *nvprof, struct import_record *record) {
    return profile_read_device(&nvprof->table, nvprof->builder, record) &&
           profile_read_count(&nvprof->table, PROFILE_CONTEXT, &record->context) &&
           profile_read_count(&nvprof->table, PROFILE_STREAM, &record->stream);
}

/* The name without " [correlation]" at its end, in `name`; the whole of it when there is none. */
static size_t name_length(const char *name) {
    size_t length = strlen(name), end = length;
    if (end < 4 || name[end - 1] != ']')
        return length;
    for (end--; end && name[end - 1] >= '0' && name[end - 1] <= '9';)
        end--;
    if (end < 2 || end == length - 1 || name[end - 1] != '[' || name[end - 2] != ' ')
        return length;
    return end - 2;
}

/*
 * Hands on the copy that waits. nvprof can print a pageable copy as ending after the next task of
 * its stream began (by 0.2 to 1.2 ms on a slow link): the tasks of a stream do not overlap, so the
 * copy ended by then.
 */
static bool settle_copy(struct nvprof *nvprof, const struct import_record *next) {
    struct import_record *copy = &nvprof->copy;
    if (!nvprof->copy_waits)
        return true;
    nvprof->copy_waits = false;
    bool same = next && next->stream == copy->stream && next->context == copy->context &&
                next->device == copy->device && next->start_ps >= copy->start_ps;
    if (same && copy->duration_ps - (next->start_ps - copy->start_ps) > resolution(nvprof)) {
        copy->duration_ps = next->start_ps - copy->start_ps;
        nvprof->copies_cut++;
    }
    return import_add_record(nvprof->builder, copy);
}

static bool add_record(struct nvprof *nvprof, struct import_record *record) {
    char where[512];
    csv_where(nvprof->table.csv, where, sizeof where);
    if (!profile_check_record(record, false, where, nvprof->diags) || !settle_copy(nvprof, record))
        return false;
    nvprof->rows++;
    if (record->kind != TRACE_COPY)
        return import_add_record(nvprof->builder, record);
    nvprof->copy = *record;
    nvprof->copy_waits = true;
    return true;
}

static bool add_kernel(struct nvprof *nvprof, struct import_record *record) {
    const char *text = profile_cell(&nvprof->table, PROFILE_NAME);
    char *name = strndup(text, name_length(text));
    if (!name)
        return ct_out_of_memory(nvprof->diags) == CT_OK;
    record->name = name;
    bool added = profile_read_geometry(&nvprof->table, record) && add_record(nvprof, record);
    free(name);
    return added;
}

static bool read_trace_row(struct nvprof *nvprof) {
    struct import_record record = profile_record();
    enum profile_op op = profile_read_op(&nvprof->table, &record.direction);
    if (!csv_check_count(nvprof->table.csv, nvprof->table.columns))
        return false;
    if (op >= PROFILE_HOST_COPY)
        return profile_pass_over(&nvprof->table, nvprof->builder, op);
    if (!*profile_cell(&nvprof->table, PROFILE_NAME))
        return csv_error(nvprof->table.csv, "the row has no name: is the file cut off?");
    if (op == PROFILE_KERNEL && !*profile_cell(&nvprof->table, PROFILE_GRID)) {
        import_leave_out(nvprof->builder, "host call");
        return true;
    }
    if (!read_time(nvprof, PROFILE_START, &record.start_ps) ||
        !read_time(nvprof, PROFILE_DURATION, &record.duration_ps) || !read_place(nvprof, &record))
        return false;
    if (op == PROFILE_KERNEL)
        return add_kernel(nvprof, &record);
    return profile_read_transfer(&nvprof->table, op, &record) && add_record(nvprof, &record);
}

static bool is_trace_header(const struct csv_reader *csv) {
    return strcmp(csv_get(csv, 0), "Start") == 0 && csv_find(csv, "Duration") != CSV_NONE;
}

/* Every process of the recording begins with its own header and units. */
static int read_trace(struct nvprof *nvprof) {
    enum csv_step step = CSV_ROW;
    if (!read_trace_header(nvprof))
        return CT_DATA;
    while (nvprof->mistakes < CT_ERRORS_SHOWN && (step = csv_next(nvprof->table.csv)) == CSV_ROW) {
        if (!is_trace_header(nvprof->table.csv))
            nvprof->mistakes += !read_trace_row(nvprof);
        else if (!read_trace_header(nvprof))
            return CT_DATA;
    }
    if (step == CSV_BROKEN || nvprof->mistakes || !settle_copy(nvprof, NULL))
        return CT_DATA;
    if (nvprof->copies_cut)
        ct_notice(
            nvprof->diags, nvprof->path,
            "copies that ended after the next task of their stream began, and were cut there: %llu",
            (unsigned long long)nvprof->copies_cut);
    if (nvprof->rows)
        import_resolution(nvprof->builder, resolution(nvprof));
    return CT_OK;
}

/* ---- the metrics ---- */

/* What is taken of one kernel's metrics; NAN: not in the file. */
struct kernel_metrics {
    struct trace_metrics own;
    double read, written; /* bytes/s */
    double dram_level;    /* dram_utilization, a fraction */
    double warp_instructions, warp_efficiency;
};

static void take_largest(double *to, double value) {
    if (!(*to >= value))
        *to = value;
}

/* Stores a metric under its place; metrics that the simulator has no use for are passed over. */
static void take_metric(struct kernel_metrics *metrics, const char *name, double value) {
    struct trace_metrics *own = &metrics->own;
    const struct {
        const char *name;
        double *to;
        bool fraction;
    } known[] = {{"dram_read_throughput", &metrics->read, false},
                 {"dram_write_throughput", &metrics->written, false},
                 {"dram_utilization", &metrics->dram_level, true},
                 {"l2_utilization", &own->l2_fraction, true},
                 {"issue_slot_utilization", &own->issue_slot_fraction, true},
                 {"single_precision_fu_utilization", &own->fp32_fraction, true},
                 {"double_precision_fu_utilization", &own->fp64_fraction, true},
                 {"sm_activity", &own->sm_activity, true},
                 {"sm_efficiency", &own->sm_activity, true},
                 {"achieved_occupancy", &own->achieved_occupancy, true},
                 {"inst_executed", &metrics->warp_instructions, false},
                 {"warp_execution_efficiency", &metrics->warp_efficiency, false}};
    size_t length = strlen(name), tail = strlen("_fu_utilization");
    for (size_t i = 0; i < CT_COUNT_OF(known); i++)
        if (strcmp(name, known[i].name) == 0)
            *known[i].to = known[i].fraction ? profile_fraction(value) : value;
    if (length > tail && strcmp(name + length - tail, "_fu_utilization") == 0)
        take_largest(&own->unit_fraction, profile_fraction(value));
}

/*
 * "21.43GB/s" -> bytes/s (1 GB/s = 2^30 bytes/s, decision 0044), "95.26%" -> 0.9526, "Low (1)" ->
 * 0.1 (a scale of 0 to 10), plain numbers as they are. NAN for what nvprof could not measure
 * ("<OVERFLOW>", "n/a").
 */
static double metric_value(const char *text) {
    double number;
    const char *level = strrchr(text, '(');
    const char *rest = csv_scan_number(text, &number);
    if (rest) {
        double factor = 1.0;
        size_t length = strlen(rest);
        char unit[8] = "";
        if (length > 2 && length < sizeof unit && strcmp(rest + length - 2, "/s") == 0) {
            memcpy(unit, rest, length - 2);
            factor = profile_byte_factor(unit, 1024.0);
        } else if (strcmp(rest, "%") == 0) {
            factor = 0.01;
        }
        return factor > 0.0 ? number * factor : NAN;
    }
    rest = level ? csv_scan_number(level + 1, &number) : NULL;
    return rest && strcmp(rest, ")") == 0 ? number / 10.0 : NAN;
}

/*
 * Thread instructions: inst_executed counts instructions of warps, 32 threads of which
 * warp_execution_efficiency says how many took part on average.
 */
static struct trace_metrics metrics_of(const struct kernel_metrics *from) {
    struct trace_metrics to = from->own;
    double bytes = from->read + from->written;
    to.dram_bytes_per_s = bytes;
    to.dram_read_share = bytes > 0.0 ? from->read / bytes : NAN;
    to.dram_fraction = isnan(bytes) ? from->dram_level : NAN;
    to.instructions = from->warp_instructions * 32.0 * from->warp_efficiency;
    return to;
}

static struct kernel_metrics no_metrics(void) {
    return (struct kernel_metrics){trace_metrics_unknown(), NAN, NAN, NAN, NAN, NAN};
}

/* Interned texts: whose rows are being gathered. */
struct measured {
    uint32_t device, kernel; /* TRACE_NONE: no rows as yet */
};

struct metrics_reader {
    size_t columns, device, kernel, launches, metric, average;
    struct ct_intern names;
    struct measured measured;
    struct import_extent extent;
    struct kernel_metrics gathered;
};

static bool flush_metrics(struct nvprof *nvprof, struct metrics_reader *reader) {
    struct trace_metrics metrics = metrics_of(&reader->gathered);
    reader->gathered = no_metrics();
    return reader->measured.kernel == TRACE_NONE ||
           import_add_metrics(nvprof->builder,
                              ct_intern_get(&reader->names, reader->measured.kernel), NULL, NULL,
                              &reader->extent, &metrics);
}

static bool read_metric_row(struct nvprof *nvprof, struct metrics_reader *reader) {
    struct csv_reader *csv = nvprof->table.csv;
    if (!csv_check_count(csv, reader->columns))
        return false;
    if (!*csv_get(csv, reader->kernel))
        return csv_error(csv, "the kernel has no name");
    struct measured own = {ct_intern_text(&reader->names, csv_get(csv, reader->device)),
                           ct_intern_text(&reader->names, csv_get(csv, reader->kernel))};
    if (own.device == UINT32_MAX || own.kernel == UINT32_MAX)
        return ct_out_of_memory(nvprof->diags) == CT_OK;
    if (own.device != reader->measured.device || own.kernel != reader->measured.kernel) {
        if (!flush_metrics(nvprof, reader))
            return false;
        reader->measured = own;
        reader->extent = profile_extent(csv_get(csv, reader->launches));
    }
    take_metric(&reader->gathered, csv_get(csv, reader->metric),
                metric_value(csv_get(csv, reader->average)));
    nvprof->rows++;
    return true;
}

static bool is_metrics_header(const struct csv_reader *csv) {
    return strcmp(csv_get(csv, 0), "Device") == 0 && csv_find(csv, "Kernel") != CSV_NONE;
}

static bool read_metrics_header(struct nvprof *nvprof, struct metrics_reader *reader) {
    const struct csv_reader *csv = nvprof->table.csv;
    reader->columns = csv_count(csv);
    reader->device = 0;
    reader->kernel = csv_find(csv, "Kernel");
    reader->launches = csv_find(csv, "Invocations");
    reader->metric = csv_find(csv, "Metric Name");
    reader->average = csv_find(csv, "Avg");
    if (reader->metric != CSV_NONE && reader->average != CSV_NONE)
        return true;
    return csv_error(csv, "the table has no columns 'Metric Name' and 'Avg': record with "
                          "'nvprof --metrics all --csv'");
}

static int read_metrics(struct nvprof *nvprof) {
    struct metrics_reader reader = {.measured = {TRACE_NONE, TRACE_NONE}, .gathered = no_metrics()};
    enum csv_step step = CSV_ROW;
    if (!read_metrics_header(nvprof, &reader))
        return CT_DATA;
    while (nvprof->mistakes < CT_ERRORS_SHOWN && (step = csv_next(nvprof->table.csv)) == CSV_ROW)
        if (!is_metrics_header(nvprof->table.csv))
            nvprof->mistakes += !read_metric_row(nvprof, &reader);
        else if (!read_metrics_header(nvprof, &reader))
            nvprof->mistakes = CT_ERRORS_SHOWN;
    bool flushed = flush_metrics(nvprof, &reader);
    ct_intern_free(&reader.names);
    return flushed && step != CSV_BROKEN && !nvprof->mistakes ? CT_OK : CT_DATA;
}

/* ---- which of the two ---- */

static int read_file(struct nvprof *nvprof) {
    enum csv_step step;
    csv_skip_prefix(nvprof->table.csv, "==");
    while ((step = csv_next_line(nvprof->table.csv)) == CSV_ROW)
        if (is_trace_header(nvprof->table.csv) || is_metrics_header(nvprof->table.csv))
            break;
    if (step == CSV_BROKEN)
        return CT_DATA;
    if (step == CSV_END)
        return ct_data_error(nvprof->diags, nvprof->path,
                             "holds no table of nvprof: 'nvprof --print-gpu-trace --csv' or "
                             "'nvprof --metrics all --csv' is expected");
    size_t errors = nvprof->diags->errors;
    int status = is_trace_header(nvprof->table.csv) ? read_trace(nvprof) : read_metrics(nvprof);
    if (status == CT_OK && !nvprof->rows) {
        ct_error(nvprof->diags, nvprof->path, "the table has no rows: is the file cut off?");
        status = CT_DATA;
    }
    ct_assert(status == CT_OK || nvprof->diags->errors > errors);
    return status;
}

static int read_recording(struct import_builder *builder, const char *path,
                          struct ct_diags *diags) {
    struct nvprof nvprof = {
        .builder = builder, .diags = diags, .path = path, .table = {.names = trace_columns}};
    nvprof.table.csv = csv_open(path, diags);
    int status = nvprof.table.csv ? read_file(&nvprof) : CT_DATA;
    csv_close(nvprof.table.csv);
    return status;
}

const struct import_format import_format_nvprof = {
    .name = "nvprof",
    .read = read_recording,
    .attach = read_recording,
    .headers = {{{"Start", "Duration", "Grid X", "Throughput"}},
                {{"Metric Name", "Metric Description"}}},
    .metrics = {{"Metric Name", "Metric Description"}}};
