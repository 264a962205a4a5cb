// The pump of one runtime: a socket on its event descriptor, dispatched in this environment's event loop.

import { Socket } from 'node:net';
import { functions } from './library.js';
import { call } from './native.js';

export class Pump {
  #socket;
  #waiters = new Set();
  #owner;
  #kept;
  isOver = false;

  constructor(handle) {
    this.handle = handle;
    const fd = new Int32Array(1);
    call('folio_sdk_open_event_fd', handle, fd);
    this.#socket = new Socket({ fd: fd[0], readable: true, writable: false });
    this.#socket.on('data', () => this.#dispatch());
    // After shutdown the descriptor is at its end.
    this.#socket.on('close', () => this.end());
    this.#socket.on('error', () => this.end());
    this.touch();
  }

  get pending() {
    return functions.folio_sdk_get_pending(this.handle);
  }

  /** Holds the event loop while something is pending, and only then. To be called after each call that may change it. */
  touch() {
    if (this.isOver) return;
    if (this.pending > 0) {
      // A runtime that is collected is released, which would cut off what is pending.
      this.#kept = this.#owner?.deref();
      this.#socket.ref();
    } else {
      this.#kept = null;
      this.#socket.unref();
    }
  }

  /** Names the runtime that this pump serves; it is kept from collection only while something is pending. */
  serve(sdk) {
    this.#owner = new WeakRef(sdk);
    this.touch();
  }

  #dispatch() {
    try {
      call('folio_sdk_dispatch_events', this.handle, 0, new Int32Array(1));
    } catch (error) {
      if (error.code !== 'SHUT_DOWN') throw error;
    } finally {
      this.touch();
      this.wake();
    }
  }

  /** Resolves after the next dispatch, close or end. */
  changed() {
    return new Promise((resolve) => this.#waiters.add(resolve));
  }

  wake() {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const resolve of waiters) resolve();
  }

  end() {
    if (this.isOver) return;
    this.isOver = true;
    this.#kept = null;
    // Closes the descriptor.
    this.#socket.destroy();
    this.wake();
  }
}
