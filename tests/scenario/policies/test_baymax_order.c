/* Baymax: in which order tasks pass, and what the predictor hears (ASPLOS'16, sections 3 and 5). */
#include "policy_case.h"

/*
 * Sections 5.2.1 and 5.2.3: user-facing kernels first in, first out, whatever their targets. With
 * T_q = 30 above the target of 20 the kernels of both services wait; when T_q is 15, b1, ready
 * before a1 though its target is later, passes, and T_q = 25 still holds a1, until the second has
 * ended.
 */
POLICY_TEST(first_in_first_out, fake_open(&policy_baymax, NULL)) {
    struct ct_client *client_a = service(fake, 20), *client_b = service(fake, 200);
    struct fake_job *batch = fake_begin(fake, fake_join(fake, "batch", CT_BATCH, 0), NAN, false);
    struct fake_task *first = kernel(fake, batch, 15), *second = kernel(fake, batch, 15);
    fake_decide(fake, 0);
    assert_true(first->issued && second->issued);
    struct fake_job *b = fake_begin(fake, client_b, 50e9, false);
    struct fake_job *a = fake_begin(fake, client_a, 5e9, false);
    struct fake_task *b1 = kernel(fake, b, 10), *a1 = kernel(fake, a, 5);
    fake_decide(fake, 0);
    assert_true(!b1->issued && !a1->issued);
    fake_advance(fake, 15 * MS);
    fake_done(fake, first);
    fake_decide(fake, 0);
    assert_true(b1->issued && !a1->issued);
    fake_done(fake, second);
    fake_decide(fake, 0);
    assert_true(a1->issued && b1->issue_order < a1->issue_order);
}

/* T_hr = 50 - 0 - 40 = 10: of kernels of 6, 5 and 4, in this order, the first passes and leaves 4,
 * the second does not fit, the third does. */
POLICY_TEST(oldest_batch_kernel_first, fake_open(&policy_baymax, NULL)) {
    struct fake_job *batch = fake_begin(fake, fake_join(fake, "batch", CT_BATCH, 0), NAN, false);
    struct fake_job *query = fake_begin(fake, service(fake, 50), 40e9, false);
    struct fake_task *b6 = kernel(fake, batch, 6), *b5 = kernel(fake, batch, 5),
                     *b4 = kernel(fake, batch, 4), *k1 = kernel(fake, query, 3);
    fake_decide(fake, 0);
    assert_int_equal(k1->issue_order, 1);
    assert_int_equal(b6->issue_order, 2);
    assert_int_equal(b4->issue_order, 3);
    assert_false(b5->issued);
}

/* Section 3: what completes goes to the predictor, kernels and copies, of services and batch; to
 * the letter all of it, whatever ran beside it. */
POLICY_TEST(every_completion_is_fed_back, fake_open(&policy_baymax, "feedback=shared")) {
    struct fake_job *batch = fake_begin(fake, fake_join(fake, "batch", CT_BATCH, 0), NAN, false);
    struct fake_job *query = fake_begin(fake, service(fake, 100), 10e9, false);
    struct fake_task *tasks[] = {kernel(fake, query, 2), kernel(fake, batch, 2),
                                 fake_copy(fake, query, CT_COPY_IN, false, 4096, 1e9),
                                 fake_copy(fake, batch, CT_COPY_OUT, true, 4096, 1e9),
                                 fake_memset(fake, batch, 1e9)};
    fake_decide(fake, 0);
    for (uint32_t i = 0; i < 5; i++)
        fake_start(fake, tasks[i]);
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(tasks[i]->issued);
        fake_done(fake, tasks[i]);
        assert_int_equal(fake->feedbacks, i + 1);
    }
}

/*
 * What is predicted are times alone. t = 0: a kernel of q begins, 1: one of the batch, so that both
 * are stretched; beside them a copy in and one out have the link to themselves, each in its
 * direction. 4: the kernel of q ends, 5: the batch one, at which a third, also of the batch, begins
 * that ends alone at 7. A second copy in begins at 6, when the first ends: neither shared.
 */
POLICY_TEST(what_ran_alone_is_fed_back, fake_open(&policy_baymax, NULL)) {
    struct fake_job *batch = fake_begin(fake, fake_join(fake, "batch", CT_BATCH, 0), NAN, false);
    struct fake_job *query = fake_begin(fake, service(fake, 100), 10e9, false);
    struct fake_task *q1 = kernel(fake, query, 2), *b1 = kernel(fake, batch, 2);
    struct fake_task *b2 = kernel(fake, batch, 2);
    struct fake_task *in1 = fake_copy(fake, query, CT_COPY_IN, false, 4096, 1e9);
    struct fake_task *out = fake_copy(fake, batch, CT_COPY_OUT, false, 4096, 1e9);
    struct fake_task *in2 = fake_copy(fake, batch, CT_COPY_IN, false, 4096, 1e9);
    fake_decide(fake, 0);
    fake_start(fake, q1);
    fake_start(fake, in1);
    fake_start(fake, out);
    fake_advance(fake, 1 * MS);
    fake_start(fake, b1);
    fake_advance(fake, 4 * MS);
    fake_done(fake, q1);
    assert_int_equal(fake->feedbacks, 0);
    fake_advance(fake, 5 * MS);
    fake_start(fake, b2);
    fake_done(fake, b1);
    assert_int_equal(fake->feedbacks, 0);
    fake_advance(fake, 6 * MS);
    fake_start(fake, in2);
    fake_done(fake, in1);
    fake_done(fake, out);
    assert_int_equal(fake->feedbacks, 2);
    fake_advance(fake, 7 * MS);
    fake_done(fake, b2);
    fake_done(fake, in2);
    assert_int_equal(fake->feedbacks, 4);
}

/*
 * Profiling runs one job at a time, so what a sibling of the same application stretched is no time
 * alone either. Two workers of one service: kernels of two queries from 0 and 1 to 4 and 5; a
 * second one of the first query from 5 to 7 is alone, and two kernels of one query are what its
 * profile saw.
 */
POLICY_TEST(what_ran_beside_a_sibling_is_not_fed_back, fake_open(&policy_baymax, NULL)) {
    struct ct_client *workers = service(fake, 100);
    struct fake_job *first = query_of(fake, workers, 10), *second = query_of(fake, workers, 10);
    struct fake_task *k1 = kernel(fake, first, 2), *k2 = kernel(fake, second, 2);
    struct fake_task *k3 = kernel(fake, first, 2), *beside = kernel(fake, first, 2);
    fake_decide(fake, 0);
    fake_start(fake, k1);
    at(fake, 1);
    fake_start(fake, k2);
    at(fake, 4);
    fake_done(fake, k1);
    at(fake, 5);
    fake_done(fake, k2);
    assert_int_equal(fake->feedbacks, 0);
    fake_start(fake, k3);
    fake_start(fake, beside);
    at(fake, 7);
    fake_done(fake, k3);
    fake_done(fake, beside);
    assert_int_equal(fake->feedbacks, 2);
}

POLICY_TEST(nothing_is_fed_back_when_off, fake_open(&policy_baymax, "feedback=off")) {
    struct fake_job *batch = fake_begin(fake, fake_join(fake, "batch", CT_BATCH, 0), NAN, false);
    struct fake_task *task = kernel(fake, batch, 2);
    fake_decide(fake, 0);
    fake_start(fake, task);
    fake_done(fake, task);
    assert_int_equal(fake->feedbacks, 0);
}
