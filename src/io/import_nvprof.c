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
#include "ct_assert.h"
#include "import_builder.h"
#include "profile_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum column {
    START,
    DURATION,
    GRID_X,
    GRID_Y,
    GRID_Z,
    BLOCK_X,
    BLOCK_Y,
    BLOCK_Z,
    REGISTERS,
    STATIC_SMEM,
    DYNAMIC_SMEM,
    SIZE,
    SOURCE_MEMORY,
    DESTINATION_MEMORY,
    DEVICE,
    CONTEXT,
    STREAM,
    NAME,
    TRACE_COLUMNS
};

static const char *const trace_columns[TRACE_COLUMNS] = {
    "Start",       "Duration",     "Grid X",
    "Grid Y",      "Grid Z",       "Block X",
    "Block Y",     "Block Z",      "Registers Per Thread",
    "Static SMem", "Dynamic SMem", "Size",
    "SrcMemType",  "DstMemType",   "Device",
    "Context",     "Stream",       "Name"};

struct nvprof {
    struct import_builder *builder;
    struct ct_diags *diags;
    struct csv_reader *csv;
    const char *path;
    size_t columns, at[TRACE_COLUMNS];
    int start_decimals, duration_decimals; /* of a picosecond */
    double static_factor, dynamic_factor, size_factor;
    ct_time_ps steps_ps[2]; /* of this table's START and DURATION: 1 in the last decimal printed */
    ct_time_ps resolution_ps; /* of the tables before it */
    size_t mistakes;
    uint64_t rows;
    struct import_record copy; /* waits for the record after it: see settle_copy */
    bool copy_waits;
    uint64_t copies_cut;
};

static const char *cell(const struct nvprof *nvprof, enum column column) {
    return csv_get(nvprof->csv, nvprof->at[column]);
}

static bool mistake(struct nvprof *nvprof, enum column column, const char *expected) {
    csv_error(nvprof->csv, "'%s' is no %s in column '%s'", cell(nvprof, column), expected,
              trace_columns[column]);
    return false;
}

/* ---- the trace ---- */

/* The coarser column of the coarsest table so far. */
static ct_time_ps resolution(const struct nvprof *nvprof) {
    ct_time_ps coarsest = nvprof->resolution_ps;
    for (int i = START; i <= DURATION; i++)
        if (nvprof->steps_ps[i] > coarsest && nvprof->steps_ps[i] != CT_TIME_NEVER)
            coarsest = nvprof->steps_ps[i];
    return coarsest;
}

/* The unit of one column of the unit row; empty is right where no row has a value. */
static bool read_byte_unit(struct nvprof *nvprof, enum column column, double *factor) {
    const char *unit = cell(nvprof, column);
    *factor = *unit ? profile_byte_factor(unit, 1024.0) : 1.0;
    return *factor > 0.0 || mistake(nvprof, column, "unit of bytes");
}

static bool read_time_unit(struct nvprof *nvprof, enum column column, int *decimals) {
    *decimals = profile_time_decimals(cell(nvprof, column));
    return *decimals >= 0 || mistake(nvprof, column, "unit of time");
}

static bool read_units(struct nvprof *nvprof) {
    return csv_next(nvprof->csv) == CSV_ROW && csv_check_count(nvprof->csv, nvprof->columns) &&
           read_time_unit(nvprof, START, &nvprof->start_decimals) &&
           read_time_unit(nvprof, DURATION, &nvprof->duration_decimals) &&
           read_byte_unit(nvprof, STATIC_SMEM, &nvprof->static_factor) &&
           read_byte_unit(nvprof, DYNAMIC_SMEM, &nvprof->dynamic_factor) &&
           read_byte_unit(nvprof, SIZE, &nvprof->size_factor);
}

/* The current record is the header of a trace: where are its columns, and in what units? */
static bool read_trace_header(struct nvprof *nvprof) {
    nvprof->columns = csv_count(nvprof->csv);
    nvprof->resolution_ps = resolution(nvprof);
    nvprof->steps_ps[START] = nvprof->steps_ps[DURATION] = CT_TIME_NEVER;
    for (int i = 0; i < TRACE_COLUMNS; i++) {
        bool newer = i == SOURCE_MEMORY || i == DESTINATION_MEMORY;
        nvprof->at[i] = csv_find(nvprof->csv, trace_columns[i]);
        if (nvprof->at[i] == CSV_NONE && !newer) {
            csv_error(nvprof->csv, "the trace has no column '%s'", trace_columns[i]);
            return false;
        }
    }
    size_t errors = nvprof->diags->errors;
    if (read_units(nvprof))
        return true;
    if (nvprof->diags->errors == errors)
        csv_error(nvprof->csv, "the unit row under the header is missing: is the file cut off?");
    return false;
}

static bool read_time(struct nvprof *nvprof, enum column column, int decimals, ct_time_ps *time) {
    int digits = 0;
    if (!csv_parse_fixed(cell(nvprof, column), decimals, time, &digits))
        return mistake(nvprof, column, "time below 106 days");
    ct_time_ps step = CT_PS_PER_NS; /* the clock behind the text */
    for (int i = 3; i < decimals - digits; i++)
        step *= 10;
    if (step < nvprof->steps_ps[column])
        nvprof->steps_ps[column] = step;
    return true;
}

static bool read_count(struct nvprof *nvprof, enum column column, uint32_t *value) {
    uint64_t number;
    if (!csv_parse_count(cell(nvprof, column), UINT32_MAX, &number))
        return mistake(nvprof, column, "whole number");
    *value = (uint32_t)number;
    return true;
}

static bool read_bytes(struct nvprof *nvprof, enum column column, double factor, uint64_t *bytes) {
    return profile_parse_bytes(cell(nvprof, column), factor, bytes) ||
           mistake(nvprof, column, "size");
}

static bool read_shared(struct nvprof *nvprof, enum column column, double factor, uint32_t *bytes) {
    uint64_t size;
    if (!read_bytes(nvprof, column, factor, &size))
        return false;
    *bytes = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
    return true;
}

static bool read_geometry(struct nvprof *nvprof, struct import_record *record) {
    for (unsigned i = 0; i < 3; i++)
        if (!read_count(nvprof, GRID_X + i, &record->grid[i]) ||
            !read_count(nvprof, BLOCK_X + i, &record->block[i]))
            return false;
    record->geometry_known = true;
    return read_count(nvprof, REGISTERS, &record->registers_per_thread) &&
           read_shared(nvprof, STATIC_SMEM, nvprof->static_factor, &record->static_smem_bytes) &&
           read_shared(nvprof, DYNAMIC_SMEM, nvprof->dynamic_factor, &record->dynamic_smem_bytes);
}

/* Device, context and stream: of a row that ran on a device. */
static bool read_place(struct nvprof *nvprof, struct import_record *record) {
    char title[128];
    if (!*cell(nvprof, DEVICE) ||
        !profile_split_device(cell(nvprof, DEVICE), title, sizeof title, &record->device))
        return mistake(nvprof, DEVICE, "device");
    if (!csv_parse_count(cell(nvprof, CONTEXT), UINT64_MAX, &record->context))
        return mistake(nvprof, CONTEXT, "context number");
    if (!csv_parse_count(cell(nvprof, STREAM), UINT64_MAX, &record->stream))
        return mistake(nvprof, STREAM, "stream number");
    import_device(nvprof->builder, record->device, title);
    return true;
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
    csv_where(nvprof->csv, where, sizeof where);
    if (!profile_check_record(record, where, nvprof->diags) || !settle_copy(nvprof, record))
        return false;
    nvprof->rows++;
    if (record->kind != TRACE_COPY)
        return import_add_record(nvprof->builder, record);
    nvprof->copy = *record;
    nvprof->copy_waits = true;
    return true;
}

static bool add_kernel(struct nvprof *nvprof, struct import_record *record) {
    const char *text = cell(nvprof, NAME);
    char *name = strndup(text, name_length(text));
    if (!name)
        return ct_out_of_memory(nvprof->diags) == CT_OK;
    record->name = name;
    bool added = read_geometry(nvprof, record) && add_record(nvprof, record);
    free(name);
    return added;
}

static bool add_transfer(struct nvprof *nvprof, struct import_record *record, enum profile_op op) {
    record->kind = op == PROFILE_COPY ? TRACE_COPY : TRACE_MEMSET;
    if (op == PROFILE_COPY)
        record->memory = profile_memory(record->direction, cell(nvprof, SOURCE_MEMORY),
                                        cell(nvprof, DESTINATION_MEMORY));
    return read_bytes(nvprof, SIZE, nvprof->size_factor, &record->bytes) &&
           add_record(nvprof, record);
}

static bool read_trace_row(struct nvprof *nvprof) {
    struct import_record record = profile_record();
    enum profile_op op = profile_name_op(cell(nvprof, NAME), &record.direction);
    if (!csv_check_count(nvprof->csv, nvprof->columns))
        return false;
    if (op >= PROFILE_HOST_COPY)
        return profile_pass_over(nvprof->builder, nvprof->csv, op, cell(nvprof, NAME));
    if (!*cell(nvprof, NAME)) {
        csv_error(nvprof->csv, "the row has no name: is the file cut off?");
        return false;
    }
    if (op == PROFILE_KERNEL && !*cell(nvprof, GRID_X)) {
        import_leave_out(nvprof->builder, "host call");
        return true;
    }
    if (!read_time(nvprof, START, nvprof->start_decimals, &record.start_ps) ||
        !read_time(nvprof, DURATION, nvprof->duration_decimals, &record.duration_ps) ||
        !read_place(nvprof, &record))
        return false;
    return op == PROFILE_KERNEL ? add_kernel(nvprof, &record) : add_transfer(nvprof, &record, op);
}

static bool is_trace_header(const struct csv_reader *csv) {
    return strcmp(csv_get(csv, 0), "Start") == 0 && csv_find(csv, "Duration") != CSV_NONE;
}

/* Every process of the recording begins with its own header and units. */
static int read_trace(struct nvprof *nvprof) {
    enum csv_step step = CSV_ROW;
    if (!read_trace_header(nvprof))
        return CT_DATA;
    while (nvprof->mistakes < CT_ERRORS_SHOWN && (step = csv_next(nvprof->csv)) == CSV_ROW) {
        if (!is_trace_header(nvprof->csv))
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

/* What is taken of one kernel's metrics, in nvprof's own terms; NAN: not in the file. */
struct kernel_metrics {
    double read, written; /* bytes/s */
    double dram_level;    /* dram_utilization, a fraction */
    double l2, issue, unit, activity, occupancy;
    double warp_instructions, warp_efficiency;
};

static void take_largest(double *to, double value) {
    if (!(*to >= value))
        *to = value;
}

/* Stores a metric under its place; metrics that the simulator has no use for are passed over. */
static void take_metric(struct kernel_metrics *metrics, const char *name, double value) {
    const struct {
        const char *name;
        double *to;
    } known[] = {{"dram_read_throughput", &metrics->read},
                 {"dram_write_throughput", &metrics->written},
                 {"dram_utilization", &metrics->dram_level},
                 {"l2_utilization", &metrics->l2},
                 {"issue_slot_utilization", &metrics->issue},
                 {"sm_activity", &metrics->activity},
                 {"sm_efficiency", &metrics->activity},
                 {"achieved_occupancy", &metrics->occupancy},
                 {"inst_executed", &metrics->warp_instructions},
                 {"warp_execution_efficiency", &metrics->warp_efficiency}};
    size_t length = strlen(name), tail = strlen("_fu_utilization");
    for (size_t i = 0; i < CT_COUNT_OF(known); i++)
        if (strcmp(name, known[i].name) == 0)
            *known[i].to = value;
    if (length > tail && strcmp(name + length - tail, "_fu_utilization") == 0)
        take_largest(&metrics->unit, value);
}

/*
 * "21.43GB/s" -> bytes/s (1 GB/s = 10^9 bytes/s), "95.26%" -> 0.9526, "Low (1)" -> 0.1 (a scale of
 * 0 to 10), plain numbers as they are. NAN for what nvprof could not measure ("<OVERFLOW>", "n/a").
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
            factor = profile_byte_factor(unit, 1000.0);
        } else if (strcmp(rest, "%") == 0) {
            factor = 0.01;
        }
        return factor > 0.0 ? number * factor : NAN;
    }
    rest = level ? csv_scan_number(level + 1, &number) : NULL;
    return rest && strcmp(rest, ")") == 0 ? number / 10.0 : NAN;
}

static double fraction(double value) {
    return value > 1.0 ? 1.0 : value;
}

/*
 * Thread instructions: inst_executed counts instructions of warps, 32 threads of which
 * warp_execution_efficiency says how many took part on average.
 */
static struct trace_metrics metrics_of(const struct kernel_metrics *from) {
    struct trace_metrics to = trace_metrics_unknown();
    double bytes = from->read + from->written;
    to.dram_bytes_per_s = bytes;
    to.dram_read_share = bytes > 0.0 ? from->read / bytes : NAN;
    to.dram_fraction = isnan(bytes) ? fraction(from->dram_level) : NAN;
    to.l2_fraction = fraction(from->l2);
    to.issue_slot_fraction = fraction(from->issue);
    to.unit_fraction = fraction(from->unit);
    to.sm_activity = fraction(from->activity);
    to.achieved_occupancy = fraction(from->occupancy);
    to.instructions = from->warp_instructions * 32.0 * from->warp_efficiency;
    return to;
}

static struct kernel_metrics no_metrics(void) {
    return (struct kernel_metrics){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

struct metrics_reader {
    size_t columns, device, kernel, metric, average;
    char *key; /* device and kernel of the rows being gathered */
    struct kernel_metrics gathered;
};

static bool flush_metrics(struct nvprof *nvprof, struct metrics_reader *reader) {
    struct trace_metrics metrics = metrics_of(&reader->gathered);
    const char *kernel = reader->key ? strchr(reader->key, '\n') + 1 : NULL;
    bool added = !kernel || import_add_metrics(nvprof->builder, kernel, NULL, NULL, &metrics);
    free(reader->key);
    reader->key = NULL;
    reader->gathered = no_metrics();
    return added;
}

static bool same_key(const char *key, const char *device, const char *kernel) {
    size_t length = strlen(device);
    return key && strncmp(key, device, length) == 0 && key[length] == '\n' &&
           strcmp(key + length + 1, kernel) == 0;
}

static char *new_key(const char *device, const char *kernel) {
    size_t size = strlen(device) + strlen(kernel) + 2;
    char *key = malloc(size);
    if (key)
        snprintf(key, size, "%s\n%s", device, kernel);
    return key;
}

static bool read_metric_row(struct nvprof *nvprof, struct metrics_reader *reader) {
    struct csv_reader *csv = nvprof->csv;
    if (!csv_check_count(csv, reader->columns))
        return false;
    const char *device = csv_get(csv, reader->device), *kernel = csv_get(csv, reader->kernel);
    if (!*kernel) {
        csv_error(csv, "the kernel has no name");
        return false;
    }
    if (!same_key(reader->key, device, kernel)) {
        if (!flush_metrics(nvprof, reader))
            return false;
        reader->key = new_key(device, kernel);
        if (!reader->key)
            return ct_out_of_memory(nvprof->diags) == CT_OK;
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
    const struct csv_reader *csv = nvprof->csv;
    reader->columns = csv_count(csv);
    reader->device = 0;
    reader->kernel = csv_find(csv, "Kernel");
    reader->metric = csv_find(csv, "Metric Name");
    reader->average = csv_find(csv, "Avg");
    if (reader->metric != CSV_NONE && reader->average != CSV_NONE)
        return true;
    csv_error(csv, "the table has no columns 'Metric Name' and 'Avg': record with "
                   "'nvprof --metrics all --csv'");
    return false;
}

static int read_metrics(struct nvprof *nvprof) {
    struct metrics_reader reader = {.gathered = no_metrics()};
    enum csv_step step = CSV_ROW;
    if (!read_metrics_header(nvprof, &reader))
        return CT_DATA;
    while (nvprof->mistakes < CT_ERRORS_SHOWN && (step = csv_next(nvprof->csv)) == CSV_ROW)
        if (!is_metrics_header(nvprof->csv))
            nvprof->mistakes += !read_metric_row(nvprof, &reader);
        else if (!read_metrics_header(nvprof, &reader))
            nvprof->mistakes = CT_ERRORS_SHOWN;
    bool flushed = flush_metrics(nvprof, &reader);
    return flushed && step != CSV_BROKEN && !nvprof->mistakes ? CT_OK : CT_DATA;
}

/* ---- which of the two ---- */

static int read_file(struct nvprof *nvprof) {
    enum csv_step step;
    csv_skip_prefix(nvprof->csv, "==");
    while ((step = csv_next_line(nvprof->csv)) == CSV_ROW)
        if (is_trace_header(nvprof->csv) || is_metrics_header(nvprof->csv))
            break;
    if (step == CSV_BROKEN)
        return CT_DATA;
    if (step == CSV_END) {
        ct_error(nvprof->diags, nvprof->path,
                 "holds no table of nvprof: 'nvprof --print-gpu-trace --csv' or "
                 "'nvprof --metrics all --csv' is expected");
        return CT_DATA;
    }
    size_t errors = nvprof->diags->errors;
    int status = is_trace_header(nvprof->csv) ? read_trace(nvprof) : read_metrics(nvprof);
    if (status == CT_OK && !nvprof->rows) {
        ct_error(nvprof->diags, nvprof->path, "the table has no rows: is the file cut off?");
        status = CT_DATA;
    }
    ct_assert(status == CT_OK || nvprof->diags->errors > errors);
    return status;
}

int import_nvprof(struct import_builder *builder, const char *path, struct ct_diags *diags) {
    struct nvprof nvprof = {.builder = builder, .diags = diags, .path = path};
    nvprof.csv = csv_open(path, diags);
    int status = nvprof.csv ? read_file(&nvprof) : CT_DATA;
    csv_close(nvprof.csv);
    return status;
}
