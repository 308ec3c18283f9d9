/*
 * The M/M/1 queue of bench_engine through SimGrid, the second yardstick: a source and a server as
 * actors, a semaphore between them, the same draws. bench_simgrid prints nanoseconds of processor
 * time per event (arrival or departure). With a number, bench_simgrid SHARERS, it is the work of
 * bench_sharing instead, which is SimGrid's own model: so many actors share a host's speed, each
 * one action after the other; nanoseconds per completed action.
 */
#include "des_stream.h"

#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define JOBS 1000000
#define ACTIONS 100000
#define MEAN_S 1.0 /* of the gaps between arrivals; far above SimGrid's accuracy of 1 ns */
#define LOAD 0.9

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
    int begun;
};

static void act(int argc, char **argv) {
    (void)argc;
    (void)argv;
    struct sharing *sharing = sg_actor_self_get_data();
    while (sharing->begun++ < ACTIONS)
        sg_actor_execute(1e9 * des_stream_exponential(&sharing->stream));
}

static void run_sharing(int sharers) {
    struct sharing sharing = {.begun = 0};
    des_stream_init(&sharing.stream, 1, 0, "bench", "");
    for (int i = 0; i < sharers; i++)
        start_actor("sharer", act, &sharing);
    clock_t begin = clock();
    simgrid_run();
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    printf("| %d share one resource through SimGrid | %.0f |\n", sharers, 1e9 * seconds / ACTIONS);
}

int main(int argc, char **argv) {
    simgrid_init(&argc, argv);
    simgrid_load_platform(SIMGRID_PLATFORM);
    int sharers = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0;
    if (sharers > 0)
        run_sharing(sharers);
    else
        run_queue();
    return 0;
}
