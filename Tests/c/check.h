/* check.h: the frame of the C tests. A program runs its tests by RUN, each with CHECKs, and ends with check_end(), which
 * prints "N passed, N failed". A test that hangs is ended and named by the alarm. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <unistd.h>

static int check_passed_tests, check_failed_tests, check_failures;
static const char *check_test = "(none)";

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            check_failures++; \
            fprintf(stderr, "%s:%d: %s: not so: %s\n", __FILE__, __LINE__, check_test, #condition); \
        } \
    } while (0)

#define CHECK_INT(actual, expected) check_int((long long)(actual), (long long)(expected), #actual, __FILE__, __LINE__)
#define CHECK_TEXT(actual, expected) check_text((actual), (expected), #actual, __FILE__, __LINE__)

/* For what the rest of the program cannot go on without. */
#define REQUIRE(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s: cannot go on: %s\n", __FILE__, __LINE__, check_test, #condition); \
            exit(1); \
        } \
    } while (0)

#define RUN(test) check_run(#test, test)

static inline void check_int(long long actual, long long expected, const char *what, const char *file, int line) {
    if (actual == expected) return;
    check_failures++;
    fprintf(stderr, "%s:%d: %s: %s is %lld, not %lld\n", file, line, check_test, what, actual, expected);
}

static inline void check_text(const char *actual, const char *expected, const char *what, const char *file, int line) {
    if (actual == NULL && expected == NULL) return;
    if (actual != NULL && expected != NULL && strcmp(actual, expected) == 0) return;
    check_failures++;
    fprintf(stderr, "%s:%d: %s: %s is %s, not %s\n", file, line, check_test, what, actual ? actual : "NULL",
            expected ? expected : "NULL");
}

static inline void check_hangs(int number) {
    (void)number;
    if (write(2, "this test hangs: ", 17) < 0 || write(2, check_test, strlen(check_test)) < 0 || write(2, "\n", 1) < 0)
        _exit(2);
    _exit(2);
}

static inline void check_run(const char *name, void (*test)(void)) {
    int before = check_failures;
    check_test = name;
    signal(SIGALRM, check_hangs);
    alarm(120);
    test();
    alarm(0);
    if (check_failures == before) check_passed_tests++;
    else check_failed_tests++;
}

static inline int check_end(void) {
    printf("%d passed, %d failed\n", check_passed_tests, check_failed_tests);
    return check_failed_tests == 0 ? 0 : 1;
}

#endif
