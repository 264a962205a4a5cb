/* The table that generate_scenarios.py makes of the scenarios; the format is described there. */
#ifndef FOLIO_TEST_SCENARIO_H
#define FOLIO_TEST_SCENARIO_H

#include <stddef.h>
#include <stdint.h>

enum scenario_step_kind {
    STEP_CREATE, STEP_SHUTDOWN, STEP_MOUNT, STEP_SETTLE,
    STEP_SIGN_IN, STEP_SUBMIT_CODE, STEP_RESEND_CODE, STEP_CANCEL, STEP_SIGN_OUT, STEP_DISMISS_NOTICE,
    STEP_RETRY_CARRY_OVER, STEP_RENEW,
    STEP_TAKE_MESSAGE, STEP_END_SESSIONS, STEP_DELETE_ACCOUNT, STEP_SET_REACHABLE, STEP_SET_GUEST_ACCOUNT,
    STEP_PUT, STEP_PUT_MANY, STEP_PUT_NUMBERED, STEP_DELETE, STEP_KEEP_CONFLICT, STEP_DROP_CONFLICT,
    EXPECT_STATES, EXPECT_NOTHING, EXPECT_EVENTUALLY, EXPECT_GET, EXPECT_COUNT, EXPECT_KEYS, EXPECT_CONFLICTS
};

/* Numbers and booleans are given as text, so that every field is compared alike. `value` is NULL for null. */
struct scenario_field {
    const char *name;
    const char *value;
};

struct scenario_state {
    const struct scenario_field *fields;
    size_t count;
};

struct scenario_step {
    enum scenario_step_kind kind;
    const char *source;                     /* the step as it stands in the file */
    const char *text;                       /* the store, address, code, user, key or prefix */
    const char *value;                      /* the value of a record, or the form of a code */
    const char *error;
    int64_t number;                         /* a count, or a truth value */
    const struct scenario_state *states;
    size_t state_count;
    const struct scenario_field *records;   /* keys, with values where the step has them */
    size_t record_count;
};

struct scenario {
    const char *name;
    const struct scenario_step *steps;
    size_t step_count;
};

#endif
