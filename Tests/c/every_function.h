/* every_function.h: one row for each function of the header that takes a handle, in the header's order, so that a test
 * can call each of them with any handle. check_interface.py compares the names with the header.
 *
 * STATUS gives a status, NUMBER an integer, POINTER a pointer or a new handle, NOTHING nothing. `handle` is the handle,
 * `error` the error, OUT and OUT32 are outs (of a pointer or 64 bits, and of 32 bits), COUNTED a context with its
 * destroy function. */
#ifndef EVERY_FUNCTION_H
#define EVERY_FUNCTION_H

#include "fixture.h"

enum kind {
    KIND_ERROR, KIND_CONFIG, KIND_SDK, KIND_SUBSCRIPTION, KIND_SESSION_STORE, KIND_SESSION_STATE, KIND_AUTH_STORE,
    KIND_AUTH_STATE, KIND_VAULT_STORE, KIND_VAULT_STATE, KIND_VAULT_VALUE, KIND_VAULT_PAGE, KIND_VAULT_CONFLICTS,
    KIND_VAULT_TRANSACTION, KIND_SERVICE, KIND_MESSAGE, KINDS
};

enum result { STATUS, NUMBER, POINTER, NOTHING };

static union {
    void *pointer;
    int64_t bits;
    int32_t bits32;
} out_scratch;
static size_t out_size;
static counted_t out_counted;
static int out_is_counted;

static inline void *out_of(size_t size) {
    out_size = size;
    out_scratch.bits = -1;
    return &out_scratch;
}

static inline void *counted_context(void) {
    out_is_counted = 1;
    out_counted.destroyed = 0;
    return &out_counted;
}

#define OUT out_of(8)
#define OUT32 out_of(4)
#define COUNTED counted_context(), on_destroy

static const char *const one_key[] = {"key"};
static const uint8_t *const one_value[] = {(const uint8_t *)"value"};
static const size_t one_length[] = {5};
static const uint8_t some_storage_key[FOLIO_STORAGE_KEY_BYTES] = {7};

#define EVERY_FUNCTION(STATUS, NUMBER, POINTER, NOTHING) \
    NUMBER(folio_error_get_code, KIND_ERROR, handle) \
    NUMBER(folio_error_get_kind, KIND_ERROR, handle) \
    NUMBER(folio_error_get_http_status, KIND_ERROR, handle) \
    POINTER(folio_error_get_service_code, KIND_ERROR, handle) \
    POINTER(folio_error_get_message, KIND_ERROR, handle) \
    NUMBER(folio_error_get_retry_after_ms, KIND_ERROR, handle) \
    NOTHING(folio_error_release, KIND_ERROR, handle) \
    STATUS(folio_config_set_data_directory, KIND_CONFIG, handle, "/tmp", error) \
    STATUS(folio_config_set_storage_key, KIND_CONFIG, handle, some_storage_key, sizeof some_storage_key, error) \
    STATUS(folio_config_set_timeout_ms, KIND_CONFIG, handle, 1000, error) \
    STATUS(folio_config_set_embedded_token_life, KIND_CONFIG, handle, 60, error) \
    NOTHING(folio_config_release, KIND_CONFIG, handle) \
    STATUS(folio_sdk_create, KIND_CONFIG, handle, OUT, error) \
    STATUS(folio_sdk_create_async, KIND_CONFIG, handle, on_created, COUNTED, OUT, error) \
    STATUS(folio_sdk_open_event_fd, KIND_SDK, handle, OUT32, error) \
    STATUS(folio_sdk_dispatch_events, KIND_SDK, handle, 0, OUT32, error) \
    STATUS(folio_sdk_wait_events, KIND_SDK, handle, 0, OUT32, error) \
    NUMBER(folio_sdk_get_pending, KIND_SDK, handle) \
    STATUS(folio_sdk_renew, KIND_SDK, handle, error) \
    STATUS(folio_sdk_shutdown, KIND_SDK, handle, error) \
    NOTHING(folio_sdk_release, KIND_SDK, handle) \
    STATUS(folio_sdk_copy_session_state, KIND_SDK, handle, OUT, error) \
    STATUS(folio_sdk_subscribe_log, KIND_SDK, handle, on_log, COUNTED, OUT, error) \
    STATUS(folio_sdk_get_embedded_service, KIND_SDK, handle, OUT, error) \
    STATUS(folio_session_store_mount, KIND_SDK, handle, OUT, error) \
    STATUS(folio_session_store_get_state, KIND_SESSION_STORE, handle, OUT, error) \
    STATUS(folio_session_store_subscribe, KIND_SESSION_STORE, handle, on_session, COUNTED, OUT, error) \
    STATUS(folio_session_store_dispatch, KIND_SESSION_STORE, handle, FOLIO_SESSION_ACTION_SIGN_OUT, error) \
    STATUS(folio_session_store_close, KIND_SESSION_STORE, handle, error) \
    NOTHING(folio_session_store_release, KIND_SESSION_STORE, handle) \
    NUMBER(folio_session_state_get_identity_kind, KIND_SESSION_STATE, handle) \
    POINTER(folio_session_state_get_user_id, KIND_SESSION_STATE, handle) \
    POINTER(folio_session_state_get_email, KIND_SESSION_STATE, handle) \
    NUMBER(folio_session_state_get_status, KIND_SESSION_STATE, handle) \
    NUMBER(folio_session_state_get_notice, KIND_SESSION_STATE, handle) \
    POINTER(folio_session_state_get_device_id, KIND_SESSION_STATE, handle) \
    NUMBER(folio_session_state_get_signing_out, KIND_SESSION_STATE, handle) \
    POINTER(folio_session_state_copy_error, KIND_SESSION_STATE, handle) \
    POINTER(folio_session_state_retain, KIND_SESSION_STATE, handle) \
    NOTHING(folio_session_state_release, KIND_SESSION_STATE, handle) \
    STATUS(folio_auth_store_mount, KIND_SDK, handle, OUT, error) \
    STATUS(folio_auth_store_get_state, KIND_AUTH_STORE, handle, OUT, error) \
    STATUS(folio_auth_store_subscribe, KIND_AUTH_STORE, handle, on_auth, COUNTED, OUT, error) \
    STATUS(folio_auth_store_dispatch_sign_in, KIND_AUTH_STORE, handle, "ana@example.com", error) \
    STATUS(folio_auth_store_dispatch_submit_code, KIND_AUTH_STORE, handle, "123456", error) \
    STATUS(folio_auth_store_dispatch_resend_code, KIND_AUTH_STORE, handle, error) \
    STATUS(folio_auth_store_dispatch_cancel, KIND_AUTH_STORE, handle, error) \
    STATUS(folio_auth_store_close, KIND_AUTH_STORE, handle, error) \
    NOTHING(folio_auth_store_release, KIND_AUTH_STORE, handle) \
    NUMBER(folio_auth_state_get_type, KIND_AUTH_STATE, handle) \
    POINTER(folio_auth_state_get_email, KIND_AUTH_STATE, handle) \
    NUMBER(folio_auth_state_get_expires_in_ms, KIND_AUTH_STATE, handle) \
    NUMBER(folio_auth_state_get_resend_in_ms, KIND_AUTH_STATE, handle) \
    NUMBER(folio_auth_state_get_tries_left, KIND_AUTH_STATE, handle) \
    POINTER(folio_auth_state_copy_error, KIND_AUTH_STATE, handle) \
    POINTER(folio_auth_state_retain, KIND_AUTH_STATE, handle) \
    NOTHING(folio_auth_state_release, KIND_AUTH_STATE, handle) \
    STATUS(folio_vault_store_mount, KIND_SDK, handle, OUT, error) \
    STATUS(folio_vault_store_get_state, KIND_VAULT_STORE, handle, OUT, error) \
    STATUS(folio_vault_store_subscribe, KIND_VAULT_STORE, handle, on_vault, COUNTED, OUT, error) \
    STATUS(folio_vault_store_dispatch, KIND_VAULT_STORE, handle, FOLIO_VAULT_ACTION_RETRY_CARRY_OVER, error) \
    STATUS(folio_vault_store_close, KIND_VAULT_STORE, handle, error) \
    NOTHING(folio_vault_store_release, KIND_VAULT_STORE, handle) \
    STATUS(folio_vault_store_put, KIND_VAULT_STORE, handle, one_key[0], one_value[0], one_length[0], error) \
    STATUS(folio_vault_store_get, KIND_VAULT_STORE, handle, one_key[0], OUT, error) \
    STATUS(folio_vault_store_delete, KIND_VAULT_STORE, handle, one_key[0], OUT32, error) \
    STATUS(folio_vault_store_put_many, KIND_VAULT_STORE, handle, one_key, one_value, one_length, 1, error) \
    STATUS(folio_vault_store_count, KIND_VAULT_STORE, handle, NULL, OUT, error) \
    STATUS(folio_vault_store_list, KIND_VAULT_STORE, handle, NULL, NULL, 10, OUT, error) \
    STATUS(folio_vault_store_list_conflicts, KIND_VAULT_STORE, handle, 0, OUT, error) \
    STATUS(folio_vault_store_keep_conflict, KIND_VAULT_STORE, handle, 1, error) \
    STATUS(folio_vault_store_drop_conflict, KIND_VAULT_STORE, handle, 1, error) \
    STATUS(folio_vault_transaction_begin, KIND_VAULT_STORE, handle, OUT, error) \
    STATUS(folio_vault_transaction_put, KIND_VAULT_TRANSACTION, handle, one_key[0], one_value[0], one_length[0], error) \
    STATUS(folio_vault_transaction_get, KIND_VAULT_TRANSACTION, handle, one_key[0], OUT, error) \
    STATUS(folio_vault_transaction_delete, KIND_VAULT_TRANSACTION, handle, one_key[0], OUT32, error) \
    STATUS(folio_vault_transaction_commit, KIND_VAULT_TRANSACTION, handle, error) \
    NOTHING(folio_vault_transaction_release, KIND_VAULT_TRANSACTION, handle) \
    POINTER(folio_vault_value_get_data, KIND_VAULT_VALUE, handle) \
    NUMBER(folio_vault_value_get_length, KIND_VAULT_VALUE, handle) \
    NUMBER(folio_vault_value_get_modified_at, KIND_VAULT_VALUE, handle) \
    NOTHING(folio_vault_value_release, KIND_VAULT_VALUE, handle) \
    NUMBER(folio_vault_page_get_count, KIND_VAULT_PAGE, handle) \
    POINTER(folio_vault_page_get_key, KIND_VAULT_PAGE, handle, 0) \
    NUMBER(folio_vault_page_get_length, KIND_VAULT_PAGE, handle, 0) \
    NUMBER(folio_vault_page_get_modified_at, KIND_VAULT_PAGE, handle, 0) \
    NOTHING(folio_vault_page_release, KIND_VAULT_PAGE, handle) \
    NUMBER(folio_vault_conflicts_get_count, KIND_VAULT_CONFLICTS, handle) \
    NUMBER(folio_vault_conflicts_get_id, KIND_VAULT_CONFLICTS, handle, 0) \
    POINTER(folio_vault_conflicts_get_key, KIND_VAULT_CONFLICTS, handle, 0) \
    NUMBER(folio_vault_conflicts_get_modified_at, KIND_VAULT_CONFLICTS, handle, 0) \
    STATUS(folio_vault_store_get_conflict, KIND_VAULT_STORE, handle, 1, OUT, error) \
    NOTHING(folio_vault_conflicts_release, KIND_VAULT_CONFLICTS, handle) \
    NUMBER(folio_vault_state_get_running, KIND_VAULT_STATE, handle) \
    POINTER(folio_vault_state_get_user_id, KIND_VAULT_STATE, handle) \
    NUMBER(folio_vault_state_get_record_count, KIND_VAULT_STATE, handle) \
    NUMBER(folio_vault_state_get_bytes, KIND_VAULT_STATE, handle) \
    NUMBER(folio_vault_state_get_conflict_count, KIND_VAULT_STATE, handle) \
    NUMBER(folio_vault_state_get_carry_over, KIND_VAULT_STATE, handle) \
    NUMBER(folio_vault_state_get_moved, KIND_VAULT_STATE, handle) \
    NUMBER(folio_vault_state_get_total, KIND_VAULT_STATE, handle) \
    NUMBER(folio_vault_state_get_retrying, KIND_VAULT_STATE, handle) \
    POINTER(folio_vault_state_copy_error, KIND_VAULT_STATE, handle) \
    POINTER(folio_vault_state_retain, KIND_VAULT_STATE, handle) \
    NOTHING(folio_vault_state_release, KIND_VAULT_STATE, handle) \
    STATUS(folio_subscription_next, KIND_SUBSCRIPTION, handle, OUT, error) \
    STATUS(folio_subscription_cancel, KIND_SUBSCRIPTION, handle, error) \
    NOTHING(folio_subscription_release, KIND_SUBSCRIPTION, handle) \
    STATUS(folio_service_next_message, KIND_SERVICE, handle, OUT, error) \
    POINTER(folio_message_get_email, KIND_MESSAGE, handle) \
    POINTER(folio_message_get_code, KIND_MESSAGE, handle) \
    NOTHING(folio_message_release, KIND_MESSAGE, handle) \
    STATUS(folio_service_end_sessions, KIND_SERVICE, handle, "nobody", error) \
    STATUS(folio_service_delete_account, KIND_SERVICE, handle, "nobody", error) \
    STATUS(folio_service_set_reachable, KIND_SERVICE, handle, 0, error) \
    STATUS(folio_service_set_guest_account, KIND_SERVICE, handle, "guest@example.com", error) \
    STATUS(folio_service_close, KIND_SERVICE, handle, error) \
    NOTHING(folio_service_release, KIND_SERVICE, handle)

#define CALL_NUMBER(function, kind, ...) \
    static long long call_##function(void *handle, folio_error_t **error) { \
        (void)error; \
        return (long long)function(__VA_ARGS__); \
    }
#define CALL_POINTER(function, kind, ...) \
    static long long call_##function(void *handle, folio_error_t **error) { \
        (void)error; \
        return (long long)(intptr_t)function(__VA_ARGS__); \
    }
#define CALL_NOTHING(function, kind, ...) \
    static long long call_##function(void *handle, folio_error_t **error) { \
        (void)error; \
        function(__VA_ARGS__); \
        return 0; \
    }
EVERY_FUNCTION(CALL_NUMBER, CALL_NUMBER, CALL_POINTER, CALL_NOTHING)

typedef struct {
    const char *name;
    enum kind kind;
    enum result result;
    long long (*call)(void *handle, folio_error_t **error);
} function_row_t;

#define ROW_STATUS(function, kind, ...) {#function, kind, STATUS, call_##function},
#define ROW_NUMBER(function, kind, ...) {#function, kind, NUMBER, call_##function},
#define ROW_POINTER(function, kind, ...) {#function, kind, POINTER, call_##function},
#define ROW_NOTHING(function, kind, ...) {#function, kind, NOTHING, call_##function},
static const function_row_t every_function[] = {EVERY_FUNCTION(ROW_STATUS, ROW_NUMBER, ROW_POINTER, ROW_NOTHING)};

#define FUNCTIONS (sizeof every_function / sizeof every_function[0])

/* Calls one function with a handle that it must refuse with `status`, or with nothing when it gives no status: the outs
 * are cleared, the context is destroyed `destroyed` times. */
static inline void check_refused(const function_row_t *function, void *handle, folio_status_t status, int destroyed) {
    folio_error_t *error = NULL;
    int before = check_failures;
    long long result;
    out_size = 0;
    out_is_counted = 0;
    result = function->call(handle, &error);
    CHECK_INT(result, function->result == STATUS ? status : 0);
    if (function->result == STATUS) check_error(error, status, __LINE__);
    else CHECK(error == NULL);
    folio_error_release(error);
    if (out_size == 8) CHECK_INT(out_scratch.bits, 0);
    if (out_size == 4) CHECK_INT(out_scratch.bits32, 0);
    if (out_is_counted) CHECK_INT(out_counted.destroyed, destroyed);
    if (check_failures != before) fprintf(stderr, "  in %s with %p\n", function->name, handle);
}

/* One live handle of every type, of one runtime. */
typedef struct {
    void *of[KINDS];
} handle_set_t;

static inline handle_set_t new_handle_set(void) {
    handle_set_t set;
    folio_config_t *config = new_config(new_path());
    folio_sdk_t *sdk = NULL;
    folio_session_store_t *session;
    folio_auth_store_t *auth;
    folio_vault_store_t *vault;
    folio_service_t *service;
    folio_message_t *message = NULL;
    memset(&set, 0, sizeof set);
    CHECK_INT(folio_sdk_create(NULL, &sdk, (folio_error_t **)&set.of[KIND_ERROR]), FOLIO_ERROR_INVALID_HANDLE);
    CHECK_OK(folio_sdk_create(config, &sdk, &error));
    session = new_session_store(sdk);
    auth = new_auth_store(sdk);
    vault = new_vault_store(sdk);
    service = new_service(sdk);
    CHECK_OK(folio_auth_store_dispatch_sign_in(auth, "ana@example.com", &error));
    settle(sdk);
    CHECK_OK(folio_service_next_message(service, &message, &error));
    CHECK_OK(folio_vault_store_put(vault, "key", (const uint8_t *)"value", 5, &error));
    set.of[KIND_CONFIG] = config;
    set.of[KIND_SDK] = sdk;
    CHECK_OK(folio_session_store_subscribe(session, NULL, NULL, NULL, (void *)&set.of[KIND_SUBSCRIPTION], &error));
    set.of[KIND_SESSION_STORE] = session;
    CHECK_OK(folio_session_store_get_state(session, (void *)&set.of[KIND_SESSION_STATE], &error));
    set.of[KIND_AUTH_STORE] = auth;
    CHECK_OK(folio_auth_store_get_state(auth, (void *)&set.of[KIND_AUTH_STATE], &error));
    set.of[KIND_VAULT_STORE] = vault;
    CHECK_OK(folio_vault_store_get_state(vault, (void *)&set.of[KIND_VAULT_STATE], &error));
    CHECK_OK(folio_vault_store_get(vault, "key", (void *)&set.of[KIND_VAULT_VALUE], &error));
    CHECK_OK(folio_vault_store_list(vault, NULL, NULL, 10, (void *)&set.of[KIND_VAULT_PAGE], &error));
    CHECK_OK(folio_vault_store_list_conflicts(vault, 0, (void *)&set.of[KIND_VAULT_CONFLICTS], &error));
    CHECK_OK(folio_vault_transaction_begin(vault, (void *)&set.of[KIND_VAULT_TRANSACTION], &error));
    set.of[KIND_SERVICE] = service;
    set.of[KIND_MESSAGE] = message;
    for (int kind = 0; kind < KINDS; kind++) CHECK(set.of[kind] != NULL);
    return set;
}

/* Checks that every handle of the set still stands for what it stood for. */
static inline void check_alive(const handle_set_t *set) {
    folio_error_t *none = NULL;
    CHECK_INT(folio_error_get_code(set->of[KIND_ERROR]), FOLIO_ERROR_INVALID_HANDLE);
    CHECK_INT(folio_config_set_timeout_ms(set->of[KIND_CONFIG], 30000, &none), FOLIO_OK);
    CHECK_OK(folio_sdk_dispatch_events(set->of[KIND_SDK], 0, NULL, &error));
    {
        void *state = NULL;
        folio_status_t status = folio_subscription_next(set->of[KIND_SUBSCRIPTION], &state, NULL);
        CHECK(status == FOLIO_OK || status == FOLIO_NOTHING_WAITING);
        folio_session_state_release(state);
    }
    CHECK_INT(folio_session_state_get_identity_kind(set->of[KIND_SESSION_STATE]), FOLIO_IDENTITY_TRANSIENT);
    CHECK_INT(folio_auth_state_get_type(set->of[KIND_AUTH_STATE]), FOLIO_AUTH_STATE_AWAITING_CODE);
    CHECK_INT(folio_vault_state_get_running(set->of[KIND_VAULT_STATE]), 1);
    CHECK_INT(folio_vault_value_get_length(set->of[KIND_VAULT_VALUE]), 5);
    CHECK_INT(folio_vault_page_get_count(set->of[KIND_VAULT_PAGE]), 1);
    CHECK_INT(folio_vault_conflicts_get_count(set->of[KIND_VAULT_CONFLICTS]), 0);
    CHECK_OK(folio_vault_transaction_put(set->of[KIND_VAULT_TRANSACTION], "other", NULL, 0, &error));
    CHECK_TEXT(folio_message_get_email(set->of[KIND_MESSAGE]), "ana@example.com");
    {
        folio_session_state_t *state = NULL;
        folio_auth_store_t *auth = set->of[KIND_AUTH_STORE];
        folio_auth_state_t *auth_state = NULL;
        CHECK_OK(folio_session_store_get_state(set->of[KIND_SESSION_STORE], &state, &error));
        CHECK_OK(folio_auth_store_get_state(auth, &auth_state, &error));
        folio_session_state_release(state);
        folio_auth_state_release(auth_state);
    }
    CHECK_OK(folio_vault_store_put(set->of[KIND_VAULT_STORE], "key", (const uint8_t *)"value", 5, &error));
    CHECK_OK(folio_service_set_reachable(set->of[KIND_SERVICE], 1, &error));
}

/* Releases every handle, by its own type's function. */
static inline void release_handle_set(const handle_set_t *set) {
    for (size_t index = 0; index < FUNCTIONS; index++)
        if (every_function[index].result == NOTHING) every_function[index].call(set->of[every_function[index].kind], NULL);
}

#endif
