/*
 * The M/M/1 queue of bench_engine through SimGrid, the second yardstick: a source and a server as
 * actors, a semaphore between them, the same draws. bench_simgrid prints nanoseconds of processor
 * time per event (arrival or departure). With a number, bench_simgrid SHARERS, it is the work of
 * bench_sharing instead, which is SimGrid's own model: so many actors share a host's speed, or a
 * link, each one action or transfer after the other; nanoseconds per completed one. A transfer over
 * the second link begins with its latency, as a copy with its set-up. The network model is the
 * plain one, without the factors for TCP and without traffic back.
 */
#include "des/des_stream.h"

#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <xbt/config.h>

#define JOBS 1000000
#define ACTIONS 100000
#define MEAN_S 1.0 /* of the gaps between arrivals; far above SimGrid's accuracy of 1 ns */
#define LOAD 0.9
#define MEAN_BYTES 1e5

struct queue {
    struct des_stream stream;
    sg_sem_t waiting;
};

static void arrive(int argc, char **argv) {
    (void)argc;
    (void)argv;
    struct queue *queue = sg_actor_self_get_data();
    for (int i = 0; i < JOBS; i++) {
        sg_actor_sleep_for(MEAN_S * des_stream_exponential(&queue->stream));
        sg_sem_release(queue->waiting);
    }
}

static void serve(int argc, char **argv) {
    (void)argc;
    (void)argv;
    struct queue *queue = sg_actor_self_get_data();
    for (int i = 0; i < JOBS; i++) {
        sg_sem_acquire(queue->waiting);
        sg_actor_sleep_for(LOAD * MEAN_S * des_stream_exponential(&queue->stream));
    }
}

static void start_actor(const char *name, xbt_main_func_t function, void *data) {
    sg_actor_t actor = sg_actor_init(name, sg_host_by_name("host"));
    sg_actor_set_data(actor, data);
    sg_actor_start(actor, function, 0, NULL);
}

static void run_queue(void) {
    struct queue queue = {.waiting = sg_sem_init(0)};
    des_stream_init(&queue.stream, 1, 0, "bench", "");
    start_actor("source", arrive, &queue);
    start_actor("server", serve, &queue);
    clock_t begin = clock();
    simgrid_run();
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    printf("| M/M/1 at load 0.9 through SimGrid | %.0f |\n", 1e9 * seconds / (2.0 * JOBS));
    sg_sem_destroy(queue.waiting);
}

struct sharing {
    struct des_stream stream;
    sg_host_t from, to; /* to NULL: they compute */
    int begun;
};

static void act(int argc, char **argv) {
    (void)argc;
    (void)argv;
    struct sharing *sharing = sg_actor_self_get_data();
    while (sharing->begun++ < ACTIONS) {
        double length = des_stream_exponential(&sharing->stream);
        if (sharing->to)
            sg_host_sendto(sharing->from, sharing->to, 1 + length * MEAN_BYTES);
        else
            sg_actor_execute(1e9 * length);
    }
}

static void run_sharing(int sharers, const char *what, const char *to) {
    struct sharing sharing = {.from = sg_host_by_name("host"),
                              .to = to ? sg_host_by_name(to) : NULL};
    des_stream_init(&sharing.stream, 1, 0, "bench", "");
    for (int i = 0; i < sharers; i++)
        start_actor("sharer", act, &sharing);
    clock_t begin = clock();
    simgrid_run();
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    printf("| %d share %s through SimGrid | %.0f |\n", sharers, what, 1e9 * seconds / ACTIONS);
}

int main(int argc, char **argv) {
    simgrid_init(&argc, argv);
    sg_cfg_set_string("network/model", "CM02");
    sg_cfg_set_boolean("network/crosstraffic", "no");
    simgrid_load_platform(SIMGRID_PLATFORM);
    int sharers = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0;
    if (sharers > 0) {
        run_sharing(sharers, "a host", NULL);
        run_sharing(sharers, "a link without latency", "at once");
        run_sharing(sharers, "a link with latency", "after latency");
    } else
        run_queue();
    return 0;
}
