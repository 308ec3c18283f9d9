/* The host link against Baymax' Figures 3b and 8, hand-made time lines and a brute-force simulation
 * in fine steps. */
#include "base/ct_types.h"
#include "cmocka_complete.h"
#include "models/device/pcie.h"
#include "trace/trace.h"

#include <string.h>

_Static_assert((int)PCIE_HOST_TO_DEVICE == (int)TRACE_HOST_TO_DEVICE, "directions of copies");
_Static_assert((int)PCIE_DEVICE_TO_HOST == (int)TRACE_DEVICE_TO_HOST, "directions of copies");

/* Baymax section 6.1: a K40 on PCIe 3.0 x16. */
static const struct gpu k40 = {.pcie_mb_s = 12160,
                               .pcie_pageable_mb_s = 3150,
                               .pcie_pinned_mb_s = 11883,
                               .copy_latency_us = 10,
                               .staging_kb = 512};

#define LATENCY (10 * CT_PS_PER_US)
#define PIECE 524288.0
#define COPIES_MOST 64

#ifdef COTENANT_SMALL
enum { ROUNDS = 2 };
#else
enum { ROUNDS = 10 };
#endif

static double seconds(double bytes, double mb_per_s) {
    return bytes / (mb_per_s * 1e6);
}

static void near_ps(ct_time_ps value, double wanted_s, ct_time_ps tolerance) {
    double wanted = wanted_s * 1e12;
    if (!(fabs((double)value - wanted) <= (double)tolerance))
        fail_msg("%lld ps, want %.1f within %lld", (long long)value, wanted, (long long)tolerance);
}

/* Runs a link until it is empty; every copy must come back. */
static void drain(struct pcie_link *link, size_t count) {
    while (pcie_next_event(link) != CT_TIME_NEVER)
        while (pcie_advance(link, pcie_next_event(link)))
            count--;
    assert_int_equal(count, 0);
}

static struct pcie_copy copy_of(uint64_t bytes, bool pinned) {
    return (struct pcie_copy){.bytes = bytes, .pinned = pinned};
}

/* Latency + bytes / rate, to the picosecond. */
TEST(alone_is_exact) {
    for (int pinned = 0; pinned <= 1; pinned++)
        for (uint64_t bytes = 0; bytes < UINT64_C(1) << 34; bytes = bytes * 3 + 1) {
            struct pcie_link link;
            pcie_link_init(&link, &k40);
            struct pcie_copy copy = copy_of(bytes, pinned);
            pcie_submit(&link, &copy, 777);
            drain(&link, 1);
            double rate = (pinned ? 11883.0 : 3150.0) * 1e6;
            ct_time_ps wanted = LATENCY + ct_time_round((double)bytes / rate * 1e12);
            assert_int_equal(copy.ended_ps - copy.submitted_ps, wanted);
            assert_int_equal(pcie_solo_time(&link, bytes, pinned), wanted);
            assert_int_equal(copy.wait_ps, 0);
            assert_true(copy.sharing_loss_ps == 0.0);
        }
}

/* A copy of 64 MB that takes so long alone, whatever the link says, in milliseconds. */
static struct pcie_copy timed_copy(double ms, bool pinned) {
    struct pcie_copy copy = copy_of(64000000, pinned);
    copy.alone_ps = ct_time_round(ms * (double)CT_PS_PER_MS);
    return copy;
}

/* 64 MB take at least 5.26 ms of the link. Half way its own bytes are, too. */
TEST(alone_as_it_says) {
    static const double ms[] = {5.27, 10, 20.33, 160};
    for (int pinned = 0; pinned <= 1; pinned++)
        for (size_t i = 0; i < CT_COUNT_OF(ms); i++) {
            struct pcie_link link;
            pcie_link_init(&link, &k40);
            struct pcie_copy copy = timed_copy(ms[i], pinned);
            pcie_submit(&link, &copy, 777);
            ct_time_ps half = 777 + copy.latency_ps + (copy.alone_ps - copy.latency_ps) / 2;
            assert_null(pcie_advance(&link, half));
            assert_true(fabs(pcie_moved_bytes(&link, half) - 32e6) < 1);
            assert_true(fabs(pcie_done_ps(&link, &copy, half) - (double)(half - 777)) < 2);
            drain(&link, 1);
            near_ps(copy.ended_ps, 777e-12 + ms[i] * 1e-3, 1);
            assert_true(fabs(pcie_moved_bytes(&link, copy.ended_ps) - 64e6) < 1e-3);
        }
}

/* Pageable copies that take ten times as long as the link says share it as ten times the bytes:
 * four have 12160 / 4 of their 3150 MB/s. */
TEST(slow_copies_share) {
    struct pcie_link link;
    struct pcie_copy copies[4];
    pcie_link_init(&link, &k40);
    double alone = LATENCY * 1e-12 + 10 * seconds(64e6, 3150);
    for (int i = 0; i < 4; i++) {
        copies[i] = timed_copy(alone * 1e3, false);
        pcie_submit(&link, &copies[i], 0);
    }
    drain(&link, 4);
    for (int i = 0; i < 4; i++)
        near_ps(copies[i].ended_ps, LATENCY * 1e-12 + 10 * seconds(64e6, 12160.0 / 4), 10);
    assert_true(fabs(pcie_moved_bytes(&link, copies[3].ended_ps) - 4 * 64e6) < 1e-2);
}

/* What is left beside the bytes of a short copy is its latency: it is set up before the copy that
 * came first. */
TEST(set_up_in_the_order_of_latencies) {
    struct pcie_link link;
    struct pcie_copy slow = copy_of(1000000, false), quick = copy_of(1000, false);
    pcie_link_init(&link, &k40);
    quick.alone_ps = 2 * CT_PS_PER_US;
    pcie_submit(&link, &slow, 0);
    pcie_submit(&link, &quick, CT_PS_PER_US);
    drain(&link, 2);
    near_ps(quick.ended_ps, 3e-6, 1);
    near_ps(slow.ended_ps, LATENCY * 1e-12 + seconds(1e6, 3150), 1);
}

/* Baymax Figure 8: n pageable copies run at min(3150, 12160 / n) MB/s each, so three at full speed.
 */
TEST(pageable_copies_share) {
    const double bytes = 64e6;
    for (int n = 1; n <= 8; n++) {
        struct pcie_link link;
        struct pcie_copy copies[8];
        pcie_link_init(&link, &k40);
        for (int i = 0; i < n; i++) {
            copies[i] = copy_of((uint64_t)bytes, false);
            pcie_submit(&link, &copies[i], 0);
        }
        drain(&link, (size_t)n);
        double rate = fmin(3150.0, 12160.0 / n), full = seconds(bytes, 3150.0);
        for (int i = 0; i < n; i++) {
            near_ps(copies[i].ended_ps - LATENCY, seconds(bytes, rate), 1);
            assert_int_equal(copies[i].wait_ps, 0);
            assert_true(fabs(copies[i].sharing_loss_ps - (seconds(bytes, rate) - full) * 1e12) < 2);
        }
        assert_true((copies[0].sharing_loss_ps == 0.0) == (n <= 3));
    }
}

/*
 * Four copies, one of them short: 10 MB at 3040 MB/s each, then the other three have 20 MB left at
 * full speed.
 */
TEST(the_rest_speeds_up) {
    struct pcie_link link;
    struct pcie_copy copies[4];
    pcie_link_init(&link, &k40);
    for (int i = 0; i < 4; i++) {
        copies[i] = copy_of(i == 0 ? 10000000 : 30000000, false);
        pcie_submit(&link, &copies[i], 0);
    }
    drain(&link, 4);
    double first = seconds(10e6, 3040.0);
    near_ps(copies[0].ended_ps - LATENCY, first, 1);
    for (int i = 1; i < 4; i++)
        near_ps(copies[i].ended_ps - LATENCY, first + seconds(20e6, 3150.0), 2);
}

/*
 * A pageable copy moves since 10 us when, at 100 us, a pinned one arrives: 90 us * 3150 MB/s =
 * 283500 bytes of its first piece are through; the pinned copy starts when the other 240788 are,
 * and the pageable one goes on after it.
 */
TEST(pinned_waits_for_a_piece) {
    struct pcie_link link;
    struct pcie_copy pageable = copy_of(2 * 524288, false), pinned = copy_of(8000000, true);
    pcie_link_init(&link, &k40);
    pcie_submit(&link, &pageable, 0);
    pcie_submit(&link, &pinned, 100 * CT_PS_PER_US);
    drain(&link, 2);
    double piece = seconds(PIECE, 3150.0), held = 10e-6 + seconds(8e6, 11883.0);
    near_ps(pinned.started_ps, 10e-6 + piece, 1);
    near_ps(pinned.wait_ps, 10e-6 + piece - 100e-6, 1);
    near_ps(pinned.ended_ps, 10e-6 + piece + held, 2);
    near_ps(pageable.wait_ps, held, 2);
    near_ps(pageable.ended_ps, 10e-6 + 2 * piece + held, 3);
    assert_true(pageable.sharing_loss_ps == 0.0);
}

/* Pieces end when nobody pinned waits any more: the rest of the copy is one event. */
TEST(no_pieces_without_pinned) {
    struct pcie_link link;
    struct pcie_copy pageable = copy_of(20 * 524288, false), pinned = copy_of(8000000, true);
    pcie_link_init(&link, &k40);
    pcie_submit(&link, &pageable, 0);
    assert_int_equal(pcie_next_event(&link), LATENCY);
    assert_null(pcie_advance(&link, LATENCY));
    assert_int_equal(pcie_next_event(&link), pcie_solo_time(&link, pageable.bytes, false));
    pcie_submit(&link, &pinned, CT_PS_PER_MS);
    while (!pcie_advance(&link, pcie_next_event(&link)))
        continue;
    ct_time_ps now = pinned.ended_ps;
    near_ps(pcie_next_event(&link) - now, seconds(pageable.bytes_left, 3150.0), 1);
    assert_ptr_equal(pcie_advance(&link, pcie_next_event(&link)), &pageable);
    assert_int_equal(pcie_next_event(&link), CT_TIME_NEVER);
}

/* What is due at once is done at once: the next moment is already the end. */
TEST(without_latency) {
    struct gpu gpu = k40;
    gpu.copy_latency_us = 0;
    for (int pinned = 0; pinned <= 1; pinned++) {
        struct pcie_link link;
        struct pcie_copy copy = copy_of(1000000, pinned), nothing = copy_of(0, pinned);
        pcie_link_init(&link, &gpu);
        pcie_submit(&link, &nothing, 5);
        assert_int_equal(pcie_next_event(&link), 5);
        assert_ptr_equal(pcie_advance(&link, 5), &nothing);
        pcie_submit(&link, &copy, 7);
        assert_int_equal(copy.state, PCIE_MOVING);
        ct_time_ps end = 7 + pcie_solo_time(&link, copy.bytes, pinned);
        assert_int_equal(pcie_next_event(&link), end);
        assert_ptr_equal(pcie_advance(&link, end), &copy);
        assert_int_equal(pcie_next_event(&link), CT_TIME_NEVER);
    }
}

/* Pinned copies go one after the other, and a pageable one that comes between takes its turn
 * between. */
TEST(first_come_first_served) {
    struct pcie_link link;
    struct pcie_copy first = copy_of(8000000, true), second = copy_of(8000000, true);
    struct pcie_copy small = copy_of(1000, false);
    pcie_link_init(&link, &k40);
    pcie_submit(&link, &first, 0);
    pcie_submit(&link, &small, 0); /* in the queue at 10 us, before the second */
    pcie_submit(&link, &second, 20 * CT_PS_PER_US);
    drain(&link, 3);
    double held = 10e-6 + seconds(8e6, 11883.0), short_time = seconds(1000, 3150.0);
    near_ps(first.ended_ps, held, 1);
    near_ps(small.ended_ps, held + short_time, 2);
    near_ps(second.ended_ps, 2 * held + short_time, 3);
    assert_int_equal(first.wait_ps, 0);
    near_ps(small.wait_ps, held - 10e-6, 1);
    near_ps(second.wait_ps, held + short_time - 20e-6, 2);
}

/* The directions do not see each other; with a single engine they go one after the other, in order
 * of issue. */
TEST(directions) {
    for (int single = 0; single <= 1; single++) {
        struct gpu gpu = k40;
        gpu.copy_engines = single ? GPU_COPY_SINGLE : GPU_COPY_DUPLEX;
        struct pcie_bus bus;
        pcie_bus_init(&bus, &gpu);
        struct pcie_copy in = copy_of(31500000, false), out = copy_of(31500000, false);
        pcie_submit(pcie_bus_link(&bus, PCIE_HOST_TO_DEVICE), &in, 0);
        pcie_submit(pcie_bus_link(&bus, PCIE_DEVICE_TO_HOST), &out, 0);
        assert_int_equal(bus.link_count, single ? 1 : 2);
        size_t count = single ? 2 : 1;
        for (size_t i = 0; i < bus.link_count; i++)
            drain(&bus.links[i], count);
        /* 31.5 MB at 3150 MB/s are 10 ms. */
        near_ps(in.ended_ps, 10.01e-3, 1);
        near_ps(out.ended_ps, single ? 20.02e-3 : 10.01e-3, 2);
        near_ps(out.wait_ps, single ? 10.01e-3 : 0.0, 1);
    }
}

/* A single engine is not preempted: no pieces, a pinned copy waits for all of the pageable one. */
TEST(single_engine_is_exclusive) {
    struct gpu gpu = k40;
    gpu.copy_engines = GPU_COPY_SINGLE;
    struct pcie_link link;
    pcie_link_init(&link, &gpu);
    struct pcie_copy first = copy_of(31500000, false), second = copy_of(11883000, true);
    struct pcie_copy third = copy_of(31500000, false);
    pcie_submit(&link, &first, 0);
    pcie_submit(&link, &second, CT_PS_PER_MS);
    pcie_submit(&link, &third, 2 * CT_PS_PER_MS);
    drain(&link, 3);
    near_ps(first.ended_ps, 10.01e-3, 1);
    near_ps(second.ended_ps, 11.02e-3, 2);
    near_ps(third.ended_ps, 21.03e-3, 3);
}

/* Applications that each submit a pinned copy as soon as their last one has ended, until the victim
 * is through. */
static ct_time_ps beside_loops(struct pcie_link *link, struct pcie_copy *victim,
                               struct pcie_copy *loops, int count) {
    for (int i = 0; i < count; i++)
        pcie_submit(link, &loops[i], 0);
    pcie_submit(link, victim, 0);
    for (;;) {
        ct_time_ps now = pcie_next_event(link);
        struct pcie_copy *ended = pcie_advance(link, now);
        if (ended == victim)
            return now;
        if (ended)
            pcie_submit(link, ended, now);
    }
}

/*
 * Baymax Figure 3b: 15 ms alone (47.25 MB, 91 pieces), beside four applications that loop pinned
 * copies of 16 MB. The victim is in the queue at 10 us behind three of them while the first holds
 * the link; then every piece but the first waits for all four.
 */
TEST(pinned_loops_starve_pageable) {
    struct pcie_link link;
    struct pcie_copy loops[4], victim = copy_of(47250000, false);
    for (int i = 0; i < 4; i++)
        loops[i] = copy_of(16000000, true);
    pcie_link_init(&link, &k40);
    ct_time_ps end = beside_loops(&link, &victim, loops, 4);
    double held = 10e-6 + seconds(16e6, 11883.0);
    near_ps(end, 91 * 4 * held + seconds(47.25e6, 3150.0), 1000);
    near_ps(victim.wait_ps, 91 * 4 * held - 10e-6, 1000);
    assert_true(end > 10 * pcie_solo_time(&link, 47250000, false));
}

/* One pinned loop beside a pageable copy: piece and pinned copy in turn. */
TEST(one_pinned_loop) {
    struct pcie_link link;
    struct pcie_copy loop = copy_of(16000000, true), victim = copy_of(10 * 524288, false);
    pcie_link_init(&link, &k40);
    ct_time_ps end = beside_loops(&link, &victim, &loop, 1);
    near_ps(end, 10 * (10e-6 + seconds(16e6, 11883.0)) + seconds(10 * PIECE, 3150.0), 100);
}

struct blame_sums {
    const struct pcie_copy *copies;
    double wait[COPIES_MOST][COPIES_MOST], sharing[COPIES_MOST][COPIES_MOST];
};

static void sum_blame(void *context, const struct pcie_copy *victim,
                      const struct pcie_copy *culprit, enum pcie_loss loss, double ps) {
    struct blame_sums *sums = context;
    ptrdiff_t i = victim - sums->copies, j = culprit - sums->copies;
    assert_true(i != j && ps > 0.0);
    *(loss == PCIE_LOSS_WAIT ? &sums->wait[i][j] : &sums->sharing[i][j]) += ps;
}

static uint64_t draw(uint64_t *state, uint64_t below) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*state >> 33) % below;
}

/* A random load: copies of 1 B to 4 MB, every `pinned_in`-th pinned, over 8 ms. */
static void random_load(uint64_t *seed, struct pcie_copy *copies, ct_time_ps *times, size_t count,
                        uint64_t pinned_in) {
    ct_time_ps now = 0;
    for (size_t i = 0; i < count; i++) {
        copies[i] = copy_of(1 + draw(seed, 4000000), draw(seed, pinned_in) == 0);
        now += (ct_time_ps)draw(seed, 2 * 8 * CT_PS_PER_MS / count);
        times[i] = now;
    }
}

static void run_load(struct pcie_link *link, struct pcie_copy *copies, const ct_time_ps *times,
                     size_t count) {
    size_t ended = 0;
    for (size_t i = 0; i < count; i++) {
        while (pcie_next_event(link) <= times[i])
            ended += pcie_advance(link, pcie_next_event(link)) != NULL;
        pcie_submit(link, &copies[i], times[i]);
    }
    drain(link, count - ended);
}

/* Bytes are conserved, and each copy's time is latency, own transfer, wait and sharing, and nothing
 * else. */
TEST(times_and_bytes_add_up) {
    uint64_t seed = 11;
    static struct pcie_copy copies[COPIES_MOST];
    static struct blame_sums sums;
    ct_time_ps times[COPIES_MOST];
    for (int round = 0; round < 300; round++) {
        struct pcie_link link;
        struct gpu gpu = k40;
        gpu.copy_latency_us = round % 4 < 3 ? 10 : 0; /* without, a copy is on the link at once */
        pcie_link_init(&link, &gpu);
        memset(&sums, 0, sizeof sums);
        sums.copies = copies;
        link.blame = sum_blame;
        link.blame_context = &sums;
        random_load(&seed, copies, times, COPIES_MOST, 2 + (uint64_t)round % 6);
        run_load(&link, copies, times, COPIES_MOST);
        double bytes = 0.0;
        for (int i = 0; i < COPIES_MOST; i++) {
            const struct pcie_copy *c = &copies[i];
            double own = (double)c->bytes / (c->pinned ? 11883e6 : 3150e6) * 1e12;
            double sum = (double)link.latency_ps + own + (double)c->wait_ps + c->sharing_loss_ps;
            assert_true(fabs((double)(c->ended_ps - c->submitted_ps) - sum) < 100.0);
            double wait = 0.0, sharing = 0.0;
            for (int j = 0; j < COPIES_MOST; j++) {
                wait += sums.wait[i][j];
                sharing += sums.sharing[i][j];
            }
            assert_true(fabs(wait - (double)c->wait_ps) < 1.0);
            assert_true(fabs(sharing - c->sharing_loss_ps) < 1.0);
            assert_true(!c->pinned || c->sharing_loss_ps == 0.0);
            bytes += (double)c->bytes;
        }
        assert_true(fabs(link.moved_bytes - bytes) < 1e-4);
        assert_true(bytes <= 12160e6 * ct_time_s(link.now_ps) + 1.0);
    }
}

static void expect_done(struct pcie_link *link, const struct pcie_copy *copy, double at_us,
                        double done_us) {
    ct_time_ps now = ct_time_round(at_us * (double)CT_PS_PER_US);
    assert_null(pcie_advance(link, now));
    near_ps(ct_time_round(pcie_done_ps(link, copy, now)), done_us * 1e-6, 2);
}

/* A pinned copy of 1010 us finds a pageable one as long in its fourth piece, and leaves it standing
 * after that. */
TEST(done_so_far) {
    const double piece_us = seconds(PIECE, 3150) * 1e6, met_us = 10 + 4 * piece_us;
    struct pcie_link link;
    struct pcie_copy pageable = copy_of(3150000, false), pinned = copy_of(11883000, true);
    pcie_link_init(&link, &k40);
    pcie_submit(&link, &pageable, 0);
    expect_done(&link, &pageable, 4, 4);
    expect_done(&link, &pageable, 510, 510);
    pcie_submit(&link, &pinned, 550 * CT_PS_PER_US);
    expect_done(&link, &pageable, 600, 600);
    expect_done(&link, &pinned, 600, 0);
    expect_done(&link, &pinned, met_us + 7, 7);
    expect_done(&link, &pinned, met_us + 110, 110);
    expect_done(&link, &pageable, met_us + 110, met_us);
    expect_done(&link, &pinned, met_us + 1009, 1009);
    assert_ptr_equal(pcie_advance(&link, ct_time_round((met_us + 1011) * 1e6)), &pinned);
    expect_done(&link, &pageable, met_us + 1020, met_us + 10);
    drain(&link, 1);
}

/* Four pageable copies move at a quarter of the link each; of two on one engine the second waits
 * with its latency. */
TEST(done_beside_others) {
    struct pcie_link link;
    struct pcie_copy copies[4];
    pcie_link_init(&link, &k40);
    for (int i = 0; i < 4; i++) {
        copies[i] = copy_of(3150000, false);
        pcie_submit(&link, &copies[i], 0);
    }
    expect_done(&link, &copies[3], 510, 10 + 500 * 3040.0 / 3150);
    drain(&link, 4);
    struct gpu gpu = k40;
    gpu.copy_engines = GPU_COPY_SINGLE;
    pcie_link_init(&link, &gpu);
    for (int i = 0; i < 2; i++) {
        copies[i] = copy_of(3150000, false);
        pcie_submit(&link, &copies[i], 0);
    }
    expect_done(&link, &copies[0], 510, 510);
    expect_done(&link, &copies[1], 510, 0);
    drain(&link, 2);
}

/* How often the caller looks, and whether all events come one by one or in a lump, changes nothing.
 */
TEST(looking_changes_nothing) {
    uint64_t seed = 5;
    static struct pcie_copy once[COPIES_MOST], often[COPIES_MOST];
    ct_time_ps times[COPIES_MOST];
    for (int round = 0; round < 50; round++) {
        struct pcie_link link;
        random_load(&seed, once, times, COPIES_MOST, 4);
        memcpy(often, once, sizeof often);
        pcie_link_init(&link, &k40);
        for (int i = 0; i < COPIES_MOST; i++) /* ends pile up on the link */
            pcie_submit(&link, &once[i], times[i]);
        int count = 0;
        ct_time_ps before = 0;
        for (struct pcie_copy *copy; (copy = pcie_advance(&link, CT_PS_PER_S)); count++) {
            assert_true(copy->ended_ps >= before);
            before = copy->ended_ps;
        }
        assert_int_equal(count, COPIES_MOST);
        pcie_link_init(&link, &k40);
        run_load(&link, often, times, COPIES_MOST);
        for (int i = 0; i < COPIES_MOST; i++)
            assert_int_equal(once[i].ended_ps, often[i].ended_ps);
    }
}

/*
 * The reference: the same rules on a clock of 1 ns, everything looked at again in every step.
 * `queue` holds the order in which copies (or their next piece) began to wait.
 */
enum step_state { STEP_FUTURE, STEP_SETUP, STEP_WAITING, STEP_MOVING, STEP_DONE };

struct step_copy {
    bool pinned;
    int state;
    double bytes, moved, piece_start, ready_s, end_s;
    long ticket;
};

#define STEP_S 1e-9

static struct step_copy *step_head(struct step_copy *copies, size_t count) {
    struct step_copy *head = NULL;
    for (size_t i = 0; i < count; i++)
        if (copies[i].state == STEP_WAITING && (!head || copies[i].ticket < head->ticket))
            head = &copies[i];
    return head;
}

static void step_admit(struct step_copy *copies, size_t count, double now) {
    struct step_copy *head;
    while ((head = step_head(copies, count))) {
        bool any = false, pinned = false;
        for (size_t i = 0; i < count; i++)
            if (copies[i].state == STEP_MOVING) {
                any = true;
                pinned |= copies[i].pinned;
            }
        if (pinned || (any && head->pinned))
            return;
        head->state = STEP_MOVING;
        head->ready_s = head->pinned ? now + 10e-6 : now;
        head->piece_start = head->moved;
    }
}

static void step_move(struct step_copy *copies, size_t count, double now, long *ticket) {
    size_t moving = 0;
    bool pinned_waits = false;
    for (size_t i = 0; i < count; i++) {
        moving += copies[i].state == STEP_MOVING;
        pinned_waits |= copies[i].state == STEP_WAITING && copies[i].pinned;
    }
    for (size_t i = 0; i < count; i++) {
        struct step_copy *c = &copies[i];
        if (c->state != STEP_MOVING || now < c->ready_s)
            continue;
        double rate = c->pinned ? 11883e6 : fmin(3150e6, 12160e6 / (double)moving);
        double before = floor(c->moved / PIECE);
        c->moved += rate * STEP_S;
        if (c->moved >= c->bytes) {
            c->state = STEP_DONE;
            c->end_s = now + STEP_S;
        } else if (!c->pinned && pinned_waits && floor(c->moved / PIECE) > before) {
            c->state = STEP_WAITING;
            c->ticket = (*ticket)++;
        }
    }
}

static void step_arrive(struct step_copy *copies, const ct_time_ps *times, size_t count, double now,
                        long *ticket) {
    for (size_t i = 0; i < count; i++) {
        struct step_copy *c = &copies[i];
        if (c->state == STEP_FUTURE && now >= ct_time_s(times[i])) {
            c->state = c->pinned ? STEP_WAITING : STEP_SETUP;
            c->ready_s = ct_time_s(times[i]) + 10e-6;
            c->ticket = c->pinned ? (*ticket)++ : 0;
        }
        if (c->state == STEP_SETUP && now >= c->ready_s) {
            c->state = STEP_WAITING;
            c->ticket = (*ticket)++;
        }
    }
}

static void step_run(struct step_copy *copies, const ct_time_ps *times, size_t count) {
    long ticket = 1;
    size_t done = 0;
    for (long step = 0; done < count; step++) {
        double now = (double)step * STEP_S;
        step_arrive(copies, times, count, now, &ticket);
        step_admit(copies, count, now);
        step_move(copies, count, now, &ticket);
        done = 0;
        for (size_t i = 0; i < count; i++)
            done += copies[i].state == STEP_DONE;
    }
}

/* Twelve copies a round; a step is lost at each of at most some 200 changes. */
TEST(meets_brute_force) {
    enum { COUNT = 12 };
    uint64_t seed = 3;
    for (int round = 0; round < ROUNDS; round++) {
        struct pcie_copy copies[COUNT];
        struct step_copy steps[COUNT];
        ct_time_ps times[COUNT];
        random_load(&seed, copies, times, COUNT, 2 + (uint64_t)round % 3);
        for (int i = 0; i < COUNT; i++) {
            times[i] /= 4; /* crowded */
            steps[i] =
                (struct step_copy){.pinned = copies[i].pinned, .bytes = (double)copies[i].bytes};
        }
        struct pcie_link link;
        pcie_link_init(&link, &k40);
        run_load(&link, copies, times, COUNT);
        step_run(steps, times, COUNT);
        for (int i = 0; i < COUNT; i++)
            near_ps(copies[i].ended_ps, steps[i].end_s, 100 * CT_PS_PER_NS);
    }
}
