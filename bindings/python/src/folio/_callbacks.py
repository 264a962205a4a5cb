"""Callbacks from the library: one trampoline a kind, made once and never freed.

``context`` is an id into a table; ``destroy`` deletes the entry, so what a listener needs lives exactly as long as the
library may call it. No exception crosses into native code.
"""

from __future__ import annotations

import itertools
import sys
import threading
from typing import Any, Callable

from ._library import CreatedCallback, DestroyCallback, LogCallback, StateCallback


class Entry:
    """A registered callback: ``run`` gets what the library passes, ``ended`` is called when it will not run again, and
    ``report`` says whether it has taken an exception of ``run``."""

    __slots__ = ("run", "ended", "report")

    def __init__(
        self,
        run: Callable[..., None],
        report: Callable[[BaseException, object], bool],
        ended: Callable[[], None] | None = None,
    ) -> None:
        self.run = run
        self.report = report
        self.ended = ended


_entries: dict[int, Entry] = {}
_ids = itertools.count(1)
_local = threading.local()


def register(entry: Entry) -> int:
    """Keeps the entry until its ``destroy``; the id is the context."""
    context = next(_ids)
    _entries[context] = entry
    return context


def forget(context: int) -> None:
    """Drops an entry whose registration was refused."""
    _entries.pop(context, None)


def count() -> int:
    """How many callbacks the library may still call."""
    return len(_entries)


def raise_interrupt() -> None:
    """Raises what must not be swallowed (KeyboardInterrupt, SystemExit) once native code has been left."""
    interrupt = getattr(_local, "interrupt", None)
    if interrupt is not None:
        _local.interrupt = None
        raise interrupt


def depth() -> int:
    """How many dispatches this thread is inside of."""
    return getattr(_local, "depth", 0)


def dispatch(function: Callable[[], object]) -> None:
    """Calls native code that runs callbacks."""
    before = depth()
    hook = sys.unraisablehook

    def keep_interrupt(unraisable: Any) -> None:
        # Ctrl-C at the very entry of a trampoline is raised before its first line, and ctypes drops it.
        trace = unraisable.exc_traceback
        if (
            trace is not None
            and trace.tb_frame.f_code in (_run.__code__, _destroy.__code__)
            and not isinstance(unraisable.exc_value, Exception)
        ):
            _local.interrupt = unraisable.exc_value
        else:
            hook(unraisable)

    try:
        _local.depth = before + 1
        # Signal handlers run in the main thread alone.
        if threading.current_thread() is threading.main_thread():
            sys.unraisablehook = keep_interrupt
        function()
    finally:
        if sys.unraisablehook is keep_interrupt:
            sys.unraisablehook = hook
        _local.depth = before


def _run(context: int | None, *arguments: Any) -> None:
    entry = None
    try:
        entry = _entries.get(context or 0)
        if entry is not None:
            entry.run(*arguments)
    except Exception as error:
        # What leaves here ctypes hands to sys.unraisablehook; native code goes on.
        if entry is None or not entry.report(error, entry.run):
            raise
    except BaseException as interrupt:
        _local.interrupt = interrupt


def _destroy(context: int | None) -> None:
    entry = _entries.pop(context or 0, None)
    if entry is not None and entry.ended is not None:
        entry.ended()


on_state = StateCallback(_run)
on_created = CreatedCallback(_run)
on_log = LogCallback(_run)
on_destroy = DestroyCallback(_destroy)
no_state_callback = StateCallback()
no_destroy = DestroyCallback()
