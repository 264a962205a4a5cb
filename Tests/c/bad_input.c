/* bad_input.c: bad arguments, directories, keys and disks give a typed error with a message, clear their outs and change
 * nothing. What needs limits of the process runs in children forked before any runtime. */
#define _XOPEN_SOURCE 700
#include <fcntl.h>
#include <sys/resource.h>

#include "fixture.h"

static const char *const invalid_utf8[] = {"\xff", "a\xfe", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80"};
enum { INVALID_TEXTS = sizeof invalid_utf8 / sizeof invalid_utf8[0] };

static void configurations_check_their_values(void) {
    folio_config_t *config = NULL;
    folio_sdk_t *sdk = (folio_sdk_t *)1;
    uint8_t key[FOLIO_STORAGE_KEY_BYTES + 1] = {0};
    CHECK_FAILS(folio_config_create(NULL, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_OK(folio_config_create(&config, &error));
    CHECK_FAILS(folio_sdk_create(config, &sdk, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK(sdk == NULL);
    CHECK_FAILS(folio_config_set_data_directory(config, NULL, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_config_set_data_directory(config, "", &error), FOLIO_ERROR_INVALID_ARGUMENT);
    for (int each = 0; each < INVALID_TEXTS; each++)
        CHECK_FAILS(folio_config_set_data_directory(config, invalid_utf8[each], &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_config_set_storage_key(config, key, 0, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_config_set_storage_key(config, key, FOLIO_STORAGE_KEY_BYTES - 1, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_config_set_storage_key(config, key, FOLIO_STORAGE_KEY_BYTES + 1, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_config_set_storage_key(config, key, SIZE_MAX, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_config_set_storage_key(config, NULL, FOLIO_STORAGE_KEY_BYTES, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_config_set_timeout_ms(config, 0, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_config_set_timeout_ms(config, INT32_MIN, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_config_set_embedded_token_life(config, 0, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_config_set_embedded_token_life(config, INT64_MIN, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    /* Refused values changed nothing. */
    CHECK_OK(folio_config_set_data_directory(config, new_path(), &error));
    CHECK_FAILS(folio_sdk_create(config, NULL, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_OK(folio_sdk_create(config, &sdk, &error));
    end_runtime(sdk);
    folio_config_release(config);
}

static void extreme_values_are_taken(void) {
    folio_config_t *config = new_config(new_path());
    folio_sdk_t *sdk = NULL;
    CHECK_OK(folio_config_set_timeout_ms(config, INT32_MAX, &error));
    CHECK_OK(folio_config_set_embedded_token_life(config, INT64_MAX, &error));
    CHECK_OK(folio_sdk_create(config, &sdk, &error));
    CHECK_OK(folio_sdk_renew(sdk, &error));
    CHECK_OK(folio_sdk_wait_events(sdk, 0, NULL, &error));
    end_runtime(sdk);
    folio_config_release(config);
}

static void a_configuration_may_be_used_again_and_changed_later(void) {
    const char *first = new_path(), *second = new_path();
    folio_config_t *config = new_config(first);
    folio_sdk_t *one = NULL, *two = NULL;
    CHECK_OK(folio_sdk_create(config, &one, &error));
    CHECK_OK(folio_config_set_data_directory(config, second, &error));
    CHECK_OK(folio_sdk_create(config, &two, &error));
    CHECK_INT(access(first, F_OK), 0);
    CHECK_INT(access(second, F_OK), 0);
    folio_config_release(config);
    end_runtime(one);
    end_runtime(two);
}

static void texts_must_be_utf8(void) {
    folio_sdk_t *sdk = new_runtime();
    folio_auth_store_t *auth = new_auth_store(sdk);
    folio_vault_store_t *vault = new_vault_store(sdk);
    folio_service_t *service = new_service(sdk);
    folio_auth_state_t *state = NULL;
    folio_vault_value_t *value = (folio_vault_value_t *)1;
    folio_vault_page_t *page = (folio_vault_page_t *)1;
    int64_t count = 7;
    settle(sdk);
    for (int each = -1; each < INVALID_TEXTS; each++) {
        const char *text = each < 0 ? NULL : invalid_utf8[each];
        CHECK_FAILS(folio_auth_store_dispatch_sign_in(auth, text, &error), FOLIO_ERROR_INVALID_ARGUMENT);
        CHECK_FAILS(folio_auth_store_dispatch_submit_code(auth, text, &error), FOLIO_ERROR_INVALID_ARGUMENT);
        CHECK_FAILS(folio_vault_store_put(vault, text, NULL, 0, &error), FOLIO_ERROR_INVALID_ARGUMENT);
        CHECK_FAILS(folio_vault_store_get(vault, text, &value, &error), FOLIO_ERROR_INVALID_ARGUMENT);
        CHECK(value == NULL);
        CHECK_FAILS(folio_vault_store_delete(vault, text, NULL, &error), FOLIO_ERROR_INVALID_ARGUMENT);
        CHECK_FAILS(folio_service_end_sessions(service, text, &error), FOLIO_ERROR_INVALID_ARGUMENT);
        CHECK_FAILS(folio_service_delete_account(service, text, &error), FOLIO_ERROR_INVALID_ARGUMENT);
        CHECK_FAILS(folio_service_set_guest_account(service, text, &error), FOLIO_ERROR_INVALID_ARGUMENT);
        if (text == NULL) continue;
        CHECK_FAILS(folio_vault_store_count(vault, text, &count, &error), FOLIO_ERROR_INVALID_ARGUMENT);
        CHECK_INT(count, 0);
        CHECK_FAILS(folio_vault_store_list(vault, text, NULL, 10, &page, &error), FOLIO_ERROR_INVALID_ARGUMENT);
        CHECK_FAILS(folio_vault_store_list(vault, NULL, text, 10, &page, &error), FOLIO_ERROR_INVALID_ARGUMENT);
        CHECK(page == NULL);
    }
    CHECK_INT(folio_sdk_get_pending(sdk), 0);
    settle(sdk);
    CHECK_OK(folio_auth_store_get_state(auth, &state, &error));
    CHECK_INT(folio_auth_state_get_type(state), FOLIO_AUTH_STATE_IDLE);
    folio_auth_state_release(state);
    CHECK_OK(folio_vault_store_count(vault, NULL, &count, &error));
    CHECK_INT(count, 0);
    folio_service_release(service);
    folio_vault_store_release(vault);
    folio_auth_store_release(auth);
    end_runtime(sdk);
}

static void unknown_actions_and_users_are_refused(void) {
    folio_sdk_t *sdk = new_runtime();
    folio_session_store_t *session = new_session_store(sdk);
    folio_vault_store_t *vault = new_vault_store(sdk);
    folio_service_t *service = new_service(sdk);
    static const int32_t actions[] = {0, -1, 3, INT32_MAX, INT32_MIN};
    for (int each = 0; each < 5; each++) {
        CHECK_FAILS(folio_session_store_dispatch(session, actions[each], &error), FOLIO_ERROR_INVALID_ARGUMENT);
        CHECK_FAILS(folio_vault_store_dispatch(vault, actions[each], &error), FOLIO_ERROR_INVALID_ARGUMENT);
    }
    CHECK_FAILS(folio_service_end_sessions(service, "nobody", &error), FOLIO_ERROR_NOT_FOUND);
    CHECK_FAILS(folio_service_delete_account(service, "", &error), FOLIO_ERROR_NOT_FOUND);
    CHECK_FAILS(folio_service_set_guest_account(service, "not an address", &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_INT(folio_sdk_get_pending(sdk), 0);
    folio_service_release(service);
    folio_vault_store_release(vault);
    folio_session_store_release(session);
    end_runtime(sdk);
}

static void required_outs_must_not_be_null(void) {
    folio_sdk_t *sdk = new_runtime();
    folio_session_store_t *session = new_session_store(sdk);
    folio_auth_store_t *auth = new_auth_store(sdk);
    folio_vault_store_t *vault = new_vault_store(sdk);
    folio_vault_transaction_t *transaction = NULL;
    folio_service_t *service = new_service(sdk);
    settle(sdk);
    CHECK_OK(folio_vault_transaction_begin(vault, &transaction, &error));
    CHECK_FAILS(folio_sdk_copy_session_state(sdk, NULL, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_sdk_get_embedded_service(sdk, NULL, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_session_store_mount(sdk, NULL, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_auth_store_mount(sdk, NULL, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_vault_store_mount(sdk, NULL, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_session_store_get_state(session, NULL, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_auth_store_get_state(auth, NULL, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_vault_store_get_state(vault, NULL, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_vault_store_get(vault, "key", NULL, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_vault_store_count(vault, NULL, NULL, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_vault_store_list(vault, NULL, NULL, 10, NULL, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_vault_store_list_conflicts(vault, 0, NULL, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_vault_store_get_conflict(vault, 1, NULL, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_vault_transaction_begin(vault, NULL, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_vault_transaction_get(transaction, "key", NULL, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_service_next_message(service, NULL, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    folio_vault_transaction_release(transaction);
    folio_service_release(service);
    folio_vault_store_release(vault);
    folio_auth_store_release(auth);
    folio_session_store_release(session);
    end_runtime(sdk);
}

static void refuse_directory(const char *path) {
    folio_config_t *config = new_config(path);
    folio_sdk_t *sdk = (folio_sdk_t *)1;
    folio_error_t *error = NULL;
    CHECK_INT(folio_sdk_create(config, &sdk, &error), FOLIO_ERROR_STORAGE);
    check_error(error, FOLIO_ERROR_STORAGE, __LINE__);
    CHECK_INT(folio_error_get_kind(error), FOLIO_ERROR_KIND_STORAGE);
    CHECK(sdk == NULL);
    folio_error_release(error);
    folio_config_release(config);
}

static void directories_that_cannot_be_used_are_refused(void) {
    const char *file = new_path();
    char below[160], long_path[5000];
    FILE *made = fopen(file, "w");
    REQUIRE(made != NULL && fputs("kept", made) >= 0 && fclose(made) == 0);
    refuse_directory(file);
    snprintf(below, sizeof below, "%s/folder", file);
    refuse_directory(below);
    refuse_directory("/proc/no-such-folder/here");
    memset(long_path, 'a', sizeof long_path - 1);
    long_path[0] = '/';
    long_path[sizeof long_path - 1] = 0;
    refuse_directory(long_path);
    {
        char text[8] = "";
        made = fopen(file, "r");
        REQUIRE(made != NULL);
        CHECK(fgets(text, sizeof text, made) != NULL);
        CHECK_TEXT(text, "kept");
        fclose(made);
    }
}

static void missing_folders_are_made_for_their_owner_alone(void) {
    char deep[160];
    struct stat status;
    snprintf(deep, sizeof deep, "%s/one/two/three", new_path());
    end_runtime(open_runtime(deep));
    CHECK_INT(stat(deep, &status), 0);
    CHECK_INT(status.st_mode & 0777, 0700);
}

static void another_storage_key_is_refused_and_the_file_stays(void) {
    const char *directory = new_path();
    uint8_t right[FOLIO_STORAGE_KEY_BYTES], wrong[FOLIO_STORAGE_KEY_BYTES];
    folio_config_t *config = new_config(directory);
    folio_sdk_t *sdk = NULL;
    folio_session_state_t *state = NULL;
    char user[64];
    memset(right, 1, sizeof right);
    memset(wrong, 2, sizeof wrong);
    CHECK_OK(folio_config_set_storage_key(config, right, sizeof right, &error));
    CHECK_OK(folio_sdk_create(config, &sdk, &error));
    CHECK_OK(folio_sdk_copy_session_state(sdk, &state, &error));
    snprintf(user, sizeof user, "%s", folio_session_state_get_user_id(state));
    folio_session_state_release(state);
    end_runtime(sdk);
    CHECK_OK(folio_config_set_storage_key(config, wrong, sizeof wrong, &error));
    CHECK_FAILS(folio_sdk_create(config, &sdk, &error), FOLIO_ERROR_STORAGE);
    CHECK_OK(folio_config_set_storage_key(config, right, sizeof right, &error));
    CHECK_OK(folio_sdk_create(config, &sdk, &error));
    CHECK_OK(folio_sdk_copy_session_state(sdk, &state, &error));
    CHECK_TEXT(folio_session_state_get_user_id(state), user);
    folio_session_state_release(state);
    end_runtime(sdk);
    folio_config_release(config);
}

static void limit_files(rlim_t bytes) {
    struct rlimit limit;
    REQUIRE(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    limit.rlim_cur = bytes;
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

static void create_on_a_full_disk(void) {
    const char *directory = new_path();
    folio_config_t *config = new_config(directory);
    folio_sdk_t *sdk = (folio_sdk_t *)1;
    limit_files(1024);
    CHECK_FAILS(folio_sdk_create(config, &sdk, &error), FOLIO_ERROR_STORAGE);
    CHECK(sdk == NULL);
    limit_files(RLIM_INFINITY);
    CHECK_OK(folio_sdk_create(config, &sdk, &error));
    end_runtime(sdk);
    folio_config_release(config);
}

static void a_full_disk_fails_create_and_leaves_nothing_half_made(void) { CHECK_INT(in_child(create_on_a_full_disk), 0); }

static void write_on_a_full_disk(void) {
    static uint8_t large[4 * 1024 * 1024];
    folio_sdk_t *sdk = new_runtime();
    folio_vault_store_t *vault = new_vault_store(sdk);
    folio_vault_value_t *value = NULL;
    const uint8_t *pair[2];
    const char *keys[2] = {"small", "large"};
    size_t lengths[2] = {1, sizeof large};
    pair[0] = (const uint8_t *)"y", pair[1] = large;
    settle(sdk);
    CHECK_OK(folio_vault_store_put(vault, "small", (const uint8_t *)"x", 1, &error));
    limit_files(1024 * 1024);
    CHECK_FAILS(folio_vault_store_put(vault, "large", large, sizeof large, &error), FOLIO_ERROR_STORAGE);
    CHECK_FAILS(folio_vault_store_put_many(vault, keys, pair, lengths, 2, &error), FOLIO_ERROR_STORAGE);
    /* What was there is there, and small writes that fit still work or fail alike. */
    CHECK_OK(folio_vault_store_get(vault, "small", &value, &error));
    CHECK_INT(folio_vault_value_get_length(value), 1);
    CHECK_INT(folio_vault_value_get_data(value)[0], 'x');
    folio_vault_value_release(value);
    CHECK_OK(folio_vault_store_get(vault, "large", &value, &error));
    CHECK(value == NULL);
    limit_files(RLIM_INFINITY);
    CHECK_OK(folio_vault_store_put(vault, "large", large, sizeof large, &error));
    CHECK_OK(folio_vault_store_get(vault, "large", &value, &error));
    CHECK_INT(folio_vault_value_get_length(value), sizeof large);
    folio_vault_value_release(value);
    folio_vault_store_release(vault);
    end_runtime(sdk);
}

static void a_full_disk_fails_the_write_and_keeps_what_was_there(void) { CHECK_INT(in_child(write_on_a_full_disk), 0); }

static void open_without_permission(void) {
    const char *directory = new_path();
    folio_sdk_t *sdk;
    if (geteuid() == 0 && (chmod(fixture_base, 0777) != 0 || setuid(65534) != 0)) return;
    sdk = open_runtime(directory);
    end_runtime(sdk);
    REQUIRE(chmod(directory, 0500) == 0);
    {
        folio_config_t *config = new_config(directory);
        folio_status_t status = folio_sdk_create(config, &sdk, NULL);
        CHECK_INT(status, FOLIO_ERROR_STORAGE);
        folio_config_release(config);
    }
    REQUIRE(chmod(directory, 0700) == 0);
    sdk = open_runtime(directory);
    end_runtime(sdk);
}

static void a_read_only_directory_is_refused_and_stays(void) { CHECK_INT(in_child(open_without_permission), 0); }

int main(void) {
    fixture_begin();
    /* The children first: they must be forked before any runtime. */
    RUN(a_full_disk_fails_create_and_leaves_nothing_half_made);
    RUN(a_full_disk_fails_the_write_and_keeps_what_was_there);
    RUN(a_read_only_directory_is_refused_and_stays);
    RUN(configurations_check_their_values);
    RUN(extreme_values_are_taken);
    RUN(a_configuration_may_be_used_again_and_changed_later);
    RUN(texts_must_be_utf8);
    RUN(unknown_actions_and_users_are_refused);
    RUN(required_outs_must_not_be_null);
    RUN(directories_that_cannot_be_used_are_refused);
    RUN(missing_folders_are_made_for_their_owner_alone);
    RUN(another_storage_key_is_refused_and_the_file_stays);
    return check_end();
}
