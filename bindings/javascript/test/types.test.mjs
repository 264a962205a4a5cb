// The declarations fit the way a program uses them, and name what the package exports.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as folio from '../src/index.js';

const project = fileURLToPath(new URL('../types/tsconfig.json', import.meta.url));
const skip = spawnSync('tsc', ['--version']).error ? 'the TypeScript compiler, tsc, is not on PATH' : false;

test('a program in TypeScript compiles, strictly', { skip }, () => {
  const { status, stdout } = spawnSync('tsc', ['--project', project], { encoding: 'utf8' });
  assert.deepEqual({ status, stdout }, { status: 0, stdout: '' });
});

test('the declared values are those that are exported', () => {
  const declarations = readFileSync(new URL('../src/index.d.ts', import.meta.url), 'utf8');
  const declared = [...declarations.matchAll(/^export (?:class|const) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(declared.sort(), Object.keys(folio).sort());
});
