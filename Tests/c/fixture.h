/* fixture.h: what the C tests of a runtime share: a temporary base directory that is removed at the end, runtimes in
 * directories below it, and pumping until something has happened. Define _XOPEN_SOURCE 700 before the first include. */
#ifndef FIXTURE_H
#define FIXTURE_H

#include <folio.h>

#include <ftw.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>

#include "check.h"

static char fixture_base[64];
static pid_t fixture_owner;
static int fixture_directories;

static inline int fixture_remove(const char *path, const struct stat *status, int type, struct FTW *walk) {
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

static inline void fixture_end(void) {
    if (getpid() == fixture_owner) nftw(fixture_base, fixture_remove, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void fixture_begin(void) {
    strcpy(fixture_base, "/tmp/folio-c-XXXXXX");
    REQUIRE(mkdtemp(fixture_base) != NULL);
    fixture_owner = getpid();
    atexit(fixture_end);
}

/* A path below the base that nobody has used; valid for the life of the program. */
static inline const char *new_path(void) {
    static char paths[128][128];
    REQUIRE(fixture_directories < 128);
    /* A forked child counts on from the same number. */
    snprintf(paths[fixture_directories], 128, "%s/%ld-%d", fixture_base, (long)getpid(), fixture_directories);
    return paths[fixture_directories++];
}

/* Checks that a call failed with `status`, left an error that says so in one line, and releases it. */
#define CHECK_FAILS(call, expected) \
    do { \
        folio_error_t *error = NULL; \
        CHECK_INT((call), (expected)); \
        check_error(error, (expected), __LINE__); \
        folio_error_release(error); \
    } while (0)

/* Checks that a call succeeded and left no error. */
#define CHECK_OK(call) \
    do { \
        folio_error_t *error = (folio_error_t *)1; \
        CHECK_INT((call), FOLIO_OK); \
        if (error != NULL && error != (folio_error_t *)1) \
            fprintf(stderr, "line %d: %s\n", __LINE__, folio_error_get_message(error)); \
        CHECK(error == NULL); \
    } while (0)

static inline void check_error(folio_error_t *error, folio_status_t status, int line) {
    const char *message = folio_error_get_message(error);
    if (folio_error_get_code(error) != status || message == NULL || message[0] == 0 || strchr(message, '\n') != NULL) {
        check_failures++;
        fprintf(stderr, "line %d: %s: the error is not of status %d: %d %s\n", line, check_test, (int)status,
                (int)folio_error_get_code(error), message ? message : "NULL");
    }
}

static inline folio_config_t *new_config(const char *directory) {
    folio_config_t *config = NULL;
    CHECK_OK(folio_config_create(&config, &error));
    CHECK_OK(folio_config_set_data_directory(config, directory, &error));
    return config;
}

static inline folio_sdk_t *open_runtime(const char *directory) {
    folio_config_t *config = new_config(directory);
    folio_sdk_t *sdk = NULL;
    CHECK_OK(folio_sdk_create(config, &sdk, &error));
    folio_config_release(config);
    REQUIRE(sdk != NULL);
    return sdk;
}

static inline folio_sdk_t *new_runtime(void) { return open_runtime(new_path()); }

static inline void end_runtime(folio_sdk_t *sdk) {
    CHECK_OK(folio_sdk_shutdown(sdk, &error));
    folio_sdk_release(sdk);
}

static inline folio_session_store_t *new_session_store(folio_sdk_t *sdk) {
    folio_session_store_t *store = NULL;
    CHECK_OK(folio_session_store_mount(sdk, &store, &error));
    REQUIRE(store != NULL);
    return store;
}

static inline folio_auth_store_t *new_auth_store(folio_sdk_t *sdk) {
    folio_auth_store_t *store = NULL;
    CHECK_OK(folio_auth_store_mount(sdk, &store, &error));
    REQUIRE(store != NULL);
    return store;
}

static inline folio_vault_store_t *new_vault_store(folio_sdk_t *sdk) {
    folio_vault_store_t *store = NULL;
    CHECK_OK(folio_vault_store_mount(sdk, &store, &error));
    REQUIRE(store != NULL);
    return store;
}

static inline folio_service_t *new_service(folio_sdk_t *sdk) {
    folio_service_t *service = NULL;
    CHECK_OK(folio_sdk_get_embedded_service(sdk, &service, &error));
    REQUIRE(service != NULL);
    return service;
}

/* Waits for the next event and dispatches what waits. */
static inline void pump(folio_sdk_t *sdk) { CHECK_OK(folio_sdk_wait_events(sdk, -1, NULL, &error)); }

static inline void pump_until_int(folio_sdk_t *sdk, const int *value, int at_least) {
    int before = check_failures;
    while (__atomic_load_n(value, __ATOMIC_SEQ_CST) < at_least && check_failures == before) pump(sdk);
}

/* Pumps until no action is pending, then takes what is left. */
static inline void settle(folio_sdk_t *sdk) {
    int before = check_failures;
    while (folio_sdk_get_pending(sdk) > 0 && check_failures == before) pump(sdk);
    CHECK_OK(folio_sdk_dispatch_events(sdk, 0, NULL, &error));
}

/* Makes one change of the auth store's state without any request: FAILED with INVALID_EMAIL, for an address that is
 * different each time. It is queued, not dispatched, when `settle` has not been called yet. */
static inline void change_auth(folio_auth_store_t *store) {
    static int number;
    char address[32];
    snprintf(address, sizeof address, "not-an-address-%d", number++);
    CHECK_OK(folio_auth_store_dispatch_sign_in(store, address, &error));
}

/* A registration that counts. */
typedef struct {
    int called;
    int destroyed;
    int called_after_destroy;
} counted_t;

static inline void count_call(void *context) {
    counted_t *counted = context;
    if (__atomic_load_n(&counted->destroyed, __ATOMIC_SEQ_CST) != 0)
        __atomic_add_fetch(&counted->called_after_destroy, 1, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&counted->called, 1, __ATOMIC_SEQ_CST);
}

static inline void on_session(void *context, const folio_session_state_t *state) {
    (void)state;
    count_call(context);
}

static inline void on_auth(void *context, const folio_auth_state_t *state) {
    (void)state;
    count_call(context);
}

static inline void on_vault(void *context, const folio_vault_state_t *state) {
    (void)state;
    count_call(context);
}

static inline void on_created(void *context, const folio_error_t *error) {
    (void)error;
    count_call(context);
}

static inline void on_log(void *context, int32_t level, const char *line) {
    (void)level;
    (void)line;
    count_call(context);
}

static inline void on_destroy(void *context) {
    counted_t *counted = context;
    __atomic_add_fetch(&counted->destroyed, 1, __ATOMIC_SEQ_CST);
}

/* Runs `body` in a child process; the child's exit code: 0 when all of its CHECKs held. */
static inline int in_child(void (*body)(void)) {
    int status = 0;
    pid_t child;
    fflush(NULL);
    child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        int before = check_failures;
        alarm(60);
        body();
        _exit(check_failures == before ? 0 : 1);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

#endif
