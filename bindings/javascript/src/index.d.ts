/** Whether the services that belong to the identity run. */
export const SessionStatus: {
  readonly DEVICE: 'DEVICE';
  readonly ACTIVATING: 'ACTIVATING';
  readonly ACTIVE: 'ACTIVE';
  readonly DEACTIVATING: 'DEACTIVATING';
};
export type SessionStatus = 'DEVICE' | 'ACTIVATING' | 'ACTIVE' | 'DEACTIVATING' | 'UNKNOWN';

/** Why an account's session ended although the application did not sign out. */
export const SessionNoticeReason: { readonly sessionEnded: 'SESSION_ENDED' };
export type SessionNoticeReason = 'SESSION_ENDED' | 'UNKNOWN';

/** What SessionStore can be asked for. */
export const SessionAction: { readonly signOut: 'SIGN_OUT'; readonly dismissNotice: 'DISMISS_NOTICE' };
export type SessionAction = 'SIGN_OUT' | 'DISMISS_NOTICE';

/** What VaultStore can be asked for. */
export const VaultAction: { readonly retryCarryOver: 'RETRY_CARRY_OVER' };
export type VaultAction = 'RETRY_CARRY_OVER';

/** A call that could not be taken. `code` is the name of the native status, such as 'SHUT_DOWN'. */
export class CoreError extends Error {
  constructor(message: string, code?: string);
  readonly code: string;
}

/** A call on a closed store, or on a transaction that is over. */
export class StoreError extends CoreError {}

/** A vault call that failed: 'VAULT_NOT_RUNNING', 'RECORD_DAMAGED', 'STORAGE' or 'NOT_FOUND'. */
export class VaultError extends CoreError {}

/** Why a session could not start: the error of `FolioSdk.create` and of a session state. */
export class SessionStartError extends Error {
  constructor(message: string, facts: { type: string; status?: number; code?: string });
  readonly type: 'NETWORK' | 'SERVICE' | 'STORAGE' | 'UNKNOWN';
  /** The HTTP status of the service's answer, 0 when there was none. */
  readonly status: number;
  /** The service's own code, empty when there was none. */
  readonly code: string;
}

/** Why a sign-in did not go on: the error of the auth states. */
export class AuthError extends Error {
  constructor(message: string, facts: { type: string; status?: number; code?: string; retryAfter?: number });
  readonly type:
    | 'INVALID_EMAIL' | 'INVALID_CODE' | 'WRONG_CODE' | 'CODE_EXPIRED' | 'CODE_USED' | 'TOO_MANY_TRIES' | 'RATE_LIMITED'
    | 'BUSY' | 'NETWORK' | 'SERVICE' | 'STORAGE' | 'UNKNOWN';
  readonly status: number;
  readonly code: string;
  /** Milliseconds to wait before the next try; 0 when nothing was told. */
  readonly retryAfter: number;
}

export interface FolioSdkOptions {
  /** The directory of the device's files; missing folders are created with mode 0700. */
  dataDirectory: string;
  /** This version runs on the embedded service: leave it out. */
  serviceUrl?: null;
  /** 32 bytes from the platform's key store; without it a key file beside the database is used. */
  storageKey?: Uint8Array | null;
  /** How long create may take, in milliseconds. Default 30,000. */
  timeout?: number | null;
  /** The life of the embedded service's tokens, in seconds. Default 3,600. */
  embeddedTokenLife?: number | null;
}

export interface Message {
  readonly email: string;
  readonly code: string;
}

/** The embedded service of a runtime: its outbox, and what a service can do to a session. Calls wait for SQLite. */
export interface EmbeddedService {
  /** Takes the next message of the outbox; `null` when there is none. */
  nextMessage(): Message | null;
  /** Ends every session of a user: the next renewal is refused. Throws CoreError 'NOT_FOUND'. */
  endSessions(userId: string): void;
  /** Deletes a user, guest or account, and ends its sessions. Throws CoreError 'NOT_FOUND'. */
  deleteAccount(userId: string): void;
  /** With `false` every request of this process fails like an unreachable network until set back. */
  setReachable(reachable: boolean): void;
  /** Makes the next sign-in with that address end on a guest identity. */
  setGuestAccount(email: string): void;
  /** Closes this handle; the runtime's service goes on. */
  close(): void;
}

/**
 * A runtime: one identity on a data directory, with the services that run for it. It belongs to the environment (main or
 * Worker) that made it; shut it down before a Worker is terminated. The process is held while an action or a start is
 * pending, and only then.
 */
export class FolioSdk {
  private constructor();
  /** Restores the saved session or creates a guest. Rejects with SessionStartError, or CoreError for bad arguments. */
  static create(options: FolioSdkOptions): Promise<FolioSdk>;
  /** Accepted actions whose last state is not delivered yet, plus undelivered completions. */
  readonly pending: number;
  /** The latest published session, without a store and without waiting. */
  readonly sessionState: SessionState;
  /** A new handle to the embedded service. */
  readonly embeddedService: EmbeddedService;
  /** Asks for a renewal of the tokens now; answers through the states. */
  renew(): void;
  /** Hears every log line; returns a function that removes the listener. */
  subscribeLog(listener: (level: string, line: string) => void): () => void;
  /** Ends the runtime and frees its directory; stores keep their last state. Throws CoreError inside a listener. */
  shutdown(): void;
}

/** A mounted store. What a listener throws reaches `uncaughtException`; the other listeners still run. */
export abstract class Store<State> {
  protected constructor();
  /** The state that was delivered last, the same object until the next one. Works after close and shutdown. */
  readonly state: State;
  /** Hears every later state, in order; returns a function that removes the listener. Throws StoreError when closed. */
  subscribe(listener: (state: State) => void): () => void;
  /** The states one by one, beginning with the current one; none is left out. Ends when the store is closed. */
  states(): AsyncIterableIterator<State>;
  /** Ends listeners and iterations. Harmless twice. */
  close(): void;
}

export type Identity =
  | { readonly type: 'UNRESOLVED' }
  | { readonly type: 'TRANSIENT'; readonly value: { readonly userId: string } }
  | { readonly type: 'AUTHENTICATED'; readonly value: { readonly userId: string; readonly email: string } }
  | { readonly type: 'UNKNOWN' };

export interface SessionState {
  readonly identity: Identity;
  readonly status: SessionStatus;
  readonly notice: SessionNoticeReason | null;
  readonly deviceId: string | null;
  readonly signingOut: boolean;
  readonly error: SessionStartError | null;
}

/** Reports which identity is current and whether its services run, and signs the person out. */
export class SessionStore extends Store<SessionState> {
  private constructor();
  static mount(sdk: FolioSdk): SessionStore;
  /** Throws StoreError on a closed store, CoreError after shutdown; what a rule refuses appears in the state. */
  dispatch(action: SessionAction): void;
}

declare const authAction: unique symbol;
export interface AuthAction {
  readonly [authAction]: true;
}
export const AuthAction: {
  /** Starts signing in: the service sends a code to the address. */
  signIn(email: string): AuthAction;
  /** Submits the code; white space and other digit forms are accepted. */
  submitCode(code: string): AuthAction;
  /** Asks for a new code for the same address. */
  readonly resendCode: AuthAction;
  /** Drops the ceremony. */
  readonly cancel: AuthAction;
};

export type AuthState =
  | { readonly type: 'IDLE' }
  | { readonly type: 'SENDING'; readonly value: { readonly email: string } }
  | {
    readonly type: 'AWAITING_CODE';
    readonly value: {
      readonly email: string;
      readonly expiresAt: Date;
      readonly resendAt: Date;
      readonly triesLeft: number;
      readonly error: AuthError | null;
    };
  }
  | { readonly type: 'VERIFYING'; readonly value: { readonly email: string } }
  | { readonly type: 'FAILED'; readonly value: { readonly email: string; readonly error: AuthError } }
  | { readonly type: 'UNKNOWN' };

/** Reports the sign-in ceremony and drives it. All auth stores of a runtime share one ceremony. */
export class AuthStore extends Store<AuthState> {
  private constructor();
  static mount(sdk: FolioSdk): AuthStore;
  dispatch(action: AuthAction): void;
}

export interface CarryOver {
  readonly type: 'NONE' | 'RUNNING' | 'FINISHED' | 'FAILED' | 'UNKNOWN';
  readonly moved: number;
  readonly total: number;
  readonly error: VaultError | null;
  /** Whether a failed one will be tried again by itself. */
  readonly retrying: boolean;
}

export interface VaultState {
  readonly running: boolean;
  readonly userId: string | null;
  readonly recordCount: number;
  /** The bytes of all values together. */
  readonly bytes: number;
  readonly conflictCount: number;
  readonly carryOver: CarryOver;
}

export interface VaultRecord {
  readonly value: Uint8Array;
  readonly modifiedAt: Date;
}

export interface VaultEntry {
  readonly key: string;
  readonly length: number;
  readonly modifiedAt: Date;
}

export interface VaultConflict {
  readonly id: bigint;
  readonly key: string;
  readonly modifiedAt: Date;
}

/** Writes that are applied in one durable commit; reads see them. */
export interface VaultTransaction {
  put(key: string, value: Uint8Array): void;
  get(key: string): Uint8Array | null;
  delete(key: string): boolean;
}

/**
 * Sealed records that belong to the identity. Usable while the state says `running`; otherwise, and when the identity has
 * changed, calls throw VaultError 'VAULT_NOT_RUNNING' and change nothing. Keys are 1 to 1,024 bytes of UTF-8 without NUL,
 * values at most 16 MiB. Calls wait for SQLite; a write has reached the disk when it returns.
 */
export class VaultStore extends Store<VaultState> {
  private constructor();
  static mount(sdk: FolioSdk): VaultStore;
  dispatch(action: VaultAction): void;
  put(key: string, value: Uint8Array): void;
  /** `null` when there is no such record. Throws VaultError 'RECORD_DAMAGED' when this record cannot be opened. */
  get(key: string): Uint8Array | null;
  /** The value with the time it was written. */
  record(key: string): VaultRecord | null;
  /** Whether there was such a record. */
  delete(key: string): boolean;
  /** Writes all records in one durable commit, or none. */
  putMany(records: Iterable<readonly [string, Uint8Array]> | Record<string, Uint8Array>): void;
  count(prefix?: string): number;
  /** Records in order of the key's bytes, without their values, read by pages. */
  list(prefix?: string): IterableIterator<VaultEntry>;
  keys(prefix?: string): IterableIterator<string>;
  entries(prefix?: string): IterableIterator<[string, Uint8Array]>;
  [Symbol.iterator](): IterableIterator<[string, Uint8Array]>;
  /** Commits when `body` returns or resolves, drops its writes when it throws or rejects. */
  transaction<Result>(body: (transaction: VaultTransaction) => Result): Result;
  /** Values that lost to another of the same key in a carry-over. */
  conflicts(): IterableIterator<VaultConflict>;
  conflictValue(conflict: VaultConflict): Uint8Array;
  /** Makes the copy the record's value and removes the copy. Throws VaultError 'NOT_FOUND'. */
  keepConflict(conflict: VaultConflict): void;
  /** Removes the copy. Throws VaultError 'NOT_FOUND'. */
  dropConflict(conflict: VaultConflict): void;
}
