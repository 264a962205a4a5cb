"""Folio: a session runtime. Guests, accounts, tokens that renew themselves, a vault, and one report of every change.

``FolioSdk`` holds the runtime; ``SessionStore``, ``AuthStore`` and ``VaultStore`` report it. The API mirrors the web store
API; ``include/folio.h`` of the library says what each call does in full.
"""

from ._auth_store import AuthAction, AuthStore
from ._constants import CarryOverType, ErrorType, SessionAction, SessionNoticeReason, SessionStatus, Status, VaultAction
from ._library import lib as _lib
from ._sdk import EmbeddedService, FolioSdk, Message
from ._session_store import SessionStore
from ._vault_store import VaultConflict, VaultEntry, VaultRecord, VaultStore, VaultTransaction
from .errors import AuthError, CoreError, FolioError, SessionStartError, StoreError, VaultError
from .states import (
    Authenticated,
    AuthState,
    AwaitingCode,
    CarryOver,
    Failed,
    Identity,
    Idle,
    Sending,
    SessionState,
    Transient,
    Unknown,
    Unresolved,
    VaultState,
    Verifying,
)

__version__: str = _lib.folio_version_string().decode()

__all__ = [
    "AuthAction",
    "AuthError",
    "AuthState",
    "AuthStore",
    "Authenticated",
    "AwaitingCode",
    "CarryOver",
    "CarryOverType",
    "CoreError",
    "EmbeddedService",
    "ErrorType",
    "Failed",
    "FolioError",
    "FolioSdk",
    "Identity",
    "Idle",
    "Message",
    "Sending",
    "SessionAction",
    "SessionNoticeReason",
    "SessionStartError",
    "SessionState",
    "SessionStatus",
    "SessionStore",
    "Status",
    "StoreError",
    "Transient",
    "Unknown",
    "Unresolved",
    "VaultAction",
    "VaultConflict",
    "VaultEntry",
    "VaultError",
    "VaultRecord",
    "VaultState",
    "VaultStore",
    "VaultTransaction",
    "Verifying",
    "__version__",
]
