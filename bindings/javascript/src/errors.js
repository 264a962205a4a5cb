// The errors of Folio. Messages are one line, say what to do and never hold a secret.

/** A call that could not be taken. `code` is the name of the native status, such as 'SHUT_DOWN'. */
export class CoreError extends Error {
  constructor(message, code = 'INTERNAL') {
    super(message);
    this.name = new.target.name;
    this.code = code;
  }
}

/** A call on a closed store, or on a transaction that is over. */
export class StoreError extends CoreError {}

/** A vault call that failed: 'VAULT_NOT_RUNNING', 'RECORD_DAMAGED', 'STORAGE' or 'NOT_FOUND'. */
export class VaultError extends CoreError {}

/** Why a session could not start: the error of `FolioSdk.create` and of a session state. */
export class SessionStartError extends Error {
  constructor(message, { type, status = 0, code = '' }) {
    super(message);
    this.name = 'SessionStartError';
    this.type = type;
    this.status = status;
    this.code = code;
  }
}

/** Why a sign-in did not go on: the error of the auth states. `retryAfter` is in milliseconds. */
export class AuthError extends Error {
  constructor(message, { type, status = 0, code = '', retryAfter = 0 }) {
    super(message);
    this.name = 'AuthError';
    this.type = type;
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}
