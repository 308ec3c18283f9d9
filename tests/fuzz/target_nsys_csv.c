#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_import(&import_format_nsys, data, size); /* which tells text from a database */
    return 0;
}
