/*
 * Random streams: xoshiro256++ (Blackman and Vigna, ACM Trans. Math. Softw. 47(4), 2021), keyed by
 * names.
 *
 * A stream belongs to one use of chance, for instance (purpose "arrivals", name of the
 * application), so that two policies see the same workload and another application disturbs nobody.
 * Draws are the same bytes from every compiler and at every optimisation level. The C library's
 * exp and log decide only which candidate is taken (gamma draws also pass through GSL), so round a
 * draw to whole nanoseconds before it becomes a time.
 */
#ifndef DES_STREAM_H
#define DES_STREAM_H

#include "base/ct_types.h"
#include "des/des_ziggurat.h"

struct des_stream {
    uint64_t state[4];
};

/* The state is SplitMix64 over the two halves of the 128-bit hash of the four keys. */
void des_stream_init(struct des_stream *stream, uint64_t seed, uint64_t replication,
                     const char *purpose, const char *name);

/* A normally distributed draw of mean 0 and variance 1. */
double des_stream_normal(struct des_stream *stream);

/* A gamma-distributed draw of mean and variance `shape`, which is positive, by GSL's method on this
 * generator. */
double des_stream_gamma(struct des_stream *stream, double shape);

/* The version of the GSL that draws are made by, "2.7.1", which may differ from one machine to the
 * next; its fits make the predictors as well. */
const char *des_stream_gsl(void);

/* A whole number from 0 to n - 1, each as likely as the others; n > 0. */
uint64_t des_stream_below(struct des_stream *stream, uint64_t n);

/* A random order of `count` items of `size` bytes (Fisher and Yates, by Durstenfeld). */
void des_stream_shuffle(struct des_stream *stream, void *items, size_t count, size_t size);

/* What des_stream_exponential does with the one draw in ninety that is not inside layer `layer` for
 * certain. */
double des_stream_exponential_edge(struct des_stream *stream, unsigned layer, double x);

static inline uint64_t des_stream_rotate(uint64_t word, int left) {
    return word << left | word >> (64 - left);
}

/* 64 random bits. */
static inline uint64_t des_stream_u64(struct des_stream *stream) {
    uint64_t *s = stream->state;
    uint64_t result = des_stream_rotate(s[0] + s[3], 23) + s[0];
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = des_stream_rotate(s[3], 45);
    return result;
}

/* The highest 53 bits as a number from [0, 1), a multiple of 2^-53. */
static inline double des_stream_part(uint64_t bits) {
    return (double)(int64_t)(bits >> 11) * 0x1p-53;
}

/* A uniform draw from [0, 1). */
static inline double des_stream_uniform(struct des_stream *stream) {
    return des_stream_part(des_stream_u64(stream));
}

/* An exponentially distributed draw of mean 1, by ziggurat: the layer from the lowest 8 bits, the
 * place in it from the highest 53. */
static inline double des_stream_exponential(struct des_stream *stream) {
    uint64_t bits = des_stream_u64(stream);
    unsigned layer = bits % DES_ZIGGURAT_LAYERS;
    double x = des_stream_part(bits) * des_ziggurat_exponential.edge[layer];
    if (x < des_ziggurat_exponential.edge[layer + 1])
        return x;
    return des_stream_exponential_edge(stream, layer, x);
}

#endif
