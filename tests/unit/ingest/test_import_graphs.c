/* CUDA graphs: one call launches nodes that lie on several streams, or ran beside one. */
#include "builder_case.h"

/* A node of the graph that is launched at a microsecond. */
static void node(struct imported *im, int launch, uint64_t stream, int start, int duration) {
    struct import_record record = kernel_at(launch, start, duration);
    record.stream = stream;
    add(im, record);
}

/* The i-th task waits for these others and then lags so many microseconds. */
static void assert_node(const struct imported *im, size_t i, int lag, const int *on) {
    assert_waits(im, i, on);
    assert_int_equal(task(im, i)->lag_ps, lag * US);
}

/* There and back: what the other stream took is no gap of the first. */
IMPORT_TEST(to_another_stream_and_back, IMPORT_CUT_WHOLE) {
    node(im, 0, 7, 10, 20);
    node(im, 0, 20, 32, 40);
    node(im, 0, 7, 75, 5);
    assert_int_equal(finish(im), CT_OK);
    assert_node(im, 0, 0, (int[]){-1});
    assert_node(im, 1, 2, (int[]){0, -1});
    assert_node(im, 2, 3, (int[]){1, -1});
}

/* One on each of three streams, and one that all of them come before; who waits for 8 has waited
 * for 7. */
IMPORT_TEST(fork_and_join, IMPORT_CUT_WHOLE) {
    node(im, 0, 7, 10, 10);
    node(im, 0, 8, 21, 10);
    node(im, 0, 9, 22, 20);
    node(im, 0, 10, 23, 15);
    node(im, 0, 8, 32, 5);
    node(im, 0, 7, 43, 5);
    node(im, 0, 11, 50, 5);
    assert_int_equal(finish(im), CT_OK);
    assert_node(im, 1, 1, (int[]){0, -1});
    assert_node(im, 2, 2, (int[]){0, -1});
    assert_node(im, 3, 3, (int[]){0, -1});
    assert_node(im, 4, 1, (int[]){-1});
    assert_node(im, 5, 1, (int[]){2, 3, 4, -1});
    assert_node(im, 6, 2, (int[]){5, -1});
}

/* Nodes of another launch, and other kernels, are no part of a graph. */
IMPORT_TEST(one_launch_at_a_time, IMPORT_CUT_WHOLE) {
    node(im, 0, 7, 10, 10);
    node(im, 0, 8, 21, 10);
    node(im, 5, 9, 32, 10);
    node(im, 6, 10, 43, 10);
    node(im, 6, 9, 54, 10);
    assert_int_equal(finish(im), CT_OK);
    assert_node(im, 2, 0, (int[]){-1});
    assert_node(im, 3, 0, (int[]){-1});
    assert_node(im, 4, 1, (int[]){3, -1});
}

/* Two that ran beside a stream, and each other: the second has no gap before it. */
IMPORT_TEST(branches_that_overlap, IMPORT_CUT_WHOLE) {
    node(im, 0, 7, 10, 10);
    node(im, 0, 7, 20, 30);
    node(im, 0, 7, 22, 10);
    node(im, 0, 7, 27, 10);
    node(im, 0, 7, 52, 10);
    assert_int_equal(finish(im), CT_OK);
    assert_node(im, 2, 2, (int[]){0, -1});
    assert_node(im, 3, 0, (int[]){0, -1});
    assert_node(im, 4, 2, (int[]){3, -1});
}
