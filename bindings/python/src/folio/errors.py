"""The errors of Folio. Messages are one line, say what to do and never hold a secret."""

from __future__ import annotations

from ._constants import ErrorType


class FolioError(Exception):
    """The base of every error of this package."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def _fields(self) -> tuple[object, ...]:
        return (self.message,)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, FolioError) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash((type(self), self._fields()))


class CoreError(FolioError):
    """A call that could not be taken. ``code`` is the name of the native status, such as ``SHUT_DOWN``."""

    def __init__(self, message: str, code: str = "INTERNAL") -> None:
        super().__init__(message)
        self.code = code

    def _fields(self) -> tuple[object, ...]:
        return (self.code, self.message)


class StoreError(CoreError):
    """A call on a closed store, or on a handle that is over."""


class VaultError(CoreError):
    """A vault call that failed: ``VAULT_NOT_RUNNING``, ``RECORD_DAMAGED``, ``STORAGE`` or ``NOT_FOUND``."""


class SessionStartError(FolioError):
    """Why a session could not start: the error of ``FolioSdk.create`` and of ``SessionState.error``."""

    def __init__(self, message: str, type: ErrorType, status: int = 0, code: str = "") -> None:
        super().__init__(message)
        #: ``NETWORK``, ``SERVICE`` or ``STORAGE``.
        self.type = type
        #: The HTTP status of the service's answer, 0 when there was none.
        self.status = status
        #: The service's own code, empty when there was none.
        self.code = code

    def _fields(self) -> tuple[object, ...]:
        return (self.type, self.status, self.code, self.message)


class AuthError(FolioError):
    """Why a sign-in did not go on: the error of the auth states."""

    def __init__(
        self, message: str, type: ErrorType, status: int = 0, code: str = "", retry_after: float = 0.0
    ) -> None:
        super().__init__(message)
        self.type = type
        self.status = status
        self.code = code
        #: Seconds to wait before the next try; 0 when nothing was told.
        self.retry_after = retry_after

    def _fields(self) -> tuple[object, ...]:
        return (self.type, self.status, self.code, self.retry_after, self.message)
