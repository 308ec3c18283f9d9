/* Pieces of work that several threads take. */
#include "cmocka_complete.h"
#include "experiment/thread_team.h"

#include <stdlib.h>

enum { PIECES = 5000, THREADS = 4 };

static const struct ct_listener nobody = {0};

struct shift {
    struct thread_queue queue;
    int taken[PIECES];
    bool in_order;
    uint64_t stop_at;
};

static void *work(void *context) {
    struct shift *shift = context;
    uint64_t before = 0;
    bool in_order = true;
    for (uint64_t number; thread_queue_take(&shift->queue, &number); before = number) {
        in_order &= before == 0 || number > before;
        shift->taken[number]++; /* nobody else has this number */
        if (number == shift->stop_at) {
            pthread_mutex_lock(&shift->queue.lock);
            shift->queue.stop = true;
            pthread_mutex_unlock(&shift->queue.lock);
        }
    }
    pthread_mutex_lock(&shift->queue.lock);
    shift->in_order &= in_order;
    pthread_mutex_unlock(&shift->queue.lock);
    return NULL;
}

TEST(every_piece_is_taken_once) {
    static struct shift shift = {.in_order = true, .stop_at = PIECES};
    thread_queue_open(&shift.queue, &nobody);
    shift.queue.count = PIECES;
    thread_team_work(THREADS, work, &shift);
    for (int i = 0; i < PIECES; i++)
        assert_int_equal(shift.taken[i], 1);
    assert_true(shift.in_order);
    assert_false(shift.queue.stop);
    thread_queue_close(&shift.queue);
}

/* A piece that fails ends the queue: alone, a thread takes none behind it. */
TEST(a_stopped_queue_gives_no_more) {
    static struct shift shift = {.stop_at = 10};
    thread_queue_open(&shift.queue, &nobody);
    shift.queue.count = PIECES;
    thread_team_work(1, work, &shift);
    for (int i = 0; i < PIECES; i++)
        assert_int_equal(shift.taken[i], i <= 10);
    thread_queue_close(&shift.queue);
}

static bool third_time(void *context) {
    int *asked = context;
    return ++*asked > 3;
}

TEST(an_interruption_ends_it) {
    CLOSED_BY(thread_queue_close) struct thread_queue queue;
    uint64_t number, taken = 0;
    int asked = 0;
    const struct ct_listener listener = {third_time, NULL, &asked};
    thread_queue_open(&queue, &listener);
    queue.count = 10;
    while (thread_queue_take(&queue, &number))
        assert_int_equal(number, taken++);
    assert_int_equal(taken, 3);
    assert_true(queue.stop);
    assert_true(thread_queue_interrupted(&queue));
}
