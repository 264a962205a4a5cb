/* fork.c: in a child of fork() whose parent had made a runtime every use of a handle and every create is FORKED, version,
 * status and error functions work, releases free nothing, no callback or destroy runs, and the parent goes on as before;
 * a process that was forked before its first runtime works. */
#define _XOPEN_SOURCE 700
#include <fcntl.h>
#include <pthread.h>

#include "every_function.h"

static void use_a_runtime(void) {
    folio_sdk_t *sdk = new_runtime();
    folio_session_store_t *store = new_session_store(sdk);
    settle(sdk);
    folio_session_store_release(store);
    end_runtime(sdk);
}

/* Runs first: nothing here has made a runtime yet. */
static void a_process_forked_before_its_first_runtime_works(void) {
    folio_config_t *config = new_config(new_path());
    CHECK_INT(in_child(use_a_runtime), 0);
    folio_config_release(config);
}

static handle_set_t live;
static folio_subscription_t *live_subscription;
static counted_t live_counted;

static void call_everything_in_the_child(void) {
    folio_config_t *config = (folio_config_t *)1;
    CHECK(folio_version_string() != NULL);
    CHECK_TEXT(folio_status_get_name(FOLIO_ERROR_FORKED), "FOLIO_ERROR_FORKED");
    CHECK_FAILS(folio_config_create(&config, &error), FOLIO_ERROR_FORKED);
    CHECK(config == NULL);
    CHECK_INT(folio_error_get_code(live.of[KIND_ERROR]), FOLIO_ERROR_INVALID_HANDLE);
    CHECK(folio_error_get_message(live.of[KIND_ERROR]) != NULL);
    for (size_t index = 0; index < FUNCTIONS; index++)
        if (every_function[index].kind != KIND_ERROR)
            check_refused(&every_function[index], live.of[every_function[index].kind], FOLIO_ERROR_FORKED, 0);
    for (size_t index = 0; index < FUNCTIONS; index++)
        if (every_function[index].kind != KIND_ERROR)
            check_refused(&every_function[index], NULL, FOLIO_ERROR_FORKED, 0);
    CHECK_FAILS(folio_subscription_cancel(live_subscription, &error), FOLIO_ERROR_FORKED);
    folio_subscription_release(live_subscription);
    folio_error_release(live.of[KIND_ERROR]);
    CHECK_INT(folio_error_get_code(live.of[KIND_ERROR]), 0);
    CHECK_INT(live_counted.called, 0);
    CHECK_INT(live_counted.destroyed, 0);
}

static void begin(void) {
    live = new_handle_set();
    memset(&live_counted, 0, sizeof live_counted);
    CHECK_OK(folio_session_store_subscribe(live.of[KIND_SESSION_STORE], on_session, &live_counted, on_destroy,
                                           &live_subscription, &error));
}

static void check_parent_goes_on(void) {
    check_alive(&live);
    CHECK_INT(live_counted.destroyed, 0);
    CHECK_OK(folio_auth_store_dispatch_cancel(live.of[KIND_AUTH_STORE], &error));
    settle(live.of[KIND_SDK]);
    {
        folio_auth_state_t *state = NULL;
        CHECK_OK(folio_auth_store_get_state(live.of[KIND_AUTH_STORE], &state, &error));
        CHECK_INT(folio_auth_state_get_type(state), FOLIO_AUTH_STATE_IDLE);
        folio_auth_state_release(state);
    }
    release_handle_set(&live);
    folio_subscription_release(live_subscription);
    CHECK_INT(live_counted.destroyed, 1);
}

static void every_call_in_a_child_is_refused_and_the_parent_goes_on(void) {
    begin();
    CHECK_INT(in_child(call_everything_in_the_child), 0);
    check_parent_goes_on();
}

static void exit_normally(void) { exit(0); }

static void a_child_may_exit_normally(void) {
    begin();
    CHECK_INT(in_child(exit_normally), 0);
    check_parent_goes_on();
}

static void run_another_program(void) {
    execl("/bin/true", "true", (char *)NULL);
    _exit(99);
}

static void a_child_may_run_another_program(void) {
    begin();
    CHECK_INT(in_child(run_another_program), 0);
    check_parent_goes_on();
}

static folio_sdk_t *callback_sdk;
static int forked_children;

static void refuse_in_the_child(void) {
    CHECK_FAILS(folio_sdk_dispatch_events(callback_sdk, 0, NULL, &error), FOLIO_ERROR_FORKED);
    CHECK_FAILS(folio_sdk_shutdown(callback_sdk, &error), FOLIO_ERROR_FORKED);
    folio_sdk_release(callback_sdk);
}

static void fork_inside(void *context, const folio_auth_state_t *state) {
    (void)context;
    CHECK_INT(in_child(refuse_in_the_child), 0);
    CHECK_INT(folio_auth_state_get_type(state), FOLIO_AUTH_STATE_FAILED);
    forked_children++;
}

static void a_callback_may_fork(void) {
    folio_auth_store_t *auth;
    folio_subscription_t *subscription = NULL;
    callback_sdk = new_runtime();
    auth = new_auth_store(callback_sdk);
    CHECK_OK(folio_auth_store_subscribe(auth, fork_inside, NULL, NULL, &subscription, &error));
    change_auth(auth);
    pump_until_int(callback_sdk, &forked_children, 1);
    folio_subscription_release(subscription);
    folio_auth_store_release(auth);
    end_runtime(callback_sdk);
}

static int threads_are_over;

static void *use_the_library(void *store) {
    while (!__atomic_load_n(&threads_are_over, __ATOMIC_SEQ_CST)) {
        folio_session_state_t *state = NULL;
        folio_vault_value_t *value = NULL;
        folio_error_t *error = NULL;
        folio_session_store_get_state(store, &state, &error);
        folio_session_state_release(state);
        folio_vault_store_get(store, "key", &value, &error);
        folio_error_release(error);
    }
    return NULL;
}

static void use_errors_in_the_child(void) {
    for (int round = 0; round < 10; round++) {
        folio_session_state_t *state = (folio_session_state_t *)1;
        CHECK_FAILS(folio_session_store_get_state(live.of[KIND_SESSION_STORE], &state, &error), FOLIO_ERROR_FORKED);
        CHECK(state == NULL);
    }
}

static void a_child_forked_while_other_threads_are_inside_does_not_hang(void) {
    pthread_t threads[2];
    begin();
    threads_are_over = 0;
    for (int each = 0; each < 2; each++)
        REQUIRE(pthread_create(&threads[each], NULL, use_the_library, live.of[KIND_SESSION_STORE]) == 0);
    for (int round = 0; round < 50; round++) CHECK_INT(in_child(use_errors_in_the_child), 0);
    __atomic_store_n(&threads_are_over, 1, __ATOMIC_SEQ_CST);
    for (int each = 0; each < 2; each++) pthread_join(threads[each], NULL);
    check_parent_goes_on();
}

static const char *kept_directory;
static int ready_pipe[2], go_pipe[2];

static void wait_for_the_parent_to_end(void) {
    char byte;
    close(go_pipe[1]);
    if (write(ready_pipe[1], "x", 1) != 1 || read(go_pipe[0], &byte, 1) < 0) _exit(1);
}

/* The child outlives the runtime of its parent and holds none of its locks. */
static void a_child_keeps_no_lock_of_the_parent(void) {
    folio_sdk_t *sdk;
    pid_t child;
    char byte;
    kept_directory = new_path();
    sdk = open_runtime(kept_directory);
    REQUIRE(pipe(ready_pipe) == 0 && pipe(go_pipe) == 0);
    fflush(NULL);
    child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        wait_for_the_parent_to_end();
        _exit(0);
    }
    REQUIRE(read(ready_pipe[0], &byte, 1) == 1);
    end_runtime(sdk);
    sdk = open_runtime(kept_directory);
    {
        folio_session_store_t *store = new_session_store(sdk);
        folio_session_state_t *state = NULL;
        CHECK_OK(folio_session_store_dispatch(store, FOLIO_SESSION_ACTION_SIGN_OUT, &error));
        settle(sdk);
        CHECK_OK(folio_session_store_get_state(store, &state, &error));
        CHECK_INT(folio_session_state_get_identity_kind(state), FOLIO_IDENTITY_TRANSIENT);
        folio_session_state_release(state);
        folio_session_store_release(store);
    }
    end_runtime(sdk);
    close(go_pipe[1]);
    REQUIRE(waitpid(child, NULL, 0) == child);
    close(go_pipe[0]), close(ready_pipe[0]), close(ready_pipe[1]);
}

int main(void) {
    fixture_begin();
    RUN(a_process_forked_before_its_first_runtime_works);
    RUN(every_call_in_a_child_is_refused_and_the_parent_goes_on);
    RUN(a_child_may_exit_normally);
    RUN(a_child_may_run_another_program);
    RUN(a_callback_may_fork);
    RUN(a_child_forked_while_other_threads_are_inside_does_not_hang);
    RUN(a_child_keeps_no_lock_of_the_parent);
    return check_end();
}
