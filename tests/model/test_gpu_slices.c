/*
 * Where instances of MIG may begin, against the tables of NVIDIA's MIG User Guide (placements of
 * profiles, `nvidia-smi mig -lgipp`): for GPUs of seven compute and eight memory slices 1g at 0 to
 * 6, 1g of twice the memory at 0, 2, 4, 6, 2g at 0, 2, 4, 3g at 0 and 4, 4g and 7g at 0; for those
 * of four slices 1g at 0 to 3, 2g at 0 and 2, 4g at 0.
 */
#include "cmocka_complete.h"
#include "models/device/gpu_slices.h"

#include <string.h>

struct row {
    int64_t compute, memory;
    uint32_t starts; /* bits */
};

static void expect(const char *mig, int64_t sms, const struct row *rows, size_t count) {
    struct gpu_slice slices[GPU_SLICES_MOST];
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    assert_int_equal(count, gpu_slices(mig, sms, "test", slices, &diags));
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(rows[i].compute, slices[i].compute);
        assert_int_equal(rows[i].memory, slices[i].memory);
        assert_int_equal(rows[i].starts, gpu_slice_starts(&slices[i], &slices[count - 1]));
    }
}

static const struct row sevenths[] = {{1, 1, 0x7f}, {1, 2, 0x55}, {2, 2, 0x15},
                                      {3, 4, 0x11}, {4, 4, 0x01}, {7, 8, 0x01}};

TEST(a100) {
    expect("1g.5gb:14:1 1g.10gb:14:2 2g.10gb:28:2 3g.20gb:42:4 4g.20gb:56:4 7g.40gb:98:8", 108,
           sevenths, 6);
}

TEST(h100) {
    expect("1g.10gb:16:1 1g.20gb:26:2 2g.20gb:32:2 3g.40gb:60:4 4g.40gb:64:4 7g.80gb:132:8", 132,
           sevenths, 6);
}

TEST(a30) {
    static const struct row quarters[] = {{1, 1, 0xf}, {2, 2, 0x5}, {4, 4, 0x1}};
    expect("1g.6gb:14:1 2g.12gb:28:2 4g.24gb:56:4", 56, quarters, 3);
}

TEST(names) {
    struct gpu_slice slices[GPU_SLICES_MOST];
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    size_t count = gpu_slices("1g.5gb:14:1 1g.10gb:14:2 7g.40gb:98:8", 108, "test", slices, &diags);
    assert_int_equal(1, gpu_slice_find(slices, count, "1g.10gb", 7));
    assert_int_equal(0, gpu_slice_find(slices, count, "1g", 2));
    assert_int_equal(2, gpu_slice_find(slices, count, "7g+1g", 2));
    assert_int_equal(count, gpu_slice_find(slices, count, "1", 1));
    assert_int_equal(count, gpu_slice_find(slices, count, "3g.20gb", 7));
}
