/*
 * baymax-plus: each repair alone, switched on in baymax by its option, and all together. Times in
 * milliseconds, computed by hand from docs/policies/baymax.md.
 */
#include "policy_case.h"

/*
 * Two queries of one service (T_tgt 100, T_self 30) arrive at 0 and have no task yet; the second
 * waits. At 10 the first has 100 - 10 - 30 = 60 left, the second 100 - 10 - 30 - 30 = 30: a batch
 * kernel of 31 is held, one of 30 passes. To the letter both would pass.
 */
TEST(headroom_from_arrival) {
    for (int repaired = 0; repaired < 2; repaired++) {
        FREED_BY(close_sound)
        struct fake_host *fake = fake_open(&policy_baymax, repaired ? "headroom=arrival" : NULL);
        struct ct_client *client = service(fake, 100);
        struct fake_job *job = batch(fake);
        fake_begin(fake, client, 30e9, false);
        fake_begin(fake, client, 30e9, true);
        fake_advance(fake, 10 * MS);
        struct fake_task *b31 = kernel(fake, job, 31), *b30 = kernel(fake, job, 30);
        fake_decide(fake, 0);
        assert_int_equal(b31->issued, !repaired);
        assert_true(b30->issued);
        if (repaired)
            expect_ms(fake, b31, "held_headroom_ps", 30);
    }
}

/* The time waited counts: at 50, a query of 30 that came at 0 has 100 - 50 - 30 = 20, and at 71 it
 * is late (-1). */
POLICY_TEST(headroom_shrinks_while_waiting, fake_open(&policy_baymax, "headroom=arrival")) {
    struct fake_job *job = batch(fake);
    fake_begin(fake, service(fake, 100), 30e9, true);
    fake_advance(fake, 50 * MS);
    struct fake_task *b21 = kernel(fake, job, 21);
    fake_decide(fake, 0);
    expect_ms(fake, b21, "held_headroom_ps", 20);
    fake_advance(fake, 71 * MS);
    struct fake_task *b0 = kernel(fake, job, 0);
    fake_decide(fake, 0);
    expect_ms(fake, b0, "held_headroom_ps", -1);
}

/*
 * A query of T_self 50 under T_tgt 100: copy 10, kernel 5, 15 of the host, kernel 7, and 13 more of
 * whatever. It runs just as predicted, so what it leaves to others stays 100 - 50 = 50 at every
 * moment. To the letter copies and the host do not lower what remains: 40 after the copy, 40 after
 * k1 (100 - 15 - 45), 35 in the middle of the gap, and 100 - 30 - 7 - (50 - 12) = 25 once k2 is
 * issued.
 */
TEST(remaining_time_with_gaps_and_copies) {
    static const double expected[2][4] = {{40, 40, 35, 25}, {50, 50, 50, 50}};
    static const int64_t probe_ms[4] = {10, 15, 20, 30};
    for (int repaired = 0; repaired < 2; repaired++) {
        FREED_BY(close_sound)
        struct fake_host *fake = fake_open(
            &policy_baymax, repaired ? "headroom=arrival remaining=whole" : "headroom=arrival");
        struct fake_job *job = batch(fake);
        struct fake_job *query = fake_begin(fake, service(fake, 100), 50e9, false);
        struct fake_task *own = fake_copy(fake, query, CT_COPY_IN, false, 4096, 10e9);
        fake_decide(fake, 0);
        for (int i = 0; i < 4; i++) {
            fake_advance(fake, probe_ms[i] * MS);
            if (i < 2)
                fake_done(fake, own); /* the copy, then k1 */
            if (i == 1)
                own = NULL;
            struct fake_task *probe = kernel(fake, job, 1000);
            if (i == 0)
                own = kernel(fake, query, 5);
            if (i == 3)
                own = kernel(fake, query, 7);
            fake_decide(fake, 0);
            expect_ms(fake, probe, "held_headroom_ps", expected[repaired][i]);
        }
    }
}

/* In `whole`, a kernel that is queued counts once, in T_q: B gets 100 - 12 - 20 - (30 - 12) = 50,
 * to the letter 38. */
TEST(queued_kernels_count_once) {
    for (int repaired = 0; repaired < 2; repaired++) {
        FREED_BY(close_sound)
        struct fake_host *fake = fake_open(&policy_baymax, repaired ? "remaining=whole" : NULL);
        struct ct_client *a = service(fake, 150), *b = service(fake, 100);
        kernel(fake, fake_begin(fake, a, 30e9, false), 12);
        fake_decide(fake, 0);
        struct fake_task *b1 = kernel(fake, fake_begin(fake, b, 20e9, false), 6);
        fake_decide(fake, 0);
        expect_ms(fake, b1, "headroom_first_ps", repaired ? 50 : 38);
    }
}

/*
 * A query of 40 under T_tgt 100 has come and gone: the next one needs 40 again, so T_q + t may
 * reach 60. 50 passes; then 11 does not (61), 10 does (60).
 */
POLICY_TEST(entry_leaves_room_for_the_next_query, fake_open(&policy_baymax, "entry=true")) {
    struct ct_client *client = service(fake, 100);
    struct fake_job *job = batch(fake);
    fake_end(fake, fake_begin(fake, client, 40e9, false));
    fake_end(fake, fake_begin(fake, client, 25e9, false)); /* the largest counts */
    struct fake_task *b50 = kernel(fake, job, 50), *b11 = kernel(fake, job, 11);
    struct fake_task *b10 = kernel(fake, job, 10);
    fake_decide(fake, 0);
    assert_true(b50->issued && !b11->issued && b10->issued);
    expect_ms(fake, b11, "held_entry_ps", 10);
}

/*
 * Kernels of 70 can never fit the 60 of above. They are held while a query is there, also a waiting
 * one, and go one at a time when none is; the report counts them. T_tgt 100 stops further kernels
 * once T_q is above it, not before.
 */
POLICY_TEST(kernels_too_long_go_alone, fake_open(&policy_baymax, "entry=true")) {
    struct ct_client *client = service(fake, 100);
    struct fake_job *job = batch(fake), *query = fake_begin(fake, client, 40e9, true);
    struct fake_task *first = kernel(fake, job, 70), *second = kernel(fake, job, 70);
    fake_decide(fake, 0);
    assert_true(!first->issued && !second->issued);
    assert_true(fake_noted(fake, first, "held_too_long_queries") == 1);
    fake_advance(fake, 40 * MS);
    fake_end(fake, query);
    fake_decide(fake, 0);
    assert_true(first->issued && !second->issued);
    fake_advance(fake, 110 * MS);
    fake_done(fake, first);
    fake_decide(fake, 0);
    assert_true(second->issued);
    assert_true(fake_reported(fake, "too_long_kernels_issued") == 2);
}

/* A margin of 0.15 makes 85 of 100: headroom 85 - 0 - 40 = 45. */
POLICY_TEST(margin_shortens_targets, fake_open(&policy_baymax, "margin=0.15")) {
    struct fake_task *k1 = kernel(fake, fake_begin(fake, service(fake, 100), 40e9, false), 5);
    fake_decide(fake, 0);
    expect_ms(fake, k1, "headroom_first_ps", 45);
}

/*
 * All together, T_tgt 200 hence 170, T_self 60, slack 110.
 * t = 0   the first query came and went. Batch kernels of 90 and 30 are ready: 90 passes (90 <=
 * 110), 30 does not (120). t = 40  a query arrives: 170 - 0 - 90 - 60 = 20 by headroom, and 110 -
 * 90 = 20 by entry. 20 passes, at equality. t = 50  a second arrives and waits. The kernel of 90
 * ends. First: 170 - 10 - 20 - 60 = 80; second, behind it: 170 - 0 - 20 - 60 - 60 = 30. The kernel
 * of 30 passes at equality (entry: 20 + 30 <= 110), and nothing is left. t = 60  the first query's
 * kernel of 25 is issued: T_q = 75, own 35: 170 - 20 - 75 - 35 = 40. The second: 170 - 10 - 75 - 35
 * - 60 = -10; it would be late, so nothing of batch passes; at 61, -11.
 */
POLICY_TEST(all_repairs_together, fake_open(&policy_baymax_plus, NULL)) {
    struct ct_client *client = service(fake, 200);
    struct fake_job *job = batch(fake);
    fake_end(fake, fake_begin(fake, client, 60e9, false));
    struct fake_task *b90 = kernel(fake, job, 90), *b30 = kernel(fake, job, 30);
    fake_decide(fake, 0);
    assert_true(b90->issued && !b30->issued);
    expect_ms(fake, b30, "held_entry_ps", 20);

    fake_advance(fake, 40 * MS);
    struct fake_job *first = fake_begin(fake, client, 60e9, false);
    struct fake_task *b20 = kernel(fake, job, 20);
    fake_decide(fake, 0);
    assert_true(b20->issued && !b30->issued);
    expect_ms(fake, b20, "issue_headroom_ps", 20);

    fake_advance(fake, 50 * MS);
    fake_begin(fake, client, 60e9, true);
    fake_done(fake, b90);
    struct fake_task *b1 = kernel(fake, job, 1);
    fake_decide(fake, 0);
    expect_ms(fake, b30, "issue_headroom_ps", 30);
    expect_ms(fake, b1, "held_headroom_ps", 0);

    fake_advance(fake, 60 * MS);
    struct fake_task *k1 = kernel(fake, first, 25);
    struct fake_task *b0 = kernel(fake, job, 0);
    fake_decide(fake, 0);
    expect_ms(fake, k1, "headroom_refill_ps", 40);
    assert_true(k1->issued && !b0->issued);
    expect_ms(fake, b0, "held_headroom_ps", -10);
    fake_advance(fake, 61 * MS);
    struct fake_task *late = kernel(fake, job, 0);
    fake_decide(fake, 0);
    expect_ms(fake, late, "held_headroom_ps", -11);
}
