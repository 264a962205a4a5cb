"""The constants of the header, as the enums of the web store API."""

from __future__ import annotations

from enum import Enum, IntEnum


class Status(IntEnum):
    """``folio_status_t``."""

    OK = 0
    NOTHING_WAITING = 1
    INVALID_HANDLE = -1
    INVALID_ARGUMENT = -2
    BUSY = -3
    CLOSED = -4
    SHUT_DOWN = -5
    NOT_READY = -6
    FORKED = -7
    DIRECTORY_IN_USE = -8
    NOT_EMBEDDED = -9
    NETWORK = -10
    SERVICE = -11
    STORAGE = -12
    NOT_FOUND = -13
    VAULT_NOT_RUNNING = -14
    RECORD_DAMAGED = -15
    CANCELLED = -16
    INTERNAL = -17


class _Word(str, Enum):
    """A string constant; a number that this version does not know becomes ``UNKNOWN``."""

    def __str__(self) -> str:
        return str(self.value)


class SessionStatus(_Word):
    """Whether the services that belong to the identity run."""

    UNKNOWN = "UNKNOWN"
    DEVICE = "DEVICE"
    ACTIVATING = "ACTIVATING"
    ACTIVE = "ACTIVE"
    DEACTIVATING = "DEACTIVATING"


class SessionNoticeReason(_Word):
    """Why an account's session ended although the application did not sign out."""

    UNKNOWN = "UNKNOWN"
    SESSION_ENDED = "SESSION_ENDED"


class SessionAction(_Word):
    """What SessionStore can be asked for."""

    SIGN_OUT = "SIGN_OUT"
    DISMISS_NOTICE = "DISMISS_NOTICE"


class VaultAction(_Word):
    """What VaultStore can be asked for."""

    RETRY_CARRY_OVER = "RETRY_CARRY_OVER"


class CarryOverType(_Word):
    """Where the carry-over of a guest's records to the account stands."""

    UNKNOWN = "UNKNOWN"
    NONE = "NONE"
    RUNNING = "RUNNING"
    FINISHED = "FINISHED"
    FAILED = "FAILED"


class ErrorType(_Word):
    """What a SessionStartError (the first three) or AuthError is about."""

    UNKNOWN = "UNKNOWN"
    NETWORK = "NETWORK"
    SERVICE = "SERVICE"
    STORAGE = "STORAGE"
    INVALID_EMAIL = "INVALID_EMAIL"
    INVALID_CODE = "INVALID_CODE"
    WRONG_CODE = "WRONG_CODE"
    CODE_EXPIRED = "CODE_EXPIRED"
    CODE_USED = "CODE_USED"
    TOO_MANY_TRIES = "TOO_MANY_TRIES"
    RATE_LIMITED = "RATE_LIMITED"
    BUSY = "BUSY"


# Native numbers of the words above, in the order of the header from 1; 0 is "absent or unknown".
SESSION_STATUSES = (
    SessionStatus.DEVICE,
    SessionStatus.ACTIVATING,
    SessionStatus.ACTIVE,
    SessionStatus.DEACTIVATING,
)
IDENTITY_KINDS = ("UNRESOLVED", "TRANSIENT", "AUTHENTICATED")
AUTH_TYPES = ("IDLE", "SENDING", "AWAITING_CODE", "VERIFYING", "FAILED")
CARRY_OVER_TYPES = (
    CarryOverType.NONE,
    CarryOverType.RUNNING,
    CarryOverType.FINISHED,
    CarryOverType.FAILED,
)
ERROR_TYPES = tuple(ErrorType)[1:]
SESSION_ACTIONS = {SessionAction.SIGN_OUT: 1, SessionAction.DISMISS_NOTICE: 2}
VAULT_ACTIONS = {VaultAction.RETRY_CARRY_OVER: 1}
LOG_LEVELS = ("ERROR", "WARNING", "INFO", "DEBUG")
