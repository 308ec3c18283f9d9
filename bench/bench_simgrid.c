/*
 * The M/M/1 queue of bench_engine through SimGrid, the second yardstick: a source and a server as actors, a semaphore
 * between them, the same draws. bench_simgrid prints nanoseconds of processor time per event (arrival or departure).
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
#define MEAN_S 1e-3 /* of the gaps between arrivals */
#define LOAD 0.9

struct queue {
    struct des_stream stream;
    sg_sem_t waiting;
};

static struct queue queue;

static void arrive(int argc, char **argv) {
    (void)argc;
    (void)argv;
    for (int i = 0; i < JOBS; i++) {
        sg_actor_sleep_for(MEAN_S * des_stream_exponential(&queue.stream));
        sg_sem_release(queue.waiting);
    }
}

static void serve(int argc, char **argv) {
    (void)argc;
    (void)argv;
    for (int i = 0; i < JOBS; i++) {
        sg_sem_acquire(queue.waiting);
        sg_actor_sleep_for(LOAD * MEAN_S * des_stream_exponential(&queue.stream));
    }
}

/* SimGrid reads platforms from files only. */
static void load_one_host(void) {
    char path[] = "bench_simgrid_XXXXXX.xml";
    int file = mkstemps(path, 4);
    FILE *stream = file < 0 ? NULL : fdopen(file, "w");
    if (!stream)
        abort();
    fputs("<?xml version='1.0'?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">"
          "<platform version=\"4.1\"><zone id=\"zone\" routing=\"Full\"><host id=\"host\" speed=\"1Gf\"/></zone>"
          "</platform>\n",
          stream);
    fclose(stream);
    simgrid_load_platform(path);
    remove(path);
}

int main(int argc, char **argv) {
    simgrid_init(&argc, argv);
    load_one_host();
    des_stream_init(&queue.stream, 1, 0, "bench", "");
    queue.waiting = sg_sem_init(0);
    sg_actor_create("source", sg_host_by_name("host"), arrive, 0, NULL);
    sg_actor_create("server", sg_host_by_name("host"), serve, 0, NULL);
    clock_t begin = clock();
    simgrid_run();
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    printf("| M/M/1 at load 0.9 through SimGrid | %.0f |\n", 1e9 * seconds / (2.0 * JOBS));
    return 0;
}
