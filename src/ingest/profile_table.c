#include "ingest/profile_table.h"

#include <stdio.h>
#include <string.h>

const char *profile_cell(const struct profile_table *table, enum profile_column column) {
    return csv_get(table->csv, table->at[column]);
}

bool profile_mistake(const struct profile_table *table, enum profile_column column,
                     const char *expected) {
    return csv_error(table->csv, "'%s' is no %s in column '%s'", profile_cell(table, column),
                     expected, table->names[column]);
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

/* A size in a unit, rounded to whole bytes. False when it is no number, negative, or above 2^53. */
static bool parse_bytes(const char *text, double factor, uint64_t *bytes) {
    double number;
    const char *rest = csv_scan_number(text, &number);
    if (!rest || *rest || number < 0 || number * factor > 0x1p53)
        return false;
    *bytes = (uint64_t)nearbyint(number * factor);
    return true;
}

static bool read_bytes(const struct profile_table *table, enum profile_column column,
                       uint64_t *bytes) {
    return parse_bytes(profile_cell(table, column), table->byte_factors[column], bytes) ||
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

/* The host side's memory from the kinds of source and destination ("Pageable", "Pinned", "Device"
 * ...). */
static enum trace_memory host_memory(enum trace_direction direction, const char *source,
                                     const char *destination) {
    const char *host = direction == TRACE_HOST_TO_DEVICE ? source : destination;
    if (direction == TRACE_DEVICE_TO_DEVICE)
        return TRACE_MEMORY_UNKNOWN;
    if (strcmp(host, "Pageable") == 0)
        return TRACE_PAGEABLE;
    return strcmp(host, "Pinned") == 0 ? TRACE_PINNED : TRACE_MEMORY_UNKNOWN;
}

bool profile_read_transfer(const struct profile_table *table, enum profile_op op,
                           struct import_record *record) {
    record->kind = op == PROFILE_COPY ? TRACE_COPY : TRACE_MEMSET;
    if (op == PROFILE_COPY)
        record->memory = host_memory(record->direction, profile_cell(table, PROFILE_SOURCE_MEMORY),
                                     profile_cell(table, PROFILE_DESTINATION_MEMORY));
    return read_bytes(table, PROFILE_SIZE, &record->bytes);
}

/* "GeForce GTX 1080 Ti (0)" into title and index; without an index the device is 0. False when the
 * title is cut. */
static bool split_device(const char *text, char *title, size_t size, int *device) {
    const char *open = strrchr(text, '(');
    size_t length = strlen(text);
    char digits[12] = "";
    uint64_t number = 0;
    if (open && length && text[length - 1] == ')' &&
        text + length - open < (ptrdiff_t)sizeof digits)
        memcpy(digits, open + 1, (size_t)(text + length - 1 - open - 1));
    *device = 0;
    if (csv_parse_count(digits, 1 << 20, &number)) {
        *device = (int)number;
        length = (size_t)(open - text);
    }
    while (length && text[length - 1] == ' ')
        length--;
    snprintf(title, size, "%.*s", (int)(length < size ? length : size - 1), text);
    return length < size;
}

bool profile_read_device(const struct profile_table *table, struct import_builder *builder,
                         struct import_record *record) {
    char title[128];
    const char *text = profile_cell(table, PROFILE_DEVICE);
    if (!*text || !split_device(text, title, sizeof title, &record->device))
        return profile_mistake(table, PROFILE_DEVICE, "device");
    import_gpu(builder, record->device, &(struct import_gpu){.title = title});
    return true;
}

/* What stands behind "memcpy ", up to its bracket. Peer-to-peer and array copies count as device to
 * device. */
static enum profile_op copy_op(const char *kind, enum trace_direction *direction) {
    static const struct {
        const char *kind, *newer;
        enum profile_op op;
        enum trace_direction direction;
    } kinds[] = {{"HtoD]", "Host-to-Device]", PROFILE_COPY, TRACE_HOST_TO_DEVICE},
                 {"HtoA]", "Host-to-Array]", PROFILE_COPY, TRACE_HOST_TO_DEVICE},
                 {"DtoH]", "Device-to-Host]", PROFILE_COPY, TRACE_DEVICE_TO_HOST},
                 {"AtoH]", "Array-to-Host]", PROFILE_COPY, TRACE_DEVICE_TO_HOST},
                 {"DtoD]", "Device-to-Device]", PROFILE_COPY, TRACE_DEVICE_TO_DEVICE},
                 {"DtoA]", "Device-to-Array]", PROFILE_COPY, TRACE_DEVICE_TO_DEVICE},
                 {"AtoD]", "Array-to-Device]", PROFILE_COPY, TRACE_DEVICE_TO_DEVICE},
                 {"AtoA]", "Array-to-Array]", PROFILE_COPY, TRACE_DEVICE_TO_DEVICE},
                 {"PtoP]", "Peer-to-Peer]", PROFILE_COPY, TRACE_DEVICE_TO_DEVICE},
                 {"HtoH]", "Host-to-Host]", PROFILE_HOST_COPY, TRACE_DEVICE_TO_DEVICE}};
    for (size_t i = 0; i < CT_COUNT_OF(kinds); i++)
        if (strcmp(kind, kinds[i].kind) == 0 || strcmp(kind, kinds[i].newer) == 0) {
            *direction = kinds[i].direction;
            return kinds[i].op;
        }
    return PROFILE_OTHER;
}

enum profile_op profile_read_op(const struct profile_table *table,
                                enum trace_direction *direction) {
    const char *name = profile_cell(table, PROFILE_NAME);
    static const char copy[] = "[CUDA memcpy ";
    if (*name != '[')
        return PROFILE_KERNEL;
    if (name[strlen(name) - 1] != ']')
        return PROFILE_CUT_OFF;
    if (strcmp(name, "[CUDA memset]") == 0)
        return PROFILE_MEMSET;
    if (strncmp(name, copy, sizeof copy - 1) == 0)
        return copy_op(name + sizeof copy - 1, direction);
    return PROFILE_OTHER;
}

bool profile_pass_over(const struct profile_table *table, struct import_builder *builder,
                       enum profile_op op) {
    if (op == PROFILE_CUT_OFF)
        return csv_error(table->csv, "the name '%s' is cut off", profile_cell(table, PROFILE_NAME));
    import_leave_out(builder, op == PROFILE_OTHER ? "unified memory or other event"
                                                  : "copy within host memory");
    return true;
}
