// Uses the declarations the way a program does; test/types.test.mjs lets the TypeScript compiler read it. It is never run.

import {
  AuthAction, AuthError, AuthStore, CoreError, FolioSdk, SessionAction, SessionNoticeReason, SessionStartError,
  SessionStatus, SessionStore, StoreError, VaultAction, VaultError, VaultStore,
  type AuthState, type EmbeddedService, type Message, type SessionState, type VaultConflict, type VaultState,
} from '@folio/sdk';

export async function use(): Promise<void> {
  const sdk: FolioSdk = await FolioSdk.create({ dataDirectory: '/data', storageKey: new Uint8Array(32), timeout: 1_000 });
  const removeLog: () => void = sdk.subscribeLog((level, line) => console.log(level.length + line.length));
  const session = SessionStore.mount(sdk);
  const remove: () => void = session.subscribe((state: SessionState) => {
    if (state.identity.type === 'AUTHENTICATED') console.log(state.identity.value.email.length);
    // @ts-expect-error A guest has no e-mail address.
    if (state.identity.type === 'TRANSIENT') console.log(state.identity.value.email);
    if (state.status === SessionStatus.ACTIVE && state.notice === SessionNoticeReason.sessionEnded) {
      session.dispatch(SessionAction.dismissNotice);
    }
    // @ts-expect-error States are read-only.
    state.signingOut = false;
  });
  session.dispatch(SessionAction.signOut);
  // @ts-expect-error This is no action of the session store.
  session.dispatch(VaultAction.retryCarryOver);
  for await (const state of session.states()) if (state.error?.type === 'NETWORK') break;

  const auth = AuthStore.mount(sdk);
  const state: AuthState = auth.state;
  if (state.type === 'AWAITING_CODE') console.log(state.value.expiresAt.getTime() + state.value.triesLeft);
  if (state.type === 'FAILED') console.log(state.value.error.retryAfter);
  for (const action of [AuthAction.signIn('a@b.c'), AuthAction.submitCode('1'), AuthAction.resendCode, AuthAction.cancel]) {
    auth.dispatch(action);
  }
  // @ts-expect-error Actions with a text are functions.
  auth.dispatch(AuthAction.signIn);

  const vault = VaultStore.mount(sdk);
  const { carryOver, recordCount }: VaultState = vault.state;
  console.log(carryOver.moved + recordCount);
  vault.put('key', new TextEncoder().encode('value'));
  // @ts-expect-error A value is bytes.
  vault.put('key', 'value');
  const value: Uint8Array | null = vault.get('key');
  vault.putMany(new Map([['key', new Uint8Array()]]));
  vault.putMany({ key: new Uint8Array() });
  for (const [key, bytes] of vault) console.log(key.length + bytes.byteLength + vault.count('prefix'));
  for (const key of vault.keys('prefix')) vault.delete(key);
  const length: number = vault.transaction((transaction) => transaction.get('key')?.byteLength ?? 0);
  const later: Promise<boolean> = vault.transaction(async (transaction) => transaction.delete('key'));
  const conflict: VaultConflict | undefined = [...vault.conflicts()][0];
  if (conflict) vault.keepConflict(conflict);
  vault.dispatch(VaultAction.retryCarryOver);

  const service: EmbeddedService = sdk.embeddedService;
  const message: Message | null = service.nextMessage();
  service.setReachable(false);
  console.log(value, length, await later, message?.code);

  const errors = [CoreError, StoreError, VaultError, SessionStartError, AuthError];
  console.log(errors.some((type) => new Error() instanceof type));
  // @ts-expect-error The data directory is required.
  await FolioSdk.create({});
  // @ts-expect-error A runtime is made by create.
  new FolioSdk();
  remove();
  removeLog();
  sdk.shutdown();
}
