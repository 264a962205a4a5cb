/* Many runtimes in one process, against as many bare connections to the same files. */
#define _XOPEN_SOURCE 700

#include "bench.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RUNTIMES = 1000 };

static int limit_runtimes(void)
{
    struct rlimit limit;
    int runtimes;

    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    getrlimit(RLIMIT_NOFILE, &limit);
    runtimes = limit.rlim_cur > 12 * RUNTIMES ? RUNTIMES : (int)(limit.rlim_cur / 12);
    return runtimes;
}

static void path_of(char *path, size_t size, const char *directory, int index)
{
    snprintf(path, size, "%s/%d", directory, index);
}

void part_scale_prepare(const char *directory)
{
    int runtimes = limit_runtimes();
    char path[600];

    for (int i = 0; i < runtimes; i++) {
        struct runtime runtime;
        path_of(path, sizeof path, directory, i);
        start(&runtime, path);
        end(&runtime);
    }
}

/* How many of this process's descriptors are open on a database file: each is one connection. */
static int count_connections(const char *ending)
{
    DIR *folder = opendir("/proc/self/fd");
    struct dirent *entry;
    int count = 0;

    if (!folder) stop("cannot read /proc/self/fd");
    while ((entry = readdir(folder))) {
        char link[300], target[600];
        ssize_t length;

        snprintf(link, sizeof link, "/proc/self/fd/%s", entry->d_name);
        length = readlink(link, target, sizeof target - 1);
        if (length < (ssize_t)strlen(ending)) continue;
        target[length] = 0;
        if (strcmp(target + length - strlen(ending), ending) == 0) count++;
    }
    closedir(folder);
    return count;
}

/* The results of one part, for the next: `FILE` in the directory of all. */
static FILE *results(const char *directory, const char *mode)
{
    char path[600];
    FILE *file;

    snprintf(path, sizeof path, "%s/results", directory);
    file = fopen(path, mode);
    if (!file) stop("cannot open %s", path);
    return file;
}

void part_scale_runtimes(const char *directory)
{
    int runtimes = limit_runtimes();
    struct runtime *all = calloc((size_t)runtimes, sizeof *all);
    long threads = process_figure("Threads"), memory = 0, descriptors = count_descriptors();
    char path[600];
    FILE *file;

    if (!all) stop("out of memory");
    /* The first runtime brings what all share: the thread, SQLite's and the language's own memory. */
    for (int i = 0; i < runtimes; i++) {
        folio_config_t *config;
        path_of(path, sizeof path, directory, i);
        CHECK(folio_config_create(&config, &error));
        CHECK(folio_config_set_data_directory(config, path, &error));
        CHECK(folio_sdk_create(config, &all[i].sdk, &error));
        folio_config_release(config);
        if (i == 0) memory = process_figure("VmRSS");
    }
    file = results(directory, "w");
    fprintf(file, "%d %ld %ld %ld %d %d\n", runtimes, process_figure("VmRSS") - memory,
            process_figure("Threads") - threads, count_descriptors() - descriptors, count_connections("/folio.sqlite"),
            count_connections("/service.sqlite"));
    fclose(file);
    for (int i = 0; i < runtimes; i++) folio_sdk_release(all[i].sdk);
    free(all);
}

static void open_and_read(const char *directory, const char *name)
{
    char path[700];
    sqlite3 *database;
    sqlite3_stmt *statement;

    snprintf(path, sizeof path, "%s/%s", directory, name);
    database = open_bare(path);
    statement = prepare(database, "SELECT count(*) FROM sqlite_schema");
    step_and_reset(statement);
    sqlite3_finalize(statement);
}

/* The connections stay open until the process ends. */
void part_scale_bare(const char *directory)
{
    FILE *file = results(directory, "r");
    int runtimes, device, service;
    long memory, threads, descriptors, bare_memory = 0;
    char path[600];

    limit_runtimes();
    if (fscanf(file, "%d %ld %ld %ld %d %d", &runtimes, &memory, &threads, &descriptors, &device, &service) != 6)
        stop("no results of the runtimes");
    fclose(file);
    for (int i = 0; i < runtimes; i++) {
        path_of(path, sizeof path, directory, i);
        for (int each = 0; each < device / runtimes; each++) open_and_read(path, "folio.sqlite");
        for (int each = 0; each < service / runtimes; each++) open_and_read(path, "service.sqlite");
        if (i == 0) bare_memory = process_figure("VmRSS");
    }
    bare_memory = process_figure("VmRSS") - bare_memory;
    section("Scale");
    note("%d runtimes in one process, each restored: %ld threads of the library's (target: at most 2)", runtimes, threads);
    row("memory a runtime / its SQLite connections, bare", (double)memory / runtimes, (double)bare_memory / runtimes,
        "KiB", "");
    note("memory beyond the connections: %.1f KiB a runtime (target: under 64)", (double)(memory - bare_memory) / runtimes);
    note("a runtime has %.1f connections and %.1f descriptors", (double)(device + service) / runtimes,
         (double)descriptors / runtimes);
}

void bench_scale(void)
{
    char directory[512];

    snprintf(directory, sizeof directory, "%s", new_directory());
    run_part("scale-prepare", directory);
    run_part("scale-runtimes", directory);
    run_part("scale-bare", directory);
}
