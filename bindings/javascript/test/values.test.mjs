// Bytes and keys that cross, and transactions.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { StoreError } from '../src/index.js';
import { Driver, root, until } from './support.mjs';

const header = readFileSync(`${root}include/folio.h`, 'utf8');
const limit = (name) => Number(header.match(new RegExp(`#define ${name} (\\d+)`))[1]);
const valueLimit = limit('FOLIO_VAULT_VALUE_MAX_BYTES');
const keyLimit = limit('FOLIO_VAULT_KEY_MAX_BYTES');
const invalid = { name: 'CoreError', code: 'INVALID_ARGUMENT' };

/** A runtime whose vault runs. */
async function startAll(t) {
  const driver = await Driver.create(t);
  await until(driver.vault, (state) => state.running);
  return driver;
}

test('values of 0 bytes up to the limit come back byte for byte, and one more is refused', async (t) => {
  const { vault } = await startAll(t);
  const largest = new Uint8Array(valueLimit).map((_, index) => index * 31);
  for (const value of [new Uint8Array(), new Uint8Array([0]), new Uint8Array(256).map((_, index) => index), largest]) {
    vault.put('key', value);
    const found = vault.get('key');
    assert.ok(found instanceof Uint8Array && found.constructor === Uint8Array);
    assert.ok(Buffer.from(value).equals(found));
  }
  assert.throws(() => vault.put('key', new Uint8Array(valueLimit + 1)), invalid);
  assert.equal(vault.get('key').byteLength, valueLimit);
});

test('every kind of view is written from its own first byte', async (t) => {
  const { vault } = await startAll(t);
  const expected = new Uint8Array([3, 4, 5]);
  const shared = new Uint8Array(new SharedArrayBuffer(8));
  shared.set([1, 2, 3, 4, 5, 6]);
  const views = [
    new Uint8Array([1, 2, 3, 4, 5, 6]).subarray(2, 5), Buffer.from([1, 2, 3, 4, 5, 6]).subarray(2, 5),
    shared.subarray(2, 5), new Uint8Array(new Uint8Array(2000).fill(0).with(1500, 3).with(1501, 4).with(1502, 5).buffer, 1500, 3),
  ];
  for (const view of views) {
    vault.put('one', view);
    vault.putMany({ many: view });
    vault.transaction((transaction) => transaction.put('within', view));
    for (const key of ['one', 'many', 'within']) assert.deepEqual(vault.get(key), expected);
  }
  for (const value of ['text', [1], new Uint16Array(1), new ArrayBuffer(1), null, undefined]) {
    assert.throws(() => vault.put('one', value), invalid);
    assert.throws(() => vault.putMany([['one', value]]), invalid);
  }
});

test('a value that is read is the caller\'s own', async (t) => {
  const { vault } = await startAll(t);
  vault.put('key', new Uint8Array([1, 2]));
  const first = vault.get('key');
  first[0] = 9;
  assert.deepEqual(vault.get('key'), new Uint8Array([1, 2]));
  assert.ok(vault.record('key').modifiedAt instanceof Date);
});

test('keys of 1 byte up to the limit are taken, counted as UTF-8', async (t) => {
  const { vault } = await startAll(t);
  const keys = ['k', 'k'.repeat(keyLimit), 'é'.repeat(keyLimit / 2), '\u{1F600}'];
  for (const key of keys) {
    vault.put(key, new Uint8Array([1]));
    assert.deepEqual(vault.get(key), new Uint8Array([1]));
  }
  assert.deepEqual([...vault.keys()].sort(), [...keys].sort());
  for (const key of ['', 'k'.repeat(keyLimit + 1), 'é'.repeat(keyLimit / 2 + 1)]) {
    assert.throws(() => vault.put(key, new Uint8Array()), invalid);
  }
});

test('putMany takes pairs, maps and objects, and writes all or none', async (t) => {
  const { vault } = await startAll(t);
  const one = new Uint8Array([1]);
  vault.putMany({ object: one });
  vault.putMany(new Map([['map', one]]));
  vault.putMany((function* pairs() { yield ['generator', one]; yield ['generator', new Uint8Array([2])]; })());
  vault.putMany([]);
  assert.deepEqual([...vault.keys()], ['generator', 'map', 'object']);
  assert.deepEqual(vault.get('generator'), new Uint8Array([2]));
  assert.throws(() => vault.putMany([['good', one], ['', one]]), invalid);
  assert.equal(vault.count(), 3);
});

test('a transaction commits when its function returns, sync or async, and sees its own writes', async (t) => {
  const { vault } = await startAll(t);
  const result = vault.transaction((transaction) => {
    transaction.put('a', new Uint8Array([1]));
    assert.deepEqual(transaction.get('a'), new Uint8Array([1]));
    assert.equal(vault.get('a'), null);
    assert.equal(transaction.delete('nothing'), false);
    return 7;
  });
  assert.equal(result, 7);
  const later = await vault.transaction(async (transaction) => {
    assert.equal(transaction.delete('a'), true);
    await turn();
    transaction.put('b', new Uint8Array([2]));
    return 8;
  });
  assert.equal(later, 8);
  assert.deepEqual([...vault.keys()], ['b']);
});

test('a transaction is dropped when its function throws or rejects', async (t) => {
  const { vault } = await startAll(t);
  const failure = new Error('no');
  let kept;
  assert.throws(() => vault.transaction((transaction) => {
    kept = transaction;
    transaction.put('a', new Uint8Array());
    throw failure;
  }), failure);
  await assert.rejects(vault.transaction(async (transaction) => {
    transaction.put('a', new Uint8Array());
    await turn();
    throw failure;
  }), failure);
  assert.equal(vault.count(), 0);
  assert.throws(() => kept.put('a', new Uint8Array()), StoreError);
  vault.transaction((transaction) => { kept = transaction; });
  for (const use of [() => kept.put('a', new Uint8Array()), () => kept.get('a'), () => kept.delete('a')]) {
    assert.throws(use, StoreError);
  }
});
