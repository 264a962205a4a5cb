/* dispatch.c: where callbacks run and what may be called inside one: dispatch, wait and the blocking create and shutdown
 * are BUSY there, of every runtime; a second thread that dispatches is BUSY; everything else works, and releasing the
 * runtime takes effect at the end of the dispatch. Events come one by one, in order, none merged; a state handle is
 * borrowed until the callback returns, and shared by the listeners of one delivery. */
#define _XOPEN_SOURCE 700
#include <pthread.h>

#include "fixture.h"

static folio_sdk_t *sdk, *other;
static folio_auth_store_t *auth;
static int calls;

static void begin(void) {
    sdk = new_runtime();
    auth = new_auth_store(sdk);
    settle(sdk);
    calls = 0;
}

static void end(void) {
    folio_auth_store_release(auth);
    folio_sdk_release(sdk);
}

static folio_subscription_t *subscribe(folio_auth_state_callback_t callback, void *context) {
    folio_subscription_t *subscription = NULL;
    CHECK_OK(folio_auth_store_subscribe(auth, callback, context, NULL, &subscription, &error));
    return subscription;
}

/* Runs `callback` once, inside a dispatch. */
static void run_inside(folio_auth_state_callback_t callback) {
    folio_subscription_t *subscription = subscribe(callback, NULL);
    change_auth(auth);
    pump_until_int(sdk, &calls, 1);
    folio_subscription_release(subscription);
}

static void try_what_is_busy(void *context, const folio_auth_state_t *state) {
    folio_config_t *config = new_config(new_path());
    folio_sdk_t *made = (folio_sdk_t *)1;
    int32_t count = 7;
    (void)context;
    (void)state;
    calls++;
    CHECK_FAILS(folio_sdk_dispatch_events(sdk, 0, &count, &error), FOLIO_ERROR_BUSY);
    CHECK_INT(count, 0);
    CHECK_FAILS(folio_sdk_wait_events(sdk, 0, &count, &error), FOLIO_ERROR_BUSY);
    CHECK_FAILS(folio_sdk_wait_events(sdk, -1, &count, &error), FOLIO_ERROR_BUSY);
    CHECK_FAILS(folio_sdk_dispatch_events(other, 0, &count, &error), FOLIO_ERROR_BUSY);
    CHECK_FAILS(folio_sdk_wait_events(other, -1, &count, &error), FOLIO_ERROR_BUSY);
    CHECK_FAILS(folio_sdk_create(config, &made, &error), FOLIO_ERROR_BUSY);
    CHECK(made == NULL);
    CHECK_FAILS(folio_sdk_shutdown(sdk, &error), FOLIO_ERROR_BUSY);
    CHECK_FAILS(folio_sdk_shutdown(other, &error), FOLIO_ERROR_BUSY);
    folio_config_release(config);
}

static void nested_dispatch_wait_create_and_shutdown_are_busy(void) {
    folio_sdk_t *again;
    const char *directory = new_path();
    other = open_runtime(directory);
    begin();
    run_inside(try_what_is_busy);
    /* Refused, these changed nothing. */
    CHECK_OK(folio_sdk_dispatch_events(other, 0, NULL, &error));
    CHECK_OK(folio_sdk_shutdown(other, &error));
    again = open_runtime(directory);
    end_runtime(again);
    folio_sdk_release(other);
    end();
}

static void use_the_rest(void *context, const folio_auth_state_t *state) {
    folio_config_t *config = new_config(new_path());
    folio_session_store_t *session = new_session_store(sdk);
    folio_vault_store_t *vault = new_vault_store(sdk);
    folio_auth_store_t *second = new_auth_store(sdk);
    folio_service_t *service = new_service(sdk);
    folio_session_state_t *session_state = NULL;
    folio_vault_state_t *vault_state = NULL;
    folio_vault_value_t *value = NULL;
    folio_subscription_t *subscription = NULL;
    folio_message_t *message = (folio_message_t *)1;
    folio_sdk_t *started = NULL;
    counted_t counted = {0, 0, 0};
    int32_t fd = -1;
    (void)context;
    (void)state;
    if (calls++ != 0) return;
    CHECK_OK(folio_session_store_get_state(session, &session_state, &error));
    CHECK_OK(folio_vault_store_get_state(vault, &vault_state, &error));
    CHECK_OK(folio_session_store_subscribe(session, on_session, &counted, on_destroy, &subscription, &error));
    CHECK_OK(folio_subscription_cancel(subscription, &error));
    CHECK_INT(counted.destroyed, 1);
    CHECK_OK(folio_vault_store_put(vault, "inside", (const uint8_t *)"x", 1, &error));
    CHECK_OK(folio_vault_store_get(vault, "inside", &value, &error));
    CHECK_INT(folio_vault_value_get_length(value), 1);
    CHECK_INT(folio_service_next_message(service, &message, NULL), FOLIO_NOTHING_WAITING);
    CHECK(message == NULL);
    CHECK_OK(folio_sdk_renew(sdk, &error));
    CHECK_OK(folio_sdk_open_event_fd(sdk, &fd, &error));
    CHECK(fd >= 0);
    close(fd);
    CHECK_OK(folio_auth_store_dispatch_cancel(second, &error));
    CHECK(folio_sdk_get_pending(sdk) > 0);
    CHECK_OK(folio_sdk_create_async(config, on_created, &counted, on_destroy, &started, &error));
    folio_sdk_release(started);
    CHECK_INT(counted.destroyed, 2);
    CHECK_OK(folio_auth_store_close(second, &error));
    CHECK_OK(folio_session_store_close(session, &error));
    folio_vault_value_release(value);
    folio_vault_state_release(vault_state);
    folio_session_state_release(session_state);
    folio_subscription_release(subscription);
    folio_service_release(service);
    folio_session_store_release(session);
    folio_vault_store_release(vault);
    folio_auth_store_release(second);
    folio_config_release(config);
}

static void everything_else_works_inside_a_callback(void) {
    begin();
    run_inside(use_the_rest);
    end();
}

static void *dispatch_elsewhere(void *result) {
    *(folio_status_t *)result = folio_sdk_dispatch_events(sdk, 0, NULL, NULL);
    return NULL;
}

static void *wait_elsewhere(void *result) {
    *(folio_status_t *)result = folio_sdk_wait_events(sdk, 0, NULL, NULL);
    return NULL;
}

static void dispatch_on_other_threads(void *context, const folio_auth_state_t *state) {
    folio_status_t dispatched = FOLIO_OK, waited = FOLIO_OK;
    pthread_t threads[2];
    (void)context;
    (void)state;
    calls++;
    REQUIRE(pthread_create(&threads[0], NULL, dispatch_elsewhere, &dispatched) == 0);
    REQUIRE(pthread_create(&threads[1], NULL, wait_elsewhere, &waited) == 0);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    CHECK_INT(dispatched, FOLIO_ERROR_BUSY);
    CHECK_INT(waited, FOLIO_ERROR_BUSY);
}

static void a_second_dispatching_thread_is_busy(void) {
    begin();
    run_inside(dispatch_on_other_threads);
    end();
}

static counted_t released;

static void release_the_runtime(void *context, const folio_auth_state_t *state) {
    folio_session_store_t *store = (folio_session_store_t *)1;
    (void)context;
    (void)state;
    calls++;
    folio_sdk_release(sdk);
    CHECK_INT(released.destroyed, 0);
    CHECK_FAILS(folio_session_store_mount(sdk, &store, &error), FOLIO_ERROR_INVALID_HANDLE);
    CHECK(store == NULL);
}

static void releasing_the_runtime_inside_a_callback_takes_effect_at_the_end_of_the_dispatch(void) {
    folio_auth_state_t *state = NULL;
    folio_subscription_t *before, *after = NULL;
    memset(&released, 0, sizeof released);
    begin();
    before = subscribe(release_the_runtime, NULL);
    CHECK_OK(folio_auth_store_subscribe(auth, on_auth, &released, on_destroy, &after, &error));
    change_auth(auth);
    pump_until_int(sdk, &calls, 1);
    /* The listeners of that delivery were still served. */
    CHECK_INT(released.called, 1);
    CHECK_INT(released.destroyed, 1);
    CHECK_OK(folio_auth_store_get_state(auth, &state, &error));
    CHECK_INT(folio_auth_state_get_type(state), FOLIO_AUTH_STATE_FAILED);
    CHECK_FAILS(folio_auth_store_dispatch_cancel(auth, &error), FOLIO_ERROR_SHUT_DOWN);
    folio_auth_state_release(state);
    folio_subscription_release(before);
    folio_subscription_release(after);
    end();
}

typedef struct {
    char emails[16][32];
    int count;
    pthread_t thread;
} record_t;

static void record(void *context, const folio_auth_state_t *state) {
    record_t *record = context;
    const char *email = folio_auth_state_get_email(state);
    if (record->count < 16) snprintf(record->emails[record->count], 32, "%s", email ? email : "-");
    record->count++;
    record->thread = pthread_self();
}

static void every_change_comes_in_order_on_the_dispatching_thread(void) {
    record_t seen;
    folio_subscription_t *subscription;
    memset(&seen, 0, sizeof seen);
    begin();
    subscription = subscribe(record, &seen);
    for (int each = 0; each < 8; each++) {
        char address[8];
        snprintf(address, sizeof address, "no-%d", each);
        CHECK_OK(folio_auth_store_dispatch_sign_in(auth, address, &error));
    }
    CHECK_INT(seen.count, 0);
    pump_until_int(sdk, &seen.count, 8);
    settle(sdk);
    CHECK_INT(seen.count, 8);
    for (int each = 0; each < 8; each++) {
        char address[8];
        snprintf(address, sizeof address, "no-%d", each);
        CHECK_TEXT(seen.emails[each], address);
    }
    CHECK(pthread_equal(seen.thread, pthread_self()));
    folio_subscription_release(subscription);
    end();
}

static void max_limits_how_many_events_are_taken(void) {
    record_t seen;
    folio_subscription_t *subscription;
    int32_t count = 0;
    memset(&seen, 0, sizeof seen);
    begin();
    subscription = subscribe(record, &seen);
    for (int each = 0; each < 3; each++) change_auth(auth);
    /* One at a time, however many wait. */
    while (seen.count < 3) {
        int before = seen.count;
        CHECK_OK(folio_sdk_dispatch_events(sdk, 1, &count, &error));
        CHECK(count == 0 || count == 1);
        CHECK(seen.count - before <= 1);
        if (check_failures != 0) break;
    }
    CHECK_FAILS(folio_sdk_dispatch_events(sdk, -1, &count, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    folio_subscription_release(subscription);
    end();
}

static void waiting_gives_ok_and_no_event_when_the_time_runs_out(void) {
    int32_t count = 7;
    begin();
    CHECK_OK(folio_sdk_wait_events(sdk, 0, &count, &error));
    CHECK_INT(count, 0);
    count = 7;
    CHECK_OK(folio_sdk_wait_events(sdk, 1, &count, &error));
    CHECK_INT(count, 0);
    end();
}

/* What two listeners of one delivery saw of its borrowed handle. */
typedef struct {
    const folio_auth_state_t *borrowed[2];
    folio_auth_state_t *kept;
    int types[2];
} loan_t;

static void first_listener(void *context, const folio_auth_state_t *state) {
    loan_t *loan = context;
    loan->borrowed[0] = state;
    loan->kept = folio_auth_state_retain(state);
    /* Not the listener's to release: its neighbour still reads it. */
    folio_auth_state_release((folio_auth_state_t *)state);
    loan->types[0] = folio_auth_state_get_type(state);
}

static void second_listener(void *context, const folio_auth_state_t *state) {
    loan_t *loan = context;
    loan->borrowed[1] = state;
    loan->types[1] = folio_auth_state_get_type(state);
    calls++;
}

static void a_state_is_lent_to_the_callback_and_may_be_retained(void) {
    loan_t loan;
    folio_subscription_t *first, *second;
    memset(&loan, 0, sizeof loan);
    begin();
    first = subscribe(first_listener, &loan);
    second = subscribe(second_listener, &loan);
    change_auth(auth);
    pump_until_int(sdk, &calls, 1);
    CHECK(loan.borrowed[0] != NULL && loan.borrowed[0] == loan.borrowed[1]);
    CHECK_INT(loan.types[0], FOLIO_AUTH_STATE_FAILED);
    CHECK_INT(loan.types[1], FOLIO_AUTH_STATE_FAILED);
    /* The loan is over; what was retained is not. */
    CHECK_INT(folio_auth_state_get_type(loan.borrowed[0]), 0);
    CHECK_INT(folio_auth_state_get_type(loan.kept), FOLIO_AUTH_STATE_FAILED);
    folio_auth_state_release(loan.kept);
    folio_subscription_release(first);
    folio_subscription_release(second);
    end();
}

static void mount_and_read(void *context, const folio_auth_state_t *state) {
    folio_auth_store_t **late = context;
    (void)state;
    if (calls++ == 0) CHECK_OK(folio_auth_store_mount(sdk, late, &error));
}

static void a_store_mounted_inside_a_callback_hears_its_first_read_later(void) {
    folio_auth_store_t *late = NULL;
    folio_auth_state_t *state = NULL;
    folio_subscription_t *subscription;
    begin();
    subscription = subscribe(mount_and_read, &late);
    change_auth(auth);
    pump_until_int(sdk, &calls, 1);
    settle(sdk);
    CHECK_OK(folio_auth_store_get_state(late, &state, &error));
    CHECK_INT(folio_auth_state_get_type(state), FOLIO_AUTH_STATE_FAILED);
    folio_auth_state_release(state);
    folio_auth_store_release(late);
    folio_subscription_release(subscription);
    end();
}

static void before_the_first_read_a_store_has_the_defaults(void) {
    folio_sdk_t *fresh = new_runtime();
    folio_session_store_t *store = new_session_store(fresh);
    folio_session_state_t *state = NULL;
    CHECK_OK(folio_session_store_get_state(store, &state, &error));
    CHECK_INT(folio_session_state_get_identity_kind(state), FOLIO_IDENTITY_UNRESOLVED);
    CHECK_INT(folio_session_state_get_status(state), FOLIO_SESSION_STATUS_DEVICE);
    CHECK_INT(folio_session_state_get_notice(state), FOLIO_SESSION_NOTICE_NONE);
    CHECK_INT(folio_session_state_get_signing_out(state), 0);
    CHECK(folio_session_state_get_user_id(state) == NULL);
    CHECK(folio_session_state_get_device_id(state) == NULL);
    CHECK(folio_session_state_copy_error(state) == NULL);
    folio_session_state_release(state);
    pump(fresh);
    CHECK_OK(folio_session_store_get_state(store, &state, &error));
    CHECK_INT(folio_session_state_get_identity_kind(state), FOLIO_IDENTITY_TRANSIENT);
    CHECK_INT(folio_session_state_get_status(state), FOLIO_SESSION_STATUS_ACTIVE);
    CHECK(folio_session_state_get_user_id(state) != NULL);
    CHECK(folio_session_state_get_email(state) == NULL);
    CHECK(folio_session_state_get_device_id(state) != NULL);
    folio_session_state_release(state);
    folio_session_store_release(store);
    end_runtime(fresh);
}

int main(void) {
    fixture_begin();
    RUN(nested_dispatch_wait_create_and_shutdown_are_busy);
    RUN(everything_else_works_inside_a_callback);
    RUN(a_second_dispatching_thread_is_busy);
    RUN(releasing_the_runtime_inside_a_callback_takes_effect_at_the_end_of_the_dispatch);
    RUN(every_change_comes_in_order_on_the_dispatching_thread);
    RUN(max_limits_how_many_events_are_taken);
    RUN(waiting_gives_ok_and_no_event_when_the_time_runs_out);
    RUN(a_state_is_lent_to_the_callback_and_may_be_retained);
    RUN(a_store_mounted_inside_a_callback_hears_its_first_read_later);
    RUN(before_the_first_read_a_store_has_the_defaults);
    return check_end();
}
