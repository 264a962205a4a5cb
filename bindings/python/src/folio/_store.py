"""What every store has: state, listeners, iteration, close."""

from __future__ import annotations

import asyncio
import ctypes
import weakref
from typing import Any, Callable, ClassVar, Generic, TypeVar

from . import _callbacks
from ._callbacks import Entry
from ._constants import Status
from ._library import lib
from ._native import call, call_for_handle
from ._sdk import FolioSdk, register, remover
from .errors import CoreError, StoreError

State = TypeVar("State")
Self = TypeVar("Self", bound="Store[Any]")


class Store(Generic[State]):
    """A mounted store. Any thread; listeners run in the pump of the runtime."""

    _noun: ClassVar[str]

    @staticmethod
    def _read(handle: int | None) -> Any:
        """The state of a native state handle."""
        raise NotImplementedError

    def __init__(self) -> None:
        raise CoreError(f"A store is mounted: {type(self).__name__}.mount(sdk).", "INVALID_ARGUMENT")

    @classmethod
    def mount(cls: type[Self], sdk: FolioSdk | None = None, *, runtime: FolioSdk | None = None) -> Self:
        """Mounts the store on a runtime. Its state holds the defaults until the first read is delivered.

        Raises CoreError after shutdown.
        """
        owner = sdk if sdk is not None else runtime
        if owner is None:
            raise CoreError("A store needs a runtime; give one.", "INVALID_ARGUMENT")
        self = object.__new__(cls)
        self._sdk = owner
        self._handle = call_for_handle(f"folio_{cls._noun}_store_mount", owner._handle)
        weakref.finalize(self, getattr(lib, f"folio_{cls._noun}_store_release"), self._handle).atexit = False
        return self

    _sdk: FolioSdk
    _handle: int | None

    @property
    def state(self) -> State:
        """The state that was delivered last. Works after close and shutdown."""
        handle = call_for_handle(f"folio_{self._noun}_store_get_state", self._handle)
        return self._take(handle)

    def _take(self, handle: int | None) -> State:
        try:
            state: State = type(self)._read(handle)
            return state
        finally:
            getattr(lib, f"folio_{self._noun}_state_release")(handle)

    def subscribe(self, listener: Callable[[State], object]) -> Callable[[], None]:
        """Calls ``listener`` with every later state, in order; returns a function that removes it.

        An exception of a listener goes to the loop's exception handler or ``sys.unraisablehook``; the other listeners
        still run. Raises StoreError on a closed store.
        """
        read = type(self)._read

        def run(handle: int | None) -> None:
            listener(read(handle))

        name = f"folio_{self._noun}_store_subscribe"
        return remover(register(name, self._handle, _callbacks.on_state, Entry(run, self._sdk._report)))

    def states(self) -> States[State]:
        """The states one by one, beginning with the current one, for ``for`` and ``async for``; none is left out.

        Pumps the runtime by itself unless another pump does. Ends when the store is closed or the runtime shut down.
        """
        return States(self)

    def close(self) -> None:
        """Closes the store: its listeners and iterations end. Harmless twice."""
        call(f"folio_{self._noun}_store_close", self._handle)
        self._sdk._wake_waits()


class States(Generic[State]):
    """An iteration over the states of a store; see ``Store.states``."""

    def __init__(self, store: Store[State]) -> None:
        self._store = store
        name = f"folio_{store._noun}_store_subscribe"
        self._subscription = call_for_handle(
            name, store._handle, _callbacks.no_state_callback, None, _callbacks.no_destroy
        )
        weakref.finalize(self, _end_inbox, self._subscription).atexit = False

    def _next(self) -> tuple[State] | None:
        """The next state, or ``None`` when none waits. Raises StoreError at the end."""
        handle = ctypes.c_void_p()
        status = call("folio_subscription_next", self._subscription, ctypes.byref(handle))
        return None if status == Status.NOTHING_WAITING else (self._store._take(handle.value),)

    def __iter__(self) -> States[State]:
        return self

    def __next__(self) -> State:
        sdk = self._store._sdk
        while True:
            try:
                # The lock is the one that every dispatch notifies, so no state comes between the look and the wait.
                with sdk._lock:
                    taken = self._next()
                    if taken is not None:
                        return taken[0]
                    if sdk._is_pumped_elsewhere():
                        # A bounded wait: the other pump may end without a word.
                        sdk._lock.wait(1.0)
                        continue
                    stop = sdk._take_stoppable_turn()
                try:
                    sdk._wait(None, stop)
                finally:
                    sdk._end_turn()
            except StoreError:
                raise StopIteration from None
            except CoreError as error:
                if error.code == "SHUT_DOWN":
                    raise StopIteration from None
                raise

    def __aiter__(self) -> States[State]:
        return self

    async def __anext__(self) -> State:
        sdk = self._store._sdk
        loop = asyncio.get_running_loop()
        while True:
            sdk._attach(loop)
            changed = asyncio.Event()

            def wake() -> None:
                try:
                    loop.call_soon_threadsafe(changed.set)
                except RuntimeError:
                    # The loop was closed; nobody waits.
                    pass

            with sdk._lock:
                sdk._waiters.add(wake)
            try:
                taken = self._next()
                if taken is not None:
                    return taken[0]
                await changed.wait()
            except StoreError:
                raise StopAsyncIteration from None
            finally:
                with sdk._lock:
                    sdk._waiters.discard(wake)


def _end_inbox(subscription: int | None) -> None:
    error = ctypes.c_void_p()
    lib.folio_subscription_cancel(subscription, ctypes.byref(error))
    lib.folio_error_release(error)
    lib.folio_subscription_release(subscription)
