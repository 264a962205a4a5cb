// What the tests share: a runtime on a fresh directory, and waiting for states.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AuthAction, AuthStore, FolioSdk, SessionStore, VaultStore } from '../src/index.js';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

export function directory(t) {
  const path = mkdtempSync(join(tmpdir(), 'folio-js-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Holds the process while something is awaited that does not: the runner's process has nothing else alive. */
export async function held(promise) {
  const hold = setInterval(() => {}, 2 ** 30);
  try {
    return await promise;
  } finally {
    clearInterval(hold);
  }
}

export function until(store, condition) {
  return held((async () => {
    for await (const state of store.states()) if (condition(state)) return state;
    throw new Error('the store was closed');
  })());
}

/** Resolves when every action has delivered its last state. */
export async function settled(sdk) {
  while (sdk.pending > 0) await held(sdk.pump.changed());
}

export class Driver {
  static async create(t, path = directory(t), options = {}) {
    const driver = new Driver();
    driver.sdk = await FolioSdk.create({ dataDirectory: path, ...options });
    driver.session = SessionStore.mount(driver.sdk);
    driver.auth = AuthStore.mount(driver.sdk);
    driver.vault = VaultStore.mount(driver.sdk);
    driver.service = driver.sdk.embeddedService;
    t.after(() => driver.sdk.shutdown());
    await until(driver.session, (state) => state.deviceId !== null);
    return driver;
  }

  async signIn(email = 'ana@example.com') {
    this.auth.dispatch(AuthAction.signIn(email));
    await settled(this.sdk);
    this.auth.dispatch(AuthAction.submitCode(this.service.nextMessage().code));
    await settled(this.sdk);
  }
}

/** Runs a module in a process of its own; resolves with its exit code and output. */
export function run(source, ...values) {
  const index = JSON.stringify(new URL('../src/index.js', import.meta.url).href);
  const script = `import * as folio from ${index};\nconst [, path] = process.argv;\n${source}`;
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script, ...values]);
  let output = '';
  child.stdout.on('data', (data) => { output += data; });
  child.stderr.on('data', (data) => { output += data; });
  return new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal, output })));
}
