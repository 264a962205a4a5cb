// When stores, listeners and iterations end.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import {
  AuthAction, AuthStore, CoreError, FolioSdk, SessionAction, SessionStore, StoreError, VaultAction,
} from '../src/index.js';
import { Driver, held, pumped, settled } from './support.mjs';

/** A runtime whose stores have delivered their first read. */
async function startAll(t) {
  const driver = await Driver.create(t);
  await settled(driver.sdk);
  return driver;
}

test('what is no action is refused', async (t) => {
  const { session, auth, vault } = await startAll(t);
  const refused = { name: 'CoreError', code: 'INVALID_ARGUMENT' };
  assert.throws(() => session.dispatch('SIGN_IN'), refused);
  assert.throws(() => auth.dispatch(SessionAction.signOut), refused);
  assert.throws(() => vault.dispatch(undefined), refused);
  assert.throws(() => session.subscribe(null), refused);
  assert.throws(() => SessionStore.mount({}), refused);
  assert.throws(() => new SessionStore(), CoreError);
  assert.throws(() => new FolioSdk(), CoreError);
  vault.dispatch(VaultAction.retryCarryOver);
});

test('a closed store throws StoreError, keeps its state, and ends its iterators', async (t) => {
  const { session, auth, vault } = await startAll(t);
  const states = session.states();
  await states.next();
  const waiting = states.next();
  const last = session.state;
  for (const store of [session, auth, vault]) {
    store.close();
    store.close();
    assert.throws(() => store.subscribe(() => {}), StoreError);
    assert.throws(() => store.states(), StoreError);
  }
  assert.throws(() => session.dispatch(SessionAction.signOut), StoreError);
  assert.throws(() => auth.dispatch(AuthAction.cancel), StoreError);
  assert.throws(() => vault.get('key'), StoreError);
  assert.deepEqual(await held(waiting), { value: undefined, done: true });
  assert.deepEqual(session.state, last);
});

test('a runtime that was shut down ends its iterators, keeps states readable and refuses the rest', async (t) => {
  const { sdk, session } = await startAll(t);
  const states = session.states();
  await states.next();
  const waiting = states.next();
  const last = session.state;
  sdk.shutdown();
  sdk.shutdown();
  assert.deepEqual(await held(waiting), { value: undefined, done: true });
  assert.deepEqual(await held(states.next()), { value: undefined, done: true });
  assert.deepEqual(session.state, last);
  const refused = { name: 'CoreError', code: 'SHUT_DOWN' };
  assert.throws(() => session.dispatch(SessionAction.signOut), refused);
  assert.throws(() => sdk.renew(), refused);
  assert.throws(() => SessionStore.mount(sdk), refused);
});

test('an embedded service stays usable after its runtime, until it is closed', async (t) => {
  const { sdk, session } = await startAll(t);
  const service = sdk.embeddedService;
  sdk.shutdown();
  assert.equal(service.nextMessage(), null);
  service.deleteAccount(session.state.identity.value.userId);
  assert.throws(() => service.endSessions('nobody'), { code: 'NOT_FOUND' });
  service.close();
  service.close();
  assert.throws(() => service.nextMessage(), StoreError);
});

test('leaving an iteration cancels it, also for a waiting next()', async (t) => {
  const { auth } = await startAll(t);
  const states = auth.states();
  await states.next();
  const waiting = states.next();
  await states.return();
  assert.deepEqual(await held(waiting), { value: undefined, done: true });
});

test('a removed listener hears nothing more, also when it removes itself or its neighbour', async (t) => {
  const { sdk, auth } = await startAll(t);
  const heard = [];
  const removeFirst = auth.subscribe((state) => {
    heard.push(`first ${state.type}`);
    removeFirst();
    removeFirst();
    removeSecond();
  });
  const removeSecond = auth.subscribe((state) => heard.push(`second ${state.type}`));
  auth.subscribe((state) => heard.push(`third ${state.type}`));
  auth.dispatch(AuthAction.signIn('not an address'));
  auth.dispatch(AuthAction.cancel);
  await pumped(sdk, () => heard.includes('third IDLE'));
  assert.deepEqual(heard, ['first FAILED', 'third FAILED', 'third IDLE']);
});

test('closing a store inside a listener ends it; shutting down there is refused', async (t) => {
  const { sdk, auth, session } = await startAll(t);
  const heard = [];
  let refusal;
  auth.subscribe((state) => {
    heard.push(state.type);
    try {
      sdk.shutdown();
    } catch (error) {
      refusal = error;
    }
    auth.close();
  });
  auth.subscribe((state) => heard.push(`neighbour ${state.type}`));
  auth.dispatch(AuthAction.signIn('not an address'));
  await pumped(sdk, () => heard.length > 0);
  await turn();
  assert.deepEqual(heard, ['FAILED']);
  assert.equal(refusal.code, 'BUSY');
  assert.equal(session.state.status, 'ACTIVE');
});

test('a listener may dispatch, mount, subscribe and use the vault', async (t) => {
  const { sdk, auth, vault } = await startAll(t);
  const heard = [];
  auth.subscribe((state) => {
    heard.push(state.type);
    if (state.type !== 'FAILED') return;
    vault.put('key', new Uint8Array([1]));
    AuthStore.mount(sdk).subscribe(() => {});
    auth.dispatch(AuthAction.cancel);
  });
  auth.dispatch(AuthAction.signIn('not an address'));
  await pumped(sdk, () => heard.length === 2);
  assert.deepEqual(heard, ['FAILED', 'IDLE']);
  assert.deepEqual(vault.get('key'), new Uint8Array([1]));
});
