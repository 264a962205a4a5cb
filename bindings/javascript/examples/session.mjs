// The life of a session on the embedded service: guest, sign-in, restart, an ended session, sign-out, offline.
// Run with the library built (make lib). The script ends by itself.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AuthAction, AuthStore, FolioSdk, SessionAction, SessionStore, VaultStore } from '../src/index.js';

const directory = mkdtempSync(join(tmpdir(), 'folio-example-'));

function showSession({ identity, status, notice, signingOut, error }) {
  const who = identity.value?.email ?? identity.value?.userId.slice(0, 8) ?? '';
  console.log('  session:', ...[identity.type, who, status, notice, signingOut && 'signing out', error?.type].filter(Boolean));
}

function showVault({ recordCount, carryOver }) {
  const moved = carryOver.total ? `${carryOver.moved} of ${carryOver.total} records` : '';
  console.log('  vault:  ', `${recordCount} records, carry-over ${carryOver.type}`, moved);
}

/** Resolves with the first state, from the current one on, that fulfils the condition. */
async function until(store, condition) {
  // Only actions hold the process; what comes by itself, such as a carry-over, needs something that does.
  const hold = setInterval(() => {}, 2 ** 30);
  try {
    for await (const state of store.states()) if (condition(state)) return state;
    throw new Error('the store was closed');
  } finally {
    clearInterval(hold);
  }
}

async function start() {
  const sdk = await FolioSdk.create({ dataDirectory: directory });
  const [session, auth, vault] = [SessionStore.mount(sdk), AuthStore.mount(sdk), VaultStore.mount(sdk)];
  session.subscribe(showSession);
  auth.subscribe((state) => console.log('  auth:   ', state.type));
  vault.subscribe(showVault);
  await until(session, (state) => state.status === 'ACTIVE');
  return { sdk, session, auth, vault };
}

console.log('Start as a guest and keep some records');
let { sdk, session, auth, vault } = await start();
const note = new TextEncoder().encode('written as a guest');
vault.putMany(Array.from({ length: 20_000 }, (_, number) => [`note ${String(number).padStart(5, '0')}`, note]));

console.log('Sign in with the code from the outbox; the records are carried over');
auth.dispatch(AuthAction.signIn('ana@example.com'));
await until(auth, (state) => state.type === 'AWAITING_CODE');
const message = sdk.embeddedService.nextMessage();
console.log('  message:', message.email, message.code);
auth.dispatch(AuthAction.submitCode(message.code));
await until(session, (state) => state.identity.type === 'AUTHENTICATED' && state.status === 'ACTIVE');
await until(vault, (state) => state.carryOver.type === 'FINISHED');
console.log('  the account has', vault.count(), 'records');

console.log('Restart and find the account again');
sdk.shutdown();
({ sdk, session, auth, vault } = await start());
console.log('  a record says:', new TextDecoder().decode(vault.get('note 00007')));

console.log('The service ends the session');
const service = sdk.embeddedService;
service.endSessions(session.state.identity.value.userId);
sdk.renew();
await until(session, (state) => state.notice && state.status === 'ACTIVE');
session.dispatch(SessionAction.dismissNotice);
await until(session, (state) => !state.notice);

console.log('Sign out');
session.dispatch(SessionAction.signOut);
await until(session, (state) => state.signingOut);
await until(session, (state) => !state.signingOut);

console.log('Sign out offline: signed out, and no guest until the service can be reached');
service.setReachable(false);
session.dispatch(SessionAction.signOut);
await until(session, (state) => state.error);
service.setReachable(true);
session.dispatch(SessionAction.signOut);
await until(session, (state) => state.status === 'ACTIVE');
sdk.shutdown();
rmSync(directory, { recursive: true });
