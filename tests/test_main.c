/* Runs the tests that TEST has listed. */
#include "cmocka_complete.h"

#include <stdlib.h>

static struct test *first, **last = &first;
static size_t count;
static CMFixtureFunction group_set_up, group_tear_down;

void test_add(struct test *test) {
    *last = test;
    last = &test->next;
    count++;
}

void test_group(CMFixtureFunction set_up, CMFixtureFunction tear_down) {
    group_set_up = set_up;
    group_tear_down = tear_down;
}

int main(void) {
    unsetenv("COLUMNS"); /* tables are then as wide as where no terminal is */
    struct CMUnitTest *tests = calloc(count + 1, sizeof *tests);
    if (!tests || count == 0)
        return EXIT_FAILURE;
    struct CMUnitTest *unit = tests;
    for (const struct test *test = first; test; test = test->next)
        *unit++ = test->unit;
    int failed = _cmocka_run_group_tests("tests", tests, count, group_set_up, group_tear_down);
    free(tests);
    return failed;
}
