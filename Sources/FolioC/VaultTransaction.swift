public import CFolio
import Folio

extension VaultTransaction: Handled {
    static let kind = HandleKind.vaultTransaction
}

@implementation @_cdecl("folio_vault_transaction_begin")
public func folio_vault_transaction_begin(
    _ store: OpaquePointer?, _ transaction: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    give(transaction, named: "transaction", error) { () throws(FolioError) in
        try require(store, VaultStore.self).transaction()
    }
}

@implementation @_cdecl("folio_vault_transaction_put")
public func folio_vault_transaction_put(
    _ transaction: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value: UnsafePointer<UInt8>?, _ length: Int,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    perform(error) { () throws(FolioError) in
        try require(transaction, VaultTransaction.self).put(
            text(key, named: "key"), bytes(value, length, named: "value"))
    }
}

@implementation @_cdecl("folio_vault_transaction_get")
public func folio_vault_transaction_get(
    _ transaction: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    give(value, named: "value", error) { () throws(FolioError) in
        try require(transaction, VaultTransaction.self).get(text(key, named: "key")).map(VaultValueBox.init)
    }
}

@implementation @_cdecl("folio_vault_transaction_delete")
public func folio_vault_transaction_delete(
    _ transaction: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ deleted: UnsafeMutablePointer<Int32>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    giveNumber(deleted, error) { () throws(FolioError) in
        try require(transaction, VaultTransaction.self).delete(text(key, named: "key")) ? 1 : 0
    }
}

@implementation @_cdecl("folio_vault_transaction_commit")
public func folio_vault_transaction_commit(
    _ transaction: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    perform(error) { () throws(FolioError) in
        try require(transaction, VaultTransaction.self).commit()
    }
}

@implementation @_cdecl("folio_vault_transaction_release")
public func folio_vault_transaction_release(_ transaction: OpaquePointer?) {
    release(transaction, VaultTransaction.self)
}
