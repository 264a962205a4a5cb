/* event_fd.c: the event descriptor: close-on-exec and non-blocking, the caller's own, readable exactly while events wait,
 * right for a reader that took the byte, at end-of-file after shutdown. */
#define _XOPEN_SOURCE 700
#include <fcntl.h>
#include <poll.h>

#include "fixture.h"

static folio_sdk_t *sdk;
static folio_auth_store_t *auth;
static int32_t fd;

static void begin(void) {
    sdk = new_runtime();
    auth = new_auth_store(sdk);
    settle(sdk);
    CHECK_OK(folio_sdk_open_event_fd(sdk, &fd, &error));
}

static void end(void) {
    close(fd);
    folio_auth_store_release(auth);
    folio_sdk_release(sdk);
}

static int is_readable(int descriptor, int timeout) {
    struct pollfd watched;
    watched.fd = descriptor;
    watched.events = POLLIN;
    watched.revents = 0;
    return poll(&watched, 1, timeout) == 1 && (watched.revents & POLLIN) != 0;
}

static void it_is_close_on_exec_and_does_not_block(void) {
    char byte;
    begin();
    CHECK(fd > 2);
    CHECK((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
    CHECK((fcntl(fd, F_GETFL) & O_NONBLOCK) != 0);
    CHECK_INT(read(fd, &byte, 1), -1);
    end();
}

static void it_is_readable_while_events_wait(void) {
    begin();
    CHECK(!is_readable(fd, 0));
    change_auth(auth);
    CHECK(is_readable(fd, -1));
    CHECK(is_readable(fd, -1));
    settle(sdk);
    CHECK(!is_readable(fd, 0));
    end();
}

static void it_is_readable_at_once_when_events_wait_already(void) {
    int32_t late = -1;
    begin();
    change_auth(auth);
    CHECK(is_readable(fd, -1));
    CHECK_OK(folio_sdk_open_event_fd(sdk, &late, &error));
    CHECK(late != fd);
    CHECK(is_readable(late, 0));
    close(late);
    CHECK(is_readable(fd, 0));
    end();
}

static void it_stays_readable_when_a_dispatch_leaves_events(void) {
    int32_t count = 0;
    begin();
    for (int each = 0; each < 3; each++) change_auth(auth);
    while (folio_sdk_get_pending(sdk) > 0) {
        CHECK(is_readable(fd, -1));
        CHECK_OK(folio_sdk_dispatch_events(sdk, 1, &count, &error));
    }
    settle(sdk);
    CHECK(!is_readable(fd, 0));
    end();
}

static void a_reader_that_took_the_byte_only_has_to_dispatch(void) {
    char bytes[64];
    begin();
    for (int round = 0; round < 10; round++) {
        counted_t counted = {0, 0, 0};
        folio_subscription_t *subscription = NULL;
        CHECK_OK(folio_auth_store_subscribe(auth, on_auth, &counted, NULL, &subscription, &error));
        change_auth(auth);
        while (counted.called == 0) {
            CHECK(is_readable(fd, -1));
            CHECK(read(fd, bytes, sizeof bytes) > 0);
            CHECK_OK(folio_sdk_dispatch_events(sdk, 0, NULL, &error));
        }
        CHECK_OK(folio_subscription_cancel(subscription, &error));
        folio_subscription_release(subscription);
    }
    end();
}

static void a_caller_may_close_its_descriptor_at_any_time(void) {
    begin();
    close(fd);
    change_auth(auth);
    settle(sdk);
    CHECK_OK(folio_sdk_open_event_fd(sdk, &fd, &error));
    change_auth(auth);
    CHECK(is_readable(fd, -1));
    end();
}

static void after_shutdown_it_is_at_end_of_file(void) {
    char bytes[64];
    begin();
    change_auth(auth);
    CHECK(is_readable(fd, -1));
    CHECK_OK(folio_sdk_shutdown(sdk, &error));
    CHECK(is_readable(fd, -1));
    while (read(fd, bytes, sizeof bytes) > 0) continue;
    CHECK_INT(read(fd, bytes, sizeof bytes), 0);
    {
        int32_t none = 7;
        CHECK_FAILS(folio_sdk_open_event_fd(sdk, &none, &error), FOLIO_ERROR_SHUT_DOWN);
        CHECK_INT(none, 0);
    }
    end();
}

static void after_a_release_it_is_at_end_of_file(void) {
    char bytes[64];
    begin();
    folio_sdk_release(sdk);
    CHECK(is_readable(fd, -1));
    while (read(fd, bytes, sizeof bytes) > 0) continue;
    CHECK_INT(read(fd, bytes, sizeof bytes), 0);
    end();
}

static void it_tells_of_an_asynchronous_start(void) {
    folio_config_t *config = new_config(new_path());
    counted_t counted = {0, 0, 0};
    CHECK_OK(folio_sdk_create_async(config, on_created, &counted, on_destroy, &sdk, &error));
    CHECK_OK(folio_sdk_open_event_fd(sdk, &fd, &error));
    CHECK(is_readable(fd, -1));
    CHECK_OK(folio_sdk_dispatch_events(sdk, 0, NULL, &error));
    CHECK_INT(counted.called, 1);
    close(fd);
    folio_config_release(config);
    end_runtime(sdk);
}

static void a_null_out_is_refused(void) {
    begin();
    CHECK_FAILS(folio_sdk_open_event_fd(sdk, NULL, &error), FOLIO_ERROR_INVALID_ARGUMENT);
    end();
}

int main(void) {
    fixture_begin();
    RUN(it_is_close_on_exec_and_does_not_block);
    RUN(it_is_readable_while_events_wait);
    RUN(it_is_readable_at_once_when_events_wait_already);
    RUN(it_stays_readable_when_a_dispatch_leaves_events);
    RUN(a_reader_that_took_the_byte_only_has_to_dispatch);
    RUN(a_caller_may_close_its_descriptor_at_any_time);
    RUN(after_shutdown_it_is_at_end_of_file);
    RUN(after_a_release_it_is_at_end_of_file);
    RUN(it_tells_of_an_asynchronous_start);
    RUN(a_null_out_is_refused);
    return check_end();
}
