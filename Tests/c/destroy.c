/* destroy.c: `destroy` is called exactly once in every ending of a registration: refused, cancelled (outside, inside the
 * callback), store closed, runtime shut down, runtime released, completion delivered or dropped; and never at the exit
 * of the process. Afterwards the callback is not called again. */
#define _XOPEN_SOURCE 700
#include "fixture.h"

static folio_sdk_t *sdk;
static folio_session_store_t *session;
static folio_auth_store_t *auth;
static folio_vault_store_t *vault;

static void begin(void) {
    sdk = new_runtime();
    session = new_session_store(sdk);
    auth = new_auth_store(sdk);
    vault = new_vault_store(sdk);
    settle(sdk);
}

static void end(void) {
    folio_session_store_release(session);
    folio_auth_store_release(auth);
    folio_vault_store_release(vault);
    folio_sdk_release(sdk);
}

/* One registration of every kind. */
enum { SESSION, AUTH, VAULT, LOG, KINDS };

static folio_status_t subscribe(int kind, counted_t *counted, folio_subscription_t **subscription, folio_error_t **error) {
    switch (kind) {
    case SESSION: return folio_session_store_subscribe(session, on_session, counted, on_destroy, subscription, error);
    case AUTH: return folio_auth_store_subscribe(auth, on_auth, counted, on_destroy, subscription, error);
    case VAULT: return folio_vault_store_subscribe(vault, on_vault, counted, on_destroy, subscription, error);
    default: return folio_sdk_subscribe_log(sdk, on_log, counted, on_destroy, subscription, error);
    }
}

static void check_over(const counted_t *counted, int called) {
    CHECK_INT(counted->destroyed, 1);
    CHECK_INT(counted->called, called);
    CHECK_INT(counted->called_after_destroy, 0);
}

static void at_a_refused_registration_before_it_returns(void) {
    begin();
    for (int kind = 0; kind < KINDS; kind++) {
        counted_t counted = {0, 0, 0};
        CHECK_FAILS(subscribe(kind, &counted, NULL, &error), FOLIO_ERROR_INVALID_ARGUMENT);
        check_over(&counted, 0);
    }
    {
        counted_t counted = {0, 0, 0};
        folio_subscription_t *subscription = (folio_subscription_t *)1;
        CHECK_FAILS(folio_sdk_subscribe_log(sdk, NULL, &counted, on_destroy, &subscription, &error),
                    FOLIO_ERROR_INVALID_ARGUMENT);
        CHECK(subscription == NULL);
        check_over(&counted, 0);
    }
    CHECK_OK(folio_session_store_close(session, &error));
    CHECK_OK(folio_auth_store_close(auth, &error));
    CHECK_OK(folio_vault_store_close(vault, &error));
    for (int kind = SESSION; kind <= VAULT; kind++) {
        counted_t counted = {0, 0, 0};
        folio_subscription_t *subscription = (folio_subscription_t *)1;
        CHECK_FAILS(subscribe(kind, &counted, &subscription, &error), FOLIO_ERROR_CLOSED);
        CHECK(subscription == NULL);
        check_over(&counted, 0);
    }
    session = new_session_store(sdk);
    CHECK_OK(folio_sdk_shutdown(sdk, &error));
    for (int kind = SESSION; kind <= LOG; kind += LOG) {
        counted_t counted = {0, 0, 0};
        folio_subscription_t *subscription = (folio_subscription_t *)1;
        CHECK_FAILS(subscribe(kind, &counted, &subscription, &error), FOLIO_ERROR_SHUT_DOWN);
        CHECK(subscription == NULL);
        check_over(&counted, 0);
    }
    end();
}

static void without_a_destroy_function_nothing_is_called(void) {
    folio_subscription_t *subscription = NULL;
    begin();
    CHECK_FAILS(folio_session_store_subscribe(NULL, on_session, NULL, NULL, &subscription, &error),
                FOLIO_ERROR_INVALID_HANDLE);
    CHECK_OK(folio_session_store_subscribe(session, on_session, NULL, NULL, &subscription, &error));
    CHECK_OK(folio_subscription_cancel(subscription, &error));
    folio_subscription_release(subscription);
    end();
}

static void at_cancel_inside_that_call(void) {
    begin();
    for (int kind = 0; kind < KINDS; kind++) {
        counted_t counted = {0, 0, 0};
        folio_subscription_t *subscription = NULL;
        CHECK_OK(subscribe(kind, &counted, &subscription, &error));
        CHECK_INT(counted.destroyed, 0);
        CHECK_OK(folio_subscription_cancel(subscription, &error));
        CHECK_INT(counted.destroyed, 1);
        CHECK_OK(folio_subscription_cancel(subscription, &error));
        folio_subscription_release(subscription);
        change_auth(auth);
        settle(sdk);
        check_over(&counted, 0);
    }
    end();
}

static void not_at_the_release_of_the_subscription_or_store(void) {
    counted_t counted = {0, 0, 0};
    folio_subscription_t *subscription = NULL;
    begin();
    CHECK_OK(subscribe(AUTH, &counted, &subscription, &error));
    folio_subscription_release(subscription);
    folio_auth_store_release(auth);
    CHECK_INT(counted.destroyed, 0);
    /* The store goes on, and so does its subscription. */
    auth = new_auth_store(sdk);
    change_auth(auth);
    settle(sdk);
    CHECK_INT(counted.called, 1);
    CHECK_INT(counted.destroyed, 0);
    folio_sdk_release(sdk);
    check_over(&counted, 1);
    end();
}

static void at_close_inside_that_call(void) {
    counted_t counted[2] = {{0, 0, 0}, {0, 0, 0}};
    folio_subscription_t *subscriptions[2] = {NULL, NULL};
    begin();
    for (int each = 0; each < 2; each++) CHECK_OK(subscribe(AUTH, &counted[each], &subscriptions[each], &error));
    CHECK_OK(folio_auth_store_close(auth, &error));
    for (int each = 0; each < 2; each++) CHECK_INT(counted[each].destroyed, 1);
    CHECK_OK(folio_auth_store_close(auth, &error));
    for (int each = 0; each < 2; each++) {
        CHECK_OK(folio_subscription_cancel(subscriptions[each], &error));
        folio_subscription_release(subscriptions[each]);
        check_over(&counted[each], 0);
    }
    end();
}

static void at_shutdown_inside_that_call(void) {
    counted_t counted[KINDS];
    folio_subscription_t *subscriptions[KINDS];
    begin();
    memset(counted, 0, sizeof counted);
    for (int kind = 0; kind < KINDS; kind++) CHECK_OK(subscribe(kind, &counted[kind], &subscriptions[kind], &error));
    CHECK_OK(folio_sdk_shutdown(sdk, &error));
    for (int kind = 0; kind < KINDS; kind++) CHECK_INT(counted[kind].destroyed, 1);
    CHECK_OK(folio_sdk_shutdown(sdk, &error));
    for (int kind = 0; kind < KINDS; kind++) {
        CHECK_OK(folio_subscription_cancel(subscriptions[kind], &error));
        folio_subscription_release(subscriptions[kind]);
    }
    end();
    for (int kind = 0; kind < KINDS; kind++) check_over(&counted[kind], 0);
}

static void at_the_release_of_the_runtime_inside_that_call(void) {
    counted_t counted[KINDS];
    folio_subscription_t *subscriptions[KINDS];
    begin();
    memset(counted, 0, sizeof counted);
    for (int kind = 0; kind < KINDS; kind++) CHECK_OK(subscribe(kind, &counted[kind], &subscriptions[kind], &error));
    folio_sdk_release(sdk);
    for (int kind = 0; kind < KINDS; kind++) CHECK_INT(counted[kind].destroyed, 1);
    for (int kind = 0; kind < KINDS; kind++) folio_subscription_release(subscriptions[kind]);
    end();
    for (int kind = 0; kind < KINDS; kind++) check_over(&counted[kind], 0);
}

/* What a callback does that ends its own registration. */
typedef struct {
    counted_t counted;
    folio_subscription_t *subscription;
    enum { BY_CANCEL, BY_CLOSE, BY_RELEASE } way;
    int destroyed_inside;
} ending_t;

static void end_inside(void *context, const folio_auth_state_t *state) {
    ending_t *ending = context;
    (void)state;
    count_call(&ending->counted);
    if (ending->way == BY_CANCEL) CHECK_OK(folio_subscription_cancel(ending->subscription, &error));
    if (ending->way == BY_CLOSE) CHECK_OK(folio_auth_store_close(auth, &error));
    if (ending->way == BY_RELEASE) folio_sdk_release(sdk);
    ending->destroyed_inside = ending->counted.destroyed;
}

static void when_ended_inside_the_callback_after_it_returned(void) {
    for (int way = BY_CANCEL; way <= BY_RELEASE; way++) {
        ending_t ending;
        memset(&ending, 0, sizeof ending);
        begin();
        ending.way = way;
        CHECK_OK(folio_auth_store_subscribe(auth, end_inside, &ending, on_destroy, &ending.subscription, &error));
        change_auth(auth);
        change_auth(auth);
        while (ending.counted.called == 0) pump(sdk);
        CHECK_INT(ending.destroyed_inside, 0);
        check_over(&ending.counted, way == BY_RELEASE ? ending.counted.called : 1);
        folio_subscription_release(ending.subscription);
        end();
        check_over(&ending.counted, way == BY_RELEASE ? ending.counted.called : 1);
    }
}

static void of_a_completion_after_it_was_delivered(void) {
    folio_config_t *config = new_config(new_path());
    counted_t counted = {0, 0, 0};
    CHECK_OK(folio_sdk_create_async(config, on_created, &counted, on_destroy, &sdk, &error));
    CHECK_INT(folio_sdk_get_pending(sdk), 1);
    CHECK_INT(counted.destroyed, 0);
    pump_until_int(sdk, &counted.called, 1);
    check_over(&counted, 1);
    CHECK_INT(folio_sdk_get_pending(sdk), 0);
    end_runtime(sdk);
    check_over(&counted, 1);
    folio_config_release(config);
}

static void of_a_completion_that_was_not_delivered_at_the_end_of_the_runtime(void) {
    for (int way = 0; way < 2; way++) {
        folio_config_t *config = new_config(new_path());
        counted_t counted = {0, 0, 0};
        CHECK_OK(folio_sdk_create_async(config, on_created, &counted, on_destroy, &sdk, &error));
        if (way == 0) CHECK_OK(folio_sdk_shutdown(sdk, &error));
        else folio_sdk_release(sdk);
        check_over(&counted, 0);
        folio_sdk_release(sdk);
        folio_config_release(config);
        check_over(&counted, 0);
    }
}

static void of_a_refused_completion_before_create_async_returns(void) {
    folio_config_t *config = new_config(new_path()), *empty = NULL, *file = new_config("/dev/null/folder");
    counted_t counted = {0, 0, 0};
    folio_sdk_t *first = NULL, *second = (folio_sdk_t *)1;
    CHECK_OK(folio_config_create(&empty, &error));
    CHECK_OK(folio_sdk_create(config, &first, &error));
    CHECK_FAILS(folio_sdk_create_async(config, on_created, &counted, on_destroy, &second, &error),
                FOLIO_ERROR_DIRECTORY_IN_USE);
    CHECK(second == NULL);
    CHECK_INT(counted.destroyed, 1);
    CHECK_FAILS(folio_sdk_create_async(config, NULL, &counted, on_destroy, &second, &error),
                FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_INT(counted.destroyed, 2);
    CHECK_FAILS(folio_sdk_create_async(config, on_created, &counted, on_destroy, NULL, &error),
                FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_INT(counted.destroyed, 3);
    CHECK_FAILS(folio_sdk_create_async(empty, on_created, &counted, on_destroy, &second, &error),
                FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_INT(counted.destroyed, 4);
    CHECK_FAILS(folio_sdk_create_async(file, on_created, &counted, on_destroy, &second, &error), FOLIO_ERROR_STORAGE);
    CHECK_INT(counted.destroyed, 5);
    CHECK_INT(counted.called, 0);
    end_runtime(first);
    folio_config_release(config);
    folio_config_release(empty);
    folio_config_release(file);
}

static int exit_pipe[2];

static void write_a_byte(void *context) {
    (void)context;
    if (write(exit_pipe[1], "x", 1) != 1) abort();
}

static void leave_everything_and_exit(void) {
    folio_subscription_t *subscription = NULL;
    begin();
    CHECK_OK(folio_auth_store_subscribe(auth, on_auth, NULL, write_a_byte, &subscription, &error));
    change_auth(auth);
    folio_subscription_release(subscription);
    folio_auth_store_release(auth);
    exit(check_failures == 0 ? 0 : 1);
}

/* Runs first: the child must be one that was forked before any runtime. */
static void never_at_the_exit_of_the_process(void) {
    char byte;
    REQUIRE(pipe(exit_pipe) == 0);
    CHECK_INT(in_child(leave_everything_and_exit), 0);
    close(exit_pipe[1]);
    CHECK_INT(read(exit_pipe[0], &byte, 1), 0);
    close(exit_pipe[0]);
}

int main(void) {
    fixture_begin();
    RUN(never_at_the_exit_of_the_process);
    RUN(at_a_refused_registration_before_it_returns);
    RUN(without_a_destroy_function_nothing_is_called);
    RUN(at_cancel_inside_that_call);
    RUN(not_at_the_release_of_the_subscription_or_store);
    RUN(at_close_inside_that_call);
    RUN(at_shutdown_inside_that_call);
    RUN(at_the_release_of_the_runtime_inside_that_call);
    RUN(when_ended_inside_the_callback_after_it_returned);
    RUN(of_a_completion_after_it_was_delivered);
    RUN(of_a_completion_that_was_not_delivered_at_the_end_of_the_runtime);
    RUN(of_a_refused_completion_before_create_async_returns);
    return check_end();
}
