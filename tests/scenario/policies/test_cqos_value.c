/* What a decision of C-QoS is worth: Eq. 2 to 12 on a scene, computed by hand. */
#include "cqos_case.h"

static const struct cqos_weights numerator = {.qos = 10, .use = 1};

/*
 * 8 of 16 SMs from idle, target 30, one task of two has ended after 4. Latency 4 + 20. Eq. 8:
 * Q = 1 + (2 - 24 / 30) / 2 = 1.6. 80 blocks take 80 x 0.25 / 16 = 1.25 of the four resources:
 * Eq. 10 C = 1.25 / (4 x 2) = 0.15625. Eq. 9 adds 1 - 8 / 16. Eq. 11: 16.65625 / 0.15625 = 106.6.
 */
TEST(value_is_equations_8_to_11) {
    start_scene();
    struct cqos_app *app = add_app(0, 30);
    app->tasks = 2;
    app->elapsed_ps = app->spent_ps = 4;
    app->kernel = kernel_of(1);
    struct cqos_partition partition = {.taker = 0, .sms = {8}};
    struct cqos_decision decision = {&partition, CQOS_NOBODY, 0, false};
    assert_near(cqos_value(&scene, &over_cost, &decision), 106.6);
    assert_near(cqos_value(&scene, &numerator, &decision), 16.15625);
    /* Too late: Q is 0. Half of the job still to come, at its own pace: 24 + 6 is just in time. */
    app->target_ps = 20;
    assert_near(cqos_value(&scene, &over_cost, &decision), 4.2);
    app->target_ps = 30;
    app->rest_ps = 6;
    assert_near(latency(&partition, &over_cost, 0), 30);
    assert_true(cqos_value(&scene, &numerator, &decision) > 10);
    /* Nothing in use: 0. */
    partition.sms[0] = 0;
    partition.taker = CQOS_NOBODY;
    assert_near(cqos_value(&scene, &over_cost, &decision), 0);
}

/* What the second term of Eq. 9 adds for each app, as its size and as printed. */
static void check_steadiness(const struct cqos_partition *partition, double absolute,
                             double signed_) {
    struct cqos_decision decision = {partition, CQOS_NOBODY, 0, false};
    double without = cqos_value(&scene, &numerator, &decision);
    struct cqos_weights weights = numerator;
    weights.change = CQOS_CHANGE_ABSOLUTE;
    assert_near(cqos_value(&scene, &weights, &decision) - without, absolute * scene.count);
    weights.change = CQOS_CHANGE_PRINTED;
    assert_near(cqos_value(&scene, &weights, &decision) - without, signed_ * scene.count);
}

/*
 * 80 blocks: ten on each of 8 SMs, dominant share 1; five on each of 16, share 0.5. The 8 that are
 * kept change by -0.5, the 8 that are taken by 0.5: 1 - 8 / 16, and as printed 1 - 0. Then A gives
 * 4 of its 8 SMs of share 1 to B, which takes 4 idle ones, too, and has 40 blocks on 8 SMs, share
 * 0.5: 1 - (4 x 0.5 + 4 x 0.5) / 16, and as printed 1 - (4 x -0.5 + 4 x 0.5) / 16.
 */
TEST(changes_are_equation_9) {
    struct cqos_partition grows = {.taker = 0, .sms = {16}}, moves = {.taker = 1, .sms = {4, 8}};
    start_scene();
    struct cqos_app *a = add_app(8, 100);
    a->kernel = kernel_of(1);
    a->kernel.blocks = 80;
    check_steadiness(&grows, 0.5, 1);
    a->kernel.blocks = 160;
    struct cqos_app *b = add_app(0, 100);
    b->kernel = kernel_of(1);
    b->kernel.blocks = 40;
    check_steadiness(&moves, 0.75, 1);
}

/*
 * A kernel on 8 SMs that ends in 20 and a copy of 5 on the link, target 100: Q = 1.75, U = 0.3125 +
 * 1. Eq. 10 counts the link for each of four resources and takes a quarter: C = 0.3125 + 1.
 */
TEST(the_link_costs_as_much_as_all_sms) {
    struct cqos_partition hold = {.taker = CQOS_NOBODY, .sms = {8}};
    struct cqos_decision decision = {&hold, CQOS_NOBODY, 0, false};
    start_scene();
    struct cqos_app *app = add_app(8, 100);
    app->kernel = kernel_of(1);
    app->copies[0] =
        (struct cqos_copy){.there = true, .running = true, .left_ps = 5, .bandwidth = 1};
    scene.busy_ps[0] = 5;
    assert_near(cqos_value(&scene, &over_cost, &decision), 18.8125 / 1.3125);
}

/*
 * Eq. 7: A's kernel ends in 20 and its copy of 5 follows; B's copy of 30 would have the link then.
 * B's is launched: A's waits 10, 20 + 10 + 5. B's waits for the first kernel's end: 20 + 30. Copies
 * that are under way count alike. With tasks of 4 between A's kernel and its copy that waits 6.
 */
TEST(copies_to_come_wait_for_the_link) {
    struct cqos_partition hold = {.taker = CQOS_NOBODY, .sms = {8, 0}};
    struct cqos_decision launch = {&hold, 1, 0, false}, rest = {&hold, CQOS_NOBODY, 0, true};
    start_scene();
    struct cqos_app *a = add_app(8, 100), *b = add_app(0, 100);
    a->kernel = kernel_of(1);
    a->rest_ps = 5;
    a->copy_follows = true;
    a->next_copy = (struct cqos_copy){.there = true, .left_ps = 5, .bandwidth = 1};
    b->copies[0] = (struct cqos_copy){.there = true, .left_ps = 30, .bandwidth = 1};
    assert_near(cqos_latency(&scene, &numerator, &launch, 0), 35);
    assert_near(cqos_latency(&scene, &numerator, &launch, 1), 30);
    assert_near(cqos_latency(&scene, &numerator, &rest, 0), 25);
    assert_near(cqos_latency(&scene, &numerator, &rest, 1), 50);
    b->copies[0].running = true;
    scene.busy_ps[0] = 30;
    assert_near(latency(&hold, &numerator, 0), 35);
    a->before_copy_ps = 4;
    a->rest_ps = 9;
    assert_near(latency(&hold, &numerator, 0), 35);
    a->rest_ps = 5 + 12;
    a->before_copy_ps = 12;
    assert_near(latency(&hold, &numerator, 0), 37);
}

/* All that is not ready yet is predicted under the decision: twice as long on half of the SMs. */
TEST(later_tasks_follow_the_decision) {
    static const double slowdown[CQOS_SMS_MOST + 1] = {[0] = 1, [8] = 2, [16] = 1};
    start_scene();
    struct cqos_app *app = add_app(0, 30);
    app->kernel = kernel_of(1);
    app->rest_ps = 7;
    app->slowdown = slowdown;
    struct cqos_partition half = {.taker = 0, .sms = {8}}, all = {.taker = 0, .sms = {16}};
    assert_near(latency(&half, &over_cost, 0), 20 + 14);
    assert_near(latency(&all, &over_cost, 0), 10 + 7);
}

/*
 * A has 16 SMs and half of its kernel left: 5. B takes all: it starts after a block of A (Eq. 5: 10
 * + 2), and A goes on after it (Eq. 6: 5 + 12). B takes 8: 20 + 2, and A goes on with 8: 10; to the
 * letter it waits for B: 32. All held, B waits 5 for A and then has its SMs: 15.
 */
TEST(preemption_is_equations_5_and_6) {
    struct cqos_partition all = {.taker = 1, .sms = {0, 16}}, half = {.taker = 1, .sms = {8, 8}};
    struct cqos_partition hold = {.taker = CQOS_NOBODY, .sms = {16, 0}};
    struct cqos_weights every = {.every_victim = true};
    start_scene();
    add_app(16, 100)->kernel = kernel_of(0.5);
    add_app(0, 100)->kernel = kernel_of(1);
    assert_near(latency(&all, &over_cost, 1), 12);
    assert_near(latency(&all, &over_cost, 0), 17);
    assert_near(latency(&half, &over_cost, 1), 22);
    assert_near(latency(&half, &over_cost, 0), 10);
    assert_near(latency(&half, &every, 0), 32);
    assert_near(latency(&hold, &over_cost, 1), 15);
    /* An idle SM beside those of A: nobody drains. */
    scene.apps[0].sms = 15;
    assert_near(latency(&all, &over_cost, 1), 10);
    /* All held, it does not wait for A either: alone on the idle one it takes 160. */
    hold.sms[0] = 15;
    assert_near(latency(&hold, &over_cost, 1), 160);
    /* Nobody runs: it has all SMs at once. */
    hold.sms[0] = 0;
    scene.apps[0].kernel.there = false;
    assert_near(latency(&hold, &over_cost, 1), 10);
    /* No SM is idle, and nobody runs who would leave one: it never ends. */
    hold.sms[0] = 16;
    assert_true(isinf(latency(&hold, &over_cost, 1)));
}

/* A's copy needs 3, B's 4. B waits for A's that runs; where B is chosen, A waits for B (Eq. 7). A
 * kernel overlaps its application's copy (Eq. 2). */
TEST(copies_wait_for_the_link) {
    struct cqos_partition none = {.taker = CQOS_NOBODY};
    struct cqos_decision second = {&none, 1, 0, false};
    start_scene();
    struct cqos_app *a = add_app(0, 100), *b = add_app(0, 100);
    a->copies[0] = (struct cqos_copy){.there = true, .left_ps = 3, .bandwidth = 1};
    b->copies[0] = (struct cqos_copy){.there = true, .left_ps = 4, .bandwidth = 1};
    assert_near(cqos_latency(&scene, &over_cost, &second, 1), 4);
    assert_near(cqos_latency(&scene, &over_cost, &second, 0), 7);
    a->copies[0].running = true;
    scene.busy_ps[0] = 3;
    assert_near(latency(&none, &over_cost, 1), 7);
    a->kernel = kernel_of(1);
    a->sms = none.sms[0] = 8;
    assert_near(latency(&none, &over_cost, 0), 20);
}

/*
 * A has 16 SMs and half of its kernel left: 5; B's takes 10. Where B takes all (Eq. 5), it ends in
 * 2
 * + 10, and A has its SMs back: it ends in 17 as in this period (Eq. 6). Q of A with a target of
 * 50: 1 + (1 - 17 / 50) / 2, of B with one of 24, ended: 1 + (1 - 12 / 24) / 2; A's 16 SMs use
 * 0.625. C's of 10, which waits as long, has none then. It would have them if B had taken idle
 * ones.
 */
TEST(next_period_restores_the_preempted) {
    struct cqos_weights plain = {.qos = 10, .use = 1};
    struct cqos_partition all = {.taker = 1, .sms = {0, 16}};
    struct cqos_decision decision = {&all, CQOS_NOBODY, 0, false};
    start_scene();
    struct cqos_app *a = add_app(16, 50), *b = add_app(0, 24);
    a->kernel = kernel_of(0.5);
    b->kernel = kernel_of(1);
    assert_near(cqos_potential(&scene, &plain, &decision), 13.3 + 12.5 + 0.625);
    assert_near(a->kernel.left, 0.5);
    assert_near(a->elapsed_ps + b->elapsed_ps + a->kernel.waited_ps, 0);
    assert_int_equal(a->sms, 16);
    /* Preempted in an earlier period: B runs, and owes A ten of its SMs. */
    struct cqos_loan loans[2] = {{(const struct ct_task *)&scene, 10}};
    struct cqos_partition now = {.taker = CQOS_NOBODY, .sms = {6, 10}};
    struct cqos_decision hold = {&now, CQOS_NOBODY, 0, false};
    a->sms = 6;
    b->sms = 10;
    b->kernel.left = 0.5; /* 8, in which A does 8 x 6 / 160 of it, and then 2 with all SMs */
    b->loans = loans;
    a->issued = loans[0].kernel;
    assert_near(cqos_potential(&scene, &plain, &hold),
                10 * (1 + (1 - 10.0 / 50) / 2) + 10 * (1 + (1 - 8.0 / 24) / 2) + 0.625);
    /* It is another kernel of A that was preempted. */
    loans[0].kernel = NULL;
    assert_near(cqos_potential(&scene, &plain, &hold),
                10 * (1 + (1 - (8 + 0.2 * 160 / 6) / 50) / 2) + 10 * (1 + (1 - 8.0 / 24) / 2) +
                    0.625 * 6 / 16);
}

/*
 * A has 16 SMs for 10; B and C wait, C for 1 longer. When A has ended C has all SMs: 10 + 1 + 10 of
 * 50. B waits for it: 10 + 10 + 10. Ended, A counts with 10 of 50.
 */
TEST(next_period_launches_who_waited_longest) {
    struct cqos_weights plain = {.qos = 10, .use = 1};
    struct cqos_partition now = {.taker = CQOS_NOBODY, .sms = {16}};
    struct cqos_decision hold = {&now, CQOS_NOBODY, 0, false};
    start_scene();
    for (int i = 0; i < 3; i++)
        add_app(i == 0 ? 16 : 0, 50)->kernel = kernel_of(1);
    scene.apps[2].kernel.waited_ps = scene.apps[2].elapsed_ps = 1;
    assert_near(cqos_potential(&scene, &plain, &hold),
                30 + 10.0 / 3 * (3 - (10 + 21 + 30) / 50.0) + 0.625);
}

/*
 * A kernel on 8 SMs that ends in 20, and then a copy of 5, target 50. All held: Q = 1 + (1 - 20 /
 * 50), C = 1.25 / 4, U adds 0.3125 + 1. After the kernel (line 9 of Algorithm 2): latency 25, the
 * link alone is used, C = 1, and 8 SMs fall idle: 10 x 1.5 + 1 - 0.5.
 */
TEST(potential_of_a_kernel_is_its_copy) {
    struct cqos_partition hold = {.taker = CQOS_NOBODY, .sms = {8}};
    struct cqos_decision decision = {&hold, CQOS_NOBODY, 0, false};
    start_scene();
    struct cqos_app *app = add_app(8, 50);
    app->kernel = kernel_of(1);
    assert_near(cqos_potential(&scene, &over_cost, &decision), 0);
    app->next_copy = (struct cqos_copy){.there = true, .left_ps = 5, .bandwidth = 1};
    struct cqos_app before = *app;
    assert_near(cqos_value(&scene, &over_cost, &decision), (16 + 0.3125 + 1) / 0.3125);
    assert_near(cqos_potential(&scene, &over_cost, &decision), 15.5);
    assert_near(app->elapsed_ps, before.elapsed_ps);
    assert_true(app->kernel.there && app->sms == 8 && !app->copies[0].there);
    /* The link is busy for 22: the copy waits 2, no resource is in use, and its value is 0. */
    scene.busy_ps[0] = 22;
    assert_near(cqos_potential(&scene, &over_cost, &decision), 0);
}
