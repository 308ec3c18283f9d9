/* The content hash: FNV-1a of 128 bits, whatever is added how. */
#include "base/ct_hash.h"
#include "cmocka_complete.h"

static void expect_text(struct ct_hash hash, const char *expected) {
    char text[CT_HASH_TEXT];
    ct_hash_print(hash, text);
    assert_string_equal(text, expected);
}

/* Vectors of the algorithm's authors (draft-eastlake-fnv, appendix C). */
TEST(published_values) {
    struct ct_hash hash = ct_hash_start();
    expect_text(hash, "6c62272e07bb014262b821756295c58d");
    ct_hash_bytes(&hash, "a", 1);
    expect_text(hash, "d228cb696f1a8caf78912b704e4a8964");
    hash = ct_hash_start();
    ct_hash_bytes(&hash, "foobar", 6);
    expect_text(hash, "343e1662793c64bf6f0d3597ba446f18");
}

/* A number is its eight bytes, the least significant one first, wherever they are zero. */
TEST(numbers_are_bytes) {
    static const uint64_t numbers[] = {0,
                                       1,
                                       0xff,
                                       0x100,
                                       0xff00ff,
                                       1ull << 63,
                                       UINT64_MAX,
                                       0x0102030405060708,
                                       0xff00000000000000,
                                       0x00ff00000000ff00};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        for (int shift = 0; shift < 64; shift += 4) {
            uint64_t number = numbers[i] >> shift;
            unsigned char bytes[8];
            for (int b = 0; b < 8; b++)
                bytes[b] = (unsigned char)(number >> (8 * b));
            struct ct_hash one = ct_hash_start(), other = one;
            ct_hash_u64(&one, number);
            ct_hash_bytes(&other, bytes, sizeof bytes);
            assert_true(one.high == other.high && one.low == other.low);
        }
    }
}
