/* The engine against hand-made orders and against a list that is searched for its least element. */
#include "cmocka_complete.h"
#include "des/des_engine_internal.h"
#include "des/des_stream.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What happened, as letters. */
struct log {
    struct des_engine *engine;
    char text[64];
};

static void note(void *context, uint64_t letter) {
    struct log *log = context;
    log->text[strlen(log->text)] = (char)letter;
}

static void log_start(struct log *log) {
    memset(log, 0, sizeof *log);
    log->engine = des_engine_new();
    assert_non_null(log->engine);
}

static des_event at(struct log *log, ct_time_ps time, enum des_rank rank, char letter) {
    des_event event = des_event_schedule(log->engine, time, rank, note, log, (uint64_t)letter);
    assert_int_not_equal(event, 0);
    return event;
}

static void run_and_expect(struct log *log, const char *text) {
    des_engine_run(log->engine, CT_TIME_NEVER);
    assert_string_equal(log->text, text);
    des_engine_free(log->engine);
}

TEST(test_time_then_rank_then_sequence) {
    struct log log;
    log_start(&log);
    at(&log, 5, DES_RANK_DEVICE, 'g');
    at(&log, 4, DES_RANK_STATISTICS, 'f');
    at(&log, 4, DES_RANK_DEVICE, 'a');
    at(&log, 4, DES_RANK_TIMER, 'd');
    at(&log, 4, DES_RANK_DEVICE, 'b');
    at(&log, 4, DES_RANK_ARRIVAL, 'c');
    at(&log, 4, DES_RANK_TIMER, 'e');
    at(&log, CT_TIME_NEVER, DES_RANK_STATISTICS, 'h');
    run_and_expect(&log, "abcdefgh");
}

TEST(test_many_ties_are_first_in_first_out) {
    struct log log;
    log_start(&log);
    for (int letter = 'A'; letter <= 'Z'; letter++)
        at(&log, 7, DES_RANK_TIMER, (char)letter);
    run_and_expect(&log, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

TEST(test_reschedule_goes_behind_its_equals) {
    struct log log;
    log_start(&log);
    des_event first = at(&log, 7, DES_RANK_TIMER, 'c');
    at(&log, 7, DES_RANK_TIMER, 'a');
    des_event late = at(&log, 9, DES_RANK_DEVICE, '0'); /* keeps its rank */
    at(&log, 7, DES_RANK_TIMER, 'b');
    assert_true(des_event_reschedule(log.engine, first, 7));
    assert_true(des_event_reschedule(log.engine, late, 7));
    run_and_expect(&log, "0abc");
}

TEST(test_stale_names_are_counted) {
    struct log log;
    log_start(&log);
    des_event happened = at(&log, 1, DES_RANK_DEVICE, 'a');
    des_event cancelled = at(&log, 2, DES_RANK_DEVICE, 'x');
    assert_true(des_event_cancel(log.engine, cancelled));
    assert_true(des_engine_step(log.engine));
    at(&log, 3, DES_RANK_DEVICE, 'b'); /* these two use the same slots again */
    at(&log, 4, DES_RANK_DEVICE, 'c');
    assert_int_equal(des_engine_stale(log.engine), 0);
    assert_false(des_event_cancel(log.engine, happened));
    assert_false(des_event_cancel(log.engine, cancelled));
    assert_false(des_event_reschedule(log.engine, happened, 9));
    assert_false(des_event_cancel(log.engine, 0));
    assert_false(des_event_cancel(log.engine, UINT64_MAX));
    assert_int_equal(des_engine_stale(log.engine), 5);
    assert_int_equal(des_engine_pending(log.engine), 2);
    run_and_expect(&log, "abc");
}

struct nested {
    struct log log;
    des_event own, other;
};

static void act_nested(void *context, uint64_t letter) {
    struct nested *nested = context;
    struct des_engine *engine = nested->log.engine;
    note(&nested->log, letter);
    assert_false(des_event_cancel(engine, nested->own));
    assert_int_equal(des_engine_pending(engine), 3);
    assert_true(des_event_cancel(engine, nested->other));
    assert_int_equal(des_engine_pending(engine), 2);
    at(&nested->log, 10, DES_RANK_DEVICE, 'b'); /* now, of a lower rank than this one */
    at(&nested->log, 10, DES_RANK_SETTLE, 'd');
    assert_int_equal(des_engine_pending(engine), 4);
}

TEST(test_actions_may_cancel_and_schedule_now) {
    struct nested nested;
    log_start(&nested.log);
    nested.own =
        des_event_schedule(nested.log.engine, 10, DES_RANK_DECIDE, act_nested, &nested, 'a');
    at(&nested.log, 10, DES_RANK_DECIDE, 'c');
    nested.other = at(&nested.log, 11, DES_RANK_DEVICE, 'x');
    at(&nested.log, 12, DES_RANK_DEVICE, 'e');
    run_and_expect(&nested.log, "abcde");
}

static void stop(void *context, uint64_t letter) {
    struct log *log = context;
    note(log, letter);
    des_engine_stop(log->engine);
}

TEST(test_run_until_and_stop) {
    struct log log;
    log_start(&log);
    at(&log, 10, DES_RANK_STATISTICS, 'a');
    at(&log, 11, DES_RANK_DEVICE, 'b');
    des_event_schedule(log.engine, 20, DES_RANK_DEVICE, stop, &log, 'c');
    at(&log, 20, DES_RANK_DEVICE, 'd');
    des_engine_run(log.engine, 9);
    assert_string_equal(log.text, "");
    des_engine_run(log.engine, 10);
    assert_string_equal(log.text, "a");
    assert_int_equal(des_engine_now(log.engine), 10);
    des_engine_run(log.engine, 5);
    assert_string_equal(log.text, "a");
    des_engine_run(log.engine, CT_TIME_NEVER);
    assert_string_equal(log.text, "abc");
    assert_int_equal(des_engine_executed(log.engine), 3);
    des_engine_run(log.engine, CT_TIME_NEVER);
    assert_false(des_engine_step(log.engine));
    assert_int_equal(des_engine_now(log.engine), 20);
    run_and_expect(&log, "abcd");
}

TEST(test_two_engines_know_nothing_of_each_other) {
    struct log one, two;
    log_start(&one);
    log_start(&two);
    at(&one, 1, DES_RANK_DEVICE, 'a');
    at(&two, 1, DES_RANK_DEVICE, 'b');
    assert_true(des_engine_step(one.engine));
    assert_int_equal(des_engine_now(two.engine), 0);
    assert_int_equal(des_engine_pending(two.engine), 1);
    run_and_expect(&one, "a");
    run_and_expect(&two, "b");
}

struct beside {
    struct log log;
    int stands_again, asks_again;
};

static void act_standing(void *context, uint64_t argument) {
    struct beside *beside = context;
    struct des_engine *engine = beside->log.engine;
    assert_int_equal(argument, 0);
    note(&beside->log, 's');
    des_instant_ask(engine, DES_RANK_SETTLE);
    des_instant_ask(engine, DES_RANK_SETTLE); /* still one */
    if (beside->stands_again-- > 0)
        des_standing_plan(engine, des_engine_now(engine));
}

static void act_instant(void *context, uint64_t argument) {
    struct beside *beside = context;
    struct des_engine *engine = beside->log.engine;
    assert_int_equal(argument, 0);
    note(&beside->log, 'i');
    assert_false(des_instant_asked(engine, DES_RANK_SETTLE));
    if (beside->asks_again-- > 0)
        des_instant_ask(engine, DES_RANK_SETTLE);
}

TEST(test_events_beside_the_tree) {
    struct beside beside = {.stands_again = 1, .asks_again = 1};
    log_start(&beside.log);
    struct des_engine *engine = beside.log.engine;
    des_standing_set(engine, DES_RANK_TIMER, act_standing, &beside);
    des_instant_set(engine, DES_RANK_SETTLE, act_instant, &beside);
    des_standing_plan(engine, 5);
    des_standing_cancel(engine);
    assert_int_equal(des_engine_pending(engine), 0);
    des_standing_plan(engine, 6);
    at(&beside.log, 10, DES_RANK_TIMER, 'b');
    des_standing_plan(engine, 10); /* behind b, as rescheduled */
    at(&beside.log, 10, DES_RANK_TIMER, 'c');
    at(&beside.log, 10, DES_RANK_DEVICE, 'a');
    at(&beside.log, 10, DES_RANK_STATISTICS, 'e');
    at(&beside.log, 10, DES_RANK_SETTLE, 'd');
    at(&beside.log, 9, DES_RANK_DEVICE, '0');
    des_engine_run(engine, 9);
    assert_string_equal(beside.log.text, "0");
    for (int i = 0; i < 3; i++)
        assert_true(des_engine_step(engine)); /* a, b, s */
    assert_int_equal(des_engine_pending(engine), 5);
    assert_true(des_instant_asked(engine, DES_RANK_SETTLE));
    des_engine_run(engine, 9); /* not even what is asked for now */
    assert_string_equal(beside.log.text, "0abs");
    des_engine_run(engine, 10);
    assert_int_equal(des_engine_executed(engine), 10);
    run_and_expect(&beside.log, "0abscsdiie");
}

TEST(test_the_past_is_refused) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL); /* cmocka catches it */
        close(STDERR_FILENO);
        struct log log;
        log_start(&log);
        at(&log, 10, DES_RANK_DEVICE, 'a');
        des_engine_step(log.engine);
        des_event_schedule(log.engine, 9, DES_RANK_DEVICE, note, &log, 'b');
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

TEST(test_too_many_events) {
    struct log log;
    log_start(&log);
    uint32_t free = log.engine->free, leaves = log.engine->tree.leaves;
    log.engine->free = DES_SLOT_NONE;
    log.engine->tree.leaves = DES_PENDING_MOST;
    assert_int_equal(des_event_schedule(log.engine, 0, DES_RANK_DEVICE, note, &log, 'a'), 0);
    log.engine->free = free;
    log.engine->tree.leaves = leaves;
    run_and_expect(&log, "");
}

TEST(test_generations_wrap_past_zero) {
    struct log log;
    log_start(&log);
    assert_int_equal(log.engine->free, 0);
    log.engine->slots[0].event = UINT64_MAX << DES_SLOT_BITS; /* the last generation of slot 0 */
    des_event last = at(&log, 1, DES_RANK_DEVICE, 'a');
    assert_true(des_engine_step(log.engine));
    assert_int_not_equal(at(&log, 1, DES_RANK_DEVICE, 'b'), last);
    assert_false(des_event_cancel(log.engine, 0));
    run_and_expect(&log, "ab");
}

/*
 * The model: a plain list of everything that is pending, searched for the least (time, rank,
 * sequence). The driver does random things from outside and from within actions; each action checks
 * that it is the model's next one.
 */
struct model_event {
    des_event event;
    ct_time_ps time;
    enum des_rank rank;
    uint64_t sequence, id;
};

struct model {
    struct des_engine *engine;
    struct des_stream stream;
    struct model_event pending[514];
    size_t count, most;
    uint64_t sequence, ids, happened;
    des_event gone[16]; /* names that are stale for certain */
    uint64_t stale;
    uint64_t beside; /* standing and instant's events that happened */
};

/* How the model calls the two events beside the tree, which have no names of their own. */
enum { STANDING_ID = 1 << 30, INSTANT_ID = STANDING_ID + 1 };
static const enum des_rank STANDING_RANK = DES_RANK_TIMER, INSTANT_RANK = DES_RANK_DECIDE;

static void happen(void *context, uint64_t id);

static void model_remove(struct model *model, size_t index) {
    model->gone[des_stream_below(&model->stream, 16)] = model->pending[index].event;
    model->pending[index] = model->pending[--model->count];
}

static size_t model_find(const struct model *model, uint64_t id) {
    size_t index = 0;
    while (index < model->count && model->pending[index].id != id)
        index++;
    return index;
}

static ct_time_ps model_time(struct model *model) {
    return des_engine_now(model->engine) + (ct_time_ps)des_stream_below(&model->stream, 40);
}

static void model_schedule(struct model *model) {
    struct model_event *new = &model->pending[model->count++];
    *new = (struct model_event){.time = model_time(model),
                                .rank =
                                    (enum des_rank)des_stream_below(&model->stream, DES_RANK_COUNT),
                                .sequence = model->sequence++,
                                .id = model->ids++};
    new->event = des_event_schedule(model->engine, new->time, new->rank, happen, model, new->id);
    assert_int_not_equal(new->event, 0);
}

static void model_beside(struct model *model, uint64_t id, ct_time_ps time, enum des_rank rank,
                         uint64_t sequence) {
    size_t index = model_find(model, id);
    model->count += index == model->count;
    model->pending[index] =
        (struct model_event){.time = time, .rank = rank, .sequence = sequence, .id = id};
}

static void model_stand(struct model *model) {
    size_t index = model_find(model, STANDING_ID);
    if (des_stream_below(&model->stream, 4) == 0) {
        des_standing_cancel(model->engine);
        if (index < model->count)
            model->pending[index] = model->pending[--model->count];
        return;
    }
    ct_time_ps time = model_time(model);
    des_standing_plan(model->engine, time);
    model_beside(model, STANDING_ID, time, STANDING_RANK, model->sequence++);
}

static void model_ask(struct model *model) {
    des_instant_ask(model->engine, INSTANT_RANK);
    model_beside(model, INSTANT_ID, des_engine_now(model->engine), INSTANT_RANK, UINT64_MAX);
}

static void model_cancel(struct model *model) {
    size_t index = des_stream_below(&model->stream, model->count);
    if (!model->pending[index].event)
        return;
    assert_true(des_event_cancel(model->engine, model->pending[index].event));
    model_remove(model, index);
}

static void model_reschedule(struct model *model) {
    struct model_event *moved = &model->pending[des_stream_below(&model->stream, model->count)];
    if (!moved->event)
        return;
    moved->time = model_time(model);
    moved->sequence = model->sequence++;
    assert_true(des_event_reschedule(model->engine, moved->event, moved->time));
}

static void model_try_stale(struct model *model) {
    des_event event = model->gone[des_stream_below(&model->stream, 16)];
    assert_false(des_event_cancel(model->engine, event));
    model->stale++;
}

static void expect_true_winners(const struct des_tree *tree) {
    for (uint32_t above = 0; above <= tree->inner; above++) {
        des_key least = DES_KEY_NONE;
        for (uint32_t child = 4 * above; child < 4 * above + 4; child++)
            least = tree->nodes[child] < least ? tree->nodes[child] : least;
        assert_true(least == (above > 0 ? tree->nodes[above - 1] : tree->least));
    }
}

static void model_act(struct model *model) {
    uint64_t dice = des_stream_below(&model->stream, 12);
    if (dice == 10)
        model_stand(model);
    else if (dice == 11)
        model_ask(model);
    else if (model->count < 2 || (dice < 5 && model->count < model->most))
        model_schedule(model);
    else if (dice < 6)
        model_cancel(model);
    else if (dice < 9)
        model_reschedule(model);
    else
        model_try_stale(model);
    assert_int_equal(des_engine_pending(model->engine), model->count);
    expect_true_winners(&model->engine->tree);
}

static bool model_earlier(const struct model_event *a, const struct model_event *b) {
    if (a->time != b->time)
        return a->time < b->time;
    if (a->rank != b->rank)
        return a->rank < b->rank;
    return a->sequence < b->sequence;
}

static void happen(void *context, uint64_t id) {
    struct model *model = context;
    size_t least = 0;
    for (size_t i = 1; i < model->count; i++)
        if (model_earlier(&model->pending[i], &model->pending[least]))
            least = i;
    assert_int_equal(model->pending[least].id, id);
    assert_int_equal(model->pending[least].time, des_engine_now(model->engine));
    if (id < STANDING_ID)
        model_remove(model, least);
    else
        model->pending[least] = model->pending[--model->count];
    model->happened++;
    for (uint64_t i = des_stream_below(&model->stream, 4); i > 0; i--)
        model_act(model);
}

static void happen_standing(void *context, uint64_t argument) {
    struct model *model = context;
    model->beside++;
    happen(model, STANDING_ID + argument);
}

static void happen_in_instant(void *context, uint64_t argument) {
    struct model *model = context;
    model->beside++;
    happen(model, INSTANT_ID + argument);
}

static void step_model(struct model *model) {
    bool expected = model->count > 0;
    assert_int_equal(des_engine_step(model->engine), expected);
}

static void run_model(size_t most, uint64_t first_sequence) {
    struct model model = {.engine = des_engine_new(), .most = most};
    assert_non_null(model.engine);
    model.engine->sequence = first_sequence;
    des_standing_set(model.engine, STANDING_RANK, happen_standing, &model);
    des_instant_set(model.engine, INSTANT_RANK, happen_in_instant, &model);
    des_stream_init(&model.stream, most, 0, "model", "");
    while (model.happened < 20000) {
        if (des_stream_below(&model.stream, 4) == 0)
            model_act(&model);
        else
            step_model(&model);
    }
    assert_int_equal(des_engine_executed(model.engine), model.happened);
    assert_int_equal(des_engine_stale(model.engine), model.stale);
    assert_true(model.stale > 100 && model.beside > 1000);
    des_engine_free(model.engine);
}

TEST(test_against_a_searched_list) {
    for (size_t most = 2; most <= 512; most *= 2)
        run_model(most, 0);
}

TEST(test_sequence_numbers_start_again) {
    for (uint64_t left = 0; left < 50; left++)
        run_model(8 + left, (UINT64_C(1) << DES_SEQUENCE_BITS) - left);
}

static void note_and_schedule(void *context, uint64_t letter) {
    struct log *log = context;
    note(log, letter);
    at(log, 10, DES_RANK_TIMER, 'c');
}

static void stand(void *context, uint64_t argument) {
    note(context, 's');
}

/* What was numbered last before numbers start again still comes before what is numbered after. */
TEST(test_the_last_number_of_all_keeps_its_place) {
    const uint64_t last = (UINT64_C(1) << DES_SEQUENCE_BITS) - 1;
    struct log log;
    log_start(&log);
    des_standing_set(log.engine, DES_RANK_TIMER, stand, &log);
    log.engine->sequence = last;
    des_standing_plan(log.engine, 10);
    at(&log, 10, DES_RANK_TIMER, 'a');
    run_and_expect(&log, "sa");

    log_start(&log); /* and while the action's own event is still in the tree */
    log.engine->sequence = last - 1;
    des_event_schedule(log.engine, 5, DES_RANK_TIMER, note_and_schedule, &log, 'a');
    at(&log, 10, DES_RANK_TIMER, 'b');
    run_and_expect(&log, "abc");
}

static void again(void *context, uint64_t left) {
    if (left > 0)
        des_event_schedule(context, des_engine_now(context) + (ct_time_ps)(left % 7),
                           DES_RANK_TIMER, again, context, left - 1);
}

TEST(test_steady_state_needs_no_more_memory) {
    struct des_engine *engine = des_engine_new();
    assert_non_null(engine);
    const uint32_t most = 64;
    for (uint32_t i = 0; i < most; i++)
        des_event_schedule(engine, i, DES_RANK_TIMER, again, engine, 1000);
    assert_int_equal(engine->tree.leaves, most);
    const des_key *nodes = engine->tree.nodes;
    des_engine_run(engine, CT_TIME_NEVER);
    assert_ptr_equal(engine->tree.nodes, nodes);
    assert_int_equal(engine->tree.leaves, most);
    assert_int_equal(des_engine_executed(engine), 1001 * (uint64_t)most);
    des_engine_free(engine);
}
