// How a script and a Worker end. A script that does not end by itself is killed, which fails its test.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { SessionAction } from '../src/index.js';
import { Driver, directory, held, run, settled } from './support.mjs';

const ends = (name, source, expected = '') => test(name, async (t) => {
  const { code, signal, output } = await run(source, directory(t));
  assert.deepEqual({ code, signal, output }, { code: 0, signal: null, output: expected });
});

const create = 'const sdk = await folio.FolioSdk.create({ dataDirectory: path });\n';
const mount = `${create}const store = folio.SessionStore.mount(sdk);\n`;

ends('a script that only creates a runtime ends', create);
ends('an awaited create finishes with nothing else alive', `${create}console.log(sdk.sessionState.status);`, 'ACTIVE\n');
ends('a last dispatch still finishes', `${mount}
  store.subscribe(({ status }) => console.log(status));
  store.dispatch(folio.SessionAction.signOut);
`, 'ACTIVE\nACTIVE\nDEACTIVATING\nDEVICE\nACTIVE\n');
ends('a live subscription does not hold the script', `${mount}store.subscribe(() => {});`);
ends('process.exit under a live subscription is clean', `${mount}
  store.subscribe(() => process.exit(0));
  store.dispatch(folio.SessionAction.signOut);
`);
ends('a dispatch in an exit hook does not abort', `${mount}
  process.on('exit', () => store.dispatch(folio.SessionAction.signOut));
`);
ends('a call after shutdown in an exit hook is a typed error', `${mount}
  sdk.shutdown();
  process.on('exit', () => {
    try { store.dispatch(folio.SessionAction.signOut); } catch (error) { console.log(error.code); }
  });
`, 'SHUT_DOWN\n');

test('a Worker terminated under a live subscription leaves this environment working', async (t) => {
  const driver = await Driver.create(t);
  const path = directory(t);
  for (let round = 0; round < 6; round += 1) {
    const worker = new Worker(`
      import { parentPort, workerData } from 'node:worker_threads';
      const folio = await import(workerData.index);
      const sdk = await folio.FolioSdk.create({ dataDirectory: workerData.path });
      const store = folio.SessionStore.mount(sdk);
      store.subscribe(({ status }) => {
        parentPort.postMessage(status);
        // Every other one is terminated inside its listener.
        while (${round % 2 === 1}) {}
      });
      setInterval(() => store.dispatch(folio.SessionAction.signOut), 1);
    `, {
      eval: true,
      execArgv: ['--no-warnings', '--input-type=module'],
      workerData: { index: new URL('../src/index.js', import.meta.url).href, path: `${path}/${round}` },
    });
    await held(new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    }));
    await worker.terminate();
    driver.session.dispatch(SessionAction.signOut);
    await settled(driver.sdk);
    assert.equal(driver.session.state.status, 'ACTIVE');
  }
});
