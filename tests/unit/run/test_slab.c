/* Telling objects of a run from pointers to anything else. */
#include "cmocka_complete.h"
#include "run/slab.h"

enum { COUNT = 40000, SIZE = 72 };

TEST(objects_of_all_pieces_are_told_from_what_lies_between_them) {
    struct slab slab = slab_of(SIZE), other = slab_of(SIZE);
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    static unsigned char *objects[COUNT];
    for (int i = 0; i < COUNT; i++)
        assert_non_null(objects[i] = slab_new(&slab, &arena));
    assert_true(slab.pieces.count > 5);
    void *foreign = slab_new(&other, &arena);
    /* In the order they were made, backwards, and each twice: the latest answer helps the next. */
    for (int i = 0; i < 2 * COUNT; i++) {
        const unsigned char *object = objects[i < COUNT ? i : 2 * COUNT - 1 - i];
        assert_true(slab_has(&slab, object));
        assert_true(slab_has(&slab, object));
        for (int byte = 1; byte < SIZE; byte++)
            assert_false(slab_has(&slab, object + byte));
        assert_false(slab_has(&slab, foreign));
        assert_false(slab_has(&slab, NULL));
        assert_false(slab_has(&other, object));
    }
    assert_true(slab_has(&other, foreign));
    slab_free(&slab);
    slab_free(&other);
    assert_false(slab_has(&slab, objects[0]));
    assert_false(slab_has(&slab, NULL));
}
