/* Times of steps that were not recorded, in both directions. */
#include "cmocka_complete.h"
#include "workload/step_times.h"

#include <math.h>
#include <string.h>

/* 100 + size + size x context / 10, as weights, products and keys make it: the law is exact. */
static double truth(double size, double context) {
    return 100 + size + size * context / 10;
}

static struct workload_steps grid(struct workload_step *items) {
    static const int64_t sizes[] = {1, 4, 16}, contexts[] = {0, 64, 512};
    struct workload_steps steps = {items, 0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            items[steps.count++] =
                (struct workload_step){.size = sizes[i],
                                       .context = contexts[k],
                                       .kernel_ps = truth((double)sizes[i], (double)contexts[k])};
    return steps;
}

TEST(exact_between_and_beyond) {
    struct workload_step items[9];
    struct workload_steps steps = grid(items);
    const double sizes[] = {1, 2, 3, 4, 9, 16, 40}, contexts[] = {0, 1, 64, 300, 512, 1000};
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < 6; k++)
            assert_true(
                fabs(step_times_of(&steps, sizes[i], contexts[k]) / truth(sizes[i], contexts[k]) -
                     1) < 1e-12);
    assert_true(step_times_error(&steps) < 1e-12);
}

/* Fewer tokens are no more work, by either: a sequence that was recorded a little slower than two,
 * and no cache slower than a small one. */
TEST(no_less_than_the_lesser_neighbour) {
    static const int64_t at[] = {1, 2, 16, 17};
    static const double ps[] = {2000, 1700, 2000, 2600};
    struct workload_step of_sizes[4], of_contexts[4];
    for (int i = 0; i < 4; i++) {
        of_sizes[i] = (struct workload_step){.size = at[i], .kernel_ps = ps[i]};
        of_contexts[i] = (struct workload_step){.size = 1, .context = at[i], .kernel_ps = ps[i]};
    }
    struct workload_steps sizes = {of_sizes, 4}, contexts = {of_contexts, 4};
    assert_true(step_times_of(&sizes, 9, 0) == 1700);
    assert_true(step_times_of(&contexts, 1, 9) == 1700);
}

TEST(an_error_is_found) {
    struct workload_step items[9];
    struct workload_steps steps = grid(items);
    items[4].kernel_ps *= 2; /* of 4 sequences with 64 tokens: known only in the middle */
    assert_true(fabs(step_times_error(&steps) - 0.5) < 1e-9);
}

TEST(one_step_is_all) {
    struct workload_step step = {.size = 8, .context = 100, .kernel_ps = 5};
    struct workload_steps steps = {&step, 1};
    assert_true(step_times_of(&steps, 1, 0) == 5 && step_times_of(&steps, 99, 9) == 5);
    assert_true(isnan(step_times_error(&steps)));
}

TEST(nearest_by_ratio) {
    struct workload_step items[9];
    struct workload_steps steps = grid(items);
    const struct workload_step *near = step_times_nearest(&steps, 9, 511);
    assert_true(near->size == 16 && near->context == 512);
    near = step_times_nearest(&steps, 7, 3);
    assert_true(near->size == 4 && near->context == 0);
    near = step_times_nearest(&steps, 2, 40); /* as near to 1 as to 4: the first */
    assert_true(near->size == 1 && near->context == 64);
}
