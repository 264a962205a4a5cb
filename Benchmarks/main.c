/* Measures Folio against bare baselines of the same run. BENCH_RECORDS lowers the largest carry-over. */
#define _XOPEN_SOURCE 700

#include "bench.h"

#include <dirent.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char base[256];
static const char *program;

void stop(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

void section(const char *title)
{
    printf("\n%-52s %14s %14s %8s\n", title, "folio", "bare", "ratio");
}

void row(const char *what, double folio, double bare, const char *unit, const char *target)
{
    printf("  %-50s %8.2f %-5s %8.2f %-5s %8.2f  %s\n", what, folio, unit, bare, unit, folio / bare, target);
    fflush(stdout);
}

void note(const char *format, ...)
{
    va_list arguments;

    printf("  ");
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    fflush(stdout);
}

const char *new_directory(void)
{
    static int count;
    static char path[sizeof base + 32];

    snprintf(path, sizeof path, "%s/%d", base, ++count);
    if (mkdir(path, 0700) != 0) stop("cannot make %s", path);
    return path;
}

long process_figure(const char *name)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long figure = -1;

    if (!file) stop("cannot read /proc/self/status");
    while (fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':') figure = atol(line + strlen(name) + 1);
    fclose(file);
    return figure;
}

int count_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = -3; /* ".", ".." and this one */

    if (!folder) stop("cannot read /proc/self/fd");
    while (readdir(folder)) count++;
    closedir(folder);
    return count;
}

/* ---- Runtimes ---- */

void start(struct runtime *runtime, const char *directory)
{
    folio_config_t *config;

    CHECK(folio_config_create(&config, &error));
    CHECK(folio_config_set_data_directory(config, directory, &error));
    CHECK(folio_sdk_create(config, &runtime->sdk, &error));
    folio_config_release(config);
    CHECK(folio_sdk_get_embedded_service(runtime->sdk, &runtime->service, &error));
    CHECK(folio_session_store_mount(runtime->sdk, &runtime->session, &error));
    CHECK(folio_auth_store_mount(runtime->sdk, &runtime->auth, &error));
    CHECK(folio_vault_store_mount(runtime->sdk, &runtime->vault, &error));
    settle(runtime);
}

void end(struct runtime *runtime)
{
    CHECK(folio_sdk_shutdown(runtime->sdk, &error));
    folio_session_store_release(runtime->session);
    folio_auth_store_release(runtime->auth);
    folio_vault_store_release(runtime->vault);
    folio_service_release(runtime->service);
    folio_sdk_release(runtime->sdk);
}

void settle(struct runtime *runtime)
{
    int32_t count = 0, pending = 0;

    do {
        pending = folio_sdk_get_pending(runtime->sdk);
        CHECK(folio_sdk_wait_events(runtime->sdk, pending > 0 ? -1 : 0, &count, &error));
    } while (pending > 0 || count > 0);
}

void sign_in(struct runtime *runtime, const char *email, void (*before_code)(struct runtime *))
{
    folio_message_t *message;

    CHECK(folio_auth_store_dispatch_sign_in(runtime->auth, email, &error));
    settle(runtime);
    CHECK(folio_service_next_message(runtime->service, &message, &error));
    if (!message) stop("no message for %s", email);
    if (before_code) before_code(runtime);
    CHECK(folio_auth_store_dispatch_submit_code(runtime->auth, folio_message_get_code(message), &error));
    folio_message_release(message);
    settle(runtime);
}

void put_many(struct runtime *runtime, int64_t first, int64_t count, size_t size)
{
    enum { BATCH = 1000 };
    static char keys[BATCH][24];
    static uint8_t value[4096];
    const char *key_list[BATCH];
    const uint8_t *values[BATCH];
    size_t lengths[BATCH];

    for (int64_t done = 0; done < count; done += BATCH) {
        size_t batch = count - done < BATCH ? (size_t)(count - done) : BATCH;
        for (size_t i = 0; i < batch; i++) {
            snprintf(keys[i], sizeof keys[i], "%08" PRId64, first + done + (int64_t)i);
            key_list[i] = keys[i];
            values[i] = value;
            lengths[i] = size;
        }
        CHECK(folio_vault_store_put_many(runtime->vault, key_list, values, lengths, batch, &error));
    }
}

int32_t carry_over(struct runtime *runtime)
{
    folio_vault_state_t *state;
    int32_t result;

    CHECK(folio_vault_store_get_state(runtime->vault, &state, &error));
    result = folio_vault_state_get_carry_over(state);
    folio_vault_state_release(state);
    return result;
}

/* ---- Bare SQLite ---- */

void execute(sqlite3 *database, const char *sql)
{
    if (sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK) stop("%s: %s", sql, sqlite3_errmsg(database));
}

sqlite3 *open_bare(const char *path)
{
    sqlite3 *database;

    if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
        stop("cannot open %s", path);
    execute(database, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON");
    return database;
}

sqlite3_stmt *prepare(sqlite3 *database, const char *sql)
{
    sqlite3_stmt *statement;

    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK)
        stop("%s: %s", sql, sqlite3_errmsg(database));
    return statement;
}

void step_and_reset(sqlite3_stmt *statement)
{
    int result = sqlite3_step(statement);

    if (result != SQLITE_ROW && result != SQLITE_DONE) stop("%s", sqlite3_errmsg(sqlite3_db_handle(statement)));
    sqlite3_reset(statement);
}

/* ---- Parts ---- */

void run_part(const char *part, const char *argument)
{
    int status;
    pid_t child;

    fflush(NULL);
    child = fork();
    if (child == 0) {
        execl(program, program, part, argument, (char *)NULL);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) stop("the part %s failed", part);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

static void remove_base(void)
{
    nftw(base, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void make_base(void)
{
    const char *folder = getenv("TMPDIR");

    snprintf(base, sizeof base, "%s/folio-bench-XXXXXX", folder && *folder ? folder : "/tmp");
    if (!mkdtemp(base)) stop("cannot make a directory in %s", folder ? folder : "/tmp");
    atexit(remove_base);
}

int main(int count, char **arguments)
{
    program = "/proc/self/exe";
    if (count == 3) {
        if (strcmp(arguments[1], "scale-prepare") == 0) part_scale_prepare(arguments[2]);
        else if (strcmp(arguments[1], "scale-runtimes") == 0) part_scale_runtimes(arguments[2]);
        else if (strcmp(arguments[1], "scale-bare") == 0) part_scale_bare(arguments[2]);
        else if (strcmp(arguments[1], "carry-over") == 0) {
            make_base();
            part_carry_over(arguments[2]);
        } else stop("unknown part %s", arguments[1]);
        return 0;
    }
    make_base();
    printf("Folio %s. Ratios are folio / bare unless the row says otherwise; each pair is measured alternately.\n",
           folio_version_string());
    bench_load();
    bench_calls();
    bench_create();
    bench_commits();
    bench_vault();
    bench_scale();
    bench_carry_over();
    return 0;
}
