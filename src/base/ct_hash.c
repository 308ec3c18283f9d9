#include "base/ct_hash.h"

#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

/* Powers of the prime modulo 2^128, {high, low}: of so many bytes that are zero. */
static const uint64_t powers[9][2] = {{UINT64_C(0x0), UINT64_C(0x1)},
                                      {UINT64_C(0x1000000), UINT64_C(0x13b)},
                                      {UINT64_C(0x276000000), UINT64_C(0x18399)},
                                      {UINT64_C(0x48acb000000), UINT64_C(0x1dced43)},
                                      {UINT64_C(0x773b50c000000), UINT64_C(0x24ad7f171)},
                                      {UINT64_C(0xb7637b735000000), UINT64_C(0x2d217b6160b)},
                                      {UINT64_C(0xec8e448442000000), UINT64_C(0x378832d0d1f89)},
                                      {UINT64_C(0x963b5bdcbf000000), UINT64_C(0x44549686f25cd93)},
                                      {UINT64_C(0x43792e6c98000005), UINT64_C(0x41415380c383f3e1)}};

static wide power(int zeros) {
    return ((wide)powers[zeros][0] << 64) | powers[zeros][1];
}

struct ct_hash ct_hash_start(void) {
    return (struct ct_hash){UINT64_C(0x6c62272e07bb0142), UINT64_C(0x62b821756295c58d)};
}

void ct_hash_bytes(struct ct_hash *hash, const void *bytes, size_t size) {
    const wide prime = power(1);
    wide state = ((wide)hash->high << 64) | hash->low;
    for (size_t i = 0; i < size; i++)
        state = (state ^ ((const unsigned char *)bytes)[i]) * prime;
    *hash = (struct ct_hash){(uint64_t)(state >> 64), (uint64_t)state};
}

/* Least significant byte first on every machine. Numbers are mostly zeros: those in a row are one
 * multiplication. */
void ct_hash_u64(struct ct_hash *hash, uint64_t value) {
    wide state = ((wide)hash->high << 64) | hash->low;
    int left = 8;
    while (value) {
        int zeros = __builtin_ctzll(value) / 8;
        value >>= 8 * zeros;
        state = (zeros ? state * power(zeros) : state) ^ (value & 0xff);
        state *= power(1);
        value >>= 8;
        left -= zeros + 1;
    }
    state *= power(left);
    *hash = (struct ct_hash){(uint64_t)(state >> 64), (uint64_t)state};
}

void ct_hash_add(struct ct_hash *hash, struct ct_hash part) {
    ct_hash_u64(hash, part.high);
    ct_hash_u64(hash, part.low);
}

bool ct_hash_file(struct ct_hash *hash, const char *path) {
    char bytes[4096];
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    for (size_t size; (size = fread(bytes, 1, sizeof bytes, file)) > 0;)
        ct_hash_bytes(hash, bytes, size);
    bool whole = !ferror(file);
    fclose(file);
    return whole;
}

void ct_hash_string(struct ct_hash *hash, const char *text) {
    if (!text) {
        ct_hash_u64(hash, UINT64_MAX);
        return;
    }
    size_t length = strlen(text);
    ct_hash_u64(hash, length);
    ct_hash_bytes(hash, text, length);
}

void ct_hash_double(struct ct_hash *hash, double value) {
    uint64_t bits;
    if (value == 0)
        value = 0;
    memcpy(&bits, &value, sizeof bits);
    ct_hash_u64(hash, bits);
}

void ct_hash_print(struct ct_hash hash, char text[CT_HASH_TEXT]) {
    snprintf(text, CT_HASH_TEXT, "%016llx%016llx", (unsigned long long)hash.high,
             (unsigned long long)hash.low);
}
