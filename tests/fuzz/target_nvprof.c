#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_import(&import_format_nvprof, data, size);
    return 0;
}
