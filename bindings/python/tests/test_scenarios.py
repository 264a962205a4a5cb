"""Replays Tests/scenarios; their README describes the format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest
from conftest import ROOT

from folio import (
    AuthAction,
    AuthStore,
    CoreError,
    FolioSdk,
    SessionAction,
    SessionStartError,
    SessionStore,
    VaultAction,
    VaultStore,
)

FILES = sorted((ROOT / "Tests" / "scenarios").glob("*.json"))


def plain(value: Any) -> Any:
    return None if value is None else str(value)


def session_facts(state: Any) -> dict[str, Any]:
    return {
        "identity": state.identity.type,
        "userId": getattr(state.identity, "user_id", None),
        "email": getattr(state.identity, "email", None),
        "status": plain(state.status),
        "notice": plain(state.notice),
        "deviceId": state.device_id,
        "signingOut": state.signing_out,
        "error": plain(state.error and state.error.type),
    }


def auth_facts(state: Any) -> dict[str, Any]:
    error = getattr(state, "error", None)
    return {
        "type": state.type,
        "email": getattr(state, "email", None),
        "triesLeft": getattr(state, "tries_left", 0),
        "error": plain(error and error.type),
    }


def vault_facts(state: Any) -> dict[str, Any]:
    return {
        "running": state.running,
        "userId": state.user_id,
        "recordCount": state.record_count,
        "bytes": state.bytes,
        "conflictCount": state.conflict_count,
        "carryOver": plain(state.carry_over.type),
        "moved": state.carry_over.moved,
        "total": state.carry_over.total,
    }


STORES: dict[str, tuple[Any, Callable[[Any], dict[str, Any]]]] = {
    "session": (SessionStore, session_facts),
    "auth": (AuthStore, auth_facts),
    "vault": (VaultStore, vault_facts),
}


class Replay:
    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.sdk: Any = None
        self.service: Any = None
        self.stores: dict[str, Any] = {}
        self.records: dict[str, list[dict[str, Any]]] = {}
        self.names: dict[str, Any] = {}

    def run(self, step: dict[str, Any]) -> None:
        kind = next(kind for kind in ("do", "expect", "eventually") if kind in step)
        name = f"{kind}_{step[kind]}" if kind == "do" else kind
        getattr(self, name)(step)

    # Names

    def matches(self, expected: dict[str, Any], facts: dict[str, Any]) -> bool:
        names = dict(self.names)
        for field, value in expected.items():
            actual = facts[field]
            if isinstance(value, str) and value.startswith("$"):
                if value not in names:
                    if actual is None or actual in names.values():
                        return False
                    names[value] = actual
                value = names[value]
            if value != actual:
                return False
        self.names = names
        return True

    def pump(self, condition: Callable[[], Any]) -> None:
        while not condition():
            self.sdk.wait_events()

    def settle(self) -> None:
        while self.sdk.pending or self.sdk.dispatch_events():
            if self.sdk.pending:
                self.sdk.wait_events()

    # Steps

    def do_create(self, step: dict[str, Any]) -> None:
        if "error" in step:
            with pytest.raises(SessionStartError) as caught:
                FolioSdk.create(data_directory=self.directory)
            assert caught.value.type == step["error"]
            return
        self.sdk = FolioSdk.create(data_directory=self.directory)
        self.service = self.service or self.sdk.embedded_service

    def do_shutdown(self, step: dict[str, Any]) -> None:
        for store in self.stores.values():
            store.close()
        self.stores, self.records = {}, {}
        self.sdk.shutdown()

    def do_mount(self, step: dict[str, Any]) -> None:
        cls, facts = STORES[step["store"]]
        store = self.stores[step["store"]] = cls.mount(self.sdk)
        record = self.records[step["store"]] = []
        store.subscribe(lambda state: record.append(facts(state)))

    def do_settle(self, step: dict[str, Any]) -> None:
        self.settle()

    def do_signIn(self, step: dict[str, Any]) -> None:
        self.stores["auth"].dispatch(AuthAction.sign_in(step["email"]))

    def do_submitCode(self, step: dict[str, Any]) -> None:
        code = step["code"]
        if code == "$code":
            code = self.code
        elif code == "wrong":
            code = f"{(int(self.code) + 1) % 1_000_000:06}"
        if step.get("form") == "SPACED":
            code = f" {code[:3]} {code[3:]}\n"
        elif step.get("form") == "FULL_WIDTH":
            code = "".join(chr(0xFF10 + int(digit)) for digit in code)
        self.stores["auth"].dispatch(AuthAction.submit_code(code))

    def do_resendCode(self, step: dict[str, Any]) -> None:
        self.stores["auth"].dispatch(AuthAction.resend_code)

    def do_cancel(self, step: dict[str, Any]) -> None:
        self.stores["auth"].dispatch(AuthAction.cancel)

    def do_signOut(self, step: dict[str, Any]) -> None:
        self.stores["session"].dispatch(SessionAction.SIGN_OUT)

    def do_dismissNotice(self, step: dict[str, Any]) -> None:
        self.stores["session"].dispatch(SessionAction.DISMISS_NOTICE)

    def do_retryCarryOver(self, step: dict[str, Any]) -> None:
        self.stores["vault"].dispatch(VaultAction.RETRY_CARRY_OVER)

    def do_renew(self, step: dict[str, Any]) -> None:
        self.sdk.renew()

    def do_takeMessage(self, step: dict[str, Any]) -> None:
        message = self.service.next_message()
        assert message.email == step["email"]
        self.code = message.code

    def do_endSessions(self, step: dict[str, Any]) -> None:
        self.service.end_sessions(self.names[step["user"]])

    def do_deleteAccount(self, step: dict[str, Any]) -> None:
        self.service.delete_account(self.names[step["user"]])

    def do_setReachable(self, step: dict[str, Any]) -> None:
        self.service.set_reachable(step["reachable"])

    def do_setGuestAccount(self, step: dict[str, Any]) -> None:
        self.service.set_guest_account(step["email"])

    def do_put(self, step: dict[str, Any]) -> None:
        if "error" in step:
            with pytest.raises(CoreError) as caught:
                self.stores["vault"][step["key"]] = step["value"].encode()
            assert caught.value.code == step["error"]
        else:
            self.stores["vault"][step["key"]] = step["value"].encode()

    def do_putMany(self, step: dict[str, Any]) -> None:
        self.stores["vault"].put_many({key: value.encode() for key, value in step["records"].items()})

    def do_putNumbered(self, step: dict[str, Any]) -> None:
        keys = [f"{step['prefix']}{number:07}" for number in range(1, step["count"] + 1)]
        for start in range(0, len(keys), 1_000):
            self.stores["vault"].put_many({key: key.encode() for key in keys[start : start + 1_000]})

    def do_delete(self, step: dict[str, Any]) -> None:
        if step["deleted"]:
            del self.stores["vault"][step["key"]]
        else:
            with pytest.raises(KeyError):
                del self.stores["vault"][step["key"]]

    def do_keepConflict(self, step: dict[str, Any]) -> None:
        self.stores["vault"].keep_conflict(next(self.stores["vault"].conflicts()))

    def do_dropConflict(self, step: dict[str, Any]) -> None:
        self.stores["vault"].drop_conflict(next(self.stores["vault"].conflicts()))

    def expect(self, step: dict[str, Any]) -> None:
        what = step["expect"]
        vault: Any = self.stores.get("vault")
        if what == "nothing":
            self.settle()
            assert self.records[step["store"]] == []
        elif what == "get":
            value = vault.get(step["key"])
            assert (None if value is None else value.decode()) == step["value"]
        elif what == "count":
            assert vault.count(step["prefix"]) == step["count"]
        elif what == "keys":
            assert list(vault.keys(step["prefix"])) == step["keys"]
        elif what == "conflicts":
            assert [conflict.key for conflict in vault.conflicts()] == step["keys"]
        else:
            record = self.records[what]
            self.pump(lambda: len(record) >= len(step["states"]))
            for expected in step["states"]:
                facts = record.pop(0)
                assert self.matches(expected, facts), (expected, facts)

    def eventually(self, step: dict[str, Any]) -> None:
        record = self.records[step["eventually"]]

        def found() -> bool:
            while record:
                if self.matches(step["state"], record.pop(0)):
                    return True
            return False

        self.pump(found)


@pytest.fixture
def replay(tmp_path: Path) -> Iterator[Replay]:
    made = Replay(tmp_path / "data")
    yield made
    if made.sdk is not None:
        made.sdk.shutdown()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_scenario(file: Path, replay: Replay) -> None:
    for step in json.loads(file.read_text())["steps"]:
        replay.run(step)
