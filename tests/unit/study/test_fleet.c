/*
 * Copies that come, stay and go, placed by hand: where each lands and when, what is fragmented, and
 * that nothing is given twice whatever comes.
 */
#include "cmocka_complete.h"
#include "des/des_stream.h"
#include "study/fleet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct cluster cluster;
static struct ct_diags diags;

/* Writes "KEY=VALUE KEY=VALUE | KEY=VALUE" as an array of objects, which all begin with `fixed`. */
static void write_objects(FILE *file, const char *fixed, const char *text) {
    char words[500], *rest = NULL;
    const char *between = "";
    snprintf(words, sizeof words, "%s", text);
    fprintf(file, "[{%s", fixed);
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        if (value) {
            *value++ = '\0';
            const char *quote = strspn(value, "0123456789.") == strlen(value) ? "" : "\"";
            fprintf(file, "%s\"%s\": %s%s%s", between, word, quote, value, quote);
        } else {
            fprintf(file, "}, {%s", fixed);
        }
        between = value ? ", " : "";
    }
    fputs("}]", file);
}

/* Groups of GPUs, and applications of batch work: what each asks for and when. */
static void open_cluster(const char *gpus, const char *apps) {
    FILE *file = fopen("fleet.json", "w");
    assert_non_null(file);
    fputs("{\"duration_s\": 100, \"gpus\": ", file);
    write_objects(file, "", gpus);
    fputs(", \"apps\": ", file);
    write_objects(file, "\"role\": \"batch\", \"synthetic\": {\"duration_ms\": 1}, ", apps);
    fputs("}", file);
    assert_int_equal(0, fclose(file));
    int status = cluster_read("fleet.json", NULL, 0, &cluster, &diags);
    for (size_t i = 0; i < diags.count; i++)
        print_message("%s: %s\n", diags.items[i].where, diags.items[i].text);
    assert_int_equal(CT_OK, status);
    remove("fleet.json");
}

static struct fleet place(enum cluster_placement how) {
    struct fleet fleet;
    int status = fleet_place(&cluster, how, 1, 0, cluster.workload.duration_s, &fleet, &diags);
    for (size_t i = 0; i < diags.count; i++)
        print_message("%s: %s\n", diags.items[i].where, diags.items[i].text);
    assert_int_equal(CT_OK, status);
    assert_true(fleet.sums.conserved);
    return fleet;
}

static void close_cluster(void) {
    cluster_free(&cluster);
    ct_diags_free(&diags);
}

/* Where a copy is: "GPU:first slice@second", and "-" for one that is not placed. */
static void expect(const struct fleet *fleet, const char *places) {
    char text[500] = "";
    for (uint64_t i = 0; i < fleet->sums.arrived; i++) {
        const struct fleet_pod *pod = &fleet->pods[i];
        size_t used = strlen(text);
        if (pod->outcome == FLEET_PLACED)
            snprintf(text + used, sizeof text - used, "%s%u:%u@%g", i ? " " : "", pod->place.gpu,
                     pod->place.start, pod->placed_s);
        else
            snprintf(text + used, sizeof text - used, "%s-", i ? " " : "");
    }
    assert_string_equal(places, text);
}

static void expect_places(enum cluster_placement how, const char *places) {
    CLOSED_BY(fleet_free) struct fleet fleet = place(how);
    expect(&fleet, places);
}

/* 70 and 30 % come first, to different GPUs under worst-fit alone; then 20 %. */
TEST(shares_by_each_placement) {
    open_cluster("gpu=v100 count=3", "name=a gpus=1 share_pct=70 | "
                                     "name=b gpus=1 share_pct=40 arrive_s=1 | "
                                     "name=c gpus=1 share_pct=20 arrive_s=2");
    expect_places(CLUSTER_FIRST_FIT, "0:0@0 1:0@1 0:0@2");
    expect_places(CLUSTER_BEST_FIT, "0:0@0 1:0@1 0:0@2");
    expect_places(CLUSTER_WORST_FIT, "0:0@0 1:0@1 2:0@2");
    expect_places(CLUSTER_ROUND_ROBIN, "0:0@0 1:0@1 2:0@2");
    close_cluster();
}

/* Half of each GPU is free throughout; of their memory, 40 GiB each, 15 are where 25 are taken. */
TEST(memory_is_asked_for_as_shares_are) {
    open_cluster("gpu=a100 count=2",
                 "name=a gpus=1 share_pct=10 memory_gib=25 depart_s=10 | "
                 "name=b gpus=1 share_pct=10 memory_gib=25 arrive_s=1 depart_s=20 | "
                 "name=c gpus=1 share_pct=10 memory_gib=25 arrive_s=2 depart_s=5 | "
                 "name=d gpus=1 share_pct=10 memory_gib=15 arrive_s=30");
    expect_places(CLUSTER_FIRST_FIT, "0:0@0 1:0@1 0:0@10 0:0@30"); /* c waits for a to go */
    cluster.waiting = CLUSTER_WAITING_NONE;
    expect_places(CLUSTER_BEST_FIT, "0:0@0 1:0@1 - 0:0@30");
    close_cluster();
}

/* 15 copies of 0.8 GiB are 12 GiB, however often 0.8 is rounded. */
TEST(memory_is_filled_to_the_end) {
    open_cluster("gpu=p100-pcie-12gb count=1", "name=a gpus=15 share_pct=1 memory_gib=0.8 "
                                               "arrive_s=1 | "
                                               "name=b gpus=1 share_pct=1 memory_gib=0.1 "
                                               "arrive_s=2");
    struct fleet fleet = place(CLUSTER_FIRST_FIT);
    assert_int_equal(15, fleet.sums.placed);
    assert_int_equal(1, fleet.sums.waiting);
    fleet_free(&fleet);
    close_cluster();
}

/* A 1g has 5 GiB on one GPU and 10 on the other, and its copy has them alone. */
TEST(slices_are_large_enough) {
    open_cluster("gpu=a100 count=1 mig=any | gpu=a100-80gb count=1 mig=any",
                 "name=a gpus=2 slice=1g memory_gib=6 | name=b gpus=1 slice=1g memory_gib=4");
    expect_places(CLUSTER_FIRST_FIT, "1:0@0 0:0@0 1:1@0");
    close_cluster();
}

/* 50 leaves GPU 0 a half, 70 GPU 1 thirty; who asks for 30 goes to the first half, or to the exact
 * hole, which leaves the half for the next 50. */
TEST(best_fit_keeps_the_larger_hole) {
    open_cluster("gpu=v100 count=2", "name=a gpus=1 share_pct=50 | "
                                     "name=b gpus=1 share_pct=70 arrive_s=1 | "
                                     "name=c gpus=1 share_pct=30 arrive_s=2 depart_s=12 | "
                                     "name=d gpus=1 share_pct=50 arrive_s=3");
    expect_places(CLUSTER_BEST_FIT, "0:0@0 1:0@1 1:0@2 0:0@3");
    expect_places(CLUSTER_FIRST_FIT, "0:0@0 1:0@1 0:0@2 0:0@12"); /* waits for c to go */
    close_cluster();
}

/* Head of the line: the small one that would fit waits behind the large one, and who leaves at an
 * instant makes room before who comes then. */
TEST(nobody_overtakes) {
    open_cluster("gpu=v100 count=1", "name=a gpus=1 share_pct=60 depart_s=10 | "
                                     "name=b gpus=1 share_pct=80 arrive_s=2 depart_s=7 | "
                                     "name=c gpus=1 share_pct=10 arrive_s=3 depart_s=4 | "
                                     "name=d gpus=1 share_pct=20 arrive_s=15");
    /* b stays five seconds from when it is placed: to 15, when d comes; c one from 10. */
    struct fleet fleet = place(CLUSTER_FIRST_FIT);
    expect(&fleet, "0:0@0 0:0@10 0:0@10 0:0@15");
    assert_int_equal(2, fleet.sums.waited);
    assert_true(fleet.sums.wait_mean_s == (8 + 7) / 4.0);
    assert_true(fleet.sums.wait_most_s == 8);
    /* 0.6 for 10 s, 0.9 for one, 0.8 for four, 0.2 to the end. */
    assert_true(fabs(fleet.sums.allocated - (6 + 0.9 + 3.2 + 17) / 100) < 1e-12);
    fleet_free(&fleet);
    cluster.waiting = CLUSTER_WAITING_NONE;
    fleet = place(CLUSTER_FIRST_FIT);
    expect(&fleet, "0:0@0 - 0:0@3 0:0@15");
    assert_int_equal(1, fleet.sums.refused);
    fleet_free(&fleet);
    close_cluster();
}

/* The first position of each: 1g at 0, 2g at 2, 3g at 4; then nothing of 2g, and a 1g at 1. */
TEST(positions_are_respected) {
    open_cluster("gpu=a100 count=1 mig=any", "name=a gpus=1 slice=1g.5gb | "
                                             "name=b gpus=1 slice=2g.10gb arrive_s=1 | "
                                             "name=c gpus=1 slice=3g.20gb arrive_s=2 | "
                                             "name=d gpus=2 slice=1g arrive_s=3");
    struct fleet fleet = place(CLUSTER_FIRST_FIT);
    expect(&fleet, "0:0@0 0:2@1 0:4@2 0:1@3 -");
    assert_int_equal(1, fleet.sums.waiting);
    fleet_free(&fleet);
    close_cluster();
}

/* A 1g at 0 shuts out 4g; where 4g is asked for as often, fgd puts the 1g beyond it. */
TEST(fgd_looks_at_positions) {
    open_cluster("gpu=a100 count=1 mig=any", "name=a gpus=1 slice=1g.5gb | "
                                             "name=b gpus=1 slice=4g.20gb arrive_s=1");
    expect_places(CLUSTER_FIRST_FIT, "0:0@0 -");
    expect_places(CLUSTER_FGD, "0:4@0 0:0@1");
    close_cluster();
}

/* Seven 1g take seven memory slices; the eighth is of no use to anybody. Two 3g take all eight. */
TEST(the_eighth_slice) {
    open_cluster("gpu=a100 count=1 mig=any", "name=a gpus=8 slice=1g.5gb depart_s=50 | "
                                             "name=b gpus=1 share_pct=100 arrive_s=1000");
    struct fleet fleet = place(CLUSTER_BEST_FIT);
    expect(&fleet, "0:0@0 0:1@0 0:2@0 0:3@0 0:4@0 0:5@0 0:6@0 0:0@50");
    /* 1/8 is free and fits nobody; later 7/8 are, of no use to the share, one of nine copies. */
    assert_true(fabs(fleet.changes.items[0].fragmented - 1.0 / 8) < 1e-12);
    assert_true(fabs(fleet.changes.items[1].fragmented - 7.0 / 8 / 9) < 1e-12);
    fleet_free(&fleet);
    close_cluster();
    open_cluster("gpu=a100 count=1 mig=any", "name=a gpus=3 slice=3g depart_s=200 | "
                                             "name=b gpus=1 slice=1g arrive_s=1");
    expect_places(CLUSTER_BEST_FIT, "0:0@0 0:4@0 - -");
    close_cluster();
}

/* A geometry that is fixed: the larger ones first, 3g at 0, 2g at 4, 1g at 6. A second 3g waits,
 * though four slices are free. */
TEST(fixed_geometry) {
    open_cluster("gpu=a100 count=2 mig=1g+3g.20gb+2g.10gb",
                 "name=a gpus=1 slice=1g.5gb depart_s=9 | "
                 "name=b gpus=3 slice=3g.20gb arrive_s=1 depart_s=21 | "
                 "name=c gpus=1 slice=2g.10gb arrive_s=2");
    expect_places(CLUSTER_BEST_FIT, "0:6@0 0:0@1 1:0@1 0:0@21 0:4@21");
    close_cluster();
}

/* 60, 10, 40 % on two GPUs: fgd keeps 40 beside 60 for the next 40 %. */
TEST(fgd_keeps_what_others_ask_for) {
    open_cluster("gpu=v100 count=2", "name=a gpus=1 share_pct=60 | "
                                     "name=b gpus=1 share_pct=50 arrive_s=1 | "
                                     "name=c gpus=1 share_pct=10 arrive_s=2 | "
                                     "name=d gpus=2 share_pct=40 arrive_s=3");
    expect_places(CLUSTER_BEST_FIT, "0:0@0 1:0@1 0:0@2 1:0@3 -");
    expect_places(CLUSTER_FGD, "0:0@0 1:0@1 1:0@2 0:0@3 1:0@3");
    close_cluster();
}

/* A thousand that come at random, of all kinds, on GPUs that are cut and not: the fleet's own check
 * holds, which counts what is given from the outcomes alone. */
TEST(whatever_comes) {
    struct des_stream stream;
    open_cluster("gpu=a100 count=2 mig=any | gpu=v100 count=2 | gpu=a30 count=1 mig=2g+1g+1g",
                 "name=a gpus=250 slice=1g | "
                 "name=b gpus=250 slice=3g.20gb | "
                 "name=c gpus=250 slice=2g arrive_s=0 | "
                 "name=d gpus=250 share_pct=30 depart_s=1");
    des_stream_init(&stream, 1, 0, "test", "fleet");
    double at = 0;
    for (size_t p = 0; p < cluster.pods.count; p++) {
        at += 0.1 * des_stream_uniform(&stream);
        cluster.pods.items[p].arrive_s = at;
        cluster.pods.items[p].stay_s = 0.5 * des_stream_uniform(&stream) + 1e-3;
    }
    for (int how = 0; how <= CLUSTER_WORST_FIT; how++) {
        if (how == CLUSTER_BEST_PROFILE || how == CLUSTER_HUNGARIAN)
            continue;
        CLOSED_BY(fleet_free) struct fleet fleet = place((enum cluster_placement)how);
        assert_int_equal(1000, fleet.sums.arrived);
        assert_int_equal(1000, fleet.sums.placed);
        assert_true(fleet.sums.waited > 0 && fleet.sums.waited < 1000);
    }
    close_cluster();
}
