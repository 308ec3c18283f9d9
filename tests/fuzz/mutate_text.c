/* How the fuzzer changes text: besides its own ways, a number or a word becomes another that
 * readers tend to trip over, and a piece is doubled or left out. */
#include "mutate.h"

#include <string.h>

static const char *const values[] = {"0",
                                     "-1",
                                     "1",
                                     "2",
                                     "255",
                                     "1024",
                                     "65536",
                                     "2147483648",
                                     "4294967295",
                                     "4294967296",
                                     "9007199254740993",
                                     "9223372036854775807",
                                     "9223372036854775808",
                                     "-9223372036854775808",
                                     "18446744073709551615",
                                     "99999999999999999999999",
                                     "0.5",
                                     "-0.0",
                                     "1e-320",
                                     "1e18",
                                     "1e308",
                                     "1e999",
                                     "nan",
                                     "inf",
                                     "null",
                                     "true",
                                     "\"\"",
                                     "\"x\"",
                                     "[]",
                                     "{}",
                                     "[1,2,3]"};

static bool is_word(uint8_t c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '-' || c == '+' || c == '_' || c == '"';
}

/* Replaces `length` bytes at `at`; the size stays below `most`. */
static size_t replace(uint8_t *data, size_t size, size_t most, size_t at, size_t length,
                      const void *with, size_t with_length) {
    if (size - length + with_length > most)
        return size;
    memmove(data + at + with_length, data + at + length, size - at - length);
    memcpy(data + at, with, with_length);
    return size - length + with_length;
}

static size_t replace_word(uint8_t *data, size_t size, size_t most, uint32_t *state) {
    size_t begin = mutate_below(state, size), end;
    while (begin < size && !is_word(data[begin]))
        begin++;
    while (begin > 0 && is_word(data[begin - 1]))
        begin--;
    for (end = begin; end < size && is_word(data[end]); end++)
        continue;
    const char *value = mutate_value(state);
    return replace(data, size, most, begin, end - begin, value, strlen(value));
}

/* From one separator to the next. */
static size_t change_piece(uint8_t *data, size_t size, size_t most, uint32_t *state) {
    uint8_t piece[512];
    size_t begin = mutate_below(state, size), end = begin;
    static const char separators[] = ",\n{[";
    char separator = separators[mutate_below(state, sizeof separators - 1)];
    while (begin > 0 && data[begin] != (uint8_t)separator)
        begin--;
    for (end = begin + 1; end < size && data[end] != (uint8_t)separator; end++)
        continue;
    if (end > size)
        return size;
    if (mutate_below(state, 2))
        return replace(data, size, most, begin, end - begin, "", 0);
    size_t length = end - begin < sizeof piece ? end - begin : sizeof piece;
    memcpy(piece, data + begin, length);
    return replace(data, size, most, mutate_below(state, 2) ? begin : mutate_below(state, size), 0,
                   piece, length);
}

const char *mutate_value(uint32_t *state) {
    return values[mutate_below(state, CT_COUNT_OF(values))];
}

size_t mutate_text(uint8_t *data, size_t size, size_t most, uint32_t *state) {
    uint32_t way = (uint32_t)mutate_below(state, 4);
    if (size < 4 || way == 0)
        return LLVMFuzzerMutate(data, size, most);
    size_t rounds = 1 + mutate_below(state, 3);
    while (rounds-- > 0 && size >= 4)
        size = way == 1 ? change_piece(data, size, most, state)
                        : replace_word(data, size, most, state);
    return size;
}
