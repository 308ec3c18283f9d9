/*
 * cmocka with the headers that it asks for, and a list of tests that makes itself: what TEST
 * defines is run by test_main.c, in the order of the file.
 */
#ifndef CMOCKA_COMPLETE_H
#define CMOCKA_COMPLETE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct test {
    struct CMUnitTest unit;
    struct test *next;
};

void test_add(struct test *test);

/* What is made before the first test of the file, and freed after its last. */
void test_group(CMFixtureFunction set_up, CMFixtureFunction tear_down);

/* TEST(a_sentence_about_what_holds) { ... }; `state` is what the set-up made. */
#define TEST(name) TEST_WITH(name, NULL, NULL)

#define TEST_WITH(name, set_up, tear_down)                                                         \
    static void name(void **state);                                                                \
    __attribute__((constructor)) static void add_##name(void) {                                    \
        static struct test test = {{#name, name, set_up, tear_down, NULL}, NULL};                  \
        test_add(&test);                                                                           \
    }                                                                                              \
    static void name(void **state)

/* A test of what `open` makes of `variable` and `close` frees, as `TEST_CASE(a_sentence, struct
 * case, c, open_case(c), close_case(c)) { ... }`; the test sees `struct case *c`. */
#define TEST_CASE(name, type, variable, open, close)                                               \
    static void name##_of(type *variable);                                                         \
    TEST(name) {                                                                                   \
        type made, *variable = &made;                                                              \
        open;                                                                                      \
        name##_of(variable);                                                                       \
        close;                                                                                     \
    }                                                                                              \
    static void name##_of(type *variable)

#define TEST_GROUP(set_up, tear_down)                                                              \
    __attribute__((constructor)) static void add_group(void) {                                     \
        test_group(set_up, tear_down);                                                             \
    }

#endif
