/*
 * Baymax to the letter: time lines computed by hand from Eq. 3, 4 and 5 of the paper (ASPLOS'16),
 * all in milliseconds. T_hr is the headroom, T_q the predictions of issued and unfinished kernels,
 * the running one included.
 */
#include "policy_case.h"

static struct fake_task *copy(struct fake_host *fake, struct fake_job *job, int32_t direction,
                              bool pinned, double ms) {
    return fake_copy(fake, job, direction, pinned, 1u << 20, ms * 1e9);
}

/* What the scenarios of Eq. 3 and 4 start from. */
struct headroom {
    struct fake_host *fake;
    struct fake_job *query, *batch;
    struct fake_task *queued, *k1, *b60, *b50, *b40, *b1;
};

/*
 * t = 0   a batch kernel of 10 is issued: T_q = 10. The first kernel k1 (5) of a query with T_tgt =
 * 150 and T_self = 40 is submitted. Eq. 3: T_hr = 150 - 10 - 40 = 100. Once issued, Eq. 4: 150 - 0
 * - 15 - (40 - 5) = 100. Batch kernels of 60, 50, 40 and 1 are ready: 60 fits and leaves 40; 50
 * does not, and is skipped; 40 passes at equality and leaves 0; 1 does not fit.
 */
static struct headroom start_headroom(const struct ct_policy *policy) {
    struct headroom h = {.fake = fake_open(policy, NULL)};
    assert_non_null(h.fake);
    h.batch = batch(h.fake);
    h.queued = kernel(h.fake, h.batch, 10);
    struct ct_client *client = service(h.fake, 150);
    decide(h.fake);
    h.query = query_of(h.fake, client, 40);
    h.b60 = kernel(h.fake, h.batch, 60);
    h.k1 = kernel(h.fake, h.query, 5);
    h.b50 = kernel(h.fake, h.batch, 50);
    h.b40 = kernel(h.fake, h.batch, 40);
    h.b1 = kernel(h.fake, h.batch, 1);
    decide(h.fake);
    return h;
}

TEST(headroom_of_one_query_eq3) {
    struct headroom h = start_headroom(&policy_baymax);
    expect_ms(h.fake, h.k1, "headroom_first_ps", 100);
    expect_ms(h.fake, h.k1, "headroom_refill_ps", 100);
    assert_int_equal(h.k1->issue_order, 2); /* user-facing kernels before batch */
    expect_ms(h.fake, h.b60, "issue_headroom_ps", 100);
    expect_ms(h.fake, h.b40, "issue_headroom_ps", 40);
    expect_ms(h.fake, h.b50, "held_headroom_ps", 40);
    expect_ms(h.fake, h.b1, "held_headroom_ps", 0);
    assert_true(h.b60->issued && h.b40->issued && !h.b50->issued && !h.b1->issued);
    expect_ms(h.fake, h.b40, "issue_tq_ps", 115);
    close_sound(h.fake);
}

/*
 * t = 20  the kernels of 10, 5 and 60 have ended early, since they ran side by side: T_q = 40. k2
 * (8) is issued. Eq. 4: (150 - 20) - 48 - (40 - 5 - 8) = 55. The kernel of 50, now the oldest,
 * passes and leaves 5; that of 1 leaves 4.
 */
TEST(refill_eq4) {
    struct headroom h = start_headroom(&policy_baymax);
    at(h.fake, 20);
    fake_done(h.fake, h.queued);
    fake_done(h.fake, h.k1);
    fake_done(h.fake, h.b60);
    struct fake_task *k2 = kernel(h.fake, h.query, 8);
    decide(h.fake);
    expect_ms(h.fake, k2, "headroom_refill_ps", 55);
    expect_ms(h.fake, h.b50, "issue_headroom_ps", 55);
    expect_ms(h.fake, h.b1, "issue_headroom_ps", 5);
    assert_true(fake_reported(h.fake, "headroom_refills") == 2);
    close_sound(h.fake);
}

/* Without refill the headroom stays at 0, and both batch kernels wait until the query ends. */
TEST(no_refill_in_nc) {
    struct headroom h = start_headroom(&policy_baymax_nc);
    at(h.fake, 20);
    fake_done(h.fake, h.k1);
    fake_done(h.fake, h.b60);
    struct fake_task *k2 = kernel(h.fake, h.query, 8);
    decide(h.fake);
    assert_true(isnan(fake_noted(h.fake, k2, "headroom_refill_ps")));
    assert_true(k2->issued && !h.b50->issued && !h.b1->issued);
    at(h.fake, 30);
    fake_done(h.fake, k2);
    fake_end(h.fake, h.query);
    decide(h.fake);
    assert_int_equal(h.b50->issued_at_ps, 30 * MS);
    assert_int_equal(h.b1->issued_at_ps, 30 * MS);
    close_sound(h.fake);
}

/*
 * Two services. t = 0: A (T_tgt 150, T_self 30) issues a1 (12). Eq. 3 and 4: T_hr = 120.
 * t = 5: B (T_tgt 100, T_self 20) submits b1 (6) while a1 runs: t_A = 30, since a1 has not
 * completed, and T_q = 12, so Eq. 3: 100 - 12 - 20 - 30 = 38. Issuing b1 takes 6 from A: 114, and
 * nothing from B (Eq. 4): 38. A batch kernel of 40 fits A but not B; one of 38 fits both: A 76, B
 * 0. t = 12: a1 ends; a2 (9) is issued: Eq. 4 for A: (150 - 12) - (6 + 38 + 9) - (30 - 21) = 76. B
 * keeps its 0: the time of a2 is in its t_A already.
 */
POLICY_TEST(headroom_of_two_queries, fake_open(&policy_baymax, NULL)) {
    struct ct_client *client_a = service(fake, 150), *client_b = service(fake, 100);
    struct fake_job *job = batch(fake), *a = query_of(fake, client_a, 30);
    struct fake_task *a1 = kernel(fake, a, 12);
    decide(fake);
    expect_ms(fake, a1, "headroom_refill_ps", 120);
    at(fake, 5);
    struct fake_job *b = query_of(fake, client_b, 20);
    struct fake_task *b1 = kernel(fake, b, 6);
    struct fake_task *k40 = kernel(fake, job, 40), *k38 = kernel(fake, job, 38);
    decide(fake);
    expect_ms(fake, b1, "headroom_first_ps", 38);
    expect_ms(fake, b1, "headroom_refill_ps", 38);
    assert_true(!k40->issued && k38->issued);
    expect_ms(fake, k40, "held_headroom_ps", 38);
    expect_ms(fake, k40, "held_t_ps", 40);
    assert_true(fake_noted(fake, k40, "held_client") == client_b->index);
    at(fake, 12);
    fake_done(fake, a1);
    struct fake_task *a2 = kernel(fake, a, 9), *k1 = kernel(fake, job, 1);
    decide(fake);
    expect_ms(fake, a2, "headroom_refill_ps", 76);
    expect_ms(fake, k1, "held_headroom_ps", 0);
    /* b1 ends, b ends: what is left is A's 76, so 40 passes (36) and then 1 (35). */
    at(fake, 20);
    fake_done(fake, b1);
    fake_end(fake, b);
    decide(fake);
    expect_ms(fake, k40, "issue_headroom_ps", 76);
    expect_ms(fake, k1, "issue_headroom_ps", 36);
}

/* t_A counts what A has completed: with a1 done, B's Eq. 3 is 100 - 0 - 20 - (30 - 12) = 62. */
POLICY_TEST(remaining_time_of_an_active_query, fake_open(&policy_baymax, NULL)) {
    struct ct_client *client_a = service(fake, 150), *client_b = service(fake, 100);
    struct fake_task *a1 = kernel(fake, query_of(fake, client_a, 30), 12);
    decide(fake);
    at(fake, 12);
    fake_done(fake, a1);
    struct fake_task *b1 = kernel(fake, query_of(fake, client_b, 20), 6);
    decide(fake);
    expect_ms(fake, b1, "headroom_first_ps", 62);
}

/*
 * A later query's kernel is never held, though the headroom of the earlier one goes below zero: A
 * has T_tgt 50, T_self 40, hence 10; B's kernel of 25 passes and leaves A -15. B was launched with
 * 200 - 8 - 30 - 40 = 122.
 */
POLICY_TEST(later_queries_are_never_held, fake_open(&policy_baymax, NULL)) {
    struct ct_client *client_a = service(fake, 50), *client_b = service(fake, 200);
    struct fake_job *job = batch(fake);
    kernel(fake, query_of(fake, client_a, 40), 8);
    decide(fake);
    struct fake_task *b1 = kernel(fake, query_of(fake, client_b, 30), 25),
                     *k0 = kernel(fake, job, 0);
    decide(fake);
    expect_ms(fake, b1, "headroom_first_ps", 122);
    assert_true(b1->issued && !k0->issued);
    expect_ms(fake, k0, "held_headroom_ps", -15);
}

/*
 * Section 5.2.1 with T_tgt = 20: kernels of 15 are issued while T_q is at most 20, so two of them
 * (T_q = 30); then nothing, not even the query's own kernel, until one ends (T_q = 15).
 */
POLICY_TEST(queue_limit_holds_every_kernel, fake_open(&policy_baymax, NULL)) {
    struct ct_client *client = service(fake, 20);
    struct fake_job *job = batch(fake);
    service(fake, 90); /* the smallest target counts */
    struct fake_task *b1 = kernel(fake, job, 15), *b2 = kernel(fake, job, 15);
    struct fake_task *b3 = kernel(fake, job, 15);
    decide(fake);
    assert_true(b1->issued && b2->issued && !b3->issued);
    expect_ms(fake, b3, "held_tq_ps", 30);
    struct fake_job *q = query_of(fake, client, 4);
    struct fake_task *k1 = kernel(fake, q, 2), *in = copy(fake, q, CT_COPY_IN, false, 1);
    decide(fake);
    assert_true(!k1->issued && in->issued);
    expect_ms(fake, k1, "headroom_first_ps", 20 - 30 - 4);
    at(fake, 15);
    fake_done(fake, b1);
    decide(fake);
    assert_int_equal(k1->issued_at_ps, 15 * MS);
    assert_true(fake_reported(fake, "queries_with_negative_headroom") == 1);
    assert_true(fake_reported(fake, "service_kernels_held_by_tq") == 1);
}

/* T_q equal to the target does not stop issue: "above". */
POLICY_TEST(queue_limit_passes_at_equality, fake_open(&policy_baymax, NULL)) {
    service(fake, 30);
    struct fake_job *job = batch(fake);
    kernel(fake, job, 15);
    kernel(fake, job, 15);
    struct fake_task *b3 = kernel(fake, job, 15), *b4 = kernel(fake, job, 15);
    decide(fake);
    assert_true(b3->issued && !b4->issued);
}

/* With `target-minus-self`, a query of 8 seen before lowers the limit from 20 to 12, which one
 * kernel of 15 exceeds. */
POLICY_TEST(queue_limit_minus_self, fake_open(&policy_baymax, "tq_limit=target-minus-self")) {
    struct ct_client *client = service(fake, 20);
    struct fake_job *job = batch(fake);
    fake_end(fake, query_of(fake, client, 8));
    struct fake_task *b1 = kernel(fake, job, 15), *b2 = kernel(fake, job, 15);
    decide(fake);
    assert_true(b1->issued && !b2->issued);
    expect_ms(fake, b2, "held_tq_ps", 15);
}

/* A query that waits has no headroom yet, since its first kernel was not submitted. */
POLICY_TEST(waiting_queries_limit_nothing, fake_open(&policy_baymax, NULL)) {
    struct fake_job *job = batch(fake);
    fake_begin(fake, service(fake, 50), 49e9, true);
    struct fake_task *long_kernel = kernel(fake, job, 400);
    decide(fake);
    assert_true(long_kernel->issued);
}

/*
 * Eq. 5 on a K40: floor(12160 / 3150) - 1 = 2 batch copies per direction, with no query active and
 * pinned ones counted too. A service's copies pass.
 */
POLICY_TEST(two_batch_copies_per_direction_eq5, fake_open(&policy_baymax, NULL)) {
    struct fake_job *job = batch(fake), *q = query_of(fake, service(fake, 150), 10);
    assert_true(fake_noted(fake, NULL, "n_tr") == 2);
    struct fake_task *in[4], *out[3];
    for (int i = 0; i < 4; i++)
        in[i] = copy(fake, job, CT_COPY_IN, i == 1, 5);
    for (int i = 0; i < 3; i++)
        out[i] = copy(fake, job, CT_COPY_OUT, false, 5);
    struct fake_task *own = copy(fake, q, CT_COPY_IN, true, 5);
    decide(fake);
    assert_true(own->issued && own->issue_order == 1);
    assert_true(in[0]->issued && in[1]->issued && !in[2]->issued);
    assert_true(out[0]->issued && out[1]->issued && !out[2]->issued);
    assert_true(fake_noted(fake, in[2], "held_copies") == 2);
    fake_done(fake, own); /* not a batch copy: nothing becomes free */
    decide(fake);
    assert_false(in[2]->issued);
    fake_done(fake, in[1]);
    decide(fake);
    assert_true(in[2]->issued && !in[3]->issued && !out[2]->issued);
}

/* On a host whose pageable copies nearly fill the link, Eq. 5 would say 0: at least one copy
 * passes. */
TEST(one_batch_copy_at_least) {
    static const struct ct_device_info device = {
        .sms = 1, .pcie_bytes_per_s = 12e9, .pcie_pageable_bytes_per_s = 11e9, .copy_engines = 2};
    FREED_BY(close_sound) struct fake_host *fake = fake_open_on(&policy_baymax, NULL, &device);
    struct fake_job *job = batch(fake);
    struct fake_task *first = copy(fake, job, CT_COPY_IN, false, 5);
    struct fake_task *second = copy(fake, job, CT_COPY_IN, false, 5);
    decide(fake);
    assert_true(first->issued && !second->issued);
}

/*
 * Section 6.2 with T_hr = 50 - 0 - 40 = 10: a pinned copy of 11 is held; a pageable one of 30
 * passes and takes nothing; a pinned one of 10 passes at equality and takes all, so a kernel of 1
 * is held.
 */
POLICY_TEST(pinned_copies_need_headroom, fake_open(&policy_baymax, NULL)) {
    struct fake_job *job = batch(fake), *q = query_of(fake, service(fake, 50), 40);
    kernel(fake, q, 3);
    decide(fake);
    struct fake_task *p11 = copy(fake, job, CT_COPY_IN, true, 11);
    struct fake_task *pageable = copy(fake, job, CT_COPY_IN, false, 30);
    struct fake_task *p10 = copy(fake, job, CT_COPY_IN, true, 10), *k1 = kernel(fake, job, 1);
    decide(fake);
    assert_true(!p11->issued && pageable->issued && p10->issued && !k1->issued);
    expect_ms(fake, p11, "held_headroom_ps", 10);
    expect_ms(fake, p10, "issue_headroom_ps", 10);
    expect_ms(fake, k1, "held_headroom_ps", 0);
}

/* Without management of PCIe all copies pass at once and take nothing. */
POLICY_TEST(no_pcie_management_in_np, fake_open(&policy_baymax_np, NULL)) {
    struct fake_job *job = batch(fake), *q = query_of(fake, service(fake, 50), 40);
    kernel(fake, q, 3);
    struct fake_task *copies[5];
    for (int i = 0; i < 5; i++)
        copies[i] = copy(fake, job, CT_COPY_IN, true, 100);
    struct fake_task *k10 = kernel(fake, job, 10);
    decide(fake);
    for (int i = 0; i < 5; i++)
        assert_true(copies[i]->issued);
    expect_ms(fake, k10, "issue_headroom_ps", 10);
}

/* A query without a target limits nobody, but its remaining time lowers a later query's headroom:
 * 100 - 4 - 20 - 30. */
POLICY_TEST(queries_without_target, fake_open(&policy_baymax, NULL)) {
    struct ct_client *free_client = service(fake, 0), *client = service(fake, 100);
    struct fake_job *job = batch(fake);
    kernel(fake, query_of(fake, free_client, 30), 4);
    decide(fake);
    struct fake_task *k1 = kernel(fake, query_of(fake, client, 20), 2);
    decide(fake);
    expect_ms(fake, k1, "headroom_first_ps", 46);
    struct fake_task *b46 = kernel(fake, job, 46), *b1 = kernel(fake, job, 1);
    decide(fake);
    assert_true(b46->issued && !b1->issued);
}
