/* Copies between host and GPU, several at once. */
#include "measure_copies.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double measure_host_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct copier {
    cudaMemcpyKind kind;
    char *host, *gpu;
    size_t bytes;
    pthread_barrier_t *barrier;
    const int *over; /* goes on copying until this is not 0; NULL: one copy */
    double end_s;
    cudaError_t error;
};

/* A pageable copy holds its host thread: every copy has a thread. */
static void *copy_one(void *context) {
    struct copier *c = (struct copier *)context;
    cudaStream_t stream = NULL;
    bool in = c->kind == cudaMemcpyHostToDevice;
    c->error = cudaSetDevice(0);
    if (c->error == cudaSuccess)
        c->error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    pthread_barrier_wait(c->barrier); /* all are ready */
    pthread_barrier_wait(c->barrier); /* the clock runs */
    do {
        if (c->error == cudaSuccess)
            c->error = cudaMemcpyAsync(in ? c->gpu : c->host, in ? c->host : c->gpu, c->bytes,
                                       c->kind, stream);
        if (c->error == cudaSuccess)
            c->error = cudaStreamSynchronize(stream);
    } while (c->over && c->error == cudaSuccess && !__atomic_load_n(c->over, __ATOMIC_ACQUIRE));
    c->end_s = measure_host_s();
    if (stream)
        cudaStreamDestroy(stream);
    return NULL;
}

/* Copy number `i` of a set; those beside it come last. */
static struct copier copier_of(const struct measure_copy_ends *ends,
                               const struct measure_copy *copy, int i, int count,
                               pthread_barrier_t *barrier, const int *over) {
    bool out = copy->direction == MEASURE_D2H || (copy->direction == MEASURE_BOTH && i % 2);
    bool pinned = copy->pinned || i >= count;
    struct copier c = {};
    c.kind = out ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
    c.host = (pinned ? ends->pinned : ends->pageable) + (size_t)i * copy->bytes;
    c.gpu = ends->copied + (size_t)i * copy->bytes;
    c.bytes = copy->bytes;
    c.barrier = barrier;
    c.over = i >= count ? over : NULL;
    return c;
}

cudaError_t measure_copies(const struct measure_copy *copy, const struct measure_copy_ends *ends,
                           double *seconds) {
    cudaError_t error = cudaSuccess;
    struct copier copiers[MEASURE_COPY_THREADS_MOST];
    pthread_t threads[MEASURE_COPY_THREADS_MOST];
    pthread_barrier_t barrier;
    int count = copy->concurrent * (copy->direction == MEASURE_BOTH ? 2 : 1), over = 0;
    int all = count + copy->beside;
    pthread_barrier_init(&barrier, NULL, (unsigned)all + 1);
    for (int i = 0; i < all; i++) {
        copiers[i] = copier_of(ends, copy, i, count, &barrier, &over);
        if (pthread_create(&threads[i], NULL, copy_one, &copiers[i]) != 0) {
            fprintf(stderr, "no thread for a copy\n");
            abort(); /* those that wait at the barrier cannot be called back */
        }
    }
    pthread_barrier_wait(&barrier);
    double begin_s = measure_host_s(), end_s = begin_s;
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < all; i++) {
        if (i == count)
            __atomic_store_n(&over, 1, __ATOMIC_RELEASE);
        pthread_join(threads[i], NULL);
        if (i < count)
            end_s = copiers[i].end_s > end_s ? copiers[i].end_s : end_s;
        if (error == cudaSuccess)
            error = copiers[i].error;
    }
    pthread_barrier_destroy(&barrier);
    *seconds = end_s - begin_s;
    return error;
}
