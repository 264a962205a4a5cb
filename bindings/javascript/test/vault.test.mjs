import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CoreError, SessionAction, VaultError } from '../src/index.js';
import { Driver, settled, until } from './support.mjs';

const bytes = (text) => new TextEncoder().encode(text);
const text = (value) => value && new TextDecoder().decode(value);

test('records are put, read, listed and deleted', async (t) => {
  const { vault } = await Driver.create(t);
  vault.put('b', bytes('two'));
  vault.put('a', Buffer.from('one'));
  assert.equal(text(vault.get('a')), 'one');
  assert.equal(vault.get('x'), null);
  assert.deepEqual([...vault].map(([key, value]) => [key, text(value)]), [['a', 'one'], ['b', 'two']]);
  assert.ok(vault.record('a').modifiedAt instanceof Date);
  assert.equal(vault.delete('a'), true);
  assert.equal(vault.delete('a'), false);
  assert.deepEqual([...vault.keys()], ['b']);
});

test('listing goes by prefix and page', async (t) => {
  const { vault } = await Driver.create(t);
  const keys = Array.from({ length: 2_500 }, (_, number) => `n${String(number).padStart(5, '0')}`);
  vault.putMany(keys.map((key) => [key, bytes(key)]));
  vault.putMany(new Map([['m', new Uint8Array()]]));
  vault.putMany({ o: bytes('object') });
  vault.putMany([]);
  assert.equal(vault.count(), 2_502);
  assert.equal(vault.count('n'), 2_500);
  assert.deepEqual([...vault.keys('n')], keys);
  assert.equal(text(vault.get('n01234')), 'n01234');
  assert.equal(vault.get('m').length, 0);
});

test('values of every size come back', async (t) => {
  const { vault } = await Driver.create(t);
  for (const size of [0, 1, 63, 64, 65, 1 << 20, 16 << 20]) {
    const value = new Uint8Array(size).map((_, index) => index % 251);
    vault.put('k', value);
    assert.deepEqual(vault.get('k'), value);
  }
});

test('values above the limit and bad keys are refused', async (t) => {
  const { vault } = await Driver.create(t);
  for (const [key, value] of [
    ['k', new Uint8Array((16 << 20) + 1)], ['', bytes('')], ['k'.repeat(1_025), bytes('')], ['a\0', bytes('')],
    ['\ud800', bytes('')], ['k', 'text'], [7, bytes('')],
  ]) {
    assert.throws(() => vault.put(key, value), (error) => error instanceof CoreError && error.code === 'INVALID_ARGUMENT');
  }
  assert.equal(vault.count(), 0);
});

test('a transaction is applied whole or not at all', async (t) => {
  const { vault } = await Driver.create(t);
  vault.put('kept', bytes('1'));
  const result = vault.transaction((transaction) => {
    transaction.put('new', bytes('2'));
    assert.equal(transaction.delete('kept'), true);
    assert.equal(transaction.get('kept'), null);
    assert.equal(text(transaction.get('new')), '2');
    assert.equal(vault.get('new'), null);
    return 'done';
  });
  assert.equal(result, 'done');
  assert.deepEqual([...vault.keys()], ['new']);
  assert.throws(() => vault.transaction((transaction) => {
    transaction.put('new', bytes('3'));
    throw new RangeError('stop');
  }), RangeError);
  await assert.rejects(vault.transaction(async (transaction) => {
    transaction.put('new', bytes('4'));
    throw new RangeError('stop');
  }), RangeError);
  assert.equal(text(vault.get('new')), '2');
  await vault.transaction(async (transaction) => transaction.put('later', bytes('5')));
  assert.equal(text(vault.get('later')), '5');
});

test('a guest takes its records to the account, and conflict copies are kept or dropped', async (t) => {
  const driver = await Driver.create(t);
  const { vault } = driver;
  await driver.signIn();
  vault.putMany({ x: bytes('account'), y: bytes('account') });
  driver.session.dispatch(SessionAction.signOut);
  await settled(driver.sdk);
  vault.putMany({ x: bytes('guest'), y: bytes('guest'), z: bytes('guest') });
  await driver.signIn();
  await until(vault, ({ carryOver }) => carryOver.type === 'FINISHED');
  const [first, second] = vault.conflicts();
  assert.deepEqual([first.key, second.key], ['x', 'y']);
  assert.equal(text(vault.conflictValue(first)), 'account');
  vault.keepConflict(first);
  vault.dropConflict(second);
  assert.deepEqual([...vault].map(([key, value]) => [key, text(value)]), [['x', 'account'], ['y', 'guest'], ['z', 'guest']]);
  assert.throws(() => vault.dropConflict(second), (error) => error instanceof VaultError && error.code === 'NOT_FOUND');
});

test('the vault fails typed once the identity has gone', async (t) => {
  const driver = await Driver.create(t);
  driver.service.setReachable(false);
  driver.session.dispatch(SessionAction.signOut);
  await settled(driver.sdk);
  assert.throws(() => driver.vault.put('k', bytes('')), { name: 'VaultError', code: 'VAULT_NOT_RUNNING' });
  assert.equal(driver.vault.state.running, false);
});
