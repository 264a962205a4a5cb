// Loads libfolio and declares the functions of its header, include/folio.h.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dlopen } from 'node:ffi';

// One letter a parameter: h handle, s string, i int32, l int64, z size, p pointer or bytes, c callback.
const parameters = { h: 'pointer', s: 'string', i: 'int32', l: 'int64', z: 'uint64', p: 'pointer', c: 'pointer' };

/** Functions that return a status and take a place for an error last. */
export const calls = {
  folio_config_create: 'p',
  folio_config_set_data_directory: 'hs',
  folio_config_set_storage_key: 'hpz',
  folio_config_set_timeout_ms: 'hi',
  folio_config_set_embedded_token_life: 'hl',
  folio_sdk_create: 'hp',
  folio_sdk_create_async: 'hcpcp',
  folio_sdk_open_event_fd: 'hp',
  folio_sdk_dispatch_events: 'hip',
  folio_sdk_wait_events: 'hip',
  folio_sdk_renew: 'h',
  folio_sdk_shutdown: 'h',
  folio_sdk_copy_session_state: 'hp',
  folio_sdk_subscribe_log: 'hcpcp',
  folio_sdk_get_embedded_service: 'hp',
  folio_session_store_dispatch: 'hi',
  folio_auth_store_dispatch_sign_in: 'hs',
  folio_auth_store_dispatch_submit_code: 'hs',
  folio_auth_store_dispatch_resend_code: 'h',
  folio_auth_store_dispatch_cancel: 'h',
  folio_vault_store_dispatch: 'hi',
  folio_vault_store_put: 'hspz',
  folio_vault_store_get: 'hsp',
  folio_vault_store_delete: 'hsp',
  folio_vault_store_put_many: 'hpppz',
  folio_vault_store_count: 'hsp',
  folio_vault_store_list: 'hspip',
  folio_vault_store_list_conflicts: 'hlp',
  folio_vault_store_get_conflict: 'hlp',
  folio_vault_store_keep_conflict: 'hl',
  folio_vault_store_drop_conflict: 'hl',
  folio_vault_transaction_begin: 'hp',
  folio_vault_transaction_put: 'hspz',
  folio_vault_transaction_get: 'hsp',
  folio_vault_transaction_delete: 'hsp',
  folio_vault_transaction_commit: 'h',
  folio_subscription_next: 'hp',
  folio_subscription_cancel: 'h',
  folio_service_next_message: 'hp',
  folio_service_end_sessions: 'hs',
  folio_service_delete_account: 'hs',
  folio_service_set_reachable: 'hi',
  folio_service_set_guest_account: 'hs',
  folio_service_close: 'h',
};
for (const store of ['session', 'auth', 'vault']) {
  calls[`folio_${store}_store_mount`] = 'hp';
  calls[`folio_${store}_store_get_state`] = 'hp';
  calls[`folio_${store}_store_subscribe`] = 'hcpcp';
  calls[`folio_${store}_store_close`] = 'h';
}

/** Functions that return a fact and cannot fail, as result and parameters. */
export const facts = {
  folio_version_string: ['pointer', ''],
  folio_abi_version: ['int32', ''],
  folio_status_get_name: ['pointer', 'i'],
  folio_error_get_code: ['int32', 'h'],
  folio_error_get_kind: ['int32', 'h'],
  folio_error_get_http_status: ['int32', 'h'],
  folio_error_get_service_code: ['pointer', 'h'],
  folio_error_get_message: ['pointer', 'h'],
  folio_error_get_retry_after_ms: ['int64', 'h'],
  folio_sdk_get_pending: ['int32', 'h'],
  folio_session_state_get_identity_kind: ['int32', 'h'],
  folio_session_state_get_user_id: ['pointer', 'h'],
  folio_session_state_get_email: ['pointer', 'h'],
  folio_session_state_get_status: ['int32', 'h'],
  folio_session_state_get_notice: ['int32', 'h'],
  folio_session_state_get_device_id: ['pointer', 'h'],
  folio_session_state_get_signing_out: ['int32', 'h'],
  folio_auth_state_get_type: ['int32', 'h'],
  folio_auth_state_get_email: ['pointer', 'h'],
  folio_auth_state_get_expires_in_ms: ['int64', 'h'],
  folio_auth_state_get_resend_in_ms: ['int64', 'h'],
  folio_auth_state_get_tries_left: ['int32', 'h'],
  folio_vault_state_get_running: ['int32', 'h'],
  folio_vault_state_get_user_id: ['pointer', 'h'],
  folio_vault_state_get_record_count: ['int64', 'h'],
  folio_vault_state_get_bytes: ['int64', 'h'],
  folio_vault_state_get_conflict_count: ['int64', 'h'],
  folio_vault_state_get_carry_over: ['int32', 'h'],
  folio_vault_state_get_moved: ['int64', 'h'],
  folio_vault_state_get_total: ['int64', 'h'],
  folio_vault_state_get_retrying: ['int32', 'h'],
  folio_vault_value_get_data: ['pointer', 'h'],
  folio_vault_value_get_length: ['uint64', 'h'],
  folio_vault_value_get_modified_at: ['int64', 'h'],
  folio_vault_page_get_count: ['int32', 'h'],
  folio_vault_page_get_key: ['pointer', 'hi'],
  folio_vault_page_get_length: ['int64', 'hi'],
  folio_vault_page_get_modified_at: ['int64', 'hi'],
  folio_vault_conflicts_get_count: ['int32', 'h'],
  folio_vault_conflicts_get_id: ['int64', 'hi'],
  folio_vault_conflicts_get_key: ['pointer', 'hi'],
  folio_vault_conflicts_get_modified_at: ['int64', 'hi'],
  folio_message_get_email: ['pointer', 'h'],
  folio_message_get_code: ['pointer', 'h'],
};
for (const state of ['session', 'auth', 'vault']) {
  facts[`folio_${state}_state_copy_error`] = ['pointer', 'h'];
  facts[`folio_${state}_state_retain`] = ['pointer', 'h'];
}

/** What has a `folio_…_release`. */
export const released = [
  'error', 'config', 'sdk', 'session_store', 'session_state', 'auth_store', 'auth_state', 'vault_store', 'vault_state',
  'vault_value', 'vault_page', 'vault_conflicts', 'vault_transaction', 'subscription', 'service', 'message',
];

function load() {
  const types = (letters) => [...letters].map((letter) => parameters[letter]);
  const signatures = {};
  for (const [name, letters] of Object.entries(calls)) {
    signatures[name] = { arguments: [...types(letters), 'pointer'], return: 'int32' };
  }
  for (const [name, [result, letters]] of Object.entries(facts)) {
    signatures[name] = { arguments: types(letters), return: result };
  }
  for (const noun of released) signatures[`folio_${noun}_release`] = { arguments: ['pointer'], return: 'void' };

  const beside = ['./libfolio.so', '../../../build/libfolio.so']
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .filter(existsSync);
  const candidates = process.env.FOLIO_LIBRARY ? [process.env.FOLIO_LIBRARY] : [...beside, 'libfolio.so.0'];
  const problems = [];
  for (const candidate of candidates) {
    try {
      return dlopen(candidate, signatures);
    } catch (problem) {
      problems.push(problem.message);
    }
  }
  throw new Error('libfolio was not found; install it, or name it in the environment variable FOLIO_LIBRARY '
    + `(${problems.join('; ')})`);
}

export const { lib, functions } = load();
