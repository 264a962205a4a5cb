import CFolio
import Folio
import FolioModel

final class VaultValueBox: Handled {
    static let kind = HandleKind.vaultValue

    let value: VaultValue

    init(_ value: VaultValue) {
        self.value = value
    }
}

final class VaultPageBox: Handled {
    static let kind = HandleKind.vaultPage

    let entries: [VaultEntry]
    let keys: OwnedCStrings

    init(_ entries: [VaultEntry]) {
        self.entries = entries
        keys = OwnedCStrings(entries.map(\.key))
    }

    func entry(_ index: Int32) -> VaultEntry? {
        entries.indices.contains(Int(index)) ? entries[Int(index)] : nil
    }
}

final class VaultConflictsBox: Handled {
    static let kind = HandleKind.vaultConflicts

    let conflicts: [VaultConflict]
    let keys: OwnedCStrings

    init(_ conflicts: [VaultConflict]) {
        self.conflicts = conflicts
        keys = OwnedCStrings(conflicts.map(\.key))
    }

    func conflict(_ index: Int32) -> VaultConflict? {
        conflicts.indices.contains(Int(index)) ? conflicts[Int(index)] : nil
    }
}

final class VaultStateBox: Handled {
    static let kind = HandleKind.vaultState

    let state: VaultState
    let userId: OwnedCString
    let carryOver: Int32
    let moved: Int64
    let total: Int64
    let isRetrying: Bool
    let error: StorageFailure?

    init(_ state: VaultState) {
        self.state = state
        userId = OwnedCString(state.userId)
        switch state.carryOver {
        case .none:
            (carryOver, moved, total, isRetrying, error) = (Int32(FOLIO_CARRY_OVER_NONE), 0, 0, false, nil)
        case .running(let done, let all):
            (carryOver, moved, total, isRetrying, error) = (Int32(FOLIO_CARRY_OVER_RUNNING), done, all, false, nil)
        case .finished:
            (carryOver, moved, total, isRetrying, error) = (Int32(FOLIO_CARRY_OVER_FINISHED), 0, 0, false, nil)
        case .failed(let done, let all, let failure, let retrying):
            (carryOver, moved, total, isRetrying, error) = (Int32(FOLIO_CARRY_OVER_FAILED), done, all, retrying, failure)
        }
    }
}

@implementation @_cdecl("folio_vault_value_get_data")
public func folio_vault_value_get_data(_ value: OpaquePointer?) -> UnsafePointer<UInt8>? {
    fact(value, VaultValueBox.self, absent: nil) {
        $0.value.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    }
}

@implementation @_cdecl("folio_vault_value_get_length")
public func folio_vault_value_get_length(_ value: OpaquePointer?) -> Int {
    fact(value, VaultValueBox.self, absent: 0) { $0.value.count }
}

@implementation @_cdecl("folio_vault_value_get_modified_at")
public func folio_vault_value_get_modified_at(_ value: OpaquePointer?) -> Int64 {
    fact(value, VaultValueBox.self, absent: 0) { $0.value.modifiedAt }
}

@implementation @_cdecl("folio_vault_value_release")
public func folio_vault_value_release(_ value: OpaquePointer?) {
    release(value, VaultValueBox.self)
}

@implementation @_cdecl("folio_vault_page_get_count")
public func folio_vault_page_get_count(_ page: OpaquePointer?) -> Int32 {
    fact(page, VaultPageBox.self, absent: 0) { Int32(clamping: $0.entries.count) }
}

@implementation @_cdecl("folio_vault_page_get_key")
public func folio_vault_page_get_key(_ page: OpaquePointer?, _ index: Int32) -> UnsafePointer<CChar>? {
    fact(page, VaultPageBox.self, absent: nil) { $0.keys.pointer(at: index) }
}

@implementation @_cdecl("folio_vault_page_get_length")
public func folio_vault_page_get_length(_ page: OpaquePointer?, _ index: Int32) -> Int64 {
    fact(page, VaultPageBox.self, absent: 0) { $0.entry(index)?.size ?? 0 }
}

@implementation @_cdecl("folio_vault_page_get_modified_at")
public func folio_vault_page_get_modified_at(_ page: OpaquePointer?, _ index: Int32) -> Int64 {
    fact(page, VaultPageBox.self, absent: 0) { $0.entry(index)?.modifiedAt ?? 0 }
}

@implementation @_cdecl("folio_vault_page_release")
public func folio_vault_page_release(_ page: OpaquePointer?) {
    release(page, VaultPageBox.self)
}

@implementation @_cdecl("folio_vault_conflicts_get_count")
public func folio_vault_conflicts_get_count(_ conflicts: OpaquePointer?) -> Int32 {
    fact(conflicts, VaultConflictsBox.self, absent: 0) { Int32(clamping: $0.conflicts.count) }
}

@implementation @_cdecl("folio_vault_conflicts_get_id")
public func folio_vault_conflicts_get_id(_ conflicts: OpaquePointer?, _ index: Int32) -> Int64 {
    fact(conflicts, VaultConflictsBox.self, absent: 0) { $0.conflict(index)?.id ?? 0 }
}

@implementation @_cdecl("folio_vault_conflicts_get_key")
public func folio_vault_conflicts_get_key(_ conflicts: OpaquePointer?, _ index: Int32) -> UnsafePointer<CChar>? {
    fact(conflicts, VaultConflictsBox.self, absent: nil) { $0.keys.pointer(at: index) }
}

@implementation @_cdecl("folio_vault_conflicts_get_modified_at")
public func folio_vault_conflicts_get_modified_at(_ conflicts: OpaquePointer?, _ index: Int32) -> Int64 {
    fact(conflicts, VaultConflictsBox.self, absent: 0) { $0.conflict(index)?.modifiedAt ?? 0 }
}

@implementation @_cdecl("folio_vault_conflicts_release")
public func folio_vault_conflicts_release(_ conflicts: OpaquePointer?) {
    release(conflicts, VaultConflictsBox.self)
}

@implementation @_cdecl("folio_vault_state_get_running")
public func folio_vault_state_get_running(_ state: OpaquePointer?) -> Int32 {
    fact(state, VaultStateBox.self, absent: 0) { $0.state.userId == nil ? 0 : 1 }
}

@implementation @_cdecl("folio_vault_state_get_user_id")
public func folio_vault_state_get_user_id(_ state: OpaquePointer?) -> UnsafePointer<CChar>? {
    fact(state, VaultStateBox.self, absent: nil) { $0.userId.pointer }
}

@implementation @_cdecl("folio_vault_state_get_record_count")
public func folio_vault_state_get_record_count(_ state: OpaquePointer?) -> Int64 {
    fact(state, VaultStateBox.self, absent: 0) { $0.state.recordCount }
}

@implementation @_cdecl("folio_vault_state_get_bytes")
public func folio_vault_state_get_bytes(_ state: OpaquePointer?) -> Int64 {
    fact(state, VaultStateBox.self, absent: 0) { $0.state.bytes }
}

@implementation @_cdecl("folio_vault_state_get_conflict_count")
public func folio_vault_state_get_conflict_count(_ state: OpaquePointer?) -> Int64 {
    fact(state, VaultStateBox.self, absent: 0) { $0.state.conflictCount }
}

@implementation @_cdecl("folio_vault_state_get_carry_over")
public func folio_vault_state_get_carry_over(_ state: OpaquePointer?) -> Int32 {
    fact(state, VaultStateBox.self, absent: 0) { $0.carryOver }
}

@implementation @_cdecl("folio_vault_state_get_moved")
public func folio_vault_state_get_moved(_ state: OpaquePointer?) -> Int64 {
    fact(state, VaultStateBox.self, absent: 0) { $0.moved }
}

@implementation @_cdecl("folio_vault_state_get_total")
public func folio_vault_state_get_total(_ state: OpaquePointer?) -> Int64 {
    fact(state, VaultStateBox.self, absent: 0) { $0.total }
}

@implementation @_cdecl("folio_vault_state_get_retrying")
public func folio_vault_state_get_retrying(_ state: OpaquePointer?) -> Int32 {
    fact(state, VaultStateBox.self, absent: 0) { $0.isRetrying ? 1 : 0 }
}

@implementation @_cdecl("folio_vault_state_copy_error")
public func folio_vault_state_copy_error(_ state: OpaquePointer?) -> OpaquePointer? {
    let error = fact(state, VaultStateBox.self, absent: nil) { $0.error }
    return error.flatMap { handles.insert(ErrorBox(FolioError($0))) }
}

@implementation @_cdecl("folio_vault_state_retain")
public func folio_vault_state_retain(_ state: OpaquePointer?) -> OpaquePointer? {
    retained(state, VaultStateBox.self)
}

@implementation @_cdecl("folio_vault_state_release")
public func folio_vault_state_release(_ state: OpaquePointer?) {
    release(state, VaultStateBox.self)
}
