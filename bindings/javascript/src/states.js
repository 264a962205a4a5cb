// Reads native states into the frozen objects of the web store API. Absence is null.

import { authTypes, carryOverTypes, identityKinds, notices, sessionStatuses, word } from './constants.js';
import { VaultError } from './errors.js';
import { functions as f } from './library.js';
import { authError, sessionStartError, takeError, text } from './native.js';

const frozen = Object.freeze;

function readIdentity(handle) {
  const userId = text(f.folio_session_state_get_user_id(handle));
  switch (word(f.folio_session_state_get_identity_kind(handle), identityKinds)) {
    case 'TRANSIENT': return frozen({ type: 'TRANSIENT', value: frozen({ userId }) });
    case 'AUTHENTICATED': {
      const email = text(f.folio_session_state_get_email(handle));
      return frozen({ type: 'AUTHENTICATED', value: frozen({ userId, email }) });
    }
    case 'UNRESOLVED': return frozen({ type: 'UNRESOLVED' });
    default: return frozen({ type: 'UNKNOWN' });
  }
}

export function readSessionState(handle) {
  const notice = f.folio_session_state_get_notice(handle);
  const error = f.folio_session_state_copy_error(handle);
  return frozen({
    identity: readIdentity(handle),
    status: word(f.folio_session_state_get_status(handle), sessionStatuses),
    notice: notice === 0 ? null : word(notice, notices),
    deviceId: text(f.folio_session_state_get_device_id(handle)),
    signingOut: f.folio_session_state_get_signing_out(handle) !== 0,
    error: error ? frozen(sessionStartError(takeError(error))) : null,
  });
}

export function readAuthState(handle) {
  const type = word(f.folio_auth_state_get_type(handle), authTypes);
  const nativeError = f.folio_auth_state_copy_error(handle);
  const error = nativeError ? frozen(authError(takeError(nativeError))) : null;
  if (type === 'IDLE' || type === 'UNKNOWN') return frozen({ type });
  const value = { email: text(f.folio_auth_state_get_email(handle)) ?? '' };
  if (type === 'AWAITING_CODE') {
    const now = Date.now();
    value.expiresAt = new Date(now + Number(f.folio_auth_state_get_expires_in_ms(handle)));
    value.resendAt = new Date(now + Number(f.folio_auth_state_get_resend_in_ms(handle)));
    value.triesLeft = f.folio_auth_state_get_tries_left(handle);
  }
  if (type === 'AWAITING_CODE' || type === 'FAILED') value.error = error;
  return frozen({ type, value: frozen(value) });
}

export function readVaultState(handle) {
  const nativeError = f.folio_vault_state_copy_error(handle);
  const error = nativeError ? frozen(new VaultError(takeError(nativeError).message, 'STORAGE')) : null;
  return frozen({
    running: f.folio_vault_state_get_running(handle) !== 0,
    userId: text(f.folio_vault_state_get_user_id(handle)),
    recordCount: Number(f.folio_vault_state_get_record_count(handle)),
    bytes: Number(f.folio_vault_state_get_bytes(handle)),
    conflictCount: Number(f.folio_vault_state_get_conflict_count(handle)),
    carryOver: frozen({
      type: word(f.folio_vault_state_get_carry_over(handle), carryOverTypes),
      moved: Number(f.folio_vault_state_get_moved(handle)),
      total: Number(f.folio_vault_state_get_total(handle)),
      error,
      retrying: f.folio_vault_state_get_retrying(handle) !== 0,
    }),
  });
}
