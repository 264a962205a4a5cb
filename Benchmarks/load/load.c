/* Prints how many milliseconds a process needs to load a library: load LIBRARY. */
#define _XOPEN_SOURCE 700

#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

int main(int count, char **arguments)
{
    struct timespec begin, end;
    void *library;

    if (count != 2) return 2;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    printf("%.3f\n", (double)(end.tv_sec - begin.tv_sec) * 1e3 + (double)(end.tv_nsec - begin.tv_nsec) / 1e6);
    return 0;
}
