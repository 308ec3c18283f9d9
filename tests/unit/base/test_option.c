/* Option tables: defaults, values from text, refusals that say why. */
#include "base/ct_option_value.h"
#include "base/ct_quantity.h"
#include "cmocka_complete.h"

#include <string.h>

enum colour { RED, GREEN };

struct sample {
    bool fast;
    int64_t count;
    double share_pct;
    int32_t colour;
    const char *name;
    double needed;
};

static const char *const colours[] = {"red", "green", NULL};

static const struct ct_option table[] = {
    {"fast", CT_OPTION_BOOL, offsetof(struct sample, fast), "", 0, 0, "true", NULL, "a switch"},
    {"count", CT_OPTION_INT, offsetof(struct sample, count), "", -2, 9, "3", NULL,
     "a whole number"},
    {"share_pct", CT_OPTION_DOUBLE, offsetof(struct sample, share_pct), "%", 0, 100, "12.5", NULL,
     "a number"},
    {"colour", CT_OPTION_CHOICE, offsetof(struct sample, colour), "", 0, 0, "green", colours,
     "a choice"},
    {"name", CT_OPTION_STRING, offsetof(struct sample, name), "", 0, 0, "x", NULL, "a text"},
    {"needed", CT_OPTION_DOUBLE, offsetof(struct sample, needed), "", 0, 1, NULL, NULL,
     "no default"},
    {0},
};

struct fixture {
    struct sample sample;
    struct ct_arena arena;
    struct ct_diags diags;
};

static int set(struct fixture *f, const char *name, const char *value) {
    return ct_option_set(table, name, value, &f->sample, &f->arena, "here", &f->diags);
}

static void expect_refusal(const char *name, const char *value, const char *text) {
    struct fixture f = {0};
    assert_int_equal(set(&f, name, value), CT_USAGE);
    assert_int_equal(f.diags.count, 1);
    assert_string_equal(f.diags.items[0].where, "here");
    assert_string_equal(f.diags.items[0].text, text);
    ct_diags_free(&f.diags);
    ct_arena_free(&f.arena);
}

TEST(defaults_are_the_table_s) {
    struct sample s = {.needed = 7};
    ct_options_default(table, &s);
    assert_true(s.fast);
    assert_int_equal(s.count, 3);
    assert_true(s.share_pct == 12.5);
    assert_int_equal(s.colour, GREEN);
    assert_string_equal(s.name, "x");
    assert_true(s.needed == 7); /* no default: untouched */
}

TEST(values_are_set_and_print_as_they_were_read) {
    static const char *const pairs[][2] = {{"fast", "false"},
                                           {"count", "-2"},
                                           {"share_pct", "0.1"},
                                           {"colour", "red"},
                                           {"name", "a b"}};
    struct fixture f = {0};
    for (size_t i = 0; i < CT_COUNT_OF(pairs); i++) {
        char text[40];
        assert_int_equal(set(&f, pairs[i][0], pairs[i][1]), CT_OK);
        ct_option_print(ct_option_find(table, pairs[i][0]), &f.sample, text, sizeof text);
        assert_string_equal(text, pairs[i][1]);
    }
    assert_int_equal(f.diags.count, 0);
    ct_arena_free(&f.arena);
}

/* A value says its own unit where it measures the same; of a plain number, per cent. */
TEST(values_with_units_are_converted) {
    static const struct {
        const char *text, *unit;
        double number;
    } quantities[] = {{"30ms", "ms", 30},
                      {"2s", "ms", 2000},
                      {"30 us", "ms", 0.03},
                      {"1.5min", "s", 90},
                      {"10GB", "GiB", 1e10 / 0x1p30},
                      {"10GiB", "GiB", 10},
                      {"1.41GHz", "MHz", 1410},
                      {"2TB/s", "GB/s", 2000},
                      {"90/min", "1/s", 1.5},
                      {"10Hz", "1/s", 10},
                      {"0.3kHz", "1/s", 300},
                      {"40%", "", 0.4},
                      {"40 %", "%", 40},
                      {"7", "ms", 7},
                      {"1e3cycles", "cycles", 1000}};
    static const char *const wrong[][2] = {{"30m", "ms"}, {"30ms", "MHz"}, {"5B", ""},
                                           {"ms", "ms"},  {"3%", "ms"},    {"", ""}};
    double number;
    int64_t whole;
    for (size_t i = 0; i < CT_COUNT_OF(quantities); i++) {
        assert_true(ct_quantity_read(quantities[i].text, quantities[i].unit, &number));
        assert_true(number == quantities[i].number);
    }
    for (size_t i = 0; i < CT_COUNT_OF(wrong); i++)
        assert_false(ct_quantity_read(wrong[i][0], wrong[i][1], &number));
    assert_true(ct_quantity_read_whole("1.5MB", "B", &whole) && whole == 1500000);
    assert_true(ct_quantity_read_whole("9007199254740993", "B", &whole) &&
                whole == INT64_C(9007199254740993));
    assert_false(ct_quantity_read_whole("1.5B", "B", &whole));
    assert_false(ct_quantity_read_whole("400%", "", &whole));
    assert_false(ct_quantity_read_whole("1e30TB", "B", &whole));
}

TEST(strings_are_copies) {
    struct fixture f = {0};
    char text[] = "first";
    assert_int_equal(set(&f, "name", text), CT_OK);
    text[0] = '!';
    assert_string_equal(f.sample.name, "first");
    ct_arena_free(&f.arena);
}

TEST(wrong_values_are_refused_with_the_range) {
    expect_refusal("count", "10", "'10' of 'count' is not a whole number from -2 to 9");
    expect_refusal("count", "1.5", "'1.5' of 'count' is not a whole number from -2 to 9");
    expect_refusal("count", "99999999999999999999",
                   "'99999999999999999999' of 'count' is not a whole number from -2 to 9");
    expect_refusal("share_pct", "nan", "'nan' of 'share_pct' is not a number from 0 to 100 %");
    expect_refusal("share_pct", "100.01",
                   "'100.01' of 'share_pct' is not a number from 0 to 100 %");
    expect_refusal("share_pct", "", "'' of 'share_pct' is not a number from 0 to 100 %");
    expect_refusal("share_pct", "5x", "'5x' of 'share_pct' is not a number from 0 to 100 %");
    expect_refusal("fast", "yes", "'yes' of 'fast' is neither true nor false");
    expect_refusal("colour", "gren",
                   "'gren' of 'colour' is none of red, green; did you mean 'green'?");
    expect_refusal("cuont", "1", "unknown option 'cuont', did you mean 'count'?");
    expect_refusal(
        "zzzzzzz", "1",
        "unknown option 'zzzzzzz'; there are: fast, count, share_pct, colour, name, needed");
}

/* A refused value leaves the member as it was. */
TEST(a_refusal_changes_nothing) {
    struct fixture f = {0};
    ct_options_default(table, &f.sample);
    struct sample before = f.sample;
    assert_int_equal(set(&f, "count", "77"), CT_USAGE);
    assert_int_equal(set(&f, "colour", "blue"), CT_USAGE);
    assert_int_equal(f.sample.count, before.count);
    assert_int_equal(f.sample.colour, before.colour);
    assert_int_equal(f.diags.errors, 2);
    ct_diags_free(&f.diags);
}
