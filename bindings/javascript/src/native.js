// Calls into the library: errors become exceptions, text and bytes are checked before they cross.

import { getRawPointer, toBuffer, toString } from 'node:ffi';
import { errorTypes, statusNames, word } from './constants.js';
import { AuthError, CoreError, SessionStartError, StoreError, VaultError } from './errors.js';
import { functions } from './library.js';

const vaultCodes = new Set(['VAULT_NOT_RUNNING', 'RECORD_DAMAGED', 'NOT_FOUND']);

/** Text behind a native pointer, `null` when absent. */
export const text = (pointer) => (pointer ? toString(pointer) : null);

export const statusName = (status) => statusNames.get(status) ?? 'UNKNOWN';

/** The facts of a native error, copied; the handle stays the caller's. */
export function readError(handle) {
  const kind = functions.folio_error_get_kind(handle);
  return {
    status: functions.folio_error_get_code(handle),
    type: kind === 0 ? null : word(kind, errorTypes),
    httpStatus: functions.folio_error_get_http_status(handle),
    code: text(functions.folio_error_get_service_code(handle)) ?? '',
    message: text(functions.folio_error_get_message(handle)) ?? 'The call failed.',
    retryAfter: Number(functions.folio_error_get_retry_after_ms(handle)),
  };
}

/** Copies an owned error and releases it. */
export function takeError(handle) {
  try {
    return readError(handle);
  } finally {
    functions.folio_error_release(handle);
  }
}

export const sessionStartError = ({ message, type, httpStatus, code }) =>
  new SessionStartError(message, { type, status: httpStatus, code });

export const authError = ({ message, type, httpStatus, code, retryAfter }) =>
  new AuthError(message, { type, status: httpStatus, code, retryAfter });

/** The exception of a failed call. */
export function callError(error) {
  const name = statusName(error.status);
  if (name === 'CLOSED') return new StoreError(error.message, name);
  if (vaultCodes.has(name)) return new VaultError(error.message, name);
  return new CoreError(error.message, name);
}

/** The exception of a failed create. */
export const startError = (error) => (error.type ? sessionStartError(error) : callError(error));

/** The exception of a failed vault call. */
export const vaultError = (error) =>
  (statusName(error.status) === 'STORAGE' ? new VaultError(error.message, 'STORAGE') : callError(error));

/** Calls a function that takes a place for an error last, and throws what it tells. */
export function callRaising(raise, name, ...values) {
  const error = new BigUint64Array(1);
  const status = functions[name](...values, error);
  if (status < 0) {
    throw error[0] ? raise(takeError(error[0])) : new CoreError('The call failed.', statusName(status));
  }
  return status;
}

export const call = (name, ...values) => callRaising(callError, name, ...values);

/** As `callRaising`, for functions whose last argument is a place for a handle. */
export function handleRaising(raise, name, ...values) {
  const handle = new BigUint64Array(1);
  callRaising(raise, name, ...values, handle);
  return handle[0];
}

export const callForHandle = (name, ...values) => handleRaising(callError, name, ...values);

/** Text that can cross whole: a string without NUL and lone surrogates. */
export function checked(value, name) {
  if (typeof value !== 'string') throw new CoreError(`The ${name} must be a string; give one.`, 'INVALID_ARGUMENT');
  if (value.includes('\0')) throw new CoreError(`The ${name} holds a NUL character; remove it.`, 'INVALID_ARGUMENT');
  if (!value.isWellFormed()) {
    throw new CoreError(`The ${name} is not valid Unicode; remove lone surrogates.`, 'INVALID_ARGUMENT');
  }
  return value;
}

/** Bytes that a pointer parameter takes, with their length; not copied. */
export function bytes(value) {
  if (!(value instanceof Uint8Array)) {
    throw new CoreError('A value must be bytes; give a Uint8Array.', 'INVALID_ARGUMENT');
  }
  return [value.byteLength === 0 ? null : value, BigInt(value.byteLength)];
}

/** The address of bytes whose memory does not move; keep the view alive while it is used. */
export function address(view) {
  if (view.byteLength === 0) return 0n;
  // Reading `buffer` moves the elements of a small array out of the collector's heap.
  return view.buffer && getRawPointer(view);
}

/** A fresh copy of native bytes. */
export const copyBytes = (pointer, length) =>
  (length === 0 ? new Uint8Array() : new Uint8Array(toBuffer(pointer, length, false)));

/** Releases native handles when their wrappers have been collected. */
const registry = new FinalizationRegistry((release) => release());
export const whenCollected = (wrapper, release) => registry.register(wrapper, release, wrapper);
export const releaseWith = (wrapper, noun, handle) =>
  whenCollected(wrapper, () => functions[`folio_${noun}_release`](handle));
/** For a wrapper that has released its handle itself. */
export const forgetWrapper = (wrapper) => registry.unregister(wrapper);
