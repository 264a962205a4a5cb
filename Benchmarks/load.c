/* The size of the library and the time a fresh process needs to load it. */
#define _XOPEN_SOURCE 700

#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static double load_ms(const char *library)
{
    const char *loader = getenv("BENCH_LOADER");
    char command[1200];
    double result = -1;
    FILE *pipe;

    snprintf(command, sizeof command, "'%s' '%s'", loader ? loader : "", library);
    pipe = popen(command, "r");
    if (!pipe || fscanf(pipe, "%lf", &result) != 1) stop("cannot time the load of %s", library);
    pclose(pipe);
    return result;
}

void bench_load(void)
{
    enum { ROUNDS = 21 };
    const char *library = getenv("FOLIO_LIBRARY");
    struct stat status;
    double folio_ms[ROUNDS], bare_ms[ROUNDS];

    if (!library || stat(library, &status) != 0) stop("FOLIO_LIBRARY names no library");
    for (int i = 0; i < ROUNDS; i++) {
        folio_ms[i] = load_ms(library);
        bare_ms[i] = load_ms("libsqlite3.so.0");
    }
    section("Library");
    row("load in a fresh process / libsqlite3", median(folio_ms, ROUNDS), median(bare_ms, ROUNDS), "ms",
        "target: under 10 ms");
    note("size: %.2f MiB stripped (target: under 16)", (double)status.st_size / (1024 * 1024));
}
