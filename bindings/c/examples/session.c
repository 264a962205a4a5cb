/* The life of a session, from a guest that nobody had to ask for to an account and back, on the embedded service in a
 * temporary directory.
 *
 * Build it with:  cc session.c $(pkg-config --cflags --libs folio) -o session
 */
#define _XOPEN_SOURCE 700

#include <folio.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every call may fail; an example just says why and ends. */
#define CHECK(call)                                                                                             \
    do {                                                                                                        \
        folio_error_t *error = NULL;                                                                            \
        folio_status_t status = (call);                                                                         \
        if (status < 0) {                                                                                       \
            fprintf(stderr, "%s: %s\n", folio_status_get_name(status), folio_error_get_message(error));         \
            exit(1);                                                                                            \
        }                                                                                                       \
    } while (0)

enum { BATCH = 1000, BATCHES = 20 };

/* What one start of the application holds. */
struct app {
    folio_sdk_t *sdk;
    folio_session_store_t *session;
    folio_auth_store_t *auth;
    folio_vault_store_t *vault;
};

/* ---- The states, printed as they arrive ---- */

static const char *word(int32_t value, const char *const *words, int32_t count)
{
    /* Enums are open: a later library may send a value that this program does not know. */
    return value >= 0 && value < count ? words[value] : "?";
}

static void print_session(void *context, const folio_session_state_t *state)
{
    static const char *const identities[] = {"?", "UNRESOLVED", "TRANSIENT", "AUTHENTICATED"};
    static const char *const statuses[] = {"?", "DEVICE", "ACTIVATING", "ACTIVE", "DEACTIVATING"};
    const char *user = folio_session_state_get_user_id(state);
    const char *email = folio_session_state_get_email(state);
    folio_error_t *error = folio_session_state_copy_error(state);

    (void)context;
    printf("  session  %s", word(folio_session_state_get_identity_kind(state), identities, 4));
    if (user) printf(" %.8s", user);
    if (email) printf(" %s", email);
    printf(", %s", word(folio_session_state_get_status(state), statuses, 5));
    if (folio_session_state_get_signing_out(state)) printf(", signing out");
    if (folio_session_state_get_notice(state) == FOLIO_SESSION_NOTICE_SESSION_ENDED) printf(", notice SESSION_ENDED");
    if (error) printf(", error: %s", folio_error_get_message(error));
    printf("\n");
    folio_error_release(error);
}

static void print_auth(void *context, const folio_auth_state_t *state)
{
    static const char *const types[] = {"?", "IDLE", "SENDING", "AWAITING_CODE", "VERIFYING", "FAILED"};
    const char *email = folio_auth_state_get_email(state);
    folio_error_t *error = folio_auth_state_copy_error(state);

    (void)context;
    printf("  auth     %s", word(folio_auth_state_get_type(state), types, 6));
    if (email) printf(" %s", email);
    if (folio_auth_state_get_type(state) == FOLIO_AUTH_STATE_AWAITING_CODE)
        printf(", %" PRId32 " tries left, valid for %" PRId64 " s", folio_auth_state_get_tries_left(state),
               (folio_auth_state_get_expires_in_ms(state) + 999) / 1000);
    if (error) printf(", error: %s", folio_error_get_message(error));
    printf("\n");
    folio_error_release(error);
}

static void print_vault(void *context, const folio_vault_state_t *state)
{
    (void)context;
    if (!folio_vault_state_get_running(state)) {
        printf("  vault    not running\n");
        return;
    }
    printf("  vault    %" PRId64 " records, %" PRId64 " bytes", folio_vault_state_get_record_count(state),
           folio_vault_state_get_bytes(state));
    switch (folio_vault_state_get_carry_over(state)) {
    case FOLIO_CARRY_OVER_RUNNING:
        printf(", carry-over: %" PRId64 " of %" PRId64, folio_vault_state_get_moved(state),
               folio_vault_state_get_total(state));
        break;
    case FOLIO_CARRY_OVER_FINISHED: printf(", carry-over FINISHED"); break;
    case FOLIO_CARRY_OVER_FAILED: printf(", carry-over FAILED"); break;
    default: break;
    }
    printf("\n");
}

/* ---- Starting and waiting ---- */

static void start(struct app *app, const char *directory)
{
    folio_config_t *config;
    folio_subscription_t *subscription;

    CHECK(folio_config_create(&config, &error));
    CHECK(folio_config_set_data_directory(config, directory, &error));
    CHECK(folio_sdk_create(config, &app->sdk, &error));
    folio_config_release(config);

    /* Releasing a subscription does not cancel it; these end with their store. */
    CHECK(folio_session_store_mount(app->sdk, &app->session, &error));
    CHECK(folio_session_store_subscribe(app->session, print_session, NULL, NULL, &subscription, &error));
    folio_subscription_release(subscription);
    CHECK(folio_auth_store_mount(app->sdk, &app->auth, &error));
    CHECK(folio_auth_store_subscribe(app->auth, print_auth, NULL, NULL, &subscription, &error));
    folio_subscription_release(subscription);
    CHECK(folio_vault_store_mount(app->sdk, &app->vault, &error));
    CHECK(folio_vault_store_subscribe(app->vault, print_vault, NULL, NULL, &subscription, &error));
    folio_subscription_release(subscription);
}

static void stop(struct app *app)
{
    CHECK(folio_sdk_shutdown(app->sdk, &error));
    folio_session_store_release(app->session);
    folio_auth_store_release(app->auth);
    folio_vault_store_release(app->vault);
    folio_sdk_release(app->sdk);
}

/* Callbacks run in here, on this thread. A program with an event loop watches folio_sdk_open_event_fd instead. */
static void run_events(struct app *app, int32_t timeout_ms)
{
    CHECK(folio_sdk_wait_events(app->sdk, timeout_ms, NULL, &error));
}

static void run_until_settled(struct app *app)
{
    run_events(app, 0);
    while (folio_sdk_get_pending(app->sdk) > 0) run_events(app, -1);
}

/* Reads the state that was delivered last. */
static int has_notice(struct app *app)
{
    folio_session_state_t *state;
    int32_t notice;

    CHECK(folio_session_store_get_state(app->session, &state, &error));
    notice = folio_session_state_get_notice(state);
    folio_session_state_release(state);
    return notice == FOLIO_SESSION_NOTICE_SESSION_ENDED;
}

static int is_active(struct app *app)
{
    folio_session_state_t *state;
    int32_t status;

    CHECK(folio_session_store_get_state(app->session, &state, &error));
    status = folio_session_state_get_status(state);
    folio_session_state_release(state);
    return status == FOLIO_SESSION_STATUS_ACTIVE;
}

static int has_carried_over(struct app *app)
{
    folio_vault_state_t *state;
    int32_t carry_over;

    CHECK(folio_vault_store_get_state(app->vault, &state, &error));
    carry_over = folio_vault_state_get_carry_over(state);
    folio_vault_state_release(state);
    return carry_over == FOLIO_CARRY_OVER_FINISHED;
}

/* ---- The steps of the story ---- */

static void sign_in(struct app *app, folio_service_t *service, const char *email)
{
    folio_message_t *message;

    CHECK(folio_auth_store_dispatch_sign_in(app->auth, email, &error));
    run_until_settled(app);

    /* The service never sends mail by itself: its host delivers the message. Here we read it ourselves. */
    CHECK(folio_service_next_message(service, &message, &error));
    if (!message) exit(1);
    printf("  message  to %s: your code is %s\n", folio_message_get_email(message), folio_message_get_code(message));
    CHECK(folio_auth_store_dispatch_submit_code(app->auth, folio_message_get_code(message), &error));
    folio_message_release(message);
    run_until_settled(app);
}

/* Enough records that their carry-over is seen to run. Each batch is one durable commit. */
static void put_records(struct app *app)
{
    static char keys[BATCH][32];
    const char *key_list[BATCH];
    const uint8_t *values[BATCH];
    size_t lengths[BATCH];

    for (size_t batch = 0; batch < BATCHES; batch++) {
        for (size_t i = 0; i < BATCH; i++) {
            snprintf(keys[i], sizeof keys[i], "notes/%05zu", batch * BATCH + i + 1);
            key_list[i] = keys[i];
            values[i] = (const uint8_t *)"written as a guest";
            lengths[i] = strlen("written as a guest");
        }
        CHECK(folio_vault_store_put_many(app->vault, key_list, values, lengths, BATCH, &error));
    }
    CHECK(folio_vault_store_put(app->vault, "settings/theme", (const uint8_t *)"dark", 4, &error));
}

static void print_record(struct app *app, const char *key)
{
    folio_vault_value_t *value;

    CHECK(folio_vault_store_get(app->vault, key, &value, &error));
    if (value)
        printf("  record   %s = %.*s\n", key, (int)folio_vault_value_get_length(value),
               (const char *)folio_vault_value_get_data(value));
    else
        printf("  record   %s is not there\n", key);
    folio_vault_value_release(value);
}

static char *current_user(struct app *app)
{
    folio_session_state_t *state;
    char *user;

    CHECK(folio_sdk_copy_session_state(app->sdk, &state, &error));
    user = strdup(folio_session_state_get_user_id(state));
    folio_session_state_release(state);
    return user;
}

static void sign_out(struct app *app)
{
    CHECK(folio_session_store_dispatch(app->session, FOLIO_SESSION_ACTION_SIGN_OUT, &error));
    run_until_settled(app);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

int main(void)
{
    char directory[] = "/tmp/folio-session-XXXXXX";
    struct app app;
    folio_service_t *service;
    char *user;

    if (!mkdtemp(directory)) return 1;
    printf("Folio %s, in %s\n", folio_version_string(), directory);

    printf("\nThe first start: a guest, and records of its own\n");
    start(&app, directory);
    CHECK(folio_sdk_get_embedded_service(app.sdk, &service, &error));
    run_until_settled(&app);
    put_records(&app);
    print_record(&app, "settings/theme");

    printf("\nThe guest signs in; its records follow it into the account\n");
    sign_in(&app, service, "ana@example.com");
    while (!has_carried_over(&app)) run_events(&app, -1);
    print_record(&app, "settings/theme");

    printf("\nA restart finds the account again\n");
    stop(&app);
    start(&app, directory);
    run_until_settled(&app);
    print_record(&app, "notes/20000");

    printf("\nThe service ends the session; the next renewal meets that\n");
    user = current_user(&app);
    CHECK(folio_service_end_sessions(service, user, &error));
    free(user);
    CHECK(folio_sdk_renew(app.sdk, &error));
    while (!has_notice(&app) || !is_active(&app)) run_events(&app, -1);

    printf("\nThe person has read the notice\n");
    CHECK(folio_session_store_dispatch(app.session, FOLIO_SESSION_ACTION_DISMISS_NOTICE, &error));
    run_until_settled(&app);

    printf("\nSigning in again brings the records back; signing out leaves them with the account\n");
    sign_in(&app, service, "ana@example.com");
    print_record(&app, "settings/theme");
    sign_out(&app);
    print_record(&app, "settings/theme");

    printf("\nSigning out without a network: the identity is forgotten, the next guest has to wait\n");
    CHECK(folio_service_set_reachable(service, 0, &error));
    sign_out(&app);

    printf("\nThe network is back: signing out once more ends it\n");
    CHECK(folio_service_set_reachable(service, 1, &error));
    sign_out(&app);

    stop(&app);
    folio_service_release(service);
    nftw(directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return 0;
}
