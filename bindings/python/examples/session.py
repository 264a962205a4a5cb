"""The life of a session on the embedded service: guest, sign-in, restart, an ended session, sign-out, offline.

Run with the library built (``make lib``) and ``PYTHONPATH=bindings/python/src``.
"""

import tempfile
from typing import Any, Callable

from folio import AuthAction, AuthStore, AuthState, CarryOverType, FolioSdk, SessionAction, SessionState, SessionStore
from folio import VaultState, VaultStore


def show_session(state: SessionState) -> None:
    identity = state.identity
    who = getattr(identity, "email", None) or getattr(identity, "user_id", "")[:8]
    facts = [str(state.notice or ""), "signing out" if state.signing_out else "", str(state.error and state.error.type or "")]
    print("  session:", identity.type, who, state.status, *[fact for fact in facts if fact])


def show_auth(state: AuthState) -> None:
    print("  auth:   ", state.type)


def show_vault(state: VaultState) -> None:
    moved = f"{state.carry_over.moved} of {state.carry_over.total} records" if state.carry_over.total else ""
    print("  vault:  ", f"{state.record_count} records, carry-over", state.carry_over.type, moved)


def wait(sdk: FolioSdk, until: Callable[[], Any]) -> None:
    while not until():
        sdk.wait_events()


def start(directory: str) -> tuple[FolioSdk, SessionStore, AuthStore, VaultStore]:
    sdk = FolioSdk.create(data_directory=directory)
    session, auth, vault = SessionStore.mount(sdk), AuthStore.mount(sdk), VaultStore.mount(sdk)
    session.subscribe(show_session)
    auth.subscribe(show_auth)
    vault.subscribe(show_vault)
    sdk.dispatch_events()
    return sdk, session, auth, vault


with tempfile.TemporaryDirectory() as directory:
    print("Start as a guest and keep some records")
    sdk, session, auth, vault = start(directory)
    vault.put_many({f"note {number:05}": b"written as a guest" for number in range(20_000)})

    print("Sign in with the code from the outbox; the records are carried over")
    auth.dispatch(AuthAction.sign_in("ana@example.com"))
    wait(sdk, lambda: sdk.pending == 0)
    message = sdk.embedded_service.next_message()
    assert message is not None
    print("  message:", message.email, message.code)
    auth.dispatch(AuthAction.submit_code(message.code))
    wait(sdk, lambda: vault.state.carry_over.type == CarryOverType.FINISHED)
    print("  the account has", len(vault), "records")

    print("Restart and find the account again")
    sdk.shutdown()
    sdk, session, auth, vault = start(directory)
    assert vault["note 00007"] == b"written as a guest"

    print("The service ends the session")
    service = sdk.embedded_service
    service.end_sessions(session.state.identity.value.user_id)  # type: ignore[union-attr]
    sdk.renew()
    wait(sdk, lambda: session.state.notice and session.state.status == "ACTIVE")
    session.dispatch(SessionAction.DISMISS_NOTICE)
    wait(sdk, lambda: sdk.pending == 0)

    print("Sign out")
    session.dispatch(SessionAction.SIGN_OUT)
    wait(sdk, lambda: sdk.pending == 0)

    print("Sign out offline: signed out, and no guest until the service can be reached")
    service.set_reachable(False)
    session.dispatch(SessionAction.SIGN_OUT)
    wait(sdk, lambda: sdk.pending == 0)
    service.set_reachable(True)
    session.dispatch(SessionAction.SIGN_OUT)
    wait(sdk, lambda: sdk.pending == 0)
    sdk.shutdown()
