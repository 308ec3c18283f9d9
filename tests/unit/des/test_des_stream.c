/* Random streams: known outputs of the generator, GSL's distributions, and the same bytes
 * everywhere. */
#include "base/ct_hash.h"
#include "cmocka_complete.h"
#include "des/des_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#define SAMPLE 200000

/* First outputs for the state 1, 2, 3, 4, as the generator's authors' C code gives them. */
TEST(test_generator_is_xoshiro256_plus_plus) {
    static const uint64_t expected[] = {41943041,
                                        58720359,
                                        UINT64_C(3588806011781223),
                                        UINT64_C(3591011842654386),
                                        UINT64_C(9228616714210784205),
                                        UINT64_C(9973669472204895162),
                                        UINT64_C(14011001112246962877),
                                        UINT64_C(12406186145184390807),
                                        UINT64_C(15849039046786891736),
                                        UINT64_C(10450023813501588000)};
    struct des_stream stream = {{1, 2, 3, 4}};
    for (size_t i = 0; i < CT_COUNT_OF(expected); i++)
        assert_true(des_stream_u64(&stream) == expected[i]);
}

TEST(test_every_key_makes_another_stream) {
    static const struct {
        uint64_t seed, replication;
        const char *purpose, *name;
    } keys[] = {{1, 0, "arrivals", "imc"}, {2, 0, "arrivals", "imc"}, {1, 1, "arrivals", "imc"},
                {1, 0, "jobs", "imc"},     {1, 0, "arrivals", "imd"}, {1, 0, "arrivalsi", "mc"},
                {0, 1, "arrivals", "imc"}, {1, 0, "arrivals", ""},    {1, 0, "arrivals", NULL}};
    uint64_t first[CT_COUNT_OF(keys)];
    for (size_t i = 0; i < CT_COUNT_OF(keys); i++) {
        struct des_stream stream, again;
        des_stream_init(&stream, keys[i].seed, keys[i].replication, keys[i].purpose, keys[i].name);
        des_stream_init(&again, keys[i].seed, keys[i].replication, keys[i].purpose, keys[i].name);
        assert_memory_equal(&stream, &again, sizeof stream);
        first[i] = des_stream_u64(&stream);
        for (size_t j = 0; j < i; j++)
            assert_true(first[i] != first[j]);
    }
}

/* Streams of neighbouring keys do not move together: the correlation of n pairs has deviation 1 /
 * sqrt(n). */
TEST(test_neighbouring_streams_are_uncorrelated) {
    struct des_stream one, two;
    des_stream_init(&one, 1, 0, "arrivals", "a1");
    des_stream_init(&two, 1, 0, "arrivals", "a2");
    double sum = 0;
    for (int i = 0; i < SAMPLE; i++)
        sum += (des_stream_uniform(&one) - 0.5) * (des_stream_uniform(&two) - 0.5);
    assert_true(fabs(12 * sum / SAMPLE) < 4 / sqrt(SAMPLE));
}

static double draw_uniform(struct des_stream *stream) {
    return des_stream_uniform(stream);
}

static double draw_exponential(struct des_stream *stream) {
    return des_stream_exponential(stream);
}

static double draw_gamma_half(struct des_stream *stream) {
    return des_stream_gamma(stream, 0.5);
}

static double draw_gamma_seven(struct des_stream *stream) {
    return des_stream_gamma(stream, 7);
}

static double uniform_below(double x) {
    return x;
}

static double exponential_below(double x) {
    return gsl_cdf_exponential_P(x, 1);
}

static double gamma_half_below(double x) {
    return gsl_cdf_gamma_P(x, 0.5, 1);
}

static double gamma_seven_below(double x) {
    return gsl_cdf_gamma_P(x, 7, 1);
}

static int compare_doubles(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* sqrt(n) times the largest distance between a sample's distribution and the true one (Kolmogorov,
 * Smirnov). */
static double distance(double *sample, size_t count, double (*below)(double)) {
    double most = 0, n = (double)count;
    qsort(sample, count, sizeof *sample, compare_doubles);
    for (size_t i = 0; i < count; i++) {
        double expected = below(sample[i]);
        most = fmax(most, fmax(expected - (double)i / n, (double)(i + 1) / n - expected));
    }
    return sqrt(n) * most;
}

#define DISTANCE_AT_ONE_PER_MILLE 1.95 /* sqrt(-ln(0.001 / 2) / 2) */

TEST(test_distributions) {
    static const struct {
        double (*draw)(struct des_stream *);
        double (*below)(double);
    } kinds[] = {{draw_uniform, uniform_below},
                 {draw_exponential, exponential_below},
                 {des_stream_normal, gsl_cdf_ugaussian_P},
                 {draw_gamma_half, gamma_half_below},
                 {draw_gamma_seven, gamma_seven_below}};
    FREED_BY(free) double *sample = calloc(SAMPLE, sizeof *sample);
    assert_non_null(sample);
    for (size_t kind = 0; kind < CT_COUNT_OF(kinds); kind++) {
        struct des_stream stream;
        des_stream_init(&stream, 1, kind, "test", "distribution");
        for (size_t i = 0; i < SAMPLE; i++)
            sample[i] = kinds[kind].draw(&stream);
        assert_true(distance(sample, SAMPLE, kinds[kind].below) < DISTANCE_AT_ONE_PER_MILLE);
    }
}

static double begin_of_tail;

static double normal_tail_below(double x) {
    return 1 - gsl_cdf_ugaussian_Q(x) / gsl_cdf_ugaussian_Q(begin_of_tail);
}

static double exponential_tail_below(double x) {
    return 1 - exp(begin_of_tail - x);
}

/* Draws until `count` lie beyond the table's tail; how many that took. */
static double collect_tail(struct des_stream *stream, double (*draw)(struct des_stream *),
                           double *sample, size_t count) {
    size_t draws = 0;
    for (size_t i = 0; i < count; draws++) {
        double x = fabs(draw(stream));
        if (x > begin_of_tail)
            sample[i++] = x;
    }
    return (double)draws;
}

/* The tails, which a sample of the whole hardly sees: how often (within 4 deviations), and of which
 * shape. */
TEST(test_tails) {
    enum { COUNT = 2000 };
    double sample[COUNT];
    struct des_stream stream;
    des_stream_init(&stream, 1, 0, "test", "tails");
    begin_of_tail = des_ziggurat_normal.edge[1];
    double draws = collect_tail(&stream, des_stream_normal, sample, COUNT);
    assert_true(fabs(draws * 2 * gsl_cdf_ugaussian_Q(begin_of_tail) - COUNT) < 4 * sqrt(COUNT));
    assert_true(distance(sample, COUNT, normal_tail_below) < DISTANCE_AT_ONE_PER_MILLE);
    begin_of_tail = des_ziggurat_exponential.edge[1];
    draws = collect_tail(&stream, draw_exponential, sample, COUNT);
    assert_true(fabs(draws * exp(-begin_of_tail) - COUNT) < 4 * sqrt(COUNT));
    assert_true(distance(sample, COUNT, exponential_tail_below) < DISTANCE_AT_ONE_PER_MILLE);
}

static double exponential_curve(double x) {
    return exp(-x);
}

static double normal_curve(double x) {
    return exp(-x * x / 2);
}

/* Every layer has the base's area, and its corner lies on the curve. */
static void check_table(const struct des_ziggurat *table, double (*curve)(double),
                        double tail_area) {
    const double *edge = table->edge, *height = table->height;
    double area = edge[1] * curve(edge[1]) + tail_area;
    assert_true(fabs(edge[0] * curve(edge[1]) / area - 1) < 1e-12);
    for (int i = 1; i < DES_ZIGGURAT_LAYERS; i++) {
        assert_true(edge[i] < edge[i - 1]);
        assert_true(fabs(curve(edge[i]) / height[i] - 1) < 1e-13);
        assert_true(fabs(edge[i] * (height[i + 1] - height[i]) / area - 1) < 1e-11);
    }
    assert_true(edge[DES_ZIGGURAT_LAYERS] == 0 && height[DES_ZIGGURAT_LAYERS] == 1);
}

TEST(test_tables) {
    check_table(&des_ziggurat_exponential, exponential_curve,
                exp(-des_ziggurat_exponential.edge[1]));
    check_table(&des_ziggurat_normal, normal_curve,
                sqrt(2 * acos(-1)) * gsl_cdf_ugaussian_Q(des_ziggurat_normal.edge[1]));
}

TEST(test_below_favours_nobody) {
    struct des_stream stream;
    des_stream_init(&stream, 1, 0, "test", "below");
    double counts[7] = {0}, squares = 0;
    for (int i = 0; i < SAMPLE; i++)
        counts[des_stream_below(&stream, 7)]++;
    for (int i = 0; i < 7; i++)
        squares += (counts[i] - SAMPLE / 7.0) * (counts[i] - SAMPLE / 7.0) / (SAMPLE / 7.0);
    assert_true(gsl_cdf_chisq_Q(squares, 6) > 0.001);
    assert_int_equal(des_stream_below(&stream, 1), 0);
    /* A remainder of 64 bits by 3 * 2^62 would fall into the lowest third half the time. */
    const uint64_t third = UINT64_C(1) << 62;
    double low = 0;
    for (int i = 0; i < SAMPLE; i++) {
        uint64_t draw = des_stream_below(&stream, 3 * third);
        assert_true(draw < 3 * third);
        low += draw < third;
    }
    assert_true(fabs(low - SAMPLE / 3.0) < 4 * sqrt(SAMPLE * 2.0 / 9));
}

/* The hash of the first 1000 draws of each kind: the same from every compiler, level and machine.
 */
TEST(test_same_bytes_everywhere) {
    struct des_stream stream;
    struct ct_hash hash = ct_hash_start();
    char text[CT_HASH_TEXT];
    des_stream_init(&stream, 42, 7, "arrivals", "imc");
    for (int i = 0; i < 1000; i++) {
        ct_hash_u64(&hash, des_stream_u64(&stream));
        ct_hash_double(&hash, des_stream_uniform(&stream));
        ct_hash_double(&hash, des_stream_exponential(&stream));
        ct_hash_double(&hash, des_stream_normal(&stream));
        ct_hash_u64(&hash, des_stream_below(&stream, 1000));
    }
    ct_hash_print(hash, text);
    assert_string_equal(text, "2009537ff49598b7b1279b8521199eb8");
}

/* Gamma draws pass through the C library's log and pow: rounded to nanoseconds of a 1 ms mean, as
 * times are. */
TEST(test_same_gamma_times_everywhere) {
    struct des_stream stream;
    struct ct_hash hash = ct_hash_start();
    char text[CT_HASH_TEXT];
    des_stream_init(&stream, 42, 7, "arrivals", "imc");
    for (int i = 0; i < 1000; i++)
        ct_hash_u64(&hash, (uint64_t)ct_time_round(1e6 * des_stream_gamma(&stream, 0.25 + i % 4)));
    ct_hash_print(hash, text);
    assert_string_equal(text, "03aed1dbfe6df3143465724ee13832b2");
}
