"""Loads libfolio and declares the functions of its header, ``include/folio.h``."""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_size_t, c_void_p
from pathlib import Path
from typing import Any

DestroyCallback = ctypes.CFUNCTYPE(None, c_void_p)
CreatedCallback = ctypes.CFUNCTYPE(None, c_void_p, c_void_p)
LogCallback = ctypes.CFUNCTYPE(None, c_void_p, c_int32, c_char_p)
StateCallback = ctypes.CFUNCTYPE(None, c_void_p, c_void_p)

# One letter a parameter: h handle, H place for a handle, s string, i int32, I place for an int32, l int64,
# L place for an int64, z size, v bytes, K S Z arrays of strings, byte pointers and sizes, c C g d callbacks.
_PARAMETERS: dict[str, Any] = {
    "h": c_void_p,
    "H": POINTER(c_void_p),
    "s": c_char_p,
    "i": c_int32,
    "I": POINTER(c_int32),
    "l": c_int64,
    "L": POINTER(c_int64),
    "z": c_size_t,
    "v": c_void_p,
    "K": POINTER(c_char_p),
    "S": POINTER(c_void_p),
    "Z": POINTER(c_size_t),
    "c": StateCallback,
    "C": CreatedCallback,
    "g": LogCallback,
    "d": DestroyCallback,
}

# Functions that return a status and take a place for an error last.
CALLS: dict[str, str] = {
    "folio_config_create": "H",
    "folio_config_set_data_directory": "hs",
    "folio_config_set_storage_key": "hvz",
    "folio_config_set_timeout_ms": "hi",
    "folio_config_set_embedded_token_life": "hl",
    "folio_sdk_create": "hH",
    "folio_sdk_create_async": "hChdH",
    "folio_sdk_open_event_fd": "hI",
    "folio_sdk_dispatch_events": "hiI",
    "folio_sdk_wait_events": "hiI",
    "folio_sdk_renew": "h",
    "folio_sdk_shutdown": "h",
    "folio_sdk_copy_session_state": "hH",
    "folio_sdk_subscribe_log": "hghdH",
    "folio_sdk_get_embedded_service": "hH",
    "folio_session_store_dispatch": "hi",
    "folio_auth_store_dispatch_sign_in": "hs",
    "folio_auth_store_dispatch_submit_code": "hs",
    "folio_auth_store_dispatch_resend_code": "h",
    "folio_auth_store_dispatch_cancel": "h",
    "folio_vault_store_dispatch": "hi",
    "folio_vault_store_put": "hsvz",
    "folio_vault_store_get": "hsH",
    "folio_vault_store_delete": "hsI",
    "folio_vault_store_put_many": "hKSZz",
    "folio_vault_store_count": "hsL",
    "folio_vault_store_list": "hssiH",
    "folio_vault_store_list_conflicts": "hlH",
    "folio_vault_store_get_conflict": "hlH",
    "folio_vault_store_keep_conflict": "hl",
    "folio_vault_store_drop_conflict": "hl",
    "folio_vault_transaction_begin": "hH",
    "folio_vault_transaction_put": "hsvz",
    "folio_vault_transaction_get": "hsH",
    "folio_vault_transaction_delete": "hsI",
    "folio_vault_transaction_commit": "h",
    "folio_subscription_next": "hH",
    "folio_subscription_cancel": "h",
    "folio_service_next_message": "hH",
    "folio_service_end_sessions": "hs",
    "folio_service_delete_account": "hs",
    "folio_service_set_reachable": "hi",
    "folio_service_set_guest_account": "hs",
    "folio_service_close": "h",
}
for _store in ("session", "auth", "vault"):
    CALLS[f"folio_{_store}_store_mount"] = "hH"
    CALLS[f"folio_{_store}_store_get_state"] = "hH"
    CALLS[f"folio_{_store}_store_subscribe"] = "hchdH"
    CALLS[f"folio_{_store}_store_close"] = "h"

# Functions that return a fact and cannot fail.
FACTS: dict[str, tuple[Any, str]] = {
    "folio_version_string": (c_char_p, ""),
    "folio_abi_version": (c_int32, ""),
    "folio_status_get_name": (c_char_p, "i"),
    "folio_error_get_code": (c_int32, "h"),
    "folio_error_get_kind": (c_int32, "h"),
    "folio_error_get_http_status": (c_int32, "h"),
    "folio_error_get_service_code": (c_char_p, "h"),
    "folio_error_get_message": (c_char_p, "h"),
    "folio_error_get_retry_after_ms": (c_int64, "h"),
    "folio_sdk_get_pending": (c_int32, "h"),
    "folio_session_state_get_identity_kind": (c_int32, "h"),
    "folio_session_state_get_user_id": (c_char_p, "h"),
    "folio_session_state_get_email": (c_char_p, "h"),
    "folio_session_state_get_status": (c_int32, "h"),
    "folio_session_state_get_notice": (c_int32, "h"),
    "folio_session_state_get_device_id": (c_char_p, "h"),
    "folio_session_state_get_signing_out": (c_int32, "h"),
    "folio_auth_state_get_type": (c_int32, "h"),
    "folio_auth_state_get_email": (c_char_p, "h"),
    "folio_auth_state_get_expires_in_ms": (c_int64, "h"),
    "folio_auth_state_get_resend_in_ms": (c_int64, "h"),
    "folio_auth_state_get_tries_left": (c_int32, "h"),
    "folio_vault_state_get_running": (c_int32, "h"),
    "folio_vault_state_get_user_id": (c_char_p, "h"),
    "folio_vault_state_get_record_count": (c_int64, "h"),
    "folio_vault_state_get_bytes": (c_int64, "h"),
    "folio_vault_state_get_conflict_count": (c_int64, "h"),
    "folio_vault_state_get_carry_over": (c_int32, "h"),
    "folio_vault_state_get_moved": (c_int64, "h"),
    "folio_vault_state_get_total": (c_int64, "h"),
    "folio_vault_state_get_retrying": (c_int32, "h"),
    "folio_vault_value_get_data": (c_void_p, "h"),
    "folio_vault_value_get_length": (c_size_t, "h"),
    "folio_vault_value_get_modified_at": (c_int64, "h"),
    "folio_vault_page_get_count": (c_int32, "h"),
    "folio_vault_page_get_key": (c_char_p, "hi"),
    "folio_vault_page_get_length": (c_int64, "hi"),
    "folio_vault_page_get_modified_at": (c_int64, "hi"),
    "folio_vault_conflicts_get_count": (c_int32, "h"),
    "folio_vault_conflicts_get_id": (c_int64, "hi"),
    "folio_vault_conflicts_get_key": (c_char_p, "hi"),
    "folio_vault_conflicts_get_modified_at": (c_int64, "hi"),
    "folio_message_get_email": (c_char_p, "h"),
    "folio_message_get_code": (c_char_p, "h"),
}
for _state in ("session", "auth", "vault"):
    FACTS[f"folio_{_state}_state_copy_error"] = (c_void_p, "h")
    FACTS[f"folio_{_state}_state_retain"] = (c_void_p, "h")

RELEASES: tuple[str, ...] = (
    "error",
    "config",
    "sdk",
    "session_store",
    "session_state",
    "auth_store",
    "auth_state",
    "vault_store",
    "vault_state",
    "vault_value",
    "vault_page",
    "vault_conflicts",
    "vault_transaction",
    "subscription",
    "service",
    "message",
)


def _candidates() -> list[str]:
    here = Path(__file__).resolve()
    chosen = os.environ.get("FOLIO_LIBRARY")
    if chosen:
        return [chosen]
    paths = [here.parent / "libfolio.so"]
    if here.parts[-5:-2] == ("bindings", "python", "src"):
        paths.append(here.parents[4] / "build" / "libfolio.so")
    return [str(path) for path in paths if path.exists()] + ["libfolio.so.0"]


def _load() -> ctypes.CDLL:
    problems: list[str] = []
    for candidate in _candidates():
        try:
            # CDLL, not PyDLL: the interpreter's lock is released during every call.
            return ctypes.CDLL(candidate)
        except OSError as problem:
            problems.append(str(problem))
    raise ImportError(
        "libfolio was not found; install it, or name it in the environment variable FOLIO_LIBRARY ("
        + "; ".join(problems)
        + ")"
    )


def _declare(library: ctypes.CDLL) -> ctypes.CDLL:
    for name, parameters in CALLS.items():
        function = getattr(library, name)
        function.restype = c_int32
        function.argtypes = [_PARAMETERS[letter] for letter in parameters] + [POINTER(c_void_p)]
    for name, (result, parameters) in FACTS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = [_PARAMETERS[letter] for letter in parameters]
    for noun in RELEASES:
        function = getattr(library, f"folio_{noun}_release")
        function.restype = None
        function.argtypes = [c_void_p]
    return library


try:
    lib = _declare(_load())
except AttributeError as problem:
    raise ImportError(f"libfolio is older than this package; install the one that belongs to it ({problem})") from None
