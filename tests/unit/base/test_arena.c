/* Texts with a format in an arena. */
#include "base/ct_arena.h"
#include "cmocka_complete.h"

#include <stdlib.h>
#include <string.h>

/* Longer than any block of the arena, between two short ones. */
TEST(texts_are_kept_whole) {
    enum { LONG = 3 * 1024 * 1024 };
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    const char *first = ct_arena_format(&arena, "%s.%d", "gpu", 7);
    const char *longest = ct_arena_format(&arena, "%*d", LONG, 12);
    const char *last = ct_arena_format(&arena, "%s", "");
    assert_string_equal(first, "gpu.7");
    assert_int_equal(strlen(longest), LONG);
    assert_string_equal(longest + LONG - 3, " 12");
    assert_string_equal(last, "");
}
