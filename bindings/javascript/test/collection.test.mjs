// What the collector may take, how a process ends, and Workers. Each script runs in a process of its own.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { directory, run } from './support.mjs';

const ends = (name, source, expected, code = 0) => test(name, async (t) => {
  const result = await run(source, directory(t));
  assert.deepEqual(result, { code, signal: null, output: expected });
});

const collector = `
  import { setImmediate as turn } from 'node:timers/promises';
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc');
  const collect = async () => { for (let round = 0; round < 10; round += 1) { gc(); await turn(); } };
`;
const create = 'const sdk = await folio.FolioSdk.create({ dataDirectory: path });\n';
const mount = `${create}const store = folio.SessionStore.mount(sdk);\n`;

ends('a runtime that nothing refers to is not collected while an action is pending', `${collector}
  let weak;
  await (async () => {
    ${create}
    weak = new WeakRef(sdk);
    folio.SessionStore.mount(sdk).dispatch(folio.SessionAction.signOut);
  })();
  setImmediate(gc);
  process.on('exit', () => {
    const sdk = weak.deref();
    console.log(sdk?.pending, sdk?.sessionState.identity.type, sdk?.sessionState.signingOut);
  });
`, '0 TRANSIENT false\n');

ends('a live subscription keeps its store; collected wrappers release their handles and the directory', `${collector}
  await (async () => {
    ${create}
    (() => folio.AuthStore.mount(sdk).subscribe((state) => console.log(state.type)))();
    for (let count = 0; count < 1000; count += 1) {
      const store = folio.SessionStore.mount(sdk);
      store.states();
      void store.state;
    }
    await collect();
    folio.AuthStore.mount(sdk).dispatch(folio.AuthAction.signIn('not an address'));
    while (sdk.pending > 0) await turn();
    sdk.shutdown();
  })();
  await (async () => { ${create} })();
  let second;
  while (!second) {
    await collect();
    second = await folio.FolioSdk.create({ dataDirectory: path }).catch((error) => {
      if (error.code !== 'DIRECTORY_IN_USE') throw error;
    });
  }
  console.log('free');
`, 'FAILED\nfree\n');

test('a hundred thousand subscriptions, cancelled, leave no memory behind', async (t) => {
  const { code, output } = await run(`${collector}${mount}
    const cycle = async () => {
      for (let round = 0; round < 100; round += 1) {
        for (let count = 0; count < 1000; count += 1) store.subscribe(() => {})();
        gc();
        await turn();
      }
      return process.memoryUsage.rss();
    };
    const before = await cycle();
    console.log((await cycle()) - before);
  `, directory(t));
  assert.equal(code, 0, output);
  assert.ok(Number(output) < 16 * 2 ** 20, `grew by ${output} bytes`);
});

ends('a script hears the first state of a store before it ends', `${mount}
  store.subscribe((state) => console.log(state.status));
`, 'ACTIVE\n');
ends('process.exit under a live subscription and a pending action ends with its code', `${mount}
  store.subscribe(() => {});
  store.dispatch(folio.SessionAction.signOut);
  process.exit(3);
`, '', 3);
ends('process.exit inside a listener ends with its code', `${mount}
  store.subscribe(() => process.exit(4));
`, '', 4);
ends('a listener that throws, also an async one, reaches the process and never stops its neighbours', `
  process.on('uncaughtException', (error) => console.log('uncaught', error.message));
  process.on('unhandledRejection', (error) => console.log('unhandled', error.message));
  ${mount}
  store.subscribe(() => { throw new Error('thrown'); });
  store.subscribe(async () => { throw new Error('rejected'); });
  store.subscribe(() => console.log('neighbour'));
`, 'neighbour\nuncaught thrown\nunhandled rejected\n');

ends('main and a Worker run side by side on two directories, and shutting down frees the Worker\'s', `
  import { once } from 'node:events';
  import { Worker } from 'node:worker_threads';
  const sdk = await folio.FolioSdk.create({ dataDirectory: path + '/main' });
  const thread = new Worker(\`
    import { parentPort, workerData } from 'node:worker_threads';
    const folio = await import(workerData.index);
    const sdk = await folio.FolioSdk.create({ dataDirectory: workerData.path });
    const store = folio.SessionStore.mount(sdk);
    store.subscribe(({ status }) => parentPort.postMessage(status));
    parentPort.on('message', (order) => {
      if (order === 'signOut') store.dispatch(folio.SessionAction.signOut);
      else { sdk.shutdown(); parentPort.close(); }
    });
  \`, {
    eval: true,
    execArgv: ['--no-warnings', '--input-type=module'],
    workerData: { index: ${JSON.stringify(new URL('../src/index.js', import.meta.url).href)}, path: path + '/worker' },
  });
  const statuses = [];
  thread.on('message', (status) => statuses.push(status));
  await once(thread, 'message');
  folio.SessionStore.mount(sdk).dispatch(folio.SessionAction.signOut);
  thread.postMessage('signOut');
  while (statuses.length < 5) await once(thread, 'message');
  thread.postMessage('shutdown');
  await once(thread, 'exit');
  const second = await folio.FolioSdk.create({ dataDirectory: path + '/worker' });
  console.log(statuses.join(' '), second.sessionState.status, sdk.sessionState.status);
`, 'ACTIVE ACTIVE DEACTIVATING DEVICE ACTIVE ACTIVE ACTIVE\n');
