"""The store that reports the session and signs out."""

from __future__ import annotations

from ._constants import SESSION_ACTIONS, SessionAction
from ._native import call
from ._store import Store
from .errors import CoreError
from .states import SessionState, read_session_state


class SessionStore(Store[SessionState]):
    """Reports which identity is current and whether its services run, and signs the person out."""

    _noun = "session"

    @staticmethod
    def _read(handle: int | None) -> SessionState:
        return read_session_state(handle)

    def dispatch(self, action: SessionAction) -> None:
        """Dispatches an action; what a rule refuses appears in the state.

        Raises StoreError on a closed store, CoreError after shutdown.
        """
        if action not in SESSION_ACTIONS:
            raise CoreError("This is no SessionAction; dispatch one of its constants.", "INVALID_ARGUMENT")
        call("folio_session_store_dispatch", self._handle, SESSION_ACTIONS[SessionAction(action)])
