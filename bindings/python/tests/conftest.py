"""What the tests share: a driver that pumps one runtime, and a watchdog against hangs."""

from __future__ import annotations

import faulthandler
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

from folio import AuthAction, AuthStore, FolioSdk, SessionStore, VaultStore

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def watchdog() -> Iterator[None]:
    """Ends a test that hangs."""
    faulthandler.dump_traceback_later(120, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


class Driver:
    """One runtime with a store of each kind, pumped by hand."""

    def __init__(self, directory: Path | str, **options: Any) -> None:
        self.sdk = FolioSdk.create(data_directory=directory, **options)
        self.session = SessionStore.mount(self.sdk)
        self.auth = AuthStore.mount(self.sdk)
        self.vault = VaultStore.mount(self.sdk)
        self.service = self.sdk.embedded_service
        self.sdk.dispatch_events()

    def until(self, condition: Callable[[], Any]) -> None:
        while not condition():
            self.sdk.wait_events()

    def settle(self) -> None:
        self.until(lambda: self.sdk.pending == 0)

    def sign_in(self, email: str = "ana@example.com") -> None:
        self.auth.dispatch(AuthAction.sign_in(email))
        self.settle()
        message = self.service.next_message()
        assert message is not None
        self.auth.dispatch(AuthAction.submit_code(message.code))
        self.settle()


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    made = Driver(tmp_path)
    yield made
    made.sdk.shutdown()


def run_script(script: str, *arguments: object, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    """Runs a script in an interpreter of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "bindings" / "python" / "src")}
    return subprocess.run(
        # Python 3.12 warns of every fork; the scripts that fork do so on purpose.
        [sys.executable, "-W", "ignore:This process:DeprecationWarning", "-c", textwrap.dedent(script), *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=timeout,
    )
