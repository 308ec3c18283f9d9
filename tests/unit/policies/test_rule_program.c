/* The language of the policy `rule`: values, mistakes with their places, and texts of any kind. */
#include "cmocka_complete.h"
#include "policies/rule_program.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The value of an expression where now is 7, task.waves 3, slack unknown, for vit's "sgemm_128". */
static double value_of(const char *expression) {
    static const struct rule_names names = {"vit", "sgemm_128"};
    double fields[RULE_FIELD_COUNT] = {[RULE_NOW] = 7, [RULE_TASK_WAVES] = 3};
    struct rule_program program;
    char text[512], error[CT_OPTIONS_FAULT_BYTES];
    fields[RULE_SLACK] = (double)NAN;
    snprintf(text, sizeof text, "first: %s\n", expression);
    if (!rule_compile(text, &program, error))
        fail_msg("%s: %s", expression, error);
    return rule_value(&program, RULE_FIRST, fields, &names);
}

TEST(expressions_have_the_values_of_arithmetic) {
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"8 - 3 - 2", 3},
        {"16 / 4 / 2", 2},
        {"-2 * -3", 6},
        {"- - 2", 2},
        {"0.1 + 0.2", 0.1 + 0.2},
        {"40%", 0.4},
        {"250us", 0.25},
        {"1ns", 1e-6},
        {"2s", 2000},
        {"1.5kB", 1500},
        {"3MB + 1GB", 1.003e9},
        {"now", 7},
        {"task.waves * 2", 6},
        {"min(3, 1, 2)", 1},
        {"max(3, now)", 7},
        {"abs(2 - 5)", 3},
        {"if(now > 5, 10, 20)", 10},
        {"1 < 2", 1},
        {"2 <= 2", 1},
        {"2 >= 3", 0},
        {"2 == 2", 1},
        {"2 != 2", 0},
        {"not 1 < 2", 0},
        {"0 or 0 and 1 or 1", 1},
        {"1 or 0 and 0", 1},
        {"not 0 and 0", 0},
        {"app(\"vit\")", 1},
        {"app(\"v*\") and not app(\"qwen\")", 1},
        {"kernel(\"*gemm*\")", 1},
        {"kernel(\"*gemm\")", 0},
        {"kernel(\"*g*m*1*8\")", 1},
        {"kernel(\"\")", 0},
        {"kernel(\"**\")", 1},
        {"app(\"ViT\") and app(\"v?t\") and app(\"?*T\")", 1},
        {"app(\"v?\") or app(\"vit?\")", 0},
        {"kernel(\"*GEMM_???\")", 1},
        /* What is unknown. */
        {"known(slack)", 0},
        {"known(slack + 1)", 0},
        {"known(now)", 1},
        {"slack < 1 or slack >= 1 or slack == slack or slack != slack", 0},
        {"if(slack, 1, 2)", 2},
        {"not slack", 1},
        {"known(min(1, slack))", 0},
        {"known(max(slack, 1))", 0},
        {"known(1 / 0)", 0},
        {"known(0 / 0)", 0},
        /* Lines that go on, and comments. */
        {"1 +  # one\n   2", 3},
        {"1\n\t+ 2", 3},
        {"1\r\n\r\n", 1},
        {"1 # + 5", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (fabs(value_of(cases[i].text) - cases[i].value) > 0)
            fail_msg("%s is %g", cases[i].text, value_of(cases[i].text));
    assert_true(isnan(value_of("slack + 1")));
}

/* A pattern that no application and no kernel has is one that somebody misspelt. */
TEST(patterns_that_match_nothing_are_counted) {
    struct rule_program program;
    char error[CT_OPTIONS_FAULT_BYTES];
    bool matched[RULE_STEPS] = {false};
    assert_true(rule_compile("pass: now > 1", &program, error));
    assert_false(program.has_patterns);
    assert_true(rule_compile("first: app(\"vit\") + kernel(\"*gemm*\")\npass: app(\"qwen\")",
                             &program, error));
    assert_true(program.has_patterns);
    assert_int_equal(rule_unmatched(&program, matched), 3);
    rule_match(&program, &(struct rule_names){.app = "ViT"}, matched);
    assert_int_equal(rule_unmatched(&program, matched), 2);
    rule_match(&program, &(struct rule_names){.kernel = "sgemm_128"}, matched);
    rule_match(&program, &(struct rule_names){.app = "resnet"}, matched);
    rule_match(&program, &(struct rule_names){.kernel = "qwen"}, matched);
    assert_int_equal(rule_unmatched(&program, matched), 1);
}

TEST(parts_are_told_apart_and_may_be_missing) {
    struct rule_program program;
    char error[CT_OPTIONS_FAULT_BYTES];
    assert_true(rule_compile("", &program, error));
    for (int part = 0; part < RULE_PARTS; part++)
        assert_false(rule_has(&program, (enum rule_part)part));
    assert_true(rule_compile("\n\nagain: 2ms\n# x\npass: slack > 1", &program, error));
    assert_true(rule_has(&program, RULE_AGAIN) && rule_has(&program, RULE_PASS));
    assert_false(rule_has(&program, RULE_FIRST));
    assert_true(program.reads[RULE_SLACK] && !program.reads[RULE_NOW]);
    assert_true(rule_value(&program, RULE_AGAIN, NULL, NULL) == 2);
}

/* What depends on a task or is unknown is no mistake of the text. */
TEST(shares_are_parts_of_the_whole) {
    static const char *const texts[] = {"share: 100%",       "share: 1 / 3",        "share: 0.01%",
                                        "share: 1 / 0",      "share: app(\"vit\")", "share: now",
                                        "first: 50\npass: 0"};
    struct rule_program program;
    char error[CT_OPTIONS_FAULT_BYTES];
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (!rule_compile(texts[i], &program, error))
            fail_msg("%s: %s", texts[i], error);
    assert_true(rule_is_share(1) && rule_is_share(1e-9) && rule_is_share((double)NAN));
    assert_false(rule_is_share(0) || rule_is_share(-1) || rule_is_share(1.001));
}

TEST(mistakes_name_line_and_column) {
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"rank: 1", "line 1, column 1: a line begins with first: pass: share: or again:"},
        {"first 1", "line 1, column 7: a ':' is expected here"},
        {"first:", "line 1, column 7: a number, a name or a '(' is expected here"},
        {"pass: 1\npass: 2", "line 2, column 1: 'pass' is there twice"},
        {"pass: 1 +\nshare: 1", "line 1, column 10: a number, a name or a '(' is expected here"},
        {"pass: (1", "line 1, column 9: a ')' is expected here"},
        {"pass: 1 2", "line 1, column 9: an operator or the end of the line is expected here"},
        {"pass: 1 < 2 < 3", "line 1, column 13: write 'a < b and b < c' for two comparisons"},
        {"pass: 2ks", "line 1, column 8: 'ks' is none of the units ns us ms s kB MB GB %"},
        {"pass: 1234567890123456", "line 1, column 7: a number has 1 to 15 digits"},
        {"pass: job.slak", "line 1, column 7: 'job.slak' is unknown; there are job.age job.slack "
                           "job.left job.number"},
        {"pass: wait",
         "line 1, column 7: 'wait' is unknown; names begin with app. job. task. ready. "
         "issued. gpu., or are now, queries, slack"},
        {"\n # c\nshare: abs(1, 2)", "line 3, column 8: wrong number of arguments: abs(a)"},
        {"share: if(1, 2)", "line 1, column 8: wrong number of arguments: if(condition, a, b)"},
        {"share: min(1)", "line 1, column 8: wrong number of arguments: min(a, b ...)"},
        {"pass: app(vit)", "line 1, column 11: a name in \"quotes\" is expected here"},
        {"pass: app(\"vit)", "line 1, column 12: the name does not end with a quote"},
        {"pass: known", "line 1, column 12: a '(' is expected here"},
        {"share: 50", "line 1, column 8: a share is more than 0 and at most 1, or 100%"},
        {"share:\n  0", "line 2, column 3: a share is more than 0 and at most 1, or 100%"},
        {"share: -10%", "line 1, column 8: a share is more than 0 and at most 1, or 100%"},
        {"first: 1\nshare: max(1, 50 / 40)",
         "line 2, column 8: a share is more than 0 and at most 1, or 100%"},
        {"pass: @", "line 1, column 7: a number, a name or a '(' is expected here"},
    };
    struct rule_program program;
    char error[CT_OPTIONS_FAULT_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_false(rule_compile(cases[i].text, &program, error));
        assert_string_equal(error, cases[i].error);
    }
}

/* `count` times a piece, then an end. */
static void repeat(char *text, size_t size, const char *begin, const char *piece, int count) {
    size_t used = (size_t)snprintf(text, size, "%s", begin);
    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, size - used, "%s", piece);
}

TEST(long_and_deep_rules_are_refused) {
    enum { LONG = 1 << 16 };
    static char text[LONG];
    struct rule_program program;
    char error[CT_OPTIONS_FAULT_BYTES];
    repeat(text, LONG, "pass: ", "(", 1000);
    assert_false(rule_compile(text, &program, error));
    assert_non_null(strstr(error, "nested too deeply"));
    repeat(text, LONG, "pass: ", "not ", 1000);
    assert_false(rule_compile(text, &program, error));
    assert_non_null(strstr(error, "nested too deeply"));
    repeat(text, LONG, "pass: ", "-", 1000);
    assert_false(rule_compile(text, &program, error));
    assert_non_null(strstr(error, "nested too deeply"));
    repeat(text, LONG, "pass: 1", " + 1", 1000);
    assert_false(rule_compile(text, &program, error));
    assert_non_null(strstr(error, "too long"));
    repeat(text, LONG, "pass: min(1", ", 1", 100);
    assert_false(rule_compile(text, &program, error));
    assert_non_null(strstr(error, "too long"));
}

/* Pieces of the language in any order: whatever compiles has a value, and nothing reaches outside
 * (the sanitizers watch). */
TEST(any_text_compiles_or_is_refused) {
    static const char *const pieces[] = {
        "first:", "pass:", "share:", "again:", "(",    ")",      ",",       "+",     "-",
        "*",      "/",     "<",      "<=",     "==",   " or ",   " and ",   " not ", "if(",
        "min(",   "max(",  "abs(",   "known(", "app(", "\"a*\"", "kernel(", "1",     "2ms",
        "40%",    "now",   "slack",  "\n",     "\n  ", "#",      ".",       "task.", "task.waves",
        "\"",     "\r",    "\t",     "x",      "1e5",  "!="};
    static const struct rule_names names = {"vit", "sgemm_128"};
    double fields[RULE_FIELD_COUNT] = {0};
    uint64_t random = 1;
    int compiled = 0;
    for (int round = 0; round < 200000; round++) {
        char text[256], error[CT_OPTIONS_FAULT_BYTES];
        struct rule_program program;
        size_t used = (size_t)snprintf(text, sizeof text, "%s", round % 2 ? "pass: " : "");
        for (int i = 0; i < 2 + round % 11; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            used += (size_t)snprintf(text + used, sizeof text - used, "%s",
                                     pieces[(random >> 33) % (sizeof pieces / sizeof pieces[0])]);
        }
        if (!rule_compile(text, &program, error)) {
            assert_true(strncmp(error, "line ", 5) == 0 && strlen(error) < sizeof error);
            continue;
        }
        for (int part = 0; part < RULE_PARTS; part++)
            if (rule_has(&program, (enum rule_part)part)) {
                rule_value(&program, (enum rule_part)part, fields, &names);
                compiled++;
            }
    }
    assert_true(compiled > 1000);
}
