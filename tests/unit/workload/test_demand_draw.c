/* What a kernel asks for at a place of its class's distribution. */
#include "cmocka_complete.h"
#include "workload/demand.h"

static const struct demand_cell cell = {.quantiles = {0.1, 0.2, 0.2, 0.3, 0.5, 0.6, 0.8, 0.85, 0.9},
                                        .units = {0.1, 0.1, 0.2, 0.3, 0.4, 0.7, 0.8, 0.9, 1}};

TEST(quantiles_are_met) {
    const double levels[DEMAND_LEVELS] = {0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1};
    for (int i = 0; i < DEMAND_LEVELS; i++)
        assert_float_equal(demand_quantile_at(cell.quantiles, levels[i]), cell.quantiles[i], 1e-15);
}

TEST(straight_between_them) {
    assert_float_equal(demand_quantile_at(cell.quantiles, 0.025), 0.15, 1e-12);
    assert_float_equal(demand_quantile_at(cell.quantiles, 0.07), 0.2, 1e-12);
    assert_float_equal(demand_quantile_at(cell.quantiles, 0.3), 0.34, 1e-12);
    assert_float_equal(demand_quantile_at(cell.quantiles, 0.99), 0.89, 1e-12);
}

/* By class and launch, a class at its place: "gemm" of 1 block, then of more than fit. */
TEST(by_class_and_launch) {
    struct demand_file file = {.gpu = "g"};
    file.cells[KERNEL_GEMM][1] = cell;
    struct demand_draw draw = {.file = &file};
    draw.levels[KERNEL_GEMM] = 0.5;
    struct gpu gpu = {.sms = 2,
                      .threads_per_sm = 2048,
                      .blocks_per_sm = 32,
                      .registers_per_sm = 65536,
                      .smem_per_sm_bytes = 98304,
                      .smem_per_block_bytes = 98304};
    struct trace_kernel kernel = {.name = "sgemm", .grid = {1, 1, 1}, .block = {1024, 1, 1}};
    assert_float_equal(demand_draw_of(&draw, &kernel, &gpu), 0, 1e-15);
    kernel.grid[0] = 1000;
    assert_float_equal(demand_draw_of(&draw, &kernel, &gpu), 0.5, 1e-15);
    assert_float_equal(demand_units_of(&file, &kernel, &gpu, 0.5), 0.4, 1e-15);
    assert_float_equal(demand_units_of(&file, &kernel, &gpu, 1), 1, 1e-15);
    file.cells[KERNEL_GEMM][0] = cell;
    kernel.grid[0] = 1; /* of two SMs it covers one */
    assert_float_equal(demand_units_of(&file, &kernel, &gpu, 0.5), 0.4, 1e-15);
    assert_float_equal(demand_units_of(&file, &kernel, &gpu, 1), 0.5, 1e-15);
    kernel.grid[0] = 1000;
    kernel.name = "softmax";
    assert_float_equal(demand_draw_of(&draw, &kernel, &gpu), 0, 1e-15);
}
