/*
 * Orion's per-operation profiles (github.com/eth-easl/orion):
 * "Name,Profile,Memory_footprint,SM_usage,Duration", one row per kernel in launch order, without
 * start times, geometry or copies.
 *
 * - Names contain commas: the last four columns are counted from the right.
 * - Duration is in ns. No start: the kernels run back to back on one stream.
 * - SM_usage is the number of SMs that the kernel's blocks fill (blocks / blocks per SM, rounded
 * up, not cut at the GPU's SMs). It becomes a grid of so many blocks of which one fits an SM: 1024
 * threads with 64 registers take the 65536 registers of an SM on every GPU from compute
 * capability 3.0 on, so that occupancy gives the recorded SM usage and its waves. The geometry is
 * assumed, and marked so.
 * - Profile is Orion's class by arithmetic intensity or, without floating-point work, by 60 % of
 * the peak throughput: 0 memory-bound, 1 compute-bound, -1 neither. The fraction of DRAM bandwidth
 * is not in the file: a class stands at the boundary of our own classes (docs/recording.md:
 * memory-bound from 0.65, compute-bound up to 0.30), assumed; -1 stays unknown.
 */
#include "ingest/import_formats.h"
#include "ingest/profile_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SM_THREADS = 1024, SM_REGISTERS_PER_THREAD = 64 };

#define MEMORY_BOUND_FRACTION 0.65
#define COMPUTE_BOUND_FRACTION 0.30

enum column { PROFILE, MEMORY_FOOTPRINT, SM_USAGE, DURATION, COLUMNS };

static const char *const column_names[COLUMNS] = {"Profile", "Memory_footprint", "SM_usage",
                                                  "Duration"};

struct orion {
    struct import_builder *builder;
    struct ct_diags *diags;
    struct csv_reader *csv;
    const char *path;
    ct_time_ps now_ps; /* end of the kernel before */
    uint64_t rows;
};

/* Counted from the right. */
static const char *cell(const struct orion *orion, enum column column) {
    size_t count = csv_count(orion->csv);
    return count >= COLUMNS ? csv_get(orion->csv, count - COLUMNS + column) : "";
}

/* The fields before the last four, with their commas. Owned by the caller; NULL when memory ran
 * out. */
static char *join_name(const struct orion *orion) {
    size_t fields = csv_count(orion->csv) - COLUMNS, size = 1, used = 0;
    for (size_t i = 0; i < fields; i++)
        size += strlen(csv_get(orion->csv, i)) + 1;
    char *name = malloc(size);
    for (size_t i = 0; name && i < fields; i++)
        used += (size_t)snprintf(name + used, size - used, "%s%s", i ? "," : "",
                                 csv_get(orion->csv, i));
    return name;
}

static bool mistake(const struct orion *orion, enum column column, const char *expected) {
    return csv_error(orion->csv, "'%s' is no %s in column '%s'", cell(orion, column), expected,
                     column_names[column]);
}

static bool read_class(const struct orion *orion, double *dram_fraction) {
    const char *profile = cell(orion, PROFILE);
    *dram_fraction = NAN;
    if (strcmp(profile, "0") == 0)
        *dram_fraction = MEMORY_BOUND_FRACTION;
    else if (strcmp(profile, "1") == 0)
        *dram_fraction = COMPUTE_BOUND_FRACTION;
    else if (strcmp(profile, "-1") != 0)
        return mistake(orion, PROFILE, "class (0 memory-bound, 1 compute-bound, -1 neither)");
    return true;
}

static bool read_cells(const struct orion *orion, struct import_record *record) {
    uint64_t blocks;
    if (!read_class(orion, &record->metrics.dram_fraction))
        return false;
    if (!csv_parse_count(cell(orion, SM_USAGE), INT32_MAX, &blocks) || !blocks)
        return mistake(orion, SM_USAGE, "number of SMs from 1 on");
    if (!csv_parse_fixed(cell(orion, DURATION), 3, &record->duration_ps, NULL) ||
        record->duration_ps > INT64_MAX - orion->now_ps)
        return mistake(orion, DURATION, "duration in ns below 106 days");
    record->grid[0] = (uint32_t)blocks;
    return true;
}

static bool read_row(void *context) {
    struct orion *orion = context;
    struct import_record record = profile_record();
    char where[512];
    size_t count = csv_count(orion->csv);
    if (count < COLUMNS + 1)
        return csv_check_count(orion->csv, COLUMNS + 1);
    record.start_ps = orion->now_ps;
    record.grid[1] = record.grid[2] = record.block[1] = record.block[2] = 1;
    record.block[0] = SM_THREADS;
    record.registers_per_thread = SM_REGISTERS_PER_THREAD;
    if (!read_cells(orion, &record))
        return false;
    char *name = join_name(orion);
    if (!name)
        return ct_out_of_memory(orion->diags) == CT_OK;
    record.name = name;
    csv_where(orion->csv, where, sizeof where);
    bool added = profile_check_record(&record, false, where, orion->diags) &&
                 import_add_record(orion->builder, &record);
    free(name);
    orion->now_ps += added ? record.duration_ps : 0;
    orion->rows += added;
    return added;
}

static bool is_header(const struct orion *orion) {
    for (int i = 0; i < COLUMNS; i++)
        if (strcmp(cell(orion, i), column_names[i]) != 0)
            return false;
    return strcmp(csv_get(orion->csv, 0), "Name") == 0;
}

static int read_rows(struct orion *orion) {
    if (!csv_read_rest(orion->csv, read_row, orion))
        return CT_DATA;
    if (!orion->rows)
        return ct_data_error(orion->diags, orion->path,
                             "the profile has no rows: is the file cut off?");
    import_resolution(orion->builder, CT_PS_PER_NS);
    return CT_OK;
}

static int read_file(struct orion *orion) {
    enum csv_step step = csv_next(orion->csv);
    if (step == CSV_BROKEN)
        return CT_DATA;
    if (step == CSV_ROW && is_header(orion))
        return read_rows(orion);
    return ct_data_error(orion->diags, orion->path,
                         "is no profile of Orion: the header "
                         "'Name,Profile,Memory_footprint,SM_usage,Duration' is expected");
}

static int read_recording(struct import_builder *builder, const char *path,
                          struct ct_diags *diags) {
    struct orion orion = {.builder = builder, .diags = diags, .path = path};
    orion.csv = csv_open(path, diags);
    int status = orion.csv ? read_file(&orion) : CT_DATA;
    csv_close(orion.csv);
    return status;
}

const struct import_format import_format_orion = {
    .name = "orion",
    .read = read_recording,
    .headers = {{{"Profile", "Memory_footprint", "SM_usage", "Duration"}}}};
