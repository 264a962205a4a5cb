/* handles.c: every function of the header with NULL, released, foreign and wrong-type handles, and releasing twice.
 * What every function must do: INVALID_HANDLE with an error, or NULL, 0 or nothing; outs cleared; the context of a
 * refused registration destroyed once; nothing else touched. */
#define _XOPEN_SOURCE 700
#include "every_function.h"

static void null_handles_are_refused(void) {
    for (size_t index = 0; index < FUNCTIONS; index++)
        check_refused(&every_function[index], NULL, FOLIO_ERROR_INVALID_HANDLE, 1);
}

static void errors_need_not_be_wanted(void) {
    for (size_t index = 0; index < FUNCTIONS; index++) every_function[index].call(NULL, NULL);
}

static void wrong_types_are_refused(void) {
    handle_set_t live = new_handle_set();
    for (size_t index = 0; index < FUNCTIONS; index++)
        for (int kind = 0; kind < KINDS; kind++)
            if (kind != (int)every_function[index].kind)
                check_refused(&every_function[index], live.of[kind], FOLIO_ERROR_INVALID_HANDLE, 1);
    check_alive(&live);
    release_handle_set(&live);
}

static void foreign_handles_are_refused(void) {
    handle_set_t live = new_handle_set();
    int on_the_stack = 0;
    void *on_the_heap = malloc(64);
    unsigned long long seed = 88172645463325252ull;
    for (size_t index = 0; index < FUNCTIONS; index++) {
        const function_row_t *function = &every_function[index];
        check_refused(function, &on_the_stack, FOLIO_ERROR_INVALID_HANDLE, 1);
        check_refused(function, on_the_heap, FOLIO_ERROR_INVALID_HANDLE, 1);
        check_refused(function, (void *)function, FOLIO_ERROR_INVALID_HANDLE, 1);
        check_refused(function, (void *)(uintptr_t)1, FOLIO_ERROR_INVALID_HANDLE, 1);
        check_refused(function, (void *)UINTPTR_MAX, FOLIO_ERROR_INVALID_HANDLE, 1);
        for (int bit = 0; bit < 64; bit++) {
            uintptr_t bits = (uintptr_t)live.of[function->kind] ^ ((uintptr_t)1 << bit);
            int is_live = 0;
            for (int kind = 0; kind < KINDS; kind++) is_live |= bits == (uintptr_t)live.of[kind];
            if (!is_live) check_refused(function, (void *)bits, FOLIO_ERROR_INVALID_HANDLE, 1);
        }
        for (int round = 0; round < 200; round++) {
            seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
            check_refused(function, (void *)(uintptr_t)seed, FOLIO_ERROR_INVALID_HANDLE, 1);
        }
    }
    free(on_the_heap);
    check_alive(&live);
    release_handle_set(&live);
}

static void released_handles_are_refused_and_may_be_released_again(void) {
    handle_set_t stale = new_handle_set();
    handle_set_t live;
    release_handle_set(&stale);
    /* These take the places of the released ones. */
    live = new_handle_set();
    for (int round = 0; round < 2; round++)
        for (size_t index = 0; index < FUNCTIONS; index++)
            check_refused(&every_function[index], stale.of[every_function[index].kind], FOLIO_ERROR_INVALID_HANDLE, 1);
    check_alive(&live);
    release_handle_set(&live);
}

static void a_retained_state_outlives_the_handle_it_was_retained_from(void) {
    folio_sdk_t *sdk = new_runtime();
    folio_session_state_t *first = NULL, *second;
    const char *user;
    CHECK_OK(folio_sdk_copy_session_state(sdk, &first, &error));
    second = folio_session_state_retain(first);
    CHECK(second != NULL && second != first);
    CHECK_TEXT(folio_session_state_get_user_id(second), folio_session_state_get_user_id(first));
    folio_session_state_release(first);
    end_runtime(sdk);
    user = folio_session_state_get_user_id(second);
    CHECK(user != NULL && user[0] != 0);
    CHECK_INT(folio_session_state_get_identity_kind(second), FOLIO_IDENTITY_TRANSIENT);
    folio_session_state_release(second);
}

static void handles_may_be_released_in_any_order(void) {
    static const int orders[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}, {2, 0, 3, 1}};
    for (size_t order = 0; order < sizeof orders / sizeof orders[0]; order++) {
        folio_sdk_t *sdk = new_runtime();
        folio_session_store_t *store = new_session_store(sdk);
        folio_subscription_t *subscription = NULL;
        folio_session_state_t *state = NULL;
        counted_t counted = {0, 0, 0};
        CHECK_OK(folio_session_store_subscribe(store, on_session, &counted, on_destroy, &subscription, &error));
        CHECK_OK(folio_session_store_get_state(store, &state, &error));
        for (int step = 0; step < 4; step++) {
            if (orders[order][step] == 0) folio_sdk_release(sdk);
            if (orders[order][step] == 1) folio_session_store_release(store);
            if (orders[order][step] == 2) folio_subscription_release(subscription);
            if (orders[order][step] == 3) folio_session_state_release(state);
        }
        CHECK_INT(counted.destroyed, 1);
    }
}

int main(void) {
    fixture_begin();
    RUN(null_handles_are_refused);
    RUN(errors_need_not_be_wanted);
    RUN(wrong_types_are_refused);
    RUN(foreign_handles_are_refused);
    RUN(released_handles_are_refused_and_may_be_released_again);
    RUN(a_retained_state_outlives_the_handle_it_was_retained_from);
    RUN(handles_may_be_released_in_any_order);
    return check_end();
}
