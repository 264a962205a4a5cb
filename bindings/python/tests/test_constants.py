"""The numbers of the binding are those of the header."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, run_script

from folio import SessionNoticeReason, SessionStatus, Unknown, _constants, _library, states

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


class Newer:
    """A library whose enums all have a value that this package does not know, and whose facts are absent."""

    def __getattr__(self, name: str) -> Any:
        enums = ("identity_kind", "_type", "_status", "_notice", "_carry_over")
        return lambda handle: 1_000 if name.endswith(enums) else None if name.endswith(("id", "email", "error")) else 0


def test_values_of_a_newer_library_are_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "lib", Newer())
    session = states.read_session_state(1)
    assert session.identity == Unknown() and session.identity.type == "UNKNOWN"
    assert session.status == SessionStatus.UNKNOWN and session.notice == SessionNoticeReason.UNKNOWN
    assert states.read_auth_state(1) == Unknown()
    assert states.read_vault_state(1).carry_over.type == "UNKNOWN"


def test_a_library_beside_the_package_is_found_wherever_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "folio"
    package.mkdir()
    (package / "libfolio.so").touch()
    monkeypatch.delenv("FOLIO_LIBRARY", raising=False)
    monkeypatch.setattr(_library, "__file__", str(package / "_library.py"))
    assert _library._candidates() == [str(package / "libfolio.so"), "libfolio.so.0"]
    monkeypatch.setenv("FOLIO_LIBRARY", "/chosen.so")
    assert _library._candidates() == ["/chosen.so"]


@pytest.mark.parametrize("library", ["/nowhere/libfolio.so", "libc.so.6"])
def test_a_missing_or_foreign_library_is_an_import_error(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOLIO_LIBRARY", library)
    outcome = run_script("""
        try:
            import folio
        except ImportError as error:
            print("libfolio" in str(error))
    """)
    assert outcome.stdout == "True\n", outcome.stderr
