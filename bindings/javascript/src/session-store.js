import { sessionActions } from './constants.js';
import { CoreError } from './errors.js';
import { readSessionState } from './states.js';
import { Store } from './store.js';

export class SessionStore extends Store {
  static mount(sdk) {
    return Store.mountAs(SessionStore, sdk, 'session', readSessionState);
  }

  dispatch(action) {
    const number = sessionActions.indexOf(action) + 1;
    if (number === 0) throw new CoreError('This is no SessionAction; dispatch one of its constants.', 'INVALID_ARGUMENT');
    this.dispatchNative('dispatch', number);
  }
}
