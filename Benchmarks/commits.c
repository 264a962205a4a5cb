/* Counts commits and requests. The write-ahead log's index counts its commits at a known place of the -shm file. It is
 * read by another process: closing a descriptor of the file in this one would drop SQLite's locks on it. Each request
 * to the embedded service is one commit of its file. */
#define _XOPEN_SOURCE 700

#include "bench.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char directory[512];

static long commits_of(const char *name)
{
    char command[700];
    long count = -1;
    FILE *pipe;

    snprintf(command, sizeof command, "od -An -tu4 -j8 -N4 '%s/%s-shm'", directory, name);
    pipe = popen(command, "r");
    if (!pipe || fscanf(pipe, "%ld", &count) != 1) stop("cannot read the counter of %s", name);
    pclose(pipe);
    return count;
}

struct counts {
    long device, service;
};

/* What goes on in the background, such as a revocation, ends within moments: waits until nothing has changed for 200 ms. */
static struct counts count_now(struct runtime *runtime)
{
    struct counts counts = {-1, -1};

    for (;;) {
        struct timespec moment = {0, 200000000};
        struct counts later = {commits_of("folio.sqlite"), commits_of("service.sqlite")};
        if (later.device == counts.device && later.service == counts.service) return counts;
        counts = later;
        settle(runtime);
        nanosleep(&moment, NULL);
    }
}

static void report(const char *what, struct counts before, struct counts after, const char *target)
{
    note("%-44s %ld commits, %ld requests  (%s)", what, after.device - before.device, after.service - before.service,
         target);
}

static struct counts before_code;

static void count_before_code(struct runtime *runtime)
{
    before_code = count_now(runtime);
}

void bench_commits(void)
{
    struct runtime runtime;
    struct counts before, after;

    snprintf(directory, sizeof directory, "%s", new_directory());
    printf("\nCommits of the device's file and requests to the service\n");
    start(&runtime, directory);

    before = count_now(&runtime);
    CHECK(folio_sdk_renew(runtime.sdk, &error));
    after = count_now(&runtime);
    report("renewal", before, after, "target: 1 and 1");

    before = after;
    sign_in(&runtime, "ana@example.com", count_before_code);
    after = count_now(&runtime);
    /* One commit of the service was the message taken by this program. */
    after.service -= 1;
    report("sign-in and the previous session's revocation", before, after, "target: at most 3, and 2 + 1");

    before = count_now(&runtime);
    CHECK(folio_session_store_dispatch(runtime.session, FOLIO_SESSION_ACTION_SIGN_OUT, &error));
    settle(&runtime);
    report("sign-out", before, count_now(&runtime), "target: at most 3, and 2");
    end(&runtime);
}
