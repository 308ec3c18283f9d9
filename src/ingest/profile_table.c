#include "ingest/profile_table.h"

const char *profile_cell(const struct profile_table *table, enum profile_column column) {
    return csv_get(table->csv, table->at[column]);
}

bool profile_mistake(const struct profile_table *table, enum profile_column column,
                     const char *expected) {
    csv_error(table->csv, "'%s' is no %s in column '%s'", profile_cell(table, column), expected,
              table->names[column]);
    return false;
}

static bool read_number(const struct profile_table *table, enum profile_column column,
                        uint64_t most, uint64_t *value) {
    return csv_parse_count(profile_cell(table, column), most, value) ||
           profile_mistake(table, column, "whole number");
}

bool profile_read_count(const struct profile_table *table, enum profile_column column,
                        uint64_t *value) {
    return read_number(table, column, UINT64_MAX, value);
}

static bool read_small(const struct profile_table *table, enum profile_column column,
                       uint32_t *value) {
    uint64_t number;
    if (!read_number(table, column, UINT32_MAX, &number))
        return false;
    *value = (uint32_t)number;
    return true;
}

static bool read_bytes(const struct profile_table *table, enum profile_column column,
                       uint64_t *bytes) {
    return profile_parse_bytes(profile_cell(table, column), table->byte_factors[column], bytes) ||
           profile_mistake(table, column, "size");
}

bool profile_read_geometry(const struct profile_table *table, struct import_record *record) {
    for (unsigned i = 0; i < 3; i++)
        if (!read_small(table, PROFILE_GRID + i, &record->grid[i]) ||
            !read_small(table, PROFILE_BLOCK + i, &record->block[i]))
            return false;
    record->geometry_known = true;
    return profile_read_count(table, PROFILE_REGISTERS, &record->registers_per_thread) &&
           read_bytes(table, PROFILE_STATIC_SMEM, &record->static_smem_bytes) &&
           read_bytes(table, PROFILE_DYNAMIC_SMEM, &record->dynamic_smem_bytes);
}

bool profile_read_transfer(const struct profile_table *table, enum profile_op op,
                           struct import_record *record) {
    record->kind = op == PROFILE_COPY ? TRACE_COPY : TRACE_MEMSET;
    if (op == PROFILE_COPY)
        record->memory =
            profile_memory(record->direction, profile_cell(table, PROFILE_SOURCE_MEMORY),
                           profile_cell(table, PROFILE_DESTINATION_MEMORY));
    return read_bytes(table, PROFILE_SIZE, &record->bytes);
}

bool profile_read_device(const struct profile_table *table, struct import_builder *builder,
                         struct import_record *record) {
    char title[128];
    const char *text = profile_cell(table, PROFILE_DEVICE);
    if (!*text || !profile_split_device(text, title, sizeof title, &record->device))
        return profile_mistake(table, PROFILE_DEVICE, "device");
    import_device(builder, record->device, title);
    return true;
}
