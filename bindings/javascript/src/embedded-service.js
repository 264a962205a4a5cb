import { statusNames } from './constants.js';
import { functions } from './library.js';
import { call, checked, releaseWith, text } from './native.js';

/** The embedded service of a runtime: its outbox, and what a service can do to a session. */
export class EmbeddedService {
  #handle;

  constructor(handle) {
    this.#handle = handle;
    releaseWith(this, 'service', handle);
  }

  nextMessage() {
    const place = new BigUint64Array(1);
    const status = call('folio_service_next_message', this.#handle, place);
    if (statusNames.get(status) === 'NOTHING_WAITING') return null;
    try {
      return Object.freeze({
        email: text(functions.folio_message_get_email(place[0])),
        code: text(functions.folio_message_get_code(place[0])),
      });
    } finally {
      functions.folio_message_release(place[0]);
    }
  }

  endSessions(userId) {
    call('folio_service_end_sessions', this.#handle, checked(userId, 'user id'));
  }

  deleteAccount(userId) {
    call('folio_service_delete_account', this.#handle, checked(userId, 'user id'));
  }

  setReachable(reachable) {
    call('folio_service_set_reachable', this.#handle, reachable ? 1 : 0);
  }

  setGuestAccount(email) {
    call('folio_service_set_guest_account', this.#handle, checked(email, 'e-mail address'));
  }

  close() {
    call('folio_service_close', this.#handle);
  }
}
