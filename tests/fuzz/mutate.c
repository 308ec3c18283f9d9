/* What libFuzzer, or fuzz_main.c in its place, calls to change an input: the target's mutator. */
#include "mutate.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    uint32_t state = seed | 1;
    return MUTATOR(data, size, most, &state);
}
