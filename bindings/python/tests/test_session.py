from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Driver

from folio import (
    AuthAction,
    AuthStore,
    Authenticated,
    CoreError,
    Failed,
    FolioSdk,
    Message,
    SessionAction,
    SessionNoticeReason,
    SessionStartError,
    SessionState,
    SessionStatus,
    SessionStore,
    StoreError,
    Transient,
    Unresolved,
)


def test_a_store_holds_the_defaults_until_the_first_read(tmp_path: Path) -> None:
    with FolioSdk.create(data_directory=tmp_path) as sdk:
        store = SessionStore.mount(runtime=sdk)
        assert store.state == SessionState()
        assert isinstance(store.state.identity, Unresolved)
        sdk.dispatch_events()
        assert isinstance(store.state.identity, Transient)
        assert store.state.status == "ACTIVE" == SessionStatus.ACTIVE
        assert store.state == sdk.session_state


def test_identities_have_a_type_and_a_value(driver: Driver) -> None:
    driver.sign_in()
    identity = driver.session.state.identity
    assert identity.type == "AUTHENTICATED"
    assert isinstance(identity, Authenticated)
    assert identity.value.email == "ana@example.com"
    assert identity.value.user_id == identity.user_id


def test_states_are_frozen(driver: Driver) -> None:
    with pytest.raises(AttributeError):
        driver.session.state.status = SessionStatus.DEVICE  # type: ignore[misc]


def test_a_sign_out_reports_every_state_and_ends_with_a_new_guest(driver: Driver) -> None:
    states: list[SessionState] = []
    before = driver.session.state.identity
    remove = driver.session.subscribe(states.append)
    driver.session.dispatch(SessionAction.SIGN_OUT)
    driver.settle()
    assert [(state.identity.type, str(state.status), state.signing_out) for state in states] == [
        ("TRANSIENT", "ACTIVE", True),
        ("UNRESOLVED", "DEACTIVATING", True),
        ("UNRESOLVED", "DEVICE", True),
        ("TRANSIENT", "ACTIVE", False),
    ]
    assert states[-1].identity != before
    remove()
    remove()
    driver.session.dispatch(SessionAction.SIGN_OUT)
    driver.settle()
    assert len(states) == 4


def test_an_ended_account_leaves_a_notice_until_it_is_dismissed(driver: Driver) -> None:
    driver.sign_in()
    identity = driver.session.state.identity
    assert isinstance(identity, Authenticated)
    driver.service.end_sessions(identity.user_id)
    driver.sdk.renew()
    driver.until(lambda: driver.session.state.notice and driver.session.state.status == "ACTIVE")
    assert driver.session.state.notice == SessionNoticeReason.SESSION_ENDED == "SESSION_ENDED"
    driver.session.dispatch(SessionAction.DISMISS_NOTICE)
    driver.settle()
    assert driver.session.state.notice is None


def test_an_offline_sign_out_holds_the_network_error(driver: Driver) -> None:
    driver.service.set_reachable(False)
    driver.session.dispatch(SessionAction.SIGN_OUT)
    driver.settle()
    error = driver.session.state.error
    assert error is not None and error.type == "NETWORK"
    assert (error.status, error.code) == (0, "")
    assert isinstance(driver.session.state.identity, Unresolved)


def test_a_malformed_address_fails_with_its_type(driver: Driver) -> None:
    driver.auth.dispatch(AuthAction.sign_in("nobody"))
    driver.settle()
    assert isinstance(driver.auth.state, Failed)
    assert driver.auth.state.error.type == "INVALID_EMAIL"


def test_a_code_is_not_shown_by_its_action_or_message() -> None:
    assert "123456" not in repr(AuthAction.submit_code("123456"))
    assert "123456" not in repr(Message("ana@example.com", "123456"))


def test_a_start_without_a_network_fails_with_a_session_start_error(tmp_path: Path) -> None:
    driver = Driver(tmp_path)
    driver.service.set_reachable(False)
    driver.session.dispatch(SessionAction.SIGN_OUT)
    driver.settle()
    driver.sdk.shutdown()
    with pytest.raises(SessionStartError) as caught:
        FolioSdk.create(data_directory=tmp_path)
    assert caught.value.type == "NETWORK"
    driver.service.set_reachable(True)
    FolioSdk.create(data_directory=tmp_path).shutdown()


def test_bad_arguments_are_refused_and_nothing_is_made(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(SessionStartError) as caught:
        FolioSdk.create(data_directory=file)
    assert caught.value.type == "STORAGE"
    for options in (
        {"storage_key": b"short"},
        {"timeout": 0.0},
        {"timeout": 1e12},
        {"timeout": float("nan")},
        {"timeout": float("inf")},
        {"embedded_token_life": 0},
        {"service_url": "https://folio.example"},
    ):
        with pytest.raises(CoreError) as refused:
            FolioSdk.create(data_directory=tmp_path / "data", **options)
        assert refused.value.code == "INVALID_ARGUMENT"
    for path in ("", "a\0b", "\ud800"):
        with pytest.raises(CoreError):
            FolioSdk.create(data_directory=path)
    assert list(tmp_path.iterdir()) == [file]


def test_a_directory_is_used_once_in_a_process(driver: Driver, tmp_path: Path) -> None:
    with pytest.raises(CoreError) as caught:
        FolioSdk.create(data_directory=tmp_path)
    assert caught.value.code == "DIRECTORY_IN_USE"


def test_a_closed_store_raises_a_store_error(driver: Driver) -> None:
    driver.session.close()
    driver.session.close()
    with pytest.raises(StoreError):
        driver.session.dispatch(SessionAction.SIGN_OUT)
    with pytest.raises(StoreError):
        driver.session.subscribe(print)
    assert isinstance(driver.session.state.identity, Transient)


def test_after_shutdown_calls_raise_and_states_stay(tmp_path: Path) -> None:
    driver = Driver(tmp_path)
    state = driver.session.state
    driver.sdk.shutdown()
    driver.sdk.shutdown()
    for use in (
        lambda: driver.session.dispatch(SessionAction.SIGN_OUT),
        lambda: SessionStore.mount(driver.sdk),
        lambda: AuthStore.mount(driver.sdk),
        driver.sdk.dispatch_events,
        driver.sdk.wait_events,
        driver.sdk.renew,
    ):
        with pytest.raises(CoreError) as caught:
            use()
        assert caught.value.code == "SHUT_DOWN"
    assert driver.session.state == state


def test_text_with_nul_or_surrogates_is_refused_before_the_call(driver: Driver) -> None:
    for bad in ("a\0b@example.com", "\ud800@example.com"):
        with pytest.raises(CoreError) as caught:
            driver.auth.dispatch(AuthAction.sign_in(bad))
        assert caught.value.code == "INVALID_ARGUMENT"
    assert driver.sdk.pending == 0


def test_unknown_users_are_told(driver: Driver) -> None:
    with pytest.raises(CoreError) as caught:
        driver.service.end_sessions("nobody")
    assert type(caught.value) is CoreError
    assert caught.value.code == "NOT_FOUND"
