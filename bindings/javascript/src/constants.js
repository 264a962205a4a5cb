// The constants of the header, as the words of the web store API. A number this version does not know is 'UNKNOWN'.

export const UNKNOWN = 'UNKNOWN';

/** The names of `folio_status_t` without their prefix, by value. */
export const statusNames = new Map(Object.entries({
  OK: 0,
  NOTHING_WAITING: 1,
  INVALID_HANDLE: -1,
  INVALID_ARGUMENT: -2,
  BUSY: -3,
  CLOSED: -4,
  SHUT_DOWN: -5,
  NOT_READY: -6,
  FORKED: -7,
  DIRECTORY_IN_USE: -8,
  NOT_EMBEDDED: -9,
  NETWORK: -10,
  SERVICE: -11,
  STORAGE: -12,
  NOT_FOUND: -13,
  VAULT_NOT_RUNNING: -14,
  RECORD_DAMAGED: -15,
  CANCELLED: -16,
  INTERNAL: -17,
}).map(([name, value]) => [value, name]));

// Words in the order of the header, from 1; 0 is "absent or unknown".
export const identityKinds = ['UNRESOLVED', 'TRANSIENT', 'AUTHENTICATED'];
export const sessionStatuses = ['DEVICE', 'ACTIVATING', 'ACTIVE', 'DEACTIVATING'];
export const notices = ['SESSION_ENDED'];
export const sessionActions = ['SIGN_OUT', 'DISMISS_NOTICE'];
export const authTypes = ['IDLE', 'SENDING', 'AWAITING_CODE', 'VERIFYING', 'FAILED'];
export const carryOverTypes = ['NONE', 'RUNNING', 'FINISHED', 'FAILED'];
export const vaultActions = ['RETRY_CARRY_OVER'];
export const logLevels = ['ERROR', 'WARNING', 'INFO', 'DEBUG'];
export const errorTypes = [
  'NETWORK', 'SERVICE', 'STORAGE', 'INVALID_EMAIL', 'INVALID_CODE', 'WRONG_CODE', 'CODE_EXPIRED', 'CODE_USED',
  'TOO_MANY_TRIES', 'RATE_LIMITED', 'BUSY',
];

/** The word of a native number. */
export const word = (number, words) => words[number - 1] ?? UNKNOWN;

/** Whether the services that belong to the identity run. */
export const SessionStatus = Object.freeze({
  DEVICE: 'DEVICE',
  ACTIVATING: 'ACTIVATING',
  ACTIVE: 'ACTIVE',
  DEACTIVATING: 'DEACTIVATING',
});

/** Why an account's session ended although the application did not sign out. */
export const SessionNoticeReason = Object.freeze({ sessionEnded: 'SESSION_ENDED' });

/** What SessionStore can be asked for. */
export const SessionAction = Object.freeze({ signOut: 'SIGN_OUT', dismissNotice: 'DISMISS_NOTICE' });

/** What VaultStore can be asked for. */
export const VaultAction = Object.freeze({ retryCarryOver: 'RETRY_CARRY_OVER' });
