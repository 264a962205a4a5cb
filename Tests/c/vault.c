/* vault.c: what is particular to C in the vault's functions: lengths and NULL, limits, borrowed bytes and texts, indexes
 * outside of a page, outs, and transactions. */
#define _XOPEN_SOURCE 700
#include <pthread.h>

#include "fixture.h"

static folio_sdk_t *sdk;
static folio_vault_store_t *vault;

static void begin(void) {
    sdk = new_runtime();
    vault = new_vault_store(sdk);
    settle(sdk);
}

static void end(void) {
    folio_vault_store_release(vault);
    end_runtime(sdk);
}

static void check_value(const char *key, const void *bytes, size_t length) {
    folio_vault_value_t *value = NULL;
    CHECK_OK(folio_vault_store_get(vault, key, &value, &error));
    CHECK(value != NULL);
    CHECK_INT(folio_vault_value_get_length(value), length);
    CHECK(folio_vault_value_get_data(value) != NULL);
    if (folio_vault_value_get_data(value) != NULL && length > 0)
        CHECK(memcmp(folio_vault_value_get_data(value), bytes, length) == 0);
    CHECK(folio_vault_value_get_modified_at(value) > 1600000000000);
    folio_vault_value_release(value);
}

static void check_absent(const char *key) {
    folio_vault_value_t *value = (folio_vault_value_t *)1;
    CHECK_OK(folio_vault_store_get(vault, key, &value, &error));
    CHECK(value == NULL);
}

static void values_are_bytes_of_any_kind_and_length(void) {
    static uint8_t large[FOLIO_VAULT_VALUE_MAX_BYTES + 1];
    for (size_t index = 0; index < sizeof large; index++) large[index] = (uint8_t)(index * 31 + index / 257);
    begin();
    CHECK_OK(folio_vault_store_put(vault, "empty", NULL, 0, &error));
    check_value("empty", "", 0);
    CHECK_OK(folio_vault_store_put(vault, "nul", (const uint8_t *)"a\0b\xff", 4, &error));
    check_value("nul", "a\0b\xff", 4);
    CHECK_OK(folio_vault_store_put(vault, "large", large, FOLIO_VAULT_VALUE_MAX_BYTES, &error));
    check_value("large", large, FOLIO_VAULT_VALUE_MAX_BYTES);
    CHECK_FAILS(folio_vault_store_put(vault, "large", large, sizeof large, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_vault_store_put(vault, "large", large, SIZE_MAX, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_vault_store_put(vault, "large", NULL, 1, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    check_value("large", large, FOLIO_VAULT_VALUE_MAX_BYTES);
    end();
}

static void keys_have_1_to_1024_bytes(void) {
    char key[FOLIO_VAULT_KEY_MAX_BYTES + 2];
    folio_vault_value_t *value = (folio_vault_value_t *)1;
    begin();
    memset(key, 'k', sizeof key);
    key[FOLIO_VAULT_KEY_MAX_BYTES] = 0;
    CHECK_OK(folio_vault_store_put(vault, key, (const uint8_t *)"x", 1, &error));
    check_value(key, "x", 1);
    key[FOLIO_VAULT_KEY_MAX_BYTES] = 'k';
    key[FOLIO_VAULT_KEY_MAX_BYTES + 1] = 0;
    CHECK_FAILS(folio_vault_store_put(vault, key, (const uint8_t *)"x", 1, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_vault_store_get(vault, key, &value, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK(value == NULL);
    CHECK_FAILS(folio_vault_store_put(vault, "", (const uint8_t *)"x", 1, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_vault_store_delete(vault, "", NULL, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_OK(folio_vault_store_put(vault, "\xc3\xa9 \xf0\x9f\x99\x82", (const uint8_t *)"x", 1, &error));
    check_value("\xc3\xa9 \xf0\x9f\x99\x82", "x", 1);
    end();
}

static void delete_tells_whether_there_was_one(void) {
    int32_t deleted = 7;
    begin();
    CHECK_OK(folio_vault_store_put(vault, "key", (const uint8_t *)"x", 1, &error));
    CHECK_OK(folio_vault_store_delete(vault, "key", &deleted, &error));
    CHECK_INT(deleted, 1);
    check_absent("key");
    CHECK_OK(folio_vault_store_delete(vault, "key", &deleted, &error));
    CHECK_INT(deleted, 0);
    CHECK_OK(folio_vault_store_delete(vault, "key", NULL, &error));
    end();
}

static void put_many_writes_all_or_none(void) {
    const char *keys[3] = {"a", "b", "a"};
    const uint8_t *values[3] = {(const uint8_t *)"1", NULL, (const uint8_t *)"33"};
    size_t lengths[3] = {1, 0, 2};
    int64_t count = 0;
    begin();
    CHECK_OK(folio_vault_store_put_many(vault, keys, values, lengths, 3, &error));
    check_value("a", "33", 2);
    check_value("b", "", 0);
    keys[0] = "new", keys[1] = "", keys[2] = "other";
    CHECK_FAILS(folio_vault_store_put_many(vault, keys, values, lengths, 3, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    keys[1] = NULL;
    CHECK_FAILS(folio_vault_store_put_many(vault, keys, values, lengths, 3, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    keys[1] = "\xff";
    CHECK_FAILS(folio_vault_store_put_many(vault, keys, values, lengths, 3, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    keys[1] = "null", lengths[1] = 1;
    CHECK_FAILS(folio_vault_store_put_many(vault, keys, values, lengths, 3, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_vault_store_put_many(vault, keys, values, lengths, 0, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_vault_store_put_many(vault, keys, values, lengths, SIZE_MAX, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_vault_store_put_many(vault, NULL, values, lengths, 1, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_vault_store_put_many(vault, keys, NULL, lengths, 1, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_vault_store_put_many(vault, keys, values, NULL, 1, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_OK(folio_vault_store_count(vault, NULL, &count, &error));
    CHECK_INT(count, 2);
    end();
}

static void pages_list_keys_in_order(void) {
    folio_vault_page_t *page = NULL;
    int64_t count = 0;
    begin();
    CHECK_OK(folio_vault_store_put(vault, "b/2", (const uint8_t *)"22", 2, &error));
    CHECK_OK(folio_vault_store_put(vault, "a", NULL, 0, &error));
    CHECK_OK(folio_vault_store_put(vault, "b/1", (const uint8_t *)"1", 1, &error));
    CHECK_OK(folio_vault_store_count(vault, "b/", &count, &error));
    CHECK_INT(count, 2);
    CHECK_OK(folio_vault_store_count(vault, "", &count, &error));
    CHECK_INT(count, 3);
    CHECK_OK(folio_vault_store_list(vault, NULL, NULL, 2, &page, &error));
    CHECK_INT(folio_vault_page_get_count(page), 2);
    CHECK_TEXT(folio_vault_page_get_key(page, 0), "a");
    CHECK_TEXT(folio_vault_page_get_key(page, 1), "b/1");
    CHECK_INT(folio_vault_page_get_length(page, 1), 1);
    CHECK(folio_vault_page_get_modified_at(page, 1) > 1600000000000);
    {
        static const int32_t outside[] = {-1, 2, INT32_MIN, INT32_MAX};
        for (int each = 0; each < 4; each++) {
            CHECK(folio_vault_page_get_key(page, outside[each]) == NULL);
            CHECK_INT(folio_vault_page_get_length(page, outside[each]), 0);
            CHECK_INT(folio_vault_page_get_modified_at(page, outside[each]), 0);
        }
    }
    {
        folio_vault_page_t *next = NULL;
        CHECK_OK(folio_vault_store_list(vault, "", folio_vault_page_get_key(page, 1), 2, &next, &error));
        CHECK_INT(folio_vault_page_get_count(next), 1);
        CHECK_TEXT(folio_vault_page_get_key(next, 0), "b/2");
        folio_vault_page_release(next);
    }
    folio_vault_page_release(page);
    CHECK_OK(folio_vault_store_list(vault, "none", NULL, FOLIO_VAULT_PAGE_MAX_RECORDS, &page, &error));
    CHECK(page != NULL);
    CHECK_INT(folio_vault_page_get_count(page), 0);
    CHECK(folio_vault_page_get_key(page, 0) == NULL);
    folio_vault_page_release(page);
    {
        static const int32_t limits[] = {0, -1, FOLIO_VAULT_PAGE_MAX_RECORDS + 1, INT32_MAX, INT32_MIN};
        for (int each = 0; each < 5; each++) {
            page = (folio_vault_page_t *)1;
            CHECK_FAILS(folio_vault_store_list(vault, NULL, NULL, limits[each], &page, &error),
                        FOLIO_ERROR_INVALID_ARGUMENT);
            CHECK(page == NULL);
        }
    }
    end();
}

static void conflicts_that_do_not_exist_are_not_found(void) {
    folio_vault_conflicts_t *conflicts = NULL;
    folio_vault_value_t *value = (folio_vault_value_t *)1;
    begin();
    CHECK_OK(folio_vault_store_list_conflicts(vault, 0, &conflicts, &error));
    CHECK(conflicts != NULL);
    CHECK_INT(folio_vault_conflicts_get_count(conflicts), 0);
    CHECK_INT(folio_vault_conflicts_get_id(conflicts, 0), 0);
    CHECK(folio_vault_conflicts_get_key(conflicts, 0) == NULL);
    CHECK_INT(folio_vault_conflicts_get_modified_at(conflicts, -1), 0);
    folio_vault_conflicts_release(conflicts);
    CHECK_FAILS(folio_vault_store_keep_conflict(vault, 1, &error), FOLIO_ERROR_NOT_FOUND);
    CHECK_FAILS(folio_vault_store_drop_conflict(vault, INT64_MIN, &error), FOLIO_ERROR_NOT_FOUND);
    CHECK_FAILS(folio_vault_store_get_conflict(vault, 0, &value, &error), FOLIO_ERROR_NOT_FOUND);
    CHECK(value == NULL);
    end();
}

static folio_vault_transaction_t *new_transaction(void) {
    folio_vault_transaction_t *transaction = NULL;
    CHECK_OK(folio_vault_transaction_begin(vault, &transaction, &error));
    return transaction;
}

static void a_transaction_reads_its_own_writes_and_applies_all(void) {
    folio_vault_transaction_t *transaction;
    folio_vault_value_t *value = NULL;
    int32_t deleted = 7;
    begin();
    CHECK_OK(folio_vault_store_put(vault, "old", (const uint8_t *)"1", 1, &error));
    transaction = new_transaction();
    CHECK_OK(folio_vault_transaction_put(transaction, "new", (const uint8_t *)"2", 1, &error));
    CHECK_OK(folio_vault_transaction_delete(transaction, "old", &deleted, &error));
    CHECK_INT(deleted, 1);
    CHECK_OK(folio_vault_transaction_delete(transaction, "old", &deleted, &error));
    CHECK_INT(deleted, 0);
    CHECK_OK(folio_vault_transaction_get(transaction, "old", &value, &error));
    CHECK(value == NULL);
    CHECK_OK(folio_vault_transaction_get(transaction, "new", &value, &error));
    CHECK_INT(folio_vault_value_get_length(value), 1);
    CHECK_INT(folio_vault_value_get_modified_at(value), 0);
    folio_vault_value_release(value);
    check_value("old", "1", 1);
    check_absent("new");
    CHECK_OK(folio_vault_transaction_commit(transaction, &error));
    check_absent("old");
    check_value("new", "2", 1);
    CHECK_FAILS(folio_vault_transaction_commit(transaction, &error), FOLIO_ERROR_CLOSED);
    CHECK_FAILS(folio_vault_transaction_put(transaction, "x", NULL, 0, &error), FOLIO_ERROR_CLOSED);
    CHECK_FAILS(folio_vault_transaction_get(transaction, "x", &value, &error), FOLIO_ERROR_CLOSED);
    CHECK_FAILS(folio_vault_transaction_delete(transaction, "x", &deleted, &error), FOLIO_ERROR_CLOSED);
    folio_vault_transaction_release(transaction);
    end();
}

static void a_released_transaction_writes_nothing(void) {
    folio_vault_transaction_t *transaction;
    begin();
    transaction = new_transaction();
    CHECK_OK(folio_vault_transaction_put(transaction, "key", (const uint8_t *)"1", 1, &error));
    folio_vault_transaction_release(transaction);
    check_absent("key");
    transaction = new_transaction();
    CHECK_OK(folio_vault_transaction_commit(transaction, &error));
    folio_vault_transaction_release(transaction);
    end();
}

static void bad_input_of_a_transaction_is_refused_at_once(void) {
    static uint8_t large[FOLIO_VAULT_VALUE_MAX_BYTES + 1];
    folio_vault_transaction_t *transaction;
    folio_vault_value_t *value = (folio_vault_value_t *)1;
    begin();
    transaction = new_transaction();
    CHECK_FAILS(folio_vault_transaction_put(transaction, NULL, NULL, 0, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_vault_transaction_put(transaction, "", NULL, 0, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_vault_transaction_put(transaction, "\xff", NULL, 0, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_vault_transaction_put(transaction, "key", NULL, 1, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_vault_transaction_put(transaction, "key", large, sizeof large, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_FAILS(folio_vault_transaction_get(transaction, "", &value, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK(value == NULL);
    CHECK_FAILS(folio_vault_transaction_delete(transaction, "", NULL, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    CHECK_OK(folio_vault_transaction_put(transaction, "key", (const uint8_t *)"1", 1, &error));
    CHECK_OK(folio_vault_transaction_commit(transaction, &error));
    check_value("key", "1", 1);
    folio_vault_transaction_release(transaction);
    end();
}

static void a_transaction_outlives_the_handle_of_its_store(void) {
    folio_vault_transaction_t *transaction;
    begin();
    transaction = new_transaction();
    folio_vault_store_release(vault);
    CHECK_OK(folio_vault_transaction_put(transaction, "key", (const uint8_t *)"1", 1, &error));
    CHECK_OK(folio_vault_transaction_commit(transaction, &error));
    folio_vault_transaction_release(transaction);
    vault = new_vault_store(sdk);
    settle(sdk);
    check_value("key", "1", 1);
    end();
}

static void a_value_outlives_the_runtime(void) {
    folio_vault_value_t *value = NULL;
    begin();
    CHECK_OK(folio_vault_store_put(vault, "key", (const uint8_t *)"value", 5, &error));
    CHECK_OK(folio_vault_store_get(vault, "key", &value, &error));
    end();
    CHECK(memcmp(folio_vault_value_get_data(value), "value", 5) == 0);
    folio_vault_value_release(value);
    CHECK(folio_vault_value_get_data(value) == NULL);
}

enum { WRITERS = 4, WRITES = 50 };

static void *write_records(void *number) {
    for (int each = 0; each < WRITES; each++) {
        char key[32];
        snprintf(key, sizeof key, "%d/%d", *(int *)number, each);
        if (folio_vault_store_put(vault, key, (const uint8_t *)key, strlen(key), NULL) != FOLIO_OK) abort();
    }
    return NULL;
}

static void any_thread_may_write(void) {
    pthread_t threads[WRITERS];
    int numbers[WRITERS];
    int64_t count = 0;
    begin();
    for (int each = 0; each < WRITERS; each++) {
        numbers[each] = each;
        REQUIRE(pthread_create(&threads[each], NULL, write_records, &numbers[each]) == 0);
    }
    for (int each = 0; each < WRITERS; each++) pthread_join(threads[each], NULL);
    CHECK_OK(folio_vault_store_count(vault, NULL, &count, &error));
    CHECK_INT(count, WRITERS * WRITES);
    end();
}

static void after_a_sign_out_a_store_reaches_no_other_vault(void) {
    folio_session_store_t *session;
    folio_vault_transaction_t *transaction;
    folio_vault_value_t *value = (folio_vault_value_t *)1;
    int32_t deleted = 7;
    int64_t count = 7;
    begin();
    CHECK_OK(folio_vault_store_put(vault, "key", (const uint8_t *)"1", 1, &error));
    transaction = new_transaction();
    CHECK_OK(folio_vault_transaction_put(transaction, "key", (const uint8_t *)"2", 1, &error));
    session = new_session_store(sdk);
    CHECK_OK(folio_session_store_dispatch(session, FOLIO_SESSION_ACTION_SIGN_OUT, &error));
    settle(sdk);
    /* The new guest's vault is another; the transaction belongs to the old one. */
    CHECK_FAILS(folio_vault_transaction_commit(transaction, &error), FOLIO_ERROR_VAULT_NOT_RUNNING);
    CHECK_OK(folio_vault_store_get(vault, "key", &value, &error));
    CHECK(value == NULL);
    CHECK_OK(folio_vault_store_delete(vault, "key", &deleted, &error));
    CHECK_INT(deleted, 0);
    CHECK_OK(folio_vault_store_count(vault, NULL, &count, &error));
    CHECK_INT(count, 0);
    folio_vault_transaction_release(transaction);
    folio_session_store_release(session);
    end();
}

int main(void) {
    fixture_begin();
    RUN(values_are_bytes_of_any_kind_and_length);
    RUN(keys_have_1_to_1024_bytes);
    RUN(delete_tells_whether_there_was_one);
    RUN(put_many_writes_all_or_none);
    RUN(pages_list_keys_in_order);
    RUN(conflicts_that_do_not_exist_are_not_found);
    RUN(a_transaction_reads_its_own_writes_and_applies_all);
    RUN(a_released_transaction_writes_nothing);
    RUN(bad_input_of_a_transaction_is_refused_at_once);
    RUN(a_transaction_outlives_the_handle_of_its_store);
    RUN(a_value_outlives_the_runtime);
    RUN(any_thread_may_write);
    RUN(after_a_sign_out_a_store_reaches_no_other_vault);
    return check_end();
}
