"""Calls into the library: errors become exceptions, strings and bytes are checked before they cross."""

from __future__ import annotations

import ctypes
from typing import Any, Callable, Union

from ._constants import ERROR_TYPES, ErrorType, Status
from ._library import CALLS, lib
from .errors import AuthError, CoreError, FolioError, SessionStartError, StoreError, VaultError

BytesLike = Union[bytes, bytearray, memoryview]

_VAULT_STATUSES = (Status.VAULT_NOT_RUNNING, Status.RECORD_DAMAGED, Status.NOT_FOUND, Status.STORAGE)


def decode(text: bytes | None) -> str | None:
    """Text of the library; bytes that are no UTF-8 are replaced."""
    return None if text is None else text.decode("utf-8", "replace")


def word(number: int, words: tuple[Any, ...], unknown: Any) -> Any:
    """The constant of a native number from 1, or ``unknown``."""
    return words[number - 1] if 1 <= number <= len(words) else unknown


def status_name(number: int) -> str:
    try:
        return Status(number).name
    except ValueError:
        return "UNKNOWN"


class NativeError:
    """The facts of a ``folio_error_t``, copied; the handle stays the caller's."""

    def __init__(self, handle: int | None) -> None:
        self.code = lib.folio_error_get_code(handle)
        self.type: ErrorType = word(lib.folio_error_get_kind(handle), ERROR_TYPES, ErrorType.UNKNOWN)
        self.has_type = lib.folio_error_get_kind(handle) != 0
        self.http_status: int = lib.folio_error_get_http_status(handle)
        self.service_code = decode(lib.folio_error_get_service_code(handle)) or ""
        self.message = decode(lib.folio_error_get_message(handle)) or "The call failed."
        self.retry_after = lib.folio_error_get_retry_after_ms(handle) / 1000

    def session_start_error(self) -> SessionStartError:
        return SessionStartError(self.message, self.type, self.http_status, self.service_code)

    def auth_error(self) -> AuthError:
        return AuthError(self.message, self.type, self.http_status, self.service_code, self.retry_after)

    def call_error(self) -> FolioError:
        """The exception of a failed call."""
        name = status_name(self.code)
        if self.code == Status.CLOSED:
            return StoreError(self.message, name)
        return CoreError(self.message, name)

    def start_error(self) -> FolioError:
        """The exception of a failed create."""
        return self.session_start_error() if self.has_type else self.call_error()

    def vault_error(self) -> FolioError:
        """The exception of a failed vault call."""
        if self.code in _VAULT_STATUSES:
            return VaultError(self.message, status_name(self.code))
        return self.call_error()


def take_error(handle: int | None) -> NativeError:
    """Copies an owned error and releases it."""
    try:
        return NativeError(handle)
    finally:
        lib.folio_error_release(handle)


def call(
    name: str, *arguments: Any, raising: Callable[[NativeError], FolioError] = NativeError.call_error
) -> int:
    """Calls a function that takes a place for an error last; raises what it tells."""
    assert name in CALLS
    error = ctypes.c_void_p()
    status: int = getattr(lib, name)(*arguments, ctypes.byref(error))
    if status < 0:
        if error.value is None:
            raise CoreError("The call failed.", status_name(status))
        raise raising(take_error(error.value))
    return status


def call_for_handle(
    name: str, *arguments: Any, raising: Callable[[NativeError], FolioError] = NativeError.call_error
) -> int | None:
    """As ``call``, for functions whose last argument is a place for a handle."""
    handle = ctypes.c_void_p()
    call(name, *arguments, ctypes.byref(handle), raising=raising)
    return handle.value


def text(value: str, name: str) -> bytes:
    """UTF-8 for the library; text that cannot cross whole is refused here."""
    if not isinstance(value, str):
        raise CoreError(f"The {name} must be a string; give one.", "INVALID_ARGUMENT")
    try:
        encoded = value.encode("utf-8")
    except UnicodeEncodeError:
        raise CoreError(f"The {name} is not valid Unicode; remove lone surrogates.", "INVALID_ARGUMENT") from None
    if b"\0" in encoded:
        raise CoreError(f"The {name} holds a NUL character; remove it.", "INVALID_ARGUMENT")
    return encoded


def pointer(value: BytesLike) -> tuple[Any, int]:
    """What a pointer parameter takes for these bytes, and their length. Keeps the value alive; copies only what ctypes
    cannot point at: read-only views and views with gaps."""
    if isinstance(value, bytes):
        return value, len(value)
    try:
        view = memoryview(value)
    except TypeError:
        raise CoreError("A value must be bytes-like; give bytes, bytearray or memoryview.", "INVALID_ARGUMENT") from None
    if view.readonly or not view.c_contiguous:
        copy = view.tobytes()
        return copy, len(copy)
    if view.nbytes == 0:
        return b"", 0
    return (ctypes.c_char * view.nbytes).from_buffer(view.cast("B")), view.nbytes
