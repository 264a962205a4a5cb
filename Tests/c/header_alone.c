/* header_alone.c: the header needs nothing before it, may be included twice and is C99; the library that is loaded has
 * its version. */
#include <folio.h>
#include <folio.h>

#include "check.h"

static void the_version_is_three_numbers(void) {
    int major, minor, patch;
    char rest;
    CHECK_INT(sscanf(folio_version_string(), "%d.%d.%d%c", &major, &minor, &patch, &rest), 3);
    CHECK(folio_version_string() == folio_version_string());
    CHECK(folio_abi_version() >= 1);
}

int main(void) {
    RUN(the_version_is_three_numbers);
    return check_end();
}
