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
#include <stdlib.h>
#include <string.h>

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

/* A test of the `type *variable` that `make` returns and `close` frees: TEST_MADE(a_sentence,
 * struct store, store, store_open(file), store_close(store)) { ... }. */
#define TEST_MADE(name, type, variable, make, close)                                               \
    static void name##_of(type *variable);                                                         \
    TEST(name) {                                                                                   \
        type *variable = make;                                                                     \
        name##_of(variable);                                                                       \
        close;                                                                                     \
    }                                                                                              \
    static void name##_of(type *variable)

/* TEST_MADE of what is not allocated: `open` gets it filled with zeros. */
#define TEST_CASE(name, type, variable, open, close)                                               \
    TEST_MADE(name, type, variable, &(type){0}; open, close)

/* `CLOSED_BY(store_close) struct store store` is closed where its block ends, unless a check
 * failed; so is `FREED_BY(store_free) struct store *store`, below FREER(store_free, struct store).
 */
#define CLOSED_BY(close) __attribute__((cleanup(close)))
#define FREED_BY(free) CLOSED_BY(free##_pointed)
#define FREER(free, type)                                                                          \
    static inline void free##_pointed(type **pointer) {                                            \
        free(*pointer);                                                                            \
    }

static inline void free_pointed(void *pointer) {
    void *memory;
    memcpy(&memory, pointer, sizeof memory);
    free(memory);
}

#define TEST_GROUP(set_up, tear_down)                                                              \
    __attribute__((constructor)) static void add_group(void) {                                     \
        test_group(set_up, tear_down);                                                             \
    }

#endif
