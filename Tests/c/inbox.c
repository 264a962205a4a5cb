/* inbox.c: a subscription with a NULL callback has an inbox that dispatch fills, beginning with the current state;
 * folio_subscription_next takes one state, never waits and never dispatches; it ends when the subscription, the store or
 * the runtime does. */
#define _XOPEN_SOURCE 700
#include "fixture.h"

static folio_sdk_t *sdk;
static folio_auth_store_t *auth;
static folio_subscription_t *inbox;

static void begin(void) {
    sdk = new_runtime();
    auth = new_auth_store(sdk);
    settle(sdk);
    CHECK_OK(folio_auth_store_subscribe(auth, NULL, NULL, NULL, &inbox, &error));
}

static void end(void) {
    folio_subscription_release(inbox);
    folio_auth_store_release(auth);
    end_runtime(sdk);
}

static void take(int32_t type) {
    void *state = NULL;
    CHECK_OK(folio_subscription_next(inbox, &state, &error));
    CHECK_INT(folio_auth_state_get_type(state), type);
    folio_auth_state_release(state);
}

static void take_nothing(folio_status_t status) {
    void *state = (void *)1;
    folio_error_t *error = (folio_error_t *)1;
    CHECK_INT(folio_subscription_next(inbox, &state, &error), status);
    CHECK(state == NULL);
    if (status == FOLIO_NOTHING_WAITING) CHECK(error == NULL);
    else check_error(error, status, __LINE__);
    folio_error_release(error);
}

static void it_begins_with_the_current_state(void) {
    begin();
    take(FOLIO_AUTH_STATE_IDLE);
    take_nothing(FOLIO_NOTHING_WAITING);
    take_nothing(FOLIO_NOTHING_WAITING);
    end();
}

static void only_dispatch_fills_it(void) {
    begin();
    take(FOLIO_AUTH_STATE_IDLE);
    change_auth(auth);
    CHECK_OK(folio_auth_store_dispatch_cancel(auth, &error));
    take_nothing(FOLIO_NOTHING_WAITING);
    settle(sdk);
    take(FOLIO_AUTH_STATE_FAILED);
    take(FOLIO_AUTH_STATE_IDLE);
    take_nothing(FOLIO_NOTHING_WAITING);
    end();
}

static void nothing_is_dropped_or_merged(void) {
    char expected[32];
    begin();
    take(FOLIO_AUTH_STATE_IDLE);
    for (int each = 0; each < 1000; each++) {
        snprintf(expected, sizeof expected, "no-%d", each);
        CHECK_OK(folio_auth_store_dispatch_sign_in(auth, expected, &error));
    }
    settle(sdk);
    for (int each = 0; each < 1000; each++) {
        void *state = NULL;
        CHECK_OK(folio_subscription_next(inbox, &state, &error));
        snprintf(expected, sizeof expected, "no-%d", each);
        CHECK_TEXT(folio_auth_state_get_email(state), expected);
        folio_auth_state_release(state);
    }
    take_nothing(FOLIO_NOTHING_WAITING);
    end();
}

static void what_was_cancelled_has_ended_at_once(void) {
    begin();
    CHECK_OK(folio_subscription_cancel(inbox, &error));
    take_nothing(FOLIO_ERROR_CLOSED);
    CHECK_OK(folio_subscription_cancel(inbox, &error));
    take_nothing(FOLIO_ERROR_CLOSED);
    end();
}

static void what_a_closed_store_has_delivered_can_still_be_taken(void) {
    begin();
    change_auth(auth);
    settle(sdk);
    CHECK_OK(folio_auth_store_close(auth, &error));
    take(FOLIO_AUTH_STATE_IDLE);
    take(FOLIO_AUTH_STATE_FAILED);
    take_nothing(FOLIO_ERROR_CLOSED);
    end();
}

static void what_a_shut_down_runtime_has_delivered_can_still_be_taken(void) {
    begin();
    change_auth(auth);
    settle(sdk);
    CHECK_OK(folio_sdk_shutdown(sdk, &error));
    take(FOLIO_AUTH_STATE_IDLE);
    take(FOLIO_AUTH_STATE_FAILED);
    take_nothing(FOLIO_ERROR_CLOSED);
    end();
}

static void states_are_of_the_kind_of_the_store(void) {
    folio_session_store_t *session;
    folio_vault_store_t *vault;
    folio_subscription_t *sessions = NULL, *vaults = NULL;
    void *state = NULL;
    begin();
    session = new_session_store(sdk);
    vault = new_vault_store(sdk);
    settle(sdk);
    CHECK_OK(folio_session_store_subscribe(session, NULL, NULL, NULL, &sessions, &error));
    CHECK_OK(folio_vault_store_subscribe(vault, NULL, NULL, NULL, &vaults, &error));
    CHECK_OK(folio_subscription_next(sessions, &state, &error));
    CHECK_INT(folio_session_state_get_identity_kind(state), FOLIO_IDENTITY_TRANSIENT);
    folio_session_state_release(state);
    CHECK_OK(folio_subscription_next(vaults, &state, &error));
    CHECK_INT(folio_vault_state_get_running(state), 1);
    folio_vault_state_release(state);
    folio_subscription_release(sessions);
    folio_subscription_release(vaults);
    folio_session_store_release(session);
    folio_vault_store_release(vault);
    end();
}

static void a_subscription_with_a_callback_has_none(void) {
    counted_t counted = {0, 0, 0};
    folio_subscription_t *subscription = NULL;
    void *state = (void *)1;
    begin();
    CHECK_OK(folio_auth_store_subscribe(auth, on_auth, &counted, on_destroy, &subscription, &error));
    CHECK_FAILS(folio_subscription_next(subscription, &state, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK(state == NULL);
    CHECK_FAILS(folio_subscription_next(inbox, NULL, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    take(FOLIO_AUTH_STATE_IDLE);
    folio_subscription_release(subscription);
    end();
}

static void its_context_is_destroyed_once(void) {
    counted_t counted[2] = {{0, 0, 0}, {0, 0, 0}};
    folio_subscription_t *subscriptions[2] = {NULL, NULL};
    begin();
    for (int each = 0; each < 2; each++)
        CHECK_OK(folio_auth_store_subscribe(auth, NULL, &counted[each], on_destroy, &subscriptions[each], &error));
    CHECK_INT(counted[0].destroyed, 0);
    CHECK_OK(folio_subscription_cancel(subscriptions[0], &error));
    CHECK_INT(counted[0].destroyed, 1);
    CHECK_INT(counted[1].destroyed, 0);
    CHECK_OK(folio_auth_store_close(auth, &error));
    CHECK_INT(counted[1].destroyed, 1);
    for (int each = 0; each < 2; each++) folio_subscription_release(subscriptions[each]);
    end();
    for (int each = 0; each < 2; each++) CHECK_INT(counted[each].destroyed, 1);
}

int main(void) {
    fixture_begin();
    RUN(it_begins_with_the_current_state);
    RUN(only_dispatch_fills_it);
    RUN(nothing_is_dropped_or_merged);
    RUN(what_was_cancelled_has_ended_at_once);
    RUN(what_a_closed_store_has_delivered_can_still_be_taken);
    RUN(what_a_shut_down_runtime_has_delivered_can_still_be_taken);
    RUN(states_are_of_the_kind_of_the_store);
    RUN(a_subscription_with_a_callback_has_none);
    RUN(its_context_is_destroyed_once);
    return check_end();
}
