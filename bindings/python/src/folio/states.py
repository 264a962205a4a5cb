"""What the stores report: frozen values, with the names of the web store API in snake_case."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import ClassVar, Union

from ._constants import (
    AUTH_TYPES,
    CARRY_OVER_TYPES,
    IDENTITY_KINDS,
    SESSION_STATUSES,
    CarryOverType,
    SessionNoticeReason,
    SessionStatus,
)
from ._library import lib
from ._native import decode, take_error, word
from .errors import AuthError, SessionStartError, VaultError


@dataclass(frozen=True)
class Unresolved:
    """No identity: not read yet, or signed out without a new guest."""

    type: ClassVar[str] = "UNRESOLVED"
    value: ClassVar[None] = None


@dataclass(frozen=True)
class Transient:
    """A guest."""

    user_id: str
    type: ClassVar[str] = "TRANSIENT"

    @property
    def value(self) -> Transient:
        """The facts of the identity; on the web they lie one level below the type."""
        return self


@dataclass(frozen=True)
class Authenticated:
    """An account a person signed in to."""

    user_id: str
    email: str
    type: ClassVar[str] = "AUTHENTICATED"

    @property
    def value(self) -> Authenticated:
        """The facts of the identity; on the web they lie one level below the type."""
        return self


@dataclass(frozen=True)
class Unknown:
    """A kind of identity or a sign-in state of a newer library."""

    type: ClassVar[str] = "UNKNOWN"
    value: ClassVar[None] = None


Identity = Union[Unresolved, Transient, Authenticated, Unknown]


@dataclass(frozen=True)
class SessionState:
    """What SessionStore reports. The defaults hold until the first read."""

    identity: Identity = field(default_factory=Unresolved)
    status: SessionStatus = SessionStatus.DEVICE
    notice: SessionNoticeReason | None = None
    device_id: str | None = None
    signing_out: bool = False
    error: SessionStartError | None = None


@dataclass(frozen=True)
class Idle:
    type: ClassVar[str] = "IDLE"


@dataclass(frozen=True)
class Sending:
    email: str
    type: ClassVar[str] = "SENDING"

    @property
    def value(self) -> Sending:
        return self


@dataclass(frozen=True)
class AwaitingCode:
    """A code was sent; ``error`` tells why the last one was not taken."""

    email: str
    expires_at: datetime
    resend_at: datetime
    tries_left: int
    error: AuthError | None
    type: ClassVar[str] = "AWAITING_CODE"

    @property
    def value(self) -> AwaitingCode:
        return self


@dataclass(frozen=True)
class Verifying:
    email: str
    type: ClassVar[str] = "VERIFYING"

    @property
    def value(self) -> Verifying:
        return self


@dataclass(frozen=True)
class Failed:
    """``email`` is empty when the action that failed named none."""

    email: str
    error: AuthError
    type: ClassVar[str] = "FAILED"

    @property
    def value(self) -> Failed:
        return self


AuthState = Union[Idle, Sending, AwaitingCode, Verifying, Failed, Unknown]


@dataclass(frozen=True)
class CarryOver:
    """Where the carry-over of guests' records stands; ``moved`` of ``total`` while it runs or has failed."""

    type: CarryOverType = CarryOverType.NONE
    moved: int = 0
    total: int = 0
    error: VaultError | None = None
    #: Whether a failed one will be tried again by itself.
    retrying: bool = False


@dataclass(frozen=True)
class VaultState:
    """What VaultStore reports."""

    running: bool = False
    user_id: str | None = None
    record_count: int = 0
    #: The bytes of all values together.
    bytes: int = 0
    conflict_count: int = 0
    carry_over: CarryOver = field(default_factory=CarryOver)


def read_session_state(handle: int | None) -> SessionState:
    kind = word(lib.folio_session_state_get_identity_kind(handle), IDENTITY_KINDS, "UNKNOWN")
    user_id = decode(lib.folio_session_state_get_user_id(handle)) or ""
    identity: Identity
    if kind == "AUTHENTICATED":
        identity = Authenticated(user_id, decode(lib.folio_session_state_get_email(handle)) or "")
    elif kind == "TRANSIENT":
        identity = Transient(user_id)
    else:
        identity = Unresolved() if kind == "UNRESOLVED" else Unknown()
    notice = lib.folio_session_state_get_notice(handle)
    error = lib.folio_session_state_copy_error(handle)
    return SessionState(
        identity=identity,
        status=word(lib.folio_session_state_get_status(handle), SESSION_STATUSES, SessionStatus.UNKNOWN),
        notice=None if notice == 0 else word(notice, (SessionNoticeReason.SESSION_ENDED,), SessionNoticeReason.UNKNOWN),
        device_id=decode(lib.folio_session_state_get_device_id(handle)),
        signing_out=lib.folio_session_state_get_signing_out(handle) != 0,
        error=take_error(error).session_start_error() if error else None,
    )


def read_auth_state(handle: int | None) -> AuthState:
    kind = word(lib.folio_auth_state_get_type(handle), AUTH_TYPES, "UNKNOWN")
    email = decode(lib.folio_auth_state_get_email(handle)) or ""
    native_error = lib.folio_auth_state_copy_error(handle)
    error = take_error(native_error).auth_error() if native_error else None
    if kind == "SENDING":
        return Sending(email)
    if kind == "VERIFYING":
        return Verifying(email)
    if kind == "AWAITING_CODE":
        now = datetime.now(timezone.utc)
        return AwaitingCode(
            email=email,
            expires_at=now + timedelta(milliseconds=lib.folio_auth_state_get_expires_in_ms(handle)),
            resend_at=now + timedelta(milliseconds=lib.folio_auth_state_get_resend_in_ms(handle)),
            tries_left=lib.folio_auth_state_get_tries_left(handle),
            error=error,
        )
    if kind == "FAILED" and error is not None:
        return Failed(email, error)
    return Idle() if kind == "IDLE" else Unknown()


def read_vault_state(handle: int | None) -> VaultState:
    error = lib.folio_vault_state_copy_error(handle)
    carried = word(lib.folio_vault_state_get_carry_over(handle), CARRY_OVER_TYPES, CarryOverType.UNKNOWN)
    failure = take_error(error) if error else None
    return VaultState(
        running=lib.folio_vault_state_get_running(handle) != 0,
        user_id=decode(lib.folio_vault_state_get_user_id(handle)),
        record_count=lib.folio_vault_state_get_record_count(handle),
        bytes=lib.folio_vault_state_get_bytes(handle),
        conflict_count=lib.folio_vault_state_get_conflict_count(handle),
        carry_over=CarryOver(
            type=carried,
            moved=lib.folio_vault_state_get_moved(handle),
            total=lib.folio_vault_state_get_total(handle),
            error=VaultError(failure.message, "STORAGE") if failure else None,
            retrying=lib.folio_vault_state_get_retrying(handle) != 0,
        ),
    )
