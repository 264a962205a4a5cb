public import CFolio
import Folio
import FolioModel

extension VaultStore: Handled {
    static let kind = HandleKind.vaultStore
}

@implementation @_cdecl("folio_vault_store_mount")
public func folio_vault_store_mount(
    _ sdk: OpaquePointer?, _ store: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    give(store, named: "store", error) { () throws(FolioError) in
        try VaultStore.mount(require(sdk, FolioSdk.self))
    }
}

@implementation @_cdecl("folio_vault_store_get_state")
public func folio_vault_store_get_state(
    _ store: OpaquePointer?, _ state: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    give(state, named: "state", error) { () throws(FolioError) in
        VaultStateBox(try require(store, VaultStore.self).state)
    }
}

@implementation @_cdecl("folio_vault_store_subscribe")
public func folio_vault_store_subscribe(
    _ store: OpaquePointer?, _ callback: folio_vault_state_callback_t?, _ context: UnsafeMutableRawPointer?,
    _ destroy: folio_destroy_callback_t?, _ subscription: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    subscribe(
        store, VaultStore.self, StateListener(callback: callback, context: HostContext(context, destroy)), subscription,
        error, box: VaultStateBox.init
    ) { (store, listener, inboxEnd) throws(FolioError) in
        try store.subscribe(listener, inboxEnd: inboxEnd)
    }
}

@implementation @_cdecl("folio_vault_store_dispatch")
public func folio_vault_store_dispatch(
    _ store: OpaquePointer?, _ action: Int32, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    perform(error) { () throws(FolioError) in
        let store = try require(store, VaultStore.self)
        guard let action = VaultAction(rawValue: action) else {
            throw .invalidArgument("action is \(action); pass one of FOLIO_VAULT_ACTION_….")
        }
        try store.dispatch(action)
    }
}

@implementation @_cdecl("folio_vault_store_close")
public func folio_vault_store_close(
    _ store: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    perform(error) { () throws(FolioError) in
        try require(store, VaultStore.self).close()
    }
}

@implementation @_cdecl("folio_vault_store_release")
public func folio_vault_store_release(_ store: OpaquePointer?) {
    release(store, VaultStore.self)
}

@implementation @_cdecl("folio_vault_store_put")
public func folio_vault_store_put(
    _ store: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value: UnsafePointer<UInt8>?, _ length: Int,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    perform(error) { () throws(FolioError) in
        try require(store, VaultStore.self).put(
            text(key, named: "key"), bytes(value, length, named: "value"))
    }
}

@implementation @_cdecl("folio_vault_store_get")
public func folio_vault_store_get(
    _ store: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    give(value, named: "value", error) { () throws(FolioError) in
        try require(store, VaultStore.self).get(text(key, named: "key")).map(VaultValueBox.init)
    }
}

@implementation @_cdecl("folio_vault_store_delete")
public func folio_vault_store_delete(
    _ store: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ deleted: UnsafeMutablePointer<Int32>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    giveNumber(deleted, error) { () throws(FolioError) in
        try require(store, VaultStore.self).delete(text(key, named: "key")) ? 1 : 0
    }
}

@implementation @_cdecl("folio_vault_store_put_many")
public func folio_vault_store_put_many(
    _ store: OpaquePointer?, _ keys: UnsafePointer<UnsafePointer<CChar>?>?,
    _ values: UnsafePointer<UnsafePointer<UInt8>?>?, _ lengths: UnsafePointer<Int>?, _ count: Int,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    perform(error) { () throws(FolioError) in
        let store = try require(store, VaultStore.self)
        guard count >= 1, let keys, let values, let lengths else {
            throw .invalidArgument("count is 0 or a list is NULL; pass one record or more with keys, values and lengths.")
        }
        var records: [(key: String, value: UnsafeRawBufferPointer)] = []
        for index in 0..<count {
            records.append((
                try text(keys[index], named: "keys[\(index)]"),
                try bytes(values[index], lengths[index], named: "values[\(index)]")))
        }
        try store.putMany(records)
    }
}

@implementation @_cdecl("folio_vault_store_count")
public func folio_vault_store_count(
    _ store: OpaquePointer?, _ prefix: UnsafePointer<CChar>?, _ count: UnsafeMutablePointer<Int64>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    giveNumber(count, error) { () throws(FolioError) in
        guard count != nil else { throw missing("count") }
        return try require(store, VaultStore.self).count(prefix: optionalText(prefix, named: "prefix") ?? "")
    }
}

@implementation @_cdecl("folio_vault_store_list")
public func folio_vault_store_list(
    _ store: OpaquePointer?, _ prefix: UnsafePointer<CChar>?, _ after: UnsafePointer<CChar>?, _ limit: Int32,
    _ page: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    give(page, named: "page", error) { () throws(FolioError) in
        VaultPageBox(
            try require(store, VaultStore.self).list(
                prefix: optionalText(prefix, named: "prefix") ?? "", after: optionalText(after, named: "after"),
                limit: Int(limit)))
    }
}

@implementation @_cdecl("folio_vault_store_list_conflicts")
public func folio_vault_store_list_conflicts(
    _ store: OpaquePointer?, _ after: Int64, _ conflicts: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    give(conflicts, named: "conflicts", error) { () throws(FolioError) in
        VaultConflictsBox(try require(store, VaultStore.self).conflicts(after: after))
    }
}

@implementation @_cdecl("folio_vault_store_keep_conflict")
public func folio_vault_store_keep_conflict(
    _ store: OpaquePointer?, _ id: Int64, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    perform(error) { () throws(FolioError) in
        try require(store, VaultStore.self).keepConflict(id)
    }
}

@implementation @_cdecl("folio_vault_store_drop_conflict")
public func folio_vault_store_drop_conflict(
    _ store: OpaquePointer?, _ id: Int64, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    perform(error) { () throws(FolioError) in
        try require(store, VaultStore.self).dropConflict(id)
    }
}

@implementation @_cdecl("folio_vault_store_get_conflict")
public func folio_vault_store_get_conflict(
    _ store: OpaquePointer?, _ id: Int64, _ value: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    give(value, named: "value", error) { () throws(FolioError) in
        VaultValueBox(try require(store, VaultStore.self).conflict(id))
    }
}
