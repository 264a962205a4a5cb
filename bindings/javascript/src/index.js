export { SessionAction, SessionNoticeReason, SessionStatus, VaultAction } from './constants.js';
export { AuthError, CoreError, SessionStartError, StoreError, VaultError } from './errors.js';
export { FolioSdk } from './sdk.js';
export { SessionStore } from './session-store.js';
export { AuthAction, AuthStore } from './auth-store.js';
export { VaultStore } from './vault-store.js';
