/* The vault against bare SQLite with the same pragmas and a bare table: nothing sealed, nothing counted. */
#define _XOPEN_SOURCE 700

#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE = 200, RECORDS = 100000, BATCH = 1000, PUTS = 500, ROUNDS = 20, GETS = 100000, LISTS = 50 };

struct bare {
    sqlite3 *database;
    sqlite3_stmt *begin, *insert, *commit, *get, *list;
};

static void bare_insert(struct bare *bare, int64_t number)
{
    static const char value[VALUE];
    char key[24];
    int length = snprintf(key, sizeof key, "%08ld", (long)number);

    sqlite3_bind_blob(bare->insert, 1, key, length, SQLITE_STATIC);
    sqlite3_bind_int64(bare->insert, 2, number);
    sqlite3_bind_blob(bare->insert, 3, value, VALUE, SQLITE_STATIC);
    step_and_reset(bare->insert);
}

static void bare_put_many(struct bare *bare, int64_t first, int64_t count)
{
    step_and_reset(bare->begin);
    for (int64_t i = 0; i < count; i++) bare_insert(bare, first + i);
    step_and_reset(bare->commit);
}

static void open_table(struct bare *bare)
{
    char path[600];

    snprintf(path, sizeof path, "%s/bare.sqlite", new_directory());
    bare->database = open_bare(path);
    execute(bare->database, BARE_TABLE);
    bare->begin = prepare(bare->database, "BEGIN IMMEDIATE");
    bare->insert = prepare(bare->database, "INSERT OR REPLACE INTO record VALUES (?, ?, ?)");
    bare->commit = prepare(bare->database, "COMMIT");
    bare->get = prepare(bare->database, "SELECT value FROM record WHERE key = ?");
    bare->list = prepare(
        bare->database, "SELECT key, length(value), modified_at FROM record WHERE key > ? ORDER BY key LIMIT 1000");
}

static double rate(int64_t count, int64_t nanoseconds)
{
    return (double)count * 1e9 / (double)nanoseconds;
}

static void get_folio(struct runtime *runtime, int64_t number)
{
    folio_vault_value_t *value;
    char key[24];

    snprintf(key, sizeof key, "%08ld", (long)number);
    CHECK(folio_vault_store_get(runtime->vault, key, &value, &error));
    if (folio_vault_value_get_length(value) != VALUE) stop("a record is missing");
    folio_vault_value_release(value);
}

static void get_bare(struct bare *bare, int64_t number)
{
    static char copy[VALUE];
    char key[24];
    int length = snprintf(key, sizeof key, "%08ld", (long)number);

    sqlite3_bind_blob(bare->get, 1, key, length, SQLITE_STATIC);
    if (sqlite3_step(bare->get) != SQLITE_ROW) stop("a row is missing");
    memcpy(copy, sqlite3_column_blob(bare->get, 0), VALUE);
    sqlite3_reset(bare->get);
}

static void list_folio(struct runtime *runtime, const char *after)
{
    folio_vault_page_t *page;
    int64_t sum = 0;

    CHECK(folio_vault_store_list(runtime->vault, NULL, after, 1000, &page, &error));
    for (int32_t i = 0; i < folio_vault_page_get_count(page); i++)
        sum += (int64_t)strlen(folio_vault_page_get_key(page, i)) + folio_vault_page_get_length(page, i)
            + folio_vault_page_get_modified_at(page, i);
    if (sum == 0) stop("the page is empty");
    folio_vault_page_release(page);
}

static void list_bare(struct bare *bare, const char *after)
{
    int64_t sum = 0;

    sqlite3_bind_blob(bare->list, 1, after, (int)strlen(after), SQLITE_STATIC);
    while (sqlite3_step(bare->list) == SQLITE_ROW) {
        char *key = strndup(sqlite3_column_blob(bare->list, 0), (size_t)sqlite3_column_bytes(bare->list, 0));
        sum += (int64_t)strlen(key) + sqlite3_column_int64(bare->list, 1) + sqlite3_column_int64(bare->list, 2);
        free(key);
    }
    if (sum == 0) stop("the page is empty");
    sqlite3_reset(bare->list);
}

void bench_vault(void)
{
    struct runtime runtime;
    struct bare bare;
    static const uint8_t value[VALUE];
    double folio_rate[ROUNDS], bare_rate[ROUNDS];
    int64_t begin;

    start(&runtime, new_directory());
    open_table(&bare);
    section("Vault (values of 200 bytes; ratios of rates: more is better)");

    for (int round = 0; round < ROUNDS; round++) {
        int64_t first = (int64_t)round * (PUTS / ROUNDS);
        begin = now_ns();
        for (int64_t i = first; i < first + PUTS / ROUNDS; i++) {
            char key[24];
            snprintf(key, sizeof key, "%08ld", (long)i);
            CHECK(folio_vault_store_put(runtime.vault, key, value, VALUE, &error));
        }
        folio_rate[round] = rate(PUTS / ROUNDS, now_ns() - begin);
        begin = now_ns();
        for (int64_t i = first; i < first + PUTS / ROUNDS; i++) bare_put_many(&bare, i, 1);
        bare_rate[round] = rate(PUTS / ROUNDS, now_ns() - begin);
    }
    row("durable put", median(folio_rate, ROUNDS), median(bare_rate, ROUNDS), "/s", "target: at least 0.8");

    for (int round = 0; round < ROUNDS; round++) {
        int64_t count = RECORDS / ROUNDS, first = (int64_t)round * count;
        begin = now_ns();
        put_many(&runtime, first, count, VALUE);
        folio_rate[round] = rate(count, now_ns() - begin) / 1000;
        begin = now_ns();
        for (int64_t done = 0; done < count; done += BATCH) bare_put_many(&bare, first + done, BATCH);
        bare_rate[round] = rate(count, now_ns() - begin) / 1000;
    }
    row("put_many of 1,000, records", median(folio_rate, ROUNDS), median(bare_rate, ROUNDS), "k/s", "target: at least 0.5");

    for (int round = 0; round < ROUNDS; round++) {
        int64_t number = round;
        begin = now_ns();
        for (int i = 0; i < GETS / ROUNDS; i++) get_folio(&runtime, number = (number * 7919 + 13) % RECORDS);
        folio_rate[round] = rate(GETS / ROUNDS, now_ns() - begin) / 1000;
        number = round;
        begin = now_ns();
        for (int i = 0; i < GETS / ROUNDS; i++) get_bare(&bare, number = (number * 7919 + 13) % RECORDS);
        bare_rate[round] = rate(GETS / ROUNDS, now_ns() - begin) / 1000;
    }
    row("get", median(folio_rate, ROUNDS), median(bare_rate, ROUNDS), "k/s", "target: at least 0.5");

    for (int round = 0; round < ROUNDS; round++) {
        char after[24];
        snprintf(after, sizeof after, "%08d", round * (RECORDS / ROUNDS));
        begin = now_ns();
        for (int i = 0; i < LISTS / 5; i++) list_folio(&runtime, after);
        folio_rate[round] = rate(1000 * (LISTS / 5), now_ns() - begin) / 1000;
        begin = now_ns();
        for (int i = 0; i < LISTS / 5; i++) list_bare(&bare, after);
        bare_rate[round] = rate(1000 * (LISTS / 5), now_ns() - begin) / 1000;
    }
    row("list, records", median(folio_rate, ROUNDS), median(bare_rate, ROUNDS), "k/s", "");

    end(&runtime);
    sqlite3_finalize(bare.begin);
    sqlite3_finalize(bare.insert);
    sqlite3_finalize(bare.commit);
    sqlite3_finalize(bare.get);
    sqlite3_finalize(bare.list);
    sqlite3_close(bare.database);
}
