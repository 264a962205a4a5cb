import { vaultActions } from './constants.js';
import { CoreError, StoreError } from './errors.js';
import { functions } from './library.js';
import {
  address, bytes, callRaising, checked, copyBytes, forgetWrapper, handleRaising, releaseWith, text, vaultError,
} from './native.js';
import { readVaultState } from './states.js';
import { Store } from './store.js';

const pageSize = 1000;
let held = null;
const call = (name, ...values) => callRaising(vaultError, name, ...values);
const callForHandle = (name, ...values) => handleRaising(vaultError, name, ...values);

/** Copies an owned value and releases it; `null` when there is none. */
function takeRecord(handle) {
  if (!handle) return null;
  try {
    const length = Number(functions.folio_vault_value_get_length(handle));
    return Object.freeze({
      value: copyBytes(functions.folio_vault_value_get_data(handle), length),
      modifiedAt: new Date(Number(functions.folio_vault_value_get_modified_at(handle))),
    });
  } finally {
    functions.folio_vault_value_release(handle);
  }
}

/** Several writes in one durable commit; reads see them. */
class VaultTransaction {
  #handle;

  constructor(store) {
    this.#handle = callForHandle('folio_vault_transaction_begin', store.handle);
    releaseWith(this, 'vault_transaction', this.#handle);
  }

  get #open() {
    if (this.#handle === null) throw new StoreError('The transaction is over; begin another.', 'CLOSED');
    return this.#handle;
  }

  put(key, value) {
    call('folio_vault_transaction_put', this.#open, checked(key, 'key'), ...bytes(value));
  }

  get(key) {
    return takeRecord(callForHandle('folio_vault_transaction_get', this.#open, checked(key, 'key')))?.value ?? null;
  }

  delete(key) {
    const deleted = new Int32Array(1);
    call('folio_vault_transaction_delete', this.#open, checked(key, 'key'), deleted);
    return deleted[0] !== 0;
  }

  /** @internal */
  static commit(transaction) {
    try {
      call('folio_vault_transaction_commit', transaction.#handle);
    } finally {
      VaultTransaction.end(transaction);
    }
  }

  /** @internal Drops what was not committed. */
  static end(transaction) {
    forgetWrapper(transaction);
    functions.folio_vault_transaction_release(transaction.#handle);
    transaction.#handle = null;
  }
}

export class VaultStore extends Store {
  static mount(sdk) {
    return Store.mountAs(VaultStore, sdk, 'vault', readVaultState);
  }

  dispatch(action) {
    const number = vaultActions.indexOf(action) + 1;
    if (number === 0) throw new CoreError('This is no VaultAction; dispatch one of its constants.', 'INVALID_ARGUMENT');
    this.dispatchNative('dispatch', number);
  }

  put(key, value) {
    call('folio_vault_store_put', this.handle, checked(key, 'key'), ...bytes(value));
  }

  record(key) {
    return takeRecord(callForHandle('folio_vault_store_get', this.handle, checked(key, 'key')));
  }

  get(key) {
    return this.record(key)?.value ?? null;
  }

  delete(key) {
    const deleted = new Int32Array(1);
    call('folio_vault_store_delete', this.handle, checked(key, 'key'), deleted);
    return deleted[0] !== 0;
  }

  putMany(records) {
    const pairs = [...(typeof records?.[Symbol.iterator] === 'function' ? records : Object.entries(records ?? {}))];
    if (pairs.length === 0) return;
    const keys = pairs.map(([key]) => Buffer.from(`${checked(key, 'key')}\0`));
    const values = pairs.map(([, value]) => (bytes(value), value));
    // Only their addresses are passed, so the bytes are held here until the call is over.
    held = [keys, values];
    try {
      call(
        'folio_vault_store_put_many', this.handle,
        BigUint64Array.from(keys, address), BigUint64Array.from(values, address),
        BigUint64Array.from(values, (value) => BigInt(value.byteLength)), BigInt(pairs.length),
      );
    } finally {
      held = null;
    }
  }

  count(prefix = '') {
    const count = new BigInt64Array(1);
    call('folio_vault_store_count', this.handle, checked(prefix, 'prefix'), count);
    return Number(count[0]);
  }

  * list(prefix = '') {
    let after = null;
    for (;;) {
      const page = this.#page(prefix, after);
      yield* page;
      if (page.length < pageSize) return;
      after = page.at(-1).key;
    }
  }

  * keys(prefix = '') {
    for (const entry of this.list(prefix)) yield entry.key;
  }

  * entries(prefix = '') {
    for (const { key } of this.list(prefix)) {
      const value = this.get(key);
      // A record that was deleted meanwhile is left out.
      if (value) yield [key, value];
    }
  }

  [Symbol.iterator]() {
    return this.entries();
  }

  #page(prefix, after) {
    const cursor = after === null ? null : Buffer.from(`${after}\0`);
    const page = callForHandle(
      'folio_vault_store_list', this.handle, checked(prefix, 'prefix'), cursor, pageSize);
    try {
      return Array.from({ length: functions.folio_vault_page_get_count(page) }, (_, index) => Object.freeze({
        key: text(functions.folio_vault_page_get_key(page, index)),
        length: Number(functions.folio_vault_page_get_length(page, index)),
        modifiedAt: new Date(Number(functions.folio_vault_page_get_modified_at(page, index))),
      }));
    } finally {
      functions.folio_vault_page_release(page);
    }
  }

  transaction(body) {
    const transaction = new VaultTransaction(this);
    const commit = (result) => {
      VaultTransaction.commit(transaction);
      return result;
    };
    const drop = (error) => {
      VaultTransaction.end(transaction);
      throw error;
    };
    let result;
    try {
      result = body(transaction);
    } catch (error) {
      return drop(error);
    }
    return typeof result?.then === 'function' ? result.then(commit, drop) : commit(result);
  }

  * conflicts() {
    let after = 0n;
    for (;;) {
      const list = callForHandle('folio_vault_store_list_conflicts', this.handle, after);
      let found;
      try {
        found = Array.from({ length: functions.folio_vault_conflicts_get_count(list) }, (_, index) => Object.freeze({
          id: functions.folio_vault_conflicts_get_id(list, index),
          key: text(functions.folio_vault_conflicts_get_key(list, index)),
          modifiedAt: new Date(Number(functions.folio_vault_conflicts_get_modified_at(list, index))),
        }));
      } finally {
        functions.folio_vault_conflicts_release(list);
      }
      if (found.length === 0) return;
      yield* found;
      after = found.at(-1).id;
    }
  }

  conflictValue(conflict) {
    return takeRecord(callForHandle('folio_vault_store_get_conflict', this.handle, conflict.id)).value;
  }

  keepConflict(conflict) {
    call('folio_vault_store_keep_conflict', this.handle, conflict.id);
  }

  dropConflict(conflict) {
    call('folio_vault_store_drop_conflict', this.handle, conflict.id);
  }
}
