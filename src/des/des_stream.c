#include "des/des_stream.h"

#include "base/ct_assert.h"
#include "base/ct_hash.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_version.h>

/* Steele, Lea and Flood, OOPSLA 2014. */
static uint64_t split_mix(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

void des_stream_init(struct des_stream *stream, uint64_t seed, uint64_t replication,
                     const char *purpose, const char *name) {
    struct ct_hash hash = ct_hash_start();
    ct_hash_u64(&hash, seed);
    ct_hash_u64(&hash, replication);
    ct_hash_string(&hash, purpose);
    ct_hash_string(&hash, name);
    stream->state[0] = split_mix(&hash.high);
    stream->state[1] = split_mix(&hash.low);
    stream->state[2] =
        split_mix(&hash.high); /* differs from the first: the state is never all zeros */
    stream->state[3] = split_mix(&hash.low);
}

/* Whether a uniform height within a layer lies under the curve's height at the candidate. */
static bool under_curve(struct des_stream *stream, const struct des_ziggurat *table, unsigned layer,
                        double curve) {
    double low = table->height[layer], high = table->height[layer + 1];
    return low + des_stream_uniform(stream) * (high - low) < curve;
}

double des_stream_exponential_edge(struct des_stream *stream, unsigned layer, double x) {
    if (layer == 0) /* beyond the tail's begin the distribution is its own copy */
        return des_ziggurat_exponential.edge[1] + des_stream_exponential(stream);
    if (under_curve(stream, &des_ziggurat_exponential, layer, exp(-x)))
        return x;
    return des_stream_exponential(stream);
}

/* Marsaglia's tail (1964): exponential candidates, so that no logarithm touches the result. */
static double normal_tail(struct des_stream *stream) {
    const double begin = des_ziggurat_normal.edge[1];
    double x, y;
    do {
        x = des_stream_exponential(stream) / begin;
        y = des_stream_exponential(stream);
    } while (2 * y <= x * x);
    return begin + x;
}

double des_stream_normal(struct des_stream *stream) {
    for (;;) {
        uint64_t bits = des_stream_u64(stream);
        unsigned layer = bits % DES_ZIGGURAT_LAYERS;
        double sign = bits & DES_ZIGGURAT_LAYERS ? -1 : 1;
        double x = des_stream_part(bits) * des_ziggurat_normal.edge[layer];
        if (x < des_ziggurat_normal.edge[layer + 1])
            return sign * x;
        if (layer == 0)
            return sign * normal_tail(stream);
        if (under_curve(stream, &des_ziggurat_normal, layer, exp(-x * x / 2)))
            return sign * x;
    }
}

static unsigned long gsl_get(void *state) {
    return (unsigned long)(des_stream_u64(state) >> 32);
}

static double gsl_get_double(void *state) {
    return des_stream_uniform(state);
}

/* GSL's view of a stream. It is never seeded or copied through GSL. */
static const gsl_rng_type stream_type = {
    .name = "xoshiro256++",
    .max = UINT32_MAX,
    .size = sizeof(struct des_stream),
    .get = gsl_get,
    .get_double = gsl_get_double,
};

double des_stream_gamma(struct des_stream *stream, double shape) {
    ct_assert(shape > 0);
    gsl_rng generator = {&stream_type, stream};
    return gsl_ran_gamma(&generator, shape, 1);
}

const char *des_stream_gsl(void) {
    return gsl_version;
}

/* Keeps only draws below the largest multiple of n, so no remainder is favoured. */
uint64_t des_stream_below(struct des_stream *stream, uint64_t n) {
    ct_assert(n > 0);
    const uint64_t excess = (UINT64_MAX % n + 1) % n;
    uint64_t bits;
    do
        bits = des_stream_u64(stream);
    while (bits > UINT64_MAX - excess);
    return bits % n;
}

void des_stream_shuffle(struct des_stream *stream, void *items, size_t count, size_t size) {
    unsigned char *bytes = items;
    for (size_t left = count; left > 1; left--) {
        unsigned char *last = bytes + (left - 1) * size;
        unsigned char *other = bytes + des_stream_below(stream, left) * size;
        for (size_t i = 0; i < size; i++) {
            unsigned char kept = last[i];
            last[i] = other[i];
            other[i] = kept;
        }
    }
}
