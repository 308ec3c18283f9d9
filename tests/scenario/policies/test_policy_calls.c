/*
 * Library calls under Baymax and Laius (Baymax section 4.1, Laius section 5.2): a call is one task
 * with all its kernels, decided about at its first. Time lines by hand, in milliseconds.
 */
#include "policy_case.h"

static void done(struct fake_host *fake, struct fake_task *task) {
    fake_done(fake, task);
    decide(fake);
}

static struct fake_call *call(struct fake_host *fake, uint32_t kernels, double ms) {
    return fake_call(fake, kernels, ms * 1e9);
}

/*
 * T_tgt = 100, T_self = 20. The first kernel of the query takes 5: T_hr = 100 - 5 - (20 - 5) = 80.
 * A batch call of three kernels is predicted at 50 as a whole, and takes all of it when its first
 * kernel is issued: 30 are left, so a kernel of 40 is held. The second and the third kernel of the
 * call pass without a look at the headroom and without a charge: T_q is 55 until the last of them
 * has ended, and the call is fed back once.
 */
POLICY_TEST(baymax_batch_call, fake_open(&policy_baymax, NULL)) {
    struct fake_job *q = query(fake, 100, 20), *b = batch(fake);
    struct fake_call *c = call(fake, 3, 50);
    struct fake_task *k = kernel(fake, q, 5);
    struct fake_task *first = fake_call_kernel(fake, b, c);
    decide(fake);
    assert_true(k->issued && first->issued);
    assert_true(noted_ms(fake, first, "issue_t_ps") == 50);
    assert_true(noted_ms(fake, first, "issue_headroom_ps") == 80);
    assert_true(noted_ms(fake, first, "issue_tq_ps") == 55);
    struct fake_task *second = fake_call_kernel(fake, b, c);
    struct fake_task *late = kernel(fake, b, 40);
    decide(fake);
    assert_true(second->issued && !late->issued);
    assert_true(noted_ms(fake, second, "issue_in_call_of_ps") == 50);
    assert_true(isnan(fake_noted(fake, second, "issue_t_ps")));
    assert_true(noted_ms(fake, late, "held_headroom_ps") == 30);
    at(fake, 30);
    done(fake, first);
    done(fake, second);
    struct fake_task *third = fake_call_kernel(fake, b, c);
    struct fake_task *k2 = kernel(fake, q, 1);
    decide(fake);
    assert_true(third->issued);
    /* Eq. 4 at 30: T_q = 5 + 50 + 1, the call is under way: (100 - 30) - 56 - (20 - 5 - 1) = 0. */
    assert_true(noted_ms(fake, k2, "headroom_refill_ps") == 0);
    assert_int_equal(c->feedbacks, 0);
    done(fake, third);
    assert_int_equal(c->feedbacks, 1);
    assert_int_equal(fake->feedbacks, 0);
    struct fake_task *k3 = kernel(fake, q, 1);
    decide(fake);
    /* T_q = 5 + 1 + 1: 70 - 7 - (20 - 7) = 50; the kernel of 40 passes. */
    assert_true(noted_ms(fake, k3, "headroom_refill_ps") == 50);
    assert_true(late->issued);
}

/* A batch call that does not fit waits as a whole, its later kernels with it; one whose prediction
 * nobody knows goes alone when no query is there. */
POLICY_TEST(baymax_held_call, fake_open(&policy_baymax, NULL)) {
    struct fake_job *q = query(fake, 100, 20), *b = batch(fake);
    struct fake_call *long_one = call(fake, 2, 90), *unknown = fake_call(fake, 2, NAN);
    struct fake_task *k = kernel(fake, q, 20);
    struct fake_task *a1 = fake_call_kernel(fake, b, long_one);
    struct fake_task *a2 = fake_call_kernel(fake, b, long_one); /* on another stream */
    struct fake_task *u1 = fake_call_kernel(fake, b, unknown);
    decide(fake);
    assert_true(k->issued && !a1->issued && !a2->issued && !u1->issued);
    assert_true(noted_ms(fake, a1, "held_headroom_ps") == 80);
    assert_true(fake_noted(fake, u1, "held_unknown_queries") == 1);
    assert_true(fake_reported(fake, "tasks_held") == 2); /* the call counts once */
    fake_done(fake, k);
    fake_end(fake, q);
    decide(fake);
    assert_true(a1->issued && a2->issued && u1->issued);
    struct fake_task *u2 = fake_call_kernel(fake, b, unknown);
    struct fake_call *other = fake_call(fake, 1, NAN);
    struct fake_task *o1 = fake_call_kernel(fake, b, other);
    done(fake, u1);
    assert_true(u2->issued && !o1->issued); /* the unknown one is still under way */
    done(fake, u2);
    assert_true(o1->issued);
}

/*
 * A query's call of two kernels is predicted at 10: it lowers an earlier query's headroom by 10,
 * and Eq. 4 is worked out once, at its first kernel. The earlier query: T_tgt = 100, T_self = 30,
 * kernel of 5, so 100 - 5 - 25 = 70. The later query (T_tgt = 200, T_self = 40) sees t_i = 30
 * before it: Eq. 3 gives 200 - 5 - 40 - 30 = 125, and Eq. 4 the same after its call. The earlier
 * one has 60.
 */
POLICY_TEST(baymax_query_call, fake_open(&policy_baymax, NULL)) {
    struct fake_job *q1 = query(fake, 100, 30), *q2 = query(fake, 200, 40), *b = batch(fake);
    struct fake_call *c = call(fake, 2, 10);
    struct fake_task *k = kernel(fake, q1, 5);
    decide(fake);
    struct fake_task *first = fake_call_kernel(fake, q2, c);
    decide(fake);
    assert_true(k->issued && first->issued);
    assert_true(noted_ms(fake, first, "headroom_first_ps") == 125);
    assert_true(noted_ms(fake, first, "headroom_refill_ps") == 125);
    struct fake_task *second = fake_call_kernel(fake, q2, c), *held = kernel(fake, b, 61);
    decide(fake);
    assert_true(second->issued && !held->issued);
    assert_true(isnan(fake_noted(fake, second, "headroom_refill_ps")));
    assert_true(noted_ms(fake, held, "held_headroom_ps") == 60);
    assert_true(fake_reported(fake, "headroom_refills") == 2);
}

/*
 * T_q above the smallest target holds every new task, but not the rest of a call. Should a call
 * wait for a kernel that is held, with nothing under way, T_q holds nobody: all would wait for
 * ever.
 */
POLICY_TEST(baymax_tq_and_calls, fake_open(&policy_baymax, NULL)) {
    fake_join(fake, "service", CT_SERVICE, 100 * MS);
    struct fake_job *b = batch(fake);
    struct fake_call *c = call(fake, 2, 110);
    struct fake_task *first = fake_call_kernel(fake, b, c);
    decide(fake);
    struct fake_task *waits = kernel(fake, b, 1);
    decide(fake);
    assert_true(first->issued && !waits->issued);
    assert_true(noted_ms(fake, waits, "held_tq_ps") == 110);
    done(fake, first);
    assert_true(waits->issued);
    struct fake_task *second = fake_call_kernel(fake, b, c);
    decide(fake);
    assert_true(second->issued);
    done(fake, second);
    done(fake, waits);
}

/* ---- Laius ---- */

static int64_t granted[FAKE_TASKS], delayed[FAKE_TASKS], in_process[FAKE_TASKS];
static bool (*plain_issue)(struct ct_context *, const struct ct_task *, const struct ct_grant *);

static bool issue(struct ct_context *context, const struct ct_task *task,
                  const struct ct_grant *grant) {
    bool accepted = plain_issue(context, task, grant);
    if (accepted) {
        granted[task->number] = grant->share;
        delayed[task->number] = grant->delay_ps;
        in_process[task->number] = (int64_t)grant->process;
    }
    return accepted;
}

/* Everything is as fast as it has SMs, up to four tenths for what is batch. */
static bool predict(double solo_ps, const struct ct_task *task, int64_t share,
                    struct ct_prediction *prediction) {
    double tenths = (double)share / 100;
    double useful = task->client->role == CT_SERVICE ? 10 : 4;
    double used = tenths < useful ? tenths : useful;
    *prediction = (struct ct_prediction){solo_ps * useful / used, 10e9 * used, used};
    return !isnan(solo_ps);
}

static bool predict_task(struct ct_context *context, const struct ct_task *task, int64_t share,
                         struct ct_prediction *prediction) {
    return predict(((const struct fake_task *)task)->predicted_ps, task, share, prediction);
}

static bool predict_call(struct ct_context *context, const struct ct_task *task, int64_t share,
                         struct ct_prediction *prediction) {
    return predict(((const struct fake_call *)task->call)->predicted_ps, task, share, prediction);
}

static bool predict_job(struct ct_context *context, const struct ct_job *job, int64_t share,
                        struct ct_prediction *prediction) {
    double solo_ps = ((const struct fake_job *)job)->predicted_ps;
    *prediction = (struct ct_prediction){solo_ps * 1000 / (double)share, NAN, NAN};
    return !isnan(solo_ps);
}

static struct fake_host *open_laius(const char *set) {
    struct fake_host *fake = fake_open(&policy_laius, set);
    assert_non_null(fake);
    plain_issue = fake->host.issue;
    fake->host.issue = issue;
    fake->host.predict_task = predict_task;
    fake->host.predict_call = predict_call;
    fake->host.predict_job = predict_job;
    return fake;
}

static int64_t tenths(const struct fake_task *task) {
    return task->issued ? granted[task->task.number] / 100 : 0;
}

static struct fake_task *on_stream(struct fake_task *task, uint32_t stream) {
    task->task.stream = stream;
    return task;
}

/*
 * A query gets 8 tenths (T_tgt = 100, T_p = 80). Of the two that are left a batch call of two
 * kernels gets both, and keeps them between its kernels while the query's kernel runs: another
 * batch kernel waits until the call's last kernel has ended. With a query of 3 tenths instead, and
 * nothing under way, a call that stands between two kernels holds nobody back.
 */
POLICY_TEST(laius_batch_call, open_laius("pool_cost_pct=0")) {
    struct fake_job *q = query(fake, 100, 80), *b = batch(fake), *b2 = batch(fake);
    struct fake_call *c = call(fake, 2, 10);
    struct fake_task *k = kernel(fake, q, 80);
    struct fake_task *first = fake_call_kernel(fake, b, c);
    decide(fake);
    assert_int_equal(tenths(k), 8);
    assert_int_equal(tenths(first), 2);
    struct fake_task *other = kernel(fake, b2, 5);
    at(fake, 20);
    done(fake, first);
    assert_int_equal(tenths(other), 0);
    struct fake_task *second = fake_call_kernel(fake, b, c);
    decide(fake);
    assert_int_equal(tenths(second), 2);
    assert_true(fake_noted(fake, second, "issue_in_call_per_mille") == 200);
    at(fake, 40);
    done(fake, second);
    assert_int_equal(tenths(other), 2);
    done(fake, other);
    struct fake_call *waiting = call(fake, 2, 10);
    first = fake_call_kernel(fake, b, waiting);
    decide(fake);
    assert_int_equal(tenths(first), 2);
    fake_done(fake, first);
    fake_done(fake, k);
    other = kernel(fake, b2, 5);
    decide(fake);
    assert_int_equal(tenths(other), 2);
}

/* Kernels of one call that are ready on two streams are one candidate, and run in one process with
 * the same quota: 4 tenths, which is all that they can use together; the other batch kernel gets 4,
 * in a process of its own. */
POLICY_TEST(laius_call_on_two_streams, open_laius("pool_cost_pct=0")) {
    struct fake_job *b = batch(fake), *b2 = batch(fake);
    struct fake_call *c = call(fake, 2, 10);
    struct fake_task *left = fake_call_kernel(fake, b, c);
    struct fake_task *right = on_stream(fake_call_kernel(fake, b, c), 1);
    struct fake_task *other = kernel(fake, b2, 5);
    decide(fake);
    decide(fake);
    assert_int_equal(tenths(left), 4);
    assert_int_equal(tenths(right), 4);
    assert_int_equal(tenths(other), 4);
    assert_int_equal(in_process[right->task.number], in_process[left->task.number]);
    assert_int_not_equal(in_process[other->task.number], in_process[left->task.number]);
    assert_true(fake_reported(fake, "allocations") == 1);
}

/*
 * A query of T_tgt = 110 and T_p = 50 gets 5 tenths (100, and 4 % for the pool). Its call of two
 * kernels is predicted at 10 on the whole device, 20 at 5 tenths; the hand-over of 4 %, 0.8, is
 * paid once, at its first kernel. The kernels take 15.8 and 15 from issue to end: 30 without the
 * hand-over. After the first nothing is known yet; after the second the lag is 10. Eq. 6: at 6
 * tenths 100 - 83.33 - (20 - 16.67) = 13.33 >= 10.
 */
POLICY_TEST(laius_lag_of_a_call, open_laius(NULL)) {
    struct fake_job *q = query(fake, 110, 50);
    struct fake_call *c = call(fake, 2, 10);
    struct fake_task *first = fake_call_kernel(fake, q, c);
    decide(fake);
    assert_int_equal(tenths(first), 5);
    assert_int_equal(delayed[first->task.number], 4 * MS / 5);
    fake_advance(fake, 158 * MS / 10);
    done(fake, first);
    assert_true(isnan(fake_noted(fake, first, "lag_ps")));
    struct fake_task *second = fake_call_kernel(fake, q, c);
    decide(fake);
    assert_int_equal(tenths(second), 5);
    assert_int_equal(delayed[second->task.number], 0);
    fake_advance(fake, 308 * MS / 10);
    struct fake_task *next = kernel(fake, q, 1);
    done(fake, second);
    assert_true(fabs(noted_ms(fake, second, "lag_ps") - 10) < 1e-9);
    decide(fake);
    assert_int_equal(tenths(next), 6);
}
