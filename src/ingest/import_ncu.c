/*
 * Nsight Compute: `ncu --csv` (the details page: one row per kernel launch and metric) and its
 * summary per kernel
 * (`--print-summary per-kernel`, averages). Columns differ between generations and are found by
 * name.
 *
 * Metrics attach to kernels by name and, where the file has both shapes, by shape; of several
 * launches of one kernel and shape the mean, weighed by their time. A details page with durations
 * is an application of its own, too: its kernels in order, back to back on their stream, because
 * ncu runs one at a time and records no start; there is then no host in it.
 *
 * Taken, by the label of the details page or the raw name: DRAM Throughput (%), Memory Throughput
 * (only in byte/s: in % it is the busiest part of the memory system), L2 Cache Throughput, Issue
 * Slots Busy, SM Busy (the busiest unit; else Compute (SM) Throughput), Achieved Occupancy, SM
 * Active Cycles / Elapsed Cycles, Executed Instructions (of warps) x Avg. Active Threads Per Warp.
 */
#include "ingest/import_formats.h"
#include "ingest/profile_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a metric's number is measured in. */
enum unit_kind { UNIT_PLAIN, UNIT_COUNT, UNIT_FRACTION, UNIT_BYTES_PER_S, UNIT_BYTES, UNIT_TIME };

enum metric {
    DRAM_FRACTION,
    DRAM_BYTES_PER_S,
    L2,
    ISSUE,
    BUSIEST_UNIT,
    COMPUTE,
    OCCUPANCY,
    ACTIVE_CYCLES,
    ELAPSED_CYCLES,
    WARP_INSTRUCTIONS,
    THREADS_PER_WARP,
    /* In picoseconds. */
    DURATION,
    REGISTERS,
    STATIC_SMEM,
    DYNAMIC_SMEM,
    BLOCKS,
    THREADS,
    METRICS
};

static const struct {
    const char *name;
    enum metric metric;
    enum unit_kind unit;
} known_metrics[] = {
    {"DRAM Throughput", DRAM_FRACTION, UNIT_FRACTION},
    {"SOL DRAM", DRAM_FRACTION, UNIT_FRACTION},
    {"dram__throughput.avg.pct_of_peak_sustained_elapsed", DRAM_FRACTION, UNIT_FRACTION},
    {"Memory Throughput", DRAM_BYTES_PER_S, UNIT_BYTES_PER_S},
    {"dram__bytes.sum.per_second", DRAM_BYTES_PER_S, UNIT_BYTES_PER_S},
    {"L2 Cache Throughput", L2, UNIT_FRACTION},
    {"SOL L2 Cache", L2, UNIT_FRACTION},
    {"lts__t_sectors.avg.pct_of_peak_sustained_elapsed", L2, UNIT_FRACTION},
    {"Issue Slots Busy", ISSUE, UNIT_FRACTION},
    {"sm__inst_issued.avg.pct_of_peak_sustained_active", ISSUE, UNIT_FRACTION},
    {"SM Busy", BUSIEST_UNIT, UNIT_FRACTION},
    {"sm__instruction_throughput.avg.pct_of_peak_sustained_active", BUSIEST_UNIT, UNIT_FRACTION},
    {"Compute (SM) Throughput", COMPUTE, UNIT_FRACTION},
    {"SOL SM", COMPUTE, UNIT_FRACTION},
    {"SM [%]", COMPUTE, UNIT_FRACTION},
    {"sm__throughput.avg.pct_of_peak_sustained_elapsed", COMPUTE, UNIT_FRACTION},
    {"Achieved Occupancy", OCCUPANCY, UNIT_FRACTION},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", OCCUPANCY, UNIT_FRACTION},
    {"SM Active Cycles", ACTIVE_CYCLES, UNIT_PLAIN},
    {"sm__cycles_active.avg", ACTIVE_CYCLES, UNIT_PLAIN},
    {"Elapsed Cycles", ELAPSED_CYCLES, UNIT_COUNT},
    {"gpc__cycles_elapsed.max", ELAPSED_CYCLES, UNIT_COUNT},
    {"Executed Instructions", WARP_INSTRUCTIONS, UNIT_COUNT},
    {"smsp__inst_executed.sum", WARP_INSTRUCTIONS, UNIT_COUNT},
    {"Avg. Active Threads Per Warp", THREADS_PER_WARP, UNIT_PLAIN},
    {"smsp__thread_inst_executed_per_inst_executed.ratio", THREADS_PER_WARP, UNIT_PLAIN},
    {"Duration", DURATION, UNIT_TIME},
    {"gpu__time_duration.sum", DURATION, UNIT_TIME},
    {"Registers Per Thread", REGISTERS, UNIT_COUNT},
    {"launch__registers_per_thread", REGISTERS, UNIT_COUNT},
    {"Static Shared Memory Per Block", STATIC_SMEM, UNIT_BYTES},
    {"launch__shared_mem_per_block_static", STATIC_SMEM, UNIT_BYTES},
    {"Dynamic Shared Memory Per Block", DYNAMIC_SMEM, UNIT_BYTES},
    {"launch__shared_mem_per_block_dynamic", DYNAMIC_SMEM, UNIT_BYTES},
    {"Grid Size", BLOCKS, UNIT_COUNT},
    {"launch__grid_size", BLOCKS, UNIT_COUNT},
    {"Block Size", THREADS, UNIT_COUNT},
    {"launch__block_size", THREADS, UNIT_COUNT}};

enum column {
    COLUMN_ID,
    COLUMN_PROCESS,
    COLUMN_KERNEL,
    COLUMN_NAME,
    COLUMN_UNIT,
    COLUMN_VALUE,
    COLUMN_STREAM,
    COLUMN_CONTEXT,
    COLUMN_GRID,
    COLUMN_BLOCK,
    COLUMN_DEVICE,
    /* In a summary alone. */
    COLUMN_LAUNCHES,
    COLUMNS
};

/* One launch (of a details page) or kernel (of a summary) while its rows are gathered. */
struct ncu_launch {
    char *kernel; /* NULL: none is being gathered */
    char id[24], process[24];
    double values[METRICS]; /* NAN: not in the file */
    struct import_extent extent;
    uint32_t grid[3], block[3];
    bool shaped;
    uint64_t context, stream, line;
    int device;
};

struct ncu {
    struct import_builder *builder;
    struct ct_diags *diags;
    struct csv_reader *csv;
    const char *path;
    bool kernels; /* an application of its own, not only metrics */
    bool summary;
    size_t columns, at[COLUMNS];
    struct ncu_launch launch;
    ct_time_ps now_ps; /* end of the kernel before */
    uint64_t rows;
};

static const char *cell(const struct ncu *ncu, enum column column) {
    return csv_get(ncu->csv, ncu->at[column]);
}

/* ---- numbers ---- */

/*
 * ncu prints numbers with the separators of the user's language: "7,264", "1,234.5", "9,00",
 * "1.234,5". The last of two different separators is the decimal one; a comma alone is decimal
 * unless three digits follow, and so is a point alone, but that of a count ("4.096" blocks).
 */
static bool parse_localised(const char *text, bool count, double *value) {
    char plain[64];
    size_t used = 0;
    const char *comma = strrchr(text, ','), *point = strrchr(text, '.');
    bool decimal_comma = comma && (point ? comma > point : strlen(comma) != 4);
    bool grouping_point = decimal_comma || (count && !comma && point && strlen(point) == 4);
    for (const char *at = text; *at; at++) {
        if (*at == (grouping_point ? '.' : ','))
            continue;
        if (used + 1 >= sizeof plain)
            return false;
        plain[used++] = *at == ',' ? '.' : *at;
    }
    plain[used] = '\0';
    const char *rest = csv_scan_number(plain, value);
    return rest && *rest == '\0';
}

/* The factor from a unit to the metric's own; 0 when the unit does not fit it. */
static double unit_factor(enum unit_kind kind, const char *unit) {
    const char *slash = strchr(unit, '/');
    char bytes[16] = "";
    size_t length = slash ? (size_t)(slash - unit) : strlen(unit);
    if (length < sizeof bytes)
        memcpy(bytes, unit, length);
    switch (kind) {
    case UNIT_FRACTION:
        return strcmp(unit, "%") == 0 ? 0.01 : 0.0;
    case UNIT_TIME: {
        int decimals = profile_time_decimals(unit);
        double factor = decimals < 0 ? 0.0 : 1.0;
        for (int i = 0; i < decimals; i++)
            factor *= 10.0;
        return factor;
    }
    case UNIT_BYTES_PER_S:
        return slash && (strcmp(slash, "/s") == 0 || strcmp(slash, "/second") == 0)
                   ? profile_byte_factor(bytes, 1000.0)
                   : 0.0;
    case UNIT_BYTES: /* "Kbyte/block" */
        return profile_byte_factor(bytes, 1000.0);
    case UNIT_PLAIN:
    case UNIT_COUNT:
        break;
    }
    return 1.0;
}

/* Keeps the row's metric if it is one that we take. A label with another unit is another metric. */
static bool take_metric(struct ncu *ncu) {
    const char *name = cell(ncu, COLUMN_NAME), *text = cell(ncu, COLUMN_VALUE);
    for (size_t i = 0; i < CT_COUNT_OF(known_metrics); i++) {
        double value, factor = 0.0;
        if (strcmp(name, known_metrics[i].name) == 0)
            factor = unit_factor(known_metrics[i].unit, cell(ncu, COLUMN_UNIT));
        if (!(factor > 0.0) || !*text || strcmp(text, "n/a") == 0 || strcmp(text, "nan") == 0)
            continue;
        bool count = known_metrics[i].unit == UNIT_COUNT;
        if (!parse_localised(text, count, &value) || value < 0.0)
            return csv_error(ncu->csv, "'%s' is no value of the metric '%s'", text, name);
        ncu->launch.values[known_metrics[i].metric] = value * factor;
    }
    return true;
}

/* "(128, 1, 1)" */
static bool parse_shape(const char *text, uint32_t shape[3]) {
    char digits[3][12];
    char end;
    if (sscanf(text, " ( %11[0-9] , %11[0-9] , %11[0-9] %c", digits[0], digits[1], digits[2],
               &end) != 4 ||
        end != ')')
        return false;
    for (int i = 0; i < 3; i++) {
        uint64_t number;
        if (!csv_parse_count(digits[i], UINT32_MAX, &number))
            return false;
        shape[i] = (uint32_t)number;
    }
    return true;
}

/* ---- one launch ---- */

static struct trace_metrics metrics_of(const double *values) {
    struct trace_metrics to = trace_metrics_unknown();
    bool unit_known = !isnan(values[BUSIEST_UNIT]);
    to.dram_bytes_per_s = values[DRAM_BYTES_PER_S];
    to.dram_fraction = profile_fraction(values[DRAM_FRACTION]);
    to.l2_fraction = profile_fraction(values[L2]);
    to.issue_slot_fraction = profile_fraction(values[ISSUE]);
    to.unit_fraction = profile_fraction(values[unit_known ? BUSIEST_UNIT : COMPUTE]);
    to.achieved_occupancy = profile_fraction(values[OCCUPANCY]);
    to.instructions = values[WARP_INSTRUCTIONS] * values[THREADS_PER_WARP];
    if (values[ELAPSED_CYCLES] > 0.0)
        to.sm_activity = profile_fraction(values[ACTIVE_CYCLES] / values[ELAPSED_CYCLES]);
    return to;
}

static uint64_t whole(double value) {
    return value >= 0x1p63 ? INT64_MAX : value >= 0.0 ? (uint64_t)nearbyint(value) : 0;
}

static uint32_t count_of(double value) {
    return whole(value) < UINT32_MAX ? (uint32_t)whole(value) : UINT32_MAX;
}

/* Older files give only the number of blocks and threads: the shape is then one-dimensional. */
static void describe_shape(const struct ncu_launch *launch, struct import_record *record) {
    memcpy(record->grid, launch->grid, sizeof record->grid);
    memcpy(record->block, launch->block, sizeof record->block);
    if (!launch->shaped) {
        record->grid[0] = count_of(launch->values[BLOCKS]);
        record->block[0] = count_of(launch->values[THREADS]);
        record->grid[1] = record->grid[2] = record->block[1] = record->block[2] = 1;
    }
    record->geometry_known =
        launch->shaped || !(isnan(launch->values[BLOCKS]) || isnan(launch->values[THREADS]));
}

/* A record of its own and the metrics of its kernel apart: launches that differ in metrics only are
 * one kernel. */
static bool add_kernel(struct ncu *ncu, const struct trace_metrics *metrics) {
    const struct ncu_launch *launch = &ncu->launch;
    struct import_record record = profile_record();
    char where[512];
    snprintf(where, sizeof where, "%s:%llu", ncu->path, (unsigned long long)launch->line);
    record.name = launch->kernel;
    record.device = launch->device;
    record.context = launch->context;
    record.stream = launch->stream;
    record.start_ps = ncu->now_ps;
    record.duration_ps = ct_time_round(launch->values[DURATION]);
    record.registers_per_thread = whole(launch->values[REGISTERS]);
    record.static_smem_bytes = whole(launch->values[STATIC_SMEM]);
    record.dynamic_smem_bytes = whole(launch->values[DYNAMIC_SMEM]);
    describe_shape(launch, &record);
    if (record.duration_ps > INT64_MAX / 2 - ncu->now_ps)
        return ct_false_error(ncu->diags, where, "the durations sum up to more than 53 days");
    ncu->now_ps += record.duration_ps;
    return profile_check_record(&record, false, where, ncu->diags) &&
           import_add_record(ncu->builder, &record) &&
           import_add_metrics(ncu->builder, record.name, record.grid, record.block, &launch->extent,
                              metrics);
}

/* Hands the gathered launch on and begins with none. */
static bool flush(struct ncu *ncu) {
    struct ncu_launch *launch = &ncu->launch;
    if (!launch->kernel)
        return true;
    struct trace_metrics metrics = metrics_of(launch->values);
    launch->extent.ps = launch->extent.launches * launch->values[DURATION];
    launch->extent.cycles = launch->extent.launches * launch->values[ELAPSED_CYCLES];
    bool done = true;
    if (ncu->kernels && !ncu->summary && !isnan(launch->values[DURATION]))
        done = add_kernel(ncu, &metrics);
    else if (ncu->kernels && !ncu->summary)
        import_leave_out(ncu->builder, "kernel without a duration");
    else
        done =
            import_add_metrics(ncu->builder, launch->kernel, launch->shaped ? launch->grid : NULL,
                               launch->shaped ? launch->block : NULL, &launch->extent, &metrics);
    free(launch->kernel);
    launch->kernel = NULL;
    return done;
}

static bool read_shapes(struct ncu *ncu) {
    struct ncu_launch *launch = &ncu->launch;
    const char *grid = cell(ncu, COLUMN_GRID), *block = cell(ncu, COLUMN_BLOCK);
    if (!*grid && !*block)
        return true;
    launch->shaped = parse_shape(grid, launch->grid) && parse_shape(block, launch->block);
    if (!launch->shaped)
        csv_error(ncu->csv, "'%s' and '%s' are no grid and block such as (128, 1, 1)", grid, block);
    return launch->shaped;
}

static uint64_t number_or_0(const char *text) {
    uint64_t number = 0;
    return csv_parse_count(text, UINT64_MAX, &number) ? number : 0;
}

static bool begin_launch(struct ncu *ncu) {
    struct ncu_launch *launch = &ncu->launch;
    *launch = (struct ncu_launch){.line = csv_line(ncu->csv),
                                  .extent = profile_extent(cell(ncu, COLUMN_LAUNCHES)),
                                  .context = number_or_0(cell(ncu, COLUMN_CONTEXT)),
                                  .stream = number_or_0(cell(ncu, COLUMN_STREAM)),
                                  .device = (int)(number_or_0(cell(ncu, COLUMN_DEVICE)) & 0xfffff)};
    for (int i = 0; i < METRICS; i++)
        launch->values[i] = NAN;
    snprintf(launch->id, sizeof launch->id, "%s", cell(ncu, COLUMN_ID));
    snprintf(launch->process, sizeof launch->process, "%s", cell(ncu, COLUMN_PROCESS));
    if (!*cell(ncu, COLUMN_KERNEL))
        return csv_error(ncu->csv, "the kernel has no name");
    if (!read_shapes(ncu))
        return false;
    launch->kernel = strdup(cell(ncu, COLUMN_KERNEL));
    return launch->kernel || ct_out_of_memory(ncu->diags) == CT_OK;
}

static bool same_launch(const struct ncu *ncu) {
    const struct ncu_launch *launch = &ncu->launch;
    return launch->kernel && strcmp(launch->kernel, cell(ncu, COLUMN_KERNEL)) == 0 &&
           strcmp(launch->id, cell(ncu, COLUMN_ID)) == 0 &&
           strcmp(launch->process, cell(ncu, COLUMN_PROCESS)) == 0;
}

static bool read_row(void *context) {
    struct ncu *ncu = context;
    if (!csv_check_count(ncu->csv, ncu->columns))
        return false;
    ncu->rows++;
    if (!same_launch(ncu) && !(flush(ncu) && begin_launch(ncu)))
        return false;
    return take_metric(ncu);
}

/* ---- the file ---- */

bool import_ncu_is_header(const struct csv_reader *csv) {
    return csv_find(csv, "Kernel Name") != CSV_NONE && csv_find(csv, "Metric Name") != CSV_NONE;
}

static bool read_header(struct ncu *ncu) {
    static const char *const names[COLUMNS] = {
        "ID",     "Process ID", "Kernel Name", "Metric Name", "Metric Unit", "Metric Value",
        "Stream", "Context",    "Grid Size",   "Block Size",  "Device",      "Invocations"};
    ncu->columns = csv_count(ncu->csv);
    for (int i = 0; i < COLUMNS; i++)
        ncu->at[i] = csv_find(ncu->csv, names[i]);
    ncu->summary = ncu->at[COLUMN_VALUE] == CSV_NONE;
    if (ncu->summary)
        ncu->at[COLUMN_VALUE] = csv_find(ncu->csv, "Average");
    if (ncu->at[COLUMN_UNIT] != CSV_NONE && ncu->at[COLUMN_VALUE] != CSV_NONE)
        return true;
    return csv_error(ncu->csv,
                     "the table has no columns 'Metric Unit' and 'Metric Value' or 'Average'");
}

static int read_rows(struct ncu *ncu) {
    if (!read_header(ncu))
        return CT_DATA;
    bool right = csv_read_rest(ncu->csv, read_row, ncu);
    if (!flush(ncu) || !right)
        return CT_DATA;
    if (!ncu->rows)
        return ct_data_error(ncu->diags, ncu->path,
                             "the table holds no kernels: is the file cut off?");
    if (ncu->kernels)
        import_resolution(ncu->builder, CT_PS_PER_NS);
    return CT_OK;
}

static int read_file(struct ncu *ncu) {
    enum csv_step step;
    csv_skip_prefix(ncu->csv, "==");
    while ((step = csv_next_line(ncu->csv)) == CSV_ROW)
        if (import_ncu_is_header(ncu->csv))
            return read_rows(ncu);
    if (step == CSV_END)
        ct_error(ncu->diags, ncu->path,
                 "holds no kernels: ncu profiled none, or did not print them as 'ncu --csv --page "
                 "details' does");
    return CT_DATA;
}

static int read_path(struct import_builder *builder, const char *path, bool kernels,
                     struct ct_diags *diags) {
    struct ncu ncu = {.builder = builder, .diags = diags, .path = path, .kernels = kernels};
    ncu.csv = csv_open(path, diags);
    int status = ncu.csv ? read_file(&ncu) : CT_DATA;
    free(ncu.launch.kernel);
    csv_close(ncu.csv);
    return status;
}

static int read_recording(struct import_builder *builder, const char *path,
                          struct ct_diags *diags) {
    return read_path(builder, path, true, diags);
}

static int read_metrics(struct import_builder *builder, const char *path, struct ct_diags *diags) {
    return read_path(builder, path, false, diags);
}

const struct import_format import_format_ncu = {
    .name = "ncu",
    .read = read_recording,
    .attach = read_metrics,
    .begins = {"==WARNING== No kernels were profiled"},
    .headers = {{{"Kernel Name", "Metric Name", "Metric Unit"}}, {{"==PROF== "}}},
    .metrics = {{"Metric Name", "Metric Unit"}}};
