"""The store that reports and reaches the vault."""

from __future__ import annotations

import ctypes
import weakref
from dataclasses import dataclass
from datetime import datetime, timezone
from types import TracebackType
from typing import Any, Iterator, Mapping

from ._constants import VAULT_ACTIONS, VaultAction
from ._library import lib
from ._native import BytesLike, NativeError, call, call_for_handle, decode, pointer, text
from ._store import Store
from .errors import CoreError
from .states import VaultState, read_vault_state

_PAGE = 1000


def _call(name: str, *arguments: Any) -> int:
    return call(name, *arguments, raising=NativeError.vault_error)


def _handle(name: str, *arguments: Any) -> int | None:
    return call_for_handle(name, *arguments, raising=NativeError.vault_error)


def _time(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, timezone.utc)


@dataclass(frozen=True)
class VaultRecord:
    """A value with the time it was written."""

    value: bytes
    modified_at: datetime


@dataclass(frozen=True)
class VaultEntry:
    """A record as it is listed, without its value."""

    key: str
    length: int
    modified_at: datetime


@dataclass(frozen=True)
class VaultConflict:
    """A value that lost to another one of the same key in a carry-over."""

    id: int
    key: str
    modified_at: datetime


def _take_value(handle: int | None) -> VaultRecord | None:
    if handle is None:
        return None
    try:
        data, length = lib.folio_vault_value_get_data(handle), lib.folio_vault_value_get_length(handle)
        return VaultRecord(ctypes.string_at(data, length), _time(lib.folio_vault_value_get_modified_at(handle)))
    finally:
        lib.folio_vault_value_release(handle)


class VaultTransaction:
    """Several writes in one durable commit, all or none. Reads see the transaction's own writes.

    Used as a context manager: commits at the end, drops everything when the block raises. For one thread at a time.
    """

    def __init__(self, store: VaultStore) -> None:
        self._handle = _handle("folio_vault_transaction_begin", store._handle)
        weakref.finalize(self, lib.folio_vault_transaction_release, self._handle).atexit = False

    def __setitem__(self, key: str, value: BytesLike) -> None:
        data, length = pointer(value)
        _call("folio_vault_transaction_put", self._handle, text(key, "key"), data, length)

    def get(self, key: str, default: bytes | None = None) -> bytes | None:
        record = _take_value(_handle("folio_vault_transaction_get", self._handle, text(key, "key")))
        return default if record is None else record.value

    def __getitem__(self, key: str) -> bytes:
        value = self.get(key)
        if value is None:
            raise KeyError(key)
        return value

    def __contains__(self, key: str) -> bool:
        return self.get(key) is not None

    def __delitem__(self, key: str) -> None:
        deleted = ctypes.c_int32()
        _call("folio_vault_transaction_delete", self._handle, text(key, "key"), ctypes.byref(deleted))
        if not deleted.value:
            raise KeyError(key)

    def commit(self) -> None:
        """Applies the writes; the transaction is over, whether this succeeds or not."""
        _call("folio_vault_transaction_commit", self._handle)

    def __enter__(self) -> VaultTransaction:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.commit()
        else:
            lib.folio_vault_transaction_release(self._handle)


class VaultStore(Store[VaultState]):
    """Sealed records that belong to the identity, used like a mapping from ``str`` to ``bytes``.

    Usable while the state says ``running``; otherwise, and when the identity has changed, calls raise VaultError
    ``VAULT_NOT_RUNNING`` and change nothing. Keys are 1 to 1,024 bytes of UTF-8 without NUL, values at most 16 MiB.
    Calls run on the calling thread; a write has reached the disk when it returns.
    """

    _noun = "vault"

    @staticmethod
    def _read(handle: int | None) -> VaultState:
        return read_vault_state(handle)

    def dispatch(self, action: VaultAction) -> None:
        """Dispatches an action, such as trying a failed carry-over again."""
        if action not in VAULT_ACTIONS:
            raise CoreError("This is no VaultAction; dispatch one of its constants.", "INVALID_ARGUMENT")
        call("folio_vault_store_dispatch", self._handle, VAULT_ACTIONS[VaultAction(action)])

    # Mapping

    def __setitem__(self, key: str, value: BytesLike) -> None:
        data, length = pointer(value)
        _call("folio_vault_store_put", self._handle, text(key, "key"), data, length)

    def record(self, key: str) -> VaultRecord | None:
        """The value with the time it was written; ``None`` when there is no such record."""
        return _take_value(_handle("folio_vault_store_get", self._handle, text(key, "key")))

    def get(self, key: str, default: bytes | None = None) -> bytes | None:
        record = self.record(key)
        return default if record is None else record.value

    def __getitem__(self, key: str) -> bytes:
        record = self.record(key)
        if record is None:
            raise KeyError(key)
        return record.value

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, str):
            return False
        page = self._page(key, None, 1)
        return bool(page) and page[0].key == key

    def __delitem__(self, key: str) -> None:
        deleted = ctypes.c_int32()
        _call("folio_vault_store_delete", self._handle, text(key, "key"), ctypes.byref(deleted))
        if not deleted.value:
            raise KeyError(key)

    def __len__(self) -> int:
        return self.count()

    def __bool__(self) -> bool:
        # A store is not "nothing" because its vault is empty or stopped.
        return True

    def __iter__(self) -> Iterator[str]:
        return self.keys()

    def put_many(self, records: Mapping[str, BytesLike]) -> None:
        """Writes all records in one durable commit, or none."""
        if not records:
            return
        count = len(records)
        keys = (ctypes.c_char_p * count)(*[text(key, "key") for key in records])
        pointers = [pointer(value) for value in records.values()]
        values = (ctypes.c_void_p * count)(*[_address(data) for data, _ in pointers])
        lengths = (ctypes.c_size_t * count)(*[length for _, length in pointers])
        _call("folio_vault_store_put_many", self._handle, keys, values, lengths, count)

    def count(self, prefix: str = "") -> int:
        """How many records have a key that begins with ``prefix``."""
        count = ctypes.c_int64()
        _call("folio_vault_store_count", self._handle, text(prefix, "prefix"), ctypes.byref(count))
        return count.value

    def entries(self, prefix: str = "") -> Iterator[VaultEntry]:
        """Records whose key begins with ``prefix``, in order of the key's bytes, without their values."""
        after: str | None = None
        while True:
            page = self._page(prefix, after, _PAGE)
            yield from page
            if len(page) < _PAGE:
                return
            after = page[-1].key

    def keys(self, prefix: str = "") -> Iterator[str]:
        for entry in self.entries(prefix):
            yield entry.key

    def items(self, prefix: str = "") -> Iterator[tuple[str, bytes]]:
        """Keys and values; a record that is deleted meanwhile is left out."""
        for entry in self.entries(prefix):
            value = self.get(entry.key)
            if value is not None:
                yield entry.key, value

    def _page(self, prefix: str, after: str | None, limit: int) -> list[VaultEntry]:
        cursor = None if after is None else text(after, "cursor")
        page = _handle("folio_vault_store_list", self._handle, text(prefix, "prefix"), cursor, limit)
        try:
            return [
                VaultEntry(
                    decode(lib.folio_vault_page_get_key(page, index)) or "",
                    lib.folio_vault_page_get_length(page, index),
                    _time(lib.folio_vault_page_get_modified_at(page, index)),
                )
                for index in range(lib.folio_vault_page_get_count(page))
            ]
        finally:
            lib.folio_vault_page_release(page)

    def transaction(self) -> VaultTransaction:
        """``with vault.transaction() as t:`` several writes in one commit, all or none."""
        return VaultTransaction(self)

    # Conflict copies

    def conflicts(self) -> Iterator[VaultConflict]:
        """Conflict copies that carry-overs have kept, in order of their ids."""
        after = 0
        while True:
            page = _handle("folio_vault_store_list_conflicts", self._handle, after)
            try:
                found = [
                    VaultConflict(
                        lib.folio_vault_conflicts_get_id(page, index),
                        decode(lib.folio_vault_conflicts_get_key(page, index)) or "",
                        _time(lib.folio_vault_conflicts_get_modified_at(page, index)),
                    )
                    for index in range(lib.folio_vault_conflicts_get_count(page))
                ]
            finally:
                lib.folio_vault_conflicts_release(page)
            if not found:
                return
            yield from found
            after = found[-1].id

    def conflict_value(self, conflict: VaultConflict) -> bytes:
        """The losing value. Raises VaultError ``NOT_FOUND`` when the copy is gone."""
        record = _take_value(_handle("folio_vault_store_get_conflict", self._handle, conflict.id))
        return b"" if record is None else record.value

    def keep_conflict(self, conflict: VaultConflict) -> None:
        """Makes the copy the record's value and removes the copy. Raises VaultError ``NOT_FOUND``."""
        _call("folio_vault_store_keep_conflict", self._handle, conflict.id)

    def drop_conflict(self, conflict: VaultConflict) -> None:
        """Removes the copy. Raises VaultError ``NOT_FOUND``."""
        _call("folio_vault_store_drop_conflict", self._handle, conflict.id)


def _address(data: Any) -> int | None:
    return ctypes.cast(ctypes.c_char_p(data) if isinstance(data, bytes) else data, ctypes.c_void_p).value
