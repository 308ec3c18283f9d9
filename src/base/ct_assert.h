/* Assertions, which hold in every build. */
#ifndef CT_ASSERT_H
#define CT_ASSERT_H

/* Prints where and what to standard error and aborts: a broken invariant of the program, never a
 * user's mistake. */
_Noreturn void ct_assert_fail(const char *expression, const char *file, int line);

#define ct_assert(expression)                                                                      \
    ((expression) ? (void)0 : ct_assert_fail(#expression, __FILE__, __LINE__))

#endif
