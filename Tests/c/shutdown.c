/* shutdown.c: what works after shutdown and release and what answers SHUT_DOWN, that a waiting thread is woken, that
 * shutting down twice is harmless, and that one process has one runtime a directory, by whatever path it is named. */
#define _XOPEN_SOURCE 700
#include <pthread.h>

#include "fixture.h"

typedef struct {
    folio_sdk_t *sdk;
    folio_session_store_t *session;
    folio_auth_store_t *auth;
    folio_vault_store_t *vault;
    folio_vault_transaction_t *transaction;
    folio_service_t *service;
} runtime_t;

static runtime_t begin(void) {
    runtime_t made;
    made.sdk = new_runtime();
    made.session = new_session_store(made.sdk);
    made.auth = new_auth_store(made.sdk);
    made.vault = new_vault_store(made.sdk);
    made.service = new_service(made.sdk);
    made.transaction = NULL;
    settle(made.sdk);
    CHECK_OK(folio_vault_store_put(made.vault, "key", (const uint8_t *)"value", 5, &error));
    CHECK_OK(folio_vault_transaction_begin(made.vault, &made.transaction, &error));
    CHECK_OK(folio_vault_transaction_put(made.transaction, "key", (const uint8_t *)"other", 5, &error));
    return made;
}

static void end(runtime_t *made) {
    folio_vault_transaction_release(made->transaction);
    folio_session_store_release(made->session);
    folio_auth_store_release(made->auth);
    folio_vault_store_release(made->vault);
    folio_service_release(made->service);
    folio_sdk_release(made->sdk);
}

static void check_stores_are_shut_down(runtime_t *made) {
    folio_subscription_t *subscription = (folio_subscription_t *)1;
    folio_session_state_t *session_state = NULL;
    folio_auth_state_t *auth_state = NULL;
    folio_vault_state_t *vault_state = NULL;
    folio_vault_value_t *value = (folio_vault_value_t *)1;
    folio_vault_page_t *page = (folio_vault_page_t *)1;
    folio_message_t *message = (folio_message_t *)1;
    int64_t count = 7;
    CHECK_FAILS(folio_session_store_dispatch(made->session, FOLIO_SESSION_ACTION_SIGN_OUT, &error), FOLIO_ERROR_SHUT_DOWN);
    CHECK_FAILS(folio_session_store_subscribe(made->session, NULL, NULL, NULL, &subscription, &error), FOLIO_ERROR_SHUT_DOWN);
    CHECK(subscription == NULL);
    CHECK_FAILS(folio_auth_store_dispatch_sign_in(made->auth, "ana@example.com", &error), FOLIO_ERROR_SHUT_DOWN);
    CHECK_FAILS(folio_auth_store_dispatch_cancel(made->auth, &error), FOLIO_ERROR_SHUT_DOWN);
    CHECK_FAILS(folio_vault_store_dispatch(made->vault, FOLIO_VAULT_ACTION_RETRY_CARRY_OVER, &error), FOLIO_ERROR_SHUT_DOWN);
    CHECK_FAILS(folio_vault_store_put(made->vault, "key", (const uint8_t *)"x", 1, &error), FOLIO_ERROR_SHUT_DOWN);
    CHECK_FAILS(folio_vault_store_get(made->vault, "key", &value, &error), FOLIO_ERROR_SHUT_DOWN);
    CHECK(value == NULL);
    CHECK_FAILS(folio_vault_store_count(made->vault, NULL, &count, &error), FOLIO_ERROR_SHUT_DOWN);
    CHECK_INT(count, 0);
    CHECK_FAILS(folio_vault_store_list(made->vault, NULL, NULL, 10, &page, &error), FOLIO_ERROR_SHUT_DOWN);
    CHECK(page == NULL);
    CHECK_FAILS(folio_vault_transaction_commit(made->transaction, &error), FOLIO_ERROR_SHUT_DOWN);
    CHECK_FAILS(folio_vault_transaction_commit(made->transaction, &error), FOLIO_ERROR_CLOSED);
    /* The states delivered last stay. */
    CHECK_OK(folio_session_store_get_state(made->session, &session_state, &error));
    CHECK_INT(folio_session_state_get_identity_kind(session_state), FOLIO_IDENTITY_TRANSIENT);
    CHECK_OK(folio_auth_store_get_state(made->auth, &auth_state, &error));
    CHECK_INT(folio_auth_state_get_type(auth_state), FOLIO_AUTH_STATE_IDLE);
    CHECK_OK(folio_vault_store_get_state(made->vault, &vault_state, &error));
    CHECK_INT(folio_vault_state_get_running(vault_state), 1);
    folio_session_state_release(session_state);
    folio_auth_state_release(auth_state);
    folio_vault_state_release(vault_state);
    /* The service is not the runtime's. */
    CHECK_INT(folio_service_next_message(made->service, &message, NULL), FOLIO_NOTHING_WAITING);
    CHECK(message == NULL);
    CHECK_OK(folio_session_store_close(made->session, &error));
    CHECK_OK(folio_session_store_close(made->session, &error));
}

static void after_shutdown_calls_say_so(void) {
    runtime_t made = begin();
    folio_session_store_t *store = (folio_session_store_t *)1;
    folio_session_state_t *state = (folio_session_state_t *)1;
    folio_service_t *service = (folio_service_t *)1;
    int32_t count = 7;
    change_auth(made.auth);
    CHECK_OK(folio_sdk_shutdown(made.sdk, &error));
    CHECK_OK(folio_sdk_shutdown(made.sdk, &error));
    CHECK_FAILS(folio_sdk_dispatch_events(made.sdk, 0, &count, &error), FOLIO_ERROR_SHUT_DOWN);
    CHECK_INT(count, 0);
    CHECK_FAILS(folio_sdk_wait_events(made.sdk, -1, &count, &error), FOLIO_ERROR_SHUT_DOWN);
    CHECK_FAILS(folio_sdk_renew(made.sdk, &error), FOLIO_ERROR_SHUT_DOWN);
    CHECK_FAILS(folio_sdk_copy_session_state(made.sdk, &state, &error), FOLIO_ERROR_SHUT_DOWN);
    CHECK(state == NULL);
    CHECK_FAILS(folio_session_store_mount(made.sdk, &store, &error), FOLIO_ERROR_SHUT_DOWN);
    CHECK(store == NULL);
    CHECK_FAILS(folio_sdk_get_embedded_service(made.sdk, &service, &error), FOLIO_ERROR_SHUT_DOWN);
    CHECK(service == NULL);
    CHECK_INT(folio_sdk_get_pending(made.sdk), 0);
    check_stores_are_shut_down(&made);
    end(&made);
}

static void after_the_release_of_the_runtime_its_stores_say_shut_down(void) {
    runtime_t made = begin();
    folio_sdk_release(made.sdk);
    CHECK_FAILS(folio_sdk_shutdown(made.sdk, &error), FOLIO_ERROR_INVALID_HANDLE);
    check_stores_are_shut_down(&made);
    end(&made);
}

static void calls_on_a_closed_store_say_closed(void) {
    runtime_t made = begin();
    folio_session_state_t *state = NULL;
    folio_vault_value_t *value = (folio_vault_value_t *)1;
    folio_vault_transaction_t *transaction = (folio_vault_transaction_t *)1;
    CHECK_OK(folio_session_store_close(made.session, &error));
    CHECK_OK(folio_auth_store_close(made.auth, &error));
    CHECK_OK(folio_vault_store_close(made.vault, &error));
    CHECK_FAILS(folio_session_store_dispatch(made.session, FOLIO_SESSION_ACTION_SIGN_OUT, &error), FOLIO_ERROR_CLOSED);
    CHECK_FAILS(folio_auth_store_dispatch_sign_in(made.auth, "ana@example.com", &error), FOLIO_ERROR_CLOSED);
    CHECK_FAILS(folio_auth_store_dispatch_resend_code(made.auth, &error), FOLIO_ERROR_CLOSED);
    CHECK_FAILS(folio_vault_store_put(made.vault, "key", (const uint8_t *)"x", 1, &error), FOLIO_ERROR_CLOSED);
    CHECK_FAILS(folio_vault_store_get(made.vault, "key", &value, &error), FOLIO_ERROR_CLOSED);
    CHECK(value == NULL);
    CHECK_FAILS(folio_vault_transaction_begin(made.vault, &transaction, &error), FOLIO_ERROR_CLOSED);
    CHECK(transaction == NULL);
    CHECK_OK(folio_session_store_get_state(made.session, &state, &error));
    CHECK_INT(folio_session_state_get_identity_kind(state), FOLIO_IDENTITY_TRANSIENT);
    folio_session_state_release(state);
    CHECK_OK(folio_vault_store_close(made.vault, &error));
    /* The runtime goes on. */
    folio_session_store_release(made.session);
    made.session = new_session_store(made.sdk);
    settle(made.sdk);
    end(&made);
}

static void calls_on_a_closed_service_say_closed(void) {
    runtime_t made = begin();
    folio_service_t *second = new_service(made.sdk);
    folio_message_t *message = (folio_message_t *)1;
    CHECK_OK(folio_service_close(made.service, &error));
    CHECK_OK(folio_service_close(made.service, &error));
    CHECK_FAILS(folio_service_next_message(made.service, &message, &error), FOLIO_ERROR_CLOSED);
    CHECK(message == NULL);
    CHECK_FAILS(folio_service_set_reachable(made.service, 0, &error), FOLIO_ERROR_CLOSED);
    CHECK_FAILS(folio_service_set_guest_account(made.service, "ana@example.com", &error), FOLIO_ERROR_CLOSED);
    CHECK_FAILS(folio_service_end_sessions(made.service, "user", &error), FOLIO_ERROR_CLOSED);
    CHECK_FAILS(folio_service_delete_account(made.service, "user", &error), FOLIO_ERROR_CLOSED);
    CHECK_INT(folio_service_next_message(second, &message, NULL), FOLIO_NOTHING_WAITING);
    folio_service_release(second);
    end(&made);
}

static void *wait_without_limit(void *sdk) {
    static folio_status_t status;
    do {
        status = folio_sdk_wait_events(sdk, -1, NULL, NULL);
    } while (status == FOLIO_OK);
    return &status;
}

static void a_waiting_thread_is_woken(void) {
    for (int round = 0; round < 20; round++) {
        folio_sdk_t *sdk = new_runtime();
        pthread_t thread;
        void *status = NULL;
        REQUIRE(pthread_create(&thread, NULL, wait_without_limit, sdk) == 0);
        /* Whether or not the thread waits already. */
        CHECK_OK(folio_sdk_shutdown(sdk, &error));
        pthread_join(thread, &status);
        CHECK_INT(*(folio_status_t *)status, FOLIO_ERROR_SHUT_DOWN);
        folio_sdk_release(sdk);
    }
}

static void a_directory_has_one_runtime_until_it_is_shut_down(void) {
    const char *directory = new_path(), *link = new_path(), *below = new_path();
    char dotted[160];
    const char *names[4];
    folio_sdk_t *sdk = open_runtime(directory), *second;
    folio_session_state_t *state = NULL;
    char user[64];
    REQUIRE(symlink(directory, link) == 0);
    REQUIRE(symlink(link, below) == 0);
    snprintf(dotted, sizeof dotted, "%s/../%s", directory, strrchr(directory, '/') + 1);
    names[0] = directory, names[1] = link, names[2] = below, names[3] = dotted;
    for (int each = 0; each < 4; each++) {
        folio_config_t *config = new_config(names[each]);
        second = (folio_sdk_t *)1;
        CHECK_FAILS(folio_sdk_create(config, &second, &error), FOLIO_ERROR_DIRECTORY_IN_USE);
        CHECK(second == NULL);
        folio_config_release(config);
    }
    CHECK_OK(folio_sdk_copy_session_state(sdk, &state, &error));
    snprintf(user, sizeof user, "%s", folio_session_state_get_user_id(state));
    folio_session_state_release(state);
    end_runtime(sdk);
    second = open_runtime(link);
    CHECK_OK(folio_sdk_copy_session_state(second, &state, &error));
    CHECK_TEXT(folio_session_state_get_user_id(state), user);
    folio_session_state_release(state);
    end_runtime(second);
}

static void a_released_runtime_frees_its_directory(void) {
    /* A release does not wait, so the directory may be in use a little longer; creating waits for what it must. */
    const char *directory = new_path();
    folio_config_t *config = new_config(directory);
    folio_sdk_t *sdk = open_runtime(directory), *second = NULL;
    folio_status_t status;
    folio_sdk_release(sdk);
    do {
        status = folio_sdk_create(config, &second, NULL);
        CHECK(status == FOLIO_OK || status == FOLIO_ERROR_DIRECTORY_IN_USE);
    } while (status == FOLIO_ERROR_DIRECTORY_IN_USE);
    end_runtime(second);
    folio_config_release(config);
}

typedef struct {
    int called;
    folio_status_t code;
} outcome_t;

static void hear_of_start(void *context, const folio_error_t *error) {
    outcome_t *outcome = context;
    outcome->called++;
    outcome->code = folio_error_get_code(error);
}

static void check_not_ready(folio_sdk_t *sdk) {
    folio_session_store_t *store = (folio_session_store_t *)1;
    folio_session_state_t *state = (folio_session_state_t *)1;
    folio_service_t *service = (folio_service_t *)1;
    folio_subscription_t *subscription = (folio_subscription_t *)1;
    counted_t counted = {0, 0, 0};
    CHECK_FAILS(folio_session_store_mount(sdk, &store, &error), FOLIO_ERROR_NOT_READY);
    CHECK(store == NULL);
    CHECK_FAILS(folio_sdk_copy_session_state(sdk, &state, &error), FOLIO_ERROR_NOT_READY);
    CHECK(state == NULL);
    CHECK_FAILS(folio_sdk_renew(sdk, &error), FOLIO_ERROR_NOT_READY);
    CHECK_FAILS(folio_sdk_get_embedded_service(sdk, &service, &error), FOLIO_ERROR_NOT_READY);
    CHECK(service == NULL);
    CHECK_FAILS(folio_sdk_subscribe_log(sdk, on_log, &counted, on_destroy, &subscription, &error), FOLIO_ERROR_NOT_READY);
    CHECK(subscription == NULL);
    CHECK_INT(counted.destroyed, 1);
}

static void an_asynchronous_start_is_ready_when_its_completion_was_delivered(void) {
    folio_config_t *config = new_config(new_path());
    folio_sdk_t *sdk = NULL;
    outcome_t outcome = {0, 1};
    CHECK_OK(folio_sdk_create_async(config, hear_of_start, &outcome, NULL, &sdk, &error));
    check_not_ready(sdk);
    while (outcome.called == 0) pump(sdk);
    CHECK_INT(outcome.called, 1);
    CHECK_INT(outcome.code, 0);
    folio_session_store_release(new_session_store(sdk));
    end_runtime(sdk);
    folio_config_release(config);
}

static void a_failed_asynchronous_start_stays_not_ready(void) {
    const char *directory = new_path();
    folio_config_t *config = new_config(directory);
    folio_sdk_t *sdk = open_runtime(directory);
    folio_service_t *service;
    outcome_t outcome = {0, 1};
    const uint8_t other_key[FOLIO_STORAGE_KEY_BYTES] = {1};
    service = new_service(sdk);
    end_runtime(sdk);
    CHECK_OK(folio_config_set_storage_key(config, other_key, sizeof other_key, &error));
    CHECK_OK(folio_sdk_create_async(config, hear_of_start, &outcome, NULL, &sdk, &error));
    while (outcome.called == 0) pump(sdk);
    CHECK_INT(outcome.code, FOLIO_ERROR_STORAGE);
    check_not_ready(sdk);
    CHECK_INT(folio_sdk_get_pending(sdk), 0);
    end_runtime(sdk);
    folio_service_release(service);
    /* With the right key the session is as it was. */
    sdk = open_runtime(directory);
    end_runtime(sdk);
    folio_config_release(config);
}

static void a_start_that_fails_leaves_nothing_half_made(void) {
    const char *directory = new_path();
    folio_config_t *config = new_config(directory);
    folio_sdk_t *sdk = open_runtime(directory);
    folio_service_t *service = new_service(sdk);
    folio_session_store_t *session = new_session_store(sdk);
    folio_session_state_t *state = NULL;
    /* Sign out offline, so that there is no session, then restart offline. */
    CHECK_OK(folio_service_set_reachable(service, 0, &error));
    CHECK_OK(folio_session_store_dispatch(session, FOLIO_SESSION_ACTION_SIGN_OUT, &error));
    settle(sdk);
    CHECK_OK(folio_session_store_get_state(session, &state, &error));
    CHECK_INT(folio_session_state_get_identity_kind(state), FOLIO_IDENTITY_UNRESOLVED);
    {
        folio_error_t *error = folio_session_state_copy_error(state);
        CHECK_INT(folio_error_get_code(error), FOLIO_ERROR_NETWORK);
        CHECK_INT(folio_error_get_kind(error), FOLIO_ERROR_KIND_NETWORK);
        CHECK(folio_error_get_message(error) != NULL);
        folio_error_release(error);
    }
    folio_session_state_release(state);
    folio_session_store_release(session);
    end_runtime(sdk);
    {
        folio_error_t *error = NULL;
        sdk = (folio_sdk_t *)1;
        CHECK_INT(folio_sdk_create(config, &sdk, &error), FOLIO_ERROR_NETWORK);
        CHECK_INT(folio_error_get_kind(error), FOLIO_ERROR_KIND_NETWORK);
        CHECK(sdk == NULL);
        folio_error_release(error);
    }
    CHECK_OK(folio_service_set_reachable(service, 1, &error));
    CHECK_OK(folio_sdk_create(config, &sdk, &error));
    CHECK_OK(folio_sdk_copy_session_state(sdk, &state, &error));
    CHECK_INT(folio_session_state_get_identity_kind(state), FOLIO_IDENTITY_TRANSIENT);
    folio_session_state_release(state);
    folio_service_release(service);
    folio_config_release(config);
    end_runtime(sdk);
}

int main(void) {
    fixture_begin();
    RUN(after_shutdown_calls_say_so);
    RUN(after_the_release_of_the_runtime_its_stores_say_shut_down);
    RUN(calls_on_a_closed_store_say_closed);
    RUN(calls_on_a_closed_service_say_closed);
    RUN(a_waiting_thread_is_woken);
    RUN(a_directory_has_one_runtime_until_it_is_shut_down);
    RUN(a_released_runtime_frees_its_directory);
    RUN(an_asynchronous_start_is_ready_when_its_completion_was_delivered);
    RUN(a_failed_asynchronous_start_stays_not_ready);
    RUN(a_start_that_fails_leaves_nothing_half_made);
    return check_end();
}
