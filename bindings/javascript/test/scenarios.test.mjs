// Replays Tests/scenarios; their README describes the format.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { AuthAction, AuthStore, FolioSdk, SessionAction, SessionStore, VaultAction, VaultStore } from '../src/index.js';
import { directory, pumped, root } from './support.mjs';

const files = readdirSync(`${root}Tests/scenarios`).filter((name) => name.endsWith('.json')).sort();
const decode = (value) => value && new TextDecoder().decode(value);
const encode = (value) => new TextEncoder().encode(value);

const stores = {
  session: [SessionStore, ({ identity, error, ...rest }) => ({
    identity: identity.type, userId: identity.value?.userId ?? null, email: identity.value?.email ?? null,
    error: error?.type ?? null, ...rest,
  })],
  auth: [AuthStore, ({ type, value }) => ({
    type, email: value?.email ?? null, triesLeft: value?.triesLeft ?? 0, error: value?.error?.type ?? null,
  })],
  vault: [VaultStore, ({ carryOver, ...rest }) => ({
    ...rest, carryOver: carryOver.type, moved: carryOver.moved, total: carryOver.total,
  })],
};

class Replay {
  stores = {};
  records = {};
  names = new Map();

  constructor(path) {
    this.path = path;
  }

  matches(expected, facts) {
    const names = new Map(this.names);
    for (const [field, wanted] of Object.entries(expected)) {
      let value = wanted;
      if (typeof wanted === 'string' && wanted.startsWith('$')) {
        if (!names.has(wanted)) {
          if (facts[field] === null || [...names.values()].includes(facts[field])) return false;
          names.set(wanted, facts[field]);
        }
        value = names.get(wanted);
      }
      if (value !== facts[field]) return false;
    }
    this.names = names;
    return true;
  }

  pump(condition) {
    return pumped(this.sdk, condition);
  }

  /** No action is pending, and what was queued before has been delivered. */
  async settle() {
    await this.pump(() => this.sdk.pending === 0);
    const probe = SessionStore.mount(this.sdk);
    let isRead = false;
    probe.subscribe(() => { isRead = true; });
    await this.pump(() => isRead);
    probe.close();
  }

  do = {
    create: async ({ error }) => {
      if (error) return assert.rejects(FolioSdk.create({ dataDirectory: this.path }), { type: error });
      this.sdk = await FolioSdk.create({ dataDirectory: this.path });
      this.service ??= this.sdk.embeddedService;
      return undefined;
    },
    shutdown: () => {
      for (const store of Object.values(this.stores)) store.close();
      this.stores = {};
      this.records = {};
      this.sdk.shutdown();
    },
    mount: ({ store }) => {
      const [Type, facts] = stores[store];
      const record = [];
      this.records[store] = record;
      this.stores[store] = Type.mount(this.sdk);
      this.stores[store].subscribe((state) => record.push(facts(state)));
    },
    settle: () => this.settle(),
    signIn: ({ email }) => this.stores.auth.dispatch(AuthAction.signIn(email)),
    submitCode: ({ code, form }) => {
      let text = code;
      if (code === '$code') text = this.code;
      if (code === 'wrong') text = String((Number(this.code) + 1) % 1_000_000).padStart(6, '0');
      if (form === 'SPACED') text = ` ${text.slice(0, 3)} ${text.slice(3)}\n`;
      if (form === 'FULL_WIDTH') text = String.fromCharCode(...[...text].map((digit) => 0xff10 + Number(digit)));
      this.stores.auth.dispatch(AuthAction.submitCode(text));
    },
    resendCode: () => this.stores.auth.dispatch(AuthAction.resendCode),
    cancel: () => this.stores.auth.dispatch(AuthAction.cancel),
    signOut: () => this.stores.session.dispatch(SessionAction.signOut),
    dismissNotice: () => this.stores.session.dispatch(SessionAction.dismissNotice),
    retryCarryOver: () => this.stores.vault.dispatch(VaultAction.retryCarryOver),
    renew: () => this.sdk.renew(),
    takeMessage: ({ email }) => {
      const message = this.service.nextMessage();
      assert.equal(message.email, email);
      this.code = message.code;
    },
    endSessions: ({ user }) => this.service.endSessions(this.names.get(user)),
    deleteAccount: ({ user }) => this.service.deleteAccount(this.names.get(user)),
    setReachable: ({ reachable }) => this.service.setReachable(reachable),
    setGuestAccount: ({ email }) => this.service.setGuestAccount(email),
    put: ({ key, value, error }) => {
      const put = () => this.stores.vault.put(key, encode(value));
      if (error) assert.throws(put, { code: error });
      else put();
    },
    putMany: ({ records }) => {
      this.stores.vault.putMany(Object.entries(records).map(([key, value]) => [key, encode(value)]));
    },
    putNumbered: ({ prefix, count }) => {
      const keys = Array.from({ length: count }, (_, index) => prefix + String(index + 1).padStart(7, '0'));
      for (let start = 0; start < count; start += 1_000) {
        this.stores.vault.putMany(keys.slice(start, start + 1_000).map((key) => [key, encode(key)]));
      }
    },
    delete: ({ key, deleted }) => assert.equal(this.stores.vault.delete(key), deleted),
    keepConflict: () => this.stores.vault.keepConflict(this.stores.vault.conflicts().next().value),
    dropConflict: () => this.stores.vault.dropConflict(this.stores.vault.conflicts().next().value),
  };

  async expect(step) {
    const { vault } = this.stores;
    switch (step.expect) {
      case 'nothing':
        await this.settle();
        return assert.deepEqual(this.records[step.store], []);
      case 'get': return assert.equal(decode(vault.get(step.key)), step.value);
      case 'count': return assert.equal(vault.count(step.prefix), step.count);
      case 'keys': return assert.deepEqual([...vault.keys(step.prefix)], step.keys);
      case 'conflicts': return assert.deepEqual([...vault.conflicts()].map(({ key }) => key), step.keys);
      default: {
        const record = this.records[step.expect];
        await this.pump(() => record.length >= step.states.length);
        for (const expected of step.states) {
          const facts = record.shift();
          assert.ok(this.matches(expected, facts), `${JSON.stringify(facts)} is not ${JSON.stringify(expected)}`);
        }
        return undefined;
      }
    }
  }

  async eventually({ eventually, state }) {
    const record = this.records[eventually];
    await this.pump(() => {
      while (record.length > 0) if (this.matches(state, record.shift())) return true;
      return false;
    });
  }

  async run(step) {
    if (step.do) await this.do[step.do](step);
    else if (step.expect) await this.expect(step);
    else await this.eventually(step);
  }
}

for (const file of files) {
  test(file.replace('.json', ''), async (t) => {
    const replay = new Replay(`${directory(t)}/data`);
    t.after(() => replay.sdk?.shutdown());
    const { steps } = JSON.parse(readFileSync(`${root}Tests/scenarios/${file}`, 'utf8'));
    for (const step of steps) await replay.run(step);
  });
}
