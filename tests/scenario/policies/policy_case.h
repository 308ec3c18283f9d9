/* A policy under a host without an engine: what its tests script and look at, times in
 * milliseconds.
 */
#ifndef POLICY_CASE_H
#define POLICY_CASE_H

#include "cmocka_complete.h"
#include "contract/fake_host.h"
#include "policies/policies.h"

#include <math.h>

#define MS INT64_C(1000000000)

static inline void at(struct fake_host *fake, double ms) {
    fake_advance(fake, (int64_t)(ms * 1e9));
}

static inline void decide(struct fake_host *fake) {
    fake_decide(fake, 0);
}

static inline struct fake_task *kernel(struct fake_host *fake, struct fake_job *job, double ms) {
    return fake_kernel(fake, job, ms * 1e9);
}

static inline struct ct_client *service(struct fake_host *fake, int64_t target_ms) {
    return fake_join(fake, "service", CT_SERVICE, target_ms * MS);
}

static inline struct fake_job *query_of(struct fake_host *fake, struct ct_client *client,
                                        double self_ms) {
    return fake_begin(fake, client, self_ms * 1e9, false);
}

/* A query of a service of its own. */
static inline struct fake_job *query(struct fake_host *fake, int64_t target_ms, double self_ms) {
    return query_of(fake, service(fake, target_ms), self_ms);
}

static inline struct fake_job *batch(struct fake_host *fake) {
    return fake_begin(fake, fake_join(fake, "batch", CT_BATCH, 0), NAN, false);
}

static inline double noted_ms(const struct fake_host *fake, const struct fake_task *task,
                              const char *key) {
    return fake_noted(fake, task, key) / 1e9;
}

#define expect_ms(fake, task, key, ms) assert_true(noted_ms(fake, task, key) == (double)(ms))

/* The policy broke no rule. */
static inline void close_sound(struct fake_host *fake) {
    if (fake->faults > 0)
        fail_msg("%s", fake->first_fault);
    assert_false(fake->failed);
    fake_close(fake);
}

FREER(close_sound, struct fake_host)

/* A test of the host `fake` that `open` returns. */
#define POLICY_TEST(name, open) TEST_MADE(name, struct fake_host, fake, open, close_sound(fake))

#endif
