import { CoreError } from './errors.js';
import { checked } from './native.js';
import { readAuthState } from './states.js';
import { Store } from './store.js';

/** An action; its text is private, so that a code does not come into a log. */
class Action {
  #text;

  constructor(name, text) {
    this.name = name;
    this.#text = text;
    Object.freeze(this);
  }

  static arguments(action) {
    return action.#text === undefined ? [] : [checked(action.#text, 'e-mail address or code')];
  }
}

export const AuthAction = Object.freeze({
  signIn: (email) => new Action('sign_in', email ?? null),
  submitCode: (code) => new Action('submit_code', code ?? null),
  resendCode: new Action('resend_code'),
  cancel: new Action('cancel'),
});

export class AuthStore extends Store {
  static mount(sdk) {
    return Store.mountAs(AuthStore, sdk, 'auth', readAuthState);
  }

  dispatch(action) {
    if (!(action instanceof Action)) {
      throw new CoreError('This is no AuthAction; dispatch one of its actions.', 'INVALID_ARGUMENT');
    }
    this.dispatchNative(`dispatch_${action.name}`, ...Action.arguments(action));
  }
}
