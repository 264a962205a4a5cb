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

/**
 * Holds the process while something is awaited that does not: the runner's process has nothing else alive. The watchdog
 * only ends a hang.
 */
export async function held(promise) {
  let watchdog;
  const hang = new Promise((_, reject) => {
    watchdog = setTimeout(() => reject(new Error('what was awaited did not come within a minute')), 60_000);
  });
  try {
    return await Promise.race([promise, hang]);
  } finally {
    clearTimeout(watchdog);
  }
}

export function until(store, condition) {
  return held((async () => {
    for await (const state of store.states()) if (condition(state)) return state;
    throw new Error('the store was closed');
  })());
}

/** Resolves when a condition holds that only a dispatch can bring about. */
export async function pumped(sdk, condition) {
  while (!condition()) await held(sdk.pump.changed());
}

/** Resolves when every action has delivered its last state. */
export const settled = (sdk) => pumped(sdk, () => sdk.pending === 0);

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

/** Runs a module in a process of its own, two minutes at most; resolves with its exit code and output. */
export function run(source, ...values) {
  const index = JSON.stringify(new URL('../src/index.js', import.meta.url).href);
  const script = `import * as folio from ${index};\nconst [, path] = process.argv;\n${source}`;
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script, ...values], { timeout: 120_000 });
  let output = '';
  child.stdout.on('data', (data) => { output += data; });
  child.stderr.on('data', (data) => { output += data; });
  return new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal, output })));
}
