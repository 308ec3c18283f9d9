#include "fuzz.h"

/* A database as rocprofv3 writes it: a copy, two kernels, a wait, a range. */
static const char schema[] =
    "CREATE TABLE rocpd_string_a (id INTEGER, string TEXT);"
    "INSERT INTO rocpd_string_a VALUES (1, 'hipLaunchKernel'), (2, 'hipMemcpy'),"
    "(3, 'hipStreamSynchronize'), (4, 'MEMORY_COPY_HOST_TO_DEVICE'), (5, 'roctxThreadRangeA');"
    "CREATE TABLE rocpd_info_agent_a (id INTEGER, type TEXT, type_index INTEGER, name TEXT,"
    "model_name TEXT, product_name TEXT);"
    "INSERT INTO rocpd_info_agent_a VALUES (0, 'CPU', 0, 'host', '', ''),"
    "(4, 'GPU', 0, 'gfx942', '', 'AMD Instinct MI300X');"
    "CREATE TABLE rocpd_info_kernel_symbol_a (id INTEGER, kernel_name TEXT, display_name TEXT,"
    "arch_vgpr_count INTEGER, accum_vgpr_count INTEGER);"
    "INSERT INTO rocpd_info_kernel_symbol_a VALUES (1, 'gemm.kd', 'gemm<1>', 24, 8);"
    "CREATE TABLE rocpd_event_a (id INTEGER, stack_id INTEGER, extdata TEXT);"
    "INSERT INTO rocpd_event_a VALUES (1, 1, '{}'), (2, 2, '{}'), (3, 3, '{}'), (4, 4, '{}'),"
    "(5, 5, '{\"message\": \"mark\"}');"
    "CREATE TABLE rocpd_region_a (pid INTEGER, tid INTEGER, start BIGINT, end BIGINT,"
    "name_id INTEGER, event_id INTEGER);"
    "INSERT INTO rocpd_region_a VALUES (5, 9, 2000, 9000, 2, 1), (5, 9, 10000, 12000, 1, 2),"
    "(5, 9, 14000, 15000, 1, 3), (5, 9, 16000, 52000, 3, 4), (5, 9, 1000, 60000, 5, 5);"
    "CREATE TABLE rocpd_kernel_dispatch_a (pid INTEGER, agent_id INTEGER, kernel_id INTEGER,"
    "stream_id INTEGER, start BIGINT, end BIGINT, group_segment_size INTEGER,"
    "workgroup_size_x INTEGER, workgroup_size_y INTEGER, workgroup_size_z INTEGER,"
    "grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER, event_id INTEGER);"
    "INSERT INTO rocpd_kernel_dispatch_a VALUES"
    "(5, 4, 1, 2, 13000, 30000, 48, 128, 1, 1, 5120, 2, 1, 2),"
    "(5, 4, 1, 3, 30000, 50000, 48, 128, 1, 1, 5120, 2, 1, 3);"
    "CREATE TABLE rocpd_memory_copy_a (pid INTEGER, start BIGINT, end BIGINT, name_id INTEGER,"
    "dst_agent_id INTEGER, src_agent_id INTEGER, size INTEGER, stream_id INTEGER,"
    "event_id INTEGER);"
    "INSERT INTO rocpd_memory_copy_a VALUES (5, 3000, 8000, 4, 4, 0, 4096, 2, 1);";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct fuzz_store store;
    fuzz_import_edited(&store, schema, &import_format_rocpd, data, size);
    return 0;
}
