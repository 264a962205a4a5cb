/* Replays Tests/scenarios through folio.h: one line a scenario, then "N passed, N failed". Arguments: names to run. */
#define _XOPEN_SOURCE 700

#include <ftw.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "folio.h"
#include "scenario.h"
#include "scenarios.h"

enum { STEP_SECONDS = 10, NAME_COUNT = 32, FIELD_COUNT = 8, TEXT_BYTES = 512 };
enum store_kind { SESSION, AUTH, VAULT, STORE_KINDS };
static const char *const store_names[STORE_KINDS] = {"session", "auth", "vault"};

struct text {
    char is_null;
    char bytes[TEXT_BYTES];
};

/* A delivered state, as text, field by field. */
struct record {
    size_t count;
    const char *names[FIELD_COUNT];
    struct text values[FIELD_COUNT];
};

struct records {
    struct record *items;
    size_t count, capacity, used;
};

struct binding {
    char name[32];
    char value[TEXT_BYTES];
};

struct run {
    char directory[64];
    folio_sdk_t *sdk;
    folio_service_t *service;
    folio_session_store_t *session;
    folio_auth_store_t *auth;
    folio_vault_store_t *vault;
    struct records records[STORE_KINDS];
    struct binding names[NAME_COUNT];
    size_t name_count;
    char code[16];
    char why[2048];
};

/* ---- Failures: the first one of a scenario is kept ---- */

static int fail(struct run *run, const char *format, ...)
{
    va_list arguments;

    if (run->why[0]) return 0;
    va_start(arguments, format);
    vsnprintf(run->why, sizeof run->why, format, arguments);
    va_end(arguments);
    return 0;
}

static int succeeded(struct run *run, folio_status_t status, folio_error_t *error)
{
    if (status >= 0) return 1;
    fail(run, "%s: %s", folio_status_get_name(status), error ? folio_error_get_message(error) : "no message");
    folio_error_release(error);
    return 0;
}

/* The call must end in FOLIO_ERROR_<expected>, or succeed when nothing is expected. */
static int ended_as(struct run *run, folio_status_t status, folio_error_t *error, const char *expected)
{
    const char *name = folio_status_get_name(status);

    if (!expected) return succeeded(run, status, error);
    if (strncmp(name, "FOLIO_ERROR_", 12) != 0 || strcmp(name + 12, expected) != 0)
        fail(run, "ended as %s", name);
    folio_error_release(error);
    return !run->why[0];
}

/* ---- States as text ---- */

static void add_text(struct record *record, const char *name, const char *value)
{
    struct text *text = &record->values[record->count];

    record->names[record->count++] = name;
    text->is_null = value == NULL;
    snprintf(text->bytes, sizeof text->bytes, "%s", value ? value : "null");
}

static void add_number(struct record *record, const char *name, int64_t number)
{
    char text[32];

    snprintf(text, sizeof text, "%" PRId64, number);
    add_text(record, name, text);
}

static void add_word(struct record *record, const char *name, int32_t value, const char *const *words, int32_t count)
{
    add_text(record, name, value >= 0 && value < count ? words[value] : "UNKNOWN");
}

static void add_error(struct record *record, folio_error_t *error)
{
    static const char *const kinds[] = {NULL, "NETWORK", "SERVICE", "STORAGE", "INVALID_EMAIL", "INVALID_CODE",
        "WRONG_CODE", "CODE_EXPIRED", "CODE_USED", "TOO_MANY_TRIES", "RATE_LIMITED", "BUSY"};

    add_word(record, "error", folio_error_get_kind(error), kinds, 12);
    folio_error_release(error);
}

static struct record *new_record(struct records *records)
{
    if (records->count == records->capacity) {
        records->capacity = records->capacity ? records->capacity * 2 : 16;
        records->items = realloc(records->items, records->capacity * sizeof *records->items);
        if (!records->items) abort();
    }
    memset(&records->items[records->count], 0, sizeof *records->items);
    return &records->items[records->count++];
}

static void record_session(void *context, const folio_session_state_t *state)
{
    static const char *const identities[] = {"UNKNOWN", "UNRESOLVED", "TRANSIENT", "AUTHENTICATED"};
    static const char *const statuses[] = {"UNKNOWN", "DEVICE", "ACTIVATING", "ACTIVE", "DEACTIVATING"};
    static const char *const notices[] = {NULL, "SESSION_ENDED"};
    struct record *record = new_record(context);

    add_word(record, "identity", folio_session_state_get_identity_kind(state), identities, 4);
    add_text(record, "userId", folio_session_state_get_user_id(state));
    add_text(record, "email", folio_session_state_get_email(state));
    add_word(record, "status", folio_session_state_get_status(state), statuses, 5);
    add_word(record, "notice", folio_session_state_get_notice(state), notices, 2);
    add_text(record, "deviceId", folio_session_state_get_device_id(state));
    add_text(record, "signingOut", folio_session_state_get_signing_out(state) ? "true" : "false");
    add_error(record, folio_session_state_copy_error(state));
}

static void record_auth(void *context, const folio_auth_state_t *state)
{
    static const char *const types[] = {"UNKNOWN", "IDLE", "SENDING", "AWAITING_CODE", "VERIFYING", "FAILED"};
    struct record *record = new_record(context);

    add_word(record, "type", folio_auth_state_get_type(state), types, 6);
    add_text(record, "email", folio_auth_state_get_email(state));
    add_number(record, "triesLeft", folio_auth_state_get_tries_left(state));
    add_error(record, folio_auth_state_copy_error(state));
}

static void record_vault(void *context, const folio_vault_state_t *state)
{
    static const char *const carry_overs[] = {"UNKNOWN", "NONE", "RUNNING", "FINISHED", "FAILED"};
    struct record *record = new_record(context);

    add_text(record, "running", folio_vault_state_get_running(state) ? "true" : "false");
    add_text(record, "userId", folio_vault_state_get_user_id(state));
    add_number(record, "recordCount", folio_vault_state_get_record_count(state));
    add_number(record, "bytes", folio_vault_state_get_bytes(state));
    add_number(record, "conflictCount", folio_vault_state_get_conflict_count(state));
    add_word(record, "carryOver", folio_vault_state_get_carry_over(state), carry_overs, 5);
    add_number(record, "moved", folio_vault_state_get_moved(state));
    add_number(record, "total", folio_vault_state_get_total(state));
}

static void describe(const struct record *record, char *out, size_t size)
{
    size_t length = 0;

    for (size_t i = 0; i < record->count && length < size; i++) {
        int written = snprintf(out + length, size - length, "%s%s: %s", i ? ", " : "", record->names[i],
                               record->values[i].bytes);
        if (written < 0) return;
        length += (size_t)written;
    }
}

/* ---- Names such as $a ---- */

static const char *lookup(const struct run *run, const char *name)
{
    for (size_t i = 0; i < run->name_count; i++)
        if (strcmp(run->names[i].name, name) == 0) return run->names[i].value;
    return NULL;
}

/* Binds the name at its first sight; then it must stand for the same value, and no other name may. */
static int agrees_with_name(struct run *run, const char *name, const struct text *actual)
{
    const char *bound = lookup(run, name);

    if (actual->is_null) return 0;
    if (bound) return strcmp(bound, actual->bytes) == 0;
    for (size_t i = 0; i < run->name_count; i++)
        if (strcmp(run->names[i].value, actual->bytes) == 0) return 0;
    if (run->name_count == NAME_COUNT) return 0;
    snprintf(run->names[run->name_count].name, sizeof run->names[0].name, "%s", name);
    snprintf(run->names[run->name_count].value, sizeof run->names[0].value, "%s", actual->bytes);
    run->name_count++;
    return 1;
}

/* A state that does not match binds no name. */
static int matches(struct run *run, const struct scenario_state *expected, const struct record *record)
{
    size_t names_before = run->name_count;

    for (size_t i = 0; i < expected->count; i++) {
        const struct scenario_field *field = &expected->fields[i];
        const struct text *actual = NULL;
        int agrees;

        for (size_t j = 0; j < record->count; j++)
            if (strcmp(record->names[j], field->name) == 0) actual = &record->values[j];
        if (!actual) agrees = 0;
        else if (!field->value) agrees = actual->is_null;
        else if (field->value[0] == '$') agrees = agrees_with_name(run, field->value, actual);
        else agrees = !actual->is_null && strcmp(field->value, actual->bytes) == 0;
        if (!agrees) {
            run->name_count = names_before;
            return 0;
        }
    }
    return 1;
}

/* ---- Pumping ---- */

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int has_record(const struct run *run, enum store_kind kind)
{
    return run->records[kind].used < run->records[kind].count;
}

/* Pumps until a state of the store has been recorded that no step has used. */
static int pump_for_record(struct run *run, enum store_kind kind, int64_t deadline)
{
    while (!has_record(run, kind)) {
        folio_error_t *error = NULL;
        int64_t left = deadline - now_ms();

        if (left <= 0) return fail(run, "no further state of the %s store", store_names[kind]);
        if (!succeeded(run, folio_sdk_wait_events(run->sdk, (int32_t)left, NULL, &error), error)) return 0;
    }
    return 1;
}

static int settle(struct run *run)
{
    int64_t deadline = now_ms() + STEP_SECONDS * 1000;

    for (;;) {
        folio_error_t *error = NULL;
        int32_t count = 0, pending = folio_sdk_get_pending(run->sdk);
        int64_t left = deadline - now_ms();

        if (left <= 0) return fail(run, "still pending: %d", pending);
        if (!succeeded(run, folio_sdk_wait_events(run->sdk, pending ? (int32_t)left : 0, &count, &error), error)) return 0;
        if (pending == 0 && count == 0) return 1;
    }
}

static int expect_states(struct run *run, const struct scenario_step *step, enum store_kind kind)
{
    int64_t deadline = now_ms() + STEP_SECONDS * 1000;
    struct records *records = &run->records[kind];
    char seen[1024];

    for (size_t i = 0; i < step->state_count; i++) {
        if (!pump_for_record(run, kind, deadline)) return 0;
        if (!matches(run, &step->states[i], &records->items[records->used])) {
            describe(&records->items[records->used], seen, sizeof seen);
            return fail(run, "state %zu is {%s}", i + 1, seen);
        }
        records->used++;
    }
    return 1;
}

static int expect_nothing(struct run *run, enum store_kind kind)
{
    struct records *records = &run->records[kind];
    char seen[1024];

    if (!settle(run)) return 0;
    if (!has_record(run, kind)) return 1;
    describe(&records->items[records->used], seen, sizeof seen);
    return fail(run, "there is {%s}", seen);
}

static int expect_eventually(struct run *run, const struct scenario_step *step, enum store_kind kind)
{
    int64_t deadline = now_ms() + STEP_SECONDS * 1000;
    struct records *records = &run->records[kind];
    char seen[1024] = "nothing";

    while (pump_for_record(run, kind, deadline)) {
        const struct record *record = &records->items[records->used++];
        if (matches(run, step->states, record)) return 1;
        describe(record, seen, sizeof seen);
    }
    run->why[0] = 0;
    return fail(run, "the last state was {%s}", seen);
}

/* ---- Runtime, stores and service ---- */

static int create(struct run *run, const char *expected_error)
{
    folio_config_t *config = NULL;
    folio_error_t *error = NULL;
    folio_status_t status;

    if (!succeeded(run, folio_config_create(&config, &error), error)) return 0;
    if (succeeded(run, folio_config_set_data_directory(config, run->directory, &error), error)) {
        status = folio_sdk_create(config, &run->sdk, &error);
        if (ended_as(run, status, error, expected_error) && !expected_error && !run->service) {
            error = NULL;
            succeeded(run, folio_sdk_get_embedded_service(run->sdk, &run->service, &error), error);
        }
    }
    folio_config_release(config);
    return !run->why[0];
}

static void shut_down(struct run *run)
{
    folio_session_store_close(run->session, NULL);
    folio_auth_store_close(run->auth, NULL);
    folio_vault_store_close(run->vault, NULL);
    folio_session_store_release(run->session);
    folio_auth_store_release(run->auth);
    folio_vault_store_release(run->vault);
    folio_sdk_shutdown(run->sdk, NULL);
    folio_sdk_release(run->sdk);
    run->session = NULL;
    run->auth = NULL;
    run->vault = NULL;
    run->sdk = NULL;
    for (int kind = 0; kind < STORE_KINDS; kind++) run->records[kind].count = run->records[kind].used = 0;
}

static int mount(struct run *run, enum store_kind kind)
{
    folio_error_t *error = NULL;
    folio_subscription_t *subscription = NULL;
    struct records *records = &run->records[kind];
    folio_status_t status;

    if (kind == SESSION) {
        status = folio_session_store_mount(run->sdk, &run->session, &error);
        if (status == FOLIO_OK)
            status = folio_session_store_subscribe(run->session, record_session, records, NULL, &subscription, &error);
    } else if (kind == AUTH) {
        status = folio_auth_store_mount(run->sdk, &run->auth, &error);
        if (status == FOLIO_OK)
            status = folio_auth_store_subscribe(run->auth, record_auth, records, NULL, &subscription, &error);
    } else {
        status = folio_vault_store_mount(run->sdk, &run->vault, &error);
        if (status == FOLIO_OK)
            status = folio_vault_store_subscribe(run->vault, record_vault, records, NULL, &subscription, &error);
    }
    folio_subscription_release(subscription);
    return succeeded(run, status, error);
}

static int take_message(struct run *run, const char *email)
{
    folio_message_t *message = NULL;
    folio_error_t *error = NULL;
    folio_status_t status = folio_service_next_message(run->service, &message, &error);

    if (!succeeded(run, status, error)) return 0;
    if (status == FOLIO_NOTHING_WAITING) return fail(run, "the outbox is empty");
    if (strcmp(folio_message_get_email(message), email) != 0)
        fail(run, "the message is for %s", folio_message_get_email(message));
    snprintf(run->code, sizeof run->code, "%s", folio_message_get_code(message));
    folio_message_release(message);
    return !run->why[0];
}

static int submit_code(struct run *run, const char *text, const char *form)
{
    folio_error_t *error = NULL;
    char code[64];

    if (strcmp(text, "$code") == 0) {
        snprintf(code, sizeof code, "%s", run->code);
    } else if (strcmp(text, "wrong") == 0) {
        snprintf(code, sizeof code, "%s", run->code);
        code[0] = code[0] == '9' ? '0' : (char)(code[0] + 1);
    } else {
        snprintf(code, sizeof code, "%s", text);
    }
    if (form && strcmp(form, "SPACED") == 0) {
        snprintf(code, sizeof code, " %.3s %.3s\n", run->code, run->code + 3);
    } else if (form && strcmp(form, "FULL_WIDTH") == 0) {
        size_t length = 0;
        for (const char *digit = run->code; *digit; digit++)
            length += (size_t)snprintf(code + length, sizeof code - length, "\xEF\xBC%c", 0x90 + (*digit - '0'));
    }
    return succeeded(run, folio_auth_store_dispatch_submit_code(run->auth, code, &error), error);
}

static const char *user_of(struct run *run, const char *name)
{
    const char *user = lookup(run, name);

    if (!user) fail(run, "%s is not known yet", name);
    return user ? user : "";
}

/* ---- Vault ---- */

static int put_many(struct run *run, const struct scenario_field *records, size_t count)
{
    const char *keys[1000];
    const uint8_t *values[1000];
    size_t lengths[1000];
    folio_error_t *error = NULL;

    for (size_t i = 0; i < count; i++) {
        keys[i] = records[i].name;
        values[i] = (const uint8_t *)records[i].value;
        lengths[i] = strlen(records[i].value);
    }
    return succeeded(run, folio_vault_store_put_many(run->vault, keys, values, lengths, count, &error), error);
}

static int put_numbered(struct run *run, const char *prefix, int64_t count)
{
    static char keys[1000][64];
    struct scenario_field records[1000];

    for (int64_t first = 0; first < count; first += 1000) {
        size_t batch = count - first < 1000 ? (size_t)(count - first) : 1000;
        for (size_t i = 0; i < batch; i++) {
            snprintf(keys[i], sizeof keys[i], "%s%07" PRId64, prefix, first + (int64_t)i + 1);
            records[i].name = records[i].value = keys[i];
        }
        if (!put_many(run, records, batch)) return 0;
    }
    return 1;
}

static int delete_record(struct run *run, const char *key, int64_t expected)
{
    folio_error_t *error = NULL;
    int32_t deleted = 0;

    if (!succeeded(run, folio_vault_store_delete(run->vault, key, &deleted, &error), error)) return 0;
    return deleted == expected ? 1 : fail(run, "deleted is %d", deleted);
}

static int expect_get(struct run *run, const char *key, const char *expected)
{
    folio_vault_value_t *value = NULL;
    folio_error_t *error = NULL;
    size_t length;

    if (!succeeded(run, folio_vault_store_get(run->vault, key, &value, &error), error)) return 0;
    length = folio_vault_value_get_length(value);
    if (!value != !expected) fail(run, value ? "there is a record" : "there is no record");
    else if (value && (length != strlen(expected) || memcmp(folio_vault_value_get_data(value), expected, length) != 0))
        fail(run, "the value is \"%.*s\"", (int)length, (const char *)folio_vault_value_get_data(value));
    folio_vault_value_release(value);
    return !run->why[0];
}

static int expect_count(struct run *run, const char *prefix, int64_t expected)
{
    folio_error_t *error = NULL;
    int64_t count = -1;

    if (!succeeded(run, folio_vault_store_count(run->vault, prefix, &count, &error), error)) return 0;
    return count == expected ? 1 : fail(run, "there are %" PRId64, count);
}

/* Small pages, so that the cursor is used too. */
static int expect_keys(struct run *run, const char *prefix, const struct scenario_field *expected, size_t count)
{
    enum { LIMIT = 2 };
    char after[FOLIO_VAULT_KEY_MAX_BYTES + 1] = "";
    size_t seen = 0;
    int32_t in_page = LIMIT;

    while (in_page == LIMIT && !run->why[0]) {
        folio_vault_page_t *page = NULL;
        folio_error_t *error = NULL;
        folio_status_t status = folio_vault_store_list(run->vault, prefix, seen ? after : NULL, LIMIT, &page, &error);

        if (!succeeded(run, status, error)) return 0;
        in_page = folio_vault_page_get_count(page);
        for (int32_t i = 0; i < in_page; i++, seen++) {
            const char *key = folio_vault_page_get_key(page, i);
            snprintf(after, sizeof after, "%s", key);
            if (seen >= count || strcmp(expected[seen].name, key) != 0) {
                fail(run, "key %zu is \"%s\"", seen + 1, key);
                break;
            }
        }
        folio_vault_page_release(page);
    }
    return run->why[0] || seen == count ? !run->why[0] : fail(run, "there are %zu keys", seen);
}

/* The conflict copies, in one page; the scenarios never have more. */
static folio_vault_conflicts_t *list_conflicts(struct run *run)
{
    folio_vault_conflicts_t *conflicts = NULL;
    folio_error_t *error = NULL;

    succeeded(run, folio_vault_store_list_conflicts(run->vault, 0, &conflicts, &error), error);
    return conflicts;
}

static int expect_conflicts(struct run *run, const struct scenario_field *expected, size_t count)
{
    folio_vault_conflicts_t *conflicts = list_conflicts(run);
    size_t found = (size_t)folio_vault_conflicts_get_count(conflicts);

    for (size_t i = 0; i < found; i++) {
        const char *key = folio_vault_conflicts_get_key(conflicts, (int32_t)i);
        if (i >= count || strcmp(expected[i].name, key) != 0) fail(run, "copy %zu is of \"%s\"", i + 1, key);
    }
    if (found != count) fail(run, "there are %zu copies", found);
    folio_vault_conflicts_release(conflicts);
    return !run->why[0];
}

static int resolve_conflict(struct run *run, int keep)
{
    folio_vault_conflicts_t *conflicts = list_conflicts(run);
    int64_t id = folio_vault_conflicts_get_id(conflicts, 0);
    folio_error_t *error = NULL;

    folio_vault_conflicts_release(conflicts);
    return succeeded(run, (keep ? folio_vault_store_keep_conflict : folio_vault_store_drop_conflict)(run->vault, id, &error),
                     error);
}

/* ---- Scenarios ---- */

static enum store_kind store_of(const char *name)
{
    return strcmp(name, "session") == 0 ? SESSION : strcmp(name, "auth") == 0 ? AUTH : VAULT;
}

static int take_step(struct run *run, const struct scenario_step *step)
{
    folio_error_t *error = NULL;

    switch (step->kind) {
    case STEP_CREATE: return create(run, step->error);
    case STEP_SHUTDOWN: shut_down(run); return 1;
    case STEP_MOUNT: return mount(run, store_of(step->text));
    case STEP_SETTLE: return settle(run);
    case STEP_SIGN_IN: return succeeded(run, folio_auth_store_dispatch_sign_in(run->auth, step->text, &error), error);
    case STEP_SUBMIT_CODE: return submit_code(run, step->text, step->value);
    case STEP_RESEND_CODE: return succeeded(run, folio_auth_store_dispatch_resend_code(run->auth, &error), error);
    case STEP_CANCEL: return succeeded(run, folio_auth_store_dispatch_cancel(run->auth, &error), error);
    case STEP_SIGN_OUT:
        return succeeded(run, folio_session_store_dispatch(run->session, FOLIO_SESSION_ACTION_SIGN_OUT, &error), error);
    case STEP_DISMISS_NOTICE:
        return succeeded(
            run, folio_session_store_dispatch(run->session, FOLIO_SESSION_ACTION_DISMISS_NOTICE, &error), error);
    case STEP_RETRY_CARRY_OVER:
        return succeeded(
            run, folio_vault_store_dispatch(run->vault, FOLIO_VAULT_ACTION_RETRY_CARRY_OVER, &error), error);
    case STEP_RENEW: return succeeded(run, folio_sdk_renew(run->sdk, &error), error);
    case STEP_TAKE_MESSAGE: return take_message(run, step->text);
    case STEP_END_SESSIONS:
        return succeeded(run, folio_service_end_sessions(run->service, user_of(run, step->text), &error), error);
    case STEP_DELETE_ACCOUNT:
        return succeeded(run, folio_service_delete_account(run->service, user_of(run, step->text), &error), error);
    case STEP_SET_REACHABLE:
        return succeeded(run, folio_service_set_reachable(run->service, (int32_t)step->number, &error), error);
    case STEP_SET_GUEST_ACCOUNT:
        return succeeded(run, folio_service_set_guest_account(run->service, step->text, &error), error);
    case STEP_PUT: {
        folio_status_t status = folio_vault_store_put(
            run->vault, step->text, (const uint8_t *)step->value, strlen(step->value), &error);
        return ended_as(run, status, error, step->error);
    }
    case STEP_PUT_MANY: return put_many(run, step->records, step->record_count);
    case STEP_PUT_NUMBERED: return put_numbered(run, step->text, step->number);
    case STEP_DELETE: return delete_record(run, step->text, step->number);
    case STEP_KEEP_CONFLICT: return resolve_conflict(run, 1);
    case STEP_DROP_CONFLICT: return resolve_conflict(run, 0);
    case EXPECT_STATES: return expect_states(run, step, store_of(step->text));
    case EXPECT_NOTHING: return expect_nothing(run, store_of(step->text));
    case EXPECT_EVENTUALLY: return expect_eventually(run, step, store_of(step->text));
    case EXPECT_GET: return expect_get(run, step->text, step->value);
    case EXPECT_COUNT: return expect_count(run, step->text, step->number);
    case EXPECT_KEYS: return expect_keys(run, step->text, step->records, step->record_count);
    case EXPECT_CONFLICTS: return expect_conflicts(run, step->records, step->record_count);
    }
    return fail(run, "an unknown step");
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

static int replay(const struct scenario *scenario)
{
    struct run *run = calloc(1, sizeof *run);
    int passed;

    if (!run) abort();
    strcpy(run->directory, "/tmp/folio-scenario-XXXXXX");
    if (!mkdtemp(run->directory)) abort();
    for (size_t i = 0; i < scenario->step_count; i++) {
        const struct scenario_step *step = &scenario->steps[i];
        if (!take_step(run, step) || run->why[0]) {
            fail(run, "it failed");
            printf("FAILED %s, step %zu: %s\n  %s\n", scenario->name, i + 1, step->source, run->why);
            break;
        }
    }
    passed = !run->why[0];
    if (passed) printf("passed %s\n", scenario->name);
    fflush(stdout);

    shut_down(run);
    folio_service_close(run->service, NULL);
    folio_service_release(run->service);
    nftw(run->directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    for (int kind = 0; kind < STORE_KINDS; kind++) free(run->records[kind].items);
    free(run);
    return passed;
}

static int is_wanted(const char *name, int count, char **names)
{
    for (int i = 1; i < count; i++)
        if (strcmp(names[i], name) == 0) return 1;
    return count < 2;
}

int main(int count, char **arguments)
{
    int passed = 0, failed = 0;

    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++) {
        if (!is_wanted(scenarios[i].name, count, arguments)) continue;
        if (replay(&scenarios[i])) passed++;
        else failed++;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0 || passed == 0;
}
