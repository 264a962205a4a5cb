import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as constants from '../src/constants.js';
import { calls, facts, released } from '../src/library.js';
import { root } from './support.mjs';

const header = readFileSync(`${root}include/folio.h`, 'utf8');
const values = [...header.matchAll(/^\s+(FOLIO_\w+) = (-?\d+)/gm)].map(([, name, value]) => [name, Number(value)]);

test('statuses are those of the header', () => {
  const names = values
    .filter(([name]) => /^FOLIO_(OK|NOTHING_WAITING|ERROR_(?!KIND))/.test(name))
    .map(([name, value]) => [value, name.replace(/^FOLIO_(ERROR_)?/, '')]);
  assert.deepEqual(new Map(names), constants.statusNames);
});

test('words stand in the order of the header', () => {
  for (const [prefix, words] of [
    ['FOLIO_IDENTITY_', constants.identityKinds],
    ['FOLIO_SESSION_STATUS_', constants.sessionStatuses],
    ['FOLIO_SESSION_NOTICE_', constants.notices],
    ['FOLIO_SESSION_ACTION_', constants.sessionActions],
    ['FOLIO_AUTH_STATE_', constants.authTypes],
    ['FOLIO_CARRY_OVER_', constants.carryOverTypes],
    ['FOLIO_VAULT_ACTION_', constants.vaultActions],
    ['FOLIO_LOG_LEVEL_', constants.logLevels],
    ['FOLIO_ERROR_KIND_', constants.errorTypes],
  ]) {
    const native = values.filter(([name, value]) => name.startsWith(prefix) && value !== 0);
    assert.deepEqual(native.map(([name]) => name.slice(prefix.length)), words);
    assert.deepEqual(native.map(([, value]) => value), words.map((_, index) => index + 1));
  }
});

test('numbers this version does not know become UNKNOWN', () => {
  assert.equal(constants.word(0, constants.sessionStatuses), 'UNKNOWN');
  assert.equal(constants.word(99, constants.sessionStatuses), 'UNKNOWN');
});

test('every function of the header is declared', () => {
  const native = new Set([...header.matchAll(/^[\w ]+?\*?(folio_\w+)\(/gm)].map(([, name]) => name));
  const declared = new Set([...Object.keys(calls), ...Object.keys(facts), ...released.map((noun) => `folio_${noun}_release`)]);
  assert.deepEqual([...declared].sort(), [...native].sort());
});
