/*
 * Two clients of MPS with a part of the SMs each: on how many do both run? A computes, B looks how
 * fast its own SMs are. Each is a process, so that each has its part.
 */
#include "measure_sm_units.cuh"

#include <stdlib.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

/* An SM of B keeps this part of its pace at least, where A does not compute on it. */
static const double slow = 0.7;

enum { A, B, CLIENTS };
struct pair {
    int quota_pct[CLIENTS];
    const char *how;
    int kernels;                /* of A, one after the other */
    unsigned long long each_ns; /* of these */
    int looks;                  /* of B, while A computes */
    unsigned long long look_ns;
};

/* ---- on the GPU ---- */

static __global__ void now_kernel(unsigned long long *at) {
    *at = global_ns();
}

static __global__ void __launch_bounds__(THREADS)
    compute_kernel(unsigned long long until_ns, unsigned *sink) {
    float x[4] = {(float)threadIdx.x, 1, 2, 3};
    while (global_ns() < until_ns)
        for (int i = 0; i < 64; i++)
            fma_unit<4>(x);
    keep(__float_as_uint(x[0] + x[1] + x[2] + x[3]), sink);
}

/* What the blocks on each SM compute in a time. */
static __global__ void __launch_bounds__(THREADS)
    look_kernel(unsigned long long *done, unsigned long long ns, unsigned *sink) {
    unsigned long long until = global_ns() + ns, count = 0;
    float x[4] = {(float)threadIdx.x, 1, 2, 3};
    while (global_ns() < until) {
        fma_unit<4>(x);
        count++;
    }
    keep(__float_as_uint(x[0] + x[1] + x[2] + x[3]), sink);
    if (threadIdx.x == 0)
        atomicAdd(&done[sm_number()], count);
}

/* ---- a client ---- */

struct client {
    int sms; /* that it may use */
    cudaStream_t stream;
    unsigned *sink;
    int smem; /* of a block */
};

/* Asks for ninths of an SM's shared memory: one for each of four blocks of A leaves room for one of
 * B, which takes four. */
static struct client open_client(const void *kernel, size_t ninths) {
    struct client c;
    cudaDeviceProp p;
    CHECKED(cudaSetDevice(0));
    CHECKED(cudaGetDeviceProperties(&p, 0));
    CHECKED(cudaStreamCreateWithFlags(&c.stream, cudaStreamNonBlocking));
    CHECKED(cudaMalloc(&c.sink, sizeof *c.sink));
    c.sms = p.multiProcessorCount;
    /* In whole KiB, one of which the system takes. */
    c.smem = ((int)(p.sharedMemPerMultiprocessor * ninths / 9 >> 10) - 1) << 10;
    CHECKED(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, c.smem));
    CHECKED(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
    return c;
}

static unsigned long long gpu_now(const struct client *c) {
    unsigned long long *at, now;
    CHECKED(cudaMalloc(&at, sizeof *at));
    now_kernel<<<1, 1, 0, c->stream>>>(at);
    CHECKED(cudaMemcpyAsync(&now, at, sizeof now, cudaMemcpyDeviceToHost, c->stream));
    CHECKED(cudaStreamSynchronize(c->stream));
    CHECKED(cudaFree(at));
    return now;
}

/* Clients take turns by bytes through pipes. */
static void await_turn(int from) {
    char c;
    if (read(from, &c, 1) != 1)
        exit(1);
}

static void give_turn(int to) {
    if (write(to, "x", 1) != 1)
        exit(1);
}

static void compute(const struct pair *pair, int from, int to) {
    struct client c = open_client((const void *)compute_kernel, 1);
    give_turn(to);
    await_turn(from);
    unsigned long long begin = gpu_now(&c) + 500000;
    give_turn(to);
    for (int i = 0; i < pair->kernels; i++) {
        unsigned long long until = begin + pair->each_ns * (unsigned)(i + 1);
        compute_kernel<<<c.sms * 4, THREADS, (size_t)c.smem, c.stream>>>(until, c.sink);
        CHECKED(cudaGetLastError());
    }
    CHECKED(cudaStreamSynchronize(c.stream));
}

/* SMs that had a block while A was still, and now have none or a slow one. */
static int shared_sms(const unsigned long long *still, const unsigned long long *now) {
    int count = 0;
    for (int sm = 0; sm < SM_SMS_MOST; sm++)
        count += still[sm] && (double)now[sm] < slow * (double)still[sm];
    return count;
}

static void print_client(const struct pair *pair, const std::vector<unsigned long long> &done,
                         FILE *file) {
    std::vector<double> shared;
    int sms = 0;
    for (int sm = 0; sm < SM_SMS_MOST; sm++)
        sms += done[(size_t)sm] > 0;
    for (int i = 1; i <= pair->looks; i++)
        shared.push_back(shared_sms(done.data(), &done[(size_t)(i * SM_SMS_MOST)]));
    struct measure_summary of = measure_summarise(shared.data(), pair->looks); /* sorts */
    fprintf(file, "%d,%d,%s,%d,%g,%g\n", pair->quota_pct[A], pair->quota_pct[B], pair->how, sms,
            of.median, shared.back());
    fflush(file);
}

static void look(const struct pair *pair, int from, int to, FILE *file) {
    struct client c = open_client((const void *)look_kernel, 4);
    std::vector<unsigned long long> host((size_t)(1 + pair->looks) * SM_SMS_MOST);
    unsigned long long *done;
    CHECKED(cudaMalloc(&done, host.size() * sizeof *done));
    CHECKED(cudaMemset(done, 0, host.size() * sizeof *done));
    CHECKED(cudaDeviceSynchronize());
    await_turn(from);
    for (int i = 0; i <= pair->looks; i++) {
        look_kernel<<<c.sms, THREADS, (size_t)c.smem, c.stream>>>(done + i * SM_SMS_MOST,
                                                                  pair->look_ns, c.sink);
        CHECKED(cudaGetLastError());
        if (i == 0) {
            CHECKED(cudaStreamSynchronize(c.stream));
            give_turn(to);
            await_turn(from);
            sm_wait(3e-3);
        }
    }
    CHECKED(cudaStreamSynchronize(c.stream));
    CHECKED(cudaMemcpy(host.data(), done, host.size() * sizeof *done, cudaMemcpyDeviceToHost));
    print_client(pair, host, file);
}

/* ---- CLIENTS.csv ---- */

/* A process for one of them. It keeps only its own ends of the pipes, so that it reads the end of
 * one whose writer has failed. */
static pid_t start_client(const struct pair *pair, int which, const int ab[2], const int ba[2],
                          FILE *file) {
    pid_t child = fork();
    if (child != 0)
        return child;
    setenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", std::to_string(pair->quota_pct[which]).c_str(), 1);
    close(which == A ? ab[0] : ab[1]);
    close(which == A ? ba[1] : ba[0]);
    if (which == A)
        compute(pair, ba[0], ab[1]);
    else
        look(pair, ab[0], ba[1], file);
    _exit(0);
}

static void measure_pair(const struct pair *pair, FILE *file) {
    int ab[2], ba[2], status;
    bool good = true;
    if (pipe(ab) || pipe(ba)) {
        perror("pipe");
        exit(1);
    }
    fflush(file);
    pid_t children[] = {start_client(pair, A, ab, ba, file), start_client(pair, B, ab, ba, file)};
    for (int end : {ab[0], ab[1], ba[0], ba[1]})
        close(end);
    for (pid_t child : children)
        good = child > 0 && waitpid(child, &status, 0) == child && status == 0 && good;
    if (!good)
        fprintf(stderr, "clients with %d and %d %% of the SMs, %s: failed\n", pair->quota_pct[A],
                pair->quota_pct[B], pair->how);
}

void sm_clients(const char *folder) {
    static const int quotas[] = {10, 20, 25, 30, 40, 50, 60, 70, 75, 80, 90};
    FILE *file =
        sm_table(folder, "CLIENTS.csv", "quota_a_pct,quota_b_pct,how,sms_b,shared,shared_most");
    for (int a : quotas)
        for (int b : quotas)
            if (a + b >= 90 && a + b <= 110) {
                struct pair pair = {{a, b}, "at once", 1, 30000000, 1, 2000000};
                measure_pair(&pair, file);
            }
    for (int a : {50, 40, 30})
        for (int b : {50, 60}) {
            struct pair pair = {{a, b}, "on and on", 300, 200000, 40, 300000};
            measure_pair(&pair, file);
        }
    fclose(file);
}
