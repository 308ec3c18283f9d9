/* The continuous batcher without a device: what a step holds, who leaves the cache, and that
 * nothing is lost on the way. Whole schedules on the device are in tests/whole/continuous. */
#include "cmocka_complete.h"
#include "des/des_stream.h"
#include "run/continuous.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 4096 };

struct bench {
    struct workload_continuous spec;
    struct continuous continuous;
    struct sequence sequences[MOST];
    uint64_t came, done, tokens;
    ct_time_ps now;
};

static struct bench *open_bench(struct workload_continuous spec) {
    static struct bench bench;
    memset(&bench, 0, sizeof bench);
    bench.spec = spec;
    continuous_init(&bench.continuous, &bench.spec);
    return &bench;
}

static struct sequence *come(struct bench *b, uint64_t prompt, uint64_t output) {
    struct sequence *s = &b->sequences[b->came];
    *s = (struct sequence){.order = b->came, .prompt = prompt, .output = output};
    if (!continuous_fits(&b->continuous, s))
        return NULL;
    b->came++;
    b->tokens += output;
    continuous_offer(&b->continuous, s);
    return s;
}

static void expect_step(struct bench *b, const char *wanted) {
    struct continuous_step step;
    char got[160] = "none";
    if (continuous_form(&b->continuous, &step))
        snprintf(got, sizeof got, "prompts %d of %d, on %d with %d, out %d, in %d",
                 (int)step.prefills, (int)step.prefill_tokens, (int)step.decodes, (int)step.context,
                 (int)step.swapped_out, (int)step.swapped_in);
    assert_string_equal(got, wanted);
}

/* The step ends a microsecond later; how many are done. */
static int end(struct bench *b) {
    int count = 0;
    b->now += CT_PS_PER_US;
    for (struct sequence *s = continuous_end(&b->continuous, b->now); s; s = s->next, count++) {
        assert_true(s->produced == s->output && s->blocks == 0);
        b->done++;
    }
    return count;
}

static uint64_t held(const struct sequence_line *line) {
    uint64_t blocks = 0, count = 0;
    const struct sequence *before = NULL;
    for (const struct sequence *s = line->first; s; before = s, s = s->next, count++) {
        assert_ptr_equal(s->previous, before);
        blocks += s->blocks;
    }
    assert_ptr_equal(line->last, before);
    assert_true(line->count == count);
    return blocks;
}

TEST(prompts_go_first) {
    struct bench *b = open_bench((struct workload_continuous){
        .max_sequences = 3, .max_tokens = 30, .block_tokens = 10, .cache_blocks = 100});
    expect_step(b, "none");
    come(b, 20, 2);
    come(b, 10, 1);
    come(b, 1, 9);
    expect_step(b, "prompts 2 of 30, on 0 with 0, out 0, in 0");
    assert_int_equal(end(b), 1);
    expect_step(b, "prompts 1 of 1, on 0 with 0, out 0, in 0");
    assert_int_equal(end(b), 0);
    come(b, 30, 1);
    come(b, 1, 1);
    expect_step(b, "prompts 1 of 30, on 0 with 0, out 0, in 0");
    assert_int_equal(end(b), 1);
    expect_step(b, "prompts 1 of 1, on 0 with 0, out 0, in 0");
    assert_int_equal(end(b), 1);
    expect_step(b, "prompts 0 of 0, on 2 with 21, out 0, in 0");
    assert_int_equal(end(b), 1);
}

/* Those that go on come first, and the rest of the step is a prompt's, as far as it goes. */
TEST(chunks_fill_the_step) {
    struct bench *b = open_bench((struct workload_continuous){.max_sequences = 4,
                                                              .max_tokens = 10,
                                                              .block_tokens = 10,
                                                              .cache_blocks = 100,
                                                              .chunked = true});
    come(b, 4, 3);
    expect_step(b, "prompts 1 of 4, on 0 with 0, out 0, in 0");
    assert_int_equal(end(b), 0);
    struct sequence *second = come(b, 21, 1);
    expect_step(b, "prompts 1 of 9, on 1 with 4, out 0, in 0");
    assert_true(second->blocks == 3); /* all of the prompt's from the start */
    assert_int_equal(end(b), 0);
    expect_step(b, "prompts 1 of 9, on 1 with 5, out 0, in 0");
    assert_int_equal(end(b), 1);
    come(b, 8, 1);
    expect_step(b, "prompts 2 of 10, on 0 with 0, out 0, in 0"); /* the last 3, and 7 of the next */
    assert_int_equal(end(b), 1);
    expect_step(b, "prompts 1 of 1, on 0 with 0, out 0, in 0");
    assert_int_equal(end(b), 1);
}

TEST(a_prompt_anew_is_one_to_its_last_token) {
    struct bench *b = open_bench((struct workload_continuous){.max_sequences = 4,
                                                              .max_tokens = 4,
                                                              .block_tokens = 1,
                                                              .cache_blocks = 8,
                                                              .chunked = true});
    come(b, 2, 4);
    come(b, 2, 6);
    expect_step(b, "prompts 2 of 4, on 0 with 0, out 0, in 0");
    end(b);
    expect_step(b, "prompts 0 of 0, on 2 with 4, out 0, in 0");
    end(b);
    expect_step(b, "prompts 0 of 0, on 2 with 6, out 0, in 0");
    end(b);
    expect_step(b, "prompts 0 of 0, on 1 with 4, out 0, in 0"); /* the other one leaves */
    assert_int_equal(end(b), 1);
    expect_step(b, "prompts 1 of 4, on 0 with 0, out 0, in 0");
    end(b);
    expect_step(b, "prompts 1 of 1, on 0 with 0, out 0, in 0"); /* and not a token that goes on */
    end(b);
    expect_step(b, "prompts 0 of 0, on 1 with 5, out 0, in 0");
}

/* Two have to leave for one: they come back in the order in which they came. */
TEST(the_last_come_leave) {
    struct bench *b = open_bench((struct workload_continuous){
        .max_sequences = 9, .max_tokens = 100, .block_tokens = 4, .cache_blocks = 3});
    struct sequence *first = come(b, 4, 8), *second = come(b, 4, 2), *third = come(b, 4, 2);
    expect_step(b, "prompts 3 of 12, on 0 with 0, out 0, in 0");
    end(b);
    expect_step(b,
                "prompts 0 of 0, on 1 with 4, out 0, in 0"); /* the third's block is the first's */
    assert_ptr_equal(b->continuous.waiting.first, second);
    assert_ptr_equal(second->next, third);
    assert_true(first->blocks == 2 && b->continuous.counts.recomputes == 2 &&
                b->continuous.counts.recomputed == 8);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(end(b), 0);
        expect_step(b, i < 3    ? (const char *[]){"prompts 0 of 0, on 1 with 5, out 0, in 0",
                                                   "prompts 0 of 0, on 1 with 6, out 0, in 0",
                                                   "prompts 0 of 0, on 1 with 7, out 0, in 0"}[i]
                       : i == 3 ? "prompts 0 of 0, on 1 with 8, out 0, in 0"
                       : i == 4 ? "prompts 0 of 0, on 1 with 9, out 0, in 0"
                                : "prompts 0 of 0, on 1 with 10, out 0, in 0");
    }
    assert_int_equal(end(b), 1);
    expect_step(b, "prompts 1 of 5, on 0 with 0, out 0, in 0");
    assert_int_equal(end(b), 1);
    expect_step(b, "prompts 1 of 5, on 0 with 0, out 0, in 0");
    assert_int_equal(end(b), 1);
}

/* As long as one is swapped out no prompt begins, however small. */
TEST(swapped_before_waiting) {
    struct bench *b = open_bench((struct workload_continuous){.max_sequences = 9,
                                                              .max_tokens = 100,
                                                              .block_tokens = 4,
                                                              .cache_blocks = 4,
                                                              .preemption = WORKLOAD_PREEMPT_SWAP});
    come(b, 8, 2);
    struct sequence *second = come(b, 8, 3);
    expect_step(b, "prompts 2 of 16, on 0 with 0, out 0, in 0");
    end(b);
    come(b, 1, 1);
    expect_step(b, "prompts 0 of 0, on 1 with 8, out 2, in 0");
    assert_true(second->cached == 8 && second->blocks == 2);
    assert_int_equal(end(b), 1);
    expect_step(b, "prompts 0 of 0, on 1 with 8, out 0, in 2");
    assert_true(second->blocks == 3);
    assert_int_equal(end(b), 0);
    expect_step(b, "prompts 1 of 1, on 0 with 0, out 0, in 0");
}

TEST(no_more_than_may_run) {
    struct bench *b = open_bench((struct workload_continuous){
        .max_sequences = 1, .max_tokens = 30, .block_tokens = 10, .cache_blocks = 100});
    come(b, 10, 1);
    come(b, 10, 1);
    expect_step(b, "prompts 1 of 10, on 0 with 0, out 0, in 0");
    assert_int_equal(end(b), 1);
    expect_step(b, "prompts 1 of 10, on 0 with 0, out 0, in 0");
}

/* What fits, with one token more. */
TEST(limits_of_length) {
    struct bench *b = open_bench((struct workload_continuous){.max_sequences = 9,
                                                              .max_tokens = 50,
                                                              .block_tokens = 10,
                                                              .cache_blocks = 10,
                                                              .watermark = 0.2});
    assert_null(come(b, 50, 2));
    assert_non_null(come(b, 50, 1));
    b->spec.chunked = true;
    assert_null(come(b, 80, 2));
    assert_non_null(come(b, 80, 1));
}

/* Random loads, far too much for the cache: every token comes once, no block is lost or twice. */
TEST(nothing_is_lost) {
    for (int kind = 0; kind < 6; kind++) {
        struct bench *b = open_bench((struct workload_continuous){
            .max_sequences = 12,
            .max_tokens = 60,
            .block_tokens = 4,
            .cache_blocks = 30,
            .watermark = kind & 2 ? 0 : 0.1,
            .chunked = kind & 1,
            .preemption = kind < 2 ? WORKLOAD_PREEMPT_RECOMPUTE : WORKLOAD_PREEMPT_SWAP,
            .swap_blocks = kind < 4 ? 0 : 12});
        struct des_stream stream;
        des_stream_init(&stream, 1, (uint64_t)kind, "test", "continuous");
        struct continuous *c = &b->continuous;
        uint64_t full = 0;
        for (struct continuous_step step;;) {
            for (uint64_t n = des_stream_below(&stream, 3); n && b->came < MOST - 1; n--)
                come(b, 1 + des_stream_below(&stream, 40), 1 + des_stream_below(&stream, 60));
            if (!continuous_form(c, &step)) {
                if (b->came == MOST - 1)
                    break;
                continue;
            }
            uint64_t tokens = 0;
            for (const struct sequence *s = c->running.first; s; s = s->next)
                tokens += s->chunk;
            assert_true(tokens == step.prefill_tokens + step.decodes && tokens <= 60);
            assert_true(step.prefills + step.decodes <= 12);
            assert_true(!(step.swapped_in && step.swapped_out));
            assert_true(c->spec->chunked || !(step.prefills && step.decodes));
            assert_true(held(&c->running) + c->free == 30);
            assert_true(held(&c->waiting) == 0);
            if (kind >= 4)
                assert_true(held(&c->swapped) + c->swap_free == 12);
            full += c->free == 0;
            end(b);
        }
        assert_true(b->done == b->came && c->counts.produced == b->tokens && c->free == 30);
        assert_true(full > 0 && c->highest == 30);
        assert_true((c->counts.recomputes > 0) == (kind < 2 || kind >= 4));
        assert_true((c->counts.swaps > 0) == (kind >= 2));
    }
}
