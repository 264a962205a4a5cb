import assert from 'node:assert/strict';
import { dlopen } from 'node:ffi';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  AuthAction, AuthStore, CoreError, FolioSdk, SessionAction, SessionNoticeReason, SessionStartError, SessionStatus,
  SessionStore, StoreError,
} from '../src/index.js';
import * as callbacks from '../src/callbacks.js';
import { Driver, directory, held, settled, until } from './support.mjs';

test('a store holds the defaults until the first read', async (t) => {
  const sdk = await FolioSdk.create({ dataDirectory: directory(t) });
  t.after(() => sdk.shutdown());
  const store = SessionStore.mount(sdk);
  assert.deepEqual({ ...store.state }, {
    identity: { type: 'UNRESOLVED' }, status: 'DEVICE', notice: null, deviceId: null, signingOut: false, error: null,
  });
  const state = await until(store, ({ deviceId }) => deviceId);
  assert.equal(state.identity.type, 'TRANSIENT');
  assert.equal(state.status, SessionStatus.ACTIVE);
  assert.deepEqual(store.state, sdk.sessionState);
});

test('states are frozen objects with type and value', async (t) => {
  const driver = await Driver.create(t);
  await driver.signIn();
  const { identity } = driver.session.state;
  assert.equal(identity.type, 'AUTHENTICATED');
  assert.equal(identity.value.email, 'ana@example.com');
  assert.throws(() => { identity.value.email = ''; }, TypeError);
  assert.throws(() => { driver.session.state.status = ''; }, TypeError);
});

test('a state is one object for its store and listeners, until the next one', async (t) => {
  const driver = await Driver.create(t);
  const heard = [];
  const first = driver.auth.state;
  assert.equal(driver.auth.state, first);
  for (let count = 0; count < 2; count += 1) driver.auth.subscribe((state) => heard.push([state, driver.auth.state]));
  driver.auth.dispatch(AuthAction.signIn('nobody'));
  await settled(driver.sdk);
  const last = driver.auth.state;
  assert.notEqual(last, first);
  assert.ok(heard.length > 0 && heard.flat().every((state) => state === last));
  driver.sdk.shutdown();
  assert.equal(driver.auth.state, last);
});

test('listeners run on the thread that made the runtime', async (t) => {
  const { functions: { gettid } } = dlopen('libc.so.6', { gettid: { arguments: [], return: 'int32' } });
  const driver = await Driver.create(t);
  const threads = [];
  driver.session.subscribe(() => threads.push(gettid()));
  driver.sdk.subscribeLog(() => threads.push(gettid()));
  driver.session.dispatch(SessionAction.signOut);
  await settled(driver.sdk);
  assert.ok(threads.length >= 4);
  assert.deepEqual(new Set(threads), new Set([gettid()]));
});

test('a sign-out reports every state in order and ends with a new guest', async (t) => {
  const driver = await Driver.create(t);
  const states = [];
  const remove = driver.session.subscribe((state) => states.push(state));
  driver.session.dispatch(SessionAction.signOut);
  await settled(driver.sdk);
  assert.deepEqual(states.map(({ identity, status, signingOut }) => [identity.type, status, signingOut]), [
    ['TRANSIENT', 'ACTIVE', true], ['UNRESOLVED', 'DEACTIVATING', true], ['UNRESOLVED', 'DEVICE', true],
    ['TRANSIENT', 'ACTIVE', false],
  ]);
  remove();
  remove();
  driver.session.dispatch(SessionAction.signOut);
  await settled(driver.sdk);
  assert.equal(states.length, 4);
});

test('an ended account leaves a notice until it is dismissed', async (t) => {
  const driver = await Driver.create(t);
  await driver.signIn();
  driver.service.endSessions(driver.session.state.identity.value.userId);
  driver.sdk.renew();
  const state = await until(driver.session, ({ notice, status }) => notice && status === 'ACTIVE');
  assert.equal(state.notice, SessionNoticeReason.sessionEnded);
  driver.session.dispatch(SessionAction.dismissNotice);
  await settled(driver.sdk);
  assert.equal(driver.session.state.notice, null);
});

test('errors of states are typed', async (t) => {
  const driver = await Driver.create(t);
  driver.auth.dispatch(AuthAction.signIn('nobody'));
  await settled(driver.sdk);
  assert.equal(driver.auth.state.type, 'FAILED');
  assert.equal(driver.auth.state.value.error.type, 'INVALID_EMAIL');
  driver.service.setReachable(false);
  driver.session.dispatch(SessionAction.signOut);
  await settled(driver.sdk);
  assert.ok(driver.session.state.error instanceof SessionStartError);
  assert.equal(driver.session.state.error.type, 'NETWORK');
});

test('a code is not shown by its action', () => {
  assert.ok(!JSON.stringify(AuthAction.submitCode('123456')).includes('123456'));
});

test('points in time are dates', async (t) => {
  const driver = await Driver.create(t);
  driver.auth.dispatch(AuthAction.signIn('ana@example.com'));
  await settled(driver.sdk);
  assert.ok(driver.auth.state.value.expiresAt > new Date());
  assert.equal(driver.auth.state.value.triesLeft, 5);
});

test('a failed start rejects with its error and frees the directory', async (t) => {
  const path = directory(t);
  writeFileSync(join(path, 'folio.sqlite'), '');
  for (let round = 0; round < 2; round += 1) {
    await assert.rejects(FolioSdk.create({ dataDirectory: path }), { name: 'SessionStartError', type: 'STORAGE' });
  }
});

test('bad arguments are refused and nothing is made', async (t) => {
  const path = directory(t);
  const data = join(path, 'data');
  for (const options of [
    undefined, null, {}, { dataDirectory: '' }, { dataDirectory: 'a\0b' }, { dataDirectory: '\ud800' },
    { dataDirectory: data, storageKey: new Uint8Array(3) }, { dataDirectory: data, storageKey: 'text' },
    { dataDirectory: data, timeout: 0 }, { dataDirectory: data, embeddedTokenLife: 0.5 },
    { dataDirectory: data, serviceUrl: 'https://folio.example' },
  ]) {
    await assert.rejects(FolioSdk.create(options), { code: 'INVALID_ARGUMENT' });
  }
  assert.deepEqual(readdirSync(path), []);
});

test('a directory is used once in a process', async (t) => {
  const path = directory(t);
  await Driver.create(t, path);
  await assert.rejects(FolioSdk.create({ dataDirectory: path }), { code: 'DIRECTORY_IN_USE' });
});

test('a closed store throws a StoreError and keeps its state', async (t) => {
  const driver = await Driver.create(t);
  driver.session.close();
  driver.session.close();
  assert.throws(() => driver.session.dispatch(SessionAction.signOut), StoreError);
  assert.throws(() => driver.session.subscribe(() => {}), StoreError);
  assert.equal(driver.session.state.identity.type, 'TRANSIENT');
});

test('after shutdown calls throw and states stay', async (t) => {
  const driver = await Driver.create(t);
  const { state } = driver.session;
  driver.sdk.shutdown();
  driver.sdk.shutdown();
  for (const use of [
    () => driver.session.dispatch(SessionAction.signOut), () => SessionStore.mount(driver.sdk),
    () => AuthStore.mount(driver.sdk), () => driver.sdk.renew(), () => driver.sdk.sessionState,
  ]) {
    assert.throws(use, { code: 'SHUT_DOWN' });
  }
  assert.deepEqual(driver.session.state, state);
});

test('text with NUL or lone surrogates is refused before the call', async (t) => {
  const driver = await Driver.create(t);
  for (const bad of ['a\0b@example.com', '\ud800@example.com', undefined, 7]) {
    assert.throws(() => driver.auth.dispatch(AuthAction.signIn(bad)), { code: 'INVALID_ARGUMENT' });
  }
  assert.equal(driver.sdk.pending, 0);
});

test('inside a listener everything but shutdown is allowed', async (t) => {
  const driver = await Driver.create(t);
  const outcomes = [];
  driver.session.subscribe(() => {
    try {
      driver.sdk.shutdown();
    } catch (error) {
      outcomes.push(error.code);
    }
    driver.sdk.renew();
    const other = SessionStore.mount(driver.sdk);
    other.subscribe(() => {})();
    other.close();
    driver.session.close();
  });
  driver.session.dispatch(SessionAction.signOut);
  await settled(driver.sdk);
  assert.deepEqual(outcomes, ['BUSY']);
});

test('a failing listener does not stop its neighbours and reaches uncaughtException', async (t) => {
  const driver = await Driver.create(t);
  const heard = [];
  const thrown = [];
  const before = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error) => thrown.push(error.message));
  t.after(() => {
    process.removeAllListeners('uncaughtException');
    for (const listener of before) process.on('uncaughtException', listener);
  });
  driver.session.subscribe(() => { throw new Error('broken listener'); });
  driver.session.subscribe((state) => heard.push(state));
  driver.session.dispatch(SessionAction.signOut);
  await settled(driver.sdk);
  await held(new Promise((resolve) => setImmediate(resolve)));
  assert.equal(heard.length, 4);
  assert.deepEqual(thrown, Array(4).fill('broken listener'));
});

test('a slow iteration sees every state in order', async (t) => {
  const driver = await Driver.create(t);
  const states = driver.session.states();
  for (let round = 0; round < 50; round += 1) {
    driver.session.dispatch(SessionAction.signOut);
    await settled(driver.sdk);
  }
  driver.session.close();
  const seen = [];
  for await (const state of states) seen.push(state.status);
  assert.deepEqual(seen, ['ACTIVE', ...Array(50).fill(['ACTIVE', 'DEACTIVATING', 'DEVICE', 'ACTIVE']).flat()]);
});

test('subscribing and cancelling does not grow', async (t) => {
  const driver = await Driver.create(t);
  const before = callbacks.count();
  const rounds = (count) => {
    for (let round = 0; round < count; round += 1) driver.session.subscribe(() => {})();
  };
  rounds(1_000);
  assert.equal(callbacks.count(), before);
  rounds(100_000);
  assert.equal(callbacks.count(), before);
});
