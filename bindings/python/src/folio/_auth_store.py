"""The store that signs a person in with an e-mail address and a code."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from ._native import call, text
from ._store import Store
from .errors import CoreError
from .states import AuthState, read_auth_state


@dataclass(frozen=True)
class AuthAction:
    """What AuthStore can be asked for."""

    _name: str
    # Not shown: a code must not come into a log.
    _argument: str | None = field(default=None, repr=False)

    resend_code: ClassVar[AuthAction]
    cancel: ClassVar[AuthAction]

    @staticmethod
    def sign_in(email: str) -> AuthAction:
        """Starts signing in: the service sends a code to the address."""
        return AuthAction("sign_in", email)

    @staticmethod
    def submit_code(code: str) -> AuthAction:
        """Submits the code; white space and other digit forms are accepted."""
        return AuthAction("submit_code", code)


#: Asks for a new code for the same address.
AuthAction.resend_code = AuthAction("resend_code")
#: Drops the ceremony.
AuthAction.cancel = AuthAction("cancel")


class AuthStore(Store[AuthState]):
    """Reports the sign-in ceremony and drives it. All auth stores of a runtime share one ceremony."""

    _noun = "auth"

    @staticmethod
    def _read(handle: int | None) -> AuthState:
        return read_auth_state(handle)

    def dispatch(self, action: AuthAction) -> None:
        """Dispatches an action; what a rule refuses appears in the state.

        Raises StoreError on a closed store, CoreError after shutdown or for text that is not valid.
        """
        if not isinstance(action, AuthAction):
            raise CoreError("This is no AuthAction; dispatch one of its actions.", "INVALID_ARGUMENT")
        arguments = () if action._argument is None else (text(action._argument, "e-mail address or code"),)
        call(f"folio_auth_store_dispatch_{action._name}", self._handle, *arguments)
