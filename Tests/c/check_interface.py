"""Checks that no function or constant of the header is forgotten: every function that takes a handle has a row in
every_function.h, every constant its value in constants.c.

usage: check_interface.py HEADER
"""

import pathlib
import re
import sys

# Functions that take no handle; every other one has a row in every_function.h.
WITHOUT_HANDLE = {"folio_version_string", "folio_abi_version", "folio_status_get_name", "folio_config_create"}

here = pathlib.Path(__file__).parent
failures = 0


def same(what: str, actual: set[str], expected: set[str]) -> None:
    global failures
    if actual == expected:
        return
    failures += 1
    missing = ", ".join(sorted(expected - actual)) or "none"
    unexpected = ", ".join(sorted(actual - expected)) or "none"
    print(f"{what}: missing: {missing}; unexpected: {unexpected}", file=sys.stderr)


def main() -> int:
    header = re.sub(r"/\*.*?\*/", "", pathlib.Path(sys.argv[1]).read_text(), flags=re.S)
    functions = set(re.findall(r"\b(folio_\w+)\(", header))
    rows = re.findall(r"^    (?:STATUS|NUMBER|POINTER|NOTHING)\((folio_\w+),", (here / "every_function.h").read_text(), re.M)
    constants = set(re.findall(r"\b(FOLIO_\w+)(?= =)", header)) | set(re.findall(r"#define (FOLIO_\w+) ", header))
    tested = set(re.findall(r"VALUE\((FOLIO_\w+),", (here / "constants.c").read_text()))

    same("rows of every_function.h against the header", set(rows), functions - WITHOUT_HANDLE)
    same("constants.c against the header", tested, constants)
    print(f"{2 - failures} passed, {failures} failed")
    return 1 if failures else 0


sys.exit(main())
