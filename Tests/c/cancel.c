/* cancel.c: cancelling of every kind: before the delivery it suppresses what is queued; a sibling cancelled inside a
 * callback does not run; from another thread `destroy` marks the end; as often as one likes; and in constant memory. */
#define _XOPEN_SOURCE 700
#include <poll.h>
#include <pthread.h>

#include "fixture.h"

static folio_sdk_t *sdk;
static folio_auth_store_t *auth;

static void begin(void) {
    sdk = new_runtime();
    auth = new_auth_store(sdk);
    settle(sdk);
}

static void end(void) {
    folio_auth_store_release(auth);
    end_runtime(sdk);
}

static folio_subscription_t *subscribe(counted_t *counted) {
    folio_subscription_t *subscription = NULL;
    CHECK_OK(folio_auth_store_subscribe(auth, on_auth, counted, on_destroy, &subscription, &error));
    return subscription;
}

/* Waits until an event is queued, without dispatching. */
static void wait_until_queued(void) {
    struct pollfd watched;
    int32_t fd = -1;
    CHECK_OK(folio_sdk_open_event_fd(sdk, &fd, &error));
    watched.fd = fd;
    watched.events = POLLIN;
    CHECK_INT(poll(&watched, 1, -1), 1);
    close(fd);
}

static void a_queued_state_is_suppressed(void) {
    counted_t counted = {0, 0, 0}, neighbour = {0, 0, 0};
    folio_subscription_t *subscription, *other;
    begin();
    subscription = subscribe(&counted);
    other = subscribe(&neighbour);
    change_auth(auth);
    wait_until_queued();
    CHECK_OK(folio_subscription_cancel(subscription, &error));
    settle(sdk);
    CHECK_INT(counted.called, 0);
    CHECK_INT(counted.destroyed, 1);
    CHECK_INT(neighbour.called, 1);
    folio_subscription_release(subscription);
    folio_subscription_release(other);
    end();
}

static void a_queued_state_of_a_closed_store_is_suppressed(void) {
    counted_t counted = {0, 0, 0};
    folio_subscription_t *subscription;
    begin();
    subscription = subscribe(&counted);
    change_auth(auth);
    wait_until_queued();
    CHECK_OK(folio_auth_store_close(auth, &error));
    settle(sdk);
    CHECK_INT(counted.called, 0);
    CHECK_INT(counted.destroyed, 1);
    folio_subscription_release(subscription);
    end();
}

static void a_queued_state_of_a_shut_down_runtime_is_suppressed(void) {
    counted_t counted = {0, 0, 0};
    folio_subscription_t *subscription;
    begin();
    subscription = subscribe(&counted);
    change_auth(auth);
    wait_until_queued();
    end();
    CHECK_INT(counted.called, 0);
    CHECK_INT(counted.destroyed, 1);
    folio_subscription_release(subscription);
}

static folio_subscription_t *victim;
static counted_t victim_counted;

static void cancel_the_victim(void *context, const folio_auth_state_t *state) {
    (void)state;
    count_call(context);
    CHECK_OK(folio_subscription_cancel(victim, &error));
    CHECK_INT(victim_counted.destroyed, 1);
}

static void a_sibling_cancelled_inside_a_callback_does_not_run(void) {
    counted_t counted = {0, 0, 0};
    folio_subscription_t *subscription = NULL;
    memset(&victim_counted, 0, sizeof victim_counted);
    begin();
    CHECK_OK(folio_auth_store_subscribe(auth, cancel_the_victim, &counted, NULL, &subscription, &error));
    victim = subscribe(&victim_counted);
    change_auth(auth);
    pump_until_int(sdk, &counted.called, 1);
    CHECK_INT(victim_counted.called, 0);
    CHECK_INT(victim_counted.destroyed, 1);
    folio_subscription_release(victim);
    folio_subscription_release(subscription);
    end();
}

static void subscribe_again(void *context, const folio_auth_state_t *state) {
    (void)state;
    count_call(context);
    if (victim == NULL) victim = subscribe(&victim_counted);
}

static void a_subscription_made_inside_a_callback_hears_of_the_next_change(void) {
    counted_t counted = {0, 0, 0};
    folio_subscription_t *subscription = NULL;
    memset(&victim_counted, 0, sizeof victim_counted);
    victim = NULL;
    begin();
    CHECK_OK(folio_auth_store_subscribe(auth, subscribe_again, &counted, NULL, &subscription, &error));
    change_auth(auth);
    pump_until_int(sdk, &counted.called, 1);
    CHECK_INT(victim_counted.called, 0);
    change_auth(auth);
    pump_until_int(sdk, &counted.called, 2);
    CHECK_INT(victim_counted.called, 1);
    folio_subscription_release(victim);
    folio_subscription_release(subscription);
    end();
}

enum { ROUNDS = 2000 };
static counted_t round_counts[ROUNDS];
static int rounds_are_done;

static void *subscribe_and_cancel(void *unused) {
    (void)unused;
    for (int round = 0; round < ROUNDS; round++) {
        folio_subscription_t *subscription = NULL;
        if (folio_auth_store_subscribe(auth, on_auth, &round_counts[round], on_destroy, &subscription, NULL) != FOLIO_OK)
            abort();
        if (folio_subscription_cancel(subscription, NULL) != FOLIO_OK) abort();
        folio_subscription_release(subscription);
    }
    __atomic_store_n(&rounds_are_done, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static void from_another_thread_destroy_marks_the_end(void) {
    pthread_t thread;
    begin();
    REQUIRE(pthread_create(&thread, NULL, subscribe_and_cancel, NULL) == 0);
    while (!__atomic_load_n(&rounds_are_done, __ATOMIC_SEQ_CST)) {
        change_auth(auth);
        settle(sdk);
    }
    pthread_join(thread, NULL);
    settle(sdk);
    for (int round = 0; round < ROUNDS; round++) {
        CHECK_INT(round_counts[round].destroyed, 1);
        CHECK_INT(round_counts[round].called_after_destroy, 0);
    }
    end();
}

static void *cancel_the_victim_elsewhere(void *unused) {
    (void)unused;
    if (folio_subscription_cancel(victim, NULL) != FOLIO_OK) abort();
    return NULL;
}

static void be_cancelled_meanwhile(void *context, const folio_auth_state_t *state) {
    pthread_t thread;
    (void)state;
    count_call(context);
    REQUIRE(pthread_create(&thread, NULL, cancel_the_victim_elsewhere, NULL) == 0);
    pthread_join(thread, NULL);
    /* Cancelled, but this still runs. */
    CHECK_INT(((counted_t *)context)->destroyed, 0);
}

static void a_running_callback_may_finish_when_cancelled_from_another_thread(void) {
    counted_t counted = {0, 0, 0};
    begin();
    victim = NULL;
    CHECK_OK(folio_auth_store_subscribe(auth, be_cancelled_meanwhile, &counted, on_destroy, &victim, &error));
    change_auth(auth);
    change_auth(auth);
    pump_until_int(sdk, &counted.destroyed, 1);
    settle(sdk);
    CHECK_INT(counted.called, 1);
    CHECK_INT(counted.destroyed, 1);
    folio_subscription_release(victim);
    end();
}

static long resident_bytes(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    REQUIRE(file != NULL);
    REQUIRE(fscanf(file, "%*s %ld", &pages) == 1);
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static void subscribing_and_cancelling_takes_constant_memory(void) {
    counted_t counted = {0, 0, 0};
    long before = 0;
    begin();
    for (int round = 0; round < 101000; round++) {
        folio_subscription_t *subscription = NULL;
        if (folio_auth_store_subscribe(auth, on_auth, &counted, on_destroy, &subscription, NULL) != FOLIO_OK) break;
        if (round % 100 == 0) {
            change_auth(auth);
            settle(sdk);
        }
        folio_subscription_cancel(subscription, NULL);
        folio_subscription_release(subscription);
        if (round == 1000) before = resident_bytes();
    }
    CHECK_INT(counted.destroyed, 101000);
    CHECK_INT(counted.called, 1010);
    CHECK(resident_bytes() - before < 2 * 1024 * 1024);
    end();
}

int main(void) {
    fixture_begin();
    RUN(a_queued_state_is_suppressed);
    RUN(a_queued_state_of_a_closed_store_is_suppressed);
    RUN(a_queued_state_of_a_shut_down_runtime_is_suppressed);
    RUN(a_sibling_cancelled_inside_a_callback_does_not_run);
    RUN(a_subscription_made_inside_a_callback_hears_of_the_next_change);
    RUN(from_another_thread_destroy_marks_the_end);
    RUN(a_running_callback_may_finish_when_cancelled_from_another_thread);
    RUN(subscribing_and_cancelling_takes_constant_memory);
    return check_end();
}
