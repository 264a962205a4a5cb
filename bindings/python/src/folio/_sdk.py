"""The runtime, and the three ways to pump its events."""

from __future__ import annotations

import asyncio
import atexit
import ctypes
import os
import selectors
import socket
import threading
import time
import weakref
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Callable, Union

from . import _callbacks
from ._callbacks import Entry
from ._constants import LOG_LEVELS, Status
from ._library import lib
from ._native import NativeError, call, call_for_handle, decode, pointer, text, word
from .errors import CoreError, FolioError
from .states import SessionState, read_session_state

_live: weakref.WeakSet[FolioSdk] = weakref.WeakSet()
#: How long the interpreter's end waits for a background thread that is inside a callback, in seconds.
_JOIN_LIMIT = 2.0


@dataclass(frozen=True)
class Message:
    """A message of the embedded service for a person, to be delivered or shown."""

    email: str
    # Not shown: a code must not come into a log.
    code: str = field(repr=False)


class EmbeddedService:
    """The embedded service of a runtime: its outbox, and what a service can do to a session.

    Any thread. Calls wait for SQLite, at most 5 s for another writer. Usable after the runtime was shut down.
    """

    def __init__(self, handle: int | None) -> None:
        self._handle = handle
        weakref.finalize(self, lib.folio_service_release, handle).atexit = False

    def next_message(self) -> Message | None:
        """Takes the next message of the outbox; ``None`` when there is none."""
        handle = ctypes.c_void_p()
        if call("folio_service_next_message", self._handle, ctypes.byref(handle)) == Status.NOTHING_WAITING:
            return None
        try:
            return Message(
                decode(lib.folio_message_get_email(handle)) or "", decode(lib.folio_message_get_code(handle)) or ""
            )
        finally:
            lib.folio_message_release(handle)

    def end_sessions(self, user_id: str) -> None:
        """Ends every session of a user: the next renewal is refused."""
        call("folio_service_end_sessions", self._handle, text(user_id, "user id"))

    def delete_account(self, user_id: str) -> None:
        """Deletes a user, guest or account, and ends its sessions."""
        call("folio_service_delete_account", self._handle, text(user_id, "user id"))

    def set_reachable(self, reachable: bool) -> None:
        """With ``False`` every request of this process fails like an unreachable network until set back."""
        call("folio_service_set_reachable", self._handle, int(reachable))

    def set_guest_account(self, email: str) -> None:
        """Makes the next sign-in with that address end on a guest identity."""
        call("folio_service_set_guest_account", self._handle, text(email, "e-mail address"))

    def close(self) -> None:
        """Closes this handle; the runtime's service goes on. Harmless twice."""
        call("folio_service_close", self._handle)


class FolioSdk:
    """A runtime: one identity on a data directory, with the services that run for it.

    Made by ``create`` or ``create_async``. A runtime has one pump at a time: manual (``wait_events``,
    ``dispatch_events``), a background thread, or the running asyncio loop, attached by the first ``async`` use.
    Listeners run in the pump. Every other method may be called from any thread.
    """

    def __init__(self) -> None:
        raise CoreError("A runtime is made by FolioSdk.create or FolioSdk.create_async.", "INVALID_ARGUMENT")

    # Creation

    @classmethod
    def create(
        cls,
        *,
        data_directory: Union[str, os.PathLike[str]],
        service_url: str | None = None,
        storage_key: Union[bytes, bytearray, None] = None,
        timeout: float | None = None,
        embedded_token_life: int | None = None,
        background: bool = False,
    ) -> FolioSdk:
        """Restores the saved session or creates a guest, and returns when it exists.

        ``storage_key`` is 32 bytes from the platform's key store; ``timeout`` is in seconds; ``embedded_token_life``
        is the life of the embedded service's tokens in seconds. With ``background`` a daemon thread pumps the events.
        Raises SessionStartError, or CoreError for a bad argument, a directory in use, or inside a callback.
        """
        if _callbacks.depth():
            raise CoreError("A runtime cannot be created inside a callback; use create_async.", "BUSY")
        outcome: list[FolioError | None] = []
        sdk = cls._begin(data_directory, service_url, storage_key, timeout, embedded_token_life, outcome.append)
        try:
            if background:
                sdk._start_background()
                sdk._wait_until(lambda: bool(outcome))
            else:
                while not outcome:
                    sdk.wait_events()
        except BaseException:
            sdk._discard()
            raise
        if outcome[0] is not None:
            sdk._discard()
            raise outcome[0]
        return sdk

    @classmethod
    async def create_async(
        cls,
        *,
        data_directory: Union[str, os.PathLike[str]],
        service_url: str | None = None,
        storage_key: Union[bytes, bytearray, None] = None,
        timeout: float | None = None,
        embedded_token_life: int | None = None,
    ) -> FolioSdk:
        """As ``create``, without blocking: the running asyncio loop pumps the events."""
        loop = asyncio.get_running_loop()
        started: asyncio.Future[None] = loop.create_future()

        def finish(error: FolioError | None) -> None:
            if started.done():
                return
            if error is None:
                started.set_result(None)
            else:
                started.set_exception(error)

        sdk = cls._begin(data_directory, service_url, storage_key, timeout, embedded_token_life, finish)
        try:
            sdk._attach(loop)
            await started
        except BaseException:
            sdk._discard()
            raise
        return sdk

    @classmethod
    def _begin(
        cls,
        data_directory: Union[str, os.PathLike[str]],
        service_url: str | None,
        storage_key: Union[bytes, bytearray, None],
        timeout: float | None,
        embedded_token_life: int | None,
        finish: Callable[[FolioError | None], None],
    ) -> FolioSdk:
        if service_url is not None:
            raise CoreError(
                "This version runs on the embedded service; leave service_url out.", "INVALID_ARGUMENT"
            )
        self = object.__new__(cls)
        self._lock = threading.Condition()
        self._waiters = set()
        self._pump = None
        self._turn = None
        self._stop = None
        self._thread = None
        self._wake = None
        self._fd = -1
        self._is_over = False
        self._process = os.getpid()
        self._watchers = []
        called = [False]

        def completed(error: int | None) -> None:
            called[0] = True
            finish(NativeError(error).start_error() if error else None)

        def ended() -> None:
            if not called[0]:
                finish(CoreError("The start was cancelled; create the runtime again.", "CANCELLED"))

        config = call_for_handle("folio_config_create")
        try:
            call("folio_config_set_data_directory", config, text(os.fspath(data_directory), "data directory"))
            if storage_key is not None:
                key, length = pointer(storage_key)
                call("folio_config_set_storage_key", config, key, length)
            if timeout is not None:
                # Compared before it is converted: NaN and infinity have no integer.
                if not 0.001 <= timeout <= 2_147_483:
                    raise CoreError("The timeout must be from 0.001 to 2,147,483 s; give another.", "INVALID_ARGUMENT")
                call("folio_config_set_timeout_ms", config, int(timeout * 1000))
            if embedded_token_life is not None:
                if not 1 <= embedded_token_life <= 2**63 - 1:
                    raise CoreError("The token life must be 1 s or more; give another.", "INVALID_ARGUMENT")
                call("folio_config_set_embedded_token_life", config, embedded_token_life)
            entry = Entry(completed, self._report)
            self._handle = register("folio_sdk_create_async", config, _callbacks.on_created, entry, NativeError.start_error)
            # A refused registration raises; only an accepted one that ends uncalled is a cancelled start.
            entry.ended = ended
        finally:
            lib.folio_config_release(config)
        fd = ctypes.c_int32(-1)
        try:
            call("folio_sdk_open_event_fd", self._handle, ctypes.byref(fd))
        except FolioError:
            lib.folio_sdk_release(self._handle)
            raise
        self._fd = fd.value
        weakref.finalize(self, _release, self._handle, self._fd, self._process, self._watchers).atexit = False
        _live.add(self)
        return self

    _handle: int | None
    _fd: int
    _is_over: bool
    #: The process that made the runtime; in a forked child nothing of it is closed or awaited.
    _process: int
    #: Notified after every dispatch.
    _lock: threading.Condition
    _waiters: set[Callable[[], None]]
    _pump: Union[threading.Thread, asyncio.AbstractEventLoop, None]
    #: The thread that pumps by hand at the moment, if any; guarded by ``_lock``.
    _turn: int | None
    #: Descriptor that ends an iteration's wait when a store is closed, while there is such a wait; guarded by ``_lock``.
    _stop: int | None
    _thread: threading.Thread | None
    #: Closing it ends the background thread.
    _wake: socket.socket | None
    #: The asyncio loop that watches the descriptor, if any; a list, because the finalizer needs what holds then.
    _watchers: list[asyncio.AbstractEventLoop]

    # Pumps

    def wait_events(self, timeout: float | None = None) -> int:
        """Waits until events wait, at most ``timeout`` seconds, and dispatches them; the manual pump.

        Returns how many were taken: 0 when the time ran out or only an action was settled. Ctrl-C ends it.
        """
        self._take_turn()
        try:
            return self._wait(timeout)
        finally:
            self._end_turn()

    def dispatch_events(self, max: int = 0) -> int:
        """Dispatches at most ``max`` waiting events, 0 for all that wait now; never blocks. Returns how many."""
        self._take_turn()
        try:
            return self._dispatch(max)
        finally:
            self._end_turn()

    def _wait(self, timeout: float | None, stop: int | None = None) -> int:
        pending = self.pending
        count = self._pumped("folio_sdk_wait_events", 0)
        if count or self.pending != pending:
            return count
        with selectors.DefaultSelector() as selector:
            selector.register(self._fd, selectors.EVENT_READ)
            if stop is not None:
                selector.register(stop, selectors.EVENT_READ)
            if not any(key.fd == self._fd for key, _ in selector.select(timeout)):
                return 0
        return self._dispatch()

    def _dispatch(self, max: int = 0) -> int:
        return self._pumped("folio_sdk_dispatch_events", max)

    def _pumped(self, name: str, argument: int) -> int:
        count = ctypes.c_int32()
        try:
            _callbacks.dispatch(lambda: call(name, self._handle, argument, ctypes.byref(count)))
        finally:
            self._notify()
            _callbacks.raise_interrupt()
        return count.value

    def _notify(self) -> None:
        with self._lock:
            self._lock.notify_all()
            waiters = list(self._waiters)
        for waiter in waiters:
            waiter()

    def _take_turn(self) -> None:
        """Makes this thread the pump until ``_end_turn``. Raises CoreError ``BUSY`` when there is another."""
        with self._lock:
            self._drop_closed_loop()
            if self._pump is not None or self._turn not in (None, threading.get_ident()) or _callbacks.depth():
                raise CoreError(
                    "Another pump runs this runtime, or this is a callback; let that pump dispatch.", "BUSY"
                )
            self._turn = threading.get_ident()

    def _end_turn(self) -> None:
        # Whoever waits for this thread's dispatches looks whether to pump now.
        with self._lock:
            self._turn = None
            stop, self._stop = self._stop, None
            self._lock.notify_all()
        if stop is not None:
            os.close(stop)

    def _take_stoppable_turn(self) -> int:
        """As ``_take_turn``, for a wait that ``_wake_waits`` ends; gives the descriptor to wait for."""
        with self._lock:
            self._take_turn()
            self._stop = stop = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
            return stop

    def _wake_waits(self) -> None:
        """Lets iterations look whether their store was closed."""
        with self._lock:
            if self._stop is not None:
                os.eventfd_write(self._stop, 1)
        self._notify()

    def _is_pumped_elsewhere(self) -> bool:
        """Whether this thread may wait for what another one dispatches. Called with ``_lock``."""
        self._drop_closed_loop()
        if _callbacks.depth():
            return False
        if isinstance(self._pump, asyncio.AbstractEventLoop):
            return self._pump.is_running() and asyncio._get_running_loop() is not self._pump
        return self._pump is not None or self._turn not in (None, threading.get_ident())

    def _drop_closed_loop(self) -> None:
        if isinstance(self._pump, asyncio.AbstractEventLoop) and self._pump.is_closed():
            self._pump = None

    def _attach(self, loop: asyncio.AbstractEventLoop) -> None:
        """Makes the loop the pump, unless it is."""
        with self._lock:
            self._drop_closed_loop()
            if self._pump is loop or isinstance(self._pump, threading.Thread):
                return
            if self._pump is not None:
                raise CoreError("Another asyncio loop pumps this runtime; use it there.", "BUSY")
            if self._turn not in (None, threading.get_ident()):
                raise CoreError("Another thread pumps this runtime; use it there.", "BUSY")
            # The reader knows the runtime weakly: a loop does not keep a forgotten runtime.
            loop.add_reader(self._fd, _read_events, weakref.ref(self))
            self._watchers[:] = [loop]
            self._pump = loop

    def _read_events(self) -> None:
        try:
            self._dispatch()
        except CoreError as error:
            if error.code == "SHUT_DOWN":
                self._detach()
            # BUSY: this loop runs inside a callback; the end of that dispatch makes the descriptor readable again.
            elif error.code != "BUSY":
                raise

    def _detach(self) -> None:
        pump = self._pump
        if isinstance(pump, asyncio.AbstractEventLoop):
            self._pump = None
            self._watchers.clear()
            _call_in(pump, _remove_reader, pump, self)

    def _start_background(self) -> None:
        self._wake, wake = socket.socketpair()
        thread = threading.Thread(
            target=_run_background, args=(weakref.ref(self), self._fd, wake), name="folio", daemon=True
        )
        self._pump = self._thread = thread
        thread.start()

    def _wait_until(self, is_met: Callable[[], bool]) -> None:
        """Waits for another thread's dispatch."""
        with self._lock:
            while not is_met() and not self._is_over:
                # A bounded wait, so that Ctrl-C is seen on every platform.
                self._lock.wait(1.0)

    def _report(self, error: BaseException, listener: object) -> bool:
        """Hands a listener's exception to the asyncio loop, when that is the pump."""
        pump = self._pump
        if not isinstance(pump, asyncio.AbstractEventLoop) or pump.is_closed():
            return False
        pump.call_exception_handler(
            {"message": "Exception in a Folio listener", "exception": error, "listener": listener}
        )
        return True

    # Session

    @property
    def pending(self) -> int:
        """Accepted actions whose last state is not delivered yet, plus undelivered completions."""
        return int(lib.folio_sdk_get_pending(self._handle))

    @property
    def session_state(self) -> SessionState:
        """The latest published session, without a store and without dispatch."""
        handle = call_for_handle("folio_sdk_copy_session_state", self._handle)
        try:
            return read_session_state(handle)
        finally:
            lib.folio_session_state_release(handle)

    @property
    def embedded_service(self) -> EmbeddedService:
        """A new handle to the embedded service."""
        return EmbeddedService(call_for_handle("folio_sdk_get_embedded_service", self._handle))

    def renew(self) -> None:
        """Asks for a renewal of the session's tokens now; answers through the states."""
        call("folio_sdk_renew", self._handle)

    def subscribe_log(self, listener: Callable[[str, str], None]) -> Callable[[], None]:
        """Calls ``listener(level, line)`` for every log line; returns a function that removes it."""

        def run(level: int, line: bytes | None) -> None:
            listener(word(level, LOG_LEVELS, "UNKNOWN"), decode(line) or "")

        return remover(register("folio_sdk_subscribe_log", self._handle, _callbacks.on_log, Entry(run, self._report)))

    # End

    def shutdown(self) -> None:
        """Ends the runtime and frees its directory; stores keep their last state. Harmless twice.

        Raises CoreError inside a callback.
        """
        call("folio_sdk_shutdown", self._handle)
        self._end()

    def _end(self) -> None:
        self._is_over = True
        self._detach()
        wake, self._wake = self._wake, None
        if wake is not None:
            wake.close()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(_JOIN_LIMIT)
        self._notify()

    def _discard(self) -> None:
        """Lets a runtime go that nobody will have; its directory is free at once."""
        try:
            call("folio_sdk_shutdown", self._handle)
        except CoreError:
            # Inside a callback, where shutdown is not allowed, or in a forked child.
            pass
        lib.folio_sdk_release(self._handle)
        self._end()

    def __enter__(self) -> FolioSdk:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A forked child that leaves the block leaves the parent's runtime alone.
        if self._process == os.getpid():
            self.shutdown()

    async def __aenter__(self) -> FolioSdk:
        self._attach(asyncio.get_running_loop())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process == os.getpid():
            self.shutdown()


def register(
    name: str,
    target: int | None,
    trampoline: Any,
    entry: Entry,
    raising: Callable[[NativeError], FolioError] = NativeError.call_error,
) -> int | None:
    """Registers an entry with a native function that gives a handle; a refused one is forgotten."""
    context = _callbacks.register(entry)
    try:
        return call_for_handle(name, target, trampoline, context, _callbacks.on_destroy, raising=raising)
    except FolioError:
        _callbacks.forget(context)
        raise


def remover(subscription: int | None) -> Callable[[], None]:
    """A function that cancels a native subscription; dropping it does not cancel."""

    def remove() -> None:
        try:
            call("folio_subscription_cancel", subscription)
        except CoreError as error:
            if error.code != "FORKED":
                raise

    weakref.finalize(remove, lib.folio_subscription_release, subscription).atexit = False
    return remove


def _release(handle: int | None, fd: int, process: int, watchers: list[asyncio.AbstractEventLoop]) -> None:
    lib.folio_sdk_release(handle)
    if fd < 0 or os.getpid() != process:
        return
    # A loop must forget the descriptor before its number can be used again.
    if not (watchers and _call_in(watchers[0], _close_watched, watchers[0], fd)):
        os.close(fd)


def _close_watched(loop: asyncio.AbstractEventLoop, fd: int) -> None:
    loop.remove_reader(fd)
    os.close(fd)


def _remove_reader(loop: asyncio.AbstractEventLoop, sdk: FolioSdk) -> None:
    # Unless the runtime was attached again meanwhile. It is kept until here, so its descriptor is still its own.
    if sdk._pump is not loop:
        loop.remove_reader(sdk._fd)


def _call_in(loop: asyncio.AbstractEventLoop, function: Callable[..., None], *arguments: Any) -> bool:
    """Calls a function on the loop's thread: now when this is it, else soon. ``False`` when the loop is closed."""
    try:
        if asyncio._get_running_loop() is loop:
            function(*arguments)
        else:
            loop.call_soon_threadsafe(function, *arguments)
    except RuntimeError:
        return False
    return True


def _read_events(sdk: weakref.ref[FolioSdk]) -> None:
    runtime = sdk()
    if runtime is not None:
        runtime._read_events()


def _run_background(sdk: weakref.ref[FolioSdk], fd: int, wake: socket.socket) -> None:
    """Pumps until the runtime is shut down, dropped, or its waker is closed."""
    thread = threading.current_thread()
    with wake, selectors.DefaultSelector() as selector:
        selector.register(fd, selectors.EVENT_READ)
        selector.register(wake, selectors.EVENT_READ)
        while True:
            ready = selector.select()
            if any(key.fileobj is wake for key, _ in ready):
                return
            runtime = sdk()
            if runtime is None:
                return
            try:
                runtime._dispatch()
            except CoreError:
                return
            except BaseException as interrupt:
                # SystemExit of a listener: no listener ends the pump of its neighbours.
                threading.excepthook(threading.ExceptHookArgs((type(interrupt), interrupt, None, thread)))
            del runtime


def _start_child() -> None:
    """A forked child has no thread and no loop of its parent's, and perhaps a lock that nobody will free: its calls must
    reach the library, which refuses them."""
    for sdk in list(_live):
        sdk._lock = threading.Condition()
        sdk._pump = sdk._turn = sdk._stop = sdk._thread = sdk._wake = None
        sdk._watchers.clear()
        sdk._waiters.clear()


os.register_at_fork(after_in_child=_start_child)


@atexit.register
def _shut_down_all() -> None:
    """Nothing of Folio keeps the interpreter from exiting, and no callback runs once it does."""
    deadline = time.monotonic() + _JOIN_LIMIT
    for sdk in list(_live):
        if sdk._is_over or sdk._process != os.getpid():
            continue
        lib.folio_sdk_release(sdk._handle)
        sdk._is_over = True
        wake, sdk._wake = sdk._wake, None
        if wake is not None:
            wake.close()
        thread: Any = sdk._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(max(deadline - time.monotonic(), 0))
