/* Carry-overs of growing size: the time of a record and the peak of memory must not grow with them. */
#define _XOPEN_SOURCE 700

#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t begin;
static long memory_before;

/* The peak counts from here. */
static void reset_peak(struct runtime *runtime)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");

    (void)runtime;
    if (!file || fputs("5", file) < 0 || fclose(file) != 0) stop("the peak of memory cannot be reset");
    memory_before = process_figure("VmRSS");
    begin = now_ns();
}

void part_carry_over(const char *records)
{
    int64_t count = strtoll(records, NULL, 10);
    struct runtime runtime;
    double seconds;

    start(&runtime, new_directory());
    put_many(&runtime, 0, count, 100);
    sign_in(&runtime, "ana@example.com", reset_peak);
    while (carry_over(&runtime) != FOLIO_CARRY_OVER_FINISHED)
        CHECK(folio_sdk_wait_events(runtime.sdk, -1, NULL, &error));
    seconds = (double)(now_ns() - begin) / 1e9;
    printf("  %12" PRId64 " %11.3f s %10.2f us %12.1f MiB %16.1f MiB\n", count, seconds, seconds * 1e6 / (double)count,
           (double)process_figure("VmHWM") / 1024, (double)(process_figure("VmHWM") - memory_before) / 1024);
    end(&runtime);
}

void bench_carry_over(void)
{
    const char *wanted = getenv("BENCH_RECORDS");
    int64_t largest = wanted && *wanted ? strtoll(wanted, NULL, 10) : 1000000;
    char records[32];

    printf("\nCarry-over (values of 100 bytes)\n  %12s %13s %13s %16s %20s\n", "records", "sign-in to end", "a record",
           "peak memory", "more than before");
    for (int64_t count = 1000; count <= largest; count *= 10) {
        snprintf(records, sizeof records, "%" PRId64, count);
        run_part("carry-over", records);
    }
}
