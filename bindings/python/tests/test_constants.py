"""The numbers of the binding are those of the header."""

from __future__ import annotations

import re

from conftest import ROOT
from folio import _constants, _library

HEADER = (ROOT / "include" / "folio.h").read_text()
CONSTANTS = {name: int(value) for name, value in re.findall(r"^\s+(FOLIO_\w+) = (-?\d+)", HEADER, re.M)}
FUNCTIONS = set(re.findall(r"^[\w ]+?\*?(folio_\w+)\(", HEADER, re.M))


def test_statuses_are_those_of_the_header() -> None:
    header = {
        name.removeprefix("FOLIO_").removeprefix("ERROR_"): value
        for name, value in CONSTANTS.items()
        if value <= 0 and name.startswith("FOLIO_ERROR_") and "KIND" not in name or name in ("FOLIO_OK", "FOLIO_NOTHING_WAITING")
    }
    assert header == {status.name: int(status) for status in _constants.Status}


def test_words_stand_in_the_order_of_the_header() -> None:
    def check(prefix: str, words: tuple[object, ...]) -> None:
        header = {name.removeprefix(prefix): value for name, value in CONSTANTS.items() if name.startswith(prefix)}
        header.pop("UNKNOWN", None)
        if header.get("NONE") == 0:
            header.pop("NONE")
        assert header == {str(word): index for index, word in enumerate(words, 1)}

    check("FOLIO_IDENTITY_", _constants.IDENTITY_KINDS)
    check("FOLIO_SESSION_STATUS_", _constants.SESSION_STATUSES)
    check("FOLIO_AUTH_STATE_", _constants.AUTH_TYPES)
    check("FOLIO_CARRY_OVER_", _constants.CARRY_OVER_TYPES)
    check("FOLIO_ERROR_KIND_", _constants.ERROR_TYPES)
    check("FOLIO_LOG_LEVEL_", _constants.LOG_LEVELS)
    check("FOLIO_SESSION_ACTION_", tuple(_constants.SESSION_ACTIONS))
    check("FOLIO_VAULT_ACTION_", tuple(_constants.VAULT_ACTIONS))


def test_every_function_of_the_header_is_declared() -> None:
    declared = set(_library.CALLS) | set(_library.FACTS) | {f"folio_{noun}_release" for noun in _library.RELEASES}
    assert declared == FUNCTIONS
