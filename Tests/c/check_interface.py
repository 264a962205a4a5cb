"""Checks that the names of the interface agree: the functions of the header, what the library exports, the checked-in
list exports.txt, the rows of every_function.h and the constants of constants.c.

usage: check_interface.py HEADER LIBRARY
"""

import pathlib
import re
import subprocess
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
    header_path, library = sys.argv[1:]
    header = re.sub(r"/\*.*?\*/", "", pathlib.Path(header_path).read_text(), flags=re.S)
    functions = set(re.findall(r"\b(folio_\w+)\(", header))
    listing = subprocess.run(
        ["nm", "-D", "--defined-only", "--format=posix", library], check=True, capture_output=True, text=True
    ).stdout
    # A version node (type A) is no symbol that can be called.
    symbols = [line.split() for line in listing.splitlines()]
    exports = {name.split("@")[0] for name, kind, *_ in symbols if kind != "A"}
    rows = re.findall(r"^    (?:STATUS|NUMBER|POINTER|NOTHING)\((folio_\w+),", (here / "every_function.h").read_text(), re.M)
    constants = set(re.findall(r"\b(FOLIO_\w+)(?= =)", header)) | set(re.findall(r"#define (FOLIO_\w+) ", header))
    tested = set(re.findall(r"VALUE\((FOLIO_\w+),", (here / "constants.c").read_text()))

    same("exports of the library against the header", exports, functions)
    same("exports.txt against the header", set((here / "exports.txt").read_text().split()), functions)
    same("rows of every_function.h against the header", set(rows), functions - WITHOUT_HANDLE)
    same("constants.c against the header", tested, constants)
    print(f"{4 - failures} passed, {failures} failed")
    return 1 if failures else 0


sys.exit(main())
