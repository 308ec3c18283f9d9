/* Suggestions, lists and numbers as text. */
#include "base/ct_text.h"
#include "cmocka_complete.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"poisson", "uniform", "deterministic", "gamma"};

static const char *closest(const char *name) {
    return ct_text_closest(name, names, CT_COUNT_OF(names));
}

/* One edit of each kind. */
TEST(near_names_are_found) {
    assert_string_equal(closest("poison"), "poisson");   /* left out */
    assert_string_equal(closest("poissson"), "poisson"); /* put in */
    assert_string_equal(closest("gamna"), "gamma");      /* replaced */
    assert_string_equal(closest("unifrom"), "uniform");  /* swapped: one edit */
    assert_string_equal(closest("uniform"), "uniform");  /* none */
}

TEST(far_names_are_not_found) {
    char longer[100];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_string_equal(closest("det"), "deterministic"); /* cut short */
    assert_null(closest("completely-else"));
    assert_null(closest(longer));
    assert_null(ct_text_closest("x", NULL, 0));
}

TEST(names_have_places) {
    assert_int_equal(ct_text_index("poisson", names, CT_COUNT_OF(names)), 0);
    assert_int_equal(ct_text_index("gamma", names, CT_COUNT_OF(names)), 3);
    assert_int_equal(ct_text_index("gam", names, CT_COUNT_OF(names)), 4);
    assert_int_equal(ct_text_index("gamma", NULL, 0), 0);
}

/* The end of a message: the nearest; else nothing, or all there are. */
TEST(hints_name_the_nearest_or_all) {
    char hint[CT_HINT_BYTES];
    assert_string_equal(ct_text_hint(hint, "poison", names, 4), ", did you mean 'poisson'?");
    assert_string_equal(ct_text_hint(hint, "else", names, 4), "");
    assert_string_equal(ct_text_hint_or_all(hint, "poison", names, 4), ", did you mean 'poisson'?");
    assert_string_equal(ct_text_hint_or_all(hint, "else", names, 4),
                        "; there are: poisson, uniform, deterministic, gamma");
    assert_string_equal(ct_text_hint_or_all(hint, "else", names, 0), "");
}

TEST(patterns_match_whole_names) {
    static const struct {
        const char *pattern, *text;
        bool matches;
    } cases[] = {{"softmax", "softmax", true},
                 {"softmax", "softmax_warp", false},
                 {"softmax*", "SoftMax", true},
                 {"*SOFTMAX*", "cunn_softmax_1", true},
                 {"*ab*abc", "xabababc", true},
                 {"*ab*abc", "xabababcd", false},
                 {"a?c", "abc", true},
                 {"a?c", "ac", false},
                 {"*", "", true},
                 {"", "", true},
                 {"", "a", false},
                 {"?", "", false},
                 {"**a**", "bab", true},
                 {"[a]", "a", false},
                 {"*<float>*", "k<float>", true}};
    for (size_t i = 0; i < CT_COUNT_OF(cases); i++)
        if (ct_text_matches(cases[i].pattern, cases[i].text) != cases[i].matches)
            fail_msg("'%s' and '%s'", cases[i].pattern, cases[i].text);
}

TEST(widths_are_characters) {
    assert_int_equal(ct_text_width("a\xc3\xa9\xe2\x82\xac", SIZE_MAX),
                     3); /* one, two and three bytes */
    assert_int_equal(ct_text_width("abc", 2), 2);
    assert_int_equal(ct_text_width("", SIZE_MAX), 0);
}

/* The first of two names at the same distance is taken: the order of the table decides, nothing
 * else. */
TEST(ties_go_to_the_first) {
    static const char *const pair[] = {"abcd1", "abcd2"};
    assert_string_equal(ct_text_closest("abcd3", pair, 2), "abcd1");
}

TEST(lists_are_joined_and_cut) {
    char text[64], small[10];
    ct_text_join(text, sizeof text, names, 2);
    assert_string_equal(text, "poisson, uniform");
    ct_text_join(small, sizeof small, names, 4);
    assert_string_equal(small, "poisson, ");
    ct_text_join(text, sizeof text, names, 0);
    assert_string_equal(text, "");
}

TEST(texts_grow_and_are_cut) {
    char text[64] = "", small[8] = "";
    for (int i = 1; i <= 3; i++) {
        ct_text_add(text, sizeof text, "; ", "%d of %s", i, names[i]);
        ct_text_add(small, sizeof small, ", ", "x%d", i);
    }
    assert_string_equal(text, "1 of uniform; 2 of deterministic; 3 of gamma");
    assert_string_equal(small, "x1, x2,");
    ct_text_add(small, sizeof small, ", ", "more");
    assert_string_equal(small, "x1, x2,");
}

TEST(numbers_are_short_and_read_back) {
    static const struct {
        double number;
        const char *text;
    } cases[] = {{0.1, "0.1"},
                 {1.0 / 3, "0.3333333333333333"},
                 {25, "25"},
                 {-0.5, "-0.5"},
                 {-0.0, "-0"},
                 {60, "60"},
                 {0.000125, "0.000125"},
                 {0.0000125, "1.25e-05"},
                 {48640.05, "48640.05"},
                 {999999999999999, "999999999999999"},
                 {1e15, "1e+15"},
                 {1e-300, "1e-300"}};
    for (size_t i = 0; i < CT_COUNT_OF(cases); i++) {
        char text[40];
        ct_text_double(text, sizeof text, cases[i].number);
        assert_string_equal(text, cases[i].text);
        assert_true(strtod(text, NULL) == cases[i].number);
    }
}

/* By trying one digit more after the other, as %g writes them. */
static void shortest(char text[40], double number) {
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, 40, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            return;
    }
}

TEST(numbers_are_the_shortest_that_read_back) {
    for (int i = 0; i < 20000; i++) {
        char text[40], expected[40];
        double place = fmod(i * 0.6180339887498949, 1), other = fmod(i * 0.7548776662466927, 1);
        double number = pow(10, 24 * place - 7), tens = pow(10, floor(17 * other));
        if (i % 2) /* a decimal, but for rounding */
            number = rint(number) + rint(1000 * other) / tens;
        if (number == rint(number))
            continue;
        ct_text_double(text, sizeof text, number);
        shortest(expected, number);
        assert_string_equal(text, expected);
    }
}

TEST(files_have_names) {
    assert_string_equal(ct_text_file_name("/a/b.json"), "b.json");
    assert_string_equal(ct_text_file_name("b.json"), "b.json");
    assert_string_equal(ct_text_file_name("a/"), "");
}
