/* What explain says of decisions that were made up, against sentences written by hand. */
#include "base/ct_sentence.h"
#include "base/ct_types.h"
#include "cmocka_complete.h"
#include "explain/explain.h"
#include "policies/policies.h"
#include "trace/trace.h"

#include <string.h>

#define MS (INT64_C(1000000000)) /* picoseconds */
#define NOTES(...)                                                                                 \
    .notes = (const struct result_note[]){__VA_ARGS__},                                            \
    .note_count = CT_COUNT_OF(((const struct result_note[]){__VA_ARGS__}))

enum { SERVICE, BATCH, APPS };

/* A query of 30 ms, from 10 to 40, and its decisions. */
struct scene {
    struct report_app apps[APPS];
    ct_time_ps blame[CT_BLAME_COUNT], delayed_by[APPS];
    struct result_job job;
    struct result_run run;
};

/* ---- What policies say ---- */

/* Those of the policies that ship. A key that several have means the same. */
static struct { CT_VEC(struct result_reason); } all_reasons;

static int gather_reasons(void **state) {
    static const struct result_reason made_up[] = {
        {CT_VERB_HOLD, "held_for_nothing", "because"},
        {CT_VERB_HOLD, "held_without_words", ""},
        {CT_VERB_REPARTITION, "epoch", "epoch {epoch}"},
        {CT_VERB_SET_SHARE, "window", "window {window}"},
        {CT_VERB_HOLD, "held_bytes",
         "{held_bytes}[ and {not_there}][ or {held_queries query|queries}], {held_queries}"},
    };
    size_t count;
    const struct ct_policy *const *all = policies_all(&count);
    bool kept = true;
    for (size_t i = 0; i < count; i++)
        for (const struct ct_reason *r = all[i]->reasons; r && r->key; r++) {
            struct result_reason reason = {(enum ct_verb)r->verb, r->key, r->sentence};
            kept = kept && !ct_sentence_fault(r->sentence) && ct_vec_push(&all_reasons, reason);
        }
    for (size_t i = 0; i < CT_COUNT_OF(made_up); i++)
        kept = kept && ct_vec_push(&all_reasons, made_up[i]);
    return kept ? 0 : -1;
}

static int forget_reasons(void **state) {
    ct_vec_free(&all_reasons);
    return 0;
}

/* ---- Scenes ---- */

static void set_up(struct scene *scene, const char *policy) {
    *scene = (struct scene){.apps = {report_app_unknown(), report_app_unknown()},
                            .blame = {[CT_BLAME_SOLO_WORK] = 30 * MS}};
    scene->apps[SERVICE].name = "imc";
    scene->apps[SERVICE].role = REPORT_SERVICE;
    scene->apps[SERVICE].instances = 1;
    scene->apps[BATCH].name = "bfs";
    scene->apps[BATCH].role = REPORT_BATCH;
    scene->apps[BATCH].instances = 2;
    scene->job = (struct result_job){.arrival_ps = 10 * MS,
                                     .first_issue_ps = 10 * MS,
                                     .end_ps = 40 * MS,
                                     .blame_ps = scene->blame,
                                     .delayed_by_ps = scene->delayed_by};
    scene->run = (struct result_run){.report = report_unknown(), .jobs = &scene->job};
    scene->run.report.policy = policy;
    scene->run.report.apps = scene->apps;
    scene->run.report.app_count = APPS;
    scene->run.report.system.decisions = 0;
    scene->run.job_count = 1;
    scene->run.reasons = all_reasons.items;
    scene->run.reason_count = all_reasons.count;
}

static void decide(struct scene *scene, const struct result_decision *decisions, size_t count) {
    scene->run.decisions = decisions;
    scene->run.decision_count = count;
    scene->run.report.system.decisions = (int64_t)count;
}

/* The sentences about the query behind the first two (its latency and its parts) are these. */
static void expect_lines(const struct scene *scene, const char *const *lines, size_t count) {
    const struct explain_choice choice = {.app = "imc", .one = true};
    struct explanation explanation;
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    assert_int_equal(explain_make(&scene->run, &choice, &explanation, &diags), CT_OK);
    const struct explain_lines *said = &explanation.apps[0].slowest[0].lines;
    for (size_t i = 0; i < count && i + 2 < said->count; i++)
        assert_string_equal(said->items[i + 2], lines[i]);
    assert_int_equal(said->count, count + 2);
    explanation_free(&explanation);
}

#define EXPECT(scene, ...)                                                                         \
    expect_lines(scene, (const char *const[]){__VA_ARGS__},                                        \
                 CT_COUNT_OF(((const char *const[]){__VA_ARGS__})))

static struct result_decision of_query(uint64_t number, ct_time_ps time, enum ct_verb verb,
                                       int64_t task) {
    return (struct result_decision){
        .number = number, .time_ps = time, .verb = verb, .app = SERVICE, .task = task};
}

/* ---- Reasons ---- */

static void expect_decision(const struct result_decision *decision, const char *expected) {
    struct scene scene;
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    set_up(&scene, "any");
    assert_string_equal(explain_decision(&scene.run, decision, &arena), expected);
}

TEST(every_reason_of_a_hold_has_its_words) {
    static const struct {
        struct result_note note;
        const char *words;
    } reasons[] = {
        {{"held_tq_ps", 2.5e9}, "2.5 ms predicted to be under way, more than a target allows"},
        {{"held_entry_ps", 3e9}, "only 3 ms could be added without harm to a next query"},
        {{"held_headroom_ps", 4e9}, "headroom 4 ms"},
        {{"held_copies", 2}, "2 copies in its direction under way, the most allowed"},
        {{"held_copies", 1}, "1 copy in its direction under way, the most allowed"},
        {{"held_copies_ahead", 3}, "3 copies ahead of it on its copy engine"},
        {{"held_too_long_queries", 1}, "too long for any headroom, and 1 query active"},
        {{"held_unknown_queries", 2}, "no prediction, and 2 queries active"},
        {{"held_free_per_mille", 125}, "12.5 % of the SMs were free"},
        {{"held_bandwidth_bytes_per_s", 5e9}, "5 GB/s of memory bandwidth were free"},
        {{"held_with_sms", 1}, "its application had 1 SM"},
        {{"held_with_sms", 8}, "its application had 8 SMs"},
        {{"held_service_kernels", 1}, "1 kernel of services under way or ready"},
        {{"held_batch_kernels", 2}, "2 kernels of batch work under way"},
        {{"held_tasks_ahead", 1}, "1 task before it in its stream have not ended"},
        {{"held_for_luck", 7}, "held for luck 7"},
        {{"held_luck_ps", 7e9}, "held luck 7 ms"},
        {{"held_without_words", NAN}, "held without words"},
        {{"held_for_nothing", NAN}, "because"},
        {{"held_bytes", 6}, "6, unknown"},
    };
    for (size_t i = 0; i < CT_COUNT_OF(reasons); i++) {
        char expected[128];
        struct result_decision hold = of_query(1, 0, CT_VERB_HOLD, 4);
        hold.notes = &reasons[i].note;
        hold.note_count = 1;
        snprintf(expected, sizeof expected, "held task 4 of imc:0 (%s)", reasons[i].words);
        expect_decision(&hold, expected);
    }
}

TEST(headroom_names_its_client) {
    /* Clients are counted through the applications: 0 is imc's, 1 and 2 are bfs's. */
    struct result_decision hold = of_query(1, 0, CT_VERB_HOLD, 4);
    const struct result_note of_second[] = {
        {"held_t_ps", 6e9}, {"held_headroom_ps", 2e9}, {"held_client", 2}};
    hold.notes = of_second;
    hold.note_count = CT_COUNT_OF(of_second);
    expect_decision(&hold, "held task 4 of imc:0 (predicted 6 ms, headroom of bfs 2 ms)");
    const struct result_note of_nobody[] = {{"held_headroom_ps", 2e9}, {"held_client", 3}};
    hold.notes = of_nobody;
    hold.note_count = CT_COUNT_OF(of_nobody);
    expect_decision(&hold, "held task 4 of imc:0 (headroom of ? 2 ms)");
}

TEST(what_a_decision_did) {
    const struct result_decision issued[] = {
        {.verb = CT_VERB_ISSUE, .app = BATCH, .instance = 1, .job = 5, .task = 2},
        {.verb = CT_VERB_ISSUE, .app = BATCH, NOTES({"issue_per_mille", 400})},
        {.verb = CT_VERB_ISSUE, .app = BATCH, NOTES({"issue_in_call_per_mille", 250})},
        {.verb = CT_VERB_ISSUE, .app = BATCH, NOTES({"issue_in_call_of_ps", 9e9})},
        {.verb = CT_VERB_ISSUE,
         .app = BATCH,
         NOTES({"issue_t_ps", 4e9}, {"issue_headroom_ps", 5e9})},
        {.verb = CT_VERB_REPARTITION,
         .app = -1,
         NOTES({"client", 1}, {"sms", 6}, {"client", 2}, {"sms", 4}, {"client", 0}, {"sms", 70})},
        {.verb = CT_VERB_REPARTITION, .app = -1, NOTES({"client", 0}, {"sms", 8}, {"epoch", 3})},
        {.verb = CT_VERB_SET_SHARE, .app = BATCH},
        {.verb = CT_VERB_SET_SHARE, .app = BATCH, NOTES({"cap_per_mille", 400})},
        {.verb = CT_VERB_SET_SHARE, .app = BATCH, NOTES({"cap_per_mille", 400}, {"window", 2})},
        {.verb = CT_VERB_NOTE, .app = -1},
    };
    static const char *const words[] = {
        "issued task 2 of bfs.1:5",
        "issued task 0 of bfs:0 (with 40 % of the SMs)",
        "issued task 0 of bfs:0 (with 25 % of the SMs)",
        "issued task 0 of bfs:0 (part of a library call that was predicted to take 9 ms)",
        "issued task 0 of bfs:0 (predicted 4 ms, headroom 5 ms)",
        "split the SMs anew (bfs 10, imc 70)",
        "split the SMs anew (imc 8; epoch 3)",
        "set_share of bfs",
        "capped instance 0 of bfs at 40 % of the SMs",
        "capped instance 0 of bfs at 40 % of the SMs (window 2)",
        "note",
    };
    for (size_t i = 0; i < CT_COUNT_OF(issued); i++)
        expect_decision(&issued[i], words[i]);
}

/* ---- A query's story ---- */

TEST(holds_of_its_own_the_longest_first) {
    struct scene scene;
    set_up(&scene, "baymax");
    scene.blame[CT_BLAME_SOLO_WORK] = 15 * MS;
    scene.blame[CT_BLAME_READY_POOL] = 15 * MS;
    struct result_decision d[] = {
        of_query(1, 9 * MS, CT_VERB_HOLD, 9), /* of another query: before this one came */
        of_query(2, 10 * MS, CT_VERB_HOLD, 0),  of_query(3, 20 * MS, CT_VERB_HOLD, 0),
        of_query(4, 22 * MS, CT_VERB_ISSUE, 0), of_query(5, 23 * MS, CT_VERB_HOLD, 1),
        of_query(6, 25 * MS, CT_VERB_ISSUE, 1), of_query(7, 26 * MS, CT_VERB_HOLD, 2),
        of_query(8, 26 * MS, CT_VERB_HOLD, 3),  of_query(9, 30 * MS, CT_VERB_ISSUE, 3),
        of_query(10, 31 * MS, CT_VERB_ISSUE, 4)};
    const struct result_note copies = {"held_copies", 2};
    d[7].notes = &copies;
    d[7].note_count = 1;
    decide(&scene, d, CT_COUNT_OF(d));
    EXPECT(&scene, "baymax held 4 tasks of its own, which cost it 15 ms (the holds add up to 32 "
                   "ms, but also lie beside each other and beside its work). The longest: task 2 "
                   "of imc:0, held and never issued (decision 7). Next: task 0 of imc:0, held for "
                   "12 ms (decision 2). Next: task 3 of imc:0, held for 4 ms (decision 8): 2 "
                   "copies in its direction under way, the most allowed.");
    /* A single one, which the end of the run overtook. */
    d[6].notes = &copies;
    d[6].note_count = 1;
    decide(&scene, d + 6, 1);
    EXPECT(&scene, "baymax held one task of its own. It was task 2 of imc:0, held and never issued "
                   "(decision 7): 2 copies in its direction under way, the most allowed.");
}

/* 10 to 12 ms behind copies, to 20 ms for want of headroom, to 21 ms behind copies again. */
TEST(each_reason_has_the_time_that_it_held) {
    struct scene scene;
    set_up(&scene, "baymax");
    static const struct result_note copies = {"held_copies", 2},
                                    headroom = {"held_headroom_ps", 4e9};
    struct result_decision d[] = {
        of_query(1, 10 * MS, CT_VERB_HOLD, 0), of_query(2, 12 * MS, CT_VERB_HOLD, 0),
        of_query(3, 20 * MS, CT_VERB_HOLD, 0), of_query(4, 21 * MS, CT_VERB_ISSUE, 0)};
    for (size_t i = 0; i < 3; i++) {
        d[i].notes = i == 1 ? &headroom : &copies;
        d[i].note_count = 1;
    }
    decide(&scene, d, CT_COUNT_OF(d));
    EXPECT(&scene, "baymax held one task of its own. The longest: task 0 of imc:0, held for 8 ms "
                   "(decision 2): headroom 4 ms. Next: task 0 of imc:0, held for 3 ms (decision "
                   "1): 2 copies in its direction under way, the most allowed.");
    /* The end of the run overtook it. */
    decide(&scene, d, 2);
    EXPECT(&scene, "baymax held one task of its own. The longest: task 0 of imc:0, held and never "
                   "issued (decision 2): headroom 4 ms. Next: task 0 of imc:0, held for 2 ms "
                   "(decision 1): 2 copies in its direction under way, the most allowed.");
}

TEST(quotas_and_how_far_it_lagged) {
    struct scene scene;
    static const struct result_note quota[][2] = {{{"quota_per_mille", 500}, {"lag_ps", -1e9}},
                                                  {{"quota_per_mille", 600}, {"lag_ps", 2e9}},
                                                  {{"quota_per_mille", 700}},
                                                  {{"quota_per_mille", 800}},
                                                  {{"quota_per_mille", 900}},
                                                  {{"quota_per_mille", 1000}}};
    struct result_decision d[8];
    size_t count = 0;
    set_up(&scene, "laius");
    d[count++] = of_query(1, 10 * MS, CT_VERB_ISSUE, 0);
    for (size_t i = 0; i < CT_COUNT_OF(quota); i++) {
        d[count] = of_query(count + 1, (10 + 2 * (ct_time_ps)i) * MS, CT_VERB_NOTE, -1);
        d[count].notes = quota[i];
        d[count++].note_count = i < 2 ? 2 : 1;
    }
    d[count] = d[count - 1]; /* the same again is no change */
    d[count++].number = 8;
    decide(&scene, d, count);
    EXPECT(&scene,
           "Its quota: 50 % of the SMs as this query began (decision 2, it was 1 ms ahead), 60 % "
           "of the "
           "SMs 2 ms after this query began (decision 3, it lagged by 2 ms), 70 % of the SMs 4 ms "
           "after this query began (decision 4), 80 % of the SMs 6 ms after this query began "
           "(decision 5), and 2 more changes.");
}

TEST(partitions_before_and_during) {
    struct scene scene;
    struct result_decision d[8];
    const struct result_note split[] = {{"client", 0}, {"sms", 64}, {"client", 1}, {"sms", 16}};
    set_up(&scene, "cqos");
    for (size_t i = 0; i < 6; i++)
        d[i] = (struct result_decision){.number = i + 1,
                                        .time_ps = (5 + 4 * (ct_time_ps)i) * MS,
                                        .verb = CT_VERB_REPARTITION,
                                        .app = -1,
                                        .notes = split,
                                        .note_count = CT_COUNT_OF(split)};
    d[6] = of_query(7, 39 * MS, CT_VERB_ISSUE, 0);
    d[7] = d[5]; /* when the query is over */
    d[7].time_ps = 41 * MS;
    decide(&scene, d, CT_COUNT_OF(d));
    EXPECT(&scene,
           "When it began, the SMs were split: imc 64, bfs 16 (decision 2). 3 ms after this query "
           "began the SMs changed hands: imc 64, bfs 16 (decision 3). 7 ms after this query began "
           "the SMs changed hands: imc 64, bfs 16 (decision 4). 11 ms after this query began the "
           "SMs changed hands: imc 64, bfs 16 (decision 5). They changed hands 1 time more before "
           "it ended.");
}

/* ---- Who delayed it ---- */

TEST(what_was_issued_of_others) {
    struct scene scene;
    set_up(&scene, "baymax");
    scene.blame[CT_BLAME_SOLO_WORK] = 15 * MS;
    scene.blame[CT_BLAME_SM_SHARE] = 15 * MS;
    scene.delayed_by[BATCH] = 15 * MS;
    const struct result_decision d[] = {
        {.number = 1,
         .time_ps = 8 * MS,
         .verb = CT_VERB_ISSUE,
         .app = BATCH,
         .task = 1,
         NOTES({"issue_t_ps", 4e9}, {"issue_headroom_ps", 5e9})},
        {.number = 2,
         .time_ps = 10 * MS,
         .verb = CT_VERB_ISSUE,
         .app = BATCH,
         .task = 2,
         NOTES({"issue_t_ps", 2e9})},
        {.number = 3,
         .time_ps = 20 * MS,
         .verb = CT_VERB_ISSUE,
         .app = BATCH,
         .task = 3,
         NOTES({"issue_t_ps", 6e9}, {"issue_headroom_ps", 7e9})},
        {.number = 4, .time_ps = 30 * MS, .verb = CT_VERB_ISSUE, .app = BATCH, .task = 4},
    };
    const char *delayed = "bfs delayed it by 15 ms (50 %). ";
    const char *before = "The last task of it before was task 1 of bfs:0, issued 2 ms before this "
                         "query began (decision 1: predicted 4 ms, headroom 5 ms). ";
    char expected[1024];
    decide(&scene, d, CT_COUNT_OF(d));
    snprintf(
        expected, sizeof expected,
        "%s%sWhile the query ran, baymax issued 3 tasks of bfs, 8 ms by their predictions. The "
        "longest by prediction was task 3 of bfs:0, issued 10 ms after this query began "
        "(decision 3: predicted 6 ms, headroom 7 ms).",
        delayed, before);
    EXPECT(&scene, expected);
    decide(&scene, d, 1);
    snprintf(expected, sizeof expected, "%s%sWhile the query ran, baymax issued nothing of bfs.",
             delayed, before);
    EXPECT(&scene, expected);

    /* Tasks that were kept say how long each was there: the one before ended too early. */
    const struct result_task tasks[] = {
        {.app = SERVICE, .started_ps = 11 * MS, .ended_ps = 39 * MS, .name = "gemm"},
        {.app = BATCH, .index = 1, .started_ps = 8 * MS, .ended_ps = 10 * MS, .name = "visit"},
        {.app = BATCH, .index = 2, .started_ps = 12 * MS, .ended_ps = 15 * MS, .kind = TRACE_COPY},
        {.app = BATCH,
         .index = 3,
         .started_ps = 20 * MS,
         .ended_ps = 26 * MS,
         .name = "visit<vertices, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12>"},
    };
    scene.run.tasks = tasks;
    scene.run.task_count = CT_COUNT_OF(tasks);
    decide(&scene, d + 1, 2);
    snprintf(expected, sizeof expected,
             "%sWhile the query ran, baymax issued 2 tasks of bfs, 8 ms by their predictions. The "
             "longest by prediction was kernel 3 of bfs:0 (visit<vertices, 2, 3, 4, 5, 6, 7, 8, 9, "
             "), issued 10 ms "
             "after this query began (decision 3: predicted 6 ms, headroom 7 ms). 2 tasks of bfs "
             "ran at some time while it did; the longest (visit<vertices, 2, 3, 4, 5, 6, 7, 8, 9, "
             ") took 6 ms.",
             delayed);
    EXPECT(&scene, expected);
    decide(&scene, d, 1);
    scene.run.task_count = 3;
    snprintf(expected, sizeof expected,
             "%sWhile the query ran, baymax issued nothing of bfs. 1 task of bfs ran at some time "
             "while it did; the longest (a copy) took 3 ms.",
             delayed);
    EXPECT(&scene, expected);
}

TEST(caps_and_devices_that_only_pass) {
    struct scene scene;
    static const struct {
        const char *sharing, *words;
    } devices[] = {
        {"MPS", "mps holds no task back: kernels go to the device in the order of issue, and a "
                "later one gets the SMs that earlier ones leave over."},
        {"exclusive", "mps holds no task back: the device runs one application's kernels at a "
                      "time, first come, first served."},
        {"time slices",
         "mps holds no task back: the device runs one application's kernels at a time, in turns."},
        {"partition", "mps holds no task back, each on the SMs of its application."},
        {"another", "mps holds no task back."},
    };
    const struct result_decision caps[] = {
        {.number = 1, .verb = CT_VERB_NOTE, .app = SERVICE, NOTES({"cap_per_mille", 750})},
        {.number = 2, .verb = CT_VERB_NOTE, .app = BATCH, NOTES({"cap_per_mille", 250})}};
    for (size_t i = 0; i < CT_COUNT_OF(devices); i++) {
        struct report_setting device[] = {{"hw_queues", "32"}, {"sharing", devices[i].sharing}};
        set_up(&scene, "mps");
        scene.run.report.device = device;
        scene.run.report.device_count = CT_COUNT_OF(device);
        EXPECT(&scene, devices[i].words);
    }
    set_up(&scene, "mine"); /* it may hold everything without a word */
    scene.run.report.engine.kernels = 0;
    EXPECT(&scene, "No kernel went to the device in the whole run.");
    set_up(&scene, "mps");
    scene.blame[CT_BLAME_SOLO_WORK] = 15 * MS;
    scene.blame[CT_BLAME_DRAM] = 15 * MS;
    scene.delayed_by[BATCH] = 15 * MS;
    decide(&scene, caps, CT_COUNT_OF(caps));
    EXPECT(&scene, "mps holds no task back.", "imc was capped at 75 % of the threads (decision 1).",
           "bfs delayed it by 15 ms (50 %). instance 0 of bfs was capped at 25 % of the threads "
           "(decision 2).");
}

/* A query from 10 to 40 ms, of instance 0. What was refused at 9 and 12 ms capped nothing, and the
 * cap of another instance is not its own. */
TEST(caps_that_change) {
    struct scene scene;
    set_up(&scene, "mps");
    struct result_decision d[8];
    static const struct {
        ct_time_ps ms;
        enum ct_outcome outcome;
        int64_t app, instance;
        struct result_note cap;
    } calls[] = {
        {8, CT_DONE, BATCH, 1, {"cap_per_mille", 250}},
        {9, CT_REJECTED, BATCH, 0, {"cap_per_mille", 5000}},
        {12, CT_REJECTED, SERVICE, 0, {"cap_per_mille", 5000}},
        {20, CT_DONE, SERVICE, 1, {"cap_per_mille", 300}},
        {20, CT_DONE, BATCH, 0, {"cap_per_mille", 250}}, /* as before */
        {20, CT_DONE, BATCH, 1, {"cap_per_mille", 1000}},
        {30, CT_DONE, BATCH, 1, {"cap_per_mille", 250}},
        {41, CT_DONE, BATCH, 1, {"cap_per_mille", 1000}}, /* when the query is over */
    };
    for (size_t i = 0; i < CT_COUNT_OF(calls); i++)
        d[i] = (struct result_decision){.number = i + 1,
                                        .time_ps = calls[i].ms * MS,
                                        .verb = CT_VERB_SET_SHARE,
                                        .outcome = calls[i].outcome,
                                        .app = calls[i].app,
                                        .instance = calls[i].instance,
                                        .task = -1,
                                        .notes = &calls[i].cap,
                                        .note_count = 1};
    scene.blame[CT_BLAME_SOLO_WORK] = 15 * MS;
    scene.blame[CT_BLAME_SM_SHARE] = 15 * MS;
    scene.delayed_by[BATCH] = 15 * MS;
    decide(&scene, d, CT_COUNT_OF(d));
    EXPECT(&scene, "mps holds no task back.",
           "bfs delayed it by 15 ms (50 %). instance 1 of bfs was capped at 25 % of the threads "
           "(decision 1). 10 ms after this query began the cap of instance 1 of bfs became 100 % "
           "(decision 6). 20 ms after this query began the cap of each instance of bfs became 25 % "
           "(decision 7).");
    struct result_decision more[5];
    static const struct result_note caps[] = {{"cap_per_mille", 100}, {"cap_per_mille", 200}};
    for (size_t i = 0; i < CT_COUNT_OF(more); i++) {
        more[i] = of_query(i + 1, (12 + (ct_time_ps)i) * MS, CT_VERB_SET_SHARE, -1);
        more[i].notes = &caps[i % 2];
        more[i].note_count = 1;
    }
    scene.delayed_by[BATCH] = 0;
    decide(&scene, more, CT_COUNT_OF(more));
    EXPECT(&scene, "mps holds no task back.",
           "2 ms after this query began the cap of imc became 10 % (decision 1). 3 ms after this "
           "query began the cap of imc became 20 % (decision 2). 4 ms after this query began the "
           "cap of imc became 10 % (decision 3). It changed 2 times more before the query ended.");
}

/* What was refused set no quota. */
TEST(quotas_that_were_set) {
    struct scene scene;
    static const struct result_note quota = {"quota_per_mille", 500};
    struct result_decision d = of_query(1, 12 * MS, CT_VERB_SET_SHARE, -1);
    set_up(&scene, "laius");
    d.notes = &quota;
    d.note_count = 1;
    d.outcome = CT_REJECTED;
    decide(&scene, &d, 1);
    EXPECT(&scene, "laius holds no task back.");
}

TEST_GROUP(gather_reasons, forget_reasons)
