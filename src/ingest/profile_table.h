/*
 * The table of device records that nvprof (--print-gpu-trace) and nsys (cuda_gpu_trace) write: the
 * same columns under other names, found by their header.
 */
#ifndef PROFILE_TABLE_H
#define PROFILE_TABLE_H

#include "ingest/profile_text.h"

enum profile_column {
    PROFILE_START,
    PROFILE_DURATION,
    PROFILE_GRID,
    PROFILE_BLOCK = PROFILE_GRID + 3,
    PROFILE_REGISTERS = PROFILE_BLOCK + 3,
    PROFILE_STATIC_SMEM,
    PROFILE_DYNAMIC_SMEM,
    PROFILE_SIZE,
    PROFILE_SOURCE_MEMORY,
    PROFILE_DESTINATION_MEMORY,
    PROFILE_DEVICE,
    PROFILE_CONTEXT,
    PROFILE_STREAM,
    PROFILE_NAME,
    PROFILE_COLUMNS
};

struct profile_table {
    struct csv_reader *csv;
    const char *const *names;            /* of the columns, in messages */
    size_t columns, at[PROFILE_COLUMNS]; /* of the header; CSV_NONE: not there */
    int decimals[PROFILE_DURATION + 1];  /* of a picosecond */
    double byte_factors[PROFILE_SIZE + 1];
};

enum profile_op {
    PROFILE_KERNEL,
    PROFILE_COPY,
    PROFILE_MEMSET,
    /* From here on the row is no record of the device. */
    PROFILE_HOST_COPY,
    PROFILE_OTHER,
    PROFILE_CUT_OFF
};

/* The text of a cell of the current row. */
const char *profile_cell(const struct profile_table *table, enum profile_column column);

/* Records that the cell is no `expected`; false. */
bool profile_mistake(const struct profile_table *table, enum profile_column column,
                     const char *expected);

/* A cell of the current row as a whole number. False after an error. */
bool profile_read_count(const struct profile_table *table, enum profile_column column,
                        uint64_t *value);

/* The shape of a kernel's launch, its registers and its shared memory. False after an error. */
bool profile_read_geometry(const struct profile_table *table, struct import_record *record);

/*
 * What a row's name says it is: "[CUDA memcpy HtoD]", "[CUDA memcpy Host-to-Device]", "[CUDA
 * memset]"; other names in brackets ("[Unified Memory ...]") are PROFILE_OTHER, a bracket that does
 * not close is PROFILE_CUT_OFF.
 */
enum profile_op profile_read_op(const struct profile_table *table, enum trace_direction *direction);

/*
 * Whether a row that is no device record was dealt with: left out with its reason, or (false) an
 * error for a name that is cut off. For PROFILE_HOST_COPY, PROFILE_OTHER and PROFILE_CUT_OFF.
 */
bool profile_pass_over(const struct profile_table *table, struct import_builder *builder,
                       enum profile_op op);

/* What a copy or a memset moves. False after an error. */
bool profile_read_transfer(const struct profile_table *table, enum profile_op op,
                           struct import_record *record);

/* The device of a row, told to the builder, too. False after an error. */
bool profile_read_device(const struct profile_table *table, struct import_builder *builder,
                         struct import_record *record);

#endif
