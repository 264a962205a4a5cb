/* two_runtimes.c: two runtimes in two directories of one process share nothing: sessions, events, messages, vaults,
 * reachability and endings do not cross. */
#define _XOPEN_SOURCE 700
#include "fixture.h"

typedef struct {
    folio_sdk_t *sdk;
    folio_session_store_t *session;
    folio_auth_store_t *auth;
    folio_vault_store_t *vault;
    folio_service_t *service;
    folio_subscription_t *subscription;
    counted_t counted;
} runtime_t;

static void begin(runtime_t *made) {
    memset(made, 0, sizeof *made);
    made->sdk = new_runtime();
    made->session = new_session_store(made->sdk);
    made->auth = new_auth_store(made->sdk);
    made->vault = new_vault_store(made->sdk);
    made->service = new_service(made->sdk);
    settle(made->sdk);
    CHECK_OK(folio_session_store_subscribe(made->session, on_session, &made->counted, on_destroy, &made->subscription,
                                           &error));
}

static void end(runtime_t *made) {
    folio_subscription_release(made->subscription);
    folio_service_release(made->service);
    folio_vault_store_release(made->vault);
    folio_auth_store_release(made->auth);
    folio_session_store_release(made->session);
    end_runtime(made->sdk);
    CHECK_INT(made->counted.destroyed, 1);
}

static void copy_user(runtime_t *made, char user[64]) {
    folio_session_state_t *state = NULL;
    CHECK_OK(folio_sdk_copy_session_state(made->sdk, &state, &error));
    snprintf(user, 64, "%s", folio_session_state_get_user_id(state));
    folio_session_state_release(state);
}

static void sign_in(runtime_t *made, const char *email) {
    folio_message_t *message = NULL;
    CHECK_OK(folio_auth_store_dispatch_sign_in(made->auth, email, &error));
    settle(made->sdk);
    CHECK_OK(folio_service_next_message(made->service, &message, &error));
    CHECK_TEXT(folio_message_get_email(message), email);
    CHECK_OK(folio_auth_store_dispatch_submit_code(made->auth, folio_message_get_code(message), &error));
    folio_message_release(message);
    settle(made->sdk);
}

static void two_runtimes_do_not_cross(void) {
    runtime_t one, two;
    char guest_one[64], guest_two[64], user[64];
    folio_vault_value_t *value = (folio_vault_value_t *)1;
    folio_message_t *message = (folio_message_t *)1;
    folio_session_state_t *state = NULL;
    begin(&one);
    begin(&two);
    copy_user(&one, guest_one);
    copy_user(&two, guest_two);
    CHECK(strcmp(guest_one, guest_two) != 0);

    CHECK_OK(folio_vault_store_put(one.vault, "key", (const uint8_t *)"one", 3, &error));
    CHECK_OK(folio_vault_store_get(two.vault, "key", &value, &error));
    CHECK(value == NULL);

    sign_in(&one, "ana@example.com");
    CHECK_OK(folio_sdk_dispatch_events(two.sdk, 0, NULL, &error));
    CHECK_INT(one.counted.called, 2);
    CHECK_INT(two.counted.called, 0);
    copy_user(&two, user);
    CHECK_TEXT(user, guest_two);
    CHECK_INT(folio_service_next_message(two.service, &message, NULL), FOLIO_NOTHING_WAITING);

    /* The same address is another account at the other service. */
    sign_in(&two, "ana@example.com");
    copy_user(&one, guest_one);
    copy_user(&two, guest_two);
    CHECK(strcmp(guest_one, guest_two) != 0);
    CHECK_FAILS(folio_service_end_sessions(two.service, guest_one, &error), FOLIO_ERROR_NOT_FOUND);

    CHECK_OK(folio_service_set_reachable(one.service, 0, &error));
    CHECK_OK(folio_session_store_dispatch(two.session, FOLIO_SESSION_ACTION_SIGN_OUT, &error));
    settle(two.sdk);
    CHECK_OK(folio_session_store_get_state(two.session, &state, &error));
    CHECK_INT(folio_session_state_get_identity_kind(state), FOLIO_IDENTITY_TRANSIENT);
    folio_session_state_release(state);
    copy_user(&one, user);
    CHECK_TEXT(user, guest_one);

    end(&one);
    CHECK_INT(two.counted.destroyed, 0);
    CHECK_OK(folio_vault_store_put(two.vault, "key", (const uint8_t *)"two", 3, &error));
    end(&two);
}

static int32_t count_threads(void) {
    char line[256];
    int threads = 0;
    FILE *file = fopen("/proc/self/status", "r");
    REQUIRE(file != NULL);
    while (fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "Threads: %d", &threads) == 1) break;
    fclose(file);
    return threads;
}

static void every_runtime_shares_one_thread(void) {
    enum { RUNTIMES = 20 };
    folio_sdk_t *runtimes[RUNTIMES];
    for (int each = 0; each < RUNTIMES; each++) runtimes[each] = new_runtime();
    CHECK_INT(count_threads(), 2);
    for (int each = 0; each < RUNTIMES; each++) end_runtime(runtimes[each]);
}

int main(void) {
    fixture_begin();
    RUN(two_runtimes_do_not_cross);
    RUN(every_runtime_shares_one_thread);
    return check_end();
}
