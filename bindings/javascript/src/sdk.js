import { logLevels, word } from './constants.js';
import { forget, onCreated, onDestroy, onLog, register } from './callbacks.js';
import { EmbeddedService } from './embedded-service.js';
import { CoreError } from './errors.js';
import { functions } from './library.js';
import {
  bytes, call, callError, callForHandle, checked, forgetWrapper, handleRaising, readError, releaseWith, startError, whenCollected,
} from './native.js';
import { Pump } from './pump.js';
import { readSessionState } from './states.js';

const key = Symbol('FolioSdk');

const refuse = (message) => {
  throw new CoreError(message, 'INVALID_ARGUMENT');
};

function configure(options) {
  const { dataDirectory, serviceUrl, storageKey, timeout, embeddedTokenLife } = options ?? {};
  if (serviceUrl != null) refuse('This version runs on the embedded service; leave serviceUrl out.');
  const config = callForHandle('folio_config_create');
  try {
    call('folio_config_set_data_directory', config, checked(dataDirectory, 'data directory'));
    if (storageKey != null) call('folio_config_set_storage_key', config, ...bytes(storageKey));
    if (timeout != null) {
      if (!Number.isInteger(timeout) || timeout < 1 || timeout > 0x7fffffff) {
        refuse('The timeout must be a whole number of milliseconds from 1; give another.');
      }
      call('folio_config_set_timeout_ms', config, timeout);
    }
    if (embeddedTokenLife != null) {
      if (!Number.isSafeInteger(embeddedTokenLife) || embeddedTokenLife < 1) {
        refuse('The token life must be a whole number of seconds from 1; give another.');
      }
      call('folio_config_set_embedded_token_life', config, BigInt(embeddedTokenLife));
    }
    return config;
  } catch (error) {
    functions.folio_config_release(config);
    throw error;
  }
}

/** Registers an entry with a native function that gives a handle; a refused one is forgotten. */
export function registerWith(raise, name, target, trampoline, entry) {
  const id = register(entry);
  try {
    return handleRaising(raise, name, target, trampoline, id, onDestroy);
  } catch (error) {
    forget(id);
    throw error;
  }
}

/** Cancels and releases a subscription that a wrapper holds. */
export function endSubscription(wrapper, subscription) {
  forgetWrapper(wrapper);
  functions.folio_subscription_cancel(subscription, null);
  functions.folio_subscription_release(subscription);
}

/** A function that cancels a native subscription; dropping it does not cancel. */
export function remover(subscription) {
  let isRemoved = false;
  const remove = () => {
    if (isRemoved) return;
    isRemoved = true;
    endSubscription(remove, subscription);
  };
  releaseWith(remove, 'subscription', subscription);
  return remove;
}

export class FolioSdk {
  /** @internal */ pump;

  constructor(secret, pump) {
    if (secret !== key) refuse('A runtime is made by FolioSdk.create.');
    this.pump = pump;
    pump.serve(this);
    whenCollected(this, () => {
      functions.folio_sdk_release(pump.handle);
      pump.end();
    });
  }

  static async create(options) {
    const config = configure(options);
    let handle = null;
    let pump = null;
    try {
      await new Promise((resolve, reject) => {
        let isCalled = false;
        const entry = {
          run: (error) => {
            isCalled = true;
            if (error) reject(startError(readError(error)));
            else resolve();
          },
        };
        handle = registerWith(startError, 'folio_sdk_create_async', config, onCreated, entry);
        entry.ended = () => {
          if (!isCalled) reject(new CoreError('The start was cancelled; create the runtime again.', 'CANCELLED'));
        };
        pump = new Pump(handle);
      });
    } catch (error) {
      functions.folio_sdk_release(handle);
      pump?.end();
      throw error;
    } finally {
      functions.folio_config_release(config);
    }
    return new FolioSdk(key, pump);
  }

  get pending() {
    return this.pump.pending;
  }

  get sessionState() {
    const handle = callForHandle('folio_sdk_copy_session_state', this.pump.handle);
    try {
      return readSessionState(handle);
    } finally {
      functions.folio_session_state_release(handle);
    }
  }

  get embeddedService() {
    return new EmbeddedService(callForHandle('folio_sdk_get_embedded_service', this.pump.handle));
  }

  renew() {
    call('folio_sdk_renew', this.pump.handle);
  }

  subscribeLog(listener) {
    // The entry keeps the runtime alive while the listener is registered.
    const entry = { owner: this, run: (level, line) => listener(word(level, logLevels), line) };
    return remover(registerWith(callError, 'folio_sdk_subscribe_log', this.pump.handle, onLog, entry));
  }

  shutdown() {
    call('folio_sdk_shutdown', this.pump.handle);
    this.pump.end();
  }
}
