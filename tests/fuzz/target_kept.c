#include "fuzz.h"
#include "run/sim.h"

#include <stdlib.h>
#include <string.h>

/* The input with the number of today's layout in its first byte: where that is wrong, nothing is
 * read at all. */
static unsigned char *with_layout(const uint8_t *data, size_t size) {
    static const struct sim_result none;
    size_t length;
    unsigned char *sound = sim_result_encode(&none, &length), *copy = malloc(size + !size);
    FUZZ_OWES(sound && copy && length > 0);
    if (size) {
        memcpy(copy, data, size);
        copy[0] = sound[0];
    }
    free(sound);
    return copy;
}

/* A result that a sweep kept. What is taken must come out the same way again. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ct_arena arena = {0};
    struct sim_result result;
    unsigned char *input = with_layout(data, size);
    if (sim_result_decode(input, size, &arena, &result)) {
        size_t again;
        struct ct_arena other = {0};
        struct sim_result copy;
        unsigned char *bytes = sim_result_encode(&result, &again);
        FUZZ_OWES(bytes);
        FUZZ_OWES(sim_result_decode(bytes, again, &other, &copy));
        size_t third;
        unsigned char *once_more = sim_result_encode(&copy, &third);
        FUZZ_OWES(once_more && third == again);
        FUZZ_OWES(!bytes || !once_more || memcmp(bytes, once_more, again) == 0);
        sim_result_free(&copy);
        ct_arena_free(&other);
        free(bytes);
        free(once_more);
    }
    sim_result_free(&result);
    ct_arena_free(&arena);
    free(input);
    return 0;
}
