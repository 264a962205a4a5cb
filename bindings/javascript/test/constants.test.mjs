import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as constants from '../src/constants.js';
import { calls, facts, functions, released } from '../src/library.js';
import { root } from './support.mjs';

const header = readFileSync(`${root}include/folio.h`, 'utf8').replaceAll(/\/\*[^]*?\*\//g, '');
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

test('the prototypes are those of the header', () => {
  const letter = (parameter) => {
    if (/^const char \*\w+$/.test(parameter)) return 's';
    if (/_callback_t \w+$/.test(parameter)) return 'c';
    if (/^(const )?folio_\w+_t \*\w+$/.test(parameter)) return 'h';
    if (/^(int32_t|folio_status_t) \w+$/.test(parameter)) return 'i';
    if (/^int64_t \w+$/.test(parameter)) return 'l';
    if (/^size_t \w+$/.test(parameter)) return 'z';
    return 'p';
  };
  const result = (type) => ({ int32_t: 'int32', folio_status_t: 'int32', int64_t: 'int64', size_t: 'uint64' })[type] ?? 'pointer';
  const declared = [...header.matchAll(/^((?:const )?\w+ \*?)(folio_\w+)\(([^;]*)\);/gm)].map(([, type, name, list]) => {
    const parameters = list.replaceAll(/\s+/g, ' ').split(', ').filter((parameter) => parameter !== 'void');
    return { type: type.trim(), name, parameters };
  });
  const names = Object.keys(functions).sort();
  assert.deepEqual(names, declared.map(({ name }) => name).sort());
  for (const { type, name, parameters } of declared) {
    if (name.endsWith('_release')) {
      assert.ok(released.includes(name.slice('folio_'.length, -'_release'.length)), name);
    } else if (name in calls) {
      assert.equal(type, 'folio_status_t', name);
      assert.equal(parameters.at(-1), 'folio_error_t **error', name);
      const expected = parameters.slice(0, -1).map(letter).join('');
      // A cursor that may be NULL is passed as bytes.
      assert.equal(calls[name], name === 'folio_vault_store_list' ? expected.replace('hss', 'hsp') : expected, name);
    } else {
      assert.deepEqual(facts[name], [result(type), parameters.map(letter).join('')], name);
    }
  }
});
