// Callbacks from the library: one trampoline a kind, registered once in this environment and never unregistered.
//
// The context is an id into a map; `destroy` deletes the entry, so what a listener needs lives exactly as long as the
// library may call it. Callbacks run only inside dispatch, on this thread. No exception crosses into native code, and
// nothing is returned to it.

import { lib } from './library.js';
import { text } from './native.js';

const entries = new Map();
let lastId = 0n;

/** Keeps an entry `{ run, ended }` until its `destroy`; the id is the context. */
export function register(entry) {
  lastId += 1n;
  entries.set(lastId, entry);
  return lastId;
}

/** Drops an entry whose registration was refused. */
export const forget = (id) => entries.delete(id);

/** How many callbacks the library may still call. */
export const count = () => entries.size;

/** Runs host code; what it throws is thrown again from a microtask, so that its neighbours still run. */
function guarded(body) {
  try {
    body();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

// Listeners never nest. One that seems to run when the next begins was torn out by the termination of its Worker, which
// runs no `finally` and does not stop native code: nothing more may run, or the Worker would not end.
let isRunning = false;

function trampoline(types, read) {
  return lib.registerCallback({ arguments: ['pointer', ...types], return: 'void' }, (context, ...values) => {
    if (isRunning) return;
    isRunning = true;
    const entry = entries.get(context);
    if (entry) guarded(() => entry.run(...read(values)));
    isRunning = false;
  });
}

export const onState = trampoline(['pointer'], (values) => values);
export const onCreated = trampoline(['pointer'], (values) => values);
export const onLog = trampoline(['int32', 'pointer'], ([level, line]) => [level, text(line)]);
export const onDestroy = lib.registerCallback({ arguments: ['pointer'], return: 'void' }, (context) => {
  const entry = entries.get(context);
  entries.delete(context);
  if (entry?.ended) guarded(entry.ended);
});
