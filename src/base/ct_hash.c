#include "base/ct_hash.h"

#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

struct ct_hash ct_hash_start(void) {
    return (struct ct_hash){UINT64_C(0x6c62272e07bb0142), UINT64_C(0x62b821756295c58d)};
}

void ct_hash_bytes(struct ct_hash *hash, const void *bytes, size_t size) {
    const wide prime = ((wide)UINT64_C(0x1000000) << 64) | UINT64_C(0x13b);
    wide state = ((wide)hash->high << 64) | hash->low;
    for (size_t i = 0; i < size; i++)
        state = (state ^ ((const unsigned char *)bytes)[i]) * prime;
    *hash = (struct ct_hash){(uint64_t)(state >> 64), (uint64_t)state};
}

/* Least significant byte first on every machine. */
void ct_hash_u64(struct ct_hash *hash, uint64_t value) {
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
    ct_hash_bytes(hash, bytes, sizeof bytes);
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
