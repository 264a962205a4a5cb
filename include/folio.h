/*
 * folio.h: the C interface of Folio, a session runtime.
 *
 * Folio keeps one identity on a device (a guest that nobody had to ask for, or an account a person signed in to), runs
 * the services of that identity, renews and ends its tokens, carries a guest's records over to an account, and reports
 * every change. This header is the one source of truth for the library's interface; every binding mirrors it.
 *
 * RULES THAT HOLD FOR EVERY FUNCTION
 *
 *  Handles    A pointer to one of the opaque types is a generational id, not an address: never dereference, compare or
 *             copy what it points to. A NULL, stale, foreign or wrong-type handle gives FOLIO_ERROR_INVALID_HANDLE (a
 *             getter gives NULL or 0), never undefined behaviour. Releasing NULL or a released handle is harmless.
 *             Handles may be released in any order: a child keeps what it needs alive.
 *  Results    Functions return FOLIO_OK (0), a positive note (FOLIO_NOTHING_WAITING) or a negative status. When `error`
 *             is not NULL, *error is set to NULL on success and to an owned error on failure; release it with
 *             folio_error_release. Outs are set to NULL or 0 on failure. There is no per-thread error.
 *  Strings    In: NUL-terminated UTF-8, copied before the call returns; NULL or invalid UTF-8 is
 *             FOLIO_ERROR_INVALID_ARGUMENT. Out: borrowed, NUL-terminated UTF-8 that lives as long as the handle it was
 *             read through. The caller never calls free() on anything of Folio's.
 *  States     A state handle is an owned, immutable snapshot; _retain gives a second handle to the same snapshot. A
 *             state passed to a callback is borrowed until the callback returns: retain it to keep it.
 *  Enums      Open sets: new values may appear, values are never reused, 0 is "absent or unknown" in every enum.
 *  Callbacks  Given as (callback, context, destroy). Callbacks run only inside folio_sdk_dispatch_events or
 *             folio_sdk_wait_events, on the thread that called them, with no lock held. `destroy(context)`, when not
 *             NULL, is called exactly once: when registration is refused, before that call returns; at cancel, close,
 *             shutdown or release while the callback is not running, inside that call; while it is running, on the
 *             dispatching thread after it returned. It is never called on the library's thread, at process exit or in a
 *             forked child.
 *  Threads    Every function may be called from any thread. One thread of the library's own, shared by all runtimes,
 *             does the work behind them; it never calls host code.
 *  Fork       In a child of fork() whose parent had made a runtime, every use of a handle and every create gives
 *             FOLIO_ERROR_FORKED; version and error functions work; release frees nothing.
 *
 * WHAT BLOCKS, AND WHAT MAY BE CALLED INSIDE A CALLBACK
 *
 *  function                                     blocks                                       inside a callback
 *  -------------------------------------------  -------------------------------------------  -----------------
 *  folio_sdk_create                             until the session exists, or the timeout     FOLIO_ERROR_BUSY
 *  folio_sdk_shutdown                           until the step in progress has ended         FOLIO_ERROR_BUSY
 *  folio_sdk_wait_events                        until something waits, or the timeout        FOLIO_ERROR_BUSY
 *  folio_sdk_dispatch_events                    no (as long as the callbacks it runs)        FOLIO_ERROR_BUSY
 *  folio_vault_store_* reads and writes,        for SQLite: a write waits for its fsync and  yes
 *  folio_vault_transaction_*                    up to 5 s for another writer
 *  folio_service_next_message, _end_sessions,   for SQLite, as above                         yes
 *  _delete_account, _set_guest_account
 *  everything else                              no                                           yes
 *
 *  Releasing the runtime inside a callback is allowed; it takes effect at the end of that dispatch.
 */
#ifndef FOLIO_H
#define FOLIO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------------------
 * Types
 * ---------------------------------------------------------------------------------------------------------------- */

typedef struct folio_error folio_error_t;
typedef struct folio_config folio_config_t;
typedef struct folio_sdk folio_sdk_t;
typedef struct folio_subscription folio_subscription_t;
typedef struct folio_session_store folio_session_store_t;
typedef struct folio_session_state folio_session_state_t;
typedef struct folio_auth_store folio_auth_store_t;
typedef struct folio_auth_state folio_auth_state_t;
typedef struct folio_vault_store folio_vault_store_t;
typedef struct folio_vault_state folio_vault_state_t;
typedef struct folio_vault_value folio_vault_value_t;
typedef struct folio_vault_page folio_vault_page_t;
typedef struct folio_vault_conflicts folio_vault_conflicts_t;
typedef struct folio_vault_transaction folio_vault_transaction_t;
typedef struct folio_service folio_service_t;
typedef struct folio_message folio_message_t;

/* The result of a call. Values are never reused. */
typedef int32_t folio_status_t;
enum {
    FOLIO_OK = 0,
    FOLIO_NOTHING_WAITING = 1,              /* an inbox or outbox is empty; not an error */
    FOLIO_ERROR_INVALID_HANDLE = -1,        /* NULL, released, of another type, or not Folio's */
    FOLIO_ERROR_INVALID_ARGUMENT = -2,      /* a value is missing, malformed or out of range; nothing was changed */
    FOLIO_ERROR_BUSY = -3,                  /* not allowed inside a callback, or another thread is dispatching */
    FOLIO_ERROR_CLOSED = -4,                /* the store or service handle was closed */
    FOLIO_ERROR_SHUT_DOWN = -5,             /* the runtime was shut down */
    FOLIO_ERROR_NOT_READY = -6,             /* the runtime of create_async has not finished starting */
    FOLIO_ERROR_FORKED = -7,                /* used in a child of fork() */
    FOLIO_ERROR_DIRECTORY_IN_USE = -8,      /* a runtime of this process already uses the data directory */
    FOLIO_ERROR_NOT_EMBEDDED = -9,          /* the runtime does not run on the embedded service */
    FOLIO_ERROR_NETWORK = -10,              /* the service could not be reached */
    FOLIO_ERROR_SERVICE = -11,              /* the service refused; see the service code */
    FOLIO_ERROR_STORAGE = -12,              /* a file could not be read, opened, locked or written */
    FOLIO_ERROR_NOT_FOUND = -13,            /* no such user, conflict copy or index */
    FOLIO_ERROR_VAULT_NOT_RUNNING = -14,    /* the vault's services are stopped, or the identity has changed */
    FOLIO_ERROR_RECORD_DAMAGED = -15,       /* this one record cannot be opened; the others can */
    FOLIO_ERROR_CANCELLED = -16,            /* ended before it could finish */
    FOLIO_ERROR_INTERNAL = -17              /* a fault of Folio's own; please report it */
};

/* What an error of a state or of create is about: SessionStartError (the first three) and AuthError. */
enum {
    FOLIO_ERROR_KIND_NONE = 0,
    FOLIO_ERROR_KIND_NETWORK = 1,
    FOLIO_ERROR_KIND_SERVICE = 2,
    FOLIO_ERROR_KIND_STORAGE = 3,
    FOLIO_ERROR_KIND_INVALID_EMAIL = 4,
    FOLIO_ERROR_KIND_INVALID_CODE = 5,
    FOLIO_ERROR_KIND_WRONG_CODE = 6,
    FOLIO_ERROR_KIND_CODE_EXPIRED = 7,
    FOLIO_ERROR_KIND_CODE_USED = 8,
    FOLIO_ERROR_KIND_TOO_MANY_TRIES = 9,
    FOLIO_ERROR_KIND_RATE_LIMITED = 10,
    FOLIO_ERROR_KIND_BUSY = 11
};

/* Kinds of identity (RuntimeIdentity). */
enum {
    FOLIO_IDENTITY_UNKNOWN = 0,
    FOLIO_IDENTITY_UNRESOLVED = 1,
    FOLIO_IDENTITY_TRANSIENT = 2,
    FOLIO_IDENTITY_AUTHENTICATED = 3
};

/* Whether the services of the identity run (SessionStatus). */
enum {
    FOLIO_SESSION_STATUS_UNKNOWN = 0,
    FOLIO_SESSION_STATUS_DEVICE = 1,
    FOLIO_SESSION_STATUS_ACTIVATING = 2,
    FOLIO_SESSION_STATUS_ACTIVE = 3,
    FOLIO_SESSION_STATUS_DEACTIVATING = 4
};

/* Why a session ended without the application signing out (SessionNoticeReason). */
enum {
    FOLIO_SESSION_NOTICE_NONE = 0,
    FOLIO_SESSION_NOTICE_SESSION_ENDED = 1
};

/* Actions of the session store (SessionAction). */
enum {
    FOLIO_SESSION_ACTION_SIGN_OUT = 1,
    FOLIO_SESSION_ACTION_DISMISS_NOTICE = 2
};

/* Types of the auth store's state (AuthState). */
enum {
    FOLIO_AUTH_STATE_UNKNOWN = 0,
    FOLIO_AUTH_STATE_IDLE = 1,
    FOLIO_AUTH_STATE_SENDING = 2,
    FOLIO_AUTH_STATE_AWAITING_CODE = 3,
    FOLIO_AUTH_STATE_VERIFYING = 4,
    FOLIO_AUTH_STATE_FAILED = 5
};

/* Where the carry-over of a guest's records to the account stands. */
enum {
    FOLIO_CARRY_OVER_UNKNOWN = 0,
    FOLIO_CARRY_OVER_NONE = 1,
    FOLIO_CARRY_OVER_RUNNING = 2,
    FOLIO_CARRY_OVER_FINISHED = 3,
    FOLIO_CARRY_OVER_FAILED = 4
};

/* Actions of the vault store (VaultAction). */
enum {
    FOLIO_VAULT_ACTION_RETRY_CARRY_OVER = 1
};

/* Levels of log lines. */
enum {
    FOLIO_LOG_LEVEL_UNKNOWN = 0,
    FOLIO_LOG_LEVEL_ERROR = 1,
    FOLIO_LOG_LEVEL_WARNING = 2,
    FOLIO_LOG_LEVEL_INFO = 3,
    FOLIO_LOG_LEVEL_DEBUG = 4
};

/* Limits of the vault. */
#define FOLIO_VAULT_KEY_MAX_BYTES 1024
#define FOLIO_VAULT_VALUE_MAX_BYTES 16777216
#define FOLIO_VAULT_PAGE_MAX_RECORDS 1000

/* Bytes of a storage key. */
#define FOLIO_STORAGE_KEY_BYTES 32

/* Frees `context`; see "Callbacks" above for when and where it is called. */
typedef void (*folio_destroy_callback_t)(void *context);

/* Hears that create_async finished: `error` is NULL when the session exists, else a borrowed error. */
typedef void (*folio_sdk_created_callback_t)(void *context, const folio_error_t *error);

/* Hears one log line. `line` is borrowed until the callback returns and never holds a secret. */
typedef void (*folio_log_callback_t)(void *context, int32_t level, const char *line);

/* Hear the next state of a store. `state` is borrowed until the callback returns. */
typedef void (*folio_session_state_callback_t)(void *context, const folio_session_state_t *state);
typedef void (*folio_auth_state_callback_t)(void *context, const folio_auth_state_t *state);
typedef void (*folio_vault_state_callback_t)(void *context, const folio_vault_state_t *state);

/* ------------------------------------------------------------------------------------------------------------------
 * Library and errors: work on any thread, inside callbacks and in a forked child.
 * ---------------------------------------------------------------------------------------------------------------- */

/* The version of the library, such as "0.1.0". The string is static. */
const char *folio_version_string(void);

/* The number of the binary interface; it grows when functions are added, an upgrade never breaks a caller. */
int32_t folio_abi_version(void);

/* The name of a status, such as "FOLIO_ERROR_BUSY"; "FOLIO_STATUS_UNKNOWN" for a value this library does not know.
 * The string is static. */
const char *folio_status_get_name(folio_status_t status);

/* The status that the failed call returned; 0 for an invalid handle. */
folio_status_t folio_error_get_code(const folio_error_t *error);

/* FOLIO_ERROR_KIND_…: the type of a SessionStartError or AuthError, NONE for other errors. */
int32_t folio_error_get_kind(const folio_error_t *error);

/* The HTTP status of the service's answer, 0 to 65535; 0 when there was none. */
int32_t folio_error_get_http_status(const folio_error_t *error);

/* The service's own code, such as "rate_limited"; NULL when there was none. Borrowed from the error. */
const char *folio_error_get_service_code(const folio_error_t *error);

/* One line that says what happened and what to do; never holds a secret. Borrowed from the error; NULL for an invalid
 * handle. */
const char *folio_error_get_message(const folio_error_t *error);

/* Milliseconds to wait before trying again, as told with the error; 0 when nothing was told. */
int64_t folio_error_get_retry_after_ms(const folio_error_t *error);

/* Releases an error. */
void folio_error_release(folio_error_t *error);

/* ------------------------------------------------------------------------------------------------------------------
 * Configuration
 * ---------------------------------------------------------------------------------------------------------------- */

/* Makes an empty configuration. The caller owns *config. A configuration may be used for several runtimes; changing it
 * later does not change them. */
folio_status_t folio_config_create(folio_config_t **config, folio_error_t **error);

/* Sets the directory that holds the device's files. Required. Missing folders are created with mode 0700. */
folio_status_t folio_config_set_data_directory(folio_config_t *config, const char *path, folio_error_t **error);

/* Sets the key that seals what the device keeps: FOLIO_STORAGE_KEY_BYTES bytes from the platform's key store, copied.
 * Without one, a key file of mode 0600 beside the database is made and used. Another length is
 * FOLIO_ERROR_INVALID_ARGUMENT. */
folio_status_t folio_config_set_storage_key(folio_config_t *config, const uint8_t *key, size_t length,
                                            folio_error_t **error);

/* Sets how long create may take, in milliseconds, 1 or more. Default 30,000. */
folio_status_t folio_config_set_timeout_ms(folio_config_t *config, int32_t timeout_ms, folio_error_t **error);

/* Sets the life of the access tokens that the embedded service gives out, in seconds, 1 or more. Default 3,600. */
folio_status_t folio_config_set_embedded_token_life(folio_config_t *config, int64_t seconds, folio_error_t **error);

/* Releases a configuration. */
void folio_config_release(folio_config_t *config);

/* ------------------------------------------------------------------------------------------------------------------
 * Runtime
 * ---------------------------------------------------------------------------------------------------------------- */

/* Makes a runtime: restores the session that was saved in the data directory, or creates a guest when there is none,
 * before it returns. Blocks at most the configured timeout. On failure nothing is left half-made, and the error is a
 * SessionStartError: FOLIO_ERROR_NETWORK, _SERVICE or _STORAGE. Also FOLIO_ERROR_DIRECTORY_IN_USE, _BUSY (inside a
 * callback), _FORKED, and FOLIO_ERROR_INVALID_ARGUMENT without a data directory. The caller owns *sdk. */
folio_status_t folio_sdk_create(const folio_config_t *config, folio_sdk_t **sdk, folio_error_t **error);

/* The same without blocking. *sdk is set at once; `callback` (required) runs in dispatch when the start has finished.
 * Until then only open_event_fd, dispatch_events, wait_events, get_pending, shutdown and release may be used; the rest
 * is FOLIO_ERROR_NOT_READY. A runtime whose start failed stays NOT_READY and must still be released. When the runtime is
 * released first, `destroy` runs without `callback`: the start was cancelled. */
folio_status_t folio_sdk_create_async(const folio_config_t *config, folio_sdk_created_callback_t callback,
                                      void *context, folio_destroy_callback_t destroy, folio_sdk_t **sdk,
                                      folio_error_t **error);

/* Gives a close-on-exec, non-blocking descriptor that is readable while events wait, for poll, epoll and other level
 * triggered loops. The caller owns and closes it. All descriptors of a runtime share one stream: use one watcher a
 * runtime; whoever reads a byte must dispatch. After shutdown it is at end-of-file: remove the watcher. */
folio_status_t folio_sdk_open_event_fd(folio_sdk_t *sdk, int32_t *fd, folio_error_t **error);

/* Runs the callbacks of at most `max` waiting events (0: all that wait now) on this thread, in order. *count (may be
 * NULL) is how many events were taken. FOLIO_ERROR_BUSY inside a callback or while another thread dispatches;
 * FOLIO_ERROR_SHUT_DOWN after shutdown. */
folio_status_t folio_sdk_dispatch_events(folio_sdk_t *sdk, int32_t max, int32_t *count, folio_error_t **error);

/* Waits until an event waits, then dispatches all that wait. `timeout_ms` 0 does not wait, a negative one waits without
 * limit. The result is FOLIO_OK with *count 0 when the time ran out, and when only an action was settled, which changes
 * folio_sdk_get_pending. Errors as folio_sdk_dispatch_events. */
folio_status_t folio_sdk_wait_events(folio_sdk_t *sdk, int32_t timeout_ms, int32_t *count, folio_error_t **error);

/* How many accepted actions have not delivered their last state, plus undelivered completions. Renewals and carry-overs
 * are not counted. 0 for an invalid handle. */
int32_t folio_sdk_get_pending(const folio_sdk_t *sdk);

/* Asks for a renewal of the session's tokens now. Answers through the states: a session that the service has ended is
 * reported like any other ended session; a renewal that worked changes no state. */
folio_status_t folio_sdk_renew(folio_sdk_t *sdk, folio_error_t **error);

/* Shuts the runtime down: refuses new work, lets the step in progress end (its intent keeps the rest for the next
 * create), drops what is queued and frees its listeners, wakes wait_events, frees the data directory. Does not wait for
 * a running callback. Shutting down twice is harmless. */
folio_status_t folio_sdk_shutdown(folio_sdk_t *sdk, folio_error_t **error);

/* Releases a runtime: shutdown without waiting. Its stores keep their last state and answer FOLIO_ERROR_SHUT_DOWN. */
void folio_sdk_release(folio_sdk_t *sdk);

/* Gives the latest published session, without a store and without dispatch. The caller owns *state. */
folio_status_t folio_sdk_copy_session_state(folio_sdk_t *sdk, folio_session_state_t **state, folio_error_t **error);

/* Hears the runtime's log lines, through dispatch. The caller owns *subscription. */
folio_status_t folio_sdk_subscribe_log(folio_sdk_t *sdk, folio_log_callback_t callback, void *context,
                                       folio_destroy_callback_t destroy, folio_subscription_t **subscription,
                                       folio_error_t **error);

/* Gives a handle to the embedded service, to read its outbox and to provoke what a service can do. The caller owns
 * *service; closing it does not stop the runtime's service, and it stays usable after the runtime is gone.
 * FOLIO_ERROR_NOT_EMBEDDED when the runtime does not run on the embedded service. */
folio_status_t folio_sdk_get_embedded_service(folio_sdk_t *sdk, folio_service_t **service, folio_error_t **error);

/* ------------------------------------------------------------------------------------------------------------------
 * Session store
 * ---------------------------------------------------------------------------------------------------------------- */

/* Mounts a store that reports the session. Its state holds the defaults (Unresolved, DEVICE, no notice, no device id)
 * until dispatch has delivered the first read. The caller owns *store. */
folio_status_t folio_session_store_mount(folio_sdk_t *sdk, folio_session_store_t **store, folio_error_t **error);

/* Gives the state that was delivered last. The caller owns *state. Works after close and shutdown. */
folio_status_t folio_session_store_get_state(const folio_session_store_t *store, folio_session_state_t **state,
                                             folio_error_t **error);

/* Subscribes to the states delivered from now on, in order, none merged. With a NULL callback the subscription has an
 * inbox that begins with the current state; see folio_subscription_next; `destroy` then marks the end of the inbox. The
 * caller owns *subscription; releasing it does not cancel. */
folio_status_t folio_session_store_subscribe(folio_session_store_t *store, folio_session_state_callback_t callback,
                                             void *context, folio_destroy_callback_t destroy,
                                             folio_subscription_t **subscription, folio_error_t **error);

/* Dispatches FOLIO_SESSION_ACTION_…. Fails only for what is known at once; what a rule refuses appears in the state. */
folio_status_t folio_session_store_dispatch(folio_session_store_t *store, int32_t action, folio_error_t **error);

/* Closes the store: its subscriptions end. Closing twice is harmless. */
folio_status_t folio_session_store_close(folio_session_store_t *store, folio_error_t **error);

/* Releases the handle; does not close the store. */
void folio_session_store_release(folio_session_store_t *store);

/* FOLIO_IDENTITY_…. */
int32_t folio_session_state_get_identity_kind(const folio_session_state_t *state);

/* The user id; NULL while Unresolved. */
const char *folio_session_state_get_user_id(const folio_session_state_t *state);

/* The e-mail address of an account; NULL for a guest and while Unresolved. */
const char *folio_session_state_get_email(const folio_session_state_t *state);

/* FOLIO_SESSION_STATUS_…. */
int32_t folio_session_state_get_status(const folio_session_state_t *state);

/* FOLIO_SESSION_NOTICE_…: set when an account's session ended although the application did not sign out. */
int32_t folio_session_state_get_notice(const folio_session_state_t *state);

/* The id of this data directory, made once; NULL before the first read. */
const char *folio_session_state_get_device_id(const folio_session_state_t *state);

/* 1 while a sign-out runs, else 0. */
int32_t folio_session_state_get_signing_out(const folio_session_state_t *state);

/* The error of the last sign-out or start of services (a SessionStartError), owned by the caller; NULL when none. */
folio_error_t *folio_session_state_copy_error(const folio_session_state_t *state);

/* A second handle to the same snapshot; NULL for an invalid handle. */
folio_session_state_t *folio_session_state_retain(const folio_session_state_t *state);

/* Releases a state handle. */
void folio_session_state_release(folio_session_state_t *state);

/* ------------------------------------------------------------------------------------------------------------------
 * Auth store: signing in with an e-mail address and a code
 * ---------------------------------------------------------------------------------------------------------------- */

/* Mounts a store that reports the sign-in ceremony. A runtime has one ceremony, shown by every auth store. Its state is
 * IDLE until the first read. The caller owns *store. */
folio_status_t folio_auth_store_mount(folio_sdk_t *sdk, folio_auth_store_t **store, folio_error_t **error);

/* As folio_session_store_get_state. */
folio_status_t folio_auth_store_get_state(const folio_auth_store_t *store, folio_auth_state_t **state,
                                          folio_error_t **error);

/* As folio_session_store_subscribe. */
folio_status_t folio_auth_store_subscribe(folio_auth_store_t *store, folio_auth_state_callback_t callback,
                                          void *context, folio_destroy_callback_t destroy,
                                          folio_subscription_t **subscription, folio_error_t **error);

/* Starts signing in: the service sends a code to the address. With the same address while SENDING nothing changes; with
 * another address the ceremony is replaced. A malformed address ends in FAILED with INVALID_EMAIL. */
folio_status_t folio_auth_store_dispatch_sign_in(folio_auth_store_t *store, const char *email, folio_error_t **error);

/* Submits the code. White space is dropped and other digit forms are accepted; what is not six digits stays in
 * AWAITING_CODE with INVALID_CODE and costs no try. */
folio_status_t folio_auth_store_dispatch_submit_code(folio_auth_store_t *store, const char *code,
                                                     folio_error_t **error);

/* Asks for a new code for the same address, from AWAITING_CODE or FAILED. */
folio_status_t folio_auth_store_dispatch_resend_code(folio_auth_store_t *store, folio_error_t **error);

/* Drops the ceremony and returns to IDLE. */
folio_status_t folio_auth_store_dispatch_cancel(folio_auth_store_t *store, folio_error_t **error);

/* Closes the store: its subscriptions end; the ceremony goes on. Closing twice is harmless. */
folio_status_t folio_auth_store_close(folio_auth_store_t *store, folio_error_t **error);

/* Releases the handle; does not close the store. */
void folio_auth_store_release(folio_auth_store_t *store);

/* FOLIO_AUTH_STATE_…. */
int32_t folio_auth_state_get_type(const folio_auth_state_t *state);

/* The address as the person gave it; NULL while IDLE. */
const char *folio_auth_state_get_email(const folio_auth_state_t *state);

/* Milliseconds left, at the time of this call, until the code expires; 0 when over or not AWAITING_CODE. */
int64_t folio_auth_state_get_expires_in_ms(const folio_auth_state_t *state);

/* Milliseconds left, at the time of this call, until a new code may be asked for; 0 when it may be now. */
int64_t folio_auth_state_get_resend_in_ms(const folio_auth_state_t *state);

/* How many more codes may be tried; 0 when not AWAITING_CODE. */
int32_t folio_auth_state_get_tries_left(const folio_auth_state_t *state);

/* The error of AWAITING_CODE or FAILED (an AuthError), owned by the caller; NULL when none. */
folio_error_t *folio_auth_state_copy_error(const folio_auth_state_t *state);

/* A second handle to the same snapshot; NULL for an invalid handle. */
folio_auth_state_t *folio_auth_state_retain(const folio_auth_state_t *state);

/* Releases a state handle. */
void folio_auth_state_release(folio_auth_state_t *state);

/* ------------------------------------------------------------------------------------------------------------------
 * Vault store: sealed records that belong to the identity
 *
 * Keys are UTF-8 strings of 1 to FOLIO_VAULT_KEY_MAX_BYTES bytes, values 0 to FOLIO_VAULT_VALUE_MAX_BYTES bytes; outside
 * of that FOLIO_ERROR_INVALID_ARGUMENT. A store acts for the identity of its last delivered state (before the first
 * delivery: the identity at mount); when that is no longer the current one, or its services do not run, calls give
 * FOLIO_ERROR_VAULT_NOT_RUNNING and change nothing. Reads and writes run on the calling thread; a write has reached the
 * disk when it returns. FOLIO_ERROR_STORAGE when the file cannot be written, for example on a full disk.
 * ---------------------------------------------------------------------------------------------------------------- */

/* Mounts a store that reports and reaches the vault of the current identity. The caller owns *store. */
folio_status_t folio_vault_store_mount(folio_sdk_t *sdk, folio_vault_store_t **store, folio_error_t **error);

/* As folio_session_store_get_state. */
folio_status_t folio_vault_store_get_state(const folio_vault_store_t *store, folio_vault_state_t **state,
                                           folio_error_t **error);

/* As folio_session_store_subscribe. States of counts and progress come at a limited rate, not one for each write. */
folio_status_t folio_vault_store_subscribe(folio_vault_store_t *store, folio_vault_state_callback_t callback,
                                           void *context, folio_destroy_callback_t destroy,
                                           folio_subscription_t **subscription, folio_error_t **error);

/* Dispatches FOLIO_VAULT_ACTION_…. */
folio_status_t folio_vault_store_dispatch(folio_vault_store_t *store, int32_t action, folio_error_t **error);

/* Closes the store: its subscriptions end. Closing twice is harmless. */
folio_status_t folio_vault_store_close(folio_vault_store_t *store, folio_error_t **error);

/* Releases the handle; does not close the store. */
void folio_vault_store_release(folio_vault_store_t *store);

/* Writes one record in one durable commit. `value` may be NULL when `length` is 0. */
folio_status_t folio_vault_store_put(folio_vault_store_t *store, const char *key, const uint8_t *value, size_t length,
                                     folio_error_t **error);

/* Reads one record. *value is owned by the caller, and NULL with FOLIO_OK when there is no such record.
 * FOLIO_ERROR_RECORD_DAMAGED when this record cannot be opened. */
folio_status_t folio_vault_store_get(folio_vault_store_t *store, const char *key, folio_vault_value_t **value,
                                     folio_error_t **error);

/* Deletes one record in one durable commit. *deleted (may be NULL) is 1 when there was one, else 0. */
folio_status_t folio_vault_store_delete(folio_vault_store_t *store, const char *key, int32_t *deleted,
                                        folio_error_t **error);

/* Writes `count` records, 1 or more, in one durable commit: all or none. A key that stands twice keeps its last value. */
folio_status_t folio_vault_store_put_many(folio_vault_store_t *store, const char *const *keys,
                                          const uint8_t *const *values, const size_t *lengths, size_t count,
                                          folio_error_t **error);

/* Counts the records whose key begins with `prefix`; NULL or "" counts all. */
folio_status_t folio_vault_store_count(folio_vault_store_t *store, const char *prefix, int64_t *count,
                                       folio_error_t **error);

/* Lists records whose key begins with `prefix` (NULL or "": all) in order of the key's bytes, without their values.
 * `after` is the cursor: the last key of the page before, NULL for the first page. `limit` is 1 to
 * FOLIO_VAULT_PAGE_MAX_RECORDS. A page with fewer than `limit` records is the last. The caller owns *page. */
folio_status_t folio_vault_store_list(folio_vault_store_t *store, const char *prefix, const char *after, int32_t limit,
                                      folio_vault_page_t **page, folio_error_t **error);

/* Lists conflict copies: values that lost to another value of the same key in a carry-over. At most 1,000, after the id
 * `after` (0 for the first page), in order of their ids. The caller owns *conflicts. */
folio_status_t folio_vault_store_list_conflicts(folio_vault_store_t *store, int64_t after,
                                                folio_vault_conflicts_t **conflicts, folio_error_t **error);

/* Makes the conflict copy the record's value and removes the copy, in one durable commit. FOLIO_ERROR_NOT_FOUND when
 * there is no such copy. */
folio_status_t folio_vault_store_keep_conflict(folio_vault_store_t *store, int64_t id, folio_error_t **error);

/* Removes the conflict copy. FOLIO_ERROR_NOT_FOUND when there is no such copy. */
folio_status_t folio_vault_store_drop_conflict(folio_vault_store_t *store, int64_t id, folio_error_t **error);

/* Begins a transaction: writes are collected and applied in one durable commit, all or none; its reads see its own
 * writes. Collecting takes no lock. The caller owns *transaction; releasing it uncommitted drops its writes. A
 * transaction is used by one thread at a time; another gets FOLIO_ERROR_BUSY. */
folio_status_t folio_vault_transaction_begin(folio_vault_store_t *store, folio_vault_transaction_t **transaction,
                                             folio_error_t **error);

/* As folio_vault_store_put, within the transaction. */
folio_status_t folio_vault_transaction_put(folio_vault_transaction_t *transaction, const char *key,
                                           const uint8_t *value, size_t length, folio_error_t **error);

/* As folio_vault_store_get, within the transaction. A value of the transaction's own has modified_at 0. */
folio_status_t folio_vault_transaction_get(folio_vault_transaction_t *transaction, const char *key,
                                           folio_vault_value_t **value, folio_error_t **error);

/* As folio_vault_store_delete, within the transaction. */
folio_status_t folio_vault_transaction_delete(folio_vault_transaction_t *transaction, const char *key,
                                              int32_t *deleted, folio_error_t **error);

/* Applies the writes. The transaction is over whether this succeeds or not: later calls give FOLIO_ERROR_CLOSED.
 * FOLIO_ERROR_VAULT_NOT_RUNNING when the identity is no longer the one it began with. */
folio_status_t folio_vault_transaction_commit(folio_vault_transaction_t *transaction, folio_error_t **error);

/* Releases a transaction; one that was not committed is dropped. */
void folio_vault_transaction_release(folio_vault_transaction_t *transaction);

/* The bytes of a value, never NULL for a valid handle. Borrowed from the handle. */
const uint8_t *folio_vault_value_get_data(const folio_vault_value_t *value);

/* How many bytes the value has. */
size_t folio_vault_value_get_length(const folio_vault_value_t *value);

/* When the record was written: milliseconds since 1970 UTC. */
int64_t folio_vault_value_get_modified_at(const folio_vault_value_t *value);

/* Releases a value. */
void folio_vault_value_release(folio_vault_value_t *value);

/* How many records the page has. */
int32_t folio_vault_page_get_count(const folio_vault_page_t *page);

/* The key of record `index`, from 0; NULL outside of the page. Borrowed from the page. */
const char *folio_vault_page_get_key(const folio_vault_page_t *page, int32_t index);

/* The length of the value of record `index` in bytes; 0 outside of the page. */
int64_t folio_vault_page_get_length(const folio_vault_page_t *page, int32_t index);

/* When record `index` was written: milliseconds since 1970 UTC; 0 outside of the page. */
int64_t folio_vault_page_get_modified_at(const folio_vault_page_t *page, int32_t index);

/* Releases a page. */
void folio_vault_page_release(folio_vault_page_t *page);

/* How many conflict copies the list has. */
int32_t folio_vault_conflicts_get_count(const folio_vault_conflicts_t *conflicts);

/* The id of copy `index`, from 0; 0 outside of the list. */
int64_t folio_vault_conflicts_get_id(const folio_vault_conflicts_t *conflicts, int32_t index);

/* The key of copy `index`; NULL outside of the list. Borrowed from the list. */
const char *folio_vault_conflicts_get_key(const folio_vault_conflicts_t *conflicts, int32_t index);

/* When the losing value was written: milliseconds since 1970 UTC; 0 outside of the list. */
int64_t folio_vault_conflicts_get_modified_at(const folio_vault_conflicts_t *conflicts, int32_t index);

/* Reads the losing value. FOLIO_ERROR_NOT_FOUND when there is no such copy. The caller owns *value. */
folio_status_t folio_vault_store_get_conflict(folio_vault_store_t *store, int64_t id, folio_vault_value_t **value,
                                              folio_error_t **error);

/* Releases a list of conflict copies. */
void folio_vault_conflicts_release(folio_vault_conflicts_t *conflicts);

/* 1 while the vault can be used, else 0. */
int32_t folio_vault_state_get_running(const folio_vault_state_t *state);

/* The user id of the identity the vault belongs to; NULL when it does not run. */
const char *folio_vault_state_get_user_id(const folio_vault_state_t *state);

/* How many records the vault has. */
int64_t folio_vault_state_get_record_count(const folio_vault_state_t *state);

/* How many bytes the values of the vault have together. */
int64_t folio_vault_state_get_bytes(const folio_vault_state_t *state);

/* How many conflict copies wait to be kept or dropped. */
int64_t folio_vault_state_get_conflict_count(const folio_vault_state_t *state);

/* FOLIO_CARRY_OVER_…. */
int32_t folio_vault_state_get_carry_over(const folio_vault_state_t *state);

/* How many records of the waiting guests have been moved; 0 unless RUNNING or FAILED. */
int64_t folio_vault_state_get_moved(const folio_vault_state_t *state);

/* How many records the waiting guests had together; 0 unless RUNNING or FAILED. */
int64_t folio_vault_state_get_total(const folio_vault_state_t *state);

/* 1 when a failed carry-over will be tried again by itself, else 0. */
int32_t folio_vault_state_get_retrying(const folio_vault_state_t *state);

/* The error of a failed carry-over, owned by the caller; NULL when none. */
folio_error_t *folio_vault_state_copy_error(const folio_vault_state_t *state);

/* A second handle to the same snapshot; NULL for an invalid handle. */
folio_vault_state_t *folio_vault_state_retain(const folio_vault_state_t *state);

/* Releases a state handle. */
void folio_vault_state_release(folio_vault_state_t *state);

/* ------------------------------------------------------------------------------------------------------------------
 * Subscriptions
 * ---------------------------------------------------------------------------------------------------------------- */

/* Takes the next state from the inbox of a subscription made with a NULL callback. Never waits and never dispatches:
 * FOLIO_NOTHING_WAITING when it is empty, FOLIO_ERROR_CLOSED at its end (cancelled, store closed, runtime shut down, and
 * nothing left). *state is an owned folio_session_state_t *, folio_auth_state_t * or folio_vault_state_t *, after the
 * kind of store. FOLIO_ERROR_INVALID_ARGUMENT for a subscription that has a callback. */
folio_status_t folio_subscription_next(folio_subscription_t *subscription, void **state, folio_error_t **error);

/* Cancels: what is queued for it is suppressed. On the dispatching thread nothing runs after this returns; from another
 * thread a running callback may finish, and `destroy` marks the end. May be called twice and inside the callback. */
folio_status_t folio_subscription_cancel(folio_subscription_t *subscription, folio_error_t **error);

/* Releases the handle; does not cancel. */
void folio_subscription_release(folio_subscription_t *subscription);

/* ------------------------------------------------------------------------------------------------------------------
 * Embedded service
 * ---------------------------------------------------------------------------------------------------------------- */

/* Takes the next message of the outbox, for the host to deliver or show. FOLIO_NOTHING_WAITING when there is none. A
 * message is handed first to the process that caused it; others get it after 10 s or when that process is gone. The
 * caller owns *message. */
folio_status_t folio_service_next_message(folio_service_t *service, folio_message_t **message, folio_error_t **error);

/* The address the message is for. Borrowed from the message. */
const char *folio_message_get_email(const folio_message_t *message);

/* The code to show to the person. Borrowed from the message. */
const char *folio_message_get_code(const folio_message_t *message);

/* Releases a message. */
void folio_message_release(folio_message_t *message);

/* Ends every session of a user: the next renewal is refused. FOLIO_ERROR_NOT_FOUND when there is no such user. */
folio_status_t folio_service_end_sessions(folio_service_t *service, const char *user_id, folio_error_t **error);

/* Deletes a user, guest or account, and ends its sessions. FOLIO_ERROR_NOT_FOUND when there is no such user. */
folio_status_t folio_service_delete_account(folio_service_t *service, const char *user_id, folio_error_t **error);

/* With 0, makes every request of this process fail like an unreachable network, until set back or until the last handle
 * and runtime of this service in the process are gone. */
folio_status_t folio_service_set_reachable(folio_service_t *service, int32_t reachable, folio_error_t **error);

/* Makes the next sign-in with that address end on a guest identity. */
folio_status_t folio_service_set_guest_account(folio_service_t *service, const char *email, folio_error_t **error);

/* Closes the handle's access to the service; does not stop the runtime's service. Closing twice is harmless. */
folio_status_t folio_service_close(folio_service_t *service, folio_error_t **error);

/* Releases the handle. */
void folio_service_release(folio_service_t *service);

#ifdef __cplusplus
}
#endif

#endif /* FOLIO_H */
