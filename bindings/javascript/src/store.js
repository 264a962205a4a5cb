// What every store has: state, listeners, iteration, close.

import { onState } from './callbacks.js';
import { statusNames } from './constants.js';
import { CoreError, StoreError } from './errors.js';
import { functions } from './library.js';
import { call, callError, callForHandle, releaseWith, whenCollected } from './native.js';
import { endSubscription, registerWith, remover } from './sdk.js';

const key = Symbol('Store');

export class Store {
  #noun;
  #read;
  #current = null;
  /** @internal */ sdk;
  /** @internal */ handle;

  constructor(secret, sdk, noun, read) {
    if (secret !== key) throw new CoreError('A store is mounted: Store.mount(sdk).', 'INVALID_ARGUMENT');
    this.sdk = sdk;
    this.#noun = noun;
    this.#read = read;
    this.handle = callForHandle(`folio_${noun}_store_mount`, sdk.pump.handle);
    releaseWith(this, `${noun}_store`, this.handle);
    this.#follow();
    // The first read is not pending work: two immediates have one poll between them, which delivers it also when
    // nothing else holds the event loop.
    setImmediate(() => setImmediate(() => {}));
  }

  /** @internal */
  static mountAs(cls, sdk, noun, read) {
    if (!sdk?.pump) throw new CoreError('A store needs a runtime; give a FolioSdk.', 'INVALID_ARGUMENT');
    return new cls(key, sdk, noun, read);
  }

  /** Forgets the state that was read when the next one comes; as the first subscriber, before any listener runs. */
  #follow() {
    const store = new WeakRef(this);
    const entry = { run: () => {
      const followed = store.deref();
      if (followed) followed.#current = null;
    } };
    const subscription = registerWith(callError, `folio_${this.#noun}_store_subscribe`, this.handle, onState, entry);
    whenCollected(this, () => {
      functions.folio_subscription_cancel(subscription, null);
      functions.folio_subscription_release(subscription);
    });
  }

  get state() {
    this.#current ??= this.take(callForHandle(`folio_${this.#noun}_store_get_state`, this.handle));
    return this.#current;
  }

  /** @internal Reads an owned state and releases it. */
  take(handle) {
    try {
      return this.#read(handle);
    } finally {
      functions[`folio_${this.#noun}_state_release`](handle);
    }
  }

  subscribe(listener) {
    if (typeof listener !== 'function') throw new CoreError('A listener must be a function; give one.', 'INVALID_ARGUMENT');
    // The entry keeps the store and its runtime alive while the listener is registered.
    const entry = { owner: this, run: (state) => void listener(this.#current ??= this.#read(state)) };
    return remover(registerWith(callError, `folio_${this.#noun}_store_subscribe`, this.handle, onState, entry));
  }

  states() {
    return new States(this, callForHandle(`folio_${this.#noun}_store_subscribe`, this.handle, null, null, null));
  }

  /** @internal Dispatches, and holds the event loop until the action's last state. */
  dispatchNative(name, ...values) {
    try {
      call(`folio_${this.#noun}_store_${name}`, this.handle, ...values);
    } finally {
      this.sdk.pump.touch();
    }
  }

  close() {
    call(`folio_${this.#noun}_store_close`, this.handle);
    this.sdk.pump.touch();
    this.sdk.pump.wake();
  }
}

/** An iteration over the states of a store; its inbox fills in dispatch. */
class States {
  #store;
  #subscription;
  #isOver = false;

  constructor(store, subscription) {
    this.#store = store;
    this.#subscription = subscription;
    whenCollected(this, () => {
      functions.folio_subscription_cancel(subscription, null);
      functions.folio_subscription_release(subscription);
    });
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  async next() {
    while (!this.#isOver) {
      const place = new BigUint64Array(1);
      let status;
      try {
        status = call('folio_subscription_next', this.#subscription, place);
      } catch (error) {
        this.#end();
        if (error instanceof StoreError) break;
        throw error;
      }
      if (statusNames.get(status) !== 'NOTHING_WAITING') return { value: this.#store.take(place[0]), done: false };
      if (this.#store.sdk.pump.isOver) this.#end();
      else await this.#store.sdk.pump.changed();
    }
    return { value: undefined, done: true };
  }

  #end() {
    if (this.#isOver) return;
    this.#isOver = true;
    endSubscription(this, this.#subscription);
    // A next() that waits ends too.
    this.#store.sdk.pump.wake();
  }

  async return(value) {
    this.#end();
    return { value, done: true };
  }
}

