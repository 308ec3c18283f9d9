/* Where applications go: every copy has a place, draws repeat, the assignment is the best there is.
 */
#include "cmocka_complete.h"
#include "des/des_stream.h"
#include "study/placement.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 4 };

/* ---- the assignment against all that there are ---- */

struct small {
    uint32_t rows, columns;
    uint32_t room[MOST], wanted[MOST];
    double scores[MOST * MOST];
};

/* The best sum for the copies from `column` on, by trying every row for the next one. */
static double best_from(struct small *s, uint32_t column) {
    double best = -INFINITY;
    while (column < s->columns && s->wanted[column] == 0)
        column++;
    if (column == s->columns)
        return 0;
    s->wanted[column]--;
    for (uint32_t r = 0; r < s->rows; r++) {
        if (!s->room[r])
            continue;
        s->room[r]--;
        double sum = s->scores[r * s->columns + column] + best_from(s, column);
        best = sum > best ? sum : best;
        s->room[r]++;
    }
    s->wanted[column]++;
    return best;
}

/* Scores are whole ten-thousandths, as the assignment counts them; some are those of misses. */
static struct small draw_small(struct des_stream *stream) {
    struct small s = {.rows = 1 + (uint32_t)des_stream_below(stream, MOST),
                      .columns = 1 + (uint32_t)des_stream_below(stream, 3)};
    uint32_t room = 0;
    for (uint32_t r = 0; r < s.rows; r++)
        room += s.room[r] = 1 + (uint32_t)des_stream_below(stream, 2);
    for (uint32_t c = 0; c < s.columns; c++) {
        s.wanted[c] = (uint32_t)des_stream_below(stream, room + 1);
        room -= s.wanted[c];
    }
    for (uint32_t i = 0; i < s.rows * s.columns; i++) {
        s.scores[i] = (double)des_stream_below(stream, 10001) / 1e4;
        s.scores[i] -= des_stream_below(stream, 4) == 0 ? 9 : 0;
    }
    return s;
}

TEST(assignment_is_the_best) {
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    struct des_stream stream;
    des_stream_init(&stream, 1, 0, "test", "assignment");
    if (!placement_can_assign(&diags)) {
        ct_diags_free(&diags);
        skip();
    }
    for (int i = 0; i < 500; i++) {
        struct small s = draw_small(&stream);
        uint32_t flow[MOST * MOST] = {0};
        double sum = 0;
        assert_int_equal(
            CT_OK, placement_assign(s.scores, s.rows, s.room, s.columns, s.wanted, flow, &diags));
        for (uint32_t c = 0; c < s.columns; c++) {
            uint32_t placed = 0;
            for (uint32_t r = 0; r < s.rows; r++) {
                placed += flow[r * s.columns + c];
                sum += flow[r * s.columns + c] * s.scores[r * s.columns + c];
            }
            assert_int_equal(s.wanted[c], placed);
        }
        for (uint32_t r = 0; r < s.rows; r++) {
            uint32_t taken = 0;
            for (uint32_t c = 0; c < s.columns; c++)
                taken += flow[r * s.columns + c];
            assert_true(taken <= s.room[r]);
        }
        double best = best_from(&s, 0);
        if (!(fabs(sum - best) < 1e-9))
            fail_msg("case %d: %.6f instead of %.6f", i, sum, best);
    }
}

/* ---- whole placements ---- */

#define APP(name, role, gpus)                                                                      \
    "{\"name\": \"" name "\", \"role\": \"" role "\", \"gpus\": " gpus                             \
    ", \"synthetic\": {\"duration_ms\": 1}, "                                                      \
    "\"arrivals\": {\"process\": \"closed\"}}"

static void open_cluster(const char *places, struct cluster *cluster) {
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    FILE *file = fopen("placement.json", "w");
    assert_non_null(file);
    fprintf(file,
            "{\"gpus\": [{\"gpu\": \"v100\", \"count\": 4}, {\"gpu\": \"k40\", \"count\": 3}], %s, "
            "\"apps\": [" APP("a", "service", "5") ", " APP("b", "service", "4") ", " APP(
                "x", "batch", "6") ", " APP("y", "batch", "3") "]}",
            places);
    assert_int_equal(0, fclose(file));
    int status = cluster_read("placement.json", NULL, 0, cluster, &diags);
    for (size_t i = 0; i < diags.count; i++)
        print_message("%s: %s\n", diags.items[i].where, diags.items[i].text);
    assert_int_equal(CT_OK, status);
    remove("placement.json");
}

/* Scores of no particular order. */
static void place(const struct cluster *cluster, enum cluster_placement how, uint64_t seed,
                  struct placement *placement) {
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    double scores[7 * 4];
    for (int i = 0; i < 7 * 4; i++)
        scores[i] = (i * 37 % 11) / 10.0;
    assert_int_equal(CT_OK, placement_init(cluster, how, seed, placement, &diags));
    assert_int_equal(CT_OK, placement_services(placement, &diags));
    assert_int_equal(CT_OK, placement_find_kinds(placement, &diags));
    assert_int_equal(CT_OK, placement_batch(placement, scores, &diags));
}

static void check_places(const struct cluster *cluster, const struct placement *p) {
    for (uint32_t a = 0; a < p->apps; a++) {
        uint32_t copies = 0;
        for (uint32_t g = 0; g < p->gpus; g++) {
            copies += p->copies[g * p->apps + a];
            assert_true(a > 1 || p->copies[g * p->apps + a] <= 1);
        }
        assert_int_equal(cluster->gpus[a], copies);
    }
    for (uint32_t g = 0; g < p->gpus; g++) {
        const uint32_t *row = p->copies + g * p->apps;
        assert_true(row[0] + row[1] <= cluster->services_per_gpu);
        assert_true(row[2] + row[3] <= cluster->batch_per_gpu);
    }
}

static bool can(enum cluster_placement how) {
    struct ct_diags diags = {0};
    bool able = how != CLUSTER_HUNGARIAN || placement_can_assign(&diags);
    ct_diags_free(&diags);
    return able;
}

TEST(every_copy_has_a_place) {
    CLOSED_BY(cluster_free) struct cluster cluster;
    open_cluster("\"services_per_gpu\": 2, \"batch_per_gpu\": 2", &cluster);
    for (int how = 0; cluster_placements[how]; how++)
        for (uint64_t seed = 1; seed < 20 && can(how); seed++) {
            struct placement placement;
            place(&cluster, how, seed, &placement);
            check_places(&cluster, &placement);
            placement_free(&placement);
        }
}

static bool same(const struct placement *a, const struct placement *b) {
    return memcmp(a->copies, b->copies, (size_t)a->gpus * a->apps * sizeof *a->copies) == 0;
}

TEST(draws_follow_the_seed) {
    struct cluster cluster;
    open_cluster("\"services_per_gpu\": 2, \"batch_per_gpu\": 2", &cluster);
    for (int how = 0; cluster_placements[how]; how++) {
        struct placement one, again, other;
        if (!can(how))
            continue;
        place(&cluster, how, 1, &one);
        place(&cluster, how, 1, &again);
        place(&cluster, how, 2, &other);
        assert_true(same(&one, &again));
        assert_int_equal(how != CLUSTER_RANDOM, same(&one, &other));
        placement_free(&one);
        placement_free(&again);
        placement_free(&other);
    }
    cluster_free(&cluster);
}

/* a on 0 to 4, b on 5, 6, 0, 1; x y x y x y x x x over 0 to 6, then 0 and 1. */
TEST(round_robin_by_hand) {
    static const uint32_t expected[7][4] = {{1, 1, 2, 0}, {1, 1, 1, 1}, {1, 0, 1, 0}, {1, 0, 0, 1},
                                            {1, 0, 1, 0}, {0, 1, 0, 1}, {0, 1, 1, 0}};
    CLOSED_BY(cluster_free) struct cluster cluster;
    struct placement placement;
    open_cluster("\"services_per_gpu\": 2, \"batch_per_gpu\": 2", &cluster);
    place(&cluster, CLUSTER_ROUND_ROBIN, 1, &placement);
    assert_memory_equal(expected, placement.copies, sizeof expected);
    assert_int_equal(2, placement.replica[0 * 4 + 1]); /* b's third GPU is 0 */
    placement_free(&placement);
}

/* Six copies of x at 0.6 and three of y at 0.3 on seven GPUs of two kinds: no GPU has a second
 * copy while another has none, for it would add 0.24 or 0.21. Where x misses a target on the second
 * kind (three GPUs), the first kind's four take all its copies, and y the three others. */
TEST(a_second_copy_counts_less) {
    static const double kept[2 * 4] = {0, 0, 0.6, 0.3, 0, 0, 0.6, 0.3},
                                 missed[2 * 4] = {0, 0, 0.6, 0.3, 0, 0, -14, 0.3};
    CLOSED_BY(cluster_free) struct cluster cluster;
    open_cluster("\"services_per_gpu\": 2, \"batch_per_gpu\": 2", &cluster);
    for (int how = CLUSTER_BEST_PROFILE; how <= CLUSTER_HUNGARIAN && can(how); how++)
        for (int misses = 0; misses < 2; misses++) {
            struct ct_diags diags = {0};
            struct placement placement;
            assert_int_equal(CT_OK, placement_init(&cluster, how, 1, &placement, &diags));
            assert_int_equal(CT_OK, placement_find_kinds(&placement, &diags));
            assert_int_equal(2, placement.kinds.kinds);
            assert_int_equal(CT_OK, placement_batch(&placement, misses ? missed : kept, &diags));
            for (uint32_t g = 0; g < placement.gpus; g++) {
                const uint32_t *row = placement.copies + g * placement.apps;
                bool greedy =
                    misses && how == CLUSTER_BEST_PROFILE; /* y comes first to places of x */
                assert_in_range(row[2] + row[3], greedy ? 0 : 1, 2);
                assert_true(!misses || g < 4 || row[2] == 0);
            }
            placement_free(&placement);
        }
}
