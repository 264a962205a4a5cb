/* A getter against a bare function call, and a delivered state against a loop over function pointers. */
#define _XOPEN_SOURCE 700

#include "bench.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct bare_state {
    int32_t status;
};

__attribute__((noinline)) static int32_t bare_get_status(const struct bare_state *state)
{
    __asm__ volatile("" ::: "memory");
    return state->status;
}

static void bench_getter(void)
{
    enum { CALLS = 5000000, ROUNDS = 5 };
    struct runtime runtime;
    struct bare_state bare = {FOLIO_SESSION_STATUS_ACTIVE};
    folio_session_state_t *state;
    double folio_ns[ROUNDS], bare_ns[ROUNDS];
    volatile int32_t sink = 0;

    start(&runtime, new_directory());
    CHECK(folio_session_store_get_state(runtime.session, &state, &error));
    for (int round = 0; round < ROUNDS; round++) {
        int64_t begin = now_ns();
        for (int i = 0; i < CALLS; i++) sink += folio_session_state_get_status(state);
        folio_ns[round] = (double)(now_ns() - begin) / CALLS;
        begin = now_ns();
        for (int i = 0; i < CALLS; i++) sink += bare_get_status(&bare);
        bare_ns[round] = (double)(now_ns() - begin) / CALLS;
    }
    row("a state getter / a bare function call", median(folio_ns, ROUNDS), median(bare_ns, ROUNDS), "ns",
        "target: under 50 ns");
    folio_session_state_release(state);
    end(&runtime);
}

static void read_state(void *context, const folio_auth_state_t *state)
{
    *(int32_t *)context += folio_auth_state_get_type(state);
}

/* Malformed addresses by turns: each is one new state, made without a request. */
static void bench_dispatch(int subscribers)
{
    enum { STATES = 400 };
    struct runtime runtime;
    folio_auth_state_callback_t *callbacks = calloc((size_t)subscribers, sizeof *callbacks);
    int32_t *contexts = calloc((size_t)subscribers, sizeof *contexts);
    double folio_ns[STATES], bare_ns[STATES];
    int32_t fd;
    char what[64];

    if (!callbacks || !contexts) stop("out of memory");
    start(&runtime, new_directory());
    CHECK(folio_sdk_open_event_fd(runtime.sdk, &fd, &error));
    for (int i = 0; i < subscribers; i++) {
        folio_subscription_t *subscription;
        callbacks[i] = read_state;
        CHECK(folio_auth_store_subscribe(runtime.auth, read_state, &contexts[i], NULL, &subscription, &error));
        folio_subscription_release(subscription);
    }
    for (int i = 0; i < STATES; i++) {
        struct pollfd watched = {fd, POLLIN, 0};
        folio_auth_state_t *state;
        int32_t seen = contexts[0];
        int64_t begin;

        CHECK(folio_auth_store_dispatch_sign_in(runtime.auth, i % 2 ? "no address" : "not one either", &error));
        if (poll(&watched, 1, -1) != 1) stop("poll failed");
        begin = now_ns();
        CHECK(folio_sdk_dispatch_events(runtime.sdk, 1, NULL, &error));
        folio_ns[i] = (double)(now_ns() - begin) / subscribers;
        if (contexts[0] == seen) stop("the state was not the first event");
        settle(&runtime);

        CHECK(folio_auth_store_get_state(runtime.auth, &state, &error));
        begin = now_ns();
        for (int each = 0; each < subscribers; each++) callbacks[each](&contexts[each], state);
        bare_ns[i] = (double)(now_ns() - begin) / subscribers;
        folio_auth_state_release(state);
    }
    snprintf(what, sizeof what, "a state to %d subscribers, each / a bare loop", subscribers);
    row(what, median(folio_ns, STATES), median(bare_ns, STATES), "ns", "target: at most 3");
    close(fd);
    end(&runtime);
    free(callbacks);
    free(contexts);
}

void bench_calls(void)
{
    section("Calls (subscribers read one field of the state)");
    bench_getter();
    bench_dispatch(100);
    bench_dispatch(1000);
    bench_dispatch(10000);
}
