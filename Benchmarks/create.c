/* Restoring a saved session against opening an SQLite file and reading one row. */
#define _XOPEN_SOURCE 700

#include "bench.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 100 };

void bench_create(void)
{
    struct runtime runtime;
    folio_config_t *config;
    char directory[512], bare_path[600];
    double folio_ms[ROUNDS], bare_ms[ROUNDS], folio_all_ms[ROUNDS], bare_all_ms[ROUNDS];

    snprintf(directory, sizeof directory, "%s", new_directory());
    start(&runtime, directory);
    sign_in(&runtime, "ana@example.com", NULL);
    end(&runtime);

    snprintf(bare_path, sizeof bare_path, "%s/bare.sqlite", new_directory());
    sqlite3 *database = open_bare(bare_path);
    execute(database, BARE_TABLE);
    execute(database, "INSERT INTO record VALUES ('session', 0, zeroblob(1000))");
    sqlite3_close(database);

    CHECK(folio_config_create(&config, &error));
    CHECK(folio_config_set_data_directory(config, directory, &error));
    for (int i = 0; i < ROUNDS; i++) {
        folio_sdk_t *sdk;
        sqlite3_stmt *statement;
        int64_t begin = now_ns();

        CHECK(folio_sdk_create(config, &sdk, &error));
        folio_ms[i] = (double)(now_ns() - begin) / 1e6;
        CHECK(folio_sdk_shutdown(sdk, &error));
        folio_sdk_release(sdk);
        folio_all_ms[i] = (double)(now_ns() - begin) / 1e6;

        begin = now_ns();
        database = open_bare(bare_path);
        statement = prepare(database, "SELECT value FROM record WHERE key = 'session'");
        step_and_reset(statement);
        sqlite3_finalize(statement);
        bare_ms[i] = (double)(now_ns() - begin) / 1e6;
        sqlite3_close(database);
        bare_all_ms[i] = (double)(now_ns() - begin) / 1e6;
    }
    folio_config_release(config);
    section("Start");
    row("create, restoring an account / open and read a row", median(folio_ms, ROUNDS), median(bare_ms, ROUNDS), "ms",
        "target: at most 2");
    row("the same with shutdown / with close", median(folio_all_ms, ROUNDS), median(bare_all_ms, ROUNDS), "ms", "");
}
