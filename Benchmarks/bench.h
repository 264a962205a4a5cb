/* bench.h: what the parts of the benchmark share: clocks, rows of the table, directories, runtimes, and the bare SQLite
 * that Folio is compared with. */
#ifndef FOLIO_BENCH_H
#define FOLIO_BENCH_H

#include <folio.h>
#include <sqlite3.h>
#include <stdint.h>

/* Ends the benchmark with a reason when the call failed; the call may use `error`. */
#define CHECK(call)                                                                                             \
    do {                                                                                                        \
        folio_error_t *error = NULL;                                                                            \
        folio_status_t status = (call);                                                                         \
        if (status < 0)                                                                                         \
            stop("%s: %s", folio_status_get_name(status), error ? folio_error_get_message(error) : #call);      \
    } while (0)

void stop(const char *format, ...);

int64_t now_ns(void);
double median(double *values, int count);

/* One row: both measurements in `unit`, their ratio, and the target it should meet ("" when there is none). */
void section(const char *title);
void row(const char *what, double folio, double bare, const char *unit, const char *target);
void note(const char *format, ...);

/* A new directory below the benchmark's temporary one. */
const char *new_directory(void);

/* A figure of /proc/self/status in KiB or as a count, such as "VmRSS". */
long process_figure(const char *name);
int count_descriptors(void);

struct runtime {
    folio_sdk_t *sdk;
    folio_service_t *service;
    folio_session_store_t *session;
    folio_auth_store_t *auth;
    folio_vault_store_t *vault;
};
void start(struct runtime *runtime, const char *directory);
void end(struct runtime *runtime);
void settle(struct runtime *runtime);
/* Signs in; `before_code` runs between the message and the code. */
void sign_in(struct runtime *runtime, const char *email, void (*before_code)(struct runtime *));
/* Puts records of `size` bytes, a thousand a commit; keys are numbers of eight digits from `first` on. */
void put_many(struct runtime *runtime, int64_t first, int64_t count, size_t size);
int32_t carry_over(struct runtime *runtime);

/* A bare connection with the pragmas that Folio uses; `path` is made when it is missing. */
sqlite3 *open_bare(const char *path);
void execute(sqlite3 *database, const char *sql);
sqlite3_stmt *prepare(sqlite3 *database, const char *sql);
void step_and_reset(sqlite3_stmt *statement);
#define BARE_TABLE "CREATE TABLE record (key BLOB PRIMARY KEY, modified_at INTEGER, value BLOB) WITHOUT ROWID"

/* Runs this program again for one part, in a process of its own, and waits for it. Its output is this one's. */
void run_part(const char *part, const char *argument);

void bench_calls(void);
void bench_create(void);
void bench_commits(void);
void bench_vault(void);
void bench_scale(void);
void bench_carry_over(void);
void bench_load(void);

/* The parts that run in processes of their own. */
void part_scale_prepare(const char *directory);
void part_scale_runtimes(const char *directory);
void part_scale_bare(const char *directory);
void part_carry_over(const char *records);

#endif
